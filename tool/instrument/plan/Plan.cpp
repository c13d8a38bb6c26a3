// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/Plan.h"

#include "facts/FormatString.h"
#include "facts/GraphFunctions.h"
#include "facts/GuardText.h"
#include "facts/KernelAnnotation.h"
#include "plan/LaunchPlan.h"
#include "plan/Refusals.h"
#include "plan/TwinPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral ReservedKeys[] = {"stream", "flops", "bytes"};

/// The reserved key that differs from this key by one letter or by two swapped letters; empty if
/// there is none, or if the key is reserved.
llvm::StringRef reservedKeyNear(llvm::StringRef Key) {
  if (llvm::is_contained(ReservedKeys, Key))
    return {};
  for (const llvm::StringRef Reserved : ReservedKeys) {
    std::string Swapped = Key.str();
    bool Near = Key.edit_distance(Reserved) == 1;
    for (size_t I = 0; I + 1 < Swapped.size() && !Near; ++I) {
      std::swap(Swapped[I], Swapped[I + 1]);
      Near = Swapped == Reserved;
      std::swap(Swapped[I], Swapped[I + 1]);
    }
    if (Near)
      return Reserved;
  }
  return {};
}

bool isWordCharacter(char C) { return llvm::isAlnum(C) || C == '_'; }

constexpr llvm::StringLiteral ApartInList =
    "a directive or a macro separates this annotation from its statement; write the annotation in "
    "brackets of its own";

class Planner {
public:
  Planner(const Facts &Known, llvm::StringRef Text) : Known(Known), Text(Text) {}

  Plan make();

private:
  void planIgnore(const Annotation &Note, const Construct &Target);
  /// A construct and its annotations.
  struct Guarded {
    const Construct *Target = nullptr;
    const Annotation *Step = nullptr;
    const Annotation *Graph = nullptr;
    const Annotation *Time = nullptr;
  };
  void planGuards(const Guarded &Place);
  bool planOnDevice(const Guarded &Place);
  std::string guardsOf(const Guarded &Place);
  void putGuards(llvm::StringRef Guards, const Annotation &First, const Annotation &Last,
                 const Construct &Target, size_t Lines);
  void planDeviceScope(const Annotation &Note, const Construct &Target);
  /// Whether a pragma may be between an annotation and its statement.
  [[nodiscard]] bool isApart(const Annotation &Note, const Construct &Target) const {
    return holdsMoreThanAttributes(Text.slice(Note.Text.End, Target.Text.Begin), !Note.WholeList);
  }
  void planCalls();
  void planInMacro(const GraphCall &Call, const GraphCall *Before);
  void note(const GraphCall &Call);

  void checkName(const Annotation &Note, const Construct &Target);
  [[nodiscard]] std::string guard(const Annotation &Note, const Construct &Target);
  [[nodiscard]] bool addsNodes(const Construct &Target) const;
  [[nodiscard]] std::string stream(const Annotation &Note, const Construct &Target);
  void replace(const Annotation &Note, std::string Replacement, size_t LinesElsewhere);

  unsigned nextId() { return Known.LastId + ++Ids; }
  [[nodiscard]] bool isIgnored(unsigned Offset) const {
    return llvm::any_of(Ignored, [=](TextRange Range) { return Range.contains(Offset); });
  }
  void error(unsigned At, std::string Message) {
    Result.Findings.push_back({Severity::Error, At, std::move(Message)});
  }
  void warn(unsigned At, std::string Message) {
    Result.Findings.push_back({Severity::Warning, At, std::move(Message)});
  }

  const Facts &Known;
  llvm::StringRef Text;
  std::vector<TextRange> Ignored;
  unsigned Ids = 0;
  std::vector<DeviceScope> DeviceScopes;
  Plan Result;
};

