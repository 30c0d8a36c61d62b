// SPDX-License-Identifier: BSD-3-Clause
#include "parts.h"

#include <algorithm>

namespace analysis {

namespace {

Box domain_of(const Box &part) {
    Box domain = part;
    for (int &n : domain.high) n *= n > 1 ? n_parts_per_direction : 1;
    return domain;
}

Place wrapped(Place p, const Box &domain) {
    for (size_t d = 0; d < 3; ++d) p[d] = (p[d] % domain.high[d] + domain.high[d]) % domain.high[d];
    return p;
}

size_t number(const Place &p, const Box &box) {
    size_t place = 0;
    for (size_t d = 3; d-- > 0;) place = place * static_cast<size_t>(box.high[d] - box.low[d]) + static_cast<size_t>(p[d] - box.low[d]);
    return place;
}

Box extent_of(const halo_stencil_access &access) {
    return { { access.low[0], access.low[1], access.low[2] }, { access.high[0] + 1, access.high[1] + 1, access.high[2] + 1 } };
}

Place sum(const Place &a, const Place &b) { return { a[0] + b[0], a[1] + b[1], a[2] + b[2] }; }

bool reads(const halo_stencil_access &access) { return access.mode != HALO_STENCIL_WRITE; }
bool writes(const halo_stencil_access &access) { return access.mode != HALO_STENCIL_READ; }

// What a stage does at a cell. `at` finds a field's value there.
template <class At>
void compute(size_t s, const Stage &stage, const Place &p, uint64_t &seen, At &&at) {
    uint64_t hash = s + 1;
    bool any = false;
    for (const halo_stencil_access &access : stage.accesses)
        if (reads(access)) for_each(extent_of(access), [&](const Place &o) { hash = mixed(hash, at(access.field, sum(p, o))); });
    for (const halo_stencil_access &access : stage.accesses)
        if (writes(access)) at(access.field, p) = mixed(hash, static_cast<uint64_t>(access.field)), any = true;
    if (!any) seen = mixed(seen, hash);
}

uint64_t initial(int field, size_t cell) { return mixed(static_cast<uint64_t>(field) + 1000, cell); }

} // namespace

bool Box::holds(const Place &p) const {
    for (size_t d = 0; d < 3; ++d)
        if (p[d] < low[d] || p[d] >= high[d]) return false;
    return true;
}

size_t Box::size() const {
    size_t n = 1;
    for (size_t d = 0; d < 3; ++d) n *= static_cast<size_t>(std::max(0, high[d] - low[d]));
    return n;
}

Box grown(const Box &box, const int64_t *low, const int64_t *high) {
    Box all = box;
    for (size_t d = 0; d < 3; ++d) {
        all.low[d] += static_cast<int>(low[d]);
        all.high[d] += static_cast<int>(high[d]);
    }
    return all;
}

void for_each(const Box &box, const std::function<void(const Place &)> &visit) {
    for (int z = box.low[2]; z < box.high[2]; ++z)
        for (int y = box.low[1]; y < box.high[1]; ++y)
            for (int x = box.low[0]; x < box.high[0]; ++x) visit({ x, y, z });
}

uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29) ^ (value << 17);
}

uint64_t &Store::at(const Place &p) {
    if (!box.holds(p)) throw std::out_of_range("a cell outside of the storage");
    return values[number(p, box)];
}

Plan plan_of(const Case &program, const halo::Stencil &stencil, Random &random, bool alone) {
    Plan plan;
    plan.program = &program;
    for (size_t d = 0; d < 3; ++d) plan.part.high[d] = d < static_cast<size_t>(program.desc.n_dims) ? static_cast<int>(program.desc.cells[d]) : 1;
    for (size_t s = 0; s < program.stages.size(); ++s) plan.stages.push_back(stencil.stage(static_cast<int32_t>(s)));
    for (size_t f = 0; f < program.temporary.size(); ++f) plan.fields.push_back(stencil.field(static_cast<int32_t>(f)));
    plan.exchanges = stencil.exchanges();
    plan.groups = stencil.groups();
    std::vector<int> starts;
    for (const halo_stencil_group &group : plan.groups) starts.push_back(random.between(group.start, group.finish));
    for (const halo_stencil_exchange &one : plan.exchanges) {
        const auto group = static_cast<size_t>(one.group);
        const int back = one.ahead ? static_cast<int>(program.stages.size()) : 0;
        plan.when.push_back(alone ? std::pair(one.start, one.finish) : std::pair(starts[group] - back, plan.groups[group].finish - back));
    }
    return plan;
}

