// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pictures of graphs in Graphviz's language.

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/data/Places.h"
#include "output/formats/graph/GraphText.h"
#include "output/io/Text.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

constexpr std::uint32_t none = GraphNodes::none;

std::string dotString(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\')
      result += '\\';
    result += character;
  }
  return result + '"';
}

// From white to orange, which is reached at half of the replay.
std::string colourOf(double percent) {
  const double share = std::clamp(percent, 0.0, 50.0) / 50.0;
  const auto mixed = [share](int dark) {
    return 255 - static_cast<int>(share * static_cast<double>(255 - dark));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(0xf2), mixed(0x9d), mixed(0x4b));
}

// Not exact: with "about", because a picture has no room to say more.
std::string median(const Distribution &durations) {
  return (durations.exact() ? "" : "about ") +
         formatTime(durations.quantileNs(0.5), durations.exact());
}

class Picture {
public:
  Picture(const GraphWithTimes &timed, std::size_t number)
      : timed_(timed), graph_(*timed.graph), prefix_(fmt::format("g{}_", number)) {
    inRegion_.resize(graph_.regions.size() + 1);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      inRegion_[place(graph_.nodes[i].region)].push_back(i);
    regionsIn_.resize(graph_.regions.size() + 1);
    for (std::uint32_t i = 0; i < graph_.regions.size(); ++i)
      if (!graph_.regions[i].isNode)
        regionsIn_[place(graph_.regions[i].parent)].push_back(i);
  }

  std::string text() {
    begin(1, fmt::format("{}all", prefix_), title(), "style=rounded; color=\"#888888\"");
    addInside(none, 2);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      addEdges(i);
    line(1, "}");
    return std::move(text_);
  }

private:
  // The graph itself is the last place.
  [[nodiscard]] std::size_t place(std::uint32_t region) const {
    return region < graph_.regions.size() ? region : graph_.regions.size();
  }
  void line(int depth, std::string_view text) {
    fmt::format_to(std::back_inserter(text_), "{:{}}{}\n", "", 2 * depth, text);
  }
  void begin(int depth, std::string_view cluster, std::string_view label, std::string_view how) {
    line(depth, fmt::format("subgraph {} {{", dotString(fmt::format("cluster_{}", cluster))));
    line(depth + 1, fmt::format("label={}; {}", label, how));
  }

  [[nodiscard]] std::string title() const {
    const std::string several =
        fmt::format("{} graphs, {} to {}", timed_.graphs, timed_.first, timed_.last);
    std::string title = timed_.graphs == 1
                            ? printable(shownGraph(timed_.serves.get(), timed_.first))
                        : timed_.serves ? printable(timed_.serves->text) + ", " + several
                                        : several;
    fmt::format_to(std::back_inserter(title), ": {}", counted(timed_.replays, "replay", "replays"));
    if (const Distribution &spans = timed_.spans.shown(); !spans.empty())
      fmt::format_to(std::back_inserter(title), ", {} in the median{}", median(spans),
                     timed_.spans.isCold() ? coldMark : "");
    return dotString(title);
  }
  // A name, with the times of a region below it.
  [[nodiscard]] std::string label(std::string_view name, std::uint32_t region) const {
    std::string text = dotString(printable(name));
    if (region >= timed_.regions.size() || timed_.regions[region].shown().durations.empty())
      return text;
    text.pop_back();
    fmt::format_to(std::back_inserter(text), "\\n{}{}",
                   median(timed_.regions[region].shown().durations),
                   timed_.regions[region].isCold() ? coldMark : "");
    if (const double percent = timed_.percentOf(region); percent >= 0)
      fmt::format_to(std::back_inserter(text), " · {:.1f}%", percent);
    return text + '"';
  }
  [[nodiscard]] std::string fill(std::uint32_t region) const {
    return region < timed_.regions.size() ? colourOf(timed_.percentOf(region)) : "#ffffff";
  }

  void addInside(std::uint32_t region, int depth) {
    for (const std::uint32_t inner : regionsIn_[place(region)]) {
      const GraphNodes::Region &drawn = graph_.regions[inner];
      begin(depth, fmt::format("{}r{}", prefix_, inner), label(drawn.name, inner),
            fmt::format("style=\"rounded,filled\"; color=\"#888888\"; fillcolor=\"{}\"",
                        fill(inner)));
      addInside(inner, depth + 1);
      line(depth, "}");
    }
    for (const std::uint32_t node : inRegion_[place(region)])
      addNode(node, depth);
  }
  void addNode(std::uint32_t number, int depth) {
    const GraphNodes::Node &node = graph_.nodes[number];
    std::string how, name = node.name;
    if (node.timed < timed_.places.size())
      name = nameAt(name, timed_.places[node.timed]);
    if (node.timed != none)
      how = fmt::format(", fillcolor=\"{}\"", fill(node.timed));
    if (node.type != "kernel")
      how += ", shape=ellipse";
    if (timed_.isCritical(number))
      how += ", penwidth=3";
    line(depth, fmt::format("{}n{} [label={}{}]", prefix_, number,
                            withSlack(label(name, node.timed), number), how));
  }
  // The slack of a node that is not on the critical path, in a line of its own.
  [[nodiscard]] std::string withSlack(std::string label, std::uint32_t number) const {
    if (number >= timed_.nodes.size() || timed_.isCritical(number))
      return label;
    const SlackFigures &slack = timed_.nodes[number].slack;
    const std::string text = slack.isClaimed() ? median(slack.ns) : std::string(slack.whyNot());
    if (text.empty())
      return label;
    label.pop_back();
    return label + "\\nslack: " + text + '"';
  }
  void addEdges(std::uint32_t number) {
    const GraphNodes::Node &node = graph_.nodes[number];
    for (const std::uint32_t before : node.after) {
      std::string how;
      if (timed_.isCritical(number) && timed_.isCritical(before) &&
          timed_.nodes[number].waitedFor == before)
        how = "penwidth=3";
      if (std::ranges::find(node.early, before) != node.early.end())
        how += fmt::format("{}arrowhead=empty, style=dotted", how.empty() ? "" : ", ");
      line(2, fmt::format("{0}n{1} -> {0}n{2}{3}", prefix_, before, number,
                          how.empty() ? "" : fmt::format(" [{}]", how)));
    }
    if (node.inside != none && node.after.empty())
      line(2, fmt::format("{0}n{1} -> {0}n{2} [style=dashed]", prefix_, node.inside, number));
  }

  const GraphWithTimes &timed_;
  const GraphNodes &graph_;
  const std::string prefix_;
  std::vector<std::vector<std::uint32_t>> inRegion_, regionsIn_; // by region; last: in none
  std::string text_;
};

} // namespace

std::string graphsAsDot(const GraphTimes &times) {
  std::string text = "digraph graphprof {\n"
                     "  rankdir=TB; labeljust=l; fontname=\"Helvetica\"; fontsize=11\n"
                     "  node [shape=box, style=filled, fillcolor=\"#ffffff\", "
                     "fontname=\"Helvetica\", fontsize=10]\n"
                     "  edge [color=\"#555555\"]\n";
  std::size_t number = 0;
  for (const auto &timed : times.graphs())
    text += Picture(*timed, number++).text();
  return text + "}\n";
}

} // namespace graphprof
