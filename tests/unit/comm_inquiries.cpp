// SPDX-License-Identifier: BSD-3-Clause
// What ranks that wait for long tell each other: differences are found, and what is none of this version, or damaged, changes nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "comm/inquiries.h"
#include "expect_failure.h"
#include "two_contexts.h"

namespace halo {

namespace {

constexpr uint32_t serial = 5;

class Object final : public Described {
public:
    explicit Object(const char *value) { terms_.add("field u", value, "ghost layers"); }
    std::string what() const override { return "exchange 5 over u"; }
    Terms terms() const override { return terms_; }
    std::vector<int32_t> awaited() const override { return { 1 }; }

private:
    Terms terms_;
};

struct Asked {
    TwoContexts ranks;
    Object here{ "2" };

    Asked() { ranks.context().inquiries().add(serial, here); }
    ~Asked() { ranks.context().inquiries().remove(serial); }
    Asked(const Asked &) = delete;
    Asked &operator=(const Asked &) = delete;

    Inquiries &inquiries() const { return ranks.context().inquiries(); }
    // As rank 1 would send it, with `text` behind the header.
    void tell(const std::function<void(InquiryHeader &)> &change, const std::string &text) const {
        InquiryHeader header;
        header.kind = InquiryKind::answer;
        header.serial = serial;
        header.newest = serial;
        header.has_one = 1;
        header.from = 1;
        header.text_bytes = text.size();
        change(header);
        std::vector<std::byte> message(sizeof header + text.size());
        std::memcpy(message.data(), &header, sizeof header);
        std::memcpy(message.data() + sizeof header, text.data(), text.size());
        ranks.send(inquiry_tag, message);
        inquiries().read();
    }
};

std::string terms_with(const char *value) { return Object(value).terms().packed(); }

void as_it_is(InquiryHeader &) {}

TEST(Inquiries, ADifferenceIsToldOnce) {
    const Asked asked;
    asked.tell(as_it_is, terms_with("3"));
    expect_failure(HALO_ERR_MISMATCH, { "rank 0 and rank 1 have different objects 5", "field u: 2 ghost layers on rank 0, 3 on rank 1" },
                   [&] { asked.inquiries().refuse(); });
    asked.inquiries().refuse();
    EXPECT_TRUE(asked.inquiries().have_differed());
}

TEST(Inquiries, TheSameIsNoDifference) {
    const Asked asked;
    asked.tell(as_it_is, terms_with("2"));
    asked.inquiries().refuse();
    EXPECT_FALSE(asked.inquiries().have_differed());
}

TEST(Inquiries, WhatIsNotWellFormedChangesNothing) {
    const Asked asked;
    const auto ignored = [&](const std::function<void(InquiryHeader &)> &change) {
        asked.tell(change, terms_with("3"));
        EXPECT_FALSE(asked.inquiries().have_differed());
    };
    ignored([](InquiryHeader &header) { ++header.magic; });
    ignored([](InquiryHeader &header) { ++header.version; });
    ignored([](InquiryHeader &header) { ++header.text_bytes; });
    ignored([](InquiryHeader &header) { header.text_bytes = UINT64_MAX; });
    ignored([](InquiryHeader &header) { header.from = 0; });
    ignored([](InquiryHeader &header) { header.from = 2; });
    ignored([](InquiryHeader &header) { header.from = UINT32_MAX; });
    ignored([](InquiryHeader &header) { ++header.serial; }); // not of this rank
    asked.ranks.send(inquiry_tag, std::vector<std::byte>(3));
    asked.ranks.send(inquiry_tag, {});
    asked.inquiries().read();
    EXPECT_FALSE(asked.inquiries().have_differed());
    asked.inquiries().refuse();
}

TEST(Inquiries, AQuestionIsAnswered) {
    const Asked asked;
    Object there("3");
    Inquiries &peer = asked.ranks.contexts[1]->inquiries();
    peer.add(serial, there);
    asked.inquiries().wait_in(serial);
    asked.inquiries().ask(serial);
    peer.read();
    asked.inquiries().read();
    for (Inquiries *one : { &peer, &asked.inquiries() })
        expect_failure(HALO_ERR_MISMATCH, { "field u: 2 ghost layers on rank 0, 3 on rank 1" }, [&] { one->refuse(); });
    peer.remove(serial);
}

TEST(Inquiries, WhatAPeerDoesInsteadIsTold) {
    const Asked asked;
    Inquiries &peer = asked.ranks.contexts[1]->inquiries();
    const auto known = [&] {
        asked.inquiries().wait_in(serial);
        asked.inquiries().ask(serial);
        peer.read();
        asked.inquiries().read();
        asked.inquiries().refuse();
        return asked.inquiries().known_of_peers(serial);
    };
    EXPECT_EQ(known(), "; rank 1 has made 0 exchanges, groups and reductions so far, rank 0 0");
    asked.inquiries().ask(serial);
    EXPECT_EQ(asked.inquiries().known_of_peers(serial), "; rank 1 has made 0 exchanges, groups and reductions so far, rank 0 0")
        << "before there is an answer";
    peer.read();
    asked.inquiries().read(); // who has not answered is not asked again
    Object there("2");
    peer.add(serial, there);
    EXPECT_EQ(known(), "");
    Object other("4");
    peer.add(serial + 1, other);
    asked.inquiries().add(serial + 1, other);
    peer.wait_in(serial + 1);
    EXPECT_EQ(known(), "; rank 1 waits in exchange 5 over u");
    for (Inquiries *one : { &peer, &asked.inquiries() }) one->remove(serial + 1);
    peer.remove(serial);
}

// Threads of a rank that wait in several objects, of which each may ask again.
TEST(Inquiries, WhatIsKnownOfOneObjectIsNotForgottenForAnother) {
    const Asked asked;
    Object other("4");
    asked.inquiries().add(serial + 1, other);
    Inquiries &peer = asked.ranks.contexts[1]->inquiries();
    const auto answered = [&](uint32_t one) {
        asked.inquiries().wait_in(one);
        asked.inquiries().ask(one);
        peer.read();
        asked.inquiries().read();
    };
    for (const uint32_t one : { serial, serial + 1, serial }) answered(one);
    const char *const why = "; rank 1 has made 0 exchanges, groups and reductions so far, rank 0 0";
    for (const uint32_t one : { serial, serial + 1 }) EXPECT_EQ(asked.inquiries().known_of_peers(one), why);
    asked.inquiries().end_wait(serial + 1);
    Object there("2");
    peer.add(serial, there);
    answered(serial);
    EXPECT_EQ(asked.inquiries().known_of_peers(serial), "") << "both wait in it";
    peer.remove(serial);
    asked.inquiries().remove(serial + 1);
}

} // namespace

} // namespace halo
