// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/graph/GraphPicture.h"

#include <utility>

#include "output/Format.h"
#include "output/formats/graph/GraphText.h"
#include "output/formats/graph/Graphviz.h"

namespace graphprof {

namespace {

// Graphviz takes minutes for more, and nobody could read the picture.
constexpr std::size_t maxDrawn = 3'000;

} // namespace

std::optional<GraphForm> graphFormOf(std::string_view path) {
  if (path.ends_with(".dot"))
    return GraphForm::Dot;
  if (path.ends_with(".svg"))
    return GraphForm::Svg;
  if (path.ends_with(".json"))
    return GraphForm::Json;
  return std::nullopt;
}

GraphPicture::GraphPicture(std::string path, GraphForm form, std::size_t maxRecords,
                           OfOthers others)
    : path_(std::move(path)), form_(form), others_(others), times_(maxRecords) {}

std::string GraphPicture::write(const Batch &batch) {
  times_.add(batch);
  return {};
}

std::string GraphPicture::drawn() {
  const std::string dot = graphsAsDot(times_);
  std::size_t nodes = 0;
  for (const auto &timed : times_.graphs())
    nodes += timed->graph->nodes.size();
  const Drawn picture = nodes <= maxDrawn
                            ? svgOf(dot)
                            : Drawn{{},
                                    std::to_string(nodes) + " nodes are more than the " +
                                        std::to_string(maxDrawn) + " that are drawn"};
  if (picture.why.empty())
    return writeWhole(path_, picture.svg, others_, &written_);
  const std::string beside = path_.substr(0, path_.size() - 4) + ".dot";
  const std::string failure = writeWhole(beside, dot, others_, &written_);
  const auto seen = [this](const std::string &path) {
    return others_ == OfOthers::Spared ? asSeenFromOrigin(path) : path;
  };
  return seen(path_) + ": " + picture.why + "; " +
         (failure.empty() ? seen(beside) + " is there instead: dot -Tsvg draws it" : failure);
}

std::string GraphPicture::close(const Losses &) {
  if (form_ == GraphForm::Svg)
    return drawn();
  return writeWhole(path_, form_ == GraphForm::Dot ? graphsAsDot(times_) : graphsAsJson(times_),
                    others_, &written_);
}

namespace {} // namespace

constinit const Format formats::graph = {
    .word = "graph",
    .endings = {".dot", ".svg"}, // .json alone is a trace
    .items = "PATH.dot, PATH.svg, graph:PATH.json",
    .mode = WriteMode::AtEnd,
    .drawsGraphs = true,
    .checkPath =
        [](std::string_view path) {
          return std::string(graphFormOf(path) ? "" : "must end in .dot, .svg or .json");
        },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      const std::optional<GraphForm> form = graphFormOf(settings.path);
      return form ? std::make_unique<GraphPicture>(settings.path, *form, settings.maxRecords,
                                                   OfOthers::Spared)
                  : nullptr;
    },
};

} // namespace graphprof
