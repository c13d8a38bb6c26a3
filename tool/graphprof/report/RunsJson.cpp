// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "RunsJson.h"

#include "output/data/LossText.h"
#include "output/io/Text.h"

namespace graphprof {

nlohmann::ordered_json runsJson(const std::vector<RunFacts> &runs) {
  using OrderedJson = nlohmann::ordered_json;
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

} // namespace graphprof
