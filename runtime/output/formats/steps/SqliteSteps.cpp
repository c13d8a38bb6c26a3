// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/steps/SqliteSteps.h"

namespace graphprof::sqlite {

const char *const stepTable = R"(
CREATE TABLE IF NOT EXISTS step_time_samples (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  recv_ts_ns INTEGER NOT NULL,
  rank INTEGER,
  global_rank INTEGER,
  local_rank INTEGER,
  world_size INTEGER,
  local_world_size INTEGER,
  node_rank INTEGER,
  hostname TEXT,
  sample_ts_s REAL,
  seq INTEGER,
  step INTEGER,
  events_json TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS idx_step_time_samples_rank_step_ts
  ON step_time_samples(rank, step, sample_ts_s, id);
CREATE INDEX IF NOT EXISTS idx_step_time_samples_global_rank_step_ts
  ON step_time_samples(global_rank, step, sample_ts_s, id);
CREATE INDEX IF NOT EXISTS idx_step_time_samples_global_rank_step_id
  ON step_time_samples(global_rank, step DESC, id DESC);
CREATE INDEX IF NOT EXISTS idx_step_time_samples_step_rank
  ON step_time_samples(step, rank, id);
)";

StepRows::StepRows(Database &database, const Run &run)
    : run_(run),
      insert_(database, "INSERT INTO step_time_samples(recv_ts_ns, rank, global_rank, local_rank, "
                        "world_size, local_world_size, node_rank, hostname, sample_ts_s, seq, "
                        "step, events_json) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)") {}

void StepRows::add(std::span<const StepSample> samples, std::int64_t nowNs) {
  const auto known = [this](std::int64_t value) { insert_.numberIf(value >= 0, value); };
  for (const StepSample &sample : samples) {
    insert_.number(nowNs).number(run_.rank).number(run_.rank);
    known(run_.localRank);
    insert_.numberIf(run_.ranks > 0, run_.ranks);
    known(run_.localRanks);
    known(run_.node);
    insert_.textIf(run_.host)
        .real(static_cast<double>(sample.endNs) * 1e-9)
        .number(seq_++)
        .number(sample.step)
        .text(jsonOf(sample))
        .run();
  }
}

} // namespace graphprof::sqlite