Results run_whole(const Case &program, const Box &part, int n_turns, const Executed &executed) {
    const Box domain = domain_of(part);
    Results results;
    results.seen.assign(program.stages.size(), std::vector<uint64_t>(domain.size()));
    for (size_t f = 0; f < program.temporary.size(); ++f) {
        results.fields.emplace_back(domain.size());
        for (size_t i = 0; i < domain.size(); ++i) results.fields[f][i] = initial(static_cast<int>(f), i);
    }
    for (int turn = 0; turn < n_turns; ++turn)
        for (size_t s = 0; s < program.stages.size(); ++s) {
            if (!executed(turn, s)) continue;
            for_each(domain, [&](const Place &p) {
                compute(s, program.stages[s], p, results.seen[s][number(p, domain)], [&](int32_t f, const Place &q) -> uint64_t & {
                    return results.fields[static_cast<size_t>(f)][number(wrapped(q, domain), domain)];
                });
            });
        }
    for (size_t f = 0; f < program.temporary.size(); ++f)
        if (program.temporary[f]) results.fields[f].clear();
    return results;
}

Parts::Parts(const Plan &plan, uint64_t seed) : plan_(plan), sent_(plan.exchanges.size()), poison_(seed) {
    const Box domain = domain_of(plan.part);
    for_each(domain, [&](const Place &origin) {
        for (size_t d = 0; d < 3; ++d)
            if (origin[d] % plan.part.high[d] != 0) return;
        Part part{ origin, {}, {} };
        for (size_t f = 0; f < plan.fields.size(); ++f) {
            int64_t low[3];
            for (size_t d = 0; d < 3; ++d) low[d] = -plan.fields[f].ghost_low[d];
            Store store{ grown(plan.part, low, plan.fields[f].ghost_high), {} };
            for (size_t i = 0; i < store.box.size(); ++i) store.values.push_back(poison_ = mixed(poison_, i));
            if (!plan.program->temporary[f])
                for_each(plan.part, [&](const Place &p) { store.at(p) = initial(static_cast<int>(f), number(sum(p, origin), domain)); });
            part.fields.push_back(std::move(store));
        }
        for (size_t s = 0; s < plan.stages.size(); ++s) part.seen.push_back({ plan.part, std::vector<uint64_t>(plan.part.size()) });
        parts_.push_back(std::move(part));
    });
}

void Parts::start(size_t exchange) {
    const auto f = static_cast<size_t>(plan_.exchanges[exchange].field);
    const Box domain = domain_of(plan_.part);
    sent_[exchange].resize(domain.size());
    for (Part &part : parts_)
        for_each(part.fields[f].box, [&](const Place &p) {
            if (plan_.part.holds(p))
                sent_[exchange][number(sum(p, part.origin), domain)] = part.fields[f].at(p);
            else
                part.fields[f].at(p) = poison_ = mixed(poison_, 1); // undefined until it has finished
        });
}

void Parts::finish(size_t exchange, Part &part) {
    const halo_stencil_exchange &one = plan_.exchanges[exchange];
    const Box domain = domain_of(plan_.part);
    int64_t low[3];
    for (size_t d = 0; d < 3; ++d) low[d] = -one.low[d];
    for_each(grown(plan_.part, low, one.high), [&](const Place &p) {
        if (!plan_.part.holds(p))
            part.fields[static_cast<size_t>(one.field)].at(p) = sent_[exchange][number(wrapped(sum(p, part.origin), domain), domain)];
    });
}

void Parts::run_stage(size_t s, Part &part) {
    if (!plan_.stages[s].needed) return;
    uint64_t nobody = 0;
    for_each(grown(plan_.part, plan_.stages[s].low, plan_.stages[s].high), [&](const Place &p) {
        compute(s, plan_.program->stages[s], p, plan_.part.holds(p) ? part.seen[s].at(p) : nobody,
                [&](int32_t f, const Place &q) -> uint64_t & { return part.fields[static_cast<size_t>(f)].at(q); });
    });
}

// What starts and finishes at a place of a turn. Those of the next turn may start in this one; those of the first, at its beginning.
void Parts::pass(int turn, int place, int n_turns) {
    const auto n = static_cast<int>(plan_.stages.size());
    for (size_t e = 0; e < plan_.exchanges.size(); ++e) {
        const auto [from, to] = plan_.when[e];
        if (plan_.exchanges[e].once && turn > 0) continue;
        const auto is_now = [&](int when) {
            return when >= 0 ? place == when : (place == when + n && turn + 1 < n_turns) || (turn == 0 && place == 0);
        };
        if (is_now(from)) start(e);
        if (is_now(to))
            for (Part &part : parts_) finish(e, part);
    }
}

