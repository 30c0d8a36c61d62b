// SPDX-License-Identifier: BSD-3-Clause
#include "channel/courier.h"

namespace halo {

Courier::~Courier() {
    for (auto &parcel : parcels_)
        if (parcel->in_flight) context_.linger(std::move(parcel));
}

void Courier::send(int32_t to, int32_t tag, std::vector<std::byte> bytes) {
    auto parcel = std::make_unique<Parcel>();
    parcel->peer = to;
    parcel->bytes = std::move(bytes);
    context_.transport().send(to, 0, tag, parcel->bytes.data(), parcel->bytes.size(), parcel->request);
    parcel->in_flight = true;
    parcels_.push_back(std::move(parcel));
}

bool Courier::try_receive(int32_t from, int32_t tag, std::vector<std::byte> &bytes) {
    Transport &transport = context_.transport();
    halo_matched message{};
    size_t size = 0;
    if (!transport.probe(from, 0, tag, size, message)) return false;
    bytes.resize(size);
    halo_request request{};
    transport.receive_matched(message, from, bytes.data(), size, request);
    try {
        wait([&] { return transport.test(request, from); }, [&] { return format("the rest of a message of %zu bytes from rank %d", size, from); });
    } catch (...) {
        transport.cancel(request, from);
        throw;
    }
    while (!parcels_.empty() && has_left(*parcels_.front())) parcels_.pop_front();
    return true;
}

bool Courier::has_left(Parcel &parcel) {
    parcel.in_flight = parcel.in_flight && !context_.transport().test(parcel.request, parcel.peer);
    return !parcel.in_flight;
}

void Courier::flush() {
    for (auto &parcel : parcels_)
        wait([&] { return has_left(*parcel); }, [&] { return format("rank %d to take %zu bytes", parcel->peer, parcel->bytes.size()); });
    parcels_.clear();
}

} // namespace halo
