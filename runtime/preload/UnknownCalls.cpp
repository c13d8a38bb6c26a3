// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "preload/UnknownCalls.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graphprof/detail/known_calls.h"
#include "preload/Library.h"

namespace graphprof::preload {
namespace {

// How many functions are told of; drivers of 2026 have some twenty that the lists do not know.
#define GRAPHPROF_ENTRIES 128

struct Unknown {
  std::atomic<void *> function{nullptr}; ///< the driver's; null: free
  char text[64]{};
  std::atomic<const char *> name{nullptr}; ///< the text, once it is written
};
constinit Unknown unknown[GRAPHPROF_ENTRIES];

} // namespace

// For the entries below: reports a call of the function of that number, and returns the driver's.
extern "C" __attribute__((visibility("hidden"), used)) void *
graphprof_preload_unknown(std::uint64_t number) noexcept {
  const Unknown &called = unknown[number];
  const char *const name = called.name.load(std::memory_order_acquire);
  if (tells())
    loaded.unknownCalled(name ? name : "its name is not known yet");
  return called.function.load(std::memory_order_relaxed);
}

// Entries of 16 bytes. What the arguments are is not known, so all registers that may hold some are
// kept; those on the stack stay where they are, because the driver's function is jumped to, and
// returns to the program.
#define GRAPHPROF_TEXT_OF(number) #number
#define GRAPHPROF_TEXT(number) GRAPHPROF_TEXT_OF(number)
// clang-format off
asm(R"(
  .pushsection .text.graphprof_unknown, "ax", @progbits
  .balign 16
  .hidden graphprof_preload_entries
  .globl graphprof_preload_entries
graphprof_preload_entries:
  .set entry, 0
  .rept )" GRAPHPROF_TEXT(GRAPHPROF_ENTRIES) R"(
  .balign 16
)"
#if defined(__x86_64__)
R"(
  endbr64
  pushq $entry
  jmp 1f
)"
#elif defined(__aarch64__)
R"(
  hint #34
  mov w17, #entry
  b 1f
)"
#endif
R"(
  .set entry, entry + 1
  .endr
1:
)"
#if defined(__x86_64__)
R"(
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 176(%rsp), %rdi
  call graphprof_preload_unknown
  movq %rax, %r11
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  addq $8, %rsp
  jmpq *%r11
)"
#elif defined(__aarch64__)
R"(
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov w0, w17
  bl graphprof_preload_unknown
  mov x16, x0
  ldp q6, q7, [sp, #192]
  ldp q4, q5, [sp, #160]
  ldp q2, q3, [sp, #128]
  ldp q0, q1, [sp, #96]
  ldr x8, [sp, #80]
  ldp x6, x7, [sp, #64]
  ldp x4, x5, [sp, #48]
  ldp x2, x3, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #224
  br x16
)"
#endif
R"(
  .popsection
)");
// clang-format on
extern "C" __attribute__((visibility("hidden"))) char graphprof_preload_entries[];

namespace {
constexpr std::size_t entrySize = 16;
} // namespace

bool mayChangeGraphs(const char *name) noexcept { return detail::mayChangeGraphs(name); }

// Takes no lock: a child that is forked meanwhile would wait for it for ever.
void *watched(const char *name, void *function) noexcept {
  for (std::size_t number = 0; number < GRAPHPROF_ENTRIES; ++number) {
    Unknown &each = unknown[number];
    void *there = nullptr;
    if (each.function.compare_exchange_strong(there, function)) {
      std::strncpy(each.text, name, sizeof each.text - 1);
      each.name.store(each.text, std::memory_order_release);
    } else if (there != function) {
      continue;
    }
    return graphprof_preload_entries + number * entrySize;
  }
  if (tells()) // the calls themselves will not be seen
    loaded.unknownCalled(name);
  return function;
}

} // namespace graphprof::preload
