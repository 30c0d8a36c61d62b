// SPDX-License-Identifier: BSD-3-Clause
// Channels committed together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "channel/aggregate.h"
#include "channel/registry.h"

namespace halo {

class Group {
public:
    // Collective. Nothing is changed if it fails.
    Group(ChannelRegistry &registry, std::span<halo_channel *const> channels, int32_t messages, double timeout_seconds);
    // The channels live on, uncommitted. What is in flight is abandoned.
    ~Group();
    Group(const Group &) = delete;
    Group &operator=(const Group &) = delete;

    Context &context() const { return registry_.context(); }
    ChannelRegistry &registry() const { return registry_; }
    uint32_t serial() const { return serial_; }

    bool busy();
    // Give up what is in flight. The group can only be destroyed afterwards.
    void abandon() noexcept;
    // A channel is about to be destroyed. False: not now.
    bool leave(halo_channel &channel);

    // One row per channel in the order of creation, each of `row_bytes`.
    const halo_group_row *table(size_t row_bytes);
    int64_t size() const { return static_cast<int64_t>(slots_.size()); }
    halo_group_row row(uint32_t i) const;

    // The run of an aggregated group; HALO_ERR_STATE for others, naming the call.
    AggregateRun &run(const char *call);

private:
    void open_mailboxes(const std::vector<PairList> &pairs);
    void open_run(std::vector<PairList> pairs);

    ChannelRegistry &registry_;
    uint32_t serial_ = 0;
    std::vector<uint32_t> slots_; // in the order of creation; no_slot: destroyed
    std::unique_ptr<AggregateRun> run_;
    std::vector<std::byte> table_;
    bool abandoned_ = false;
};

} // namespace halo
