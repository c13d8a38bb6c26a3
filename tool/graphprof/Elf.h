// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the 64-bit ELF file of a program or library says about it. Nothing here fails: if a file is
// truncated or not ELF, the answers are empty.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_ELF_H
#define GRAPHPROF_TOOL_GRAPHPROF_ELF_H

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

namespace graphprof::tool {

class Elf {
public:
  explicit Elf(const std::string &path);
  [[nodiscard]] unsigned machine() const { return header_.e_machine; }

  /// The loader that the file names. Nothing if it is statically linked.
  std::optional<std::string> loader();
  /// The libraries that the file is linked with.
  std::vector<std::string> libraries();
  /// Whether the file defines a symbol of this name, in its dynamic symbol table or, if it is not
  /// stripped, in the full one.
  bool defines(std::string_view name);

private:
  void read(std::uint64_t at, void *into, std::size_t size);
  std::string textAt(std::uint64_t at);
  [[nodiscard]] const Elf64_Phdr *first(Elf64_Word type) const;
  [[nodiscard]] std::uint64_t offsetOf(std::uint64_t address) const;
  [[nodiscard]] bool definesIn(const Elf64_Shdr &symbols, std::string_view name);

  std::ifstream file_;
  std::uint64_t size_ = 0;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_ELF_H
