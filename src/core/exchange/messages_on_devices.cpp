// SPDX-License-Identifier: BSD-3-Clause
// Runs with storage on devices: one launch packs all that goes to all peers. A peer's messages lie in memory that the host and a device reach: that
// device packs dense values where they leave from, and reads them where they have come. What others pack, and sparse values, of which not all leave,
// is copied on the way. Messages leave once an event has fired, in whatever call comes then.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "exchange/check_mode.h"
#include "exchange/device_work.h"
#include "exchange/messages.h"
#include "exchange/sparse.h"

namespace halo {

// The device works while the host packs what it has itself.
void Messages::put_on_devices(Run &run) {
    for (auto &path : paths_) path->open(run);
    for (auto &link : links_)
        if (!link->sends()) link->send(0);
    make_flags(run);
    choose_paths(run);
    make_outgoing(run);
    gather(run);
    put_tests(run);
    const size_t n_marks = put_packing(run);
    put_local(run);
    for (DeviceWork *work : run.works) work->go();
    put_paths(run, n_marks);
    for (DeviceWork *work : run.works) work->leave_stream();
    pack_on_host(run);
    run.copy_within_rank();
    next_departure_ = 0;
    unpacked_bytes_ = 0;
}

// False: the peer is not there yet.
bool Messages::take_path(const Run &run, size_t i) {
    for (auto &path : paths_) {
        const Path::Sent sent = path->send(run, i, true);
        if (sent == Path::Sent::no) continue;
        if (sent == Path::Sent::later) return false;
        taken_[i] = path.get();
        waits_[i].was_of_use();
        break;
    }
    return true;
}

// Peers that may be a moment late are asked for as long as the copies of a message would take; those for whom that was in vain, once for a while.
void Messages::choose_paths(const Run &run) {
    unsent_.clear();
    int64_t bytes = 0;
    for (size_t i = 0; i < links_.size(); ++i) {
        taken_[i] = nullptr;
        if (!links_[i]->sends() || take_path(run, i) || waits_[i].lasts()) continue;
        unsent_.push_back(i);
        bytes += run.dense_bytes(planned(run, i), true);
    }
    const double end = setup_.context.clock() + seconds_to_copy(bytes);
    while (!unsent_.empty() && setup_.context.clock() < end) std::erase_if(unsent_, [&](size_t i) { return take_path(run, i); });
    for (const size_t i : unsent_) waits_[i].was_in_vain();
}

// Behind all else, for the stream may wait there for those of peers.
void Messages::put_paths(Run &run, size_t mark) {
    if (std::none_of(taken_.begin(), taken_.end(), [](const Path *path) { return path != nullptr; })) return;
    for (auto &path : paths_) path->put_on(run);
    for (DeviceWork *work : run.works) work->mark();
    for (size_t i = 0; i < links_.size(); ++i)
        if (taken_[i]) marks_[i] = mark;
}

// Where values do not matter an edge has data wherever there is storage.
void Messages::make_flags(Run &run) {
    host_flags_.clear();
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        PieceRun &piece = run.pieces[p];
        const size_t n = piece.takes_part ? piece.rows->n_flags : 0;
        if (n == 0) continue;
        if (!piece.work) host_flags_.push_back(setup_.context.host_buffer(n));
        piece.flags = reinterpret_cast<uint8_t *>(piece.work ? piece.work->pinned(n) : host_flags_.back().data());
        std::memset(piece.flags, 0, n);
        if (!is_always_data(run.plan->pieces()[p])) continue;
        const auto set = [&](const SingleEdge &single) { piece.flags[single.flag] = piece.source_part(single.edge.send_part) ? 1 : 0; };
        for (const LoweredDirection &way : piece.rows->send) std::for_each(way.singles.begin(), way.singles.end(), set);
        std::for_each(piece.rows->local_singles.begin(), piece.rows->local_singles.end(), set);
    }
}

Pool &Messages::pinned_by(const PieceRun &piece) const { return setup_.context.pools().pool(HALO_MEMORY_PINNED, piece.work->device().ordinal()); }

// That of the first device which has to do with the peer; nullptr: none has, or the setting `path` wants slots.
Pool *Messages::memory_on_devices(const Run &run, size_t i) const {
    if (setup_.paths.slot && !setup_.paths.measured) return nullptr;
    for (const LinkPiece &at : planned(run, i).pieces)
        if (const PieceRun &piece = run.pieces[at.piece]; piece.work) return &pinned_by(piece);
    return nullptr;
}

