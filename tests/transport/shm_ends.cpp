// SPDX-License-Identifier: BSD-3-Clause
// Opening that fails, ranks out of reach, peers that close, stop or die, and what is left afterwards.
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "shm_ranks.h"

namespace shm_tests {
namespace {

// Whose names have this in them.
int entries_of(const char *path, const char *part = "") {
    DIR *directory = opendir(path);
    int n = 0;
    const dirent *entry = nullptr;
    while (directory != nullptr && (entry = readdir(directory)) != nullptr) n += std::strstr(entry->d_name, part) != nullptr ? 1 : 0;
    if (directory != nullptr) closedir(directory);
    return n;
}

int mappings_of_messages() {
    std::FILE *file = std::fopen("/proc/self/maps", "re");
    char line[512];
    int n = 0;
    while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) n += std::strstr(line, "halo messages") != nullptr ? 1 : 0;
    if (file != nullptr) std::fclose(file);
    return n;
}

int lowest_free_descriptor() {
    const int descriptor = dup(0);
    close(descriptor);
    return descriptor;
}

void limit(int resource, rlim_t most) {
    rlimit value{};
    getrlimit(static_cast<__rlimit_resource>(resource), &value);
    value.rlim_cur = most;
    require(setrlimit(static_cast<__rlimit_resource>(resource), &value) == 0, "setrlimit");
}

TEST(ShmOpen, NoBootstrapIsRefused) {
    const halo_transport_params params{ sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, nullptr };
    halo_transport_params old = params;
    old.struct_size = offsetof(halo_transport_params, bootstrap); // of a core that knows none
    for (const halo_transport_params &given : { params, old }) {
        const Opened opened = try_open(*world.plugin, given);
        EXPECT_EQ(opened.status, HALO_ERR_PLUGIN);
        EXPECT_NE(opened.text.find("bootstrap"), std::string::npos) << opened.text;
    }
    EXPECT_EQ(world.plugin->capabilities, HALO_TRANSPORT_OVER_BOOTSTRAP);
}

// It fails on all of them, nobody waits, and all know which and why.
TEST(ShmOpen, ARankThatCannotIsNamedByAll) {
    run_unopened(3, [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        if (params.bootstrap->rank == 1) limit(RLIMIT_FSIZE, 4096);
        for (int i = 0; i < 2; ++i) {
            const Opened opened = try_open(plugin, params);
            require(opened.status == HALO_ERR_TRANSPORT, "status %d", opened.status);
            require(opened.text.find("rank 1 ") != std::string::npos && opened.text.find("ulimit -f") != std::string::npos, "text: %s",
                    opened.text.c_str());
        }
        if (params.bootstrap->rank == 1) limit(RLIMIT_FSIZE, RLIM_INFINITY);
        Rank r(plugin, params);
        r.barrier();
    });
}

// What the bootstrap says of its exchange is what opening says.
TEST(ShmOpen, AFailingExchangeIsAnError) {
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 2;
    int calls_left = 0;
    bootstrap.user = &calls_left;
    bootstrap.allgather = [](void *user, const void *mine, size_t bytes, void *all) -> halo_status {
        if (--*static_cast<int *>(user) < 0) return HALO_ERR_PEER;
        for (size_t i = 0; i < 2; ++i) std::memcpy(static_cast<char *>(all) + i * bytes, mine, bytes);
        return HALO_SUCCESS;
    };
    const halo_transport_params params{ sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, &bootstrap };
    for (int calls = 0; calls < 3; ++calls) {
        calls_left = calls;
        const int descriptors = entries_of("/proc/self/fd");
        const Opened opened = try_open(*world.plugin, params);
        EXPECT_EQ(opened.status, HALO_ERR_PEER);
        EXPECT_NE(opened.text.find("allgather"), std::string::npos) << opened.text;
        EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
        EXPECT_EQ(mappings_of_messages(), 0);
    }
}

// Rank 1 cannot map the others (`spare` descriptors: its own memory alone) or has none itself: the reach is the same at both ends.
void check_reach(int spare) {
    run_unopened(3, [spare](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        rlimit before{};
        getrlimit(RLIMIT_NOFILE, &before);
        const bool is_lacking = params.bootstrap->rank == 1;
        if (is_lacking) limit(RLIMIT_NOFILE, static_cast<rlim_t>(lowest_free_descriptor() + spare));
        Rank r(plugin, params);
        if (is_lacking) limit(RLIMIT_NOFILE, before.rlim_cur);
        for (int32_t peer = 0; peer < 3; ++peer) {
            const bool expected = peer == r.rank || (peer != 1 && !is_lacking);
            require((r.ops.reaches(r.transport, peer) != 0) == expected, "rank %d reaches %d: %d", r.rank, peer, expected ? 0 : 1);
        }
        halo_request request{};
        if (is_lacking) {
            require(r.ops.send(r.transport, 0, 0, 1, nullptr, 0, &request) == HALO_ERR_ARGUMENT, "a send to a rank out of reach");
            require(r.error.find("peer 0") != std::string::npos && r.error.find("does not reach") != std::string::npos, "text: %s", r.error.c_str());
        } else {
            r.meet(2 - r.rank);
        }
    });
}

TEST(ShmOpen, ARankThatMapsNobodyIsReachedByNobody) { check_reach(1); }
TEST(ShmOpen, ARankWithoutDescriptorsIsReachedByNobody) { check_reach(0); }

TEST(ShmEnds, NothingIsLeft) {
    const int named = entries_of("/dev/shm", "halo");
    run_unopened(2, [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        const int descriptors = entries_of("/proc/self/fd");
        for (int i = 0; i < 50; ++i) {
            Rank r(plugin, params);
            require(mappings_of_messages() > 0, "no mapping is found");
            r.barrier();
        }
        require(entries_of("/proc/self/fd") == descriptors, "descriptors are left");
        require(mappings_of_messages() == 0, "mappings are left");
    });
    EXPECT_EQ(entries_of("/dev/shm", "halo"), named);
}

constexpr size_t huge = 64 << 20;

class TwiceEnds : public CopiedTwice {}; // with one copy: shm_once.cpp
class EitherEnds : public Copies {};
INSTANTIATE_TEST_SUITE_P(Copied, EitherEnds, testing::Values("once", "twice"), name_of);

void expect_end(Rank &r, halo_status status, const char *what) {
    require(status == HALO_ERR_TRANSPORT, "%s: status %d", what, status);
    require(r.error.find("rank 1") != std::string::npos && r.error.find("ended") != std::string::npos, "%s: text: %s", what, r.error.c_str());
}

// Rank 1 is killed while a large message goes each way.
TEST_F(TwiceEnds, APeerKilledInTheMiddleIsNamed) {
    const int named = entries_of("/dev/shm", "halo");
    const auto body = [](Rank &r) {
        const int32_t peer = 1 - r.rank;
        Bytes out(huge), in(huge), small(32), late(16);
        halo_request sending, receiving, posted;
        size_t bytes = 0;
        if (r.rank == 1) {
            const Bytes last = payload(1, 0, 9, 32);
            r.send(peer, 9, last, sending);
            r.wait(sending);
        }
        r.meet(peer);
        r.receive(peer, 1, in, receiving);
        r.send(peer, 1, out, sending);
        if (r.rank == 1) {
            for (int i = 0; i < 8; ++i) {
                int32_t done = 0;
                r.ops.test(r.transport, &receiving, &done, &bytes);
                require(done == 0, "it was all too fast");
                std::this_thread::yield();
            }
            raise(SIGKILL);
        }
        r.receive(peer, 2, late, posted);
        expect_end(r, r.outcome(receiving, bytes), "the receive under way");
        expect_end(r, r.outcome(sending, bytes), "the send under way");
        expect_end(r, r.outcome(posted, bytes), "a receive");
        require(r.ops.send(r.transport, peer, 0, 3, late.data(), 16, &sending) == HALO_ERR_TRANSPORT, "a send after the end");
        r.receive(peer, 9, small, receiving); // had come before
        require(r.wait(receiving) == 32, "the message of before has a wrong size");
        check_payload(small, 32, 1, 0, 9);
        int32_t found = 0;
        halo_matched message{};
        expect_end(r, r.ops.probe(r.transport, peer, 0, 5, &found, &bytes, &message), "a probe");
        halo_status status = HALO_SUCCESS;
        for (int i = 0; i < 100 && status == HALO_SUCCESS; ++i) status = r.ops.probe(r.transport, -1, 0, 5, &found, &bytes, &message);
        expect_end(r, status, "probes of any rank, in vain");
    };
    run_ranks(2, body, { 1 });
    EXPECT_EQ(entries_of("/dev/shm", "halo"), named);
}

// Others go on with each other.
TEST(ShmEnds, ADeathIsNoneOfTheOthersBusiness) {
    run_ranks(3,
              [](Rank &r) {
                  r.barrier();
                  if (r.rank == 1) raise(SIGKILL);
                  Bytes in(8);
                  halo_request request;
                  size_t bytes = 0;
                  if (r.rank == 0) {
                      r.receive(1, 1, in, request);
                      expect_end(r, r.outcome(request, bytes), "a receive");
                  }
                  for (int i = 0; i < 100; ++i) r.meet(2 - r.rank);
                  if (r.rank == 0) return;
                  int32_t found = 0; // this one has not asked for it yet
                  halo_matched message{};
                  halo_status status = HALO_SUCCESS;
                  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                  while (status == HALO_SUCCESS && std::chrono::steady_clock::now() < end)
                      status = r.ops.probe(r.transport, -1, 0, 5, &found, &bytes, &message);
                  expect_end(r, status, "probes of any rank");
              },
              { 1 });
}

// A process that does not run is waited for, longer than it takes to look whether it lives.
TEST_F(TwiceEnds, AStoppedPeerIsWaitedFor) {
    run_ranks(2, [](Rank &r) {
        const int32_t peer = 1 - r.rank;
        Bytes process(sizeof(pid_t)), out = payload(r.rank, peer, 1, huge), in(huge);
        halo_request sending, receiving;
        const pid_t own = getpid();
        if (r.rank == 1) {
            std::memcpy(process.data(), &own, sizeof own);
            r.send(0, 1, process, sending);
            r.wait(sending);
        } else {
            r.receive(1, 1, process, receiving);
            r.wait(receiving);
        }
        r.receive(peer, 2, in, receiving);
        r.send(peer, 2, out, sending);
        if (r.rank == 0) {
            pid_t other = 0;
            std::memcpy(&other, process.data(), sizeof other);
            kill(other, SIGSTOP);
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
            while (std::chrono::steady_clock::now() < end) {
                int32_t done = 0;
                size_t bytes = 0;
                require(r.ops.test(r.transport, &receiving, &done, &bytes) == HALO_SUCCESS && done == 0, "done %d: %s", done, r.error.c_str());
            }
            kill(other, SIGCONT);
        }
        require(r.wait(receiving) == huge, "wrong size");
        check_payload(in, huge, peer, r.rank, 1);
        r.wait(sending);
    });
}

// A sender that closes: what is whole comes, what is not is an error where it was begun, and is not found where it was not.
TEST_P(EitherEnds, ClosingInTheMiddleIsAnError) {
    const size_t whole_bytes = std::strcmp(GetParam(), "once") == 0 ? 100 : 50000; // what is sent without asking
    run_unopened(2, [whole_bytes](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank other(plugin, params);
        Rank r(plugin, params);
        Bytes out = payload(0, 1, 1, huge), in(huge);
        halo_request requests[3] = {};
        size_t bytes = 0;
        halo_matched begun, none;
        if (r.rank == 0) {
            const Bytes whole = payload(0, 1, 1, whole_bytes);
            r.send(1, 1, out, requests[0]);
            r.send(1, 2, out, requests[1]);
            r.send(1, 3, whole, requests[2]);
            r.wait(requests[2]);
            other.meet(1); // the receiver has found the first one
            for (int i = 0; i < 20; ++i) r.ops.progress(r.transport);
            r.close();
            return other.meet(1);
        }
        r.wait_for_message(0, 1, bytes, begun);
        r.receive_matched(begun, in, requests[0]);
        other.meet(0);
        other.meet(0);
        const halo_status status = r.outcome(requests[0], bytes);
        require(status == HALO_ERR_TRANSPORT && r.error.find("rank 0 closed") != std::string::npos, "status %d: %s", status, r.error.c_str());
        require(!r.probe(0, 2, bytes, none), "a message is found that is gone");
        Bytes whole(whole_bytes);
        r.receive(0, 3, whole, requests[2]);
        require(r.wait(requests[2]) == whole_bytes, "wrong size");
        check_payload(whole, whole_bytes, 0, 1, 1);
        r.send(0, 4, out, requests[1]); // nobody will read it
        r.wait(requests[1]);
    });
}

// A receive whose message is coming in cannot be given up before it has come.
TEST_F(TwiceEnds, CancelWaitsForWhatIsComingIn) {
    run_ranks(2, [](Rank &r) {
        constexpr size_t size = 1 << 20;
        Bytes out = payload(0, 1, 1, size), in(size);
        halo_request request;
        size_t bytes = 0;
        halo_matched message;
        if (r.rank == 0) {
            r.send(1, 1, out, request);
            r.wait(request);
        } else {
            r.wait_for_message(0, 1, bytes, message);
            r.receive_matched(message, in, request);
            int32_t done = 0;
            require(r.ops.cancel(r.transport, &request, &done) == HALO_SUCCESS && done == 1, "done %d: %s", done, r.error.c_str());
            check_payload(in, size, 0, 1, 1);
        }
        r.barrier();
        if (r.rank == 0) { // offered, never sent further: this rank is busy elsewhere
            r.send(1, 2, out, request);
            std::this_thread::sleep_for(std::chrono::milliseconds(1800));
            r.wait(request);
        } else {
            r.wait_for_message(0, 2, bytes, message);
            r.receive_matched(message, in, request);
            int32_t done = 0;
            require(r.ops.cancel(r.transport, &request, &done) == HALO_ERR_TRANSPORT && done == 0, "done %d", done);
            require(r.error.find("rank 0") != std::string::npos, "text: %s", r.error.c_str());
            require(r.wait(request) == size, "wrong size"); // its storage was not free
        }
        r.barrier();
    });
}

} // namespace
} // namespace shm_tests
