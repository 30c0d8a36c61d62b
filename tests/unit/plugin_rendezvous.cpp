// SPDX-License-Identifier: BSD-3-Clause
// A rank and the rendezvous, in one process: what is gathered, and every way in which it fails.
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "expect_failure.h"
#include "plugin/rendezvous.h"
#include "server.h"

namespace halo {
namespace {

constexpr double soon = 0.3; // seconds, as a time limit that is to be reached
constexpr double late = 60;  // one that is not

int64_t open_descriptors() {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

// A server, served by a thread.
class Served {
public:
    explicit Served(int32_t n_ranks) : server_(n_ranks, id_, [&](const std::string &text) { told += text + "\n"; }) {
        server_.listen(true, 0);
        thread_ = std::thread([&] {
            while (!stop_) {
                std::vector<pollfd> all;
                server_.add_to(all);
                poll(all.data(), all.size(), 1);
                server_.serve(all.data());
                if (const int32_t rank = ends_.exchange(-1); rank >= 0) server_.rank_ended(rank, "ended with status 0");
            }
        });
    }
    ~Served() { stop(); }
    Served(const Served &) = delete;
    Served &operator=(const Served &) = delete;

    void stop() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    void end(int32_t rank) { ends_ = rank; }
    RendezvousPlace place(int32_t rank, int32_t n_ranks) const { return { "127.0.0.1:" + std::to_string(server_.port()), id_, rank, n_ranks }; }

    std::string told; // after stop

private:
    // Another one for each: the system may give a port again, and a process counts its contexts by address and id.
    static std::string next_id() {
        static int n = 0;
        return "id " + std::to_string(++n);
    }

    std::string id_ = next_id();
    launch::Server server_;
    std::thread thread_;
    std::atomic<bool> stop_ = false;
    std::atomic<int32_t> ends_ = -1;
};

// A listener that does what `talk` does with the first that comes.
class Listener {
public:
    template <class Talk>
    explicit Listener(Talk talk) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t bytes = sizeof address;
        EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr *>(&address), bytes), 0);
        EXPECT_EQ(listen(socket_.get(), 1), 0);
        EXPECT_EQ(getsockname(socket_.get(), reinterpret_cast<sockaddr *>(&address), &bytes), 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this, talk] {
            const Descriptor one(accept(socket_.get(), nullptr, nullptr));
            talk(one.get());
        });
    }
    ~Listener() { thread_.join(); }
    Listener(const Listener &) = delete;
    Listener &operator=(const Listener &) = delete;

    RendezvousPlace place() const { return { "127.0.0.1:" + std::to_string(port_), "the id", 0, 2 }; }

private:
    Descriptor socket_;
    uint16_t port_ = 0;
    std::thread thread_;
};

void ignore(const std::string &) {}

struct Rank : Rendezvous {
    explicit Rank(RendezvousPlace place, double limit = late) : Rendezvous(std::move(place), limit, 0, ignore) {}
};

Config config_with(std::initializer_list<std::pair<const char *, const char *>> settings) {
    std::vector<Assignment> all;
    for (const auto &[key, value] : settings) all.push_back({ key, value, "call", key });
    return Config(all);
}

class RendezvousTest : public testing::Test {
protected:
    void TearDown() override { EXPECT_EQ(open_descriptors(), before_); }

private:
    int64_t before_ = open_descriptors();
};

