// Margin losses: convex functions of the margin m = score(better) - score(worse).
//
// The sweeps know sums of ramps,
//     loss(m) = sum over ramps of coef * max(0, edge - m)^degree,   degree 1 or 2,
// which covers every piecewise linear or quadratic loss that is flat on the right: their pairs are never listed. To add
// one: its line in loss_named. The logistic loss is not of this kind; its pairs are visited one by one (listed.hpp).
#pragma once
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rankine {

struct Ramp {
  double coef, edge;
  int degree = 2;

  /// Second derivative of the loss where the ramp rises.
  double curvature() const { return degree == 2 ? 2.0 * coef : 0.0; }
};
template <std::size_t N>
using Ramps = std::array<Ramp, N>;

/// log(1 + exp(-m)).
struct Logistic {};

using Loss = std::variant<Ramps<1>, Ramps<2>, Logistic>;

inline std::vector<std::string> loss_names() { return {"squared_hinge", "modified_huber", "hinge", "logistic"}; }

/// The loss of a name. `window` is for the hinge alone: with window > 0 it is smooth, a parabola for margins from
/// 1 - window to 1 and a line beyond, at most window / 2 below the hinge.
inline Loss loss_named(std::string_view name, double window) {
  const auto is = [&](std::string_view other) { return name == other; };
  if (!(window >= 0.0 && std::isfinite(window)) || (window > 0.0 && !is("hinge")))
    throw std::invalid_argument("the loss '" + std::string(name) + "' has no window of " + std::to_string(window));
  // max(0, 1 - m)^2: the L2 loss of RankSVM.
  if (is("squared_hinge")) return Ramps<1>{Ramp{1.0, 1.0}};
  // max(0, 1 - m)^2 for m >= -1, and -4 m beyond: one wrong pair cannot weigh more than linearly.
  if (is("modified_huber")) return Ramps<2>{Ramp{1.0, 1.0}, Ramp{-1.0, -1.0}};
  // max(0, 1 - m): the L1 loss of RankSVM.
  if (is("hinge") && window == 0.0) return Ramps<1>{Ramp{1.0, 1.0, 1}};
  if (is("hinge")) return Ramps<2>{Ramp{0.5 / window, 1.0}, Ramp{-0.5 / window, 1.0 - window}};
  if (is("logistic")) return Logistic{};
  throw std::invalid_argument("no loss is named '" + std::string(name) + "'");
}

}  // namespace rankine
