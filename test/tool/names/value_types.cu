// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not test -e %t.cu
//
// A name's format is checked against the types of its values, as far as the syntax tree shows them; at the annotation.

#include <cstdlib>

#include <cuda_runtime.h>
#include <string>
#include <tuple>

void work();
double rate;
enum class Phase : unsigned char { First };
struct Layer {
  double scale;
  int id;
  void forward(int id) {
    // CHECK: :[[#@LINE+1]]:26: error: '{:d}' cannot show 'scale', which is a floating-point number
    [[graphprof::time("{:d} {:d}", scale, id)]] work();
  }
};

// CHECK: :[[#@LINE+1]]:24: error: '{:.2f}' cannot show 'n', which is an integer
[[graphprof::time("{:.2f}", n)]] void function(int n) { work(); }
template <class T> void generic(T value, int n) {
  [[graphprof::time("{:d}", value)]] work();
  // CHECK: :[[#@LINE+1]]:26: error: '{:.2f}' cannot show 'n', which is an integer
  [[graphprof::time("{:.2f}", n)]] work();
}

void fits(double d, float f, int i, unsigned long u, bool b, char c, const char *t, std::string s, Phase p, void *v,
          std::string &r) {
  [[graphprof::time("{} {:.2f} {:>8.3} {:g} {:e}", d, d, d, f, 1.5)]] work();
  [[graphprof::time("{} {:d} {:x} {:#010b} {:+} {:c} {:03}", i, i, u, i, i, i, 7)]] work();
  [[graphprof::time("{} {:d} {:s} {} {:d} {}", b, b, b, c, c, true)]] work();
  [[graphprof::time("{} {:s} {:.3} {:*^10} {} {}", t, s, r, "text", p, v)]] work();
  [[graphprof::time("{:>{}} {:.{}f} {:p}", i, i, d, 2, v)]] work();
  { double i = 0; [[graphprof::time("{:f}", i)]] work(); }
  for (float i = 0; i < 1; ++i) [[graphprof::time("{:f}", i)]] { work(); }
  [[graphprof::time("{:d}", i)]] work();
  [[graphprof::time("{:d} {:q>3}", int(d), d)]] work();
  auto [x, y] = std::make_tuple(1, 2.5);
  [[graphprof::time("{} {}", x, y)]] work();
  [[graphprof::time("{:f}", [z = d] { return z; }())]] work();
}

void refused(double d, int i, unsigned u, const char *t, std::string s, Phase p) {
  // CHECK: :[[#@LINE+1]]:24: error: '{:d}' cannot show 'd', which is a floating-point number
  [[graphprof::time("{:d}", d)]] work();
  // CHECK: :[[#@LINE+1]]:24: error: no value can be shown as '{:q}'; see https://fmt.dev/latest/syntax.html
  [[graphprof::time("{:q}", i + 1)]] work();
  // CHECK: :[[#@LINE+1]]:24: error: '{:d}' cannot show 's', which is a text
  [[graphprof::time("{:d}", s)]] work();
  // CHECK: :[[#@LINE+1]]:26: error: '{:.2f}' cannot show '3', which is an integer
  [[graphprof::time("{:.2f}", 3)]] work();
  // CHECK: :[[#@LINE+1]]:25: error: '{:+}' cannot show 'u', which is an unsigned integer
  [[graphprof::time("{:+}", u)]] work();
  // CHECK: :[[#@LINE+1]]:24: error: '{:s}' cannot show 'p', which is an unsigned integer
  [[graphprof::time("{:s}", p)]] work();
  // CHECK: :[[#@LINE+1]]:25: error: a width or precision is an integer, and 't' is a text
  [[graphprof::time("{:.{}f}", d, t)]] work();
  // CHECK: :[[#@LINE+1]]:24: error: '{:d}' cannot show 'rate', which is a floating-point number
  [[graphprof::time("{:d}", rate)]] work();
  // CHECK: :[[#@LINE+1]]:31: error: '{0:x}' cannot show 'd', which is a floating-point number
  [[graphprof::time("{0:f} {0:x}", d)]] work();
}
