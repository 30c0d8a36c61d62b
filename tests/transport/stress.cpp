// SPDX-License-Identifier: BSD-3-Clause
// Random traffic from a seed: sizes, tags and lanes are drawn alike on both sides; the order of posting, probing and testing is not.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "harness.h"

namespace transport_tests {
namespace {

constexpr int32_t n_lanes = 2;
constexpr int32_t n_tags = 6;

struct Message {
    int32_t lane, tag;
    int64_t number;
    size_t bytes;
};

// What `source` sends to `destination`, in this order.
std::vector<Message> traffic(uint32_t seed, int32_t source, int32_t destination, int n_messages) {
    std::seed_seq words{ seed, static_cast<uint32_t>(source), static_cast<uint32_t>(destination) };
    std::mt19937 random(words);
    std::vector<Message> list;
    for (int i = 0; i < n_messages; ++i) {
        uint32_t kind = random() % 20;
        size_t bytes = kind < 12 ? random() % 64 : kind < 19 ? random() % 3000 : random() % 300000;
        list.push_back({ static_cast<int32_t>(random() % n_lanes), static_cast<int32_t>(random() % n_tags), i, bytes });
    }
    return list;
}

struct InFlight {
    Bytes data;
    halo_request request{};
    const Message *message = nullptr;
    int32_t peer = -1;
    bool receives = false;
};

class Traffic {
public:
    Traffic(Rank &r, uint32_t seed) : r_(r), n_messages_(600 / r.size), random_(seed * 31 + static_cast<uint32_t>(r.rank)) {
        for (int32_t peer : r.peers()) {
            out_.push_back({ peer, traffic(seed, r.rank, peer, n_messages_), 0 });
            for (int32_t lane = 0; lane < n_lanes; ++lane) {
                for (int32_t tag = 0; tag < n_tags; ++tag) in_.push_back({ peer, select(traffic(seed, peer, r.rank, n_messages_), lane, tag), 0 });
            }
        }
    }

    void run() {
        int64_t left = static_cast<int64_t>(r_.peers().size()) * n_messages_ * 2;
        while (left > 0) {
            switch (random_() % 4) {
            case 0: send_one(); break;
            case 1:
            case 2: receive_one(); break;
            default:
                int64_t n = test_some();
                left -= n;
                if (n == 0) std::this_thread::yield();
            }
        }
        r_.barrier();
    }

private:
    // A sequence that has to keep its order.
    struct Stream {
        int32_t peer;
        std::vector<Message> messages;
        size_t next;
    };

    static std::vector<Message> select(std::vector<Message> all, int32_t lane, int32_t tag) {
        std::erase_if(all, [&](const Message &m) { return m.lane != lane || m.tag != tag; });
        return all;
    }

    Stream *pick(std::vector<Stream> &streams) {
        if (streams.empty()) return nullptr;
        Stream &stream = streams[random_() % streams.size()];
        return stream.next < stream.messages.size() ? &stream : nullptr;
    }

    InFlight &add(const Message &message, int32_t peer, bool receives) {
        in_flight_.push_back(std::make_unique<InFlight>());
        InFlight &f = *in_flight_.back();
        f.message = &message;
        f.peer = peer;
        f.receives = receives;
        return f;
    }

    void send_one() {
        Stream *stream = pick(out_);
        if (stream == nullptr) return;
        const Message &m = stream->messages[stream->next++];
        InFlight &f = add(m, stream->peer, false);
        f.data = payload(r_.rank, stream->peer, m.number, m.bytes);
        r_.send(stream->peer, m.tag, f.data, f.request, m.lane);
    }

    // By a posted receive, a posted one that is cancelled first, or a probe. No probe while receives of the stream are posted: they go first.
    void receive_one() {
        Stream *stream = pick(in_);
        if (stream == nullptr) return;
        const Message &m = stream->messages[stream->next];
        bool posted = std::any_of(in_flight_.begin(), in_flight_.end(), [&](const auto &f) {
            return f->receives && f->peer == stream->peer && f->message->lane == m.lane && f->message->tag == m.tag;
        });
        if (!posted && random_() % 2 == 0) {
            size_t bytes = 0;
            halo_matched message;
            if (!r_.probe(stream->peer, m.tag, bytes, message, m.lane)) return;
            require(bytes == m.bytes, "message %d of %zu bytes was found with %zu", static_cast<int>(m.number), m.bytes, bytes);
            InFlight &f = add(m, stream->peer, true);
            f.data.resize(bytes);
            r_.receive_matched(message, f.data, f.request);
        } else {
            InFlight &f = add(m, stream->peer, true);
            f.data.resize(m.bytes + random_() % 3);
            r_.receive(stream->peer, m.tag, f.data, f.request, m.lane);
            if (random_() % 8 == 0 && withdrawn(f)) {
                in_flight_.pop_back();
                return;
            }
        }
        ++stream->next;
    }

