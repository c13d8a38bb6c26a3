// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The operators new and delete of libgraphprof.so, which nobody else sees. The library has a
// standard library of its own inside, so they serve that, too.
//
// A program may have replaced the operators by some that are not thread-safe, because it has no
// second thread. Under `graphprof run` it must not notice that graphprof has threads: the library
// uses malloc(). In a program that is linked with the library, strings and containers go from one
// to the other, so both have to use the program's operators.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <dlfcn.h>

/// Is libgraphprof_preload.so bringing this library into a process that is not linked with it?
extern "C" __attribute__((weak)) int graphprof_preload_brings();

namespace {

struct Operators {
  void *(*make)(std::size_t);
  void *(*makeAligned)(std::size_t, std::align_val_t);
  void (*release)(void *);
  void (*releaseAligned)(void *, std::align_val_t);
};

// Alignments are powers of two, sizes their multiples.
void *alignedOf(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(align, (size + align - 1) / align * align);
}

void *madeByMalloc(std::size_t size) {
  if (void *const memory = std::malloc(size ? size : 1)) // NOLINT: this is an operator new
    return memory;
  throw std::bad_alloc();
}
void *madeAlignedByMalloc(std::size_t size, std::align_val_t alignment) {
  if (void *const memory = alignedOf(size ? size : 1, alignment))
    return memory;
  throw std::bad_alloc();
}
void freed(void *memory) { std::free(memory); }                                        // NOLINT
void freedAligned(void *memory, std::align_val_t /*alignment*/) { std::free(memory); } // NOLINT

constexpr Operators ours = {madeByMalloc, madeAlignedByMalloc, freed, freedAligned};
Operators programs{};
constinit std::atomic<const Operators *> chosen{nullptr};

template <class Function> void find(Function &function, const char *name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

// Called at the first allocation, on the thread that loads the library.
const Operators &choose() {
  const Operators *choice = &ours;
  if (!graphprof_preload_brings || graphprof_preload_brings() == 0) {
    find(programs.make, "_Znwm");
    find(programs.makeAligned, "_ZnwmSt11align_val_t");
    find(programs.release, "_ZdlPv");
    find(programs.releaseAligned, "_ZdlPvSt11align_val_t");
    // A C program has none.
    if (programs.make && programs.makeAligned && programs.release && programs.releaseAligned)
      choice = &programs;
  }
  chosen.store(choice, std::memory_order_release);
  return *choice;
}

const Operators &operators() {
  const Operators *const now = chosen.load(std::memory_order_acquire);
  return now ? *now : choose();
}

} // namespace

void *operator new(std::size_t size) { return operators().make(size); }
void *operator new[](std::size_t size) { return operators().make(size); }
void *operator new(std::size_t size, const std::nothrow_t & /*nothrow*/) noexcept try {
  return operators().make(size);
} catch (...) {
  return nullptr;
}
void *operator new[](std::size_t size, const std::nothrow_t &nothrow) noexcept {
  return operator new(size, nothrow);
}
void *operator new(std::size_t size, std::align_val_t alignment) {
  return operators().makeAligned(size, alignment);
}
void *operator new[](std::size_t size, std::align_val_t alignment) {
  return operators().makeAligned(size, alignment);
}
void *operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t & /*nothrow*/) noexcept try {
  return operators().makeAligned(size, alignment);
} catch (...) {
  return nullptr;
}
void *operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t &nothrow) noexcept {
  return operator new(size, alignment, nothrow);
}

void operator delete(void *memory) noexcept { operators().release(memory); }
void operator delete[](void *memory) noexcept { operators().release(memory); }
void operator delete(void *memory, std::size_t /*size*/) noexcept { operators().release(memory); }
void operator delete[](void *memory, std::size_t /*size*/) noexcept { operators().release(memory); }
void operator delete(void *memory, const std::nothrow_t & /*nothrow*/) noexcept {
  operators().release(memory);
}
void operator delete[](void *memory, const std::nothrow_t & /*nothrow*/) noexcept {
  operators().release(memory);
}
void operator delete(void *memory, std::align_val_t alignment) noexcept {
  operators().releaseAligned(memory, alignment);
}
void operator delete[](void *memory, std::align_val_t alignment) noexcept {
  operators().releaseAligned(memory, alignment);
}
void operator delete(void *memory, std::size_t /*size*/, std::align_val_t alignment) noexcept {
  operators().releaseAligned(memory, alignment);
}
void operator delete[](void *memory, std::size_t /*size*/, std::align_val_t alignment) noexcept {
  operators().releaseAligned(memory, alignment);
}
void operator delete(void *memory, std::align_val_t alignment,
                     const std::nothrow_t & /*nothrow*/) noexcept {
  operators().releaseAligned(memory, alignment);
}
void operator delete[](void *memory, std::align_val_t alignment,
                       const std::nothrow_t & /*nothrow*/) noexcept {
  operators().releaseAligned(memory, alignment);
}
