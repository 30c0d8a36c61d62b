// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a peer of the same host writes itself: no message buffer, one copy.
//
// Both parts lie in shared memory. Whoever starts a run opens its ghosts to its peers, and writes into those that are open already; into
// others it sends a message as ever. So no rank waits for another, and the result is the same.
//
// On a device the one that writes lets its stream wait for an event of the other, recorded where that has opened its ghosts, and tells of it once it
// has written: so no stream waits for what has not been put on yet, and the host waits for none. What a device combines is packed into memory that
// the other has opened in place of its ghosts, laid out as a message has it.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/schedule_point.h"
#include "exchange/device_work.h"
#include "exchange/paths/path.h"
#include "exchange/paths/storage_notice.h"

namespace halo {

namespace {

// This rank's turn with a peer's ghosts, which a device writes. Who gives up a run lets go of it; it ends when the device does too.
class Turn {
public:
    Turn(const SharedBlock &notice, uint32_t serial) : gate_(notice), serial_(serial) {}
    ~Turn() {
        if (is_claimed()) decline();
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

    bool claim(uint32_t epoch) {
        if (!gate_.claim(serial_, epoch)) return false;
        epoch_ = epoch;
        return true;
    }
    bool is_claimed() const { return epoch_.has_value(); }
    void decline() { gate_.decline(serial_, *std::exchange(epoch_, std::nullopt)); }
    // By others, as done.
    void is_given_back() { epoch_.reset(); }

private:
    StorageGate gate_;
    uint32_t serial_;
    std::optional<uint32_t> epoch_; // of the run; none: it is not this rank's turn
};

// What one rank does for one peer, in both directions.
class PutLink {
public:
    PutLink(const PathSetup &setup, size_t number)
        : setup_(setup),
          number_(number),
          context_(setup.messages.context),
          link_(*setup.links[number]),
          plan_link_(setup.plan_links[number]),
          serial_(setup.messages.id.serial()),
          combines_(setup.messages.plan.combines()),
          has_notice_(!get_path.why_not(setup.messages)),
          notice_(setup.messages.spec.fields, link_, context_, false) {}

    // Tell the peer about this rank's storage. The first time before anything is sent. False: it cannot be reached.
    bool tell(const Run &run, const ExportedEvent *event);
    // Let it write, on a device behind an event that has been recorded.
    void open(const std::shared_ptr<const ExportedEvent> &event);
    // What it has written there, as a message has it, for a device to combine.
    const Buffer &message() const { return message_; }
    // Is the peer's storage memory that both see, as far as is known?
    bool is_shared() const { return link_.peer_notice() && !unreachable_; }
    // Can the peer's ghosts be written at all, in such a run?
    bool reaches(const Run &run) const {
        const bool fits = combines_ ? !run.on_host() : run.whole;
        return is_shared() && fits && is_in_reach(run) && !link_.peer_prefers_messages();
    }
    // True: all that is dense is in the peer's ghosts, and what is not has been sent. False: the peer is not there yet.
    bool put(const Run &run);
    // The same on a device, which is to write there: `put_on` its stream, then `leave`.
    bool take_turn(const Run &run);
    bool has_turn() const { return turn_ && turn_->is_claimed(); }
    void put_on(Run &run);
    void leave(const Run &run, size_t besides);
    // The peer waits for what the device has begun.
    void give_up() noexcept {
        if (!has_turn()) return;
        turn_.reset();
        context_.departures().add(context_.devices().reaping());
    }
    // Layouts have changed: there is another plan.
    void forget_plan();

private:
    // Of one piece of the plan that goes there.
    struct Put {
        size_t piece;
        CopyTable table;
        std::vector<void *> bases; // of the piece, then the peer's slots
    };

