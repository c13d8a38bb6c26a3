// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Replaces Gzip.cpp if graphprof is built without zlib.

#include "output/io/Gzip.h"

namespace graphprof {

bool Gzip::builtIn() { return false; }
std::unique_ptr<Gzip> Gzip::make() { return nullptr; }
std::string unzippedHead(std::string_view /*compressed*/, std::size_t /*most*/) { return {}; }

} // namespace graphprof
