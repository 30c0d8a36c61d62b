// SPDX-License-Identifier: BSD-3-Clause
// Modules of every minor version of the plugin interface are taken, and what theirs lacks is not used.
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/first_version.h"
#include "comm/device.h"
#include "comm/transport.h"
#include "expect_failure.h"
#include "plugin/inproc_group.h"
#include "plugin/registry.h"
#include "plugin/selection.h"

extern "C" const halo_device_plugin halo_device_host;
extern "C" const halo_transport_plugin halo_transport_inproc;

namespace halo {
namespace {

constexpr uint32_t n_minors = HALO_PLUGIN_ABI_MINOR + 1;
// Bytes that modules of each minor version were built with.
constexpr size_t transport_bytes[] = { 48, 48, 48, 48, 48, 56, 56, 56, 56, 56, 56, 56, 56 };
constexpr size_t transport_ops_bytes[] = { 96, 104, 112, 120, 120, 120, 120, 120, 120, 120, 152, 160, 168 };
constexpr size_t device_bytes[] = { 56, 56, 56, 56, 56, 56, 64, 64, 64, 72, 80, 80, 80 };
constexpr size_t device_ops_bytes[] = { 144, 144, 144, 144, 160, 160, 160, 160, 168, 176, 216, 216, 216 };
constexpr uint32_t first_with_bootstraps = 7;
constexpr size_t bootstrap_bytes[] = { 48, 48, 48, 48, 48, 48 };
constexpr size_t bootstrap_ops_bytes[] = { 48, 48, 48, 48, 48, 48 };
static_assert(std::size(transport_bytes) == n_minors && std::size(transport_ops_bytes) == n_minors);
static_assert(std::size(device_bytes) == n_minors && std::size(device_ops_bytes) == n_minors);
static_assert(std::size(bootstrap_bytes) == n_minors - first_with_bootstraps && std::size(bootstrap_ops_bytes) == n_minors - first_with_bootstraps);
static_assert(bootstrap_bytes[n_minors - 1 - first_with_bootstraps] == sizeof(halo_bootstrap_plugin));
static_assert(bootstrap_ops_bytes[n_minors - 1 - first_with_bootstraps] == sizeof(halo_bootstrap_ops));
static_assert(transport_bytes[n_minors - 1] == sizeof(halo_transport_plugin) && transport_ops_bytes[n_minors - 1] == sizeof(halo_transport_ops));
static_assert(device_bytes[n_minors - 1] == sizeof(halo_device_plugin) && device_ops_bytes[n_minors - 1] == sizeof(halo_device_ops));

// A struct of `bytes`, with something else's memory behind it: all bits set, so that an entry read there is no NULL, and leads nowhere.
template <class Struct>
Struct cut(Struct value, size_t bytes) {
    value.struct_size = bytes;
    if (bytes < sizeof value) std::memset(reinterpret_cast<char *>(&value) + bytes, 0xff, sizeof value - bytes);
    return value;
}

struct OlderTransport {
    halo_transport_ops ops;
    halo_transport_plugin plugin;

    explicit OlderTransport(uint32_t minor)
        : ops(cut(full(), transport_ops_bytes[minor])),
          plugin(cut(halo_transport_inproc, transport_bytes[minor])) {
        plugin.abi_minor = minor;
        plugin.ops = &ops;
    }
    // With all that may be NULL, and answers that differ from those of what is missing.
    static halo_transport_ops full() {
        halo_transport_ops ops = *halo_transport_inproc.ops;
        ops.threads = [](const halo_transport *) -> int32_t { return HALO_THREADS_OPENER; };
        ops.ends_all_when_closed = [](const halo_transport *) -> int32_t { return 1; };
        ops.reaches = [](const halo_transport *, int32_t) -> int32_t { return 0; };
        ops.describe = [](const halo_transport *, char *text, size_t bytes) { std::snprintf(text, bytes, "in its own way"); };
        ops.neighbourhood_create = [](halo_transport *, const halo_neighbour_message *, int32_t, const halo_neighbour_message *, int32_t,
                                      halo_neighbourhood **) { return HALO_ERR_TRANSPORT; };
        ops.neighbourhood_destroy = [](halo_transport *, halo_neighbourhood *) {};
        ops.neighbourhood_start = [](halo_transport *, halo_neighbourhood *, const void *const *, void *const *, halo_request *) {
            return HALO_ERR_TRANSPORT;
        };
        ops.sends_by_calls = [](const halo_transport *, int32_t) -> int32_t { return 1; };
        ops.takes_device_memory = [](const halo_transport *, int32_t, const char *, char *, size_t) -> int32_t { return 1; };
        return ops;
    }
    std::string problem() const { return problem_of(plugin, "inproc"); }
};

struct OlderDevice {
    halo_device_ops ops;
    halo_device_plugin plugin;

