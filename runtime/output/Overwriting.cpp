// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Overwriting.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "output/FileKind.h"
#include "output/io/Descriptor.h"
#include "output/io/File.h"

namespace graphprof {

std::string Overwriting::whyNot(const std::string &path,
                                bool (*wrote)(std::string_view head)) const {
  const std::optional<FileId> there = fileAt(path);
  if (!there)
    return {};
  if (std::any_of(inputs.begin(), inputs.end(),
                  [&](const std::string &input) { return fileAt(input) == there; }))
    return "would overwrite what it is made of; name another file";
  std::error_code error;
  if (force || OpenFile(path) || !std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) == 0)
    return {};
  const std::string head = headOf(path);
  const bool isOwn = wrote && wrote(head);
  if (isRecording(head))
    return isOwn && records ? std::string()
                            : "would overwrite a recording; name another file, or add --force";
  return isOwn ? std::string()
               : "would overwrite a file that is nothing that graphprof wrote there; name another "
                 "file, or add --force";
}

} // namespace graphprof
