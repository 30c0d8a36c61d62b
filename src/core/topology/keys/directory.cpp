// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/directory.h"

#include <algorithm>
#include <optional>

#include "topology/keys/placement.h"

namespace halo {

namespace {

// A rank that has the key, or one of its parts.
struct Candidate {
    size_t submission;
    uint32_t place;
    int32_t rank;
    uint32_t note;
    int64_t weight;
};

class Decider {
public:
    Decider(std::span<const Submission> submissions, const OwnerRule &rule) : submissions_(submissions), rule_(rule) {
        result_.answers.resize(submissions.size());
    }

    // Candidates by rank, then part.
    void one_key(uint64_t key, std::span<const Candidate> candidates) {
        ++result_.n_keys;
        const auto claims = std::count_if(candidates.begin(), candidates.end(), [](const Candidate &one) { return (one.note & note::claims) != 0; });
        const Candidate *owner = owner_of(key, candidates, claims > 0);
        if (!owner) ++result_.n_unclaimed;
        if (claims > 1) ++result_.n_several_claim;
        const bool alone = candidates.size() == 1 && owner && (owner->note & note::copies) == 1;
        if (!alone) tell(candidates, owner, claims > 1);
    }
    // Keys that one rank alone has, all of them plain.
    void plain_keys(int64_t n) { result_.n_keys += n; }
    bool all_plain_are_owned() const { return rule_.known_owner < 0 && rule_.rule != HALO_OWNER_CLAIM; }

    DirectoryResult take() { return std::move(result_); }

private:
    const Candidate *owner_of(uint64_t key, std::span<const Candidate> candidates, bool claimed) const {
        const bool must_claim = claimed || (rule_.rule == HALO_OWNER_CLAIM && rule_.known_owner < 0);
        const auto may_own = [&](const Candidate &one) {
            if ((one.note & note::cannot_own) != 0) return false;
            return rule_.known_owner >= 0 ? one.rank == rule_.known_owner : !must_claim || (one.note & note::claims) != 0;
        };
        const int64_t n = std::count_if(candidates.begin(), candidates.end(), may_own);
        if (n == 0) return nullptr;
        int64_t skip = rule_.rule == HALO_OWNER_SPREAD ? static_cast<int64_t>(mixed(key) % static_cast<uint64_t>(n)) : 0;
        const Candidate *best = nullptr;
        for (const Candidate &one : candidates) {
            if (!may_own(one) || skip-- > 0) continue;
            if (!best || (rule_.rule == HALO_OWNER_WEIGHT && one.weight > best->weight)) best = &one;
        }
        return best;
    }

    // Tells each rank once.
    void tell(std::span<const Candidate> candidates, const Candidate *owner, bool several_claim) {
        runs_.clear();
        told_.clear();
        for (size_t c = 0; c < candidates.size();) {
            const Candidate &first = candidates[c];
            uint32_t copies = 0, silent = 0;
            for (; c < candidates.size() && candidates[c].rank == first.rank; ++c) {
                copies += candidates[c].note & note::copies;
                if ((candidates[c].note & note::silent) != 0) silent += candidates[c].note & note::copies;
            }
            add_holder(runs_, first.rank, copies, silent);
            told_.push_back(owner && owner->rank == first.rank ? owner : &first);
        }
        for (const Candidate *whom : told_) {
            KeyAnswers &answers = result_.answers[whom->submission];
            answers.answers.push_back(
                { whom->place, owner ? owner->rank : -1, static_cast<uint32_t>(runs_.size()) & 0x7fffffff, several_claim ? 1U : 0U });
            answers.holders.insert(answers.holders.end(), runs_.begin(), runs_.end());
        }
    }

