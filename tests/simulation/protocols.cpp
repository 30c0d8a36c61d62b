// SPDX-License-Identifier: BSD-3-Clause
// The protocols of slots, credits, puts and gets, over all interleavings of two ranks and three runs. Each rank may give up, or stop for ever, at
// every point; what the scripts do with the words is what stream and paths do, by the same classes.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <optional>

#include "base/error.h"
#include "explorer.h"
#include "memory/shared_word.h"
#include "stream/shared_slots.h"
#include "stream/storage_leases.h"
#include "two_contexts.h"

namespace halo {

namespace {

uint64_t last_word = 0;

} // namespace

// The same in each execution.
uint64_t random_word() { return ++last_word * 2 + 1; }

} // namespace halo

namespace simulation {

namespace {

using namespace halo;

constexpr uint32_t serial = 7, n_runs = 3;

// What a rank has in memory that others see: two values, so that one that is torn shows.
struct Pair {
    uint32_t first = 0, second = 0;
};

void write(Pair &pair, uint32_t value, int line = __builtin_LINE()) {
    pair.first = value;
    point(line);
    pair.second = value;
}

// True: both were this value.
bool holds(const Pair &pair, uint32_t value, int line = __builtin_LINE()) {
    const bool first = pair.first == value;
    point(line);
    return first && pair.second == value;
}

void expect_explored(const char *what, const std::function<std::unique_ptr<World>()> &make) {
    const Found found = explore(make);
    EXPECT_EQ(found.violation, "") << what;
    for (int rank = 0; rank < n_ranks; ++rank) EXPECT_EQ(found.stuck[rank], 0) << what << ": rank " << rank << " cannot end";
    std::printf("%s: %lld states, %lld executions\n", what, static_cast<long long>(found.states), static_cast<long long>(found.executions));
}

// In the order in which they were sent.
struct Message {
    uint32_t kind = 0, object = 0, epoch = 0, value = 0;
};

class Messages {
public:
    void send(const Message &message) { queue_.push_back(message); }
    // The next one, if there is one.
    bool take(Message &message) {
        if (queue_.empty()) return false;
        message = queue_.front();
        queue_.pop_front();
        return true;
    }
    void add_state(Key &key) const {
        key.add(queue_.size());
        for (const Message &message : queue_) key.add(message);
    }

private:
    std::deque<Message> queue_;
};

// ---- slots and credits

// Rank 0 sends runs of one exchange after the other; a later one may get the block of an earlier one. Data go one way, credits come back.
class Slots final : public World {
public:
    Slots(uint32_t n_objects, uint32_t runs_of_each) : n_objects_(n_objects), n_runs_(runs_of_each) { last_word = 0; }
    void run(int rank) override {
        for (uint32_t object = 0; object < n_objects_; ++object) rank == 0 ? send(object) : receive(object);
    }
    void add_state(Key &key) const override {
        key.add(sent_), key.add(received_), key.add(in_slots_, sizeof in_slots_);
        to_receiver_.add_state(key), to_sender_.add_state(key);
        for (const std::byte *block : blocks_)
            if (block) key.add(block, SharedBlock::front + SharedSlots::bytes(message_bytes));
        key.add(blocks_[0] == blocks_[1]), key.add(blocks_[1] == blocks_[2]), key.add(blocks_[0] == blocks_[2]);
    }

private:
    enum Kind : uint32_t { hello, data, credit };
    static constexpr size_t message_bytes = sizeof(MessageHeader) + sizeof(Pair);
    static uint32_t value_of(uint32_t object, uint32_t epoch) { return 100 * object + epoch; }
    static Pair &values_in(std::byte *slot) { return *reinterpret_cast<Pair *>(slot + sizeof(MessageHeader)); }

