// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/LaunchPlan.h"

#include "facts/GuardText.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral DividedByIf = "divided by an #if";

class LaunchPlanner {
public:
  LaunchPlanner(const Facts &Known, llvm::StringRef Text,
                llvm::function_ref<bool(unsigned)> IsIgnored, llvm::function_ref<unsigned()> NextId,
                Plan &Result)
      : Known(Known), Text(Text), IsIgnored(IsIgnored), NextId(NextId), Result(Result) {}

  void make();

private:
  void plan(const Launch &Each);
  void plan(const HostFunction &Each);
  [[nodiscard]] bool isGuarded(const Launch &Each) const;
  [[nodiscard]] bool isAnnotated(const Launch &Each) const;
  /// Whether nothing but ends of statements follows up to the closing brace.
  [[nodiscard]] bool nothingFollows(unsigned From, unsigned To) const {
    return Text.slice(From, To).find_first_not_of(" \t\r\n;}") == llvm::StringRef::npos;
  }
  [[nodiscard]] std::string stream(const Launch &Each);

  const Facts &Known;
  llvm::StringRef Text;
  llvm::function_ref<bool(unsigned)> IsIgnored;
  llvm::function_ref<unsigned()> NextId;
  Plan &Result;
  std::vector<Edit> Closing; ///< inner statements close before those around them
};

void LaunchPlanner::make() {
  Result.Did.LaunchesLeft = Known.LaunchesLeft;
  Result.Did.FunctionsLeft = Known.FunctionsLeft;
  for (const HostFunction &Each : Known.Functions)
    plan(Each);
  for (const Launch &Each : Known.Launches)
    plan(Each);
  llvm::sort(Result.Sites, [](const Site &A, const Site &B) { return A.At < B.At; });
  Result.Edits.insert(Result.Edits.begin(), std::make_move_iterator(Closing.begin()),
                      std::make_move_iterator(Closing.end()));
}

void LaunchPlanner::plan(const Launch &Each) {
  if (IsIgnored(Each.At) || isGuarded(Each) || (!Each.OfKernel && isAnnotated(Each)))
    return;
  std::string Obstacle = Each.Obstacle;
  if (Obstacle.empty() && !closesItsConditionals(Text.slice(Each.Text.Begin, Each.Text.End)))
    Obstacle = DividedByIf;
  if (!Obstacle.empty()) {
    ++Result.Did.LaunchesLeft[Obstacle];
    if (Each.OfKernel)
      Result.Findings.push_back({Severity::Warning, Each.At,
                                 "this launch of the annotated kernel '" + Each.Name +
                                     "' is not timed: it is " + Obstacle +
                                     "; make it a statement of its own in code that is rewritten"});
    return;
  }

  std::string Name = asFormat(Each.Name);
  if (Each.OfKernel && Each.OfKernel->Name)
    Name = Each.OfKernel->Name->Value;
  std::string Guard = "(" + std::to_string(NextId()) + ", " + literal(Name) + ", " + stream(Each);
  if (Each.OfKernel) {
    for (const Argument &Value : Each.OfKernel->Arguments)
      if (Value.Key.empty())
        Guard += ", " + Value.Text;
    for (const Argument &Value : Each.OfKernel->Arguments)
      if (!Value.Key.empty())
        Guard += ", ::graphprof::key(\"" + Value.Key + "\", " + Value.Text + ")";
  }
  Guard += ")";
  const TextRange Begin{Each.Text.Begin, Each.Text.Begin};
  const TextRange End{Each.Text.End, Each.Text.End};
  if (Each.IsExpression) {
    Result.Edits.push_back({Begin, "(GRAPHPROF_TIMED" + Guard + ", "});
    Closing.push_back({End, ")"});
  } else {
    Result.Edits.push_back({Begin, "{ GRAPHPROF_SCOPE" + Guard + "; "});
    Closing.push_back({End, " }"});
  }
  Result.Sites.push_back({SiteKind::Launch, Each.At, Each.Function, Name});
  ++Result.Did.Launches;
}

/// Whether an earlier run guarded the launch: by itself, or as the only content of an annotated
/// statement.
bool LaunchPlanner::isGuarded(const Launch &Each) const {
  return llvm::any_of(Known.Guards, [&](const Guard &Left) {
    if (Left.Behind != Each.Text.Begin)
      return false;
    const size_t Brace = Text.find('}', Each.Text.End);
    return !Left.Brace || (Brace != llvm::StringRef::npos && nothingFollows(Each.Text.End, Brace));
  });
}

