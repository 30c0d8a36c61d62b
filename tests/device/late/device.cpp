// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include "../flagged_rows.h"
#include "graphs.h"
#include "instance.h"
#include "level.h"
#include "reached_levels.h"

namespace {

using namespace late;

const halo_device_ops &host = *halo_device_host.ops;

// A table of the host device, and its rows, to see what they reach.
struct Table {
    halo_copy_table *copies = nullptr;
    std::vector<uint32_t> pieces; // of each shape
    std::vector<halo_copy_row> rows;
    std::atomic<int64_t> in_use{ 0 };
};

Table &table_of(halo_copy_table *table) { return *reinterpret_cast<Table *>(table); }

halo_status open(const halo_host *services, int32_t ordinal, halo_device **device) {
    if (ordinal < 0 || ordinal > 1) return report(services, HALO_ERR_ARGUMENT, "there are the late devices 0 and 1, not %d", ordinal);
    halo_device *copies = nullptr;
    if (const halo_status status = host.open(services, 0, &copies)) return status;
    *device = opened_here = reinterpret_cast<halo_device *>(new Late(services, copies, ordinal));
    return HALO_SUCCESS;
}

void close(halo_device *device) { delete &late_of(device); }

halo_status allocate_pinned(Late &self, size_t bytes, void **pointer) {
    if (self.pinned.is_now()) return report(self.services, HALO_ERR_MEMORY, "the late device has no %zu bytes of pinned memory", bytes);
    if (const halo_status status = host.allocate(self.copies, HALO_MEMORY_PINNED, bytes, pointer)) return status;
    self.memory.add_pinned(*pointer, bytes);
    return HALO_SUCCESS;
}

halo_status allocate(halo_device *device, int32_t memory, size_t bytes, void **pointer) {
    Late &self = late_of(device);
    if (memory == HALO_MEMORY_PINNED) return allocate_pinned(self, bytes, pointer);
    if (memory != HALO_MEMORY_DEVICE) return report(self.services, HALO_ERR_ARGUMENT, "the late device has no memory of kind %d", memory);
    void *found = self.allocation.is_now() ? nullptr : self.memory.allocate_own(bytes);
    if (!found) return report(self.services, HALO_ERR_MEMORY, "the late device has no %zu bytes", bytes);
    self.count(&late_counts::allocations);
    self.count(&late_counts::bytes, static_cast<int64_t>(bytes));
    *pointer = found;
    return HALO_SUCCESS;
}

void release(halo_device *device, int32_t memory, void *pointer, size_t bytes) {
    Late &self = late_of(device);
    if (memory == HALO_MEMORY_PINNED) {
        self.memory.remove_pinned(pointer);
        return host.release(self.copies, memory, pointer, bytes);
    }
    const int state = self.memory.release_own(pointer);
    if (state > 0) self.count(&late_counts::exported, -1);
    if (state > 1) self.count(&late_counts::freed_open);
    self.count(&late_counts::bytes, -static_cast<int64_t>(bytes));
}

// Other memory of the host is read before return, or written.
halo_status copy(halo_device *device, void *dst, const void *src, size_t bytes, halo_stream stream) {
    Late &self = late_of(device);
    if (bytes == 0) return HALO_SUCCESS;
    self.count(&late_counts::copies);
    void *to = self.memory.reach(dst, bytes);
    const void *from = self.memory.reach(src, bytes);
    if ((!to && self.memory.reach(dst)) || (!from && self.memory.reach(src)))
        return report(self.services, HALO_ERR_DEVICE, "a copy of %zu bytes from %p to %p goes beyond its memory", bytes, src, dst);
    if (!to) {
        self.add_and_wait(stream, [=] { std::memcpy(dst, from ? from : src, bytes); });
        return HALO_SUCCESS;
    }
    if (from) {
        self.stream(stream).add([=] { std::memcpy(to, from, bytes); });
    } else {
        std::vector<char> snapshot(static_cast<const char *>(src), static_cast<const char *>(src) + bytes);
        self.stream(stream).add([to, snapshot = std::move(snapshot)] { std::memcpy(to, snapshot.data(), snapshot.size()); });
    }
    return HALO_SUCCESS;
}

halo_status fill(halo_device *device, void *dst, const void *value, size_t element_bytes, int64_t n, halo_stream stream) {
    Late &self = late_of(device);
    char nothing[16];
    if (const halo_status status = host.fill(self.copies, nothing, value, element_bytes, std::min<int64_t>(n, 0), HALO_STREAM_NONE)) return status;
    void *to = self.memory.reach(dst, element_bytes * static_cast<size_t>(n));
    if (!to && n > 0) return report(self.services, HALO_ERR_DEVICE, "a fill of memory at %p that the late device does not reach", dst);
    self.count(&late_counts::copies);
    std::vector<char> snapshot(static_cast<const char *>(value), static_cast<const char *>(value) + element_bytes);
    self.stream(stream).add([copies = self.copies, to, snapshot = std::move(snapshot), n] {
        host.fill(copies, to, snapshot.data(), snapshot.size(), n, HALO_STREAM_NONE);
    });
    return HALO_SUCCESS;
}

halo_status event_create(halo_device *, halo_event **event) {
    *event = reinterpret_cast<halo_event *>(new Event());
    return HALO_SUCCESS;
}
void event_destroy(halo_device *device, halo_event *event) {
    if (event_of(event).page) late_of(device).count(&late_counts::events, -1);
    delete &event_of(event);
}
halo_status event_record(halo_device *device, halo_event *event, halo_stream stream) {
    if (event_of(event).is_others) return report(late_of(device).services, HALO_ERR_STATE, "another instance's event is waited for, and no more");
    late_of(device).stream(stream).record(event_of(event));
    return HALO_SUCCESS;
}
halo_status event_query(halo_device *device, halo_event *event, int32_t *done) {
    const std::shared_ptr<Recording> &known = event_of(event).recording;
    if (event_of(event).is_others) return report(late_of(device).services, HALO_ERR_STATE, "another instance's event is waited for, and no more");
    const late::Recording::State state = known ? known->state() : late::Recording::State::fired; // nothing has been recorded, or all of it is done
    if (state == late::Recording::State::failed)
        return report(late_of(device).services, HALO_ERR_DEVICE, "work in front of an event has failed, as ordered");
    *done = state == late::Recording::State::fired ? 1 : 0;
    return HALO_SUCCESS;
}
halo_status event_wait(halo_device *device, halo_event *event, halo_stream stream) {
    late_of(device).stream(stream).wait(event_of(event));
    return HALO_SUCCESS;
}

halo_status table_create(halo_device *device, const halo_copy_program *program, halo_copy_table **table) {
    Late &self = late_of(device);
    auto made = std::make_unique<Table>();
    if (const halo_status status = host.table_create(self.copies, program, &made->copies)) return status;
    for (int64_t i = 0; i < program->n_shapes; ++i) made->pieces.push_back(program->shapes[i].n_pieces);
    made->rows.assign(program->rows, program->rows + program->n_rows);
    *table = reinterpret_cast<halo_copy_table *>(made.release());
    return HALO_SUCCESS;
}

// As with memory, nobody may destroy or change what work still uses.
halo_status require_unused(Late &self, const Table &table, const char *call) {
    if (table.in_use == 0) return HALO_SUCCESS;
    return report(self.services, HALO_ERR_STATE, "%s of a table that work in a stream still uses", call);
}

void table_destroy(halo_device *device, halo_copy_table *table) {
    Late &self = late_of(device);
    if (require_unused(self, table_of(table), "destruction")) std::abort(); // it cannot be refused
    host.table_destroy(self.copies, table_of(table).copies);
    delete &table_of(table);
}

halo_status table_patch(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, const halo_copy_row *rows) {
    Late &self = late_of(device);
    Table &known = table_of(table);
    if (const halo_status status = require_unused(self, known, "a patch")) return status;
    if (const halo_status status = host.table_patch(self.copies, known.copies, first, n, rows)) return status;
    std::copy_n(rows, n, known.rows.begin() + first);
    return HALO_SUCCESS;
}

// The device's addresses of what some rows use, in `reached`.
halo_status reach_bases(Late &self, const Table &table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, bool writes,
                        std::vector<void *> &reached) {
    if (first < 0 || n < 0 || first > std::ssize(table.rows) - n)
        return report(self.services, HALO_ERR_ARGUMENT, "rows %lld + %lld of a table of %zu", static_cast<long long>(first),
                      static_cast<long long>(n), table.rows.size());
    reached.assign(static_cast<size_t>(n_bases), nullptr);
    for (int64_t row = first; row < first + n; ++row) {
        const halo_copy_row &known = table.rows[static_cast<size_t>(row)];
        const auto use = [&](uint32_t base) {
            if (base >= n_bases) return false;
            reached[base] = self.memory.reach(bases[base]);
            return reached[base] != nullptr;
        };
        bool all = !writes || use(known.dst_base);
        for (uint32_t p = 0; all && p < table.pieces[known.shape]; ++p) all = use(known.src_base[p]);
        if (!all)
            return report(self.services, HALO_ERR_DEVICE, "row %lld of a table leads to memory that is neither the late device's nor pinned",
                          static_cast<long long>(row));
    }
    return HALO_SUCCESS;
}

halo_status fail_launch_on_order(Late &self) {
    return self.launch.is_now() ? report(self.services, HALO_ERR_DEVICE, "a launch fails, as ordered") : HALO_SUCCESS;
}

halo_status table_run(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op,
                      halo_type type, halo_stream stream) {
    Late &self = late_of(device);
    Table &known = table_of(table);
    std::vector<void *> reached;
    if (const halo_status status = reach_bases(self, known, first, n, bases, n_bases, true, reached)) return status;
    if (const halo_status status = host.table_run(self.copies, known.copies, first, 0, bases, n_bases, op, type, HALO_STREAM_NONE)) return status;
    if (const halo_status status = fail_launch_on_order(self)) return status;
    self.count(&late_counts::launches);
    ++known.in_use;
    self.stream(stream).add([=, &self, &known, reached = std::move(reached)] {
        const halo_status status = host.table_run(self.copies, known.copies, first, n, reached.data(), n_bases, op, type, HALO_STREAM_NONE);
        --known.in_use;
        if (status != HALO_SUCCESS) std::abort(); // a launch that was accepted does its work
    });
    return HALO_SUCCESS;
}

// Runs that tell what is null are done when they return.
halo_status run_and_tell(decltype(halo_device_ops::table_test) by, bool writes, halo_device *device, halo_copy_table *table, int64_t first, int64_t n,
                         void *const *bases, int64_t n_bases, const halo_null_test *test, uint8_t *non_null, halo_stream stream) {
    Late &self = late_of(device);
    Table &known = table_of(table);
    std::vector<void *> reached;
    if (const halo_status status = reach_bases(self, known, first, n, bases, n_bases, writes, reached)) return status;
    if (writes) self.count(&late_counts::launches);
    self.count(&late_counts::tests);
    halo_status status = HALO_SUCCESS;
    self.add_and_wait(stream, [&] { status = by(self.copies, known.copies, first, n, reached.data(), n_bases, test, non_null, HALO_STREAM_NONE); });
    return status;
}

halo_status table_test(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                       const halo_null_test *test, uint8_t *non_null, halo_stream stream) {
    return run_and_tell(host.table_test, false, device, table, first, n, bases, n_bases, test, non_null, stream);
}

halo_status table_run_tested(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                             const halo_null_test *test, uint8_t *non_null, halo_stream stream) {
    return run_and_tell(host.table_run_tested, true, device, table, first, n, bases, n_bases, test, non_null, stream);
}

// A range as the stream's thread needs it: of the host device's table, with the addresses that the device has.
struct Range {
    Table *table = nullptr;
    std::vector<void *> reached;
    halo_copy_range of_host{};
};
using ByHost = decltype(halo::test::run_chosen);

// The host sees flags too, so they are pinned.
bool reaches_flags(const Late &self, const Table &table, const halo_copy_range &range) {
    for (int64_t row = range.first; row < range.first + range.n; ++row) {
        const uint8_t *const flag = range.flags + table.rows[static_cast<size_t>(row)].flag;
        if (self.memory.reach(flag) != flag) return false;
    }
    return true;
}

// What rows use is checked whatever their flags are going to say.
halo_status prepare(Late &self, const halo_copy_range &given, bool tests, Range &range) {
    Table &table = table_of(given.table);
    if (const halo_status status = reach_bases(self, table, given.first, given.n, given.bases, given.n_bases, !tests, range.reached)) return status;
    if (!tests && (given.rows < HALO_ROWS_ALL || given.rows > HALO_ROWS_UNFLAGGED || (given.rows != HALO_ROWS_ALL && !given.flags)))
        return report(self.services, HALO_ERR_ARGUMENT, "a range of rows of kind %d, %s flags", given.rows, given.flags ? "with" : "without");
    const bool flagged = given.flags && (tests || given.rows != HALO_ROWS_ALL);
    if (flagged && !reaches_flags(self, table, given))
        return report(self.services, HALO_ERR_DEVICE, "flags of a range that are not in pinned memory");
    range.table = &table;
    range.of_host = given;
    range.of_host.table = table.copies;
    range.of_host.bases = range.reached.data();
    uint8_t none = 0;
    if (!tests || !flagged) return HALO_SUCCESS;
    return host.table_test(self.copies, table.copies, given.first, 0, range.of_host.bases, given.n_bases, &given.test, &none, HALO_STREAM_NONE);
}

// Ranges are disjoint in what they write.
bool has_row_twice(const halo_copy_range *ranges, int64_t n) {
    std::set<std::tuple<const halo_copy_table *, void *const *, int64_t, int32_t>> known;
    for (const halo_copy_range &range : std::span(ranges, static_cast<size_t>(n)))
        for (int64_t row = range.first; row < range.first + range.n; ++row)
            if (!known.emplace(range.table, range.bases, row, range.rows).second) return true;
    return false;
}

void run_by_host(halo_device *copies, const Range &range, bool backwards, ByHost &by) {
    halo_copy_range some = range.of_host;
    if (backwards) some.n = 1;
    for (int64_t at = 0; at < range.of_host.n; at += some.n) {
        some.first = range.of_host.first + (backwards ? range.of_host.n - 1 - at : at);
        if (by(copies, some, range.table->rows.data()) != HALO_SUCCESS) std::abort();
    }
}

// Its rows run in any order: in every second launch the last one first.
halo_status launch(halo_device *device, const halo_copy_range *given, int64_t n, bool tests, ByHost &by, halo_stream stream) {
    Late &self = late_of(device);
    if (n < 0) return report(self.services, HALO_ERR_ARGUMENT, "%lld ranges", static_cast<long long>(n));
    const auto ranges = std::make_shared<std::vector<Range>>(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        if (const halo_status status = prepare(self, given[i], tests, (*ranges)[static_cast<size_t>(i)])) return status;
    if (!tests && has_row_twice(given, n)) return report(self.services, HALO_ERR_ARGUMENT, "a row of a table twice in one launch");
    if (const halo_status status = fail_launch_on_order(self)) return status;
    self.count(tests ? &late_counts::tests : &late_counts::launches);
    const auto delay = self.delayed.is_now() ? self.delay : std::chrono::microseconds(0);
    if (self.accepted.is_now()) {
        self.stream(stream).add_failing(delay);
        return HALO_SUCCESS;
    }
    for (const Range &range : *ranges) ++range.table->in_use;
    const bool backwards = self.counts.launches % 2 == 0;
    if (backwards) std::reverse(ranges->begin(), ranges->end());
    self.stream(stream).add([copies = self.copies, ranges, backwards, delay, &by] {
        std::this_thread::sleep_for(delay);
        for (const Range &range : *ranges) run_by_host(copies, range, backwards, by);
        for (const Range &range : *ranges) --range.table->in_use;
    });
    return HALO_SUCCESS;
}

halo_status ranges_run(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream) {
    return launch(device, ranges, n_ranges, false, halo::test::run_chosen, stream);
}

halo_status ranges_test(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream) {
    return launch(device, ranges, n_ranges, true, halo::test::test_and_flag, stream);
}

// As the stream's thread needs it: of the host device's table.
struct CombineRange {
    Table *table = nullptr;
    std::vector<void *> reached;
    halo_combine_range of_host{};
};

halo_status prepare(Late &self, const halo_combine_range &given, CombineRange &range) {
    Table &table = table_of(given.table);
    if (const halo_status status = reach_bases(self, table, given.first, given.n, given.bases, given.n_bases, true, range.reached)) return status;
    if (given.n_moved < 0 || given.n_moved > given.n)
        return report(self.services, HALO_ERR_ARGUMENT, "a range of %lld rows, %lld of which overwrite", static_cast<long long>(given.n),
                      static_cast<long long>(given.n_moved));
    range.table = &table;
    range.of_host = given;
    range.of_host.table = table.copies;
    range.of_host.bases = range.reached.data();
    return host.table_run(self.copies, table.copies, given.first, 0, given.bases, given.n_bases, given.op, given.type, HALO_STREAM_NONE);
}

void combine_by_host(halo_device *copies, const halo_combine_range &range) {
    const auto run = [&](int64_t first, int64_t n, int32_t op) {
        const halo_status status = host.table_run(copies, range.table, first, n, range.bases, range.n_bases, op, range.type, HALO_STREAM_NONE);
        if (status != HALO_SUCCESS) std::abort();
    };
    run(range.first, range.n_moved, HALO_COPY_MOVE);
    run(range.first + range.n_moved, range.n - range.n_moved, range.op);
}

// In every second launch the last range first: none depends on another.
halo_status ranges_combine(halo_device *device, const halo_combine_range *given, int64_t n, halo_stream stream) {
    Late &self = late_of(device);
    if (n < 0) return report(self.services, HALO_ERR_ARGUMENT, "%lld ranges", static_cast<long long>(n));
    const auto ranges = std::make_shared<std::vector<CombineRange>>(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        if (const halo_status status = prepare(self, given[i], (*ranges)[static_cast<size_t>(i)])) return status;
    if (const halo_status status = fail_launch_on_order(self)) return status;
    self.count(&late_counts::launches);
    if (self.accepted.is_now()) {
        self.stream(stream).add_failing({});
        return HALO_SUCCESS;
    }
    for (const CombineRange &range : *ranges) ++range.table->in_use;
    if (self.counts.launches % 2 == 0) std::reverse(ranges->begin(), ranges->end());
    self.stream(stream).add([copies = self.copies, ranges] {
        for (const CombineRange &range : *ranges) {
            combine_by_host(copies, range.of_host);
            --range.table->in_use;
        }
    });
    return HALO_SUCCESS;
}

// In every second launch the last one first.
halo_status levels_run(halo_device *device, const halo_level_operation *given, int64_t n, halo_stream stream) {
    Late &self = late_of(device);
    if (n < 0) return report(self.services, HALO_ERR_ARGUMENT, "%lld operations", static_cast<long long>(n));
    const auto operations = std::make_shared<std::vector<halo_level_operation>>(given, given + n);
    for (halo_level_operation &one : *operations) {
        if (const char *problem = halo::device::problem_of(one))
            return report(self.services, HALO_ERR_ARGUMENT, "an operation between levels: %s", problem);
        if (!late::reach_values(self.memory, one))
            return report(self.services, HALO_ERR_DEVICE, "an operation between levels goes beyond the late device's memory");
    }
    if (const halo_status status = fail_launch_on_order(self)) return status;
    self.count(&late_counts::launches);
    if (self.accepted.is_now()) {
        self.stream(stream).add_failing({});
        return HALO_SUCCESS;
    }
    if (self.counts.launches % 2 == 0) std::reverse(operations->begin(), operations->end());
    self.stream(stream).add([copies = self.copies, operations] {
        if (host.levels_run(copies, operations->data(), static_cast<int64_t>(operations->size()), HALO_STREAM_NONE)) std::abort();
    });
    return HALO_SUCCESS;
}

// Of the memory of any of these devices, and of what this one has pinned.
halo_status pointer_kind(halo_device *device, const void *pointer, int32_t *kind, int32_t *ordinal) {
    const bool pinned = late_of(device).memory.reach(pointer) == pointer;
    halo_device *const owner = late_of_memory(pointer);
    *kind = owner ? HALO_POINTER_DEVICE : pinned ? HALO_POINTER_BOTH : HALO_POINTER_HOST;
    *ordinal = owner ? late_of(owner).ordinal : -1;
    return HALO_SUCCESS;
}

halo_status graphs_create(halo_device *device, halo_graphs **graphs) {
    if (late::graphs_are_refused()) return report(late_of(device).services, HALO_ERR_STATE, "it was told not to");
    *graphs = reinterpret_cast<halo_graphs *>(new late::Graphs());
    return HALO_SUCCESS;
}

void graphs_destroy(halo_device *, halo_graphs *graphs) { delete &late::graphs_of(graphs); }

halo_status graphs_run(halo_device *device, halo_graphs *graphs, const halo_device_step *steps, int64_t n_steps, halo_stream stream, int32_t *how) {
    Late &self = late_of(device);
    self.stream(stream).go_together(true);
    const halo_status status = late::run_steps(device, steps, n_steps, stream);
    self.stream(stream).go_together(false);
    if (status != HALO_SUCCESS) return status;
    *how = late::graphs_of(graphs).come(steps, n_steps);
    if (*how != HALO_STEPS_LAUNCHED) self.count(*how == HALO_STEPS_RECORDED ? &late_counts::recordings : &late_counts::replays);
    return HALO_SUCCESS;
}

halo_status stream_check(halo_device *device, halo_stream stream) {
    if (!late_of(device).stream(stream).is_captured) return HALO_SUCCESS;
    return report(late_of(device).services, HALO_ERR_STATE, "the program records the stream into a graph");
}

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    std::snprintf(why, why_bytes, "for tests");
    return 1;
}

int32_t count(const halo_host *) { return devices_told_of; }

constexpr halo_device_ops ops = { sizeof(halo_device_ops),
                                  open,
                                  close,
                                  allocate,
                                  release,
                                  copy,
                                  fill,
                                  event_create,
                                  event_destroy,
                                  event_record,
                                  event_query,
                                  event_wait,
                                  table_create,
                                  table_destroy,
                                  table_patch,
                                  table_run,
                                  table_test,
                                  table_run_tested,
                                  ranges_run,
                                  ranges_test,
                                  ranges_combine,
                                  pointer_kind,
                                  levels_run,
                                  graphs_create,
                                  graphs_destroy,
                                  graphs_run,
                                  stream_check };

constexpr halo_device_plugin plugin = { HALO_PLUGIN_ABI_MAJOR,
                                        HALO_PLUGIN_ABI_MINOR,
                                        sizeof(halo_device_plugin),
                                        "late",
                                        "0.2.0",
                                        HALO_COPY_LAYOUT,
                                        (1U << HALO_MEMORY_PINNED) | (1U << HALO_MEMORY_DEVICE),
                                        query,
                                        &ops,
                                        (uint64_t{ 2 } << HALO_BFLOAT16) - 2,
                                        count,
                                        &ipc_operations };

} // namespace

halo_status late::report(const halo_host *services, halo_status status, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (services) services->report(services->core, text);
    return status;
}

const halo_device_plugin halo_device_late = plugin;
extern "C" [[gnu::visibility("default")]] const halo_device_plugin halo_device_plugin_v1 = plugin;

halo_status late_stream_create(halo_device *device, halo_stream *stream) {
    late_of(device).add_stream();
    *stream = late_of(device).streams.back().get();
    return HALO_SUCCESS;
}

void late_stream_destroy(halo_device *device, halo_stream stream) {
    std::erase_if(late_of(device).streams, [&](const auto &one) { return one.get() == stream; });
}

void late_stream_capture(halo_stream stream, bool on) { static_cast<Stream *>(stream)->is_captured = on; }

void late_stream_synchronize(halo_device *device, halo_stream stream) { late_of(device).stream(stream).synchronize(); }

halo_status late_copy_pieces(halo_device *device, const late_piece *pieces, int64_t n, halo_stream stream) {
    Late &self = late_of(device);
    struct Move {
        void *to;
        const void *from;
        size_t snapshot, bytes;
    };
    std::vector<Move> moves;
    std::vector<char> snapshots;
    bool waits = false;
    for (const late_piece &piece : std::span(pieces, static_cast<size_t>(n))) {
        void *const to = self.memory.reach(piece.dst, piece.bytes);
        const void *const from = self.memory.reach(piece.src, piece.bytes);
        if ((!to && self.memory.reach(piece.dst)) || (!from && self.memory.reach(piece.src)))
            return report(self.services, HALO_ERR_DEVICE, "a piece of %zu bytes goes beyond its memory", piece.bytes);
        waits = waits || !to;
        moves.push_back({ to ? to : piece.dst, from, snapshots.size(), piece.bytes });
        const char *const bytes = static_cast<const char *>(piece.src);
        if (!from) snapshots.insert(snapshots.end(), bytes, bytes + piece.bytes);
    }
    self.count(&late_counts::copies);
    self.stream(stream).add([moves = std::move(moves), snapshots = std::move(snapshots)] {
        for (const Move &move : moves) std::memcpy(move.to, move.from ? move.from : snapshots.data() + move.snapshot, move.bytes);
    });
    if (!waits) return HALO_SUCCESS;
    self.stream(stream).synchronize();
    self.count(&late_counts::host_waits);
    return HALO_SUCCESS;
}

void late_configure(uint64_t seed, int32_t microseconds) {
    next_seed = seed;
    most_microseconds = microseconds;
}

void late_tell_devices(int32_t n) { devices_told_of = n; }

halo_device *late_opened_here(void) { return opened_here; }

halo_device *late_of_memory(const void *pointer) {
    const std::lock_guard lock(guard);
    for (Late *const one : open_ones)
        if (one->memory.owns(pointer)) return reinterpret_cast<halo_device *>(one);
    return nullptr;
}

void *late_reach(const void *pointer) {
    halo_device *const owner = late_of_memory(pointer);
    return owner ? late_of(owner).memory.reach(pointer) : nullptr;
}

int32_t late_ordinal(halo_device *device) { return late_of(device).ordinal; }

void late_fail_allocation(halo_device *device, int64_t after) { late_of(device).allocation.set(after); }
void late_fail_pinned(halo_device *device, int64_t after) { late_of(device).pinned.set(after); }
void late_fail_launch(halo_device *device, int64_t after) { late_of(device).launch.set(after); }
void late_fail_work(halo_device *device, int64_t after) { late_of(device).accepted.set(after); }
void late_delay_launch(halo_device *device, int64_t after, int32_t microseconds) {
    late_of(device).delay = std::chrono::microseconds(microseconds);
    late_of(device).delayed.set(after);
}

void late_fail_allocations_of_all(int64_t after) { allocations_fail_after = after; }
void late_fail_pinned_of_all(int64_t after) { pinned_fails_after = after; }
void late_fail_launches_of_all(int64_t after) { launches_fail_after = after; }

late_counts late_count(halo_device *device) { return late_of(device).counts; }

late_counts late_count_all() {
    const std::lock_guard lock(guard);
    return counts_of_all;
}
