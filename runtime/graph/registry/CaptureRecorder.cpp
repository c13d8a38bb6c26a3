// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/CaptureRecorder.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/timing/Drawing.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

namespace {

std::optional<std::size_t> nodesIn(driver::Graph graph) {
  std::size_t count = 0;
  return driver::ok(driver::cu().graphGetNodes(graph, nullptr, &count)) ? std::optional(count)
                                                                        : std::nullopt;
}

} // namespace

CaptureRecorder::CaptureRecorder(Services &services, GraphClock &clock, driver::Stream origin,
                                 const Frontier &frontier, bool isBody)
    : services_(services), marks_(clock), origin_(origin) {
  facts_.oneStream = nodesIn(frontier.graph) == std::size_t{0};
  if (!isBody)
    return;
  marks_.cannotBeCopied();
  marks_.begin(origin, frontier); // now, so that its root comes before everything else
}

std::size_t CaptureRecorder::countNodes(driver::Stream stream, const Frontier &frontier) {
  facts_.oneStream = facts_.oneStream && stream == origin_ && frontier.nodes.size() < 2;
  return facts_.oneStream ? Added::unknown : nodesIn(frontier.graph).value_or(Added::unknown);
}

// The nodes are listed again when this capture has ended; without those that are gone by then, the
// counts of earlier regions would be of other nodes.
void CaptureRecorder::resume(driver::Stream origin) {
  origin_ = origin;
  openInOrigin_ = 0;
  for (Added &added : added_)
    added.inOrigin = false;
  facts_.oneStream = false;
  facts_.isEdited =
      facts_.isEdited || std::ranges::find(facts_.nodes, nullptr) != facts_.nodes.end();
  facts_.nodes.clear();
}

void CaptureRecorder::ended(driver::Graph graph) {
  if (!regions_.empty())
    facts_.nodes = nodesOf(graph).value_or(Nodes());
}

std::optional<TimingRequest> CaptureRecorder::request(const Shape &shape, std::string &why) {
  TimingRequest request;
  request.marks = marks_.take();
  if (!shape.known()) {
    why = "the driver does not say how the graph is built";
    return std::nullopt;
  }
  auto frontiers = marks_.takeFrontiers(shape);
  if (!frontiers) {
    why = "the node before a region was removed; capture it again";
    return std::nullopt;
  }
  request.extents.frontiers = std::move(*frontiers);
  CaptureExtents extents(shape, facts_, request.marks, request.extents);
  for (std::size_t i = 0; i < regions_.size(); ++i)
    extents.add(regions_[i], added_[i]);
  extents.keepApart(added_);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Extent &extent = request.extents.regions[i];
    regions_[i].isEmpty = extent.isEmpty;
    if (!extent.ends() || extent.isEmpty)
      regions_[i].endAt({});
  }
  if (!extents.loss().empty())
    services_.say(extents.loss());
  if (services_.config().nodes || services_.wantsDrawings())
    request.owners = ownersIn(shape, request.extents);
  request.regions = std::move(regions_);
  return request;
}

void CaptureRecorder::nodeGoes(driver::Node node) {
  marks_.nodeGoes(node);
  facts_.isEdited = facts_.isEdited || facts_.nodes.empty();
  std::ranges::replace(facts_.nodes, node, nullptr);
}

std::optional<std::size_t> CaptureRecorder::open(const Site &site, std::vector<Value> context,
                                                 int depth, driver::Stream stream,
                                                 const Frontier &frontier, Holds holds) {
  const auto begin = marks_.boundary(stream, frontier);
  if (!begin)
    return std::nullopt;
  std::string name = services_.nameOf(site, context);
  added_.push_back({.holds = holds,
                    .first = countNodes(stream, frontier),
                    .inOrigin = stream == origin_ && holds != Holds::OfThread,
                    .thread = std::this_thread::get_id()});
  openInOrigin_ += added_.back().inOrigin ? 1 : 0;
  regions_.push_back({.site = &site,
                      .context = std::move(context),
                      .name = std::move(name),
                      .depth = depth,
                      .begin = *begin});
  return regions_.size() - 1;
}

void CaptureRecorder::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  regions_[region].end = marks_.boundary(stream, frontier).value_or(Region::unfinished);
  added_[region].last = countNodes(stream, frontier);
  if (std::exchange(added_[region].inOrigin, false))
    --openInOrigin_;
}

void CaptureRecorder::closeJoined(const Frontier &frontier) {
  for (std::size_t region = 0; region < regions_.size(); ++region)
    if (added_[region].holds == Holds::OfThread && isOpen(region))
      close(region, origin_, frontier);
}

void CaptureRecorder::discard(std::size_t region) {
  if (region + 1 != regions_.size())
    return;
  openInOrigin_ -= added_.back().inOrigin ? 1 : 0;
  regions_.pop_back();
  added_.pop_back();
}

std::string CaptureRecorder::nameOf(std::size_t region) const {
  return region < regions_.size() ? regions_[region].name : std::string();
}

} // namespace graphprof
