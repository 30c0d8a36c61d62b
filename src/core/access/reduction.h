// SPDX-License-Identifier: BSD-3-Clause
// Values combined over all ranks without blocking. The tree and the order are those of allreduce: up to rank 0, each rank appending its children's
// values in the order of ranks, and down again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "comm/context.h"

namespace halo {

class Reduction;

// Those of a context. Who waits for one moves all, because other ranks may be waiting for another.
using Reductions = std::vector<Reduction *>;

class Reduction {
public:
    Reduction(Context &context, Reductions &all, int64_t n, halo_type type, halo_op op);
    ~Reduction();
    Reduction(const Reduction &) = delete;
    Reduction &operator=(const Reduction &) = delete;

    std::string what() const;
    void begin(const void *in);
    bool test();
    void end(void *out);

private:
    enum class Phase : uint8_t { idle, up, down, done, dead };
    // In front of the values.
    struct Head {
        uint32_t magic; // as in a MessageHeader, and the serial where it stands there
        uint32_t reserved;
        uint32_t serial;
        uint32_t run;
    };
    struct Receive {
        int32_t peer = -1;
        std::vector<std::byte> bytes;
        halo_request request{};
        bool posted = false;
    };

    void post(Receive &receive);
    bool here(Receive &receive);
    void send(Parcel &parcel);
    bool sent(Parcel &parcel);
    void finish_old_sends();
    void advance() noexcept;
    void step_up();
    void step_down();
    void pass_down();

    Context &context_;
    Reductions &all_;
    std::optional<Error> error_; // why it is dead
    int64_t n_;
    halo_type type_;
    halo_op op_;
    RunId id_;
    uint32_t run_ = 0;
    Phase phase_ = Phase::idle;
    size_t n_combined_ = 0;              // children whose values are in
    std::vector<std::byte> values_;      // head and values
    std::vector<Receive> from_children_; // ascending
    Receive from_parent_;
    std::unique_ptr<Parcel> to_parent_;                   // null: this is rank 0
    std::vector<std::unique_ptr<Parcel>> to_children_[2]; // by parity of the run: a child may still be reading the last one
};

} // namespace halo
