// SPDX-License-Identifier: BSD-3-Clause
#include "stream/shared_slots.h"

#include <cstring>
#include <utility>

namespace halo {

bool SharedSlotWriter::may_write(uint32_t epoch, uint32_t consumed) const {
    if (!slots_) return false;
    const uint32_t must_be_read = (epoch - last_epoch_) % 2 == 0 ? last_epoch_ : epoch_before_;
    const auto is_read = [&](uint32_t upto) { return static_cast<int32_t>(upto - must_be_read) >= 0; };
    return is_read(consumed) || is_read(slots_.block().read_epoch());
}

void SharedSlotWriter::write(const MessageHeader &header) {
    std::memcpy(slots_.slot(header.epoch), &header, sizeof header);
    slots_.block().tell_written(header.epoch);
    epoch_before_ = std::exchange(last_epoch_, header.epoch);
}

} // namespace halo
