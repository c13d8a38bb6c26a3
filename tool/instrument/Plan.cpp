// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Plan.h"

#include "FormatString.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::instrument {
namespace {

std::string quoted(llvm::StringRef Name) {
  std::string Result = "\"";
  for (const char C : Name) {
    if (C == '"' || C == '\\')
      Result += '\\';
    if (C == '{' || C == '}') // the name is a format
      Result += C;
    Result += C;
  }
  return Result + '"';
}

bool isWordCharacter(char C) { return llvm::isAlnum(C) || C == '_'; }

/// Whether every #if in the text has its #endif there. Braces around a text that lacks one would
/// not match where the condition is different, in the device's pass for example.
bool closesItsConditionals(llvm::StringRef Text) {
  int Depth = 0;
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    Depth += Line.starts_with("if");
    Depth -= Line.starts_with("endif");
    if (Depth < 0 || (Depth == 0 && Line.starts_with("el")))
      return false;
  }
  return Depth == 0;
}

class Planner {
public:
  Planner(const Facts &Known, llvm::StringRef Text) : Known(Known), Text(Text) {}

  Plan make();

private:
  void planIgnore(const Annotation &Note, const Construct &Target);
  void planTime(const Annotation &Note, const Construct &Target);
  void planCalls();

  [[nodiscard]] std::string refusal(const Annotation &Note, const Construct &Target) const;
  [[nodiscard]] bool isJumpedInto(TextRange Region) const;
  void checkName(const Annotation &Note);
  [[nodiscard]] std::string guard(const Annotation &Note, const Construct &Target);
  [[nodiscard]] std::string stream(const Annotation &Note, const Construct &Target);
  void replace(const Annotation &Note, std::string Replacement, size_t LinesElsewhere);

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
  Plan Result;
};

Plan Planner::make() {
  Result.Findings = Known.Findings;
  for (size_t I = 0; I < Known.Annotations.size(); ++I)
    if (Known.Annotations[I].Kind == AnnotationKind::Ignore)
      planIgnore(Known.Annotations[I], Known.Constructs[I]);

  llvm::SmallSet<unsigned, 16> Seen;
  for (size_t I = 0; I < Known.Annotations.size(); ++I) {
    const Annotation &Note = Known.Annotations[I];
    if (Note.Kind != AnnotationKind::Time)
      continue;
    if (isIgnored(Note.Next))
      replace(Note, "", 0);
    else if (!Seen.insert(Note.Next).second)
      error(Note.At, "this construct has an annotation already");
    else
      planTime(Note, Known.Constructs[I]);
  }
  planCalls();
  llvm::sort(Result.Findings, [](const Finding &A, const Finding &B) {
    return std::tie(A.At, A.Message) < std::tie(B.At, B.Message);
  });
  return std::move(Result);
}

void Planner::planIgnore(const Annotation &Note, const Construct &Target) {
  if (Target.Kind == ConstructKind::Unknown || Target.Split) {
    error(Note.At, "'graphprof::ignore' stands in front of a statement or a declaration");
    return;
  }
  if (Target.Text.End > Target.Text.Begin)
    Ignored.push_back(Target.Text);
  ++Result.Did.Ignored;
  if (!Note.Marked)
    replace(Note, std::string(IgnoreMarker), 0);
}

void Planner::planTime(const Annotation &Note, const Construct &Target) {
  if (std::string Reason = refusal(Note, Target); !Reason.empty())
    return error(Note.At, std::move(Reason));
  checkName(Note);

  const std::string Guard = guard(Note, Target);
  const size_t Lines = llvm::count(Guard, '\n');
  ++Result.Did.Regions;
  if (Target.Kind != ConstructKind::Statement) {
    replace(Note, "", Lines);
    Result.Edits.push_back({{Target.BodyOpen, Target.BodyOpen}, " " + Guard});
    return;
  }
  const std::string Opening = "{ " + Guard + " ";
  // A directive in between, `#pragma unroll` say, belongs to the statement: the brace must not come
  // between the two.
  const llvm::StringRef Between = Text.slice(Note.Text.End, Target.Text.Begin);
  if (Between.contains('#')) {
    replace(Note, Opening, Lines);
  } else {
    replace(Note, "", Lines);
    Result.Edits.push_back({{Target.Text.Begin, Target.Text.Begin}, Opening});
  }
  Result.Edits.push_back({{Target.Text.End, Target.Text.End}, " }"});
}

