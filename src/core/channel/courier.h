// SPDX-License-Identifier: BSD-3-Clause
// Messages of set-up: of any size, each taken when it is found, so that nothing is left posted when the time is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "comm/context.h"
#include "comm/wait.h"

namespace halo {

// Tags of lane 0 that set-up of channels uses.
inline constexpr int32_t arrival_tag = 1;
inline constexpr int32_t announce_tag = 2;
inline constexpr int32_t edges_tag = 3;

class Courier {
public:
    // All waits together end after `timeout_seconds`; 0: never.
    Courier(Context &context, double timeout_seconds) : context_(context), waiter_(context, timeout_seconds) {}
    // What is still on its way lives on in the context.
    ~Courier();
    Courier(const Courier &) = delete;
    Courier &operator=(const Courier &) = delete;

    void send(int32_t to, int32_t tag, std::vector<std::byte> bytes);
    // False: no message is there.
    bool try_receive(int32_t from, int32_t tag, std::vector<std::byte> &bytes);

    // `missing` returns the text of what is waited for.
    template <class Missing>
    std::vector<std::byte> receive(int32_t from, int32_t tag, Missing &&missing) {
        std::vector<std::byte> bytes;
        wait([&] { return try_receive(from, tag, bytes); }, missing);
        return bytes;
    }
    // Wait for the own messages.
    void flush();

    template <class Done, class Missing>
    void wait(Done &&done, Missing &&missing) {
        while (!done())
            if (!waiter_.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter_.seconds(), missing().c_str());
    }

private:
    bool has_left(Parcel &parcel);

    Context &context_;
    Waiter waiter_;
    std::deque<std::unique_ptr<Parcel>> parcels_; // what has left is let go of in this order, so that little is kept where much is sent and taken
};

template <class T>
std::vector<std::byte> to_bytes(const std::vector<T> &values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> from_bytes(const std::vector<std::byte> &bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

} // namespace halo
