// SPDX-License-Identifier: BSD-3-Clause
#include "channel/registry.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/types.h"
#include "channel/device_mail.h"
#include "channel/group.h"

namespace halo {

namespace {

void check_space(const halo_channel_key &key, const halo_channel_desc &desc) {
    if (desc.memory != HALO_MEMORY_HOST && desc.memory != HALO_MEMORY_DEVICE)
        fail(HALO_ERR_ARGUMENT, "channel %s: memory is %d, neither HALO_MEMORY_HOST nor HALO_MEMORY_DEVICE", describe(key).c_str(), desc.memory);
    if (desc.device < 0 || desc.device > INT16_MAX || (desc.memory == HALO_MEMORY_HOST && desc.device != 0))
        fail(HALO_ERR_ARGUMENT, "channel %s: there is no %s memory of device %d", describe(key).c_str(), memory_name(desc.memory), desc.device);
}

void check_allocator(const std::string &name, const halo_channel_desc &desc) {
    if (!desc.allocator || !desc.allocator->allocate || !desc.allocator->release)
        fail(HALO_ERR_ARGUMENT, "channel %s: HALO_BUFFER_ALLOCATOR without an allocator's two functions", name.c_str());
    const int32_t memory = desc.allocator->memory;
    if (desc.memory == HALO_MEMORY_DEVICE) {
        if (memory != HALO_MEMORY_DEVICE || desc.allocator->device != desc.device)
            fail(HALO_ERR_ARGUMENT, "channel %s: the allocator has %s memory of device %d, the channel is on device %d", name.c_str(),
                 memory_name(memory), desc.allocator->device, desc.device);
    } else if (memory != HALO_MEMORY_HOST && memory != HALO_MEMORY_PINNED) {
        fail(HALO_ERR_ARGUMENT, "channel %s: the allocator's memory kind is %d; channels in host memory want host or pinned memory", name.c_str(),
             memory);
    }
}

void check_memory(const halo_channel_key &key, const halo_channel_desc &desc) {
    const std::string name = describe(key);
    switch (desc.buffer_kind) {
    case HALO_BUFFER_POOL: return;
    case HALO_BUFFER_CALLER: return;
    case HALO_BUFFER_ALLOCATOR: return check_allocator(name, desc);
    default: fail(HALO_ERR_ARGUMENT, "channel %s: buffer_kind is %d", name.c_str(), desc.buffer_kind);
    }
}

void check_ranks(const Context &context, const halo_channel_key &key, const halo_channel_desc &desc) {
    const int32_t size = context.size();
    if (desc.send_rank < 0 || desc.send_rank >= size || desc.receive_rank < 0 || desc.receive_rank >= size)
        fail(HALO_ERR_ARGUMENT, "channel %s: from rank %d to rank %d, but ranks are 0 to %d", describe(key).c_str(), desc.send_rank,
             desc.receive_rank, size - 1);
    if (desc.send_rank != context.rank() && desc.receive_rank != context.rank())
        fail(HALO_ERR_ARGUMENT, "channel %s: from rank %d to rank %d has no end on this rank, %d", describe(key).c_str(), desc.send_rank,
             desc.receive_rank, context.rank());
}

int64_t element_bytes(const halo_channel_desc &desc) {
    return desc.type == HALO_BYTES ? desc.element_bytes : static_cast<int64_t>(type_bytes(desc.type));
}

int64_t payload_bytes(const halo_channel_key &key, const halo_channel_desc &desc) {
    if (!type_known(desc.type) || (desc.type == HALO_BYTES && desc.element_bytes < 1))
        fail(HALO_ERR_ARGUMENT, "channel %s: type %d, element_bytes %lld", describe(key).c_str(), desc.type,
             static_cast<long long>(desc.element_bytes));
    const int64_t size = element_bytes(desc);
    if (desc.count < 0) fail(HALO_ERR_ARGUMENT, "channel %s: a count of %lld elements", describe(key).c_str(), static_cast<long long>(desc.count));
    const Checked bytes = Checked(desc.count) * size;
    if (!bytes.fits(limits::channel_bytes)) [[unlikely]]
        fail(HALO_ERR_LIMIT, "channel %s: a count of %lld elements of %lld bytes exceeds %lld bytes", describe(key).c_str(),
             static_cast<long long>(desc.count), static_cast<long long>(size), static_cast<long long>(limits::channel_bytes));
    return bytes.value("bytes");
}

} // namespace

ChannelSpec check_channel(const Context &context, const halo_channel_key &key, const halo_channel_desc &desc) {
    if (key.element < 0 || key.element > 26) fail(HALO_ERR_ARGUMENT, "channel %s: elements are 0 to 26", describe(key).c_str());
    if (desc.sparse != 0 && desc.sparse != 1) fail(HALO_ERR_ARGUMENT, "channel %s: sparse is %d, not 0 or 1", describe(key).c_str(), desc.sparse);
    if (desc.varies != 0 && desc.varies != 1) fail(HALO_ERR_ARGUMENT, "channel %s: varies is %d, not 0 or 1", describe(key).c_str(), desc.varies);
    check_ranks(context, key, desc);
    if (desc.memory != HALO_MEMORY_HOST || desc.device != 0) [[unlikely]]
        check_space(key, desc);
    if (desc.buffer_kind != HALO_BUFFER_POOL) [[unlikely]]
        check_memory(key, desc);
    ChannelSpec spec;
    spec.type = desc.type;
    spec.mailbox.key = key;
    spec.mailbox.send_rank = desc.send_rank;
    spec.mailbox.receive_rank = desc.receive_rank;
    spec.mailbox.bytes = payload_bytes(key, desc);
    spec.element_bytes = element_bytes(desc);
    spec.mailbox.sparse = desc.sparse != 0;
    spec.mailbox.varies = desc.varies != 0;
    spec.mailbox.memory = { desc.buffer_kind, desc.buffer, desc.allocator, space_of(desc.memory, desc.device) };
    return spec;
}

halo_channel_desc description_of(const halo_channel &channel) {
    const Mailbox &box = channel.box;
    const MailMemory memory = box.memory();
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.send_rank = box.send_rank();
    desc.receive_rank = box.receive_rank();
    desc.type = channel.type;
    desc.element_bytes = box.bytes() % channel.element_bytes == 0 ? channel.element_bytes : 1;
    desc.count = box.bytes() / desc.element_bytes;
    desc.sparse = box.sparse() ? 1 : 0;
    desc.buffer_kind = memory.kind;
    desc.buffer = memory.memory;
    desc.allocator = memory.allocator;
    desc.memory = memory.space.memory;
    desc.device = memory.space.device;
    desc.varies = box.varies() ? 1 : 0;
    return desc;
}

ChannelRegistry::~ChannelRegistry() {
    for (uint32_t slot = 0; slot < n_slots_; ++slot)
        if (at(slot).magic == halo_channel::alive) at(slot).box.~Mailbox();
}

std::vector<halo_channel_key> ChannelRegistry::first_keys(size_t most) const {
    std::vector<halo_channel_key> keys;
    for (uint32_t slot = 0; slot < n_slots_ && keys.size() < most; ++slot)
        if (at(slot).magic == halo_channel::alive) keys.push_back(at(slot).box.key());
    return keys;
}

halo_channel &ChannelRegistry::add(const ChannelSpec &spec) {
    if (find(spec.mailbox.key)) [[unlikely]]
        fail(HALO_ERR_EXISTS, "channel %s is already registered", describe(spec.mailbox.key).c_str());
    if (const Space space = spec.mailbox.memory.space; space.on_device()) [[unlikely]]
        room_.on_device(space.device);
    reserve(1);
    const uint32_t slot = take_slot();
    halo_channel &channel = at(slot);
    channel.slot = slot;
    channel.registry = this;
    channel.type = spec.type;
    channel.element_bytes = spec.element_bytes;
    new (&channel.box) Mailbox(room_, spec.mailbox);
    channel.magic = halo_channel::alive;
    insert(slot);
    ++n_alive_;
    return channel;
}

void ChannelRegistry::reserve(int64_t n) {
    const auto wanted = static_cast<size_t>(n_alive_ + n);
    size_t places = table_.empty() ? 64 : table_.size();
    while (wanted > places / 4 * 3) places *= 2;
    if (places != table_.size()) rehash(places);
}

halo_channel *ChannelRegistry::find(const halo_channel_key &key) const {
    if (table_.empty()) return nullptr;
    const auto hash = static_cast<uint32_t>(hash_key(key));
    for (size_t place = home(hash); table_[place] != 0; place = (place + 1) & (table_.size() - 1)) {
        halo_channel &channel = at(table_[place] - 1);
        if (channel.box.key_hash() == hash && equal(channel.box.key(), key)) return &channel;
    }
    return nullptr;
}

bool ChannelRegistry::leave_group(halo_channel &channel) {
    if (channel.box.busy()) return false;
    Group *group = group_of(channel);
    return !group || group->leave(channel);
}

bool ChannelRegistry::resize(halo_channel &channel, int64_t bytes) {
    channel.box.require_not_abandoned("set_bytes");
    check_limit("set_bytes: bytes", bytes, limits::channel_bytes);
    const int64_t element = channel.type == HALO_BYTES ? 1 : static_cast<int64_t>(type_bytes(channel.type));
    if (bytes < 0 || bytes % element != 0)
        fail(HALO_ERR_ARGUMENT, "set_bytes: %lld bytes, of a channel of %s: %s", static_cast<long long>(bytes), type_name(channel.type),
             channel.box.describe().c_str());
    if (!leave_group(channel)) return false;
    channel.box.set_bytes(bytes);
    return true;
}

bool ChannelRegistry::remove(halo_channel &channel) {
    if (!leave_group(channel)) return false;
    erase(place_of(channel.slot));
    retire(channel);
    --n_alive_;
    return true;
}

Group *ChannelRegistry::group_of(const halo_channel &channel) const {
    if (channel.box.serial() == 0) return nullptr;
    const auto found = groups_.find(channel.box.serial());
    return found == groups_.end() ? nullptr : found->second;
}

uint32_t ChannelRegistry::take_slot() {
    if (n_retired_ > quarantine) {
        const uint32_t slot = first_retired_;
        first_retired_ = at(slot).row;
        --n_retired_;
        return slot;
    }
    if (n_slots_ == slabs_.size() * slab_size) slabs_.push_back(std::make_unique<halo_channel[]>(slab_size));
    return n_slots_++;
}

void ChannelRegistry::retire(halo_channel &channel) {
    channel.box.~Mailbox();
    channel.magic = halo_channel::destroyed;
    channel.row = none;
    if (n_retired_ == 0)
        first_retired_ = channel.slot;
    else
        at(last_retired_).row = channel.slot;
    last_retired_ = channel.slot;
    ++n_retired_;
}

size_t ChannelRegistry::place_of(uint32_t slot) const {
    size_t place = home(at(slot).box.key_hash());
    while (table_[place] != slot + 1) place = (place + 1) & (table_.size() - 1);
    return place;
}

void ChannelRegistry::insert(uint32_t slot) {
    size_t place = home(at(slot).box.key_hash());
    while (table_[place] != 0) place = (place + 1) & (table_.size() - 1);
    table_[place] = slot + 1;
}

// Entries behind the gap move into it where that does not carry them in front of their home.
void ChannelRegistry::erase(size_t gap) {
    const size_t mask = table_.size() - 1;
    for (size_t place = (gap + 1) & mask; table_[place] != 0; place = (place + 1) & mask) {
        const size_t from_home = (place - home(at(table_[place] - 1).box.key_hash())) & mask;
        if (from_home >= ((place - gap) & mask)) {
            table_[gap] = table_[place];
            gap = place;
        }
    }
    table_[gap] = 0;
}

void ChannelRegistry::rehash(size_t n_places) {
    table_.assign(n_places, 0);
    for (uint32_t slot = 0; slot < n_slots_; ++slot)
        if (at(slot).magic == halo_channel::alive) insert(slot);
}

} // namespace halo