    halo_ipc_ops ipc;

    explicit OlderDevice(uint32_t minor)
        : ops(cut(full(), device_ops_bytes[minor])),
          plugin(cut(described(&ipc), device_bytes[minor])),
          ipc(full_ipc()) {
        plugin.abi_minor = minor;
        plugin.ops = &ops;
    }
    static halo_device_ops full() {
        halo_device_ops ops = *halo_device_host.ops;
        ops.ranges_run = ops.ranges_test = [](halo_device *, const halo_copy_range *, int64_t, halo_stream) { return HALO_ERR_DEVICE; };
        ops.ranges_combine = [](halo_device *, const halo_combine_range *, int64_t, halo_stream) { return HALO_ERR_DEVICE; };
        ops.pointer_kind = [](halo_device *, const void *, int32_t *kind, int32_t *) { return *kind = HALO_POINTER_BOTH, HALO_SUCCESS; };
        ops.graphs_create = [](halo_device *, halo_graphs **) { return HALO_ERR_STATE; };
        ops.graphs_destroy = [](halo_device *, halo_graphs *) {};
        ops.graphs_run = [](halo_device *, halo_graphs *, const halo_device_step *, int64_t, halo_stream, int32_t *) { return HALO_ERR_DEVICE; };
        ops.stream_check = [](halo_device *, halo_stream) { return HALO_ERR_STATE; };
        return ops;
    }
    static halo_device_plugin described(const halo_ipc_ops *ipc) {
        halo_device_plugin plugin = halo_device_host;
        plugin.ipc = ipc;
        return plugin;
    }
    static halo_ipc_ops full_ipc() {
        halo_ipc_ops ipc{};
        ipc.struct_size = sizeof ipc;
        ipc.export_memory = [](halo_device *, void *, halo_ipc_handle *) { return HALO_ERR_DEVICE; };
        ipc.open_memory = [](halo_device *, const halo_ipc_handle *, void **) { return HALO_ERR_DEVICE; };
        ipc.close_memory = [](halo_device *, void *) {};
        ipc.export_event = [](halo_device *, halo_event **, halo_ipc_handle *) { return HALO_ERR_DEVICE; };
        ipc.open_event = [](halo_device *, const halo_ipc_handle *, halo_event **) { return HALO_ERR_DEVICE; };
        return ipc;
    }
    std::string problem() const { return problem_of(plugin, "host"); }
};

// One process that is a rank of one.
struct OlderBootstrap {
    halo_bootstrap_ops ops;
    halo_bootstrap_plugin plugin;