TEST_F(RendezvousTest, PlaceOfSettings) {
    EXPECT_EQ(rendezvous_place(Config()).address, "");
    const RendezvousPlace place = rendezvous_place(
        config_with({ { "rendezvous", "[::1]:70" }, { "rendezvous.id", "x" }, { "rendezvous.rank", "1" }, { "rendezvous.ranks", "3" } }));
    EXPECT_EQ(place.text(), "the rendezvous [::1]:70");
    EXPECT_EQ(place.rank, 1);
    EXPECT_EQ(place.n_ranks, 3);
    EXPECT_EQ(place.id, "x");
    expect_failure(HALO_ERR_CONFIG, { "rendezvous = a:1", "rendezvous.rank = -1", "rendezvous.ranks = 0" }, [] {
        rendezvous_place(config_with({ { "rendezvous", "a:1" } }));
    });
    for (const char *address : { "a", "a:", ":1", "a:b", "a:1x" })
        expect_failure(HALO_ERR_CONFIG, { address, "host:port is wanted" }, [&] {
            rendezvous_place(config_with({ { "rendezvous", address }, { "rendezvous.rank", "0" }, { "rendezvous.ranks", "1" } }));
        });
    const std::string id(64, 'x');
    expect_failure(HALO_ERR_CONFIG, { "64 characters", "63" }, [&] {
        rendezvous_place(
            config_with({ { "rendezvous", "a:1" }, { "rendezvous.rank", "0" }, { "rendezvous.ranks", "1" }, { "rendezvous.id", id.c_str() } }));
    });
}

TEST_F(RendezvousTest, Gathers) {
    constexpr int32_t n = 5;
    Served served(n);
    std::vector<std::thread> threads;
    for (int32_t r = 0; r < n; ++r)
        threads.emplace_back([&, r] {
            for (int context = 0; context < 20; ++context) {
                Rank rank(served.place(r, n));
                for (const size_t bytes : { size_t{ 0 }, size_t{ 1 }, size_t{ 4096 }, size_t{ 300000 } }) {
                    const std::vector<char> mine(bytes, static_cast<char>('a' + r + context));
                    std::vector<char> all(bytes * n), wanted;
                    for (int32_t other = 0; other < n; ++other) wanted.insert(wanted.end(), bytes, static_cast<char>('a' + other + context));
                    EXPECT_EQ(rank.given().allgather(rank.given().user, mine.data(), bytes, all.data()), HALO_SUCCESS);
                    EXPECT_EQ(all, wanted);
                }
                rank.done();
            }
        });
    for (std::thread &thread : threads) thread.join();
}

TEST_F(RendezvousTest, TwoContextsAtOnce) {
    Served served(2);
    const auto play = [&](int32_t r) {
        Rank first(served.place(r, 2)), second(served.place(r, 2));
        char all[2];
        for (Rank *one : { r == 0 ? &first : &second, r == 0 ? &second : &first }) { // the server keeps them apart
            const char mine = static_cast<char>((one == &first ? 'a' : 'A') + r);
            std::thread other;
            if (r == 0)
                one->allgather(&mine, 1, all);
            else {
                std::thread waits([&, one] { one->allgather(&mine, 1, all); });
                Rank *const later = one == &first ? &second : &first;
                char others[2];
                const char its = static_cast<char>((later == &first ? 'a' : 'A') + r);
                later->allgather(&its, 1, others);
                waits.join();
                EXPECT_EQ(std::string(all, 2) + std::string(others, 2), "ABab");
                break;
            }
            EXPECT_EQ(std::string(all, 2), one == &first ? "ab" : "AB");
        }
        first.done();
        second.done();
    };
    std::thread other([&] { play(1); });
    play(0);
    other.join();
}

TEST_F(RendezvousTest, NobodyThere) {
    uint16_t port = 0;
    {
        const Served served(1);
        port = static_cast<uint16_t>(std::stoi(served.place(0, 1).address.substr(10)));
    }
    const double begin = steady_seconds();
    const RendezvousPlace place{ "127.0.0.1:" + std::to_string(port), "the id", 0, 1 };
    expect_failure(HALO_TIMEOUT, { "timed out after ", place.address.c_str(), "cannot be reached", "Connection refused" },
                   [&] { Rank(place, soon); });
    EXPECT_LT(steady_seconds() - begin, 10);
    expect_failure(HALO_ERR_CONFIG, { "no.such.host.invalid:1" }, [&] { Rank({ "no.such.host.invalid:1", "", 0, 1 }, 20); });
}

