-- Connected parts of a mask, numbered. The mask is packed into tiles of 4 rows of 8 pixels, a word each, whose parts are found by arithmetic of bits; parts
-- that touch across an edge of their tiles are united in a forest by atomic minima (D. P. Playne and K. Hawick, A new algorithm for parallel
-- connected-component labelling on GPUs, 2018; tiles as nodes: S. Allegretti and others, Optimized block-based algorithms to label connected components on
-- GPUs, 2020), whose paths are halved on the way (J. Jaiganesh and M. Burtscher, A high-performance connected components implementation for GPUs, 2018). Nodes
-- are numbered in the order of their first pixels, row by row, so a part's root is the node of the first of all its pixels.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local forest = require "rill.glsl.snippets.union_find"
local take <const> = require "rill.image.mask".take

local label = {}

local text <const> = forest .. [=[
    uint lowest(uint bits) { return bits & (~bits + 1u); }

    // The part of a tile that `seed` belongs to. Bit 8 y + x is pixel x of row y.
    uint part_of(uint seed, uint tile) {
        uint r = seed, before = 0u;
        for (int k = 0; k < 32 && r != before && r != tile; k++) {
            before = r;
            r |= ((r << 1 & 0xfefefefeu) | (r >> 1 & 0x7f7f7f7fu)) & tile;
            r |= ((r << 1 & 0xfefefefeu) | (r >> 1 & 0x7f7f7f7fu)) & tile;
            r |= (r << 8 | r >> 8) & tile;
        }
        return r;
    }
    uint firsts_of(uint tile) {
        uint firsts = 0u;
        for (uint rest = tile; rest != 0u;) {
            uint seed = lowest(rest);
            firsts |= seed;
            rest &= ~part_of(seed, rest);
        }
        return firsts;
    }
    // The same where the tile's `firsts` are known: most tiles have one part.
    uint known_part(uint seed, uint tile, uint firsts) {
        return (firsts & (firsts - 1u)) == 0u ? tile : part_of(seed, tile);
    }
    kernel void pack(bool mask[][], out uint tile<>, out uint first<>) {
        ivec2 at = ivec2(8, 4) * indexof(tile).xy;
        uint bits = 0u;
        for (int k = 0; k < 32; k++) bits |= mask[at + ivec2(k & 7, k >> 3)] ? 1u << k : 0u;
        tile = bits;
        first = firsts_of(bits);
    }
    kernel void pack_quads(ivec4 mask[][], out uint tile<>, out uint first<>) {
        ivec2 at = ivec2(2, 4) * indexof(tile).xy;
        uint bits = 0u;
        for (int k = 0; k < 8; k++) {
            uvec4 holds = uvec4(notEqual(mask[at + ivec2(k & 1, k >> 1)], ivec4(0))) << uvec4(0, 1, 2, 3);
            bits |= (holds.x | holds.y | holds.z | holds.w) << (4 * k);
        }
        tile = bits;
        first = firsts_of(bits);
    }

    // Nodes are first pixels, numbered row by row: up to each 32 pixels of a row there are `count_to`, those in it are the bits of `word`.
    kernel void words(uvec4 firsts[][], out uint word<>, out int count<>) {
        ivec2 at = indexof(word).xy;
        uvec4 row = (firsts[ivec2(at.x, at.y >> 2)] >> (8 * (at.y & 3)) & 255u) << uvec4(0, 8, 16, 24);
        word = row.x | row.y | row.z | row.w;
        count = bitCount(word);
    }
    int node(ivec2 tile, uint part, uint word[][], int count_to[][]) {
        int bit = findLSB(part);
        ivec2 at = ivec2(tile.x >> 2, 4 * tile.y + (bit >> 3));
        return count_to[at] - bitCount(word[at] >> (8 * (tile.x & 3) + (bit & 7)));
    }
    kernel void unite(uint tile<>, uint first<>, uint tiles[][], uint firsts[][], uint word[][],
                      int count_to[][], inout int parent[]) {
        ivec2 at = indexof(tile).xy;
        uint left = tiles[at - ivec2(1, 0)], above = tiles[at - ivec2(0, 1)];
        uint first_left = firsts[at - ivec2(1, 0)], first_above = firsts[at - ivec2(0, 1)];
        uint beside = tile & left >> 7 & 0x01010101u, over = tile & above >> 24;
        // Where four tiles meet and all hold, three touches unite them.
        if ((beside & over & tiles[at - 1] >> 31) != 0u) over &= over + 1u;
        while ((beside | over) != 0u) {
            bool up = over != 0u;
            int shift = up ? 24 : 7;
            uint seed = lowest(up ? over : beside), here = known_part(seed, tile, first);
            uint there = known_part(seed << shift, up ? above : left, up ? first_above : first_left);
            uint done = here & there >> shift;
            over &= up ? ~done : ~0u;
            beside &= up ? ~0u : ~done;
            int a = node(at, here, word, count_to);
            int b = node(at - (up ? ivec2(0, 1) : ivec2(1, 0)), there, word, count_to);
            UNITE(a, b)
        }
    }

    kernel void roots(int parent<>, out int root<>) { root = parent == indexof(root).x ? 1 : 0; }
    kernel void number(int parent[], int running[], out int n<>) {
        int i = indexof(n).x;
        for (int up = parent[i]; up != i; up = parent[i]) i = up;
        n = running[i];
    }
]=]

