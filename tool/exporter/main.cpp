// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-exporter, which `graphprof exporter` becomes: serves Prometheus the sums that the
// user's processes keep while it is connected to them. A program of its own, because it needs
// prometheus-cpp, and because no profiled process should open a port.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include "Families.h"
#include "graphprof/Client.h"
#include "graphprof/ExporterUsage.h"
#include "output/io/NearMiss.h"
#include "wire/SocketFolder.h"

namespace {

using namespace graphprof;
using Json = nlohmann::json;
using tool::Client;

// Of one process; and of all, so that a scrape is over before Prometheus gives it up (10 s).
constexpr std::chrono::milliseconds patience{1'000}, patienceOfAll{5'000};
// How soon a process that has begun is connected to: from then on it records for us.
constexpr std::chrono::milliseconds betweenLooks{500};

// Connected to every process of the user.
class Processes : public prometheus::Collectable {
public:
  explicit Processes(std::size_t mostSeries) : mostSeries_(mostSeries) {}

  // Connects to those that are new, so that they know that somebody listens.
  void look() {
    const std::lock_guard lock(mutex_);
    for (const wire::SocketFile &file : wire::socketFiles()) {
      if (std::any_of(known_.begin(), known_.end(),
                      [&](const auto &one) { return one.path == file.path; }))
        continue;
      std::string why;
      if (auto client = Client::connect(file.path, why)) {
        known_.push_back({file.path, std::move(client), {}});
        ask(known_.back());
      }
    }
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);
    const auto begin = std::chrono::steady_clock::now();
    exporter::Families families;
    std::size_t answered = 0;
    for (Known &each : known_) {
      if (std::chrono::steady_clock::now() - begin > patienceOfAll) {
        ++unanswered_;
        continue;
      }
      answered += ask(each, &families) ? 1 : 0;
    }
    std::erase_if(known_, [](const Known &each) { return each.client->isBroken(); });
    families.addOwn(answered, unanswered_);
    return families.take();
  }

private:
  struct Known {
    std::string path;
    std::unique_ptr<Client> client;
    std::string said; // what was printed about it
  };

  bool ask(Known &each, exporter::Families *families = nullptr) const {
    const Json answer = each.client->ask({{"command", "metrics"}}, patience);
    std::string why;
    if (!answer.value("ok", false)) {
      // That a process has ended is nothing to say.
      why = answer.value("error", std::string());
      unanswered_ += why == "it closed the connection" ? 0 : 1;
      return false;
    }
    try {
      if (!families)
        return true;
      const std::size_t leftOut = families->add(answer, mostSeries_);
      if (leftOut > 0 && each.said.empty()) {
        fmt::print(stderr,
                   "graphprof exporter: {} of the names of {} have no metrics of their own and are "
                   "counted in graphprof_left_out_total; --max-series makes room\n",
                   leftOut, answer.at("status").at("pid").dump());
        each.said = "series";
      }
      return true;
    } catch (const Json::exception &) {
      if (each.said.empty())
        fmt::print(stderr,
                   "graphprof exporter: {} answers as another version of graphprof does, and is "
                   "left out; use one version for both\n",
                   each.path);
      each.said = "version";
      ++unanswered_;
      return false;
    }
  }

  const std::size_t mostSeries_;
  mutable std::mutex mutex_;
  mutable std::vector<Known> known_;
  mutable std::uint64_t unanswered_ = 0;
};

int misused(std::string_view what) {
  fmt::print(stderr, "graphprof exporter: {}; see graphprof exporter --help\n", what);
  return 2;
}

int serve(const std::string &address, std::size_t mostSeries) {
  sigset_t ends; // before any thread, which would take them
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const auto processes = std::make_shared<Processes>(mostSeries);
  std::unique_ptr<prometheus::Exposer> exposer;
  try {
    exposer = std::make_unique<prometheus::Exposer>(address, 2);
  } catch (const std::exception &failed) {
    fmt::print(stderr,
               "graphprof exporter: cannot listen on {} ({}); choose another port with --listen\n",
               address, failed.what());
    return 1;
  }
  exposer->RegisterCollectable(processes, "/metrics");
  fmt::print("graphprof exporter: http://{}:{}/metrics\n", address.substr(0, address.rfind(':')),
             exposer->GetListeningPorts().front());
  (void)std::fflush(stdout);
  for (;;) {
    processes->look();
    timespec until{betweenLooks.count() / 1000, betweenLooks.count() % 1000 * 1'000'000};
    if (sigtimedwait(&ends, nullptr, &until) > 0)
      return 0;
  }
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::string address = "127.0.0.1:9844";
  std::size_t mostSeries = exporter::Families::mostSeries;
  for (std::size_t i = 0; i < words.size(); ++i) {
    constexpr std::string_view listen = "--listen", series = "--max-series";
    if (words[i] == "--help" || words[i] == "-h") {
      fmt::print("{}", tool::exporterUsage);
      return 0;
    }
    if (words[i].starts_with("--listen=")) {
      address = words[i].substr(listen.size() + 1);
    } else if (words[i] == listen && i + 1 < words.size()) {
      address = words[++i];
    } else if (words[i].starts_with("--max-series=") ||
               (words[i] == series && i + 1 < words.size())) {
      const std::string text = words[i] == series ? words[++i] : words[i].substr(series.size() + 1);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mostSeries);
      if (error != std::errc() || end != text.data() + text.size() ||
          mostSeries < exporter::Families::leastSeries)
        return misused(fmt::format("--max-series {}: must be a number of at least {}", text,
                                   exporter::Families::leastSeries));
    } else {
      constexpr std::array<std::string_view, 3> known = {"--listen", "--max-series", "--help"};
      return misused(fmt::format("unknown option {}{}", words[i], didYouMean(words[i], known)));
    }
  }
  if (address.find(':') == std::string::npos)
    return misused(
        fmt::format("--listen {}: must be an address and a port, such as 0.0.0.0:9844", address));
  return serve(address, mostSeries);
}
