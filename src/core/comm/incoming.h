// SPDX-License-Identifier: BSD-3-Clause
// Messages of one tag from whatever rank, one after another, of whatever length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "comm/pending.h"

namespace halo {

class Context;

class Incoming {
public:
    // Of lane 0.
    Incoming(Context &context, int32_t tag) : context_(context), tag_(tag) {}

    // The next one that is here as a whole. Never blocks.
    std::optional<std::vector<std::byte>> take();
    // Before the transport is closed: what is coming in is the context's from now on.
    void hand_over() noexcept;

private:
    void receive();

    Context &context_;
    int32_t tag_;
    bool found_ = false;
    size_t bytes_ = 0; // of what has been found
    Matched matched_{};
    std::unique_ptr<Parcel> parcel_; // that it comes into
};

} // namespace halo
