// SPDX-License-Identifier: BSD-3-Clause
// Channels by hand: in one message per peer, or each in its own.
#include <algorithm>

#include "halo_channel.h"
#include "objects.h"

namespace programs {

using conformance::stop;

namespace {

class Channels final : public Object {
public:
    Channels(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made), aggregated_(made.desc.messages != HALO_MESSAGES_PER_CHANNEL) {
        for (size_t i = 0; i < made.channels.size(); ++i)
            if (sends(made.channels[i]) || receives(made.channels[i])) own_.push_back(i);
    }

    void create() override {
        handles_.assign(own_.size(), nullptr);
        for (size_t i = 0; i < own_.size(); ++i) enrol(i);
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = made_.desc.messages, desc.timeout_seconds = made_.desc.timeout_seconds;
        calls_.talk("group", [&] { return halo_group_create(calls_.context, handles_.data(), std::ssize(handles_), &desc, &group_); });
    }
    bool start(int64_t time) override {
        time_ = time;
        in_flight_ = true;
        return aggregated_ ? send_group() : send_each();
    }
    bool finish() override {
        if (!(aggregated_ ? receive_group() : receive_each())) return false;
        in_flight_ = false;
        ++calls_.features[aggregated_ ? "aggregated channels" : "channels alone"];
        return true;
    }
    void destroy() override {
        if (in_flight_ && group_) give_up();
        in_flight_ = false;
        // A peer that is dead, or has given up, never takes what it was sent.
        for (int i = 0; i < most_looks && group_ && halo_group_destroy(&group_) == HALO_BUSY; ++i) simulation::sleep_for(0.1);
        if (group_) give_up();
        if (group_) calls_.free("group", [&] { return halo_group_destroy(&group_); });
        for (halo_channel *&channel : handles_)
            if (channel) calls_.free("channel", [&] { return halo_channel_destroy(&channel); });
    }

private:
    static constexpr int most_looks = 200;

    void give_up() {
        calls_.alone("give up", [&] { return halo_group_abandon(group_); });
    }
    bool sends(const ChannelCase &channel) const { return channel.send_rank == calls_.rank; }
    bool receives(const ChannelCase &channel) const { return channel.receive_rank == calls_.rank; }
    const ChannelCase &channel(size_t i) const { return made_.channels[own_[i]]; }
    bool is_null(size_t i) const { return (static_cast<size_t>(time_) + own_[i]) % 3 == 0; }
    double right(size_t i, int64_t at) const { return static_cast<double>(100000 * (time_ + 1) + 1000 * static_cast<int64_t>(own_[i]) + at); }

    void enrol(size_t i) {
        halo_channel_key key{};
        key.send_gid = channel(i).send_rank, key.receive_gid = channel(i).receive_rank, key.field = made_.number,
        key.extra = static_cast<int64_t>(own_[i]);
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = channel(i).send_rank, desc.receive_rank = channel(i).receive_rank;
        desc.count = channel(i).count, desc.sparse = channel(i).sparse;
        calls_.alone("channel", [&] { return halo_channel_register(calls_.context, &key, &desc, &handles_[i]); });
    }
    void write(size_t i, void *data) const {
        for (int64_t at = 0; at < channel(i).count; ++at) static_cast<double *>(data)[at] = right(i, at);
    }
    void compare(size_t i, int32_t state, const void *data) {
        if (state != (is_null(i) ? HALO_RECEIVED_NULL : HALO_RECEIVED)) stop("channel %zu is in state %d", own_[i], state);
        for (int64_t at = 0; at < channel(i).count && !is_null(i); ++at)
            if (const double value = static_cast<const double *>(data)[at]; value != right(i, at))
                stop("channel %zu holds %g at %d, not %g", own_[i], value, static_cast<int>(at), right(i, at));
        ++calls_.features[is_null(i) ? "null of channels" : "data of channels"];
    }
    // Until `call` says that it is so; false: an error, or not within the time that the program allows.
    template <class Ask>
    bool wait_until(const char *what, const Ask &ask) {
        bool is_so = false;
        return calls_.works(what, [&] {
            const halo_status status = poll([&] {
                int32_t yes = 0;
                const halo_status answer = ask(&yes);
                is_so = yes != 0;
                return answer == HALO_SUCCESS && !yes ? HALO_BUSY : answer;
            });
            return status == HALO_BUSY ? HALO_SUCCESS : status;
        }) && is_so;
    }