    explicit OlderBootstrap(uint32_t minor)
        : ops(cut(full(), bootstrap_ops_bytes[minor - first_with_bootstraps])),
          plugin(cut(described(), bootstrap_bytes[minor - first_with_bootstraps])) {
        plugin.abi_minor = minor;
        plugin.ops = &ops;
    }
    static halo_bootstrap_ops full() {
        halo_bootstrap_ops ops{};
        ops.open = [](const halo_host *, halo_ranks **) { return HALO_SUCCESS; };
        ops.close = [](halo_ranks *) {};
        ops.identify = [](const halo_ranks *, int32_t *rank, int32_t *n_ranks) { *rank = 0, *n_ranks = 1; };
        ops.start = [](halo_ranks *, const void *, size_t) { return HALO_SUCCESS; };
        ops.test = [](halo_ranks *, void *, int32_t *done) { return *done = 1, HALO_SUCCESS; };
        return ops;
    }
    static halo_bootstrap_plugin described() {
        const auto query = [](const halo_host *, char *, size_t) -> int32_t { return 1; };
        return { HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_bootstrap_plugin), "one", "1", query, nullptr };
    }
    std::string problem() const { return problem_of(plugin, "one"); }
};

halo_host services() {
    halo_host host{};
    host.struct_size = sizeof host;
    host.report = [](void *, const char *) {};
    return host;
}

template <class Older>
void expect_all_taken(uint32_t first = 0) {
    for (uint32_t minor = first; minor < n_minors; ++minor) EXPECT_EQ(Older(minor).problem(), "") << minor;
    Older newer(n_minors - 1);
    newer.plugin.abi_minor = 99;
    newer.plugin.struct_size += 64;
    newer.ops.struct_size += 64;
    EXPECT_EQ(newer.problem(), "");
}

TEST(ModuleVersions, TransportsAreTaken) { expect_all_taken<OlderTransport>(); }
TEST(ModuleVersions, DevicesAreTaken) { expect_all_taken<OlderDevice>(); }
TEST(ModuleVersions, BootstrapsAreTaken) { expect_all_taken<OlderBootstrap>(first_with_bootstraps); }

TEST(ModuleVersions, LessThanTheFirstIsRefused) {
    OlderTransport transport(0);
    transport.ops.struct_size -= 1;
    EXPECT_EQ(transport.problem(), "its operations have 95 bytes, at least 96 are needed");
    transport.plugin.struct_size -= 1;
    EXPECT_EQ(transport.problem(), "its description has 47 bytes, at least 48 are needed");
    OlderDevice device(0);
    device.ops.struct_size -= 1;
    EXPECT_EQ(device.problem(), "its operations have 143 bytes, at least 144 are needed");
    device.plugin.struct_size -= 1;
    EXPECT_EQ(device.problem(), "its description has 55 bytes, at least 56 are needed");
    OlderDevice exporting(n_minors - 1);
    exporting.ipc.open_event = nullptr;
    EXPECT_EQ(exporting.problem(), "what it offers other ranks: operation 5 of 5 is NULL");
    exporting.ipc.struct_size -= 1;
    EXPECT_EQ(exporting.problem(), "what it offers other ranks: its operations have 47 bytes, at least 48 are needed");
    OlderBootstrap bootstrap(first_with_bootstraps);
    bootstrap.ops.test = nullptr;
    EXPECT_EQ(bootstrap.problem(), "operation 5 of 5 is NULL");
    bootstrap.ops.struct_size -= 1;
    EXPECT_EQ(bootstrap.problem(), "its operations have 47 bytes, at least 48 are needed");
    bootstrap.plugin.struct_size -= 1;
    EXPECT_EQ(bootstrap.problem(), "its description has 47 bytes, at least 48 are needed");
}

// The two ranks of a group, both over the same module.
struct TwoEnds {
    halo_inproc *group = create_inproc_group(2);
    halo_host host = services();
    std::string report;
    std::unique_ptr<Transport> ends[2];

