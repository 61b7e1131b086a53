$if(shading){$source}
$section(naive)
// One invocation of the vertex kernel for each index.
kernel void reuse_naive(int reuse_index<>$for(other, others){, $other.declaration}$for(result, results){, out $result.type reuse_out$result.n<>}$if(rated){, inout int reuse_rate[]}) {
    int reuse_id = reuse_index;
    $if(rated){atomicAdd(reuse_rate[reuse_id], 1);}
    $if(returns){reuse_out1 = }$name($for(argument, arguments, ", "){$argument.direct});
}
$section(multi)
// The multi-kernel form (section 4.2): one invocation for each vertex, then the vertices are assembled by a second kernel.
kernel void reuse_shade($for(other, others){$other.declaration, }$for(result, results, ", "){out $result.type reuse_out$result.n<>}$if(rated){, inout int reuse_rate[]}) {
    int reuse_id = indexof(reuse_out1).x;
    $if(rated){atomicAdd(reuse_rate[reuse_id], 1);}
    $if(returns){reuse_out1 = }$name($for(argument, arguments, ", "){$argument.direct});
}
kernel void reuse_assemble(int reuse_index<>$for(result, results){, $result.type reuse_v$result.n[], out $result.type reuse_out$result.n<>}) {
    $for(result, results){reuse_out$result.n = reuse_v$result.n[reuse_index]; }
}
$section(warp)
// Statically batched warp voting (algorithm 1, with its listing corrected). A work group is a warp of $width lanes, of which each of its $lanes invocations stands for
// some. The votes of a chunk of indices are taken at once: a lane finds its index among those that have a lane, or the first lane of the chunk with the same index.
const int REUSE_WIDTH = $width, REUSE_WORDS = $words, REUSE_LANES = $lanes;
kernel($lanes) void reuse_warp(int reuse_index[], int reuse_total, int reuse_batch, int reuse_batches, int reuse_groups$for(other, others){, $other.declaration}$for(result, results){, inout $result.type reuse_out$result.n[]}$if(buffered){$for(result, results){, inout $result.type reuse_v$result.n[]}}, inout int reuse_count[]$if(rated){, inout int reuse_rate[]}) {
    shared int reuse_ids[$width];
    shared int reuse_first[$width];
    shared int reuse_unique[$width];
    shared int reuse_map[$batch];
    shared uint reuse_fresh[$words];
    shared int reuse_failed[1];
    $if(buffered){}$else{$for(result, results){shared $result.type reuse_v$result.n[$width];}}
    int reuse_lane = localid()$if(buffered){, reuse_base = groupid() * REUSE_WIDTH};
    for (int reuse_b = groupid(); reuse_b < reuse_batches; reuse_b += reuse_groups) {
        int reuse_start = reuse_b * reuse_batch, reuse_end = min(reuse_start + reuse_batch, reuse_total);
        int reuse_invocations = 0, reuse_votes = 0;
        while (reuse_start < reuse_end) {
            int reuse_fill = 0, reuse_done = 0, reuse_at = reuse_start;
            while (reuse_at < reuse_end && reuse_fill < REUSE_WIDTH) {
                int reuse_n = min(REUSE_WIDTH, reuse_end - reuse_at);
                for (int l = reuse_lane; l < reuse_n; l += REUSE_LANES) reuse_ids[l] = reuse_index[reuse_at + l];
                for (int l = reuse_lane; l < REUSE_WORDS; l += REUSE_LANES) reuse_fresh[l] = 0u;
                barrier();
                if (reuse_lane == 0) reuse_failed[0] = reuse_n;
                for (int l = reuse_lane; l < reuse_n; l += REUSE_LANES) {
                    int id = reuse_ids[l], slot = -1, first = l;
                    for (int k = 0; k < reuse_fill; k++) slot = reuse_unique[k] == id ? k : slot;
                    for (int k = reuse_n - 1; k >= 0; k--) first = reuse_ids[k] == id ? min(k, first) : first;
                    if (slot < 0 && first == l) atomicOr(reuse_fresh[l >> 5], 1u << uint(l & 31));
                    reuse_first[l] = slot < 0 ? first : -1 - slot;
                }
                barrier();
                int reuse_all = 0;
                for (int k = 0; k < REUSE_WORDS; k++) reuse_all += bitCount(reuse_fresh[k]);
                for (int l = reuse_lane; l < reuse_n; l += REUSE_LANES) {
                    int first = reuse_first[l], rank = reuse_fill;
                    for (int k = 0; k < REUSE_WORDS; k++) {
                        int below = first - 32 * k;
                        rank += bitCount(below >= 32 ? reuse_fresh[k] : below <= 0 ? 0u : reuse_fresh[k] & ((1u << uint(below)) - 1u));
                    }
                    int slot = first < 0 ? -1 - first : rank;
                    if (first == l && slot < REUSE_WIDTH) reuse_unique[slot] = reuse_ids[l];
                    reuse_map[reuse_done + l] = slot;
                    if (slot >= REUSE_WIDTH) atomicMin(reuse_failed[0], l);
                }
                barrier();
                reuse_done += reuse_failed[0];
                reuse_fill = min(REUSE_WIDTH, reuse_fill + reuse_all);
                reuse_at += REUSE_WIDTH;
                reuse_votes += REUSE_WIDTH + 1;
            }
            for (int reuse_l = reuse_lane; reuse_l < reuse_fill; reuse_l += REUSE_LANES) {
                int reuse_id = reuse_unique[reuse_l], reuse_to = reuse_l;
                $call(reuse_shade_one)
            }
            $if(buffered){memoryBarrierBuffer();}
            barrier();
            int reuse_last = reuse_done - reuse_done % $corners;
            for (int k = reuse_lane; k < reuse_last; k += REUSE_LANES) {
                int reuse_from = reuse_map[k], reuse_to = reuse_start + k;
                $call(reuse_assemble_one)
            }
            reuse_start += reuse_last;
            reuse_invocations += reuse_fill;
            barrier();
        }
        if (reuse_lane == 0) {
            reuse_count[$counters * reuse_b] = reuse_invocations;
            reuse_count[$counters * reuse_b + 3] = reuse_votes;
        }
    }
}
$section(hash)
// Dynamically batched hashing (algorithm 3, with its listing corrected): a table, whose slots hold positions in the batch. The invocation that fills a slot
// numbers its index.
const int REUSE_TABLE = $table, REUSE_BLOCK = $block, REUSE_TRIES = $tries, REUSE_LANES = $lanes;
kernel($lanes) void reuse_hash(int reuse_index[], ivec2 reuse_starts[], int reuse_batches, int reuse_groups$for(other, others){, $other.declaration}$for(result, results){, inout $result.type reuse_out$result.n[]}$if(buffered){$for(result, results){, inout $result.type reuse_v$result.n[]}}, inout int reuse_count[]$if(rated){, inout int reuse_rate[]}) {
    shared int reuse_ids[$batch];
    shared int reuse_map[$batch];
    shared int reuse_table[$table];
    shared int reuse_number[$table];
    shared int reuse_unique[$block];
    shared int reuse_sums[4]; // invocations, probes, the worst probe, entries of the slow path
    $if(parallel){shared int reuse_pending[$batch];
    shared int reuse_found[2];}
    $if(buffered){}$else{$for(result, results){shared $result.type reuse_v$result.n[$block];}}
    int reuse_lane = localid()$if(buffered){, reuse_base = groupid() * REUSE_BLOCK};
    for (int reuse_b = groupid(); reuse_b < reuse_batches; reuse_b += reuse_groups) {
        ivec2 reuse_span = reuse_starts[reuse_b + 1] - reuse_starts[reuse_b];
        int reuse_start = reuse_starts[reuse_b].x, reuse_n = clamp(reuse_span.x, 0, $batch);
        bool reuse_fits = reuse_n == reuse_span.x;
        for (int k = reuse_lane; k < REUSE_TABLE; k += REUSE_LANES) reuse_table[k] = -1;
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) reuse_ids[k] = reuse_index[reuse_start + k];
        for (int k = reuse_lane; k < 4; k += REUSE_LANES) reuse_sums[k] = 0;
        barrier();
        int reuse_probes = 0, reuse_worst = 0;
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            int id = reuse_ids[k], tries = 0, slot = $hash;
            bool found = false;
            while (!found && tries < REUSE_TRIES) {
                int there = reuse_table[slot];
                if (there < 0) there = atomicCompSwap(reuse_table[slot], -1, k);
                if (there < 0) {
                    int number = atomicAdd(reuse_sums[0], 1);
                    number = min(number, REUSE_BLOCK - 1);
                    reuse_unique[number] = id;
                    reuse_number[slot] = number;
                }
                found = there < 0 || reuse_ids[there] == id;
                tries++;
                if (!found) slot = slot + 1 == REUSE_TABLE ? 0 : slot + 1;
            }
            reuse_map[k] = slot;
            reuse_probes += tries;
            reuse_worst = max(reuse_worst, tries);
            $if(parallel){if (!found) reuse_pending[atomicAdd(reuse_sums[3], 1)] = k;}
        }
        atomicAdd(reuse_sums[1], reuse_probes);
        atomicMax(reuse_sums[2], reuse_worst);
        barrier();
        $if(parallel){
        // The slow path: the group looks at all slots together, for one index after the other.
        int reuse_slow = reuse_sums[3];
        for (int p = 0; p < reuse_slow; p++) {
            int k = reuse_pending[p];
            for (int l = reuse_lane; l < 2; l += REUSE_LANES) reuse_found[l] = REUSE_TABLE;
            barrier();
            for (int l = reuse_lane; l < REUSE_TABLE; l += REUSE_LANES) {
                int there = reuse_table[l];
                if (there < 0) atomicMin(reuse_found[0], l);
                else if (reuse_ids[there] == reuse_ids[k]) reuse_found[1] = l;
            }
            barrier();
            if (reuse_lane == 0) {
                int slot = reuse_found[1];
                if (slot == REUSE_TABLE) {
                    slot = reuse_found[0];
                    reuse_table[slot] = k;
                    reuse_number[slot] = min(reuse_sums[0]++, REUSE_BLOCK - 1);
                    reuse_unique[reuse_number[slot]] = reuse_ids[k];
                }
                reuse_map[k] = slot;
                reuse_sums[1] += (REUSE_TABLE + REUSE_LANES - 1) / REUSE_LANES;
                reuse_sums[2] = REUSE_TRIES + (REUSE_TABLE + REUSE_LANES - 1) / REUSE_LANES;
            }
            barrier();
        }
        }
        int reuse_all = min(reuse_sums[0], REUSE_BLOCK);
        for (int reuse_k = reuse_lane; reuse_k < reuse_all; reuse_k += REUSE_LANES) {
            int reuse_id = reuse_unique[reuse_k], reuse_to = reuse_k;
            $call(reuse_shade_one)
        }
        $if(buffered){memoryBarrierBuffer();}
        barrier();
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            int reuse_from = reuse_number[reuse_map[k]], reuse_to = reuse_start + k;
            $call(reuse_assemble_one)
        }
        for (int k = reuse_lane; k < 4; k += REUSE_LANES) {
            int sum = k > 0 || (reuse_fits && reuse_sums[0] == reuse_span.y) ? reuse_sums[k] : 2147483647;
            reuse_count[$counters * reuse_b + (k == 3 ? 5 : k)] = sum;
        }
        barrier();
    }
}
$section(sort)
// Dynamically batched sorting (algorithm 2, with its listing corrected): the indices of a batch are sorted by a stable radix sort of $digits values a pass, from the
// least index of the batch on; the last of equal ones is marked, and an exclusive sum of the marks numbers the unique ones.
const int REUSE_BLOCK = $block, REUSE_LANES = $lanes, REUSE_SORTERS = $sorters, REUSE_DIGITS = $digits;
kernel($lanes) void reuse_sort(int reuse_index[], ivec2 reuse_starts[], int reuse_batches, int reuse_groups$for(other, others){, $other.declaration}$for(result, results){, inout $result.type reuse_out$result.n[]}$if(buffered){$for(result, results){, inout $result.type reuse_v$result.n[]}}, inout int reuse_count[]$if(rated){, inout int reuse_rate[]}) {
    shared uint reuse_ids[2 * $batch];
    shared int reuse_places[2 * $batch];
    shared int reuse_sums[$sums];
    shared int reuse_totals[$digits];
    shared int reuse_least[1];
    shared uint reuse_most[1];
    $if(buffered){}$else{$for(result, results){shared $result.type reuse_v$result.n[$block];}}
    int reuse_lane = localid()$if(buffered){, reuse_base = groupid() * REUSE_BLOCK};
    for (int reuse_b = groupid(); reuse_b < reuse_batches; reuse_b += reuse_groups) {
        ivec2 reuse_span = reuse_starts[reuse_b + 1] - reuse_starts[reuse_b];
        int reuse_start = reuse_starts[reuse_b].x, reuse_n = clamp(reuse_span.x, 0, $batch);
        bool reuse_fits = reuse_n == reuse_span.x;
        int reuse_each = (reuse_n + REUSE_SORTERS - 1) / REUSE_SORTERS; // of a sorter
        int reuse_begin = min(reuse_lane * reuse_each, reuse_n), reuse_stop = reuse_lane < REUSE_SORTERS ? min(reuse_begin + reuse_each, reuse_n) : reuse_begin;
        if (reuse_lane == 0) {
            reuse_least[0] = 2147483647;
            reuse_most[0] = 0u;
        }
        barrier();
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            int id = reuse_index[reuse_start + k];
            reuse_ids[k] = uint(id);
            atomicMin(reuse_least[0], id);
        }
        barrier();
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            uint id = reuse_ids[k] - uint(reuse_least[0]);
            reuse_ids[k] = id;
            reuse_places[k] = k;
            atomicMax(reuse_most[0], id);
        }
        barrier();
        int reuse_from_half = 0, reuse_to_half = $batch, reuse_passes = 0;
        for (uint rest = reuse_most[0], shift = 0u; rest > 0u; rest >>= $bits, shift += $bits) {
            for (int k = reuse_lane; k < REUSE_DIGITS * REUSE_SORTERS; k += REUSE_LANES) reuse_sums[k] = 0;
            barrier();
            for (int k = reuse_begin; k < reuse_stop; k++) {
                int digit = int((reuse_ids[reuse_from_half + k] >> shift) & uint(REUSE_DIGITS - 1));
                reuse_sums[digit * REUSE_SORTERS + reuse_lane]++;
            }
            barrier();
            for (int digit = reuse_lane; digit < REUSE_DIGITS; digit += REUSE_LANES) {
                int sum = 0;
                for (int k = 0; k < REUSE_SORTERS; k++) {
                    int count = reuse_sums[digit * REUSE_SORTERS + k];
                    reuse_sums[digit * REUSE_SORTERS + k] = sum;
                    sum += count;
                }
                reuse_totals[digit] = sum;
            }
            barrier();
            if (reuse_lane < REUSE_SORTERS) {
                int base = 0;
                for (int digit = 0; digit < REUSE_DIGITS; digit++) {
                    reuse_sums[digit * REUSE_SORTERS + reuse_lane] += base;
                    base += reuse_totals[digit];
                }
            }
            for (int k = reuse_begin; k < reuse_stop; k++) {
                uint id = reuse_ids[reuse_from_half + k];
                int digit = int((id >> shift) & uint(REUSE_DIGITS - 1));
                int to = reuse_to_half + reuse_sums[digit * REUSE_SORTERS + reuse_lane]++;
                reuse_ids[to] = id;
                reuse_places[to] = reuse_places[reuse_from_half + k];
            }
            int half_before = reuse_from_half;
            reuse_from_half = reuse_to_half;
            reuse_to_half = half_before;
            reuse_passes++;
            barrier();
        }
        // marks: the last of equals, counted by sorters first
        int reuse_marks = 0;
        for (int k = reuse_begin; k < reuse_stop; k++) {
            reuse_marks += k + 1 == reuse_n || reuse_ids[reuse_from_half + k] != reuse_ids[reuse_from_half + k + 1] ? 1 : 0;
        }
        if (reuse_lane < REUSE_SORTERS) reuse_sums[reuse_lane] = reuse_marks;
        barrier();
        int reuse_number = 0, reuse_all = 0;
        for (int k = 0; k < REUSE_SORTERS; k++) {
            int count = reuse_sums[k];
            reuse_number += k < reuse_lane ? count : 0;
            reuse_all += count;
        }
        barrier();
        // The other half holds the map from positions to numbers, and the unique ids.
        for (int k = reuse_begin; k < reuse_stop; k++) {
            uint id = reuse_ids[reuse_from_half + k];
            bool last = k + 1 == reuse_n || id != reuse_ids[reuse_from_half + k + 1];
            reuse_places[reuse_to_half + reuse_places[reuse_from_half + k]] = reuse_number;
            if (last) reuse_ids[reuse_to_half + reuse_number++] = id;
        }
        barrier();
        for (int reuse_k = reuse_lane; reuse_k < min(reuse_all, REUSE_BLOCK); reuse_k += REUSE_LANES) {
            int reuse_id = int(reuse_ids[reuse_to_half + reuse_k] + uint(reuse_least[0])), reuse_to = reuse_k;
            $call(reuse_shade_one)
        }
        $if(buffered){memoryBarrierBuffer();}
        barrier();
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            int reuse_from = min(reuse_places[reuse_to_half + k], REUSE_BLOCK - 1), reuse_to = reuse_start + k;
            $call(reuse_assemble_one)
        }
        if (reuse_lane == 0) {
            reuse_count[$counters * reuse_b] = reuse_fits && reuse_all == reuse_span.y ? reuse_all : 2147483647;
            reuse_count[$counters * reuse_b + 4] = reuse_passes;
        }
        barrier();
    }
}
$section(shade)
// One invocation of the vertex kernel for each distinct index of a batch.
kernel void reuse_shade(int reuse_index<>$for(other, others){, $other.declaration}$for(result, results){, out $result.type reuse_out$result.n<>}$if(rated){, inout int reuse_rate[]}) {
    int reuse_id = reuse_index;
    $if(rated){atomicAdd(reuse_rate[reuse_id], 1);}
    $if(returns){reuse_out1 = }$name($for(argument, arguments, ", "){$argument.direct});
}
kernel void reuse_assemble(int reuse_slot<>$for(result, results){, $result.type reuse_v$result.n[], out $result.type reuse_out$result.n<>}) {
    $for(result, results){reuse_out$result.n = reuse_v$result.n[reuse_slot]; }
}
$section(find)
// The distinct indices of batches. A batch belongs to one invocation, which needs no barriers and no atomic operations within the batch. `slots` receives for each
// index its position in `list`, which receives the distinct indices of all batches. Small tables are private; for large ones compilers take seconds, so they are in
// memory. A launch does about `budget` iterations for a batch at most, because some devices limit them. Then `more` becomes 1. Tables in memory remain
// for the next launch, which continues; with private tables the batch begins anew.
$if(method == warp){
// A hash table has the numbers of the indices in the order of their lanes; those below `first` belong to earlier warps.
kernel void reuse_find(inout ivec4 reuse_state<>, int reuse_index[], int reuse_total, int reuse_batch, int reuse_width, int reuse_table, int reuse_room, int reuse_budget, inout int reuse_slots[], inout int reuse_list[]$if(private){}$else{, inout int reuse_work[]}, inout int reuse_count[], inout int reuse_length[], inout int reuse_more[]) {
    $if(private){int table[$slots], unique[$most];
    for (int k = 0; k < $slots; k++) table[k] = -1;}
    int b = indexof(reuse_state).x, begin = b * reuse_batch, end = min(begin + reuse_batch, reuse_total);
    int start = begin + reuse_state.x, at = begin + reuse_state.y, first = reuse_state.z, all = reuse_state.w;
    int room = b * reuse_room, list = room + reuse_table, votes = reuse_count[$counters * b + 3], spent = 0;
    bool begun = start < end;
    while (start < end && spent < reuse_budget) {
        int id = reuse_index[at], slot = $hash, there = 0;
        bool found = false;
        while (!found) {
            there = $table;
            found = there < first || $unique == id;
            if (!found) slot = slot + 1 == reuse_table ? 0 : slot + 1;
            spent++;
        }
        bool full = there < first && all - first == reuse_width;
        if (!full) {
            if (there < first) {
                there = all++;
                $table = there;
                $unique = id;
            }
            reuse_slots[at] = there;
            at++;
            // Chunks of `width` indices: one that fills the warp is the last.
            full = all - first == reuse_width && (at - start) % reuse_width == 0;
        }
        if (full || at == end) {
            int done = at - start;
            votes += ((done + (at < end && done % reuse_width != 0 ? reuse_width : reuse_width - 1)) / reuse_width) * (reuse_width + 1);
            start += done - done % $corners;
            at = start;
            first = all;
        }
        spent++;
    }
    if (start < end) {
        reuse_more[0] = 1;
    } else if (begun) {
        int base = atomicAdd(reuse_length[0], all);
        for (int there = 0; there < all; there++) reuse_list[base + there] = $unique;
        for (int k = begin; k < end; k++) reuse_slots[k] += base;
    }
    $if(private){if (begun && start == end) }{
        reuse_state = ivec4(start - begin, at - begin, first, all);
        reuse_count[$counters * b] = all;
        reuse_count[$counters * b + 3] = votes;
    }
}
}
$if(method == hash){
// A hash table has the numbers of the distinct indices. A search that fails `tries` times is on the slow path, and continues.
kernel void reuse_find(inout int reuse_state<>, int reuse_index[], ivec2 reuse_starts[], int reuse_batch, int reuse_block, int reuse_table, int reuse_tries, int reuse_budget, inout int reuse_slots[], inout int reuse_list[]$if(private){}$else{, inout int reuse_work[]}, inout int reuse_count[], inout int reuse_more[]) {
    $if(private){int table[$slots], unique[$most];
    for (int k = 0; k < $slots; k++) table[k] = -1;}
    int b = indexof(reuse_state).x, room = b * reuse_table, k = reuse_state, spent = 0;
    ivec2 begin = reuse_starts[b], span = reuse_starts[b + 1] - begin;
    int all = reuse_count[$counters * b], probes = reuse_count[$counters * b + 1], worst = reuse_count[$counters * b + 2], slow = reuse_count[$counters * b + 5];
    bool fits = span.x == clamp(span.x, 0, reuse_batch) && span.y == clamp(span.y, 0, reuse_table - 1);
    while (fits && k < span.x && spent < reuse_budget) {
        int id = reuse_index[begin.x + k], slot = $hash, there = 0, tries = 0;
        bool found = false;
        while (!found) {
            there = $table;
            found = there < 0 || $unique == id;
            if (!found) slot = slot + 1 == reuse_table ? 0 : slot + 1;
            tries++;
        }
        if (there < 0) {
            there = all++;
            fits = all <= min(span.y, reuse_block);
            if (fits) {
                $table = there;
                $if(private){unique[there] = id;}
                reuse_list[begin.y + there] = id;
            }
        }
        reuse_slots[begin.x + k] = begin.y + there;
        slow += tries > reuse_tries ? 1 : 0;
        probes += min(tries, reuse_tries + 1);
        worst = max(worst, min(tries, reuse_tries + 1));
        spent += 1 + tries;
        k++;
    }
    bool done = !fits || k >= span.x;
    if (!done) reuse_more[0] = 1;
    $if(private){if (done) }{
        reuse_state = fits ? k : 2147483647;
        reuse_count[$counters * b] = !done || all == span.y ? all : 2147483647;
        reuse_count[$counters * b + 1] = probes;
        reuse_count[$counters * b + 2] = worst;
        reuse_count[$counters * b + 5] = slow;
    }
}
}
$if(method == sort){
// `work` of a batch: two halves of `batch` positions in the batch, sorted by their indices.
kernel void reuse_find(inout int reuse_state<>, int reuse_index[], ivec2 reuse_starts[], int reuse_batch, inout int reuse_slots[], inout int reuse_list[], inout int reuse_work[], inout int reuse_count[]) {
    int b = indexof(reuse_state).x, from = 2 * b * reuse_batch, to = from + reuse_batch;
    ivec2 begin = reuse_starts[b], span = reuse_starts[b + 1] - begin;
    int n = span.x == clamp(span.x, 0, reuse_batch) ? span.x : 0;
    int least = 2147483647, most = -least - 1, passes = 0, all = 0, sums[16];
    for (int k = 0; k < n; k++) {
        int id = reuse_index[begin.x + k];
        reuse_work[from + k] = k;
        least = min(least, id);
        most = max(most, id);
    }
    for (uint rest = n > 0 ? uint(most) - uint(least) : 0u, shift = 0u; rest > 0u; rest >>= 4u, shift += 4u) {
        for (int digit = 0; digit < 16; digit++) sums[digit] = 0;
        for (int k = 0; k < n; k++) sums[int(((uint(reuse_index[begin.x + k]) - uint(least)) >> shift) & 15u)]++;
        int sum = to;
        for (int digit = 0; digit < 16; digit++) {
            int count = sums[digit];
            sums[digit] = sum;
            sum += count;
        }
        for (int k = 0; k < n; k++) {
            int place = reuse_work[from + k];
            reuse_work[sums[int(((uint(reuse_index[begin.x + place]) - uint(least)) >> shift) & 15u)]++] = place;
        }
        int before = from;
        from = to;
        to = before;
        passes++;
    }
    int id = 0;
    for (int k = 0; k < n; k++) {
        int place = reuse_work[from + k], next = reuse_index[begin.x + place];
        if (k == 0 || next != id) {
            if (all < span.y) reuse_list[begin.y + all] = next;
            all++;
        }
        id = next;
        reuse_slots[begin.x + place] = begin.y + all - 1;
    }
    reuse_count[$counters * b] = n == span.x && all == span.y ? all : 2147483647;
    reuse_count[$counters * b + 4] = passes;
}
}
