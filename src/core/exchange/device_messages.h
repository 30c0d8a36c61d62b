// SPDX-License-Identifier: BSD-3-Clause
// Dense values that go to a peer in a message of their own: from the memory where a device packs them to that where one reads them, if the transport
// takes both. Each end decides for itself (settings device.messages, device.messages_least).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "comm/context.h"
#include "exchange/run.h"

namespace halo {

class DeviceMessages {
public:
    explicit DeviceMessages(Context &context);

    // Memory of the device that has all storage of the run, for what comes from this rank; nullptr: it comes to that of the host.
    Pool *for_arrivals(const Run &run, int32_t peer);
    // The same for so many bytes that leave.
    Pool *for_departures(const Run &run, int32_t peer, size_t bytes) { return bytes < least_ ? nullptr : for_arrivals(run, peer); }
    // Where so many bytes leave from, and why.
    std::string describe(const Run &run, int32_t peer, size_t bytes);

private:
    struct Answer {
        bool takes = false;
        std::string why;
    };
    const Answer &answer(const Device &device, int32_t peer);

    Context &context_;
    const std::string &wanted_; // setting device.messages
    size_t least_;
    std::unordered_map<int32_t, Answer> answers_; // by peer: all devices of a context are of one module
};

} // namespace halo
