// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What tables say of what is not in them. It comes as metadata with the last batch, so that a table
// that is made of a binary file says the same.

#ifndef GRAPHPROF_OUTPUT_DATA_NOTRECORDED_H
#define GRAPHPROF_OUTPUT_DATA_NOTRECORDED_H

#include <string>
#include <string_view>

#include "output/data/Run.h"

namespace graphprof {

class NotRecorded {
public:
  /// Takes a piece of metadata, if it is about this: a sentence as a JSON string without escapes.
  void take(std::string_view key, std::string_view json) {
    if (json.size() < 2)
      return;
    const std::string_view text = json.substr(1, json.size() - 2);
    if (key == untimedKey)
      untimed_ = text;
    else if (key == noDriverKey || (key == nothingKey && whyNothing_.empty()))
      whyNothing_ = text;
  }
  /// The line in place of a table. A damaged file may hold anything: print it with printable().
  [[nodiscard]] std::string nothing() const {
    return "nothing was recorded" + (whyNothing_.empty() ? "" : ": " + whyNothing_);
  }
  /// The line below a table, likewise; empty if there is nothing to say.
  [[nodiscard]] const std::string &below() const { return untimed_; }

private:
  std::string whyNothing_, untimed_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_NOTRECORDED_H
