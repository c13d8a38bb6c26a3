// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a program or a library says of itself in its ELF file, of 64 bits. What is cut off, or no
// ELF file, is empty: nothing here fails.

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

  /// The loader that it names; nothing: it is linked statically.
  std::optional<std::string> loader();
  /// The libraries that it is linked with.
  std::vector<std::string> libraries();
  /// Whether it has a symbol of this name of its own, among those that others may use or, where it
  /// was not stripped, among all.
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