TEST_F(RendezvousTest, ComesLaterThanTheRanks) {
    RendezvousPlace place{ "", "the id", 0, 1 };
    {
        const Served served(1);
        place.address = served.place(0, 1).address;
    }
    std::thread rank([&] {
        Rank one(place);
        one.done();
    });
    usleep(200000);
    launch::Server server(1, "the id", ignore);
    server.listen(true, static_cast<uint16_t>(std::stoi(place.address.substr(10))));
    for (double begin = steady_seconds(); steady_seconds() < begin + 1;) {
        std::vector<pollfd> all;
        server.add_to(all);
        poll(all.data(), all.size(), 1);
        server.serve(all.data());
    }
    rank.join();
}

TEST_F(RendezvousTest, Refuses) {
    Served served(2);
    RendezvousPlace place = served.place(0, 2);
    place.id = "another";
    expect_failure(HALO_ERR_CONFIG, { "rank 0 is refused", "its id is not that of this rendezvous" }, [&] { Rank{ place }; });
    expect_failure(HALO_ERR_MISMATCH, { "it counts 3 ranks, the server 2" }, [&] { Rank{ served.place(0, 3) }; });
    expect_failure(HALO_ERR_ARGUMENT, { "no such rank" }, [&] { Rank{ served.place(2, 2) }; });
    const auto take_part = [&](int32_t number) { // those were none of its contexts
        Rank rank(served.place(number, 2));
        std::string all(2, ' ');
        rank.allgather("x", 1, all.data());
        EXPECT_EQ(all, "xx");
        rank.done();
    };
    std::thread other(take_part, 1);
    take_part(0);
    other.join();
}

TEST_F(RendezvousTest, NamesWhoIsMissing) {
    Served served(12);
    expect_failure(HALO_TIMEOUT, { "timed out after ", "context 1", "not come yet: ranks 0, 1, 2, 4, 5, 6, 7, 8 and 3 more" }, [&] {
        Rank rank(served.place(3, 12), soon);
        rank.allgather("x", 1, std::string(12, ' ').data());
    });
}

TEST_F(RendezvousTest, NamesWhoGivesNothing) {
    Served served(2);
    Rank silent(served.place(1, 2));
    expect_failure(HALO_TIMEOUT, { "exchange 1 is wanted of rank 1" }, [&] {
        Rank rank(served.place(0, 2), soon);
        rank.allgather("x", 1, std::string(2, ' ').data());
    });
    expect_failure(HALO_ERR_PEER, { "first cause, on rank 0", "has gone" }, [&] { // in the first, unless the server has not seen it go
        for (int exchange = 0; exchange < 2; ++exchange) silent.allgather("x", 1, std::string(2, ' ').data());
    });
}

TEST_F(RendezvousTest, LongWaitsAreTold) {
    Served served(2);
    std::string told;
    expect_failure(HALO_TIMEOUT, { "not come yet: rank 1" }, [&] {
        Rendezvous rank(served.place(0, 2), 0.5, 0.1, [&](const std::string &text) { told += text + "\n"; });
        rank.allgather("x", 1, std::string(2, ' ').data());
    });
    EXPECT_NE(told.find("waiting for 0 s: rendezvous 127.0.0.1:"), std::string::npos) << told;
    EXPECT_NE(told.find("not come yet: rank 1"), std::string::npos) << told;
}

TEST_F(RendezvousTest, OthersHearWhy) {
    Served served(3);
    {
        Rank one(served.place(0, 3)), two(served.place(1, 3));
        EXPECT_THROW(one.opens([]() -> int { fail(HALO_ERR_PLUGIN, "no card"); }), Error);
        const char *const parts[] = { "context 1", "first cause, on rank 0", "HALO_ERR_PLUGIN: no card" };
        expect_failure(HALO_ERR_PEER, { parts[0], parts[1], parts[2] }, [&] { two.allgather("x", 1, std::string(3, ' ').data()); });
        expect_failure(HALO_ERR_PEER, { parts[0], parts[1], parts[2] }, [&] { Rank{ served.place(2, 3) }; }); // who comes when it is over
    }
    std::vector<std::thread> again; // the next context is the next for all
    for (int32_t r = 0; r < 3; ++r)
        again.emplace_back([&, r] {
            Rank rank(served.place(r, 3));
            std::string all(3, ' ');
            rank.allgather("y", 1, all.data());
            EXPECT_EQ(all, "yyy");
            rank.done();
        });
    for (std::thread &thread : again) thread.join();
}

