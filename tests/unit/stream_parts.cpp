// SPDX-License-Identifier: BSD-3-Clause
// Runs whose payload travels in parts: two ends of a stream, and messages that no end would send.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "heap_calls.h"
#include "two_ends.h"

namespace halo {

namespace {

constexpr uint32_t n_edges = 4;
constexpr size_t unit = 40000; // bytes: more than a transport keeps on its own

constexpr size_t bytes_of(uint32_t edge) { return edge == 0 ? 0 : edge == 3 ? unit : 24 * edge; }

StreamDirection direction() {
    StreamDirection made;
    made.active = true;
    made.n_states = n_edges;
    made.n_edges = n_edges;
    made.digest.add(3);
    return made;
}

StreamSpec spec_of_parts() {
    StreamSpec spec;
    spec.send = spec.receive = direction();
    spec.payload = [](const std::byte *) { return size_t{ 0 }; };
    spec.parts = [](const std::byte *message, std::vector<size_t> &bytes) {
        for (uint32_t i = 0; i < n_edges; ++i)
            if (edge_state(message, i) == EdgeState::data) bytes.push_back(bytes_of(i));
    };
    spec.name_of_part = [](const std::byte *, size_t part) { return "number " + std::to_string(part); };
    return spec;
}

class Parts : public TwoEnds {
protected:
    Parts() {
        open([this](size_t) {
            StreamSpec spec = spec_of_parts();
            spec.parts = [this, fill = spec.parts](const std::byte *message, std::vector<size_t> &bytes) {
                if (parts_fail_) throw std::bad_alloc();
                fill(message, bytes);
            };
            return spec;
        });
    }
    static std::byte value_of(uint32_t epoch, size_t rank, uint32_t edge) { return static_cast<std::byte>(16 * epoch + 8 * rank + edge); }
    static bool is_null(uint32_t epoch, uint32_t edge) { return edge == 1 && epoch % 2 == 0; }
    void send(size_t rank, uint32_t epoch) {
        Stream &from = end(rank);
        ASSERT_TRUE(from.writable());
        for (uint32_t edge = 0; edge < n_edges; ++edge) {
            std::byte *const part = from.add_part(bytes_of(edge));
            std::fill_n(part, bytes_of(edge), value_of(epoch, rank, edge));
            if (is_null(epoch, edge)) from.take_back_part();
            set_edge_state(from.send_buffer(), edge, is_null(epoch, edge) ? EdgeState::null : EdgeState::data);
        }
        from.send(0);
    }
    void expect(size_t rank, uint32_t epoch) {
        Stream &at = end(rank);
        ASSERT_TRUE(arrives(at));
        size_t part = 0;
        for (uint32_t edge = 0; edge < n_edges; ++edge) {
            ASSERT_EQ(edge_state(at.received(), edge), is_null(epoch, edge) ? EdgeState::null : EdgeState::data);
            if (is_null(epoch, edge)) continue;
            const std::byte *const values = at.received_part(part++);
            EXPECT_EQ(std::count(values, values + bytes_of(edge), value_of(epoch, 1 - rank, edge)), static_cast<std::ptrdiff_t>(bytes_of(edge)))
                << "edge " << edge << ", run " << epoch;
        }
        at.consume();
    }
    void run(uint32_t epoch) {
        post(epoch);
        for (const size_t rank : { 0u, 1u }) send(rank, epoch);
        for (const size_t rank : { 0u, 1u }) expect(rank, epoch);
    }
    void send_part(const std::function<void(PartHeader &)> &forge, size_t payload_bytes) {
        PartHeader header{ part_magic, ids_[1].serial(), 2, 0 };
        forge(header);
        send_by_hand(made_by_hand(&header, sizeof header, payload_bytes));
    }
    // The object of rank 0 goes, and then both parts of run 2 come.
    void expect_late_parts_taken() {
        ends_[0]->abandon();
        ends_[0].reset();
        send_part([](PartHeader &header) { header.n_after = 1; }, bytes_of(1));
        send_part([](PartHeader &) {}, bytes_of(2));
        ranks_.context().reap();
        EXPECT_EQ(ranks_.context().dropped, 2);
    }
    // The message of run 2, with data on the edges 1 and 2 alone.
    void send_message(uint16_t flags = flag_parts) {
        MessageHeader header = header_of(MessageKind::data, 2);
        header.flags = flags;
        header.digest = direction().digest.low;
        header.n_states = n_edges;
        std::vector<std::byte> &message = made_by_hand(&header, sizeof header, payload_offset(n_edges) - sizeof header);
        for (const uint32_t edge : { 1u, 2u }) set_edge_state(message.data(), edge, EdgeState::data);
        send_by_hand(message);
    }
    // Run 1 has ended well, run 2 is begun, of which rank 1's part is made by hand.
    void begin_forged_run() {
        run(1);
        post(2);
        send(0, 2);
    }

