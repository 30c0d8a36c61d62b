// SPDX-License-Identifier: BSD-3-Clause
// Every call in every state of a channel: what it returns, the state afterwards, and the error text where it is illegal. On a device once that has
// done what there was.
#include <cstring>
#include <numeric>
#include <thread>

#include "payload.h"

namespace {

using namespace test;

constexpr int64_t count = 5;
constexpr const char *no_settling = "the device's module does not say when it has done what there is";

enum class Call { send, send_null, writable, allocate, release, start_receive, try_receive, stale };
constexpr Call calls[] = { Call::send,    Call::send_null,     Call::writable,    Call::allocate,
                           Call::release, Call::start_receive, Call::try_receive, Call::stale };

const char *name_of(Call call) {
    static const char *names[] = { "send", "send_null", "writable", "allocate", "release", "start_receive", "try_receive", "stale" };
    return names[static_cast<int>(call)];
}

const char *name_of_state(int32_t state) {
    static const char *names[] = { "stale", "sending", "sending_null", "received", "received_null" };
    return names[state];
}

// `answer`: of writable and try_receive.
halo_status make(Call call, halo_channel *channel, int32_t *answer) {
    switch (call) {
    case Call::send: return halo_channel_send(channel, Payload::stream());
    case Call::send_null: return halo_channel_send_null(channel, Payload::stream());
    case Call::writable: return halo_channel_writable(channel, answer);
    case Call::allocate: return halo_channel_allocate(channel);
    case Call::release: return halo_channel_release(channel);
    case Call::start_receive: return halo_channel_start_receive(channel);
    case Call::try_receive: return halo_channel_try_receive(channel, answer, nullptr);
    case Call::stale: return halo_channel_stale(channel, Payload::stream());
    }
    return HALO_ERR_INTERNAL;
}

constexpr int illegal = -1;
constexpr int no_answer = -2;
constexpr int busy = -3;

// What a call does: the next state, `illegal` or `busy`, and what writable or try_receive answer.
struct Cell {
    int next;
    int answer = no_answer;
};

struct Setting {
    int32_t sparse;
    int32_t kind;
};

std::string name_of_setting(const testing::TestParamInfo<std::tuple<int, int>> &info) {
    static const char *kinds[] = { "pool", "caller", "allocator" };
    return std::string(std::get<0>(info.param) ? "sparse_" : "dense_") + kinds[std::get<1>(info.param)];
}

void expect_cell(halo_channel *channel, Call call, int32_t state, const Cell &cell, const char *end) {
    SCOPED_TRACE(std::string(end) + ", state " + name_of_state(state) + ", call " + name_of(call));
    const void *data = buffer_of(channel).data;
    int32_t answer = no_answer;
    const halo_status status = make(call, channel, &answer);
    if (cell.next == illegal) {
        EXPECT_STATUS(HALO_ERR_STATE, status);
        EXPECT_TEXT(std::string(name_of(call)) + " is illegal", std::string("state ") + name_of_state(state), "3 -> 7, field 2, element 14, extra 9",
                    "from rank", "epoch");
        EXPECT_EQ(buffer_of(channel).data, data);
        EXPECT_EQ(state_of(channel), state);
        return;
    }
    if (cell.next == busy) {
        EXPECT_STATUS(HALO_BUSY, status);
        EXPECT_TEXT(std::string(name_of(call)) + ": the buffer is in use", std::string("state ") + name_of_state(state),
                    "3 -> 7, field 2, element 14, extra 9", "from rank", "epoch");
        EXPECT_EQ(buffer_of(channel).data, data);
        EXPECT_EQ(state_of(channel), state);
        return;
    }
    EXPECT_STATUS(HALO_SUCCESS, status);
    EXPECT_EQ(answer, cell.answer);
    EXPECT_EQ(state_of(channel), cell.next);
    const void *now = buffer_of(channel).data;
    EXPECT_TRUE(call != Call::allocate || (data ? now == data : now != nullptr));
    EXPECT_TRUE(call != Call::release || now == nullptr);
}

// What is so already is done in every state; else nobody may be using the buffer.
Cell buffer_cell(int32_t state, Call call, bool held) {
    if (held == (call == Call::allocate)) return { state };
    return { state == HALO_STALE ? HALO_STALE : busy };
}

class States : public testing::TestWithParam<std::tuple<int, int>> {
protected:
    void SetUp() override {
        if (!Payload::can_settle()) GTEST_SKIP() << no_settling;
    }
    halo_channel *add(Rank &rank, int32_t send_rank, int32_t receive_rank, Payload &memory) {
        const halo_channel_key key = key_of(3, 7, 14, 9);
        halo_channel_desc desc = desc_of(send_rank, receive_rank, count);
        desc.sparse = std::get<0>(GetParam());
        memory.describe(desc);
        halo_channel *channel = nullptr;
        EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        return channel;
    }
    int32_t kind() const { return std::get<1>(GetParam()); }
    bool sparse() const { return std::get<0>(GetParam()) != 0; }
    // A buffer is always there when the caller brings it.
    bool held_from_start() const { return kind() == HALO_BUFFER_CALLER; }
};

std::vector<unsigned char> values_from(double first) {
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), first);
    std::vector<unsigned char> bytes(count * 8);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

