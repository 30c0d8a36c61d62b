// SPDX-License-Identifier: BSD-3-Clause
#include "particles/particles.h"

#include <algorithm>
#include <tuple>

#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective_stream.h"
#include "comm/wait.h"

namespace halo {

namespace {

ReducedItems outcome_items() {
    halo_reduction_item item = HALO_REDUCTION_ITEM_INIT;
    item.n = 2;
    item.type = HALO_INT64;
    item.op = HALO_MAX;
    return ReducedItems({ &item, 1 });
}

constexpr int64_t code_of(halo_status status, int32_t rank) { return static_cast<int64_t>(status) << 32 | static_cast<uint32_t>(rank); }

bool lasts(const Error &error) { return error.first_cause() && error.first_cause()->lasts; }

} // namespace

Particles::Particles(Topology &topology, Reductions &reductions, const halo_particles_desc &desc)
    : context_(topology.context()),
      topology_(topology),
      timeout_seconds_(desc.timeout_seconds) {
    const auto describe = [&] {
        columns_.emplace(desc, topology.n_dims());
        leavers_.emplace(topology, *columns_);
        return terms().hash();
    };
    agree_on(context_, "particles", describe, [&] { return terms(); });
    reduction_ = std::make_unique<Reduction>(context_, reductions, outcome_items());
    id_ = context_.next_run();
    make_links();
    counts_.resize(topology.local_parts().size());
    context_.inquiries().add(id_.serial(), *this);
    context_.progressing().add(*this);
    ++context_.children;
}

Particles::~Particles() {
    --context_.children;
    context_.progressing().remove(*this);
    context_.inquiries().remove(id_.serial());
}

// Neighbours know of each other, but lists that a program made may go one way.
void Particles::make_links() {
    std::vector<Delivery> told;
    for (const int32_t peer : topology_.peers()) {
        peers_.push_back(peer);
        told.push_back({ peer, {} });
    }
    for (const Delivery &one : Discovery(context_, discovery_kind(context_), "particles").exchange(std::move(told))) peers_.push_back(one.rank);
    std::sort(peers_.begin(), peers_.end());
    peers_.erase(std::unique(peers_.begin(), peers_.end()), peers_.end());
    for (const int32_t peer : peers_) links_.push_back({ make_stream(peer), 0 });
    const auto distance = [&](const Link &link) { return (link.stream->peer() - context_.rank() + context_.size()) % context_.size(); };
    std::sort(links_.begin(), links_.end(), [&](const Link &a, const Link &b) { return distance(a) < distance(b); });
}

std::unique_ptr<Stream> Particles::make_stream(int32_t peer) const {
    StreamSpec spec;
    spec.peer = peer;
    spec.serial = id_.serial();
    spec.tag = id_.tag();
    spec.send.active = true;
    spec.send.payload_bytes = limits::exchanged_bytes;
    spec.send.digest.add_text("particles");
    spec.send.digest.add(terms().hash());
    spec.receive = spec.send;
    spec.probed = true;
    spec.edges = [](bool) { return std::vector<WireEdge>(); };
    spec.terms = [this] { return terms(); };
    spec.what = format("particles %u", id_.serial());
    return std::make_unique<Stream>(context_, std::move(spec));
}

std::string Particles::what() const {
    return format("particles %u of %zu columns, %zu bytes", id_.serial(), columns_->size(), columns_->record_bytes());
}

std::vector<int32_t> Particles::awaited() const {
    std::vector<int32_t> ranks;
    if (phase_ == Phase::sent)
        for (const Link &link : links_)
            if (!link.stream->arrived() || link.stream->leaves_late()) ranks.push_back(link.stream->peer());
    return ranks;
}

std::string Particles::missing() const {
    std::string text = format("particles %u, run %u: ", id_.serial(), run_);
    const std::vector<int32_t> near = awaited();
    const bool all_here = std::ranges::all_of(links_, [](const Link &link) { return link.stream->arrived(); });
    text += near.empty() ? "word that all ranks have begun it; from" : all_here ? "that those that leave are taken by" : "those from";
    const std::vector<int32_t> through = reduction_->awaited();
    for (const int32_t rank : near.empty() ? through : near) text += format(" rank %d", rank);
    return text + context_.inquiries().known_of_peers(id_.serial());
}

void Particles::require(Phase phase, const char *call) const {
    if (phase_ == phase) return;
    const unsigned serial = id_.serial();
    if (phase_ == Phase::dead) fail(HALO_ERR_STATE, "particles %u have failed: they can only be destroyed: %s", serial, error_->what());
    fail(HALO_ERR_STATE, "particles %u: %s is illegal now: %s", serial, call, in_flight() ? "a run is in flight" : "no run is in flight");
}

template <class Work>
auto Particles::for_good(Work &&work) {
    try {
        return work();
    } catch (...) {
        const Error error = present_error();
        if (phase_ != Phase::dead && error.status() != HALO_ERR_MEMORY && error.status() != HALO_TIMEOUT) die(error);
        throw error;
    }
}

// Peers find it in place of the next run.
void Particles::die(const Error &error) noexcept {
    phase_ = Phase::dead;
    error_ = error;
    for (Link &link : links_) try {
            const FirstCause *first = error.first_cause();
            const FirstCause cause{ first ? first->rank : context_.rank(), first ? first->status : error.status(), first ? first->text : error.text(),
                                    true };
            link.stream->send_failure(run_, Error(error.status(), error.text(), cause));
        } catch (...) { // it finds out by its time limit
        }
    for (Link &link : links_) link.stream->abandon();
}

// A run that failed on this rank is over when all have begun it.
void Particles::settle() {
    if (!reducing_) return;
    Waiter waiter(context_, timeout(), id_.serial());
    const auto missing = [&] { return this->missing(); };
    while (!all_have_begun())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
}

bool Particles::all_have_begun() {
    return for_good([&] {
        if (!reducing_) return true;
        if (!reduction_->test()) return false;
        reduction_->end(&outcome_);
        reducing_ = false;
        return true;
    });
}

void Particles::begin_run() {
    for_good([&] { raise_failed_progress(); });
    require(Phase::idle, "start");
    settle();
    ++run_;
    outcome_ = {};
    told_.reset();
    local_bytes_ = 0;
    far_.clear();
    came_far_.clear();
    far_fetched_ = false;
}

void Particles::start(const ParticleArrays &arrays) {
    const AtWork at_work(*this);
    begin_run();
    try {
        leavers_->find(arrays);
        make_room();
        for (Link &link : links_) link.stream->post(run_, {});
        wait_until_writable();
        send(arrays);
    } catch (...) {
        const Error error = present_error();
        refuse_run(error);
        throw error;
    }
    phase_ = Phase::sent;
    begin_reduction({ far_.empty() ? 0 : 1, 0 });
}

void Particles::refuse(const Error &error) {
    begin_run();
    refuse_run(error);
}

void Particles::refuse_run(const Error &error) {
    for (Link &link : links_) try {
            link.stream->send_failure(run_, error);
        } catch (...) { // the reduction tells it
        }
    end_failed_run();
    begin_reduction({ 0, code_of(error.status(), context_.rank()) });
    try {
        settle();
    } catch (const Error &) { // the next start waits again
    }
}

void Particles::end_failed_run() noexcept {
    phase_ = Phase::idle;
    for (Link &link : links_) try {
            link.stream->end_failed_run();
        } catch (...) {
            die(present_error());
        }
}

void Particles::begin_reduction(const Outcome &outcome) {
    const int64_t values[] = { outcome.goes_far, outcome.failure };
    try {
        reduction_->begin(values);
    } catch (...) {
        die(present_error());
        throw;
    }
    reducing_ = true;
}

std::span<const uint32_t> Particles::sections_to(int32_t rank) const {
    const Leavers &leavers = *leavers_;
    const std::span<const uint32_t> order = leavers.order();
    const auto rank_of = [&](uint32_t s) { return leavers.sections()[s].rank; };
    const auto first = std::ranges::lower_bound(order, rank, {}, rank_of);
    return { first, std::ranges::upper_bound(first, order.end(), rank, {}, rank_of) };
}

void Particles::make_room() {
    std::vector<ParticleSection> &sections = leavers_->sections();
    const size_t record = columns_->record_bytes();
    for (Link &link : links_) {
        link.bytes = place_sections(sections_to(link.stream->peer()), sections, record);
        link.stream->send_at_most(link.bytes);
    }
    for (std::span<const uint32_t> rest = leavers_->order(); !rest.empty();) {
        const int32_t rank = sections[rest[0]].rank;
        const std::span<const uint32_t> to_it = sections_to(rank);
        rest = rest.subspan(to_it.size());
        if (rank == context_.rank()) {
            local_bytes_ = place_sections(to_it, sections, record);
            if (local_.bytes() < local_bytes_) local_ = context_.host_buffer(local_bytes_);
        } else if (!std::binary_search(peers_.begin(), peers_.end(), rank)) {
            far_.push_back({ rank, std::vector<std::byte>(place_sections(to_it, sections, record)) });
        }
    }
}

void Particles::wait_until_writable() {
    const auto writable = [&] {
        bool all = true;
        for (Link &link : links_) all = link.stream->writable() && all;
        return all;
    };
    Waiter waiter(context_, timeout(), id_.serial());
    const auto missing = [&] {
        std::string text = format("particles %u, run %u: messages of earlier runs to", id_.serial(), run_);
        for (const Link &link : links_)
            if (link.stream->blocked()) text += format(" rank %d", link.stream->peer());
        return text;
    };
    while (!writable())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
}

void Particles::send(const ParticleArrays &arrays) {
    std::vector<ParticleSection> &sections = leavers_->sections();
    for (Link &link : links_) write_sections(sections_to(link.stream->peer()), sections, link.stream->send_payload());
    if (local_bytes_ > 0) write_sections(sections_to(context_.rank()), sections, local_.data());
    for (Delivery &far : far_) write_sections(sections_to(far.rank), sections, far.bytes.data());
    leavers_->pack(arrays);
    for (Link &link : links_) link.stream->send(link.bytes);
}

// A peer that could not begin tells it. Memory that is missing may be there later.
void Particles::look_at(Link &link) {
    if (link.stream->arrived()) return;
    try {
        link.stream->test();
    } catch (...) {
        const Error error = present_error();
        if (error.status() == HALO_ERR_MEMORY) throw error;
        if (!error.first_cause() || lasts(error)) {
            die(error);
            throw error;
        }
        told_ = error;
    }
}

bool Particles::look() {
    bool all = true;
    for (Link &link : links_) {
        if (!told_) look_at(link);
        all = link.stream->arrived() && all;
    }
    return all;
}

bool Particles::progress_alone() {
    bool under_way = false;
    for (Link &link : links_) under_way = (phase_ != Phase::dead && link.stream->progress_alone()) || under_way;
    return under_way;
}

void Particles::take_what_has_come() {
    if (phase_ == Phase::sent) look();
}

bool Particles::test() {
    for_good([&] { raise_failed_progress(); });
    if (phase_ == Phase::here) return true;
    require(Phase::sent, "test");
    bool all = look();
    if (!all_have_begun()) return false; // others hear through this rank
    if (told_ || outcome_.failure != 0) fail_run();
    if (!all) return false;
    for (Link &link : links_) all = !link.stream->is_leaving() && all;
    return all;
}

// Nobody has changed anything.
void Particles::fail_run() {
    end_failed_run();
    if (told_) throw Error(*told_);
    const auto rank = static_cast<int32_t>(outcome_.failure & UINT32_MAX);
    fail(HALO_ERR_PEER, "particles %u, run %u: rank %d could not begin it: %s", id_.serial(), run_, rank,
         status_name(static_cast<halo_status>(outcome_.failure >> 32)));
}

void Particles::wait_until_here() {
    for_good([&] { raise_failed_progress(); });
    if (phase_ == Phase::here) return;
    require(Phase::sent, "counts or finish");
    Waiter waiter(context_, timeout(), id_.serial());
    const auto missing = [&] { return this->missing(); };
    while (!test())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
    if (outcome_.goes_far != 0 && !far_fetched_) for_good([&] { fetch_far(); });
    for_good([&] { collect(); });
    phase_ = Phase::here;
}

void Particles::fetch_far() {
    const CollectiveCall call(context_, "far particles", timeout_seconds_, id_.serial());
    came_far_ = Discovery(context_, discovery_kind(context_), format("particles %u, run %u", id_.serial(), run_)).exchange(far_);
    far_fetched_ = true;
}

void Particles::collect() {
    arrived_.clear();
    for (const Link &link : links_)
        collect_from(link.stream->peer(), { link.stream->received_payload(), static_cast<size_t>(link.stream->header().payload_bytes) });
    if (local_bytes_ > 0) collect_from(context_.rank(), { local_.data(), local_bytes_ });
    for (const Delivery &far : came_far_) collect_from(far.rank, far.bytes);
    const auto key = [](const ArrivedSection &section) { return std::tuple(section.part, section.source); };
    std::sort(arrived_.begin(), arrived_.end(), [&](const ArrivedSection &a, const ArrivedSection &b) { return key(a) < key(b); });
    for (size_t part = 0; part < counts_.size(); ++part) counts_[part] = leavers_->n(part) - std::ssize(leavers_->places(part));
    for (const ArrivedSection &section : arrived_) counts_[static_cast<size_t>(section.part)] += section.n;
}

void Particles::collect_from(int32_t rank, std::span<const std::byte> payload) {
    if (const char *error = read_sections(payload, topology_, columns_->record_bytes(), arrived_))
        fail(HALO_ERR_WIRE, "particles %u, run %u: %zu bytes of particles from rank %d: %s", id_.serial(), run_, payload.size(), rank, error);
}

const std::vector<int64_t> &Particles::counts() {
    wait_until_here();
    return counts_;
}

void Particles::check_room(const ParticleArrays &arrays) const {
    for (size_t part = 0; part < counts_.size(); ++part) {
        const auto gid = static_cast<long long>(topology_.local_parts()[part]);
        if (arrays.counts[part] < counts_[part])
            fail(HALO_ERR_LIMIT, "particles: part %lld has room for %lld, there are %lld", gid, static_cast<long long>(arrays.counts[part]),
                 static_cast<long long>(counts_[part]));
    }
}

void Particles::finish(const ParticleArrays &arrays) {
    wait_until_here();
    check_room(arrays);
    for (size_t part = 0; part < counts_.size(); ++part) close_gaps(arrays, part);
    append(arrays);
    phase_ = Phase::idle;
    for (Link &link : links_) link.stream->consume();
}

void Particles::close_gaps(const ParticleArrays &arrays, size_t part) const {
    const std::span<const int64_t> free = leavers_->places(part);
    for (size_t c = 0; c < columns_->size() && !free.empty(); ++c) {
        const size_t bytes = columns_->bytes(c);
        auto *const column = static_cast<std::byte *>(arrays.data[part * columns_->size() + c]);
        std::byte *to = column + static_cast<size_t>(free[0]) * bytes;
        for (size_t i = 0; i < free.size(); ++i) {
            const int64_t end = i + 1 < free.size() ? free[i + 1] : leavers_->n(part);
            const size_t kept = static_cast<size_t>(end - free[i] - 1) * bytes;
            if (kept > 0) std::memmove(to, column + static_cast<size_t>(free[i] + 1) * bytes, kept);
            to += kept;
        }
    }
}

void Particles::append(const ParticleArrays &arrays) const {
    int64_t part = -1, at = 0;
    for (const ArrivedSection &section : arrived_) {
        if (section.part != part)
            at = leavers_->n(static_cast<size_t>(section.part)) - std::ssize(leavers_->places(static_cast<size_t>(section.part)));
        part = section.part;
        for (size_t c = 0; c < columns_->size(); ++c)
            std::memcpy(static_cast<std::byte *>(arrays.data[static_cast<size_t>(part) * columns_->size() + c]) +
                            static_cast<size_t>(at) * columns_->bytes(c),
                        section.data + columns_->bytes_before(c) * static_cast<size_t>(section.n),
                        columns_->bytes(c) * static_cast<size_t>(section.n));
        at += section.n;
    }
}

void Particles::abandon() {
    const AtWork at_work(*this);
    if (phase_ == Phase::dead) return;
    if (!in_flight()) fail(HALO_ERR_STATE, "particles %u: nothing is in flight to be abandoned", id_.serial());
    for (Link &link : links_) link.stream->abandon();
    phase_ = Phase::dead;
    error_.emplace(HALO_ERR_STATE, format("run %u has been abandoned", run_));
}

} // namespace halo
