// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's rules for copies.

#include "Copy.h"

#include "Device.h"

#include <algorithm>
#include <utility>

namespace cudasim {
namespace {

// The first byte of a source or target, and its pitches.
struct Place {
  std::byte *first = nullptr;
  std::size_t pitch = 0, slice = 0;
};

bool validKind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

bool fits(std::size_t at, std::size_t count, std::size_t size) {
  return at <= size && count <= size - at;
}

std::size_t rowsOf(const CUarray_st &array) {
  return std::max<std::size_t>(array.extent.height, 1);
}

std::size_t rowBytes(const CUarray_st &array) {
  return array.extent.width * elementBytes(array.channels);
}

// Computes the Place of memory. Positions and widths are in units of `unit` bytes, as in arrays.
cudaError_t placeIn(const cudaPitchedPtr &memory, const cudaPos &at, const cudaExtent &bytes,
                    std::size_t unit, Place *place) {
  if (!memory.ptr)
    return cudaErrorInvalidValue;
  if (bytes.width > memory.pitch)
    return cudaErrorInvalidPitchValue;
  if (!fits(at.x * unit, bytes.width, memory.pitch))
    return cudaErrorInvalidValue;
  if (bytes.depth > 1 && !fits(at.y, bytes.height, memory.ysize))
    return cudaErrorInvalidValue;
  place->pitch = memory.pitch;
  place->slice = memory.pitch * memory.ysize;
  place->first = static_cast<std::byte *>(memory.ptr) + at.z * place->slice + at.y * place->pitch +
                 at.x * unit;
  return cudaSuccess;
}

cudaError_t placeIn(const CUarray_st &array, const cudaPos &at, const cudaExtent &extent,
                    std::size_t unit, Place *place) {
  if (!fits(at.x * unit, extent.width * unit, rowBytes(array)) ||
      !fits(at.y, extent.height, rowsOf(array)) ||
      !fits(at.z, extent.depth, std::max<std::size_t>(array.extent.depth, 1)))
    return cudaErrorInvalidValue;
  place->pitch = rowBytes(array);
  place->slice = place->pitch * rowsOf(array);
  place->first = array.storage.get() + at.z * place->slice + at.y * place->pitch + at.x * unit;
  return cudaSuccess;
}

// The arrays that params names; null for memory.
struct Arrays {
  const CUarray_st *to, *from;
};
enum class Unit { Element, Byte }; // of widths, and positions in arrays

cudaError_t makeCopy3D(const cudaMemcpy3DParms &params, const Arrays &arrays, Unit unit,
                       CopyOp *op) {
  const auto [to, from] = arrays;
  if (!validKind(params.kind))
    return cudaErrorInvalidMemcpyDirection;
  if ((to || from) && params.kind == cudaMemcpyHostToHost)
    return cudaErrorInvalidMemcpyDirection;
  if ((to && params.dstPtr.ptr) || (from && params.srcPtr.ptr))
    return cudaErrorInvalidValue;
  if (to && from && elementBytes(to->channels) != elementBytes(from->channels))
    return cudaErrorInvalidValue;
  const std::size_t element = unit == Unit::Byte ? 1
                              : from             ? elementBytes(from->channels)
                              : to               ? elementBytes(to->channels)
                                                 : 1;
  const cudaExtent &extent = params.extent;
  const cudaExtent bytes = {extent.width * element, extent.height, extent.depth};
  Place dst, src;
  if (extent.width && extent.height && extent.depth) {
    if (const cudaError_t wrong = from
                                      ? placeIn(*from, params.srcPos, extent, element, &src)
                                      : placeIn(params.srcPtr, params.srcPos, bytes, element, &src))
      return wrong;
    if (const cudaError_t wrong = to ? placeIn(*to, params.dstPos, extent, element, &dst)
                                     : placeIn(params.dstPtr, params.dstPos, bytes, element, &dst))
      return wrong;
  }
  op->asGiven = params;
  op->elementBytes = element;
  op->width = bytes.width;
  op->height = bytes.height;
  op->depth = bytes.depth;
  op->dst = dst.first;
  op->src = src.first;
  op->dstPitch = dst.pitch;
  op->srcPitch = src.pitch;
  op->dstSlice = dst.slice;
  op->srcSlice = src.slice;
  return cudaSuccess;
}

// Whether all copies of a batch have attributes that say when the source is read.
bool covers(const cudaMemcpyAttributes *attributes, const std::size_t *firstCopies,
            std::size_t attributeCount, std::size_t count) {
  if (!attributes || !firstCopies || attributeCount == 0 || firstCopies[0] != 0)
    return false;
  for (std::size_t i = 0; i < attributeCount; ++i) {
    const cudaMemcpyAttributes &each = attributes[i];
    if (firstCopies[i] >= count || (i > 0 && firstCopies[i] <= firstCopies[i - 1]) ||
        each.srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
        each.srcAccessOrder > cudaMemcpySrcAccessOrderAny ||
        each.flags & ~static_cast<unsigned>(cudaMemcpyFlagPreferOverlapWithCompute))
      return false;
  }
  return true;
}

// Advances past copied data: `rows` whole rows of an array, or `bytes` in a row.
void advance(CopyEnd &end, std::size_t bytes, std::size_t rows) {
  if (!end.array) {
    end.memory = static_cast<std::byte *>(end.memory) + bytes * rows;
    return;
  }
  end.at.x += bytes;
  if (end.at.x == rowBytes(*end.array)) {
    end.at.x = 0;
    end.at.y += rows;
  }
}

} // namespace

cudaError_t makeCopy(void *dst, const void *src, std::size_t bytes, cudaMemcpyKind kind,
                     CopyOp *op) {
  return makeCopy2D(dst, bytes, src, bytes, bytes, 1, kind, op);
}

cudaError_t makeCopy2D(void *dst, std::size_t dstPitch, const void *src, std::size_t srcPitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind, CopyOp *op) {
  cudaMemcpy3DParms params{};
  params.dstPtr = {dst, dstPitch, width, height};
  params.srcPtr = {const_cast<void *>(src), srcPitch, width, height};
  params.extent = {width, height, 1};
  params.kind = kind;
  return makeCopy3D(params, {}, Unit::Element, op);
}

cudaError_t makeCopy3D(Device &device, const cudaMemcpy3DParms *params, CopyOp *op) {
  if (!params)
    return cudaErrorInvalidValue;
  const CUarray_st *const to = device.arrays.get(driverArray(params->dstArray));
  const CUarray_st *const from = device.arrays.get(driverArray(params->srcArray));
  if ((params->dstArray && !to) || (params->srcArray && !from))
    return cudaErrorInvalidValue;
  return makeCopy3D(*params, {to, from}, Unit::Element, op);
}

cudaError_t makeCopy(Device &device, const CopyEnd &dst, const CopyEnd &src,
                     const cudaExtent &extentInBytes, cudaMemcpyKind kind, CopyOp *op) {
  cudaMemcpy3DParms params{};
  params.extent = extentInBytes;
  params.kind = kind;
  Arrays arrays{};
  const auto set = [&](const CopyEnd &end, const CUarray_st *&found, cudaArray_t &array,
                       cudaPos &at, cudaPitchedPtr &memory) {
    at = end.at;
    if (!end.array) {
      memory = {end.memory, end.pitch, extentInBytes.width, end.height};
      return true;
    }
    array = runtimeArray(end.array);
    found = device.arrays.get(end.array);
    return found != nullptr;
  };
  if (!set(src, arrays.from, params.srcArray, params.srcPos, params.srcPtr) ||
      !set(dst, arrays.to, params.dstArray, params.dstPos, params.dstPtr))
    return cudaErrorInvalidValue;
  const CUarray_st *const array = arrays.from ? arrays.from : arrays.to;
  if (!array)
    return makeCopy3D(params, arrays, Unit::Byte, op);
  const std::size_t element = elementBytes(array->channels);
  if ((params.srcPos.x | params.dstPos.x | params.extent.width) & (element - 1)) // a power of two
    return makeCopy3D(params, arrays, Unit::Byte, op);
  for (std::size_t *const inBytes : {&params.srcPos.x, &params.dstPos.x, &params.extent.width})
    *inBytes /= element;
  return makeCopy3D(params, arrays, Unit::Element, op);
}

cudaError_t makeWrappedCopy(Device &device, CopyEnd dst, CopyEnd src, std::size_t bytes,
                            cudaMemcpyKind kind, std::vector<CopyOp> *ops) {
  do {
    std::size_t width = bytes;
    bool wholeRows = true;
    for (const CopyEnd *end : {&dst, &src}) {
      if (!end->array)
        continue;
      if (!device.arrays.get(end->array) || end->at.x >= rowBytes(*end->array))
        return cudaErrorInvalidValue;
      width = std::min(width, rowBytes(*end->array) - end->at.x);
    }
    for (const CopyEnd *end : {&dst, &src})
      wholeRows = wholeRows && (!end->array || width == rowBytes(*end->array));
    const std::size_t rows = wholeRows && width ? bytes / width : 1;
    for (CopyEnd *end : {&dst, &src}) {
      end->pitch = width;
      end->height = rows;
    }
    CopyOp op;
    if (const cudaError_t wrong = makeCopy(device, dst, src, {width, rows, 1}, kind, &op))
      return wrong;
    ops->push_back(op);
    advance(dst, width, rows);
    advance(src, width, rows);
    bytes -= width * rows;
  } while (bytes);
  return cudaSuccess;
}

cudaError_t submitBatch(Device &device, void *const *dsts, const void *const *srcs,
                        const std::size_t *sizes, std::size_t count,
                        const cudaMemcpyAttributes *attributes, const std::size_t *firstCopies,
                        std::size_t attributeCount, cudaStream_t handle) {
  CUstream_st *const stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream->isLegacy() || !dsts || !srcs || !sizes ||
      !covers(attributes, firstCopies, attributeCount, count))
    return cudaErrorInvalidValue;
  if (stream->capture) // the capture stays valid
    return cudaErrorStreamCaptureUnsupported;
  // The copies before an invalid one are made.
  for (std::size_t i = 0; i < count; ++i) {
    CopyOp op;
    if (const cudaError_t wrong = makeCopy(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, &op))
      return wrong;
    if (const cudaError_t refused = submit(device, *stream, op))
      return refused;
  }
  return cudaSuccess;
}

cudaError_t submitAndWait(Device &device, Op op) {
  if (cudaError_t implicit = forbidLegacy(device))
    return implicit;
  if (cudaError_t status = submit(device, device.legacyStream, std::move(op)))
    return status;
  device.clock.waitUntil(device.legacyStream.tailNs);
  return cudaSuccess;
}

} // namespace cudasim
