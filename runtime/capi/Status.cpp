// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "capi/Status.h"

#include <cstdlib>

#include "ThreadOwned.h"
#include "Thrown.h"

namespace graphprof::capi {

namespace {

struct LastError {
  std::string text;
};

} // namespace

int failed(graphprof_capi_status status, std::string_view text) noexcept {
  (void)survived([&] { // if not, the status says enough
    if (auto *const last = ofThisThread<LastError>())
      last->text = text;
  });
  return status;
}

int missing(std::string_view argument) noexcept {
  try {
    return failed(graphprof_capi_bad_argument,
                  std::string(argument) + " is NULL, or a struct whose `size` is not set");
  } catch (...) {
    return graphprof_capi_bad_argument;
  }
}

char *textFor(std::string_view text) {
  auto *const copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = '\0';
  return copy;
}

} // namespace graphprof::capi

using namespace graphprof;

int graphprof_capi_version(void) { return GRAPHPROF_CAPI_VERSION; }

const char *graphprof_capi_error(int status) {
  switch (status) {
  case graphprof_capi_ok:
    return "no error";
  case graphprof_capi_bad_argument:
    return "a bad argument";
  case graphprof_capi_unknown:
    return "an unknown name";
  case graphprof_capi_no_memory:
    return "no memory";
  case graphprof_capi_failed:
    return "it failed";
  case graphprof_capi_timed_out:
    return "not everything arrived in time";
  case graphprof_capi_off:
    return "graphprof is off in this process";
  default:
    return "no status of graphprof's";
  }
}

const char *graphprof_capi_last_error(void) {
  const auto *const last = ofThisThread<capi::LastError>();
  return last ? last->text.c_str() : "";
}

void graphprof_capi_free(char *text) { std::free(text); }
