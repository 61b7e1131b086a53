-- A random walk of agents on a grid: section 5.3 of M. Kenzel et al., "On-the-fly vertex reuse" (2018). The key of an agent is its cell, 16 bits for x and 16
-- for y. The likelihood of a move depends on the cell only, so it is computed once for the agents of a cell that are in a batch.
local rill = require "rill"

local agents = {SIDE = 256}

-- The sizes of batches of the paper. It does not give the sizes of blocks.
agents.SIZES = {
    naive = {}, multi = {}, warp = {batch = 576}, sort = {batch = 1536, block = 512},
    hash = {batch = 1536, block = 512}, parallel_hash = {batch = 1536, block = 512},
}

local program = rill.program [=[
    // Gaussians: center x, center y, width, height.
    kernel void field(vec4 g[], int count, out float a<>) {
        vec2 at = vec2(indexof(a).xy);
        float sum = 0.05;
        for (int i = 0; i < count; i++) {
            vec2 d = at - g[i].xy;
            sum += g[i].w * exp(-dot(d, d) / (2.0 * g[i].z * g[i].z));
        }
        a = sum;
    }
    // The 8 most likely moves of at most 16 cells, as bytes, and their likelihoods. A move is likely if it leads to activity
    // and if the solution of the Fokker-Planck equation after one step is large there: a Gaussian whose drift is the gradient
    // of the activity and whose width grows with it. A power of the distance gives long steps the weight of a Levy flight.
    kernel void moves(int key, float a[], int side, out ivec4 move<>, out vec4 first<>, out vec4 last<>) {
        ivec2 at = ivec2(key & 0xffff, key >> 16), low = max(at - 1, 0), high = min(at + 1, side - 1);
        float here = a[at.y * side + at.x];
        vec2 drift = 8.0 * vec2(a[at.y * side + high.x] - a[at.y * side + low.x],
            a[high.y * side + at.x] - a[low.y * side + at.x]);
        float spread = 4.0 * (4.0 + 12.0 * here);
        float best[8];
        int code[8];
        for (int i = 0; i < 8; i++) { best[i] = 0.0; code[i] = 0x1010; }
        for (int i = 0; i < 33 * 33; i++) {
            ivec2 d = ivec2(i % 33, i / 33) - 16, to = at + d;
            int square = d.x * d.x + d.y * d.y;
            if (square > 0 && square <= 256 && to.x >= 0 && to.y >= 0 && to.x < side && to.y < side) {
                vec2 e = vec2(d) - drift;
                float w = a[to.y * side + to.x] * (exp(-dot(e, e) / spread) + 0.5 / float(square));
                int c = (d.y + 16) << 8 | (d.x + 16);
                if (w > best[7]) {
                    for (int j = 0; j < 8; j++) {
                        bool more = w > best[j];
                        float x = best[j];
                        int k = code[j];
                        best[j] = more ? w : x;
                        code[j] = more ? c : k;
                        w = more ? x : w;
                        c = more ? k : c;
                    }
                }
            }
        }
        move = ivec4(code[0] | code[1] << 16, code[2] | code[3] << 16, code[4] | code[5] << 16, code[6] | code[7] << 16);
        first = vec4(best[0], best[1], best[2], best[3]);
        last = vec4(best[4], best[5], best[6], best[7]);
    }
    // Chooses one of the moves with probabilities proportional to the likelihoods. u: from 0 to 1.
    kernel void choose(int key<>, ivec4 move<>, vec4 first<>, vec4 last<>, out int to<>) {
        float rest = random() * (dot(first, vec4(1.0)) + dot(last, vec4(1.0)));
        int k = 7;
        for (int i = 7; i >= 0; i--) {
            float before = 0.0;
            for (int j = 0; j < i; j++) before += j < 4 ? first[j] : last[j - 4];
            if (rest < before + (i < 4 ? first[i] : last[i - 4])) k = i;
        }
        int code = move[k / 2] >> (k % 2 * 16) & 0xffff;
        to = key + ((code >> 8) - 16) * 65536 + (code & 0xff) - 16;
    }
    kernel void start(int side, out int key<>) { key = random_int(side) << 16 | random_int(side); }
    kernel void count(int key<>, int side, inout int counts[]) { atomicAdd(counts[(key >> 16) * side + (key & 0xffff)], 1); }
    kernel void shade(int n<>, float a<>, out vec3 c<>) {
        float t = 1.0 - exp(-float(n) / 10.0);
        c = mix(vec3(0.05, 0.05, 0.1) + 0.35 * a * vec3(0.2, 0.4, 0.9), vec3(1.0, 0.85, 0.4), t);
    }
]=]

--- agents.program: the kernels.
agents.program = program

--- agents.field(side): the activity in each cell, a stream of float {side, side}: several Gaussians.
function agents.field(side)
    local list = {
        {0.25, 0.3, 0.09, 1}, {0.7, 0.25, 0.06, 0.8}, {0.6, 0.7, 0.12, 0.9}, {0.2, 0.8, 0.05, 1},
        {0.85, 0.85, 0.05, 0.7},
    }
    for _, g in ipairs(list) do
        for k = 1, 3 do g[k] = g[k] * side end
    end
    return program.field {g = rill.from(list, "vec4"), count = #list, shape = {side, side}}
end

--- agents.scatter(count, side, seed): the keys of agents in random cells.
function agents.scatter(count, side, seed)
    return program.start {side = side, shape = count, seed = seed}
end

--- agents.step(keys, activity, side, strategy, seed, sorted): the keys after one step, and the report of rill.reuse.run. sorted: sort agents by cell before.
function agents.step(keys, activity, side, strategy, seed, sorted)
    local from = sorted and keys:sort() or keys
    local move, first, last, report = rill.reuse.run(strategy, from, program.moves,
        {activity:reshape(side * side), side}, agents.SIZES[strategy])
    local to = program.choose:seed(seed)(from, move, first, last)
    for _, s in ipairs {move, first, last} do s:close() end
    if sorted then from:close() end
    return to, report
end

--- agents.counts(keys, side): how many agents are in each cell, a stream of int {side, side}.
function agents.counts(keys, side)
    local counts = rill.stream("int", side * side)
    program.count(keys, side, counts)
    return counts:reshape {side, side}
end

return agents
