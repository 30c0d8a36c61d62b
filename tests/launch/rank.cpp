// SPDX-License-Identifier: BSD-3-Clause
// One rank of a rendezvous, as its environment has it. usage: rendezvous_rank gather CONTEXTS | killed RANK | hello. Exit status: 0; 3 when the
// rendezvous fails, and the text on standard error.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

#include "plugin/rendezvous.h"

namespace {

using namespace halo;

Rendezvous come(const Config &config) {
    return Rendezvous(rendezvous_place(config), config.duration("timeout"), config.duration("warn_after"),
                      [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); });
}

bool gather(Rendezvous &rendezvous, int round) {
    const int32_t rank = rendezvous.place().rank, n = rendezvous.place().n_ranks;
    const int64_t mine[2] = { rank, round };
    std::vector<int64_t> all(2 * static_cast<size_t>(n), -1);
    rendezvous.allgather(mine, sizeof mine, all.data());
    for (size_t r = 0; r < static_cast<size_t>(n); ++r)
        if (all[2 * r] != static_cast<int64_t>(r) || all[2 * r + 1] != round) return false;
    return true;
}

int play(const Config &config, const std::string &what, int number) {
    constexpr int rounds = 3;
    for (int context = 0; context < (what == "gather" ? number : 1); ++context) {
        Rendezvous rendezvous = come(config);
        if (what == "hello") std::printf("here\n");
        if (what == "killed" && rendezvous.place().rank == number) raise(SIGKILL);
        for (int round = 0; round < rounds; ++round)
            if (!gather(rendezvous, context + round)) return std::fprintf(stderr, "context %d: wrong values\n", context), 1;
        rendezvous.done();
    }
    std::printf("good\n");
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    constexpr int rendezvous_failed = 3;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        const halo::Config config{ std::span<const halo_setting>() };
        return play(config, argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 0);
    } catch (const halo::Error &error) {
        std::fprintf(stderr, "%s: %s\n", halo::status_name(error.status()), error.what());
        return rendezvous_failed;
    }
}
