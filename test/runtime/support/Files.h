// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Temporary files, and what is in them.

#ifndef GRAPHPROF_TEST_SUPPORT_FILES_H
#define GRAPHPROF_TEST_SUPPORT_FILES_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace graphprof::test {

/// A new temporary folder, removed at the end.
class Folder {
public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "graphprof-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  [[nodiscard]] std::string file(const std::string &name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename().string());
    return result;
  }

private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_FILES_H