void Messages::make_outgoing(Run &run) {
    outgoing_.clear();
    for (size_t i = 0; i < links_.size(); ++i) {
        if (!links_[i]->sends()) continue;
        const Part *const apart = taken_[i] ? nullptr : pack_apart(run, i);
        std::byte *const dense = apart ? apart->payload() : links_[i]->send_payload();
        int64_t end = 0;
        run.for_each(planned(run, i), true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
            if (way.singles.empty() && (way.dense_bytes == 0 || taken_[i])) return;
            Outgoing one{ i, at.piece, &way, nullptr, 0, false, {} };
            if (way.dense_bytes > 0) end = align_up(end, run.alignment(at));
            place(one, piece, dense + end, apart != nullptr);
            end += way.dense_bytes;
            piece.bases[run.plan->piece(at.piece).bases().send(at.link)] = one.packed;
            outgoing_.push_back(std::move(one));
        });
    }
}

// For so many bytes of dense values, if they are to go apart.
Pool *Messages::memory_apart(const Run &run, size_t i, size_t bytes) {
    if (in_parts() || neighbourhood_.is_joined() || !links_[i]->lies_there()) return nullptr;
    return device_messages_.for_departures(run, links_[i]->peer(), bytes);
}

// nullptr: they go in the message. Who is in that run has all storage on one device.
const Part *Messages::pack_apart(const Run &run, size_t i) {
    const auto bytes = static_cast<size_t>(run.dense_bytes(planned(run, i), true));
    Pool *const memory = memory_apart(run, i, bytes);
    if (!memory) return nullptr;
    const Part &part = links_[i]->pack_apart(*memory, bytes);
    DeviceWork &work = *run.only_work();
    work.keep(part.buffer);
    work.write(std::bit_cast<std::array<uint64_t, 2>>(links_[i]->header_apart()), part.buffer.data());
    return &part;
}

// In the message, or its part, if all of it goes there, and its device reaches that. Of single edges those have room that there is storage for.
void Messages::place(Outgoing &one, PieceRun &piece, std::byte *in_message, bool apart) const {
    const auto memory = [&](size_t bytes) {
        if (piece.work) return piece.work->pinned(bytes);
        one.memory = setup_.context.host_buffer(bytes);
        return one.memory.data();
    };
    const auto is_stored = [&](const SingleEdge &single) { return piece.source_part(single.edge.send_part) != nullptr; };
    if (!one.way->singles.empty()) {
        one.bytes = place_singles(piece, one.way->singles, is_stored, memory);
        return;
    }
    const Buffer &message = links_[one.link]->send_memory();
    one.bytes = static_cast<size_t>(one.way->dense_bytes);
    one.in_place = apart || !piece.work || (links_[one.link]->lies_there() && message.is_of(pinned_by(piece)));
    if (one.in_place && !apart && piece.work) piece.work->keep(message);
    one.packed = one.in_place ? in_message : memory(one.bytes);
}

void Messages::put_tests(Run &run) {
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        const PieceRun &piece = run.pieces[p];
        const PlanPiece &planned = run.plan->pieces()[p];
        const Field &field = *planned.field;
        if (!piece.takes_part || !piece.work || is_always_data(planned)) continue;
        const auto add = [&](const SingleEdge &single) {
            if (piece.source_part(single.edge.send_part)) piece.work->add_test(piece, single.copy, null_test(field));
        };
        for (const Outgoing &one : outgoing_)
            if (one.piece == p) std::for_each(one.way->singles.begin(), one.way->singles.end(), add);
        if (run.plan->scope().local) std::for_each(piece.rows->local_singles.begin(), piece.rows->local_singles.end(), add);
    }
    for (DeviceWork *work : run.works) work->test();
    first_packing_mark_ = run.plan->any_sparse() && run.plan->scope().local ? 1 : 0;
    if (first_packing_mark_ > 0) // then the flags of this rank's own edges can be read
        for (DeviceWork *work : run.works) work->mark();
}

