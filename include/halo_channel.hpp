// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_channel.hpp
 * The C interface of halo_channel.h with owners and exceptions, as halo.hpp is that of halo.h.
 */
#pragma once

#include <cstdint>
#include <span>

#include "halo.hpp"
#include "halo_channel.h"

namespace halo {

class Channel : public Handle<halo_channel, halo_channel_destroy> {
public:
    Channel(const Context &context, const halo_channel_key &key, const halo_channel_desc &desc) {
        check(halo_channel_register(context, &key, &desc, &handle_));
    }

    bool writable() { return ask(halo_channel_writable); }
    bool allocate() { return done(halo_channel_allocate(handle_)); }
    bool release() { return done(halo_channel_release(handle_)); }
    /// Of the caller's memory; nullptr: none. False: something is under way.
    bool set_buffer(void *buffer) { return done(halo_channel_set_buffer(handle_, buffer)); }
    /// To be committed again, on both ends. False: something is under way.
    bool set_bytes(std::int64_t bytes) { return done(halo_channel_set_bytes(handle_, bytes)); }
    halo_buffer buffer() const {
        halo_buffer buffer = HALO_BUFFER_INIT;
        check(halo_channel_buffer(handle_, &buffer));
        return buffer;
    }
    bool send(halo_stream stream = HALO_STREAM_NONE) { return done(halo_channel_send(handle_, stream)); }
    bool send_bytes(std::int64_t bytes, halo_stream stream = HALO_STREAM_NONE) { return done(halo_channel_send_bytes(handle_, bytes, stream)); }
    bool send_null(halo_stream stream = HALO_STREAM_NONE) { return done(halo_channel_send_null(handle_, stream)); }
    void start_receive() { check(halo_channel_start_receive(handle_)); }
    bool try_receive() {
        std::int32_t here = 0;
        check(halo_channel_try_receive(handle_, &here, nullptr));
        return here != 0;
    }
    std::int32_t state() const {
        std::int32_t state = HALO_STALE;
        check(halo_channel_state(handle_, &state));
        return state;
    }
    void stale(halo_stream stream = HALO_STREAM_NONE) { check(halo_channel_stale(handle_, stream)); }
    /// Afterwards it can only be destroyed.
    void abandon() { check(halo_channel_abandon(handle_)); }
    halo_channel_key key() const {
        halo_channel_key key{};
        check(halo_channel_get_key(handle_, &key));
        return key;
    }
    /// As it stands: with its key it makes an equal channel once this one is gone.
    halo_channel_desc desc() const {
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        check(halo_channel_get_desc(handle_, &desc));
        return desc;
    }

private:
    bool ask(halo_status (*question)(halo_channel *, std::int32_t *)) {
        std::int32_t answer = 0;
        check(question(handle_, &answer));
        return answer != 0;
    }
};

/// Many channels at once. Where one fails the others are done all the same; the error is of the first.
inline void start_receive(std::span<halo_channel *const> channels) {
    check(halo_channel_start_receive_many(channels.data(), static_cast<std::int64_t>(channels.size())));
}
/// How many have come; their states, if `states` has as many.
inline std::int64_t try_receive(std::span<halo_channel *const> channels, std::span<std::int32_t> states = {}) {
    if (!states.empty() && states.size() != channels.size()) throw error(HALO_ERR_ARGUMENT, "try_receive: there must be as many states as channels");
    std::int64_t n_done = 0;
    check(halo_channel_try_receive_many(channels.data(), static_cast<std::int64_t>(channels.size()), &n_done,
                                        states.empty() ? nullptr : states.data()));
    return n_done;
}
/// How many may be written; which, if `each` has as many.
inline std::int64_t writable(std::span<halo_channel *const> channels, std::span<std::int32_t> each = {}) {
    if (!each.empty() && each.size() != channels.size()) throw error(HALO_ERR_ARGUMENT, "writable: there must be as many answers as channels");
    std::int64_t n_writable = 0;
    check(halo_channel_writable_many(channels.data(), static_cast<std::int64_t>(channels.size()), &n_writable, each.empty() ? nullptr : each.data()));
    return n_writable;
}
inline void stale(std::span<halo_channel *const> channels, halo_stream stream = HALO_STREAM_NONE) {
    check(halo_channel_stale_many(channels.data(), static_cast<std::int64_t>(channels.size()), stream));
}
/// False: the last send of one of them is under way, and nothing has been sent.
inline bool send(std::span<halo_channel *const> channels, halo_stream stream = HALO_STREAM_NONE) {
    return done(halo_channel_send_many(channels.data(), static_cast<std::int64_t>(channels.size()), stream));
}

inline constexpr halo_group_desc default_group = HALO_GROUP_DESC_INIT;

/// Destroy a group before its channels, or let the group serve the rest.
class Group : public Handle<halo_group, halo_group_destroy> {
public:
    Group(const Context &context, std::span<halo_channel *const> channels, const halo_group_desc &desc = default_group) {
        check(halo_group_create(context, channels.data(), static_cast<std::int64_t>(channels.size()), &desc, &handle_));
    }

    halo_group_desc desc() const {
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        check(halo_group_get_desc(handle_, &desc));
        return desc;
    }
    /// Valid until the next call on this group.
    std::span<const halo_group_row> table() {
        const halo_group_row *rows = nullptr;
        std::int64_t n = 0;
        check(halo_group_table(handle_, sizeof(halo_group_row), &rows, &n));
        return { rows, static_cast<std::size_t>(n) };
    }
    bool writable() { return ask(halo_group_writable); }
    void start_receive() { check(halo_group_start_receive(handle_)); }
    bool send(const std::uint8_t *null_flags = nullptr, halo_stream stream = HALO_STREAM_NONE) {
        return done(halo_group_send(handle_, null_flags, stream));
    }
    /// Some rows of the table; flags, if any, are of these. False: a peer is two runs behind, and nothing has been sent.
    bool send_rows(std::span<const std::int64_t> rows, const std::uint8_t *null_flags = nullptr, halo_stream stream = HALO_STREAM_NONE) {
        return done(halo_group_send_rows(handle_, rows.data(), static_cast<std::int64_t>(rows.size()), null_flags, stream));
    }
    bool try_receive() { return ask(halo_group_try_receive); }
    void stale(halo_stream stream = HALO_STREAM_NONE) { check(halo_group_stale(handle_, stream)); }
    void drain(double timeout_seconds = HALO_TIMEOUT_CONFIGURED) { check(halo_group_drain(handle_, timeout_seconds)); }
    /// Afterwards it and its channels can only be destroyed.
    void abandon() { check(halo_group_abandon(handle_)); }

private:
    bool ask(halo_status (*question)(halo_group *, std::int32_t *)) {
        std::int32_t answer = 0;
        check(question(handle_, &answer));
        return answer != 0;
    }
};

} // namespace halo
