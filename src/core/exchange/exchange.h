// SPDX-License-Identifier: BSD-3-Clause
// Fills ghosts: one run at a time over a compiled plan.
//
// idle --post--> posted --send--> sent --test until here, unpack--> unpacked --refine--> idle
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "exchange/any_exchange.h"
#include "exchange/check_mode.h"
#include "exchange/messages.h"
#include "exchange/plan_cache.h"

namespace halo {

class Exchange final : public AnyExchange {
public:
    // Of the fields with themselves (one that comes twice must have other storage in each run); with `transfer`, from the first half of them to the
    // second. `sweep`: as in PlanShape.
    Exchange(PlanCache &plans, std::vector<Field *> fields, const halo_exchange_desc &desc, const halo_transfer_desc *transfer = nullptr,
             int32_t sweep = -1);
    ~Exchange() override;

    bool in_flight() const override { return phase_ != Phase::idle && phase_ != Phase::dead; }
    bool usable() const { return phase_ != Phase::dead; }
    size_t n_fields() const { return shape_.fields.size(); }
    int64_t runs() const { return runs_; }

    // Payload of one field to other ranks in a run of all.
    int64_t payload_bytes(size_t field) const;
    // A value that all ranks must have given before the next run, or it fails as one that is narrowed differently.
    void agree_on(uint64_t value) { agreement_ = value; }
    // Tells the peers, in place of the next run, that this rank cannot take part.
    void refuse(const Error &error);

    void start(const halo_run &run, halo_stream stream) override;
    void finish(halo_stream stream) override;
    void post(const halo_run &run) override;
    bool send(halo_stream stream) override;
    bool test() override;
    void unpack(halo_stream stream) override;
    void refine() override;
    void abandon() override;
    std::vector<Arrivals::Part> arrivals() override;
    Field *field(int32_t index) const override { return shape_.fields[index]; }
    void count(halo_exchange_stats &stats) const override;

private:
    enum class Phase : uint8_t { idle, posted, sent, unpacked, dead };
    using Clock = std::chrono::steady_clock;

    void check_kind() const;
    void set_sections();
    void set_transfer(const halo_transfer_desc &transfer);
    void know_transfer_boxes();
    void check_transfer_pair(const Field &source, const Field &destination) const;
    void combine();
    void combine_by(const Plan &plan, const std::vector<void *> &bases) const;
    void make_messages();
    void require(Phase phase, const char *call) const;
    void refresh_plan();
    const Plan *variant(const halo_run &run);
    void check_narrowing(const halo_run &run) const;
    void fill_bases(const halo_run &run);
    void prepare(const halo_run &run);
    void check_before_send();
    void do_send();
    void mark_in_flight(int32_t change);
    void end_run(Phase phase);
    template <class Step>
    void step(Step &&step); // a failing one ends the run
    void wait_until_writable();
    void wait_until_here();
    void note_arrivals();
    double timeout() const { return context_.timeout(desc_.timeout_seconds); }

    Context &context_;
    PlanCache &plans_;
    PlanShape shape_;
    halo_exchange_desc desc_;
    RunId id_;
    std::string what_;
    uint64_t layouts_ = 0; // of the fields when the plan was compiled
    std::shared_ptr<const Plan> plan_;
    std::shared_ptr<const Plan> first_plan_; // the messages name edges by it; layouts may have changed since
    std::vector<std::unique_ptr<Plan>> variants_;
    PlanNarrowing wanted_; // scratch of variant()
    std::unique_ptr<Messages> messages_;
    Run run_;
    Arrivals arrivals_;
    bool arrivals_noted_ = false;
    uint64_t agreement_ = 0;
    Phase phase_ = Phase::idle;
    std::unique_ptr<CheckMode> check_;
    Buffer canonical_scratch_;
    Buffer staging_; // contributions of this rank, where they are combined
    int64_t runs_ = 0;
    int64_t local_bytes_ = 0;
    int64_t local_states_ = 0;
    int64_t local_nulls_ = 0;
    int64_t compiled_ = 0;
    int64_t compiled_rows_ = 0;
    double wait_seconds_ = 0;
    double total_seconds_ = 0;
};

} // namespace halo
