// SPDX-License-Identifier: BSD-3-Clause
#include "canvas.h"

#include "font.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace drawing {

Canvas::Canvas(int width, int height, const Colour &background)
    : width_(width * fineness),
      height_(height * fineness),
      pixels_(static_cast<std::size_t>(width_) * height_, background) {}

void Canvas::set(int i, int j, const Colour &colour) {
    if (i >= 0 && j >= 0 && i < width_ && j < height_) pixels_[static_cast<std::size_t>(j) * width_ + i] = colour;
}

void Canvas::rectangle(double x, double y, double width, double height, const Colour &colour) {
    paint(x, y, width, height, [&](double, double) { return colour; });
}

/// Every pixel within half the width of the segment.
void Canvas::line(double x0, double y0, double x1, double y1, double width, const Colour &colour) {
    const double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy, r = 0.5 * width;
    for (int j = fine(std::min(y0, y1) - r) - 1; j <= fine(std::max(y0, y1) + r); ++j)
        for (int i = fine(std::min(x0, x1) - r) - 1; i <= fine(std::max(x0, x1) + r); ++i) {
            const double x = (i + 0.5) / fineness - x0, y = (j + 0.5) / fineness - y0;
            const double along = length2 > 0 ? std::clamp((x * dx + y * dy) / length2, 0.0, 1.0) : 0.0;
            if (std::hypot(x - along * dx, y - along * dy) <= r) set(i, j, colour);
        }
}

void Canvas::text(double x, double y, const std::string &text, const Colour &colour, double align, double size) {
    x -= align * static_cast<double>(text.size()) * glyph_advance * size;
    for (const char c : text) {
        for (int row = 0; row < glyph_height; ++row)
            for (int column = 0; column < glyph_width; ++column)
                if (glyph_dot(c, column, row)) rectangle(x + column * size, y + (row - glyph_baseline) * size, size, size, colour);
        x += glyph_advance * size;
    }
}

void Canvas::save_png(const std::string &file) const {
    const int width = width_ / fineness, height = height_ / fineness;
    std::vector<std::uint8_t> bytes;
    const auto byte = [](double value) { return static_cast<std::uint8_t>(std::clamp(255 * value / (fineness * fineness) + 0.5, 0.0, 255.0)); };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            Colour sum{ 0, 0, 0 };
            for (int j = y * fineness; j < (y + 1) * fineness; ++j)
                for (int i = x * fineness; i < (x + 1) * fineness; ++i) {
                    const auto &pixel = pixels_[static_cast<std::size_t>(j) * width_ + i];
                    sum = { sum.red + pixel.red, sum.green + pixel.green, sum.blue + pixel.blue };
                }
            for (const double value : { sum.red, sum.green, sum.blue }) bytes.push_back(byte(value));
        }
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, file.c_str(), 0, bytes.data(), 0, nullptr)) throw std::runtime_error(file + ": " + image.message);
}

} // namespace drawing
