# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""annotate(compiled=True): a small Llama of transformers under torch.compile(fullgraph=True), on a GPU:

    GRAPHPROF_OUTPUT= python3 -m graphprof -o '' test/gpu/python/compiled.py

Captured by hand, and by PyTorch itself (reduce-overhead). The layers must be named in every replay, in their order and inside each
other, the results must be those without regions, and the compiler must not have broken its graph nor given up CUDA graphs."""

import sys

try:
    import torch
    import transformers
    from torch._dynamo.utils import counters
except ImportError as missing:
    sys.exit(print(f"skipped: {missing}"))

import graphprof

LAYERS = 3
PARTS = ("", ".self_attn", ".mlp")
TREE = [f"{'  ' if part else ''}model.layers.{layer}{part}" for layer in range(LAYERS) for part in PARTS]


def replayed(prof):
    replays = {}
    for event in prof.events():
        if event.kind == "region" and event.exec and "model.layers" in event.name:
            assert event.duration_ns is not None and event.duration_ns > 0, event
            replays.setdefault((event.exec, event.replay), []).append(2 * event.depth * " " + event.name)
    return list(replays.values())


def check(what, prof, count):
    found = replayed(prof)
    assert len(found) >= count and all(each == TREE for each in found), (what, found[:1], len(found))
    layer = prof.key_averages().row("model.layers.0")
    parts = sum(prof.key_averages().row(f"model.layers.0{part}").device_time for part in PARTS[1:])
    print(f"{what}: {len(found)} replays, model.layers.0 {layer.device_time:.1f}, its parts {parts:.1f}")
    assert layer.device_time >= parts - 1
    print(prof.key_averages().table())


def main():
    assert graphprof.support().interposed, "run it by `python3 -m graphprof`"
    torch.manual_seed(0)
    config = transformers.LlamaConfig(hidden_size=512, intermediate_size=1024, num_hidden_layers=LAYERS, num_attention_heads=8,
                                      num_key_value_heads=8, vocab_size=1000)
    model = transformers.LlamaForCausalLM(config).cuda().half().eval()
    tokens = torch.randint(0, 1000, (1, 64), device="cuda")

    def forward(tokens):
        return model(tokens, use_cache=False).logits

    with torch.no_grad():
        expected = forward(tokens)
        names = [f"model.layers.?{part}" for part in PARTS]
        with graphprof.annotate(model, names=names, compiled=True):
            explained = torch._dynamo.explain(forward)(tokens)
            assert explained.graph_count == 1 and explained.graph_break_count == 0, explained
            torch._dynamo.reset()
            counters.clear()

            compiled = torch.compile(forward, fullgraph=True)
            compiled(tokens)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                result = compiled(tokens)
            with graphprof.profile() as prof:
                for _ in range(5):
                    graph.replay()
                torch.cuda.synchronize()
            check("captured by hand", prof, 5)
            torch.testing.assert_close(result, expected, rtol=2e-2, atol=2e-2)

            torch._dynamo.reset()
            compiled = torch.compile(forward, fullgraph=True, mode="reduce-overhead")
            with graphprof.profile() as prof:
                for _ in range(8):
                    torch.compiler.cudagraph_mark_step_begin()
                    result = compiled(tokens).clone()
                torch.cuda.synchronize()
            check("reduce-overhead", prof, 5)
            torch.testing.assert_close(result, expected, rtol=2e-2, atol=2e-2)
            assert not counters["graph_break"], counters["graph_break"]
            assert not counters["inductor"].get("cudagraph_skips"), counters["inductor"]
    print("ok")


if __name__ == "__main__":
    sys.exit(main())
