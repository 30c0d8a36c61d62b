// SPDX-License-Identifier: BSD-3-Clause
#include "fate.h"

#include <csignal>
#include <random>
#include <vector>

#include <unistd.h>

namespace conformance {

namespace {

Strike strike_of(const std::string &name) {
    if (name == "kill") return Strike::kill;
    if (name == "short_stop") return Strike::short_stop;
    if (name == "long_stop") return Strike::long_stop;
    stop("%s: kill, short_stop or long_stop?", name.c_str());
}

void wait_until(const std::atomic<bool> &flag) {
    while (!flag) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace

Fate fate_of(const std::string &name, uint64_t seed, int32_t n_ranks) {
    std::mt19937_64 random(seed);
    const auto microseconds_upto = [&](uint64_t most) { return std::chrono::microseconds(random() % most); };
    Fate fate{};
    fate.strike = strike_of(name);
    fate.victim = static_cast<int32_t>(random() % static_cast<uint64_t>(n_ranks));
    fate.moment = microseconds_upto(100000);
    fate.pause = microseconds_upto(fate.strike == Strike::short_stop ? 700000 : 1500000);
    fate.way = ring_ways[seed % ring_ways.size()];
    fate.n_values = random() % 3 == 0 ? 8 : 100000;
    fate.timeout_seconds = fate.strike == Strike::short_stop ? 5 : 0.5;
    return fate;
}

Striker::Striker(const Rank &rank, const Fate &fate) {
    std::vector<int64_t> processes(static_cast<size_t>(rank.size));
    processes[static_cast<size_t>(rank.rank)] = getpid();
    OK(halo_context_allreduce(rank.context, processes.data(), processes.data(), rank.size, HALO_INT64, HALO_SUM));
    if (rank.rank != (fate.victim + 1) % rank.size) return;
    over_ = false;
    thread_ = std::thread([this, fate, process = processes[static_cast<size_t>(fate.victim)]] { strike(fate, process); });
}

void Striker::strike(const Fate &fate, int64_t process) {
    const auto victim = static_cast<pid_t>(process);
    std::this_thread::sleep_for(fate.moment);
    kill(victim, fate.strike == Strike::kill ? SIGKILL : SIGSTOP);
    if (fate.strike != Strike::kill) {
        if (fate.strike == Strike::long_stop) wait_until(given_up_);
        std::this_thread::sleep_for(fate.pause);
        kill(victim, SIGCONT);
    }
    over_ = true;
}

} // namespace conformance