/// Why a construct cannot be timed; empty if it can.
std::string Planner::refusal(const Annotation &Note, const Construct &Target) const {
  if (Target.InKernel)
    return "a kernel's code runs on the device and cannot hold a guard; annotate the launch "
           "instead";
  if (Target.InDeviceCode)
    return "device code cannot hold a guard; annotate the launch of the kernel instead";
  switch (Target.Kind) {
  case ConstructKind::Compound:
  case ConstructKind::Statement:
  case ConstructKind::Function:
    break;
  case ConstructKind::Declaration:
    return "a declaration cannot be timed: the braces around it would end what it declares; "
           "declare first and annotate an assignment, or annotate a block";
  case ConstructKind::Prototype:
    return "only a function's definition can be timed, and this declaration has no body here";
  case ConstructKind::Label:
    return "a labelled statement cannot be timed: a jump to the label would pass by the beginning "
           "of "
           "the region; put the annotation behind the label";
  case ConstructKind::Case:
    return "a 'case' cannot be timed: it is jumped to; put the annotation behind it";
  case ConstructKind::Jump:
    return "there is nothing to time in a jump";
  case ConstructKind::Empty:
    return "there is nothing to time in an empty statement";
  case ConstructKind::Lambda:
    return "a lambda's declarator cannot be annotated; annotate a statement in its body";
  case ConstructKind::Unknown:
    return "an annotation stands in front of a statement, or of a function's definition";
  }
  if (Target.InCoroutine)
    return "a coroutine cannot be timed: it may end on another thread than it began";
  if (Target.InConstexpr)
    return "a constexpr function cannot be timed: a guard is not a constant expression";
  if (Target.Split)
    return "a macro splits this construct: it begins or ends inside of what the macro expands to";
  if (Target.Pragma && *Target.Pragma < Note.At)
    return "a pragma belongs to this loop, and no brace may come between them; put the annotation "
           "above the pragma";
  if (Target.Kind == ConstructKind::Statement &&
      !closesItsConditionals(Text.slice(Note.Text.Begin, Target.Text.End)))
    return "an #if divides this construct; annotate the statement in each branch";
  if (isJumpedInto(Target.Text))
    return "a goto or a case jumps into this construct, past the beginning of the region";
  return {};
}

bool Planner::isJumpedInto(TextRange Region) const {
  return llvm::any_of(Known.Jumps, [=](const Jump &Each) {
    return Region.contains(Each.To) && !Region.contains(Each.From);
  });
}

void Planner::checkName(const Annotation &Note) {
  std::vector<unsigned> Positional;
  llvm::SmallVector<llvm::StringRef> Keys;
  for (const Argument &Each : Note.Arguments) {
    if (Each.Key.empty())
      Positional.push_back(Each.At);
    else if (llvm::is_contained(Keys, Each.Key))
      error(Each.At, "'" + Each.Key + "' is given twice");
    else
      Keys.push_back(Each.Key);
  }
  if (!Note.Name) {
    if (!Positional.empty())
      error(Positional.front(), "a value needs a name with a '{}' for it");
    return;
  }
  const FormatCheck Check = checkFormat(Note.Name->Value, Positional.size());
  if (Check.Problem)
    return error(Note.Name->Offsets[Check.Problem->At], Check.Problem->Message);
  for (size_t I = 0; I < Positional.size(); ++I)
    if (!Check.Used[I])
      return error(Positional[I], "the name has no '{}' for this value");
}

std::string Planner::guard(const Annotation &Note, const Construct &Target) {
  std::string Guard =
      "GRAPHPROF_SCOPE(" + std::to_string(Known.LastId + Result.Did.Regions + 1) + ", ";
  Guard += Note.Name ? Note.Name->Spelling : quoted(Target.DefaultName);
  Guard += ", " + stream(Note, Target);
  for (const Argument &Each : Note.Arguments)
    if (Each.Key.empty())
      Guard += ", " + Each.Text;
  for (const Argument &Each : Note.Arguments)
    if (!Each.Key.empty() && Each.Key != "stream")
      Guard += ", ::graphprof::key(\"" + Each.Key + "\", " + Each.Text + ")";
  return Guard + ");";
}

std::string Planner::stream(const Annotation &Note, const Construct &Target) {
  for (const Argument &Each : Note.Arguments)
    if (Each.Key == "stream")
      return "::graphprof::onStream(" + Each.Text + ")";

  const std::string Consequence =
      ", so the region gets GPU times only while its thread captures; name it with 'stream = ...'";
  const auto &Uses = Target.Streams;
  if (Uses.empty()) {
    warn(Note.At, "this construct does not show its stream" + Consequence);
    return "::graphprof::onCapture()";
  }
  for (const StreamUse &Use : Uses) {
    if (!Use.Obstacle.empty()) {
      warn(Note.At, "the stream" + (Use.Text.empty() ? "" : " '" + Use.Text + "'") +
                        " is not known where the region begins (" + Use.Obstacle + ")" +
                        Consequence);
      return "::graphprof::onCapture()";
    }
    if (Use.Identity != Uses.front().Identity) {
      warn(Note.At, "this construct works on more than one stream ('" + Uses.front().Text + "', '" +
                        Use.Text + "')" + Consequence);
      return "::graphprof::onCapture()";
    }
  }
  return "::graphprof::onStream(" + Uses.front().Text + ")";
}

/// Puts something, or nothing, in an annotation's place. Line breaks in it stay, but for those that
/// the guard takes along in a raw string; blanks go where they would be left over.
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
  } else if (Replacement.empty() && Range.Begin > 0 && isWordCharacter(Text[Range.Begin - 1]) &&
             isWordCharacter(Next)) {
    Replacement = " ";
  }
  for (size_t I = LinesElsewhere; I < Lines; ++I)
    Replacement += lineEnd(Text);
  Result.Edits.push_back({Range, std::move(Replacement)});
}

void Planner::planCalls() {
  for (const GraphCall &Call : Known.Calls) {
    if (isIgnored(Call.Text.Begin))
      continue;
    // `a ? b :cudaGraphLaunch`: a colon before `::` would make another token of it.
    const bool BehindColon = Call.Text.Begin > 0 && Text[Call.Text.Begin - 1] == ':';
    Result.Edits.push_back(
        {Call.Text, (BehindColon ? " ::graphprof::cuda::" : "::graphprof::cuda::") + Call.Name});
    ++Result.Did.Calls;
  }
}

} // namespace

Plan makePlan(const Facts &Known, llvm::StringRef Text) { return Planner(Known, Text).make(); }

} // namespace graphprof::instrument
