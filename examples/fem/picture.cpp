// SPDX-License-Identifier: BSD-3-Clause
#include "picture.h"

#include "surface.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fem {

namespace {

using drawing::Canvas, drawing::Colour, drawing::mix;

constexpr int view_width = 760, view_height = 600, plot_width = 560, height = 700, top = 70;
constexpr Colour white = { 1, 1, 1 }, ink = { 0.13, 0.15, 0.20 }, faint = { 0.86, 0.88, 0.91 };

template <class... Values>
std::string format(const char *pattern, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

/// From low (blue) over white to high (red).
Colour value_colour(double share) {
    constexpr std::array<Colour, 5> stops = {
        Colour{ 0.12, 0.22, 0.50 }, { 0.36, 0.62, 0.82 }, { 0.96, 0.96, 0.94 }, { 0.96, 0.62, 0.38 }, { 0.64, 0.10, 0.16 }
    };
    const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
    const auto stop = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return mix(stops[stop], stops[stop + 1], at - static_cast<double>(stop));
}

Colour rank_colour(int rank) {
    constexpr std::array<Colour, 6> colours = { Colour{ 0.40, 0.68, 0.86 }, { 0.98, 0.74, 0.36 }, { 0.56, 0.80, 0.50 },
                                                { 0.90, 0.54, 0.58 },       { 0.70, 0.62, 0.86 }, { 0.82, 0.82, 0.44 } };
    return colours[static_cast<std::size_t>(rank) % colours.size()];
}

void place(Canvas &canvas, const View &view, double left) {
    canvas.paint(left, top, view_width, view_height, [&](double u, double v) { return view.at(u, v, white); });
}

View parts_view(const halo::Context &context, const Space &space) {
    return { context, space, 3 * view_width, 3 * view_height, [&](const auto &, const Point &weights) {
                const bool edge = std::min({ weights[0], weights[1], weights[2] }) < 0.035;
                return edge ? ink : rank_colour(context.rank());
            } };
}

View solution_view(const halo::Context &context, const Space &space, const std::vector<double> &solution, double low, double high) {
    return { context, space, 3 * view_width, 3 * view_height, [&, low, high](const auto &nodes, const Point &weights) {
                double value = 0;
                for (std::size_t i = 0; i < 3; ++i) value += weights[i] * solution[nodes[i]];
                return value_colour((value - low) / (high - low));
            } };
}

void draw_colour_bar(Canvas &canvas, double left, double y, double low, double high) {
    constexpr double width = 260;
    canvas.paint(left, y, width, 16, [](double u, double) { return value_colour(u); });
    canvas.text(left - 8, y + 14, format("%.1f", low), ink, 1, 1.7);
    canvas.text(left + width + 8, y + 14, format("%.1f", high), ink, 0, 1.7);
}

/// Errors over the size of tetrahedra, both in powers of ten, beside a line of second order.
void draw_errors(Canvas &canvas, double left, const std::vector<Outcome> &outcomes) {
    const auto size = [](const Outcome &outcome) { return -std::log10(static_cast<double>(outcome.n_tetrahedra)) / 3; };
    constexpr double side = 420;
    const double x_low = std::floor(2 * size(outcomes.back())) / 2, y_low = std::floor(std::log10(outcomes.back().error));
    const double x_extent = std::max(0.5, std::ceil(2 * size(outcomes.front())) / 2 - x_low);
    const double y_extent = std::max(1.0, std::ceil(std::log10(outcomes.front().error)) - y_low);
    const auto x = [&](double value) { return left + 90 + side * (value - x_low) / x_extent; };
    const auto y = [&](double value) { return top + 60 + side * (1 - (value - y_low) / y_extent); };
    canvas.text(left + 90 + side / 2, top - 20, "L2 error over tetrahedra^(-1/3)", ink, 0.5);
    for (double tick = x_low; tick <= x_low + x_extent + 1e-9; tick += 0.5) {
        canvas.line(x(tick), y(y_low), x(tick), y(y_low + y_extent), 1, faint);
        canvas.text(x(tick), y(y_low) + 26, format("%.3f", std::pow(10.0, tick)), ink, 0.5, 1.7);
    }
    for (double tick = y_low; tick <= y_low + y_extent + 1e-9; tick += 1) {
        canvas.line(x(x_low), y(tick), x(x_low + x_extent), y(tick), 1, faint);
        canvas.text(x(x_low) - 8, y(tick) + 6, format("1e%.0f", tick), ink, 1, 1.7);
    }
    const auto &first = outcomes.front(), &last = outcomes.back();
    const double x0 = size(first), x1 = size(last), y0 = std::log10(first.error);
    canvas.line(x(x0), y(y0), x(x1), y(y0 + 2 * (x1 - x0)), 2, { 0.6, 0.62, 0.66 });
    canvas.text(x(0.5 * (x0 + x1)) + 14, y(y0 + (x1 - x0)) + 26, "second order", { 0.45, 0.47, 0.5 }, 0, 1.7);
    for (const auto &outcome : outcomes) canvas.disc(x(size(outcome)), y(std::log10(outcome.error)), 6, { 0.80, 0.30, 0.12 });
}

} // namespace

void draw(const halo::Context &context, const Space &coarse, const Space &fine, const std::vector<Outcome> &outcomes, const std::string &file) {
    const auto &solution = outcomes.back().solution;
    const double high = context.allreduce(*std::max_element(solution.begin(), solution.end()), HALO_MAX);
    const double low = context.allreduce(*std::min_element(solution.begin(), solution.end()), HALO_MIN);
    const auto parts = parts_view(context, coarse), values = solution_view(context, fine, solution, low, high);
    if (context.rank() != 0) return;
    Canvas canvas(2 * view_width + plot_width, height, white);
    place(canvas, parts, 0);
    canvas.text(0.5 * view_width, top - 20, format("%lld nodes on %d ranks", static_cast<long long>(outcomes.front().n_nodes), context.n_ranks()),
                ink, 0.5);
    place(canvas, values, view_width);
    canvas.text(1.5 * view_width, top - 20, format("Solution with %lld nodes", static_cast<long long>(outcomes.back().n_nodes)), ink, 0.5);
    draw_colour_bar(canvas, 1.5 * view_width - 130, top + view_height - 20, low, high);
    draw_errors(canvas, 2 * view_width, outcomes);
    canvas.save_png(file);
}

} // namespace fem
