// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/InlineOutput.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "output/data/Batch.h"

using namespace graphprof;

namespace {

TEST(InlineOutput, WrapsItsWriter) {
  // An inline output is its writer with a name and what it wants.
  struct Writer : BatchWriter {
    explicit Writer(const Batch *&given) : given(given) {}
    std::string write(const Batch &batch) override {
      given = &batch;
      return "full";
    }
    [[nodiscard]] std::uint64_t dropped() const override { return 7; }
    std::string close(const Losses &losses) override { return std::to_string(losses.overrun); }
    const Batch *&given;
  };
  const Batch *given = nullptr;
  InlineOutput output("name", std::make_unique<Writer>(given), {.hostSpans = true});
  const Batch batch;
  EXPECT_EQ(output.name(), "name");
  EXPECT_TRUE(output.wants().hostSpans);
  EXPECT_FALSE(output.wants().memory);
  EXPECT_EQ(output.write(batch), "full");
  EXPECT_EQ(given, &batch);
  EXPECT_EQ(output.dropped(), 7U);
  Losses losses{};
  losses.overrun = 3;
  EXPECT_EQ(output.close(losses), "3");
}

} // namespace
