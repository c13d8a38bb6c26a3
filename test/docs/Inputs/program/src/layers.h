// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#pragma once

constexpr int layers = 2;
