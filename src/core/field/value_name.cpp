// SPDX-License-Identifier: BSD-3-Clause
#include "field/value_name.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/types.h"
#include "topology/topology.h"

namespace halo {

namespace {

struct Value {
    Extent point;
    int64_t place;
    int64_t component;
};

std::optional<Value> find_value(const Field &field, int64_t part, int64_t element) {
    const PartLayout &layout = field.layout(part);
    const FieldSpec &spec = field.spec();
    const Extent cells = field.topology().cells(part);
    for (int64_t place = 0; place < std::ssize(spec.places); ++place)
        for (int64_t c = 0; c < spec.n_components; ++c)
            for (int64_t z = -spec.ghosts.low[2]; z < points(cells[2], spec.places[place], 2) + spec.ghosts.high[2]; ++z)
                for (int64_t y = -spec.ghosts.low[1]; y < points(cells[1], spec.places[place], 1) + spec.ghosts.high[1]; ++y)
                    for (int64_t x = -spec.ghosts.low[0]; x < points(cells[0], spec.places[place], 0) + spec.ghosts.high[0]; ++x)
                        if (const auto at = field.element(part, { x, y, z });
                            at && *at + c * layout.component_stride + place * layout.place_stride == element)
                            return Value{ { x, y, z }, place, c };
    return std::nullopt;
}

bool has(const Region &region, const Extent &point) {
    if (region.listed) return std::ranges::find(region.points, static_cast<uint32_t>(point[0])) != region.points.end();
    bool inside = true;
    for (int d = 0; d < 3; ++d) inside = inside && point[d] >= region.box.low[d] && point[d] < region.box.high[d];
    return inside;
}

int64_t gid_of(const Field &field, int64_t part) { return field.topology().local_parts()[static_cast<size_t>(part)]; }

std::string name_point(const Field &field, int64_t part, const Extent &point) {
    if (field.topology().has_cells()) return name_cell(field, gid_of(field, part), point);
    const std::string in_all = field.topology().global_name(part, point[0]);
    return format("point %lld", static_cast<long long>(point[0])) + (in_all.empty() ? "" : ", ") + in_all;
}

std::string name_nothing(const Field &field, int64_t element) {
    return format("element %lld of its storage, which is no %s", static_cast<long long>(element), field.topology().has_cells() ? "cell" : "point");
}

template <class Number>
std::string text_of(Number number) {
    if constexpr (std::is_floating_point_v<Number>)
        return format("%.9g", static_cast<double>(number));
    else if constexpr (std::is_integral_v<Number>)
        return std::to_string(number);
    else
        return format("(%s, %s)", text_of(number.real()).c_str(), text_of(number.imag()).c_str());
}

} // namespace

std::string name_cell(const Field &field, int64_t gid, const Extent &cell) {
    std::string text =
        format("cell (%lld, %lld, %lld)", static_cast<long long>(cell[0]), static_cast<long long>(cell[1]), static_cast<long long>(cell[2]));
    if (!field.topology().boxes()) return text;
    const halo_part part = field.topology().part(gid);
    return text + format(", in all (%lld, %lld, %lld)", static_cast<long long>(part.cells.low[0] + cell[0]),
                         static_cast<long long>(part.cells.low[1] + cell[1]), static_cast<long long>(part.cells.low[2] + cell[2]));
}

std::string name_point_at(const Field &field, int64_t part, int64_t element) {
    const auto value = find_value(field, part, element);
    return value ? name_point(field, part, value->point) : name_nothing(field, element);
}

std::string name_element(const Field &field, int64_t part, int64_t element) {
    const auto value = find_value(field, part, element);
    const std::string where = format("field %s, part %lld, ", field.spec().name.c_str(), static_cast<long long>(gid_of(field, part)));
    if (!value) return where + name_nothing(field, element);
    return where + name_point(field, part, value->point) + format(", component %lld", static_cast<long long>(value->component));
}

std::string name_source(const Field &field, int64_t part, int64_t element) {
    const auto value = find_value(field, part, element);
    if (!value) return {};
    EdgeRequest request;
    request.ghosts = field.spec().ghosts;
    request.centring = field.spec().places[static_cast<size_t>(value->place)];
    std::string text;
    field.topology().edges(request, [&, gid = gid_of(field, part)](const Edge &edge) {
        if (text.empty() && edge.receive_gid == gid && has(edge.receive, value->point))
            text = format(", which part %lld on rank %d fills", static_cast<long long>(edge.send_gid), edge.send_rank);
    });
    return text;
}

bool is_value(const Field &field, int64_t part, int64_t element) { return find_value(field, part, element).has_value(); }

std::string name_value(const FieldSpec &spec, const std::byte *value) {
    std::string text;
    const bool known = with_type(spec.type, [&](auto number) {
        std::memcpy(&number, value, sizeof number);
        text = text_of(number);
    });
    for (int64_t i = 0; !known && i < std::min<int64_t>(spec.element_bytes, 8); ++i)
        text += format(i == 0 ? "bytes %02x" : " %02x", std::to_integer<unsigned>(value[i]));
    return text;
}

} // namespace halo
