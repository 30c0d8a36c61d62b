// SPDX-License-Identifier: BSD-3-Clause
// What only the in-process transport promises: groups, closing with offers in flight, several ranks in one thread.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "harness.h"
#include "inproc.h"

namespace transport_tests {
namespace {

constexpr size_t large = 100000; // stays in its sender's buffer until it is read

// A group whose ranks the test opens one by one.
class Group {
public:
    explicit Group(int32_t n) { EXPECT_EQ(halo_inproc_group_create(n, &group_), HALO_SUCCESS); }
    ~Group() { EXPECT_EQ(halo_inproc_group_destroy(group_), HALO_SUCCESS); }
    std::unique_ptr<Rank> open(int32_t rank) {
        return std::make_unique<Rank>(halo_transport_inproc,
                                      halo_transport_params{ sizeof(halo_transport_params), nullptr, 0, group_, rank, 0, nullptr });
    }
    halo_inproc_group *get() { return group_; }

private:
    halo_inproc_group *group_ = nullptr;
};

bool is_done(Rank &r, halo_request &request) {
    int32_t done = 0;
    size_t bytes = 0;
    EXPECT_EQ(r.ops.test(r.transport, &request, &done, &bytes), HALO_SUCCESS) << r.error;
    return done != 0;
}

TEST(Inproc, GroupsCheckTheirSize) {
    halo_inproc_group *group = nullptr;
    EXPECT_EQ(halo_inproc_group_create(0, &group), HALO_ERR_ARGUMENT);
    EXPECT_EQ(halo_inproc_group_create(HALO_INPROC_MAX_RANKS + 1, &group), HALO_ERR_ARGUMENT);
    EXPECT_EQ(group, nullptr);
    Group of_five(5);
    EXPECT_EQ(halo_inproc_group_size(of_five.get()), 5);
    EXPECT_THROW(of_five.open(5), Stop);
    EXPECT_THROW(of_five.open(-1), Stop);
    EXPECT_EQ(halo_inproc_group_open_endpoints(of_five.get()), 0);
}

TEST(Inproc, GroupCountsItsEndpoints) {
    Group group(2);
    auto a = group.open(0);
    auto b = group.open(1);
    auto again = group.open(0);
    EXPECT_EQ(halo_inproc_group_open_endpoints(group.get()), 3);
    a.reset();
    b.reset();
    EXPECT_EQ(halo_inproc_group_destroy(group.get()), HALO_BUSY);
    again.reset();
    EXPECT_EQ(halo_inproc_group_open_endpoints(group.get()), 0);
}

// One rank's attempt.
struct Attempt {
    Attempt(Group &of, int32_t number) : group(of.get()), rank(number) {}
    halo_status enter() { return halo_inproc_group_enter(group, rank, &arrival); }
    halo_status meet() { return halo_inproc_group_meet(group, rank, &arrival); }
    bool withdraw() { return halo_inproc_group_withdraw(group, rank, &arrival) != 0; }
    void fail() { halo_inproc_group_fail(group, rank, &arrival); }
    void expect_met() {
        EXPECT_EQ(meet(), HALO_SUCCESS);
        EXPECT_FALSE(withdraw());
    }

