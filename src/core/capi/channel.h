// SPDX-License-Identifier: BSD-3-Clause
// Channel handles point at the registry's records, which know whether they live; there is no shell in between.
#pragma once

#include "base/error.h"
#include "capi/guard.h"
#include "channel/registry.h"
#include "halo_channel.h"

namespace halo {

inline void require_channel(const halo_channel *channel) {
    if (channel && channel->magic == halo_channel::alive) [[likely]]
        return;
    if (!channel) fail(HALO_ERR_ARGUMENT, "the channel handle is NULL");
    fail(HALO_ERR_HANDLE, channel->magic == halo_channel::destroyed ? "channel %p has been destroyed" : "handle %p is not a channel",
         static_cast<const void *>(channel));
}

// It lives, or has lived.
inline bool is_known(const halo_channel *channel) {
    return channel && (channel->magic == halo_channel::alive || channel->magic == halo_channel::destroyed);
}

// Run the body of a function on a channel: errors also become the context's last error.
// Functions that only read, as their handle is const, may be called inside callbacks.
template <class H, class Body>
halo_status with_channel(H *channel, Body &&body) noexcept {
    Context *context = nullptr; // that the call is in
    CallLock::Call call;        // lasts until the failure's text is kept
    return guard(
        [&] {
            if (is_known(channel)) {
                Context &of_channel = channel->registry->context();
                call.begin(of_channel.call_lock());
                context = &of_channel;
            }
            require_channel(channel);
            if constexpr (!std::is_const_v<H>) context->admit(Inside::nothing);
            return body(const_cast<halo_channel &>(*channel));
        },
        [&](const char *text, halo_status) noexcept {
            if (context) context->remember_error(text);
        });
}

} // namespace halo
