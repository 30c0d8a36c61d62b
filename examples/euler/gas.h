// SPDX-License-Identifier: BSD-3-Clause
// An ideal gas: states, reconstruction and the flux through one face. References: E. F. Toro, Riemann Solvers and Numerical Methods
// for Fluid Dynamics, 3rd edition, Springer 2009.
#pragma once

#include <array>
#include <cmath>

namespace euler {

/// Density, momentum (x, y, z) and total energy, all per volume: what is stored and conserved.
inline constexpr int n_conserved = 5;

struct Primitive {
    double density;
    std::array<double, 3> velocity;
    double pressure;
};

inline std::array<double, n_conserved> conserved(const Primitive &w, double gamma) {
    const auto &v = w.velocity;
    const double kinetic = 0.5 * w.density * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return { w.density, w.density * v[0], w.density * v[1], w.density * v[2], w.pressure / (gamma - 1) + kinetic };
}

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

/// Slope of a cell by the monotonised central limiter (Toro 13.7), from the differences to its two neighbours. A face value
/// `cell +- slope / 2` never leaves the range of the cells beside the face, so densities and pressures stay positive.
inline double limited_slope(double below, double above) {
    const double steepest = 2 * smaller(std::fabs(below), std::fabs(above));
    const double slope = smaller(steepest, 0.5 * std::fabs(below + above));
    return below * above > 0 ? std::copysign(slope, above) : 0.0;
}

/// The gas on one side of a face, seen along the face's normal: `across` is the normal velocity, `along` the two others.
struct Side {
    double density, across, along[2], pressure;
};

/// Flux through a face by the HLLC solver (Toro 10.4) in the form of Batten, Clarke, Lambert and Causon (SIAM J. Sci. Comput. 18,
/// 1997): the middle state is carried by the contact's speed, so gas at rest has a mass flux of exactly zero. Written without
/// branches, so that compilers can vectorise the loop around it. Components: mass, momentum across, along (2), energy.
inline std::array<double, n_conserved> hllc_flux(const Side &left, const Side &right, double gamma) {
    const double sound_left = std::sqrt(gamma * left.pressure / left.density);
    const double sound_right = std::sqrt(gamma * right.pressure / right.density);
    const double slowest = smaller(left.across - sound_left, right.across - sound_right);
    const double fastest = larger(left.across + sound_left, right.across + sound_right);

    const double inflow_left = left.density * (slowest - left.across);
    const double inflow_right = right.density * (fastest - right.across);
    const double contact = (right.pressure - left.pressure + inflow_left * left.across - inflow_right * right.across) / (inflow_left - inflow_right);

    const bool from_left = contact >= 0;
    const double density = from_left ? left.density : right.density;
    const double across = from_left ? left.across : right.across;
    const double along_0 = from_left ? left.along[0] : right.along[0];
    const double along_1 = from_left ? left.along[1] : right.along[1];
    const double pressure = from_left ? left.pressure : right.pressure;
    const double wave = from_left ? slowest : fastest;
    const bool supersonic = from_left ? slowest >= 0 : fastest <= 0;

    const double kinetic = 0.5 * density * (across * across + along_0 * along_0 + along_1 * along_1);
    const double energy = pressure / (gamma - 1) + kinetic;
    const double compression = (wave - across) / (wave - contact);
    const double middle_pressure = pressure + density * (wave - across) * (contact - across);
    const double middle_energy = compression * energy + (middle_pressure * contact - pressure * across) / (wave - contact);

    const double speed = supersonic ? across : contact;
    const double face_density = supersonic ? density : density * compression;
    const double face_pressure = supersonic ? pressure : middle_pressure;
    const double face_energy = supersonic ? energy : middle_energy;
    const double mass = face_density * speed;
    return { mass, mass * speed + face_pressure, mass * along_0, mass * along_1, (face_energy + face_pressure) * speed };
}

} // namespace euler
