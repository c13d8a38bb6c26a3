// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Durations of device work, and its effects on memory.

#include "Op.h"

#include "Conditional.h"
#include "Device.h"
#include "Event.h"
#include "Graph.h"
#include "Kernel.h"
#include "cuda.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace cudasim {
namespace {

template <class... Ts> struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;

// Copies take a start-up time, then move 20 bytes a nanosecond. Fills write 1000.
constexpr std::uint64_t kTransferStartNs = 1'000;
constexpr std::uint64_t kCopyBytesPerNs = 20;
constexpr std::uint64_t kFillBytesPerNs = 1'000;
constexpr std::uint64_t kHostFunctionNs = 1'000;
constexpr std::uint64_t kWriteNs = 500;
constexpr std::uint64_t kHeldNs = 3'600'000'000'000; // see cudasim::hold

void copy(const CopyOp &op) {
  for (std::size_t z = 0; z < op.depth; ++z)
    for (std::size_t y = 0; y < op.height; ++y)
      std::memmove(op.dst + z * op.dstSlice + y * op.dstPitch,
                   op.src + z * op.srcSlice + y * op.srcPitch, op.width);
}

void fill(const cudaMemsetParams &p) {
  auto *row = static_cast<std::byte *>(p.dst);
  for (std::size_t y = 0; y < std::max<std::size_t>(p.height, 1); ++y, row += p.pitch)
    for (std::size_t x = 0; x < p.width; ++x)
      std::memcpy(row + x * p.elementSize, &p.value, p.elementSize);
}

template <class Word>
void reduce(const CUstreamBatchMemOpParams::CUstreamMemOpAtomicReductionParams_st &word) {
  auto *const target = reinterpret_cast<Word *>(word.address);
  const auto value = static_cast<Word>(word.value);
  switch (word.reductionOp) {
  case CU_STREAM_ATOMIC_REDUCTION_OP_ADD:
    __atomic_fetch_add(target, value, __ATOMIC_ACQ_REL);
    break;
  case CU_STREAM_ATOMIC_REDUCTION_OP_AND:
    __atomic_fetch_and(target, value, __ATOMIC_ACQ_REL);
    break;
  case CU_STREAM_ATOMIC_REDUCTION_OP_OR:
    __atomic_fetch_or(target, value, __ATOMIC_ACQ_REL);
    break;
  }
}

void writeWord(const CUstreamBatchMemOpParams &word) {
  if (word.operation == CU_STREAM_MEM_OP_ATOMIC_REDUCTION)
    return word.atomicReduction.dataType == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64
               ? reduce<cuuint64_t>(word.atomicReduction)
               : reduce<cuuint32_t>(word.atomicReduction);
  const auto &to = word.writeValue;
  if (word.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
    __atomic_store_n(reinterpret_cast<cuuint64_t *>(to.address), to.value64, __ATOMIC_RELEASE);
  else
    __atomic_store_n(reinterpret_cast<cuuint32_t *>(to.address), to.value, __ATOMIC_RELEASE);
}

// The value of bodyBeganNs().
thread_local std::uint64_t bodyBegan = 0;
// Those of bodyGrid() and bodyBlock().
thread_local Extent gridOfBody, blockOfBody;

} // namespace

std::uint64_t bodyBeganNs() { return bodyBegan; }
Extent bodyGrid() { return gridOfBody; }
Extent bodyBlock() { return blockOfBody; }

cudaGraphNodeType typeOf(const Op &op) {
  return std::visit(Overloaded{[](const EmptyOp &) { return cudaGraphNodeTypeEmpty; },
                               [](const KernelOp &) { return cudaGraphNodeTypeKernel; },
                               [](const CopyOp &) { return cudaGraphNodeTypeMemcpy; },
                               [](const FillOp &) { return cudaGraphNodeTypeMemset; },
                               [](const HostOp &) { return cudaGraphNodeTypeHost; },
                               [](const ChildOp &) { return cudaGraphNodeTypeGraph; },
                               [](const RecordOp &) { return cudaGraphNodeTypeEventRecord; },
                               [](const WaitOp &) { return cudaGraphNodeTypeWaitEvent; },
                               [](const AllocOp &) { return cudaGraphNodeTypeMemAlloc; },
                               [](const FreeOp &) { return cudaGraphNodeTypeMemFree; },
                               [](const WriteOp &) { // the runtime API has no name for it
                                 // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
                                 return static_cast<cudaGraphNodeType>(
                                     CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
                               },
                               [](const SignalOp &) { return cudaGraphNodeTypeExtSemaphoreSignal; },
                               [](const AwaitOp &) { return cudaGraphNodeTypeExtSemaphoreWait; },
                               [](const ConditionalOp &) { return cudaGraphNodeTypeConditional; }},
                    op);
}

bool haveSameParams(const Op &one, const Op &other) {
  return std::visit(
      Overloaded{[](const KernelOp &a, const KernelOp &b) {
                   const auto same = [](const dim3 &x, const dim3 &y) {
                     return x.x == y.x && x.y == y.y && x.z == y.z;
                   };
                   return a.function == b.function && same(a.grid, b.grid) &&
                          same(a.block, b.block) && a.sharedMemBytes == b.sharedMemBytes &&
                          !a.args == !b.args && (!a.args || a.args->bytes == b.args->bytes);
                 },
                 [](const CopyOp &a, const CopyOp &b) {
                   const auto all = [](const CopyOp &copy) {
                     return std::tie(copy.dst, copy.src, copy.width, copy.height, copy.depth,
                                     copy.dstPitch, copy.srcPitch, copy.dstSlice, copy.srcSlice);
                   };
                   return all(a) == all(b);
                 },
                 [](const FillOp &a, const FillOp &b) {
                   const auto all = [](const cudaMemsetParams &p) {
                     return std::tie(p.dst, p.pitch, p.value, p.elementSize, p.width, p.height);
                   };
                   return all(a.params) == all(b.params);
                 },
                 [](const HostOp &a, const HostOp &b) {
                   return a.fn == b.fn && a.userData == b.userData && a.syncMode == b.syncMode;
                 },
                 [](const RecordOp &a, const RecordOp &b) { return a.event == b.event; },
                 [](const WaitOp &a, const WaitOp &b) { return a.event == b.event; },
                 [](const AllocOp &a, const AllocOp &b) { return a.bytes == b.bytes; },
                 [](const FreeOp &a, const FreeOp &b) { return a.pointer == b.pointer; },
                 [](const SignalOp &a, const SignalOp &b) { return a.words == b.words; },
                 [](const EmptyOp &, const EmptyOp &) { return true; },
                 [](const AwaitOp &, const AwaitOp &) { return true; },
                 [](const auto &, const auto &) { return false; }},
      one, other);
}

// A kernel waits for its programmatic predecessors at its begin, and lets its programmatic
// successors begin right after that; or it does neither.
static OpTimes executeKernel(Device &device, const KernelOp &kernel, OpStart start,
                             unsigned long long streamId) {
  KernelRun run = device.kernels.plan(kernel);
  const bool isHeld = kernel.function->name == device.heldKernel;
  if (isHeld)
    run.durationNs = kHeldNs;
  const std::uint64_t workNs = run.overlap.waits ? start.completedNs : start.beginNs;
  OpTimes times;
  times.endNs = workNs + run.durationNs;
  // The blocks of the last wave begin when those of the previous wave have ended. Successors need
  // room beside them.
  times.launchedNs = run.waves.count == 1
                         ? start.beginNs
                         : workNs + run.durationNs * (run.waves.count - 1) / run.waves.count;
  if (!run.waves.leavesRoom)
    times.launchedNs = times.endNs;
  times.triggeredNs = run.overlap.triggers ? std::max(workNs, times.launchedNs) : times.endNs;
  device.note(kernel.function->name, streamId, start.beginNs, times.endNs);
  if (isHeld)
    device.heldFromNs = std::min(device.heldFromNs, times.endNs);
  if (run.body)
    device.addEffect(workNs, [run, args = kernel.args, grid = kernel.grid, block = kernel.block,
                              beganNs = start.beginNs, workNs, endNs = times.endNs] {
      bodyBegan = beganNs;
      gridOfBody = {grid.x, grid.y, grid.z};
      blockOfBody = {block.x, block.y, block.z};
      run.body(args ? args->pointers.data() : nullptr, workNs, endNs);
    });
  return times;
}

// Executes an op without ports. Returns its end.
static std::uint64_t executeWhole(Device &device, Op &op, std::uint64_t startNs,
                                  unsigned long long streamId) {
  auto took = [&](std::string_view name, std::uint64_t ns) {
    device.note(name, streamId, startNs, startNs + ns);
    return startNs + ns;
  };
  return std::visit(
      Overloaded{[&](EmptyOp &) { return startNs; },
                 [&](KernelOp &) { return startNs; }, // handled by executeKernel
                 [&](CopyOp &op) {
                   if (op.height * op.depth == 1) {
                     device.l2.use(op.src, op.width);
                     device.l2.use(op.dst, op.width);
                   }
                   device.addEffect(startNs, [op] { copy(op); });
                   return took("memcpy", kTransferStartNs +
                                             op.width * op.height * op.depth / kCopyBytesPerNs);
                 },
                 [&](FillOp &op) {
                   if (op.params.height <= 1)
                     device.l2.use(op.params.dst, op.params.width * op.params.elementSize);
                   device.addEffect(startNs, [op] { fill(op.params); });
                   return took("memset",
                               kTransferStartNs + op.params.width * op.params.elementSize *
                                                      std::max<std::size_t>(op.params.height, 1) /
                                                      kFillBytesPerNs);
                 },
                 [&](HostOp &op) {
                   device.addEffect(startNs, [op] { op.fn(op.userData); });
                   return took("host", kHostFunctionNs);
                 },
                 [&](ChildOp &op) { return runGraph(device, *op.graph, startNs, streamId); },
                 [&](RecordOp &op) {
                   op.event->recordAt(startNs);
                   return took("event", 0);
                 },
                 [&](WaitOp &op) { return std::max(startNs, op.event->doneNs()); },
                 [&](AllocOp &op) {
                   device.graphPool.allocate(addressOf(op), op.bytes);
                   return startNs;
                 },
                 [&](FreeOp &op) {
                   device.graphPool.free(op.pointer);
                   return startNs;
                 },
                 [&](WriteOp &op) {
                   device.addEffect(startNs, [words = op.words] {
                     for (const CUstreamBatchMemOpParams &word : *words)
                       writeWord(word);
                   });
                   return took("write", kWriteNs * op.words->size());
                 },
                 [&](SignalOp &op) {
                   device.addEffect(startNs, [words = op.words] {
                     for (const auto &[word, value] : words)
                       __atomic_store_n(word, value, __ATOMIC_RELEASE);
                   });
                   return took("signal", kWriteNs * op.words.size());
                 },
                 [&](AwaitOp &) { return startNs; },
                 [&](ConditionalOp &op) { return runConditional(device, op, startNs, streamId); }},
      op);
}

OpTimes execute(Device &device, Op &op, OpStart start, unsigned long long streamId) {
  if (const auto *kernel = std::get_if<KernelOp>(&op))
    return executeKernel(device, *kernel, start, streamId);
  return OpTimes::allAt(executeWhole(device, op, start.completedNs, streamId));
}

} // namespace cudasim
