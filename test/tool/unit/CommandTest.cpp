// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a reader of compile commands finds in them. The defaults of nvcc's output and dependency
// files are those that nvcc 13.0 wrote.

#include "nvcc/Command.h"

#include "nvcc/HostOptions.h"
#include "nvcc/NvccOptions.h"

#include "llvm/ADT/StringMap.h"
#include <gtest/gtest.h>

namespace graphprof::nvcc {
namespace {

using Words = std::vector<std::string>;

/// Files below /work, and an environment, of a test's own.
class CommandTest : public testing::Test {
protected:
  void addFile(llvm::StringRef Path, llvm::StringRef Text) {
    (void)Files.addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  }
  llvm::Expected<Command> tryParse(Compiler Program, const Words &Given) {
    const auto Look = [this](llvm::StringRef Name) -> std::optional<std::string> {
      const auto Found = Environment.find(Name);
      return Found == Environment.end() ? std::nullopt : std::optional(Found->second);
    };
    (void)Files.setCurrentWorkingDirectory("/work");
    return parseCommand(Program, Given, {&Files, Look});
  }
  Command parse(Compiler Program, const Words &Given) {
    auto Parsed = tryParse(Program, Given);
    if (Parsed)
      return std::move(*Parsed);
    ADD_FAILURE() << llvm::toString(Parsed.takeError());
    return {};
  }
  Command nvcc(const Words &Given) { return parse(Compiler::Nvcc, Given); }
  Command host(const Words &Given) { return parse(Compiler::Host, Given); }
  std::string problem(Compiler Program, const Words &Given) {
    auto Parsed = tryParse(Program, Given);
    return Parsed ? "" : llvm::toString(Parsed.takeError());
  }

