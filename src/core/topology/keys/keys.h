// SPDX-License-Identifier: BSD-3-Clause
// Points known by 64-bit keys: a distributed directory finds owners and copies.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "topology/discovery.h"
#include "topology/keys/directory.h"
#include "topology/keys/key_list.h"
#include "topology/keys/placement.h"
#include "topology/keys/record.h"

namespace halo {

class KeyIndex;
struct NotedKeys;

// What the caller knows of its keys: no key comes twice, and where each is found.
struct KnownKeys {
    const KeyIndex &index; // position of each
    KeyRange range;        // of all keys
    int32_t rank;          // of this one
    size_t n_own;          // the first keys are this rank's own, the rest wanted
    // Of those that are wanted.
    std::span<const int32_t> rings; // HALO_NUMBERING_BY_OWNER puts lower ones first
    std::optional<std::span<const int32_t>> owners;
};

class KeysTopology : public PointsTopology {
public:
    KeysTopology(Context &context, const halo_keys_desc &desc);
    // Of a list that the library has made, on all ranks alike: no key has flags, n_mine tells which are this rank's own.
    KeysTopology(Context &context, const halo_keys_desc &desc, const KnownKeys &known);
    // The topology that the edited lists would give.
    KeysTopology(const KeysTopology &from, const halo_keys_edit &edit);

    halo_keys_report report() const;
    std::vector<uint64_t> point_keys() const override;

protected:
    std::string name_of(int64_t point) const override;

private:
    // What ranks take from the others.
    struct Given {
        int64_t most_parts; // of any rank; 0: ranks are not split
        bool owners;        // where a rank has no keys: as those that have
    };
    struct Found;
    struct Stretch;
    struct Work;

    void check_desc(const halo_keys_desc &desc) const;
    void check_parts(const halo_keys_desc &desc) const;
    void check_mine(const halo_keys_desc &desc) const;
    // Collective.
    Given find_given(const halo_keys_desc &desc) const;
    void check_that_parts_are_given(const halo_keys_desc &desc, int64_t most_parts) const;
    void make(Work &work);
    void choose_placement(Work &work);
    void split(Work &work) const;
    void divide(Work &work) const;
    std::vector<uint32_t> sifted(const Work &work, std::span<const Submission> others) const;
    std::vector<uint32_t> looked_up(const Work &work, std::span<const Submission> others) const;
    void sift(Work &work, std::span<const Submission> others) const;
    void ask(Work &work);
    void note_answers(Work &work);
    void note_answers(Work &work, const Stretch &stretch, const KeyAnswers &answers);
    void number(Work &work);
    void number_ghosts(const Work &work, uint32_t n_owned);
    void share(const Work &work);
    void keep(Work &work);
    std::map<int32_t, OwnedSubmissions> changes(const NotedKeys &list, std::span<const uint64_t> changed, std::span<const int32_t> before) const;
    void tell_changes(const NotedKeys &list, std::span<const uint64_t> changed, std::span<const int32_t> before);
    void recall(Work &work);

    int32_t directory_ = HALO_DIRECTORY_AUTO;
    int64_t n_unclaimed_ = 0;
    int64_t n_several_claim_ = 0;
    std::vector<uint64_t> unclaimed_;
    std::vector<uint64_t> several_claim_;
    int64_t messages_sent_ = 0;
    int64_t bytes_sent_ = 0;
    std::unique_ptr<KeysRecord> record_; // null: not editable
    std::vector<uint64_t> named_;        // else, in check mode, the caller's keys
};

} // namespace halo
