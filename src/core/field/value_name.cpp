// SPDX-License-Identifier: BSD-3-Clause
#include "field/value_name.h"

#include <optional>

#include "base/error.h"
#include "topology/topology.h"

namespace halo {

std::string name_listed(const Field &field, uint32_t point) {
    if (field.is_mapped()) return format("position %u", point);
    const std::optional<uint64_t> key = field.topology().key_of(point);
    return format("point %u", point) + (key ? format(", key %llu", static_cast<unsigned long long>(*key)) : "");
}

std::string name_cell(const Field &field, int64_t gid, const Extent &cell) {
    if (!field.topology().has_cells()) return name_listed(field, static_cast<uint32_t>(cell[0]));
    std::string text =
        format("cell (%lld, %lld, %lld)", static_cast<long long>(cell[0]), static_cast<long long>(cell[1]), static_cast<long long>(cell[2]));
    if (!field.topology().boxes()) return text;
    const halo_part part = field.topology().part(gid);
    return text + format(", in all (%lld, %lld, %lld)", static_cast<long long>(part.cells.low[0] + cell[0]),
                         static_cast<long long>(part.cells.low[1] + cell[1]), static_cast<long long>(part.cells.low[2] + cell[2]));
}

std::string name_element(const Field &field, int64_t part, int64_t element) {
    const PartLayout &layout = field.layout(part);
    const FieldSpec &spec = field.spec();
    const bool has_cells = field.topology().has_cells();
    const Extent cells = has_cells ? field.topology().cells(part) : field.cells(part);
    const auto gid = static_cast<long long>(field.topology().local_parts()[part]);
    for (int64_t place = 0; place < std::ssize(spec.places); ++place)
        for (int64_t c = 0; c < spec.n_components; ++c)
            for (int64_t z = -spec.ghosts.low[2]; z < points(cells[2], spec.places[place], 2) + spec.ghosts.high[2]; ++z)
                for (int64_t y = -spec.ghosts.low[1]; y < points(cells[1], spec.places[place], 1) + spec.ghosts.high[1]; ++y)
                    for (int64_t x = -spec.ghosts.low[0]; x < points(cells[0], spec.places[place], 0) + spec.ghosts.high[0]; ++x)
                        if (const auto at = has_cells ? field.element(part, { x, y, z }) : layout.offset(x, y, z);
                            at && *at + c * layout.component_stride + place * layout.place_stride == element)
                            return format("field %s, part %lld, %s, component %lld", spec.name.c_str(), gid,
                                          name_cell(field, gid, { x, y, z }).c_str(), static_cast<long long>(c));
    return format("field %s, part %lld, element %lld of its storage, which is no cell", spec.name.c_str(), gid, static_cast<long long>(element));
}

} // namespace halo
