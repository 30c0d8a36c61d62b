// SPDX-License-Identifier: BSD-3-Clause
#include "hand_channels.h"
#include "halo_channel.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

void require(halo_status status) {
    if (status != HALO_SUCCESS) [[unlikely]]
        throw std::runtime_error(halo_last_error());
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

} // namespace

void HandChannels::write(void *data, int64_t round) const {
    for (int32_t i = 0; i < pieces_; ++i) std::memcpy(static_cast<char *>(data) + i * piece_bytes_, &round, sizeof round);
}

void HandChannels::verify(const void *data, int64_t round) const {
    for (int32_t i = 0; i < pieces_; ++i) {
        int64_t came = -1;
        std::memcpy(&came, static_cast<const char *>(data) + i * piece_bytes_, sizeof came);
        if (came != round) throw std::runtime_error("channels by hand: wrong data");
    }
}

HandChannels::HandChannels(const Session &session, int32_t n, int64_t bytes, int32_t messages, int32_t pieces, bool every_round)
    : rank_(session.rank()),
      aggregate_(messages == HALO_MESSAGES_AGGREGATE),
      pieces_(pieces),
      piece_bytes_(bytes / pieces),
      every_round_(every_round) {
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.type = HALO_BYTES;
    desc.element_bytes = 1;
    desc.count = bytes;
    std::vector<halo_channel *> all;
    const auto add = [&](std::vector<halo::Channel> &list, int32_t from, int32_t number) {
        desc.send_rank = from;
        desc.receive_rank = 1 - from;
        list.emplace_back(session.context(), halo_channel_key{ from, 1 - from, messages, 0, number }, desc);
        all.push_back(list.back());
    };
    for (int32_t i = 0; i < n && rank_ < 2; ++i) {
        add(sends_, rank_, i);
        add(receives_, 1 - rank_, i);
    }
    halo_group_desc group = HALO_GROUP_DESC_INIT;
    group.messages = messages;
    group_ = std::make_unique<halo::Group>(session.context(), all, group);
    for (const auto *list : { &sends_, &receives_ })
        for (const halo::Channel &channel : *list)
            if (!aggregate_) require(halo_channel_allocate(channel));
}

void HandChannels::start_receive() {
    if (aggregate_) return require(halo_group_start_receive(*group_));
    for (const halo::Channel &channel : receives_) require(halo_channel_start_receive(channel));
}

void HandChannels::send(int64_t round, bool touched) {
    int32_t writable = 0;
    if (aggregate_) {
        while (!writable) require(halo_group_writable(*group_, &writable));
        if (touched)
            for (const halo_group_row &row : group_->table())
                if (row.sender) write(row.data, round);
        return require(halo_group_send(*group_, nullptr, HALO_STREAM_NONE));
    }
    for (const halo::Channel &channel : sends_) {
        for (writable = 0; !writable;) require(halo_channel_writable(channel, &writable));
        if (touched) write(channel.buffer().data, round);
        require(halo_channel_send(channel, HALO_STREAM_NONE));
    }
}

void HandChannels::finish_receive(int64_t round, bool touched) {
    int32_t done = 0;
    if (aggregate_) {
        while (!done) require(halo_group_try_receive(*group_, &done));
        if (touched)
            for (const halo_group_row &row : group_->table())
                if (!row.sender) verify(row.data, round);
        return;
    }
    for (const halo::Channel &channel : receives_) {
        for (done = 0; !done;) require(halo_channel_try_receive(channel, &done, nullptr));
        if (touched) verify(channel.buffer().data, round);
        require(halo_channel_stale(channel, HALO_STREAM_NONE));
    }
}

double HandChannels::ping_pong(int64_t rounds) {
    if (rank_ > 1) return 0.0;
    const double begin = now();
    for (const int64_t end = done_ + rounds; done_ < end; ++done_) {
        const bool touched = every_round_ || done_ + 1 == end;
        start_receive();
        if (rank_ == 1) finish_receive(done_, touched);
        send(done_, touched);
        if (rank_ == 0) finish_receive(done_, touched);
        if (aggregate_) require(halo_group_stale(*group_, HALO_STREAM_NONE));
    }
    return now() - begin;
}

double HandChannels::both_ways(int64_t rounds) {
    if (rank_ > 1) return 0.0;
    const double begin = now();
    for (const int64_t end = done_ + rounds; done_ < end; ++done_) {
        const bool touched = every_round_ || done_ + 1 == end;
        start_receive();
        send(done_, touched);
        finish_receive(done_, touched);
        if (aggregate_) require(halo_group_stale(*group_, HALO_STREAM_NONE));
    }
    return now() - begin;
}

} // namespace bench
