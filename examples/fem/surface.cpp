// SPDX-License-Identifier: BSD-3-Clause
#include "surface.h"

#include <algorithm>
#include <cmath>

namespace fem {

namespace {

using drawing::Colour;
using Triangle = std::array<std::uint32_t, 3>;

double dot(const Point &a, const Point &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The camera: axes of the picture, and towards the viewer. The scale lets the body of fem_mesh fill the picture.
constexpr Point rightwards = { 0.8660254037844386, 0.5, 0 };
constexpr Point upwards = { -0.3213938048432697, 0.5566703992264194, 0.7660444431189780 };
constexpr Point towards = { 0.3830222215594890, -0.6634139481689384, 0.6427876096865393 };
constexpr Point centre = { 0.8, 0.5, 0.3 };
constexpr double extent = 2.05; // of the picture's width

/// Column, row and nearness.
Point project(const Point &p, int width, int height) {
    const Point q = { p[0] - centre[0], p[1] - centre[1], p[2] - centre[2] };
    const double scale = width / extent;
    return { 0.5 * width + scale * dot(q, rightwards), 0.5 * height - scale * dot(q, upwards), dot(q, towards) };
}

/// Faces of own tetrahedra that no other tetrahedron has.
std::vector<Triangle> surface_of(const Mesh &mesh) {
    struct Face {
        Triangle nodes; // ascending
        bool own;
    };
    std::vector<Face> faces;
    for (const auto &tetrahedron : mesh.tetrahedra)
        for (std::size_t across = 0; across < 4; ++across) {
            Triangle nodes = { tetrahedron.nodes[(across + 1) % 4], tetrahedron.nodes[(across + 2) % 4], tetrahedron.nodes[(across + 3) % 4] };
            if (!std::all_of(nodes.begin(), nodes.end(), [&](auto node) { return mesh.nodes[node].on_boundary; })) continue;
            std::sort(nodes.begin(), nodes.end());
            faces.push_back({ nodes, tetrahedron.own });
        }
    std::sort(faces.begin(), faces.end(), [](const Face &a, const Face &b) { return a.nodes < b.nodes; });
    std::vector<Triangle> surface;
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t end = i + 1;
        while (end < faces.size() && faces[end].nodes == faces[i].nodes) ++end;
        if (end == i + 1 && faces[i].own) surface.push_back(faces[i].nodes);
        i = end;
    }
    return surface;
}

/// How bright a triangle is: more when it faces the viewer or the light from above.
double brightness(const Point &a, const Point &b, const Point &c) {
    const Point u = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, v = { c[0] - a[0], c[1] - a[1], c[2] - a[2] };
    const Point normal = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
    const double size = std::sqrt(dot(normal, normal)), side = dot(normal, towards) < 0 ? -1 : 1;
    constexpr Point light = { -0.25, -0.45, 0.86 };
    return 0.55 + 0.45 * std::max(0.0, side * dot(normal, light) / size);
}

std::int64_t pack(double nearness, const Colour &colour) {
    const auto byte = [](double share) { return static_cast<std::int64_t>(std::clamp(255 * share + 0.5, 0.0, 255.0)); };
    return static_cast<std::int64_t>((nearness + 4) * (1 << 24)) << 24 | byte(colour.red) << 16 | byte(colour.green) << 8 | byte(colour.blue);
}

} // namespace

View::View(const halo::Context &context, const Space &space, int width, int height, const Shader &shader)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0) {
    for (const auto &triangle : surface_of(space.mesh())) draw(space.mesh(), triangle, shader);
    context.allreduce(std::span<std::int64_t>(pixels_), HALO_MAX);
}

void View::draw(const Mesh &mesh, const Triangle &triangle, const Shader &shader) {
    std::array<Point, 3> at;
    for (std::size_t i = 0; i < 3; ++i) at[i] = project(mesh.nodes[triangle[i]].position, width_, height_);
    const auto area = [](const Point &a, const Point &b, double x, double y) { return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]); };
    const double whole = area(at[0], at[1], at[2][0], at[2][1]);
    if (whole == 0) return;
    const double light = brightness(mesh.nodes[triangle[0]].position, mesh.nodes[triangle[1]].position, mesh.nodes[triangle[2]].position);
    const auto low = [&](std::size_t d) { return std::max(0, static_cast<int>(std::floor(std::min({ at[0][d], at[1][d], at[2][d] })))); };
    const auto high = [&](std::size_t d, int end) {
        return std::min(end - 1, static_cast<int>(std::ceil(std::max({ at[0][d], at[1][d], at[2][d] }))));
    };
    for (int j = low(1); j <= high(1, height_); ++j)
        for (int i = low(0); i <= high(0, width_); ++i) {
            const double x = i + 0.5, y = j + 0.5;
            const Point weights = { area(at[1], at[2], x, y) / whole, area(at[2], at[0], x, y) / whole, area(at[0], at[1], x, y) / whole };
            if (std::min({ weights[0], weights[1], weights[2] }) < 0) continue;
            const double nearness = weights[0] * at[0][2] + weights[1] * at[1][2] + weights[2] * at[2][2];
            const auto colour = drawing::mix({ 0, 0, 0 }, shader(triangle, weights), light);
            auto &pixel = pixels_[static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(i)];
            pixel = std::max(pixel, pack(nearness, colour));
        }
}

Colour View::at(double u, double v, const Colour &background) const {
    const int i = std::clamp(static_cast<int>(u * width_), 0, width_ - 1), j = std::clamp(static_cast<int>(v * height_), 0, height_ - 1);
    const auto pixel = pixels_[static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(i)];
    if (pixel == 0) return background;
    const auto share = [&](int shift) { return static_cast<double>(pixel >> shift & 0xff) / 255; };
    return { share(16), share(8), share(0) };
}

} // namespace fem
