// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/wire.h"

#include <cstring>

#include "base/bytes.h"

namespace halo {

namespace {

struct SubmissionHead {
    uint64_t n_keys;
    uint64_t n_weights;
    uint64_t n_notes;
};

struct AnswersHead {
    uint64_t n_answers;
    uint64_t n_words;
};

// Two words where each rank of a run has one copy, which contributes; otherwise four. The lowest bit tells.
std::vector<uint32_t> words_of(const std::vector<HolderRun> &runs) {
    std::vector<uint32_t> words;
    words.reserve(2 * runs.size());
    for (const HolderRun &run : runs) {
        const bool plain = run.copies == 1 && run.silent == 0;
        words.push_back(static_cast<uint32_t>(run.first) << 1 | (plain ? 0 : 1));
        words.push_back(static_cast<uint32_t>(run.n_ranks));
        if (!plain) words.insert(words.end(), { run.copies, run.silent });
    }
    return words;
}

std::vector<HolderRun> runs_of(int32_t rank, const std::vector<uint32_t> &words, int32_t n_ranks) {
    std::vector<HolderRun> runs;
    for (size_t at = 0; at < words.size();) {
        const bool plain = (words[at] & 1) == 0;
        if (words.size() - at < (plain ? 2 : 4)) fail(HALO_ERR_WIRE, "keys: a list of ranks from rank %d is cut off", rank);
        runs.push_back(
            { static_cast<int32_t>(words[at] >> 1), static_cast<int32_t>(words[at + 1]), plain ? 1 : words[at + 2], plain ? 0 : words[at + 3] });
        check_holders(runs.back(), n_ranks, rank);
        at += plain ? 2 : 4;
    }
    return runs;
}

template <class Head>
Head head_of(const std::vector<std::byte> &bytes) {
    Head head{};
    if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
    return head;
}

struct List {
    uint64_t n;
    size_t bytes_each;
};

// Just these lists are behind the head. Each must fit alone, so that their sum cannot wrap.
void require_lists(int32_t rank, size_t message_bytes, size_t head_bytes, std::initializer_list<List> lists) {
    bool fit = true;
    uint64_t wanted = head_bytes;
    for (const List &list : lists) {
        fit = fit && list.n <= message_bytes / list.bytes_each;
        wanted += list.n * list.bytes_each;
    }
    if (!fit || wanted != message_bytes)
        fail(HALO_ERR_WIRE, "keys: a message of %zu bytes from rank %d has not the size that its head tells", message_bytes, rank);
}

} // namespace

// Weights before notes, so that all lie aligned.
std::vector<std::byte> encode(const Submission &submission) {
    const SubmissionHead head{ submission.keys.size(), submission.weights.size(), submission.notes.size() };
    Packer writer(sizeof head + submission.keys.size_bytes() + submission.weights.size_bytes() + submission.notes.size_bytes());
    writer.add(std::span(&head, 1));
    writer.add(submission.keys);
    writer.add(submission.weights);
    writer.add(submission.notes);
    return writer.take();
}

Submission decode_submission(int32_t rank, const std::vector<std::byte> &bytes) {
    const auto head = head_of<SubmissionHead>(bytes);
    require_lists(rank, bytes.size(), sizeof head, { { head.n_keys, 8 }, { head.n_weights, 8 }, { head.n_notes, 4 } });
    if ((head.n_weights != 0 && head.n_weights != head.n_keys) || (head.n_notes != 0 && head.n_notes != head.n_keys))
        fail(HALO_ERR_WIRE, "keys: rank %d tells of %llu keys, with %llu weights and %llu notes", rank, static_cast<unsigned long long>(head.n_keys),
             static_cast<unsigned long long>(head.n_weights), static_cast<unsigned long long>(head.n_notes));
    Submission submission;
    submission.rank = rank;
    const std::byte *at = bytes.data() + sizeof head;
    submission.keys = { reinterpret_cast<const uint64_t *>(at), head.n_keys };
    at += submission.keys.size_bytes();
    submission.weights = { reinterpret_cast<const int64_t *>(at), head.n_weights };
    at += submission.weights.size_bytes();
    submission.notes = { reinterpret_cast<const uint32_t *>(at), head.n_notes };
    return submission;
}

std::vector<std::byte> encode(const KeyAnswers &answers) {
    const std::vector<uint32_t> words = words_of(answers.holders);
    const AnswersHead head{ answers.answers.size(), words.size() };
    Packer writer(sizeof head + answers.answers.size() * sizeof(KeyAnswer) + words.size() * sizeof words[0]);
    writer.add(std::span(&head, 1));
    writer.add(std::span<const KeyAnswer>(answers.answers));
    writer.add(std::span<const uint32_t>(words));
    return writer.take();
}

KeyAnswers decode_answers(int32_t rank, const std::vector<std::byte> &bytes, int32_t n_ranks) {
    const auto head = head_of<AnswersHead>(bytes);
    require_lists(rank, bytes.size(), sizeof head, { { head.n_answers, sizeof(KeyAnswer) }, { head.n_words, sizeof(uint32_t) } });
    KeyAnswers answers;
    answers.answers.resize(head.n_answers);
    std::vector<uint32_t> words(head.n_words);
    const std::byte *at = bytes.data() + sizeof head;
    if (head.n_answers > 0) std::memcpy(answers.answers.data(), at, head.n_answers * sizeof(KeyAnswer));
    if (head.n_words > 0) std::memcpy(words.data(), at + head.n_answers * sizeof(KeyAnswer), head.n_words * sizeof words[0]);
    answers.holders = runs_of(rank, words, n_ranks);
    return answers;
}

} // namespace halo
