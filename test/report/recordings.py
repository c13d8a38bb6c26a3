# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Writes recordings as a program would, the binary file of docs/binary-format.md. For tests that need
# recordings whose times they know.

import json


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def difference(value):
    return number(value << 1 if value >= 0 else (-value << 1) - 1)


def from_minus_one(value):
    return number(value + 1)


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return number(len(value)) + value


def message(kind, *parts):
    body = bytes([kind]) + b"".join(parts)
    return len(body).to_bytes(4, "little") + body


number_ = number  # where a parameter has that name

MAGIC = b"\x89GPF\r\n\x1a\n"
KINDS = {"region": 0, "kernel": 1, "memcpy": 2, "memset": 3, "host": 4, "graph": 5}
HOST_KINDS = ["region", "launch", "step", "copy", "mark", "range"]
MEMORY_KINDS = ["device", "pool", "managed", "host", "graph"]
CAUSES = ["", "launch", "dependency", "device_full"]
CLOCKS = {"stamp": 0, "event": 1, "host": 2}


class Region:
    """One region or node. `parent`: another of them, or None."""

    def __init__(self, name, parent=None, kind="region", source=None, clock="stamp", place=1, values=()):
        self.name, self.parent, self.kind, self.source, self.clock, self.place = name, parent, kind, source, clock, place
        self.values = values  # (key, whole number)
        self.depth = parent.depth + 1 if parent else 0

    @property
    def shown(self):
        return self.name if self.place < 2 else f"{self.name} #{self.place}"

    @property
    def path(self):
        return (self.parent.path + "/" if self.parent else "") + self.shown


NODE_TYPES = ["node", "kernel", "memcpy", "memset", "host function", "child graph", "empty", "event wait", "event record",
              "allocation", "free", "memory operation", "conditional"]


class Node:
    """A node of a graph. `region`: its record, or None. `after`, `early`: Nodes; `inside`: the child or conditional node around it.
    A kernel takes `blocks` of the `resident` blocks for which there is room."""

    def __init__(self, region=None, after=(), early=(), kind="kernel", inside=None, name="", blocks=1, threads=256, resident=1056):
        self.region, self.after, self.early, self.kind, self.inside, self.name = region, list(after), list(early), kind, inside, name
        self.blocks, self.threads, self.resident = (blocks, threads, resident) if kind == "kernel" else (0, 0, 0)


class Graph:
    """What a graph is made of. `records`: its regions and nodes in the order of records. `counts`: of its nodes and edges, if it
    says no nodes."""

    def __init__(self, nodes, records=(), number=1, multiprocessors=132, like=0, counts=None, gap=0):
        self.counts = counts or (len(nodes), sum(len(node.after) for node in nodes))
        self.nodes, self.records, self.number, self.multiprocessors, self.like, self.gap = nodes, list(records), number, multiprocessors, like, gap


class HostSpan:
    """What a thread did. `replay`: of a launch, (graph, number), whose exec has the graph's number."""

    def __init__(self, thread, kind, name, begin, end, replay=None, captured=False, size=0):
        self.thread, self.kind, self.name, self.begin, self.end = thread, kind, name, begin, end
        self.replay, self.captured, self.size = replay, captured, size


class Allocation:
    """An allocation or, with negative bytes, a free. `allocated`: bytes of the kind on the device after it. Device -1: the host's."""

    def __init__(self, time, size, allocated, address, kind="device", device=0, step=-1, path=""):
        self.time, self.size, self.allocated, self.address = time, size, allocated, address
        self.kind, self.device, self.step, self.path = kind, device, step, path


MEMORY_STEPS = ["capture", "instantiate", "update", "upload", "first launch", "graphprof"]


class MemoryStep:
    """What a step of a graph's making took of a device's memory."""

    def __init__(self, what, graph, size, pool=0, allocations=0, allocated=0, overlaps=False, device=0):
        self.what, self.graph, self.size, self.pool, self.device = what, graph, size, pool, device
        self.allocations, self.allocated, self.overlaps = allocations, allocated, overlaps