    void send(uint32_t object) {
        sent_ = { object, 0, 0, 0 };
        offers_[object] = writers_[object].emplace().make(&sender_arena_, message_bytes);
        blocks_[object] = receiver_arena_.reach(offers_[object]);
        to_receiver_.send({ hello, object, 0, 0 });
        while (sent_.epoch < n_runs_ && !choose()) {
            ++sent_.epoch;
            take_credit(object);
            while (sent_.epoch - sent_.consumed > 2) {
                take_credit(object);
                if (choose()) return writers_[object].reset();
                point();
            }
            send_run(object);
        }
        writers_[object].reset();
    }
    void take_credit(uint32_t object) {
        Message told;
        if (!to_sender_.take(told) || told.object != object) return;
        sent_.consumed = told.epoch;
        sent_.peer_reads = told.value;
    }
    void send_run(uint32_t object) {
        const uint32_t value = value_of(object, sent_.epoch);
        SharedSlotWriter &writer = *writers_[object];
        if (sent_.peer_reads == 0 || !writer.may_write(sent_.epoch, sent_.consumed)) return to_receiver_.send({ data, object, sent_.epoch, value });
        write(values_in(writer.slot(sent_.epoch)), value);
        MessageHeader header{};
        header.serial = serial + object;
        header.epoch = sent_.epoch;
        writer.write(header);
        in_slots_[object] |= 1u << sent_.epoch;
    }

    void receive(uint32_t object) {
        received_ = { object, 0, 0, 0 };
        for (Message told; !to_receiver_.take(told) || told.kind != hello || told.object != object; point())
            if (choose()) return;
        readers_[object].map(&receiver_arena_, offers_[object], message_bytes);
        while (received_.epoch < n_runs_) {
            ++received_.epoch;
            while (!receive_run(object)) {
                require(received_.is_there == 0, "what lies in a slot is not found");
                if (choose()) {
                    if (choose()) return; // abandoned
                    break;                // the run fails, the next one may work
                }
                point();
            }
            if (readers_[object]) readers_[object].read(received_.epoch);
            if (received_.last_ends == 0 && object > 0 && choose()) { // a run of the exchange before, which lives on, fails here as late as this
                received_.last_ends = 1;
                if (readers_[object - 1]) readers_[object - 1].read(n_runs_);
            }
            to_sender_.send({ credit, object, received_.epoch, readers_[object] ? 1u : 0u });
        }
    }
    bool receive_run(uint32_t object) {
        const SharedSlotReader &reader = readers_[object];
        const uint32_t epoch = received_.epoch, value = value_of(object, epoch);
        received_.is_there = in_slots_[object] >> epoch & 1u;
        if (reader && reader.is_written(epoch)) {
            MessageHeader header;
            std::memcpy(&header, reader.slot(epoch), sizeof header);
            require(header.serial == serial + object, "the message of another exchange lies in the slot");
            require(holds(values_in(reader.slot(epoch)), value), "a slot is written again while it is read");
            return true;
        }
        Message message;
        if (!to_receiver_.take(message) || message.kind != data || message.object != object || message.epoch < epoch) return false;
        require(message.epoch == epoch && message.value == value, "a message is missing");
        return true;
    }

