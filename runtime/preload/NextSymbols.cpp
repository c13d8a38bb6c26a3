// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "preload/NextSymbols.h"

#include <cstring>

#include <dlfcn.h>
#include <link.h>

#include "preload/abi/cuda.h"

namespace graphprof::preload {
namespace {

// The linker's name for the begin of this library.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

// The part of a library's dynamic section that finds symbols. The C library has made the addresses
// absolute, except in the vdso.
struct Symbols {
  const ElfW(Sym) *table = nullptr;
  const char *names = nullptr;
  const ElfW(Word) *gnuHash = nullptr;

  Symbols(const dl_phdr_info &library) noexcept {
    const ElfW(Dyn) *entry = nullptr;
    for (int i = 0; i < library.dlpi_phnum; ++i)
      if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
        entry =
            reinterpret_cast<const ElfW(Dyn) *>(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; ++entry) {
      const ElfW(Addr) at = entry->d_un.d_ptr < library.dlpi_addr
                                ? entry->d_un.d_ptr + library.dlpi_addr
                                : entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB)
        table = reinterpret_cast<const ElfW(Sym) *>(at);
      else if (entry->d_tag == DT_STRTAB)
        names = reinterpret_cast<const char *>(at);
      else if (entry->d_tag == DT_GNU_HASH)
        gnuHash = reinterpret_cast<const ElfW(Word) *>(at);
    }
  }

  // By DT_GNU_HASH: buckets of symbols; the last one of a bucket has its lowest bit set.
  const ElfW(Sym) * find(const char *name) const noexcept {
    if (!table || !names || !gnuHash)
      return nullptr;
    ElfW(Word) hash = 5381;
    for (const char *c = name; *c; ++c)
      hash = hash * 33 + static_cast<unsigned char>(*c);
    const ElfW(Word) bucketCount = gnuHash[0], first = gnuHash[1], bloomWords = gnuHash[2];
    if (bucketCount == 0)
      return nullptr;
    const ElfW(Word) *const buckets =
        gnuHash + 4 + bloomWords * (sizeof(ElfW(Addr)) / sizeof(ElfW(Word)));
    const ElfW(Word) *const chains = buckets + bucketCount;
    for (ElfW(Word) i = buckets[hash % bucketCount]; i >= first && i != 0; ++i) {
      const ElfW(Word) known = chains[i - first];
      if ((known | 1) == (hash | 1) && table[i].st_shndx != SHN_UNDEF &&
          ELF64_ST_TYPE(table[i].st_info) == STT_FUNC &&
          std::strcmp(names + table[i].st_name, name) == 0)
        return &table[i];
      if (known & 1)
        break;
    }
    return nullptr;
  }
};

struct Search {
  const char *name;
  bool isBehind = false;
  void *found = nullptr;
};

int look(dl_phdr_info *library, std::size_t /*size*/, void *data) {
  auto &search = *static_cast<Search *>(data);
  const bool ours = library->dlpi_addr == reinterpret_cast<ElfW(Addr)>(&__ehdr_start);
  if (search.isBehind)
    if (const ElfW(Sym) *const symbol = Symbols(*library).find(search.name)) {
      search.found = reinterpret_cast<void *>(library->dlpi_addr + symbol->st_value);
      return 1;
    }
  search.isBehind |= ours;
  return 0;
}

struct Place {
  const void *address;
  bool isInFront = false;
};

// The libraries come in the order in which they are searched, the program first.
int reach(dl_phdr_info *library, std::size_t /*size*/, void *data) {
  auto &place = *static_cast<Place *>(data);
  if (library->dlpi_addr == reinterpret_cast<ElfW(Addr)>(&__ehdr_start))
    return 1;
  const auto at = reinterpret_cast<ElfW(Addr)>(place.address);
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = library->dlpi_phdr[i];
    place.isInFront |=
        part.p_type == PT_LOAD && at - (library->dlpi_addr + part.p_vaddr) < part.p_memsz;
  }
  return place.isInFront;
}

