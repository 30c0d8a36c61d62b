/* SPDX-License-Identifier: BSD-3-Clause */
/* Shallow water over a flat bottom, in one cell, for host and device: finite volumes, linear in each cell, with fluxes of V. Rusanov (1961). The flux
 * through a side is computed from the same numbers in the same order for both of its cells. Lengths and areas are those of the sphere of radius 1. */
#ifndef SHALLOW_CELL_H
#define SHALLOW_CELL_H

#include "planet.h"
#include "point.h"

#ifdef __cplusplus
namespace shallow {

using std::fabs, std::sqrt;
#endif

/* Cells are hexagons and twelve pentagons. Of each, depth and the three parts of the momentum are stored, one behind the other. */
enum { most_sides = 6, n_values = 4 };

/* Depth of the water, and depth times velocity: a direction along the sphere. */
typedef struct State {
    double depth;
    Point momentum;
} State;

/* Behind it lies the cell number `beyond`. */
typedef struct Side {
    unsigned beyond;
    double length;
    Point middle, outward;
} Side;

/* The cell number `at`. */
typedef struct Cell {
    unsigned at;
    int n_sides;
    double area;
    Side sides[most_sides];
} Cell;

/* The gradient in cell `at`, by least squares: a sum over the cells around of weights times differences. */
typedef struct Gradient {
    unsigned at;
    int n;
    unsigned around[most_sides];
    Point weights[most_sides];
} Gradient;

typedef struct Slope {
    Point depth, velocity[3];
} Slope;

/* What a tendency is made of, by the number of the cell. */
typedef struct Stage {
    GLOBAL const Point *places;
    GLOBAL const double *values;
    GLOBAL const Slope *slopes;
} Stage;

/* Of time: `a` times the state before and `b` times that of the stage, `seconds` later. The planet turns around `axis`. */
typedef struct Step {
    double a, b, seconds;
    Point axis;
} Step;

FUNCTION State state_of(double depth, Point momentum) {
    State state;
    state.depth = depth;
    state.momentum = momentum;
    return state;
}

FUNCTION State read_state(GLOBAL const double *values, long cell) {
    GLOBAL const double *at = values + n_values * cell;
    return state_of(at[0], point(at[1], at[2], at[3]));
}

FUNCTION void write_state(GLOBAL double *values, long cell, State state) {
    GLOBAL double *at = values + n_values * cell;
    at[0] = state.depth;
    for (int d = 0; d < 3; ++d) at[1 + d] = state.momentum.at[d];
}

FUNCTION Point velocity(State state) { return scaled(1 / state.depth, state.momentum); }

FUNCTION double wave_speed(State state, Point outward) { return fabs(scalar_product(velocity(state), outward)) + sqrt(gravity * state.depth); }

FUNCTION Slope slope_at(GLOBAL const double *values, Gradient gradient) {
    const State here = read_state(values, gradient.at);
    const Point moves = velocity(here);
    Slope slope;
    slope.depth = slope.velocity[0] = slope.velocity[1] = slope.velocity[2] = point(0, 0, 0);
    for (int k = 0; k < gradient.n; ++k) {
        const State there = read_state(values, gradient.around[k]);
        const Point faster = difference(velocity(there), moves);
        slope.depth = sum(slope.depth, scaled(there.depth - here.depth, gradient.weights[k]));
        for (int d = 0; d < 3; ++d) slope.velocity[d] = sum(slope.velocity[d], scaled(faster.at[d], gradient.weights[k]));
    }
    return slope;
}

/* In the middle of a side, as seen from one of its cells. */
FUNCTION State state_at(Stage stage, long cell, Side side) {
    const State here = read_state(stage.values, cell);
    const Slope slope = stage.slopes[cell];
    const Point way = difference(side.middle, stage.places[cell]);
    const double depth = here.depth + scalar_product(slope.depth, way);
    Point moves = velocity(here);
    for (int d = 0; d < 3; ++d) moves.at[d] += scalar_product(slope.velocity[d], way);
    return state_of(depth, scaled(depth, tangent(moves, side.middle)));
}

/* Changes its sign, and nothing else, as seen from the other cell. */
FUNCTION State flux_through(Stage stage, long cell, Side side) {
    const State here = state_at(stage, cell, side), there = state_at(stage, side.beyond, side);
    const double out_here = scalar_product(velocity(here), side.outward), out_there = scalar_product(velocity(there), side.outward);
    const double speed_here = wave_speed(here, side.outward), speed_there = wave_speed(there, side.outward);
    const double speed = speed_here < speed_there ? speed_there : speed_here;
    const double pressure = gravity / 2 * (here.depth * here.depth + there.depth * there.depth);
    const Point carried = sum(scaled(out_here, here.momentum), scaled(out_there, there.momentum));
    return state_of(
        0.5 * (out_here * here.depth + out_there * there.depth) - 0.5 * speed * (there.depth - here.depth),
        difference(scaled(0.5, sum(carried, scaled(pressure, side.outward))), scaled(0.5 * speed, difference(there.momentum, here.momentum))));
}

/* The pressure of a cell on itself is taken off: its sides do not quite close, on the sphere. */
FUNCTION State tendency(Stage stage, GLOBAL const Cell *cell, Point axis) {
    const Point place = stage.places[cell->at];
    const State here = read_state(stage.values, cell->at);
    State out = state_of(0, point(0, 0, 0));
    for (int k = 0; k < cell->n_sides; ++k) {
        const Side side = cell->sides[k];
        const State through = flux_through(stage, cell->at, side);
        const Point own = scaled(gravity / 2 * here.depth * here.depth, side.outward);
        out.depth += side.length * through.depth;
        out.momentum = sum(out.momentum, scaled(side.length, difference(through.momentum, own)));
    }
    const double scale = -1 / (cell->area * radius);
    const Point turned = scaled(2 * rotation * scalar_product(axis, place), vector_product(place, here.momentum));
    return state_of(scale * out.depth, tangent(difference(scaled(scale, out.momentum), turned), place));
}

FUNCTION State advance_at(GLOBAL const double *before, Stage stage, GLOBAL const Cell *cell, Step step) {
    const State was = read_state(before, cell->at), is = read_state(stage.values, cell->at), rate = tendency(stage, cell, step.axis);
    return state_of(step.a * was.depth + step.b * (is.depth + step.seconds * rate.depth),
                    sum(scaled(step.a, was.momentum), scaled(step.b, sum(is.momentum, scaled(step.seconds, rate.momentum)))));
}

#ifdef __cplusplus
} // namespace shallow
#endif

#endif
