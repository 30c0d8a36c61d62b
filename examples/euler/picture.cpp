// SPDX-License-Identifier: BSD-3-Clause
#include "picture.h"

#include "problems.h"

#include <canvas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace euler {

namespace {

using drawing::Canvas, drawing::Colour, drawing::mix;

constexpr int panel_width = 720, panel_height = 760;
constexpr double side = 560, margin_left = 90, margin_top = 80; // of a panel's plot

constexpr Colour white = { 1, 1, 1 }, ink = { 0.13, 0.15, 0.20 }, faint = { 0.86, 0.88, 0.91 };
constexpr std::array<Colour, 4> tracer_colours = { Colour{ 1.00, 0.55, 0.10 }, { 0.93, 0.22, 0.60 }, { 0.36, 0.80, 0.30 }, { 0.99, 0.86, 0.15 } };

/// From thin (dark) to dense (light) gas; its lightness rises evenly.
Colour density_colour(double share) {
    constexpr std::array<Colour, 6> stops = { Colour{ 0.03, 0.03, 0.12 }, { 0.09, 0.14, 0.33 }, { 0.13, 0.32, 0.53 },
                                              { 0.29, 0.53, 0.68 },       { 0.60, 0.75, 0.82 }, { 0.96, 0.97, 0.94 } };
    const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
    const auto stop = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return mix(stops[stop], stops[stop + 1], at - static_cast<double>(stop));
}

template <class... Values>
std::string format(const char *pattern, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

/// A square plot with its own coordinates.
struct Plot {
    Canvas &canvas;
    double left, top;
    double x_low, x_high, y_low, y_high;

    double x(double value) const { return left + side * (value - x_low) / (x_high - x_low); }
    double y(double value) const { return top + side * (y_high - value) / (y_high - y_low); }

    void frame() const {
        const double right = left + side, bottom = top + side;
        canvas.line(left, top, right, top, 1.5, ink);
        canvas.line(left, bottom, right, bottom, 1.5, ink);
        canvas.line(left, top, left, bottom, 1.5, ink);
        canvas.line(right, top, right, bottom, 1.5, ink);
    }
    void axes(double step, bool grid) const {
        for (int i = 0; x_low + i * step <= x_high + 1e-9; ++i) {
            const double value = x_low + i * step;
            if (grid) canvas.line(x(value), top, x(value), top + side, 1, faint);
            canvas.line(x(value), top + side, x(value), top + side + 6, 1.5, ink);
            canvas.text(x(value), top + side + 26, format("%.1f", value), ink, 0.5);
        }
        for (int i = 0; y_low + i * step <= y_high + 1e-9; ++i) {
            const double value = y_low + i * step;
            if (grid) canvas.line(left, y(value), left + side, y(value), 1, faint);
            canvas.line(left - 6, y(value), left, y(value), 1.5, ink);
            canvas.text(left - 12, y(value) + 7, format("%.1f", value), ink, 1);
        }
    }
};

void draw_exact(const Plot &plot, const Outcome &outcome) {
    const RiemannSolution exact(sod_left, sod_right, outcome.parameters.gamma);
    const auto density = [&](double x) { return exact.at((x - 0.5) * outcome.parameters.length / outcome.time).density; };
    constexpr int n = 1000;
    for (int i = 0; i < n; ++i) {
        const double x0 = static_cast<double>(i) / n, x1 = static_cast<double>(i + 1) / n;
        plot.canvas.line(plot.x(x0), plot.y(density(x0)), plot.x(x1), plot.y(density(x1)), 2, ink);
    }
}

void draw_shock_tubes(Canvas &canvas, double left, const std::vector<const Outcome *> &tubes) {
    constexpr std::array<Colour, 3> colours = { Colour{ 0.88, 0.47, 0.10 }, { 0.10, 0.45, 0.70 }, { 0.30, 0.60, 0.25 } };
    const Plot plot{ canvas, left + margin_left, margin_top, 0, 1, 0, 1.1 };
    canvas.text(plot.left + side / 2, margin_top - 30, format("Sod shock tube: density at time %.2f", tubes[0]->time), ink, 0.5);
    plot.axes(0.2, true);
    plot.frame();
    draw_exact(plot, *tubes[0]);
    double line = margin_top + 40;
    const double legend = plot.left + 0.40 * side;
    canvas.line(legend - 30, line - 7, legend - 10, line - 7, 2, ink);
    canvas.text(legend, line, "exact", ink, 0, 1.7);
    for (std::size_t t = 0; t < tubes.size(); ++t) {
        const auto &profile = tubes[t]->profile;
        const auto &colour = colours[t % colours.size()];
        const double radius = std::max(1.6, 4.0 - 1.4 * static_cast<double>(t));
        for (std::size_t i = 0; i < profile.size(); ++i)
            canvas.disc(plot.x((static_cast<double>(i) + 0.5) / static_cast<double>(profile.size())), plot.y(profile[i]), radius, colour);
        line += 26;
        canvas.disc(legend - 20, line - 7, radius, colour);
        canvas.text(legend, line, format("%zu cells, L1 error %.4f", profile.size(), tubes[t]->density_error), ink, 0, 1.7);
    }
    canvas.text(plot.left + side / 2, margin_top + side + 56, "x", ink, 0.5);
}

/// A plane of cell values, read between their centres.
struct Plane {
    const std::vector<double> &values;
    std::int64_t nx, ny;

    double at(double x, double y) const { // 0 to 1
        const double i = std::clamp(x * static_cast<double>(nx) - 0.5, 0.0, static_cast<double>(nx - 1));
        const double j = std::clamp(y * static_cast<double>(ny) - 0.5, 0.0, static_cast<double>(ny - 1));
        const auto i0 = static_cast<std::int64_t>(i), j0 = static_cast<std::int64_t>(j);
        const auto i1 = std::min(i0 + 1, nx - 1), j1 = std::min(j0 + 1, ny - 1);
        const double fx = i - static_cast<double>(i0), fy = j - static_cast<double>(j0);
        return (1 - fy) * ((1 - fx) * cell(i0, j0) + fx * cell(i1, j0)) + fy * ((1 - fx) * cell(i0, j1) + fx * cell(i1, j1));
    }
    double cell(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i + nx * j)]; }
};

