// The quadratic program of a bundle of planes: the mixture b >= 0, sum b = 1, that maximises offset . b - b' gram b
// / 2.
//
// By active sets: the stationary point over the planes in use is found by a Cholesky factor; on the way there planes
// whose share falls to zero are let go, and then the plane that would help most is taken in. Either changes one row and
// column of the factor, at the cost of its square. A bundle hardly changes between two calls.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace rankine {

class Mixture {
 public:
  Mixture(std::span<const double> gram, std::span<const double> offset) : gram_(gram), offset_(offset) {}

  /// The best mixture, from `start` on; at most `budget` planes are taken in or let go.
  std::vector<double> best(std::span<const double> start, std::size_t budget) {
    share_.assign(start.begin(), start.end());
    for (std::size_t i = 0; i < share_.size(); ++i) constant_ = std::max(constant_, gram(i, i));
    if (constant_ == 0.0) constant_ = 1.0;
    for (std::size_t i = 0; i < share_.size(); ++i)
      if (share_[i] > 0.0) take_in(i);
    if (used_.empty()) take_in(0), share_[0] = 1.0;
    while (budget-- > 0) {
      find_stationary();
      if (!go_there()) continue;
      const std::size_t next = most_wanted();
      if (next == share_.size()) break;
      take_in(next);
    }
    double sum = 0.0;
    for (const double b : share_) sum += b;
    for (double& b : share_) b /= sum;
    return share_;
  }

 private:
  double gram(std::size_t i, std::size_t j) const { return gram_[i * offset_.size() + j]; }

  /// wanted_ = the stationary point over the planes in use, level_ = the multiplier of their sum. The sum is fixed, so
  /// a constant may be added to the matrix: then it is definite though a plane is zero.
  void find_stationary() {
    const std::size_t m = used_.size();
    wanted_.resize(m);
    by_one_.assign(m, 1.0);
    for (std::size_t k = 0; k < m; ++k) wanted_[k] = offset_[used_[k]];
    substitute(wanted_);
    substitute(by_one_);
    double sum = 0.0, sum_one = 0.0;
    for (std::size_t k = 0; k < m; ++k) sum += wanted_[k], sum_one += by_one_[k];
    const double multiplier = (sum - 1.0) / sum_one;
    for (std::size_t k = 0; k < m; ++k) wanted_[k] -= multiplier * by_one_[k];
    level_ = multiplier - constant_;
  }

  /// Uses a plane: a last row of the lower factor. A ridge stands in for the digits that planes alike do not have.
  void take_in(std::size_t plane) {
    const std::size_t m = used_.size();
    std::vector<double> row(m + 1);
    double pivot = gram(plane, plane) + constant_;
    const double least = 1e-13 * pivot;
    for (std::size_t c = 0; c < m; ++c) {
      double sum = gram(plane, used_[c]) + constant_;
      for (std::size_t k = 0; k < c; ++k) sum -= row[k] * lower_[c][k];
      row[c] = sum / lower_[c][c];
      pivot -= row[c] * row[c];
    }
    row[m] = std::sqrt(std::max(pivot, least));
    lower_.push_back(std::move(row));
    used_.push_back(plane);
  }

  /// Lets a plane go: the rows after it lose their entry above the diagonal to rotations of two columns.
  void let_go(std::size_t gone) {
    share_[used_[gone]] = 0.0;
    used_.erase(used_.begin() + static_cast<std::ptrdiff_t>(gone));
    lower_.erase(lower_.begin() + static_cast<std::ptrdiff_t>(gone));
    for (std::size_t r = gone; r < lower_.size(); ++r) {
      const double a = lower_[r][r], b = lower_[r][r + 1], length = std::hypot(a, b), c = a / length, s = b / length;
      for (std::size_t below = r; below < lower_.size(); ++below) {
        const double x = lower_[below][r], y = lower_[below][r + 1];
        lower_[below][r] = c * x + s * y;
        lower_[below][r + 1] = c * y - s * x;
      }
      lower_[r].pop_back();
    }
  }

  void substitute(std::vector<double>& x) const {
    const std::size_t m = x.size();
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t k = 0; k < r; ++k) x[r] -= lower_[r][k] * x[k];
      x[r] /= lower_[r][r];
    }
    for (std::size_t r = m; r-- > 0;) {
      x[r] /= lower_[r][r];
      for (std::size_t k = 0; k < r; ++k) x[k] -= lower_[r][k] * x[r];
    }
  }

  /// Moves the shares to wanted_, or as far as none gets negative; then the first that vanishes is let go.
  bool go_there() {
    double step = 1.0;
    std::size_t gone = used_.size();
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const double now = share_[used_[k]];
      if (wanted_[k] >= 0.0 || now / (now - wanted_[k]) >= step) continue;
      step = now / (now - wanted_[k]);
      gone = k;
    }
    for (std::size_t k = 0; k < used_.size(); ++k) {
      double& now = share_[used_[k]];
      now = std::max(0.0, now + step * (wanted_[k] - now));
    }
    if (gone == used_.size()) return true;
    let_go(gone);
    return false;
  }

  /// The plane beyond those in use that would raise the value most; share_.size() if none would.
  std::size_t most_wanted() const {
    double most = 0.0;
    for (const double o : offset_) most = std::max(most, std::abs(o));
    double rise = 1e-13 * (most + std::abs(level_));
    std::size_t found = share_.size();
    for (std::size_t i = 0; i < share_.size(); ++i) {
      if (share_[i] > 0.0) continue;
      double slope = offset_[i] - level_;
      for (const std::size_t j : used_) slope -= gram(i, j) * share_[j];
      if (slope <= rise) continue;
      bool is_used = false;
      for (const std::size_t j : used_) is_used = is_used || i == j;
      if (is_used) continue;
      rise = slope;
      found = i;
    }
    return found;
  }

  std::span<const double> gram_, offset_;
  std::vector<double> share_, wanted_, by_one_;
  std::vector<std::vector<double>> lower_;
  std::vector<std::size_t> used_;
  double level_ = 0.0, constant_ = 0.0;
};

}  // namespace rankine
