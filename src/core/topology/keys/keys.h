// SPDX-License-Identifier: BSD-3-Clause
// Points known by 64-bit keys: a distributed directory finds owners and copies.
#pragma once

#include "topology/discovery.h"
#include "topology/keys/directory.h"
#include "topology/keys/key_list.h"
#include "topology/keys/placement.h"

namespace halo {

class KeysTopology final : public PointsTopology {
public:
    KeysTopology(Context &context, const halo_keys_desc &desc);

    halo_keys_report report() const;

private:
    // Keys of this rank that others have too, that nobody owns, or that come several times here.
    struct Found {
        uint32_t key; // in the list of keys
        int32_t owner;
        std::vector<Holder> holders;
    };
    // One rank's stretch of the directory: keys [begin, end) of `order`, or of the list itself.
    struct Stretch {
        int32_t rank;
        uint32_t begin;
        uint32_t end;
    };
    struct Work;

    void check_desc(const halo_keys_desc &desc) const;
    void note_keys(Work &work) const;
    void choose_placement(Work &work);
    void divide(Work &work) const;
    void ask(Work &work);
    void note_answers(Work &work, const Stretch &stretch, const KeyAnswers &answers);
    void number(Work &work);
    void number_ghosts(const Work &work, uint32_t n_owned);
    void share(const Work &work);

    int32_t directory_ = HALO_DIRECTORY_AUTO;
    int64_t n_unclaimed_ = 0;
    int64_t n_several_claim_ = 0;
    std::vector<uint64_t> unclaimed_;
    std::vector<uint64_t> several_claim_;
    int64_t messages_sent_ = 0;
    int64_t bytes_sent_ = 0;
};

} // namespace halo
