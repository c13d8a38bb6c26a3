// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/TwinPlan.h"

#include "facts/GuardText.h"

#include "graphprof/device/recording.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>
#include <string>
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
  /// At the end of the file, for the kernels that are made of a template. `Sites`: of each
  /// instance, as above, where they differ; otherwise empty.
  [[nodiscard]] std::string writeInstances(llvm::ArrayRef<std::string> Sites) const;

private:
  [[nodiscard]] std::string definition() const;
  [[nodiscard]] std::string registration(llvm::StringRef Sites) const;
  void insert(unsigned At, std::string What) { Inserted.push_back({{At, At}, std::move(What)}); }
  /// A statement's opening goes before what becomes of its annotation, if a directive or a macro is
  /// between them.
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
  if (!holdsMoreThanAttributes(Text.slice(Scope.Note->Text.End, Scope.Target->Text.Begin),
                               !Scope.Note->WholeList))
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

std::string TwinWriter::definition() const {
  std::vector<Edit> All = Inserted;
  llvm::append_range(All, Own);
  All.push_back({Kernel.Name, twinName()});
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
  return (Kernel.LacksLinkage ? "extern \"C\" " : "") +
         rewritten(Text.slice(Kernel.Text.Begin, Kernel.Text.End), All);
}

std::string TwinWriter::registration(llvm::StringRef Sites) const {
  if (!Kernel.IsKernel)
    return {}; // the twins of the kernels that call it are registered
  const std::string Twin = twinName();
  if (!Kernel.IsTemplate)
    return " GRAPHPROF_TWIN(" + Kernel.Spelled + ", " + Twin + Sites.str() + ")";
  return (Sites.empty() ? "" : " GRAPHPROF_TWIN_SCOPES(" + Twin + "_scopes" + Sites.str() + ")") +
         lineEnd(Text).str() + "#define " + Twin + "_is_here";
}

std::string TwinWriter::write(llvm::StringRef Sites) const {
  const std::string End = lineEnd(Text).str();
  const auto LineIs = [&](unsigned Line) { return End + "#line " + std::to_string(Line) + End; };
  return LineIs(Kernel.FirstLine) + definition() + registration(Sites) + LineIs(Kernel.LastLine);
}

std::string TwinWriter::writeInstances(llvm::ArrayRef<std::string> Sites) const {
  const std::string Twin = twinName(), End = lineEnd(Text).str(), Around = "::" + Kernel.Namespaces;
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  Out << End << "#ifdef " << Twin << "_is_here" << End;
  for (size_t I = 0; I < Kernel.Instances.size(); ++I) {
    const std::string &Arguments = Kernel.Instances[I], Own = Twin + "_" + std::to_string(I);
    std::string Scopes = Around + Twin + "_scopes";
    if (!Sites.empty()) {
      Scopes = Own + "_scopes";
      Out << "GRAPHPROF_TWIN_SCOPES(" << Scopes << Sites[I] << ")" << End;
    }
    Out << "GRAPHPROF_TWIN_INSTANCE(" << Own << ", " << Scopes << ", "
        << literal(Kernel.Spelled + Arguments) << ", " << Around << Kernel.Spelled << Arguments
        << ", " << Around << Twin << Arguments << ")" << End;
  }
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
  /// The scopes of a function: its own, then those of each function that it calls, once.
  std::vector<Site> scopesOf(const Entry &Of);
  /// The numbers that the first scopes of the functions that it calls have among these.
  std::map<const Entry *, unsigned> firstScopesIn(const Entry &Of);
  /// Finds the functions that have twins: kernels with scopes, and what they call.
  void reachAll();
  void reach(Entry &Each);
  void warnOfCalls(const Entry &From, Plan &Into);
  static void warnOfOwn(const Entry &Each, Plan &Into);
  /// The twin of a function, with its instances at the end of the file.
  void write(const Entry &Each, Plan &Into, std::vector<Edit> &Twins, std::string &AtEnd);
  /// Of a kernel's registration, each behind a comma. `Instance`: of a template.
  std::string sitesOf(const Entry &Kernel, llvm::StringRef Instance = {});
  /// Whether a kernel's names have values, which may differ between what is made of a template.
  bool hasValues(const Entry &Kernel);
  [[nodiscard]] TwinWriter writerOf(const Entry &Each, const std::vector<Edit> &Edits);

  llvm::StringRef Text;
  std::map<unsigned, Entry> All; // by where they begin
};

Planned::Entry *Planned::calleeOf(const Entry &From, const DeviceCall &Call) {
  const auto Found = All.find(Call.Callee);
  return Found == All.end() || !Call.Obstacle.empty() || !Found->second.Obstacle.empty() ||
                 Found->second.Function->Text.End > From.Function->Text.Begin
             ? nullptr
             : &Found->second;
}

std::vector<Planned::Site> Planned::scopesOf(const Entry &Of) {
  std::vector<Site> Sites;
  Sites.reserve(Of.Own.size());
  for (const DeviceScope &Each : Of.Own)
    Sites.push_back({Of.Function, Each});
  std::set<const Entry *> Met;
  for (const DeviceCall &Call : Of.Function->Calls)
    if (const Entry *const Callee = calleeOf(Of, Call); Callee && Met.insert(Callee).second)
      llvm::append_range(Sites, scopesOf(*Callee));
  return Sites;
}

std::map<const Planned::Entry *, unsigned> Planned::firstScopesIn(const Entry &Of) {
  std::map<const Entry *, unsigned> First;
  auto Next = static_cast<unsigned>(Of.Own.size());
  for (const DeviceCall &Call : Of.Function->Calls)
    if (const Entry *const Callee = calleeOf(Of, Call);
        Callee && First.emplace(Callee, Next).second)
      Next += static_cast<unsigned>(scopesOf(*Callee).size());
  return First;
}