Plan Planner::make() {
  Result.Findings = Known.Findings;
  for (size_t I = 0; I < Known.Annotations.size(); ++I)
    if (Known.Annotations[I].Kind == AnnotationKind::Ignore)
      planIgnore(Known.Annotations[I], Known.Constructs[I]);

  std::map<unsigned, Guarded> Places;
  for (size_t I = 0; I < Known.Annotations.size(); ++I) {
    const Annotation &Note = Known.Annotations[I];
    if (Note.Kind == AnnotationKind::Ignore)
      continue;
    if (Note.Kind == AnnotationKind::Dropped || isIgnored(Note.Next)) {
      const bool OfOneList = I > 0 && Known.Annotations[I - 1].Text.Begin == Note.Text.Begin;
      if (!OfOneList) // which is removed once, as a whole
        replace(Note, "", 0);
      continue;
    }
    Guarded &Place = Places[Note.Next];
    Place.Target = &Known.Constructs[I];
    const Annotation *&Slot = Note.Kind == AnnotationKind::Step    ? Place.Step
                              : Note.Kind == AnnotationKind::Graph ? Place.Graph
                                                                   : Place.Time;
    if (Slot)
      error(Note.At, "this construct has two annotations; remove one");
    else
      Slot = &Note;
  }
  for (const auto &[Next, Place] : Places)
    planGuards(Place);
  planLaunches(
      Known, Text, [this](unsigned Offset) { return isIgnored(Offset); },
      [this] { return nextId(); }, Result);
  planCalls();
  planTwins(Known, Text, std::move(DeviceScopes), Result);
  llvm::sort(Result.Names);
  Result.Names.erase(llvm::unique(Result.Names), Result.Names.end());
  llvm::sort(Result.Findings, [](const Finding &A, const Finding &B) {
    return std::tie(A.At, A.Message) < std::tie(B.At, B.Message);
  });
  return std::move(Result);
}

void Planner::planIgnore(const Annotation &Note, const Construct &Target) {
  if (Target.Kind == ConstructKind::Unknown || Target.Split) {
    error(Note.At, "'graphprof::ignore' must stand before a statement or a declaration");
    return;
  }
  if (Target.Text.End > Target.Text.Begin)
    Ignored.push_back(Target.Text);
  ++Result.Did.Ignored;
  if (!Note.Marked)
    replace(Note, std::string(IgnoreMarker), 0);
}

void Planner::planGuards(const Guarded &Place) {
  const Construct &Target = *Place.Target;
  if (planOnDevice(Place))
    return;
  llvm::SmallVector<const Annotation *, 3> Notes; // in the order of the text
  for (const Annotation *Note : {Place.Step, Place.Graph, Place.Time})
    if (Note)
      Notes.push_back(Note);
  llvm::sort(Notes, [](const Annotation *A, const Annotation *B) { return A->At < B->At; });
  for (const Annotation *Note : Notes)
    if (std::string Reason = refusalOfGuard(Known, Text, *Note, Target); !Reason.empty())
      return error(Note->At, std::move(Reason));
  const std::string Guards = guardsOf(Place);

  // The guards replace the first annotation. The others are only removed; those of one list are
  // removed once, as a whole. Line breaks inside a value are removed with its annotation and return
  // with the guards.
  const size_t OfGraph = Place.Graph ? llvm::count(graphGuard(*Place.Graph, 0), '\n') : 0;
  const size_t OfTime = llvm::count(Guards, '\n') - OfGraph;
  std::map<unsigned, size_t> Lines; // by the begin of what is removed
  for (const Annotation *Note : Notes)
    Lines[Note->Text.Begin] += Note == Place.Time ? OfTime : Note == Place.Graph ? OfGraph : 0;
  const Annotation &First = *Notes.front();
  for (size_t I = 1; I < Notes.size(); ++I)
    if (Notes[I]->Text.Begin != Notes[I - 1]->Text.Begin)
      replace(*Notes[I], "", Lines[Notes[I]->Text.Begin]);
  putGuards(Guards, First, *Notes.back(), Target, Lines[First.Text.Begin]);
}

/// Plans what is timed without a guard: a kernel's launches, or a statement of device code. Returns
/// false if the construct is neither.
bool Planner::planOnDevice(const Guarded &Place) {
  const Construct &Target = *Place.Target;
  if (!Place.Time || Place.Step || Place.Graph)
    return false;
  if (Target.IsKernel && !Known.InC) {
    // The kernel's launches are timed, in all files of the unit.
    for (Finding &Each : checkKernelAnnotation(*Place.Time))
      Result.Findings.push_back(std::move(Each));
    replace(*Place.Time, "", 0);
    return true;
  }
  const bool IsStatement = Target.Kind == ConstructKind::Compound ||
                           Target.Kind == ConstructKind::Statement ||
                           Target.Kind == ConstructKind::Loop;
  if (!Target.InKernel && (!Target.InDeviceCode || Target.InConstexpr || !IsStatement))
    return false;
  planDeviceScope(*Place.Time, Target);
  return true;
}

