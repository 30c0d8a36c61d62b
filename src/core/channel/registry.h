// SPDX-License-Identifier: BSD-3-Clause
// The hand-made channels of a context: their records, found by key.
//
// A record is what a halo_channel handle points at. Records live in slabs that are freed with the registry only; a destroyed one waits
// behind the last `quarantine` others before it is used again, so that the use of a destroyed handle is noticed.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <unordered_map>
#include <vector>

#include "channel/mailbox.h"
#include "halo_channel.h"

namespace halo {
class ChannelRegistry;
class Group;
} // namespace halo

struct halo_channel {
    static constexpr uint32_t alive = 0x6c6e6863; // "chnl"
    static constexpr uint32_t destroyed = 0x64656164;

    uint32_t magic = 0; // stray memory is unlikely to hold one of the two
    uint32_t slot = 0;
    halo::ChannelRegistry *registry = nullptr;
    union {
        halo::Mailbox box; // while alive
    };
    uint32_t row = 0; // in its group; of a destroyed channel: slot of the one destroyed after it
    halo_type type = 0;
    int64_t element_bytes = 1; // as registered

    halo_channel() {}
    ~halo_channel() {}
};

namespace halo {

struct ChannelSpec {
    MailboxSpec mailbox;
    halo_type type = HALO_BYTES;
    int64_t element_bytes = 1;
};

// What a caller registers, checked. Fails naming the key.
ChannelSpec check_channel(const Context &context, const halo_channel_key &key, const halo_channel_desc &desc);

// What a caller would register to get the channel as it stands.
halo_channel_desc description_of(const halo_channel &channel);

class ChannelRegistry {
public:
    explicit ChannelRegistry(Context &context) : room_(context) {}
    ~ChannelRegistry();
    ChannelRegistry(const ChannelRegistry &) = delete;
    ChannelRegistry &operator=(const ChannelRegistry &) = delete;

    Context &context() const { return room_.context(); }
    int64_t size() const { return n_alive_; }
    // The keys of the first few that are registered.
    std::vector<halo_channel_key> first_keys(size_t most) const;

    // HALO_ERR_EXISTS names the key.
    halo_channel &add(const ChannelSpec &spec);
    // Room in the index for `n` more.
    void reserve(int64_t n);
    // nullptr: not registered.
    halo_channel *find(const halo_channel_key &key) const;
    // False: something is under way. The channel leaves its group.
    bool remove(halo_channel &channel);
    // The same, and the channel stays, with other bytes. HALO_ERR_ARGUMENT, HALO_ERR_LIMIT.
    bool resize(halo_channel &channel, int64_t bytes);

    halo_channel &at(uint32_t slot) const { return slabs_[slot / slab_size][slot % slab_size]; }

    void add_group(uint32_t serial, Group &group) { groups_.emplace(serial, &group); }
    void remove_group(uint32_t serial) { groups_.erase(serial); }
    // Of a channel; nullptr: none.
    Group *group_of(const halo_channel &channel) const;

private:
    static constexpr uint32_t slab_size = 4096;
    static constexpr uint32_t quarantine = 4096;
    static constexpr uint32_t none = UINT32_MAX;

    bool leave_group(halo_channel &channel);
    uint32_t take_slot();
    void retire(halo_channel &channel);
    size_t home(uint32_t hash) const { return hash & (table_.size() - 1); }
    size_t place_of(uint32_t slot) const;
    void insert(uint32_t slot);
    void erase(size_t gap);
    void rehash(size_t n_places);

    MailRoom room_;
    std::vector<std::unique_ptr<halo_channel[]>> slabs_;
    std::vector<uint32_t> table_; // open addressing: slot + 1, 0: empty; a power of two of places, at most three quarters in use
    uint32_t n_slots_ = 0;        // used at least once
    int64_t n_alive_ = 0;
    uint32_t n_retired_ = 0;
    uint32_t first_retired_ = none;
    uint32_t last_retired_ = none;
    std::unordered_map<uint32_t, Group *> groups_; // by serial
};

} // namespace halo
