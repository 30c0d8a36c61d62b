// SPDX-License-Identifier: BSD-3-Clause
// Check mode (HALO_CHECK=1) of one binding set of a field: do loops on the host do with it what their batches say?
//
// begin   owned values are those that the last loop has left; what the loop writes without reading is poisoned, and so are ghosts that it does not
//         reach; all storage is kept beside
// ready   ghosts that have arrived are kept too
// end     what the loop does not change is as it was; what it was to write and has not is given back; nothing that it has changed was computed from
//         poison; ghosts that are stale now are poisoned, until they are exchanged
// Loops on a device are not looked at; where several batches that read the field are open at once, ghosts are not.
// Cost: a copy of all storage, and some five passes over it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "access/freshness.h"
#include "access/mirror.h"
#include "exchange/poison.h"

namespace halo {

class DeclaredAccess {
public:
    DeclaredAccess(Field &field, int32_t set, const Mirror &mirror);

    // What a loop has done without declaring it. Until forget: the field may not be used.
    const std::optional<Error> &found() const { return found_; }
    // Owned values are not those that the last loop has left.
    std::optional<Error> changed_outside() const;
    // Of a batch that opens next, before its ghosts are exchanged. `here`: its loop runs on the host.
    void prepare(bool here);
    void open(const Use &use, bool here) noexcept;
    // Ghosts that were on their way, or lay elsewhere, are put where the loop runs, or an exchange reads ghosts: before, and after.
    void arriving(const Use &use);
    void arrived(const Use &use) noexcept;
    // `fresh`: sections of ghosts that still are.
    void close(const Use &use, uint32_t fresh);
    // The loop has not run to its end.
    void give_up(const Use &use) noexcept;
    // Its memory may be gone.
    void drop() noexcept { n_open_ = 0; }
    // Owned values change, as they may.
    void owned_change() noexcept { knows_left_ = false; }
    // The caller has changed values, and says so.
    void forget() noexcept;

private:
    struct Part {
        ByteRuns owned;
        std::map<uint32_t, ByteRuns> ghosts; // by groups
        std::vector<std::byte> kept;         // while a batch is open, what it must not change; after that, owned values as the last one has left them
        std::byte *storage = nullptr;        // of the open batches
    };

    int64_t index(const Part &part) const { return &part - parts_.data(); }
    std::string name(const Part &part, int64_t element) const;
    Poison poison_of(const Part &part) const { return { field_.spec(), field_.ordinal(), seed_, index(part) }; }
    std::byte *storage(const Part &part) const;
    bool is_same(const Part &part) const { return part.storage && storage(part) == part.storage; }
    void find_runs();
    template <class Visit>
    void for_each_part(Visit &&visit);
    void poison(const ByteRuns &runs, const Part &part) const;
    void hide(const Use &use, const Part &part) const;
    void show(const Use &use, const Part &part);
    void give_back_all(const Use &use) noexcept;
    static void give_back(const ByteRuns &runs, const Part &part);
    template <class Visit>
    void give_back_poisoned(const Part &part, Visit &&visit) const;
    void require_kept(const ByteRuns &runs, const Part &part, const char *why);
    void require_hidden(const Use &use, const ByteRuns &runs, const Part &part);
    void require_clean(const ByteRuns &runs, const Part &part);
    void look_at_ghosts(const Use &use, const Part &part);
    std::optional<int64_t> first_changed(const ByteRuns &runs, const Part &part, const std::byte *storage) const;
    void find(const Part &part, int64_t element, const std::string &why);

    Field &field_;
    const int32_t set_;
    const Mirror &mirror_;
    const int64_t seed_;
    uint64_t layout_ = 0; // of what `parts_` is made for
    std::vector<Part> parts_;
    int32_t n_open_ = 0;
    Use opened_;              // by the first
    bool kept_ = false;       // it runs on the host
    bool alone_ = false;      // and no other has been open since: ghosts are looked at
    bool knows_left_ = false; // what `kept` of the parts says of owned values holds between batches
    std::optional<Error> found_;
};

} // namespace halo
