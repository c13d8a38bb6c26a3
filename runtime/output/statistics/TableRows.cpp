// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/TableRows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "output/data/Path.h"
#include "output/data/Source.h"
#include "output/io/ShortName.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

// A row on its way: the regions that it stands for, and the rows inside it.
struct Building {
  std::vector<const RegionStatistics *> regions;
  std::vector<std::size_t> inside; // rows
  TableRow row;
};

std::shared_ptr<const Distribution> unowned(const Distribution &durations) {
  return {std::shared_ptr<const void>(), &durations};
}

TableRow rowOf(const std::vector<const RegionStatistics *> &regions) {
  const RegionStatistics &first = *regions.front();
  TableRow row;
  row.source = sourceOf(first.site, first.kind);
  row.regions = regions.size();
  row.kind = first.kind;
  row.place = first.place;
  row.depth = first.depth;
  row.notMeasured = first.notMeasured;
  row.isCopy = first.isCopy;
  if (regions.size() == 1) {
    row.name = first.name;
    row.durations = unowned(first.durations);
    row.busy = first.busy.shown();
    row.percentOfReplay = first.percentOfReplay();
    row.share = {first.shares, first.row};
    row.gigabytesPerSecond = first.gigabytesPerSecond();
    row.percentOverlapped = first.percentOverlapped();
    row.onPath = first.onPath.replays > 0 ? &first.onPath : nullptr;
    return row;
  }
  RegionStatistics sum;
  row.notMeasured = 0;
  std::vector<std::string_view> names;
  for (const RegionStatistics *region : regions) {
    sum.durations.add(region->durations);
    sum.busy.add(region->busy);
    sum.movedBytes += region->movedBytes;
    sum.movedNs += region->movedNs;
    sum.isCopy = sum.isCopy || region->isCopy;
    sum.overlappedNs += region->overlappedNs;
    row.notMeasured += region->notMeasured;
    names.emplace_back(region->name);
  }
  // Nodes of one name have it with a number behind it: that of the first is the name.
  row.name = first.kind == Kind::Region ? commonName(names) : first.name;
  if (first.kind != Kind::Region)
    if (const std::size_t mark = row.name.rfind(" #");
        mark != std::string::npos &&
        row.name.find_first_not_of("0123456789", mark + 2) == std::string::npos)
      row.name.resize(mark);
  row.busy = sum.busy.shown();
  row.isCopy = sum.isCopy;
  row.percentOfReplay = first.percentOfGroup();
  row.share = {first.groupShares, first.group};
  row.gigabytesPerSecond = sum.gigabytesPerSecond();
  row.percentOverlapped = sum.percentOverlapped();
  if (first.groupOnPath && first.groupOnPath->replays > 0)
    row.onPath = first.groupOnPath;
  row.durations = std::make_shared<Distribution>(std::move(sum.durations));
  return row;
}

class Rows {
public:
  Rows(const std::vector<const RegionStatistics *> &regions, const RowChoice &choice)
      : choice_(choice) {
    readTree(regions);
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < regions.size(); ++i)
      if (parents_[i] == none)
        roots.push_back(i);
    outermost_ = rowsFor(regions, roots);
    // Grows meanwhile.
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      std::vector<std::size_t> inside;
      for (const std::size_t item : items_[row])
        inside.insert(inside.end(), children_[item].begin(), children_[item].end());
      std::vector<std::size_t> made = rowsFor(regions, inside);
      rows_[row].inside = std::move(made);
    }
    if (choice.longestFirst) {
      sort(outermost_);
      for (Building &row : rows_)
        sort(row.inside);
    }
  }

  std::vector<TableRow> take() {
    const std::vector<bool> shown = chosen();
    std::vector<TableRow> result;
    for (std::size_t i = 0; i < outermost_.size();) {
      const Place place = rows_[outermost_[i]].row.place;
      std::size_t leftOut = 0;
      std::vector<const TableRow *> left; // the outermost of these
      for (; i < outermost_.size() && rows_[outermost_[i]].row.place == place; ++i)
        takeOne(outermost_[i], shown, result, leftOut, left);
      if (leftOut > 0)
        result.push_back(restRow(place, leftOut, left));
    }
    return result;
  }

