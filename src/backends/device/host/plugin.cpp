// SPDX-License-Identifier: BSD-3-Clause
// The operations table.
#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../level.h"
#include "../program.h"
#include "../value.h"
#include "fill.h"
#include "host.h"
#include "level_operators.h"
#include "table.h"

namespace {

using halo::host::Accumulate;
using halo::host::Table;

constexpr size_t alignment = 64;
constexpr size_t huge_page = size_t{ 2 } << 20;

struct Host {
    const halo_host *services;
    int n_threads;
};

Host &host_of(halo_device *device) { return *reinterpret_cast<Host *>(device); }
Table &table_of(halo_copy_table *table) { return *reinterpret_cast<Table *>(table); }

[[gnu::format(printf, 3, 4), gnu::cold]] halo_status report(const halo_host *services, halo_status status, const char *pattern, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    if (services != nullptr && services->report != nullptr) services->report(services->core, text);
    return status;
}

halo_status report(halo_device *device, const char *text) { return report(host_of(device).services, HALO_ERR_ARGUMENT, "%s", text); }

int threads_wanted(const halo_host *services) {
    const char *text = services != nullptr && services->setting != nullptr ? services->setting(services->core, "host.threads") : nullptr;
    const long n = text != nullptr ? std::strtol(text, nullptr, 10) : 1;
    if (n <= 1) return 1;
#ifdef _OPENMP
    return static_cast<int>(n < 1024 ? n : 1024);
#else
    if (services->log != nullptr) services->log(services->core, 1, "host.threads is more than 1, but this build has no OpenMP: one thread copies");
    return 1;
#endif
}

halo_status open(const halo_host *services, int32_t ordinal, halo_device **device) {
    if (ordinal != 0) return report(services, HALO_ERR_ARGUMENT, "the host is device 0, there is no %d", ordinal);
    try {
        *device = reinterpret_cast<halo_device *>(new Host{ services, threads_wanted(services) });
        return HALO_SUCCESS;
    } catch (const std::bad_alloc &) {
        return report(services, HALO_ERR_MEMORY, "no memory for the host device");
    }
}

void close(halo_device *device) { delete &host_of(device); }

// Large blocks lie on huge pages where the system has them: fewer translations in the copies, and in a transport that reads another
// process's memory page by page.
void *allocate_pages(size_t bytes) {
    const bool large = bytes >= huge_page / 4;
    const size_t boundary = large ? huge_page : alignment;
    if (bytes > SIZE_MAX - boundary) return nullptr;
    const size_t whole = (bytes / boundary + 1) * boundary;
    void *const found = std::aligned_alloc(boundary, whole);
#ifdef MADV_HUGEPAGE
    if (large && found != nullptr) madvise(found, whole, MADV_HUGEPAGE); // a part of a huge page would get small ones
#endif
    return found;
}

halo_status allocate(halo_device *device, int32_t memory, size_t bytes, void **pointer) {
    const halo_host *services = host_of(device).services;
    if (memory != HALO_MEMORY_HOST && memory != HALO_MEMORY_PINNED)
        return report(services, HALO_ERR_ARGUMENT, "the host has no memory of kind %d", memory);
    void *const found = allocate_pages(bytes);
    if (found == nullptr) return report(services, HALO_ERR_MEMORY, "no memory for %zu bytes", bytes);
    *pointer = found;
    return HALO_SUCCESS;
}

void release(halo_device *, int32_t, void *pointer, size_t) { std::free(pointer); }

halo_status copy(halo_device *, void *dst, const void *src, size_t bytes, halo_stream) {
    if (bytes > 0) std::memcpy(dst, src, bytes);
    return HALO_SUCCESS;
}

halo_status fill(halo_device *device, void *dst, const void *value, size_t element_bytes, int64_t n, halo_stream) {
    if (element_bytes < 1 || element_bytes > 16 || n < 0)
        return report(host_of(device).services, HALO_ERR_ARGUMENT, "a fill of %lld values of %zu bytes: values have 1 to 16",
                      static_cast<long long>(n), element_bytes);
    halo::host::fill(static_cast<char *>(dst), value, element_bytes, n);
    return HALO_SUCCESS;
}

// All work is done when a call returns, so an event has nothing to remember: it only must not be null.
halo_status event_create(halo_device *device, halo_event **event) {
    *event = reinterpret_cast<halo_event *>(device);
    return HALO_SUCCESS;
}

void event_destroy(halo_device *, halo_event *) {}
halo_status event_record(halo_device *, halo_event *, halo_stream) { return HALO_SUCCESS; }
halo_status event_wait(halo_device *, halo_event *, halo_stream) { return HALO_SUCCESS; }

halo_status event_query(halo_device *, halo_event *, int32_t *done) {
    *done = 1;
    return HALO_SUCCESS;
}

halo_status check_rows(halo_device *device, const halo_copy_row *rows, int64_t n, const halo_copy_shape *shapes, int64_t n_shapes,
                       int64_t n_indices) {
    char text[160];
    return halo::device::rows_are_right(rows, n, shapes, n_shapes, n_indices, text, sizeof text) ? HALO_SUCCESS : report(device, text);
}

halo_status table_create(halo_device *device, const halo_copy_program *program, halo_copy_table **table) {
    const halo_host *services = host_of(device).services;
    for (int64_t i = 0; i < program->n_shapes; ++i)
        if (const char *problem = halo::device::problem_of(program->shapes[i]))
            return report(services, HALO_ERR_ARGUMENT, "shape %lld of a table: %s", static_cast<long long>(i), problem);
    if (const halo_status status = check_rows(device, program->rows, program->n_rows, program->shapes, program->n_shapes, program->n_indices))
        return status;
    try {
        *table = reinterpret_cast<halo_copy_table *>(new Table(*program));
        return HALO_SUCCESS;
    } catch (const std::bad_alloc &) {
        return report(services, HALO_ERR_MEMORY, "no memory for a table of %lld rows", static_cast<long long>(program->n_rows));
    }
}

void table_destroy(halo_device *, halo_copy_table *table) { delete &table_of(table); }

halo_status check_range(halo_device *device, const Table &table, int64_t first, int64_t n) {
    if (first >= 0 && n >= 0 && first <= table.n_rows() - n) return HALO_SUCCESS;
    return report(host_of(device).services, HALO_ERR_ARGUMENT, "rows %lld + %lld of a table of %lld", static_cast<long long>(first),
                  static_cast<long long>(n), static_cast<long long>(table.n_rows()));
}

halo_status check_run(halo_device *device, const Table &table, int64_t first, int64_t n, int64_t n_bases) {
    if (const halo_status status = check_range(device, table, first, n)) return status;
    const int64_t row = table.row_beyond_bases(first, n, n_bases);
    if (row < 0) return HALO_SUCCESS;
    return report(host_of(device).services, HALO_ERR_ARGUMENT, "row %lld of a table names a base beyond the %lld given", static_cast<long long>(row),
                  static_cast<long long>(n_bases));
}

halo_status table_patch(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, const halo_copy_row *rows) {
    Table &mine = table_of(table);
    if (const halo_status status = check_range(device, mine, first, n)) return status;
    const std::vector<halo_copy_shape> &shapes = mine.shapes();
    if (const halo_status status = check_rows(device, rows, n, shapes.data(), static_cast<int64_t>(shapes.size()), mine.n_indices())) return status;
    mine.patch(first, n, rows);
    return HALO_SUCCESS;
}

halo_status table_run(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op,
                      halo_type type, halo_stream) {
    const Table &mine = table_of(table);
    if (const halo_status status = check_run(device, mine, first, n, n_bases)) return status;
    if (op == HALO_COPY_MOVE) {
        mine.move(first, n, bases, host_of(device).n_threads);
        return HALO_SUCCESS;
    }
    const Accumulate function = halo::host::accumulate_of(op, type);
    if (function == nullptr) return report(host_of(device).services, HALO_ERR_ARGUMENT, "op %d does not combine values of type %d", op, type);
    if (!mine.divides_into(first, n, halo::device::value_bytes(type)))
        return report(device, "a table's elements are no whole number of the values to combine");
    mine.accumulate(first, n, bases, function);
    return HALO_SUCCESS;
}

halo_status check_test(halo_device *device, const Table &table, int64_t first, int64_t n, const halo_null_test &test) {
    const size_t bytes = halo::device::value_bytes(test.type);
    if (bytes == 0) return report(host_of(device).services, HALO_ERR_ARGUMENT, "a null test of type %d, which is none", test.type);
    return table.divides_into(first, n, bytes) ? HALO_SUCCESS : report(device, "a table's elements are no whole number of the values to test");
}

halo_status table_test(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                       const halo_null_test *test, uint8_t *non_null, halo_stream) {
    const Table &mine = table_of(table);
    if (const halo_status status = check_run(device, mine, first, n, n_bases)) return status;
    if (const halo_status status = check_test(device, mine, first, n, *test)) return status;
    mine.test(first, n, bases, halo::host::null_test_of(test->type), halo::device::null_range(*test), non_null);
    return HALO_SUCCESS;
}

halo_status table_run_tested(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                             const halo_null_test *test, uint8_t *non_null, halo_stream) {
    const Table &mine = table_of(table);
    if (const halo_status status = check_run(device, mine, first, n, n_bases)) return status;
    if (const halo_status status = check_test(device, mine, first, n, *test)) return status;
    mine.move_tested(first, n, bases, halo::host::null_test_of(test->type), halo::device::null_range(*test), non_null);
    return HALO_SUCCESS;
}

halo_status levels_run(halo_device *device, const halo_level_operation *operations, int64_t n, halo_stream) {
    if (n < 0) return report(host_of(device).services, HALO_ERR_ARGUMENT, "%lld operations", static_cast<long long>(n));
    for (int64_t i = 0; i < n; ++i)
        if (const char *problem = halo::device::problem_of(operations[i]))
            return report(host_of(device).services, HALO_ERR_ARGUMENT, "operation %lld between levels: %s", static_cast<long long>(i), problem);
    for (int64_t i = 0; i < n; ++i) halo::host::run_level_operation(operations[i]);
    return HALO_SUCCESS;
}

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    std::snprintf(why, why_bytes, "memory of the process");
    return 1;
}

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
                                  nullptr, // all it has is the host's memory
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  levels_run,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr };

} // namespace

const halo_device_plugin halo_device_host = { HALO_PLUGIN_ABI_MAJOR,
                                              HALO_PLUGIN_ABI_MINOR,
                                              sizeof(halo_device_plugin),
                                              "host",
                                              "0.2.0",
                                              HALO_COPY_LAYOUT,
                                              (1U << HALO_MEMORY_HOST) | (1U << HALO_MEMORY_PINNED),
                                              query,
                                              &ops,
                                              halo::device::known_types,
                                              nullptr,
                                              nullptr };
