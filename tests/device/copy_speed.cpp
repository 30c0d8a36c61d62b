// SPDX-License-Identifier: BSD-3-Clause
// Times the tables of the ghost cases against a hand-written copy and a flat memcpy of as many bytes. All are run in turn; medians of many rounds.
// usage: device_copy_speed [rounds]; with 0 it only checks what the copies give
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "expert_copy.h"
#include "table.h"

namespace {

using namespace halo::host;
using namespace halo::test;

struct Contender {
    const char *name;
    std::function<void()> run;
    std::vector<double> microseconds;
};

double time_of(const std::function<void()> &run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void check(GhostWork &work, const Contender &contender) {
    work.fill();
    contender.run();
    if (const int64_t wrong = work.wrong_values()) {
        std::printf("%s: %lld wrong values\n", contender.name, static_cast<long long>(wrong));
        std::exit(1);
    }
}

void print(const GhostCase &what, const std::vector<Contender> &contenders) {
    std::printf("(%d,%d,%d,%d)\n", what.cells, what.block, what.components, what.ghost);
    const double expert = median(contenders[1].microseconds);
    const double least_expert = *std::min_element(contenders[1].microseconds.begin(), contenders[1].microseconds.end());
    for (const Contender &contender : contenders) {
        std::vector<double> ratios;
        for (size_t i = 0; i < contender.microseconds.size(); ++i) ratios.push_back(contender.microseconds[i] / contenders[1].microseconds[i]);
        const double time = median(contender.microseconds);
        const double least = *std::min_element(contender.microseconds.begin(), contender.microseconds.end());
        std::printf("  %-8s %9.1f us, least %9.1f (%.2f), to expert %.2f, in pairs %.2f\n", contender.name, time, least, least / least_expert,
                    time / expert, median(ratios));
    }
    std::fflush(stdout);
}

void measure(const GhostCase &what, int rounds) {
    GhostWork work(what);
    const ExpertCopy expert(work);
    const auto bytes = static_cast<size_t>(work.ghost_bytes());
    std::vector<char> from(bytes, 1), to(bytes, 2);
    std::vector<Contender> contenders{ { "memcpy", [&] { std::memcpy(to.data(), from.data(), bytes); }, {} },
                                       { "expert", [&] { expert.run(); }, {} } };
    const halo_copy_program program{
        sizeof program, work.shapes().data(), std::ssize(work.shapes()), work.rows().data(), std::ssize(work.rows()), nullptr, 0
    };
    const Table table(program);
    contenders.push_back({ "table", [&] { table.move(0, table.n_rows(), work.bases().data(), 1); }, {} });
    for (size_t i = 1; i < contenders.size(); ++i) check(work, contenders[i]);
    if (rounds == 0) return;
    for (int round = 0; round < rounds; ++round)
        for (Contender &contender : contenders) {
            const double time = time_of(contender.run);
            if (round > 2) contender.microseconds.push_back(time);
        }
    print(what, contenders);
}

} // namespace

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
    for (const GhostCase &what : ghost_cases) measure(what, (rounds > 0 ? std::max(rounds, 4) : 0) * (what.cells == 64 ? 4 : 1));
    return 0;
}
