// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What recording found in one file: annotations, the construct behind each, the CUDA calls to
// redirect, and jumps.
//
// Recording (Attributes, Constructs, GraphCalls) passes facts to planning (Plan). Facts are plain
// values with byte offsets into the file, so that planning and editing need no clang types and can
// be tested on strings.

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

/// A message for the user about a byte of the file.
struct Finding {
  Severity Level = Severity::Error;
  unsigned At = 0;
  std::string Message;
  /// What is left as it is changes graphs: see changesGraphs() of GraphFunctions.h.
  bool ChangesGraphs = false;
};

/// A name in a value that must be declared: not a name behind `.`, `->` or `::`.
struct NameUse {
  unsigned At = 0;
  std::string Name;
};

/// What a value in an annotation inside a kernel is there.
struct DeviceValue {
  /// As code behind the kernel: of each of DeviceFunction::Instances, or, under an empty text, of a
  /// function that is no template.
  std::map<std::string, std::string> Code;
  std::string Obstacle; ///< why it is not known outside the kernel; empty if it is
};

/// The warning of its obstacle.
std::string valueRefusal(const DeviceValue &Value);

/// A value in an annotation: positional for the name's format, or `key = value`.
struct Argument {
  std::string Key;  ///< empty when positional
  std::string Text; ///< as written, on one line
  unsigned At = 0;
  detail::FormatType Type = detail::FormatType::Unknown;
  std::vector<NameUse> Names;      ///< empty where the value declares names of its own
  std::vector<std::string> Tokens; ///< with macros expanded
  DeviceValue OnDevice;            ///< in a kernel or a device function; otherwise empty
};

/// The name of a region as written: one or more adjacent string literals.
struct NameLiteral {
  std::string Spelling; ///< as written, on one line
  std::string Value;
  /// The offset in the file of each byte of Value, and of its end.
  std::vector<unsigned> Offsets;
};

/// Replaces `[[graphprof::ignore]]` in the instrumented file, so that a second run leaves the
/// construct alone too.
inline constexpr std::string_view IgnoreMarker = "/*[[graphprof::ignore]]*/";

enum class AnnotationKind { Time, Step, Graph, Ignore, Dropped };

/// One `[[graphprof::...]]` attribute.
struct Annotation {
  AnnotationKind Kind = AnnotationKind::Time;
  unsigned At = 0;        ///< its name, for messages
  TextRange Text;         ///< what is removed: the whole `[[...]]`, or one entry of its list
  bool WholeList = false; ///< Text is the whole `[[...]]`
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
  Statement,   ///< other statements that braces can enclose: expressions, branches, returns
  Loop,        ///< a loop; otherwise like Statement
  Function,    ///< the definition of a function or lambda
  Declaration, ///< a variable or another declaration; braces would end its life
  Class,       ///< a class, struct, union or enumeration
  Prototype,   ///< a function's declaration without a body
  Label,       ///< `name: ...`
  Case,        ///< `case` or `default`
  Jump,        ///< break, continue, goto: nothing to time
  Empty,       ///< `;`
  Directive, ///< an OpenMP directive without a statement, or one that braces would separate from it
  Unknown,   ///< nothing that the tool recognises
};

/// The statement or declaration behind an annotation.
struct Construct {
  ConstructKind Kind = ConstructKind::Unknown;
  TextRange Text;                 ///< with the closing semicolon
  unsigned BodyOpen = 0;          ///< behind the opening brace; compound statements and functions
  std::optional<unsigned> Pragma; ///< a pragma that applies to it, such as `#pragma unroll`
  bool HasOuterCase = false;      ///< a case inside belongs to a switch around it
  bool HasValue = false;          ///< last in a statement expression: braces would remove the value
  /// The closing semicolon is not in Text: the construct is in a macro's body, which leaves the
  /// semicolon to the macro's users.
  bool LacksSemicolon = false;
  bool Split = false; ///< begins or ends inside a macro's expansion: Text and BodyOpen say nothing

  std::string DefaultName; ///< the region's name if the annotation has none
  std::string Function;    ///< the innermost named function that it is in, or is

  // About the function that it is in, or is.
  bool InConstexpr = false;
  bool InKernel = false;
  bool IsKernel = false; ///< a kernel's declaration: the annotation applies to its launches
  bool InDeviceCode = false;
  bool IsNested = false; ///< in a function inside a function, such as a lambda
  bool InCoroutine = false;

  std::vector<StreamUse> Streams;
};

/// A label or case: control may jump there from another place and skip the code in between.
struct Jump {
  unsigned From = 0;
  unsigned To = 0;
  bool IsComputed = false; ///< to an address of a label, or by an asm: g++ then ends no scope
};

/// A reference to a CUDA function that has a counterpart in graphprof::cuda.
struct GraphCall {
  TextRange Text;   ///< the name with its qualifiers; see Instead
  std::string Name; ///< `cudaGraphLaunch`, or the driver's `cuGraphLaunch`; `cudaMalloc` as well
  /// For a name whose spelling must stay: the name as it reaches the code, and what replaces Text.
  /// Text is then a parameter in a macro's body, or a whole use of a macro. Several calls may share
  /// it.
  std::string Token;
  std::string Instead;
  [[nodiscard]] bool isInBody() const; ///< Text is a parameter in a macro's body
  [[nodiscard]] bool isDrivers() const { return !Name.starts_with("cuda"); }
  [[nodiscard]] bool changesGraphs() const; ///< as the function of GraphFunctions.h
};

