# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The tensors in a benchmark's arguments: found at any depth of lists, tuples, dicts and dataclasses, and copied so that those
that share memory share it in each copy. Does not import PyTorch."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

_ALIGNED = 256  # bytes; a copy lies as its original does, modulo this


def is_tensor(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "as_strided")


def on_device(tensor: Any) -> bool:
    return bool(getattr(tensor, "is_cuda", False))


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with each tensor changed. Containers are new only where something in them changes."""
    if is_tensor(value):
        return change(value)
    if isinstance(value, dict):
        items = {key: mapped(each, change) for key, each in value.items()}
        return value if all(items[key] is value[key] for key in items) else _like(value, items)
    if isinstance(value, tuple):
        each = [mapped(one, change) for one in value]
        if all(new is old for new, old in zip(each, value)):
            return value
        return type(value)(*each) if hasattr(value, "_fields") else _like(value, each)
    if isinstance(value, list):
        each = [mapped(one, change) for one in value]
        return value if all(new is old for new, old in zip(each, value)) else _like(value, each)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        import copy

        changed = {name: mapped(getattr(value, name, None), change) for name in value.__dataclass_fields__}
        changed = {name: new for name, new in changed.items() if new is not getattr(value, name, None)}
        if not changed:
            return value
        made = copy.copy(value)
        for name, new in changed.items():
            object.__setattr__(made, name, new)
        return made
    return value


def _like(value: Any, content: Any) -> Any:
    try:
        return type(value)(content)
    except TypeError:  # a subclass that takes something else, a defaultdict say
        return dict(content) if isinstance(value, dict) else tuple(content) if isinstance(value, tuple) else list(content)


def found(value: Any, wanted: Callable[[Any], bool] = on_device) -> List[Any]:
    """The tensors in it, each once."""
    all_found: Dict[int, Any] = {}

    def note(tensor: Any) -> Any:
        if wanted(tensor):
            all_found.setdefault(id(tensor), tensor)
        return tensor

    mapped(value, note)
    return list(all_found.values())


def extent(tensor: Any) -> Tuple[int, int]:
    """The first byte of its elements, and the one behind the last. Empty tensors have none."""
    begin = tensor.data_ptr()
    if tensor.numel() == 0:
        return begin, begin
    last = sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride()))
    return begin, begin + (last + 1) * tensor.element_size()


def ranges(tensors: List[Any]) -> List[Tuple[int, int]]:
    """What they occupy: sorted, none overlapping another."""
    merged: List[Tuple[int, int]] = []
    for begin, stop in sorted(extent(tensor) for tensor in tensors):
        if begin == stop:
            continue
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((begin, stop))
    return merged


def copier(tensors: List[Any], torch: Any) -> Callable[[Any], Any]:
    """Copies the memory of the tensors. What it returns maps each of them to the same place of the copy."""
    bases: List[Tuple[int, int, Any, int]] = []  # a range, and where it lies in a copy's storage
    for begin, stop in ranges(tensors):
        owner = next(tensor for tensor in tensors if tensor.numel() and begin <= extent(tensor)[0] < stop)
        offset = begin % _ALIGNED
        room = torch.empty(offset + stop - begin + _ALIGNED, dtype=torch.uint8, device=owner.device)
        offset += -room.data_ptr() % _ALIGNED
        bases.append((begin, stop, room, offset))
    copied: Dict[int, Any] = {}
    for tensor in tensors:
        begin, stop = extent(tensor)
        if begin == stop:
            copied[id(tensor)] = tensor
            continue
        base, _, room, offset = next(each for each in bases if each[0] <= begin < each[1])
        at = offset + begin - base
        size = tensor.element_size()
        if at % size:
            raise ValueError("a tensor is not aligned to its elements, so it cannot be copied; benchmark it with "
                             "cold_l2_cache=False")
        with torch.no_grad():
            # With what lies between its elements: several of them may be at one place.
            flat = room[at:at + stop - begin].view(tensor.dtype)
            flat.copy_(tensor.detach().as_strided(flat.size(), flat.stride(), tensor.storage_offset()))
            new = flat.as_strided(tensor.size(), tensor.stride(), at // size)
        if tensor.requires_grad:
            new.requires_grad_(True)
        copied[id(tensor)] = new
    return lambda tensor: copied.get(id(tensor), tensor)
