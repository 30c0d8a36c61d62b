// SPDX-License-Identifier: BSD-3-Clause
#include "capi/channel.h"

#include <utility>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/handle.h"
#include "channel/group.h"

namespace halo {

namespace {

ChannelRegistry &registry_of(const halo_context *context) { return object_of<ContextObject>(context).channels; }

ChannelSpec read_channel(const Context &context, const halo_channel_key &key, const halo_channel_desc *desc) {
    const halo_channel_desc defaults = HALO_CHANNEL_DESC_INIT;
    return check_channel(context, key, read_struct(desc, defaults));
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

halo_buffer buffer_of(const halo_channel &channel) {
    const Mailbox &box = channel.box;
    halo_buffer buffer = HALO_BUFFER_INIT;
    if (box.aggregated()) {
        const AggregateRun::Slice slice = channel.registry->group_of(channel)->slice(channel);
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
    return with_channel(channel, [](halo_channel &object) { object.box.allocate(); });
}

halo_status halo_channel_release(halo_channel *channel) {
    return with_channel(channel, [](halo_channel &object) { object.box.release(); });
}

halo_status halo_channel_buffer(const halo_channel *channel, halo_buffer *buffer) {
    return with_channel(channel, [&](const halo_channel &object) {
        require(buffer, "buffer");
        write_struct(buffer, buffer_of(object));
    });
}

halo_status halo_channel_send(halo_channel *channel, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { return object.box.send(stream) ? HALO_SUCCESS : HALO_BUSY; });
}

halo_status halo_channel_send_bytes(halo_channel *channel, int64_t bytes, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { return object.box.send_bytes(bytes, stream) ? HALO_SUCCESS : HALO_BUSY; });
}

halo_status halo_channel_send_null(halo_channel *channel, halo_stream stream) {
    return with_channel(channel, [&](halo_channel &object) { return object.box.send_null(stream) ? HALO_SUCCESS : HALO_BUSY; });
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