    static bool is_in_reach(const Run &run) {
        if (run.on_host()) return true;
        const DeviceWork *const work = run.only_work();
        return work && work->device().ipc();
    }
    size_t bytes_put(const Run &run) const { return static_cast<size_t>(run.dense_bytes(run.plan->links()[plan_link_], true)); }
    bool tell_message(const Run &run, const ExportedEvent *event);
    bool prepare_message(const Run &run);
    void pack_message(Run &run) const;
    void make_tables(const Run &run, const Device &device);
    bool reach(const Run &run);
    bool open_event(const Device &device);
    bool prepare(const Run &run);
    void set_bases(const Run &run, Put &put);
    void write(const Run &run);

    const PathSetup &setup_;
    size_t number_;
    Context &context_;
    Stream &link_;
    size_t plan_link_;
    uint32_t serial_;
    bool combines_;        // by a device: messages are written
    bool has_notice_;      // of storage that peers may read, which the first run offers if it is on the host
    StorageNotice notice_; // where the peer may write
    Buffer message_;       // of the peer

    // sending
    std::optional<PeerStorage> peer_;
    const Device *device_ = nullptr; // of the tables
    std::shared_ptr<std::vector<Put>> puts_;
    std::vector<PeerStorage::Slot> slots_;
    std::vector<uint64_t> slot_bytes_; // of the peer's storage, that the tables reach
    uint32_t table_version_ = 0;       // of the peer's layouts; 0: no tables
    uint32_t address_version_ = 0;     // of what the tables' bases are; 0: not known
    bool unreachable_ = false;