/// The guards of a construct. They are counted, and the region has a site.
std::string Planner::guardsOf(const Guarded &Place) {
  const Construct &Target = *Place.Target;
  // The step begins before the construct's region, because the region belongs to the step.
  std::string Guards;
  if (Place.Step)
    Guards = "GRAPHPROF_STEP(" + std::to_string(nextId()) + ");";
  if (Place.Graph) {
    checkName(*Place.Graph, Target);
    Guards += (Guards.empty() ? "" : " ") + graphGuard(*Place.Graph, nextId());
    ++Result.Did.Graphs;
  }
  if (Place.Time) {
    checkName(*Place.Time, Target);
    Guards += (Guards.empty() ? "" : " ") + guard(*Place.Time, Target);
    Result.Sites.push_back({SiteKind::Annotation, Place.Time->At, Target.Function,
                            Place.Time->Name ? Place.Time->Name->Value : Target.DefaultName});
    ++Result.Did.Regions;
  }
  Result.Did.Steps += Place.Step != nullptr;
  return Guards;
}

/// Puts guards into a construct, in braces of its own or in new ones. `First` and `Last`: its
/// annotations; the first one goes, and `Lines` line breaks of it return with the guards.
void Planner::putGuards(llvm::StringRef Guards, const Annotation &First, const Annotation &Last,
                        const Construct &Target, size_t Lines) {
  if (Target.Kind == ConstructKind::Compound || Target.Kind == ConstructKind::Function) {
    replace(First, "", Lines);
    Result.Edits.push_back({{Target.BodyOpen, Target.BodyOpen}, " " + Guards.str()});
    return;
  }
  // If the construct lacks its semicolon, `do { ... } while (0)` takes the one that follows the
  // macro's use.
  const std::string Opening = (Target.LacksSemicolon ? "do { " : "{ ") + Guards.str() + " ";
  // The brace goes before what is in between, such as `#pragma unroll`.
  if (isApart(Last, Target)) {
    if (!First.WholeList)
      return error(First.At, ApartInList.str());
    replace(First, Opening, Lines);
  } else {
    replace(First, "", Lines);
    Result.Edits.push_back({{Target.Text.Begin, Target.Text.Begin}, Opening});
  }
  Result.Edits.push_back(
      {{Target.Text.End, Target.Text.End}, Target.LacksSemicolon ? "; } while (false)" : " }"});
}

/// A statement in a kernel, or in a device function that it calls, is timed in the kernel's twin.
void Planner::planDeviceScope(const Annotation &Note, const Construct &Target) {
  if (std::string Reason = refusalOfConstruct(Known, Text, Note, Target); !Reason.empty())
    return error(Note.At, std::move(Reason));
  if (Target.Kind != ConstructKind::Compound && !Note.WholeList && isApart(Note, Target))
    return error(Note.At, ApartInList.str());
  std::string Reason = refusalInKernel(Known, Note, Target);
  const bool IsTimed = Reason.empty();
  if (!IsTimed)
    warn(Note.At, std::move(Reason));
  replace(Note, "", 0);
  if (!IsTimed)
    return;
  checkName(Note, Target);
  std::string Name = Note.Name ? Note.Name->Value : Target.DefaultName;
  if (Note.Name && Note.Arguments.empty())
    Name = withoutFields(Name);
  DeviceScopes.push_back({&Note, &Target, std::move(Name)});
}