/// Whether the launch already has its own region, because an annotated statement consists of it.
bool LaunchPlanner::isAnnotated(const Launch &Each) const {
  for (size_t I = 0; I < Known.Annotations.size(); ++I) {
    const Construct &Target = Known.Constructs[I];
    if (Known.Annotations[I].Kind != AnnotationKind::Time ||
        (Target.Kind != ConstructKind::Statement && Target.Kind != ConstructKind::Compound) ||
        !Target.Text.contains(Each.Text))
      continue;
    const unsigned Begin =
        Target.Kind == ConstructKind::Compound ? Target.BodyOpen : Target.Text.Begin;
    if (nothingFollows(Begin, Each.Text.Begin) && nothingFollows(Each.Text.End, Target.Text.End))
      return true;
  }
  return false;
}

std::string LaunchPlanner::stream(const Launch &Each) {
  if (Each.Stream.Obstacle.empty())
    return "::graphprof::on_stream(" + Each.Stream.Text + ")";
  ++Result.Did.UnknownStreams;
  if (Each.OfKernel)
    Result.Findings.push_back(
        {Severity::Warning, Each.At,
         "the stream of this launch of the annotated kernel '" + Each.Name +
             "' is not known before it (" + Each.Stream.Obstacle +
             "), so the region gets GPU times only while its thread captures; put the stream into "
             "a variable"});
  return "::graphprof::on_capture()";
}

void LaunchPlanner::plan(const HostFunction &Each) {
  if (IsIgnored(Each.At))
    return;
  const bool Guarded = llvm::any_of(
      Known.Guards, [&](const Guard &Left) { return Left.Brace && *Left.Brace == Each.BodyOpen; });
  bool Annotated = false;
  for (size_t I = 0; I < Known.Annotations.size(); ++I)
    Annotated |= Known.Annotations[I].Kind == AnnotationKind::Time &&
                 Known.Constructs[I].Kind == ConstructKind::Function &&
                 Known.Constructs[I].BodyOpen == Each.BodyOpen;
  if (Each.Obstacle.empty() && (Guarded || Annotated))
    return;
  if (!Each.Obstacle.empty()) {
    ++Result.Did.FunctionsLeft[Each.Obstacle];
    return;
  }
  const bool OneStream =
      !Each.Streams.empty() && llvm::all_of(Each.Streams, [&](const StreamUse &Use) {
        return Use.Obstacle.empty() && Use.Identity == Each.Streams.front().Identity;
      });
  const std::string Name = asFormat(Each.Name);
  const std::string Guard = " GRAPHPROF_SCOPE(" + std::to_string(NextId()) + ", " + literal(Name) +
                            ", " +
                            (OneStream ? "::graphprof::on_stream(" + Each.Streams.front().Text + ")"
                                       : "::graphprof::on_capture()") +
                            ");";
  // The step begins before the region of the function.
  const auto Step = llvm::find_if(Result.Edits, [&](const Edit &Other) {
    return Other.Range.Begin == Each.BodyOpen && Other.Range.End == Each.BodyOpen;
  });
  if (Step != Result.Edits.end())
    Step->Text += Guard;
  else
    Result.Edits.push_back({{Each.BodyOpen, Each.BodyOpen}, Guard});
  Result.Sites.push_back({SiteKind::Function, Each.At, Each.Name, Name});
  ++Result.Did.Functions;
}

} // namespace

std::string launchSummary(const Counts &Did) {
  const auto Line = [](unsigned Timed, llvm::StringRef One, llvm::StringRef Many,
                       unsigned UnknownStreams, const std::map<std::string, unsigned> &Left) {
    if (Timed == 0 && Left.empty())
      return std::string();
    std::string Result =
        ", " + std::to_string(Timed) + " " + (Timed == 1 ? One : Many).str() + " timed";
    if (UnknownStreams > 0)
      Result += " (" + std::to_string(UnknownStreams) +
                " on a stream that is not known there: GPU times only inside captures)";
    unsigned Others = 0;
    std::string Reasons;
    for (const auto &[Reason, Number] : Left) {
      Others += Number;
      Reasons += (Reasons.empty() ? "" : ", ") + std::to_string(Number) + " " + Reason;
    }
    if (Others > 0)
      Result += ", " + std::to_string(Others) + " not (" + Reasons + ")";
    return Result;
  };
  return Line(Did.Launches, "launch", "launches", Did.UnknownStreams, Did.LaunchesLeft) +
         Line(Did.Functions, "function", "functions", 0, Did.FunctionsLeft);
}

void planLaunches(const Facts &Known, llvm::StringRef Text,
                  llvm::function_ref<bool(unsigned)> IsIgnored,
                  llvm::function_ref<unsigned()> NextId, Plan &Result) {
  LaunchPlanner(Known, Text, IsIgnored, NextId, Result).make();
}

} // namespace graphprof::instrument
