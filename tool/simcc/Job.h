// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A command of nvcc, done for the simulated CUDA runtime: each source becomes an object of its host
// side, and what is linked is linked with libcudasim in place of CUDA's libraries. Works on the
// words; runs nothing.

#ifndef GRAPHPROF_TOOL_SIMCC_JOB_H
#define GRAPHPROF_TOOL_SIMCC_JOB_H

#include "nvcc/Command.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphprof::simcc {

/// What a program of the simulation is linked with.
std::vector<std::string> simulationLibraries(const std::string &Toolkit);

class Job {
public:
  /// `Toolkit` is the simulation's folder. Fails if the command asks for what the simulation cannot
  /// make.
  static llvm::Expected<Job> make(const std::string &Toolkit, std::vector<std::string> Words);

  [[nodiscard]] const nvcc::Command &command() const { return Parsed; }

  /// Clang's command for one of the sources: compiles it, or preprocesses it, or lists its headers.
  [[nodiscard]] llvm::Expected<std::vector<std::string>> compile(const nvcc::Input &Source,
                                                                 const std::string &Output) const;

  /// Clang's command that links, where `Objects` are those of the sources, in order.
  [[nodiscard]] std::vector<std::string> link(const std::vector<std::string> &Objects) const;

  /// The inputs that are no sources, and the sources' objects, in the command's order.
  [[nodiscard]] std::vector<std::string> inputs(const std::vector<std::string> &Objects) const;

  /// The output of linking or archiving.
  [[nodiscard]] std::string output() const;

private:
  Job(std::string Toolkit, std::vector<std::string> Words, nvcc::Command Parsed, nvcc::Command Host)
      : Toolkit(std::move(Toolkit)), Words(std::move(Words)), Parsed(std::move(Parsed)),
        Host(std::move(Host)) {}

  void addDependencies(const nvcc::Input &Source, std::vector<std::string> &Command) const;

  std::string Toolkit;
  std::vector<std::string> Words;
  nvcc::Command Parsed;
  nvcc::Command Host; ///< what -Xcompiler gives to the host compiler
};

} // namespace graphprof::simcc

#endif
