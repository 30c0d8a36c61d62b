// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.h"

#include <optional>
#include <vector>

#include "comm/collective.h"
#include "comm/collective_stream.h"

namespace halo {

namespace {

bool alike(Context &context, uint64_t hash) {
    const auto value = static_cast<int64_t>(hash >> 1);
    const int64_t least_and_most[2] = { value, -value };
    int64_t found[2];
    allreduce(context, least_and_most, found, 2, HALO_INT64, HALO_MIN);
    return found[0] == -found[1];
}

// The first place at which the ranks' terms differ; behind all of them: none.
int64_t first_that_differs(Context &context, const Terms &terms) {
    const std::vector<uint64_t> prefixes = terms.prefix_hashes();
    const auto begin_alike = [&](int64_t n) { return alike(context, n < std::ssize(prefixes) ? prefixes[static_cast<size_t>(n)] : UINT64_MAX); };
    int64_t first = 0, end = allreduce_max(context, std::ssize(prefixes) - 1);
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (begin_alike(middle + 1))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// How the lowest rank that has something else about it than the teller differs from him; empty: none does.
std::string difference_from(Context &context, int32_t teller, const Terms &told, const Terms &terms) {
    const Terms theirs(broadcast_text(context, teller, told.packed()));
    const Terms mine = terms.about(theirs);
    const int64_t other = allreduce_min(context, mine.packed() == theirs.packed() ? context.size() : context.rank());
    if (other == context.size()) return {};
    const auto rank = static_cast<int32_t>(other);
    return first_difference(theirs, teller, Terms(broadcast_text(context, rank, mine.packed())), rank);
}

// Of those that differ from rank 0 the lowest is named, by all ranks. What rank 0 has in another place than they, or not at all, they tell.
[[noreturn]] void name_difference(Context &context, const char *what, const Terms &terms) {
    const Terms mine = terms.at(first_that_differs(context, terms));
    std::string text = difference_from(context, 0, mine, terms);
    if (text.empty()) {
        const bool other = broadcast_text(context, 0, mine.packed()) != mine.packed();
        const int64_t teller = allreduce_min(context, other ? context.rank() : context.size() - 1);
        text = difference_from(context, static_cast<int32_t>(teller), mine, terms);
    }
    fail(HALO_ERR_MISMATCH, "%s must agree on all ranks: %s", what, text.empty() ? "the order" : text.c_str());
}

} // namespace

void agree_on(Context &context, const char *what, const std::function<uint64_t()> &describe, const std::function<Terms()> &terms) {
    CollectiveStream &collectives = context.collectives();
    int64_t mine = 0;
    if (!collectives.refusal()) try {
            mine = static_cast<int64_t>(describe() >> 1);
        } catch (...) {
            if (collectives.repeats(CollectiveKind::allreduce)) throw; // others may know what the attempt before has brought
            collectives.refuse(present_error());
        }
    std::optional<Error> wrong;
    if (const Error *refusal = collectives.refusal()) wrong = *refusal;
    int64_t most[3] = { wrong ? INT64_MIN : mine, wrong ? INT64_MIN : -mine, wrong ? context.rank() : -1 };
    allreduce(context, most, most, 3, HALO_INT64, HALO_MAX);
    if (most[2] >= 0)
        fail_together(context, static_cast<int32_t>(most[2]), wrong, HALO_ERR_PEER,
                      format("%s: rank %lld has refused its description", what, static_cast<long long>(most[2])));
    if (most[0] != -most[1]) name_difference(context, what, terms());
}

void agree(Context &context, const char *what, const Terms &terms) {
    agree_on(
        context, what, [&] { return terms.hash(); }, [&] { return terms; });
}

void together(Context &context, const char *what, const std::function<void()> &work) {
    const auto nothing = [&] {
        work();
        return uint64_t{ 0 };
    };
    agree_on(context, what, nothing, [] { return Terms(); });
}

} // namespace halo
