// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/memory/MappedMemory.h"

namespace graphprof {

void MappedMemory::created(Handle handle) {
  const MutexLock lock(mutex_);
  const auto [memory, isNew] = memory_.insert_or_assign(handle, Holders{1, 0});
  if (!isNew)
    std::erase_if(mappings_, [&](const auto &each) { return each.second.handle == handle; });
}

void MappedMemory::retained(Handle handle) {
  const MutexLock lock(mutex_);
  if (const auto found = memory_.find(handle); found != memory_.end())
    ++found->second.references;
}

void MappedMemory::mapped(const Mapping &mapping) {
  const MutexLock lock(mutex_);
  const auto found = memory_.find(mapping.handle);
  if (found == memory_.end())
    return;
  mappings_.insert_or_assign(mapping.address, mapping);
  ++found->second.mappings;
}

MappedMemory::Taken MappedMemory::release(Handle handle) {
  const MutexLock lock(mutex_);
  Taken taken;
  const auto found = memory_.find(handle);
  if (found == memory_.end() || found->second.references == 0)
    return taken;
  taken.freed.reserve(1); // before any change, because it may fail
  taken.reference = handle;
  --found->second.references;
  drop(found, taken);
  return taken;
}

MappedMemory::Taken MappedMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  Taken taken;
  const auto begin = mappings_.lower_bound(address), end = mappings_.lower_bound(address + bytes);
  for (auto each = begin; each != end; ++each)
    taken.mappings.push_back(each->second);
  taken.freed.reserve(taken.mappings.size());
  mappings_.erase(begin, end);
  for (const Mapping &mapping : taken.mappings) {
    const auto found = memory_.find(mapping.handle);
    if (found == memory_.end())
      continue;
    --found->second.mappings;
    drop(found, taken);
  }
  return taken;
}

void MappedMemory::restore(const Taken &taken) {
  const MutexLock lock(mutex_);
  if (taken.reference)
    ++memory_[taken.reference].references;
  for (const Mapping &mapping : taken.mappings) {
    ++memory_[mapping.handle].mappings;
    mappings_.insert_or_assign(mapping.address, mapping);
  }
}

void MappedMemory::drop(std::unordered_map<Handle, Holders>::iterator memory, Taken &taken) {
  if (memory->second.references > 0 || memory->second.mappings > 0)
    return;
  taken.freed.push_back(memory->first);
  memory_.erase(memory);
}

} // namespace graphprof
