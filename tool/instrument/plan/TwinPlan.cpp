// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/TwinPlan.h"

#include "facts/GuardText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <utility>

namespace graphprof::instrument {
namespace {

unsigned lineIn(const DeviceFunction &Function, llvm::StringRef Text, unsigned Offset) {
  return Function.FirstLine +
         static_cast<unsigned>(llvm::count(Text.slice(Function.Text.Begin, Offset), '\n'));
}

class TwinWriter {
public:
  TwinWriter(const DeviceFunction &Kernel, llvm::StringRef Text, const std::vector<Edit> &Edits)
      : Kernel(Kernel), Text(Text) {
    for (const Edit &Each : Edits)
      if (Kernel.Text.contains(Each.Range.Begin))
        Own.push_back(Each);
  }

  void add(const DeviceScope &Scope);
  /// A call of a device function, whose regions have the numbers from `First` on.
  void add(const DeviceCall &Call, unsigned First);
  /// Behind the kernel. `Sites`: of its registration, each behind a comma.
  [[nodiscard]] std::string write(llvm::StringRef Sites) const;
  /// At the end of the file, for the kernels that are made of a template.
  [[nodiscard]] std::string writeInstances() const;

private:
  void insert(unsigned At, std::string What) { Inserted.push_back({{At, At}, std::move(What)}); }
  /// A statement's opening goes before what becomes of its annotation, if a directive is between
  /// them.
  [[nodiscard]] unsigned openingOf(const DeviceScope &Scope) const;
  [[nodiscard]] std::string twinName() const { return Kernel.Spelled + "_graphprof_twin"; }
  /// A device function's regions have other numbers in each kernel.
  [[nodiscard]] std::string numberOf(unsigned Number) const {
    return (Kernel.IsKernel ? "" : "graphprof_base + ") + std::to_string(Number);
  }

