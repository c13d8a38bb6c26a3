// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_TEST_FAIL=program|threads FIRST LAST: from the beginning of the process, before main().
// With GRAPHPROF_TEST_RAISE=NUMBER they do not fail: a signal comes instead, once, whose handler
// calls exit(3).
// This file is linked behind the program's others and before graphprof: static objects are made in
// that order.

#include "Allocations.h"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "cudasim/cudasim.h"

namespace graphprof::test {

namespace {

struct Order {
  std::atomic<unsigned long> first{ULONG_MAX}, last{0}, made{0};
};
std::array<Order, 2> orders; // by Where
std::atomic<bool> armed{false};
std::atomic<int> toRaise{0};
std::atomic<unsigned long> failed{0};
thread_local int own = 0;
thread_local bool isMain = false;

Order &orderOf(Where where) { return orders[where == Where::Program ? 0 : 1]; }

bool fails() noexcept {
  if (!armed.load(std::memory_order_relaxed) || own > 0 || cudasim::inCall())
    return false;
  Order &order = orderOf(isMain ? Where::Program : Where::Threads);
  const unsigned long number = ++order.made;
  if (number < order.first.load() || number > order.last.load())
    return false;
  ++failed;
  if (const int signal = toRaise.exchange(0)) {
    armed = false;
    std::raise(signal);
    return false;
  }
  return true;
}

[[maybe_unused]] const bool ordered = [] {
  isMain = true;
  unsigned long first = ULONG_MAX, last = 0;
  const char *const order = std::getenv("GRAPHPROF_TEST_FAIL"); // "threads 3 5"
  if (order) {
    char *end = nullptr;
    const char *const numbers = std::strchr(order, ' ');
    first = numbers ? std::strtoul(numbers, &end, 10) : 0;
    last = end ? std::strtoul(end, &end, 10) : 0;
    if (first == 0 || last == 0)
      std::abort();
  }
  failAllocations(order && std::strncmp(order, "threads ", 8) == 0 ? Where::Threads
                                                                   : Where::Program,
                  first, last);
  if (const char *const signal = std::getenv("GRAPHPROF_TEST_RAISE")) {
    toRaise = static_cast<int>(std::strtol(signal, nullptr, 10));
    std::signal(toRaise, [](int) { std::exit(3); });
  }
  return true;
}();

} // namespace

void failAllocations(Where where, unsigned long first, unsigned long last) {
  for (Order &order : orders) {
    order.first = ULONG_MAX;
    order.last = order.made = 0;
  }
  orderOf(where).last = last;
  orderOf(where).first = first;
  failed = 0;
  armed = true;
}

void allocationsWork() { armed = false; }
unsigned long allocations(Where where) { return orderOf(where).made; }
unsigned long failedAllocations() { return failed; }

Own::Own() { ++own; }
Own::~Own() { --own; }

} // namespace graphprof::test

using graphprof::test::fails;

// What is linked into the program calls these: its linker is told so, and makes the names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void *__real_malloc(std::size_t size);
void *__real_calloc(std::size_t count, std::size_t size);
void *__real_realloc(void *memory, std::size_t size);
void *__wrap_malloc(std::size_t size) { return fails() ? nullptr : __real_malloc(size); }
void *__wrap_calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, std::size_t size) {
  return fails() ? nullptr : __real_realloc(memory, size);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

void *allocated(std::size_t size, std::size_t alignment = 0) noexcept {
  if (fails())
    return nullptr;
  if (alignment == 0)
    return __real_malloc(size ? size : 1);
  void *memory = nullptr;
  return posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) == 0
             ? memory
             : nullptr;
}
void *orThrow(void *memory) {
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

} // namespace

void *operator new(std::size_t size) { return orThrow(allocated(size)); }
void *operator new[](std::size_t size) { return orThrow(allocated(size)); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return allocated(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return allocated(size); }
void *operator new(std::size_t size, std::align_val_t alignment) {
  return orThrow(allocated(size, static_cast<std::size_t>(alignment)));
}
void *operator new[](std::size_t size, std::align_val_t alignment) {
  return orThrow(allocated(size, static_cast<std::size_t>(alignment)));
}
void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
