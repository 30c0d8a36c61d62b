// SPDX-License-Identifier: BSD-3-Clause
// What the ucx module does where the suite does not reach. Each test forks its ranks, so that each loads UCX anew: `transport_ucx_own FILE
// [GoogleTest options]`.
#include <dlfcn.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "forked.h"
#include "harness.h"

namespace transport_tests {
namespace {

const char *module_file = nullptr;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// ---- ranks

// Runs the body in each rank; returns which have failed, in words.
std::vector<std::string> failures(int32_t n_ranks, const std::function<void(const halo_bootstrap &)> &body) {
    const auto guarded = [&](const halo_bootstrap &bootstrap) {
        try {
            world.bootstrap = &bootstrap;
            body(bootstrap);
            return 0;
        } catch (const Stop &stop) {
            std::fprintf(stderr, "rank %d: %s\n", bootstrap.rank, stop.text.c_str());
            return 1;
        }
    };
    constexpr double longest = 90;
    std::vector<std::string> texts;
    for (const int status : run_forked(n_ranks, guarded, longest)) texts.push_back(failure_of(status));
    return texts;
}

void all_succeed(int32_t n_ranks, const std::function<void(const halo_bootstrap &)> &body) {
    const std::vector<std::string> texts = failures(n_ranks, body);
    for (size_t rank = 0; rank < texts.size(); ++rank) EXPECT_EQ(texts[rank], "") << "rank " << rank;
}

const halo_transport_plugin &load() {
    require(take_module(module_file), "the module cannot be loaded");
    return *world.plugin;
}

halo_transport_params params_over(const halo_bootstrap *bootstrap) {
    return { sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, bootstrap };
}

std::string why(int32_t &score) {
    char text[2048] = "";
    score = load().query(nullptr, text, sizeof text);
    return text;
}

// ---- opening

struct Opened {
    halo_status status;
    std::string text;
};

Opened try_open(const halo_transport_params &params) {
    Opened opened{};
    const halo_host host = { sizeof(halo_host), &opened, [](void *core, const char *text) { static_cast<Opened *>(core)->text = text; }, nullptr,
                             nullptr };
    halo_transport *transport = nullptr;
    const halo_transport_plugin &plugin = load();
    opened.status = plugin.ops->open(&host, &params, &transport);
    if (opened.status == HALO_SUCCESS) plugin.ops->close(transport);
    return opened;
}

void expect_failure(const Opened &opened, halo_status status, const std::string &part) {
    require(opened.status == status, "status %d, not %d: %s", opened.status, status, opened.text.c_str());
    require(opened.text.find(part) != std::string::npos, "text lacks '%s': %s", part.c_str(), opened.text.c_str());
}

TEST(Ucx, OpensOverABootstrapAlone) {
    all_succeed(1, [](const halo_bootstrap &bootstrap) {
        require((load().capabilities & HALO_TRANSPORT_OVER_BOOTSTRAP) != 0, "it does not say that it opens over a bootstrap");
        expect_failure(try_open(params_over(nullptr)), HALO_ERR_PLUGIN, "there is none");
        halo_transport_params older = params_over(&bootstrap); // of before minor version 5
        older.struct_size = offsetof(halo_transport_params, bootstrap);
        expect_failure(try_open(older), HALO_ERR_PLUGIN, "there is none");
        halo_bootstrap wrong = bootstrap;
        wrong.rank = 1;
        expect_failure(try_open(params_over(&wrong)), HALO_ERR_ARGUMENT, "rank 1 of 1");
        wrong.rank = 0;
        wrong.n_ranks = 2;
        wrong.allgather = nullptr;
        expect_failure(try_open(params_over(&wrong)), HALO_ERR_ARGUMENT, "no allgather");
        wrong.n_ranks = 1; // alone, none is needed
        const Opened alone = try_open(params_over(&wrong));
        require(alone.status == HALO_SUCCESS, "alone: %s", alone.text.c_str());
    });
}

TEST(Ucx, ARankThatFailsMakesAllFailByItsName) {
    all_succeed(3, [](const halo_bootstrap &bootstrap) {
        setenv("UCX_LOG_LEVEL", "fatal", 1);
        if (bootstrap.rank == 1) setenv("UCX_TLS", "nothing", 1);
        const Opened failed = try_open(params_over(&bootstrap));
        expect_failure(failed, HALO_ERR_TRANSPORT, "rank 1 of 3");
        require(failed.text.find("ucp_") != std::string::npos, "the text does not say what failed: %s", failed.text.c_str());
        // None of them still waits in the exchange that has failed.
        int32_t mine = bootstrap.rank, all[3] = {};
        require(bootstrap.allgather(bootstrap.user, &mine, sizeof mine, all) == HALO_SUCCESS && all[2] == 2, "the bootstrap is out of step");
    });
}

TEST(Ucx, ARankThatDiesBeforeItOpensIsAnError) {
    const std::vector<std::string> texts = failures(2, [](const halo_bootstrap &bootstrap) {
        if (bootstrap.rank == 1) std::_Exit(7);
        expect_failure(try_open(params_over(&bootstrap)), HALO_ERR_PEER, "bootstrap");
    });
    EXPECT_EQ(texts[0], "");
    EXPECT_EQ(texts[1], "ended with status 7");
}

TEST(Ucx, TooManyLanesAreRefused) {
    all_succeed(1, [](const halo_bootstrap &bootstrap) {
        Rank r(load(), params_over(&bootstrap));
        r.open_lanes(1000);
        require(r.ops.open_lanes(r.transport, 1 << 17) == HALO_ERR_ARGUMENT, "131072 lanes were opened");
        require(r.error.find("131072") != std::string::npos, "text: %s", r.error.c_str());
    });
}

// ---- peers that go

// Of an operation with a rank that was killed: it ends with an error, or not at all.
void check_lost(Rank &r, halo_status begun, halo_request &request, bool sends) {
    if (begun == HALO_ERR_TRANSPORT) return;
    require(begun == HALO_SUCCESS, "it began with status %d: %s", begun, r.error.c_str());
    const double end = now() + 2;
    int32_t done = 0;
    while (done == 0 && now() < end) {
        size_t bytes = 0;
        const halo_status status = r.ops.test(r.transport, &request, &done, &bytes);
        require(status == HALO_SUCCESS || (status == HALO_ERR_TRANSPORT && done == 1), "test: status %d, done %d: %s", status, done, r.error.c_str());
    }
    if (done != 0 || sends) return;
    const double start = now();
    require(r.ops.cancel(r.transport, &request, &done) == HALO_SUCCESS && done == 0, "cancel: done %d: %s", done, r.error.c_str());
    require(now() < start + 3, "cancel took %.1f s", now() - start);
}

void outlive_rank_2(Rank &r) {
    static const Bytes large(1 << 20, 0x33); // UCX may look at it until the process ends
    static Bytes in(1 << 20);
    static std::array<halo_request, 6> requests;
    for (int32_t tag = 0; tag < 5; ++tag) {
        halo_request &request = requests[static_cast<size_t>(tag)];
        request = {};
        const size_t bytes = tag % 2 == 0 ? 40 : large.size();
        check_lost(r, r.ops.send(r.transport, 2, 0, tag, large.data(), bytes, &request), request, true);
    }
    requests[5] = {};
    check_lost(r, r.ops.receive(r.transport, 2, 0, 9, in.data(), in.size(), &requests[5]), requests[5], false);
    const int32_t other = 1 - r.rank;
    for (int i = 0; i < 200; ++i) r.meet(other);
    const double start = now();
    r.close();
    require(now() < start + 6, "close took %.1f s", now() - start);
}

void kill_rank_2(const char *wires) {
    const std::vector<std::string> texts = failures(3, [wires](const halo_bootstrap &bootstrap) {
        setenv("UCX_LOG_LEVEL", "fatal", 1);
        if (wires != nullptr) setenv("UCX_TLS", wires, 1);
        Rank r(load(), params_over(&bootstrap));
        r.barrier();
        if (r.rank == 2) raise(SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        outlive_rank_2(r);
    });
    EXPECT_EQ(texts[0], "");
    EXPECT_EQ(texts[1], "");
    EXPECT_EQ(texts[2], "was killed by signal 9");
}

TEST(Ucx, AKilledPeerOfTheSameHost) { kill_rank_2(nullptr); }
TEST(Ucx, AKilledPeerBeyondASocket) { kill_rank_2("tcp,self"); }

// More messages than the way to a peer that does not look has room for: those that were complete arrive, the others are given up, and nobody waits.
TEST(Ucx, WhatWasCompleteAtCloseArrives) {
    all_succeed(2, [](const halo_bootstrap &bootstrap) {
        constexpr size_t n_most = 4000;
        static std::array<halo_request, n_most> requests;
        const Bytes out = payload(0, 1, 1, 200);
        Rank r(load(), params_over(&bootstrap));
        r.barrier();
        int32_t n_complete = 0;
        if (r.rank == 0) {
            for (halo_request &request : requests) r.send(1, 1, out, request);
            for (halo_request &request : requests) {
                int32_t done = 0;
                size_t bytes = 0;
                require(r.ops.test(r.transport, &request, &done, &bytes) == HALO_SUCCESS, "test: %s", r.error.c_str());
                if (done == 0) break;
                ++n_complete;
            }
            require(n_complete > 0, "none was complete");
            const double start = now();
            r.close();
            require(now() < start + 6, "close took %.1f s", now() - start);
        }
        int32_t all[2] = {};
        require(bootstrap.allgather(bootstrap.user, &n_complete, sizeof n_complete, all) == HALO_SUCCESS, "the bootstrap failed");
        for (int32_t i = 0; r.rank == 1 && i < all[0]; ++i) {
            Bytes in(200);
            halo_request request;
            r.receive(0, 1, in, request);
            require(r.wait(request) == 200, "message %d of %d: wrong size", i, all[0]);
            check_payload(in, 200, 0, 1, 1);
        }
    });
}

// ---- the process

const int watched[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGHUP, SIGUSR1, SIGTERM };

void by_program(int) {}

std::vector<const void *> handlers() {
    std::vector<const void *> list;
    for (const int signal : watched) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        list.push_back(reinterpret_cast<const void *>(action.sa_handler));
    }
    return list;
}

// What the handlers are before and after the module has opened.
bool handlers_stay(const halo_bootstrap &bootstrap) {
    for (const int number : { SIGSEGV, SIGHUP }) std::signal(number, by_program);
    const std::vector<const void *> before = handlers();
    Rank r(load(), params_over(&bootstrap));
    return handlers() == before;
}

TEST(Ucx, SignalsAreThePrograms) {
    all_succeed(1, [](const halo_bootstrap &bootstrap) { require(handlers_stay(bootstrap), "UCX has taken a signal"); });
}

TEST(Ucx, SignalsAreUcxsWhereItsUserSaysSo) {
    all_succeed(1, [](const halo_bootstrap &bootstrap) {
        setenv("UCX_HANDLE_ERRORS", "bt", 1);
        require(!handlers_stay(bootstrap), "UCX_HANDLE_ERRORS was not kept to");
    });
}

// Loads UCX as a program or an MPI would; returns its file.
std::string load_ucx() {
    void *library = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, "%s", dlerror());
    link_map *map = nullptr;
    require(dlinfo(library, RTLD_DI_LINKMAP, &map) == 0, "%s", dlerror());
    return map->l_name;
}

TEST(Ucx, TheUcxThatIsThereIsTaken) {
    all_succeed(1, [](const halo_bootstrap &bootstrap) {
        const std::string file = load_ucx();
        const std::vector<const void *> before = handlers();
        int32_t score = 0;
        const std::string text = why(score);
        require(score > 0 && text.find(file) != std::string::npos && text.find("was there") != std::string::npos, "score %d: %s", score,
                text.c_str());
        const Rank r(load(), params_over(&bootstrap));
        require(handlers() == before, "the handlers of a UCX that was there were touched");
    });
}

TEST(Ucx, TwoCopiesAreRefusedByTheirPaths) {
    all_succeed(1, [](const halo_bootstrap &) {
        const std::string file = load_ucx();
        std::string directory = (std::filesystem::temp_directory_path() / "halo-ucx-XXXXXX").string();
        require(mkdtemp(directory.data()) != nullptr, "no directory for a copy");
        const std::string copy = directory + "/libucp.so.0";
        std::filesystem::copy_file(std::filesystem::canonical(file), copy);
        const bool loaded = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
        std::filesystem::remove_all(directory);
        require(loaded, "the copy was not loaded");
        int32_t score = -1;
        const std::string text = why(score);
        require(score == 0, "two copies are usable: %s", text.c_str());
        require(text.find(file) != std::string::npos && text.find(copy) != std::string::npos, "the text lacks a path: %s", text.c_str());
    });
}

} // namespace
} // namespace transport_tests

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc != 2) return 2;
    transport_tests::module_file = argv[1];
    return RUN_ALL_TESTS();
}
