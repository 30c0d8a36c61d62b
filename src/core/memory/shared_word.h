// SPDX-License-Identifier: BSD-3-Clause
// A word that two ranks share, each in its own mapping. In the simulation every access is a point where the other rank may go on.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/schedule_point.h"

namespace halo {

#if defined(HALO_SIMULATION)

class SharedWord {
public:
    explicit SharedWord(uint64_t &word) : word_(word) {}

    uint64_t load(std::memory_order order) const { return word().load(order); }
    void store(uint64_t value, std::memory_order order) const { word().store(value, order); }
    bool compare_exchange_strong(uint64_t &expected, uint64_t desired, std::memory_order order) const {
        return word().compare_exchange_strong(expected, desired, order);
    }
    bool compare_exchange_weak(uint64_t &expected, uint64_t desired, std::memory_order order) const {
        return compare_exchange_strong(expected, desired, order);
    }

private:
    std::atomic_ref<uint64_t> word() const {
        simulation::before_access(&word_, sizeof word_);
        return std::atomic_ref(word_);
    }

    uint64_t &word_;
};

#else

using SharedWord = std::atomic_ref<uint64_t>;

#endif

} // namespace halo
