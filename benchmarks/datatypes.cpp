// SPDX-License-Identifier: BSD-3-Clause
// (c): MPI packs and unpacks by itself, told where the values lie.
#include <map>
#include <utility>

#include "contenders.h"

namespace bench {

namespace {

// Box of a block's storage: `low` and `high` count from the first owned cell.
Box box_of(const Work &work, int64_t gid, const Offset &low, const Offset &high) {
    const auto row = static_cast<int>(work.row()), g = static_cast<int>(work.size().ghost);
    Box box{ work.block(gid), { work.size().components, row, row, row }, { work.size().components, 0, 0, 0 }, { 0, 0, 0, 0 } };
    for (size_t d = 0; d < 3; ++d) {
        box.part[3 - d] = static_cast<int>(high[d] - low[d]);
        box.start[3 - d] = static_cast<int>(low[d]) + g;
    }
    return box;
}

// Calls visit(receiver's ghost low, high, offset) for the 26 elements, in one order for all.
template <class Visit>
void for_each_element(const Work &work, Visit &&visit) {
    const int64_t b = work.size().block, g = work.size().ghost;
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y)
            for (int64_t x = -1; x <= 1; ++x) {
                if (x == 0 && y == 0 && z == 0) continue;
                const Offset offset{ x, y, z };
                Offset low, high;
                for (size_t d = 0; d < 3; ++d) {
                    low[d] = offset[d] < 0 ? -g : offset[d] == 0 ? 0 : b;
                    high[d] = offset[d] < 0 ? 0 : offset[d] == 0 ? b : b + g;
                }
                visit(offset, low, high);
            }
}

using LettersByPeer = std::map<int32_t, Letter>;

void add(LettersByPeer &letters, int32_t peer, const Box &box) {
    Letter &letter = letters.try_emplace(peer, Letter{ peer, 0, nullptr, 0, {} }).first->second;
    letter.boxes.push_back(box);
    letter.values += int64_t{ box.part[0] } * box.part[1] * box.part[2] * box.part[3];
}

std::vector<Letter> list(const LettersByPeer &letters) {
    std::vector<Letter> result;
    for (const auto &[peer, letter] : letters) result.push_back(letter);
    return result;
}

// Both by receiving block, then by element.
std::vector<Letter> letters_to_receive(const Work &work) {
    LettersByPeer letters;
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid)
        for_each_element(work, [&](const Offset &offset, const Offset &low, const Offset &high) {
            const int64_t source = work.neighbour(gid, offset);
            if (!work.is_local(source)) add(letters, work.owner(source), box_of(work, gid, low, high));
        });
    return list(letters);
}

std::vector<Letter> letters_to_send(const Work &work) {
    LettersByPeer letters;
    for (int64_t gid = 0; gid < work.n_blocks(); ++gid) {
        if (work.is_local(gid)) continue;
        for_each_element(work, [&](const Offset &offset, Offset low, Offset high) {
            const int64_t source = work.neighbour(gid, offset);
            if (!work.is_local(source)) return;
            for (size_t d = 0; d < 3; ++d) {
                low[d] -= offset[d] * work.size().block;
                high[d] -= offset[d] * work.size().block;
            }
            add(letters, work.owner(gid), box_of(work, source, low, high));
        });
    }
    return list(letters);
}

class Datatypes final : public Contender {
public:
    Datatypes(const Session &session, Work &work, Part part)
        : local_(work, fastest_kernels(work)),
          with_local_(part == Part::all),
          sends_(letters_to_send(work)),
          receives_(letters_to_receive(work)),
          mail_(session.mpi()->persistent(sends_, receives_)) {}
    std::string name() const override { return "datatypes"; }
    void exchange() override {
        for (size_t i = 0; i < receives_.size(); ++i) mail_->start_receive(i);
        for (size_t i = 0; i < sends_.size(); ++i) mail_->start_send(i);
        if (with_local_) local_.run();
        mail_->wait_receives();
        mail_->wait_sends();
    }
    std::optional<Counts> counts() override {
        Counts counts;
        counts.peers = counts.messages = static_cast<int64_t>(sends_.size());
        counts.jobs = with_local_ ? local_.n_jobs() : 0;
        for (const Letter &letter : sends_) counts.wire_bytes += letter.values * static_cast<int64_t>(sizeof(double));
        return counts;
    }

private:
    LocalCopies local_;
    bool with_local_;
    std::vector<Letter> sends_, receives_;
    std::unique_ptr<Mail> mail_;
};

} // namespace

std::unique_ptr<Contender> make_datatypes(const Session &session, Work &work, Part part) { return std::make_unique<Datatypes>(session, work, part); }

} // namespace bench
