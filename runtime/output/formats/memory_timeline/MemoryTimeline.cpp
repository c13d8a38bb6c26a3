// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/memory_timeline/MemoryTimeline.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "output/io/JsonWriter.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using Action = MemoryTimeline::Action;

constexpr std::size_t shownBlocks = 20;
constexpr std::string_view between = ", "; // as Python writes lists
// The size of the plot, in pixels.
constexpr int width = 1200, height = 420, left = 90, bottom = 40, top = 10;
constexpr std::array<std::string_view, MemoryTimeline::categories> colors = {
    "#4e79a7", "#59a14f", "#f28e2b", "#b07aa1", "#76b7b2"};
constexpr std::array<std::string_view, MemoryTimeline::categories> meanings = {
    "cudaMalloc, cuMemCreate", "cudaMallocAsync, from a pool", "cudaMallocManaged",
    "cudaMallocHost, cudaHostAlloc", "in graphs"};

std::size_t indexOf(MemoryKind kind) { return static_cast<std::size_t>(kind); }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text))
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

// The smallest of 1, 2 or 5 times a power of ten that is at least `least`.
double roundStep(double least) {
  double step = 1;
  while (step < least)
    step *= 10;
  while (step / 10 >= least)
    step /= 10;
  for (const double part : {0.2, 0.5})
    if (step * part >= least)
      return step * part;
  return step;
}

} // namespace

std::optional<int> memoryDevice(std::string_view text, std::span<const MemoryEvent> events) {
  constexpr std::string_view cuda = "cuda";
  if (text.empty()) {
    int first = -1;
    for (const MemoryEvent &event : events)
      if (event.device >= 0 && (first < 0 || event.device < first))
        first = event.device;
    return first;
  }
  if (text == "cpu")
    return -1;
  if (!text.starts_with(cuda))
    return std::nullopt;
  text.remove_prefix(cuda.size());
  if (text.empty())
    return 0;
  int device = -1;
  const char *const end = text.data() + text.size();
  if (text.front() != ':' || text.size() < 2 || text[1] == '-')
    return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data() + 1, end, device);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return device;
}

MemoryTimeline::MemoryTimeline(std::span<const MemoryEvent> events, int device,
                               std::span<const MemoryHeld> held)
    : device_(device) {
  std::copy_if(events.begin(), events.end(), std::back_inserter(events_),
               [device](const MemoryEvent &event) { return event.device == device; });
  sortByTime(events_);

  struct Block {
    std::int64_t bytes;
    MemoryKind kind;
  };
  std::unordered_map<std::uint64_t, Block> live;
  std::array<bool, categories> seen{};
  std::vector<Point> before;
  for (const MemoryEvent &event : events_) {
    const std::size_t kind = indexOf(event.kind);
    if (!std::exchange(seen[kind], true))
      rest_[kind] = static_cast<std::int64_t>(event.allocated) - event.bytes;
    if (event.bytes >= 0) {
      const auto [block, isNew] = live.try_emplace(event.address, Block{event.bytes, event.kind});
      const Action action = isNew ? Action::Create : Action::IncrementVersion;
      if (!isNew)
        points_.push_back({event.timeNs, action, -block->second.bytes, block->second.kind});
      points_.push_back({event.timeNs, action, event.bytes, event.kind});
      block->second = {event.bytes, event.kind};
      continue;
    }
    if (live.erase(event.address) == 0) {
      before.push_back({-1, Action::Preexisting, -event.bytes, event.kind});
      rest_[kind] += event.bytes;
    }
    points_.push_back({event.timeNs, Action::Destroy, event.bytes, event.kind});
  }
  for (const MemoryHeld &before : held)
    if (before.device == device && !events_.empty() && !seen[indexOf(before.kind)])
      rest_[indexOf(before.kind)] = static_cast<std::int64_t>(before.bytes);
  for (std::size_t kind = 0; kind < categories; ++kind) {
    // Too little if a block reused the address of an older one whose free was not seen.
    rest_[kind] = std::max<std::int64_t>(rest_[kind], 0);
    if (rest_[kind] > 0)
      before.push_back({-1, Action::Preexisting, rest_[kind], static_cast<MemoryKind>(kind)});
  }
  points_.insert(points_.begin(), before.begin(), before.end());
}

std::string MemoryTimeline::rawJson() const {
  std::string text;
  JsonWriter json(text, between);
  json.beginArray();
  for (const Point &point : points_)
    json.beginArray()
        .value(point.timeNs)
        .value(static_cast<int>(point.action))
        .value(point.bytes)
        .value(indexOf(point.kind))
        .endArray();
  json.endArray();
  return text;
}

