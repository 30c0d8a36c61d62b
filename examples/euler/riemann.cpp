// SPDX-License-Identifier: BSD-3-Clause
#include "riemann.h"

#include <algorithm>
#include <cmath>

namespace euler {

namespace {

double sound_speed(const LineState &s, double gamma) { return std::sqrt(gamma * s.pressure / s.density); }

} // namespace

RiemannSolution::RiemannSolution(const LineState &left, const LineState &right, double gamma) : left_(left), right_(right), gamma_(gamma) { solve(); }

RiemannSolution::Change RiemannSolution::change(const LineState &side, double p) const {
    if (p > side.pressure) { // shock, Toro (4.6) and (4.37)
        const double a = 2 / ((gamma_ + 1) * side.density);
        const double b = (gamma_ - 1) / (gamma_ + 1) * side.pressure;
        const double root = std::sqrt(a / (p + b));
        return { (p - side.pressure) * root, root * (1 - 0.5 * (p - side.pressure) / (b + p)) };
    }
    const double c = sound_speed(side, gamma_); // rarefaction
    const double ratio = p / side.pressure;
    return { 2 * c / (gamma_ - 1) * (std::pow(ratio, (gamma_ - 1) / (2 * gamma_)) - 1),
             1 / (side.density * c) * std::pow(ratio, -(gamma_ + 1) / (2 * gamma_)) };
}

/// Newton's iteration for the pressure at which both sides agree on the velocity, Toro (4.5).
void RiemannSolution::solve() {
    double p = 0.5 * (left_.pressure + right_.pressure);
    for (int i = 0; i < 50; ++i) {
        const auto l = change(left_, p), r = change(right_, p);
        const double next = std::max(p - (l.value + r.value + right_.velocity - left_.velocity) / (l.slope + r.slope), 1e-12);
        const double step = std::fabs(next - p) / (0.5 * (next + p));
        p = next;
        if (step < 1e-14) break;
    }
    pressure_ = p;
    velocity_ = 0.5 * (left_.velocity + right_.velocity) + 0.5 * (change(right_, p).value - change(left_, p).value);
}

/// State on a ray between `outer`, the undisturbed gas on the left, and the contact (Toro 4.5).
LineState RiemannSolution::beside_contact(const LineState &outer, double speed) const {
    const double c = sound_speed(outer, gamma_);
    const double ratio = pressure_ / outer.pressure;
    const double g = (gamma_ - 1) / (gamma_ + 1);
    if (pressure_ > outer.pressure) {
        const double shock = outer.velocity - c * std::sqrt((gamma_ + 1) / (2 * gamma_) * ratio + (gamma_ - 1) / (2 * gamma_));
        if (speed < shock) return outer;
        return { outer.density * (ratio + g) / (g * ratio + 1), velocity_, pressure_ };
    }
    const double head = outer.velocity - c;
    const double tail = velocity_ - c * std::pow(ratio, (gamma_ - 1) / (2 * gamma_));
    if (speed < head) return outer;
    if (speed > tail) return { outer.density * std::pow(ratio, 1 / gamma_), velocity_, pressure_ };
    const double fan = 2 / (gamma_ + 1) + g / c * (outer.velocity - speed);
    return { outer.density * std::pow(fan, 2 / (gamma_ - 1)), 2 / (gamma_ + 1) * (c + 0.5 * (gamma_ - 1) * outer.velocity + speed),
             outer.pressure * std::pow(fan, 2 * gamma_ / (gamma_ - 1)) };
}

LineState RiemannSolution::at(double speed) const {
    if (speed <= velocity_) return beside_contact(left_, speed);
    // The right side is the left side of the mirrored problem.
    RiemannSolution mirrored = *this;
    mirrored.velocity_ = -velocity_;
    auto state = mirrored.beside_contact({ right_.density, -right_.velocity, right_.pressure }, -speed);
    state.velocity = -state.velocity;
    return state;
}

} // namespace euler
