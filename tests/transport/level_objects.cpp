// SPDX-License-Identifier: BSD-3-Clause
#include "level_objects.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace mpi_levels {

namespace {

constexpr int64_t n_cells = 8; // so few that messages go through the transport, not through shared memory

[[noreturn]] void stop(const char *what, const char *why) {
    std::fprintf(stderr, "%s: %s\n", what, why);
    std::_Exit(1); // the launcher ends the other rank
}

void expect(const char *what, halo_status status, halo_status wanted = HALO_SUCCESS, const char *word = "") {
    if (status != wanted || (status != HALO_SUCCESS && !std::strstr(halo_last_error(), word))) stop(what, halo_last_error());
}

} // namespace

// Its name goes into the message.
#define EXPECT_WORKS(call) expect(#call, call)

Objects::Objects(halo_context *context) : context_(context) {
    EXPECT_WORKS(halo_context_rank(context, &rank_, &n_ranks_));
    make_field();
    EXPECT_WORKS(halo_reduction_create(context_, 1, HALO_INT64, HALO_SUM, &reduction_));
    group_ = make_group(HALO_MESSAGES_PER_CHANNEL, by_hand_);
    group_in_one_message_ = make_group(HALO_MESSAGES_AGGREGATE, in_one_message_);
}

void Objects::make_field() {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 1, blocks.n_blocks[0] = n_ranks_, blocks.n_cells[0] = n_cells, blocks.periodic[0] = 1;
    EXPECT_WORKS(halo_topology_create_blocks(context_, &blocks, &blocks_));
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.ghost_low[0] = desc.ghost_high[0] = 1;
    EXPECT_WORKS(halo_field_create(blocks_, &desc, &field_));
    EXPECT_WORKS(halo_field_allocate(field_, -1));
    void *data = nullptr;
    EXPECT_WORKS(halo_field_data(field_, rank_, 0, &data));
    data_ = static_cast<double *>(data);
    halo_exchange_desc policy = HALO_EXCHANGE_DESC_INIT;
    policy.messages = HALO_MESSAGES_AGGREGATE;
    EXPECT_WORKS(halo_exchange_create(&field_, 1, &policy, &aggregated_));
    policy.messages = HALO_MESSAGES_PER_CHANNEL;
    EXPECT_WORKS(halo_exchange_create(&field_, 1, &policy, &per_channel_));
}

// Channels from each rank to the next.
halo_group *Objects::make_group(int32_t messages, halo_channel *(&channels)[2]) {
    const int32_t next = (rank_ + 1) % n_ranks_, previous = (rank_ + n_ranks_ - 1) % n_ranks_;
    halo_channel_desc end = HALO_CHANNEL_DESC_INIT;
    end.count = 1;
    end.send_rank = rank_, end.receive_rank = next;
    const halo_channel_key to{ rank_, next, messages, 0, 0 }, from{ previous, rank_, messages, 0, 0 };
    EXPECT_WORKS(halo_channel_register(context_, &to, &end, &channels[0]));
    end.send_rank = previous, end.receive_rank = rank_;
    EXPECT_WORKS(halo_channel_register(context_, &from, &end, &channels[1]));
    halo_group_desc policy = HALO_GROUP_DESC_INIT;
    policy.messages = messages;
    halo_group *group = nullptr;
    EXPECT_WORKS(halo_group_create(context_, channels, 2, &policy, &group));
    return group;
}

void Objects::use() {
    exchange(aggregated_);
    exchange(per_channel_);
    loop();
    reduce();
    run_group();
    send_on_channel();
    receive_on_channel();
    for (int32_t writable = 0; !writable; std::this_thread::yield()) EXPECT_WORKS(halo_channel_writable(by_hand_[0], &writable));
}

void Objects::prepare_aggregated() { EXPECT_WORKS(halo_exchange_prepare(aggregated_)); }

std::string Objects::description() const {
    char text[4096] = "";
    EXPECT_WORKS(halo_exchange_describe(aggregated_, text, sizeof text, nullptr));
    return text;
}

void Objects::leave_work() {
    EXPECT_WORKS(halo_access_mark_dirty(field_, 0, HALO_ON_HOST));
    send_on_channel();
    receive_on_channel();
    EXPECT_WORKS(halo_context_barrier(context_));
}

void Objects::expect_refused(const char *word) {
    int64_t one = 1;
    halo_access reading = HALO_ACCESS_INIT;
    reading.field = field_, reading.mode = HALO_READ, reading.through = HALO_VIA_MAP;
    halo_batch *batch = nullptr;
    for (halo_exchange *one_of : { aggregated_, per_channel_ })
        expect("halo_exchange_start", halo_exchange_start(one_of, nullptr, HALO_STREAM_NONE), HALO_ERR_STATE, word);
    expect("halo_access_begin", halo_access_begin(context_, &reading, 1, sizeof reading, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch),
           HALO_ERR_STATE, word);
    expect("halo_reduction_begin", halo_reduction_begin(reduction_, &one), HALO_ERR_STATE, word);
}

