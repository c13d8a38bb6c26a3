// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "HostOptions.h"

namespace graphprof::nvcc {
namespace {

constexpr HostOption Options[] = {
    {"-o", true, Role::Output},
    {"-x", true, Role::Language},
    {"-I", true, Role::Include},
    {"-isystem", true, Role::Include},
    {"-iquote", true, Role::Include},
    {"-idirafter", true, Role::Include},
    {"-D", true, Role::Define},
    {"-U", true, Role::Define},
    {"-include", true, Role::Define},
    {"-imacros", true, Role::Define},
    {"-MF", true, Role::Dependencies},
    {"-MT", true, Role::Dependencies},
    {"-MQ", true, Role::Dependencies},
    {"-MJ", true, Role::Nothing},
    {"-L", true, Role::Library},
    {"-l", true, Role::Library},
    {"-T", true, Role::Library},
    {"-u", false, Role::Library},
    {"-z", true, Role::Library},
    {"-Xlinker", false, Role::Library},
    {"-Xassembler", false, Role::Nothing},
    {"-Xpreprocessor", false, Role::Nothing},
    {"-Xclang", false, Role::Nothing},
    {"-Xcuda-fatbinary", false, Role::Nothing},
    {"-Xcuda-ptxas", false, Role::Nothing},
    {"-Xarch_device", false, Role::Nothing},
    {"-Xarch_host", false, Role::Nothing},
    {"-Xopenmp-target", false, Role::Nothing},
    {"-mllvm", false, Role::Nothing},
    {"-target", false, Role::Nothing},
    {"-resource-dir", false, Role::Nothing},
    {"-isysroot", true, Role::Nothing},
    {"--sysroot", false, Role::Nothing},
    {"-iprefix", true, Role::Nothing},
    {"-iwithprefix", true, Role::Nothing},
    {"-iwithprefixbefore", true, Role::Nothing},
    {"-imultilib", true, Role::Nothing},
    {"-include-pch", false, Role::Nothing},
    {"-ivfsoverlay", true, Role::Nothing},
    {"-B", true, Role::Nothing},
    {"-A", true, Role::Nothing},
    {"-wrapper", false, Role::Nothing},
    {"-aux-info", false, Role::Nothing},
    {"-dumpbase", false, Role::Nothing},
    {"-dumpbase-ext", false, Role::Nothing},
    {"-dumpdir", false, Role::Nothing},
    {"-specs", false, Role::Nothing},
    {"--param", false, Role::Nothing},
    {"-gcc-toolchain", false, Role::Nothing},
    {"--gcc-install-dir", false, Role::Nothing},
    {"-framework", false, Role::Library},
    {"-arch", false, Role::Nothing},
    {"-e", false, Role::Library},
};

} // namespace

llvm::ArrayRef<HostOption> hostOptions() { return Options; }

HostMatch matchHostOption(llvm::StringRef Word) {
  HostMatch Joined;
  size_t Length = 0;
  for (const HostOption &Option : Options) {
    if (Word == Option.Name)
      return {&Option, "", false};
    if (Option.Joined && Option.Name.size() > Length && Word.starts_with(Option.Name)) {
      Joined = {&Option, Word.drop_front(Option.Name.size()), true};
      Length = Option.Name.size();
    }
  }
  return Joined;
}

} // namespace graphprof::nvcc
