// SPDX-License-Identifier: BSD-3-Clause
// Structs by name are as their HALO_..._INIT, at callers of any version. scripts/check_headers.py compares the table with the public headers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/first_version.h"

namespace {

using halo::first_version;

struct Initial {
    const char *name;
    size_t bytes;
    size_t first_bytes;
    bool has_size;
    const void *(*value)();
};

template <class T>
concept Sized = requires(const T &value) {
    value.struct_size;
};

#define INITIAL(type, init)                                                                                                                          \
    {                                                                                                                                                \
#type, sizeof(type), first_version<type>.bytes, Sized<type>, []() -> const void * {                                                          \
            static const type value = init;                                                                                                          \
            return &value;                                                                                                                           \
        }       \
    }

constexpr Initial table[] = {
    INITIAL(halo_context_options, HALO_CONTEXT_OPTIONS_INIT),
    INITIAL(halo_bootstrap, HALO_BOOTSTRAP_INIT),
    INITIAL(halo_blocks_desc, HALO_BLOCKS_DESC_INIT),
    INITIAL(halo_boxes_desc, HALO_BOXES_DESC_INIT),
    INITIAL(halo_regions_desc, HALO_REGIONS_DESC_INIT),
    INITIAL(halo_keys_desc, HALO_KEYS_DESC_INIT),
    INITIAL(halo_keys_edit, HALO_KEYS_EDIT_INIT),
    INITIAL(halo_graph_desc, HALO_GRAPH_DESC_INIT),
    INITIAL(halo_star_desc, HALO_STAR_DESC_INIT),
    INITIAL(halo_lists_desc, HALO_LISTS_DESC_INIT),
    INITIAL(halo_keys_report, HALO_KEYS_REPORT_INIT),
    INITIAL(halo_part, HALO_PART_INIT),
    INITIAL(halo_field_desc, HALO_FIELD_DESC_INIT),
    INITIAL(halo_layout, HALO_LAYOUT_INIT),
    INITIAL(halo_layout_desc, HALO_LAYOUT_DESC_INIT),
    INITIAL(halo_binding, HALO_BINDING_INIT),
    INITIAL(halo_exchange_desc, HALO_EXCHANGE_DESC_INIT),
    INITIAL(halo_transfer_desc, HALO_TRANSFER_DESC_INIT),
    INITIAL(halo_run, HALO_RUN_INIT),
    INITIAL(halo_exchange_stats, HALO_EXCHANGE_STATS_INIT),
    INITIAL(halo_pool_stats, HALO_POOL_STATS_INIT),
    INITIAL(halo_section_sizes, HALO_SECTION_SIZES_INIT),
    INITIAL(halo_access, HALO_ACCESS_INIT),
    INITIAL(halo_access_state, HALO_ACCESS_STATE_INIT),
    INITIAL(halo_access_stats, HALO_ACCESS_STATS_INIT),
    INITIAL(halo_reduction_item, HALO_REDUCTION_ITEM_INIT),
    INITIAL(halo_channel_allocator, HALO_CHANNEL_ALLOCATOR_INIT),
    INITIAL(halo_channel_desc, HALO_CHANNEL_DESC_INIT),
    INITIAL(halo_buffer, HALO_BUFFER_INIT),
    INITIAL(halo_group_desc, HALO_GROUP_DESC_INIT),
    INITIAL(halo_leaf, HALO_LEAF_INIT),
    INITIAL(halo_tree, HALO_TREE_INIT),
    INITIAL(halo_tree_join, HALO_TREE_JOIN_INIT),
    INITIAL(halo_forest_desc, HALO_FOREST_DESC_INIT),
    INITIAL(halo_levels_desc, HALO_LEVELS_DESC_INIT),
    INITIAL(halo_mesh_set, HALO_MESH_SET_INIT),
    INITIAL(halo_mesh_map, HALO_MESH_MAP_INIT),
    INITIAL(halo_mesh_desc, HALO_MESH_DESC_INIT),
    INITIAL(halo_mesh_local, HALO_MESH_LOCAL_INIT),
    INITIAL(halo_particles_desc, HALO_PARTICLES_DESC_INIT),
    INITIAL(halo_particles_arrays, HALO_PARTICLES_ARRAYS_INIT),
    INITIAL(halo_sphere_desc, HALO_SPHERE_DESC_INIT),
    INITIAL(halo_sphere_part, HALO_SPHERE_PART_INIT),
    INITIAL(halo_cubed_sphere_desc, HALO_CUBED_SPHERE_DESC_INIT),
    INITIAL(halo_latitudes_desc, HALO_LATITUDES_DESC_INIT),
    INITIAL(halo_reduced_rows_desc, HALO_REDUCED_ROWS_DESC_INIT),
    INITIAL(halo_stencil_desc, HALO_STENCIL_DESC_INIT),
    INITIAL(halo_stencil_field_desc, HALO_STENCIL_FIELD_DESC_INIT),
    INITIAL(halo_stencil_stage_desc, HALO_STENCIL_STAGE_DESC_INIT),
    INITIAL(halo_stencil_field, HALO_STENCIL_FIELD_INIT),
    INITIAL(halo_stencil_stage, HALO_STENCIL_STAGE_INIT),
    INITIAL(halo_stencil_summary, HALO_STENCIL_SUMMARY_INIT),
};

