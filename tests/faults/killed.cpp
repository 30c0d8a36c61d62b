// SPDX-License-Identifier: BSD-3-Clause
// One rank of a ring that runs exchanges until a rank is killed; those that are left say how soon they gave up, and with which text.
//
// usage: halo_killed SEED    chooses who dies and when, and how values travel
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include <unistd.h>

#include "ranks.h"
#include "solver.h"

namespace conformance {

namespace {

constexpr double timeout_seconds = 0.5;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Fate {
    int32_t victim;
    std::chrono::microseconds moment; // after all have begun
    SolverShape shape;
    const char *path;
};

Fate fate_of(uint64_t seed, int32_t n_ranks) {
    constexpr const char *paths[] = { "message", "auto", "direct" };
    std::mt19937_64 random(seed);
    Fate fate{};
    fate.victim = static_cast<int32_t>(random() % static_cast<uint64_t>(n_ranks));
    fate.moment = std::chrono::microseconds(random() % 100000);
    fate.shape.n_blocks = n_ranks;
    fate.shape.periodic = true;
    fate.shape.n_cells = random() % 2 == 0 ? 8 : 100000;
    fate.shape.ghost_low = fate.shape.ghost_high = static_cast<int32_t>(fate.shape.n_cells / 2);
    fate.shape.timeout_seconds = timeout_seconds;
    fate.shape.messages = random() % 4 == 0 ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AGGREGATE;
    fate.path = paths[random() % 3];
    return fate;
}

void run_until_it_fails(Rank &self, const Fate &fate) {
    Solver solver(self, fate.shape);
    solver.run();
    OK(halo_barrier(self.context));
    std::thread death;
    if (self.rank == fate.victim)
        death = std::thread([&] {
            std::this_thread::sleep_for(fate.moment);
            kill(getpid(), SIGKILL);
        });
    double last_success = now();
    for (halo_status status = HALO_SUCCESS; status == HALO_SUCCESS;) {
        last_success = now();
        solver.fill();
        status = solver.start();
        if (status == HALO_SUCCESS) status = solver.finish();
    }
    std::printf("survivor %d of the death of %d after %.3f s of %.3f: %s\n", self.rank, fate.victim, now() - last_success, timeout_seconds,
                halo_last_error());
    std::fflush(stdout);
    const halo_status abandoned = halo_exchange_abandon(solver.exchange); // unless the run has ended
    if (abandoned != HALO_SUCCESS && abandoned != HALO_ERR_STATE) OK(abandoned);
    solver.destroy();
    std::printf("survivor %d has destroyed its own\n", self.rank);
    std::fflush(stdout);
    if (self.rank == fate.victim) death.join();
}

} // namespace

} // namespace conformance

// What the MPI does at its end with a rank that is gone is its own affair.
int main(int argc, char **argv) {
    using namespace conformance;
    set_processes();
    int32_t n_ranks = 0;
    Rank self;
    try {
        const Fate fate = fate_of(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1, 3);
        OK(make_context(nullptr, -1, { { "path", fate.path }, { "shared_memory.least", "0" }, { "check", "no" } }, &self.context));
        OK(halo_context_rank(self.context, &self.rank, &n_ranks));
        self.size = n_ranks;
        run_until_it_fails(self, fate);
        std::_Exit(0);
    } catch (const Stop &reason) {
        std::printf("rank %d: %s\n", self.rank, reason.text.c_str());
        std::fflush(stdout);
        std::_Exit(1);
    }
}
