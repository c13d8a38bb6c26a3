// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Elf.h"

#include <algorithm>

namespace graphprof::tool {

namespace {

constexpr std::size_t mostHeaders = 1000; // a file that names more is broken
constexpr std::size_t mostDynamic = std::size_t{1} << 16;

} // namespace

Elf::Elf(const std::string &path) : file_(path, std::ios::binary | std::ios::ate) {
  if (const auto end = file_.tellg(); end > 0)
    size_ = static_cast<std::uint64_t>(end);
  read(0, &header_, sizeof header_);
  segments_.resize(std::min<std::size_t>(header_.e_phnum, mostHeaders));
  for (std::size_t i = 0; i < segments_.size(); ++i)
    read(header_.e_phoff + i * sizeof(Elf64_Phdr), &segments_[i], sizeof(Elf64_Phdr));
  sections_.resize(std::min<std::size_t>(header_.e_shnum, mostHeaders));
  for (std::size_t i = 0; i < sections_.size(); ++i)
    read(header_.e_shoff + i * sizeof(Elf64_Shdr), &sections_[i], sizeof(Elf64_Shdr));
}

std::optional<std::string> Elf::loader() {
  const Elf64_Phdr *const segment = first(PT_INTERP);
  if (!segment)
    return std::nullopt;
  return textAt(segment->p_offset);
}

std::vector<std::string> Elf::libraries() {
  std::vector<std::string> result;
  const Elf64_Phdr *const dynamic = first(PT_DYNAMIC);
  if (!dynamic)
    return result;
  std::vector<Elf64_Dyn> entries(std::min<std::size_t>(dynamic->p_filesz, mostDynamic) /
                                 sizeof(Elf64_Dyn));
  read(dynamic->p_offset, entries.data(), entries.size() * sizeof(Elf64_Dyn));
  const auto names =
      std::ranges::find_if(entries, [](const auto &entry) { return entry.d_tag == DT_STRTAB; });
  if (names == entries.end())
    return result;
  const std::uint64_t at = offsetOf(names->d_un.d_ptr);
  for (const Elf64_Dyn &entry : entries) {
    if (entry.d_tag == DT_NULL)
      break;
    if (entry.d_tag == DT_NEEDED)
      result.push_back(textAt(at + entry.d_un.d_val));
  }
  return result;
}

bool Elf::defines(std::string_view name) {
  return std::ranges::any_of(sections_, [&](const Elf64_Shdr &section) {
    return (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
           definesIn(section, name);
  });
}

bool Elf::definesIn(const Elf64_Shdr &symbols, std::string_view name) {
  if (symbols.sh_link >= sections_.size())
    return false;
  const Elf64_Shdr &texts = sections_[symbols.sh_link];
  const auto fits = [&](const Elf64_Shdr &section) {
    return section.sh_offset <= size_ && section.sh_size <= size_ - section.sh_offset;
  };
  if (!fits(symbols) || !fits(texts))
    return false;
  std::string names(texts.sh_size, '\0');
  read(texts.sh_offset, names.data(), names.size());
  std::vector<Elf64_Sym> all(symbols.sh_size / sizeof(Elf64_Sym));
  read(symbols.sh_offset, all.data(), all.size() * sizeof(Elf64_Sym));
  return std::ranges::any_of(all, [&](const Elf64_Sym &symbol) {
    return symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size() &&
           std::string_view(names.c_str() + symbol.st_name) == name;
  });
}

void Elf::read(std::uint64_t at, void *into, std::size_t size) {
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(at));
  file_.read(static_cast<char *>(into), static_cast<std::streamsize>(size));
}

std::string Elf::textAt(std::uint64_t at) {
  char text[4096] = "";
  read(at, text, sizeof text - 1);
  return text;
}

const Elf64_Phdr *Elf::first(Elf64_Word type) const {
  const auto found =
      std::ranges::find_if(segments_, [&](const auto &each) { return each.p_type == type; });
  return found == segments_.end() ? nullptr : &*found;
}

std::uint64_t Elf::offsetOf(std::uint64_t address) const {
  for (const Elf64_Phdr &each : segments_)
    if (each.p_type == PT_LOAD && address >= each.p_vaddr && address < each.p_vaddr + each.p_filesz)
      return address - each.p_vaddr + each.p_offset;
  return 0;
}

} // namespace graphprof::tool
