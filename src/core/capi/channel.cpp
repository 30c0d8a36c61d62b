// SPDX-License-Identifier: BSD-3-Clause
#include "capi/channel.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/handle.h"
#include "channel/group.h"

namespace halo {

namespace {

// What is polled is an answer: the texts of errors stay.
halo_status busy_unless(bool done) { return done ? HALO_SUCCESS : HALO_BUSY; }

ChannelRegistry &registry_of(const halo_context *context) { return object_of<ContextObject>(context).channels; }

ChannelSpec read_channel(const Context &context, const halo_channel_key &key, const halo_channel_desc *desc) {
    const halo_channel_desc defaults = HALO_CHANNEL_DESC_INIT;
    const halo_channel_desc known = read_struct(desc, defaults);
    if (const halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT; known.buffer_kind == HALO_BUFFER_ALLOCATOR && known.allocator)
        read_struct(known.allocator, allocator);
    return check_channel(context, key, known);
}

// All or none.
void register_all(ChannelRegistry &registry, const halo_channel_key *keys, const char *descs, size_t desc_bytes, int64_t n, halo_channel **channels) {
    registry.reserve(n);
    int64_t done = 0;
    try {
        for (; done < n; ++done) {
            const auto *desc = reinterpret_cast<const halo_channel_desc *>(descs + static_cast<size_t>(done) * desc_bytes);
            if (desc_bytes < desc->struct_size)
                fail(HALO_ERR_VERSION, "register_many: desc_bytes is %zu, but struct_size is %zu", desc_bytes, desc->struct_size);
            channels[done] = &registry.add(read_channel(registry.context(), keys[done], desc));
        }
    } catch (...) {
        while (done-- > 0) registry.remove(*std::exchange(channels[done], nullptr));
        throw;
    }
}

AggregateRun::Slice slice_of(const halo_channel &channel) { return channel.registry->group_of(channel)->slice(channel); }

halo_buffer buffer_of(const halo_channel &channel) {
    const Mailbox &box = channel.box;
    halo_buffer buffer = HALO_BUFFER_INIT;
    if (box.aggregated()) {
        const AggregateRun::Slice slice = slice_of(channel);
        buffer.state = slice.state;
        buffer.data = slice.data;
        buffer.bytes = slice.bytes;
        buffer.generation = slice.run;
        return buffer;
    }
    buffer.state = box.state();
    buffer.data = box.data();
    buffer.bytes = box.data_bytes();
    buffer.generation = box.generation();
    return buffer;
}

using Channels = std::span<halo_channel *const>;

// All live, in one context.
Channels require_channels(const char *call, halo_channel *const *channels, int64_t n) {
    if (n < 0 || (n > 0 && !channels))
        fail(HALO_ERR_ARGUMENT, "%s: %lld channels at address %p", call, static_cast<long long>(n), static_cast<const void *>(channels));
    if (n > limits::listed) check_limit(format("%s: n", call).c_str(), n, limits::listed);
    const Channels list(channels, static_cast<size_t>(n));
    for (size_t i = 0; i < list.size(); ++i) {
        if (!list[i]) fail(HALO_ERR_ARGUMENT, "%s: channel %zu of the list is NULL", call, i);
        if (list[i]->magic != halo_channel::alive)
            fail(HALO_ERR_HANDLE, "%s: channel %zu of the list %s", call, i,
                 list[i]->magic == halo_channel::destroyed ? "is destroyed" : "is not a channel");
        if (list[i]->registry != list[0]->registry)
            fail(HALO_ERR_ARGUMENT, "%s: channel %zu of the list, %s, belongs to another context than the first", call, i,
                 list[i]->box.describe().c_str());
    }
    return list;
}

// As with_channel. Nothing is done for a list of none.
template <class Body>
halo_status with_channels(const char *call, halo_channel *const *channels, int64_t n, Body &&body) noexcept {
    Context *context = nullptr;
    CallLock::Call locked; // lasts until the failure's text is kept
    return guard(
        [&] {
            const Channels list = require_channels(call, channels, n);
            if (!list.empty()) {
                Context &of_list = list[0]->registry->context();
                locked.begin(of_list.call_lock());
                context = &of_list;
                of_list.admit(Inside::nothing);
            }
            return body(list);
        },
        [&](const char *text, halo_status) noexcept {
            if (context) context->remember_error(text);
        });
}

// Whatever comes of the others; the first failure comes behind all.
template <class Each>
void for_each_channel(const char *call, const Channels &list, Each &&each) {
    std::optional<Error> first;
    for (size_t i = 0; i < list.size(); ++i) try {
            each(i, *list[i]);
        } catch (...) {
            if (first) continue;
            const Error error = present_error();
            first.emplace(error.status(), format("%s: channel %zu of the list: %s", call, i, error.what()));
        }
    if (first) throw Error(*first);
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_channel_register(halo_context *context, const halo_channel_key *key, const halo_channel_desc *desc, halo_channel **channel) {
    return with_handle(context, [&] {
        require(key, "key");
        require(channel, "channel");
        ChannelRegistry &registry = registry_of(context);
        *channel = &registry.add(read_channel(registry.context(), *key, desc));
    });
}

halo_status halo_channel_register_many(halo_context *context, const halo_channel_key *keys, const halo_channel_desc *descs, size_t desc_bytes,
                                       int64_t n, halo_channel **channels) {
    return with_handle(context, [&] {
        if (n < 0) fail(HALO_ERR_ARGUMENT, "register_many: n is %lld", static_cast<long long>(n));
        check_limit("register_many: n", n, limits::listed);
        if (n == 0) return;
        require(keys, "keys");
        require(descs, "descs");
        require(channels, "channels");
        check_bytes_limit("register_many: desc_bytes", desc_bytes, limits::struct_bytes);
        register_all(registry_of(context), keys, reinterpret_cast<const char *>(descs), desc_bytes, n, channels);
    });
}

halo_status halo_channel_find(const halo_context *context, const halo_channel_key *key, halo_channel **channel) {
    return with_handle(context, [&] {
        require(key, "key");
        require(channel, "channel");
        halo_channel *found = registry_of(context).find(*key);
        if (!found)
            fail(HALO_ERR_NOT_FOUND, "channel %s is not registered on rank %d", describe(*key).c_str(), registry_of(context).context().rank());
        *channel = found;
    });
}

halo_status halo_channel_destroy(halo_channel **channel) {
    return with_channel(channel ? *channel : nullptr, [&](halo_channel &object) {
        if (!object.registry->remove(object))
            fail(HALO_BUSY, "destroy: something is under way: %s, state %s", object.box.describe().c_str(), state_name(object.box.state()));
        *channel = nullptr;
    });
}

halo_status halo_channel_abandon(halo_channel *channel) {
    return with_channel(channel, [](halo_channel &object) { object.box.abandon(); });
}

halo_status halo_channel_writable(halo_channel *channel, int32_t *writable) {
    return with_channel(channel, [&](halo_channel &object) {
        require(writable, "writable");
        *writable = object.box.writable() ? 1 : 0;
    });
}

halo_status halo_channel_allocate(halo_channel *channel) {
    return with_channel(channel, [](halo_channel &object) { return busy_unless(object.box.allocate()); });
}

halo_status halo_channel_release(halo_channel *channel) {
    return with_channel(channel, [](halo_channel &object) { return busy_unless(object.box.release()); });
}

halo_status halo_channel_set_buffer(halo_channel *channel, void *buffer) {
    return with_channel(channel, [&](halo_channel &object) { return busy_unless(object.box.set_buffer(buffer)); });
}

halo_status halo_channel_set_bytes(halo_channel *channel, int64_t bytes) {
    return with_channel(channel, [&](halo_channel &object) {
        if (!object.registry->resize(object, bytes))
            fail(HALO_BUSY, "set_bytes: something is under way: %s, state %s", object.box.describe().c_str(), state_name(object.box.state()));
    });
}

halo_status halo_channel_buffer(const halo_channel *channel, halo_buffer *buffer) {
    return with_channel(channel, [&](const halo_channel &object) {
        require(buffer, "buffer");
        write_struct(buffer, buffer_of(object));
    });
}

halo_status halo_channel_state(const halo_channel *channel, int32_t *state) {
    return with_channel(channel, [&](const halo_channel &object) {
        require(state, "state");
        *state = object.box.aggregated() ? slice_of(object).state : object.box.state();
    });
}

halo_status halo_channel_send(halo_channel *channel, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { return busy_unless(object.box.send(stream)); });
}

halo_status halo_channel_send_bytes(halo_channel *channel, int64_t bytes, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { return busy_unless(object.box.send_bytes(bytes, stream)); });
}

halo_status halo_channel_send_null(halo_channel *channel, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { return busy_unless(object.box.send_null(stream)); });
}

