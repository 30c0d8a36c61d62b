// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.h"

#include <algorithm>
#include <cstring>

#include "report.h"

namespace halo::ucx {

using transport::report;

namespace {

constexpr uint32_t layout = 1;         // of what is exchanged
constexpr size_t text_bytes = 256;     // of a failure
constexpr uint32_t most_bytes = 65536; // of an address

struct Announcement {
    uint32_t layout;
    uint32_t failed;
    uint32_t bytes;
    uint32_t reserved;
};

halo_status allgather(const halo_host *host, const halo_bootstrap &bootstrap, const void *mine, size_t bytes, void *all) {
    if (bootstrap.n_ranks == 1) {
        std::memcpy(all, mine, bytes);
        return HALO_SUCCESS;
    }
    const halo_status status = bootstrap.allgather(bootstrap.user, mine, bytes, all);
    if (status == HALO_SUCCESS) return HALO_SUCCESS;
    return report(host, status, "transport ucx: the bootstrap's allgather of %d ranks ended with status %d on rank %d", bootstrap.n_ranks, status,
                  bootstrap.rank);
}

// The rank that has failed says why to all.
halo_status share_failure(const halo_host *host, const halo_bootstrap &bootstrap, const std::string &own, int32_t failed) {
    const size_t n = static_cast<size_t>(bootstrap.n_ranks);
    std::vector<char> mine(text_bytes, '\0'), all(n * text_bytes, '\0');
    own.copy(mine.data(), text_bytes - 1);
    if (const halo_status status = allgather(host, bootstrap, mine.data(), text_bytes, all.data()); status != HALO_SUCCESS) return status;
    return report(host, HALO_ERR_TRANSPORT, "ucx: rank %d of %d: %s", failed, bootstrap.n_ranks, &all[static_cast<size_t>(failed) * text_bytes]);
}

} // namespace

halo_status Addresses::exchange(const halo_host *host, const halo_bootstrap &bootstrap, const Own &own) {
    const auto first = own.failure.empty() && own.bytes > most_bytes ? Own{ "its address has " + std::to_string(own.bytes) + " bytes" } : own;
    return gather(host, bootstrap, first);
}

halo_status Addresses::gather(const halo_host *host, const halo_bootstrap &bootstrap, const Own &own) {
    const size_t n = static_cast<size_t>(bootstrap.n_ranks);
    const Announcement mine{ layout, own.failure.empty() ? 0u : 1u, own.failure.empty() ? static_cast<uint32_t>(own.bytes) : 0u, 0 };
    std::vector<Announcement> all(n);
    if (const halo_status status = allgather(host, bootstrap, &mine, sizeof mine, all.data()); status != HALO_SUCCESS) return status;
    const auto other = std::find_if(all.begin(), all.end(), [](const Announcement &one) { return one.layout != layout; });
    if (other != all.end())
        return report(host, HALO_ERR_MISMATCH, "ucx: rank %td has a ucx module that exchanges addresses in another way", other - all.begin());
    const auto failed = std::find_if(all.begin(), all.end(), [](const Announcement &one) { return one.failed != 0; });
    if (failed != all.end()) return share_failure(host, bootstrap, own.failure, static_cast<int32_t>(failed - all.begin()));
    for (const Announcement &one : all) stride_ = std::max<size_t>(stride_, one.bytes);
    std::vector<unsigned char> padded(stride_);
    if (own.bytes > 0) std::memcpy(padded.data(), own.address, own.bytes);
    packed_.resize(n * stride_);
    return allgather(host, bootstrap, padded.data(), stride_, packed_.data());
}

} // namespace halo::ucx
