# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The Python package with PyTorch on a GPU:

    GRAPHPROF_OUTPUT= python3 -m graphprof -o '' -m pytest -q test/gpu/python
"""

import asyncio
import statistics

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("PyTorch finds no CUDA device", allow_module_level=True)

import graphprof  # noqa: E402
from graphprof import testing  # noqa: E402

if not graphprof.support().interposed:
    pytest.skip("graphs are seen under `python3 -m graphprof -m pytest` only", allow_module_level=True)

WIDTH = 512


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


NAMES = ["Sequential"] + [name for layer in (0, 1) for name in (f"{layer}", f"{layer}.up", f"{layer}.down")]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(Block(), Block()).cuda()


@pytest.fixture
def x():
    return torch.randn(64, WIDTH, device="cuda")


def captured(run):
    graph = torch.cuda.CUDAGraph()
    run()
    with torch.cuda.graph(graph):
        result = run()
    return graph, result


def replayed(prof):
    """Of each replay the regions, indented by their depth."""
    replays = {}
    for event in prof.events():
        if event.kind == "region" and event.exec and "::" not in event.name:  # CUB's ranges are none of ours
            assert event.duration_ns is not None and event.duration_ns > 0, event
            replays.setdefault((event.exec, event.replay), []).append(2 * event.depth * " " + event.name)
    return list(replays.values())


TREE = ["Sequential", "  0", "    0.up", "    0.down", "  1", "    1.up", "    1.down"]


def test_each_layer_in_every_replay(model, x):
    with torch.no_grad(), graphprof.annotate(model):
        expected = model(x)
        graph, result = captured(lambda: model(x))
    with graphprof.profile() as prof:
        for _ in range(5):
            graph.replay()
        torch.cuda.synchronize()
    assert replayed(prof) == [TREE] * 5
    torch.testing.assert_close(result, expected)
    averages = prof.key_averages()
    assert averages.row("0").device_time >= averages.row("0.up").device_time + averages.row("0.down").device_time - 1


def test_layers_in_graphed_callables_forward_and_backward(model, x):
    with graphprof.annotate(model, backward=True):
        graphed = torch.cuda.make_graphed_callables(model, (x.clone().requires_grad_(),))
    with graphprof.profile() as prof:
        for _ in range(3):
            graphed(x.clone().requires_grad_()).sum().backward()
        torch.cuda.synchronize()
    regions = [[line.strip() for line in lines] for lines in replayed(prof)]
    assert regions.count(NAMES) == 3
    backwards = [lines for lines in regions if lines != NAMES]
    assert len(backwards) == 3 and all({"0 backward", "1 backward", "1.up backward"} <= set(lines) for lines in backwards)


def test_compiled_model_is_timed_around(model, x):
    """A compiled model runs as before and what is around it is timed."""
    with torch.no_grad():
        expected = model(x)
        with graphprof.annotate(model) as annotation:
            compiled = torch.compile(model, mode="reduce-overhead")
            with graphprof.profile() as prof:
                for _ in range(6):
                    with graphprof.region("step"):
                        result = compiled(x).clone()
                torch.cuda.synchronize()
            torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-3)
            assert not any(one.ran for _, one in annotation._modules)
    names = [event.name for event in prof.events() if event.kind == "region"]
    assert names.count("step") == 6 and set(names) == {"step"}
    assert any(event.kind == "kernel" for event in prof.events())
    from torch._dynamo.utils import counters

    assert not counters["graph_break"]


def test_an_eager_region_is_the_current_streams(x):
    side = torch.cuda.Stream()
    with graphprof.profile() as prof:
        with torch.cuda.stream(side):
            with graphprof.region("side"):
                torch.cuda._sleep(1_000_000)
        with graphprof.region("named", stream=side):
            torch.cuda._sleep(1_000)  # in another stream
        torch.cuda.synchronize()
    times = {event.name: event.duration_ns for event in prof.events() if event.kind == "region"}
    assert times["side"] > 100_000 > times["named"]


def test_uncaptured_tasks_keep_regions_apart(x):
    """Tasks that capture nothing keep their regions apart."""
    async def work(name):
        with graphprof.region(name):
            await asyncio.sleep(0)
            with graphprof.region("{} inside", name):
                x.add_(1)
                await asyncio.sleep(0)

    async def main():
        await asyncio.gather(work("a"), work("b"))

    with graphprof.profile() as prof:
        asyncio.run(main())
        torch.cuda.synchronize()
    depths = {event.name: event.depth for event in prof.events() if event.kind == "region"}
    assert depths == {"a": 0, "b": 0, "a inside": 1, "b inside": 1}
    assert not graphprof.losses().regions_outside_graphs_failed


def test_benchmark_agrees_with_events():
    """The benchmark is that of a loop of events."""
    a, b = (torch.randn(2048, 2048, device="cuda", dtype=torch.half) for _ in range(2))
    times = testing.bench_gpu_time_with_cudagraph(torch.matmul, input_args=(a, b))
    result = graphprof.bench(torch.matmul, a, b, flops=2 * 2048**3)
    assert result.cold and result.cold_method == "rotation" and result.copies > 1
    assert statistics.median(times) == pytest.approx(result.median_ms, rel=0.1)
    assert result.low_ms <= result.median_ms <= result.high_ms and result.flops_per_s > 1e12
    warm = graphprof.bench(torch.matmul, a, b, cold_l2_cache=False)
    assert not warm.cold and warm.median_ms < 1.05 * result.median_ms


def test_a_benchmark_without_tensors_flushes_the_cache():
    a = torch.randn(1024, 1024, device="cuda")
    result = graphprof.bench(lambda: a @ a)
    assert (result.cold_method, result.timer) == ("flush", "stamps") and result.warnings


def test_candidates_are_told_apart():
    x = torch.randn(4096, 4096, device="cuda")
    compared = graphprof.bench_compare({"once": lambda x: x + 1, "twice": lambda x: x + 1 + 1}, x)
    assert compared.ratios[1].verdict == "slower" and compared.ratios[1].ratio == pytest.approx(2, rel=0.4)
    same = graphprof.bench_compare([torch.exp, torch.exp], x)
    assert same.ratios[1].verdict == "undecided"


def test_failed_capture_raises_and_recovers():
    """What cannot be captured is an exception and the next one works."""
    with pytest.raises((graphprof.GraphprofError, RuntimeError)):
        graphprof.bench(lambda x: x.sum().item(), torch.ones(4, device="cuda"))
    torch.cuda.synchronize()
    assert graphprof.bench(torch.exp, torch.ones(1024, device="cuda"), cold_l2_cache=False).median_ms > 0


def test_a_decoder_of_transformers():
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    config = transformers.LlamaConfig(hidden_size=256, intermediate_size=512, num_hidden_layers=3, num_attention_heads=4,
                                      num_key_value_heads=4, vocab_size=1000)
    model = transformers.LlamaForCausalLM(config).cuda().half().eval()
    tokens = torch.randint(0, 1000, (1, 16), device="cuda")
    with torch.no_grad(), graphprof.annotate(model, names=["model.layers.?", "model.layers.?.self_attn", "model.layers.?.mlp"]):
        graph, _ = captured(lambda: model(tokens, use_cache=False).logits)
    with graphprof.profile() as prof:
        for _ in range(3):
            graph.replay()
        torch.cuda.synchronize()
    assert replayed(prof) == [[line for layer in range(3) for line in (
        f"model.layers.{layer}", f"  model.layers.{layer}.self_attn", f"  model.layers.{layer}.mlp")]] * 3
