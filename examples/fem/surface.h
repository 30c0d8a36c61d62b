// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "space.h"

#include <canvas.h>

#include <functional>
#include <vector>

namespace fem {

/// The body as it is seen from one side, in parallel projection. Collective: each rank draws its own part of the surface, what lies in front wins.
class View {
public:
    /// Colour at a point of a triangle: its nodes, and the weights of their values.
    using Shader = std::function<drawing::Colour(const std::array<std::uint32_t, 3> &nodes, const Point &weights)>;

    View(const halo::Context &context, const Space &space, int width, int height, const Shader &shader);

    /// `u`, `v`: 0 to 1, from the upper left corner.
    drawing::Colour at(double u, double v, const drawing::Colour &background) const;

private:
    void draw(const Mesh &mesh, const std::array<std::uint32_t, 3> &triangle, const Shader &shader);

    int width_, height_;
    std::vector<std::int64_t> pixels_; // nearness above, 24 bits of colour below; 0: nothing there
};

} // namespace fem
