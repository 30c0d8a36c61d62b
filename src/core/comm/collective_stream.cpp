// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collective_stream.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/digest.h"
#include "base/types.h"

namespace halo {

namespace {

constexpr const char *kind_names[] = {
    "end", "barrier", "broadcast", "allreduce", "sum", "route", "discovery", "answer", "commit", "lanes", "gather"
};

const char *name_of(CollectiveKind kind) { return kind_names[static_cast<size_t>(kind)]; }

CollectiveHeader header_of(std::span<const std::byte> message) {
    CollectiveHeader header;
    std::memcpy(&header, message.data(), sizeof header);
    return header;
}

void copy_name(const std::string &name, char (&to)[16]) { std::strncpy(to, name.c_str(), sizeof to - 1); }

// What a header, or a beginning, says of itself: "collective 3, allreduce of 10 values of float64 by sum".
std::string describe(CollectiveKind kind, const char *call, uint64_t number, uint64_t detail) {
    std::string text = format("collective %llu, %s", static_cast<unsigned long long>(number), name_of(kind));
    if (kind == CollectiveKind::allreduce) {
        const AllreduceDetail values = AllreduceDetail::from(detail);
        text += format(" of %llu values of %s by %s", static_cast<unsigned long long>(values.n), type_name(values.type), op_name(values.op));
    }
    return std::strcmp(name_of(kind), call) == 0 ? text : text + format(" of '%s'", call);
}

} // namespace

CollectiveStream::CollectiveStream(Context &context) : context_(context), incoming_(context, collective_tag) { ended_.reserve(room_for_end); }

// ---- calls of the program

void CollectiveStream::enter(const char *call, double timeout_seconds, uint64_t subject) {
    if (depth_++ > 0) return;
    entered_ = { call, subject };
    if (resumable_ && !pending_ && entered_ != call_) conclude();
    told_ = left_failed_ = false;
    timeout_seconds_ = timeout_seconds;
    next_ = first_;
    stopped_ = false;
    for (auto &[key, held] : held_) held.taken = false;
}

void CollectiveStream::leave(bool failed) noexcept {
    if (--depth_ > 0) return;
    left_failed_ = failed;
    const bool untouched = next_ == first_; // nothing was begun
    pending_ = stopped_ || (pending_ && untouched);
    resumable_ = (failed && !told_ && context_.size() > 1) || (resumable_ && untouched);
    if (pending_ || resumable_) return;
    if (next_ - first_ < begun_.size()) give_up_rest();
    conclude();
}

void CollectiveStream::conclude() noexcept {
    resumable_ = false;
    first_ += begun_.size();
    next_ = first_;
    begun_.clear();
    refusal_.reset();
    sent_.clear();
    held_.erase(held_.begin(), held_.lower_bound(Key{ first_, INT32_MIN, INT32_MIN }));
}

uint64_t CollectiveStream::begin(CollectiveKind kind, uint64_t detail, std::span<const std::byte> input) {
    if (ended_by_ >= 0) fail_by_peer(); // heard, and not told the program
    if (!ended_.empty()) fail(HALO_ERR_STATE, "%s: the collectives of this context have ended: %s", entered_.name.c_str(), ended_.c_str());
    if (stopped_) fail(HALO_ERR_STATE, "%s: a collective before this one has not ended", entered_.name.c_str());
    if (pending_ && entered_ != call_)
        end(HALO_ERR_STATE, format("rank %d gave up '%s', which had not ended, and went on to '%s'%s", context_.rank(), call_.name.c_str(),
                                   entered_.name.c_str(), entered_.name == call_.name ? " of another object" : ""));
    call_ = entered_;
    const size_t index = next_ - first_;
    const uint64_t sum = context_.size() > 1 ? checksum(input.data(), input.size()) : 0;
    if (index == begun_.size())
        begun_.push_back({ kind, detail, sum });
    else if (begun_[index].kind != kind || begun_[index].detail != detail)
        end(HALO_ERR_STATE, format("rank %d called '%s' again, which had not ended, with other arguments", context_.rank(), call_.name.c_str()));
    else if (begun_[index].input != sum)
        refuse_other_values();
    const Key first{ next_, INT32_MIN, INT32_MIN };
    for (auto early = held_.lower_bound(first); early != held_.end() && std::get<0>(early->first) == next_; ++early)
        compare(header_of(early->second.message));
    return next_++;
}

// ---- messages

CollectiveHeader CollectiveStream::header(CollectiveKind kind, uint64_t number, uint64_t detail, int32_t part) const {
    CollectiveHeader header{};
    header.magic = collective_magic;
    header.version = collective_version;
    header.kind = static_cast<uint16_t>(kind);
    header.number = number;
    header.detail = detail;
    header.from = context_.rank();
    header.part = part;
    copy_name(call_.name, header.call);
    return header;
}

void CollectiveStream::send(const CollectiveHeader &header, int32_t to, std::span<const std::byte> payload) {
    const uint64_t sum = checksum(payload.data(), payload.size());
    const auto [sent, is_new] = sent_.try_emplace({ header.number, header.part, to }, sum);
    if (!is_new && sent->second == sum) return;
    if (!is_new) refuse_other_values();
    stopped_ = true;
    try {
        transmit(header, to, payload);
    } catch (...) {
        sent_.erase(sent);
        throw;
    }
    stopped_ = false;
}

void CollectiveStream::transmit(CollectiveHeader header, int32_t to, std::span<const std::byte> payload) {
    header.payload_bytes = payload.size();
    auto parcel = std::make_unique<Parcel>();
    parcel->peer = to;
    parcel->abandoned = true; // whoever leaves a collective before its end does not wait for it
    parcel->bytes.resize(sizeof header + payload.size());
    std::memcpy(parcel->bytes.data(), &header, sizeof header);
    std::copy(payload.begin(), payload.end(), parcel->bytes.begin() + sizeof header);
    leaving_.push_back(std::move(parcel));
    Parcel &last = *leaving_.back();
    try {
        context_.fabric().send(to, 0, collective_tag, last.bytes.data(), last.bytes.size(), last.request);
    } catch (...) {
        leaving_.pop_back();
        throw;
    }
    last.in_flight = true;
}

bool CollectiveStream::all_left() {
    while (!leaving_.empty() && is_complete(*leaving_.front(), context_.fabric())) leaving_.pop_front();
    return leaving_.empty();
}

void CollectiveStream::hand_over() noexcept {
    try {
        all_left();
    } catch (const std::exception &error) {
        context_.note_lost(error);
    }
    for (; !leaving_.empty(); leaving_.pop_front())
        if (leaving_.front()->in_flight) context_.linger(std::move(leaving_.front()));
    incoming_.hand_over();
}

bool CollectiveStream::poll() {
    if (context_.size() == 1) return false;
    if (!unfiled_) unfiled_ = incoming_.take();
    if (!unfiled_) return false;
    file(*unfiled_);
    unfiled_.reset();
    return true;
}

void CollectiveStream::file(std::vector<std::byte> &message) {
    CollectiveHeader header{};
    if (message.size() >= sizeof header) header = header_of(message);
    if (header.magic != collective_magic || header.version != collective_version || header.kind >= std::size(kind_names) || header.from < 0 ||
        header.from >= context_.size() || header.from == context_.rank() || header.call[sizeof header.call - 1] != 0 ||
        header.payload_bytes != message.size() - sizeof header)
        end(HALO_ERR_WIRE,
            format("to rank %d a message of %zu bytes came that is not a collective's of this version", context_.rank(), message.size()));
    if (header.kind == static_cast<uint16_t>(CollectiveKind::ended)) {
        ended_.assign(reinterpret_cast<const char *>(message.data()) + sizeof header, header.payload_bytes);
        ended_status_ = static_cast<halo_status>(header.detail);
        ended_by_ = header.from;
        fail_by_peer();
    }
    if (header.number < first_) {
        ++context_.dropped;
        return;
    }
    if (header.number - first_ < begun_.size()) compare(header);
    const auto [held, is_new] = held_.try_emplace({ header.number, header.part, header.from });
    if (is_new) held->second.message = std::move(message);
    context_.dropped += !is_new;
}

void CollectiveStream::compare(const CollectiveHeader &theirs) {
    const Begun &mine = begun_[theirs.number - first_];
    char call[sizeof theirs.call] = {};
    copy_name(call_.name, call);
    const auto kind = static_cast<CollectiveKind>(theirs.kind);
    if (kind == mine.kind && theirs.detail == mine.detail && std::strcmp(theirs.call, call) == 0) return;
    end(HALO_ERR_MISMATCH, format("rank %d is in %s, rank %d in %s", context_.rank(), describe(mine.kind, call, theirs.number, mine.detail).c_str(),
                                  theirs.from, describe(kind, theirs.call, theirs.number, theirs.detail).c_str()));
}

// Messages between two ranks come in the order sent: then those of this collective will not come any more.
void CollectiveStream::require_present(int32_t rank, uint64_t number) {
    for (auto later = held_.lower_bound(Key{ number + 1, INT32_MIN, INT32_MIN }); later != held_.end(); ++later) {
        if (std::get<2>(later->first) != rank) continue;
        const CollectiveHeader header = header_of(later->second.message);
        const Begun &mine = begun_[number - first_];
        end(HALO_ERR_MISMATCH, format("rank %d waits for rank %d in %s, but that has gone on to %s", context_.rank(), rank,
                                      describe(mine.kind, call_.name.c_str(), number, mine.detail).c_str(),
                                      describe(static_cast<CollectiveKind>(header.kind), header.call, header.number, header.detail).c_str()));
    }
}

// ---- the end

void CollectiveStream::fail_by_peer() {
    try {
        fail_after(HALO_ERR_PEER, format("rank %d has ended the collectives of this context", ended_by_), { ended_by_, ended_status_, ended_ });
    } catch (const Error &) { // there was memory for it
        ended_by_ = -1;
        throw;
    }
}

// Called again, the call took another way, without a collective that it had begun.
void CollectiveStream::give_up_rest() noexcept {
    try {
        ended_ = format("rank %d called '%s' again, which had not ended, and gave it up", context_.rank(), call_.name.c_str());
    } catch (...) {
        ended_ = "given up";
    }
    tell_the_end();
}

void CollectiveStream::give_up() noexcept {
    if (told_ || !ended_.empty() || context_.size() == 1) return;
    std::array<char, room_for_end> text{};
    std::snprintf(text.data(), text.size(), "rank %d has no memory", context_.rank());
    ended_ = text.data(); // in the room kept
    ended_status_ = HALO_ERR_MEMORY;
    tell_the_end();
}

void CollectiveStream::refuse_other_values() {
    end(HALO_ERR_STATE, format("rank %d called '%s' again, which had not ended, with other values", context_.rank(), call_.name.c_str()));
}

void CollectiveStream::end(halo_status status, const std::string &text) {
    ended_ = text;
    ended_status_ = status;
    tell_the_end();
    fail(status, "%s: the collectives of this context have ended: %s", entered_.name.c_str(), text.c_str());
}

void CollectiveStream::tell_the_end() noexcept {
    try {
        const CollectiveHeader header = this->header(CollectiveKind::ended, next_, static_cast<uint64_t>(ended_status_), 0);
        const auto *text = reinterpret_cast<const std::byte *>(ended_.data());
        for (int32_t rank = 0; rank < context_.size(); ++rank)
            if (rank != context_.rank()) transmit(header, rank, { text, ended_.size() });
        all_left();
    } catch (const std::exception &error) {
        context_.log().warn("%s, which could not be told to all ranks: %s", ended_.c_str(), error.what());
    }
}

// ---- one collective

Collective::Collective(Context &context, CollectiveKind kind, uint64_t detail, std::span<const std::byte> input)
    : context_(context),
      stream_(context.collectives()),
      call_(context, name_of(kind)),
      kind_(kind),
      detail_(detail),
      number_(stream_.begin(kind, detail, input)) {}

void Collective::send(int32_t to, int32_t part, std::span<const std::byte> payload) {
    stream_.send(stream_.header(kind_, number_, detail_, part), to, payload);
}

const CollectiveStream::Held *Collective::find(int32_t from, int32_t part) {
    const auto found = stream_.held_.find({ number_, part, from });
    if (found != stream_.held_.end()) return &found->second;
    stream_.require_present(from, number_);
    return nullptr;
}

std::span<const std::byte> Collective::receive(int32_t from, int32_t part) {
    return receive(from, part, [&] { return format("%s: message from rank %d", name_of(kind_), from); });
}

void Collective::receive(int32_t from, int32_t part, void *data, size_t bytes) {
    const std::span<const std::byte> came = receive(from, part);
    if (came.size() != bytes)
        stream_.end(HALO_ERR_MISMATCH,
                    format("%s: rank %d sends %zu bytes, rank %d expects %zu", name_of(kind_), from, came.size(), context_.rank(), bytes));
    if (bytes > 0) std::memcpy(data, came.data(), bytes);
}

std::optional<Collective::Arrival> Collective::take_any(int32_t part) {
    auto held = stream_.held_.lower_bound({ number_, part, INT32_MIN });
    for (; held != stream_.held_.end() && std::get<0>(held->first) == number_ && std::get<1>(held->first) == part; ++held)
        if (!std::exchange(held->second.taken, true)) return Arrival{ std::get<2>(held->first), payload(held->second) };
    return std::nullopt;
}

void Collective::finish() {
    wait([&] { return stream_.all_left(); }, [&] { return format("%s: message to rank %d", name_of(kind_), stream_.leaving_.front()->peer); });
}

} // namespace halo
