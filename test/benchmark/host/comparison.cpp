// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "comparison.h"

#include <cmath>
#include <cstdio>

#include "driver_meter.h"
#include "ticks.h"

namespace benchmark::host {
namespace {

double nsOf(const std::function<void(int)> &work, int batch) {
  const std::int64_t begin = ticks();
  work(batch);
  return static_cast<double>(ticks() - begin) * nsPerTick();
}

// The times of one operation, or of a part of it.
struct Metered {
  double ownNs; // without the driver's time
  double calls; // driver calls
};

Metered meter(const Comparison &comparison) {
  const int steps = comparison.each ? comparison.batch : 1;
  const int operations = comparison.batch / steps;
  const double divisor = operations * comparison.parts;
  std::vector<double> own, calls;
  const DriverMeter metering;
  for (int step = 0; step < steps; ++step) {
    DriverCalls::reset();
    const double ns = nsOf(comparison.timed, operations);
    const DriverCalls made = DriverCalls::ofThisThread();
    const double count = static_cast<double>(made.count);
    const double driver =
        (static_cast<double>(made.ticks) + count * DriverCalls::overheadTicks()) * nsPerTick();
    own.push_back((ns - driver) / divisor);
    calls.push_back(count / divisor);
  }
  comparison.after();
  return {median(own), median(calls)};
}

// Shows times in one unit.
struct In {
  double ns;

  [[nodiscard]] std::string operator()(double valueNs) const {
    const double value = valueNs / ns;
    char text[32];
    std::snprintf(text, sizeof text, std::fabs(value) < 100 ? "%.1f" : "%.0f", value);
    return text;
  }
  [[nodiscard]] std::string operator()(const Summary &summary) const {
    return (*this)(summary.median) + " (" + (*this)(summary.lowerQuartile) + " to " +
           (*this)(summary.upperQuartile) + ")";
  }
};

} // namespace

Figure compare(const Comparison &comparison) {
  const double divisor = comparison.batch * comparison.parts;
  std::vector<double> plain, timed, added, own, calls;
  const auto timePlain = [&] {
    comparison.beforePlain();
    const double ns = nsOf(comparison.plain, comparison.batch) / divisor;
    comparison.after();
    return ns;
  };
  const auto timeTimed = [&] {
    comparison.before();
    const double ns = nsOf(comparison.timed, comparison.batch) / divisor;
    comparison.after();
    return ns;
  };
  for (int round = 0; round <= comparison.rounds; ++round) {
    double plainNs = 0, timedNs = 0;
    if (round % 2 == 0) {
      plainNs = timePlain();
      timedNs = timeTimed();
    } else {
      timedNs = timeTimed();
      plainNs = timePlain();
    }

    comparison.before();
    const Metered metered = meter(comparison);
    const double ownNs = metered.ownNs - (comparison.plainInside ? plainNs : 0);

    if (round == 0)
      continue;
    plain.push_back(plainNs);
    timed.push_back(timedNs);
    added.push_back(timedNs - plainNs);
    own.push_back(ownNs);
    calls.push_back(metered.calls);
  }
  return {comparison.what,  comparison.aim, summarise(plain), summarise(timed),
          summarise(added), median(calls),  summarise(own)};
}

void print(const std::string &title, const std::string &unit, const std::vector<Figure> &figures) {
  const char *u = unit.c_str();
  std::printf("\n### %s\n\n", title.c_str());
  std::printf("| what | without, %s | with, %s | added, %s | driver calls | graphprof's own, %s | "
              "aim, %s |\n| --- | --- | --- | --- | --- | --- | --- |\n",
              u, u, u, u, u);
  const In in{unit == "us" ? 1e3 : 1};
  for (const Figure &figure : figures) {
    const bool counted = figure.driverCalls >= 0;
    std::printf("| %s | %s | %s | %s | %s | %s | %s |\n", figure.what.c_str(),
                in(figure.plainNs.median).c_str(), in(figure.timedNs.median).c_str(),
                in(figure.addedNs).c_str(), counted ? In{1}(figure.driverCalls).c_str() : "",
                counted ? in(figure.ownNs).c_str() : "", figure.aim.c_str());
  }
  std::fflush(stdout);
}

} // namespace benchmark::host
