// SPDX-License-Identifier: BSD-3-Clause
#include "comm/incoming.h"

#include <utility>

#include "comm/context.h"

namespace halo {

std::optional<std::vector<std::byte>> Incoming::take() {
    Fabric &fabric = context_.fabric();
    if (!found_ && !fabric.probe(-1, 0, tag_, bytes_, matched_)) return {};
    found_ = true;
    if (!parcel_) receive();
    std::unique_ptr<Parcel> parcel = std::move(parcel_);
    found_ = false; // a test that fails has ended it
    if (fabric.test(parcel->request, -1)) return std::move(parcel->bytes);
    found_ = true;
    parcel_ = std::move(parcel);
    return {};
}

void Incoming::receive() {
    auto parcel = std::make_unique<Parcel>();
    parcel->bytes.resize(bytes_);
    context_.fabric().receive_matched(matched_, -1, parcel->bytes.data(), bytes_, parcel->request);
    parcel_ = std::move(parcel);
}

void Incoming::hand_over() noexcept {
    if (!parcel_) return;
    parcel_->abandoned = true;
    context_.linger(std::move(parcel_));
}

} // namespace halo
