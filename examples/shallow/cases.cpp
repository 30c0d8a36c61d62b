// SPDX-License-Identifier: BSD-3-Clause
#include "cases.h"

#include "planet.h"

#include <numbers>

namespace shallow {

Point tilted_axis() { return { -std::sin(0.4), 0, std::cos(0.4) }; }

State steady_flow(const Point &axis, const Point &place) {
    constexpr double depth = 2.94e4 / gravity, speed = 2 * std::numbers::pi * radius / (12 * day);
    const double sine = scalar_product(axis, place);
    State state{};
    state.depth = depth - (radius * rotation * speed + speed * speed / 2) * sine * sine / gravity;
    state.momentum = (state.depth * speed) * vector_product(axis, place);
    return state;
}

// With the names of the paper, equations (144) to (149).
State rossby_wave(const Point &place) {
    constexpr double omega = 7.848e-6, K = omega, depth = 8e3;
    constexpr int R = 4;
    const double sine = place[2], cosine = std::hypot(place[0], place[1]), longitude = std::atan2(place[1], place[0]);
    const auto power = [&](int n) { return std::pow(cosine, n); };
    const double square = cosine * cosine;
    const double A = omega / 2 * (2 * rotation + omega) * square +
                     K * K / 4 * power(2 * R - 2) * ((R + 1) * square * square + (2 * R * R - R - 2) * square - 2 * R * R);
    const double B = 2 * (rotation + omega) * K / ((R + 1) * (R + 2)) * power(R) * ((R * R + 2 * R + 2) - (R + 1) * (R + 1) * square);
    const double C = K * K / 4 * power(2 * R) * ((R + 1) * square - (R + 2));
    const double eastwards = radius * omega * cosine + radius * K * power(R - 1) * (R * sine * sine - square) * std::cos(R * longitude);
    const double northwards = -radius * K * R * power(R - 1) * sine * std::sin(R * longitude);
    const Point east{ -std::sin(longitude), std::cos(longitude), 0 };
    const Point north{ -sine * std::cos(longitude), -sine * std::sin(longitude), cosine };
    State state{};
    state.depth = depth + radius * radius / gravity * (A + B * std::cos(R * longitude) + C * std::cos(2 * R * longitude));
    state.momentum = state.depth * (eastwards * east + northwards * north);
    return state;
}

} // namespace shallow