void write_values(halo_channel *channel, const Payload &memory, double first) {
    void *data = buffer_of(channel).data;
    ASSERT_NE(data, nullptr);
    memory.write(data, values_from(first));
    memory.settle(); // the buffer may be released next
}

void expect_values(halo_channel *channel, const Payload &memory, double first) {
    const halo_buffer buffer = buffer_of(channel);
    ASSERT_NE(buffer.data, nullptr);
    EXPECT_EQ(buffer.bytes, count * 8);
    EXPECT_EQ(memory.read(buffer.data, count * 8), values_from(first));
}

void take(halo_channel *channel) {
    wait_received(channel);
    EXPECT_OK(halo_channel_stale(channel, Payload::stream()));
}

void destroy(halo_channel *channel, halo_group *group, const Payload &memory, bool abandon) {
    memory.settle();
    if (abandon) EXPECT_OK(halo_channel_abandon(channel));
    EXPECT_OK(halo_channel_destroy(&channel));
    EXPECT_EQ(channel, nullptr);
    EXPECT_OK(halo_group_destroy(&group));
}

// Bring a channel within one rank into a state.
void drive_local(halo_channel *channel, int32_t state) {
    if (state == HALO_SENDING || state == HALO_RECEIVED) {
        EXPECT_OK(halo_channel_allocate(channel));
        EXPECT_OK(halo_channel_send(channel, Payload::stream()));
    }
    if (state == HALO_SENDING_NULL || state == HALO_RECEIVED_NULL) EXPECT_OK(halo_channel_send_null(channel, Payload::stream()));
    if (state == HALO_RECEIVED || state == HALO_RECEIVED_NULL) wait_received(channel);
    EXPECT_EQ(state_of(channel), state);
}

Cell local_cell(int32_t state, Call call, bool held) {
    const bool stale = state == HALO_STALE;
    const bool sending = state == HALO_SENDING || state == HALO_SENDING_NULL;
    const bool received = state == HALO_RECEIVED || state == HALO_RECEIVED_NULL;
    switch (call) {
    case Call::send: return { stale ? (held ? HALO_SENDING : HALO_SENDING_NULL) : illegal };
    case Call::send_null: return { stale ? HALO_SENDING_NULL : illegal };
    case Call::writable: return { state, stale ? 1 : 0 };
    case Call::allocate:
    case Call::release: return buffer_cell(state, call, held || state == HALO_SENDING || state == HALO_RECEIVED);
    case Call::start_receive: return { received ? illegal : state };
    case Call::try_receive:
        if (stale) return { HALO_STALE, 0 };
        return { sending ? state + 2 : state, 1 };
    case Call::stale: return { received ? HALO_STALE : illegal };
    }
    return { illegal };
}

TEST_P(States, SameRank) {
    RUN_RANKS(1, [&](Rank &rank) {
        for (int32_t state = HALO_STALE; state <= HALO_RECEIVED_NULL; ++state)
            for (const Call call : calls) {
                Payload memory(rank.context, kind(), count * 8);
                halo_channel *channel = add(rank, 0, 0, memory);
                halo_group *group = commit(rank, { channel });
                drive_local(channel, state);
                memory.settle();
                expect_cell(channel, call, state, local_cell(state, call, held_from_start()), "same rank");
                destroy(channel, group, memory, true);
                EXPECT_EQ(memory.blocks_out(), 0);
            }
    });
}

