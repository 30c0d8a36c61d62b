// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/late_mail.h"

#include <algorithm>
#include <cstring>

#include "channel/mail_room.h"

namespace halo {

void LateMail::fail(uint32_t epoch, int64_t taken) {
    if (epoch == last_told_)
        owed_ -= taken;
    else if (taken > 0)
        failed_.push_back({ epoch, taken });
}

// Headers come in the order of runs: those of earlier ones will not come any more.
void LateMail::owe(uint32_t epoch, int64_t sent) {
    last_told_ = epoch;
    const auto run = std::find_if(failed_.begin(), failed_.end(), [&](const Failed &failed) { return failed.epoch >= epoch; });
    const bool known = run != failed_.end() && run->epoch == epoch;
    owed_ += sent - (known ? run->taken : 0);
    failed_.erase(failed_.begin(), known ? run + 1 : run);
}

bool LateMail::find() {
    halo_matched message{};
    if (!context_.transport().probe(peer_, tag_.lane, tag_.tag, bytes_, message)) return false;
    const size_t room = std::max(bytes_, sizeof(MailHeader));
    if (buffer_.bytes() < room) buffer_ = context_.host_buffer(room);
    context_.transport().receive_matched(message, peer_, buffer_.data(), buffer_.bytes(), request_);
    return in_flight_ = true;
}

// What an exchange before this one has left under the tag does not count.
bool LateMail::take() {
    while (owed_ > 0 && (in_flight_ || find())) {
        if (!context_.transport().test(request_, peer_)) break;
        in_flight_ = false;
        MailHeader header;
        std::memcpy(&header, buffer_.data(), sizeof header);
        if (bytes_ >= sizeof header && header.serial == serial_) --owed_;
        ++context_.dropped;
    }
    return owed_ <= 0;
}

void LateMail::abandon() noexcept {
    try {
        if (in_flight_) context_.transport().cancel(request_, peer_);
    } catch (const Error &error) {
        if (error.status() == HALO_ERR_TRANSPORT) context_.lose(std::move(buffer_));
    }
    in_flight_ = false;
}

} // namespace halo