// What is packed in chunks leaves before the rest is put on.
void Messages::gather(const Run &run) {
    size_t bytes = 0;
    for (const Outgoing &one : outgoing_) bytes += one.bytes;
    if (bytes > chunk_) return;
    if (run.plan->scope().local)
        for (const PieceRun &piece : run.pieces)
            if (piece.takes_part && piece.work) bytes += static_cast<size_t>(piece.rows->local_bytes);
    for (DeviceWork *work : run.works) work->gather(bytes <= chunk_);
}

// A launch for so many links as make a chunk; mostly one for all. Returns how many marks there are.
size_t Messages::put_packing(Run &run) {
    size_t n_marks = first_packing_mark_, bytes = 0;
    marks_.assign(links_.size(), n_marks);
    for (size_t o = 0; o < outgoing_.size(); ++o) {
        const Outgoing &one = outgoing_[o];
        marks_[one.link] = n_marks;
        bytes += one.bytes;
        if (const PieceRun &piece = run.pieces[one.piece]; piece.work) {
            piece.work->add(piece, one.way->rows);
            const int32_t which = is_always_data(run.plan->pieces()[one.piece]) ? HALO_ROWS_ALL : HALO_ROWS_FLAGGED;
            for (const SingleEdge &single : one.way->singles)
                if (piece.source_part(single.edge.send_part)) piece.work->add(piece, single.copy, which);
        }
        const bool is_last = o + 1 == outgoing_.size();
        if (!is_last && (outgoing_[o + 1].link == one.link || bytes < chunk_)) continue;
        launch_packing(run);
        ++n_marks;
        bytes = 0;
    }
    return n_marks;
}

void Messages::launch_packing(Run &run) {
    for (DeviceWork *work : run.works) {
        work->run();
        work->mark();
    }
}

void Messages::put_local(Run &run) {
    if (!run.plan->scope().local) return;
    for (const PieceRun &piece : run.pieces)
        if (piece.takes_part && piece.work) piece.work->add(piece, piece.rows->local);
    Arrivals::put_local_on_devices(run);
    for (DeviceWork *work : run.works) work->run();
}

void Messages::pack_on_host(Run &run) {
    for (const Outgoing &one : outgoing_) {
        PieceRun &piece = run.pieces[one.piece];
        if (piece.work) continue;
        piece.run_rows(one.way->rows);
        for (const SingleEdge &single : one.way->singles)
            piece.flags[single.flag] = pack_single(piece, run.plan->pieces()[one.piece], single, piece.bases[single.base]) == EdgeState::data ? 1 : 0;
    }
    if (!run.check) return;
    hashes_.resize(links_.size());
    for (size_t i = 0; i < links_.size(); ++i) {
        if (!links_[i]->sends()) continue;
        hashes_[i].resize(CheckMode::hash_bytes(run, planned(run, i), true));
        run.check->write_hashes(run, planned(run, i), hashes_[i].data());
    }
}

// Messages first: what is put waits for the peers' streams. Who has no peers, or nothing for them, still waits for what the tests have found.
bool Messages::depart(Run &run) {
    const auto reached = [&](size_t mark) {
        return std::all_of(run.works.begin(), run.works.end(), [&](DeviceWork *work) { return work->has_reached(mark); });
    };
    if (first_packing_mark_ > 0 && !reached(0)) return false;
    for (; next_departure_ < 2 * links_.size(); ++next_departure_) {
        const size_t i = next_departure_ % links_.size();
        const bool is_put = next_departure_ >= links_.size();
        if (!links_[i]->sends() || is_put != (taken_[i] != nullptr)) continue;
        if (!reached(marks_[i])) return false;
        const size_t bytes = assemble(run, i);
        if (is_put)
            taken_[i]->leave(run, i, bytes);
        else
            links_[i]->send(bytes);
    }
    outgoing_.clear();
    return true;
}

bool Messages::unpacks_as_they_come(const Run &run) const {
    if (run.on_host()) return true;
    size_t bytes = 0;
    for (const PlanLink &link : run.plan->links()) bytes += static_cast<size_t>(link.bytes_received);
    return bytes > chunk_;
}

// A launch for so many peers as make a chunk.
bool Messages::unpacked_a_chunk() {
    if (unpacked_bytes_ < chunk_) return false;
    unpacked_bytes_ = 0;
    return true;
}

