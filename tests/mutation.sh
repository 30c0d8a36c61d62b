#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Do the tests notice defects? Breaks a copy of the tree in one line at a time, builds it and runs the tests of exchanges, channels, accesses, faults and misuse.
# Fails if a defect is noticed by none. Prints a Markdown table: what was broken, and which test of each program saw it first.
# usage: mutation.sh DIRECTORY [pattern of defects]      DIRECTORY: for the copy; kept, so that the next time only changes are built
set -uo pipefail
cd "$(dirname "$0")/.."
pattern="${2:-.}"
mkdir -p "$1"
whole="$(cd "$1" && pwd)/whole" # the tree as it was at the start
copy="$(cd "$1" && pwd)/tree"
programs=(misuse unit_comm unit_channel test_channel halo_goes_wrong halo_counts halo_conformance halo_box_conformance halo_access_loops test_keys)
export CONFORMANCE_CASES="${CONFORMANCE_CASES:-24}" CONFORMANCE_BOX_CASES="${CONFORMANCE_BOX_CASES:-40}" KEYS_CASES="${KEYS_CASES:-8}"
seconds_of_a_program=180

# what is broken | file | sed program
defects=(
    "a received channel stays received when it is made stale|src/core/channel/mailbox.cpp|/^void Mailbox::stale/,/^}/s/    state_ = HALO_STALE;//"
    "data that have arrived are taken for null|src/core/channel/mailbox.cpp|/^void Mailbox::finish_receive/,/^}/s/data ? HALO_RECEIVED : HALO_RECEIVED_NULL/HALO_RECEIVED_NULL/"
    "the epoch in a channel's message is not looked at|src/core/channel/mailbox.cpp|s/if (header.epoch != epoch_ + 1)/if (header.epoch == 0)/"
    "the first edge of each message is not unpacked|src/core/plan/plan.cpp|/^void Plan::compile_receive/,/^}/s/size_t i = 0; i < dense.size()/size_t i = 1; i < dense.size()/"
    "blocks at the seams of curve placement have the wrong owner|src/core/topology/blocks/blocks.cpp|s/even_owner(gid, n_parts_, context_.size())/even_owner(gid + 1 < n_parts_ ? gid + 1 : gid, n_parts_, context_.size())/"
    "tags of neighbouring channels overlap by one|src/core/comm/tags.h|s/2 \* (index % per_lane_)/(index % per_lane_)/"
    "the tag of a living exchange is given again|src/core/comm/tags.cpp|s/if (used_\[at\]) continue;//"
    "a collective that is given up is not noticed|src/core/comm/collective_stream.cpp|s/if (pending_ && entered_ != call_)/if (false)/"
    "channels of an exchange look for messages out of order|src/core/exchange/per_channel.cpp|s/if (box.peer() == late_peer) continue;.*$//"
    "a channel's message is not unpacked|src/core/exchange/per_channel.cpp|s/^        unpack_single(.*$//"
    "states of sparse edges are read from the wrong bits|src/core/stream/wire.h|/^inline EdgeState edge_state/,/^}/s/i % 4 \* 2/i % 4/"
    "the null test of sparse fields is inverted|src/core/exchange/sparse.cpp|s/return any(non_null) ? EdgeState::data : EdgeState::null/return any(non_null) ? EdgeState::null : EdgeState::data/"
    "messages are packed after they have been sent|src/core/exchange/aggregated.cpp|s/links_\[i\]->send(pack(run, i));/{ links_[i]->send(static_cast<size_t>(planned(run, i).send.most_bytes)); pack(run, i); }/"
    "a slot is written again before it was read|src/core/stream/shared_slots.h|s/return is_read(consumed) .. is_read(.*$/return is_read(last_epoch_ + consumed * 0);/"
    "ghosts of a run that was given up stay open to peers|src/core/stream/stream.cpp|/^void PeerLink::abandon/,/^}/s/    leases_.end_own();//"
    "a peer writes into the storage of the last run but this|src/core/exchange/landing_link.cpp|s/if (address_version_ != peer.address_version())/if (address_version_ == 0)/"
    "a list of points in a peer's storage is taken for a run|src/core/plan/stored_edges.cpp|s/if (edge.n_listed > 0) at.list/if (edge.n_listed == UINT32_MAX) at.list/"
    "what is still lent when a run ends is not sent|src/core/exchange/loans.cpp|s/if (!all_read .. !links_\[i\]->has_been_read()) {/if (timeout < -1) {/"
    "points that maps leave out are not compared|src/core/plan/collect_edges.cpp|s/found.pattern = sent . received;/found.pattern = 0;/"
    "check mode does not compare checksums|src/core/stream/stream.cpp|s/if (sum != checksum(receive_buffer_.data(), summed))/if (sum == 0 \&\& summed == 0)/"
    "a rank that finds another plan keeps its edges to itself|src/core/stream/stream.cpp|s/extra->abandoned = !mismatched_;/extra->abandoned = true;/"
    "what a loop has written is not stale afterwards|src/core/access/freshness.cpp|/^void Freshness::close/,/^}/s/    fresh_ = 0;//"
    "ghosts that are added to begin with what they held|src/core/access/batch.cpp|s/field.mirror.fill_ghosts(.*$//"
    "batches are not numbered in messages|src/core/exchange/exchange.cpp|s/    run_.narrowing.mask_hash = agreement_;//"
    "the groups of ghosts are not looked at|src/core/topology/points/point_edges.h|s/return groups == 0 .. (.*$/return groups == 0 || extra >= 0; }/"
    "batches use the first binding set alone|src/core/access/mirror.h|s/field_.data(local_index, set_)/field_.data(local_index, 0)/"
    "all binding sets are as fresh as the first|src/core/access/accesses.cpp|s/ \&\& known->set == set)/)/"
    "field masks are not compared|src/core/exchange/exchange.cpp|s/(takes_part ? 2 : 1)/2/"
    "a slot of shared memory is written again before it was read|src/core/comm/peer_link.cpp|/^bool PeerLink::may_send_shared/,/^}/s/must_be_read) >= 0/must_be_read) > INT32_MIN/"
    "only the last step of a product of sizes is checked|src/core/base/checked.h|s/ \&\& a.fits_ \&\& b.fits_;/;/"
    "the bytes of a layout are not limited|src/core/field/field.cpp|s/^    require_storable(gid, layout.elements);//"
    "the bytes of an allreduce are not limited|src/core/capi/context.cpp|s/^.*value(\"allreduce: the bytes of n values\".*$//"
    "lists may begin before their first entry|src/core/topology/lists/lists.cpp|s/desc.send_offsets\[0\] < 0/desc.send_offsets[0] == 1/"
    "the limit of file sizes is not asked for|src/core/memory/shared_arena.cpp|s/limit.rlim_cur != RLIM_INFINITY/limit.rlim_cur == 1/"
    "memory that cannot be shared is refused|src/core/comm/context.cpp|/^void .Context::allocate_shared/,/^}/s/return device_->allocate(HALO_MEMORY_HOST, bytes);/return nullptr;/"
    "a settings file is opened as if it could not block|src/core/base/config_source.cpp|s/ | O_NONBLOCK//"
    "operands of an allreduce change places|src/core/comm/collective.cpp|s/combine(combined.data(), above.data(), n, type, op);/{ combine(above.data(), combined.data(), n, type, op); combined.swap(above); }/"
    "a number wins over NaN|src/core/base/combine.cpp|s/return std::isnan(a) ? a : b;/return std::isnan(a) ? b : a;/"
    "the lowest rank owns a key, not the heaviest|src/core/topology/keys/directory.cpp|s/one.weight > best->weight/one.weight < best->weight/"
    "a key that two ranks claim is not told|src/core/topology/keys/directory.cpp|s/if (claims > 1) ++result_.n_several_claim;//"
    "a ring of ghosts that adds points ends a graph|src/core/topology/graph/rings.cpp|s/> known ? 1 : 0) == 0) break/> known ? 1 : 0) >= 0) break/"
    "images across a period stay where they are|src/core/topology/boxes/box_set.cpp|s/box.cells = shifted(box.cells, shift);//"
    "boxes of other ranks farther than a cell away are not known|src/core/topology/boxes/boxes.cpp|s/2 \* int64_t{ reach_ } + 1 }/1 }/"
    "ghosts that several boxes own are filled by each of them|src/core/topology/boxes/box_edges.cpp|s/ subtract(pieces_, owned(near_\[before\]));/ {}/"
    "ghosts of a null neighbour keep what they held|src/core/exchange/sparse.cpp|s/if (state != EdgeState::data) return run.run_row(edge.fill_row);/if (state != EdgeState::data) return;/"
    "storage that was bound for an arrival is not filled|src/core/exchange/sparse.cpp|s/^        field.fill(part.part, data);//"
    "a fetch brings the value after the contribution|src/core/base/combine.cpp|s/^    store(contribution, value);/    store(contribution, op(value, more));/"
    "contributions of a canonical sum are not sorted|src/core/plan/canonical.cpp|s/^        halo::sort(std::span<Rank>(ranks, n));//"
    "what is pending is not added before it is read|src/core/access/freshness.cpp|s/needs.reverse = pending_ != 0 .. !use.to_ghosts;/needs.reverse = false;/"
    "a batch that has read its fields still uses them|src/core/access/freshness.cpp|/^void Freshness::close/,/^}/s/        --readers_;//"
    "copies of a rank's own points are taken for owned|src/core/access/mirror.cpp|s/owned\[list\[i\]\] = false;/(void)list;/"
)

