// SPDX-License-Identifier: BSD-3-Clause
// `shm_calls MODULE`: what the shm module asks of the system for a message, counted from outside. Who waits yields, or sleeps, and looks from time to
// time whether a peer lives; nothing else, by messages of any size that are copied twice, and by all that the library sends. One that is copied once
// is read by one call. Exits with 77 where nothing can be traced.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "forked.h"
#include "halo.h"
#include "harness.h"
#include "level_objects.h"
#include "traced.h"

namespace transport_tests {
namespace {

constexpr int skipped = 77;
constexpr int n_turns = 3000;
constexpr double looks_per_second = 60; // system calls to see whether a peer lives, and some to spare

// The counter counts.
int write_each_turn() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    begin_counting();
    for (int turn = 0; turn < n_turns; ++turn)
        if (write(nowhere, "x", 1) != 1) return 1;
    end_counting();
    return 0;
}

// Small, sent without asking, and large ones.
int swap_messages(const halo_bootstrap &bootstrap) {
    constexpr size_t sizes[] = { 8, 2000, 100000 };
    constexpr size_t n_sizes = std::size(sizes);
    Rank r(*world.plugin, { sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, &bootstrap });
    const int32_t peer = 1 - r.rank;
    Bytes out[n_sizes], in[n_sizes];
    halo_request sends[n_sizes], receives[n_sizes];
    for (size_t i = 0; i < n_sizes; ++i) out[i] = payload(r.rank, peer, 1, sizes[i]), in[i].resize(sizes[i]);
    const auto swap_all = [&] {
        for (size_t i = 0; i < n_sizes; ++i) {
            r.receive(peer, static_cast<int32_t>(i), in[i], receives[i]);
            r.send(peer, static_cast<int32_t>(i), out[i], sends[i]);
        }
        for (halo_request &one : receives) r.wait(one);
        for (halo_request &one : sends) r.wait(one);
    };
    for (int turn = 0; turn < 200; ++turn) swap_all(); // from here on there is room for all
    begin_counting();
    for (int turn = 0; turn < n_turns; ++turn) swap_all();
    end_counting();
    for (size_t i = 0; i < n_sizes; ++i) check_payload(in[i], sizes[i], peer, r.rank, 1);
    r.barrier();
    return 0;
}

// Exchanges, groups, a batch and a reduction in each turn.
int use_library(const halo_bootstrap &bootstrap, const char *shared_memory) {
    const halo_setting settings[] = { { "transport", "shm" }, { "shared_memory", shared_memory }, { "timeout", "60s" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = static_cast<int32_t>(std::size(settings));
    halo_context *context = nullptr;
    require(halo_context_create_over(&bootstrap, &options, &context) == HALO_SUCCESS, "%s", halo_last_error());
    {
        mpi_levels::Objects objects(context);
        for (int turn = 0; turn < 200; ++turn) objects.use(); // compares values; ends the program where they differ
        begin_counting();
        for (int turn = 0; turn < n_turns; ++turn) objects.use();
        end_counting();
        objects.destroy();
    }
    require(halo_context_destroy(&context) == HALO_SUCCESS, "%s", halo_last_error());
    return 0;
}

// The exit status of a rank: is there less than one such call for a hundred turns?
// Besides, `n_read` in a turn of those that read a message.
int judge(const char *what, int32_t rank, int n_read, const Traced &traced) {
    if (!traced.why_not.empty()) return std::printf("skipped: %s\n", traced.why_not.c_str()), skipped;
    const auto found = traced.calls.find(SYS_process_vm_readv);
    const int64_t reads = found != traced.calls.end() ? found->second : 0, others = traced.n_others() - reads;
    std::printf("%s, rank %d: %d turns, %lld waits, %lld messages read, %lld other system calls in %.2f s\n", what, rank, n_turns,
                static_cast<long long>(traced.n_waits()), static_cast<long long>(reads), static_cast<long long>(others), traced.seconds);
    const double most = std::min(n_turns / 100.0 + looks_per_second * traced.seconds, n_turns / 2.0);
    if (traced.exit_status == 0 && reads == int64_t{ n_read } * n_turns && static_cast<double>(others) <= most) return 0;
    std::printf("%s, rank %d: status %d, %s\n", what, rank, traced.exit_status, traced.text().c_str());
    return 1;
}

int check_counter() {
    const Traced traced = run_traced(write_each_turn);
    if (!traced.why_not.empty()) return std::printf("skipped: %s\n", traced.why_not.c_str()), skipped;
    if (traced.exit_status == 0 && traced.n_others() == n_turns) return 0;
    std::printf("%d writes, and %lld calls were counted: %s\n", n_turns, static_cast<long long>(traced.n_others()), traced.text().c_str());
    return 1;
}

// In two ranks, each traced by the process that stands for it.
int count(const char *what, int n_read, const std::function<int(const halo_bootstrap &)> &work) {
    const auto body = [&](const halo_bootstrap &bootstrap) {
        const auto guarded = [&] {
            try {
                return work(bootstrap);
            } catch (const Stop &stop) {
                std::fprintf(stderr, "%s, rank %d: %s\n", what, bootstrap.rank, stop.text.c_str());
                return 1;
            }
        };
        return judge(what, bootstrap.rank, n_read, run_traced(guarded));
    };
    int result = 0;
    for (const int status : run_forked(2, body))
        if (const std::string failure = failure_of(status); !failure.empty()) std::printf("%s: a rank %s\n", what, failure.c_str()), result = 1;
    return result;
}

} // namespace
} // namespace transport_tests

int main(int argc, char **argv) {
    using namespace transport_tests;
    if (argc != 2 || !take_module(argv[1])) return 2;
    if (const int result = check_counter(); result != 0) return result;
    world.settings["shm.copy"] = "twice";
    int failed = count("messages", 0, swap_messages);
    world.settings["shm.copy"] = "once";
    if (forked_may_read())
        failed += count("messages, copied once", 2, swap_messages); // the small one lies in a cell
    else
        std::printf("messages, copied once: skipped, processes may not read each other's memory here\n");
    failed += count("library, messages", 0, [](const halo_bootstrap &bootstrap) { return use_library(bootstrap, "no"); });
    failed += count("library, shared memory", 0, [](const halo_bootstrap &bootstrap) { return use_library(bootstrap, "yes"); });
    return failed == 0 ? 0 : 1;
}
