// SPDX-License-Identifier: BSD-3-Clause
// HALO_KIND_FETCH: copies are gathered into slots beside their owner's point, combined there one after the other, each slot keeping the value that
// was there before; then the slots go back to the copies.
#pragma once

#include <memory>

#include "exchange/exchange.h"
#include "topology/points/slots.h"

namespace halo {

class Fetch final : public AnyExchange {
public:
    Fetch(PlanCache &plans, std::vector<Field *> fields, const halo_exchange_desc &desc);
    ~Fetch() override;

    bool in_flight() const override { return running_; }
    void start(const halo_run &run, halo_stream stream) override;
    void finish(halo_stream stream) override;
    void post(const halo_run &run) override;
    bool send(halo_stream stream) override;
    bool test() override;
    void unpack(halo_stream stream) override;
    void refine() override;
    void abandon() override;
    std::vector<Arrivals::Part> arrivals() override { return {}; }
    Field *field(int32_t index) const override { return items_[static_cast<size_t>(index)].field; }
    void count(halo_exchange_stats &stats) const override;

private:
    // One topology's slots, and its two directions.
    struct Ground {
        explicit Ground(const PointsTopology &points) : slots(points), there(slots, false), back(slots, true) {}
        Slots slots;
        SlotsTopology there;
        SlotsTopology back;
    };
    // A field of the caller's, and what stands for it on the way.
    struct Item {
        Field *field;
        const Slots *slots;
        std::unique_ptr<Field> there;
        std::unique_ptr<Field> back;
        Buffer storage; // of the slots: components slowest
    };

    void check(const std::vector<Field *> &fields) const;
    void add_item(Field &field);
    void follow_layout(const Item &item) const;
    void prepare(const halo_run &run);
    void combine();
    void combine(const Item &item, std::byte *points);
    Exchange &present() const { return is_back_ ? *back_ : *there_; }
    void begin();
    void end();
    template <class Step>
    void step(Step &&step); // a failing one ends the run

    halo_exchange_desc desc_;
    std::vector<std::unique_ptr<Ground>> grounds_;
    std::vector<Item> items_;
    std::unique_ptr<Exchange> there_;
    std::unique_ptr<Exchange> back_;
    bool running_ = false;
    bool is_back_ = false;
    bool sent_ = false; // of the present direction
    halo_stream stream_ = HALO_STREAM_NONE;
    // The caller's arrays need not outlive start.
    halo_run run_ = HALO_RUN_INIT;
    std::vector<int32_t> mask_;
    std::vector<void *> data_; // points and slots of each field
    std::vector<std::byte> old_;
};

} // namespace halo
