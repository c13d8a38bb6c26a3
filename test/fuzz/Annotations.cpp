// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The grammar of attributes, well-formed and not.

#include "Grammar.h"

namespace graphprof::fuzz {

std::string Grammar::stream() {
  if (Feeling == Mood::Tame || Pick.percent(50))
    return Pick.of({"s", "s", "streams[0]", "holder.stream", "nullptr", "0"});
  return Pick.of({"streams[n]", "next(s)", "STREAM", "(cudaStream_t)0", "*&s", "n ? s : nullptr",
                  "cudaStreamLegacy", "identity<cudaStream_t>(s)", "missing"});
}

std::string Grammar::values() {
  std::string Result;
  static constexpr const char *Keys[] = {", layer = n",
                                         ", flops = 2.0 * n",
                                         ", bytes = n",
                                         ", note = \"text\"",
                                         ", pair = (n, n)",
                                         ", size = identity<int>(n)",
                                         ", less = n < n",
                                         ", list = sizeof(int[2])",
                                         ", called = [&] { return n; }()",
                                         ", raw = R\"(a]])\"[0]",
                                         ", ptr = x",
                                         ", macro = TWICE(n)",
                                         ", c = ','",
                                         ", bracket = streams[0] == s"};
  static constexpr const char *Wrong[] = {
      ", layer = n, layer = n",   ", = n",     ", layer =",       ", ,", ", holder", ", 3 4",
      ", stream = s, stream = s", ", n n = n", ", a < n, n > (n)"};
  while (Pick.percent(30))
    Result += Pick.of(Keys);
  if (Pick.percent(15))
    Result += ", stream = " + stream();
  if (wild(12))
    Result += Pick.of(Wrong);
  return Result;
}

std::string Grammar::name() {
  if (wild(15))
    return Pick.of({"\"{}\"", "\"{\"", "\"}\"", "\"{1}\", n", "u8\"a\"", "L\"a\"", "\"a\"_s", "n",
                    "\"a\" n", "NAME(x) \"b\"", "\"{:d}\", n", "\"{0} {}\", n, n", "\"a\", n",
                    "\"{} {}\", BOTH", "EMPTY", "\"a\" EMPTY"});
  static constexpr const char *Names[] = {"\"a\"",
                                          "\"name {}\", n",
                                          "\"a\" \"b\"",
                                          "\"a {} {}\", n, n + 1",
                                          "\"{{}}\"",
                                          "R\"(raw)\"",
                                          "R\"x(two\nlines)x\"",
                                          "NAME(n)",
                                          "\"\\n\\x41\\\"\"",
                                          "\"\"",
                                          "\"{1} {0}\", n, n",
                                          "\"a\"\n    \"b\"",
                                          "\"\\u00e9 \xc3\xa9\"",
                                          "\"{:>5}\", n",
                                          "\"a /* b */ // c\"",
                                          "\"x\", stream = s",
                                          "\"x {}\", (n, n)",
                                          "\"?\?/\"",
                                          "\"]]\""};
  return Pick.of(Names);
}

std::string Grammar::entry() {
  if (wild(8))
    return Pick.of({"tim", "Time", "times(\"a\")", "ignored", "time(", "time)", "time(\"a\"))",
                    "steps", "step(\"a\")", "ignore()", "time...", "time(\"a\")...", "time<int>",
                    "1"});
  if (Pick.percent(8))
    return "step";
  if (wild(8))
    return "ignore";
  if (Pick.percent(25))
    return "time";
  if (Pick.percent(10))
    return "time()";
  if (Pick.percent(10)) { // values without a name
    const std::string Values = values();
    return Values.empty() ? "time" : "time(" + Values.substr(2) + ")";
  }
  return "time(" + name() + values() + ")";
}

std::string Grammar::annotation() {
  const char *Space =
      Pick.percent(80) ? " " : Pick.of({"", "\n", "\t", " /* c */ ", " \\\n ", " // c\n"});
  if (wild(10))
    switch (Pick.below(7)) {
    case 0:
      return "[[likely, graphprof::" + entry() + "]]" + Space;
    case 1:
      return "[[graphprof::" + entry() + ", likely]]" + Space;
    case 2:
      return "[[graphprof::" + entry() + ", graphprof::" + entry() + "]]" + Space;
    case 3:
      return "[[using graphprof: " + entry() + ", " + entry() + "]]" + Space;
    case 4:
      return "[[gnu::unused, , graphprof::" + entry() + ",]]" + Space;
    case 5:
      return "__attribute__((unused)) [[graphprof::" + entry() + "]]" + Space;
    default:
      return "[[graphprof::" + entry() + "]] [[graphprof::" + entry() + "]]" + Space;
    }
  switch (Pick.below(24)) {
  case 0:
    return "[[using graphprof: " + entry() + "]]" + Space;
  case 1:
    return "[ [graphprof::" + entry() + "] ]" + Space;
  case 2:
    return "[[ /* c */ graphprof :: " + entry() + " // c\n ]]" + Space;
  case 3:
    return "[[graphprof\\\n::" + entry() + "]]" + Space;
  case 4:
    return "[[likely]] [[graphprof::" + entry() + "]]" + Space;
  case 5:
    return "[[graphprof::" + entry() + "]] [[unlikely]]" + Space;
  case 6:
    return "[[graphprof::step]] [[graphprof::time]]" + std::string(Space);
  case 7:
    return "TIMED(" + name() + values() + ")" + Space;
  case 8:
    return "[[graphprof::ignore]]" + std::string(Space);
  case 9:
    return "<:<:graphprof::" + entry() + ":>:>" + Space;
  default:
    return "[[graphprof::" + entry() + "]]" + Space;
  }
}

std::string Grammar::maybeAnnotation(unsigned Chance) {
  return Pick.percent(Chance) ? annotation() : "";
}

} // namespace graphprof::fuzz
