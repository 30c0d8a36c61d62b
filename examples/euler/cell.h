/* SPDX-License-Identifier: BSD-3-Clause */
/* An ideal gas: states, reconstruction, the flux through one face and the step of one cell, for host and device. References: E. F. Toro, Riemann
 * Solvers and Numerical Methods for Fluid Dynamics, 3rd edition, Springer 2009. */
#ifndef EULER_CELL_H
#define EULER_CELL_H

#include "language.h"

#ifdef __cplusplus
#include <cmath>

namespace euler {

using std::copysign, std::fabs, std::sqrt;
#endif

/* Density, momentum (x, y, z) and total energy, all per volume: what is stored and conserved. `reach`: cells on either side of a cell that its new
 * value depends on. */
enum { n_conserved = 5, reach = 2 };

FUNCTION double larger(double a, double b) { return a > b ? a : b; }
FUNCTION double smaller(double a, double b) { return a < b ? a : b; }

/* The gas in a cell or on one side of a face, seen along the face's normal: `across` is the normal velocity, the two others are along it. */
typedef struct Side {
    double density, across, along_0, along_1, pressure;
} Side;

/* From what is stored, the momenta in the same order. */
FUNCTION Side side_of(double density, double across, double along_0, double along_1, double energy, double gamma) {
    const double per_density = 1 / density;
    Side side;
    side.density = density;
    side.across = across * per_density;
    side.along_0 = along_0 * per_density;
    side.along_1 = along_1 * per_density;
    side.pressure = (gamma - 1) * (energy - 0.5 * density * (side.across * side.across + side.along_0 * side.along_0 + side.along_1 * side.along_1));
    return side;
}

/* Of the fastest waves along x, y and z. */
FUNCTION double wave_speed(double density, double momentum_x, double momentum_y, double momentum_z, double energy, double gamma) {
    const double x = momentum_x / density, y = momentum_y / density, z = momentum_z / density;
    const double pressure = (gamma - 1) * (energy - 0.5 * density * (x * x + y * y + z * z));
    return fabs(x) + fabs(y) + fabs(z) + 3 * sqrt(gamma * pressure / density);
}

/* Slope of a cell by the monotonised central limiter (Toro 13.7), from the differences to its two neighbours. A face value
 * `cell +- slope / 2` never leaves the range of the cells beside the face, so densities and pressures stay positive. */
FUNCTION double limited_slope(double below, double above) {
    const double steepest = 2 * smaller(fabs(below), fabs(above));
    const double slope = smaller(steepest, 0.5 * fabs(below + above));
    return (below > 0 && above > 0) || (below < 0 && above < 0) ? copysign(slope, above) : 0.0;
}

/* A value on either side of a face, from the two cells below it (the first is further away) and the two above. */
FUNCTION double below_face(double a, double b, double c) { return b + 0.5 * limited_slope(b - a, c - b); }
FUNCTION double above_face(double b, double c, double d) { return c - 0.5 * limited_slope(c - b, d - c); }

/* Through a face: mass, momentum across and along, energy. */
typedef struct Flux {
    double mass, across, along_0, along_1, energy;
} Flux;

/* By the HLLC solver (Toro 10.4) in the form of Batten, Clarke, Lambert and Causon (SIAM J. Sci. Comput. 18, 1997): the middle state is carried by
 * the contact's speed, so gas at rest has a mass flux of exactly zero. Written without branches, so that compilers can vectorise the loop around it.
 */
FUNCTION Flux hllc_flux(Side left, Side right, double gamma) {
    const double sound_left = sqrt(gamma * left.pressure / left.density);
    const double sound_right = sqrt(gamma * right.pressure / right.density);
    const double slowest = smaller(left.across - sound_left, right.across - sound_right);
    const double fastest = larger(left.across + sound_left, right.across + sound_right);

    const double inflow_left = left.density * (slowest - left.across);
    const double inflow_right = right.density * (fastest - right.across);
    const double contact = (right.pressure - left.pressure + inflow_left * left.across - inflow_right * right.across) / (inflow_left - inflow_right);

    const bool from_left = contact >= 0;
    const double density = from_left ? left.density : right.density;
    const double across = from_left ? left.across : right.across;
    const double along_0 = from_left ? left.along_0 : right.along_0;
    const double along_1 = from_left ? left.along_1 : right.along_1;
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
    Flux flux;
    flux.mass = face_density * speed;
    flux.across = flux.mass * speed + face_pressure;
    flux.along_0 = flux.mass * along_0;
    flux.along_1 = flux.mass * along_1;
    flux.energy = (face_energy + face_pressure) * speed;
    return flux;
}

/* From the concentrations of the two cells below and the two above a face: the gas carries that of the side it comes from. */
FUNCTION double tracer_flux(double mass, double a, double b, double c, double d) {
    return mass * (mass >= 0 ? below_face(a, b, c) : above_face(b, c, d));
}

/* One stage of the time integration: out = keep * out + (1 - keep) * (in + dt * rate(in)), on owned cells. */
typedef struct Stage {
    double dt, keep;
} Stage;

FUNCTION double advanced(double in, double out, double rate, Stage stage) {
    const double next = in + stage.dt * rate;
    return stage.keep == 0 ? next : stage.keep * out + (1 - stage.keep) * next;
}

#ifdef __cplusplus
}
#endif

#endif