  llvm::vfs::InMemoryFileSystem Files;
  llvm::StringMap<std::string> Environment;
};

std::string places(const Command &Given) {
  std::string Text;
  for (const Use &Each : Given.Options)
    Text += Each.Name + "@" + std::to_string(Each.Where.First) + "+" +
            std::to_string(Each.Where.Count) + " ";
  for (const Input &Each : Given.Inputs)
    Text += Each.Path + "@" + std::to_string(Each.Where.First) + " ";
  return Text;
}

Words inputs(const Command &Given) {
  Words Paths;
  for (const Input &Each : Given.Inputs)
    Paths.push_back(Each.Path);
  return Paths;
}

Words includes(const Command &Given) {
  Words Paths;
  for (const IncludePath &Each : Given.IncludePaths)
    Paths.push_back(Each.Path);
  return Paths;
}

TEST(CompilerOf, GoesByTheProgramsName) {
  for (const char *Name : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    EXPECT_EQ(compilerOf(Name), Compiler::Nvcc) << Name;
  for (const char *Name : {"g++", "gcc", "c++", "cc", "/usr/bin/clang++-22", "clang", "g++-12.2",
                           "/opt/x86_64-linux-gnu-g++-12", "aarch64-none-linux-gnu-gcc"})
    EXPECT_EQ(compilerOf(Name), Compiler::Host) << Name;
  for (const char *Name :
       {"ccache", "graphprof-cc", "ld", "python3", "mynvcc", "tcc", "clang-tidy"})
    EXPECT_EQ(compilerOf(Name), std::nullopt) << Name;
}

TEST_F(CommandTest, CMakesCompileIsRead) {
  // A compile as CMake writes it.
  const Command Got = nvcc({"-forward-unknown-to-host-compiler",
                            "-DNEEDED=1",
                            "-I/p/inc",
                            "-isystem=/p/sys",
                            "-O3",
                            "--generate-code=arch=compute_90,code=[compute_90,sm_90]",
                            "-Wall",
                            "-fno-gcse",
                            "-Xptxas",
                            "-v",
                            "-MD",
                            "-MT",
                            "x/a.cu.o",
                            "-MF",
                            "x/a.cu.o.d",
                            "-x",
                            "cu",
                            "-rdc=true",
                            "-c",
                            "/p/a.cu",
                            "-o",
                            "x/a.cu.o"});
  EXPECT_EQ(Got.Goal, Phase::Compile);
  ASSERT_EQ(Got.Inputs.size(), 1U);
  EXPECT_EQ(Got.Inputs[0].Path, "/p/a.cu");
  EXPECT_EQ(Got.Inputs[0].Kind, Language::Cuda);
  EXPECT_EQ(Got.Inputs[0].Where.First, 19U);
  EXPECT_EQ(Got.Output, "x/a.cu.o");
  EXPECT_TRUE(Got.Dependencies.Wanted && Got.Dependencies.SystemHeaders);
  EXPECT_EQ(Got.Dependencies.File, "x/a.cu.o.d");
  EXPECT_EQ(Got.Dependencies.Targets, Words{"x/a.cu.o"});
  EXPECT_EQ(includes(Got), (Words{"/p/inc", "/p/sys"}));
  EXPECT_EQ(Got.IncludePaths[1].Kind, IncludePath::System);
  EXPECT_EQ(Got.HostWords, (Words{"-Wall", "-fno-gcse"}));
  EXPECT_FALSE(Got.Expanded);
}

TEST_F(CommandTest, OptionsAndInputsHaveWords) {
  EXPECT_EQ(places(nvcc({"-c", "-o", "a.o", "-Iinc", "a.cu", "--std=c++17", "-Xptxas", "-v"})),
            "-c@0+1 -o@1+2 -I@3+1 --std@5+1 -Xptxas@6+2 a.cu@4 ");
  EXPECT_EQ(places(host({"-c", "-oa.o", "-I", "inc", "a.cc", "-std=c++17", "-MF", "x"})),
            "-c@0+1 -o@1+1 -I@2+2 -std=c++17@5+1 -MF@6+2 a.cc@4 ");
}

TEST_F(CommandTest, ValuesMayLookLikeOptions) {
  // Values that look like options or inputs.
  const Command Got = nvcc({"-Xcompiler", "-c", "-Xlinker", "x.cu", "-MT", "-odd", "a.cu"});
  EXPECT_EQ(inputs(Got), Words{"a.cu"});
  EXPECT_EQ(Got.Goal, Phase::Link);
  EXPECT_EQ(Got.Dependencies.Targets, Words{"-odd"});
  EXPECT_EQ(inputs(host({"-Xlinker", "x.cc", "--param", "y=1", "-include", "z.h", "a.cc"})),
            Words{"a.cc"});
}

TEST_F(CommandTest, StrongestOptionSetsGoal) {
  EXPECT_EQ(nvcc({"a.cu"}).Goal, Phase::Link);
  for (const char *Option : {"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"})
    EXPECT_EQ(nvcc({Option, "a.cu"}).Goal, Phase::Compile) << Option;
  for (const char *Option : {"-ptx", "--cubin", "-fatbin", "-optix-ir", "-ltoir"})
    EXPECT_EQ(nvcc({Option, "-c", "a.cu"}).Goal, Phase::DeviceOnly) << Option;
  EXPECT_EQ(nvcc({"-dlink", "a.o"}).Goal, Phase::DeviceLink);
  EXPECT_EQ(nvcc({"-lib", "a.cu"}).Goal, Phase::Library);
  EXPECT_EQ(nvcc({"-cuda", "a.cu"}).Goal, Phase::Intermediate);
  EXPECT_EQ(nvcc({"-E", "-c", "a.cu"}).Goal, Phase::Preprocess);
  EXPECT_EQ(nvcc({"-M", "a.cu"}).Goal, Phase::Dependencies);
  EXPECT_EQ(nvcc({"-MD", "-c", "a.cu"}).Goal, Phase::Compile);
  for (const char *Option : {"--version", "-V", "-h", "-code-ls", "--clean-targets"})
    EXPECT_EQ(nvcc({Option, "-c", "a.cu"}).Goal, Phase::Nothing) << Option;
  EXPECT_TRUE(nvcc({"-dryrun", "-c", "a.cu"}).DryRun);

  EXPECT_EQ(host({"a.cc"}).Goal, Phase::Link);
  EXPECT_EQ(host({"-c", "a.cc"}).Goal, Phase::Compile);
  EXPECT_EQ(host({"-S", "a.cc"}).Goal, Phase::Assembly);
  EXPECT_EQ(host({"-E", "-c", "a.cc"}).Goal, Phase::Preprocess);
  EXPECT_EQ(host({"-MM", "a.cc"}).Goal, Phase::Dependencies);
  EXPECT_EQ(host({"-fsyntax-only", "a.cc"}).Goal, Phase::SyntaxOnly);
  EXPECT_EQ(host({"--version"}).Goal, Phase::Nothing);
  EXPECT_EQ(host({"-c", "--cuda-device-only", "a.cu"}).Goal, Phase::DeviceOnly);
}

TEST_F(CommandTest, ExtensionOrXChoosesLanguage) {
  const auto Kinds = [](const Command &Given) {
    std::vector<Language> Found;
    Found.reserve(Given.Inputs.size());
    for (const Input &Each : Given.Inputs)
      Found.push_back(Each.Kind);
    return Found;
  };
  using L = Language;
  EXPECT_EQ(Kinds(nvcc({"a.cu", "b.cpp", "c.c", "d.o", "e.ptx", "libf.a", "g.inc"})),
            (std::vector{L::Cuda, L::Cxx, L::C, L::None, L::None, L::None, L::None}));
  // nvcc's last -x is for all inputs, those before it too; a host compiler's for those behind it.
  EXPECT_EQ(Kinds(nvcc({"a.inc", "-x", "c++", "b.inc", "-x=cu"})), (std::vector{L::Cuda, L::Cuda}));
  EXPECT_EQ(Kinds(host({"a.cc", "-x", "c", "b.inc", "-xcuda", "c.inc", "-x", "none", "d.o"})),
            (std::vector{L::Cxx, L::C, L::Cuda, L::None}));
  EXPECT_EQ(nvcc({"a.cu", "b.o"}).sources().size(), 1U);
}

TEST_F(CommandTest, IncludePathsKeepOrder) {
  const Command Nvcc = nvcc({"-I", "a,b", "-I\"c d\"", "--include-path=e", "-isystem", "f,g",
                             "--system-include", "h", "-Xcompiler", "-Iother"});
  EXPECT_EQ(includes(Nvcc), (Words{"a", "b", "c d", "e", "f", "g", "h"}));
  const Command Host = host({"-Ia,b", "-iquote", "c", "-isystemd", "-idirafter", "e"});
  EXPECT_EQ(includes(Host), (Words{"a,b", "c", "d", "e"}));
  EXPECT_EQ(Host.IncludePaths[1].Kind, IncludePath::Quote);
  EXPECT_EQ(Host.IncludePaths[2].Kind, IncludePath::System);
  EXPECT_EQ(Host.IncludePaths[3].Kind, IncludePath::After);
}

TEST_F(CommandTest, OptionsFilesNest) {
  // Options files nest, and keep their options' place.
  addFile("/work/one.rsp", "-DA=1 -optf sub/two.rsp\nb.cu");
  addFile("/work/sub/two.rsp", "-I\"d e\"");
  const Command Got = nvcc({"-c", "--options-file", "one.rsp", "a.cu"});
  EXPECT_EQ(inputs(Got), (Words{"b.cu", "a.cu"}));
  EXPECT_EQ(includes(Got), Words{"d e"});
  EXPECT_TRUE(Got.Expanded);
  EXPECT_EQ(Got.IncludePaths[0].Where.First, 1U);
  EXPECT_EQ(Got.IncludePaths[0].Where.Count, 2U);
  EXPECT_FALSE(Got.Inputs[0].Where.replaceable());
  EXPECT_TRUE(Got.Inputs[1].Where.replaceable());
  EXPECT_EQ(Got.Inputs[1].Where.First, 3U);
  EXPECT_EQ(Got.Words, (Words{"-c", "-DA=1", "-Id e", "b.cu", "a.cu"}));

  addFile("/work/host.rsp", "-I'd e' \"-DX=\\\"y\\\"\" a.cc");
  EXPECT_EQ(includes(host({"-c", "@host.rsp"})), Words{"d e"});
  EXPECT_EQ(inputs(host({"-c", "@host.rsp"})), Words{"a.cc"});
  EXPECT_EQ(host({"-c", "@host.rsp", "--", "-b.cc"}).Words,
            (Words{"-c", "-Id e", "-DX=\"y\"", "a.cc", "--", "-b.cc"}));
}

TEST_F(CommandTest, UnreadableOptionsFileIsRefused) {
  EXPECT_EQ(problem(Compiler::Nvcc, {"-optf", "none.rsp"}),
            "options file 'none.rsp': No such file or directory");
  addFile("/work/self.rsp", "-optf=self.rsp");
  EXPECT_EQ(problem(Compiler::Nvcc, {"-optf", "self.rsp"}),
            "options file 'self.rsp' includes itself");
}

TEST_F(CommandTest, EnvironmentSurroundsNvccsWords) {
  Environment["NVCC_PREPEND_FLAGS"] = "-Ip -x c++";
  Environment["NVCC_APPEND_FLAGS"] = "-Iz b.cu";
  const Command Got = nvcc({"-Im", "-x", "cu", "a.inc"});
  EXPECT_EQ(Got.Words, (Words{"-Im", "-x", "cu", "a.inc"}));
  EXPECT_EQ(includes(Got), (Words{"p", "m", "z"}));
  EXPECT_EQ(inputs(Got), (Words{"a.inc", "b.cu"}));
  EXPECT_EQ(Got.Inputs[0].Kind, Language::Cuda);
  EXPECT_EQ(Got.IncludePaths[0].Where.From, Place::Environment);
  EXPECT_EQ(Got.IncludePaths[1].Where.From, Place::CommandLine);
  EXPECT_EQ(Got.IncludePaths[1].Where.First, 0U);
  EXPECT_EQ(includes(host({"-Im"})), Words{"m"});
}

TEST_F(CommandTest, HostWordsReachHostCompiler) {
  EXPECT_EQ(nvcc({"-Xcompiler", "-fPIC,-Wall", "-Xcompiler=-DA=\"x y\"", "--compiler-options",
                  "-O2 -g", "a.cu"})
                .HostWords,
            (Words{"-fPIC", "-Wall", "-DA=x y", "-O2", "-g"}));
  EXPECT_EQ(nvcc({"-Wall", "a.cu"}).HostWords, Words{}); // nvcc will reject it
  EXPECT_EQ(nvcc({"-Wall", "a.cu", "-forward-unknown-opts"}).HostWords, Words{"-Wall"});
  EXPECT_EQ(nvcc({"-Wl,-z", "a.cu", "-forward-unknown-to-host-linker"}).HostWords, Words{});
}

TEST_F(CommandTest, NvccsDefaultOutputs) {
  const auto Output = [this](const Words &Given) {
    const Command Got = nvcc(Given);
    return outputFile(Got, Got.Inputs.front());
  };
  EXPECT_EQ(Output({"-c", "s/x.cu"}), "x.o");
  EXPECT_EQ(Output({"-dc", "-odir", "sub", "s/x.cu"}), "sub/x.o");
  EXPECT_EQ(Output({"-c", "s/x.cu", "-odir", "sub", "-o", "k.o"}), "k.o");
  EXPECT_EQ(Output({"-ptx", "s/x.cu"}), "x.ptx");
  EXPECT_EQ(Output({"-cubin", "s/x.cu"}), "x.cubin");
  EXPECT_EQ(Output({"-cuda", "s/x.cu"}), "x.cu.cpp.ii");
  EXPECT_EQ(Output({"-dlink", "x.o"}), "a_dlink.o");
  EXPECT_EQ(Output({"-lib", "x.cu"}), "a.a");
  EXPECT_EQ(Output({"x.cu"}), "a.out");
  EXPECT_EQ(Output({"-E", "x.cu"}), "");
}

TEST_F(CommandTest, NvccsDefaultDependencyFiles) {
  const auto File = [this](const Words &Given) {
    const Command Got = nvcc(Given);
    return dependencyFile(Got, Got.Inputs.front());
  };
  EXPECT_EQ(File({"-c", "s/x.cu"}), "");
  EXPECT_EQ(File({"-MD", "-c", "s/x.cu"}), "x.d");
  EXPECT_EQ(File({"-MMD", "-c", "-odir", "sub", "s/x.cu"}), "sub/x.d");
  EXPECT_EQ(File({"-MD", "-c", "s/x.cu", "-o", "s/a.b.o"}), "s/a.b.d");
  EXPECT_EQ(File({"-MD", "-c", "s/x.cu", "-o", "sub/noext"}), "sub/noext.d");
  EXPECT_EQ(File({"-MD", "-MF", "y.d", "-c", "s/x.cu", "-o", "x.o"}), "y.d");
  EXPECT_EQ(File({"-M", "s/x.cu"}), "");
  EXPECT_EQ(File({"-M", "s/x.cu", "-o", "sub/x.d", "-MF", "y.d"}), "sub/x.d");
  // nvcc warns, and takes the last.
  EXPECT_EQ(nvcc({"-MD", "-MT", "foo", "-MT", "bar", "-c", "x.cu"}).Dependencies.Targets,
            Words{"bar"});
}

TEST_F(CommandTest, HostCompilersDependencies) {
  const Command Got =
      host({"-c", "s/x.cc", "-MMD", "-MP", "-MT", "foo", "-MQ", "bar", "-o", "o/x.o"});
  EXPECT_TRUE(Got.Dependencies.Wanted && Got.Dependencies.EmptyTargets);
  EXPECT_FALSE(Got.Dependencies.SystemHeaders);
  EXPECT_EQ(Got.Dependencies.Targets, (Words{"foo", "bar"}));
  EXPECT_EQ(dependencyFile(Got, Got.Inputs[0]), "o/x.d");
  const Command Kernels = host({"-Wp,-MMD,o/.x.d", "-c", "x.c"});
  EXPECT_EQ(dependencyFile(Kernels, Kernels.Inputs[0]), "o/.x.d");
}

TEST_F(CommandTest, ClangsCudaCommand) {
  const Command Got = host({"-x", "cuda", "--cuda-gpu-arch=sm_90", "-Xclang", "-fcuda-include",
                            "-target", "x86_64-linux-gnu", "-c", "a.cu", "-o", "a.o", "--"});
  EXPECT_EQ(inputs(Got), Words{"a.cu"});
  EXPECT_EQ(Got.Inputs[0].Kind, Language::Cuda);
  EXPECT_EQ(Got.Goal, Phase::Compile);
  EXPECT_EQ(inputs(host({"-c", "--", "-odd.cc"})), Words{"-odd.cc"});
}

TEST_F(CommandTest, OptionsValueIsNoInput) {
  const Command Got = host({"-c", "-rpath", "lib.cc", "-cxx-isystem", "dir.cc",
                            "-serialize-diagnostics", "x.cc", "-Xarch_device", "y.cc", "a.cc"});
  EXPECT_EQ(inputs(Got), Words{"a.cc"});
  EXPECT_EQ(problem(Compiler::Host, {"a.cc", "-cxx-isystem"}),
            "compile flag '-cxx-isystem' lacks its value; write '-cxx-isystem <value>'");
  EXPECT_EQ(inputs(parse(Compiler::Either, {"-rpath", "lib.cu", "a.cu"})), Words{"a.cu"});
}

TEST_F(CommandTest, OptionsHaveOtherNames) {
  const Command Got = host({"--compile", "--output", "o/x.o", "--include-directory", "i", "a.cc",
                            "--define-macro=A", "--output=o/y.o"});
  EXPECT_EQ(Got.Goal, Phase::Compile);
  EXPECT_EQ(Got.Output, "o/y.o");
  ASSERT_EQ(Got.IncludePaths.size(), 1U);
  EXPECT_EQ(Got.IncludePaths[0].Path, "i");
  EXPECT_EQ(inputs(Got), Words{"a.cc"});
}

TEST_F(CommandTest, UnnamedCompilersFlags) {
  // -O and -Werror need no value, as for a host compiler, but may have one, as for nvcc.
  EXPECT_EQ(inputs(parse(Compiler::Either, {"-O", "a.cu", "-Werror", "b.cu"})),
            (Words{"a.cu", "b.cu"}));
  EXPECT_EQ(inputs(parse(Compiler::Either, {"-O", "2", "-Werror", "all-warnings", "b.cu"})),
            Words{"b.cu"});
  EXPECT_EQ(inputs(parse(Compiler::Either, {"-target", "x", "-Xclang", "y", "-t", "4", "b.cu"})),
            Words{"b.cu"});
  EXPECT_EQ(parse(Compiler::Either, {"-DA=1,B"}).Options[0].Values, (Words{"A=1", "B"}));
  EXPECT_EQ(parse(Compiler::Either, {"-DA=f(1,2)"}).Options[0].Values, Words{"A=f(1,2)"});
}

TEST_F(CommandTest, MissingValueIsNamed) {
  EXPECT_EQ(problem(Compiler::Nvcc, {"-c", "a.cu", "-o"}),
            "compile flag '-o' lacks its value; write '-o <value>'");
  EXPECT_EQ(problem(Compiler::Host, {"a.cc", "-MF"}),
            "compile flag '-MF' lacks its value; write '-MF <value>'");
  EXPECT_EQ(problem(Compiler::Nvcc, {"a.cu", "-Ofc"}), ""); // the value may be left out
  EXPECT_EQ(inputs(nvcc({"-Ofc", "max", "a.cu", "-hls"})), Words{"a.cu"});
}

} // namespace
} // namespace graphprof::nvcc