void Planned::reach(Entry &Each) {
  if (std::exchange(Each.IsReached, true))
    return;
  for (const DeviceCall &Call : Each.Function->Calls)
    if (Entry *const Callee = calleeOf(Each, Call))
      reach(*Callee);
}

TwinWriter Planned::writerOf(const Entry &Each, const std::vector<Edit> &Edits) {
  std::map<const Entry *, unsigned> First = firstScopesIn(Each);
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
  if (!From.IsReached)
    return;
  for (const DeviceCall &Call : From.Function->Calls) {
    const auto Callee = All.find(Call.Callee);
    if (Callee == All.end() || !Callee->second.Obstacle.empty() || calleeOf(From, Call))
      continue;
    Into.Findings.push_back(
        {Severity::Warning, Call.At,
         "the regions inside '" + Callee->second.Function->Spelled +
             "' are not timed in this call: " +
             (Call.Obstacle.empty() ? "the function is defined behind that which calls it"
                                    : Call.Obstacle)});
  }
}

void Planned::warnOfOwn(const Entry &Each, Plan &Into) {
  if (Each.IsReached || Each.Own.empty())
    return;
  const DeviceFunction &Function = *Each.Function;
  const std::string Which = (Function.IsKernel ? "kernel '" : "device function '") +
                            Function.Spelled + "' are not timed, and it runs as it is: ";
  Into.Findings.push_back({Severity::Warning, Each.Own.front().Note->At,
                           "the regions inside the " + Which +
                               (Each.Obstacle.empty() ? "no kernel behind it in this file that "
                                                        "can have a timed twin calls it"
                                                      : Each.Obstacle)});
}

void Planned::reachAll() {
  for (auto &[Begin, Each] : All) {
    if (!Each.Function->IsKernel)
      continue;
    const size_t Count = scopesOf(Each).size();
    if (Count >= device::mostScopes && Each.Obstacle.empty())
      Each.Obstacle = "it has too many annotated statements";
    if (Each.Function->IsInHeader && Each.Obstacle.empty() && hasValues(Each))
      Each.Obstacle = "it is a template in a header, and the name of a region has a value";
    if (Each.Obstacle.empty() && Count > 0)
      reach(Each);
  }
}

/// The values of a name, in the kernel of `Instance`: `, 1, ::graphprof::device::Values<...>::all`.
std::string valuesOf(const Annotation &Note, llvm::StringRef Instance) {
  std::string Values;
  for (const Argument &Each : Note.Arguments) {
    const std::map<std::string, std::string> &Code = Each.OnDevice.Code;
    const auto Own = Code.find(Instance.str());
    Values += (Values.empty() ? "" : ", ") + (Own == Code.end() ? Code.at("") : Own->second);
  }
  return Values.empty() ? Values
                        : ", " + std::to_string(Note.Arguments.size()) +
                              ", ::graphprof::device::Values<" + Values + ">::all";
}

std::string Planned::sitesOf(const Entry &Kernel, llvm::StringRef Instance) {
  std::string Sites;
  for (const Site &Each : scopesOf(Kernel))
    Sites += ", {" + literal(Each.Scope.Name) + ", __FILE__, " +
             std::to_string(lineIn(*Each.Function, Text, Each.Scope.Note->At)) +
             valuesOf(*Each.Scope.Note, Instance) + "}";
  return Sites;
}

bool Planned::hasValues(const Entry &Kernel) {
  return llvm::any_of(scopesOf(Kernel),
                      [](const Site &Each) { return !Each.Scope.Note->Arguments.empty(); });
}

void Planned::write(const Entry &Each, Plan &Into, std::vector<Edit> &Twins, std::string &AtEnd) {
  const DeviceFunction &Function = *Each.Function;
  for (const DeviceScope &Scope : Each.Own) {
    Into.Sites.push_back({SiteKind::InKernel, Scope.Note->At, Function.Spelled, Scope.Name});
    ++Into.Did.Scopes;
  }
  Into.Did.Twins += Function.IsKernel ? 1 : 0;
  const TwinWriter Writer = writerOf(Each, Into.Edits);
  std::vector<std::string> OfInstances;
  if (Function.IsTemplate && hasValues(Each))
    for (const std::string &Instance : Function.Instances)
      OfInstances.push_back(sitesOf(Each, Instance));
  const bool HasOwn = Function.IsKernel && OfInstances.empty();
  Twins.push_back({{Function.Text.End, Function.Text.End},
                   Writer.write(HasOwn ? sitesOf(Each) : std::string()),
                   /*OwnLines=*/true});
  if (Function.IsTemplate && !Function.Instances.empty())
    (Function.IsInHeader ? Into.Instances : AtEnd) += Writer.writeInstances(OfInstances);
}

void Planned::plan(Plan &Into) {
  reachAll();
  std::vector<Edit> Twins; // apart, because a twin repeats the edits of its kernel alone
  std::string AtEnd;
  for (const auto &[Begin, Each] : All) {
    warnOfCalls(Each, Into);
    warnOfOwn(Each, Into);
    if (Each.IsReached)
      write(Each, Into, Twins, AtEnd);
  }
  llvm::append_range(Into.Edits, Twins);
  if (const auto End = static_cast<unsigned>(Text.size()); !AtEnd.empty())
    Into.Edits.push_back({{End, End}, std::move(AtEnd), /*OwnLines=*/true});
  llvm::sort(Into.Sites, [](const auto &A, const auto &B) { return A.At < B.At; });
}

} // namespace

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
