// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/graph/GraphPicture.h"

#include <utility>

#include "output/Format.h"
#include "output/formats/graph/GraphText.h"

namespace graphprof {

std::optional<GraphForm> graphFormOf(std::string_view path) {
  if (path.ends_with(".dot"))
    return GraphForm::Dot;
  if (path.ends_with(".json"))
    return GraphForm::Json;
  return std::nullopt;
}

GraphPicture::GraphPicture(std::string path, GraphForm form, std::size_t maxRecords,
                           Existing others)
    : path_(std::move(path)), form_(form), others_(others), times_(maxRecords) {}

std::string GraphPicture::write(const Batch &batch) {
  times_.add(batch);
  return {};
}

std::string GraphPicture::close(const Losses &) {
  return writeWhole(path_, form_ == GraphForm::Dot ? graphsAsDot(times_) : graphsAsJson(times_),
                    others_, &written_);
}

constinit const Format formats::graph = {
    .word = "graph",
    // .json alone is a trace; .svg is refused, with what makes it
    .endings = {".dot", ".svg"},
    .items = "PATH.dot, graph:PATH.json",
    .mode = WriteMode::AtEnd,
    .drawsGraphs = true,
    .wrote =
        [](std::string_view head) {
          return head.starts_with("digraph graphprof {") ||
                 head.starts_with(R"({"schema":"graphprof-graphs)");
        },
    .checkPath = [](std::string_view path) -> std::string {
      if (graphFormOf(path))
        return {};
      return path.ends_with(".svg") ? "is made of PATH.dot afterwards: graphprof convert PATH.dot "
                                      "PATH.svg; name PATH.dot here"
                                    : "must end in .dot or .json";
    },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      const std::optional<GraphForm> form = graphFormOf(settings.path);
      return form ? std::make_unique<GraphPicture>(settings.path, *form, settings.maxRecords,
                                                   Existing::KeepForeign)
                  : nullptr;
    },
};

} // namespace graphprof
