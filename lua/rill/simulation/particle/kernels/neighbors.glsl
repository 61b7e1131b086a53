$section(cells)
// `mask`: sizes of the grid minus 1 (sizes are powers of two). `scale`: cells per length. Cell indices, also of NaN,
// are clamped to +-1e6, where floats still represent all integers. More distant particles share cells, and are
// excluded by their distance.
$V grid_place($V x, $V scale) { return clamp(floor(x * scale), $V(-1e6), $V(1e6)); }
int cell_of($I c, $I mask) {
    c &= mask;
    return $if(rank == 2){c.y * (mask.x + 1) + c.x}$else{(c.z * (mask.y + 1) + c.y) * (mask.x + 1) + c.x};
}

$section(each)
// Loops over the particles j in the cells around the $share positions `mine`, including the particle itself. `body`
// runs for each j; on[k] is 1 if this turn covers mine[k], else 0 (zink of Mesa 22.3 crashes on arrays of bools). A
// particle fetched only for another position is farther from mine[k] than the support, and no neighbor is missed.
// Fetching dominates the time, so positions in the same row of cells, at most one support apart, share a turn, and the others have further turns. A row that passes
// the end of the grid continues at its beginning. In each row only `most` particles from `skip` on are processed, for
// devices that limit the trips of loops. Each trip processes two particles.
$I cells[$share];
int todo[$share], on[$share];
for (int k = 0; k < $share; k++) {
    cells[k] = $I(grid_place(mine[k], scale));
    todo[k] = 1;
}
for (int turn = 0; turn < $share; turn++) {
    $I c = cells[0];
    bool any = false;
    for (int k = $share - 1; k >= 0; k--) {
        c = todo[k] == 1 ? cells[k] : c;
        any = any || todo[k] == 1;
    }
    if (!any) break;
    int width = 2 * $across + 1;
    for (int k = 0; k < $share; k++) {
        $I off = cells[k] - c;
        on[k] = todo[k] == 1 && off.x >= 0 && off.x <= $across && off.y == 0 $if(rank == 3){&& off.z == 0} ? 1 : 0;
        todo[k] -= on[k];
        width = on[k] == 1 ? max(width, 2 * $across + 1 + off.x) : width;
    }
    for (int nth = 0; nth < $if(rank == 2){3}$else{9}; nth++) {
        $I from = $I(c.x - $across, $if(rank == 2){c.y + nth - 1}$else{c.y + nth % 3 - 1, c.z + nth / 3 - 1});
        int row = cell_of($I(0, from.y $if(rank == 3){, from.z}), mask), size = mask.x + 1;
        int low = from.x & mask.x, high = low + width;
        int begin = first[row + low], last = first[row + size], all = last - first[row];
        int end = first[row + (high > size ? high - size : high)] + (high > size ? all : 0);
        begin += skip;
        end = min(end, begin + most);
        for (int even = begin; even < end; even += 2) {
            int j = even < last ? even : even - all;
            { $body }
            j = even + 1 < last ? even + 1 : even + 1 - all;
            if (even + 1 < end) { $body }
        }
    }
}

$section(place)
kernel void pick(int k<>, int first[], inout int count[], inout int slot[]) {
    int rank = atomicAdd(count[k], -1) - 1;
    slot[first[k] + rank] = indexof(k).x;
}

// The rank of a particle within its cell, in the previous order.
kernel void rank(int old<>, int cell[], int first[], int slot[], inout int order[]) {
    int k = cell[old], begin = first[k], end = first[k + 1], place = begin;
    if (end - begin > 4096) place = indexof(old).x;
    else for (int j = begin; j < end; j++) place += slot[j] < old ? 1 : 0;
    order[place] = old;
}

kernel void carry(int old<>, $V x[], $V v[], float rho[], int id[],
                  out $V to_x<>, out $V to_v<>, out float to_rho<>, out int to_id<>, out vec4 to_place<>) {
    to_x = x[old];
    to_v = v[old];
    to_rho = rho[old];
    to_id = id[old];
    to_place = vec4(x[old], $if(rank == 2){v[old]}$else{0.0});
}

// An upper bound of the number of particles in one row of a neighborhood that begins at one of the $across cells from k on:
// the particles of the cells k to k + 4 $across, which may wrap around the end of the row.
kernel void crowd(int k<>, int size, int first[], out int n<>) {
    int row = k & ~(size - 1), high = k - row + 4 * $across + 1;
    n = first[row + min(high, size)] - first[k] + (high > size ? first[row + high - size] - first[row] : 0);
}

$section(lists)
$use(particle_cells)
kernel void near($I mask, $V scale, float h, int skip, int most, $V x<>, int id<>, $V xs[], int ids[], int first[], inout int count[]) {
    int n = skip == 0 ? 0 : count[id];
    $V mine[1] = $V[1](x);
    $call(particle_each){ $V d = x - xs[j]; n += dot(d, d) < h * h && ids[j] != id ? 1 : 0; }
    count[id] = n;
}
kernel void list($I mask, $V scale, float h, int skip, int most, $V x<>, int id<>, $V xs[], int ids[], int first[],
                 inout int cursor[], inout int entries[], inout float distances[]) {
    int at = cursor[id];
    $V mine[1] = $V[1](x);
    $call(particle_each){
        $V d = x - xs[j];
        if (dot(d, d) < h * h && ids[j] != id) {
            entries[at] = ids[j];
            distances[at] = sqrt(dot(d, d));
            at++;
        }
    }
    cursor[id] = at;
}
