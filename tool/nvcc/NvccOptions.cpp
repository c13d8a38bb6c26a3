// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "NvccOptions.h"

#include "llvm/ADT/StringExtras.h"

namespace graphprof::nvcc {
namespace {

// Reasons that many options share.
constexpr llvm::StringLiteral ArchMacro =
    "the list of architectures is a macro of the host side too; not of all, all-major and native";
constexpr llvm::StringLiteral DeviceOnly = "device code generation; the host side parses alike";
constexpr llvm::StringLiteral LinkOnly = "only linking reads it";
constexpr llvm::StringLiteral OutputOnly = "the tool writes sources, the compiler its own output";
constexpr llvm::StringLiteral ParseOnly = "the tool only parses";
constexpr llvm::StringLiteral DriverOnly = "how nvcc runs its steps";
constexpr llvm::StringLiteral WindowsOnly = "for Windows";
constexpr llvm::StringLiteral WarningsOnly = "warnings are for the real compile";
constexpr llvm::StringLiteral PrintsOnly = "prints and exits: no source is compiled";

using T = Takes;
using R = Role;
using P = Parse;

// In the order of `nvcc --help`.
constexpr NvccOption NvccTable[] = {
    // Options for specifying the compilation phase.
    {"--cuda", "-cuda", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--cubin", "-cubin", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--fatbin", "-fatbin", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--ptx", "-ptx", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--optix-ir", "-optix-ir", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--ltoir", "-ltoir", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--preprocess", "-E", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--generate-dependencies", "-M", T::Nothing, R::Dependencies, P::Drop, "", OutputOnly},
    {"--generate-nonsystem-dependencies", "-MM", T::Nothing, R::Dependencies, P::Drop, "",
     OutputOnly},
    {"--generate-dependencies-with-compile", "-MD", T::Nothing, R::Dependencies, P::Drop, "",
     OutputOnly},
    {"--generate-nonsystem-dependencies-with-compile", "-MMD", T::Nothing, R::Dependencies, P::Drop,
     "", OutputOnly},
    {"--dependency-output", "-MF", T::Value, R::Dependencies, P::Drop, "", OutputOnly},
    {"--generate-dependency-targets", "-MP", T::Nothing, R::Dependencies, P::Drop, "", OutputOnly},
    {"--compile", "-c", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--device-c", "-dc", T::Nothing, R::Goal, P::Add, "-fgpu-rdc -D__CUDACC_RDC__",
     "relocatable device code: clang then accepts extern device variables; a macro of nvcc's"},
    {"--device-w", "-dw", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--device-link", "-dlink", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--link", "-link", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--lib", "-lib", T::Nothing, R::Goal, P::Drop, "", ParseOnly},
    {"--run", "-run", T::Nothing, R::Goal, P::Drop, "", ParseOnly},

    // File and path specifications.
    {"--output-file", "-o", T::Value, R::Output, P::Drop, "", OutputOnly},
    {"--pre-include", "-include", T::Paths, R::Define, P::Pass, "-include", "as it is"},
    {"--objdir-as-tempdir", "-objtemp", T::Nothing, R::Nothing, P::Drop, "", DriverOnly},
    {"--library", "-l", T::JoinedPaths, R::Library, P::Drop, "", LinkOnly},
    {"--define-macro", "-D", T::JoinedStrings, R::Define, P::Attach, "-D", "as it is"},
    {"--undefine-macro", "-U", T::JoinedStrings, R::Define, P::Attach, "-U", "as it is"},
    {"--include-path", "-I", T::JoinedPaths, R::Include, P::Attach, "-I", "as it is"},
    {"--system-include", "-isystem", T::Paths, R::Include, P::Pass, "-isystem", "as it is"},
    {"--library-path", "-L", T::JoinedPaths, R::Library, P::Drop, "", LinkOnly},
    {"--output-directory", "-odir", T::Value, R::OutputFolder, P::Drop, "", OutputOnly},
    {"--compiler-bindir", "-ccbin", T::Value, R::Nothing, P::Drop, "",
     "clang stands in for the host compiler"},
    {"--allow-unsupported-compiler", "-allow-unsupported-compiler", T::Nothing, R::Nothing, P::Drop,
     "", "clang stands in for the host compiler"},
    {"--archiver-binary", "-arbin", T::Value, R::Nothing, P::Drop, "", LinkOnly},
    {"--cudart", "-cudart", T::Value, R::Library, P::Drop, "", LinkOnly},
    {"--cudadevrt", "-cudadevrt", T::Value, R::Library, P::Drop, "", LinkOnly},
    {"--libdevice-directory", "-ldir", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--target-directory", "-target-dir", T::Value, R::Nothing, P::Drop, "",
     "the toolkit's headers come from --cuda-path"},
    {"--use-local-env", "-use-local-env", T::Nothing, R::Nothing, P::Drop, "", WindowsOnly},
    {"--force-cl-env-setup", "-force-cl-env-setup", T::Nothing, R::Nothing, P::Drop, "",
     WindowsOnly},

    // Options for specifying behavior of compiler/linker.
    {"--profile", "-pg", T::Nothing, R::Nothing, P::Drop, "", ParseOnly},
    {"--debug", "-g", T::Nothing, R::Nothing, P::Drop, "", ParseOnly},
    {"--device-debug", "-G", T::Nothing, R::Nothing, P::Add, "-D__CUDACC_DEBUG__",
     "a macro of nvcc's"},
    {"--generate-line-info", "-lineinfo", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--optimization-info", "-opt-info", T::Strings, R::Nothing, P::Drop, "", DeviceOnly},
    {"--optimize", "-O", T::Joined, R::Nothing, P::Drop, "",
     "nothing is generated; the device's __OPTIMIZE__ is not the host's"},
    {"--Ofast-compile", "-Ofc", T::Maybe, R::Nothing, P::Drop, "", DeviceOnly},
    {"--dopt", "-dopt", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--dlink-time-opt", "-dlto", T::Nothing, R::Nothing, P::Add, "-fgpu-rdc -D__CUDACC_RDC__",
     "device code is then relocatable, as with -dc"},
    {"--lto", "-lto", T::Nothing, R::Nothing, P::Add, "-fgpu-rdc -D__CUDACC_RDC__",
     "device code is then relocatable, as with -dc"},
    {"--gen-opt-lto", "-gen-opt-lto", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", T::Value, R::Nothing, P::Drop, "",
     WarningsOnly},
    {"--ftemplate-depth", "-ftemplate-depth", T::Value, R::Nothing, P::Attach,
     "-ftemplate-depth=", "as it is"},
    {"--no-exceptions", "-noeh", T::Nothing, R::Nothing, P::Add, "-fno-exceptions",
     "what nvcc hands to the host compiler"},
    {"--shared", "-shared", T::Nothing, R::Library, P::Drop, "", LinkOnly},
    {"--x", "-x", T::Value, R::Language, P::Language, "-x", "'cu' is clang's 'cuda'"},
    {"--std", "-std", T::Value, R::Nothing, P::Attach, "-std=", "as it is"},
    {"--no-host-device-initializer-list", "-nohdinitlist", T::Nothing, R::Nothing, P::Drop, "",
     "clang never considers them so; the host side parses alike"},
    {"--no-host-device-move-forward", "-nohdmoveforward", T::Nothing, R::Nothing, P::Drop, "",
     "clang never considers them so; the host side parses alike"},
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", T::Nothing, R::Nothing, P::Add,
     "-D__CUDACC_RELAXED_CONSTEXPR__", "clang always allows it; a macro of nvcc's"},
    {"--extended-lambda", "-extended-lambda", T::Nothing, R::Nothing, P::Add,
     "-D__CUDACC_EXTENDED_LAMBDA__", "clang always allows them; a macro of nvcc's"},
    {"--expt-extended-lambda", "-expt-extended-lambda", T::Nothing, R::Nothing, P::Add,
     "-D__CUDACC_EXTENDED_LAMBDA__", "as --extended-lambda"},
    {"--machine", "-m", T::Value, R::Nothing, P::Drop, "", "64 is the only value"},
    {"--m64", "-m64", T::Nothing, R::Nothing, P::Drop, "", "64 bits are all there is"},

    // Options for passing specific phase options.
    {"--compiler-options", "-Xcompiler", T::Strings, R::HostOptions, P::Host, "",
     "those that change what the parser sees"},
    {"--linker-options", "-Xlinker", T::Strings, R::Library, P::Drop, "", LinkOnly},
    {"--archive-options", "-Xarchive", T::Strings, R::Library, P::Drop, "", LinkOnly},
    {"--ptxas-options", "-Xptxas", T::Strings, R::Nothing, P::Drop, "", DeviceOnly},
    {"--nvlink-options", "-Xnvlink", T::Strings, R::Nothing, P::Drop, "", DeviceOnly},

    // Miscellaneous options for guiding the compiler driver.
    {"--static-global-template-stub", "-static-global-template-stub", T::Boolean, R::Nothing,
     P::Drop, "", "linkage of stubs that nvcc generates"},
    {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", T::Boolean,
     R::Nothing, P::Drop, "", "visibility does not change the parse"},
    {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", T::Nothing,
     R::Forward, P::Drop, "", "unknown options are then treated as -Xcompiler's"},
    {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", T::Nothing, R::Forward,
     P::Drop, "", "unknown options are then treated as -Xcompiler's"},
    {"--forward-unknown-opts", "-forward-unknown-opts", T::Nothing, R::Forward, P::Drop, "",
     "unknown options are then treated as -Xcompiler's"},
    {"--dont-use-profile", "-noprof", T::Nothing, R::Nothing, P::Drop, "", DriverOnly},
    {"--dryrun", "-dryrun", T::Nothing, R::DryRun, P::Drop, "", DriverOnly},
    {"--verbose", "-v", T::Nothing, R::Nothing, P::Drop, "", DriverOnly},
    {"--threads", "-t", T::Joined, R::Nothing, P::Drop, "", DriverOnly},
    {"--split-compile", "-split-compile", T::Value, R::Nothing, P::Drop, "", DriverOnly},
    {"--split-compile-extended", "-split-compile-extended", T::Value, R::Nothing, P::Drop, "",
     DriverOnly},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", T::Nothing, R::Nothing, P::Drop, "",
     DeviceOnly},
    {"--fdevice-time-trace", "-fdevice-time-trace", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--keep", "-keep", T::Nothing, R::Keep, P::Drop, "", DriverOnly},
    {"--keep-dir", "-keep-dir", T::Value, R::Nothing, P::Drop, "", DriverOnly},
    {"--save-temps", "-save-temps", T::Nothing, R::Keep, P::Drop, "", DriverOnly},
    {"--clean-targets", "-clean", T::Nothing, R::Goal, P::Drop, "", DriverOnly},
    {"--time", "-time", T::Value, R::Nothing, P::Drop, "", DriverOnly},
    {"--run-args", "-run-args", T::Strings, R::Nothing, P::Drop, "", DriverOnly},
    {"--input-drive-prefix", "-idp", T::Value, R::Nothing, P::Drop, "", WindowsOnly},
    {"--dependency-drive-prefix", "-ddp", T::Value, R::Nothing, P::Drop, "", WindowsOnly},
    {"--drive-prefix", "-dp", T::Value, R::Nothing, P::Drop, "", WindowsOnly},
    {"--dependency-target-name", "-MT", T::Value, R::Dependencies, P::Drop, "", OutputOnly},
    {"--no-align-double", "--no-align-double", T::Nothing, R::Nothing, P::Drop, "",
     "for 32-bit platforms"},
    {"--no-device-link", "-nodlink", T::Nothing, R::Nothing, P::Drop, "", LinkOnly},

    // Options for steering GPU code generation.
    {"--gpu-architecture", "-arch", T::Value, R::Nothing, P::Arch, "__CUDA_ARCH_LIST__", ArchMacro},
    {"--gpu-code", "-code", T::Strings, R::Nothing, P::Drop, "", DeviceOnly},
    {"--generate-code", "-gencode", T::Strings, R::Nothing, P::Arch, "__CUDA_ARCH_LIST__",
     ArchMacro},
    {"--relocatable-device-code", "-rdc", T::Boolean, R::Nothing, P::IfTrue,
     "-fgpu-rdc -D__CUDACC_RDC__", "as -dc"},
    {"--entries", "-e", T::Strings, R::Nothing, P::Drop, "", DeviceOnly},
    {"--maxrregcount", "-maxrregcount", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--use_fast_math", "-use_fast_math", T::Nothing, R::Nothing, P::Drop, "",
     "device functions are chosen where device code is compiled"},
    {"--ftz", "-ftz", T::Boolean, R::Nothing, P::Drop, "", DeviceOnly},
    {"--prec-div", "-prec-div", T::Boolean, R::Nothing, P::Drop, "", DeviceOnly},
    {"--prec-sqrt", "-prec-sqrt", T::Boolean, R::Nothing, P::Drop, "", DeviceOnly},
    {"--fmad", "-fmad", T::Boolean, R::Nothing, P::Drop, "", DeviceOnly},
    {"--extra-device-vectorization", "-extra-device-vectorization", T::Nothing, R::Nothing, P::Drop,
     "", DeviceOnly},

    // Options for steering cuda compilation.
    {"--default-stream", "-default-stream", T::Value, R::Nothing, P::Stream,
     "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1",
     "for 'per-thread', the macro by which the toolkit's headers rename the API"},

    // Generic tool options.
    {"--disable-warnings", "-w", T::Nothing, R::Nothing, P::Drop, "", WarningsOnly},
    {"--keep-device-functions", "-keep-device-functions", T::Nothing, R::Nothing, P::Drop, "",
     DeviceOnly},
    {"--source-in-ptx", "-src-in-ptx", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--restrict", "-restrict", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--Wreorder", "-Wreorder", T::Nothing, R::Nothing, P::Drop, "", WarningsOnly},
    {"--Wdefault-stream-launch", "-Wdefault-stream-launch", T::Nothing, R::Nothing, P::Drop, "",
     WarningsOnly},
    {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", T::Nothing, R::Nothing, P::Drop, "",
     WarningsOnly},
    {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", T::Nothing, R::Nothing, P::Drop,
     "", WarningsOnly},
    {"--Wno-deprecated-declarations", "-Wno-deprecated-declarations", T::Nothing, R::Nothing,
     P::Drop, "", WarningsOnly},
    {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", T::Nothing, R::Nothing, P::Drop,
     "", WarningsOnly},
    {"--Werror", "-Werror", T::Strings, R::Nothing, P::Drop, "", WarningsOnly},
    {"--resource-usage", "-res-usage", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--extensible-whole-program", "-ewp", T::Nothing, R::Nothing, P::Add,
     "-fgpu-rdc -D__CUDACC_EWP__", "extern device variables, as with -dc; a macro of nvcc's"},
    {"--no-compress", "-no-compress", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--qpp-config", "-qpp-config", T::Value, R::Nothing, P::Refuse, "",
     "clang cannot stand in for the q++ host compiler; parse with the flags of a GCC or Clang "
     "build"},
    {"--compile-as-tools-patch", "-astoolspatch", T::Nothing, R::Nothing, P::Refuse, "",
     "the output is device code for CUDA's tools and has no host side; leave this source out"},
    {"--list-gpu-code", "-code-ls", T::Nothing, R::Goal, P::Refuse, "", PrintsOnly},
    {"--list-gpu-arch", "-arch-ls", T::Nothing, R::Goal, P::Refuse, "", PrintsOnly},
    {"--display-error-number", "-err-no", T::Nothing, R::Nothing, P::Drop, "", WarningsOnly},
    {"--no-display-error-number", "-no-err-no", T::Nothing, R::Nothing, P::Drop, "", WarningsOnly},
    {"--diag-error", "-diag-error", T::Strings, R::Nothing, P::Drop, "",
     "nvcc's numbers mean nothing to clang"},
    {"--diag-suppress", "-diag-suppress", T::Strings, R::Nothing, P::Drop, "",
     "nvcc's numbers mean nothing to clang"},
    {"--diag-warn", "-diag-warn", T::Strings, R::Nothing, P::Drop, "",
     "nvcc's numbers mean nothing to clang"},
    {"--host-linker-script", "-hls", T::Maybe, R::Library, P::Drop, "", LinkOnly},
    {"--augment-host-linker-script", "-aug-hls", T::Nothing, R::Library, P::Drop, "", LinkOnly},
    {"--relocatable-link", "-r", T::Nothing, R::Library, P::Drop, "", LinkOnly},
    {"--brief-diagnostics", "-brief-diag", T::Boolean, R::Nothing, P::Drop, "", WarningsOnly},
    {"--jump-table-density", "-jtd", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--relocatable-ptx", "-reloc-ptx", T::Nothing, R::Nothing, P::Drop, "", DeviceOnly},
    {"--device-stack-protector", "-device-stack-protector", T::Boolean, R::Nothing, P::Drop, "",
     DeviceOnly},
    {"--compress-mode", "-compress-mode", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--frandom-seed", "-frandom-seed", T::Value, R::Nothing, P::Drop, "",
     "names that the compilers generate"},
    {"--sanitize", "-sanitize", T::Value, R::Nothing, P::Drop, "", DeviceOnly},
    {"--jobserver", "-jobserver", T::Nothing, R::Nothing, P::Drop, "", DriverOnly},
    {"--help", "-h", T::Nothing, R::Goal, P::Refuse, "", PrintsOnly},
    {"--version", "-V", T::Nothing, R::Goal, P::Refuse, "", PrintsOnly},
    {"--options-file", "-optf", T::Paths, R::OptionsFile, P::Expand, "",
     "replaced by the options in the files"},
};

/// Options that nvcc takes and does not list.
constexpr NvccOption Unlisted[] = {
    {"--cicc-options", "-Xcicc", T::Strings, R::Nothing, P::Drop, "", DeviceOnly},
    {"--cudafe-options", "-Xcudafe", T::Strings, R::Nothing, P::Drop, "",
     "nvcc's front end does not parse for the tool"},
};

constexpr llvm::StringLiteral WarningKinds[] = {"all-warnings",
                                                "cross-execution-space-call",
                                                "default-stream-launch",
                                                "deprecated-declarations",
                                                "ext-lambda-captures-this",
                                                "missing-launch-bounds",
                                                "reorder"};

} // namespace

llvm::ArrayRef<NvccOption> nvccOptions() { return NvccTable; }

llvm::ArrayRef<llvm::StringLiteral> nvccWarningKinds() { return WarningKinds; }

NvccMatch matchNvccOption(llvm::StringRef Word) {
  const size_t Equals = Word.find('=');
  const llvm::StringRef Head = Word.take_front(Equals);
  for (const NvccOption &Option : Unlisted)
    if (Head == Option.Long || Head == Option.Short)
      return {&Option, Head, Word.drop_front(Head == Word ? Word.size() : Equals + 1),
              Head != Word};
  NvccMatch Joined;
  for (const NvccOption &Option : NvccTable) {
    for (const llvm::StringRef Name : {Option.Long, Option.Short}) {
      if (Word == Name)
        return {&Option, Name, "", false};
      if (Head == Name && Option.Operand != Takes::Nothing)
        return {&Option, Name, Word.drop_front(Equals + 1), true};
      if (Head == Name) // nvcc reports an error, though `-lto=x` looks like -l
        return {};
    }
    // For -t and -O, the joined value must be a number: `-target` is not -t, and `-Ofast` is not a
    // level.
    if (isJoined(Option.Operand) && Word.starts_with(Option.Short) &&
        (Option.Operand != Takes::Joined || llvm::isDigit(Word[Option.Short.size()])))
      Joined = {&Option, Option.Short, Word.drop_front(Option.Short.size()), true};
  }
  return Joined;
}

} // namespace graphprof::nvcc
