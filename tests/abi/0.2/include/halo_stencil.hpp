/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "halo.hpp"
#include "halo_stencil.h"
namespace halo {
inline halo_stencil_access writes(std::int32_t field, std::int32_t interval = HALO_STENCIL_ALL) {
    return { field, HALO_STENCIL_WRITE, { 0, 0, 0 }, { 0, 0, 0 }, interval, 0 };
}
inline halo_stencil_access updates(std::int32_t field, std::int32_t interval = HALO_STENCIL_ALL) {
    return { field, HALO_STENCIL_UPDATE, { 0, 0, 0 }, { 0, 0, 0 }, interval, 0 };
}
inline halo_stencil_access reads(std::int32_t field, const std::int32_t (&low)[3] = { 0, 0, 0 }, const std::int32_t (&high)[3] = { 0, 0, 0 },
                                 std::int32_t interval = HALO_STENCIL_ALL) {
    return { field, HALO_STENCIL_READ, { low[0], low[1], low[2] }, { high[0], high[1], high[2] }, interval, 0 };
}
class Stencil : public Handle<halo_stencil, halo_stencil_destroy> {
public:
    explicit Stencil(const halo_stencil_desc &desc) { check(halo_stencil_create(&desc, &handle_)); }
    std::int32_t add_field(const halo_stencil_field_desc &desc) {
        std::int32_t field = 0;
        check(halo_stencil_add_field(handle_, &desc, &field));
        return field;
    }
    std::int32_t add_field(const std::string &name, bool temporary = false) {
        halo_stencil_field_desc desc = HALO_STENCIL_FIELD_DESC_INIT;
        desc.name = name.c_str();
        desc.temporary = temporary ? 1 : 0;
        return add_field(desc);
    }
    std::int32_t add_stage(const halo_stencil_stage_desc &desc) {
        std::int32_t stage = 0;
        check(halo_stencil_add_stage(handle_, &desc, &stage));
        return stage;
    }
    std::int32_t add_stage(const std::string &name, std::span<const halo_stencil_access> accesses) {
        halo_stencil_stage_desc desc = HALO_STENCIL_STAGE_DESC_INIT;
        desc.name = name.c_str();
        desc.accesses = accesses.data();
        desc.n_accesses = static_cast<std::int32_t>(accesses.size());
        return add_stage(desc);
    }
    std::int32_t add_stage(const std::string &name, std::initializer_list<halo_stencil_access> accesses) {
        return add_stage(name, std::span(accesses.begin(), accesses.size()));
    }
    void analyse() { check(halo_stencil_analyse(handle_)); }
    halo_stencil_field field(std::int32_t field) const {
        halo_stencil_field result = HALO_STENCIL_FIELD_INIT;
        check(halo_stencil_get_field(handle_, field, &result));
        return result;
    }
    halo_stencil_stage stage(std::int32_t stage) const {
        halo_stencil_stage result = HALO_STENCIL_STAGE_INIT;
        check(halo_stencil_get_stage(handle_, stage, &result));
        return result;
    }
    halo_stencil_summary summary() const {
        halo_stencil_summary summary = HALO_STENCIL_SUMMARY_INIT;
        check(halo_stencil_get_summary(handle_, &summary));
        return summary;
    }
    std::string describe() const {
        std::size_t bytes = 0;
        check(halo_stencil_describe(handle_, nullptr, 0, &bytes));
        std::string text(bytes, '\0');
        check(halo_stencil_describe(handle_, text.data(), bytes, &bytes));
        text.pop_back();
        return text;
    }
    std::vector<halo_stencil_exchange> exchanges() const { return list<halo_stencil_exchange>(halo_stencil_exchanges); }
    std::vector<halo_stencil_group> groups() const { return list<halo_stencil_group>(halo_stencil_groups); }
    std::vector<halo_stencil_loop> loops() const { return list<halo_stencil_loop>(halo_stencil_loops); }
    std::vector<std::int32_t> loop_intervals(std::int32_t stage) const { return list_of<std::int32_t>(halo_stencil_loop_intervals, stage); }
    std::vector<halo_stencil_range> stage_ranges(std::int32_t stage) const { return list_of<halo_stencil_range>(halo_stencil_stage_ranges, stage); }
    std::vector<halo_stencil_range> exchange_ranges(std::int32_t exchange) const {
        return list_of<halo_stencil_range>(halo_stencil_exchange_ranges, exchange);
    }
    std::int64_t level_index(std::int32_t splitter, std::int32_t offset) const {
        const halo_stencil_level level{ splitter, offset };
        std::int64_t index = 0;
        check(halo_stencil_level_index(handle_, &level, &index));
        return index;
    }
    halo_field_desc field_desc(std::int32_t field) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        check(halo_stencil_fill_field_desc(handle_, field, &desc));
        return desc;
    }
    halo_layout_desc layout_desc(std::int32_t alignment = 64) const {
        halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
        desc.alignment = alignment;
        check(halo_stencil_fill_layout_desc(handle_, &desc));
        return desc;
    }
    Exchange exchange(std::int32_t group, std::span<halo_field *const> fields, const halo_exchange_desc *desc = nullptr) const {
        halo_exchange *exchange = nullptr;
        check(halo_stencil_create_exchange(handle_, group, fields.data(), static_cast<std::int32_t>(fields.size()), desc, &exchange));
        return Exchange::adopt(exchange);
    }
    Topology topology(std::int32_t exchange, const Context &context, const halo_blocks_desc &blocks) const {
        halo_topology *topology = nullptr;
        check(halo_stencil_create_topology(handle_, exchange, context, &blocks, &topology));
        return Topology::adopt(topology);
    }
private:
    template <class T, class Call, class... Which>
    std::vector<T> list_with(const Call &call, Which... which) const {
        std::int64_t n = 0;
        check(call(handle_, which..., static_cast<T *>(nullptr), 0, &n));
        std::vector<T> all(static_cast<std::size_t>(n));
        check(call(handle_, which..., all.data(), n, &n));
        return all;
    }
    template <class T, class Call>
    std::vector<T> list(const Call &call) const {
        return list_with<T>(call);
    }
    template <class T, class Call>
    std::vector<T> list_of(const Call &call, std::int32_t which) const {
        return list_with<T>(call, which);
    }
};
}