  const DeviceFunction &Kernel;
  llvm::StringRef Text;
  std::vector<Edit> Own;      // the kernel's own, in the twin as well
  std::vector<Edit> Inserted; // in the twin alone
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
  const unsigned Number = Count++;
  const std::string Guard = "::graphprof::device::Scope graphprof_scope_" + std::to_string(Number) +
                            "(graphprof_recorder, " + numberOf(Number) + ");";
  const Construct &Target = *Scope.Target;
  if (Target.Kind == ConstructKind::Compound) {
    insert(Target.BodyOpen, " " + Guard);
  } else {
    insert(openingOf(Scope), "{ " + Guard + " ");
    insert(Target.Text.End, " }");
  }
}

void TwinWriter::add(const DeviceCall &Call, unsigned First) {
  insert(Call.At, "_graphprof_twin");
  insert(Call.Arguments, "graphprof_recorder, " + numberOf(First) + (Call.HasNone ? "" : ", "));
}

std::string TwinWriter::write(llvm::StringRef Sites) const {
  const std::string Twin = twinName();
  std::vector<Edit> All = Inserted;
  llvm::append_range(All, Own);
  All.push_back({Kernel.Name, Twin});
  if (Kernel.Void.End > Kernel.Void.Begin)
    All.push_back({Kernel.Void, ""});
  const std::string Given =
      Kernel.IsKernel
          ? "GRAPHPROF_RECORDING graphprof_recording"
          : "::graphprof::device::Recorder &graphprof_recorder, unsigned graphprof_base";
  All.push_back({{Kernel.Parameters, Kernel.Parameters}, Given + (Kernel.IsAlone ? "" : ", ")});
  if (Kernel.IsKernel)
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
  if (!Kernel.IsKernel)
    ; // its kernels' twins are registered
  else if (Kernel.IsTemplate)
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

/// The kernels and device functions of a file, with their scopes.
class Planned {
public:
  Planned(const Facts &Known, llvm::StringRef Text, std::vector<DeviceScope> Scopes) : Text(Text) {
    llvm::sort(Scopes,
               [](const DeviceScope &A, const DeviceScope &B) { return A.Note->At < B.Note->At; });
    for (const DeviceFunction &Each : Known.Kernels) {
      Entry &New = All[Each.Text.Begin];
      New.Function = &Each;
      New.Obstacle = Each.Obstacle;
      if (New.Obstacle.empty() &&
          !closesItsConditionals(Text.slice(Each.Text.Begin, Each.Text.End)))
        New.Obstacle = "an #if divides it";
    }
    for (const DeviceScope &Each : Scopes)
      All[kernelAround(Known, Each.Note->At)->Text.Begin].Own.push_back(Each);
  }

  /// Plans the twins of all kernels that can have one, and of what they call.
  void plan(Plan &Into);

private:
  struct Entry {
    const DeviceFunction *Function = nullptr;
    std::string Obstacle;
    std::vector<DeviceScope> Own;
    bool IsReached = false; // by a twin
  };
  struct Site {
    const DeviceFunction *Function;
    DeviceScope Scope;
  };

  /// The device function of a call, if its twin can be called in the twin of `From`; or null.
  Entry *calleeOf(const Entry &From, const DeviceCall &Call);
  /// The scopes of a function: its own, then those of each function that it calls. `First`: the
  /// number of the first scope of each of these.
  std::vector<Site> scopesOf(const Entry &Of, std::map<const Entry *, unsigned> *First = nullptr);
  void reach(Entry &Each);
  void warnOfCalls(const Entry &From, Plan &Into);
  [[nodiscard]] TwinWriter writerOf(const Entry &Each, const std::vector<Edit> &Edits);

  llvm::StringRef Text;
  std::map<unsigned, Entry> All; // by where they begin
};

Planned::Entry *Planned::calleeOf(const Entry &From, const DeviceCall &Call) {
  const auto Found = All.find(Call.Callee);
  return Found == All.end() || Call.Arguments == 0 || !Found->second.Obstacle.empty() ||
                 Found->second.Function->Text.End > From.Function->Text.Begin
             ? nullptr
             : &Found->second;
}

std::vector<Planned::Site> Planned::scopesOf(const Entry &Of,
                                             std::map<const Entry *, unsigned> *First) {
  std::vector<Site> Sites;
  Sites.reserve(Of.Own.size());
  for (const DeviceScope &Each : Of.Own)
    Sites.push_back({Of.Function, Each});
  std::map<const Entry *, unsigned> Met;
  for (const DeviceCall &Call : Of.Function->Calls)
    if (const Entry *const Callee = calleeOf(Of, Call);
        Callee && Met.emplace(Callee, static_cast<unsigned>(Sites.size())).second)
      llvm::append_range(Sites, scopesOf(*Callee));
  if (First)
    *First = std::move(Met);
  return Sites;
}

void Planned::reach(Entry &Each) {
  if (std::exchange(Each.IsReached, true))
    return;
  for (const DeviceCall &Call : Each.Function->Calls)
    if (Entry *const Callee = calleeOf(Each, Call))
      reach(*Callee);
}

TwinWriter Planned::writerOf(const Entry &Each, const std::vector<Edit> &Edits) {
  std::map<const Entry *, unsigned> First;
  (void)scopesOf(Each, &First);
  TwinWriter Writer(*Each.Function, Text, Edits);
  for (const DeviceScope &Scope : Each.Own)
    Writer.add(Scope);
  for (const DeviceCall &Call : Each.Function->Calls)
    if (const Entry *const Callee = calleeOf(Each, Call))
      Writer.add(Call, First[Callee]);
  return Writer;
}

// Of those in which the function itself stays, although others are timed.
void Planned::warnOfCalls(const Entry &From, Plan &Into) {
  for (const DeviceCall &Call : From.Function->Calls)
    if (const auto Callee = All.find(Call.Callee); From.IsReached && Callee != All.end() &&
                                                   Callee->second.Obstacle.empty() &&
                                                   !calleeOf(From, Call))
      Into.Findings.push_back(
          {Severity::Warning, Call.At,
           "the regions inside '" + Callee->second.Function->Spelled +
               "' are not timed in this call: " +
               (Call.Arguments == 0 ? "a macro spells it"
                                    : "the function is defined behind that which calls it")});
}

void Planned::plan(Plan &Into) {
  constexpr size_t MostScopes = 0xFFFF; // of device/recording.h
  for (auto &[Begin, Each] : All) {
    if (!Each.Function->IsKernel)
      continue;
    const size_t Count = scopesOf(Each).size();
    if (Count >= MostScopes && Each.Obstacle.empty())
      Each.Obstacle = "it has too many annotated statements";
    if (Each.Obstacle.empty() && Count > 0)
      reach(Each);
  }
  std::vector<Edit> Twins;
  std::string AtEnd;
  for (const auto &[Begin, Each] : All) {
    const DeviceFunction &Function = *Each.Function;
    warnOfCalls(Each, Into);
    if (!Each.IsReached) {
      if (Each.Own.empty())
        continue;
      const std::string Which = (Function.IsKernel ? "kernel '" : "device function '") +
                                Function.Spelled + "' are not timed, and it runs as it is: ";
      Into.Findings.push_back({Severity::Warning, Each.Own.front().Note->At,
                               "the regions inside the " + Which +
                                   (Each.Obstacle.empty() ? "no kernel behind it in this file that "
                                                            "can have a timed twin calls it"
                                                          : Each.Obstacle)});
      continue;
    }
    std::string Sites;
    for (const Site &One : Function.IsKernel ? scopesOf(Each) : std::vector<Site>())
      Sites += ", {" + literal(One.Scope.Name) + ", __FILE__, " +
               std::to_string(lineIn(*One.Function, Text, One.Scope.Note->At)) + "}";
    for (const DeviceScope &Scope : Each.Own) {
      Into.Sites.push_back({SiteKind::InKernel, Scope.Note->At, Function.Spelled, Scope.Name});
      ++Into.Did.Scopes;
    }
    Into.Did.Twins += Function.IsKernel ? 1 : 0;
    const TwinWriter Writer = writerOf(Each, Into.Edits);
    Twins.push_back(
        {{Function.Text.End, Function.Text.End}, Writer.write(Sites), /*OwnLines=*/true});
    if (Function.IsTemplate)
      AtEnd += Writer.writeInstances();
  }
  llvm::append_range(Into.Edits, Twins);
  if (const auto End = static_cast<unsigned>(Text.size()); !AtEnd.empty())
    Into.Edits.push_back({{End, End}, std::move(AtEnd), /*OwnLines=*/true});
  llvm::sort(Into.Sites, [](const auto &A, const auto &B) { return A.At < B.At; });
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
  Planned(Known, Text, std::move(Scopes)).plan(Into);
}

} // namespace graphprof::instrument