take_snapshot() {
    rm -rf "$whole"
    mkdir -p "$whole" "$copy"
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
        [ ! -f "$file" ] || { mkdir -p "$whole/$(dirname "$file")" && cp "$file" "$whole/$file"; }
    done
    (cd "$copy" && find . -path ./build -prune -o -type f -print0) | while IFS= read -r -d '' file; do
        [ -f "$whole/$file" ] || rm "$copy/$file"
    done
}

fresh_tree() { # only what differs is written, so that little is built again
    (cd "$whole" && find . -type f -print0) | while IFS= read -r -d '' file; do
        cmp -s "$whole/$file" "$copy/$file" || { mkdir -p "$copy/$(dirname "$file")" && cp "$whole/$file" "$copy/$file"; }
    done
}

build() {
    local launcher=()
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    [ -f "$copy/build/build.ninja" ] || (cd "$copy" && cmake --preset default -DHALO_WERROR=OFF "${launcher[@]}") >/dev/null || return 1
    cmake --build "$copy/build" --target "${programs[@]}" >"$copy/build.log" 2>&1
}

# The test that fails first, "hangs" or "crashes" with the one it was in; nothing if all pass.
first_failure() {
    local log="$copy/$1.log" status
    timeout "$seconds_of_a_program" "$copy/build/bin/$1" --gtest_fail_fast >"$log" 2>&1
    status=$?
    [ $status -ne 0 ] || return
    local failed running
    failed="$(sed -n 's/^\[  FAILED  \] \([^ ,]*\)[ ,].*/\1/p' "$log" | sed -n 1p)"
    running="$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)"
    if [ -n "$failed" ]; then echo "$failed"
    elif [ $status -eq 124 ]; then echo "$running hangs"
    else echo "$running crashes"; fi
}

