// SPDX-License-Identifier: BSD-3-Clause
// Ghosts filled direction by direction: an exchange for each, the next one started when the one before is done, so that edges and corners
// ride along with faces.
#pragma once

#include <memory>

#include "exchange/exchange.h"

namespace halo {

class Sweeps final : public AnyExchange {
public:
    Sweeps(PlanCache &plans, const std::vector<Field *> &fields, const halo_exchange_desc &desc);

    bool in_flight() const override { return running_; }
    void start(const halo_run &run, halo_stream stream) override;
    void finish(halo_stream stream) override;
    void post(const halo_run &run) override;
    bool send(halo_stream stream) override;
    bool test() override;
    void unpack(halo_stream stream) override;
    void refine() override;
    void abandon() override;
    std::vector<Arrivals::Part> arrivals() override { return present().arrivals(); }
    Field *field(int32_t index) const override { return sweeps_[0]->field(index); }
    void count(halo_exchange_stats &stats) const override;

private:
    void keep(const halo_run &run);
    Exchange &present() const { return *sweeps_[present_]; }
    bool is_last() const { return present_ + 1 == sweeps_.size(); }
    template <class Step>
    void step(Step &&step); // a failing one ends the run

    std::vector<std::unique_ptr<Exchange>> sweeps_;
    size_t n_pointers_ = 0; // of a run
    size_t present_ = 0;
    bool running_ = false;
    bool sent_ = false; // the present sweep's part
    halo_stream stream_ = HALO_STREAM_NONE;
    // The caller's arrays need not outlive start.
    halo_run run_ = HALO_RUN_INIT;
    std::vector<int32_t> mask_;
    std::vector<int32_t> sets_;
    std::vector<void *> data_;
};

} // namespace halo
