// SPDX-License-Identifier: BSD-3-Clause
// Payload of channels: on the host, or on a device, by which of payload_host.cpp and payload_device.cpp a program has.
#pragma once

#include <memory>

#include "halo_channel.h"
#include "ranks.h"

namespace test {

class Payload {
public:
    // For an end with `kind` of buffer, HALO_BUFFER_..., of so many bytes.
    Payload(halo_context *context, int32_t kind, int64_t bytes);
    ~Payload();
    void describe(halo_channel_desc &desc);
    int64_t blocks_out() const; // of the allocator
    void write(void *payload, const std::vector<unsigned char> &bytes) const;
    std::vector<unsigned char> read(const void *payload, int64_t bytes) const;
    static halo_stream stream();
    // The device has done what there is, and the library knows. False: the device does not say so.
    static bool can_settle();
    void settle() const;

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

} // namespace test
