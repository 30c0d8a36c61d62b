// SPDX-License-Identifier: BSD-3-Clause
// The C boundary: statuses, texts, structs of other versions.
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include "capi/guard.h"
#include "expect_failure.h"

namespace halo {
namespace {

TEST(Guard, Statuses) {
    EXPECT_EQ(guard([] {}), HALO_SUCCESS);
    EXPECT_EQ(guard([] { return HALO_TIMEOUT; }), HALO_TIMEOUT);
    EXPECT_STREQ(halo_last_error(), "HALO_TIMEOUT");
    EXPECT_EQ(guard([] { fail(HALO_ERR_BOUNDS, "rank %d reads %d bytes", 2, 80); }), HALO_ERR_BOUNDS);
    EXPECT_STREQ(halo_last_error(), "rank 2 reads 80 bytes");
    EXPECT_EQ(guard([] {}), HALO_SUCCESS);
    EXPECT_STREQ(halo_last_error(), "rank 2 reads 80 bytes");
    EXPECT_EQ(guard([] { throw std::bad_alloc(); }), HALO_ERR_MEMORY);
    EXPECT_EQ(guard([] { throw std::out_of_range("far out"); }), HALO_ERR_INTERNAL);
    EXPECT_STREQ(halo_last_error(), "far out");
    EXPECT_EQ(guard([] { throw 3; }), HALO_ERR_INTERNAL);
}

TEST(Guard, RemembersFailuresOnly) {
    std::string kept;
    const auto remember = [&](const char *text, halo_status) noexcept { kept = text; };
    guard([] {}, remember);
    EXPECT_EQ(kept, "");
    guard([] { fail(HALO_ERR_STATE, "not now"); }, remember);
    EXPECT_EQ(kept, "not now");
    guard([] { return HALO_TIMEOUT; }, remember);
    EXPECT_EQ(kept, "HALO_TIMEOUT");
}

// Who polls after an error still finds its text. A busy object that says what is left is told from that.
TEST(Guard, AReturnedBusyKeepsTheTexts) {
    std::string kept;
    const auto remember = [&](const char *text, halo_status) noexcept { kept = text; };
    guard([] { fail(HALO_ERR_STATE, "not now"); }, remember);
    EXPECT_EQ(guard([] { return HALO_BUSY; }, remember), HALO_BUSY);
    EXPECT_EQ(kept, "not now");
    EXPECT_STREQ(halo_last_error(), "not now");
    EXPECT_EQ(guard([] { fail(HALO_BUSY, "destroy: two are left"); }, remember), HALO_BUSY);
    EXPECT_EQ(kept, "destroy: two are left");
    EXPECT_STREQ(halo_last_error(), "destroy: two are left");
}

TEST(Guard, LongTextsAreCut) {
    const std::string text(100000, 'y');
    guard([&] { fail(HALO_ERR_STATE, "%s", text.c_str()); });
    EXPECT_GT(std::strlen(halo_last_error()), 1000u);
    EXPECT_LT(std::strlen(halo_last_error()), 5000u);
}

TEST(Guard, TextsArePerThread) {
    guard([] { fail(HALO_ERR_STATE, "here"); });
    std::string other;
    std::thread([&] {
        other = halo_last_error();
        guard([] { fail(HALO_ERR_STATE, "there"); });
    }).join();
    EXPECT_EQ(other, "no error");
    EXPECT_STREQ(halo_last_error(), "here");
}

TEST(Status, Names) {
    EXPECT_STREQ(halo_status_name(HALO_ERR_BOUNDS), "HALO_ERR_BOUNDS");
    EXPECT_STREQ(halo_status_name(12345), "unknown status");
    EXPECT_EQ(halo_version(), HALO_VERSION_MAJOR * 10000 + HALO_VERSION_MINOR * 100 + HALO_VERSION_PATCH);
}

// A struct in three versions of a library.
struct First {
    size_t struct_size;
    int32_t layout;
    int32_t a;
};
struct Known {
    size_t struct_size;
    int32_t layout;
    int32_t a;
    int64_t b;
};
struct Newer {
    size_t struct_size;
    int32_t layout;
    int32_t a;
    int64_t b;
    int64_t c;
};
constexpr FirstVersion first_of(const Known *) { return { "halo_known", sizeof(First) }; }
constexpr Known defaults = { sizeof(Known), 1, 10, 20 };

template <class T>
Known read(const T &user) {
    return read_struct(reinterpret_cast<const Known *>(&user), defaults);
}

TEST(Structs, ReadAllVersions) {
    const Known older = read(First{ sizeof(First), 1, 5 });
    EXPECT_EQ(older.a, 5);
    EXPECT_EQ(older.b, 20);
    EXPECT_EQ(older.struct_size, sizeof(Known));
    const Known same = read(Known{ sizeof(Known), 1, 6, 7 });
    EXPECT_EQ(same.a, 6);
    EXPECT_EQ(same.b, 7);
    const Known newer = read(Newer{ sizeof(Newer), 1, 8, 9, 0 });
    EXPECT_EQ(newer.b, 9);
    EXPECT_EQ(read_optional_struct<Known>(nullptr, defaults).b, 20);
}

TEST(Structs, RefuseWhatIsNotKnown) {
    expect_failure(HALO_ERR_VERSION, { "halo_known", "struct_size is 0" }, [] { read(Known{ 0, 1, 6, 7 }); });
    expect_failure(HALO_ERR_VERSION, { "halo_known", "struct_size is 12" }, [] { read(Known{ 12, 1, 6, 7 }); });
    expect_failure(HALO_ERR_VERSION, { "halo_known", "struct_version is 2" }, [] { read(Known{ sizeof(Known), 2, 6, 7 }); });
    expect_failure(HALO_ERR_VERSION, { "halo_known", "not zero" }, [] { read(Newer{ sizeof(Newer), 1, 8, 9, 1 }); });
    expect_failure(HALO_ERR_ARGUMENT, { "'halo_known' is NULL" }, [] { read_struct<Known>(nullptr, defaults); });
}

TEST(Structs, WriteKeepsToTheCallersSize) {
    const Known value = { sizeof(Known), 1, 1, 2 };
    First older[2] = { { sizeof(First), 1, 0 }, { 77, 77, 77 } };
    write_struct(reinterpret_cast<Known *>(&older[0]), value);
    EXPECT_EQ(older[0].a, 1);
    EXPECT_EQ(older[0].struct_size, sizeof(First));
    EXPECT_EQ(older[1].struct_size, 77u);
    Newer newer = { sizeof(Newer), 1, 0, 0, 99 };
    write_struct(reinterpret_cast<Known *>(&newer), value);
    EXPECT_EQ(newer.b, 2);
    EXPECT_EQ(newer.c, 0);
    EXPECT_EQ(newer.struct_size, sizeof(Newer));
    Known bad = { 3, 1, 0, 0 };
    expect_failure(HALO_ERR_VERSION, { "halo_known", "struct_size is 3" }, [&] { write_struct(&bad, value); });
    bad = { sizeof(Known), 9, 0, 0 };
    expect_failure(HALO_ERR_VERSION, { "halo_known", "struct_version is 9" }, [&] { write_struct(&bad, value); });
    expect_failure(HALO_ERR_ARGUMENT, { "halo_known" }, [&] { write_struct<Known>(nullptr, value); });
}

} // namespace
} // namespace halo
