// SPDX-License-Identifier: BSD-3-Clause
#include "topology/discovery.h"

#include <algorithm>

namespace halo {

namespace {

// A message tells whom it is from, because it may be taken from anybody.
std::vector<std::byte> with_sender(int32_t rank, const std::vector<std::byte> &bytes) {
    std::vector<std::byte> message(sizeof rank + bytes.size());
    std::memcpy(message.data(), &rank, sizeof rank);
    std::copy(bytes.begin(), bytes.end(), message.begin() + sizeof rank);
    return message;
}

void by_rank(std::vector<Delivery> &deliveries) {
    std::sort(deliveries.begin(), deliveries.end(), [](const Delivery &a, const Delivery &b) { return a.rank < b.rank; });
}

// Steps of a non-blocking barrier: in step k a rank tells the one 2^k above it, once it has heard the ones before.
class Consensus {
public:
    Consensus(Context &context, Courier &courier) : context_(context), courier_(courier) {}

    bool begun() const { return begun_; }
    void begin() {
        begun_ = true;
        tell();
    }
    // Has every rank begun?
    bool reached() {
        std::vector<std::byte> token;
        while (step_ < context_.size()) {
            const auto from = static_cast<int32_t>((context_.rank() - step_ + context_.size()) % context_.size());
            if (!courier_.try_receive(from, consensus_tag, token)) return false;
            step_ *= 2;
            tell();
        }
        return true;
    }
    int64_t told() const { return told_; }

private:
    void tell() {
        if (step_ >= context_.size()) return;
        courier_.send(static_cast<int32_t>((context_.rank() + step_) % context_.size()), consensus_tag, {});
        ++told_;
    }

