// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "merge/StuckRanks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "output/data/LossText.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "recordings/Recordings.h"

namespace graphprof::tool {
namespace {

using Json = nlohmann::json;

// What a rank does, from most to least telling.
enum class Doing : std::uint8_t { Waits, Works, NotBegun, Unknown, Idle };

constexpr std::string_view wordOf(Doing doing) {
  constexpr std::string_view words[] = {"waits", "works", "not begun", "unknown", "idle"};
  return words[static_cast<std::size_t>(doing)];
}

struct Answer {
  std::string file;
  std::int64_t rank = 0, ranks = 0, pid = 0; // ranks: 0: unknown
  std::string program, host;
  Doing doing = Doing::Idle;
  // Of what it waits or works in: "AllReduce", or empty; what it is, with the regions around it.
  std::string collective, work;
  std::string why; // NotBegun, Unknown: the answer's words
  std::uint64_t replay = 0;
  std::int64_t forNs = 0;
};

// The program chooses names, and none may forge a line.
std::string workOf(const Json &open) {
  std::string text = fmt::format("{} {}", open.at("kind").get<std::string>(),
                                 printable(open.at("name").get<std::string>()));
  const auto within = open.at("within").get<std::vector<std::string>>();
  if (!within.empty())
    text += ", in " + printable(fmt::format("{}", fmt::join(within, " > ")));
  return text;
}

// The most telling of what its replays in flight say.
void readReplay(const Json &replay, Answer &answer) {
  const auto now =
      replay.at("launch_ns").get<std::int64_t>() + replay.at("for_ns").get<std::int64_t>();
  const auto take = [&](Doing doing) {
    if (doing >= answer.doing)
      return false;
    answer.doing = doing;
    answer.replay = replay.at("replay").get<std::uint64_t>();
    answer.forNs = replay.at("for_ns").get<std::int64_t>();
    return true;
  };
  if (const auto why = replay.find("unknown"); why != replay.end()) {
    if (take(replay.value("not_begun", false) ? Doing::NotBegun : Doing::Unknown))
      answer.why = printable(why->get<std::string>());
    return;
  }
  for (const Json &open : replay.at("open")) {
    const auto collective = open.value("collective", std::string());
    if (!take(collective.empty() ? Doing::Works : Doing::Waits))
      continue;
    answer.collective = printable(collective);
    answer.work = workOf(open);
    answer.forNs = std::max<std::int64_t>(now - open.at("since_ns").get<std::int64_t>(), 0);
  }
}

Answer readAnswer(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Answer answer;
  answer.file = file;
  try {
    const Json json = Json::parse(text);
    if (!json.at("ok").get<bool>())
      throw UnreadableRecording{
          fmt::format("{}: {}", file, printable(json.value("error", std::string("no reason"))))};
    answer.pid = json.at("pid").get<std::int64_t>();
    answer.program = printable(json.at("program").get<std::string>());
    answer.host = printable(json.at("host").get<std::string>());
    if (!json.contains("rank"))
      throw UnreadableRecording{fmt::format(
          "{}: process {} is of no job: its launcher set none of RANK, OMPI_COMM_WORLD_RANK, "
          "PMI_RANK, PMIX_RANK, SLURM_PROCID",
          file, answer.pid)};
    answer.rank = json.at("rank").get<std::int64_t>();
    answer.ranks = json.value("ranks", std::int64_t{0});
    for (const Json &replay : json.at("replays"))
      readReplay(replay, answer);
  } catch (const Json::exception &) {
    const bool isFile = std::filesystem::is_regular_file(file);
    throw UnreadableRecording{
        fmt::format("{}: is no answer of graphprof attach PID where --json{}", file,
                    isFile ? "" : "; recordings are read from files, not from pipes")};
  }
  return answer;
}

// "0-3, 7".
std::string listOf(const std::vector<std::int64_t> &ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[i]);
    if (last > i)
      text += fmt::format("{}{}", last > i + 1 ? "-" : ", ", ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string ranksText(const std::vector<std::int64_t> &ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", listOf(ranks));
}

std::string doingText(const Answer &answer) {
  switch (answer.doing) {
  case Doing::Waits:
  case Doing::Works:
    return fmt::format("in {} for {}, replay {}", answer.work,
                       formatTime(static_cast<double>(answer.forNs)), answer.replay);
  case Doing::NotBegun:
  case Doing::Unknown:
    return fmt::format("replay {}, launched {} ago: {}", answer.replay,
                       formatTime(static_cast<double>(answer.forNs)), answer.why);
  case Doing::Idle:
    break;
  }
  return "no recorded replay is in flight";
}

struct Compared {
  std::vector<Answer> answers;      // by rank
  std::vector<std::int64_t> silent; // ranks of the job without an answer
  // Ranks that wait in the same: the collective, the work, the replay.
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::vector<const Answer *>>
      waiting;
  std::vector<std::int64_t> absent; // while others wait, these do not, or gave no answer
};

Compared compare(std::span<const std::string> files) {
  Compared all;
  for (const std::string &file : files)
    all.answers.push_back(readAnswer(file));
  std::ranges::sort(all.answers, {}, &Answer::rank);
  if (const auto twice = std::ranges::adjacent_find(all.answers, {}, &Answer::rank);
      twice != all.answers.end())
    throw UnreadableRecording{fmt::format("{} and {} are both of rank {}", twice->file,
                                          std::next(twice)->file, twice->rank)};
  std::int64_t ranks = 0;
  std::set<std::int64_t> there;
  for (const Answer &answer : all.answers) {
    ranks = std::max(ranks, answer.ranks);
    there.insert(answer.rank);
    if (answer.doing == Doing::Waits)
      all.waiting[{answer.collective, answer.work, answer.replay}].push_back(&answer);
    else
      all.absent.push_back(answer.rank);
  }
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    if (!there.contains(rank))
      all.silent.push_back(rank);
  std::ranges::copy(all.silent, std::back_inserter(all.absent));
  std::ranges::sort(all.absent);
  if (all.waiting.empty())
    all.absent.clear();
  return all;
}

std::string verdictOf(const Compared &all) {
  if (all.waiting.empty())
    return "no rank waits in a collective of NCCL's that was seen to begin";
  if (!all.absent.empty())
    return fmt::format("{} did not arrive, as far as the answers tell: look there first",
                       ranksText(all.absent));
  if (all.waiting.size() > 1)
    return "all wait, and not in the same: they do not run the same work, or wait for ranks of "
           "different communicators";
  return "all ranks are in it: look at the network, or at what the collective itself waits for";
}

std::string asText(const Compared &all) {
  std::string text = fmt::format("{} answered\n", counted(all.answers.size(), "rank", "ranks"));
  for (const auto &[what, answers] : all.waiting) {
    std::vector<std::int64_t> ranks;
    std::int64_t longest = 0;
    for (const Answer *const answer : answers) {
      ranks.push_back(answer->rank);
      longest = std::max(longest, answer->forNs);
    }
    const auto &[collective, work, replay] = what;
    text += fmt::format("{} {} in {}, for up to {}, replay {}: {}\n", ranksText(ranks),
                        ranks.size() == 1 ? "waits" : "wait", collective,
                        formatTime(static_cast<double>(longest)), replay, work);
  }
  for (const Answer &answer : all.answers)
    if (answer.doing != Doing::Waits)
      text += fmt::format("rank {}, {} (pid {}) on {}: {}\n", answer.rank, answer.program,
                          answer.pid, answer.host, doingText(answer));
  if (!all.silent.empty())
    text += fmt::format("no answer of {}\n", ranksText(all.silent));
  return text + verdictOf(all) + "\n";
}

std::string asJson(const Compared &all) {
  Json ranks = Json::array();
  for (const Answer &answer : all.answers) {
    Json rank = {{"rank", answer.rank},
                 {"pid", answer.pid},
                 {"program", answer.program},
                 {"host", answer.host},
                 {"doing", wordOf(answer.doing)}};
    if (answer.doing != Doing::Idle) {
      rank["replay"] = answer.replay;
      rank["for_ns"] = answer.forNs;
    }
    if (!answer.work.empty())
      rank["work"] = answer.work;
    if (!answer.collective.empty())
      rank["collective"] = answer.collective;
    if (!answer.why.empty())
      rank["why"] = answer.why;
    ranks.push_back(std::move(rank));
  }
  return Json{{"ranks", std::move(ranks)},
              {"no_answer", all.silent},
              {"did_not_arrive", all.absent},
              {"verdict", verdictOf(all)}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

} // namespace

bool mayBeAnswer(const std::string &file) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
    return true; // a pipe, which can be read only once
  return std::ifstream(file, std::ios::binary).peek() == '{';
}

std::string stuckRanks(std::span<const std::string> files, bool json) {
  const Compared all = compare(files);
  return json ? asJson(all) : asText(all);
}

} // namespace graphprof::tool
