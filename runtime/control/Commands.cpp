// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Commands.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "graphprof/version.h"
#include "output/data/LossText.h"
#include "output/data/Run.h"
#include "output/io/JsonWriter.h"
#include "output/io/NearMiss.h"

namespace graphprof {

namespace {

using Json = nlohmann::json;

constexpr int protocol = 1;
constexpr std::int64_t flushMs = 2'000;
constexpr double longestRecording = 24 * 3600.0; // seconds
constexpr std::array<std::string_view, 8> commands = {"status", "start",   "stop",   "flush",
                                                      "budget", "metrics", "record", "where"};

std::string done() { return R"({"ok":true})"; }

std::string failure(std::string_view why) {
  std::string text;
  JsonWriter(text).beginObject().member<"ok">(false).member<"error">(why).endObject();
  return text;
}

// A member of a request; nullopt if it is not there, or of another type.
template <class Type> std::optional<Type> memberOf(const Json &request, const char *name) {
  const auto found = request.find(name);
  if (found == request.end())
    return std::nullopt;
  if constexpr (std::is_same_v<Type, double>) {
    if (!found->is_number())
      return std::nullopt;
  } else if (!found->is_string()) {
    return std::nullopt;
  }
  return found->get<Type>();
}

std::string_view wordOf(WindowArguments::Opener opener) {
  switch (opener) {
  case WindowArguments::Opener::Begin:
    return "begin";
  case WindowArguments::Opener::CudaProfiler:
    return "cuda-profiler";
  case WindowArguments::Opener::NvtxRange:
    return "nvtx";
  case WindowArguments::Opener::Signal:
    return "signal";
  case WindowArguments::Opener::Attach:
    return "attach";
  }
  return "";
}

// The other terms stay.
std::string setBudget(RecordingBudget &budget, const Json &request) {
  const auto price = memberOf<double>(request, "price");
  if (!price || !std::isfinite(*price) || *price > BudgetTerms::mostFraction)
    return failure("budget needs 'price', a fraction of a replay's time up to 0.5 (0.01 is one per "
                   "cent); negative: none");
  BudgetTerms terms = budget.terms();
  terms.fraction = std::max(0.0, *price);
  budget.set(terms);
  return done();
}

} // namespace

Commands::Commands(Session &session, Windows &windows, Process process)
    : session_(session), windows_(windows), process_(std::move(process)),
      recordings_(session, process_.now, process_.handedOn) {}

Commands::Answer Commands::answer(std::uint64_t asker, std::string_view line) {
  const Json request = Json::parse(line, nullptr, false);
  if (!request.is_object())
    return {failure("a request is a JSON object on a line, such as {\"command\":\"status\"}"),
            false, true};
  const std::string command = memberOf<std::string>(request, "command").value_or("");
  if (!process_.active())
    return {failure("graphprof is switched off in this process, or it is ending")};
  if (command == "status")
    return {status()};
  if (command == "start" || command == "stop")
    return {switchTo(command == "start")};
  if (command == "flush")
    return {process_.flush(flushMs)
                ? done()
                : failure("not everything that was launched could be written in two seconds; work "
                          "still runs, or an output is slow")};
  if (command == "where")
    return {process_.where()};
  if (command == "budget")
    return {setBudget(session_.recordingBudget, request)};
  if (command == "metrics") {
    watch(asker);
    return {fmt::format(R"({{"ok":true,"status":{},{}}})", status(),
                        metrics_->json(session_.launches, Metrics::nowNs())),
            true};
  }
  if (command == "record") {
    const auto seconds = memberOf<double>(request, "seconds");
    const auto item = memberOf<std::string>(request, "output");
    if (!seconds || !(*seconds > 0) || *seconds > longestRecording || !item || item->empty())
      return {failure("record needs 'seconds', above 0 and at most a day, and 'output', an item of "
                      "GRAPHPROF_OUTPUT with a path from the root")};
    const std::string why =
        recordings_.begin(asker, *item, static_cast<std::int64_t>(*seconds * 1e9),
                          request.value("force", Json()) == Json(true));
    return why.empty() ? Answer{} : Answer{failure(why)};
  }
  return {failure(fmt::format("unknown command '{}'{}; there are {}", command.substr(0, 100),
                              didYouMean(command, commands), fmt::join(commands, ", ")))};
}

std::string Commands::switchTo(bool on) {
  using Opener = WindowArguments::Opener;
  if (windows_.openBy(Opener::Attach))
    on ? windows_.open(Opener::Attach) : windows_.close(Opener::Attach);
  else
    session_.recordingSwitch.permit(on);
  return status();
}

// Where there is a window or a schedule, sums are of what that records. Otherwise somebody who
// listens is a reason to record.
void Commands::watch(std::uint64_t asker) {
  watchers_.insert(asker);
  if (!attached_)
    attached_ = session_.outputs.attach(Metrics::output(metrics_));
}

void Commands::left(std::uint64_t asker) {
  recordings_.end(asker);
  watchers_.erase(asker);
  if (watchers_.empty() && attached_)
    session_.outputs.detach(std::exchange(attached_, nullptr));
}

std::string Commands::status() const {
  const Run &run = thisRun();
  const Config &config = session_.config();
  std::string text;
  JsonWriter json(text);
  json.beginObject()
      .member<"ok">(true)
      .member<"protocol">(protocol)
      .member<"version">(std::string_view(GRAPHPROF_VERSION_STRING))
      .member<"pid">(run.pid)
      .member<"program">(run.program)
      .member<"host">(run.host)
      .member<"began_ns">(run.beganNs);
  if (run.inJob)
    json.member<"rank">(run.rank).member<"ranks">(run.ranks);
  json.member<"now_ns">(process_.now())
      .member<"recording">(session_.recording())
      .member<"permitted">(session_.recordingSwitch.permitted())
      .member<"launches">(session_.launches.total())
      .member<"replays">(session_.launches.recorded())
      .member<"watchers">(static_cast<std::uint64_t>(watchers_.size()))
      .member<"recordings">(static_cast<std::uint64_t>(recordings_.count()));
  json.key<"outputs">().beginArray();
  for (const std::string &item : config.outputs)
    json.value(item);
  json.endArray();
  if (config.window && windows_.any())
    json.key<"window">()
        .beginObject()
        .member<"opener">(wordOf(config.window->opener))
        .member<"open">(windows_.isOpen())
        .member<"windows">(windows_.windows())
        .endObject();
  if (const BudgetTerms terms = session_.recordingBudget.terms(); !terms.recordsEverything()) {
    const BudgetChoices kept = session_.recordingBudget.choices();
    json.key<"budget">().beginObject();
    json.key<"price">().raw(terms.fraction > 0 ? fmt::format("{:.6g}", terms.fraction) : "null");
    json.key<"spent">().raw(kept.spent < 0 ? "null" : fmt::format("{:.6g}", kept.spent));
    json.member<"parts">(kept.parts).member<"one_launch_in">(kept.every).endObject();
  }
  if (const std::string memory = process_.graphMemory(); !memory.empty())
    json.key<"graph_memory">().raw(memory);
  const Losses losses = session_.losses();
  json.member<"left_out">(losses.not_sampled); // on purpose: not lost
  json.key<"losses">().beginObject();
  for (const LossKind &kind : lossKinds())
    if (kind.count != &Losses::not_sampled)
      json.key(kind.key).value(losses.*kind.count);
  json.endObject().endObject();
  return text;
}

std::vector<Commands::Late> Commands::proceed() {
  std::vector<Late> late;
  if (!process_.active()) // the end closes the outputs
    return late;
  for (const Recordings::Result &result : recordings_.proceed()) {
    std::string text;
    if (result.failed.empty())
      JsonWriter(text)
          .beginObject()
          .member<"ok">(true)
          .member<"file">(result.written)
          .member<"replays">(result.replays)
          .endObject();
    else
      text = failure(result.failed);
    late.push_back({result.owner, std::move(text)});
  }
  return late;
}

} // namespace graphprof