    Context &context_;
    Courier &courier_;
    int64_t step_ = 1;
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

Discovery::Discovery(Context &context, DiscoveryKind kind, std::string what)
    : context_(context),
      kind_(kind),
      what_(std::move(what)),
      courier_(context, context.timeout(HALO_TIMEOUT_CONFIGURED)) {}

void Discovery::post(int32_t rank, int32_t tag, std::vector<std::byte> bytes) {
    ++messages_sent_;
    bytes_sent_ += std::ssize(bytes);
    courier_.send(rank, tag, std::move(bytes));
}

std::vector<std::byte> Discovery::take(int32_t rank, int32_t tag) {
    return courier_.receive(rank, tag, [&] { return format("%s: message from rank %d", what_.c_str(), rank); });
}

std::optional<Delivery> Discovery::take_any(int32_t tag) {
    Delivery found;
    if (!courier_.try_receive(-1, tag, found.bytes)) return std::nullopt;
    std::memcpy(&found.rank, found.bytes.data(), sizeof found.rank);
    found.bytes.erase(found.bytes.begin(), found.bytes.begin() + sizeof found.rank);
    return found;
}

void Discovery::send_all(std::vector<Delivery> &out, int32_t tag) {
    for (Delivery &delivery : out) {
        post(delivery.rank, tag, with_sender(context_.rank(), delivery.bytes));
        delivery.bytes = {};
    }
}

std::vector<Delivery> Discovery::exchange(std::vector<Delivery> out) {
    std::vector<Delivery> came;
    if (context_.size() == 1) return came;
    const int32_t tag = discovery_tag + round_++ % 2;
    send_all(out, tag);
    switch (kind_) {
    case DiscoveryKind::alltoall:
        for (const int32_t rank : senders_by_alltoall(out)) {
            std::vector<std::byte> bytes = take(rank, tag);
            bytes.erase(bytes.begin(), bytes.begin() + sizeof rank);
            came.push_back({ rank, std::move(bytes) });
        }
        break;
    case DiscoveryKind::reduce_scatter: came = take_counted(count_by_reduce_scatter(out), tag); break;
    case DiscoveryKind::consensus: came = take_until_consensus(out, tag); break;
    }
    courier_.flush();
    by_rank(came);
    return came;
}

std::vector<Delivery> Discovery::answer(std::vector<Delivery> out, const std::vector<int32_t> &from) {
    for (Delivery &delivery : out) post(delivery.rank, answer_tag, std::move(delivery.bytes));
    std::vector<Delivery> came;
    for (const int32_t rank : from) came.push_back({ rank, take(rank, answer_tag) });
    courier_.flush();
    return came;
}

std::vector<int32_t> Discovery::senders_by_alltoall(const std::vector<Delivery> &out) {
    std::vector<bool> comes(static_cast<size_t>(context_.size()), false);
    for (const Delivery &delivery : out) comes[static_cast<size_t>(delivery.rank)] = true;
    const int32_t rank = context_.rank(), size = context_.size();
    for (int32_t distance = 1; distance < size; ++distance) {
        const int32_t to = (rank + distance) % size;
        post(to, counts_tag, { comes[static_cast<size_t>(to)] ? std::byte{ 1 } : std::byte{ 0 } });
    }
    std::vector<int32_t> senders;
    for (int32_t distance = 1; distance < size; ++distance) {
        const int32_t from = (rank - distance + size) % size;
        if (take(from, counts_tag).at(0) != std::byte{ 0 }) senders.push_back(from);
    }
    return senders;
}

// Halves the ranks again and again: each rank of one half hands what it knows of the other half to a partner there. In halves of different size
// the last rank of the larger hands to the first of the smaller.
int64_t Discovery::count_by_reduce_scatter(const std::vector<Delivery> &out) {
    std::vector<int32_t> counts(static_cast<size_t>(context_.size()), 0);
    for (const Delivery &delivery : out) ++counts[static_cast<size_t>(delivery.rank)];
    const auto tell = [&](int32_t to, int32_t first, int32_t end) {
        post(to, counts_tag, to_bytes(std::vector<int32_t>(counts.begin() + first, counts.begin() + end)));
    };
    const auto hear = [&](int32_t from, int32_t first) {
        const std::vector<int32_t> theirs = from_bytes<int32_t>(take(from, counts_tag));
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
            if (place < n_upper) hear(middle + place, low);
            high = middle;
        } else {
            const int32_t place = rank - middle;
            tell(low + place, low, middle);
            hear(low + place, middle);
            if (place == 0 && n_lower > n_upper) hear(middle - 1, middle);
            low = middle;
        }
    }
    return counts[static_cast<size_t>(rank)];
}

std::vector<Delivery> Discovery::take_counted(int64_t n, int32_t tag) {
    std::vector<Delivery> came;
    courier_.wait(
        [&] {
            while (std::ssize(came) < n) {
                std::optional<Delivery> one = take_any(tag);
                if (!one) return false;
                came.push_back(std::move(*one));
            }
            return true;
        },
        [&] { return format("%s: %lld of %lld messages", what_.c_str(), static_cast<long long>(n - std::ssize(came)), static_cast<long long>(n)); });
    return came;
}

// Who has all its messages acknowledged begins the barrier; when that is over, nothing more can come.
std::vector<Delivery> Discovery::take_until_consensus(const std::vector<Delivery> &out, int32_t tag) {
    std::vector<Delivery> came;
    std::vector<int32_t> waiting;
    for (const Delivery &delivery : out) waiting.push_back(delivery.rank);
    Consensus consensus(context_, courier_);
    const auto reached = [&] {
        while (std::optional<Delivery> one = take_any(tag)) {
            post(one->rank, acknowledge_tag, with_sender(context_.rank(), {}));
            came.push_back(std::move(*one));
        }
        if (!consensus.begun()) {
            // From whomever: asking for each by name would look through the queue once for every rank that is waited for.
            while (std::optional<Delivery> one = take_any(acknowledge_tag)) std::erase(waiting, one->rank);
            if (!waiting.empty()) return false;
            consensus.begin();
        }
        return consensus.reached();
    };
    courier_.wait(reached, [&] {
        if (waiting.empty()) return format("%s: some rank that has not sent all yet", what_.c_str());
        return format("%s: rank %d, and %zd more, to take a message", what_.c_str(), waiting[0], std::ssize(waiting) - 1);
    });
    messages_sent_ += consensus.told();
    return came;
}

} // namespace halo