    bool parts_fail_ = false;
};

TEST_F(Parts, ArriveAndNullEdgesHaveNone) {
    for (uint32_t epoch = 1; epoch < 5; ++epoch) run(epoch);
    EXPECT_EQ(end(0).messages_sent, 1 + 4 * 5 - 2); // a handshake, then a message and four parts a run, less two that are null
}

// The peer takes nothing before both runs have been sent.
TEST_F(Parts, KeepTheirMemoryUntilTheyHaveLeft) {
    run(1);
    for (const uint32_t epoch : { 2u, 3u }) {
        end(0).post(epoch, {});
        send(0, epoch);
    }
    for (const uint32_t epoch : { 2u, 3u }) {
        end(1).post(epoch, {});
        expect(1, epoch);
    }
}

TEST_F(Parts, ComeOneByOne) {
    begin_forged_run();
    send_message();
    EXPECT_FALSE(arrives(end(0)));
    EXPECT_TRUE(end(0).awaits_parts());
    EXPECT_EQ(end(0).parts_here(), 0u);
    send_part([](PartHeader &header) { header.n_after = 1; }, bytes_of(1));
    EXPECT_FALSE(arrives(end(0)));
    EXPECT_EQ(end(0).parts_here(), 1u);
    send_part([](PartHeader &) {}, bytes_of(2));
    EXPECT_TRUE(arrives(end(0)));
}

// Whatever comes without the caller in between.
TEST_F(Parts, ThatComeAloneAreTheSame) {
    const auto alone = [&] {
        for (auto &end : ends_) end->progress_alone();
    };
    for (uint32_t epoch = 1; epoch < 6; ++epoch) {
        post(epoch);
        for (const size_t rank : { 0u, 1u }) {
            send(rank, epoch);
            alone();
        }
        for (const size_t rank : { 0u, 1u }) {
            end(rank).test();
            alone();
            expect(rank, epoch);
            alone();
        }
    }
    EXPECT_EQ(ranks_.context().dropped, 0);
}

TEST_F(Parts, ThatAreNotTheNextAreRefused) {
    begin_forged_run();
    const std::function<void(PartHeader &)> forgeries[] = {
        [](PartHeader &header) { header.n_after = 0; },
        [](PartHeader &header) { header.n_after = 1, header.epoch = 3; },
        [](PartHeader &header) { header.n_after = 1, ++header.serial; },
        [](PartHeader &header) { header.n_after = 1, ++header.magic; },
    };
    for (const auto &forge : forgeries) {
        end(0).post(2, {});
        send_message();
        send_part(forge, bytes_of(1));
        expect_refused({ "exchange under test: run 2", "from rank 1", "in place of that of channel number 0", "24 bytes of payload and 1 after it" });
    }
    end(0).post(2, {});
    send_message();
    send_part([](PartHeader &header) { header.n_after = 1; }, bytes_of(1) - 8);
    expect_refused({ "a message of 32 bytes from rank 1" });
}

TEST_F(Parts, AFailureComesInPlaceOfOne) {
    begin_forged_run();
    send_message();
    send_failure_by_hand(2);
    expect_refused({ "rank 1 has no part in run 2" }, HALO_ERR_PEER);
}

TEST_F(Parts, WithoutTheirMessageAreRefused) {
    begin_forged_run();
    send_part([](PartHeader &) {}, bytes_of(2));
    expect_refused({ "a part of run 2", "from rank 1", "its message has not come" });
}

TEST_F(Parts, AMessageSaysThatTheyFollow) {
    begin_forged_run();
    send_message(0);
    expect_refused({ "is announced in one message; expected in parts" });
}

TEST_F(Parts, OfARunThatFailedHereAreDropped) {
    run(1);
    post(2);
    end(0).end_failed_run();
    send(0, 2);
    send(1, 2);
    expect(1, 2);
    run(3);
    EXPECT_EQ(ranks_.context().dropped, 1 + 3); // a message and its parts
}

TEST_F(Parts, RunsAreCountedInACircle) {
    run(UINT32_MAX - 1);
    post(UINT32_MAX);
    end(0).end_failed_run();
    send(0, UINT32_MAX);
    send(1, UINT32_MAX);
    expect(1, UINT32_MAX);
    run(0);
    EXPECT_EQ(ranks_.context().dropped, 1 + 4);
    post(1);
    end(1).send_failure(1, Error(HALO_ERR_UNBOUND, "no storage"));
    expect_refused({ "rank 1 has no part in run 1", "no storage" }, HALO_ERR_PEER);
}

// Memory may be what has failed. A text that is too long is cut.
TEST_F(Parts, ToTellOfAFailureTakesNoMemory) {
    run(1);
    run(2);
    post(3);
    const std::string text = "of memory there is none" + std::string(2000, '.');
    const Error error(HALO_ERR_MEMORY, text);
    const int64_t calls = heap_calls(), taken = ranks_.contexts[1]->pools().pool(HALO_MEMORY_HOST).figures().allocations;
    end(1).send_failure(3, error);
    EXPECT_EQ(heap_calls(), calls);
    EXPECT_EQ(ranks_.contexts[1]->pools().pool(HALO_MEMORY_HOST).figures().allocations, taken);
    expect_refused({ "rank 1 has no part in run 3", text.substr(0, most_failure_text).c_str() }, HALO_ERR_PEER);
    end(1).end_failed_run();
    run(4);
}

// Its message of run 3 has left, so that rank 0 hears of it as the end of run 4, and of every later one.
TEST_F(Parts, AFailureThatLastsIsHeardByWhoHasTheSendersPart) {
    run(1);
    run(2);
    post(3);
    for (const size_t rank : { 0u, 1u }) send(rank, 3);
    end(1).send_failure(3, Error(HALO_ERR_PEER, "rank 1 has no part", { 1, HALO_ERR_MISMATCH, "fields of different names", true }));
    expect(0, 3);
    end(1).end_failed_run();
    end(0).post(4, {});
    expect_refused({ "rank 1 has no part in run 4", "fields of different names" }, HALO_ERR_PEER);
    EXPECT_THROW(end(0).post(5, {}), Error);
}

// What they are could not be said, so none of them has been looked for.
TEST_F(Parts, OfAMessageThatFailedAreTakenWhenTheirObjectIsGone) {
    begin_forged_run();
    parts_fail_ = true;
    send_message();
    EXPECT_THROW(arrives(end(0)), std::bad_alloc);
    end(0).end_failed_run();
    expect_late_parts_taken();
}

// Memory fails for the first of them, and what is left is noted all the same.
TEST_F(Parts, AreTakenAfterMemoryHasFailedAtTheEndOfTheirObject) {
    run(1);
    post(2);
    send(1, 2);
    ends_[0]->abandon();
    let_heap_call_fail(1);
    ends_[0].reset();
    ranks_.context().reap();
    EXPECT_EQ(ranks_.context().dropped, 1 + 3);
}

// Else their sender would wait for somebody to take them.
TEST_F(Parts, ThatComeWhenTheirObjectIsGoneAreTaken) {
    begin_forged_run();
    send_message();
    EXPECT_FALSE(arrives(end(0)));
    expect_late_parts_taken();
    size_t bytes = 0;
    Matched message{};
    EXPECT_FALSE(ranks_.context().fabric().probe(1, 0, ids_[1].tag(), bytes, message));
}

} // namespace

} // namespace halo
