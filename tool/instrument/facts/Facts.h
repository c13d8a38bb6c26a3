// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one file says: the annotations in it, the construct behind each, the CUDA calls to
// redirect, the jumps.
//
// Facts are what recording (Attributes, Constructs, GraphCalls) hands to planning (Plan). They are
// plain values: places are byte offsets into the file, so that deciding and editing need no clang
// type and can be tested on strings.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_FACTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_FACTS_H

#include "graphprof/detail/format_check.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphprof::instrument {

/// A half-open range of bytes in the source file.
struct TextRange {
  unsigned Begin = 0;
  unsigned End = 0;

  [[nodiscard]] bool contains(unsigned Offset) const { return Begin <= Offset && Offset < End; }
  [[nodiscard]] bool contains(TextRange Other) const {
    return Begin <= Other.Begin && Other.End <= End;
  }
};

enum class Severity { Error, Warning };

/// Something to tell the user, at a byte of the file.
struct Finding {
  Severity Level = Severity::Error;
  unsigned At = 0;
  std::string Message;
};

/// A name in a value that has to be declared: none behind `.`, `->` or `::`.
struct NameUse {
  unsigned At = 0;
  std::string Name;
};

/// A value in an annotation: positional for the name's format, or `key = value`.
struct Argument {
  std::string Key;  ///< empty when positional
  std::string Text; ///< as written, on one line
  unsigned At = 0;
  detail::FormatType Type = detail::FormatType::Unknown;
  std::vector<NameUse> Names; ///< empty where the value declares names of its own
};

/// The name of a region as written: a string literal, perhaps several in a row.
struct NameLiteral {
  std::string Spelling; ///< as written, on one line
  std::string Value;
  /// For each byte of Value, and for its end, the byte of the file that spells it.
  std::vector<unsigned> Offsets;
};

/// What replaces `[[graphprof::ignore]]`: it still says in the instrumented file what the attribute
/// said in the source, so that a second run leaves the construct alone too.
inline constexpr std::string_view IgnoreMarker = "/*[[graphprof::ignore]]*/";

enum class AnnotationKind { Time, Step, Ignore };

/// One `[[graphprof::...]]`.
struct Annotation {
  AnnotationKind Kind = AnnotationKind::Time;
  unsigned At = 0;        ///< its name, for messages
  TextRange Text;         ///< what goes away: the whole `[[...]]`, or one entry of its list
  bool WholeList = false; ///< which of the two
  bool InMacro = false;   ///< in a macro's body
  bool Marked = false;    ///< an `ignore` that an earlier run already turned into a comment
  unsigned Next = 0;      ///< the token behind this and all neighbouring attributes
  std::optional<NameLiteral> Name;
  std::vector<Argument> Arguments;
};

/// A stream that a launch or a call in a construct works on.
struct StreamUse {
  unsigned At = 0;
  std::string Text;     ///< as written; "0" for the default stream
  std::string Identity; ///< equal for two uses that mean the same expression
  std::string Obstacle; ///< why it cannot be evaluated where the construct begins; empty if it can
};

enum class ConstructKind {
  Compound,    ///< `{ ... }`
  Statement,   ///< any other that can be put into braces: expressions, loops, branches, returns
  Loop,        ///< a statement as well
  Function,    ///< a function's definition, a lambda's as well
  Declaration, ///< a variable or another declaration; braces would end its life
  Prototype,   ///< a function's declaration without a body
  Label,       ///< `name: ...`
  Case,        ///< `case` or `default`
  Jump,        ///< break, continue, goto: nothing to time
  Empty,       ///< `;`
  Directive,   ///< one of OpenMP's that stands alone, or that braces would part from its construct
  Unknown,     ///< nothing that the tool recognises begins there
};

/// What begins behind an annotation.
struct Construct {
  ConstructKind Kind = ConstructKind::Unknown;
  TextRange Text;                 ///< with its closing semicolon
  unsigned BodyOpen = 0;          ///< behind the opening brace; compound statements and functions
  std::optional<unsigned> Pragma; ///< one that applies to it, `#pragma unroll` say
  bool HasOuterCase = false;      ///< a case inside belongs to a switch around it
  bool HasValue = false; ///< the last of a statement expression: braces would take its value
  /// The semicolon is not the construct's own: a macro's body spells it without.
  bool LacksSemicolon = false;
  bool Split = false; ///< begins or ends inside a macro's expansion: Text and BodyOpen say nothing