std::int64_t MemoryTimeline::State::total() const {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

// One state for each time. What existed before belongs to the first.
std::vector<MemoryTimeline::State> MemoryTimeline::states() const {
  std::vector<State> states;
  for (const Point &point : points_) {
    const std::int64_t timeNs = point.timeNs < 0 ? events_.front().timeNs : point.timeNs;
    if (states.empty())
      states.push_back({timeNs, {}});
    else if (point.timeNs >= 0 && timeNs != states.back().timeNs)
      states.push_back({timeNs, states.back().sizes});
    states.back().sizes[indexOf(point.kind)] += point.bytes;
  }
  return states;
}

// As in torch.profiler: all that happens in one microsecond is one state, and what existed before
// is a state of its own.
std::string MemoryTimeline::json() const {
  constexpr std::int64_t nsPerUs = 1000;
  std::string times, sizes;
  JsonWriter timesJson(times, between), sizesJson(sizes, between);
  timesJson.beginArray();
  sizesJson.beginArray();
  Sizes now{};
  const auto add = [&](std::int64_t timeUs) {
    timesJson.value(timeUs);
    sizesJson.beginArray().value(0);
    for (const std::int64_t bytes : now)
      sizesJson.value(bytes);
    sizesJson.endArray();
  };
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto timeUs = [this](std::size_t point) {
      const std::int64_t ns = points_[point].timeNs;
      return ns < 0 ? ns : ns / nsPerUs;
    };
    now[indexOf(points_[i].kind)] += points_[i].bytes;
    if (i + 1 == points_.size() || timeUs(i + 1) != timeUs(i))
      add(timeUs(i) < 0 ? events_.front().timeNs / nsPerUs : timeUs(i));
  }
  timesJson.endArray();
  sizesJson.endArray();
  return '[' + times + std::string(between) + sizes + ']';
}

std::vector<MemoryTimeline::Live> MemoryTimeline::liveAt(std::int64_t timeNs) const {
  std::map<std::uint64_t, Live> live;
  // A block that is freed later existed. It is from before the recording if nothing else is known.
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (event->timeNs <= timeNs)
      break;
    if (event->bytes < 0)
      live.insert_or_assign(
          event->address, Live{-event->bytes, event->address, -1, -1, event->kind, std::string()});
    else
      live.erase(event->address);
  }
  for (const MemoryEvent &event : events_) {
    if (event.timeNs > timeNs)
      break;
    if (event.bytes < 0)
      live.erase(event.address);
    else
      live.insert_or_assign(event.address, Live{event.bytes, event.address, event.timeNs,
                                                event.step, event.kind, std::string(event.path)});
  }
  std::vector<Live> blocks;
  blocks.reserve(live.size());
  for (auto &[address, block] : live)
    blocks.push_back(std::move(block));
  std::sort(blocks.begin(), blocks.end(), [](const Live &one, const Live &other) {
    return one.bytes != other.bytes ? one.bytes > other.bytes : one.address < other.address;
  });
  return blocks;
}

// Areas on top of each other, in steps. Of several states at one pixel, draws the largest.
std::string MemoryTimeline::plot(const std::vector<State> &states, std::int64_t peak) const {
  const std::int64_t firstNs = states.front().timeNs;
  const std::int64_t spanNs = std::max<std::int64_t>(states.back().timeNs - firstNs, 1);
  constexpr int plotWidth = width - left, plotHeight = height - bottom - top;
  const auto x = [&](std::int64_t ns) {
    return left + static_cast<int>(static_cast<double>(ns - firstNs) / static_cast<double>(spanNs) *
                                   (plotWidth - 1));
  };
  const auto y = [&](std::int64_t bytes) {
    return top + plotHeight * (1 - static_cast<double>(bytes) / static_cast<double>(peak));
  };

  // By pixel: the largest state, and the one with which the next pixels continue.
  std::map<int, std::pair<State, State>> columns;
  for (const State &state : states) {
    const auto [column, isNew] = columns.try_emplace(x(state.timeNs), state, state);
    if (!isNew && state.total() > column->second.first.total())
      column->second.first = state;
    column->second.second = state;
  }

  std::string svg = fmt::format(R"(<svg viewBox="0 0 {} {}" width="{}" height="{}" role="img">)",
                                width, height, width, height);
  svg += '\n';
  Sizes used{};
  for (const State &state : states)
    for (std::size_t kind = 0; kind < categories; ++kind)
      used[kind] = std::max(used[kind], state.sizes[kind]);
  for (std::size_t kind = 0; kind < categories; ++kind) {
    if (used[kind] == 0)
      continue;
    std::string points; // of the upper edge, then of the lower edge backwards
    std::vector<std::string> lower;
    const auto corner = [&](int at, const State &state) {
      const std::int64_t base =
          std::accumulate(state.sizes.begin(),
                          state.sizes.begin() + static_cast<std::ptrdiff_t>(kind), std::int64_t{0});
      points += fmt::format("{},{:.1f} ", at, y(base + state.sizes[kind]));
      lower.push_back(fmt::format("{},{:.1f} ", at, y(base)));
    };
    std::optional<State> last;
    for (const auto &[at, column] : columns) {
      if (last)
        corner(at, *last);
      corner(at, column.first);
      corner(at + 1, column.first);
      corner(at + 1, column.second);
      last = column.second;
    }
    for (auto point = lower.rbegin(); point != lower.rend(); ++point)
      points += *point;
    svg += fmt::format("<polygon fill=\"{}\" points=\"{}\"/>\n", colors[kind], points);
  }

  constexpr double nsPerMs = 1e6, marks = 8;
  const double stepMs = roundStep(static_cast<double>(spanNs) / nsPerMs / marks);
  const int last = static_cast<int>(static_cast<double>(spanNs) / nsPerMs / stepMs);
  for (int i = 0; i <= last; ++i) {
    const double ms = i * stepMs;
    const int at = x(firstNs + static_cast<std::int64_t>(ms * nsPerMs));
    svg += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>"
                       "<text x=\"{0}\" y=\"{3}\" text-anchor=\"middle\">{4:g} ms</text>\n",
                       at, height - bottom, height - bottom + 5, height - bottom + 20, ms);
  }
  constexpr int lines = 4;
  for (int i = 0; i <= lines; ++i) {
    const std::int64_t bytes = peak * i / lines;
    svg += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>"
                       "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                       left, width, y(bytes), left - 6, y(bytes) + 4, formatBytes(bytes));
  }
  return svg + "</svg>\n";
}

