// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Of a CompileJob: what the compiler really read, by its own lists. The copies of headers must be
// among that, and not the headers.

#include "CompileJob.h"
#include "DependencyFile.h"

#include "nvcc/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

namespace graphprof::launcher {

using nvcc::absolute;
using nvcc::realPath;

/// Names the file to which gcc appends what each compilation reads, several in one command, too.
static constexpr const char *ListVariable = "DEPENDENCIES_OUTPUT";

std::string CompileJob::listFile() const { return Folder + "/read.d"; }

/// #line does not change __BASE_FILE__, which would be the copy.
void CompileJob::keepBaseFile(const Report &Done, Rewording &How) const {
  const auto Uses = [](const ReportedFile &Each) {
    const auto Text = llvm::MemoryBuffer::getFile(Each.Source);
    return Text && (*Text)->getBuffer().contains("__BASE_FILE__");
  };
  if (Sources.size() != 1 || !isPlain(Sources[0].Path) || llvm::none_of(Done.Files, Uses))
    return;
  const std::string Quiet = "-Wno-builtin-macro-redefined";
  How.IncludeFlags.push_back("-D__BASE_FILE__=\"" + Sources[0].Path + "\"");
  How.IncludeFlags.push_back(Compiler.Kind == nvcc::Compiler::Nvcc ? "-Xcompiler=" + Quiet : Quiet);
}

// Host compilers list what they read if the command says so. nvcc's own lists are made of the lines
// in what is preprocessed, and name the originals as well, because of #line; its host compiler
// hears of a variable. ccache does not pass that on, nor does it cache several sources in one
// command.
bool CompileJob::takesVariables() const {
  return (Compiler.Index == 0 || Sources.size() > 1) && !llvm::sys::Process::GetEnv(ListVariable);
}

bool CompileJob::listsItself(const Report &Done) const {
  return Done.hasHeaders() && !Parsed.Dependencies.Wanted && Sources.size() == 1 &&
         (Compiler.Kind == nvcc::Compiler::Host || !takesVariables());
}

std::vector<std::pair<std::string, std::string>>
CompileJob::compileVariables(const Report &Done) const {
  const bool ByWords =
      Compiler.Kind == nvcc::Compiler::Host && (Parsed.Dependencies.Wanted || listsItself(Done));
  if (!Done.hasHeaders() || ByWords || !takesVariables())
    return {};
  return {{ListVariable, listFile()}, // gcc's
          {"CC_PRINT_HEADERS", "1"},  // clang's
          {"CC_PRINT_HEADERS_FILE", listFile() + ".clang"}};
}

CompileJob::FilesRead CompileJob::filesRead() const {
  FilesRead Result;
  const auto Add = [&](const std::string &List, std::vector<std::string> &To) {
    if (const auto Text = llvm::MemoryBuffer::getFile(List))
      (void)withOriginals((*Text)->getBuffer(), [&](llvm::StringRef Path) {
        To.push_back(Path.str());
        return std::string();
      });
  };
  const bool ByNvcc = Compiler.Kind == nvcc::Compiler::Nvcc;
  Add(listFile(), ByNvcc && !takesVariables() ? Result.Named : Result.Read);
  for (const nvcc::Input &Source : Sources)
    Add(nvcc::dependencyFile(Parsed, Source), ByNvcc ? Result.Named : Result.Read);
  if (const auto Text = llvm::MemoryBuffer::getFile(listFile() + ".clang"))
    for (llvm::line_iterator Line(**Text); !Line.is_at_eof(); ++Line)
      Result.Read.push_back(Line->str());
  return Result;
}

std::string CompileJob::unprovenHeader(const Report &Done) const {
  if (!Done.hasHeaders())
    return {};
  const FilesRead Found = filesRead();
  const bool IsSure = !Found.Read.empty();
  const std::vector<std::string> &Paths = IsSure ? Found.Read : Found.Named;
  if (Paths.empty())
    return "the compiler lists nowhere which files it read, so it is not known whether it read the "
           "instrumented headers; compile one source at a time, without a launcher";
  llvm::StringMap<const ReportedFile *> Originals;
  llvm::StringSet<> All;
  for (const std::string &Each : Paths)
    All.insert(absolute(Each));
  for (const ReportedFile &Each : Done.Files)
    if (Each.Changed && !Each.Failed && (IsSure || !All.contains(absolute(Each.Output))))
      Originals[realPath(Each.Source)] = &Each;
  for (const std::string &Each : Paths)
    if (const ReportedFile *Original = Originals.lookup(realPath(Each)))
      return "the compiler read '" + Each + "' itself, and not its instrumented copy '" +
             Original->Output +
             "'; include it by a path without '..' and links, or leave it as it is with "
             "--header-filter or --no-headers";
  return {};
}

} // namespace graphprof::launcher
