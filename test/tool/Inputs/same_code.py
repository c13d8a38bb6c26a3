# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""same_code.py FIRST SECOND: compares the machine code of the kernels in two cubins; exit status 1 if one of the first differs."""
import struct
import sys


def code(cubin):
    with open(cubin, "rb") as file:
        elf = file.read()
    (start,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQII", elf, start + i * size) for i in range(count)]
    text = sections[names][4]
    kernels = {}
    for name, _, _, _, offset, length, _, _ in sections:
        name = elf[text + name:elf.index(b"\0", text + name)].decode()
        if name.startswith(".text."):
            kernels[name.removeprefix(".text.")] = elf[offset:offset + length]
    return kernels


first, second = map(code, sys.argv[1:])
for kernel, text in first.items():
    print(f"{kernel}: {'the same' if second.get(kernel) == text else 'DIFFERENT'}")
for kernel in second.keys() - first.keys():
    print(f"only in the second: {kernel}")
sys.exit(not first or any(second.get(kernel) != text for kernel, text in first.items()))
