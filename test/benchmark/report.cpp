// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Tables and JSON. Writes JSON without a library, because the program must run with nothing but a
// driver.

#include "report.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <stdexcept>

#include <dlfcn.h>

#include "check.h"

namespace benchmark {

/// The driver's version as nvidia-smi shows it. The runtime API only knows the CUDA version that
/// the driver supports.
static std::string driverVersion() {
  void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!nvml)
    return "unknown";
  const auto init = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
  const auto version =
      reinterpret_cast<int (*)(char *, unsigned)>(dlsym(nvml, "nvmlSystemGetDriverVersion"));
  char text[80] = {};
  if (!init || !version || init() != 0 || version(text, sizeof text) != 0)
    return "unknown";
  return text;
}

static std::string cudaVersion(cudaError_t (*get)(int *)) {
  int version = 0;
  CHECK(get(&version));
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Setting currentSetting() {
  Setting setting;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  setting.date = date;

  int device = 0;
  cudaDeviceProp properties;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceProperties(&properties, device));
  setting.device = properties.name;
  setting.driver = driverVersion();
  setting.cudaDriver = cudaVersion([](int *version) { return cudaDriverGetVersion(version); });
  setting.cudaRuntime = cudaVersion([](int *version) { return cudaRuntimeGetVersion(version); });
  return setting;
}

void printSetting(const Setting &setting) {
  std::printf("%s, driver %s (CUDA %s), CUDA runtime %s, %s\n", setting.device.c_str(),
              setting.driver.c_str(), setting.cudaDriver.c_str(), setting.cudaRuntime.c_str(),
              setting.date.c_str());
  std::printf(
      "Medians. GPU: a replay, back to back; ratio: to the untimed graph in the same process; "
      "beside: that "
      "graph's ratio to the\nuntimed graph alone in a process; added: GPU time for each region. "
      "Launch: "
      "host time, GPU idle, and busy, back to back.\nError of the regions' readings, median and "
      "largest; off: regions with more than %g us of it; near: share with at most %g us or %g "
      "%%.\nA region that was read from begin to begin is held against begins, others against "
      "ends.\n",
      accuracyLimitUs, nearUs, 100 * nearPart);
}

void printTable(const Comparison &comparison) {
  std::printf("\n%s: %zu regions, blocks of %d replays\n", comparison.workload.c_str(),
              comparison.regionNodes.size(), comparison.replaysPerBlock);
  if (!comparison.truthFrom.empty())
    std::printf("  truth: %s, less what it adds", comparison.truthFrom.c_str());
  if (!comparison.checkedBy.empty())
    std::printf("; %s, likewise, differ by %.2f us, at most %.2f", comparison.checkedBy.c_str(),
                comparison.check.medianUs, comparison.check.maximumUs);
  std::printf("\n");

  std::printf("  %-40s %6s %10s %7s %8s %8s %8s %8s %9s %9s %5s %6s %6s\n", "technique", "nodes",
              "GPU us", "ratio", "beside", "added us", "idle us", "busy us", "med. err", "max. err",
              "off", "near", "rounds");
  const double aloneUs = comparison.results.front().gpuUs.median;
  for (const Result &result : comparison.results) {
    std::printf("  %-40s %6zu %10.1f %7.4f %8.4f %+8.3f %8.1f %8.1f", result.technique.c_str(),
                result.nodes, result.gpuUs.median, result.ratio.median,
                result.untimedUs.median / aloneUs, result.addedUs.median,
                result.launchIdleUs.median, result.launchBusyUs.median);
    if (result.regionsUs.empty())
      std::printf(" %9s %9s %5s %6s", "", "", "", "");
    else
      std::printf(" %9.2f %9.2f %5d %6.3f", result.accuracy.medianUs, result.accuracy.maximumUs,
                  result.accuracy.beyondLimit, result.accuracy.nearShare);
    std::printf(" %6zu\n", result.gpuUs.count);
  }
  for (const Result &result : comparison.results)
    if (result.lostReplays > 0)
      std::printf("  %s: the readings of %ld replays were lost\n", result.technique.c_str(),
                  result.lostReplays);
  std::fflush(stdout);
}

void printRatios(const std::vector<Comparison> &comparisons) {
  std::printf("\n| graph | untimed, us |");
  for (const Result &result : comparisons.front().results)
    if (&result != &comparisons.front().results.front())
      std::printf(" %s |", result.technique.c_str());
  std::printf("\n|");
  for (std::size_t i = 0; i <= comparisons.front().results.size(); ++i)
    std::printf(" --- |");
  for (const Comparison &comparison : comparisons) {
    std::printf("\n| %s | %.1f |", comparison.workload.c_str(),
                comparison.results.front().gpuUs.median);
    for (const Result &result : comparison.results)
      if (&result != &comparison.results.front())
        std::printf(" %.4f (%.4f-%.4f) |", result.ratio.median, result.ratio.lowerQuartile,
                    result.ratio.upperQuartile);
  }
  std::printf("\n");
}

