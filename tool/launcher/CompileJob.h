// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One compile command, from its words to an object of instrumented sources: decides whether there
// is anything to instrument, has the tool do it, rewords the command, and puts things in order
// afterwards. It must not know how programs are run.

#ifndef GRAPHPROF_TOOL_LAUNCHER_COMPILEJOB_H
#define GRAPHPROF_TOOL_LAUNCHER_COMPILEJOB_H

#include "LauncherOptions.h"
#include "Report.h"
#include "Words.h"

#include "nvcc/Command.h"

namespace graphprof::launcher {

class CompileJob {
public:
  /// Nothing for commands to leave alone: link steps, probes, a build system's checks of the
  /// compiler, unknown programs. Fails where the command should be instrumented and cannot be.
  static llvm::Expected<std::optional<CompileJob>> make(const LauncherOptions &Asked);

  /// The sources, as one would name them in a message.
  [[nodiscard]] std::string names() const;
  [[nodiscard]] std::vector<std::string> sources() const;

  /// Makes the folder of the copies, in the place of one that an earlier run left; false where the
  /// command could not write there either. Fails where something is there that is not ours: only
  /// what bears graphprof-cc's own marker is ever removed.
  [[nodiscard]] llvm::Expected<bool> makeFolder() const;
  void removeFolder() const;

  /// The command that instruments the sources into the folder.
  [[nodiscard]] std::vector<std::string> toolCommand(const LauncherOptions &Asked) const;
  [[nodiscard]] std::string reportFile() const;
  /// Where the messages of a program go that we read before we show them.
  [[nodiscard]] std::string messagesFile() const;

  /// The original command with copies in the places of the sources that the report says are
  /// instrumented; nothing where there are none. Fails where it does not show a header that has to
  /// be replaced too.
  [[nodiscard]] llvm::Expected<std::optional<std::vector<std::string>>>
  compileCommand(const Report &Done, llvm::StringRef Include) const;

  /// Makes the dependency files name the originals, and `Tools` as what the objects depend on too.
  [[nodiscard]] llvm::Error fixDependencies(const Report &Done,
                                            llvm::ArrayRef<std::string> Tools) const;

  /// Removes what the command has just made.
  void removeObjects() const;

  /// Whether the command only makes objects, so that running it again loses nothing.
  [[nodiscard]] bool linksNothing() const { return Parsed.Goal != nvcc::Phase::Link; }

private:
  CompileJob(std::vector<std::string> Words, CompilerWord Compiler, nvcc::Command Parsed);
  [[nodiscard]] llvm::Error replaceForced(const Report &Done, Rewording &How) const;

  std::vector<std::string> Words;
  CompilerWord Compiler;
  nvcc::Command Parsed;
  std::vector<nvcc::Input> Sources;
  std::string Folder;
};

} // namespace graphprof::launcher

#endif