constexpr size_t more = 16;
constexpr std::byte rubbish{ 0x5a };

// The memory of a caller whose struct has `bytes`, with something behind it.
std::vector<std::byte> filled(const char *name, size_t bytes) {
    std::vector<std::byte> memory(bytes + more, rubbish);
    EXPECT_EQ(halo_struct_init(name, memory.data(), bytes), HALO_SUCCESS) << name << " of " << bytes << " bytes: " << halo_last_error();
    return memory;
}

std::vector<std::byte> expected(const Initial &one, size_t bytes) {
    std::vector<std::byte> memory(std::max(bytes, one.bytes));
    std::memcpy(memory.data(), one.value(), one.bytes);
    if (one.has_size) std::memcpy(memory.data(), &bytes, sizeof bytes);
    memory.resize(bytes);
    memory.resize(bytes + more, rubbish);
    return memory;
}

TEST(StructInit, IsTheMacro) {
    for (const Initial &one : table) {
        const std::vector<std::byte> memory = filled(one.name, one.bytes);
        EXPECT_EQ(std::memcmp(memory.data(), one.value(), one.bytes), 0) << one.name;
    }
}

TEST(StructInit, IsAsLongAsTheCallers) {
    for (const Initial &one : table)
        for (size_t bytes = one.first_bytes; bytes <= one.bytes + more; bytes += sizeof(int32_t))
            EXPECT_EQ(filled(one.name, bytes), expected(one, bytes)) << one.name << " of " << bytes << " bytes";
}

// And what it makes is taken.
TEST(StructInit, MakesWhatTheLibraryTakes) {
    halo_context_options options;
    ASSERT_EQ(halo_struct_init("halo_context_options", &options, sizeof options), HALO_SUCCESS);
    halo_context *context = nullptr;
    ASSERT_EQ(halo_context_create(&options, &context), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

void refused(const char *name, void *memory, size_t bytes, halo_status status, const std::string &text) {
    EXPECT_EQ(halo_struct_init(name, memory, bytes), status);
    EXPECT_NE(std::string(halo_last_error()).find(text), std::string::npos) << halo_last_error();
}

TEST(StructInit, RefusesWhatItDoesNotKnow) {
    std::vector<std::byte> memory(8192, rubbish);
    const std::vector<std::byte> before = memory;
    for (const std::string name : { "", "halo_part ", "halo_box", "halo_device_ops" })
        refused(name.c_str(), memory.data(), 64, HALO_ERR_NOT_FOUND, "no struct '" + name + "'");
    refused(nullptr, memory.data(), 64, HALO_ERR_ARGUMENT, "'name'");
    refused("halo_part", nullptr, sizeof(halo_part), HALO_ERR_ARGUMENT, "'pointer'");
    refused("halo_part", memory.data(), 4097, HALO_ERR_LIMIT, "halo_part: its size 4097 exceeds 4096");
    for (const Initial &one : table)
        for (const size_t bytes : { one.first_bytes - 1, size_t{ 0 } })
            refused(one.name, memory.data(), bytes, HALO_ERR_VERSION,
                    std::string(one.name) + " of " + std::to_string(bytes) + " bytes, the smallest");
    EXPECT_EQ(memory, before);
}

} // namespace
