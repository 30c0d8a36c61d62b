// SPDX-License-Identifier: BSD-3-Clause
#include "memory/one_mapping.h"

#if defined(HALO_ONE_MAPPING)

#include <algorithm>
#include <mutex>
#include <vector>

namespace halo {

namespace {

struct Mapping {
    std::byte *data;
    uint64_t nonce;
    int n_users;
};

std::mutex mutex; // taken when a file is made, mapped or closed only: it orders nothing of a run
std::vector<Mapping> &mappings() {
    static std::vector<Mapping> all;
    return all;
}

} // namespace

void add_mapping(std::byte *data, uint64_t nonce) {
    const std::lock_guard lock(mutex);
    mappings().push_back({ data, nonce, 1 });
}

std::byte *join_mapping(uint64_t nonce) {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(mappings().begin(), mappings().end(), [&](const Mapping &one) { return one.nonce == nonce; });
    if (found == mappings().end()) return nullptr;
    ++found->n_users;
    return found->data;
}

bool leave_mapping(std::byte *data) {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(mappings().begin(), mappings().end(), [&](const Mapping &one) { return one.data == data; });
    if (found == mappings().end()) return true;
    if (--found->n_users > 0) return false;
    mappings().erase(found);
    return true;
}

} // namespace halo

#endif
