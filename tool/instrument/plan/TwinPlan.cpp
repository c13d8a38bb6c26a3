// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/TwinPlan.h"

#include "facts/GuardText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace graphprof::instrument {
namespace {

class TwinWriter {
public:
  TwinWriter(const DeviceFunction &Kernel, llvm::StringRef Text, const std::vector<Edit> &Edits)
      : Kernel(Kernel), Text(Text) {
    for (const Edit &Each : Edits)
      if (Kernel.Text.contains(Each.Range.Begin))
        Own.push_back(Each);
  }

  void add(const DeviceScope &Scope);
  /// Behind the kernel.
  [[nodiscard]] std::string write() const;
  /// At the end of the file, for the kernels that are made of a template.
  [[nodiscard]] std::string writeInstances() const;

private:
  void insert(unsigned At, std::string What) { Inserted.push_back({{At, At}, std::move(What)}); }
  /// A statement's opening goes before what becomes of its annotation, if a directive is between
  /// them.
  [[nodiscard]] unsigned openingOf(const DeviceScope &Scope) const;
  [[nodiscard]] std::string twinName() const { return Kernel.Spelled + "_graphprof_twin"; }
  [[nodiscard]] unsigned lineOf(unsigned Offset) const {
    return Kernel.FirstLine +
           static_cast<unsigned>(llvm::count(Text.slice(Kernel.Text.Begin, Offset), '\n'));
  }

  const DeviceFunction &Kernel;
  llvm::StringRef Text;
  std::vector<Edit> Own;      // the kernel's own, in the twin as well
  std::vector<Edit> Inserted; // in the twin alone
  std::string Sites;
  unsigned Count = 0;
};

unsigned TwinWriter::openingOf(const DeviceScope &Scope) const {
  if (!Text.slice(Scope.Note->Text.End, Scope.Target->Text.Begin).contains('#'))
    return Scope.Target->Text.Begin;
  const auto Removal = llvm::find_if(
      Own, [&](const Edit &Each) { return Each.Range.contains(Scope.Note->Text.Begin); });
  return Removal == Own.end() ? Scope.Note->Text.Begin : Removal->Range.Begin;
}

void TwinWriter::add(const DeviceScope &Scope) {
  const std::string Number = std::to_string(Count++);
  const std::string Guard = "::graphprof::device::Scope graphprof_scope_" + Number +
                            "(graphprof_recorder, " + Number + ");";
  const Construct &Target = *Scope.Target;
  if (Target.Kind == ConstructKind::Compound) {
    insert(Target.BodyOpen, " " + Guard);
  } else {
    insert(openingOf(Scope), "{ " + Guard + " ");
    insert(Target.Text.End, " }");
  }
  Sites +=
      ", {" + literal(Scope.Name) + ", __FILE__, " + std::to_string(lineOf(Scope.Note->At)) + "}";
}

std::string TwinWriter::write() const {
  const std::string Twin = twinName();
  std::vector<Edit> All = Inserted;
  llvm::append_range(All, Own);
  All.push_back({Kernel.Name, Twin});
  if (Kernel.Void.End > Kernel.Void.Begin)
    All.push_back({Kernel.Void, ""});
  All.push_back(
      {{Kernel.Parameters, Kernel.Parameters},
       std::string("GRAPHPROF_RECORDING graphprof_recording") + (Kernel.IsAlone ? "" : ", ")});
  All.push_back({{Kernel.BodyOpen, Kernel.BodyOpen},
                 " ::graphprof::device::Recorder graphprof_recorder(graphprof_recording);"});
  for (Edit &Each : All) {
    Each.Range.Begin -= Kernel.Text.Begin;
    Each.Range.End -= Kernel.Text.Begin;
  }
  const std::string End = lineEnd(Text).str();
  const std::string Body = rewritten(Text.slice(Kernel.Text.Begin, Kernel.Text.End), All);
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  Out << End << "#line " << Kernel.FirstLine << End << Body;
  if (Kernel.IsTemplate)
    Out << " GRAPHPROF_TWIN_TEMPLATE(" << Twin << Sites << ")" << End << "#define " << Twin
        << "_is_here";
  else
    Out << " GRAPHPROF_TWIN(" << Kernel.Spelled << ", " << Twin << Sites << ")";
  Out << End << "#line " << Kernel.LastLine << End;
  return Result;
}

std::string TwinWriter::writeInstances() const {
  const std::string Twin = twinName(), End = lineEnd(Text).str(), Around = "::" + Kernel.Namespaces;
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  Out << End << "#ifdef " << Twin << "_is_here" << End;
  unsigned Number = 0;
  for (const std::string &Arguments : Kernel.Instances)
    Out << "GRAPHPROF_TWIN_INSTANCE(" << Twin << "_" << Number++ << ", " << Around << Twin
        << "_scopes, " << literal(Kernel.Spelled + Arguments) << ", " << Around << Kernel.Spelled
        << Arguments << ", " << Around << Twin << Arguments << ")" << End;
  Out << "#endif" << End;
  return Result;
}

/// Why this kernel gets no twin; empty if it does.
std::string obstacleOf(const DeviceFunction &Kernel, llvm::StringRef Text,
                       llvm::ArrayRef<DeviceScope> Scopes) {
  if (!Kernel.Obstacle.empty())
    return Kernel.Obstacle;
  if (!closesItsConditionals(Text.slice(Kernel.Text.Begin, Kernel.Text.End)))
    return "an #if divides it";
  constexpr size_t MostScopes = 0xFFFF; // of device/recording.h
  if (Scopes.size() >= MostScopes)
    return "it has too many annotated statements";
  return {};
}

} // namespace

