// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// `reader-corpus FOLDER`: runs Reader.cpp on each file of the folder, with limited memory. The
// files' names say what is, or was, wrong with them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/resource.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv) {
  constexpr long mostKiB = 256L << 10;
  std::vector<std::filesystem::path> files;
  if (argc == 2)
    for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path &file : files) {
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    if (used.ru_maxrss > mostKiB) {
      std::printf("takes %ld KiB of memory; may take %ld\n", used.ru_maxrss, mostKiB);
      return 1;
    }
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
