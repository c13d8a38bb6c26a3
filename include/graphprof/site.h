// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One annotated place in the source. It knows nothing of CUDA and nothing of what was measured
// there.

#ifndef GRAPHPROF_SITE_H
#define GRAPHPROF_SITE_H

namespace graphprof {
inline namespace v1 {

/// One annotated place in the source. Sites are static objects, which graphprof-instrument makes,
/// or GRAPHPROF_SCOPE. They live as long as the program, and their address is their identity.
///
///     static const graphprof::Site attentionSite{"attention {}", __FILE__, __LINE__, __func__};
struct Site {
  constexpr Site(const char *format, const char *source_file, int source_line,
                 const char *source_function) noexcept
      : name_format(format), file(source_file), line(source_line), function(source_function) {}

  /// a fmt format string, applied to the positional context values
  const char *name_format;
  const char *file;     ///< as given to the tool
  int line;             ///< from 1
  const char *function; ///< as __func__ gives it
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_SITE_H