// With a message small enough to be complete at once, writable turns a sender stale, and a second send is legal.
Cell sender_cell(int32_t state, Call call, bool held) {
    switch (call) {
    case Call::send: return { held || state == HALO_SENDING ? HALO_SENDING : HALO_SENDING_NULL };
    case Call::send_null: return { HALO_SENDING_NULL };
    case Call::writable: return { HALO_STALE, 1 };
    case Call::allocate:
    case Call::release: held |= state == HALO_SENDING; return { held == (call == Call::allocate) ? state : HALO_STALE };
    default: return { illegal };
    }
}

TEST_P(States, Sender) {
    RUN_RANKS(2, [&](Rank &rank) {
        for (const int32_t state : { HALO_STALE, HALO_SENDING, HALO_SENDING_NULL })
            for (const Call call : calls) {
                Payload memory(rank.context, kind(), count * 8);
                halo_channel *channel = add(rank, 0, 1, memory);
                halo_group *group = commit(rank, { channel });
                if (rank.first()) {
                    drive_local(channel, state);
                    halo_context_barrier(rank.context);
                    // The receiver takes what was sent, so that a send that needs it is complete.
                    halo_context_barrier(rank.context);
                    for (int i = 0; i < 100; ++i) halo_context_progress(rank.context);
                    memory.settle();
                    expect_cell(channel, call, state, sender_cell(state, call, held_from_start()), "sender");
                    halo_context_barrier(rank.context);
                } else {
                    halo_context_barrier(rank.context);
                    if (state != HALO_STALE) take(channel);
                    halo_context_barrier(rank.context);
                    halo_context_barrier(rank.context);
                    if (call == Call::send || call == Call::send_null) take(channel);
                }
                halo_context_barrier(rank.context);
                destroy(channel, group, memory, true);
                EXPECT_EQ(memory.blocks_out(), 0);
            }
    });
}

Cell receiver_cell(int32_t state, Call call, bool held) {
    const bool stale = state == HALO_STALE;
    switch (call) {
    case Call::allocate:
    case Call::release: return buffer_cell(state, call, held);
    case Call::start_receive: return { stale ? HALO_STALE : illegal };
    case Call::try_receive: return { state, stale ? 0 : 1 };
    case Call::stale: return { stale ? illegal : HALO_STALE };
    default: return { illegal };
    }
}

TEST_P(States, Receiver) {
    RUN_RANKS(2, [&](Rank &rank) {
        for (const int32_t state : { HALO_STALE, HALO_RECEIVED, HALO_RECEIVED_NULL })
            for (const Call call : calls) {
                Payload memory(rank.context, kind(), count * 8);
                halo_channel *channel = add(rank, 0, 1, memory);
                halo_group *group = commit(rank, { channel });
                if (rank.first()) {
                    if (state != HALO_STALE) drive_local(channel, state == HALO_RECEIVED ? HALO_SENDING : HALO_SENDING_NULL);
                } else {
                    int32_t came = HALO_STALE;
                    if (state != HALO_STALE) wait_received(channel, &came);
                    EXPECT_EQ(came, state);
                    // Null gives a sparse receiver's buffer back; data bring one.
                    const bool held = buffer_of(channel).data != nullptr;
                    EXPECT_TRUE(held || state != HALO_RECEIVED);
                    EXPECT_TRUE(!held || !sparse() || state != HALO_RECEIVED_NULL);
                    memory.settle();
                    expect_cell(channel, call, state, receiver_cell(state, call, held), "receiver");
                }
                halo_context_barrier(rank.context);
                destroy(channel, group, memory, true);
                EXPECT_EQ(memory.blocks_out(), 0);
            }
    });
}

