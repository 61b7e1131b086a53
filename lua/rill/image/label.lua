-- Connected parts of a mask, numbered. Pixels that hold and lie in a row beside each other are a run; runs that touch in two rows are united in a forest whose
-- roots are the first runs of their parts, by atomic minima (D. P. Playne and K. Hawick, A new algorithm for parallel connected-component labelling
-- on GPUs, 2018, do so with pixels). Runs are numbered row by row, so a part's root has the first of its pixels.
local rill = require "rill"
local blame = require "rill.support.blame"
local take <const> = require "rill.image.mask".take

local label = {}

local HOPS <const> = 64 -- that a pass goes up at most: some devices cut long loops short

local text <const> = [=[
    kernel void begin(neighbor bool mask<>, out int head<>) { head = mask[0] && !mask[ivec2(-1, 0)] ? 1 : 0; }

    // Where two runs first touch: the numbers of both.
    kernel void touch(neighbor bool mask<>, neighbor int run<>, vout ivec2 pair<>) {
        if (mask[0] && mask[ivec2(0, -1)] && !(mask[ivec2(-1, 0)] && mask[ivec2(-1, -1)]))
            push(pair, ivec2(run[0], run[ivec2(0, -1)]) - 1);
    }

    // Parents only ever become less, and a run that was put below another in between is found so by the minimum, which gives its parent of before.
    kernel void unite(ivec2 pair<>, inout int parent[]) {
        int a = pair.x, b = pair.y;
        bool apart = a != b;
        while (apart) {
            for (int p = parent[a]; p != a; p = parent[a]) a = p;
            for (int p = parent[b]; p != b; p = parent[b]) b = p;
            apart = a != b;
            if (apart) {
                int high = max(a, b), low = min(a, b);
                int before = atomicMin(parent[high], low);
                apart = before != high;
                a = before;
                b = low;
            }
        }
    }
    kernel void rise(int parent[], out int higher<>) {
        int i = indexof(higher).x;
        for (int k = 0; k < HOPS && parent[i] != i; k++) i = parent[i];
        higher = i;
    }
    kernel void top(int parent<>, out int root<>) { root = parent == indexof(root).x ? 1 : 0; }
    kernel void name(int parent<>, int numbers[], out int number<>) { number = numbers[parent]; }
    kernel void spread(bool mask<>, int run<>, int numbers[], out int label<>) { label = mask ? numbers[run - 1] : 0; }
]=]

local program
local function made()
    program = program or rill.program((text:gsub("HOPS", HOPS)))
    return program
end

-- The root of each of `count` runs.
local function roots(p, mask, run, count)
    local pairs <close> = p.touch(mask, run:boundary "zero")
    local parent = rill.iota(count)
    p.unite(pairs, parent)
    local reach = 1
    while reach < count do
        local higher = p.rise {parent = parent, shape = count}
        parent:close()
        parent, reach = higher, reach * HOPS
    end
    return parent
end

--- rill.image.label(mask): labels, count. Pixels that hold and are beside or above each other are of one part; all pixels of part k of `count` have the label
-- k, an int, in the order of each part's first pixel, row by row; what does not hold has 0. Waits for the device, for the count.
label.label = blame.guard(function(mask)
    mask = take("rill.image.label", mask)
    if mask.size == 0 then
        return rill.stream("int", mask.shape), 0
    end
    local p <const>, bounded <const> = made(), mask:boundary "zero"
    local head <close> = p.begin(bounded)
    local run <close> = head:scan()
    local count = run:get(table.unpack(run.shape))
    if count == 0 then
        return rill.stream("int", mask.shape), 0
    end
    local parent <close> = roots(p, bounded, run, count)
    local root <close> = p.top(parent)
    local order <close> = root:scan()
    local numbers <close> = p.name(parent, order)
    return p.spread(mask, run, numbers), order:get(count)
end, "rill.image.label")

return label