    struct Sent {
        uint32_t object = 0, epoch = 0, consumed = 0, peer_reads = 0;
    } sent_;
    struct Received {
        uint32_t object = 0, epoch = 0, is_there = 0, last_ends = 0;
    } received_;
    uint32_t n_objects_, n_runs_;
    uint32_t in_slots_[3] = {}; // runs that were written there
    SharedArena sender_arena_, receiver_arena_;
    SharedOffer offers_[3];
    std::byte *blocks_[3] = {};
    std::optional<SharedSlotWriter> writers_[3];
    SharedSlotReader readers_[3];
    Messages to_receiver_, to_sender_;
};

TEST(Protocols, OfSlotsAndCredits) {
    expect_explored("slots, credits", [] { return std::make_unique<Slots>(1, n_runs); });
    expect_explored("slots, credits, two exchanges", [] { return std::make_unique<Slots>(2, n_runs); });
    expect_explored("slots, credits, three exchanges of one run", [] { return std::make_unique<Slots>(3, 1); });
    expect_explored("slots, credits, three exchanges", [] { return std::make_unique<Slots>(3, n_runs); });
}

// ---- put and get

double seconds = 0;

// Rank 0 lends storage to rank 1, in each run anew.
class Lending : public World {
public:
    Lending() : peers_(contexts(1), serial, 0, "exchange 7") {
        own_.emplace(contexts(0), serial, 1, "exchange 7");
        last_word = 0, seconds = 0;
        notice_ = contexts(0).shared_arena(SIZE_MAX)->allocate(SharedBlock::front);
        own_->offer(notice_);
        own_->set_own({ { reinterpret_cast<const std::byte *>(&storage_), sizeof storage_ } });
        peers_.map(own_->offered(), {});
    }
    ~Lending() override {
        own_.reset();
        if (!contexts(0).leases().empty()) SharedWord(notice_.state()).store(0, std::memory_order_relaxed);
        contexts(0).leases().reap();
    }
    void run(int rank) override { rank == 0 ? lend() : use(); }
    void add_state(Key &key) const override {
        key.add(storage_), key.add(lender_), key.add(user_);
        to_lender_.add_state(key), to_user_.add_state(key);
        key.add(notice_.front_data(), SharedBlock::front);
        key.add(own_.has_value()), key.add(contexts(0).leases().empty());
        key.add(static_cast<int64_t>(seconds * 10 + 0.5));
    }

protected:
    enum Kind : uint32_t { values, values_put, values_lent, values_after_all };

    virtual void lend() = 0;
    virtual void use() = 0;

    static Context &contexts(int rank) {
        static const TwoContexts both;
        both.contexts[rank]->clock = [] { return seconds += 0.6; }; // a second has passed when a rank has looked twice
        return *both.contexts[rank];
    }
    // As `start` and `bind` ask.
    bool is_free() {
        seconds = 0;
        try {
            contexts(0).leases().require_free(&storage_, sizeof storage_, "storage");
            return true;
        } catch (const Error &) {
            return false;
        }
    }
    bool wait_until_free() {
        while (!is_free()) {
            if (choose()) return false;
            point();
        }
        return true;
    }
    void end_own() {
        seconds = 0;
        own_->end_own();
        seconds = 0;
    }

    struct Lender {
        uint32_t epoch = 0, value = 0;
    } lender_;
    struct User {
        uint32_t epoch = 0;
    } user_;
    Pair storage_;
    SharedBlock notice_;
    std::optional<StorageLeases> own_;
    StorageLeases peers_;
    Messages to_lender_, to_user_;
};

// The lender's ghosts are written.
class Put final : public Lending {
public:
    void check_end() override {
        if (reused_) require(storage_.first == other_use && storage_.second == other_use, "storage that was free has been written");
    }
    void add_state(Key &key) const override {
        Lending::add_state(key);
        key.add(reused_);
    }

private:
    static constexpr uint32_t other_use = 99;

    void lend() override {
        while (lender_.epoch < n_runs) {
            if (choose()) break; // the program has enough of it
            if (!wait_until_free()) break;
            ++lender_.epoch;
            if (own_->has_own()) own_->open_own(lender_.epoch);
            if (receive_run()) {
                require(holds(storage_, lender_.epoch), "ghosts that are here change");
            } else {
                if (choose()) break; // abandoned
                end_own();           // failed
            }
        }
        end_own();
        own_.reset();
        reuse();
    }
    bool receive_run() {
        while (true) {
            Message message;
            if (!to_lender_.take(message) || message.epoch < lender_.epoch) {
                if (choose()) return false;
                point();
            } else if (message.kind == values_put) {
                require(own_->own_is_done(lender_.epoch), "values are announced that are not there");
                return true;
            } else {
                write(storage_, message.value);
                return true;
            }
        }
    }
    void reuse() {
        if (!wait_until_free()) return;
        reused_ = 1;
        write(storage_, other_use);
        require(holds(storage_, other_use), "storage that is free is written");
    }

