// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Allocations without addresses, and their mappings.

#include "VirtualMemory.h"

#include <iterator>
#include <set>

#include <sys/mman.h>
#include <unistd.h>

namespace cudasim {
namespace {

constexpr std::size_t kLargestBytes = std::size_t{1} << 36;

void *at(VirtualMemory::Address address) { return reinterpret_cast<void *>(address); }

bool isSize(std::size_t bytes) { return bytes > 0 && bytes % VirtualMemory::kGranularity == 0; }

} // namespace

struct VirtualMemory::Allocation {
  Allocation(int file, std::size_t bytes) : file(file), bytes(bytes) {}
  ~Allocation() { close(file); }
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  const int file;
  const std::size_t bytes;
  unsigned references = 1;
};

cudaError_t VirtualMemory::create(std::size_t bytes, Handle *handle) {
  if (!isSize(bytes))
    return cudaErrorInvalidValue;
  const int file = bytes <= kLargestBytes ? memfd_create("cudasim", MFD_CLOEXEC) : -1;
  if (file < 0)
    return cudaErrorMemoryAllocation;
  auto allocation = std::make_shared<Allocation>(file, bytes);
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0)
    return cudaErrorMemoryAllocation;
  *handle = handleOf(*allocation);
  handles_.emplace(*handle, std::move(allocation));
  return cudaSuccess;
}

cudaError_t VirtualMemory::retain(Address address, Handle *handle) {
  const auto behind = mappings_.upper_bound(address);
  if (behind == mappings_.begin())
    return cudaErrorInvalidValue;
  const auto &[begin, mapping] = *std::prev(behind);
  if (address >= begin + mapping.bytes)
    return cudaErrorInvalidValue;
  *handle = handleOf(*mapping.of);
  // The handle may have no references any more.
  if (!handles_.emplace(*handle, mapping.of).second)
    ++mapping.of->references;
  else
    mapping.of->references = 1;
  return cudaSuccess;
}

cudaError_t VirtualMemory::release(Handle handle) {
  const auto found = handles_.find(handle);
  if (found == handles_.end())
    return cudaErrorInvalidValue;
  if (--found->second->references == 0)
    handles_.erase(found);
  return cudaSuccess;
}

cudaError_t VirtualMemory::reserve(std::size_t bytes, Address *address) {
  if (!isSize(bytes))
    return cudaErrorInvalidValue;
  const std::size_t length = bytes + kGranularity;
  void *const begin =
      mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  const auto from = reinterpret_cast<Address>(begin);
  *address = (from + kGranularity - 1) / kGranularity * kGranularity;
  reservations_.emplace(*address, Reservation{bytes, from, length});
  return cudaSuccess;
}

cudaError_t VirtualMemory::giveBack(Address address, std::size_t bytes) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second.bytes != bytes)
    return cudaErrorInvalidValue;
  if (const auto mapped = firstIn(address);
      mapped != mappings_.end() && mapped->first < address + bytes)
    return cudaErrorInvalidValue;
  munmap(at(found->second.begin), found->second.length);
  reservations_.erase(found);
  return cudaSuccess;
}

cudaError_t VirtualMemory::map(Address address, std::size_t bytes, Handle handle) {
  const auto allocation = handles_.find(handle);
  const Address end = endOfReservation(address);
  if (allocation == handles_.end() || !isSize(bytes) || address % kGranularity != 0 ||
      bytes > allocation->second->bytes || address + bytes > end)
    return cudaErrorInvalidValue;
  if (const auto mapped = firstIn(address);
      mapped != mappings_.end() && mapped->first < address + bytes)
    return cudaErrorInvalidValue;
  if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, allocation->second->file, 0) ==
      MAP_FAILED)
    return cudaErrorMemoryAllocation;
  mappings_.emplace(address, Mapping{bytes, allocation->second});
  return cudaSuccess;
}

// Removes the mappings there, if any. Only whole mappings.
cudaError_t VirtualMemory::unmap(Address address, std::size_t bytes) {
  const Address end = address + bytes;
  if (bytes == 0 || endOfReservation(address) == 0)
    return cudaErrorInvalidValue;
  const auto first = firstIn(address), behind = mappings_.lower_bound(end);
  if (first == behind)
    return cudaSuccess;
  const auto &[begin, last] = *std::prev(behind);
  if (first->first < address || begin + last.bytes > end)
    return cudaErrorInvalidValue;
  for (auto mapping = first; mapping != behind; ++mapping)
    if (mmap(at(mapping->first), mapping->second.bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
      return cudaErrorMemoryAllocation;
  mappings_.erase(first, behind);
  return cudaSuccess;
}

cudaError_t VirtualMemory::protect(Address address, std::size_t bytes, bool readable,
                                   bool writable) {
  if (!isMapped(address, bytes))
    return cudaErrorInvalidValue;
  mprotect(at(address), bytes, (readable ? PROT_READ : 0) | (writable ? PROT_WRITE : 0));
  return cudaSuccess;
}

// An allocation without references lives as long as its mappings.
std::size_t VirtualMemory::bytes() const {
  std::set<const Allocation *> allocations;
  for (const auto &[handle, allocation] : handles_)
    allocations.insert(allocation.get());
  for (const auto &[address, mapping] : mappings_)
    allocations.insert(mapping.of.get());
  std::size_t bytes = 0;
  for (const Allocation *const allocation : allocations)
    bytes += allocation->bytes;
  return bytes;
}

void VirtualMemory::clear() {
  mappings_.clear();
  handles_.clear();
  for (const auto &[address, reservation] : reservations_)
    munmap(at(reservation.begin), reservation.length);
  reservations_.clear();
}

// The end of the reservation that contains `address`; 0 if there is none.
VirtualMemory::Address VirtualMemory::endOfReservation(Address address) const {
  const auto behind = reservations_.upper_bound(address);
  if (behind == reservations_.begin())
    return 0;
  const auto &[begin, reservation] = *std::prev(behind);
  const Address end = begin + reservation.bytes;
  return address < end ? end : 0;
}

// The first mapping that ends behind `address`.
std::map<VirtualMemory::Address, VirtualMemory::Mapping>::iterator
VirtualMemory::firstIn(Address address) {
  const auto behind = mappings_.upper_bound(address);
  if (behind == mappings_.begin())
    return behind;
  const auto before = std::prev(behind);
  return before->first + before->second.bytes > address ? before : behind;
}

bool VirtualMemory::isMapped(Address address, std::size_t bytes) {
  const Address end = address + bytes;
  auto mapping = mappings_.find(address);
  while (address < end && mapping != mappings_.end() && mapping->first == address) {
    address += mapping->second.bytes;
    ++mapping;
  }
  return bytes > 0 && address == end;
}

} // namespace cudasim
