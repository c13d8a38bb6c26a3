// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Direct.h"

#include <utility>

namespace graphprof {

Direct::Direct(std::string name, std::unique_ptr<BatchWriter> writer, bool hostSpans, bool memory)
    : name_(std::move(name)), writer_(std::move(writer)), hostSpans_(hostSpans), memory_(memory) {}

std::string Direct::handOn() {
  std::string failed = writer_->write(batch_);
  batcher_.renew(batch_);
  return failed;
}

std::string Direct::write(const Replay &replay) {
  batcher_.add(replay, batch_);
  return handOn();
}

std::string Direct::writeHost(std::span<const HostSpan> spans) {
  for (const HostSpan &span : spans)
    batcher_.add(span, batch_);
  return handOn();
}

std::string Direct::memory(const MemoryEvent &event) {
  if (!memory_)
    return {};
  Batcher::add(event, batch_);
  return handOn();
}

void Direct::metadata(const std::string &key, const std::string &json) {
  batch_.notes.push_back({key, json});
}

void Direct::remark(const std::string &sentence) { batch_.remarks.push_back(sentence); }

std::string Direct::close(const Losses &losses) {
  if (!batch_.empty())
    if (std::string failed = handOn(); !failed.empty())
      return failed;
  return writer_->close(losses);
}

} // namespace graphprof
