// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Versions.h"

#include "Properties.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cudasim {
namespace {

constexpr int newest = 13050;

struct Since {
  std::string_view name;
  int version;
};
constexpr Since driverFunctions[] = {
#define CUDASIM_DRIVER_SINCE(symbol, version) {#symbol, version},
#include "cudasim/versions.def"
};
constexpr Since runtimeFunctions[] = {
#define CUDASIM_RUNTIME_SINCE(function, version) {#function, version},
#include "cudasim/versions.def"
};

template <std::size_t count> int versionIn(const Since (&list)[count], std::string_view name) {
  const auto *const at = std::ranges::find(list, name, &Since::name);
  return at == std::end(list) ? 0 : at->version;
}

int version = newest;

// The C library is not ready yet (hide()), so nothing is formatted.
[[noreturn]] void refuse(std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (write(STDERR_FILENO, word.data(), word.size()) < 0)
      break;
  _exit(2);
}

// 12.0 to 12.9 and 13.0 to 13.5.
int parsed(const char *text) {
  const std::string_view all = text;
  if (all.size() == 4 && (all.starts_with("12.") || all.starts_with("13."))) {
    const int major = all[1] - '0', minor = all[3] - '0';
    const int number = 10000 + major * 1000 + minor * 10;
    if (minor >= 0 && minor <= 9 && number <= newest)
      return number;
  }
  refuse({"cudasim: CUDASIM_VERSION is '", text,
          "', which is no version of CUDA from 12.0 to 13.5\n"});
}

// The linker's name for this library's begin.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

// How many symbols a table has, by DT_GNU_HASH: the last chain ends with the last of them.
std::size_t symbolCount(const ElfW(Word) * hash) {
  const ElfW(Word) bucketCount = hash[0], first = hash[1], bloomWords = hash[2];
  const ElfW(Word) *const buckets =
      hash + 4 + bloomWords * (sizeof(ElfW(Addr)) / sizeof(ElfW(Word)));
  ElfW(Word) last = *std::max_element(buckets, buckets + bucketCount);
  if (last < first)
    return first;
  const ElfW(Word) *const chains = buckets + bucketCount;
  while (!(chains[last - first] & 1))
    ++last;
  return last + 1;
}

// Before anybody looks up a symbol: what a driver lacks becomes an undefined symbol of this
// library, which neither dlsym nor the loader takes. libcudasim.so is initialised before the C
// library (CMakeLists.txt), when getenv finds nothing yet; the loader passes the environment.
[[gnu::constructor(101)]] void hide(int, char **, char **environment) {
  constexpr std::string_view name = "CUDASIM_VERSION=";
  for (char **each = environment; each && *each; ++each)
    if (std::string_view(*each).starts_with(name) && (*each)[name.size()])
      version = parsed(*each + name.size());
  if (version == newest)
    return;
  const auto base = reinterpret_cast<ElfW(Addr)>(&__ehdr_start);
  ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Word) *hash = nullptr;
  for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    // The C library has made the addresses absolute, on most processors.
    const ElfW(Addr) at = entry->d_un.d_ptr < base ? entry->d_un.d_ptr + base : entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB)
      symbols = reinterpret_cast<ElfW(Sym) *>(at);
    else if (entry->d_tag == DT_STRTAB)
      names = reinterpret_cast<const char *>(at);
    else if (entry->d_tag == DT_GNU_HASH)
      hash = reinterpret_cast<const ElfW(Word) *>(at);
  }
  if (!symbols || !names || !hash)
    refuse({"cudasim: this library has no table of symbols to hide functions in\n"});
  const std::size_t count = symbolCount(hash);
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  const ElfW(Addr) begin = reinterpret_cast<ElfW(Addr)>(symbols) / page * page;
  const std::size_t bytes = reinterpret_cast<ElfW(Addr)>(symbols + count) - begin;
  if (mprotect(reinterpret_cast<void *>(begin), bytes, PROT_READ | PROT_WRITE) != 0)
    refuse({"cudasim: the table of symbols cannot be written\n"});
  for (std::size_t i = 0; i < count; ++i)
    if (versionIn(driverFunctions, names + symbols[i].st_name) > version) {
      symbols[i].st_shndx = SHN_UNDEF;
      symbols[i].st_value = 0;
    }
  mprotect(reinterpret_cast<void *>(begin), bytes, PROT_READ);
}

} // namespace

int driverVersion() { return version; }
int runtimeVersion() { return std::min(version, kVersion); }

bool has(Feature feature) {
  switch (feature) {
#define CUDASIM_FEATURE_SINCE(name, since)                                                         \
  case Feature::name:                                                                              \
    return driverVersion() >= since;
#include "cudasim/versions.def"
  }
  return false;
}

bool needsNewerDriver(std::string_view function) {
  return version < kVersion && versionIn(runtimeFunctions, function) > version;
}

int sinceOf(std::string_view symbol) { return versionIn(driverFunctions, symbol); }

} // namespace cudasim
