// SPDX-License-Identifier: BSD-3-Clause
// Where the storage of a run is, and what follows from that: its tables, its work on devices, when its messages leave.
#include <algorithm>
#include <cstring>
#include <utility>

#include "exchange/round.h"

namespace halo {

bool Round::has_storage(const halo_run &run, int32_t field) const {
    const auto f = static_cast<size_t>(field);
    for (int64_t part = 0; part < std::ssize(spec_.fields[f]->topology().local_parts()); ++part)
        if (run.data ? run.data[first_pointer_[f] + static_cast<size_t>(part)] : spec_.fields[f]->data(part, run.sets ? run.sets[f] : 0)) return true;
    return false;
}

// A side without storage on this rank is where the other one is.
Space Round::space_of_piece(const halo_run &run, const PlanPiece &piece) const {
    const Space destination = space_in(run, static_cast<size_t>(piece.destination), *piece.field);
    if (piece.source == piece.destination) return destination;
    const Space source = space_in(run, static_cast<size_t>(piece.source), *spec_.fields[static_cast<size_t>(piece.source)]);
    if (source == destination || !has_storage(run, piece.source)) return destination;
    if (!has_storage(run, piece.destination)) return source;
    fail(HALO_ERR_DEVICE,
         "%s: field %s is in %s memory of device %d, field %s, which it goes to, in %s memory of device %d: nothing moves between them",
         spec_.what.c_str(), spec_.fields[static_cast<size_t>(piece.source)]->spec().name.c_str(), memory_name(source.memory), source.device,
         piece.field->spec().name.c_str(), memory_name(destination.memory), destination.device);
}

DeviceWork &Round::work_on(Device &device) {
    if (!device_owner_) device_owner_ = std::make_shared<DeviceOwner>(spec_.what);
    auto known = std::find_if(works_.begin(), works_.end(), [&](const auto &work) { return &work->device() == &device; });
    if (known == works_.end()) known = works_.insert(works_.end(), std::make_unique<DeviceWork>(context_, device, device_owner_));
    return **known;
}

// With a part in the run.
DeviceWork &Round::joined(Device &device) {
    DeviceWork &work = work_on(device);
    if (std::find(run_.works.begin(), run_.works.end(), &work) == run_.works.end()) run_.works.push_back(&work);
    return work;
}

// In check mode: to ask for each costs more than many a run.
void Round::require_kinds(const halo_run &run) const {
    for (size_t f = 0; f < spec_.fields.size(); ++f) {
        if (!takes_field(run, f)) continue;
        const Field &field = *spec_.fields[f];
        const Space space = space_in(run, f, field);
        for (int64_t part = 0; part < std::ssize(field.topology().local_parts()); ++part) {
            const void *const data = run.data[first_pointer_[f] + static_cast<size_t>(part)];
            if (!data || field.storage_bytes(part) == 0) continue;
            const std::string otherwise = context_.devices().known_otherwise(data, space.memory, space.device, context_.pools());
            if (otherwise.empty()) continue;
            fail(HALO_ERR_ARGUMENT, "%s: field %s, part %lld: %p is given to the run as %s, but device %s knows it as %s", spec_.what.c_str(),
                 field.spec().name.c_str(), static_cast<long long>(field.topology().local_parts()[static_cast<size_t>(part)]), data,
                 memory_text(space.memory, space.device).c_str(), context_.devices().name(), otherwise.c_str());
        }
    }
}

void Round::choose_devices(const halo_run &run) {
    if (check_ && run.data) require_kinds(run);
    run_.works.clear();
    for (size_t p = 0; p < run_.pieces.size(); ++p) {
        PieceRun &piece = run_.pieces[p];
        const PlanPiece &planned = plan_->pieces()[p];
        piece.work = nullptr;
        if (!takes_field(run, static_cast<size_t>(planned.destination))) continue;
        const Space space = space_of_piece(run, planned);
        if (!space.on_device()) continue;
        if (const Combining &combining = planned.piece->combining(); combining.combines() && combining.has_own_rows(op_of(run)))
            fail(HALO_ERR_DEVICE, "%s: field %s is on device %d, where values are not combined %s", spec_.what.c_str(),
                 planned.field->spec().name.c_str(), space.device, combining.canonical ? "in canonical order" : "by a function of the program");
        piece.work = &joined(context_.device_of(space));
    }
}

void *Round::fill_value(size_t number) {
    const Field &field = *plan_->pieces()[number].field;
    return run_.pieces[number].work && field.spec().sparse ? fill_value_on_device(number) : const_cast<void *>(field.fill_value());
}

// Devices read a copy of it.
void *Round::fill_value_on_device(size_t number) {
    const PieceRun &piece = run_.pieces[number];
    const Field &field = *plan_->pieces()[number].field;
    Buffer &copy = fill_values_[number];
    Pool &pool = context_.pools().pool(HALO_MEMORY_PINNED, piece.work->device().ordinal());
    if (!copy.is_of(pool)) {
        copy = pool.get(static_cast<size_t>(field.spec().element_bytes));
        std::memcpy(copy.data(), field.fill_value(), static_cast<size_t>(field.spec().element_bytes));
    }
    piece.work->keep(copy);
    return copy.data();
}

void Round::require_stream_of_device(halo_stream stream) const {
    if (stream != HALO_STREAM_NONE) return;
    fail(HALO_ERR_ARGUMENT, "%s: storage on device %d, and HALO_STREAM_NONE: the device's own stream is HALO_STREAM_DEFAULT", spec_.what.c_str(),
         run_.works.front()->device().ordinal());
}

// The caller's stream is one of the first device; others have their own.
void Round::put_works_on(halo_stream stream) {
    require_stream_of_device(stream);
    for (DeviceWork *work : run_.works) work->put_on(work == run_.works.front() && stream != HALO_STREAM_DEFAULT ? stream : nullptr);
}

void Round::keep_tables() {
    for (const PieceRun &piece : run_.pieces)
        if (piece.takes_part && piece.work) piece.work->keep(piece.rows);
}

// Pieces without any storage may have got some on a device since the run began, and so may those beside them.
void Round::follow_adopted() {
    for (const Arrivals::Part &wanted : arrivals_.wanted())
        for (size_t p = 0; p < run_.pieces.size(); ++p) {
            PieceRun &piece = run_.pieces[p];
            const PlanPiece &planned = plan_->pieces()[p];
            const Field &own = *spec_.fields[static_cast<size_t>(wanted.field)];
            const int32_t set = run_.sets[static_cast<size_t>(wanted.field)];
            if (own_field(run_, p) != wanted.field || !piece.takes_part || !own.data(wanted.part, set)) continue;
            const Space space = own.space(set);
            const Device &device = context_.device_of(space);
            if (&device == &device_of(piece)) continue;
            require_known_values(planned, device);
            const BaseNumbers &bases = planned.piece->bases();
            if (std::any_of(piece.bases.begin(), piece.bases.begin() + bases.n_parts, [](const void *part) { return part != nullptr; }))
                fail(HALO_ERR_DEVICE, "%s: field %s, part %lld: bound to %s memory of device %d, but other parts are elsewhere in this run",
                     spec_.what.c_str(), planned.field->spec().name.c_str(),
                     static_cast<long long>(planned.field->topology().local_parts()[static_cast<size_t>(wanted.part)]), memory_name(space.memory),
                     space.device);
            piece.work = space.on_device() ? &joined(context_.device_of(space)) : nullptr;
            took_all_ = false; // with other tables
            piece.take_rows(lowered(*plan_, p, device, piece.rows->narrowed));
            if (piece.work) piece.work->keep(piece.rows);
            piece.bases[bases.fill()] = fill_value(p);
            put_on(stream_);
        }
}

// In a call on something else: nobody is there to be told.
bool Round::depart() noexcept {
    try {
        return leave();
    } catch (...) {
        failed_departing_ = present_error();
        return true;
    }
}

void Round::raise_failed_departure() const {
    if (failed_departing_) throw Error(*failed_departing_);
}

// Devices tell which of their calls has failed, but not in whose work.
Error Round::named(const Error &error, uint32_t run) const noexcept {
    if (error.status() != HALO_ERR_DEVICE || error.text().starts_with(spec_.what)) return error;
    try {
        return { HALO_ERR_DEVICE, format("%s, run %u: %s", spec_.what.c_str(), run, error.what()) };
    } catch (...) {
        return error; // which takes no memory
    }
}

void Round::note_failed_call() noexcept {
    for (DeviceWork *work : run_.works) work->leave_failed_call();
}

bool Round::progress_alone() { return is_planned() && phase_ != Phase::dead && messages_->progress_alone(); }

void Round::take_what_has_come() {
    if (phase_ == Phase::posted || phase_ == Phase::sent) messages_->take_what_has_come();
}

bool Round::leave() {
    const bool left = messages_->depart(run_);
    if (!left) return false;
    leaves_later_ = false;
    ++departed_later_;
    return true;
}

void Round::leave_when_packed() {
    leaves_later_ = !messages_->depart(run_);
    if (leaves_later_) context_.departures().add(*this);
}

void Round::gather_unpacking() {
    if (messages_->unpacks_as_they_come(run_)) return;
    for (DeviceWork *work : run_.works) work->gather(true);
}

void Round::launch_unpacking() {
    for (DeviceWork *work : run_.works) work->run();
}

void Round::end_on_devices() noexcept {
    if (run_.on_host()) return;
    context_.departures().remove(*this);
    failed_departing_.reset();
    leaves_later_ = false;
    for (DeviceWork *work : run_.works) work->end(run_.epoch);
}

std::optional<Error> Round::take_device_failure() noexcept {
    if (!device_owner_) return std::nullopt;
    context_.devices().reap();
    if (device_owner_->failure)
        for (const auto &work : works_) work->forget_failed();
    return std::exchange(device_owner_->failure, std::nullopt);
}

void Round::require_sound_devices() {
    for (DeviceWork *work : run_.works) work->require_sound();
}

} // namespace halo
