// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Virtual memory management: allocations without addresses, reserved addresses without memory, and
// mappings between them. An allocation is a memory file, so all its mappings show the same bytes.
// It lives as long as a mapping of it or a reference to its handle.

#ifndef CUDASIM_SRC_VIRTUALMEMORY_H
#define CUDASIM_SRC_VIRTUALMEMORY_H

#include "driver_types.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace cudasim {

class VirtualMemory {
public:
  static constexpr std::size_t kGranularity = std::size_t{2} << 20; // of sizes and addresses
  using Handle = std::uint64_t;
  using Address = std::uintptr_t;

  VirtualMemory() = default;
  ~VirtualMemory() { clear(); }
  VirtualMemory(const VirtualMemory &) = delete;
  VirtualMemory &operator=(const VirtualMemory &) = delete;

  cudaError_t create(std::size_t bytes, Handle *handle);
  cudaError_t retain(Address address, Handle *handle); // the allocation that is mapped there
  cudaError_t release(Handle handle);

  cudaError_t reserve(std::size_t bytes, Address *address);
  cudaError_t giveBack(Address address, std::size_t bytes);

  cudaError_t map(Address address, std::size_t bytes, Handle handle);
  // Unmaps any number of whole mappings.
  cudaError_t unmap(Address address, std::size_t bytes);
  cudaError_t protect(Address address, std::size_t bytes, bool readable, bool writable);

  void clear();
  std::size_t bytes() const; // of all allocations

private:
  struct Allocation;
  struct Mapping {
    std::size_t bytes;
    std::shared_ptr<Allocation> of;
  };
  struct Reservation {
    std::size_t bytes;
    Address begin; // what the system returned, before alignment
    std::size_t length;
  };

  static Handle handleOf(const Allocation &allocation) {
    return reinterpret_cast<std::uintptr_t>(&allocation);
  }
  Address endOfReservation(Address address) const;
  std::map<Address, Mapping>::iterator firstIn(Address address);
  bool isMapped(Address address, std::size_t bytes); // completely, without a gap

  std::map<Handle, std::shared_ptr<Allocation>> handles_; // handles with references
  std::map<Address, Reservation> reservations_;
  std::map<Address, Mapping> mappings_;
};

} // namespace cudasim

#endif // CUDASIM_SRC_VIRTUALMEMORY_H