TEST_F(RendezvousTest, AnExchangesFailureIsWhatIsThrown) {
    Served served(2);
    Rank one(served.place(0, 2));
    Rank(served.place(1, 2)).give_up(Error(HALO_ERR_MEMORY, "none left"));
    expect_failure(HALO_ERR_PEER, { "on rank 1: HALO_ERR_MEMORY: none left" }, [&] {
        one.opens([&] {
            const halo_status status = one.given().allgather(one.given().user, "x", 1, std::string(2, ' ').data());
            fail(HALO_ERR_TRANSPORT, "status %d", status);
        });
    });
}

TEST_F(RendezvousTest, SizesDiffer) {
    Served served(2);
    Rank one(served.place(0, 2)), two(served.place(1, 2));
    std::thread other([&] { expect_failure(HALO_ERR_MISMATCH, { "exchange 1" }, [&] { one.allgather("x", 1, std::string(4, ' ').data()); }); });
    expect_failure(HALO_ERR_MISMATCH, { "exchange 1: rank", "gives", "bytes, others" }, [&] { two.allgather("xy", 2, std::string(4, ' ').data()); });
    other.join();
    expect_failure(HALO_ERR_LIMIT, { "too many" }, [&] { one.allgather(nullptr, size_t{ 1 } << 40, nullptr); });
}

TEST_F(RendezvousTest, ARankThatHasEndedIsNotWaitedFor) {
    Served served(3);
    Rank one(served.place(0, 3));
    served.end(2);
    expect_failure(HALO_ERR_PEER, { "first cause, on rank 2", "it ended with status 0 before it came to context 1" },
                   [&] { one.allgather("x", 1, std::string(3, ' ').data()); });
    expect_failure(HALO_ERR_PEER, { "first cause, on rank 2" }, [&] { Rank{ served.place(1, 3) }; });
    served.stop();
    EXPECT_EQ(served.told, "rank 2 ended with status 0 before it came to context 1, where it is waited for by rank 0\n");
}

TEST_F(RendezvousTest, TheServerGoes) {
    auto served = std::make_unique<Served>(2);
    Rank one(served->place(0, 2));
    served.reset();
    expect_failure(HALO_ERR_TRANSPORT, { "context 1: the server has gone" }, [&] {
        for (int i = 0; i < 3; ++i) one.allgather("x", 1, std::string(2, ' ').data());
    });
}

TEST_F(RendezvousTest, WhatAnswersIsNoRendezvous) {
    {
        const Listener web([](int one) { // who closed before all has been read would take back the answer
            char some[1024];
            EXPECT_GT(recv(one, some, sizeof some, 0), 0);
            EXPECT_GT(send(one, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, 0), 0);
            while (recv(one, some, sizeof some, 0) > 0) {}
        });
        expect_failure(HALO_ERR_WIRE, { "what answers there is no rendezvous" }, [&] { Rank{ web.place() }; });
    }
    {
        const Listener closes([](int) {});
        expect_failure(HALO_ERR_TRANSPORT, { "the server has gone" }, [&] { Rank{ closes.place() }; });
    }
    const Listener silent([](int one) {
        char some[1024];
        while (recv(one, some, sizeof some, 0) > 0) {}
    });
    expect_failure(HALO_TIMEOUT, { "the server does not answer" }, [&] { Rank(silent.place(), soon); });
}

TEST_F(RendezvousTest, StrangersAreShownOut) {
    Served served(1);
    const Descriptor stranger(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(std::stoi(served.place(0, 1).address.substr(10))));
    ASSERT_EQ(connect(stranger.get(), reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    ASSERT_GT(send(stranger.get(), "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30, 0), 0);
    char some[64];
    EXPECT_LE(recv(stranger.get(), some, sizeof some, 0), 0);
    Rank(served.place(0, 1)).done();
}

} // namespace
} // namespace halo