class Recording:
    """What a process recorded. replays: lists of (region, duration in ns or None) in capture order."""

    def __init__(self, regions, program="app", pid=1, rank=0, host="machine", devices=("NVIDIA H100",), driver=13000,
                 driver_version="580.1", began=1_700_000_000_000_000_000):
        self.regions = regions
        self.program, self.pid, self.rank, self.host, self.began = program, pid, rank, host, began
        self.notes = [("backend", "cuda")]
        if devices:
            self.notes.append(("deviceProperties", [{"id": i, "name": name} for i, name in enumerate(devices)]))
        if driver:
            self.notes += [("cuda_driver_version", driver), ("driver_version", driver_version)]
        self.replays = []  # (graph or 0, number, cold, step, begin, end, [(region, begin, duration)])
        self.graphs = []  # Graph
        self.threads = {}  # names, by the kernel's number
        self.spans = []  # HostSpan, in the order in which they ended
        self.memory = []  # Allocation
        self.graph_memory = []  # MemoryStep
        self.losses, self.remarks, self.ended = {}, [], True
        self.ends = "completion"
        self.names = {}  # what graphs serve, by number: (name, [(key, whole number)])
        self.kernels = []  # runs of kernels, as JSON lines have them
        self.busy = {}  # of regions: (busy, gap or -1, replays, cause)
        self.now = began

    def replay(self, times, cold=False, step=-1, graph=1, gap=1000):
        """times: (region, duration) of the outermost regions and, right behind them, of those inside; nothing is side by side."""
        begin = self.now
        at, open_at, records = begin, {}, []
        for region, duration in times:
            start = open_at.get(region.parent, at) if region.parent else at
            records.append((region, start, duration))
            open_at[region] = start
            if duration is not None:
                if region.parent:
                    open_at[region.parent] = start + duration
                else:
                    at = start + duration
        self.now = at + gap
        number = sum(1 for one in self.replays if one[0] == graph) if len(self.replays) < 10 else len(self.replays)
        self.replays.append((graph, number, cold, step, begin, at, records))
        return self

    def replay_at(self, times, length=None, cold=False, step=-1, graph=1, gap=1000):
        """times: (region, begin since the replay's, duration or None) in the order of records. Side by side as they are."""
        begin = self.now
        records = [(region, begin + start, duration) for region, start, duration in times]
        end = begin + length if length is not None else max(start + (duration or 0) for _, start, duration in records)
        self.now = end + gap
        self.replays.append((graph, sum(1 for one in self.replays if one[0] == graph), cold, step, begin, end, records))
        return self

    def _graph(self, graph, number, ids):
        parts = [number_(number), number_(graph.number), number_(graph.like), number_(graph.counts[0]), number_(graph.counts[1])]
        if not graph.like:
            last = 0
            parts += [number_(graph.multiprocessors), number_(len(graph.records))]
            for region in graph.records:
                parts.append(difference(ids[region] - last))
                last = ids[region]
            parts.append(number_(len(graph.nodes)))
            place = {node: i for i, node in enumerate(graph.nodes)}
            for i, node in enumerate(graph.nodes):
                parts += [number_(NODE_TYPES.index(node.kind)),
                          from_minus_one(graph.records.index(node.region) if node.region else -1),
                          from_minus_one(graph.records.index(node.region.parent) if node.region and node.region.parent else -1),
                          from_minus_one(place[node.inside] if node.inside else -1)]
                for before in node.after, node.early:
                    parts += [number_(len(before))] + [difference(i - place[one]) for one in before]
                parts += [number_(node.blocks), number_(node.threads), number_(node.resident), text(node.name)]
            for region in graph.records:
                parts += [from_minus_one(graph.records.index(region.parent) if region.parent else -1), from_minus_one(-1)]
            parts += [number_(graph.gap)] if graph.gap else []
        return message(13, *parts)

    def _host(self):
        acts, threads, out = {}, {}, []
        for span in self.spans:
            act = (span.kind, span.captured, span.name)
            if act not in acts:
                acts[act] = len(acts) + 1
                out.append(message(10, number(acts[act]), number(HOST_KINDS.index(span.kind)), number(int(span.captured)), text(span.name),
                                   number(0), number(0)))
            if span.thread not in threads:
                threads[span.thread] = len(threads) + 1
                out.append(message(11, number(threads[span.thread]), number(span.thread), text(self.threads.get(span.thread, ""))))
            parts = [number(threads[span.thread]), number(1), difference(acts[act]), difference(span.begin), number(span.end - span.begin),
                     difference(-1)]
            if span.kind == "launch":
                graph, replay = span.replay or (0, 0)
                parts += [difference(graph), difference(graph), difference(replay)]
            elif span.kind == "copy":
                parts.append(number(span.size))
            out.append(message(12, *parts))
        return out

    def _memory(self):
        return [message(9, difference(one.time), difference(one.size), number(one.allocated), number(one.address), from_minus_one(one.device),
                        number(MEMORY_KINDS.index(one.kind)), from_minus_one(one.step), text(one.path), number(1)) for one in self.memory]

    def _graph_memory(self):
        return [message(20, number(MEMORY_STEPS.index(one.what)), number(one.graph), from_minus_one(one.device), difference(self.began),
                        difference(one.size), difference(one.pool), number(one.allocations), number(one.allocated), number(int(one.overlaps)))
                for one in self.graph_memory]

    @staticmethod
    def _kernel(run):
        or_minus_one = lambda value: from_minus_one(-1 if value is None else value)
        parts = [text(run["name"]), text(run["path"] or ""), number(run["node"]), number(run["graph"]), number(run["exec"]), number(run["replay"]),
                 or_minus_one(run["device"]), or_minus_one(run["step"]), number(run["cold"] | 2 * run["twin"]), or_minus_one(run["duration_ns"])]
        rows, warps = run.get("inside", []), run.get("warps", [])
        parts.append(number(len(rows)))
        for row in rows:
            file, line = row["source"].rsplit(":", 1)
            parts += [text(row["name"]), text(file), difference(int(line)), or_minus_one(row["inside"])]
        parts.append(number(len(warps)))
        last = 0
        for warp in warps:
            parts += [number(warp["block"]), number(warp["warp"]), number(warp["multiprocessor"]), difference(warp["begin_ns"] - last),
                      from_minus_one(warp["duration_ns"])]
            last = warp["begin_ns"]
        times = [(row, i, iterations, ns) for i, warp in enumerate(warps) for row, iterations, ns in warp["times"]]
        parts.append(number(len(times)))
        for row, warp, iterations, ns in times:
            parts += [number(row), number(warp), number(iterations), from_minus_one(ns)]
        parts += [text(run["launch"])] if run.get("launch") else []
        return message(18, *parts)

    def gprof(self, version=1):
        out = [MAGIC, message(1, number(version), text(self.host), text(self.program), difference(self.pid), difference(self.rank),
                              difference(self.began), number(0), difference(0))]
        ids = {region: i + 1 for i, region in enumerate(self.regions)}
        for region in self.regions:
            site = b"\x00"
            if region.source:
                file, line = region.source.rsplit(":", 1)
                site = number(1) + text(region.name) + text(file) + difference(int(line)) + text("run")
            values = number(len(region.values)) + b"".join(number(0) + text(key) + difference(value) for key, value in region.values)
            out.append(message(2, number(ids[region]), number(ids[region.parent] if region.parent else 0),
                               from_minus_one(region.depth), number(KINDS[region.kind]), number(CLOCKS[region.clock]),
                               text(region.name), site, values, number(region.place)))
        out += [message(4, text(key), text(json.dumps(value))) for key, value in self.notes]
        for graph, (name, values) in self.names.items():
            out.append(message(19, number(graph), text(name), number(len(values)),
                               *[number(0) + text(key) + difference(value) for key, value in values]))
        out += [self._graph(graph, i + 1, ids) for i, graph in enumerate(self.graphs)]
        for graph, count, cold, step, begin, end, records in self.replays:
            parts = [number((1 if cold else 0) | (2 if graph else 0))]
            if graph:
                parts += [number(graph), number(graph), number(count)]
            parts += [from_minus_one(0), number(7), from_minus_one(step), difference(begin - 500), difference(500),
                      difference(end - begin), number(len(records))]
            last, at = 0, begin
            for region, start, duration in records:
                parts.append(difference(ids[region] - last))
                last = ids[region]
                if duration is None:
                    parts.append(from_minus_one(-1))
                else:
                    parts += [from_minus_one(duration), difference(start - at)]
                    at = start
            if self.busy and count == 0:  # once for all replays of the exec
                known = [(i, self.busy[region]) for i, (region, _, _) in enumerate(records) if region in self.busy]
                busy, after = [], 0
                for i, (ns, gap, replays, cause) in known:
                    busy += [number(i - after), from_minus_one(ns), from_minus_one(gap), number(replays), number(CAUSES.index(cause))]
                    after = i + 1
                out.append(message(17, number(0), number(len(known)), *busy))
            if self.ends == "next_begin":
                parts += [number(0), number(len(records))]
            out.append(message(3, *parts))
        out += [self._kernel(run) for run in self.kernels] + self._host() + self._memory() + self._graph_memory()
        out += [message(5, text(remark)) for remark in self.remarks]
        if self.ended:
            out += [message(6, text(kind), number(count)) for kind, count in self.losses.items()] + [message(8)]
        return b"".join(out)