    // by a device
    std::shared_ptr<Turn> turn_;
    std::vector<std::shared_ptr<const OpenedMemory>> memory_; // that the slots lie in
    std::unique_ptr<OpenedEvent> event_;
    halo_ipc_handle event_handle_{};
};

bool PutLink::tell(const Run &run, const ExportedEvent *event) {
    if (!link_.receives()) return false;
    if (combines_) return tell_message(run, event);
    if (!notice_.is_described()) notice_.describe(*run.plan, plan_link_);
    return run.whole && (run.on_host() || event) && notice_.publish(run, event);
}

// The memory is the same from run to run: who writes there waits for this rank's stream, which has read what was there before.
bool PutLink::tell_message(const Run &run, const ExportedEvent *event) {
    const bool on_device = !run.on_host() && event;
    if (!notice_.is_described() && (on_device || !has_notice_)) notice_.describe_message();
    if (!on_device) return false;
    const auto bytes = static_cast<size_t>(run.dense_bytes(run.plan->links()[plan_link_], false));
    if (bytes == 0 || !context_.shared_arena(bytes)) return false;
    Pool &memory = context_.pools().pool(HALO_MEMORY_DEVICE, event->device().ordinal());
    if (message_.bytes() < bytes || !message_.is_of(memory)) message_ = memory.get(bytes);
    return notice_.publish_message(message_.data(), bytes, *event);
}

// Both may be used by a peer that ends its part after this rank has given up the run.
struct Opened {
    std::shared_ptr<const ExportedEvent> event;
    Buffer message;
};

void PutLink::open(const std::shared_ptr<const ExportedEvent> &event) {
    if (!combines_) return link_.open_storage(event);
    link_.open_storage(std::make_shared<const Opened>(Opened{ event, message_ }));
}

void PutLink::make_tables(const Run &run, const Device &device) {
    const PlanLink &link = run.plan->links()[plan_link_];
    const uint32_t version = peer_->layout_version();
    table_version_ = 0;
    puts_ = std::make_shared<std::vector<Put>>();
    ToldEdges told = peer_->edges();
    divide(*run.plan, link, true, told);
    for (size_t i = 0; i < link.pieces.size(); ++i) {
        const Piece &piece = run.plan->piece(link.pieces[i].piece);
        if (!is_told(piece)) continue;
        puts_->push_back({ link.pieces[i].piece, put_table(piece, link.pieces[i].link, told.pieces[i], device),
                           std::vector<void *>(piece.bases().n() + peer_->n_slots(), nullptr) });
    }
    slot_bytes_ = std::move(told.slot_bytes);
    table_version_ = version;
    address_version_ = 0;
    device_ = &device;
}

bool PutLink::reach(const Run &run) {
    if (run.on_host()) return peer_->reach(slots_);
    const Device &device = run.only_work()->device();
    return open_event(device) && peer_->reach(slots_, context_.devices().ipc(device), memory_);
}

bool PutLink::open_event(const Device &device) {
    const halo_ipc_handle told = peer_->event();
    if (event_ && std::equal(std::begin(told.word), std::end(told.word), event_handle_.word)) return true;
    event_.reset();
    try {
        event_ = std::make_unique<OpenedEvent>(device, told);
    } catch (const Error &error) {
        if (error.status() != HALO_ERR_DEVICE) throw;
    }
    event_handle_ = told;
    return event_ != nullptr;
}

// It is this rank's turn: what the peer tells stands still.
bool PutLink::prepare(const Run &run) {
    if (!peer_) peer_.emplace(context_, link_.peer_notice(), link_.peer());
    if (peer_->is_message() != combines_) return false;
    if (combines_) return prepare_message(run);
    const Device &device = run.on_host() ? context_.device() : run.only_work()->device();
    if (table_version_ != peer_->layout_version() || device_ != &device) make_tables(run, device);
    const uint32_t version = peer_->address_version();
    if (address_version_ != version || version == 0) {
        address_version_ = 0;
        unreachable_ = !reach(run);
        if (!unreachable_) peer_->check(slots_, slot_bytes_);
        for (Put &put : *puts_) std::transform(slots_.begin(), slots_.end(), put.bases.end() - std::ssize(slots_), PeerStorage::data_of);
        address_version_ = version;
    }
    return !unreachable_;
}

// The peer combines as much, or its run is another one, which its message will tell.
bool PutLink::prepare_message(const Run &run) {
    const uint32_t version = peer_->address_version();
    if (address_version_ != version || version == 0) {
        address_version_ = 0;
        unreachable_ = !reach(run);
        address_version_ = version;
    }
    return !unreachable_ && slots_.front().bytes == bytes_put(run);
}

void PutLink::set_bases(const Run &run, Put &put) {
    std::copy_n(run.pieces[put.piece].bases.begin(), run.plan->piece(put.piece).bases().n_parts, put.bases.begin());
}

void PutLink::write(const Run &run) {
    for (Put &put : *puts_) {
        set_bases(run, put);
        schedule_point_in_storage();
        put.table.run(0, put.table.rows(), put.bases, HALO_STREAM_NONE);
    }
}

bool PutLink::put(const Run &run) {
    const StorageGate gate(link_.peer_notice());
    if (!gate.claim(serial_, run.epoch)) return false;
    size_t besides = 0;
    try {
        if (!prepare(run)) {
            gate.decline(serial_, run.epoch);
            return false;
        }
        write(run);
        besides = setup_.pack_besides(number_);
    } catch (...) {
        gate.decline(serial_, run.epoch);
        throw;
    }
    link_.send_put(bytes_put(run), besides);
    return true;
}

bool PutLink::take_turn(const Run &run) {
    if (!turn_) turn_ = std::make_shared<Turn>(link_.peer_notice(), serial_);
    if (!turn_->claim(run.epoch)) return false;
    try {
        if (prepare(run)) return true;
    } catch (...) {
        turn_->decline();
        throw;
    }
    turn_->decline();
    return false;
}

// The stream waits until the peer's has come to where it has opened its ghosts. All that the device uses stays until it has done with it.
void PutLink::put_on(Run &run) {
    DeviceWork &work = *run.only_work();
    work.keep(turn_);
    for (const auto &memory : memory_) work.keep(memory);
    event_->hold(work.stream());
    if (combines_) return pack_message(run);
    work.keep(puts_);
    for (Put &put : *puts_) {
        set_bases(run, put);
        work.add(put.table, put.bases);
    }
}

// As it would be packed into this rank's own.
void PutLink::pack_message(Run &run) const {
    auto *const message = static_cast<std::byte *>(slots_.front().data);
    int64_t end = 0;
    run.for_each(run.plan->links()[plan_link_], true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        if (way.dense_bytes == 0) return;
        end = align_up(end, run.alignment(at));
        piece.bases[run.plan->piece(at.piece).bases().send(at.link)] = message + end;
        piece.work->add(piece, way.rows);
        end += way.dense_bytes;
    });
}

void PutLink::leave(const Run &run, size_t besides) {
    turn_->is_given_back();
    link_.send_put(bytes_put(run), besides);
}

void PutLink::forget_plan() {
    notice_.forget();
    table_version_ = 0;
}

class PutPath final : public Path {
public:
    explicit PutPath(const PathSetup &setup) : setup_(setup), told_(setup.links.size()) {
        links_.reserve(setup.links.size());
        for (size_t i = 0; i < setup.links.size(); ++i) links_.emplace_back(setup_, i);
    }
    void open(const Run &run) override;
    Sent send(const Run &run, size_t i, bool wanted) override {
        if (!wanted || !links_[i].reaches(run)) return Sent::no;
        const bool is_there = run.on_host() ? links_[i].put(run) : links_[i].take_turn(run);
        return is_there ? Sent::yes : Sent::later;
    }
    void put_on(Run &run) override;
    void leave(const Run &run, size_t i, size_t besides) override { links_[i].leave(run, besides); }
    bool reaches_storage(size_t i) const override { return links_[i].is_shared(); }
    const Buffer *message_of(size_t i) const override { return setup_.messages.plan.combines() ? &links_[i].message() : nullptr; }
    void give_up() noexcept override {
        for (PutLink &link : links_) link.give_up();
    }
    void forget_plan() override {
        for (PutLink &link : links_) link.forget_plan();
    }

private:
    std::shared_ptr<const ExportedEvent> event_of(const Run &run);

