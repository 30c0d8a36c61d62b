// SPDX-License-Identifier: BSD-3-Clause
// Ends of channels whose payload is on the late device, or on the host, in memory of each kind.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "halo_channel.h"
#include "late/on_device.h"

namespace late {

using conformance::Rank;

// Where an end has its payload.
struct Place {
    int32_t buffer = HALO_BUFFER_POOL;
    int32_t memory = HALO_MEMORY_DEVICE;
    int32_t device = 0;
    bool on_device() const { return memory == HALO_MEMORY_DEVICE; }
};

// Of calls of the library; nullptr: the device's own.
inline halo_stream stream_or_own(halo_stream stream) { return stream ? stream : HALO_STREAM_DEFAULT; }

// The device of a context, as programs get at it.
class OpenDevice {
public:
    explicit OpenDevice(halo_context *context, int32_t ordinal = 0) : probe_(context, 1, ordinal) {}
    halo_device *get() const { return probe_.device(); }
    void copy(void *dst, const void *src, size_t bytes, halo_stream stream) const {
        conformance::succeed(halo_device_late.ops->copy(get(), dst, src, bytes, stream), "copy", __FILE__, __LINE__);
    }

private:
    Array<char> probe_;
};

template <class Done>
void until(const Done &done) {
    for (int turn = 0; !done(); ++turn) {
        if (turn > 2000000) conformance::stop("nothing happens any more");
        std::this_thread::yield();
    }
}

struct Terms {
    int32_t from = 0;
    int32_t to = 1;
    int64_t field = 0;
    size_t n = 16; // doubles
    int32_t sparse = 0;
    int32_t varies = 0;
};

class End {
public:
    End(Rank &rank, const Terms &terms, Place place) : rank_(rank), terms_(terms), place_(place), device_(rank.context, place.device) {
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = terms.from;
        desc.receive_rank = terms.to;
        desc.count = static_cast<int64_t>(terms.n);
        desc.sparse = terms.sparse;
        desc.varies = terms.varies;
        desc.memory = place.memory;
        desc.device = place.device;
        desc.buffer_kind = place.buffer;
        if (place.buffer == HALO_BUFFER_CALLER) desc.buffer = own_memory();
        if (place.buffer == HALO_BUFFER_ALLOCATOR) {
            allocator_.memory = place.memory, allocator_.device = place.on_device() ? place.device : 0;
            allocator_.user = this, allocator_.allocate = allocate, allocator_.release = release;
            desc.allocator = &allocator_;
        }
        const halo_channel_key key{ 1, 2, static_cast<int32_t>(terms.field), 14, 0 };
        OK(halo_channel_register(rank.context, &key, &desc, &channel));
    }
    ~End() {
        if (channel) halo_channel_destroy(&channel);
    }
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    const OpenDevice &device() const { return device_; }
    int64_t blocks_out() const { return blocks_out_; }
    halo_stream stream(halo_stream given) const { return place_.on_device() ? stream_or_own(given) : HALO_STREAM_NONE; }
    halo_buffer buffer() const {
        halo_buffer buffer = HALO_BUFFER_INIT;
        OK(halo_channel_buffer(channel, &buffer));
        return buffer;
    }

    void wait_writable() const {
        until([&] {
            int32_t writable = 0;
            OK(halo_channel_writable(channel, &writable));
            return writable != 0;
        });
    }
    void write(const std::vector<double> &values, halo_stream on) const {
        OK(halo_channel_allocate(channel));
        copy(buffer().data, values.data(), values.size() * sizeof(double), on);
    }
    void send(const std::vector<double> &values, halo_stream on) const {
        wait_writable();
        write(values, on);
        if (values.size() < terms_.n)
            OK(halo_channel_send_bytes(channel, static_cast<int64_t>(values.size() * sizeof(double)), stream(on)));
        else
            OK(halo_channel_send(channel, stream(on)));
    }
    bool try_receive() const {
        int32_t done = 0;
        OK(halo_channel_try_receive(channel, &done, nullptr));
        return done != 0;
    }
    std::vector<double> received(halo_stream on) const {
        until([&] { return try_receive(); });
        if (buffer().state != HALO_RECEIVED) conformance::stop("null was received");
        std::vector<double> values(static_cast<size_t>(buffer().bytes) / sizeof(double));
        copy(values.data(), buffer().data, values.size() * sizeof(double), on);
        return values;
    }
    void stale(halo_stream on) const { OK(halo_channel_stale(channel, stream(on))); }
    // At most so many as at first. The channel is to be committed again.
    void set_size(size_t n) {
        halo_status status = HALO_BUSY;
        until([&] { return (status = halo_channel_set_bytes(channel, static_cast<int64_t>(n * sizeof(double)))) != HALO_BUSY; });
        OK(status);
        terms_.n = n;
        if (place_.buffer != HALO_BUFFER_CALLER) return;
        OK(halo_channel_set_buffer(channel, own_ ? static_cast<void *>(own_->data()) : host_.data()));
    }
    void destroy() {
        until([&] { return halo_channel_destroy(&channel) == HALO_SUCCESS; });
    }

    halo_channel *channel = nullptr;

private:
    void *own_memory() {
        if (place_.on_device()) return own_.emplace(rank_.context, terms_.n, place_.device).data();
        host_.resize(terms_.n);
        return host_.data();
    }
    void copy(void *dst, const void *src, size_t bytes, halo_stream on) const {
        if (place_.on_device())
            device_.copy(dst, src, bytes, on);
        else
            std::copy_n(static_cast<const char *>(src), bytes, static_cast<char *>(dst));
    }
    static void *allocate(void *user, const halo_channel_key *, size_t bytes) {
        auto *self = static_cast<End *>(user);
        ++self->blocks_out_;
        void *memory = nullptr;
        if (!self->place_.on_device()) return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        return halo_device_late.ops->allocate(self->device_.get(), HALO_MEMORY_DEVICE, bytes, &memory) == HALO_SUCCESS ? memory : nullptr;
    }
    static void release(void *user, const halo_channel_key *, void *pointer, size_t bytes) {
        auto *self = static_cast<End *>(user);
        --self->blocks_out_;
        if (self->place_.on_device())
            halo_device_late.ops->release(self->device_.get(), HALO_MEMORY_DEVICE, pointer, bytes);
        else
            std::free(pointer);
    }

    Rank &rank_;
    Terms terms_;
    Place place_;
    OpenDevice device_;
    std::optional<Array<double>> own_;
    std::vector<double> host_;
    halo_channel_allocator allocator_ = HALO_CHANNEL_ALLOCATOR_INIT;
    int64_t blocks_out_ = 0;
};

inline halo_group *commit(Rank &rank, std::vector<halo_channel *> channels, const halo_group_desc &desc) {
    halo_group *group = nullptr;
    OK(halo_group_create(rank.context, channels.data(), std::ssize(channels), &desc, &group));
    return group;
}

inline halo_group *commit(Rank &rank, const std::vector<halo_channel *> &channels) {
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = HALO_MESSAGES_PER_CHANNEL;
    return commit(rank, channels, desc);
}

inline void destroy(Rank &rank, halo_group *group) {
    OK(halo_context_barrier(rank.context));
    until([&] { return halo_group_destroy(&group) == HALO_SUCCESS; });
}

inline std::vector<double> numbers(size_t n, double from) {
    std::vector<double> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = from + static_cast<double>(i);
    return values;
}

} // namespace late