std::string refusalInKernel(const Annotation &Note) {
  if (Note.Arguments.empty())
    return {};
  return "a region inside a kernel has a constant name and no values; it is not timed";
}

const DeviceFunction *kernelAround(const Facts &Known, unsigned Offset) {
  const auto Found = llvm::find_if(
      Known.Kernels, [=](const DeviceFunction &Each) { return Each.Text.contains(Offset); });
  return Found == Known.Kernels.end() ? nullptr : &*Found;
}

void planTwins(const Facts &Known, llvm::StringRef Text, std::vector<DeviceScope> Scopes,
               Plan &Into) {
  llvm::sort(Scopes,
             [](const DeviceScope &A, const DeviceScope &B) { return A.Note->At < B.Note->At; });
  std::map<const DeviceFunction *, std::vector<DeviceScope>> ByKernel;
  for (const DeviceScope &Each : Scopes)
    ByKernel[kernelAround(Known, Each.Note->At)].push_back(Each);
  std::vector<Edit> Twins;
  std::string AtEnd;
  for (const auto &[Kernel, Own] : ByKernel) {
    if (const std::string Obstacle = obstacleOf(*Kernel, Text, Own); !Obstacle.empty()) {
      Into.Findings.push_back({Severity::Warning, Own.front().Note->At,
                               "the regions inside the kernel '" + Kernel->Spelled +
                                   "' are not timed, and it runs as it is: " + Obstacle});
      continue;
    }
    TwinWriter Writer(*Kernel, Text, Into.Edits);
    for (const DeviceScope &Each : Own) {
      Writer.add(Each);
      Into.Sites.push_back({SiteKind::InKernel, Each.Note->At, Kernel->Spelled, Each.Name});
      ++Into.Did.Scopes;
    }
    ++Into.Did.Twins;
    Twins.push_back({{Kernel->Text.End, Kernel->Text.End}, Writer.write(), /*OwnLines=*/true});
    if (Kernel->IsTemplate)
      AtEnd += Writer.writeInstances();
  }
  llvm::append_range(Into.Edits, Twins);
  if (const auto End = static_cast<unsigned>(Text.size()); !AtEnd.empty())
    Into.Edits.push_back({{End, End}, std::move(AtEnd), /*OwnLines=*/true});
  llvm::sort(Into.Sites, [](const Site &A, const Site &B) { return A.At < B.At; });
}

} // namespace graphprof::instrument
