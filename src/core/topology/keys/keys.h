// SPDX-License-Identifier: BSD-3-Clause
// Points known by 64-bit keys: a distributed directory finds owners and copies.
#pragma once

#include "topology/discovery.h"
#include "topology/keys/directory.h"
#include "topology/keys/key_list.h"
#include "topology/keys/placement.h"

namespace halo {

class KeysTopology : public PointsTopology {
public:
    KeysTopology(Context &context, const halo_keys_desc &desc);

    halo_keys_report report() const;

private:
    struct Found;
    struct Stretch;
    struct Work;

    void check_desc(const halo_keys_desc &desc) const;
    void choose_placement(Work &work);
    void follow_first_entries(Work &work) const;
    void split(Work &work) const;
    void divide(Work &work) const;
    void sift(Work &work, std::span<const Submission> others) const;
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