private:
  static constexpr std::size_t none = SIZE_MAX;

  void readTree(const std::vector<const RegionStatistics *> &regions) {
    children_.resize(regions.size());
    std::vector<std::size_t> open; // the last region of each depth
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const auto depth = static_cast<std::size_t>(regions[i]->depth);
      open.resize(std::min(open.size(), depth));
      parents_.push_back(open.empty() ? none : open.back());
      if (!open.empty())
        children_[open.back()].push_back(i);
      if (choice_.paths)
        paths_.push_back(open.empty() ? regions[i]->name
                                      : pathInside(paths_[open.back()], regions[i]->name));
      open.push_back(i);
    }
  }

  // Makes rows of siblings.
  std::vector<std::size_t> rowsFor(const std::vector<const RegionStatistics *> &regions,
                                   const std::vector<std::size_t> &siblings) {
    std::vector<std::size_t> made;
    std::unordered_map<std::size_t, std::size_t> ofGroup; // an index of rows_
    for (const std::size_t item : siblings) {
      // A region that ran warm and cold stands under both headings.
      const std::size_t group =
          2 * regions[item]->group + (regions[item]->place == Place::Cold ? 1 : 0);
      const auto [known, isNew] = ofGroup.try_emplace(group, rows_.size());
      if (isNew || !choice_.fold) {
        made.push_back(rows_.size());
        rows_.emplace_back().regions.push_back(regions[item]);
        items_.push_back({item});
      } else {
        rows_[known->second].regions.push_back(regions[item]);
        items_[known->second].push_back(item);
      }
    }
    for (const std::size_t row : made) {
      rows_[row].row = rowOf(rows_[row].regions);
      if (choice_.paths)
        rows_[row].row.path = paths_[items_[row].front()];
    }
    return made;
  }

  // Rows of one place stay together.
  void sort(std::vector<std::size_t> &rows) {
    std::sort(rows.begin(), rows.end(), [this](std::size_t a, std::size_t b) {
      const TableRow &one = rows_[a].row, &other = rows_[b].row;
      if (one.place != other.place)
        return one.place < other.place;
      return comesFirst(a, b);
    });
  }

  // The longer one; of two that are as long, the one that ran first.
  [[nodiscard]] bool comesFirst(std::size_t a, std::size_t b) const {
    const std::int64_t one = rows_[a].row.durations->sumNs(),
                       other = rows_[b].row.durations->sumNs();
    return one != other ? one > other : a < b;
  }

  // The longest, and those around them.
  [[nodiscard]] std::vector<bool> chosen() const {
    std::vector<bool> shown(rows_.size(), choice_.most >= rows_.size());
    if (choice_.most >= rows_.size())
      return shown;
    std::vector<std::size_t> around(rows_.size(), none), byTotal(rows_.size());
    for (std::size_t row = 0; row < rows_.size(); ++row)
      for (const std::size_t inside : rows_[row].inside)
        around[inside] = row;
    std::iota(byTotal.begin(), byTotal.end(), std::size_t{0});
    std::sort(byTotal.begin(), byTotal.end(),
              [this](std::size_t a, std::size_t b) { return comesFirst(a, b); });
    std::size_t count = 0;
    for (const std::size_t row : byTotal) {
      std::size_t more = 0;
      for (std::size_t one = row; one != none && !shown[one]; one = around[one])
        ++more;
      if (count + more > choice_.most)
        continue;
      for (std::size_t one = row; one != none && !shown[one]; one = around[one])
        shown[one] = true;
      count += more;
    }
    return shown;
  }

  // Those inside it, too.
  void takeOne(std::size_t outermost, const std::vector<bool> &shown, std::vector<TableRow> &result,
               std::size_t &leftOut, std::vector<const TableRow *> &left) {
    std::vector<std::pair<std::size_t, bool>> pending = {{outermost, true}}; // a stack
    while (!pending.empty()) {
      const auto [row, isFirstLeftOut] = pending.back();
      pending.pop_back();
      Building &one = rows_[row];
      if (shown[row]) {
        result.push_back(one.row);
      } else {
        ++leftOut;
        if (isFirstLeftOut)
          left.push_back(&one.row);
      }
      for (auto inside = one.inside.rbegin(); inside != one.inside.rend(); ++inside)
        pending.emplace_back(*inside, shown[row]);
    }
  }

  const RowChoice choice_;
  std::vector<std::size_t> parents_;               // of regions, by their place in the list
  std::vector<std::string> paths_;                 // likewise, if they are asked for
  std::vector<std::vector<std::size_t>> children_; // likewise
  std::vector<Building> rows_;
  std::vector<std::vector<std::size_t>> items_; // of rows_: their regions' places in the list
  std::vector<std::size_t> outermost_;
};

// Nullopt: no replay's length is known, or all of it is in regions.
std::optional<TableRow> outsideRow(const Statistics &statistics) {
  const Distribution &spans = statistics.replays().lengths().shown();
  const double percent = statistics.percentOutside();
  constexpr double least = 0.005; // what is less is shown as 0
  if (spans.empty() || percent < least)
    return std::nullopt;
  TableRow row;
  row.isOutside = true;
  row.name = row.path = outsideName;
  row.place = statistics.replays().lengths().isCold() ? Place::Cold : Place::Graph;
  row.percentOfReplay = percent;
  row.durations = std::make_shared<Distribution>(
      Distribution::ofMean(spans.count(), percent / 100 * spans.meanNs()));
  return row;
}

} // namespace

TableRow restRow(Place place, std::size_t regions, const std::vector<const TableRow *> &outermost) {
  TableRow rest;
  Distribution durations;
  std::vector<ReplayShares::Of> shares;
  rest.isRest = true;
  rest.place = place;
  rest.regions = regions;
  for (const TableRow *const row : outermost) {
    durations.add(*row->durations);
    rest.notMeasured += row->notMeasured;
    shares.push_back(row->share);
    if (row->percentOfReplays >= 0)
      rest.percentOfReplays = std::max(rest.percentOfReplays, 0.0) + row->percentOfReplays;
  }
  rest.percentOfReplay = ReplayShares::percentOf(shares);
  rest.durations = std::make_shared<Distribution>(std::move(durations));
  return rest;
}

std::vector<TableRow> tableRows(const Statistics &statistics, const RowChoice &choice) {
  std::vector<TableRow> rows = Rows(statistics.regions(), choice).take();
  if (rows.empty())
    return rows;
  if (std::optional<TableRow> outside = outsideRow(statistics))
    rows.insert(std::ranges::upper_bound(rows, outside->place, {}, &TableRow::place),
                std::move(*outside));
  return rows;
}

} // namespace graphprof
