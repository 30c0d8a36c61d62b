// SPDX-License-Identifier: BSD-3-Clause
#include "topology/discovery.h"

#include <algorithm>

namespace halo {

namespace {

// What the messages of a discovery are.
enum Part : int32_t { data_part, acknowledge_part, counts_part, token_part }; // tokens: one part for each step

std::vector<std::byte> copy(std::span<const std::byte> bytes) { return { bytes.begin(), bytes.end() }; }

void by_rank(std::vector<Delivery> &deliveries) {
    std::sort(deliveries.begin(), deliveries.end(), [](const Delivery &a, const Delivery &b) { return a.rank < b.rank; });
}

// Steps of a non-blocking barrier: in step k a rank tells the one 2^k above it, once it has heard the ones before.
class Consensus {
public:
    Consensus(Context &context, Collective &collective) : context_(context), collective_(collective) {}

    bool begun() const { return begun_; }
    void begin() {
        begun_ = true;
        tell();
    }
    // Has every rank begun?
    bool reached() {
        while (step_ < context_.size()) {
            if (!collective_.has_come(next(), token_part + step_)) return false;
            step_ *= 2;
            tell();
        }
        return true;
    }
    int64_t told() const { return told_; }
    // Who is waited for.
    int32_t next() const { return (context_.rank() - step_ + context_.size()) % context_.size(); }

private:
    void tell() {
        if (step_ >= context_.size()) return;
        collective_.send((context_.rank() + step_) % context_.size(), token_part + step_, {});
        ++told_;
    }