/// Density as a colour map; tracers as veils with an edge where their concentration passes a level.
void paint_blast(const Plot &plot, const Outcome &outcome, double low, double high) {
    const auto &p = outcome.parameters;
    const Plane density{ outcome.density, p.cells[0], p.cells[1] };
    constexpr double edge_levels[] = { 0.02, 0.3 };
    plot.canvas.paint(plot.left, plot.top, side, side, [&](double u, double v) {
        const double x = u, y = 1 - v, gas = density.at(x, y), pixel = 1.2 / side;
        auto colour = density_colour((gas - low) / (high - low));
        for (std::size_t t = 0; t < outcome.tracers.size(); ++t) {
            const Plane tracer{ outcome.tracers[t], p.cells[0], p.cells[1] };
            const auto concentration = [&](double a, double b) { return tracer.at(a, b) / density.at(a, b); };
            const double c = concentration(x, y);
            colour = mix(colour, tracer_colours[t], std::min(0.85, 1.2 * c));
            for (const double level : edge_levels) {
                const bool inside = c > level;
                const bool edge = inside != (concentration(x + pixel, y) > level) || inside != (concentration(x, y + pixel) > level);
                if (edge) colour = tracer_colours[t];
            }
        }
        return colour;
    });
}

/// The grid of blocks, and in each a small square per tracer that has storage there.
void draw_blocks(const Plot &plot, const Outcome &outcome) {
    const auto n = outcome.parameters.blocks();
    const auto nx = static_cast<double>(n[0]), ny = static_cast<double>(n[1]);
    constexpr Colour grid = { 0.42, 0.52, 0.62 };
    for (int i = 1; i < n[0]; ++i) plot.canvas.line(plot.x(i / nx), plot.top, plot.x(i / nx), plot.top + side, 0.7, grid);
    for (int j = 1; j < n[1]; ++j) plot.canvas.line(plot.left, plot.y(j / ny), plot.left + side, plot.y(j / ny), 0.7, grid);
    for (std::size_t t = 0; t < outcome.tracer_blocks.size(); ++t)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i) {
                if (!outcome.tracer_blocks[t][static_cast<std::size_t>(i + n[0] * j)]) continue;
                plot.canvas.rectangle(plot.x(i / nx) + 6 + 12 * static_cast<double>(t), plot.y((j + 1) / ny) + 6, 9, 9, tracer_colours[t]);
            }
}

void draw_colour_bar(Canvas &canvas, double left, double top, double low, double high) {
    canvas.text(left, top + 14, "density", ink, 0, 1.7);
    constexpr double width = 200;
    canvas.paint(left + 140, top, width, 16, [](double u, double) { return density_colour(u); });
    canvas.text(left + 132, top + 14, format("%.1f", low), ink, 1, 1.7);
    canvas.text(left + 148 + width, top + 14, format("%.1f", high), ink, 0, 1.7);
}

void draw_blast(Canvas &canvas, double left, const Outcome &outcome) {
    const auto [low, high] = std::minmax_element(outcome.density.begin(), outcome.density.end());
    const Plot plot{ canvas, left + margin_left, margin_top, 0, 1, 0, 1 };
    canvas.text(plot.left + side / 2, margin_top - 30, format("Blast wave: density and tracers at time %.2f", outcome.time), ink, 0.5);
    paint_blast(plot, outcome, *low, *high);
    draw_blocks(plot, outcome);
    plot.axes(0.2, false);
    plot.frame();
    draw_colour_bar(canvas, plot.left, margin_top + side + 50, *low, *high);
    double x = plot.left;
    for (std::size_t t = 0; t < outcome.tracers.size(); ++t, x += 14) canvas.rectangle(x, margin_top + side + 86, 10, 10, tracer_colours[t]);
    canvas.text(x + 8, margin_top + side + 97, "blocks where a tracer is stored", ink, 0, 1.7);
}

} // namespace

void draw(const std::vector<Outcome> &outcomes, const std::string &file) {
    std::vector<const Outcome *> tubes, blasts;
    for (const auto &outcome : outcomes) (outcome.parameters.problem == "sod" ? tubes : blasts).push_back(&outcome);
    const int n_panels = static_cast<int>(blasts.size()) + (tubes.empty() ? 0 : 1);
    Canvas canvas(n_panels * panel_width, panel_height, white);
    double left = 0;
    if (!tubes.empty()) {
        draw_shock_tubes(canvas, left, tubes);
        left += panel_width;
    }
    for (const auto *blast : blasts) {
        draw_blast(canvas, left, *blast);
        left += panel_width;
    }
    canvas.save_png(file);
}

} // namespace euler
