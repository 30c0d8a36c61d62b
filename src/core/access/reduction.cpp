// SPDX-License-Identifier: BSD-3-Clause
#include "access/reduction.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "comm/wait.h"
#include "stream/wire.h"

namespace halo {

namespace {

constexpr uint16_t reduction_version = 2; // before it they were of one item, which each message described

enum class Kind : uint16_t { values = 1, failure = 2 };

struct Head {
    uint32_t magic; // as in a MessageHeader, and the serial where it stands there
    uint16_t version;
    Kind kind;
    uint32_t serial;
    uint32_t run;
    uint64_t described; // checksum of the description of items, which stands behind the values in the first run
    int64_t n_items;
};
static_assert(sizeof(Head) == ReducedItems::head_bytes, "the head is part of the wire format");

// What follows in a failure: the first cause, and behind it its text.
struct Told {
    int32_t rank;
    halo_status status;
};

Head head_of(std::span<const std::byte> message) {
    Head head{};
    std::memcpy(&head, message.data(), std::min(message.size(), sizeof head));
    return head;
}

// At the end of a message of the first run.
std::span<const std::byte> description_in(std::span<const std::byte> message, const Head &head) {
    return message.last(static_cast<size_t>(head.n_items) * sizeof(Reduced));
}

const char *description_error(std::span<const std::byte> message, const Head &head) {
    if (head.n_items < 0 || head.n_items > limits::reduced_items) return "what it reduces cannot be";
    if (message.size() < sizeof head + static_cast<size_t>(head.n_items) * sizeof(Reduced)) return "it is shorter than its description";
    const std::span<const std::byte> description = description_in(message, head);
    return checksum(description.data(), description.size()) != head.described ? "its description is damaged" : nullptr;
}

// What is wrong with a message that begins with this head, or nullptr.
const char *message_error(std::span<const std::byte> message, const Head &head, uint32_t run) {
    if (head.magic != reduction_magic) return "it has not the magic of a message of this library";
    if (head.version != reduction_version) return "it is of another wire version";
    if (message.size() < sizeof head) return "it is shorter than a header";
    if (head.run != run) return "it is of another run";
    switch (head.kind) {
    case Kind::values: return run == 1 ? description_error(message, head) : nullptr;
    case Kind::failure: return message.size() < sizeof head + sizeof(Told) ? "it is shorter than messages of its kind" : nullptr;
    }
    return "its kind is not known";
}

std::unique_ptr<Parcel> make_parcel(int32_t peer, size_t bytes) {
    auto parcel = std::make_unique<Parcel>();
    parcel->peer = peer;
    parcel->bytes.resize(bytes);
    return parcel;
}

} // namespace

Reduction::Reduction(Context &context, Reductions &all, ReducedItems items)
    : context_(context),
      all_(all),
      items_(std::move(items)),
      id_(context.next_run()),
      values_(most_bytes()) {
    int64_t step = 1;
    for (; step < context.size() && (context.rank() & step) == 0; step *= 2) {
        if (context.rank() + step >= context.size()) continue;
        const auto child = static_cast<int32_t>(context.rank() + step);
        from_children_.push_back({ child, make_parcel(child, most_bytes()) });
        for (auto &parcels : to_children_) parcels.push_back(make_parcel(child, first_bytes()));
    }
    if (context.rank() > 0) {
        const auto parent = static_cast<int32_t>(context.rank() - step);
        from_parent_ = { parent, make_parcel(parent, most_bytes()) };
        to_parent_ = make_parcel(parent, first_bytes());
    }
    all_.reserve(all_.size() + 1);
    context_.inquiries().add(id_.serial(), *this);
    all_.push_back(this);
    ++context_.children;
}

Reduction::~Reduction() {
    --context_.children;
    std::erase(all_, this);
    context_.inquiries().remove(id_.serial());
    const auto let_go = [&](Receive &receive) {
        try {
            if (receive.in_flight) context_.fabric().cancel(receive.request, receive.peer);
        } catch (...) {
            if (may_still_be_used()) context_.lose(std::move(receive.into));
        }
        try {
            if (error_ && receive.peer >= 0) context_.take_leftovers(receive.peer, 0, id_.tag());
        } catch (...) { // nobody waits for them any more
        }
    };
    const auto leave = [&](std::unique_ptr<Parcel> &parcel, bool abandoned) {
        if (!parcel || !parcel->in_flight) return;
        parcel->abandoned = abandoned;
        context_.linger(std::move(parcel));
    };
    for (Receive &receive : from_children_) let_go(receive);
    let_go(from_parent_);
    const bool given_up = phase_ != Phase::idle && phase_ != Phase::done;
    leave(to_parent_, given_up);
    for (auto &parcel : to_children_[run_ % 2]) leave(parcel, given_up);
    for (auto &parcel : to_children_[(run_ + 1) % 2]) leave(parcel, false); // of the run before, which is not given up
}

std::string Reduction::what() const { return format("reduction %u of %s", id_.serial(), items_.text().c_str()); }

Terms Reduction::terms() const {
    Terms terms;
    terms.add("what it is", what());
    const std::vector<Reduced> &items = items_.described();
    for (size_t i = 0; items.size() > 1 && i < items.size(); ++i) terms.add(format("item %zu", i), items[i].text());
    return terms;
}

std::vector<int32_t> Reduction::awaited() const {
    if (phase_ == Phase::up && n_combined_ < from_children_.size()) return { from_children_[n_combined_].peer };
    return phase_ == Phase::down ? std::vector<int32_t>{ from_parent_.peer } : std::vector<int32_t>{};
}

// A failure may come in place of values.
size_t Reduction::most_bytes() const { return std::max(first_bytes(), sizeof(Head) + sizeof(Told) + most_failure_text); }

void Reduction::post(Receive &receive) {
    context_.fabric().receive(receive.peer, 0, id_.tag(), receive.bytes().data(), receive.bytes().size(), receive.request);
    receive.in_flight = true;
}

// A message of any length.
void Reduction::find(Receive &receive) {
    size_t bytes = 0;
    Matched message{};
    if (!context_.fabric().probe(receive.peer, 0, id_.tag(), bytes, message)) return;
    if (receive.bytes().size() < bytes) receive.bytes().resize(bytes);
    context_.fabric().receive_matched(message, receive.peer, receive.bytes().data(), receive.bytes().size(), receive.request);
    receive.in_flight = true;
}

bool Reduction::has_come(Receive &receive, size_t &bytes) {
    if (!receive.in_flight) find(receive);
    if (!std::exchange(receive.in_flight, false)) return false; // a test that fails has ended it
    receive.in_flight = !context_.fabric().test(receive.request, receive.peer, &bytes);
    return !receive.in_flight;
}

bool Reduction::take(Receive &receive) {
    size_t bytes = 0;
    try {
        if (!has_come(receive, bytes)) return false;
    } catch (const Error &error) {
        fail(error.status(),
             "reduction %u, run %u of %s: message from rank %d: %s; are exchanges, groups and reductions created in the same order on both?",
             id_.serial(), run_, items_.text().c_str(), receive.peer, error.what());
    }
    if (is_of_object_before(receive, bytes)) {
        ++context_.dropped;
        if (receive.agrees) post(receive);
        return false;
    }
    check(receive, bytes);
    receive.agrees = true;
    return true;
}

// Whose tag this one has got since.
bool Reduction::is_of_object_before(Receive &receive, size_t bytes) const {
    if (bytes < sizeof(Head)) return false;
    const Head head = head_of(std::span(receive.bytes()).first(bytes));
    return (head.magic == message_magic || head.magic == reduction_magic) && is_before(head.serial, id_.serial());
}

void Reduction::check(Receive &receive, size_t bytes) const {
    const std::span<const std::byte> message = std::span(receive.bytes()).first(bytes);
    const Head head = head_of(message);
    const bool of_another = head.magic == message_magic || (head.magic == reduction_magic && head.serial != id_.serial());
    if (of_another && bytes >= sizeof head)
        fail(HALO_ERR_MISMATCH,
             "reduction %u, run %u of %s: rank %d is in %s of this context: the ranks create their exchanges, groups and reductions in "
             "different order",
             id_.serial(), run_, items_.text().c_str(), receive.peer,
             format(head.magic == message_magic ? "exchange or group %u" : "reduction %u", head.serial).c_str());
    const auto require_good = [&](const char *error) {
        if (error)
            fail(HALO_ERR_WIRE, "reduction %u, run %u of %s: rank %d sent %zu bytes of object %u, run %u: %s", id_.serial(), run_,
                 items_.text().c_str(), receive.peer, bytes, head.serial, head.run, error);
    };
    require_good(message_error(message, head, run_));
    if (head.kind == Kind::failure) fail_as_told(receive, bytes);
    const bool agrees = head.described == items_.checksum() && head.n_items == items_.n();
    if (describes() && !agrees) fail_differing(receive.peer, description_in(message, head));
    require_good(agrees ? nullptr : "it is of other items than the first");
    require_good(bytes != message_bytes() ? "it has not as many values as it tells" : nullptr);
}

void Reduction::fail_as_told(Receive &receive, size_t bytes) const {
    receive.told = true;
    Told told;
    std::memcpy(&told, receive.bytes().data() + sizeof(Head), sizeof told);
    const size_t before_text = sizeof(Head) + sizeof told;
    fail_after(HALO_ERR_PEER, format("reduction %u: rank %d has no part in run %u", id_.serial(), receive.peer, run_),
               { told.rank, told.status, { reinterpret_cast<const char *>(receive.bytes().data()) + before_text, bytes - before_text } });
}

void Reduction::fail_differing(int32_t peer, std::span<const std::byte> description) const {
    std::vector<Reduced> theirs(description.size() / sizeof(Reduced));
    if (!theirs.empty()) std::memcpy(theirs.data(), description.data(), description.size());
    const int32_t rank = context_.rank();
    const std::vector<Reduced> &mine = items_.described();
    const std::vector<Reduced> &low = rank < peer ? mine : theirs, &high = rank < peer ? theirs : mine;
    const auto [of_low, of_high] = std::ranges::mismatch(low, high);
    const std::string item = low.size() == 1 && high.size() == 1 ? "" : format(", item %td", of_low - low.begin());
    fail(HALO_ERR_MISMATCH, "reduction %u, run %u%s: rank %d reduces %s, rank %d %s", id_.serial(), run_, item.c_str(), std::min(rank, peer),
         of_low == low.end() ? "nothing" : of_low->text().c_str(), std::max(rank, peer), of_high == high.end() ? "nothing" : of_high->text().c_str());
}

void Reduction::send(Parcel &parcel) {
    std::memcpy(parcel.bytes.data(), values_.data(), message_bytes());
    context_.fabric().send(parcel.peer, 0, id_.tag(), parcel.bytes.data(), message_bytes(), parcel.request);
    parcel.in_flight = true;
}

// Those whose memory this run needs. Their receivers have answered them since.
void Reduction::finish_old_sends() {
    Waiter waiter(context_, context_.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto wait_for = [&](Parcel &parcel) {
        const auto missing = [&] { return format("reduction %u, run %u: the values for rank %d", id_.serial(), run_, parcel.peer); };
        while (!is_complete(parcel, context_.fabric()))
            if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
    };
    if (to_parent_) wait_for(*to_parent_);
    for (auto &parcel : to_children_[(run_ + 1) % 2]) wait_for(*parcel);
}

void Reduction::begin(const void *in) {
    if (phase_ == Phase::dead) fail(HALO_ERR_STATE, "reduction %u has failed: it can only be destroyed: %s", id_.serial(), error_->what());
    if (phase_ != Phase::idle) fail(HALO_ERR_STATE, "reduction %u: begun and not ended", id_.serial());
    finish_old_sends();
    ++run_;
    const Head head{ reduction_magic, reduction_version, Kind::values, id_.serial(), run_, items_.checksum(), items_.n() };
    std::memcpy(values_.data(), &head, sizeof head);
    items_.read(in, values_.data());
    if (describes() && items_.described_bytes() > 0) std::memcpy(values_.data() + items_.end(), items_.described().data(), items_.described_bytes());
    n_combined_ = 0;
    phase_ = Phase::up;
    try {
        for (Receive &receive : from_children_)
            if (receive.agrees) post(receive);
        if (from_parent_.agrees) post(from_parent_);
    } catch (...) {
        die(present_error());
    }
    test();
}

void Reduction::combine(const Receive &child) {
    for (int64_t i = 0; i < items_.n(); ++i) {
        const halo_status status = items_.combine(i, values_.data(), child.bytes().data(), context_.call_rules());
        if (status != HALO_SUCCESS)
            fail(status >= HALO_ERR_ARGUMENT ? status : HALO_ERR_ARGUMENT,
                 "reduction %u, run %u: the combine callback returned %s for item %lld, with values from rank %d on", id_.serial(), run_,
                 status_name(status), static_cast<long long>(i), child.peer);
    }
}

void Reduction::step_up() {
    for (; n_combined_ < from_children_.size(); ++n_combined_) {
        Receive &child = from_children_[n_combined_];
        if (!take(child)) return;
        combine(child);
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
    if (!take(from_parent_)) return;
    std::swap(values_, from_parent_.bytes());
    pass_down();
    phase_ = Phase::done;
}

void Reduction::advance() noexcept {
    try {
        if (phase_ == Phase::up) step_up();
        if (phase_ == Phase::down) step_down();
    } catch (...) {
        die(present_error());
    }
}

// Those above who have this rank's values are told in place of the next run's.
void Reduction::die(const Error &error) noexcept {
    if (to_parent_) tell(from_parent_, phase_ == Phase::up ? run_ : run_ + 1, error);
    for (const Receive &child : from_children_) tell(child, run_, error);
    phase_ = Phase::dead;
    error_ = error;
}

void Reduction::tell(const Receive &neighbour, uint32_t run, const Error &error) noexcept {
    if (neighbour.told) return;
    try {
        const FirstCause *first = error.first_cause();
        const Told told{ first ? first->rank : context_.rank(), first ? first->status : error.status() };
        const std::string text = (first ? first->text : error.text()).substr(0, most_failure_text);
        const Head head{ reduction_magic, reduction_version, Kind::failure, id_.serial(), run, items_.checksum(), items_.n() };
        auto parcel = make_parcel(neighbour.peer, sizeof head + sizeof told + text.size());
        std::memcpy(parcel->bytes.data(), &head, sizeof head);
        std::memcpy(parcel->bytes.data() + sizeof head, &told, sizeof told);
        std::memcpy(parcel->bytes.data() + sizeof head + sizeof told, text.data(), text.size());
        context_.fabric().send(neighbour.peer, 0, id_.tag(), parcel->bytes.data(), parcel->bytes.size(), parcel->request);
        context_.linger(std::move(parcel));
    } catch (...) { // the transport has failed or ended, or there is no memory: it finds out by its time limit
    }
}

bool Reduction::test() {
    for (Reduction *one : all_) one->advance();
    if (phase_ == Phase::dead) throw Error(*error_);
    if (phase_ == Phase::idle) fail(HALO_ERR_STATE, "reduction %u: nothing is under way", id_.serial());
    return phase_ == Phase::done;
}

void Reduction::end(void *out) {
    Waiter waiter(context_, context_.timeout(HALO_TIMEOUT_CONFIGURED), id_.serial());
    const auto missing = [&] {
        std::string text = format("reduction %u, run %u: values", id_.serial(), run_);
        for (const int32_t rank : awaited()) text += format(" from rank %d", rank);
        return text + context_.inquiries().known_of_peers(id_.serial());
    };
    while (!test())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
    items_.write(values_.data(), out);
    phase_ = Phase::idle;
}

} // namespace halo
