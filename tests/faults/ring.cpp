// SPDX-License-Identifier: BSD-3-Clause
#include "ring.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "test_device.h"

namespace conformance {

const std::array<Way, 8> ring_ways = { {
    { true, "direct", HALO_MESSAGES_AGGREGATE },
    { false, "message", HALO_MESSAGES_AGGREGATE },
    { false, "slot", HALO_MESSAGES_AGGREGATE },
    { false, "put", HALO_MESSAGES_AGGREGATE },
    { true, "get", HALO_MESSAGES_AGGREGATE },
    { false, "message", HALO_MESSAGES_PER_CHANNEL },
    { false, "direct", HALO_MESSAGES_AGGREGATE },
    { true, "message", HALO_MESSAGES_PER_CHANNEL },
} };

Ring::Ring(const Rank &rank, const Way &way, int64_t n_values) : rank_(rank), way_(way), n_(n_values), values_(static_cast<size_t>(3 * n_values)) {
    allocate();
    halo_exchange_desc options = HALO_EXCHANGE_DESC_INIT;
    options.messages = way.messages;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "density";
    if (way.points) {
        make_points();
        options.kind = HALO_KIND_REVERSE;
        options.source_stable = 1;
    } else {
        make_blocks();
        desc.ghost_low[0] = desc.ghost_high[0] = static_cast<int32_t>(n_);
    }
    OK(halo_field_create(topology_, &desc, &field_));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = memory_;
    if (device_) binding.memory = HALO_MEMORY_DEVICE;
    OK(halo_field_bind_many(field_, 1, &binding));
    OK(halo_exchange_create(&field_, 1, &options, &exchange_));
    prepare_if_asked(exchange_);
}

void Ring::allocate() {
    const auto bytes = static_cast<int64_t>(values_.size() * sizeof(double));
    if (!storage_is_on_device()) return OK(halo_memory_allocate(rank_.context, HALO_MEMORY_SHARED, bytes, &memory_));
    OK(halo_memory_allocate_on(rank_.context, HALO_MEMORY_DEVICE, 0, bytes, &memory_));
    device_ = test_device().enter(memory_);
}

// All values, in the stream of the exchange; from a device when they are there.
void Ring::bring(void *to, const void *from) const {
    const size_t bytes = values_.size() * sizeof(double);
    if (!device_)
        std::memcpy(to, from, bytes);
    else
        succeed(test_device().plugin().ops->copy(device_, to, from, bytes, nullptr), "copy", __FILE__, __LINE__);
}

void Ring::make_blocks() {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 1, blocks.n_blocks[0] = rank_.size, blocks.n_cells[0] = n_, blocks.periodic[0] = 1;
    OK(halo_topology_create_blocks(rank_.context, &blocks, &topology_));
}

void Ring::make_points() {
    std::vector<int32_t> ranks(static_cast<size_t>(2 * n_), above());
    std::fill_n(ranks.begin(), n_, below());
    std::vector<uint32_t> indices(ranks.size());
    std::iota(indices.begin(), indices.begin() + n_, 0u);
    std::iota(indices.begin() + n_, indices.end(), 0u);
    halo_star_desc star = HALO_STAR_DESC_INIT;
    star.n_points = 3 * n_;
    star.n_leaves = 2 * n_;
    star.ranks = ranks.data();
    star.indices = indices.data();
    OK(halo_topology_create_star(rank_.context, &star, &topology_));
}

halo_status Ring::start() {
    ++time_;
    std::fill(values_.begin(), values_.end(), value(rank_.rank));
    bring(memory_, values_.data());
    return halo_exchange_start(exchange_, nullptr, stream());
}

halo_status Ring::finish() { return halo_exchange_finish(exchange_, stream()); }

std::string Ring::route() const {
    const std::string text = description_of(exchange_);
    const size_t within = text.find("messages over"), begin = text.rfind('\n', within) + 1;
    return text.substr(begin, text.find('\n', within) - begin);
}

void Ring::check() {
    bring(values_.data(), memory_);
    const double own = value(rank_.rank);
    const double blocks[] = { value(below()), own, value(above()) };
    const double points[] = { own + value(below()) + value(above()), own, own };
    for (int64_t i = 0; i < 3; ++i) {
        const double wanted = way_.points ? points[i] : blocks[i];
        const double *const first = values_.data() + i * n_;
        const double *const other = std::find_if(first, first + n_, [&](double there) { return there != wanted; });
        if (other != first + n_) stop("value %td is %g, not %g, in run %lld", other - values_.data(), *other, wanted, static_cast<long long>(time_));
    }
}

void Ring::give_up() {
    const halo_status status = halo_exchange_abandon(exchange_);
    if (status != HALO_SUCCESS && status != HALO_ERR_STATE) OK(status); // no run may be in flight
    OK(halo_exchange_destroy(&exchange_));
    OK(halo_field_destroy(&field_));
    OK(halo_topology_destroy(&topology_));
}

void Ring::destroy() {
    if (exchange_) give_up();
    halo_status status = HALO_BUSY; // a process that is killed takes a moment to end
    for (int n = 0; n < 1000 && status == HALO_BUSY; ++n) {
        status = halo_memory_release(rank_.context, &memory_);
        if (status == HALO_BUSY) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    OK(status);
}

} // namespace conformance
