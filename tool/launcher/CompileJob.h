// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One compile command, from its words to instrumented objects: decides whether there may be
// anything to instrument, builds the tool's command, rewrites the compile command for the copies,
// and fixes dependency files. It does not run programs.

#ifndef GRAPHPROF_TOOL_LAUNCHER_COMPILEJOB_H
#define GRAPHPROF_TOOL_LAUNCHER_COMPILEJOB_H

#include "LauncherOptions.h"
#include "Report.h"
#include "Words.h"

#include "nvcc/Command.h"

namespace graphprof::launcher {

class CompileJob {
public:
  /// Returns nothing for commands that run unchanged: link steps, a build system's checks of the
  /// compiler, unknown programs. Fails if the command should be instrumented but cannot be.
  static llvm::Expected<std::optional<CompileJob>> make(const LauncherOptions &Asked);

  /// The names of the sources, for messages.
  [[nodiscard]] std::string names() const;
  [[nodiscard]] std::vector<std::string> sources() const;

  /// Why the tool has to parse the sources; empty if their text shows that there is nothing to
  /// instrument.
  [[nodiscard]] std::string whyParse(const LauncherOptions &Asked) const;

  /// Makes the folder for the copies, and replaces one that an earlier run left. Waits while
  /// another graphprof-cc makes the same object. Returns false if the compile command could not
  /// write there either. Fails if something else has that name: only
  /// a folder with graphprof-cc's marker is ever removed.
  [[nodiscard]] llvm::Expected<bool> makeFolder() const;
  void removeFolder() const;

  /// The command that instruments the sources into the folder.
  [[nodiscard]] std::vector<std::string> toolCommand(const LauncherOptions &Asked) const;
  [[nodiscard]] std::string reportFile() const;
  /// The file for messages that are read before they are shown.
  [[nodiscard]] std::string messagesFile() const;
  [[nodiscard]] std::string compilersMessagesFile() const;

  /// The original command with the copies of all instrumented sources in it; nothing if no source
  /// was instrumented. `OnlyCompile`: it links nothing and leaves no file. Fails if the command
  /// does not show a header or an option that must be replaced too.
  [[nodiscard]] llvm::Expected<std::optional<std::vector<std::string>>>
  compileCommand(const Report &Done, llvm::StringRef Include, bool OnlyCompile = false) const;

  /// Variables for the copies' compilers, by which they list what they read if the command's own
  /// words do not say so.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>>
  compileVariables(const Report &Done) const;

  /// Call it once the copies are compiled, and before fixDependencies: why it is not proven, by the
  /// compilers' own lists of what they read, that each rewritten header was read from its copy.
  /// Empty if it is.
  [[nodiscard]] std::string unprovenHeader(const Report &Done) const;

  /// Makes the dependency files name the original files, and adds `Tools` as prerequisites of the
  /// objects.
  [[nodiscard]] llvm::Error fixDependencies(const Report &Done,
                                            llvm::ArrayRef<std::string> Tools) const;

  /// Removes the objects that the command has just made.
  void removeObjects() const;

  /// Whether the command only makes objects. Then it can safely run again.
  [[nodiscard]] bool linksNothing() const { return Parsed.Goal != nvcc::Phase::Link; }

private:
  CompileJob(std::vector<std::string> Words, CompilerWord Compiler, nvcc::Command Parsed);
  /// A name for a folder that only this process uses.
  [[nodiscard]] std::string besideFolder() const;
  [[nodiscard]] llvm::Error replaceForced(const Report &Done, Rewording &How) const;
  [[nodiscard]] llvm::Error linkNothing(Rewording &How) const;
  void putInFront(Rewording &How) const;
  void keepBaseFile(const Report &Done, Rewording &How) const;
  /// Whether the copies' command is told to list what it reads, which the original was not.
  [[nodiscard]] bool listsItself(const Report &Done) const;
  [[nodiscard]] std::string listFile() const;
  /// Whether variables in the environment reach the compilers that preprocess.
  [[nodiscard]] bool takesVariables() const;
  struct FilesRead {
    std::vector<std::string> Read;  ///< as host compilers list them
    std::vector<std::string> Named; ///< as nvcc does: read, or named by a #line
  };
  [[nodiscard]] FilesRead filesRead() const;

  std::vector<std::string> Words;
  CompilerWord Compiler;
  nvcc::Command Parsed;
  std::vector<nvcc::Input> Sources;
  std::string Folder;
};

} // namespace graphprof::launcher

#endif
