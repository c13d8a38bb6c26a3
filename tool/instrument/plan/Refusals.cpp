// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/Refusals.h"

#include "facts/GuardText.h"
#include "plan/TwinPlan.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {
namespace {

std::string refusalOfKind(const Annotation &Note, ConstructKind Kind) {
  switch (Kind) {
  case ConstructKind::Compound:
  case ConstructKind::Statement:
  case ConstructKind::Function:
    break;
  case ConstructKind::Loop:
    if (Note.Kind == AnnotationKind::Step)
      return "the whole loop would be one step; annotate its body, so that each iteration is a "
             "step";
    break;
  case ConstructKind::Declaration:
    return "a declaration cannot be timed: the braces around it would end what it declares; "
           "declare first and annotate an assignment, or annotate a block";
  case ConstructKind::Class:
    return "a class has no code of its own to time; annotate the definitions of its methods";
  case ConstructKind::Prototype:
    return "only a function's definition can be timed, and this is a declaration; annotate the "
           "definition";
  case ConstructKind::Label:
    return "a labelled statement cannot be timed: a jump to the label would pass by the beginning "
           "of the region; put the annotation behind the label";
  case ConstructKind::Case:
    return "a 'case' cannot be timed: it is jumped to; put the annotation behind it";
  case ConstructKind::Jump:
    return "there is nothing to time in a jump; remove this annotation";
  case ConstructKind::Empty:
    return "there is nothing to time in an empty statement; remove this annotation";
  case ConstructKind::Directive:
    return "this OpenMP directive cannot be timed by itself; annotate a block around it";
  case ConstructKind::Unknown:
    return "an annotation must stand before a statement or a function's definition";
  }
  return {};
}

bool isJumpedInto(const Facts &Known, TextRange Region) {
  return llvm::any_of(Known.Jumps, [=](const Jump &Each) {
    return Region.contains(Each.To) && !Region.contains(Each.From);
  });
}

bool isLeftByAddress(const Facts &Known, TextRange Region) {
  return llvm::any_of(Known.Jumps, [=](const Jump &Each) {
    return Each.IsComputed && Region.contains(Each.From) && !Region.contains(Each.To);
  });
}

} // namespace

std::string refusalOfConstruct(const Facts &Known, llvm::StringRef Text, const Annotation &Note,
                               const Construct &Target) {
  if (std::string Reason = refusalOfKind(Note, Target.Kind); !Reason.empty())
    return Reason;
  if (Target.InCoroutine)
    return "a coroutine cannot be timed: it may end on another thread; annotate a function that it "
           "calls";
  if (Target.InConstexpr)
    return "a constexpr function cannot be timed: a guard is not a constant expression; annotate "
           "its calls";
  if (Target.Split)
    return "this construct begins or ends inside a macro's expansion, so it cannot be timed; "
           "annotate a block around it";
  if (Target.Pragma && *Target.Pragma < Note.At)
    return "a pragma belongs to this statement, and no brace may come between them; put the "
           "annotation above the pragma";
  if (Target.HasValue && Target.Kind != ConstructKind::Compound)
    return "this is the value of a statement expression, which braces around it would take away; "
           "annotate what comes before it, or the whole statement";
  const bool GetsBraces =
      Target.Kind == ConstructKind::Statement || Target.Kind == ConstructKind::Loop;
  if (GetsBraces && !closesItsConditionals(Text.slice(Note.Text.Begin, Target.Text.End)))
    return "an #if divides this construct; annotate the statement in each branch";
  if (Target.HasOuterCase || isJumpedInto(Known, Target.Text))
    return "a goto or a case jumps into this construct, past the beginning of the region; annotate "
           "a block without the label";
  if (isLeftByAddress(Known, Target.Text))
    return "a computed goto or an asm goto may jump out of this construct, and the region would "
           "not "
           "end; annotate a block that holds the labels, too";
  return {};
}

std::string refusalOfGuard(const Facts &Known, llvm::StringRef Text, const Annotation &Note,
                           const Construct &Target) {
  if (Known.InC)
    return "C has no scopes that end by themselves; annotate in a C++ or CUDA source, or time with "
           "graphprof's functions for C";
  if (Target.InKernel)
    return "a kernel's code runs on the device and cannot hold a guard; annotate the launch "
           "instead";
  if (Target.InDeviceCode)
    return "device code cannot hold a guard; annotate the launch of the kernel instead";
  return refusalOfConstruct(Known, Text, Note, Target);
}

std::string refusalInKernel(const Facts &Known, const Annotation &Note, const Construct &Target) {
  if (Note.InMacro || Target.LacksSemicolon)
    return "an annotation in a macro's body has no effect inside a kernel; it runs as it is";
  if (Target.IsNested)
    return "a statement of a lambda or a local class inside a kernel or a device function is not "
           "timed; annotate its call";
  if (!kernelAround(Known, Note.At))
    return "no kernel and no device function of this file is around this statement, so it is not "
           "timed";
  for (const Argument &Each : Note.Arguments) {
    if (!Each.Key.empty())
      return "a region inside a kernel has no values but those of its name; it is not timed";
    if (!Each.OnDevice.Obstacle.empty())
      return valueRefusal(Each.OnDevice);
  }
  return {};
}

} // namespace graphprof::instrument
