// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof: the commands that need no compiler of their own. Instrumenting has its own programs,
// graphprof-instrument and graphprof-cc; `graphprof sim` runs them.

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "Commands.h"
#include "convert/Convert.h"
#include "graphprof/version.h"
#include "output/io/NearMiss.h"
#include "output/io/Text.h"

namespace {

constexpr std::string_view usage =
    "usage: graphprof demo [options]\n"
    "           shows what graphprof shows, of a small program of its own; needs no GPU\n"
    "       graphprof run [options] -- PROGRAM [ARGUMENTS]\n"
    "           times the CUDA graphs of a program as it is, and of its children\n"
    "       graphprof sim SOURCE... [-- ARGUMENTS]\n"
    "           compiles and runs a program on a simulated CUDA runtime, without a GPU\n"
    "           sim run PROGRAM runs one on its driver, sim cc compiles as nvcc does, sim path is "
    "its folder\n"
    "       graphprof ps\n"
    "           the running processes that the next three can reach\n"
    "       graphprof attach PID status | start | stop | flush | budget PRICE | record -o OUTPUT\n"
    "           asks or tells a running process\n"
    "       graphprof top [PID]\n"
    "           the regions and kernels of a running process by their share\n"
    "       graphprof exporter [--listen ADDRESS:PORT]\n"
    "           metrics of running processes for Prometheus\n"
    "       graphprof info\n"
    "           the driver, the devices, and what else is set to look on\n"
    "       graphprof report [options] [FILE...]\n"
    "           shows the figures of recordings, or of the newest in this folder\n"
    "       graphprof diff [options] BEFORE... -- AFTER...\n"
    "           compares recordings of two versions of a program, with a verdict\n"
    "       graphprof merge [options] FILE...\n"
    "           a job's ranks on one clock: who waits for whom, in which step and collective\n"
    "       graphprof html [options] FILE... | BEFORE... -- AFTER...\n"
    "           makes a page of recordings, or of a comparison, for any browser\n"
    "       graphprof convert FILE.gprof OUTPUT...\n"
    "           makes of a binary file what the program could have written itself\n"
    "       graphprof convert FILE.dot PICTURE\n"
    "           makes a picture of graphs: PATH.svg, PATH.png or PATH.pdf\n"
    "       graphprof jupyter install\n"
    "           adds a kernel to Jupyter whose CUDA graphs are timed\n"
    "       graphprof COMMAND --help, graphprof --version\n";

int show(std::string_view text, std::FILE *where) {
  (void)std::fwrite(text.data(), 1, text.size(), where);
  return where == stdout ? 0 : graphprof::tool::usageError;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty())
    return show(usage, stderr);
  const std::vector<std::string> arguments(words.begin() + 1, words.end());
  const std::string &command = words[0];
  if (command == "demo")
    return graphprof::tool::demo(arguments);
  if (command == "run")
    return graphprof::tool::run(arguments);
  if (command == "sim")
    return graphprof::tool::sim(arguments);
  if (command == "info")
    return graphprof::tool::info(arguments);
  if (command == "ps")
    return graphprof::tool::ps(arguments);
  if (command == "attach")
    return graphprof::tool::attach(arguments);
  if (command == "top")
    return graphprof::tool::top(arguments);
  if (command == "exporter")
    return graphprof::tool::exporter(arguments);
  if (command == "report")
    return graphprof::tool::report(arguments);
  if (command == "diff")
    return graphprof::tool::diff(arguments);
  if (command == "merge")
    return graphprof::tool::merge(arguments);
  if (command == "html")
    return graphprof::tool::html(arguments);
  if (command == "jupyter")
    return graphprof::tool::jupyter(arguments);
  if (command == "convert")
    return graphprof::convertCommand("graphprof convert", arguments);
  if (command == "--help" || command == "-h")
    return show(usage, stdout);
  if (command == "--version")
    return show("graphprof " GRAPHPROF_VERSION_STRING "\n", stdout);
  constexpr std::array<std::string_view, 16> known = {
      "demo",   "run",  "sim",   "ps",   "attach",  "top",     "exporter", "info",
      "report", "diff", "merge", "html", "convert", "jupyter", "--help",   "--version"};
  show("graphprof: unknown command '" + graphprof::printable(command) + "'" +
           graphprof::didYouMean(command, known) + "\n",
       stderr);
  return show(usage, stderr);
}