Results Parts::run(int n_turns, const Executed &executed) {
    for (int turn = 0; turn < n_turns; ++turn)
        for (size_t s = 0; s < plan_.stages.size(); ++s) {
            pass(turn, static_cast<int>(s), n_turns);
            if (!executed(turn, s)) continue;
            for (Part &part : parts_) run_stage(s, part);
        }
    return results();
}

Results Parts::run_by_points(Random &random, const Executed &executed) {
    for (size_t e = 0; e < plan_.exchanges.size(); ++e) start(e);
    for (Part &part : parts_) run_points_of(part, random, executed);
    return results();
}

void Parts::run_points_of(Part &part, Random &random, const Executed &executed) {
    const std::vector<Stage> &stages = plan_.program->stages;
    Box all = plan_.part;
    std::vector<Box> boxes;
    for (size_t s = 0; s < stages.size(); ++s) {
        boxes.push_back(plan_.stages[s].needed && executed(0, s) ? grown(plan_.part, plan_.stages[s].low, plan_.stages[s].high) : Box{});
        for (size_t d = 0; d < 3; ++d) {
            all.low[d] = std::min(all.low[d], boxes[s].low[d]);
            all.high[d] = std::max(all.high[d], boxes[s].high[d]);
        }
    }
    std::vector<size_t> next(all.size(), 0); // the stage that each cell runs next
    std::vector<Place> cells;
    for_each(all, [&](const Place &p) { cells.push_back(p); });
    std::vector<bool> arrived(plan_.exchanges.size());
    const auto skip = [&](const Place &p) {
        size_t &s = next[number(p, all)];
        while (s < stages.size() && !boxes[s].holds(p)) ++s;
        return s;
    };
    const auto in_flight = [&](int32_t f, const Place &q) {
        if (plan_.part.holds(q)) return false;
        for (size_t e = 0; e < arrived.size(); ++e)
            if (plan_.exchanges[e].field == f && !arrived[e]) return true;
        return false;
    };
    const auto ready = [&](size_t s, const Place &p) {
        for (const halo_stencil_access &access : stages[s].accesses) {
            bool all_there = true;
            for_each(extent_of(access), [&](const Place &o) {
                const Place q = sum(p, o);
                if (in_flight(access.field, q)) all_there = false;
                for (size_t w = 0; w < s; ++w) // has been written
                    for (const halo_stencil_access &written : stages[w].accesses)
                        if (writes(written) && written.field == access.field && boxes[w].holds(q) && skip(q) <= w) all_there = false;
            });
            if (!all_there) return false;
        }
        return true;
    };
    for (;;) {
        std::vector<Place> can;
        bool left = false;
        for (const Place &p : cells) {
            const size_t s = skip(p);
            left = left || s < stages.size();
            if (s < stages.size() && ready(s, p)) can.push_back(p);
        }
        if (!left) return;
        if (can.empty()) {
            const auto e = static_cast<size_t>(std::find(arrived.begin(), arrived.end(), false) - arrived.begin());
            if (e == arrived.size()) throw std::logic_error("no cell can go on");
            finish(e, part);
            arrived[e] = true;
            continue;
        }
        for (int i = random.between(1, static_cast<int>(can.size())); i > 0; --i) { // some of them, those that still can
            const Place p = can[static_cast<size_t>(random.below(static_cast<int>(can.size())))];
            const size_t s = skip(p);
            if (s >= stages.size() || !ready(s, p)) continue;
            uint64_t nobody = 0;
            compute(s, stages[s], p, plan_.part.holds(p) ? part.seen[s].at(p) : nobody,
                    [&](int32_t f, const Place &q) -> uint64_t & { return part.fields[static_cast<size_t>(f)].at(q); });
            next[number(p, all)] = s + 1;
        }
    }
}

Results Parts::results() {
    const Box domain = domain_of(plan_.part);
    Results results;
    results.seen.assign(plan_.stages.size(), std::vector<uint64_t>(domain.size()));
    results.fields.resize(plan_.fields.size());
    for (Part &part : parts_)
        for_each(plan_.part, [&](const Place &p) {
            const size_t cell = number(sum(p, part.origin), domain);
            for (size_t s = 0; s < plan_.stages.size(); ++s) results.seen[s][cell] = part.seen[s].at(p);
            for (size_t f = 0; f < plan_.fields.size(); ++f) {
                if (plan_.program->temporary[f]) continue;
                results.fields[f].resize(domain.size());
                results.fields[f][cell] = part.fields[f].at(p);
            }
        });
    return results;
}

} // namespace analysis
