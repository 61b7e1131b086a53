$if(shading){$source}

// The index at position k of the index stream.
int reuse_key($index reuse_index[], int k) {
$if(triangles){
    ivec3 t = reuse_index[k / 3];
    int corner = k - 3 * (k / 3);
    return corner == 0 ? t.x : corner == 1 ? t.y : t.z;
}$else{
    return reuse_index[k];
}
}
$section(naive)
// One invocation of the vertex kernel for each index.
kernel void reuse_naive($index reuse_index[]$for(other, others){, $other.declaration}$for(result, results){, out $result.type reuse_out$result.n<>}$if(rated){, inout int reuse_rate[]}) {
    int reuse_id = reuse_key(reuse_index, indexof(reuse_out1).x);
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
kernel void reuse_assemble($index reuse_index[]$for(result, results){, $result.type reuse_v$result.n[], out $result.type reuse_out$result.n<>}) {
    int reuse_id = reuse_key(reuse_index, indexof(reuse_out1).x);
    $for(result, results){reuse_out$result.n = reuse_v$result.n[reuse_id]; }
}
$section(warp)
// Statically batched warp voting (algorithm 1, with its listing corrected). A work group is a warp of $width lanes, of which each of its $lanes invocations stands for
// some. The votes of a chunk of indices are taken at once: a lane finds its index among those that have a lane, or the first lane of the chunk with the same index.
const int REUSE_WIDTH = $width, REUSE_WORDS = $words, REUSE_LANES = $lanes;
kernel($lanes) void reuse_warp($index reuse_index[], int reuse_total, int reuse_batch, int reuse_batches, int reuse_groups$for(other, others){, $other.declaration}$for(result, results){, inout $result.type reuse_out$result.n[]}$if(buffered){$for(result, results){, inout $result.type reuse_v$result.n[]}}, inout int reuse_count[]$if(rated){, inout int reuse_rate[]}) {
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
                for (int l = reuse_lane; l < reuse_n; l += REUSE_LANES) reuse_ids[l] = reuse_key(reuse_index, reuse_at + l);
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
kernel($lanes) void reuse_hash($index reuse_index[], int reuse_starts[], int reuse_batches, int reuse_groups$for(other, others){, $other.declaration}$for(result, results){, inout $result.type reuse_out$result.n[]}$if(buffered){$for(result, results){, inout $result.type reuse_v$result.n[]}}, inout int reuse_count[]$if(rated){, inout int reuse_rate[]}) {
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
        int reuse_start = reuse_starts[reuse_b], reuse_n = reuse_starts[reuse_b + 1] - reuse_start;
        for (int k = reuse_lane; k < REUSE_TABLE; k += REUSE_LANES) reuse_table[k] = -1;
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) reuse_ids[k] = reuse_key(reuse_index, reuse_start + k);
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
                    reuse_unique[reuse_sums[0]] = reuse_ids[k];
                    reuse_number[slot] = reuse_sums[0]++;
                }
                reuse_map[k] = slot;
                reuse_sums[1] += (REUSE_TABLE + REUSE_LANES - 1) / REUSE_LANES;
                reuse_sums[2] = REUSE_TRIES + (REUSE_TABLE + REUSE_LANES - 1) / REUSE_LANES;
            }
            barrier();
        }
        }
        int reuse_all = reuse_sums[0];
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
        for (int k = reuse_lane; k < 4; k += REUSE_LANES) reuse_count[$counters * reuse_b + (k == 3 ? 5 : k)] = reuse_sums[k];
        barrier();
    }
}
$section(sort)
// Dynamically batched sorting (algorithm 2, with its listing corrected): the indices of a batch are sorted by a stable radix sort of $digits values a pass, from the
// least index of the batch on; the last of equal ones is marked, and an exclusive sum of the marks numbers the unique ones.
const int REUSE_BLOCK = $block, REUSE_LANES = $lanes, REUSE_SORTERS = $sorters, REUSE_DIGITS = $digits;
kernel($lanes) void reuse_sort($index reuse_index[], int reuse_starts[], int reuse_batches, int reuse_groups$for(other, others){, $other.declaration}$for(result, results){, inout $result.type reuse_out$result.n[]}$if(buffered){$for(result, results){, inout $result.type reuse_v$result.n[]}}, inout int reuse_count[]$if(rated){, inout int reuse_rate[]}) {
    shared uint reuse_ids[2 * $batch];
    shared int reuse_places[2 * $batch];
    shared int reuse_sums[$sums];
    shared int reuse_totals[$digits];
    shared int reuse_least[1];
    shared uint reuse_most[1];
    $if(buffered){}$else{$for(result, results){shared $result.type reuse_v$result.n[$block];}}
    int reuse_lane = localid()$if(buffered){, reuse_base = groupid() * REUSE_BLOCK};
    for (int reuse_b = groupid(); reuse_b < reuse_batches; reuse_b += reuse_groups) {
        int reuse_start = reuse_starts[reuse_b], reuse_n = reuse_starts[reuse_b + 1] - reuse_start;
        int reuse_each = (reuse_n + REUSE_SORTERS - 1) / REUSE_SORTERS; // of a sorter
        int reuse_begin = min(reuse_lane * reuse_each, reuse_n), reuse_stop = reuse_lane < REUSE_SORTERS ? min(reuse_begin + reuse_each, reuse_n) : reuse_begin;
        if (reuse_lane == 0) {
            reuse_least[0] = 2147483647;
            reuse_most[0] = 0u;
        }
        barrier();
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            int id = reuse_key(reuse_index, reuse_start + k);
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
        for (int reuse_k = reuse_lane; reuse_k < reuse_all; reuse_k += REUSE_LANES) {
            int reuse_id = int(reuse_ids[reuse_to_half + reuse_k] + uint(reuse_least[0])), reuse_to = reuse_k;
            $call(reuse_shade_one)
        }
        $if(buffered){memoryBarrierBuffer();}
        barrier();
        for (int k = reuse_lane; k < reuse_n; k += REUSE_LANES) {
            int reuse_from = reuse_places[reuse_to_half + k], reuse_to = reuse_start + k;
            $call(reuse_assemble_one)
        }
        if (reuse_lane == 0) {
            reuse_count[$counters * reuse_b] = reuse_all;
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
// The distinct indices of batches, where a batch belongs to one invocation, which needs no barriers and no atomic operations within the batch. `slots` gets for each
// index its position in `list`, which gets the distinct indices of all batches in an order that depends on the execution.
$if(method == warp){
kernel void reuse_find(int reuse_b<>, $index reuse_index[], int reuse_total, int reuse_batch, inout int reuse_slots[], inout int reuse_list[], inout int reuse_length[], inout int reuse_count[]) {
    int reuse_map[$batch], reuse_unique[$most];
    int reuse_begin = reuse_b * reuse_batch, reuse_end = min(reuse_begin + reuse_batch, reuse_total);
    int reuse_start = reuse_begin, reuse_all = 0, reuse_votes = 0;
    while (reuse_start < reuse_end) {
        int reuse_first = reuse_all, reuse_done = 0, reuse_at = reuse_start;
        bool reuse_full = false;
        while (!reuse_full && reuse_at < reuse_end) {
            // One search for all corners of a primitive; those that it misses are assigned one after the other.
            $index reuse_ids = reuse_index[reuse_at / $corners];
            $for(corner, corner_list){int slot$corner.n = -1;}
            for (int k = reuse_first; k < reuse_all; k++) {
                int held = reuse_unique[k];
                $for(corner, corner_list){slot$corner.n = held == reuse_ids$corner.field ? k : slot$corner.n;}
            }
            int reuse_before = reuse_all;
            $for(corner, corner_list){
            if (!reuse_full) {
                int id = reuse_ids$corner.field, slot = slot$corner.n;
                for (int k = reuse_before; k < reuse_all; k++) slot = reuse_unique[k] == id ? k : slot;
                if (slot < 0 && reuse_all - reuse_first < $width) {
                    slot = reuse_all++;
                    reuse_unique[slot] = id;
                }
                if (slot >= 0) {
                    reuse_map[reuse_at - reuse_begin] = slot;
                    reuse_at++;
                    reuse_done++;
                }
                // Chunks of $width indices: one that fills the warp is the last.
                reuse_full = slot < 0 || (reuse_all - reuse_first == $width && reuse_done % $width == 0);
            }
            }
        }
        reuse_votes += ((reuse_done + (reuse_at < reuse_end && reuse_done % $width != 0 ? $width : $width - 1)) / $width) * ($width + 1);
        reuse_start += reuse_done - reuse_done % $corners;
    }
    int reuse_n = reuse_end - reuse_begin;
    reuse_count[$counters * reuse_b + 3] = reuse_votes;
    $call(reuse_finish)
}
}
$if(method == hash){
kernel void reuse_find(int reuse_b<>, $index reuse_index[], int reuse_starts[], inout int reuse_slots[], inout int reuse_list[], inout int reuse_length[], inout int reuse_count[]) {
    int reuse_map[$batch], reuse_unique[$block], reuse_table[$table];
    int reuse_begin = reuse_starts[reuse_b], reuse_n = reuse_starts[reuse_b + 1] - reuse_begin;
    int reuse_all = 0, reuse_probes = 0, reuse_worst = 0, reuse_slow = 0;
    for (int k = 0; k < $table; k++) reuse_table[k] = -1;
    for (int reuse_k = 0; reuse_k < reuse_n; reuse_k += $corners) {
        $index reuse_ids = reuse_index[(reuse_begin + reuse_k) / $corners];
        $for(corner, corner_list){{
        int id = reuse_ids$corner.field, tries = 0, slot = $hash, there = -1;
        bool found = false;
        while (!found && tries < $tries) {
            there = reuse_table[slot];
            if (there < 0) {
                there = reuse_all++;
                reuse_table[slot] = there;
                reuse_unique[there] = id;
            }
            found = reuse_unique[there] == id;
            slot = slot + 1 == $table ? 0 : slot + 1;
            tries++;
        }
        $if(parallel){
        if (!found) {
            int free = -1;
            there = -1;
            for (int l = 0; l < $table; l += 8) {
                $for(i, eight){int held$i = reuse_table[l + $i];
                free = held$i < 0 ? l + $i : free;
                there = held$i >= 0 && reuse_unique[max(held$i, 0)] == id ? held$i : there;
                }
            }
            if (there < 0) {
                there = reuse_all++;
                reuse_table[free] = there;
                reuse_unique[there] = id;
            }
            tries++;
            reuse_slow++;
        }
        }
        reuse_map[reuse_k + $corner.n] = there;
        reuse_probes += tries;
        reuse_worst = max(reuse_worst, tries);
        }}
    }
    reuse_count[$counters * reuse_b + 1] = reuse_probes;
    reuse_count[$counters * reuse_b + 2] = reuse_worst;
    reuse_count[$counters * reuse_b + 5] = reuse_slow;
    $call(reuse_finish)
}
}
$if(method == sort){
kernel void reuse_find(int reuse_b<>, $index reuse_index[], int reuse_starts[], inout int reuse_slots[], inout int reuse_list[], inout int reuse_length[], inout int reuse_count[]) {
    uint reuse_ids[2 * $batch];
    int reuse_places[2 * $batch], reuse_sums[16], reuse_map[$batch], reuse_unique[$block];
    int reuse_begin = reuse_starts[reuse_b], reuse_n = reuse_starts[reuse_b + 1] - reuse_begin;
    int reuse_least = 2147483647, reuse_from_half = 0, reuse_to_half = $batch, reuse_passes = 0, reuse_all = 0;
    uint reuse_most = 0u;
    for (int k = 0; k < reuse_n; k++) {
        int id = reuse_key(reuse_index, reuse_begin + k);
        reuse_ids[k] = uint(id);
        reuse_places[k] = k;
        reuse_least = min(reuse_least, id);
    }
    for (int k = 0; k < reuse_n; k++) {
        uint id = reuse_ids[k] - uint(reuse_least);
        reuse_ids[k] = id;
        reuse_most = max(reuse_most, id);
    }
    for (uint rest = reuse_most, shift = 0u; rest > 0u; rest >>= 4u, shift += 4u) {
        for (int digit = 0; digit < 16; digit++) reuse_sums[digit] = 0;
        for (int k = 0; k < reuse_n; k++) reuse_sums[int((reuse_ids[reuse_from_half + k] >> shift) & 15u)]++;
        int sum = reuse_to_half;
        for (int digit = 0; digit < 16; digit++) {
            int count = reuse_sums[digit];
            reuse_sums[digit] = sum;
            sum += count;
        }
        for (int k = 0; k < reuse_n; k++) {
            uint id = reuse_ids[reuse_from_half + k];
            int to = reuse_sums[int((id >> shift) & 15u)]++;
            reuse_ids[to] = id;
            reuse_places[to] = reuse_places[reuse_from_half + k];
        }
        int half_before = reuse_from_half;
        reuse_from_half = reuse_to_half;
        reuse_to_half = half_before;
        reuse_passes++;
    }
    for (int k = 0; k < reuse_n; k++) {
        uint id = reuse_ids[reuse_from_half + k];
        bool last = k + 1 == reuse_n || id != reuse_ids[reuse_from_half + min(k + 1, reuse_n - 1)];
        reuse_map[reuse_places[reuse_from_half + k]] = reuse_all;
        if (last) reuse_unique[reuse_all++] = int(id + uint(reuse_least));
    }
    reuse_count[$counters * reuse_b + 4] = reuse_passes;
    $call(reuse_finish)
}
}
