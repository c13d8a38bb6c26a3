// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/CaptureRecorder.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/timing/Drawing.h"
#include "session/Session.h"

namespace graphprof {

CaptureRecorder::CaptureRecorder(GraphClock &clock, driver::Stream origin, const Frontier &frontier,
                                 bool isBody)
    : marks_(clock), lanes_(origin, frontier.nodes) {
  if (!isBody)
    return;
  marks_.cannotBeCopied();
  marks_.begin(origin, frontier); // now, so that its root comes before everything else
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
  request.extents.regions.reserve(regions_.size());
  for (const Region &region : regions_)
    request.extents.regions.push_back({region.begin, region.end, region.depth});
  if (Session::instance().config().nodes || wantsDrawings()) {
    request.extents.open = lanes_.resolve(shape);
    request.owners = ownersIn(shape, request.extents);
  }
  request.regions = std::move(regions_);
  return request;
}

void CaptureRecorder::waiting(driver::Stream stream, const Frontier &frontier) {
  lanes_.observe(stream, frontier.nodes);
}

void CaptureRecorder::waited(driver::Stream stream, const Frontier &frontier) {
  for (const driver::Stream other : lanes_.openOnes()) {
    Frontier there;
    if (other != stream && !driver::isInEachContext(other) &&
        Frontier::read(other, there) == Frontier::Status::Capturing &&
        there.captureId == frontier.captureId)
      lanes_.observe(other, std::move(there.nodes));
  }
  std::size_t created = 0;
  if (!driver::ok(driver::cu().graphGetNodes(frontier.graph, nullptr, &created)))
    created = 0;
  lanes_.waited(stream, frontier.nodes, created);
}

void CaptureRecorder::nodeGoes(driver::Node node) {
  lanes_.nodeGoes(node);
  marks_.nodeGoes(node);
}

std::optional<std::size_t> CaptureRecorder::open(const Site &site, std::vector<Value> context,
                                                 int depth, driver::Stream stream,
                                                 const Frontier &frontier) {
  const auto begin = marks_.boundary(stream, frontier);
  if (!begin)
    return std::nullopt;
  std::string name = Session::instance().nameOf(site, context);
  lanes_.opened(regions_.size(), stream, frontier.nodes);
  regions_.push_back(Region{&site,
                            std::move(context),
                            std::move(name),
                            depth,
                            *begin,
                            Region::unfinished,
                            Kind::Region,
                            nullptr,
                            {}});
  return regions_.size() - 1;
}

void CaptureRecorder::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  regions_[region].end = marks_.boundary(stream, frontier).value_or(Region::unfinished);
  lanes_.closed(region, stream, frontier.nodes);
}

void CaptureRecorder::discard(std::size_t region) {
  if (region + 1 != regions_.size())
    return;
  regions_.pop_back();
  lanes_.discarded(region);
}

std::string CaptureRecorder::nameOf(std::size_t region) const {
  return region < regions_.size() ? regions_[region].name : std::string();
}

} // namespace graphprof
