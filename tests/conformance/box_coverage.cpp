// SPDX-License-Identifier: BSD-3-Clause
#include "box_coverage.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "ranks.h"

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

// Offset of an element from a part's centre, e.g. "(-1, 0, 1)".
std::string element_name(int element) { return text_of("(%d, %d, %d)", element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1); }
const Names elements = names(0, 27, element_name);

// Where the receiver's x, y and z run in the sender, e.g. "+y -x +z".
std::string rotation_name(int32_t n_dims, const int32_t *axis, const int32_t *sign) {
    std::string name = text_of("%d-D", n_dims);
    for (int d = 0; d < n_dims; ++d) name += text_of(" %c%c", sign[d] > 0 ? '+' : '-', "xyz"[axis[d]]);
    return name;
}

Names all_rotations() {
    Names all;
    for (int32_t n_dims = 1; n_dims <= 3; ++n_dims) {
        int32_t axis[] = { 0, 1, 2 };
        do
            for (int signs = 0; signs < 1 << n_dims; ++signs) {
                const int32_t sign[] = { signs & 1 ? -1 : 1, signs & 2 ? -1 : 1, signs & 4 ? -1 : 1 };
                all.push_back(rotation_name(n_dims, axis, sign));
            }
        while (std::next_permutation(axis, axis + n_dims));
    }
    return all;
}
const Names moved{ "scalars", "vectors" };

// Does a field have points in an element?
bool has_points(const BoxField &field, int element) {
    bool some = true;
    for (int d = 0; d < 3; ++d) {
        const int side = (d == 0 ? element : d == 1 ? element / 3 : element / 9) % 3;
        some = some && (side == 1 || (side == 0 ? field.ghosts.low[d] : field.ghosts.high[d]) > 0);
    }
    return some;
}

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
    const std::string &n_dims = dims[static_cast<size_t>(made.model.n_dims - 1)];
    const std::string form = form_name(made.model.form);
    const std::string &policy =
        policies[static_cast<size_t>((made.desc.messages - HALO_MESSAGES_AGGREGATE) * 2 + made.desc.receive - HALO_RECEIVE_POSTED)];
    const std::string what = kind + ", " + shared;
    for (const BoxField &field : made.fields) {
        ++cells_[what + "|" + centring_name(field.centring)];
        for (int element = 0; element < 27; ++element)
            if (has_points(field, element)) ++cells_[element_name(element) + "|" + centring_name(field.centring)];
    }
    ++cells_[what + "|" + stencils[static_cast<size_t>(made.desc.stencil)]];
    ++cells_[what + "|" + form];
    ++cells_[what + "|" + n_dims];
    ++cells_[kind + "|" + policy];
    if (made.desc.kind != HALO_KIND_GHOSTS) ++cells_[what + "|" + op_name(made.desc.op)];
    ++cells_[form + ", " + n_dims + "|" + policy];
    if (made.model.form == BoxForm::list || made.model.form == BoxForm::distributed)
        ++cells_[std::string(style_name(made.style)) + ", " + n_dims + "|" + kind];
}

void BoxCoverage::count(const halo_join &join, int32_t n_dims, int32_t kind, bool vector) {
    joins_ = true;
    ++cells_[rotation_name(n_dims, join.axis, join.sign) + "|" + kind_name(kind) + ", " + moved[vector]];
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
    empty += print_table("element x centring", elements, centrings, cells_);
    if (joins_) empty += print_table("rotation x kind", all_rotations(), product(kinds, moved), cells_);
    std::printf("level relation: same level; others do not exist: a topology has one level\n");
    std::printf("rotation x centring: cells; others are refused over joins\n");
    std::printf("memory: %s; pinned and device memory: no device of this build has it\n",
                storage_is_shared() ? "host, shared with other ranks" : "host, the caller's");
    std::printf("%d cells are empty\n", empty);
    return empty;
}

BoxCoverage &box_coverage() {
    static BoxCoverage counted;
    return counted;
}

} // namespace conformance
