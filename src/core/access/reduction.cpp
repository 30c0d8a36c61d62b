// SPDX-License-Identifier: BSD-3-Clause
#include "access/reduction.h"

#include <algorithm>
#include <cstring>

#include "base/combine.h"
#include "base/types.h"
#include "comm/wait.h"
#include "stream/wire.h"

namespace halo {

namespace {

std::unique_ptr<Parcel> make_parcel(int32_t peer, size_t bytes) {
    auto parcel = std::make_unique<Parcel>();
    parcel->peer = peer;
    parcel->bytes.resize(bytes);
    return parcel;
}

} // namespace

Reduction::Reduction(Context &context, Reductions &all, int64_t n, halo_type type, halo_op op)
    : context_(context),
      all_(all),
      n_(n),
      type_(type),
      op_(op),
      id_(context.next_run()) {
    const size_t bytes = sizeof(Head) + static_cast<size_t>(n) * type_bytes(type);
    values_.resize(bytes);
    int64_t step = 1;
    for (; step < context.size() && (context.rank() & step) == 0; step *= 2) {
        if (context.rank() + step >= context.size()) continue;
        const auto child = static_cast<int32_t>(context.rank() + step);
        from_children_.push_back({ child, std::vector<std::byte>(bytes) });
        for (auto &parcels : to_children_) parcels.push_back(make_parcel(child, bytes));
    }
    if (context.rank() > 0) {
        const auto parent = static_cast<int32_t>(context.rank() - step);
        from_parent_ = { parent, std::vector<std::byte>(bytes) };
        to_parent_ = make_parcel(parent, bytes);
    }
    all_.push_back(this);
    ++context_.children;
}

Reduction::~Reduction() {
    --context_.children;
    std::erase(all_, this);
    const auto cancel = [&](Receive &receive) {
        if (receive.posted) context_.transport().cancel(receive.request, receive.peer);
    };
    const auto leave = [&](std::unique_ptr<Parcel> &parcel) {
        if (!parcel || !parcel->in_flight) return;
        parcel->abandoned = phase_ != Phase::idle;
        context_.linger(std::move(parcel));
    };
    try {
        for (Receive &receive : from_children_) cancel(receive);
        cancel(from_parent_);
    } catch (const Error &) { // the transport has failed
    }
    leave(to_parent_);
    for (auto &parcels : to_children_)
        for (auto &parcel : parcels) leave(parcel);
}

std::string Reduction::what() const {
    return format("reduction %u of %lld values of %s by %s", id_.serial(), static_cast<long long>(n_), type_name(type_), op_name(op_));
}

void Reduction::post(Receive &receive) {
    context_.transport().receive(receive.peer, 0, id_.tag(), receive.bytes.data(), receive.bytes.size(), receive.request);
    receive.posted = true;
}

bool Reduction::here(Receive &receive) {
    if (!receive.posted) return true;
    receive.posted = false; // a test that fails has ended it
    size_t bytes = 0;
    try {
        if (!context_.transport().test(receive.request, receive.peer, &bytes)) {
            receive.posted = true;
            return false;
        }
    } catch (const Error &error) {
        fail(error.status(),
             "reduction %u, run %u of %lld values: message from rank %d: %s; are exchanges, groups and reductions created in the same order on both?",
             id_.serial(), run_, static_cast<long long>(n_), receive.peer, error.what());
    }
    Head head{};
    if (bytes >= sizeof head) std::memcpy(&head, receive.bytes.data(), sizeof head);
    if (head.magic == message_magic || (head.magic == reduction_magic && head.serial != id_.serial()))
        fail(HALO_ERR_MISMATCH,
             "reduction %u, run %u of %lld values: rank %d is in %s of this context: the ranks create their exchanges, groups and reductions in "
             "different order",
             id_.serial(), run_, static_cast<long long>(n_), receive.peer,
             format(head.magic == message_magic ? "exchange or group %u" : "reduction %u", head.serial).c_str());
    if (bytes != receive.bytes.size() || head.magic != reduction_magic || head.serial != id_.serial() || head.run != run_)
        fail(HALO_ERR_WIRE, "reduction %u, run %u of %lld values: rank %d sent %zu bytes of object %u, run %u", id_.serial(), run_,
             static_cast<long long>(n_), receive.peer, bytes, head.serial, head.run);
    return true;
}

void Reduction::send(Parcel &parcel) {
    std::memcpy(parcel.bytes.data(), values_.data(), values_.size());
    context_.transport().send(parcel.peer, 0, id_.tag(), parcel.bytes.data(), parcel.bytes.size(), parcel.request);
    parcel.in_flight = true;
}

bool Reduction::sent(Parcel &parcel) {
    if (parcel.in_flight && context_.transport().test(parcel.request, parcel.peer)) parcel.in_flight = false;
    return !parcel.in_flight;
}

// Those whose memory this run needs. Their receivers have answered them since.
void Reduction::finish_old_sends() {
    Waiter waiter(context_, context_.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto wait_for = [&](Parcel &parcel) {
        const auto missing = [&] { return format("reduction %u, run %u: the values for rank %d", id_.serial(), run_, parcel.peer); };
        while (!sent(parcel))
            if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
    };
    if (to_parent_) wait_for(*to_parent_);
    for (auto &parcel : to_children_[(run_ + 1) % 2]) wait_for(*parcel);
}

void Reduction::begin(const void *in) {
    if (phase_ != Phase::idle)
        fail(HALO_ERR_STATE, phase_ == Phase::dead ? "reduction %u has failed: it can only be destroyed" : "reduction %u: begun and not ended",
             id_.serial());
    finish_old_sends();
    ++run_;
    const Head head{ reduction_magic, 0, id_.serial(), run_ };
    std::memcpy(values_.data(), &head, sizeof head);
    if (n_ > 0) std::memcpy(values_.data() + sizeof head, in, values_.size() - sizeof head);
    n_combined_ = 0;
    phase_ = Phase::dead; // unless all of this works
    for (Receive &receive : from_children_) post(receive);
    if (to_parent_) post(from_parent_);
    phase_ = Phase::up;
    test();
}

void Reduction::step_up() {
    for (; n_combined_ < from_children_.size(); ++n_combined_) {
        Receive &child = from_children_[n_combined_];
        if (!here(child)) return;
        combine(values_.data() + sizeof(Head), child.bytes.data() + sizeof(Head), n_, type_, op_);
    }
    if (to_parent_)
        send(*to_parent_);
    else
        pass_down();
    phase_ = to_parent_ ? Phase::down : Phase::done;
}

void Reduction::pass_down() {
    auto &parcels = to_children_[run_ % 2];
    for (auto parcel = parcels.rbegin(); parcel != parcels.rend(); ++parcel) send(**parcel);
}

void Reduction::step_down() {
    if (!here(from_parent_)) return;
    std::swap(values_, from_parent_.bytes);
    pass_down();
    phase_ = Phase::done;
}

void Reduction::advance() noexcept {
    try {
        if (phase_ == Phase::up) step_up();
        if (phase_ == Phase::down) step_down();
    } catch (const Error &error) {
        phase_ = Phase::dead;
        error_ = error;
    }
}

bool Reduction::test() {
    for (Reduction *one : all_) one->advance();
    if (phase_ == Phase::dead && error_) throw Error(*error_);
    if (phase_ == Phase::idle || phase_ == Phase::dead) fail(HALO_ERR_STATE, "reduction %u: nothing is under way", id_.serial());
    return phase_ == Phase::done;
}

void Reduction::end(void *out) {
    Waiter waiter(context_, context_.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto missing = [&] {
        const bool up = phase_ == Phase::up;
        return format("reduction %u, run %u: values from rank %d", id_.serial(), run_, up ? from_children_[n_combined_].peer : from_parent_.peer);
    };
    while (!test())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
    if (n_ > 0) std::memcpy(out, values_.data() + sizeof(Head), values_.size() - sizeof(Head));
    phase_ = Phase::idle;
}

} // namespace halo