void Planner::checkName(const Annotation &Note, const Construct &Target) {
  std::vector<unsigned> Positional;
  std::vector<FormatValue> Values;
  llvm::SmallVector<llvm::StringRef> Keys;
  for (const Argument &Each : Note.Arguments) {
    if (Each.Key.empty()) {
      Positional.push_back(Each.At);
      Values.push_back({Each.Text, Each.Type});
    } else if (llvm::is_contained(Keys, Each.Key))
      error(Each.At, "'" + Each.Key + "' is given twice; remove one");
    else
      Keys.push_back(Each.Key);
    if (const llvm::StringRef Meant = reservedKeyNear(Each.Key);
        !Meant.empty() && Note.Kind != AnnotationKind::Graph)
      warn(Each.At,
           "'" + Each.Key + "' is carried along as a value; did you mean '" + Meant.str() + "'?");
  }
  if (!Note.Name && Note.Kind == AnnotationKind::Graph)
    return error(Note.At, "a graph's name says what it serves; give it one, as in "
                          "'graphprof::graph(\"decode\", batch = n)'");
  if (!Note.Name) {
    if (!Positional.empty())
      error(Positional.front(),
            "this value appears in no name; give the region a name with a '{}' for it");
    else if (Target.DefaultName.empty())
      error(Note.At, "the uses of this macro would give the region different names; name it here");
    return;
  }
  const FormatCheck Check = checkFormat(Note.Name->Value, Values);
  if (Check.Problem)
    return error(Note.Name->Offsets[Check.Problem->At], Check.Problem->Message);
  for (size_t I = 0; I < Positional.size(); ++I)
    if (!Check.Used[I])
      return error(Positional[I],
                   "the name has no '{}' for this value; add one, or remove the value");
}

std::string Planner::guard(const Annotation &Note, const Construct &Target) {
  std::string Guard = "GRAPHPROF_SCOPE(" + std::to_string(nextId()) + ", ";
  Guard += Note.Name ? Note.Name->Spelling : literal(asFormat(Target.DefaultName));
  Guard += ", " + stream(Note, Target);
  return Guard + guardValues(Note, "stream") + ");";
}

/// Whether the construct builds a graph by hand: then its region consists of the nodes that it
/// adds, and has no stream.
bool Planner::addsNodes(const Construct &Target) const {
  return llvm::any_of(Known.NodesAdded, [&](unsigned Each) { return Target.Text.contains(Each); });
}

std::string Planner::stream(const Annotation &Note, const Construct &Target) {
  for (const Argument &Each : Note.Arguments)
    if (Each.Key == "stream")
      return "::graphprof::on_stream(" + Each.Text + ")";

  const std::string Consequence =
      ", so the region gets GPU times only while its thread captures; name it with 'stream = ...'";
  const auto &Uses = Target.Streams;
  if (Uses.empty() && addsNodes(Target))
    return "::graphprof::on_capture()";
  if (Uses.empty()) {
    warn(Note.At, "this construct does not show its stream" + Consequence);
    return "::graphprof::on_capture()";
  }
  for (const StreamUse &Use : Uses) {
    if (!Use.Obstacle.empty()) {
      warn(Note.At, "the stream" + (Use.Text.empty() ? "" : " '" + Use.Text + "'") +
                        " is not known where the region begins (" + Use.Obstacle + ")" +
                        Consequence);
      return "::graphprof::on_capture()";
    }
    if (Use.Identity != Uses.front().Identity) {
      warn(Note.At, "this construct works on more than one stream ('" + Uses.front().Text + "', '" +
                        Use.Text + "')" + Consequence);
      return "::graphprof::on_capture()";
    }
  }
  return "::graphprof::on_stream(" + Uses.front().Text + ")";
}

