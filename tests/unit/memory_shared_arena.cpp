// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap_calls.h"

namespace halo {

namespace {

// Runs the body in another process; true if it returned true.
bool in_child(const std::function<bool()> &body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Descriptors and mappings.
int64_t n_shared_files() {
    const auto is_one = [](const std::string &name) { return name.find("memfd:halo") != std::string::npos; };
    int64_t n = 0;
    for (const auto &file : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone; // that of the directory itself
        n += is_one(std::filesystem::read_symlink(file, gone).string());
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) n += is_one(line);
    return n;
}

TEST(SharedArena, NoFileIsLeftWhereMemoryFails) {
    SharedArena peer;
    const SharedBlock offered = peer.allocate(1000);
    ASSERT_TRUE(offered);
    const int64_t before = n_shared_files();
    int n_failed = 0;
    for (bool fails = true; fails; n_failed += fails) {
        SharedArena arena;
        let_heap_call_fail(n_failed + 1);
        try {
            EXPECT_TRUE(arena.allocate(1000));
            EXPECT_TRUE(arena.map(offered.offer()));
            fails = false;
        } catch (const std::bad_alloc &) {}
        let_heap_call_fail(0);
    }
    EXPECT_GE(n_failed, 3);
    EXPECT_EQ(n_shared_files(), before);
}

TEST(SharedArena, AnotherProcessReadsABlock) {
    SharedArena arena;
    const SharedBlock block = arena.allocate(100000);
    ASSERT_TRUE(block);
    std::memset(block.data(), 7, 100000);
    EXPECT_TRUE(in_child([&] {
        SharedArena reader;
        const SharedBlock mapped = reader.map(block.offer());
        if (!mapped || mapped.data()[99999] != std::byte{ 7 }) return false;
        mapped.tell_read(3);
        return true;
    }));
    EXPECT_EQ(block.read_epoch(), 3u);
}

TEST(SharedArena, MappingsOutliveTheProcessThatMadeThem) {
    int offers[2], done[2];
    ASSERT_EQ(pipe(offers), 0);
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        SharedArena arena;
        const SharedBlock block = arena.allocate(1000);
        std::memcpy(block.data(), "payload", 8);
        const SharedOffer offer = block.offer();
        char token = 0;
        const bool told = write(offers[1], &offer, sizeof offer) == sizeof offer && read(done[0], &token, 1) == 1;
        _exit(told ? 0 : 1);
    }
    SharedOffer offer;
    ASSERT_EQ(read(offers[0], &offer, sizeof offer), static_cast<ssize_t>(sizeof offer));
    SharedArena reader;
    const SharedBlock mapped = reader.map(offer);
    ASSERT_EQ(write(done[1], "x", 1), 1);
    waitpid(child, nullptr, 0);
    ASSERT_TRUE(mapped);
    EXPECT_STREQ(reinterpret_cast<const char *>(mapped.data()), "payload");
    SharedArena late;
    EXPECT_FALSE(late.map(offer)) << "the process is gone";
}

TEST(SharedArena, OffersThatCannotBeTaken) {
    SharedArena arena;
    const SharedOffer good = arena.allocate(1000).offer();
    EXPECT_TRUE(arena.map(good)) << "ranks may share a process";
    EXPECT_FALSE(arena.map(SharedOffer{}));
    EXPECT_TRUE(in_child([&] {
        SharedArena reader;
        SharedOffer wrong = good;
        wrong.nonce += 2;
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.offset = good.file_bytes;
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.file_bytes += 4096;
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.file = 0;
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.host ^= 1;
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.word += 2;
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.offset = 0; // the front of the file
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.offset += 8; // its words would not be whole
        if (reader.map(wrong)) return false;
        wrong = good;
        wrong.bytes = ~uint64_t{ 0 } - good.offset + 1; // the end wraps to 0
        if (reader.map(wrong)) return false;
        return static_cast<bool>(reader.map(good));
    }));
}

// Once the file is mapped its size is that which was mapped.
TEST(SharedArena, AMappedFileIsNotTakenForALargerOne) {
    SharedArena arena;
    SharedOffer offer = arena.allocate(1000).offer();
    EXPECT_TRUE(in_child([&] {
        SharedArena reader;
        if (!reader.map(offer)) return false;
        offer.offset = offer.file_bytes + 4096;
        offer.file_bytes *= 2;
        return !reader.map(offer) && !reader.reach(offer);
    }));
}

TEST(SharedArena, AnOfferOfAnEarlierUseIsVoid) {
    SharedArena arena;
    const SharedBlock first = arena.allocate(5000);
    arena.release(first, 0);
    const SharedBlock second = arena.allocate(5000);
    ASSERT_EQ(second.offer().offset, first.offer().offset);
    SharedArena reader;
    EXPECT_FALSE(reader.map(first.offer()));
    EXPECT_TRUE(reader.map(second.offer()));
}

SharedOffer offer_of_file(int descriptor, uint64_t bytes) {
    SharedOffer offer{ 7, host_number(), static_cast<int32_t>(getpid()), descriptor, bytes, 4096, 4096, 7 };
    return offer;
}

// What is opened through another process is looked at first: a pipe would wait for a writer, and a file of a user may be anything.
TEST(SharedArena, OtherFilesAreNotTaken) {
    SharedArena reader;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    EXPECT_FALSE(reader.map(offer_of_file(ends[0], 0)));
    EXPECT_FALSE(reader.map(offer_of_file(ends[0], 8192)));
    EXPECT_FALSE(reader.map(offer_of_file(open("/dev/null", O_RDWR), 8192)));
    const int unsealed = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(unsealed, 8192), 0);
    const struct {
        char magic[8];
        uint64_t nonce;
    } front = { { 'h', 'a', 'l', 'o', ' ', 's', 'h', 'm' }, 7 };
    const uint64_t word = 7;
    ASSERT_EQ(pwrite(unsealed, &front, sizeof front, 0), static_cast<ssize_t>(sizeof front));
    ASSERT_EQ(pwrite(unsealed, &word, sizeof word, 4096 + 16), static_cast<ssize_t>(sizeof word));
    EXPECT_FALSE(reader.map(offer_of_file(unsealed, 8192))) << "it could be made shorter under the reader";
    ASSERT_EQ(fcntl(unsealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    EXPECT_TRUE(reader.map(offer_of_file(unsealed, 8192))) << "else it is as it should be";
}

TEST(SharedArena, ABlockIsUsedAgainOnceItHasBeenRead) {
    SharedArena arena;
    const SharedBlock first = arena.allocate(5000);
    first.tell_read(4);
    arena.release(first, 5);
    const SharedBlock second = arena.allocate(5000);
    EXPECT_NE(second.offer().offset, first.offer().offset);
    first.tell_read(5);
    const SharedBlock third = arena.allocate(5000);
    EXPECT_EQ(third.offer().offset, first.offer().offset);
    EXPECT_EQ(third.read_epoch(), 0u);
    EXPECT_TRUE(third.is_same());
    EXPECT_FALSE(first.is_same());
    first.tell_read(7);
    EXPECT_EQ(third.read_epoch(), 0u) << "a reader that is late speaks of the block that was there before";
}

TEST(SharedArena, BlocksDoNotOverlapAndLargeOnesGetFilesOfTheirOwn) {
    SharedArena arena;
    const SharedOffer a = arena.allocate(1).offer();
    const SharedOffer b = arena.allocate(100).offer();
    EXPECT_GE(b.offset, a.offset + a.bytes);
    const SharedOffer large = arena.allocate(size_t{ 300 } << 20).offer();
    EXPECT_NE(large.nonce, a.nonce);
    EXPECT_GE(large.file_bytes, large.offset + large.bytes);
}

} // namespace

} // namespace halo