    // The youngest receive of its stream: whether it arrived or not, the order is kept.
    bool withdrawn(InFlight &f) {
        int32_t done = -1;
        halo_status status = r_.ops.cancel(r_.transport, &f.request, &done);
        require(status == HALO_SUCCESS, "cancel: %s", r_.error.c_str());
        if (done == 0) return true;
        arrived_by_cancel_.push_back(&f);
        return false;
    }

    int64_t test_some() {
        int64_t n = 0;
        for (size_t i = 0; i < in_flight_.size();) {
            if (!finished(*in_flight_[i])) {
                ++i;
                continue;
            }
            std::swap(in_flight_[i], in_flight_.back());
            in_flight_.pop_back();
            ++n;
        }
        return n;
    }

    bool finished(InFlight &f) {
        if (auto at = std::find(arrived_by_cancel_.begin(), arrived_by_cancel_.end(), &f); at != arrived_by_cancel_.end()) {
            arrived_by_cancel_.erase(at);
            check_payload(f.data, f.message->bytes, f.peer, r_.rank, f.message->number);
            return true;
        }
        int32_t done = 0;
        size_t bytes = 0;
        halo_status status = r_.ops.test(r_.transport, &f.request, &done, &bytes);
        require(status == HALO_SUCCESS, "test: status %d: %s", status, r_.error.c_str());
        if (done == 0 || !f.receives) return done != 0;
        require(bytes == f.message->bytes, "%zu bytes came instead of %zu", bytes, f.message->bytes);
        check_payload(f.data, bytes, f.peer, r_.rank, f.message->number);
        return true;
    }

    Rank &r_;
    int n_messages_; // per ordered pair of ranks
    std::mt19937 random_;
    std::vector<Stream> out_;
    std::vector<Stream> in_;
    std::vector<std::unique_ptr<InFlight>> in_flight_;
    std::vector<InFlight *> arrived_by_cancel_;
};

// Both ways with every peer, of a size that is sent at once and sometimes of one that is not. Half of the receives are there before any message is.
TEST_P(OverRanks, ThousandsOutstanding) {
    run(GetParam(), [](Rank &r) {
        constexpr int32_t n_in_all = 6000, n_different_tags = 50;
        const std::vector<int32_t> peers = r.peers();
        if (peers.empty()) return;
        const auto n = n_in_all / static_cast<int32_t>(peers.size());
        const auto bytes_of = [](int32_t i) { return i % 100 == 7 ? size_t{ 90000 } : static_cast<size_t>(i % 61); };
        std::vector<Bytes> out, in;
        for (const int32_t peer : peers)
            for (int32_t i = 0; i < n; ++i) {
                out.push_back(payload(r.rank, peer, i, bytes_of(i)));
                in.emplace_back(bytes_of(i));
            }
        std::vector<halo_request> sends(out.size()), receives(in.size());
        const auto each = [&](int32_t begin, int32_t end, auto &&what) {
            for (size_t p = 0; p < peers.size(); ++p)
                for (int32_t i = begin; i < end; ++i) what(peers[p], i, p * static_cast<size_t>(n) + static_cast<size_t>(i));
        };
        const auto receive = [&](int32_t peer, int32_t i, size_t at) { r.receive(peer, i % n_different_tags, in[at], receives[at]); };
        each(0, n / 2, receive);
        r.barrier();
        each(0, n, [&](int32_t peer, int32_t i, size_t at) { r.send(peer, i % n_different_tags, out[at], sends[at]); });
        each(n / 2, n, receive);
        for (size_t left = receives.size(); left > 0; --left) r.wait(receives[left - 1]); // the last ones first
        each(0, n, [&](int32_t peer, int32_t i, size_t at) { check_payload(in[at], bytes_of(i), peer, r.rank, i); });
        for (halo_request &request : sends) r.wait(request);
        r.barrier();
    });
}

TEST_P(OverRanks, RandomTraffic) {
    const char *text = std::getenv("HALO_TEST_SEED");
    uint32_t first = text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
    for (uint32_t seed = first; seed < first + 4; ++seed) {
        SCOPED_TRACE("HALO_TEST_SEED=" + std::to_string(seed));
        run(GetParam(), [seed](Rank &r) {
            r.open_lanes(n_lanes);
            Traffic(r, seed).run();
        });
        ASSERT_FALSE(testing::Test::HasFailure()) << "HALO_TEST_SEED=" << seed;
    }
}

} // namespace
} // namespace transport_tests
