// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace euler {

/// Gas in one dimension.
struct LineState {
    double density, velocity, pressure;
};

/// Exact solution of the Riemann problem of an ideal gas (Toro, chapter 4), for states between which no vacuum opens.
class RiemannSolution {
public:
    RiemannSolution(const LineState &left, const LineState &right, double gamma);

    /// State on the ray x / t = speed, the jump being at x = 0.
    LineState at(double speed) const;

    double middle_pressure() const { return pressure_; }
    double middle_velocity() const { return velocity_; }

private:
    /// Velocity change over the wave on one side for a middle pressure `p`, and its derivative.
    struct Change {
        double value, slope;
    };
    Change change(const LineState &side, double p) const;
    void solve();
    LineState beside_contact(const LineState &outer, double speed) const;

    LineState left_, right_;
    double gamma_;
    double pressure_ = 0, velocity_ = 0; // between the two outer waves
};

} // namespace euler