take_snapshot
fresh_tree
build || { tail -n 20 "$copy/build.log"; echo "the tree itself does not build"; exit 1; }
for program in "${programs[@]}"; do
    seen="$(first_failure "$program")"
    [ -z "$seen" ] || { echo "without any defect $program fails: $seen"; exit 1; }
done

missed=0
echo "| defect | file | seen by |"
echo "|---|---|---|"
for defect in "${defects[@]}"; do
    IFS='|' read -r what file program_of_sed <<<"$defect"
    grep -qE "$pattern" <<<"$what $file" || continue
    fresh_tree
    sed -i "$program_of_sed" "$copy/$file"
    if cmp -s "$whole/$file" "$copy/$file"; then
        echo "| $what | $file | **the line to break was not found** |"
        missed=$((missed + 1))
        continue
    fi
    if ! build; then
        echo "| $what | $file | **does not build** |"
        missed=$((missed + 1))
        continue
    fi
    seen=""
    for program in "${programs[@]}"; do
        one="$(first_failure "$program")"
        [ -z "$one" ] || seen+="${seen:+; }$program: $one"
    done
    [ -n "$seen" ] || missed=$((missed + 1))
    echo "| $what | $(basename "$file") | ${seen:-**nobody**} |"
done
fresh_tree
echo
echo "$missed defects were missed"
[ "$missed" -eq 0 ]