halo_status halo_channel_start_receive(halo_channel *channel) {
    return with_channel(channel, [](halo_channel &object) { object.box.start_receive(); });
}

halo_status halo_channel_try_receive(halo_channel *channel, int32_t *done, int32_t *state) {
    return with_channel(channel, [&](halo_channel &object) {
        require(done, "done");
        *done = object.box.try_receive() ? 1 : 0;
        if (state) *state = object.box.state();
    });
}

halo_status halo_channel_stale(halo_channel *channel, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { object.box.stale(stream); });
}

halo_status halo_channel_get_key(const halo_channel *channel, halo_channel_key *key) {
    return with_channel(channel, [&](const halo_channel &object) {
        require(key, "key");
        *key = object.box.key();
    });
}

halo_status halo_channel_get_desc(const halo_channel *channel, halo_channel_desc *desc) {
    return with_channel(channel, [&](const halo_channel &object) {
        require(desc, "desc");
        write_struct(desc, description_of(object));
    });
}

halo_status halo_channel_start_receive_many(halo_channel *const *channels, int64_t n) {
    constexpr const char *call = "halo_channel_start_receive_many";
    return with_channels(call, channels, n, [&](const Channels &list) {
        for_each_channel(call, list, [](size_t, halo_channel &object) { object.box.start_receive(); });
    });
}