template <class Function> Function once(std::atomic<void *> &kept, const char *name) noexcept {
  void *known = kept.load(std::memory_order_relaxed);
  if (!known) {
    known = behindOurs(name);
    kept.store(known, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function>(known);
}

std::atomic<void *> keptDlsym{nullptr}, keptDlvsym{nullptr};

// At load, because a child of fork may look up names although another thread of its parent held
// the lock of dl_iterate_phdr().
__attribute__((constructor)) void lookUp() {
  (void)realDlsym();
  (void)realDlvsym();
}

} // namespace

void *behindOurs(const char *name) noexcept {
  Search search{name};
  dl_iterate_phdr(look, &search);
  return search.found;
}

Dlsym realDlsym() noexcept { return once<Dlsym>(keptDlsym, "dlsym"); }
Dlvsym realDlvsym() noexcept { return once<Dlvsym>(keptDlvsym, "dlvsym"); }

namespace {
const void *libraryOf(const void *address) noexcept {
  Dl_info object{};
  return dladdr(address, &object) ? object.dli_fbase : nullptr;
}
// Does another library stand in front of dlsym, behind this one? Otherwise dlsym is the C
// library's, as dladdr is.
bool isInterposedBehind() noexcept {
  const void *const dlsyms = libraryOf(reinterpret_cast<void *>(realDlsym()));
  return dlsyms && dlsyms != libraryOf(reinterpret_cast<void *>(&dladdr));
}
} // namespace

void *nextOf(const char *symbol) noexcept {
  const Dlsym find = realDlsym();
  // That library's dlsym would look behind itself.
  return !find ? nullptr : isInterposedBehind() ? behindOurs(symbol) : find(RTLD_NEXT, symbol);
}

void *realOf(const char *symbol) noexcept {
  const Dlsym find = realDlsym();
  if (!find)
    return nullptr;
  if (void *const loaded = nextOf(symbol))
    return loaded;
  // Never closed, because its functions are handed out.
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *const found = driver ? find(driver, symbol) : nullptr;
  // By its own name for a function the other library may mean ours.
  return found && isOurs(found) ? behindOurs(symbol) : found;
}

bool runtimeIsDriver() noexcept {
  const void *const runtime = nextOf("cudaGraphLaunch");
  return runtime && libraryOf(runtime) == libraryOf(nextOf("cuGraphLaunch"));
}

bool isOfDriver(const void *address) noexcept {
  Dl_info object{};
  if (!dladdr(address, &object) || !object.dli_fname)
    return false;
  const char *const slash = std::strrchr(object.dli_fname, '/');
  return std::strncmp(slash ? slash + 1 : object.dli_fname, "libcuda.so", 10) == 0;
}

bool isOfInterposerBehind(const void *address) noexcept {
  return isInterposedBehind() &&
         libraryOf(address) == libraryOf(reinterpret_cast<void *>(realDlsym()));
}

bool isInFront(const void *address) noexcept {
  Place place{address};
  dl_iterate_phdr(reach, &place);
  return place.isInFront;
}

bool isOurs(const void *address) noexcept {
  Dl_info object{};
  return dladdr(address, &object) && object.dli_fbase == &__ehdr_start;
}

} // namespace graphprof::preload

using graphprof::preload::realOf;

// libgraphprof calls this instead of dlsym, to get the driver behind this library.
extern "C" __attribute__((visibility("default"))) void *graphprof_preload_real(const char *symbol) {
  return realOf(symbol);
}

extern "C" {
CUresult cuFuncGetName(const char **name, CUfunction function) {
  static constinit graphprof::preload::Slot slot{"cuFuncGetName"};
  void *const real = slot.get();
  return real ? reinterpret_cast<CUresult (*)(const char **, CUfunction)>(real)(name, function)
              : CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  static constinit graphprof::preload::Slot slot{"cuKernelGetName"};
  void *const real = slot.get();
  return real ? reinterpret_cast<CUresult (*)(const char **, CUkernel)>(real)(name, kernel)
              : CUDA_ERROR_NOT_FOUND;
}
}