// As `pack` does it.
size_t Messages::assemble(const Run &run, size_t i) {
    std::byte *payload = links_[i]->send_payload();
    const bool apart = links_[i]->sends_apart();
    int64_t end = 0;
    bool singles = false;
    for (const Outgoing &one : outgoing_) {
        if (one.link != i) continue;
        singles = singles || !one.way->singles.empty();
        if (one.way->dense_bytes == 0 || apart) continue;
        end = align_up(end, edge_alignment(run.plan->piece(one.piece).destination().element_bytes));
        if (!one.in_place) std::memcpy(payload + end, one.packed, static_cast<size_t>(one.way->dense_bytes));
        end += one.way->dense_bytes;
    }
    if (singles) end = assemble_singles(run, i, payload, end);
    if (!run.check) return static_cast<size_t>(end);
    if (!hashes_[i].empty()) std::memcpy(payload + end, hashes_[i].data(), hashes_[i].size());
    hash_bytes_sent_ += std::ssize(hashes_[i]);
    return static_cast<size_t>(end) + hashes_[i].size();
}

int64_t Messages::assemble_singles(const Run &run, size_t i, std::byte *payload, int64_t end) {
    Stream &link = *links_[i];
    uint32_t number = 0;
    for (const Outgoing &one : outgoing_) {
        if (one.link != i) continue;
        const PieceRun &piece = run.pieces[one.piece];
        const PlanPiece &planned = run.plan->pieces()[one.piece];
        const bool sparse = planned.field->spec().sparse;
        for (const SingleEdge &single : one.way->singles) {
            const bool data = piece.flags[single.flag] != 0;
            set_edge_state(link.send_buffer(), number++, data ? EdgeState::data : EdgeState::null);
            states_sent_ += sparse;
            nulls_sent_ += !data;
            if (!data) continue;
            std::byte *const into = in_parts() ? link.add_part(static_cast<size_t>(single.bytes)) : payload + place_single(single, end);
            if (single.bytes > 0) std::memcpy(into, piece.bases[single.base], static_cast<size_t>(single.bytes));
            if (planned.aged) Ages::write(into + single.bytes - Ages::bytes, planned.aged->age(single.edge.send_part));
        }
    }
    return end;
}

// What the peer of link `i` has put for a device to combine; nullptr: it is where it belongs, or has come by message.
const Buffer *Messages::message_put(size_t i) const {
    for (const auto &path : paths_)
        if (const Buffer *const message = links_[i]->landed() ? path->message_of(i) : nullptr) return message;
    return nullptr;
}

// Are the dense values that link `i` has brought where the piece's device reads them?
bool Messages::is_reached(const PieceRun &piece, size_t i) const {
    const Stream &link = *links_[i];
    return link.landed() || (link.came_apart() ? link.came_to_device() : link.has_come_to(pinned_by(piece)));
}

// Dense values are read where they have come, if the device reaches that.
void Messages::land(PieceRun &piece, uint32_t base, const LoweredDirection &way, bool reached, std::byte *from) {
    piece.bases[base] = reached ? from : copied(piece, from, way.dense_bytes);
    piece.work->add(piece, way.rows);
}

void Messages::keep_received(const Run &run, size_t i) {
    if (const Buffer *const put = message_put(i)) run.works.front()->keep(*put);
    if (links_[i]->came_to_device()) run.works.front()->keep(links_[i]->take_apart());
    for (DeviceWork *work : run.works) {
        const Pool &pinned = setup_.context.pools().pool(HALO_MEMORY_PINNED, work->device().ordinal());
        if (links_[i]->has_come_to(pinned)) return work->keep(links_[i]->take_received());
    }
}

// Likewise; messages of their own come where no device reaches.
void Messages::land_single(PieceRun &piece, SparseRule rule, const SingleEdge &single, EdgeState state, const Stream &link, std::byte *from) {
    if (!piece.part(single.edge.recv_part)) return;
    if (state != EdgeState::data) {
        if (rule != SparseRule::corrected) piece.work->add_row(piece, single.fill_row);
        return;
    }
    piece.bases[single.base] = !in_parts() && link.has_come_to(pinned_by(piece)) ? from : copied(piece, from, single.bytes);
    piece.work->add(piece, single.copy);
}

std::byte *Messages::copied(const PieceRun &piece, const std::byte *from, int64_t bytes) {
    std::byte *const copy = piece.work->pinned(static_cast<size_t>(bytes));
    if (bytes > 0) std::memcpy(copy, from, static_cast<size_t>(bytes));
    return copy;
}

} // namespace halo
