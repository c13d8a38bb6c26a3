// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What clang is given for a compiler's flags.

#include "source/NvccArgs.h"

#include <gtest/gtest.h>

namespace graphprof::instrument {
namespace {

using Words = std::vector<std::string>;

std::optional<std::string> nothing(llvm::StringRef) { return std::nullopt; }

ClangArgs translate(const Words &Flags) {
  auto Translated = translateArgs(Flags, {nullptr, nothing});
  if (Translated)
    return std::move(*Translated);
  ADD_FAILURE() << llvm::toString(Translated.takeError());
  return {};
}

Words flags(const Words &Flags) { return translate(Flags).Flags; }

TEST(Translate, ParserFlagsAreTranslated) {
  EXPECT_EQ(flags({"nvcc", "-DA=1,B", "-U", "C", "-I", "a,b", "-isystem=c", "-include", "d.h"}),
            (Words{"-DA=1", "-DB", "-UC", "-Ia", "-Ib", "-isystem", "c", "-include", "d.h"}));
  EXPECT_EQ(flags({"nvcc", "-std", "c++20", "--std=c++17", "--ftemplate-depth=900"}),
            (Words{"-std=c++20", "-std=c++17", "-ftemplate-depth=900"}));
  EXPECT_EQ(translate({"nvcc", "-x", "cu"}).Language, "cuda");
  EXPECT_EQ(translate({"clang++", "-xcuda"}).Language, "cuda");
}

TEST(Translate, NvccImpliesFlags) {
  const Words Relocatable{"-fgpu-rdc", "-D__CUDACC_RDC__"};
  EXPECT_EQ(flags({"nvcc", "-dc"}), Relocatable);
  EXPECT_EQ(flags({"nvcc", "-rdc=true"}), Relocatable);
  EXPECT_EQ(flags({"nvcc", "-dlto"}), Relocatable);
  EXPECT_EQ(flags({"nvcc", "-rdc", "false"}), Words{});
  EXPECT_EQ(flags({"nvcc", "--extended-lambda"}), Words{"-D__CUDACC_EXTENDED_LAMBDA__"});
  EXPECT_EQ(flags({"nvcc", "-default-stream", "per-thread"}),
            Words{"-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  EXPECT_EQ(flags({"nvcc", "--default-stream=legacy"}), Words{});
  EXPECT_EQ(flags({"nvcc", "-noeh"}), Words{"-fno-exceptions"});
}

TEST(Translate, DeviceAndLinkerFlagsAreDropped) {
  // What only the device compiler or the linker reads.
  EXPECT_EQ(flags({"nvcc", "-arch=native", "--gpu-code=sm_90", "-Xptxas", "-v", "-lcublas", "-L",
                   "x", "--use_fast_math", "-t4", "-ccbin", "g++", "-c", "a.cu", "-o", "a.o", "-MD",
                   "-MF", "a.d"}),
            Words{});
  // What nvcc takes and does not list.
  EXPECT_EQ(flags({"nvcc", "-Xcicc", "-O0", "-Xcudafe", "--diag_suppress=1", "-Xcicc=-O1"}),
            Words{});
}

// As nvcc --dryrun shows it.
TEST(Translate, ArchitecturesBecomeHostMacro) {
  EXPECT_EQ(flags({"nvcc", "-arch=sm_90a"}), Words{"-D__CUDA_ARCH_LIST__=900"});
  EXPECT_EQ(flags({"nvcc", "-gencode", "arch=compute_90,code=[sm_90,compute_90]",
                   "--generate-code=arch=compute_80,code=[sm_80,compute_86]"}),
            Words{"-D__CUDA_ARCH_LIST__=800,900"});
  EXPECT_EQ(flags({"nvcc", "-arch=compute_80", "-code=sm_80,sm_86"}),
            Words{"-D__CUDA_ARCH_LIST__=800"});
  EXPECT_EQ(flags({"nvcc", "-arch=all-major"}), Words{});
}

TEST(Translate, KnownHostOptionsReachParser) {
  // Host options that clang knows and the parser sees.
  EXPECT_EQ(flags({"nvcc", "-Xcompiler", "-fPIC,-fno-exceptions,-fopenmp,-mavx2,-pthread,-DA=1"}),
            (Words{"-fPIC", "-fno-exceptions", "-fopenmp", "-mavx2", "-pthread", "-DA=1"}));
  EXPECT_EQ(flags({"nvcc", "-Xcompiler=-I,x,-isystem,y,-std=gnu++17"}),
            (Words{"-I", "x", "-isystem", "y", "-std=gnu++17"}));
  EXPECT_EQ(flags({"nvcc", "-Xcompiler", "-Wp\\,-DA=1"}), Words{"-Wp,-DA=1"});
}

TEST(Translate, HostOptionsComeFirst) {
  // Host options stay together and come first.
  EXPECT_EQ(flags({"nvcc", "-Ia", "-Xcompiler", "-include", "-DA", "-Xcompiler", "x.h"}),
            (Words{"-include", "x.h", "-Ia", "-DA"}));
}

TEST(Translate, GccOnlyOptionsAreDropped) {
  // Host options that only GCC knows.
  EXPECT_EQ(flags({"nvcc", "-Xcompiler",
                   "-fno-gcse,-fvisibility=hidden,-ftree-vectorize,-mtune=generic,-mno-such-thing,"
                   "-march=no-such-processor,--param=x=1,-Wall,-Wno-unused,-O2,-g,"
                   "-fno-such-option,-no-such-option"}),
            Words{});
  EXPECT_EQ(flags({"nvcc", "-Xcompiler", "--param", "-Xcompiler", "x=1,-mcmodel=large"}), Words{});
  EXPECT_EQ(flags({"g++", "--param", "x=1", "-fno-gcse", "-DA", "-c", "a.cc"}), Words{"-DA"});
}

TEST(Translate, ForwardedOptionsReachHostCompiler) {
  EXPECT_EQ(flags({"nvcc", "-forward-unknown-to-host-compiler", "-Wall", "-fno-gcse",
                   "-march=native", "-fopenmp"}),
            (Words{"-march=native", "-fopenmp"}));
}

TEST(Translate, ClangsOwnFlagsStay) {
  const Words Own{"--cuda-gpu-arch=sm_90", "-Xclang", "-fcuda-x", "-fno-such-option", "-nocudainc"};
  EXPECT_EQ(flags(Own), Own);
  Words Named = Own;
  Named.insert(Named.begin(), "/usr/bin/clang++-22");
  EXPECT_EQ(flags(Named), Own);
}

TEST(Translate, UnknownFlagsAreNamed) {
  // What neither nvcc nor clang has is left out, and named.
  const ClangArgs Got =
      translate({"nvcc", "--brand-new", "-Da", "--brand-new-value=3", "-Xclang", "-own"});
  EXPECT_EQ(Got.Flags, (Words{"-Da", "-Xclang", "-own"}));
  EXPECT_EQ(Got.Unknown, (Words{"--brand-new", "--brand-new-value=3"}));
  EXPECT_EQ(translate({"clang++", "--brand-new"}).Unknown, Words{});
  EXPECT_EQ(translate({"nvcc", "-forward-unknown-opts", "--brand-new"}).Unknown, Words{});
}

TEST(Translate, CompilerMayFollowLauncher) {
  EXPECT_EQ(flags({"ccache", "/usr/local/cuda/bin/nvcc", "-DA,B"}), (Words{"-DA", "-DB"}));
  EXPECT_EQ(flags({"graphprof-cc", "g++", "-DA,B"}), Words{"-DA,B"});
}

TEST(Translate, UnparsableFlagIsRefused) {
  // What excludes a parse is refused with a reason.
  const auto Problem = [](const char *Flag) {
    auto Translated = translateArgs({"nvcc", Flag, "x"}, {nullptr, nothing});
    return Translated ? "" : llvm::toString(Translated.takeError());
  };
  EXPECT_EQ(Problem("--list-gpu-arch"),
            "compile flag '--list-gpu-arch': prints and exits: no source is compiled");
  EXPECT_EQ(Problem("-qpp-config"),
            "compile flag '-qpp-config': clang cannot stand in for the q++ host compiler; parse "
            "with the flags of a GCC or Clang build");
}

} // namespace
} // namespace graphprof::instrument
