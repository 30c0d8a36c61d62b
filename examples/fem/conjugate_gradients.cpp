// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate_gradients.h"

#include "exact_sum.h"

#include <chrono>
#include <cmath>
#include <stdexcept>

namespace fem {

namespace {

constexpr int most_iterations = 10000;

/// While the copies travel, the rows that do not need them are computed.
void multiply(Space &space, const Matrix &matrix, std::vector<double> &x, std::vector<double> &product) {
    space.start(x);
    matrix.multiply(matrix.core, x, product);
    space.finish();
    matrix.multiply(matrix.border, x, product);
}

double exact_product(const halo::Context &context, std::size_t n, const std::vector<double> &a, const std::vector<double> &b) {
    ranks::ExactSum sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(a[i] * b[i]);
    context.allreduce(sum.words(), HALO_SUM);
    return sum.value();
}

double product_by_rank(const halo::Context &context, std::size_t n, const std::vector<double> &a, const std::vector<double> &b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return context.allreduce(sum, HALO_SUM);
}

} // namespace

Solve conjugate_gradients(const halo::Context &context, Space &space, const Matrix &matrix, const std::vector<double> &load, std::vector<double> &x,
                          Sum sum, double tolerance) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t n = space.n_owned();
    const auto inside = [&](std::size_t i) { return !space.mesh().nodes[i].on_boundary; };
    const auto product = [&](const std::vector<double> &a, const std::vector<double> &b) {
        return sum == Sum::exact ? exact_product(context, n, a, b) : product_by_rank(context, n, a, b);
    };
    const auto diagonal = matrix.diagonal();
    std::vector<double> residual(n, 0.0), scaled(n, 0.0), image(n, 0.0);
    auto direction = space.zeros();

    multiply(space, matrix, x, image);
    for (std::size_t i = 0; i < n; ++i) {
        if (!inside(i)) continue;
        residual[i] = load[i] - image[i];
        direction[i] = scaled[i] = residual[i] / diagonal[i];
    }
    double weight = product(residual, scaled);
    const double at_start = weight;
    Solve solve;
    while (weight > tolerance * tolerance * at_start) {
        if (++solve.iterations > most_iterations) throw std::runtime_error("conjugate gradients do not converge");
        multiply(space, matrix, direction, image);
        const double step = weight / product(direction, image);
        for (std::size_t i = 0; i < n; ++i) {
            if (!inside(i)) continue;
            x[i] += step * direction[i];
            residual[i] -= step * image[i];
            scaled[i] = residual[i] / diagonal[i];
        }
        const double next = product(residual, scaled);
        for (std::size_t i = 0; i < n; ++i) direction[i] = scaled[i] + next / weight * direction[i];
        weight = next;
    }
    solve.residual = at_start > 0 ? std::sqrt(weight / at_start) : 0;
    solve.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return solve;
}

} // namespace fem
