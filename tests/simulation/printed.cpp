// SPDX-License-Identifier: BSD-3-Clause
#include "printed.h"

namespace programs {

using conformance::text_of;

namespace {

const char *const prologue = R"(#include <halo_channel.h>
#include <halo_access.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static halo_inproc *group;
static _Thread_local int32_t rank;
static _Thread_local halo_context *context;

/* A call that takes no part in the program's end. */
static inline halo_status tell(halo_status status, const char *call) {
    if (status != HALO_SUCCESS && status != HALO_BUSY) fprintf(stderr, "rank %d: %s: %s: %s\n", (int)rank, call, halo_status_name(status), halo_last_error());
    return status;
}
static inline void must(halo_status status, const char *call) {
    if (tell(status, call) != HALO_SUCCESS) exit(1);
}
#define CALL(call) must(call, #call)
#define CALL_UNTIL_FREE(call) \
    do { \
        halo_status status_ = HALO_BUSY; \
        while ((status_ = (call)) == HALO_BUSY) halo_context_progress(context); \
        must(status_, #call); \
    } while (0)
#define CALL_UNTIL(is_so, call) \
    do { \
        is_so = 0; \
        while (!is_so) CALL(call); \
    } while (0)

/* One value everywhere in what has storage. */
static inline void fill(const halo_topology *topology, const halo_field *field, double value) {
    const int64_t *gids;
    int64_t n;
    CALL(halo_topology_local_parts(topology, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data;
        CALL(halo_field_layout(field, gids[i], &layout));
        CALL(halo_field_data(field, gids[i], 0, &data));
        for (int64_t at = 0; data && at < layout.elements; ++at) ((double *)data)[at] = value;
    }
}
static inline void start(halo_exchange *exchange, const halo_run *run, int phases) {
    if (!phases) {
        CALL(halo_exchange_start(exchange, run, HALO_STREAM_NONE));
    } else {
        CALL(halo_exchange_post(exchange, run));
        CALL_UNTIL_FREE(halo_exchange_send(exchange, HALO_STREAM_NONE));
    }
}
static inline void finish(halo_exchange *exchange, int phases) {
    if (!phases) {
        CALL(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    } else {
        int32_t done;
        CALL_UNTIL(done, halo_exchange_test(exchange, &done));
        CALL(halo_exchange_unpack(exchange, HALO_STREAM_NONE));
        CALL(halo_exchange_refine(exchange, HALO_STREAM_NONE));
    }
}
)";

std::string call_of(const char *function, size_t object, const std::string &arguments = "") {
    return text_of("    %s_%zu(%s);\n", function, object, arguments.c_str());
}

std::string printed_step(const Program &program, size_t time) {
    const Step &step = program.steps[time];
    const std::string now = std::to_string(time);
    std::string text = text_of("    /* %zu: %s */\n", time, name_of(step.does));
    switch (step.does) {
    case Step::Does::run: return text + call_of("start", step.object, now) + call_of("finish", step.object);
    case Step::Does::run_all:
        for (const char *function : { "start", "finish" })
            for (size_t i = 0; i < program.objects.size(); ++i)
                if (program.objects[i].may_overlap()) text += call_of(function, i, *function == 's' ? now : "");
        return text;
    case Step::Does::give_up:
        if (program.objects[step.object].may_overlap()) text += call_of("start", step.object, now);
        [[fallthrough]];
    case Step::Does::recreate: return text + call_of("destroy", step.object) + call_of("create", step.object);
    default: return text + "    close_all();\n    open_all();\n";
    }
}

std::string printed_all(const Program &program) {
    std::string text = text_of(R"(
static void open_all(void) {
    const halo_setting settings[] = { { "timeout", "5s" }, { "path", "%s" }, { "shared_memory.least", "0" }, { "log_level", "error" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings, options.n_settings = 4;
    CALL(halo_context_create_inproc(group, rank, &options, &context));
)",
                               program.path.c_str());
    for (size_t i = 0; i < program.objects.size(); ++i) text += call_of("create", i);
    text += "}\nstatic void close_all(void) {\n";
    for (size_t i = 0; i < program.objects.size(); ++i) text += call_of("destroy", i);
    text += "    CALL_UNTIL_FREE(halo_context_destroy(&context));\n}\nstatic void *play(void *number) {\n    rank = *(const int32_t *)number;\n    "
            "open_all();\n";
    for (size_t time = 0; time < program.steps.size(); ++time) text += printed_step(program, time);
    return text + "    close_all();\n    return NULL;\n}\n";
}

std::string printed_main(int32_t n_ranks) {
    return text_of(R"(
int main(void) {
    pthread_t threads[%d];
    int32_t numbers[%d];
    CALL(halo_inproc_create(%d, &group));
    for (int32_t i = 0; i < %d; ++i) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, play, &numbers[i]) != 0) return 1;
    }
    for (int32_t i = 0; i < %d; ++i) pthread_join(threads[i], NULL);
    CALL(halo_inproc_destroy(&group));
    return 0;
}
)",
                   n_ranks, n_ranks, n_ranks, n_ranks, n_ranks);
}

} // namespace

std::string list_of(const std::vector<int64_t> &numbers) {
    std::string text = "{ ";
    for (size_t i = 0; i < numbers.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    return text + (numbers.empty() ? "0 }" : " }");
}

std::string box_of(const halo_box &box) {
    return "{ " + list_of(std::vector<int64_t>(box.low, box.low + 3)) + ", " + list_of(std::vector<int64_t>(box.high, box.high + 3)) + " }";
}

std::string printed(const Program &program) {
    std::string text = "/*\n" + program.describe() + "*/\n" + prologue;
    for (size_t i = 0; i < program.objects.size(); ++i) text += printed_object(program, i);
    return text + printed_all(program) + printed_main(program.n_ranks);
}

} // namespace programs
