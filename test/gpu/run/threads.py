# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Four threads that capture at once, each with its own graph and stream, and replay; with each capture mode that lets other threads
# work. Then a thread with its own stream joins another thread's capture. Prints a digest of each output.
import hashlib
import os
import threading
import traceback

import torch

torch.manual_seed(0)
inputs = [torch.randn(64, 256, device="cuda") for _ in range(4)]
outputs = [torch.zeros(64, 256, device="cuda") for _ in range(4)]
torch.cuda.synchronize()
together = threading.Barrier(4)


def work(number):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for turn, mode in enumerate(("thread_local", "relaxed", "relaxed", "thread_local", "relaxed")):
            # torch.cuda.graph would synchronize the device, and so break the captures of other threads.
            graph = torch.cuda.CUDAGraph()
            together.wait()
            graph.capture_begin(capture_error_mode=mode)
            with torch.cuda.nvtx.range(f"thread {number}"):
                torch.add(inputs[number], turn, out=outputs[number])
                outputs[number].mul_(2).relu_()
            together.wait()
            graph.capture_end()
            for _ in range(3):
                graph.replay()
            stream.synchronize()


def join():
    stream, side = torch.cuda.Stream(), torch.cuda.Stream()
    forked, joined = torch.cuda.Event(), torch.cuda.Event()

    def joining():
        with torch.cuda.stream(side), torch.cuda.nvtx.range("worker"):
            side.wait_event(forked)
            torch.add(inputs[0], 1, out=outputs[0])
            with torch.cuda.nvtx.range("inner"):
                outputs[0].mul_(3)
            joined.record(side)

    with torch.cuda.stream(stream):
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin(capture_error_mode="relaxed")
        with torch.cuda.nvtx.range("step"):
            torch.add(inputs[1], 1, out=outputs[1])
            forked.record(stream)
            thread = threading.Thread(target=joining)
            thread.start()
            outputs[1].mul_(2)
            thread.join()
            stream.wait_event(joined)
        graph.capture_end()
        for _ in range(5):
            graph.replay()
        stream.synchronize()


def guarded(number):
    try:
        work(number)
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # the other threads would wait for this one


threads = [threading.Thread(target=guarded, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
join()
for output in outputs:
    print(hashlib.sha256(output.cpu().numpy().tobytes()).hexdigest())