    halo_inproc_group *group;
    int32_t rank;
    halo_inproc_arrival arrival{};
};

TEST(Inproc, RanksMeetAndHaveOneRound) {
    Group group(2);
    Attempt a(group, 0), b(group, 1), second(group, 0);
    EXPECT_EQ(a.enter(), HALO_SUCCESS);
    EXPECT_EQ(second.enter(), HALO_BUSY);
    auto at_a = group.open(0);
    EXPECT_EQ(a.meet(), HALO_BUSY);
    EXPECT_EQ(halo_inproc_group_absent(group.get()), 1);
    EXPECT_TRUE(a.withdraw()); // and comes again, when the round is there already
    at_a.reset();
    EXPECT_EQ(b.enter(), HALO_SUCCESS);
    auto at_b = group.open(1);
    EXPECT_EQ(b.meet(), HALO_BUSY);
    EXPECT_EQ(halo_inproc_group_absent(group.get()), 0);
    EXPECT_EQ(a.enter(), HALO_SUCCESS);
    at_a = group.open(0);
    a.expect_met();
    b.expect_met();
    Bytes out = payload(1, 0, 1, 50), in(out.size());
    halo_request sending, receiving;
    at_b->send(0, 1, out, sending);
    at_a->receive(1, 1, in, receiving);
    EXPECT_EQ(at_a->wait(receiving), in.size());
    EXPECT_EQ(second.enter(), HALO_SUCCESS); // of the next meeting
    EXPECT_EQ(second.meet(), HALO_BUSY);
    EXPECT_TRUE(second.withdraw());
}

TEST(Inproc, AllHearOfARankThatHasFailedOnce) {
    Group group(3);
    Attempt a(group, 0), b(group, 1), c(group, 2);
    EXPECT_EQ(a.enter(), HALO_SUCCESS);
    EXPECT_EQ(a.meet(), HALO_BUSY);
    b.fail(); // before it has entered
    EXPECT_EQ(a.meet(), HALO_ERR_PEER);
    EXPECT_EQ(a.arrival.failed, 1);
    EXPECT_EQ(a.enter(), HALO_SUCCESS);
    EXPECT_EQ(b.enter(), HALO_SUCCESS);
    EXPECT_EQ(a.meet(), HALO_BUSY);
    b.fail(); // again, while c lags behind: a waits on
    EXPECT_EQ(a.meet(), HALO_BUSY);
    EXPECT_EQ(c.enter(), HALO_ERR_PEER);
    EXPECT_EQ(c.arrival.failed, 1);
    EXPECT_EQ(c.enter(), HALO_SUCCESS);
    EXPECT_EQ(c.meet(), HALO_BUSY);
    EXPECT_EQ(b.enter(), HALO_SUCCESS);
    b.expect_met();
    a.expect_met();
    c.expect_met();
    b.fail(); // too late
    Attempt next(group, 0);
    EXPECT_EQ(next.enter(), HALO_SUCCESS);
    EXPECT_TRUE(next.withdraw());
}

TEST(Inproc, ARankThatFailsHasHeardOfAnother) {
    Group group(2);
    Attempt a(group, 0), b(group, 1);
    EXPECT_EQ(a.enter(), HALO_SUCCESS);
    EXPECT_EQ(b.enter(), HALO_SUCCESS);
    a.fail();
    b.fail();
    for (Attempt *one : { &a, &b }) EXPECT_EQ(one->enter(), HALO_SUCCESS);
    EXPECT_EQ(a.meet(), HALO_BUSY);
    b.expect_met();
    a.expect_met();
}

TEST(Inproc, WithoutAGroupARankIsAlone) {
    Rank r(halo_transport_inproc, { sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, nullptr });
    EXPECT_EQ(r.rank, 0);
    EXPECT_EQ(r.size, 1);
    EXPECT_EQ(r.ops.progress(r.transport), HALO_SUCCESS);
}

TEST(Inproc, RanksMayShareAThreadAndOpenLate) {
    Group group(2);
    auto a = group.open(0);
    Bytes out[2] = { payload(0, 1, 1, 50), payload(0, 1, 2, large) };
    halo_request sends[2];
    for (int i = 0; i < 2; ++i) a->send(1, i, out[i], sends[i]);
    EXPECT_TRUE(is_done(*a, sends[0]));
    EXPECT_FALSE(is_done(*a, sends[1]));
    auto b = group.open(1);
    for (int i = 1; i >= 0; --i) {
        Bytes in(out[i].size());
        halo_request request;
        b->receive(0, i, in, request);
        EXPECT_EQ(b->wait(request), in.size());
        check_payload(in, in.size(), 0, 1, i + 1);
    }
    EXPECT_TRUE(is_done(*a, sends[1]));
}

TEST(Inproc, SizeOfATooLongMessageIsKnown) {
    Group group(2);
    auto a = group.open(0);
    auto b = group.open(1);
    for (size_t size : { size_t{ 100 }, large }) {
        Bytes out(size);
        Bytes in(size - 1);
        halo_request sending;
        halo_request receiving;
        a->send(1, 0, out, sending);
        b->receive(0, 0, in, receiving);
        size_t bytes = 0;
        EXPECT_EQ(b->outcome(receiving, bytes), HALO_ERR_WIRE);
        EXPECT_EQ(bytes, size);
        EXPECT_TRUE(is_done(*a, sending));
    }
}

TEST(Inproc, SendsToAClosedRankComplete) {
    Group group(2);
    auto a = group.open(0);
    auto b = group.open(1);
    Bytes out(large);
    halo_request before;
    halo_request after;
    a->send(1, 0, out, before);
    EXPECT_FALSE(is_done(*a, before));
    b.reset();
    EXPECT_TRUE(is_done(*a, before));
    a->send(1, 0, out, after);
    EXPECT_TRUE(is_done(*a, after));
}

TEST(Inproc, OffersOfAClosedRankAreWithdrawn) {
    Group group(2);
    auto a = group.open(0);
    auto b = group.open(1);
    halo_request sends[3];
    auto out = std::make_unique<Bytes>(large, 0x77);
    for (int i = 0; i < 3; ++i) a->send(1, i, *out, sends[i]);
    size_t bytes = 0;
    halo_matched message;
    ASSERT_TRUE(b->probe(0, 0, bytes, message)); // found before; tag 1 still waits, tag 2 meets a posted receive
    EXPECT_EQ(bytes, large);
    a.reset();
    out.reset();
    Bytes in(large, 0x33);
    halo_request request{};
    EXPECT_EQ(b->ops.receive_matched(b->transport, &message, in.data(), in.size(), &request), HALO_ERR_TRANSPORT);
    EXPECT_NE(b->error.find("rank 0 closed"), std::string::npos) << b->error;
    EXPECT_FALSE(b->probe(0, 1, bytes, message));
    b->receive(0, 2, in, request);
    EXPECT_FALSE(is_done(*b, request));
    EXPECT_EQ(in, Bytes(large, 0x33));
}

TEST(Inproc, OfferThatMeetsAPostedReceiveAfterItsRankClosedIsDropped) {
    Group group(2);
    auto a = group.open(0);
    auto b = group.open(1);
    Bytes in(large);
    halo_request receiving;
    halo_request sends[2];
    b->receive(0, 0, in, receiving);
    Bytes small = payload(0, 1, 9, 30);
    {
        Bytes out(large);
        a->send(1, 0, out, sends[0]);
        a->send(1, 0, small, sends[1]);
        a.reset();
    }
    EXPECT_EQ(b->wait(receiving), small.size()); // the next of the same tag
    check_payload(in, small.size(), 0, 1, 9);
}

// The sender closes at any moment of a transfer, then overwrites its buffer: what arrived must be whole. So must the process be if it is
// the receiver that closes first.
TEST(Inproc, ClosingRacesWithTransfers) {
    constexpr size_t size = 2000000; // copied in a fraction of a millisecond
    const Bytes original = payload(0, 1, 1, size);
    for (int round = 0; round < 80; ++round) {
        Group group(2);
        std::atomic<int> ready{ 0 };
        auto meet = [&ready] {
            ready.fetch_add(1);
            while (ready.load() < 2) std::this_thread::yield();
        };
        std::thread sender([&] {
            auto a = group.open(0);
            Bytes out = original;
            halo_request sends[3];
            meet();
            for (halo_request &request : sends) a->send(1, 1, out, request);
            std::this_thread::sleep_for(std::chrono::microseconds(round % 20 * 30));
            a.reset();
            std::fill(out.begin(), out.end(), 0);
        });
        auto b = group.open(1);
        Bytes in(size);
        halo_request request;
        meet();
        for (int message = 0; message < 3; ++message) {
            b->receive(0, 1, in, request);
            bool done = false;
            for (int i = 0; i < 200 && !done; ++i) done = is_done(*b, request);
            if (!done) break;
            EXPECT_EQ(in, original) << "round " << round;
        }
        b.reset();
        sender.join();
    }
}

} // namespace
} // namespace transport_tests
