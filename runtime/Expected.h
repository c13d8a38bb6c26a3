// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a function returns that may fail for a reason which its caller tells the user.

#ifndef GRAPHPROF_EXPECTED_H
#define GRAPHPROF_EXPECTED_H

#include <string>
#include <utility>
#include <variant>

namespace graphprof {

/// Why something was not done: what follows the colon in a message, "its device was reset".
struct Failure {
  std::string why;
};

/// A value, or why there is none.
template <class Value> class [[nodiscard]] Expected {
public:
  Expected(Value value) : content_(std::in_place_index<0>, std::move(value)) {}
  Expected(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

  [[nodiscard]] explicit operator bool() const { return content_.index() == 0; }
  /// Only if there is one.
  [[nodiscard]] Value &operator*() { return *std::get_if<0>(&content_); }
  [[nodiscard]] Value *operator->() { return std::get_if<0>(&content_); }
  /// Only if there is no value.
  [[nodiscard]] const Failure &failure() const { return *std::get_if<1>(&content_); }
  [[nodiscard]] const std::string &why() const { return failure().why; }

private:
  std::variant<Value, Failure> content_;
};

/// Done, or why not.
template <> class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Failure failure) : content_(std::move(failure)) {}

  [[nodiscard]] explicit operator bool() const { return content_.index() == 0; }
  /// Only if it was not done.
  [[nodiscard]] const Failure &failure() const { return *std::get_if<1>(&content_); }
  [[nodiscard]] const std::string &why() const { return failure().why; }

private:
  std::variant<std::monostate, Failure> content_;
};

} // namespace graphprof

#endif // GRAPHPROF_EXPECTED_H
