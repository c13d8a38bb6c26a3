// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/DeepStack.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/thread.h"

#include <csignal>
#include <memory>
#include <mutex>
#include <optional>

namespace graphprof::instrument {
namespace {

/// This is address space: the system allocates only the pages that are touched.
constexpr unsigned StackBytes = 512U << 20;

/// The handler of a stack overflow needs another stack, and LLVM's handler does not set one up.
void enableRecovery() {
  llvm::CrashRecoveryContext::Enable();
  for (const int Signal : {SIGSEGV, SIGBUS}) {
    struct sigaction Action = {};
    if (sigaction(Signal, nullptr, &Action) == 0) {
      Action.sa_flags |= SA_ONSTACK;
      sigaction(Signal, &Action, nullptr);
    }
  }
}

} // namespace

bool runOnDeepStack(llvm::function_ref<void()> Work) {
  static std::once_flag Enabled;
  std::call_once(Enabled, enableRecovery);
  constexpr size_t HandlerBytes = 64 << 10;
  const auto Handlers = std::make_unique<char[]>(HandlerBytes);
  bool Done = false;
  llvm::thread Deep(std::optional<unsigned>(StackBytes), [&] {
    stack_t Other = {}, Before = {};
    Other.ss_sp = Handlers.get();
    Other.ss_size = HandlerBytes;
    sigaltstack(&Other, &Before);
    Done = llvm::CrashRecoveryContext().RunSafely(Work);
    sigaltstack(&Before,
                nullptr); // restores AddressSanitizer's, which it unmaps when the thread ends
  });
  Deep.join();
  return Done;
}

} // namespace graphprof::instrument
