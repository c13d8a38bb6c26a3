// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Page.h"

#include <cstddef>

#include "graphprof/version.h"

// PageParts.S: each from its symbol to the one with End.
extern "C" {
#define PART(name) extern const char name[], name##End[];
PART(graphprofPageFrame)
PART(graphprofPageStyle)
PART(graphprofPageScript)
PART(graphprofPageCharts)
PART(graphprofPageLicenses)
#undef PART
}

namespace graphprof {

namespace {

std::string_view part(const char *from, const char *to) {
  return {from, static_cast<std::size_t>(to - from)};
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text)
    switch (c) {
    case '<':
      safe += "&lt;";
      break;
    case '&':
      safe += "&amp;";
      break;
    default:
      safe += c;
    }
  return safe;
}

// JSON inside a script element: no end tag and no comment can begin in it.
std::string jsonInPage(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

} // namespace

std::string pageText(std::string_view title, std::string_view json) {
  std::string_view frame = part(graphprofPageFrame, graphprofPageFrameEnd);
  std::string page;
  // Places in the frame look like this: @TITLE@.
  while (!frame.empty()) {
    const std::size_t at = frame.find('@');
    page += frame.substr(0, at);
    if (at == std::string_view::npos)
      break;
    const std::size_t end = frame.find('@', at + 1);
    const std::string_view name = frame.substr(at + 1, end - at - 1);
    if (name == "TITLE")
      page += escaped(title);
    else if (name == "VERSION")
      page += GRAPHPROF_VERSION_STRING;
    else if (name == "STYLE")
      page += part(graphprofPageStyle, graphprofPageStyleEnd);
    else if (name == "CHARTS")
      page += part(graphprofPageCharts, graphprofPageChartsEnd);
    else if (name == "SCRIPT")
      page += part(graphprofPageScript, graphprofPageScriptEnd);
    else if (name == "LICENSES")
      page += escaped(part(graphprofPageLicenses, graphprofPageLicensesEnd));
    else if (name == "DATA")
      page += jsonInPage(json);
    frame.remove_prefix(end + 1);
  }
  return page;
}

} // namespace graphprof
