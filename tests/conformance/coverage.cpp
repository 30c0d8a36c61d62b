// SPDX-License-Identifier: BSD-3-Clause
#include "coverage.h"

#include <cstdio>
#include <vector>

namespace conformance {

namespace {

using Names = std::vector<std::string>;

const Names dims{ "1-D", "2-D", "3-D" };
const Names periods{ "open", "periodic", "mixed" };
const Names stencils{ "full", "faces", "edges" };
const Names policies{ "aggregated posted", "aggregated probed", "per channel posted", "per channel probed" };
const Names types = [] {
    Names names;
    for (halo_type type = HALO_FLOAT32; type <= HALO_BFLOAT16; ++type) names.push_back(name_of(type));
    return names;
}();

std::string policy_of(const ExchangeCase &exchange) {
    return policies[static_cast<size_t>((exchange.desc.messages - HALO_MESSAGES_AGGREGATE) * 2 + exchange.desc.receive - HALO_RECEIVE_POSTED)];
}

std::string period_of(const Grid &grid) {
    int periodic = 0;
    for (int d = 0; d < grid.n_dims; ++d) periodic += grid.periodic[d];
    return periods[periodic == 0 ? 0 : periodic == grid.n_dims ? 1 : 2];
}

int print_table(const char *title, const Names &rows, const Names &columns, const std::map<std::string, int64_t> &cells, const char *empty_reason) {
    int empty = 0;
    std::printf("%-28s", title);
    for (const std::string &column : columns) std::printf(" %18s", column.c_str());
    std::printf("\n");
    for (const std::string &row : rows) {
        std::printf("  %-26s", row.c_str());
        for (const std::string &column : columns) {
            const auto cell = cells.find(row + "|" + column);
            const bool reason = row.starts_with("1-D mixed");
            empty += cell == cells.end() && !reason;
            std::printf(" %18s", cell == cells.end() ? reason ? empty_reason : "EMPTY" : std::to_string(cell->second).c_str());
        }
        std::printf("\n");
    }
    return empty;
}

Names product(const Names &first, const Names &second) {
    Names both;
    for (const std::string &a : first)
        for (const std::string &b : second) both.push_back(a + " " + b);
    return both;
}

} // namespace

void Coverage::count(const Case &made) {
    ++cases_;
    numbers_.insert(made.seed);
    const std::string n_dims = dims[static_cast<size_t>(made.grid.n_dims - 1)];
    for (const ExchangeCase &exchange : made.exchanges) {
        const std::string policy = policy_of(exchange);
        const std::string stencil = stencils[static_cast<size_t>(exchange.desc.stencil)];
        ++cells_[n_dims + " " + period_of(made.grid) + " " + stencil + "|" + policy];
        for (const int32_t number : exchange.fields) {
            const FieldCase &field = made.fields[number];
            const std::string type = name_of(field.type);
            ++cells_[type + " " + n_dims + "|" + policy];
            ++cells_[type + "|" + layout_name(field.layout)];
            ++cells_[type + "|" + bind_name(field.bind)];
        }
        ++cells_[std::string(exchange.phases ? "phases" : "start and finish") + "|" + policy];
    }
}

int Coverage::print() const {
    Names layouts;
    for (int kind = 0; kind < n_layout_kinds; ++kind) layouts.push_back(layout_name(static_cast<LayoutKind>(kind)));
    for (int kind = 0; kind < n_bind_kinds; ++kind) layouts.push_back(bind_name(static_cast<BindKind>(kind)));
    std::printf("coverage of %lld cases\n", static_cast<long long>(cases_));
    int empty = print_table("grid, stencil x policy", product(product(dims, periods), stencils), policies, cells_, "one direction");
    empty += print_table("type, grid x policy", product(types, dims), policies, cells_, "");
    empty += print_table("type x storage", types, layouts, cells_, "");
    empty += print_table("calls x policy", { "phases", "start and finish" }, policies, cells_, "");
    std::printf("%d cells are empty\n", empty);
    return empty;
}

Coverage &coverage() {
    static Coverage counted;
    return counted;
}

} // namespace conformance