    void use() override {
        while (user_.epoch < n_runs) {
            ++user_.epoch;
            if (choose() || !put_run()) to_lender_.send({ values, 0, user_.epoch, user_.epoch });
        }
    }
    bool put_run() {
        while (!peers_.claim_peers(user_.epoch)) {
            if (choose()) return false;
            point();
        }
        if (choose()) {
            peers_.decline_peers(user_.epoch);
            return false;
        }
        write(storage_, user_.epoch);
        peers_.return_peers(user_.epoch);
        to_lender_.send({ values_put, 0, user_.epoch, 0 });
        return true;
    }

    uint32_t reused_ = 0;
};

// The lender's contributions are read.
class Get final : public Lending {
    void lend() override {
        while (lender_.epoch < n_runs) {
            if (choose() || !wait_until_free()) break;
            lender_.value = ++lender_.epoch;
            write(storage_, lender_.value);
            if (!own_->has_own() || choose()) {
                to_user_.send({ values, 0, lender_.epoch, lender_.value });
                continue;
            }
            own_->open_own(lender_.epoch);
            to_user_.send({ values_lent, 0, lender_.epoch, 0 });
            if (choose()) { // abandoned
                if (!own_->own_is_done(lender_.epoch)) take_back();
                break;
            }
            if (has_been_read()) continue;
            if (!own_->own_is_done(lender_.epoch)) take_back();
            end_own();
            if (choose()) write(storage_, 50); // it is the program's, after all
        }
        end_own();
        own_.reset();
    }
    // False: its peer does not come to an end.
    bool has_been_read() {
        while (!own_->own_is_done(lender_.epoch)) {
            if (choose()) return wait_for_reader();
            point();
        }
        return true;
    }
    bool take_back() {
        if (!own_->close_own()) return false;
        to_user_.send({ values_after_all, 0, lender_.epoch, storage_.first });
        return true;
    }
    bool wait_for_reader() {
        while (!own_->own_is_done(lender_.epoch)) {
            if (take_back()) return true;
            if (choose()) return false;
            point();
        }
        return true;
    }

    void use() override {
        while (user_.epoch < n_runs) {
            ++user_.epoch;
            declined_ = 0;
            if (!receive_run()) break;
        }
    }
    // False: no other run works.
    bool receive_run() {
        while (true) {
            Message message;
            if (!to_user_.take(message) || message.epoch < user_.epoch) {
                if (choose()) return true;
                point();
            } else if (message.epoch > user_.epoch) {
                require(declined_ != 0, "a message is missing"); // else its sender has given up meanwhile
                return false;
            } else if (message.kind == values_lent) {
                if (get_run()) return true;
            } else {
                require(message.value == user_.epoch, "the wrong values came");
                return true;
            }
        }
    }
    // False: they come by message after all. True: they have been read, or the run has failed.
    bool get_run() {
        if (!peers_.claim_peers(user_.epoch)) return false;
        if (choose()) {
            declined_ = 1;
            return !peers_.decline_peers(user_.epoch); // no message comes: the run has failed
        }
        const bool right = holds(storage_, user_.epoch);
        torn_ = right ? 0 : 1;
        const bool was_there = peers_.return_peers(user_.epoch);
        require(torn_ == 0 || !was_there, "what was read had changed, and nobody knows");
        return true;
    }
    void add_state(Key &key) const override {
        Lending::add_state(key);
        key.add(torn_), key.add(declined_);
    }

    uint32_t torn_ = 0;
    uint32_t declined_ = 0;
};

TEST(Protocols, OfPut) {
    expect_explored("put", [] { return std::make_unique<Put>(); });
}

TEST(Protocols, OfGet) {
    expect_explored("get", [] { return std::make_unique<Get>(); });
}

} // namespace

} // namespace simulation
