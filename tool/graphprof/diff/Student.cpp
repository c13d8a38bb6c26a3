// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Student.h"

#include <algorithm>
#include <cmath>

namespace graphprof {

namespace {

// The continued fraction of the incomplete beta function (Numerical Recipes, 6.4).
double betaFraction(double a, double b, double x) {
  constexpr double least = 1e-300, precision = 1e-12;
  constexpr int most = 500;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < least ? least : d);
  double fraction = d;
  for (int m = 1; m <= most; ++m) {
    const auto step = [&](double numerator) {
      d = 1 + numerator * d;
      c = 1 + numerator / c;
      d = 1 / (std::abs(d) < least ? least : d);
      c = std::abs(c) < least ? least : c;
      fraction *= d * c;
    };
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(d * c - 1) < precision)
      break;
  }
  return fraction;
}

double incompleteBeta(double a, double b, double x) {
  if (x <= 0 || x >= 1)
    return x <= 0 ? 0 : 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a
                                   : 1 - front * betaFraction(b, a, 1 - x) / b;
}

double twoSided(double t, double freedom) { // P(|T| > t)
  constexpr double asNormal = 1e6;
  return freedom > asNormal ? std::erfc(t / std::sqrt(2.0))
                            : incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

} // namespace

double studentQuantile(double alpha, double freedom) {
  double low = 0, high = 1;
  constexpr double most = 1e9;
  while (twoSided(high, freedom) > alpha && high < most)
    high *= 2;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (twoSided(middle, freedom) > alpha ? low : high) = middle;
  }
  return high;
}

double digamma(double x) {
  constexpr double large = 10;
  double sum = 0;
  while (x < large) {
    sum -= 1 / x;
    x += 1;
  }
  const double square = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
}

double trigamma(double x) {
  constexpr double large = 10;
  double sum = 0;
  while (x < large) {
    sum += 1 / (x * x);
    x += 1;
  }
  const double square = 1 / (x * x);
  return sum + 1 / x + square / 2 +
         square / x * (1.0 / 6 - square * (1.0 / 30 - square * (1.0 / 42 - square / 30)));
}

double inverseTrigamma(double y) {
  double low = 1e-6, high = 1e9; // it falls
  constexpr int halvings = 120;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::sqrt(low * high);
    (trigamma(middle) > y ? low : high) = middle;
  }
  return high;
}

} // namespace graphprof