// A dense receiver whose receive is posted is still stale, but its buffer is the transport's.
TEST_P(States, ReceiverPosted) {
    if (sparse()) GTEST_SKIP() << "sparse receivers post nothing before a message is there";
    RUN_RANKS(2, [&](Rank &rank) {
        Payload memory(rank.context, kind(), count * 8);
        halo_channel *channel = add(rank, 0, 1, memory);
        halo_group *group = commit(rank, { channel });
        if (!rank.first()) {
            EXPECT_OK(halo_channel_start_receive(channel));
            const void *data = buffer_of(channel).data;
            EXPECT_NE(data, nullptr);
            EXPECT_OK(halo_channel_start_receive(channel));
            EXPECT_OK(halo_channel_allocate(channel));
            EXPECT_STATUS(HALO_BUSY, halo_channel_release(channel));
            EXPECT_TEXT("release: the buffer is in use", "receive under way", "3 -> 7");
            EXPECT_STATUS(HALO_ERR_STATE, halo_channel_stale(channel, Payload::stream()));
            EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&channel));
            EXPECT_STATUS(HALO_BUSY, halo_group_destroy(&group));
            EXPECT_EQ(buffer_of(channel).data, data);
        }
        halo_context_barrier(rank.context);
        if (rank.first()) {
            EXPECT_OK(halo_channel_allocate(channel));
            write_values(channel, memory, 0.5);
            EXPECT_OK(halo_channel_send(channel, Payload::stream()));
            wait_writable(channel);
        } else {
            wait_received(channel);
            expect_values(channel, memory, 0.5);
            EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&channel));
            EXPECT_OK(halo_channel_stale(channel, Payload::stream()));
        }
        destroy(channel, group, memory, false);
        EXPECT_EQ(memory.blocks_out(), 0);
    });
}

// The same calls serve channels within a rank and between ranks, and wrong ones in between do no harm.
TEST_P(States, WorksAfterWrongCalls) {
    RUN_RANKS(2, [&](Rank &rank) {
        Payload memory(rank.context, kind(), count * 8);
        halo_channel *channel = add(rank, 0, 1, memory);
        halo_group *group = commit(rank, { channel });
        for (int epoch = 0; epoch < 6; ++epoch) {
            const bool data = epoch % 3 != 1;
            if (rank.first()) {
                wait_writable(channel);
                EXPECT_STATUS(HALO_ERR_STATE, halo_channel_stale(channel, Payload::stream()));
                EXPECT_STATUS(HALO_ERR_STATE, halo_channel_start_receive(channel));
                EXPECT_OK(halo_channel_allocate(channel));
                write_values(channel, memory, epoch);
                EXPECT_OK(data ? halo_channel_send(channel, Payload::stream()) : halo_channel_send_null(channel, Payload::stream()));
                const halo_status released = halo_channel_release(channel);
                EXPECT_TRUE(released == HALO_SUCCESS || released == HALO_BUSY) << halo_last_error();
                wait_writable(channel);
            } else {
                EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send(channel, Payload::stream()));
                EXPECT_STATUS(HALO_ERR_STATE, halo_channel_stale(channel, Payload::stream()));
                int32_t state = HALO_STALE;
                wait_received(channel, &state);
                EXPECT_EQ(state, data ? HALO_RECEIVED : HALO_RECEIVED_NULL);
                EXPECT_STATUS(HALO_ERR_STATE, halo_channel_start_receive(channel));
                EXPECT_STATUS(HALO_ERR_STATE, halo_channel_send_null(channel, Payload::stream()));
                if (data) expect_values(channel, memory, epoch);
                EXPECT_OK(halo_channel_stale(channel, Payload::stream()));
            }
        }
        halo_context_barrier(rank.context);
        destroy(channel, group, memory, false);
    });
}

