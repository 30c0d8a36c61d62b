// SPDX-License-Identifier: BSD-3-Clause
#include "base/terms.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/digest.h"
#include "base/error.h"

namespace halo {

namespace {

constexpr char between = '\t';

struct Term {
    std::string_view of;
    std::string_view unit;
    std::string_view value;
};

std::string_view until(std::string_view &rest, char end) {
    const std::string_view found = rest.substr(0, rest.find(end));
    rest.remove_prefix(std::min(found.size() + 1, rest.size()));
    return found;
}

std::vector<Term> read(std::string_view packed) {
    std::vector<Term> terms;
    while (!packed.empty()) {
        std::string_view line = until(packed, '\n');
        const std::string_view of = until(line, between), unit = until(line, between);
        terms.push_back({ of, unit, line });
    }
    return terms;
}

std::optional<std::string_view> value_in(const std::vector<Term> &terms, const Term &wanted) {
    const auto found = std::find_if(terms.begin(), terms.end(), [&](const Term &one) { return one.of == wanted.of && one.unit == wanted.unit; });
    return found == terms.end() ? std::nullopt : std::optional(found->value);
}

std::string printable(std::string_view text) {
    std::string shown(text);
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
    return shown;
}

} // namespace

void Terms::add(std::string_view of, std::string_view value, std::string_view unit) {
    packed_ += printable(of) + between + printable(unit) + between + printable(value) + '\n';
}

std::string Terms::packed(size_t most_bytes) const {
    if (packed_.size() <= most_bytes) return packed_;
    return packed_.substr(0, packed_.substr(0, most_bytes).rfind('\n') + 1);
}

std::vector<uint64_t> Terms::prefix_hashes() const {
    Digest digest;
    std::vector<uint64_t> hashes{ digest.low };
    for (const char c : packed_) {
        digest.add(static_cast<uint8_t>(c));
        if (c == '\n') hashes.push_back(digest.low);
    }
    return hashes;
}

Terms Terms::at(int64_t place) const {
    std::string_view rest = packed_;
    for (; place > 0 && !rest.empty(); --place) until(rest, '\n');
    return Terms(std::string(rest.substr(0, rest.find('\n') + 1)));
}

Terms Terms::about(const Terms &one) const {
    const std::string_view line = one.packed_;
    const std::string_view begin = line.substr(0, line.find(between, line.find(between) + 1) + 1); // "of" and "unit"
    for (std::string_view rest = packed_; !begin.empty() && !rest.empty(); until(rest, '\n'))
        if (rest.starts_with(begin)) return Terms(std::string(rest.substr(0, rest.find('\n') + 1)));
    return {};
}

std::string first_difference(const Terms &a, int32_t rank_a, const Terms &b, int32_t rank_b) {
    const std::vector<Term> of_a = read(a.packed()), of_b = read(b.packed());
    const auto named = [&](const Term &term) -> std::string {
        const auto at_a = value_in(of_a, term), at_b = value_in(of_b, term);
        if (at_a == at_b) return {};
        std::string text(term.of);
        text.append(": ").append(at_a.value_or("none"));
        if (!term.unit.empty()) text.append(" ").append(term.unit);
        return text.append(format(" on rank %d, ", rank_a)).append(at_b.value_or("none")).append(format(" on rank %d", rank_b));
    };
    for (const std::vector<Term> *terms : { &of_a, &of_b })
        for (const Term &term : *terms)
            if (std::string text = named(term); !text.empty()) return text;
    return {};
}

} // namespace halo
