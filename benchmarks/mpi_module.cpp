// SPDX-License-Identifier: BSD-3-Clause
// The MPI side of the baselines: built once for each MPI.
#include <mpi.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "module.h"

namespace bench {

namespace {

void require(int code, const char *call) {
    if (code != MPI_SUCCESS) throw std::runtime_error(std::string(call) + " failed with code " + std::to_string(code));
}

// Datatype of one letter, and the address that it counts from.
class Content {
public:
    explicit Content(const Letter &letter) : address_(letter.data), count_(static_cast<int>(letter.values)) {
        if (letter.boxes.empty()) return;
        address_ = MPI_BOTTOM;
        count_ = 1;
        std::vector<MPI_Datatype> parts;
        std::vector<MPI_Aint> places(letter.boxes.size());
        const std::vector<int> ones(letter.boxes.size(), 1);
        for (size_t i = 0; i < letter.boxes.size(); ++i) {
            const Box &box = letter.boxes[i];
            MPI_Get_address(box.array, &places[i]);
            require(MPI_Type_create_subarray(4, box.sizes.data(), box.part.data(), box.start.data(), MPI_ORDER_C, MPI_DOUBLE, &parts.emplace_back()),
                    "MPI_Type_create_subarray");
        }
        require(MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), places.data(), parts.data(), &type_), "MPI_Type_create_struct");
        require(MPI_Type_commit(&type_), "MPI_Type_commit");
        for (MPI_Datatype &part : parts) MPI_Type_free(&part);
    }
    ~Content() {
        if (type_ != MPI_DOUBLE) MPI_Type_free(&type_);
    }
    Content(const Content &) = delete;
    Content &operator=(const Content &) = delete;

    void *address() const { return address_; }
    int count() const { return count_; }
    MPI_Datatype type() const { return type_; }

private:
    void *address_;
    int count_;
    MPI_Datatype type_ = MPI_DOUBLE;
};

