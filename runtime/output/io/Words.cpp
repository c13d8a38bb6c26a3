// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Words.h"

namespace graphprof {

namespace {

// The enumerators up to `last` have the numbers from 0 on.
template <class Enum> bool findWord(std::string_view text, Enum last, Enum &found) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (const auto one = static_cast<Enum>(i); word(one) == text) {
      found = one;
      return true;
    }
  return false;
}

} // namespace

std::string_view word(Kind kind) {
  switch (kind) {
  case Kind::Region:
    return "region";
  case Kind::Kernel:
    return "kernel";
  case Kind::Memcpy:
    return "memcpy";
  case Kind::Memset:
    return "memset";
  case Kind::Host:
    return "host";
  case Kind::Graph:
    return "graph";
  }
  return "";
}

std::string_view word(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::Pool:
    return "pool";
  case MemoryKind::Managed:
    return "managed";
  case MemoryKind::Host:
    return "host";
  case MemoryKind::Graph:
    return "graph";
  }
  return "";
}

std::string_view word(HostKind kind) {
  switch (kind) {
  case HostKind::Region:
    return "region";
  case HostKind::Launch:
    return "launch";
  case HostKind::Step:
    return "step";
  case HostKind::Copy:
    return "copy";
  case HostKind::Mark:
    return "mark";
  case HostKind::Range:
    return "range";
  }
  return "";
}

std::string_view word(Clock clock) {
  switch (clock) {
  case Clock::Stamp:
    return "stamp";
  case Clock::Event:
    return "event";
  case Clock::Host:
    return "host";
  }
  return "";
}

std::string_view word(Ends ends) {
  switch (ends) {
  case Ends::Completion:
    return "completion";
  case Ends::NextBegin:
    return "next_begin";
  }
  return "";
}

std::string_view word(GapCause cause) {
  switch (cause) {
  case GapCause::Unknown:
    return "";
  case GapCause::Launch:
    return "launch";
  case GapCause::Dependency:
    return "dependency";
  case GapCause::DeviceFull:
    return "device_full";
  }
  return "";
}

bool fromWord(std::string_view text, Kind &kind) { return findWord(text, Kind::Graph, kind); }
bool fromWord(std::string_view text, Clock &clock) { return findWord(text, Clock::Host, clock); }
bool fromWord(std::string_view text, Ends &ends) { return findWord(text, Ends::NextBegin, ends); }
bool fromWord(std::string_view text, GapCause &cause) {
  return findWord(text, GapCause::DeviceFull, cause);
}
bool fromWord(std::string_view text, MemoryKind &kind) {
  return findWord(text, MemoryKind::Graph, kind);
}
bool fromWord(std::string_view text, HostKind &kind) {
  return findWord(text, HostKind::Range, kind);
}

} // namespace graphprof