void Objects::expect_channel_refused(const char *word) {
    expect("halo_channel_send", halo_channel_send(by_hand_[0], HALO_STREAM_NONE), HALO_ERR_STATE, word);
}

void Objects::destroy() {
    for (halo_group **group : { &group_, &group_in_one_message_ }) EXPECT_WORKS(halo_group_destroy(group));
    for (const int i : { 0, 1 }) {
        EXPECT_WORKS(halo_channel_destroy(&by_hand_[i]));
        EXPECT_WORKS(halo_channel_destroy(&in_one_message_[i]));
    }
    EXPECT_WORKS(halo_reduction_destroy(&reduction_));
    EXPECT_WORKS(halo_exchange_destroy(&per_channel_));
    EXPECT_WORKS(halo_exchange_destroy(&aggregated_));
    EXPECT_WORKS(halo_field_destroy(&field_));
    EXPECT_WORKS(halo_topology_destroy(&blocks_));
}

void Objects::send_on_channel() {
    halo_buffer buffer = HALO_BUFFER_INIT;
    EXPECT_WORKS(halo_channel_allocate(by_hand_[0]));
    EXPECT_WORKS(halo_channel_buffer(by_hand_[0], &buffer));
    *static_cast<double *>(buffer.data) = 10 * rank_ + ++round_;
    EXPECT_WORKS(halo_channel_send(by_hand_[0], HALO_STREAM_NONE));
}

void Objects::receive_on_channel() {
    halo_buffer buffer = HALO_BUFFER_INIT;
    EXPECT_WORKS(halo_channel_start_receive(by_hand_[1]));
    for (int32_t done = 0; !done; std::this_thread::yield()) EXPECT_WORKS(halo_channel_try_receive(by_hand_[1], &done, nullptr));
    EXPECT_WORKS(halo_channel_buffer(by_hand_[1], &buffer));
    if (*static_cast<double *>(buffer.data) != 10 * ((rank_ + n_ranks_ - 1) % n_ranks_) + round_) stop("a channel", "the value is wrong");
    EXPECT_WORKS(halo_channel_stale(by_hand_[1], HALO_STREAM_NONE));
}

void Objects::run_group() {
    const halo_group_row *rows = nullptr;
    int64_t n = 0;
    halo_group *const group = group_in_one_message_;
    for (int32_t writable = 0; !writable; std::this_thread::yield()) EXPECT_WORKS(halo_group_writable(group, &writable));
    EXPECT_WORKS(halo_group_table(group, sizeof *rows, &rows, &n));
    *static_cast<double *>(rows[0].data) = 10 * rank_ + ++round_;
    EXPECT_WORKS(halo_group_send(group, nullptr, HALO_STREAM_NONE));
    for (int32_t done = 0; !done; std::this_thread::yield()) EXPECT_WORKS(halo_group_try_receive(group, &done));
    EXPECT_WORKS(halo_group_table(group, sizeof *rows, &rows, &n));
    if (*static_cast<double *>(rows[1].data) != 10 * rows[1].peer + round_) stop("a group", "the value is wrong");
    EXPECT_WORKS(halo_group_stale(group, HALO_STREAM_NONE));
}

void Objects::exchange(halo_exchange *exchange) {
    fill();
    EXPECT_WORKS(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    EXPECT_WORKS(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    compare("an exchange");
}

void Objects::loop() {
    fill();
    EXPECT_WORKS(halo_access_mark_dirty(field_, 0, HALO_ON_HOST));
    halo_access reading = HALO_ACCESS_INIT;
    reading.field = field_, reading.mode = HALO_READ, reading.through = HALO_VIA_MAP;
    halo_batch *batch = nullptr;
    EXPECT_WORKS(halo_access_begin(context_, &reading, 1, sizeof reading, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
    EXPECT_WORKS(halo_access_ready(batch));
    compare("a batch");
    EXPECT_WORKS(halo_access_end(batch));
}

void Objects::reduce() {
    int64_t value = 1;
    EXPECT_WORKS(halo_reduction_begin(reduction_, &value));
    EXPECT_WORKS(halo_reduction_end(reduction_, &value));
    if (value != n_ranks_) stop("a reduction", "the sum is wrong");
}

void Objects::fill() {
    ++round_;
    for (int64_t x = 1; x <= n_cells; ++x) data_[x] = 100 * rank_ + 10 * round_ + static_cast<double>(x);
}

void Objects::compare(const char *what) const {
    const int32_t next = (rank_ + 1) % n_ranks_, previous = (rank_ + n_ranks_ - 1) % n_ranks_;
    if (data_[0] != 100 * previous + 10 * round_ + n_cells || data_[n_cells + 1] != 100 * next + 10 * round_ + 1) stop(what, "a ghost is wrong");
}

} // namespace mpi_levels