    explicit TwoEnds(const halo_transport_plugin &plugin) {
        for (int32_t rank : { 0, 1 }) {
            halo_transport_params params{};
            params.struct_size = sizeof params;
            params.group = group;
            params.rank = rank;
            ends[rank] = std::make_unique<Transport>(plugin, host, params, report);
        }
    }
    ~TwoEnds() {
        for (auto &end : ends) end.reset();
        destroy_inproc_group(group);
    }
    TwoEnds(const TwoEnds &) = delete;
    TwoEnds &operator=(const TwoEnds &) = delete;
};

int64_t sent_and_received(TwoEnds &two, int64_t value) {
    int64_t got = 0;
    halo_request sends{}, receives{};
    two.ends[1]->receive(0, 0, 20, &got, sizeof got, receives);
    two.ends[0]->send(1, 0, 20, &value, sizeof value, sends);
    bool sent = false, received = false;
    for (int turn = 0; turn < 100 && !(sent && received); ++turn) {
        sent = sent || two.ends[0]->test(sends, 1);
        received = received || two.ends[1]->test(receives, 0);
    }
    return got;
}

TEST(ModuleVersions, TransportsWorkWithoutWhatTheyLack) {
    for (uint32_t minor = 0; minor < n_minors; ++minor) {
        const OlderTransport older(minor);
        TwoEnds two(older.plugin);
        const Transport &end = *two.ends[0];
        EXPECT_EQ(end.for_this_thread_only(), minor >= 1) << minor;
        EXPECT_EQ(end.ends_all_when_closed(), minor >= 2) << minor;
        EXPECT_EQ(end.reaches(1), minor < 3) << minor;
        EXPECT_EQ(end.describe(), minor >= 10 ? "in its own way" : "") << minor;
        EXPECT_EQ(end.has_neighbourhoods(), minor >= 10) << minor;
        EXPECT_EQ(end.sends_by_calls(1), minor >= 11) << minor;
        std::string why;
        EXPECT_EQ(end.takes_memory_of("cuda", 1, why), minor >= 12) << minor;
        EXPECT_EQ(sent_and_received(two, 100 + minor), 100 + minor);
    }
}

// Behind its description, and behind its table, lies what it would be if it had more.
TEST(ModuleVersions, AModuleOfTheFirstOpensOverNoBootstrap) {
    const std::vector<std::string> modules = { HALO_TEST_MODULES };
    const Plugin first = Registry::instance().find(PluginKind::transport, "first", modules);
    ASSERT_TRUE(first.transport) << first.problem;
    EXPECT_EQ(first.transport->abi_minor, 0u);
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.n_ranks = 2;
    const Assignment assignments[] = { { "transport", "first", "call", "transport" }, { "plugin_path", HALO_TEST_MODULES, "call", "plugin_path" } };
    const halo_host host = services();
    expect_failure(HALO_ERR_PLUGIN, { "transport = first", "needs more to open than a bootstrap" },
                   [&] { choose_transport_over(bootstrap, Config(assignments), host); });
}

TEST(ModuleVersions, DevicesWorkWithoutWhatTheyLack) {
    const halo_host host = services();
    const std::string report;
    for (uint32_t minor = 0; minor < n_minors; ++minor) {
        const OlderDevice older(minor);
        const Device device(older.plugin, host, 0, report);
        EXPECT_EQ(device.ops().ranges_run != nullptr, minor >= 4) << minor;
        EXPECT_EQ(device.ops().ranges_test != nullptr, minor >= 4) << minor;
        EXPECT_EQ(device.ops().ranges_combine != nullptr, minor >= 8) << minor;
        EXPECT_EQ(device.ops().levels_run != nullptr, minor >= 10) << minor;
        EXPECT_EQ(device.ipc() != nullptr, minor >= 10) << minor;
        EXPECT_EQ(device.kind_of(&report).kind, minor >= 9 ? HALO_POINTER_BOTH : HALO_POINTER_UNKNOWN) << minor;
        EXPECT_EQ(device.ops().graphs_run != nullptr, minor >= 10) << minor;
        EXPECT_EQ(device.ops().stream_check != nullptr, minor >= 10) << minor;
        for (halo_type type = HALO_FLOAT32; type <= HALO_BFLOAT16; ++type) EXPECT_EQ(device.knows(type), minor >= 6 || type <= HALO_BYTES) << type;
        halo_copy_shape shape{};
        shape.n_pieces = 1, shape.element_bytes = 8, shape.run[0] = 4, shape.dst_step = shape.src_step[0] = 8;
        shape.n[0] = shape.n[1] = shape.n[2] = 1;
        halo_copy_row row{};
        row.src_base[0] = 1;
        const halo_copy_program program = { sizeof program, &shape, 1, &row, 1, nullptr, 0 };
        const CopyTable table(device, program);
        std::array<double, 4> to{};
        std::array<double, 4> from = { 1, 2, 3, static_cast<double>(minor) };
        void *const bases[] = { to.data(), from.data() };
        table.run(0, 1, bases, HALO_STREAM_NONE);
        EXPECT_EQ(to, from);
    }
}

// A sign is changed by who knows the type alone.
TEST(ModuleVersions, DevicesOfBeforeTypesNegateTheFirstOnes) {
    const halo_host host = services();
    const std::string report;
    for (uint32_t minor = 0; minor < n_minors; ++minor) {
        const OlderDevice older(minor);
        const Device device(older.plugin, host, 0, report);
        halo_copy_shape shape{};
        shape.n_pieces = 1, shape.element_bytes = 8, shape.run[0] = 4, shape.dst_step = shape.src_step[0] = 8;
        shape.n[0] = shape.n[1] = shape.n[2] = 1;
        halo_copy_row row{};
        const halo_copy_program program = { sizeof program, &shape, 1, &row, 1, nullptr, 0 };
        shape.negate = HALO_FLOAT64;
        EXPECT_EQ(CopyTable(device, program).rows(), 1);
        shape.negate = HALO_INT8;
        if (minor >= 6)
            EXPECT_EQ(CopyTable(device, program).rows(), 1);
        else
            expect_failure(HALO_ERR_DEVICE, { "device host", "does not know values of int8", "sign" },
                           [&] { const CopyTable table(device, program); });
    }
}

// Memory that the host cannot touch came with what packs it.
TEST(ModuleVersions, DevicesOfBeforeRangesHaveNoMemoryOfTheirOwn) {
    for (uint32_t minor = 0; minor < n_minors; ++minor) {
        OlderDevice older(minor);
        older.plugin.memory_kinds |= 1u << HALO_MEMORY_DEVICE;
        const std::string problem =
            minor >= 4 ? "" : "it has memory of its own, which needs ranges_run and ranges_test (plugin ABI 1.4); it lacks that";
        EXPECT_EQ(older.problem(), problem) << minor;
    }
}

} // namespace
} // namespace halo
