// SPDX-License-Identifier: BSD-3-Clause
// Values combined over all ranks without blocking. The tree and the order are those of allreduce: up to rank 0, each rank appending its children's
// values in the order of ranks, and down again. All items travel in one message, the first of which between two ranks also says what its sender
// reduces. Who finds another description or fails otherwise tells its neighbours in the tree in place of values, and they theirs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "access/reduced.h"
#include "comm/context.h"

namespace halo {

class Reduction;

// Those of a context. Who waits for one moves all, because other ranks may be waiting for another.
using Reductions = std::vector<Reduction *>;

class Reduction final : public Described {
public:
    Reduction(Context &context, Reductions &all, ReducedItems items);
    ~Reduction() override;
    Reduction(const Reduction &) = delete;
    Reduction &operator=(const Reduction &) = delete;

    std::string what() const override;
    Terms terms() const override;
    std::vector<int32_t> awaited() const override;
    bool has_values() const { return items_.has_values(); }
    bool under_way() const { return phase_ == Phase::up || phase_ == Phase::down; }
    void begin(const void *in);
    bool test();
    void end(void *out);

private:
    enum class Phase : uint8_t { idle, up, down, done, dead };
    struct Receive {
        int32_t peer = -1;
        std::unique_ptr<Parcel> into{};
        Request request{};
        bool in_flight = false;
        bool agrees = false; // its sender reduces the same: no longer messages can come
        bool told = false;   // of a failure

        std::vector<std::byte> &bytes() const { return into->bytes; }
    };

    size_t most_bytes() const;
    // The first run's messages end with a description of the items.
    bool describes() const { return run_ == 1; }
    size_t first_bytes() const { return items_.end() + items_.described_bytes(); }
    size_t message_bytes() const { return describes() ? first_bytes() : items_.end(); }
    void post(Receive &receive);
    void find(Receive &receive);
    bool has_come(Receive &receive, size_t &bytes);
    bool take(Receive &receive);
    bool is_of_object_before(Receive &receive, size_t bytes) const;
    void check(Receive &receive, size_t bytes) const;
    [[noreturn]] void fail_as_told(Receive &receive, size_t bytes) const;
    [[noreturn]] void fail_differing(int32_t peer, std::span<const std::byte> description) const;
    void combine(const Receive &child);
    void send(Parcel &parcel);
    void finish_old_sends();
    void advance() noexcept;
    void step_up();
    void step_down();
    void pass_down();
    void die(const Error &error) noexcept;
    void tell(const Receive &neighbour, uint32_t run, const Error &error) noexcept;

    Context &context_;
    Reductions &all_;
    std::optional<Error> error_; // why it is dead
    ReducedItems items_;
    RunId id_;
    uint32_t run_ = 0;
    Phase phase_ = Phase::idle;
    size_t n_combined_ = 0;              // children whose values are in
    std::vector<std::byte> values_;      // a message with them
    std::vector<Receive> from_children_; // ascending
    Receive from_parent_;
    std::unique_ptr<Parcel> to_parent_;                   // null: this is rank 0
    std::vector<std::unique_ptr<Parcel>> to_children_[2]; // by parity of the run: a child may still be reading the last one
};

} // namespace halo