    PathSetup setup_;
    std::vector<PutLink> links_;
    std::vector<uint8_t> told_;
    const Device *device_ = nullptr;             // that the event is of, or which has none for this
    std::shared_ptr<const ExportedEvent> event_; // peers write behind it
};

// None where not one device has all storage. A device that has no more of them goes on by messages.
std::shared_ptr<const ExportedEvent> PutPath::event_of(const Run &run) {
    const DeviceWork *const work = run.only_work();
    if (!work || !work->device().ipc()) return nullptr;
    if (device_ == &work->device()) return event_;
    event_.reset();
    device_ = &work->device();
    try {
        event_ = std::make_shared<const ExportedEvent>(*device_);
    } catch (const Error &error) {
        if (error.status() != HALO_ERR_DEVICE) throw;
    }
    return event_;
}

// Peers may write when the stream has come here.
void PutPath::open(const Run &run) {
    const std::shared_ptr<const ExportedEvent> event = event_of(run);
    bool any = false;
    for (size_t i = 0; i < links_.size(); ++i) {
        told_[i] = links_[i].tell(run, event.get());
        any = any || told_[i];
    }
    if (any && event) event->record(run.only_work()->stream());
    for (size_t i = 0; i < links_.size(); ++i)
        if (told_[i]) links_[i].open(event);
}

void PutPath::put_on(Run &run) {
    for (PutLink &link : links_)
        if (link.has_turn()) link.put_on(run);
    run.only_work()->run();
}

const char *why_no_put(const MessageSetup &setup) {
    if (!setup.paths.put) return "setting path";
    if (setup.plan.combines() && !setup.context.devices().has_memory()) return "values are combined where they arrive";
    const auto is_sparse = [](const PlanPiece &one) { return one.piece->destination().sparse; };
    if (std::all_of(setup.plan.pieces().begin(), setup.plan.pieces().end(), is_sparse)) return "all fields are sparse";
    return setup.context.check_mode() && setup.paths.measured ? "check mode takes messages unless a path is set" : nullptr;
}

} // namespace

const PathKind put_path{ "put", why_no_put, [](const PathSetup &setup) -> std::unique_ptr<Path> { return std::make_unique<PutPath>(setup); } };

} // namespace halo