class Letters {
public:
    explicit Letters(const std::vector<Letter> &letters) : requests(letters.size(), MPI_REQUEST_NULL) {
        for (const Letter &letter : letters) {
            contents.push_back(std::make_unique<Content>(letter));
            peers.push_back(letter.peer);
            tags.push_back(letter.tag);
        }
    }
    size_t size() const { return requests.size(); }
    void wait() { require(MPI_Waitall(static_cast<int>(size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall"); }
    bool test(size_t i) {
        int done = 0;
        require(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done != 0;
    }
    void withdraw() {
        for (MPI_Request &request : requests)
            if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
        wait();
    }

    std::vector<std::unique_ptr<Content>> contents;
    std::vector<int> peers, tags;
    std::vector<MPI_Request> requests;
};

class MailBase : public Mail {
public:
    MailBase(const std::vector<Letter> &sends, const std::vector<Letter> &receives) : sends_(sends), receives_(receives) {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    }
    ~MailBase() override { MPI_Comm_free(&communicator_); }
    bool arrived(size_t i) override { return receives_.test(i); }
    void wait_receives() override { receives_.wait(); }
    void wait_sends() override { sends_.wait(); }

protected:
    Letters sends_, receives_;
    MPI_Comm communicator_ = MPI_COMM_NULL;
};

class PersistentMail final : public MailBase {
public:
    PersistentMail(const std::vector<Letter> &sends, const std::vector<Letter> &receives) : MailBase(sends, receives) {
        for (size_t i = 0; i < sends_.size(); ++i)
            require(MPI_Send_init(sends_.contents[i]->address(), sends_.contents[i]->count(), sends_.contents[i]->type(), sends_.peers[i],
                                  sends_.tags[i], communicator_, &sends_.requests[i]),
                    "MPI_Send_init");
        for (size_t i = 0; i < receives_.size(); ++i)
            require(MPI_Recv_init(receives_.contents[i]->address(), receives_.contents[i]->count(), receives_.contents[i]->type(), receives_.peers[i],
                                  receives_.tags[i], communicator_, &receives_.requests[i]),
                    "MPI_Recv_init");
    }
    ~PersistentMail() override {
        for (Letters *letters : { &sends_, &receives_ })
            for (MPI_Request &request : letters->requests) MPI_Request_free(&request);
    }
    void start_receive(size_t i) override {
        require(MPI_Start(&receives_.requests[i]), "MPI_Start");
        started_ = true;
    }
    void start_send(size_t i) override { require(MPI_Start(&sends_.requests[i]), "MPI_Start"); }
    void withdraw() override {
        if (started_) receives_.withdraw();
        started_ = false;
    }

private:
    bool started_ = false;
};

class PlainMail final : public MailBase {
public:
    using MailBase::MailBase;
    void start_receive(size_t i) override {
        const Content &content = *receives_.contents[i];
        require(MPI_Irecv(content.address(), content.count(), content.type(), receives_.peers[i], receives_.tags[i], communicator_,
                          &receives_.requests[i]),
                "MPI_Irecv");
    }
    void start_send(size_t i) override {
        const Content &content = *sends_.contents[i];
        require(MPI_Isend(content.address(), content.count(), content.type(), sends_.peers[i], sends_.tags[i], communicator_, &sends_.requests[i]),
                "MPI_Isend");
    }
    void withdraw() override { receives_.withdraw(); }
};

class PeerGhostsByHand final : public PeerGhosts {
public:
    PeerGhostsByHand(int32_t peer, const std::vector<int32_t> &sent, int64_t first_ghost)
        : peer_(peer),
          sent_(sent),
          first_ghost_(first_ghost),
          message_(sent.size()) {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    }
    ~PeerGhostsByHand() override { MPI_Comm_free(&communicator_); }
    void exchange(double *storage) override {
        const int n = static_cast<int>(sent_.size());
        MPI_Request requests[2];
        require(MPI_Irecv(storage + first_ghost_, n, MPI_DOUBLE, peer_, 0, communicator_, &requests[0]), "MPI_Irecv");
        for (int i = 0; i < n; ++i) message_[i] = storage[sent_[i]];
        require(MPI_Isend(message_.data(), n, MPI_DOUBLE, peer_, 0, communicator_, &requests[1]), "MPI_Isend");
        require(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    }

private:
    int peer_;
    std::vector<int32_t> sent_;
    int64_t first_ghost_;
    std::vector<double> message_;
    MPI_Comm communicator_ = MPI_COMM_NULL;
};

void until_done(MPI_Request &request) {
    int done = 0;
    while (!done) require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
}

class MpiOfProcess final : public Mpi {
public:
    MpiOfProcess() {
        int initialised = 0;
        MPI_Initialized(&initialised);
        if (!initialised) require(MPI_Init(nullptr, nullptr), "MPI_Init");
        char text[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        MPI_Get_library_version(text, &length);
        library_.assign(text, static_cast<size_t>(length));
        library_.resize(std::min(library_.size(), library_.find_first_of(",\n")));
        for (char &c : library_)
            if (c == '\t') c = ' ';
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &n_ranks_);
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    }
    ~MpiOfProcess() override {
        MPI_Comm_free(&communicator_);
        MPI_Finalize();
    }
    const char *library() const override { return library_.c_str(); }
    int32_t rank() const override { return rank_; }
    int32_t n_ranks() const override { return n_ranks_; }
    void barrier() override { MPI_Barrier(communicator_); }
    void max(double *values, int n) override { MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_MAX, communicator_); }
    void sum(int64_t *values, int n) override { MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_SUM, communicator_); }
    void alltoallv(const std::vector<int64_t> &counts, const std::vector<std::byte> &out, std::vector<std::byte> &in) override {
        const auto n = counts.size();
        send_.assign(counts.begin(), counts.end());
        receive_.resize(n);
        MPI_Alltoall(send_.data(), 1, MPI_INT, receive_.data(), 1, MPI_INT, communicator_);
        send_at_.assign(n, 0);
        receive_at_.assign(n, 0);
        for (size_t i = 1; i < n; ++i) {
            send_at_[i] = send_at_[i - 1] + send_[i - 1];
            receive_at_[i] = receive_at_[i - 1] + receive_[i - 1];
        }
        in.resize(static_cast<size_t>(receive_at_.back() + receive_.back()));
        MPI_Alltoallv(out.data(), send_.data(), send_at_.data(), MPI_BYTE, in.data(), receive_.data(), receive_at_.data(), MPI_BYTE, communicator_);
    }
    std::unique_ptr<Mail> persistent(const std::vector<Letter> &sends, const std::vector<Letter> &receives) override {
        return std::make_unique<PersistentMail>(sends, receives);
    }
    std::unique_ptr<Mail> plain(const std::vector<Letter> &sends, const std::vector<Letter> &receives) override {
        return std::make_unique<PlainMail>(sends, receives);
    }
    std::unique_ptr<PeerGhosts> peer_ghosts(int32_t peer, const std::vector<int32_t> &sent, int64_t first_ghost) override {
        return std::make_unique<PeerGhostsByHand>(peer, sent, first_ghost);
    }
    double ping_pong(int64_t bytes, int64_t rounds) override;
    double message_rate(int64_t window, int64_t rounds) override;

private:
    std::string library_;
    int rank_ = 0, n_ranks_ = 1;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    std::vector<int> send_, receive_, send_at_, receive_at_; // of alltoallv
};

double MpiOfProcess::ping_pong(int64_t bytes, int64_t rounds) {
    if (rank_ > 1) return 0.0;
    std::vector<char> out(static_cast<size_t>(bytes)), in(static_cast<size_t>(bytes));
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    const int peer = 1 - rank_, n = static_cast<int>(bytes);
    const double begin = MPI_Wtime();
    for (int64_t round = 0; round < rounds; ++round) {
        MPI_Irecv(in.data(), n, MPI_BYTE, peer, 0, communicator_, &receive);
        if (rank_ == 1) until_done(receive);
        until_done(send);
        std::memcpy(out.data(), &round, sizeof round);
        MPI_Isend(out.data(), n, MPI_BYTE, peer, 0, communicator_, &send);
        if (rank_ == 0) until_done(receive);
        int64_t came = -1;
        std::memcpy(&came, in.data(), sizeof came);
        if (came != round) throw std::runtime_error("ping-pong by MPI: wrong data");
    }
    until_done(send);
    return MPI_Wtime() - begin;
}

double MpiOfProcess::message_rate(int64_t window, int64_t rounds) {
    if (rank_ > 1) return 0.0;
    const auto n = static_cast<size_t>(window);
    std::vector<int64_t> out(n), in(n);
    std::vector<MPI_Request> sends(n, MPI_REQUEST_NULL), receives(n, MPI_REQUEST_NULL);
    const int peer = 1 - rank_;
    const double begin = MPI_Wtime();
    for (int64_t round = 0; round < rounds; ++round) {
        for (size_t i = 0; i < n; ++i) MPI_Irecv(&in[i], 8, MPI_BYTE, peer, static_cast<int>(i), communicator_, &receives[i]);
        for (size_t i = 0; i < n; ++i) {
            until_done(sends[i]);
            out[i] = round;
            MPI_Isend(&out[i], 8, MPI_BYTE, peer, static_cast<int>(i), communicator_, &sends[i]);
        }
        for (size_t i = 0; i < n; ++i) {
            until_done(receives[i]);
            if (in[i] != round) throw std::runtime_error("message rate by MPI: wrong data");
        }
    }
    for (MPI_Request &send : sends) until_done(send);
    return MPI_Wtime() - begin;
}

} // namespace

} // namespace bench

extern "C" [[gnu::visibility("default")]] bench::Mpi *halo_bench_make_mpi() { return new bench::MpiOfProcess; }