TEST_P(States, Uncommitted) {
    RUN_RANKS(1, [&](Rank &rank) {
        Payload memory(rank.context, kind(), count * 8);
        halo_channel *channel = add(rank, 0, 0, memory);
        for (const Call call : calls) {
            int32_t answer = 0;
            if (call == Call::allocate || call == Call::release) {
                EXPECT_OK(make(call, channel, &answer));
                continue;
            }
            EXPECT_STATUS(HALO_ERR_STATE, make(call, channel, &answer));
            EXPECT_TEXT("not committed by a group", "3 -> 7");
        }
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

INSTANTIATE_TEST_SUITE_P(All, States,
                         testing::Combine(testing::Values(0, 1), testing::Values(HALO_BUFFER_POOL, HALO_BUFFER_CALLER, HALO_BUFFER_ALLOCATOR)),
                         name_of_setting);

// A sparse receiver takes what came; allocate then gives it a buffer of its own size, and the smaller one goes back.
TEST(Channel, AllocateReplacesASmallerBuffer) {
    if (!Payload::can_settle()) GTEST_SKIP() << no_settling;
    RUN_RANKS(2, [](Rank &rank) {
        Payload memory(rank.context, HALO_BUFFER_ALLOCATOR, 0);
        const halo_channel_key key = key_of(1, 2);
        halo_channel_desc desc = desc_of(0, 1, rank.first() ? count : 3 * count);
        desc.sparse = 1;
        memory.describe(desc);
        halo_channel *channel = nullptr;
        ASSERT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        halo_group *group = commit(rank, { channel });
        if (rank.first()) {
            EXPECT_OK(halo_channel_allocate(channel));
            EXPECT_OK(halo_channel_send(channel, Payload::stream()));
            wait_writable(channel);
        } else {
            wait_received(channel);
            EXPECT_EQ(buffer_of(channel).bytes, count * 8);
            EXPECT_STATUS(HALO_BUSY, halo_channel_allocate(channel));
            EXPECT_TEXT("allocate: the buffer is in use", "state received", "1 -> 2");
            EXPECT_OK(halo_channel_stale(channel, Payload::stream()));
            memory.settle();
            EXPECT_EQ(buffer_of(channel).bytes, count * 8);
            const uint64_t generation = buffer_of(channel).generation;
            EXPECT_OK(halo_channel_allocate(channel));
            EXPECT_EQ(buffer_of(channel).bytes, 3 * count * 8);
            EXPECT_NE(buffer_of(channel).generation, generation);
            EXPECT_EQ(memory.blocks_out(), 1);
        }
        destroy(channel, group, memory, false);
        EXPECT_EQ(memory.blocks_out(), 0);
    });
}

// A large message needs its receiver: until then the sender is busy, and stays as it is.
TEST(Channel, BusyWhileTheOwnSendIsUnderWay) {
    if (!Payload::can_settle()) GTEST_SKIP() << no_settling;
    RUN_RANKS(2, [](Rank &rank) {
        constexpr int64_t large = 4 << 20;
        Payload memory(rank.context, HALO_BUFFER_POOL, large);
        const halo_channel_key key = key_of(1, 2);
        halo_channel_desc desc = desc_of(0, 1, large, HALO_BYTES);
        memory.describe(desc);
        halo_channel *channel = nullptr;
        ASSERT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
        halo_group *group = commit(rank, { channel });
        if (rank.first()) {
            ASSERT_OK(halo_channel_allocate(channel));
            memory.write(static_cast<char *>(buffer_of(channel).data) + large - 1, { 77 });
            ASSERT_OK(halo_channel_send(channel, Payload::stream()));
            memory.settle();
            EXPECT_STATUS(HALO_BUSY, halo_channel_send(channel, Payload::stream()));
            EXPECT_STATUS(HALO_BUSY, halo_channel_send_null(channel, Payload::stream()));
            int32_t writable = 1;
            EXPECT_OK(halo_channel_writable(channel, &writable));
            EXPECT_EQ(writable, 0);
            EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&channel));
            EXPECT_TEXT("under way", "1 -> 2", "sending");
            EXPECT_STATUS(HALO_BUSY, halo_group_destroy(&group));
            EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_channel_set_bytes(channel, -1));
            EXPECT_STATUS(HALO_BUSY, halo_channel_release(channel));
            EXPECT_TEXT("set_bytes: -1 bytes"); // to be polled: the last error stays to be read
            EXPECT_NE(std::string(halo_context_error(rank.context)).find("set_bytes: -1 bytes"), std::string::npos);
            EXPECT_OK(halo_channel_allocate(channel));
            EXPECT_EQ(state_of(channel), HALO_SENDING);
        }
        halo_context_barrier(rank.context);
        if (rank.first()) { // to be called again until it is done
            while (halo_channel_release(channel) == HALO_BUSY) std::this_thread::yield();
            EXPECT_EQ(buffer_of(channel).data, nullptr);
            EXPECT_EQ(state_of(channel), HALO_STALE);
        } else {
            wait_received(channel);
            EXPECT_EQ(memory.read(static_cast<char *>(buffer_of(channel).data) + large - 1, 1).front(), 77);
            EXPECT_OK(halo_channel_stale(channel, Payload::stream()));
        }
        destroy(channel, group, memory, false);
    });
}

} // namespace