    Context &context_;
    Collective &collective_;
    int32_t step_ = 1;
    int64_t told_ = 0;
    bool begun_ = false;
};

} // namespace

DiscoveryKind discovery_kind(const Context &context) {
    const std::string word = context.config().word("discovery");
    constexpr int32_t small = 64; // ranks that may all be told
    if (word == "alltoall") return DiscoveryKind::alltoall;
    if (word == "reduce_scatter") return DiscoveryKind::reduce_scatter;
    if (word == "consensus") return DiscoveryKind::consensus;
    return context.size() <= small ? DiscoveryKind::alltoall : DiscoveryKind::consensus;
}

Discovery::Discovery(Context &context, DiscoveryKind kind, std::string what) : context_(context), kind_(kind), what_(std::move(what)) {}

void Discovery::post(Collective &collective, int32_t rank, int32_t part, std::span<const std::byte> bytes) {
    ++messages_sent_;
    bytes_sent_ += std::ssize(bytes);
    collective.send(rank, part, bytes);
}

std::span<const std::byte> Discovery::take(Collective &collective, int32_t rank, int32_t part) {
    return collective.receive(rank, part, [&] { return format("%s: message from rank %d", what_.c_str(), rank); });
}

std::vector<Delivery> Discovery::exchange(std::vector<Delivery> out) {
    std::vector<Delivery> came;
    if (context_.size() == 1) return came;
    Collective collective(context_, CollectiveKind::discovery, static_cast<uint64_t>(kind_));
    for (Delivery &delivery : out) {
        post(collective, delivery.rank, data_part, delivery.bytes);
        delivery.bytes = {};
    }
    switch (kind_) {
    case DiscoveryKind::alltoall:
        for (const int32_t rank : senders_by_alltoall(collective, out)) came.push_back({ rank, copy(take(collective, rank, data_part)) });
        break;
    case DiscoveryKind::reduce_scatter: came = take_counted(collective, count_by_reduce_scatter(collective, out)); break;
    case DiscoveryKind::consensus: came = take_until_consensus(collective, out); break;
    }
    collective.finish();
    by_rank(came);
    return came;
}

std::vector<Delivery> Discovery::answer(std::vector<Delivery> out, const std::vector<int32_t> &from) {
    Collective collective(context_, CollectiveKind::answer, 0);
    for (Delivery &delivery : out) {
        post(collective, delivery.rank, data_part, delivery.bytes);
        delivery.bytes = {};
    }
    std::vector<Delivery> came;
    for (const int32_t rank : from) came.push_back({ rank, copy(take(collective, rank, data_part)) });
    collective.finish();
    return came;
}

std::vector<int32_t> Discovery::senders_by_alltoall(Collective &collective, const std::vector<Delivery> &out) {
    std::vector<bool> comes(static_cast<size_t>(context_.size()), false);
    for (const Delivery &delivery : out) comes[static_cast<size_t>(delivery.rank)] = true;
    const int32_t rank = context_.rank(), size = context_.size();
    for (int32_t distance = 1; distance < size; ++distance) {
        const int32_t to = (rank + distance) % size;
        const std::byte told{ comes[static_cast<size_t>(to)] ? uint8_t{ 1 } : uint8_t{ 0 } };
        post(collective, to, counts_part, { &told, 1 });
    }
    std::vector<int32_t> senders;
    for (int32_t distance = 1; distance < size; ++distance) {
        const int32_t from = (rank - distance + size) % size;
        std::byte told{};
        collective.receive(from, counts_part, &told, 1);
        if (told != std::byte{ 0 }) senders.push_back(from);
    }
    return senders;
}

// Halves the ranks again and again: each rank of one half hands what it knows of the other half to a partner there. In halves of different size
// the last rank of the larger hands to the first of the smaller.
int64_t Discovery::count_by_reduce_scatter(Collective &collective, const std::vector<Delivery> &out) {
    std::vector<int32_t> counts(static_cast<size_t>(context_.size()), 0);
    for (const Delivery &delivery : out) ++counts[static_cast<size_t>(delivery.rank)];
    const auto tell = [&](int32_t to, int32_t first, int32_t end) {
        post(collective, to, counts_part, to_bytes(std::vector<int32_t>(counts.begin() + first, counts.begin() + end)));
    };
    const auto hear = [&](int32_t from, int32_t first, int32_t end) {
        const std::vector<int32_t> theirs = from_bytes<int32_t>(take(collective, from, counts_part));
        if (std::ssize(theirs) != end - first)
            fail(HALO_ERR_WIRE, "%s: rank %d sends %zu counts, %d was expected", what_.c_str(), from, theirs.size(), end - first);
        for (size_t i = 0; i < theirs.size(); ++i) counts[static_cast<size_t>(first) + i] += theirs[i];
    };
    int32_t low = 0, high = context_.size();
    const int32_t rank = context_.rank();
    while (high - low > 1) {
        const int32_t middle = low + (high - low + 1) / 2; // the lower half may have one more
        const int32_t n_lower = middle - low, n_upper = high - middle;
        if (rank < middle) {
            const int32_t place = rank - low;
            tell(place < n_upper ? middle + place : middle, middle, high);
            if (place < n_upper) hear(middle + place, low, middle);
            high = middle;
        } else {
            const int32_t place = rank - middle;
            tell(low + place, low, middle);
            hear(low + place, middle, high);
            if (place == 0 && n_lower > n_upper) hear(middle - 1, middle, high);
            low = middle;
        }
    }
    return counts[static_cast<size_t>(rank)];
}

std::vector<Delivery> Discovery::take_counted(Collective &collective, int64_t n) {
    std::vector<Delivery> came;
    collective.wait(
        [&] {
            while (const auto one = collective.take_any(data_part)) came.push_back({ one->from, copy(one->payload) });
            return std::ssize(came) == n;
        },
        [&] {
            std::string text = format("%s: %lld of %lld messages; they have come from", what_.c_str(), static_cast<long long>(n - std::ssize(came)),
                                      static_cast<long long>(n));
            for (size_t i = 0; i < std::min<size_t>(came.size(), 8); ++i) text += format(" rank %d", came[i].rank);
            return text + (came.empty() ? " nobody" : came.size() > 8 ? " and others" : "");
        });
    return came;
}

// Who has all its messages acknowledged begins the barrier; when that is over, nothing more can come.
std::vector<Delivery> Discovery::take_until_consensus(Collective &collective, const std::vector<Delivery> &out) {
    std::vector<Delivery> came;
    std::vector<int32_t> waiting;
    for (const Delivery &delivery : out) waiting.push_back(delivery.rank);
    Consensus consensus(context_, collective);
    const auto reached = [&] {
        while (const auto one = collective.take_any(data_part)) {
            post(collective, one->from, acknowledge_part, {});
            came.push_back({ one->from, copy(one->payload) });
        }
        if (!consensus.begun()) {
            while (const auto one = collective.take_any(acknowledge_part)) std::erase(waiting, one->from);
            if (!waiting.empty()) return false;
            consensus.begin();
        }
        return consensus.reached();
    };
    collective.wait(reached, [&] {
        if (waiting.empty())
            return format("%s: message from rank %d, which waits for others itself, or has not begun", what_.c_str(), consensus.next());
        return format("%s: rank %d, and %zd more, to take a message", what_.c_str(), waiting[0], std::ssize(waiting) - 1);
    });
    messages_sent_ += consensus.told();
    return came;
}

} // namespace halo