  std::string DefaultName; ///< the region's name where the annotation gives none
  std::string Function;    ///< the innermost one with a name that it is in, or is

  // The function that it is in, or is.
  bool InConstexpr = false;
  bool InKernel = false;
  bool IsKernel = false; ///< a kernel's own declaration: an annotation there is for its launches
  bool InDeviceCode = false;
  bool InCoroutine = false;

  std::vector<StreamUse> Streams;
};

/// A place that control may reach from another place without passing what stands between: a label
/// or a case.
struct Jump {
  unsigned From = 0;
  unsigned To = 0;
};

/// A reference to a CUDA function that has a counterpart in graphprof::cuda.
struct GraphCall {
  TextRange Text;   ///< the name with its qualifiers
  std::string Name; ///< `cudaGraphLaunch`, or the driver's `cuGraphLaunch`; `cudaMalloc` as well
  [[nodiscard]] bool isDrivers() const { return !Name.starts_with("cuda"); }
  [[nodiscard]] bool changesGraphs() const; ///< as the function of GraphFunctions.h
};

/// A launch of a kernel that is timed for itself.
struct Launch {
  unsigned At = 0;          ///< for messages
  TextRange Text;           ///< what the guard goes around
  bool IsExpression = true; ///< else Text is a statement, which a macro writes as a whole
  std::string Name;         ///< the kernel's
  std::string Function;     ///< the one with a name that it is in
  StreamUse Stream;
  std::string Obstacle; ///< where it stands, if it cannot be timed there; empty if it can
  std::optional<Annotation> OfKernel; ///< the one on the kernel's declaration
};

/// A host function's definition that is timed because --auto asks for it.
struct HostFunction {
  unsigned At = 0;
  unsigned BodyOpen = 0; ///< behind the opening brace
  std::string Name;      ///< qualified
  std::vector<StreamUse> Streams;
  std::string Obstacle; ///< as above
};

/// A guard that an earlier run left.
struct Guard {
  std::optional<unsigned> Brace; ///< behind the brace that it follows; none for an expression's
  unsigned Behind = 0;           ///< what it guards begins here
};

/// What was done to a file.
struct Counts {
  unsigned Regions = 0;
  unsigned Steps = 0;
  unsigned Calls = 0;
  unsigned Ignored = 0; ///< constructs that `ignore` leaves alone
  unsigned Launches = 0;
  unsigned UnknownStreams = 0;                   ///< among the launches
  unsigned Functions = 0;                        ///< timed because --auto asks for it
  std::map<std::string, unsigned> LaunchesLeft;  ///< by where they stand
  std::map<std::string, unsigned> FunctionsLeft; ///< by what they are
};

struct Facts {
  std::vector<Annotation> Annotations;           ///< in the order of the file
  std::vector<Construct> Constructs;             ///< one an annotation
  std::vector<GraphCall> Calls;                  ///< in the order of the file, each place once
  std::vector<Launch> Launches;                  ///< in the order of the file, each place once
  std::vector<HostFunction> Functions;           ///< in the order of the file
  std::map<std::string, unsigned> LaunchesLeft;  ///< in files that are not rewritten
  std::map<std::string, unsigned> FunctionsLeft; ///< likewise
  std::vector<Guard> Guards;
  std::vector<Jump> Jumps;
  std::vector<Finding> Findings; ///< what recording had to refuse or wants to warn of
  unsigned LastId = 0;           ///< the highest id of a guard that an earlier run left
  bool InC = false;              ///< a C unit's file: no guards, and functions have no namespace

  /// Sorts annotations and constructs. Where a macro with an annotation in its body is used more
  /// than once, what its uses have found is brought together.
  void putInOrder();

  /// Whether there is anything to do in the file, or to say of it.
  [[nodiscard]] bool givesWork() const {
    return !Annotations.empty() || !Calls.empty() || !Launches.empty() || !Functions.empty() ||
           !Findings.empty();
  }

  /// Adds what another unit found in the same file.
  void merge(Facts Other);
};

} // namespace graphprof::instrument

#endif
