// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Runs.h"

#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/data/LossText.h"
#include "output/io/Text.h"

namespace graphprof {

std::vector<std::string> runLines(const std::vector<RunFacts> &runs, std::string_view before) {
  constexpr std::size_t most = 8;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunFacts &run = runs[i];
    if (i >= most && run.missing.empty())
      continue;
    std::vector<std::string> about;
    if (run.name() != run.file)
      about.push_back(run.name());
    about.insert(about.end(), run.devices.begin(), run.devices.end());
    if (!run.driver.empty())
      about.push_back("driver " + run.driver);
    lines.push_back(fmt::format("{}{}{}{}", before, run.file, about.empty() ? "" : ": ",
                                fmt::join(about, ", ")));
    if (!run.missing.empty())
      lines.push_back(fmt::format("{}{}: {}", before, run.file, run.missing));
  }
  if (runs.size() > most)
    lines.push_back(fmt::format("{}and {} more runs", before, runs.size() - most));
  return lines;
}

OrderedJson runsJson(const std::vector<RunFacts> &runs) {
  OrderedJson list = OrderedJson::array();
  for (const RunFacts &run : runs) {
    OrderedJson losses = OrderedJson::object();
    for (const LossKind &kind : lossKinds())
      if (const std::uint64_t count = run.losses.*kind.count)
        losses[kind.key] = count;
    list.push_back({{"file", utf8(run.file)},
                    {"host", utf8(run.run.host)},
                    {"program", utf8(run.run.program)},
                    {"pid", run.run.pid},
                    {"rank", run.run.rank},
                    {"began_ns", run.run.beganNs},
                    {"devices", run.devices},
                    {"driver", run.driver.empty() ? OrderedJson() : OrderedJson(run.driver)},
                    {"losses", losses},
                    {"missing", run.missing.empty() ? OrderedJson() : OrderedJson(run.missing)},
                    {"remarks", run.remarks}});
  }
  return list;
}

std::vector<std::string> lossLines(const std::vector<RunFacts> &runs, std::string_view before) {
  Losses all{};
  for (const RunFacts &run : runs)
    for (const LossKind &kind : lossKinds())
      all.*kind.count += run.losses.*kind.count;
  std::vector<std::string> lines;
  for (const std::string &sentence : lossSentences(all))
    lines.push_back(fmt::format("{}{}", before, sentence));
  return lines;
}

} // namespace graphprof