    // ---- each in a message of its own

    bool send_each() {
        bool works = true;
        for (size_t i = 0; i < own_.size() && works; ++i) {
            if (receives(channel(i)) && !sends(channel(i)))
                works = calls_.works("start receive", [&] { return halo_channel_start_receive(handles_[i]); });
            if (sends(channel(i))) works = works && send_one(i);
        }
        return works;
    }
    bool send_one(size_t i) {
        halo_channel *const handle = handles_[i];
        if (!wait_until("writable", [&](int32_t *yes) { return halo_channel_writable(handle, yes); })) return false;
        if (is_null(i)) return calls_.works("send null", [&] { return halo_channel_send_null(handle, HALO_STREAM_NONE); });
        calls_.alone("take a buffer", [&] { return halo_channel_allocate(handle); });
        halo_buffer buffer = HALO_BUFFER_INIT;
        OK(halo_channel_buffer(handle, &buffer));
        write(i, buffer.data);
        return calls_.works("send", [&] { return halo_channel_send(handle, HALO_STREAM_NONE); });
    }
    bool receive_each() {
        for (size_t i = 0; i < own_.size(); ++i) {
            if (!receives(channel(i))) continue;
            int32_t state = 0;
            if (!wait_until("try receive", [&](int32_t *done) { return halo_channel_try_receive(handles_[i], done, &state); })) return false;
            halo_buffer buffer = HALO_BUFFER_INIT;
            OK(halo_channel_buffer(handles_[i], &buffer));
            compare(i, state, buffer.data);
            if (!calls_.works("stale", [&] { return halo_channel_stale(handles_[i], HALO_STREAM_NONE); })) return false;
        }
        return true;
    }

    // ---- in one message per peer

    const halo_group_row *rows() {
        const halo_group_row *rows = nullptr;
        int64_t n = 0;
        calls_.alone("table", [&] { return halo_group_table(group_, sizeof(halo_group_row), &rows, &n); });
        return rows;
    }
    bool send_group() {
        if (!wait_until("writable", [&](int32_t *yes) { return halo_group_writable(group_, yes); })) return false;
        std::vector<uint8_t> nulls;
        const halo_group_row *const table = rows();
        for (size_t i = 0; i < own_.size(); ++i) {
            nulls.push_back(is_null(i));
            if (sends(channel(i)) && !is_null(i)) write(i, table[i].data);
        }
        bool in_time = true;
        const auto send = [&] {
            const halo_status status = poll([&] { return halo_group_send(group_, nulls.data(), HALO_STREAM_NONE); });
            in_time = status != HALO_BUSY;
            return in_time ? status : HALO_SUCCESS;
        };
        return calls_.works("send", send) && in_time;
    }
    bool receive_group() {
        if (!wait_until("try receive", [&](int32_t *done) { return halo_group_try_receive(group_, done); })) return false;
        const halo_group_row *const table = rows();
        for (size_t i = 0; i < own_.size(); ++i)
            if (receives(channel(i))) compare(i, table[i].state, table[i].data);
        return calls_.works("stale", [&] { return halo_group_stale(group_, HALO_STREAM_NONE); });
    }

    Calls &calls_;
    const ObjectCase &made_;
    bool aggregated_, in_flight_ = false;
    std::vector<size_t> own_; // channels with an end here
    std::vector<halo_channel *> handles_;
    halo_group *group_ = nullptr;
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_channels(Calls &calls, const ObjectCase &made) { return std::make_unique<Channels>(calls, made); }

} // namespace programs
