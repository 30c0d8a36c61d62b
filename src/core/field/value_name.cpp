// SPDX-License-Identifier: BSD-3-Clause
#include "field/value_name.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/types.h"
#include "field/values.h"
#include "topology/topology.h"

namespace halo {

namespace {

std::optional<ValueAt> find_value(const Field &field, int64_t part, int64_t element) {
    std::optional<ValueAt> found;
    for_each_value(field, part, [&](const ValueAt &value) {
        if (value.element == element) found = value;
    });
    return found;
}

bool is_in(const Region &region, const Extent &point) {
    if (region.listed) return std::ranges::find(region.points, static_cast<uint32_t>(point[0])) != region.points.end();
    return has(region.box, point);
}

int64_t gid_of(const Field &field, int64_t part) { return field.topology().local_parts()[static_cast<size_t>(part)]; }

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

std::string name_point(const Field &field, int64_t part, const Extent &point) {
    const auto [x, y, z] = std::array<long long, 3>{ point[0], point[1], point[2] };
    const std::string here = field.topology().has_cells() ? format("cell (%lld, %lld, %lld)", x, y, z) : format("point %lld", x);
    const std::string in_all = field.topology().global_name(part, point);
    return here + (in_all.empty() ? "" : ", ") + in_all;
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
        if (text.empty() && edge.receive_gid == gid && is_in(edge.receive, value->point))
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