def with_host(recording):
    """With what two threads did: one launches each replay 600 ns before it begins, inside a region; one copies meanwhile."""
    recording.threads = {7: "main", 8: ""}
    for graph, count, _, _, begin, end, _ in recording.replays:
        if graph == 0:
            continue
        launch = HostSpan(7, "launch", "cudaGraphLaunch", begin - 600, begin - 300, replay=(graph, count))
        recording.spans += [launch, HostSpan(7, "region", "decode", begin - 900, begin - 200),
                           HostSpan(8, "copy", "h2d", begin + 100, begin + 400, size=4096)]
    recording.spans.append(HostSpan(7, "step", "ProfilerStep#0", recording.began, recording.now))
    return recording


def with_memory(recording):
    """With allocations and frees of a device and of the host; 512 bytes are from before the recording."""
    at = recording.began + 1_000
    recording.memory = [
        Allocation(at, 3000, 3512, 0x1000, path="load"), Allocation(at + 1_000_000, 1000, 1000, 0x2000, kind="pool", step=2, path="decode/attention"),
        Allocation(at + 2_500_000, -3000, 512, 0x1000), Allocation(at + 3_000_000, 77, 589, 0x3000),
        Allocation(at + 3_500_000, 5, 5, 0x9000, kind="host", device=-1), Allocation(at + 4_000_000, -512, 77, 0x8000)]
    return recording


def with_graph_memory(recording):
    """With two graphs: the first one's pool serves the second, too, and graphprof has an exec of its own for each."""
    recording.graph_memory = [
        MemoryStep("capture", 1, 3 << 20, allocations=2, allocated=3 << 20), MemoryStep("instantiate", 1, 1 << 20, allocations=1, allocated=8 << 20),
        MemoryStep("graphprof", 1, 4096), MemoryStep("first launch", 1, (8 << 20) + 4096, pool=8 << 20),
        MemoryStep("capture", 2, -512), MemoryStep("instantiate", 2, 1 << 20, allocations=1, allocated=8 << 20),
        MemoryStep("first launch", 2, 4096), MemoryStep("upload", 2, 100), MemoryStep("graphprof", 2, 8192), MemoryStep("graphprof", 0, 1024)]
    return recording
