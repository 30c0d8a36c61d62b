// SPDX-License-Identifier: BSD-3-Clause
// A word that two ranks share, each in its own mapping. In the simulation every access is a point where the other rank may go on.
#pragma once

#include <atomic>

#include "base/schedule_point.h"

namespace halo {

#if defined(HALO_SIMULATION)

template <class T>
class SharedWord {
public:
    explicit SharedWord(T &word) : word_(word) {}

    T load(std::memory_order order) const { return word().load(order); }
    void store(T value, std::memory_order order) const { word().store(value, order); }
    bool compare_exchange_strong(T &expected, T desired, std::memory_order order) const {
        return word().compare_exchange_strong(expected, desired, order);
    }
    bool compare_exchange_weak(T &expected, T desired, std::memory_order order) const { return compare_exchange_strong(expected, desired, order); }

private:
    std::atomic_ref<T> word() const {
        simulation::before_access(&word_, sizeof word_);
        return std::atomic_ref(word_);
    }

    T &word_;
};

#else

template <class T>
using SharedWord = std::atomic_ref<T>;

#endif

} // namespace halo
