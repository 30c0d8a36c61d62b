// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/wire.h"

#include <cstring>

namespace halo {

namespace {

// Writes values behind each other.
class Writer {
public:
    explicit Writer(size_t bytes) : bytes_(bytes) {}
    template <class T>
    void add(std::span<const T> values) {
        if (!values.empty()) std::memcpy(bytes_.data() + at_, values.data(), values.size_bytes());
        at_ += values.size_bytes();
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
    size_t at_ = 0;
};

struct SubmissionHead {
    uint64_t n_keys;
    uint64_t n_weights;
    uint64_t n_notes;
};

struct AnswersHead {
    uint64_t n_answers;
    uint64_t n_holders;
};

template <class Head>
Head head_of(const std::vector<std::byte> &bytes) {
    Head head{};
    if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
    return head;
}

void require_size(int32_t rank, size_t found, uint64_t wanted) {
    if (found != wanted)
        fail(HALO_ERR_WIRE, "keys: a message of %zu bytes from rank %d should have %llu", found, rank, static_cast<unsigned long long>(wanted));
}

} // namespace

// Weights before notes, so that all lie aligned.
std::vector<std::byte> encode(const Submission &submission) {
    const SubmissionHead head{ submission.keys.size(), submission.weights.size(), submission.notes.size() };
    Writer writer(sizeof head + submission.keys.size_bytes() + submission.weights.size_bytes() + submission.notes.size_bytes());
    writer.add(std::span(&head, 1));
    writer.add(submission.keys);
    writer.add(submission.weights);
    writer.add(submission.notes);
    return writer.take();
}

Submission decode_submission(int32_t rank, const std::vector<std::byte> &bytes) {
    const auto head = head_of<SubmissionHead>(bytes);
    require_size(rank, bytes.size(), sizeof head + 8 * (head.n_keys + head.n_weights) + 4 * head.n_notes);
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
    const AnswersHead head{ answers.answers.size(), answers.holders.size() };
    Writer writer(sizeof head + answers.answers.size() * sizeof(KeyAnswer) + answers.holders.size() * sizeof(Holder));
    writer.add(std::span(&head, 1));
    writer.add(std::span(answers.answers));
    writer.add(std::span(answers.holders));
    return writer.take();
}

KeyAnswers decode_answers(int32_t rank, const std::vector<std::byte> &bytes) {
    const auto head = head_of<AnswersHead>(bytes);
    require_size(rank, bytes.size(), sizeof head + sizeof(KeyAnswer) * head.n_answers + sizeof(Holder) * head.n_holders);
    KeyAnswers answers;
    answers.answers.resize(head.n_answers);
    answers.holders.resize(head.n_holders);
    const std::byte *at = bytes.data() + sizeof head;
    if (head.n_answers > 0) std::memcpy(answers.answers.data(), at, head.n_answers * sizeof(KeyAnswer));
    if (head.n_holders > 0) std::memcpy(answers.holders.data(), at + head.n_answers * sizeof(KeyAnswer), head.n_holders * sizeof(Holder));
    return answers;
}

} // namespace halo
