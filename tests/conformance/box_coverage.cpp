// SPDX-License-Identifier: BSD-3-Clause
#include "box_coverage.h"

#include <cstdio>
#include <vector>

namespace conformance {

namespace {

using Names = std::vector<std::string>;

Names product(const Names &first, const Names &second) {
    Names both;
    for (const std::string &a : first)
        for (const std::string &b : second) both.push_back(a + ", " + b);
    return both;
}

template <class Name>
Names names(int first, int n, Name &&name) {
    Names list;
    for (int i = first; i < first + n; ++i) list.push_back(name(i));
    return list;
}

const Names kinds = names(0, 3, kind_name);
const Names shares = names(0, 3, shared_name);
const Names ops = names(HALO_SUM, 5, op_name);
const Names centrings = names(0, n_centrings, centring_name);
const Names forms = names(0, n_box_forms, [](int form) { return form_name(static_cast<BoxForm>(form)); });
const Names styles = names(0, n_box_styles, [](int style) { return style_name(static_cast<BoxStyle>(style)); });
const Names dims{ "1-D", "2-D", "3-D" };
const Names stencils{ "full stencil", "faces only", "faces and edges" };
const Names policies{ "aggregated posted", "aggregated probed", "per channel posted", "per channel probed" };

int print_table(const char *title, const Names &rows, const Names &columns, const std::map<std::string, int64_t> &cells) {
    int empty = 0;
    std::printf("%-28s", title);
    for (const std::string &column : columns) std::printf(" %22s", column.c_str());
    std::printf("\n");
    for (const std::string &row : rows) {
        std::printf("  %-26s", row.c_str());
        for (const std::string &column : columns) {
            const auto cell = cells.find(row + "|" + column);
            empty += cell == cells.end();
            std::printf(" %22s", cell == cells.end() ? "EMPTY" : std::to_string(cell->second).c_str());
        }
        std::printf("\n");
    }
    return empty;
}

} // namespace

void BoxCoverage::count(const BoxCase &made, int64_t number) {
    ++cases_;
    numbers_.insert(number);
    const std::string kind = kind_name(made.desc.kind);
    const std::string shared = shared_name(made.desc.shared);
    const std::string n_dims = dims[static_cast<size_t>(made.model.n_dims - 1)];
    const std::string form = form_name(made.model.form);
    const std::string policy =
        policies[static_cast<size_t>((made.desc.messages - HALO_MESSAGES_AGGREGATE) * 2 + made.desc.receive - HALO_RECEIVE_POSTED)];
    const std::string what = kind + ", " + shared;
    for (const BoxField &field : made.fields) ++cells_[what + "|" + centring_name(field.centring)];
    ++cells_[what + "|" + stencils[static_cast<size_t>(made.desc.stencil)]];
    ++cells_[what + "|" + form];
    ++cells_[what + "|" + n_dims];
    ++cells_[kind + "|" + policy];
    if (made.desc.kind != HALO_KIND_GHOSTS) ++cells_[what + "|" + op_name(made.desc.op)];
    ++cells_[form + ", " + n_dims + "|" + policy];
    if (made.model.form == BoxForm::list || made.model.form == BoxForm::distributed)
        ++cells_[std::string(style_name(made.style)) + ", " + n_dims + "|" + kind];
}

int BoxCoverage::print() const {
    std::printf("coverage of %lld cases over boxes\n", static_cast<long long>(cases_));
    const Names whats = product(kinds, shares);
    int empty = print_table("kind, shared x centring", whats, centrings, cells_);
    empty += print_table("kind, shared x stencil", whats, stencils, cells_);
    empty += print_table("kind, shared x parts", whats, forms, cells_);
    empty += print_table("kind, shared x dimensions", whats, dims, cells_);
    empty += print_table("kind, shared x operation", product({ kinds[1], kinds[2] }, shares), ops, cells_);
    empty += print_table("parts x policy", product(forms, dims), policies, cells_);
    empty += print_table("boxes x kind", product(styles, dims), kinds, cells_);
    std::printf("%d cells are empty\n", empty);
    return empty;
}

BoxCoverage &box_coverage() {
    static BoxCoverage counted;
    return counted;
}

} // namespace conformance
