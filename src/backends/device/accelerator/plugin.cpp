// SPDX-License-Identifier: BSD-3-Clause
// The operations table over a runtime.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "../level.h"
#include "../null_range.h"
#include "../program.h"
#include "../value.h"
#include "failure.h"
#include "launcher.h"
#include "memory.h"
#include "runtime.h"
#include "table.h"

namespace halo::accelerator {

namespace {

struct Device {
    Device(const halo_host *given, std::unique_ptr<Runtime> made) : services(given), runtime(std::move(made)), launcher(*runtime) {}

    const halo_host *services;
    std::unique_ptr<Runtime> runtime;
    Launcher launcher;
};

Device &device_of(halo_device *device) { return *reinterpret_cast<Device *>(device); }
Table &table_of(halo_copy_table *table) { return *reinterpret_cast<Table *>(table); }
Graphs &graphs_of(halo_graphs *graphs) { return *reinterpret_cast<Graphs *>(graphs); }

halo_status report(const halo_host *services, halo_status status, const char *text) {
    if (services != nullptr && services->report != nullptr) services->report(services->core, text);
    return status;
}

// The body of an operation: failures become statuses.
template <class Body>
halo_status guard(const halo_host *services, Body &&body) noexcept {
    try {
        body();
        return HALO_SUCCESS;
    } catch (const Failure &failure) {
        return report(services, failure.status, failure.text);
    } catch (const std::bad_alloc &) {
        return report(services, HALO_ERR_MEMORY, "no memory of the host");
    } catch (const std::exception &other) {
        return report(services, HALO_ERR_INTERNAL, other.what());
    }
}

// The calling thread's device, for as long as an operation lasts.
class Entered {
public:
    explicit Entered(Runtime &runtime) : runtime_(runtime), before_(runtime.enter()) {}
    ~Entered() { runtime_.leave(before_); }
    Entered(const Entered &) = delete;
    Entered &operator=(const Entered &) = delete;

private:
    Runtime &runtime_;
    const int before_;
};

template <class Body>
halo_status within(halo_device *device, Body &&body) noexcept {
    Device &self = device_of(device);
    return guard(self.services, [&] {
        const Entered entered(*self.runtime);
        body(self);
    });
}

halo_status open(const halo_host *services, int32_t ordinal, halo_device **device) {
    return guard(services, [&] { *device = reinterpret_cast<halo_device *>(new Device(services, open_runtime(services, ordinal))); });
}

void close(halo_device *device) {
    Device &self = device_of(device);
    int before = 0;
    const bool entered = guard(nullptr, [&] { before = self.runtime->enter(); }) == HALO_SUCCESS;
    const std::unique_ptr<Runtime> runtime = std::move(self.runtime); // outlives what it has given
    delete &self;
    if (entered) runtime->leave(before);
}

halo_status allocate(halo_device *device, int32_t memory, size_t bytes, void **pointer) {
    return within(device, [&](Device &self) {
        if (memory != HALO_MEMORY_DEVICE && memory != HALO_MEMORY_PINNED) fail(HALO_ERR_ARGUMENT, "a device has no memory of kind %d", memory);
        void *const found = self.runtime->allocate(memory, std::max<size_t>(bytes, 1));
        if (!found) fail(HALO_ERR_MEMORY, "no %zu bytes of %s memory", bytes, memory == HALO_MEMORY_PINNED ? "pinned" : "the device's");
        *pointer = found;
    });
}

void release(halo_device *device, int32_t memory, void *pointer, size_t) {
    within(device, [&](Device &self) { self.runtime->release(memory, pointer); });
}

halo_status copy(halo_device *device, void *dst, const void *src, size_t bytes, halo_stream stream) {
    return within(device, [&](Device &self) {
        if (bytes > 0) self.runtime->copy(dst, src, bytes, stream);
    });
}

halo_status fill(halo_device *device, void *dst, const void *value, size_t element_bytes, int64_t n, halo_stream stream) {
    return within(device, [&](Device &self) {
        if (element_bytes < 1 || element_bytes > sizeof(halo_filling::value) || n < 0)
            fail(HALO_ERR_ARGUMENT, "a fill of %lld values of %zu bytes: values have 1 to 16", static_cast<long long>(n), element_bytes);
        if (n == 0) return;
        halo_filling filling{};
        filling.dst = reinterpret_cast<halo_u64>(dst);
        filling.n = static_cast<uint64_t>(n);
        filling.element_bytes = static_cast<uint32_t>(element_bytes);
        std::memcpy(filling.value, value, element_bytes);
        constexpr uint64_t most_groups = 16384; // they go round
        const uint64_t n_groups = filling.n * element_bytes / HALO_THREADS + 1;
        self.runtime->fill(filling, static_cast<int64_t>(std::min(n_groups, most_groups)), stream);
    });
}

halo_status event_create(halo_device *device, halo_event **event) {
    return within(device, [&](Device &self) { *event = self.runtime->event_create(); });
}
void event_destroy(halo_device *device, halo_event *event) {
    within(device, [&](Device &self) { self.runtime->event_destroy(event); });
}
halo_status event_record(halo_device *device, halo_event *event, halo_stream stream) {
    return within(device, [&](Device &self) { self.runtime->event_record(event, stream); });
}
halo_status event_query(halo_device *device, halo_event *event, int32_t *done) {
    return within(device, [&](Device &self) { *done = self.runtime->event_has_fired(event) ? 1 : 0; });
}
halo_status event_wait(halo_device *device, halo_event *event, halo_stream stream) {
    return within(device, [&](Device &self) { self.runtime->event_wait(event, stream); });
}

void check_rows(const halo_copy_row *rows, int64_t n, const halo_copy_shape *shapes, int64_t n_shapes, int64_t n_indices) {
    char text[160];
    if (!device::rows_are_right(rows, n, shapes, n_shapes, n_indices, text, sizeof text)) fail(HALO_ERR_ARGUMENT, "%s", text);
}

halo_status table_create(halo_device *device, const halo_copy_program *program, halo_copy_table **table) {
    return within(device, [&](Device &self) {
        for (int64_t i = 0; i < program->n_shapes; ++i)
            if (const char *problem = device::problem_of(program->shapes[i]))
                fail(HALO_ERR_ARGUMENT, "shape %lld of a table: %s", static_cast<long long>(i), problem);
        check_rows(program->rows, program->n_rows, program->shapes, program->n_shapes, program->n_indices);
        *table = reinterpret_cast<halo_copy_table *>(new Table(*self.runtime, *program));
    });
}

void table_destroy(halo_device *device, halo_copy_table *table) {
    within(device, [&](Device &) { delete &table_of(table); });
}

void check_range(const Table &table, int64_t first, int64_t n) {
    if (first < 0 || n < 0 || first > table.rows().n_rows() - n)
        fail(HALO_ERR_ARGUMENT, "rows %lld + %lld of a table of %lld", static_cast<long long>(first), static_cast<long long>(n),
             static_cast<long long>(table.rows().n_rows()));
}

void check_run(const Table &table, int64_t first, int64_t n, int64_t n_bases, bool with_dst) {
    check_range(table, first, n);
    const int64_t row = table.rows().row_beyond_bases(first, n, n_bases, with_dst);
    if (row >= 0)
        fail(HALO_ERR_ARGUMENT, "row %lld of a table names a base beyond the %lld given", static_cast<long long>(row),
             static_cast<long long>(n_bases));
}

void check_values(const Table &table, int64_t first, int64_t n, size_t value_bytes, const char *purpose) {
    if (!table.rows().divides_into(first, n, value_bytes))
        fail(HALO_ERR_ARGUMENT, "a table's elements are no whole number of the values to %s", purpose);
}

void check_combination(const Table &table, int64_t first, int64_t n, int32_t op, halo_type type) {
    const bool integer = type == HALO_INT32 || type == HALO_INT64 || (type >= HALO_INT8 && type <= HALO_UINT64);
    const bool real = integer || type == HALO_FLOAT32 || type == HALO_FLOAT64, complex = type == HALO_COMPLEX64 || type == HALO_COMPLEX128;
    bool known = false;
    switch (op) {
    case HALO_SUM:
    case HALO_PROD: known = real || complex; break;
    case HALO_MIN:
    case HALO_MAX:
    case HALO_LAND:
    case HALO_LOR:
    case HALO_LXOR: known = real; break;
    case HALO_BAND:
    case HALO_BOR:
    case HALO_BXOR: known = integer; break;
    default: break;
    }
    if (!known) fail(HALO_ERR_ARGUMENT, "op %d does not combine values of type %d", op, type);
    check_values(table, first, n, device::value_bytes(type), "combine");
}

halo_status table_patch(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, const halo_copy_row *rows) {
    return within(device, [&](Device &) {
        Table &mine = table_of(table);
        check_range(mine, first, n);
        const Lowering &known = mine.rows();
        check_rows(rows, n, known.shapes().data(), std::ssize(known.shapes()), std::ssize(known.indices()));
        mine.patch(first, n, rows);
    });
}

halo_status table_run(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op,
                      halo_type type, halo_stream stream) {
    return within(device, [&](Device &self) {
        Table &mine = table_of(table);
        check_run(mine, first, n, n_bases, true);
        if (op == HALO_COPY_MOVE) {
            self.launcher.begin(Kernel::move);
            self.launcher.add(mine, first, n, bases, n_bases, {});
        } else {
            check_combination(mine, first, n, op, type);
            self.launcher.begin(Kernel::combine);
            self.launcher.add({ table, first, n, 0, bases, n_bases, op, type });
        }
        self.launcher.go(stream);
    });
}

// Texts name what is wrong.
void set_test(halo_range &range, const Table &table, int64_t first, int64_t n, const halo_null_test &test) {
    const size_t bytes = device::value_bytes(test.type);
    if (bytes == 0) fail(HALO_ERR_ARGUMENT, "a null test of type %d, which is none", test.type);
    check_values(table, first, n, bytes, "test");
    const device::NullRange null = device::null_range(test);
    range.low = null.low;
    range.high = null.high;
    range.bound = null.bound;
    range.bound32 = null.bound32;
    range.value = value_of(test.type);
}

halo_status table_test(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                       const halo_null_test *test, uint8_t *non_null, halo_stream stream) {
    return within(device, [&](Device &self) {
        const Table &mine = table_of(table);
        check_run(mine, first, n, n_bases, false);
        halo_range said{};
        set_test(said, mine, first, n, *test);
        if (n == 0) return;
        Block flags(*self.runtime, HALO_MEMORY_PINNED, static_cast<size_t>(n));
        std::memset(flags.data(), 0, static_cast<size_t>(n));
        said.flags = reinterpret_cast<halo_u64>(flags.data());
        said.flag_by_row = 1;
        self.launcher.begin(Kernel::test);
        self.launcher.add(mine, first, n, bases, n_bases, said);
        self.launcher.go(stream);
        self.runtime->synchronize(stream);
        std::memcpy(non_null, flags.data(), static_cast<size_t>(n));
    });
}

void add_run(Launcher &launcher, const halo_copy_range &given) {
    const Table &table = table_of(given.table);
    check_run(table, given.first, given.n, given.n_bases, true);
    if (given.rows < HALO_ROWS_ALL || given.rows > HALO_ROWS_UNFLAGGED || (given.rows != HALO_ROWS_ALL && given.flags == nullptr))
        fail(HALO_ERR_ARGUMENT, "a range of rows of kind %d, %s flags", given.rows, given.flags != nullptr ? "with" : "without");
    halo_range said{};
    said.rows = static_cast<halo_u32>(given.rows);
    if (given.rows != HALO_ROWS_ALL) said.flags = reinterpret_cast<halo_u64>(given.flags);
    launcher.add(table, given.first, given.n, given.bases, given.n_bases, said);
}

void add_test(Launcher &launcher, const halo_copy_range &given) {
    const Table &table = table_of(given.table);
    check_run(table, given.first, given.n, given.n_bases, false);
    if (given.flags == nullptr) return;
    halo_range said{};
    set_test(said, table, given.first, given.n, given.test);
    said.flags = reinterpret_cast<halo_u64>(given.flags);
    launcher.add(table, given.first, given.n, given.bases, given.n_bases, said);
}

void add_combination(Launcher &launcher, const halo_combine_range &given) {
    const Table &table = table_of(given.table);
    check_run(table, given.first, given.n, given.n_bases, true);
    if (given.n_moved < 0 || given.n_moved > given.n)
        fail(HALO_ERR_ARGUMENT, "a range of %lld rows, %lld of which overwrite", static_cast<long long>(given.n),
             static_cast<long long>(given.n_moved));
    check_combination(table, given.first, given.n, given.op, given.type);
    launcher.add(given);
}

template <class Range>
void add_all(Launcher &launcher, void (*add)(Launcher &, const Range &), const Range *ranges, int64_t n) {
    if (n < 0) fail(HALO_ERR_ARGUMENT, "%lld ranges", static_cast<long long>(n));
    for (const Range &given : std::span(ranges, static_cast<size_t>(n))) add(launcher, given);
}

halo_status ranges_run(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream) {
    return within(device, [&](Device &self) {
        self.launcher.begin(Kernel::move);
        add_all(self.launcher, add_run, ranges, n_ranges);
        self.launcher.go(stream);
    });
}

halo_status ranges_test(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream) {
    return within(device, [&](Device &self) {
        self.launcher.begin(Kernel::test);
        add_all(self.launcher, add_test, ranges, n_ranges);
        self.launcher.go(stream);
    });
}

halo_status ranges_combine(halo_device *device, const halo_combine_range *ranges, int64_t n_ranges, halo_stream stream) {
    return within(device, [&](Device &self) {
        self.launcher.begin(Kernel::combine);
        add_all(self.launcher, add_combination, ranges, n_ranges);
        self.launcher.go(stream);
    });
}

halo_status levels_run(halo_device *device, const halo_level_operation *operations, int64_t n, halo_stream stream) {
    return within(device, [&](Device &self) {
        if (n < 0) fail(HALO_ERR_ARGUMENT, "%lld operations", static_cast<long long>(n));
        self.launcher.begin(Kernel::levels);
        for (const halo_level_operation &given : std::span(operations, static_cast<size_t>(n))) {
            if (const char *problem = device::problem_of(given))
                fail(HALO_ERR_ARGUMENT, "operation %lld between levels: %s", static_cast<long long>(&given - operations), problem);
            self.launcher.add(given);
        }
        self.launcher.go(stream);
    });
}

halo_status graphs_create(halo_device *device, halo_graphs **graphs) {
    return within(device, [&](Device &self) {
        if (const char *const lacks = self.runtime->lacks_graphs()) fail(HALO_ERR_STATE, "it has no graphs: %s", lacks);
        *graphs = reinterpret_cast<halo_graphs *>(self.launcher.make_graphs().release());
    });
}

void graphs_destroy(halo_device *device, halo_graphs *graphs) {
    within(device, [&](Device &) { delete &graphs_of(graphs); });
}

void add_step(Launcher &launcher, const halo_device_step &step) {
    switch (step.kind) {
    case HALO_STEP_RUN: launcher.next(Kernel::move); return add_all(launcher, add_run, step.ranges, step.n);
    case HALO_STEP_TEST: launcher.next(Kernel::test); return add_all(launcher, add_test, step.ranges, step.n);
    case HALO_STEP_COMBINE: launcher.next(Kernel::combine); return add_all(launcher, add_combination, step.combined, step.n);
    default: fail(HALO_ERR_ARGUMENT, "a step of kind %d", step.kind);
    }
}

void warn(const halo_host *services, const char *what, const char *text) {
    if (services == nullptr || services->log == nullptr) return;
    constexpr int32_t warning = 1;
    char line[sizeof(Failure::text) + 100];
    std::snprintf(line, sizeof line, "%s: %s", what, text);
    services->log(services->core, warning, line);
}

halo_status graphs_run(halo_device *device, halo_graphs *graphs, const halo_device_step *steps, int64_t n_steps, halo_stream stream, int32_t *how) {
    return within(device, [&](Device &self) {
        if (n_steps < 0) fail(HALO_ERR_ARGUMENT, "%lld steps", static_cast<long long>(n_steps));
        self.launcher.begin(Kernel::move);
        for (const halo_device_step &step : std::span(steps, static_cast<size_t>(n_steps))) add_step(self.launcher, step);
        const Graphs::Outcome outcome = self.launcher.go(graphs_of(graphs), stream);
        *how = outcome == Graphs::Outcome::replayed   ? HALO_STEPS_REPLAYED
               : outcome == Graphs::Outcome::recorded ? HALO_STEPS_RECORDED
                                                      : HALO_STEPS_LAUNCHED;
        if (const char *const refusal = graphs_of(graphs).take_refusal()) [[unlikely]]
            warn(self.services, "device " HALO_MODULE_NAME ": launches are not recorded any more", refusal);
    });
}

halo_status stream_check(halo_device *device, halo_stream stream) {
    return within(device, [&](Device &self) { self.runtime->require_usable(stream); });
}

halo_status pointer_kind(halo_device *device, const void *pointer, int32_t *kind, int32_t *ordinal) {
    return within(device, [&](Device &self) {
        const PointerKind found = self.runtime->kind_of(pointer);
        *kind = found.kind;
        *ordinal = found.ordinal;
    });
}

#ifdef HALO_RUNTIME_EXPORTS
halo_status export_memory(halo_device *device, void *pointer, halo_ipc_handle *handle) {
    return within(device, [&](Device &self) { *handle = self.runtime->exporting()->export_memory(pointer); });
}
halo_status open_memory(halo_device *device, const halo_ipc_handle *handle, void **pointer) {
    return within(device, [&](Device &self) { *pointer = self.runtime->exporting()->open_memory(*handle); });
}
void close_memory(halo_device *device, void *pointer) {
    within(device, [&](Device &self) { self.runtime->exporting()->close_memory(pointer); });
}
halo_status export_event(halo_device *device, halo_event **event, halo_ipc_handle *handle) {
    return within(device, [&](Device &self) { *event = self.runtime->exporting()->export_event(*handle); });
}
halo_status open_event(halo_device *device, const halo_ipc_handle *handle, halo_event **event) {
    return within(device, [&](Device &self) { *event = self.runtime->exporting()->open_event(*handle); });
}

constexpr halo_ipc_ops exports = { sizeof(halo_ipc_ops), export_memory, open_memory, close_memory, export_event, open_event };
constexpr const halo_ipc_ops *ipc = &exports;
#else
constexpr const halo_ipc_ops *ipc = nullptr;
#endif

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    int n = 0;
    guard(nullptr, [&] { n = count_devices(why, why_bytes); });
    return n > 0 ? 1 : 0;
}

int32_t count(const halo_host *services) {
    int n = 0;
    guard(nullptr, [&] { n = count_ordinals(services); });
    return n;
}

constexpr halo_device_ops operations = { sizeof(halo_device_ops),
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
                                         nullptr, // a test and then a run
                                         ranges_run,
                                         ranges_test,
                                         ranges_combine,
                                         pointer_kind,
                                         levels_run,
                                         graphs_create,
                                         graphs_destroy,
                                         graphs_run,
                                         stream_check };

} // namespace

} // namespace halo::accelerator

extern "C" [[gnu::visibility("default")]] const halo_device_plugin halo_device_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR,
    HALO_PLUGIN_ABI_MINOR,
    sizeof(halo_device_plugin),
    HALO_MODULE_NAME,
    "0.2.0",
    HALO_COPY_LAYOUT,
    (1U << HALO_MEMORY_DEVICE) | (1U << HALO_MEMORY_PINNED),
    halo::accelerator::query,
    &halo::accelerator::operations,
    halo::device::known_types,
    halo::accelerator::count,
    halo::accelerator::ipc,
};
