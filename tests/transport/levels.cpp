// SPDX-License-Identifier: BSD-3-Clause
// Threads and the end of MPI, by thread level. `mpi_levels LEVEL program|setting`: MPI is initialised by this program, or by the library as the
// setting mpi.threads says. `mpi_levels left`: the library finalises MPI, as the process ends with contexts left. `mpi_levels alone VARIABLE`: by
// itself, while VARIABLE says that a launcher has started several.
#include <mpi.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "halo_mpi.h"
#include "level_objects.h"

namespace {

struct Level {
    const char *word;
    int level;
    const char *name;
};
const Level levels[] = { { "single", MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE" },
                         { "funneled", MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED" },
                         { "serialized", MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED" },
                         { "multiple", MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE" } };

const char *name_of(int level) {
    for (const Level &one : levels)
        if (one.level == level) return one.name;
    return "no level";
}

[[noreturn]] void stop(const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
}

void expect(halo_status status, halo_status expected, const char *what, const std::vector<const char *> &words = {}) {
    const std::string text = status == HALO_SUCCESS ? "" : halo_last_error();
    if (status != expected) stop(std::string(what) + ": " + halo_status_name(status) + " came, not " + halo_status_name(expected) + ": " + text);
    for (const char *word : words)
        if (text.find(word) == std::string::npos) stop(std::string(what) + ": the text lacks '" + word + "': " + text);
}

std::mutex warnings_mutex;
std::string warnings; // and errors, of all contexts

// Of all ranks; with a communicator of the program's, if it gives one, and another setting.
halo_status create(const char *threads, halo_context **context, MPI_Comm communicator = MPI_COMM_NULL, halo_setting other = { "strict", "no" }) {
    const halo_setting settings[] = { { "timeout", "60s" }, { "transport", "mpi" }, { "mpi.threads", threads }, { "warn_after", "0s" }, other };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = 5;
    options.log = [](void *, int32_t level, const char *text) {
        const std::lock_guard lock(warnings_mutex);
        if (level <= 1) warnings.append(text).append("\n");
    };
    return communicator == MPI_COMM_NULL ? halo_context_create(&options, context) : halo_context_create_mpi(communicator, &options, context);
}

halo_status add_up(halo_context *context, int64_t n) {
    std::vector<int64_t> ones(static_cast<size_t>(n), 1);
    int32_t size = 0;
    halo_context_rank(context, nullptr, &size);
    const halo_status status = halo_context_allreduce(context, ones.data(), ones.data(), n, HALO_INT64, HALO_SUM);
    for (const int64_t one : ones)
        if (status == HALO_SUCCESS && one != size) stop("a sum is wrong");
    return status;
}

// The body's status, in a thread of its own.
void in_thread(const std::function<void()> &body) { std::thread(body).join(); }

// Made here, used there.
void use_elsewhere(halo_context *context, bool allowed) {
    in_thread([&] {
        if (allowed) return expect(add_up(context, 10), HALO_SUCCESS, "another thread");
        expect(add_up(context, 10), HALO_ERR_STATE, "another thread", { "another thread", "mpi.threads" });
        halo_context *same = context;
        expect(halo_context_destroy(&same), HALO_ERR_STATE, "destroy in another thread", { "another thread" });
    });
    expect(add_up(context, 10), HALO_SUCCESS, "back in the first thread");
}

void make_elsewhere(const char *threads, bool by_program, bool allowed) {
    in_thread([&] {
        halo_context *context = nullptr;
        if (!allowed)
            return expect(create(threads, &context), HALO_ERR_STATE, "made in another thread",
                          { "not the thread that initialised", by_program ? "MPI_THREAD_MULTIPLE" : "mpi.threads = multiple" });
        expect(create(threads, &context), HALO_SUCCESS, "made in another thread");
        expect(add_up(context, 10), HALO_SUCCESS, "in the thread that made it");
        expect(halo_context_destroy(&context), HALO_SUCCESS, "destroyed in the thread that made it");
    });
}

// Two contexts in two threads, at the same time.
void use_at_once(halo_context *first, halo_context *second) {
    const auto work = [](halo_context *context) {
        for (int64_t i = 1; i <= 300; ++i) {
            expect(add_up(context, i % 10 == 0 ? 20000 : i), HALO_SUCCESS, "two contexts at once");
            expect(halo_context_barrier(context), HALO_SUCCESS, "two contexts at once");
        }
    };
    std::thread other(work, second);
    work(first);
    other.join();
}

// The first group of a context that sends one message per channel needs a lane, which all ranks make together.
void use_channel(halo_context *context) {
    int32_t rank = 0;
    halo_context_rank(context, &rank, nullptr);
    const halo_channel_key key{ 0, 1, 0, 0, 0 };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.send_rank = 0;
    desc.receive_rank = 1;
    desc.count = 1;
    halo_channel *channel = nullptr;
    expect(halo_channel_register(context, &key, &desc, &channel), HALO_SUCCESS, "a channel");
    halo_group_desc each = HALO_GROUP_DESC_INIT;
    each.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group = nullptr;
    expect(halo_group_create(context, &channel, 1, &each, &group), HALO_SUCCESS, "a group");
    if (rank == 0) {
        expect(halo_channel_allocate(channel), HALO_SUCCESS, "allocate");
        expect(halo_channel_send(channel, HALO_STREAM_NONE), HALO_SUCCESS, "send");
    } else {
        for (int32_t done = 0, state = 0; done == 0;) expect(halo_channel_try_receive(channel, &done, &state), HALO_SUCCESS, "receive");
        expect(halo_channel_stale(channel, HALO_STREAM_NONE), HALO_SUCCESS, "stale");
    }
    while (halo_group_destroy(&group) == HALO_BUSY) {}
    expect(halo_channel_destroy(&channel), HALO_SUCCESS, "a channel");
}

// Contexts in two threads, each of which waits for its like on the other rank. Who is the first rank of one is the last of the other, so that they
// are ready for their lanes in opposite order.
void open_lanes_at_once(const char *threads) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    for (int i = 0; i < 8; ++i) {
        halo_context *contexts[2] = {};
        expect(create(threads, &contexts[0]), HALO_SUCCESS, "one of two contexts");
        expect(create(threads, &contexts[1], reversed), HALO_SUCCESS, "the other");
        std::thread other(use_channel, contexts[1]);
        use_channel(contexts[0]);
        other.join();
        for (halo_context *&context : contexts) expect(halo_context_destroy(&context), HALO_SUCCESS, "one of two contexts");
    }
    MPI_Comm_free(&reversed);
}

// What is made from a context of the program's communicator, in this thread and in another; with a second one at the same time.
void use_objects(halo_context *world, const char *threads, bool any_thread) {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    halo_context *own = nullptr;
    expect(create(threads, &own, communicator), HALO_SUCCESS, "a context of the program's communicator");
    MPI_Comm_free(&communicator); // which has been duplicated
    mpi_levels::Objects of_world(world), of_own(own);
    of_own.use();
    of_world.use();
    in_thread([&] {
        if (any_thread) return of_own.use();
        of_own.expect_refused("another thread");
        of_own.expect_channel_refused("another thread");
    });
    if (any_thread) {
        const auto work = [](mpi_levels::Objects &objects) {
            for (int i = 0; i < 100; ++i) objects.use();
        };
        std::thread other([&] { work(of_own); });
        work(of_world);
        other.join();
    }
    of_own.use();
    of_own.destroy();
    of_world.destroy();
    expect(halo_context_destroy(&own), HALO_SUCCESS, "of the program's communicator");
}

// A context that lets several threads in, or has one of its own, wants a level of MPI. Returns one with a thread of its own, if there may be one.
halo_context *make_threaded(const char *threads, int present) {
    const halo_setting several{ "threads", "multiple" }, own{ "progress_thread", "on" };
    halo_context *context = nullptr;
    if (present < MPI_THREAD_SERIALIZED) {
        expect(create(threads, &context, MPI_COMM_NULL, several), HALO_ERR_STATE, "several threads",
               { "threads = multiple", "needs MPI_THREAD_SERIALIZED", name_of(present) });
    } else {
        expect(create(threads, &context, MPI_COMM_NULL, several), HALO_SUCCESS, "several threads");
        in_thread([&] { expect(add_up(context, 10), HALO_SUCCESS, "several threads"); });
        expect(halo_context_destroy(&context), HALO_SUCCESS, "several threads");
    }
    if (present < MPI_THREAD_MULTIPLE) {
        expect(create(threads, &context, MPI_COMM_NULL, own), HALO_ERR_STATE, "a thread of its own",
               { "progress_thread", "needs MPI_THREAD_MULTIPLE", name_of(present) });
        return nullptr;
    }
    expect(create(threads, &context, MPI_COMM_NULL, own), HALO_SUCCESS, "a thread of its own");
    for (int64_t i = 1; i <= 300; ++i) expect(add_up(context, i % 10 == 0 ? 20000 : i), HALO_SUCCESS, "a thread of its own");
    return context;
}

// MPI_Finalize of MPICH turns off its locks before anything else, and aborts where a thread in MPI has then left one behind.
bool wants_to_be_alone_at_the_end() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    return std::strstr(version, "MPICH") != nullptr;
}

// In any order: contexts, and what was made from them, can only be destroyed after MPI.
void finalize(halo_context *before, halo_context *after, halo_context *threaded) {
    if (threaded && wants_to_be_alone_at_the_end()) expect(halo_context_destroy(&threaded), HALO_SUCCESS, "destroyed before MPI_Finalize of MPICH");
    mpi_levels::Objects objects(after);
    objects.use();
    objects.leave_work();
    expect(halo_context_destroy(&before), HALO_SUCCESS, "destroyed before MPI_Finalize");
    MPI_Finalize();
    objects.expect_refused("finalised");
    objects.destroy();
    if (threaded) {
        expect(halo_context_progress(threaded), HALO_ERR_STATE, "used after MPI_Finalize", { "finalised" });
        expect(halo_context_destroy(&threaded), HALO_SUCCESS, "destroyed after MPI_Finalize");
    }
    expect(add_up(after, 10), HALO_ERR_STATE, "used after MPI_Finalize", { "finalised" });
    expect(halo_context_progress(after), HALO_ERR_STATE, "used after MPI_Finalize", { "finalised" });
    expect(halo_context_destroy(&after), HALO_SUCCESS, "destroyed after MPI_Finalize");
    expect(create("auto", &after), HALO_ERR_PLUGIN, "made after MPI_Finalize", { "finalised" });
    if (!warnings.empty()) stop("nothing was wrong, but the log has: " + warnings);
}

// MPI is not the child's to finalise.
void end_in_a_child() {
    const pid_t child = fork();
    if (child == 0) std::exit(EXIT_SUCCESS);
    constexpr int most_seconds = 20;
    int status = 0;
    for (int tenths = 0; waitpid(child, &status, WNOHANG) == 0; ++tenths) {
        if (tenths == 10 * most_seconds) {
            kill(child, SIGKILL);
            stop("a child of fork that calls exit does not end");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (status != 0) stop("a child of fork that calls exit ends with status " + std::to_string(status));
}

int run_level(const Level &wanted, bool by_program) {
    if (by_program) {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, wanted.level, &provided);
    }
    const char *threads = by_program ? "auto" : wanted.word;
    halo_context *first = nullptr, *second = nullptr;
    expect(create(threads, &first), HALO_SUCCESS, "the first context");
    expect(create(threads, &second), HALO_SUCCESS, "the second context");
    int present = 0;
    MPI_Query_thread(&present);
    if (present != wanted.level) stop("MPI has level " + std::to_string(present));
    const bool any_thread = present >= MPI_THREAD_SERIALIZED;
    halo_context *refused = nullptr;
    if (present < MPI_THREAD_MULTIPLE)
        expect(create("multiple", &refused), HALO_ERR_STATE, "more than MPI has", { "mpi.threads", "MPI_THREAD_MULTIPLE" });
    use_elsewhere(first, any_thread);
    make_elsewhere(threads, by_program, any_thread);
    if (any_thread) {
        use_at_once(first, second);
        open_lanes_at_once(threads);
    }
    use_objects(first, threads, any_thread);
    halo_context *const threaded = make_threaded(threads, present);
    end_in_a_child();
    expect(add_up(second, 10), HALO_SUCCESS, "the second context");
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf("%-10s by %s: MPI has level %d; other threads: %s; two at once: %s\n", wanted.word, by_program ? "the program" : "the library",
                    present, any_thread ? "yes" : "refused", any_thread ? "yes" : "refused");
    finalize(first, second, threaded);
    return 0;
}

// Refused; where the program gives its communicator, warned of in the log.
int run_alone(const char *variable) {
    setenv(variable, "4", 1);
    std::string log;
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.log = [](void *user, int32_t level, const char *text) {
        if (level <= 1) static_cast<std::string *>(user)->append(text).append("\n");
    };
    options.log_user = &log;
    MPI_Init(nullptr, nullptr);
    halo_context *context = nullptr;
    expect(halo_context_create(&options, &context), HALO_ERR_PLUGIN, "alone", { variable, "launcher", "copies" });
    expect(halo_context_create_mpi(MPI_COMM_WORLD, &options, &context), HALO_SUCCESS, "alone");
    for (const char *word : { variable, "launcher", "one rank" })
        if (log.find(word) == std::string::npos) stop("the log does not say '" + std::string(word) + "': " + log);
    expect(halo_context_destroy(&context), HALO_SUCCESS, "alone");
    MPI_Finalize();
    return 0;
}

// Contexts that are still there when the process ends, one of them with a thread that is in MPI most of the time.
int run_left() {
    const halo_setting own{ "progress_thread", "on" };
    halo_context *threaded = nullptr, *other = nullptr;
    expect(create("multiple", &threaded, MPI_COMM_NULL, own), HALO_SUCCESS, "a thread of its own");
    expect(create("multiple", &other), HALO_SUCCESS, "another context");
    for (int64_t i = 1; i <= 10; ++i) expect(add_up(i % 2 == 0 ? threaded : other, i), HALO_SUCCESS, "before the end");
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::strcmp(argv[1], "left") == 0) return run_left();
    if (argc != 3) return 2;
    if (std::strcmp(argv[1], "alone") == 0) return run_alone(argv[2]);
    for (const Level &level : levels)
        if (std::strcmp(argv[1], level.word) == 0) return run_level(level, std::strcmp(argv[2], "program") == 0);
    return 2;
}