namespace {

/// Writes JSON values one after another, with the commas between them.
class JsonWriter {
public:
  explicit JsonWriter(const std::string &path) : file_(std::fopen(path.c_str(), "w")) {
    if (!file_)
      throw std::runtime_error("cannot write " + path);
  }
  JsonWriter(const JsonWriter &) = delete;
  JsonWriter &operator=(const JsonWriter &) = delete;
  ~JsonWriter() {
    std::fputs("\n", file_);
    std::fclose(file_);
  }

  void open(char bracket) {
    separate();
    std::fputc(bracket, file_);
    first_ = true;
  }
  void close(char bracket) {
    std::fputc(bracket, file_);
    first_ = false;
  }
  void key(const char *name) {
    separate();
    std::fprintf(file_, "\"%s\": ", name);
    first_ = true;
  }
  void text(const char *name, const std::string &value) {
    key(name);
    std::fprintf(file_, "\"%s\"", value.c_str());
    first_ = false;
  }
  void number(const char *name, double value) {
    key(name);
    std::fprintf(file_, "%.6g", value);
    first_ = false;
  }
  void line() { std::fputs("\n", file_); }

private:
  void separate() {
    if (!first_)
      std::fputs(", ", file_);
    first_ = false;
  }

  std::FILE *file_;
  bool first_ = true; // the next value needs no comma
};

void writeSummary(JsonWriter &json, const Summary &summary) {
  json.open('{');
  json.number("lowerQuartile", summary.lowerQuartile);
  json.number("median", summary.median);
  json.number("upperQuartile", summary.upperQuartile);
  json.number("count", static_cast<double>(summary.count));
  json.close('}');
}

void writeSummary(JsonWriter &json, const char *name, const Summary &summary) {
  json.key(name);
  writeSummary(json, summary);
}

void writeResult(JsonWriter &json, const Result &result) {
  json.line();
  json.open('{');
  json.text("technique", result.technique);
  json.number("nodes", static_cast<double>(result.nodes));
  json.number("lostReplays", static_cast<double>(result.lostReplays));
  writeSummary(json, "gpuUs", result.gpuUs);
  writeSummary(json, "untimedUs", result.untimedUs);
  writeSummary(json, "ratio", result.ratio);
  writeSummary(json, "addedUsPerRegion", result.addedUs);
  writeSummary(json, "launchIdleUs", result.launchIdleUs);
  writeSummary(json, "launchBusyUs", result.launchBusyUs);
  if (!result.regionsUs.empty()) {
    json.number("medianErrorUs", result.accuracy.medianUs);
    json.number("maximumErrorUs", result.accuracy.maximumUs);
    json.number("regionsOff", result.accuracy.beyondLimit);
    json.number("regionsNear", result.accuracy.nearShare);
    json.number("regionsOfBegins", static_cast<double>(std::count(result.areOfBegins.begin(),
                                                                  result.areOfBegins.end(), 1)));
    json.key("regionsUs");
    json.open('[');
    for (const Summary &region : result.regionsUs)
      writeSummary(json, region);
    json.close(']');
  }
  json.close('}');
}

void writeComparison(JsonWriter &json, const Comparison &comparison) {
  json.line();
  json.open('{');
  json.text("workload", comparison.workload);
  json.number("regions", static_cast<double>(comparison.regionNodes.size()));
  json.number("replaysPerBlock", comparison.replaysPerBlock);
  json.text("truthFrom", comparison.truthFrom);
  json.text("checkedBy", comparison.checkedBy);
  json.number("checkMedianUs", comparison.check.medianUs);
  json.number("checkMaximumUs", comparison.check.maximumUs);
  json.key("regionsTruth");
  json.open('[');
  for (std::size_t i = 0; i < comparison.truthUs.size(); ++i) {
    json.open('{');
    json.text("region", comparison.regionNames[i]);
    json.number("nodes", static_cast<double>(comparison.regionNodes[i]));
    json.number("us", comparison.truthUs[i]);
    json.number("usOfBegins", comparison.truthOfBeginsUs[i]);
    json.close('}');
  }
  json.close(']');
  json.key("techniques");
  json.open('[');
  for (const Result &result : comparison.results)
    writeResult(json, result);
  json.close(']');
  json.close('}');
}

} // namespace

void writeJson(const std::string &path, const Setting &setting,
               const std::vector<Comparison> &comparisons) {
  JsonWriter json(path);
  json.open('{');
  json.text("date", setting.date);
  json.text("device", setting.device);
  json.text("driver", setting.driver);
  json.text("cudaDriver", setting.cudaDriver);
  json.text("cudaRuntime", setting.cudaRuntime);
  json.key("workloads");
  json.open('[');
  for (const Comparison &comparison : comparisons)
    writeComparison(json, comparison);
  json.close(']');
  json.close('}');
}

} // namespace benchmark