/// A launch of a kernel that gets its own region.
struct Launch {
  unsigned At = 0;          ///< for messages
  TextRange Text;           ///< what the guard goes around
  bool IsExpression = true; ///< otherwise Text is a statement that a macro's body spells
  std::string Name;         ///< the kernel's
  std::string Function;     ///< the innermost named function around it
  StreamUse Stream;
  std::string Obstacle; ///< the place that prevents timing it; empty if it can be timed
  std::optional<Annotation> OfKernel; ///< the annotation of the kernel's declaration
};

/// A host function's definition that is timed because --auto asks for it.
struct HostFunction {
  unsigned At = 0;
  unsigned BodyOpen = 0; ///< behind the opening brace
  std::string Name;      ///< qualified
  std::vector<StreamUse> Streams;
  std::string Obstacle; ///< as above
};

/// A call of a device function.
struct DeviceCall {
  unsigned At = 0;        ///< behind the function's name
  unsigned Arguments = 0; ///< behind the opening parenthesis
  bool HasNone = false;   ///< no arguments
  unsigned Callee = 0;    ///< where the function's definition begins, in the same file
  std::string Obstacle;   ///< why it cannot call the function's twin; empty if it can
};

/// A kernel with annotated statements, or which calls a device function with some; or such a device
/// function. A timed twin of it can be written behind it.
struct DeviceFunction {
  bool IsKernel = true;
  TextRange Text;          ///< its definition
  TextRange Name;          ///< in it
  unsigned Parameters = 0; ///< behind the opening parenthesis
  bool IsAlone = false;    ///< it has no parameters
  TextRange Void;          ///< the `void` that says so; empty if there is none
  unsigned BodyOpen = 0;   ///< behind the opening brace
  unsigned FirstLine = 0;  ///< of its text, as compilers show it
  unsigned LastLine = 0;
  bool LacksLinkage = false; ///< it has C's linkage, which neither Text nor braces around it say
  std::string Spelled;       ///< the name, as written
  std::string Obstacle;      ///< why it gets no twin; empty if it can have one
  std::vector<DeviceCall> Calls; ///< of device functions of this kind, in the order of the file

  bool IsTemplate = false;
  bool IsInHeader = false; ///< a template: each source lists the kernels that it makes of it
  std::string Namespaces;  ///< of a template: around it, as "ours::inner::"; empty: none
  /// Of a template: the arguments, "<float, 3>", of each kernel that the source makes of it.
  std::vector<std::string> Instances;
};

/// A guard that an earlier run left.
struct Guard {
  std::optional<unsigned>
      Brace;           ///< the offset behind the brace that it follows; none for an expression
  unsigned Behind = 0; ///< where the guarded text begins
};

/// What was done to a file.
struct Counts {
  unsigned Regions = 0;
  unsigned Steps = 0;
  unsigned Graphs = 0; ///< places that name graphs
  unsigned Calls = 0;
  unsigned Ignored = 0; ///< constructs that `ignore` leaves alone
  unsigned Launches = 0;
  unsigned UnknownStreams = 0;                   ///< among the launches
  unsigned Functions = 0;                        ///< timed because --auto asks for it
  unsigned Twins = 0;                            ///< timed twins of kernels
  unsigned Scopes = 0;                           ///< annotated statements in those
  std::map<std::string, unsigned> LaunchesLeft;  ///< by where they stand
  std::map<std::string, unsigned> FunctionsLeft; ///< by what they are
};

struct Facts {
  std::vector<Annotation> Annotations; ///< in the order of the file
  std::vector<Construct> Constructs;   ///< one for each annotation
  std::vector<GraphCall> Calls;        ///< in the order of the file, each place once
  std::vector<unsigned> NodesAdded;    ///< where the file spells calls that add a node to a graph
  std::vector<Launch> Launches;        ///< in the order of the file, each place once
  std::vector<HostFunction> Functions; ///< in the order of the file
  std::vector<DeviceFunction> Kernels; ///< and device functions, in the order of the file
  std::map<std::string, unsigned> LaunchesLeft;  ///< in files that are not rewritten
  std::map<std::string, unsigned> FunctionsLeft; ///< likewise
  std::vector<Guard> Guards;
  std::vector<Jump> Jumps;
  std::vector<Finding> Findings; ///< refusals and warnings of recording
  std::vector<Finding> OfMerge;  ///< warnings of merging, which no unit gives by itself
  unsigned LastId = 0;           ///< the highest id of a guard that an earlier run left
  bool InC = false;              ///< a C unit's file: no guards, and functions have no namespace

  /// Sorts annotations and constructs. If a macro with an annotation in its body is used more than
  /// once, merges what its uses found.
  void putInOrder();

  /// Whether it has calls that change graphs, redirected or not.
  [[nodiscard]] bool changesGraphs() const;

  /// Leaves nothing to time but what --auto asks for. The annotations are only removed.
  void dropAnnotations();

  /// Sorts the calls, and leaves one of those that are the same.
  void putCallsInOrder();

  /// Whether there is anything to change in the file, or to report about it.
  [[nodiscard]] bool needsWork() const {
    return !Annotations.empty() || !Calls.empty() || !Launches.empty() || !Functions.empty() ||
           !Findings.empty();
  }

  /// Adds what another unit found in the same file.
  void merge(Facts Other);
};

} // namespace graphprof::instrument

#endif
