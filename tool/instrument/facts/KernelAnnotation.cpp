// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/KernelAnnotation.h"

#include "facts/FormatString.h"
#include "facts/GuardText.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {

std::vector<Finding> checkKernelAnnotation(const Annotation &Note) {
  std::vector<Finding> Problems;
  std::vector<FormatValue> Values;
  for (const Argument &Each : Note.Arguments) {
    if (Each.Key.empty())
      Values.push_back({Each.Text, Each.Type});
    if (Each.Key == "stream")
      Problems.push_back({Severity::Error, Each.At,
                          "each launch of a kernel names its own stream; annotate the launches to "
                          "name another"});
    else if (!isLiteral(Each.Text))
      Problems.push_back({Severity::Error, Each.At,
                          "a value in a kernel's annotation is repeated at each launch, so it must "
                          "be made of literals; annotate the launches to use others"});
  }
  if (Note.Name)
    if (const FormatCheck Check = checkFormat(Note.Name->Value, Values); Check.Problem)
      Problems.push_back(
          {Severity::Error, Note.Name->Offsets[Check.Problem->At], Check.Problem->Message});
  return Problems;
}

bool sameRegion(const Annotation &A, const Annotation &B) {
  const bool SameName =
      A.Name.has_value() == B.Name.has_value() && (!A.Name || A.Name->Value == B.Name->Value);
  return SameName &&
         llvm::equal(A.Arguments, B.Arguments, [](const Argument &X, const Argument &Y) {
           return X.Key == Y.Key && X.Text == Y.Text;
         });
}

} // namespace graphprof::instrument
