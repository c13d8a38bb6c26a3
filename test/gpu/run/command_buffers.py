# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# JAX: a jitted step that XLA runs as command buffers, which are CUDA graphs that it builds, and edits when buffers move. All
# numbers are small integers, so any kernels that XLA picks compute the same bits. Prints a digest of the output.
import hashlib
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
import numpy

generator = numpy.random.default_rng(0)
weights = [jnp.asarray(generator.integers(-1, 2, (256, 256)), jnp.float32) for _ in range(8)]
x = jnp.asarray(generator.integers(0, 7, (64, 256)), jnp.float32)


@jax.jit
def step(batch, weights):
    for weight in weights:
        batch = jnp.mod(batch @ weight, 7)
        batch = jnp.mod(batch + jnp.cumsum(batch, axis=1), 7)
    return batch


for _ in range(20):
    x = step(x, weights)
x.block_until_ready()
assert jax.devices()[0].platform == "gpu", jax.devices()
print(hashlib.sha256(numpy.asarray(x).tobytes()).hexdigest())
