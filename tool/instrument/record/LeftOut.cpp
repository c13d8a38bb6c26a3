// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/LeftOut.h"

#include "source/Includes.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {
namespace {

/// What is known of a part of a file.
struct Broken {
  unsigned Times = 0; ///< as often as it was named
  bool Whole = false; ///< with all others
  std::string Reason;

  explicit operator bool() const { return Times > 0; }
  [[nodiscard]] std::string because(llvm::StringRef What) const {
    return (Whole ? "it, or something else that graphprof adds, does not compile: "
                  : What + " does not compile: ")
               .str() +
           Reason;
  }
};

class FileCutter {
public:
  FileCutter(Unit::File &File, std::string Path, llvm::ArrayRef<BrokenPlace> Places)
      : File(File), Path(std::move(Path)), Places(Places) {}

  void cut() {
    for (DeviceFunction &Each : File.Known.Kernels)
      cut(Each);
    for (size_t I = 0; I < File.Known.Annotations.size(); ++I)
      cut(File.Known.Annotations[I], File.Known.Constructs[I]);
    llvm::erase_if(File.Known.Launches, [this](Launch &Each) { return isCut(Each); });
    llvm::erase_if(File.Known.Functions, [this](HostFunction &Each) { return isCut(Each); });
  }

private:
  [[nodiscard]] unsigned lineOf(unsigned Offset) const {
    return File.Source.lineOf(File.Source.locationOf(Offset));
  }
  [[nodiscard]] Broken among(unsigned First, unsigned Last) const;
  [[nodiscard]] Broken among(TextRange Part) const {
    return among(lineOf(Part.Begin), lineOf(Part.End));
  }
  void warn(unsigned At, std::string Message) {
    File.Known.Findings.push_back({Severity::Warning, At, std::move(Message)});
  }
  void cut(DeviceFunction &Function) const;
  void cut(Annotation &Note, Construct &Target);
  [[nodiscard]] bool isCut(Launch &Each);
  [[nodiscard]] bool isCut(HostFunction &Each);
  /// Forgets streams that were found; false if there is none, or if that was not enough.
  static bool forget(llvm::MutableArrayRef<StreamUse> Streams, const Broken &Here);
  /// Whether an annotation of the construct, the same or another, has values of the user's.
  [[nodiscard]] bool hasValues(const Annotation &Note) const {
    return llvm::any_of(File.Known.Annotations, [&](const Annotation &Each) {
      return Each.Next == Note.Next && !Each.Arguments.empty();
    });
  }

  Unit::File &File;
  std::string Path;
  llvm::ArrayRef<BrokenPlace> Places;
};

Broken FileCutter::among(unsigned First, unsigned Last) const {
  Broken Result;
  for (const BrokenPlace &Each : Places) {
    const bool Whole = Each.File.empty();
    if (!Whole && (Each.File != Path || Each.Line < First || Last < Each.Line))
      continue;
    ++Result.Times;
    Result.Whole |= Whole;
    Result.Reason = Each.Reason;
  }
  return Result;
}

void FileCutter::cut(DeviceFunction &Function) const {
  if (!Function.Obstacle.empty())
    return;
  if (const Broken Here = among(Function.FirstLine, Function.LastLine))
    Function.Obstacle = Here.because("its timed twin");
}

bool FileCutter::forget(llvm::MutableArrayRef<StreamUse> Streams, const Broken &Here) {
  const auto IsKnown = [](const StreamUse &Use) { return Use.Obstacle.empty(); };
  if (Here.Times > 1 || Streams.empty() || !llvm::all_of(Streams, IsKnown))
    return false;
  for (StreamUse &Each : Streams)
    Each.Obstacle = Here.because("its use there");
  return true;
}

void FileCutter::cut(Annotation &Note, Construct &Target) {
  const bool IsGuard = Note.Kind == AnnotationKind::Time || Note.Kind == AnnotationKind::Step ||
                       Note.Kind == AnnotationKind::Graph;
  if (!IsGuard || Target.IsKernel || Target.InKernel || Target.Split)
    return;
  const bool IsBraced =
      Target.Kind == ConstructKind::Compound || Target.Kind == ConstructKind::Function;
  const unsigned Opening = IsBraced ? Target.BodyOpen : Target.Text.Begin;
  const Broken Here = among({Note.Text.Begin, std::max(Note.Text.End, Opening)});
  if (!Here)
    return;
  const bool NamesStream =
      llvm::any_of(Note.Arguments, [](const Argument &Each) { return Each.Key == "stream"; });
  if ((!NamesStream && forget(Target.Streams, Here)) || hasValues(Note))
    return;
  Note.Kind = AnnotationKind::Dropped;
  warn(Note.At, "this annotation has no effect: " + Here.because("what graphprof adds for it"));
}

bool FileCutter::isCut(Launch &Each) {
  const Broken Here = among(Each.Text);
  if (!Here || !Each.Obstacle.empty())
    return false;
  if (forget(Each.Stream, Here)) {
    if (!Each.OfKernel) // planning says it of an annotated kernel's
      warn(Each.At, "the stream of this launch is not known before it (" + Each.Stream.Obstacle +
                        "), so the region gets GPU times only while its thread captures");
    return false;
  }
  if (Each.OfKernel && !Each.OfKernel->Arguments.empty())
    return false;
  warn(Each.At, "this launch of '" + Each.Name +
                    "' is not timed: " + Here.because("what graphprof adds to it"));
  return true;
}

bool FileCutter::isCut(HostFunction &Each) {
  const Broken Here = among({Each.At, Each.BodyOpen});
  if (!Here || !Each.Obstacle.empty())
    return false;
  if (forget(Each.Streams, Here)) {
    warn(Each.At, "the stream of the function '" + Each.Name + "' is not known where it begins (" +
                      Each.Streams.front().Obstacle +
                      "), so the region gets GPU times only while its thread captures");
    return false;
  }
  warn(Each.At, "the function '" + Each.Name +
                    "' is not timed: " + Here.because("what graphprof adds to it"));
  return true;
}

} // namespace

void leaveOut(const Unit &Parsed, const clang::FileManager &Files,
              llvm::ArrayRef<BrokenPlace> Places) {
  if (Places.empty())
    return;
  for (const auto &Each : Parsed.files()) {
    const auto Entry = Parsed.sources().getFileEntryRefForID(Each->Source.file());
    FileCutter(*Each, Entry ? pathOf(Files, Entry->getName()) : "", Places).cut();
  }
}

} // namespace graphprof::instrument
