// SPDX-License-Identifier: BSD-3-Clause
// Two ends of a stream, ranks of this process; and messages to rank 0 that are made by hand, as rank 1 would send them in its present run.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stream/stream.h"
#include "two_contexts.h"

namespace halo {

class TwoEnds : public testing::Test {
protected:
    // `spec` is that of rank 0 and of rank 1, but for who they are.
    template <class SpecOf>
    void open(SpecOf &&spec_of) {
        for (const size_t rank : { 0u, 1u }) {
            ids_[rank] = ranks_.contexts[rank]->next_run();
            StreamSpec spec = spec_of(rank);
            spec.peer = 1 - static_cast<int32_t>(rank);
            spec.serial = ids_[rank].serial();
            spec.tag = ids_[rank].tag();
            spec.what = "exchange under test";
            ends_[rank] = std::make_unique<Stream>(*ranks_.contexts[rank], std::move(spec));
        }
    }
    void TearDown() override {
        for (auto &end : ends_) {
            if (end) end->abandon();
            end.reset();
        }
        for (RunId &id : ids_) id = {};
    }

    Stream &end(size_t rank) { return *ends_[rank]; }
    void post(uint32_t epoch) {
        for (auto &end : ends_) end->post(epoch, {});
    }
    static bool arrives(Stream &at) {
        for (int look = 0; look < 100 && !at.test(); ++look) {}
        return at.arrived();
    }
    void expect_refused(const std::vector<std::string> &words, halo_status status = HALO_ERR_WIRE) {
        try {
            EXPECT_FALSE(arrives(end(0)));
            ADD_FAILURE() << "nothing was refused";
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), status);
            for (const std::string &word : words) EXPECT_NE(error.text().find(word), std::string::npos) << word << " in " << error.text();
        }
        end(0).end_failed_run();
    }

    // Behind the header are so many bytes.
    std::vector<std::byte> &made_by_hand(const void *header, size_t header_bytes, size_t payload_bytes) {
        std::vector<std::byte> &message = sent_.emplace_back(header_bytes + payload_bytes);
        std::memcpy(message.data(), header, header_bytes);
        return message;
    }
    void send_by_hand(const std::vector<std::byte> &message) const { ranks_.send(ids_[1].tag(), message); }
    MessageHeader header_of(MessageKind kind, uint32_t epoch) const {
        MessageHeader header{};
        header.magic = message_magic;
        header.version = wire_version;
        header.kind = kind;
        header.serial = ids_[1].serial();
        header.epoch = epoch;
        return header;
    }
    void send_failure_by_hand(uint32_t epoch) {
        MessageHeader header = header_of(MessageKind::failure, epoch);
        header.status = HALO_ERR_MEMORY;
        header.payload_bytes = sizeof(FailurePayload);
        send_by_hand(made_by_hand(&header, sizeof header, sizeof(FailurePayload)));
    }

    TwoContexts ranks_;
    RunId ids_[2];
    std::deque<std::vector<std::byte>> sent_; // by hand: large ones stay until they have been received
    std::unique_ptr<Stream> ends_[2];
};

} // namespace halo