/// Replaces an annotation, or removes it. Line breaks inside it stay, except those that the guard
/// keeps in a raw string. Removes blanks that would be left over.
void Planner::replace(const Annotation &Note, std::string Replacement, size_t LinesElsewhere) {
  const auto IsBlank = [](char C) { return C == ' ' || C == '\t'; };
  TextRange Range = Note.Text;
  const size_t Lines = llvm::count(Text.slice(Range.Begin, Range.End), '\n');
  if (Replacement.empty() || Replacement.back() == ' ')
    while (Range.End < Text.size() && IsBlank(Text[Range.End]))
      ++Range.End;
  const char Next = Range.End < Text.size() ? Text[Range.End] : '\n';
  if (Lines > LinesElsewhere || Next == '\n' || Next == '\r') {
    Replacement = llvm::StringRef(Replacement).rtrim(' ').str();
    while (Replacement.empty() && Range.Begin > 0 && IsBlank(Text[Range.Begin - 1]))
      --Range.Begin;
    // Another annotation removes the blanks behind itself.
    if (llvm::any_of(Known.Annotations,
                     [&](const Annotation &Other) { return Other.Text.End == Range.Begin; }))
      Range.Begin = Note.Text.Begin;
  } else if (Replacement.empty() && Range.Begin > 0 && isWordCharacter(Text[Range.Begin - 1]) &&
             isWordCharacter(Next)) {
    Replacement = " ";
  }
  // Keeps each line end as it is: in a macro's body, lines end with a backslash.
  llvm::StringRef Left = Text.slice(Note.Text.Begin, Note.Text.End);
  for (size_t I = 0; I < Lines; ++I) {
    auto [Line, Rest] = Left.split('\n');
    Left = Rest;
    if (I < LinesElsewhere)
      continue;
    const llvm::StringRef End = Line.consume_back("\r") ? "\r\n" : "\n";
    const char Before = !Replacement.empty() ? Replacement.back()
                        : Range.Begin > 0    ? Text[Range.Begin - 1]
                                             : ' ';
    if (Line.ends_with("\\")) // would join the words on both sides
      Replacement += isWordCharacter(Before) ? " \\" : "\\";
    Replacement += End;
  }
  Result.Edits.push_back({Range, std::move(Replacement)});
}

void Planner::planCalls() {
  const GraphCall *Before = nullptr;
  for (const GraphCall &Call : Known.Calls) {
    if (isIgnored(Call.Text.Begin)) {
      if (Call.changesGraphs())
        warn(Call.Text.Begin, "'" + Call.Name +
                                  "' stays, as 'graphprof::ignore' says: graphprof "
                                  "does not see that a graph changes, and results "
                                  "may change");
      continue;
    }
    if (!Call.Instead.empty()) {
      planInMacro(Call, Before);
      Before = &Call;
      continue;
    }
    llvm::StringRef Left = Text.slice(Call.Text.Begin, Call.Text.End);
    // `a ? b :cudaGraphLaunch`: a colon directly before `::` would be lexed as another token.
    const bool BehindColon = Call.Text.Begin > 0 && Text[Call.Text.Begin - 1] == ':';
    std::string Replacement =
        (BehindColon && !Known.InC ? " " : "") + wrapperOf(Call.Name, Left, Known.InC);
    // Keeps line breaks between qualifier and name, or inside the name.
    while (Left.contains('\n')) {
      const auto [Line, Rest] = Left.split('\n');
      Replacement += Line.ends_with("\r") ? "\\\r\n" : "\\\n";
      Left = Rest;
    }
    Result.Edits.push_back({Call.Text, std::move(Replacement)});
    note(Call);
  }
}

/// A name whose spelling stays. Several names may reach the code at one place.
void Planner::planInMacro(const GraphCall &Call, const GraphCall *Before) {
  note(Call);
  if (Call.isInBody()) {
    Result.Names.push_back("#define GRAPHPROF_NAME_" + Call.Token + " (),");
    Result.Names.push_back("#define GRAPHPROF_WITH_" + Call.Token + " " +
                           wrapperOf(Call.Name, Call.Token, Known.InC));
  }
  if (!Before || Before->Text.End != Call.Text.End)
    Result.Edits.push_back({Call.Text, Call.Instead});
  else if (Before->Instead != Call.Instead)
    Result.Findings.push_back(
        {Severity::Error, Call.Text.Begin,
         "'" + Call.Name +
             "' is in a macro that expands differently each time this file is "
             "included; call it outside that macro",
         /*ChangesGraphs=*/true});
}

void Planner::note(const GraphCall &Call) {
  Result.CallsDriver |= Call.isDrivers();
  Result.Calls.push_back(Call);
  ++Result.Did.Calls;
}

} // namespace

bool Plan::failed() const {
  return llvm::any_of(Findings, [](const Finding &Each) { return Each.Level == Severity::Error; });
}

Plan makePlan(const Facts &Known, llvm::StringRef Text) { return Planner(Known, Text).make(); }

} // namespace graphprof::instrument