    std::span<const Submission> submissions_;
    OwnerRule rule_;
    DirectoryResult result_;
    std::vector<HolderRun> runs_; // of one key
    std::vector<const Candidate *> told_;
};

// The submissions' next keys: a heap with the least on top, of equal ones the lowest rank's.
struct Head {
    uint64_t key;
    size_t submission;
    bool operator<(const Head &other) const { return key != other.key ? key > other.key : submission > other.submission; }
};

class Merge {
public:
    Merge(std::span<const Submission> submissions, int32_t known_owner, Decider &decider)
        : submissions_(submissions),
          known_owner_(known_owner),
          decider_(decider),
          place_(submissions.size(), 0) {
        for (size_t s = 0; s < submissions.size(); ++s) push(s);
    }

    void run() {
        while (!heads_.empty()) {
            const Head least = pop();
            if (heads_.empty() || heads_.front().key != least.key) {
                alone(least);
                continue;
            }
            gather(least.submission);
            while (!heads_.empty() && heads_.front().key == least.key) gather(pop().submission);
            decider_.one_key(least.key, candidates_);
            for (size_t c = 0; c < candidates_.size(); ++c)
                if (c == 0 || candidates_[c].submission != candidates_[c - 1].submission) push(candidates_[c].submission);
            candidates_.clear();
        }
    }

private:
    void push(size_t s) {
        if (place_[s] >= submissions_[s].keys.size()) return;
        heads_.push_back({ submissions_[s].keys[place_[s]], s });
        std::push_heap(heads_.begin(), heads_.end());
    }
    Head pop() {
        std::pop_heap(heads_.begin(), heads_.end());
        const Head head = heads_.back();
        heads_.pop_back();
        return head;
    }
    Candidate candidate(size_t s) const {
        const Submission &from = submissions_[s];
        const size_t place = place_[s];
        return { s, static_cast<uint32_t>(place), from.rank, from.notes.empty() ? note::plain : from.notes[place],
                 from.weights.empty() ? 0 : from.weights[place] };
    }
    // What a submission says of its next key.
    void gather(size_t s) {
        const auto keys = submissions_[s].keys;
        const uint64_t key = keys[place_[s]];
        for (; place_[s] < keys.size() && keys[place_[s]] == key; ++place_[s]) candidates_.push_back(candidate(s));
    }
    // Keys of one submission up to the next key of another: found by doubling steps, as such runs may be long.
    void alone(const Head &head) {
        const size_t s = head.submission;
        const Submission &from = submissions_[s];
        const size_t begin = place_[s], size = from.keys.size();
        size_t end = size;
        if (!heads_.empty()) {
            size_t step = 1;
            while (begin + step < size && from.keys[begin + step] < heads_.front().key) step *= 2;
            const auto last = from.keys.begin() + static_cast<int64_t>(std::min(begin + step, size));
            end = static_cast<size_t>(std::lower_bound(from.keys.begin() + static_cast<int64_t>(begin + step / 2), last, heads_.front().key) -
                                      from.keys.begin());
        }
        if (from.notes.empty() && (decider_.all_plain_are_owned() || from.rank == known_owner_)) {
            decider_.plain_keys(static_cast<int64_t>(end - begin));
            place_[s] = end;
        } else {
            while (place_[s] < end) {
                const uint64_t key = from.keys[place_[s]];
                gather(s);
                if (candidates_.size() == 1 && candidates_[0].note == note::plain && decider_.all_plain_are_owned())
                    decider_.plain_keys(1);
                else
                    decider_.one_key(key, candidates_);
                candidates_.clear();
            }
        }
        push(s);
    }

    std::span<const Submission> submissions_;
    int32_t known_owner_;
    Decider &decider_;
    std::vector<size_t> place_;
    std::vector<Head> heads_;
    std::vector<Candidate> candidates_; // for one key
};

} // namespace

DirectoryResult decide(std::span<const Submission> submissions, const OwnerRule &rule) {
    Decider decider(submissions, rule);
    Merge(submissions, rule.known_owner, decider).run();
    return decider.take();
}

} // namespace halo