halo_status halo_channel_try_receive_many(halo_channel *const *channels, int64_t n, int64_t *n_done, int32_t *states) {
    constexpr const char *call = "halo_channel_try_receive_many";
    return with_channels(call, channels, n, [&](const Channels &list) {
        require(n_done, "n_done");
        *n_done = 0;
        if (states)
            for (size_t i = 0; i < list.size(); ++i) states[i] = list[i]->box.state(); // of those that fail, as it was
        for_each_channel(call, list, [&](size_t i, halo_channel &object) {
            *n_done += object.box.try_receive() ? 1 : 0;
            if (states) states[i] = object.box.state();
        });
    });
}

halo_status halo_channel_writable_many(halo_channel *const *channels, int64_t n, int64_t *n_writable, int32_t *writable) {
    constexpr const char *call = "halo_channel_writable_many";
    return with_channels(call, channels, n, [&](const Channels &list) {
        require(n_writable, "n_writable");
        *n_writable = 0;
        if (writable) std::fill_n(writable, list.size(), 0);
        for_each_channel(call, list, [&](size_t i, halo_channel &object) {
            const int32_t one = object.box.writable() ? 1 : 0;
            *n_writable += one;
            if (writable) writable[i] = one;
        });
    });
}

halo_status halo_channel_stale_many(halo_channel *const *channels, int64_t n, halo_stream stream) {
    constexpr const char *call = "halo_channel_stale_many";
    return with_channels(call, channels, n, [&](const Channels &list) {
        for_each_channel(call, list, [&](size_t, halo_channel &object) { object.box.stale(stream); });
    });
}

halo_status halo_channel_send_many(halo_channel *const *channels, int64_t n, halo_stream stream) {
    constexpr const char *call = "halo_channel_send_many";
    return with_channels(call, channels, n, [&](const Channels &list) {
        bool all_may = true;
        for_each_channel(call, list, [&](size_t, halo_channel &object) { all_may &= object.box.may_send("send"); });
        if (!all_may) return HALO_BUSY;
        for_each_channel(call, list, [&](size_t, halo_channel &object) {
            if (!object.box.send(stream)) fail(HALO_ERR_ARGUMENT, "it stands there twice: %s", object.box.describe().c_str());
        });
        return HALO_SUCCESS;
    });
}
