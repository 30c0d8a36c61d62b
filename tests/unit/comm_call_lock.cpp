// SPDX-License-Identifier: BSD-3-Clause
// Who is in a call of a context: turns of several threads, waits that let others in, and promises that are not kept.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "comm/call_lock.h"
#include "comm/wait.h"
#include "expect_failure.h"
#include "inproc_context.h"

namespace halo {

namespace {

using std::chrono::steady_clock;

void in_thread(const std::function<void()> &body) { std::thread(body).join(); }

// False: it has not become so in a long time.
bool becomes(const std::function<bool()> &so) {
    const auto end = steady_clock::now() + std::chrono::seconds(20);
    while (!so())
        if (steady_clock::now() > end)
            return false;
        else
            std::this_thread::yield();
    return true;
}

class CallLocks : public testing::Test {
protected:
    void begin(CallLock::Call &call, bool *in_call = nullptr) { call.begin(lock_, in_call); }
    void expect_refused(const char *text, bool *in_call = nullptr) {
        CallLock::Call call;
        expect_failure(HALO_ERR_STATE, { text }, [&] { begin(call, in_call); });
    }

    CallLock lock_;
    bool first_ = false, second_ = false; // objects
};

TEST_F(CallLocks, NobodyIsHeldUpWhereTheProgramOrdersItsThreads) {
    CallLock::Call call;
    begin(call);
    in_thread([&] {
        CallLock::Call other;
        begin(other);
    });
}

TEST_F(CallLocks, InCheckModeACallIsRefusedThatOverlapsAnother) {
    lock_.arrange(false, false, true);
    CallLock::Call call;
    begin(call);
    in_thread([&] { expect_refused("threads = multiple"); });
    {
        CallLock::Call called_back;
        begin(called_back);
    }
    in_thread([&] { expect_refused("threads = multiple"); });
    call.end();
    in_thread([&] {
        CallLock::Call other;
        begin(other);
    });
    begin(call);
}

TEST_F(CallLocks, ACallWaitsForTheOwnThreadAndNotForAnothers) {
    lock_.arrange(false, true, true);
    ASSERT_TRUE(lock_.try_enter());
    std::atomic<bool> in{ false };
    std::thread other([&] {
        CallLock::Call call;
        begin(call);
        in = true;
    });
    EXPECT_TRUE(becomes([&] { return lock_.is_wanted(); }));
    EXPECT_FALSE(in);
    lock_.leave_own();
    other.join();
    EXPECT_TRUE(in);
    CallLock::Call call;
    begin(call);
    in_thread([&] {
        EXPECT_FALSE(lock_.try_enter());
        expect_refused("threads = multiple");
    });
}

TEST_F(CallLocks, CallsOfSeveralThreadsTakeTurns) {
    lock_.arrange(true, false, true);
    CallLock::Call call;
    begin(call);
    std::atomic<bool> in{ false };
    std::thread other([&] {
        CallLock::Call its;
        begin(its);
        in = true;
    });
    EXPECT_TRUE(becomes([&] { return lock_.is_wanted(); }));
    EXPECT_FALSE(in);
    call.end();
    other.join();
    EXPECT_TRUE(in);
    EXPECT_FALSE(lock_.is_wanted());
}

TEST_F(CallLocks, AWaitLetsOthersInButNotToTheSameObject) {
    lock_.arrange(true, false, false);
    CallLock::Call call;
    begin(call, &first_);
    int n_let_in = 0;
    lock_.let_others_in([&] {
        in_thread([&] {
            CallLock::Call other;
            begin(other, &second_);
            EXPECT_TRUE(lock_.any_rests());
            ++n_let_in;
        });
        in_thread([&] { expect_refused("same exchange", &first_); });
    });
    EXPECT_EQ(n_let_in, 1);
    EXPECT_TRUE(first_);
    EXPECT_FALSE(second_);
    EXPECT_FALSE(lock_.any_rests());
    in_thread([&] { EXPECT_FALSE(lock_.try_enter()); });
    call.end();
    EXPECT_FALSE(first_);
    in_thread([&] {
        CallLock::Call other;
        begin(other, &first_);
    });
}

TEST_F(CallLocks, OtherWaitsAndThoseOfCallsThatAreCalledBackLetNobodyIn) {
    lock_.arrange(true, false, false);
    const auto expect_nobody = [&] { lock_.let_others_in([&] { in_thread([&] { EXPECT_FALSE(lock_.try_enter()); }); }); };
    CallLock::Call call;
    begin(call);
    expect_nobody();
    call.end();
    begin(call, &first_);
    CallLock::Call called_back;
    begin(called_back);
    expect_nobody();
}

TEST_F(CallLocks, AWaitIsCutShortForThoseAloneWhomItLetsIn) {
    const halo_setting settings[] = { { "threads", "multiple" }, { "wait.spin", "1000000" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = 2;
    halo_inproc *group = create_inproc_group(1);
    std::unique_ptr<Context> context = open_context(group, 0, options);
    for (const uint32_t serial : { 0u, 1u }) {
        CallLock::Call call;
        call.begin(context->call_lock(), &first_);
        std::thread other([&] {
            CallLock::Call its;
            its.begin(context->call_lock(), &second_);
        });
        EXPECT_TRUE(becomes([&] { return context->call_lock().is_wanted(); }));
        Waiter waiter(*context, 0, serial);
        waiter.turn([] { return std::string(); });
        EXPECT_EQ(waiter.seconds() > 0, serial != 0) << "it spins, or has slept";
        call.end();
        other.join();
    }
    context.reset();
    destroy_inproc_group(group);
}

} // namespace

} // namespace halo