std::string MemoryTimeline::html(std::string_view title) const {
  const std::vector<State> all = states();
  const auto peak =
      std::max_element(all.begin(), all.end(), [](const State &one, const State &other) {
        return one.total() < other.total();
      });
  const std::string device = device_ < 0 ? "cpu" : fmt::format("cuda:{}", device_);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Memory of {0} on "
      "{1}</title>\n<style>body{{font:14px sans-serif;margin:24px;color:#222}} "
      "h1{{font-size:20px}} svg text{{font:12px sans-serif;fill:#444}} svg line{{stroke:#888}} "
      "svg line.grid{{stroke:#0002}} table{{border-collapse:collapse}} "
      "td,th{{padding:3px 14px 3px 0;text-align:left}} td.n,th.n{{text-align:right}} "
      "i{{display:inline-block;width:12px;height:12px;margin-right:6px}}</style></head>\n<body>\n"
      "<h1>Memory of {0} on {1}</h1>\n<p>At most {2} ({3} bytes), {4:.3f} ms after the first "
      "event.</p>\n",
      escaped(title), device, formatBytes(peak->total()), peak->total(),
      static_cast<double>(peak->timeNs - all.front().timeNs) * 1e-6);
  page += plot(all, std::max<std::int64_t>(peak->total(), 1));

  page += "<table>\n<tr><th>Category</th><th></th><th class=\"n\">At the peak</th>"
          "<th class=\"n\">At the end</th></tr>\n";
  for (std::size_t kind = 0; kind < categories; ++kind)
    if (std::any_of(all.begin(), all.end(),
                    [kind](const State &state) { return state.sizes[kind] != 0; }))
      page += fmt::format("<tr><td><i style=\"background:{}\"></i>{}</td><td>{}</td>"
                          "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                          colors[kind], word(static_cast<MemoryKind>(kind)), meanings[kind],
                          formatBytes(peak->sizes[kind]), formatBytes(all.back().sizes[kind]));
  page += "</table>\n";

  const std::vector<Live> blocks = liveAt(peak->timeNs);
  page += "<h2>The largest blocks at the peak</h2>\n<table>\n<tr><th class=\"n\">Size</th>"
          "<th>Category</th><th>Address</th><th>Step</th><th>Allocated in</th></tr>\n";
  for (std::size_t i = 0; i < std::min(blocks.size(), shownBlocks); ++i) {
    const Live &block = blocks[i];
    const std::string where = !block.path.empty() ? escaped(block.path)
                              : block.timeNs < 0  ? "(before the recording)"
                                                  : "(no region)";
    page += fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td>{:#x}</td><td>{}</td><td>{}</td>"
                        "</tr>\n",
                        formatBytes(block.bytes), word(block.kind), block.address,
                        block.step < 0 ? std::string() : std::to_string(block.step), where);
  }
  if (blocks.size() > shownBlocks)
    page += fmt::format("<tr><td></td><td colspan=\"4\">and {} more</td></tr>\n",
                        blocks.size() - shownBlocks);
  if (const std::int64_t rest = std::accumulate(rest_.begin(), rest_.end(), std::int64_t{0}))
    page += fmt::format("<tr><td class=\"n\">{}</td><td colspan=\"4\">in blocks from before the "
                        "recording that are not freed in it</td></tr>\n",
                        formatBytes(rest));
  return page + "</table>\n</body></html>\n";
}

} // namespace graphprof
