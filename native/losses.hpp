// Margin losses: convex functions of the margin m = score(better) - score(worse), written as sums of squared ramps,
//     loss(m) = sum over ramps of coef * max(0, edge - m)^2,
// which covers every piecewise quadratic loss that is flat on the right, and is all that the sweeps need to know.
// To add one: write the struct, then name it in AnyLoss. Nothing else changes.
#pragma once
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rankine {

struct Ramp {
  double coef, edge;
};

/// max(0, 1 - m)^2: the L2 loss of RankSVM.
struct SquaredHinge {
  static constexpr std::string_view name = "squared_hinge";
  static constexpr std::array ramps{Ramp{1.0, 1.0}};
};

/// max(0, 1 - m)^2 for m >= -1, and -4 m beyond: one wrong pair cannot weigh more than linearly.
struct ModifiedHuber {
  static constexpr std::string_view name = "modified_huber";
  static constexpr std::array ramps{Ramp{1.0, 1.0}, Ramp{-1.0, -1.0}};
};

using AnyLoss = std::variant<SquaredHinge, ModifiedHuber>;

template <class... Loss>
AnyLoss pick_loss(std::string_view name, std::variant<Loss...>*) {
  AnyLoss found;
  if (!((Loss::name == name ? (found = Loss{}, true) : false) || ...))
    throw std::invalid_argument("no loss is named '" + std::string(name) + "'");
  return found;
}
inline AnyLoss loss_named(std::string_view name) { return pick_loss(name, static_cast<AnyLoss*>(nullptr)); }

template <class... Loss>
std::vector<std::string> list_losses(std::variant<Loss...>*) {
  return {std::string(Loss::name)...};
}
inline std::vector<std::string> loss_names() { return list_losses(static_cast<AnyLoss*>(nullptr)); }

}  // namespace rankine
