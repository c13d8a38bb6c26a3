// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Page.h"

#include <cstddef>
#include <cstdint>

#include "graphprof/version.h"

// PageParts.S.
extern "C" {
#define PART(name)                                                                                 \
  extern const char name[];                                                                        \
  extern const std::uint64_t name##Size;
PART(graphprofPageFrame)
PART(graphprofPageStyle)
PART(graphprofPageScript)
PART(graphprofPageCharts)
PART(graphprofPageLicenses)
#undef PART
}

namespace graphprof {

namespace {

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
  std::string_view frame(graphprofPageFrame, graphprofPageFrameSize);
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
      page += std::string_view(graphprofPageStyle, graphprofPageStyleSize);
    else if (name == "CHARTS")
      page += std::string_view(graphprofPageCharts, graphprofPageChartsSize);
    else if (name == "SCRIPT")
      page += std::string_view(graphprofPageScript, graphprofPageScriptSize);
    else if (name == "LICENSES")
      page += escaped(std::string_view(graphprofPageLicenses, graphprofPageLicensesSize));
    else if (name == "DATA")
      page += jsonInPage(json);
    frame.remove_prefix(end + 1);
  }
  return page;
}

// The generator stands in the first lines.
bool isPage(std::string_view head) {
  return head.find(R"(<meta name="generator" content="graphprof )") != std::string_view::npos;
}

} // namespace graphprof
