// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What comparing needs of mathematics: quantiles of Student's distribution, and the functions by
// which a common variance is estimated from many small samples.

#ifndef GRAPHPROF_TOOL_DIFF_STUDENT_H
#define GRAPHPROF_TOOL_DIFF_STUDENT_H

namespace graphprof {

/// The t with P(|T| > t) = `alpha` for `freedom` degrees of freedom, more than 0; infinity is the
/// normal distribution.
[[nodiscard]] double studentQuantile(double alpha, double freedom);

[[nodiscard]] double digamma(double x);  ///< x > 0
[[nodiscard]] double trigamma(double x); ///< x > 0
/// The x with trigamma(x) = y > 0.
[[nodiscard]] double inverseTrigamma(double y);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_STUDENT_H
