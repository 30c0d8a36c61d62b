// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace drawing {

struct Colour {
    double red, green, blue; // 0 to 1
};

inline Colour mix(const Colour &a, const Colour &b, double share_of_b) {
    const double s = share_of_b;
    return { a.red + s * (b.red - a.red), a.green + s * (b.green - a.green), a.blue + s * (b.blue - a.blue) };
}

/// A picture to draw on, in pixels from the upper left corner. Kept finer than it is written, which smooths edges.
class Canvas {
public:
    Canvas(int width, int height, const Colour &background);

    void rectangle(double x, double y, double width, double height, const Colour &colour);
    void line(double x0, double y0, double x1, double y1, double width, const Colour &colour);
    void disc(double x, double y, double radius, const Colour &colour) { line(x, y, x, y, 2 * radius, colour); }

    /// Colour every fine pixel of a rectangle: paint(x, y) with x and y from 0 to 1 inside it.
    template <class Paint>
    void paint(double x, double y, double width, double height, Paint colour_at) {
        for (int j = fine(y); j < fine(y + height); ++j)
            for (int i = fine(x); i < fine(x + width); ++i)
                set(i, j, colour_at(((i + 0.5) / fineness - x) / width, ((j + 0.5) / fineness - y) / height));
    }

    /// Text whose baseline starts at (x, y); `align` 0 starts there, 0.5 is centred, 1 ends there.
    void text(double x, double y, const std::string &text, const Colour &colour, double align = 0, double size = 2);

    /// Throws std::runtime_error.
    void save_png(const std::string &file) const;

private:
    static constexpr int fineness = 3;
    static int fine(double pixels) { return static_cast<int>(std::lround(pixels * fineness)); }
    void set(int i, int j, const Colour &colour);

    int width_, height_; // fine pixels
    std::vector<Colour> pixels_;
};

} // namespace drawing
