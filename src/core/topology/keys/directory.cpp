// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/directory.h"

#include <algorithm>
#include <optional>

#include "topology/keys/placement.h"

namespace halo {

namespace {

// A rank that has the key.
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

    void one_key(uint64_t key, std::span<const Candidate> candidates) {
        ++result_.n_keys;
        const auto claims = static_cast<uint32_t>(
            std::count_if(candidates.begin(), candidates.end(), [](const Candidate &one) { return (one.note & note::claims) != 0; }));
        const int32_t owner = owner_of(key, candidates, claims);
        if (owner < 0) ++result_.n_unclaimed;
        if (claims > 1) ++result_.n_several_claim;
        const bool alone = candidates.size() == 1 && owner >= 0 && (candidates[0].note & note::copies) == 1;
        if (!alone)
            for (const Candidate &one : candidates) tell(one, owner, candidates, claims > 1);
    }
    // Keys that one rank alone has, all of them plain.
    void plain_keys(int64_t n) { result_.n_keys += n; }
    bool all_plain_are_owned() const { return rule_.known_owner < 0 && rule_.rule != HALO_OWNER_CLAIM; }

    DirectoryResult take() { return std::move(result_); }

private:
    int32_t owner_of(uint64_t key, std::span<const Candidate> candidates, uint32_t claims) const {
        const bool must_claim = claims > 0 || (rule_.rule == HALO_OWNER_CLAIM && rule_.known_owner < 0);
        const auto may_own = [&](const Candidate &one) {
            if ((one.note & note::cannot_own) != 0) return false;
            return rule_.known_owner >= 0 ? one.rank == rule_.known_owner : !must_claim || (one.note & note::claims) != 0;
        };
        const int64_t n = std::count_if(candidates.begin(), candidates.end(), may_own);
        if (n == 0) return -1;
        int64_t skip = rule_.rule == HALO_OWNER_SPREAD ? static_cast<int64_t>(mixed(key) % static_cast<uint64_t>(n)) : 0;
        const Candidate *best = nullptr;
        for (const Candidate &one : candidates) {
            if (!may_own(one) || skip-- > 0) continue;
            if (!best || (rule_.rule == HALO_OWNER_WEIGHT && one.weight > best->weight)) best = &one;
        }
        return best->rank;
    }

    void tell(const Candidate &whom, int32_t owner, std::span<const Candidate> candidates, bool several_claim) {
        KeyAnswers &answers = result_.answers[whom.submission];
        answers.answers.push_back({ whom.place, owner, static_cast<uint32_t>(candidates.size()), several_claim ? 1U : 0U });
        for (const Candidate &one : candidates)
            answers.holders.push_back({ one.rank, one.note & note::copies & 0x7fffffff, (one.note & note::silent) != 0 ? 1U : 0U });
    }

    std::span<const Submission> submissions_;
    OwnerRule rule_;
    DirectoryResult result_;
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
        std::vector<Candidate> candidates;
        while (!heads_.empty()) {
            const Head least = pop();
            if (heads_.empty() || heads_.front().key != least.key) {
                alone(least);
                continue;
            }
            candidates.assign(1, candidate(least.submission));
            while (!heads_.empty() && heads_.front().key == least.key) candidates.push_back(candidate(pop().submission));
            decider_.one_key(least.key, candidates);
            for (const Candidate &one : candidates) {
                ++place_[one.submission];
                push(one.submission);
            }
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
            for (; place_[s] < end; ++place_[s]) {
                if (decider_.all_plain_are_owned() && from.notes[place_[s]] == note::plain) {
                    decider_.plain_keys(1);
                    continue;
                }
                const Candidate one = candidate(s);
                decider_.one_key(from.keys[place_[s]], { &one, 1 });
            }
        }
        push(s);
    }

    std::span<const Submission> submissions_;
    int32_t known_owner_;
    Decider &decider_;
    std::vector<size_t> place_;
    std::vector<Head> heads_;
};

} // namespace

DirectoryResult decide(std::span<const Submission> submissions, const OwnerRule &rule) {
    Decider decider(submissions, rule);
    Merge(submissions, rule.known_owner, decider).run();
    return decider.take();
}

} // namespace halo