-- Writes a tile of labels: `quad` k has those of its bits from 4 k on.
local write_text <const> = [=[
    kernel void NAME(uint tile<>, uint first<>, int number[], uint word[][], int count_to[][],
                     inout T label[][]) {
        ivec2 at = indexof(tile).xy, size = sizeof_stream(label).xy, p;
        ivec4 QUADS;
        uint rest = tile;
        for (uint seeds = first; seeds != 0u; seeds &= seeds - 1u) {
            uint part = known_part(lowest(seeds), rest, seeds);
            int n = number[node(at, part, word, count_to)];
            rest &= ~part;
            SELECT
        }
        STORE
    }
]=]

-- `width`: elements of a tile's row, quads or pixels.
local function writer(name, type, width)
    local quads, select, store = {}, {}, {}
    for k = 0, 7 do
        quads[k + 1] = ("quad%d = ivec4(0)"):format(k)
        select[k + 1] = ("quad%d |= n & (ivec4(uvec4(part) << (uvec4(31, 30, 29, 28) - %du)) >> 31);"):format(k, 4 * k)
    end
    for i = 0, 4 * width - 1 do
        local y, x = i // width, i % width
        local value = width == 2 and ("quad%d"):format(i) or ("quad%d[%d]"):format(i // 4, i % 4)
        store[i + 1] = ("p = ivec2(%d * at.x + %d, 4 * at.y + %d); if (p.x < size.x && p.y < size.y) label[p] = %s;")
            :format(width, x, y, value)
    end
    return (write_text:gsub("%u[%u]+", {
        NAME = name, QUADS = table.concat(quads, ", "), SELECT = table.concat(select, " "),
        STORE = table.concat(store, " "),
    }):gsub("%f[%w_]T%f[^%w_]", type))
end

local program
local function made()
    program = program or rill.program(text .. writer("write", "int", 8) .. writer("write_quads", "ivec4", 2))
    return program
end

-- Four pixels of a row as one, which take the time of one; nil where rows do not part so.
local function quads_of(s)
    local rows <const>, columns <const> = table.unpack(s.shape)
    return columns % 4 == 0 and core._over(s, "ivec4", {rows, columns // 4}) or nil
end

-- The tiles of a mask, the first pixels of their parts, and those by fours.
local function tiles_of(p, mask)
    local down <const>, fours <const> = (mask.shape[1] + 3) // 4, (mask.shape[2] + 31) // 32
    local tile, by_fours = rill.stream("uint", {down, 4 * fours}), rill.stream("uvec4", {down, fours})
    local first = core._over(by_fours, "uint", tile.shape)
    local quads = quads_of(mask)
    local bounded <close> = (quads or mask):boundary "zero"
    if quads then
        p.pack_quads(bounded, tile, first)
        quads:close()
    else
        p.pack(bounded, tile, first)
    end
    return tile, first, by_fours
end

local function write(p, tile, first, numbers, word, count_to, labels)
    local quads = quads_of(labels)
    if quads then
        p.write_quads(tile, first, numbers, word, count_to, quads)
        quads:close()
    else
        p.write(tile, first, numbers, word, count_to, labels)
    end
end

-- The number of each node's part, and how many parts there are.
local function numbered(p, parent)
    local root <close> = p.roots(parent)
    local running <close> = root:scan()
    return p.number {parent = parent, running = running, shape = parent.size}, running:get(parent.size)
end

local function label_tiles(p, tile, first, by_fours, shape)
    local rows <const>, fours <const> = shape[1], by_fours.shape[2]
    local word, count = p.words {firsts = by_fours, shape = {rows, fours}}
    local count_to <close> = count:scan()
    local nodes, labels, parts = count_to:get(rows, fours), nil, 0
    if nodes > 0 then
        local beside, firsts = tile:boundary "zero", first:boundary "zero"
        local own = rill.iota(nodes)
        local parent <close> = own:copy()
        p.unite(tile, first, beside, firsts, word, count_to, parent)
        for _, s in ipairs {beside, firsts, own} do s:close() end
        local numbers
        numbers, parts = numbered(p, parent)
        labels = core._sized(count, shape) -- every pixel is written
        write(p, tile, first, numbers, word, count_to, labels)
        numbers:close()
    end
    word:close()
    count:close()
    return labels or rill.stream("int", shape), parts
end

--- rill.image.label(mask): labels, count. Pixels that hold and are beside or above each other are of one part; all pixels of part k of `count` have the label
-- k, an int, in the order of each part's first pixel, row by row; what does not hold has 0. Waits for the device, for the count.
label.label = errors.guard(function(given)
    local mask = take("rill.image.label", given)
    local p, shape = made(), mask.shape
    if mask.size == 0 then
        return rill.stream("int", shape), 0
    end
    local tile, first, by_fours = tiles_of(p, mask)
    if rill.type(given) == "stream" and mask ~= given then mask:close() end
    local labels, count = label_tiles(p, tile, first, by_fours, shape)
    tile:close()
    first:close()
    by_fours:close()
    return labels, count
end, "rill.image.label")

return label
