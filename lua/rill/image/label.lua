-- Connected parts of a mask, numbered. The mask is packed into tiles of 4 rows of 8 pixels, a word each, whose parts are found by arithmetic of bits; parts
-- that touch across an edge of their tiles are united in a forest by atomic minima (D. P. Playne and K. Hawick, A new algorithm for parallel
-- connected-component labelling on GPUs, 2018; tiles as nodes: S. Allegretti and others, Optimized block-based algorithms to label connected components on
-- GPUs, 2020), whose paths are halved on the way (J. Jaiganesh and M. Burtscher, A high-performance connected components implementation for GPUs, 2018). A node
-- is the number of its first pixel, row by row, so a part's root is the first of all its pixels.
local core = require "rill.core"
local rill = require "rill"
local blame = require "rill.support.blame"
local take <const> = require "rill.image.mask".take

local label = {}

local text <const> = [=[
    uint lowest(uint bits) { return bits & (~bits + 1u); }

    // The part of a tile that `seed` belongs to. Bit 8 y + x is pixel x of row y.
    uint part_of(uint seed, uint tile) {
        uint r = seed, before = 0u;
        for (int k = 0; k < 32 && r != before; k++) {
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
            rest &= ~part_of(seed, tile);
        }
        return firsts;
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

    kernel void begin(out int parent<>) { parent = indexof(parent).x; }
    int node(ivec2 tile, uint part, int columns) {
        int bit = findLSB(part);
        return (4 * tile.y + (bit >> 3)) * columns + 8 * tile.x + (bit & 7);
    }
    #define HALVE_TO_ROOT(i) { \
        int up = parent[i]; \
        if (up != i) { \
            for (int more = parent[up]; more != up; more = parent[up]) { parent[i] = more; i = up; up = more; } \
            i = up; \
        } \
    }
    // Parents only ever become less. What was put below another in between is found so by the minimum, which gives its parent of before.
    kernel void unite(uint tile<>, uint tiles[][], int columns, inout int parent[]) {
        ivec2 at = indexof(tile).xy;
        uint left = tiles[at - ivec2(1, 0)], above = tiles[at - ivec2(0, 1)];
        uint beside = tile & left >> 7 & 0x01010101u, over = tile & above >> 24;
        // Where four tiles meet and all hold, three touches unite them.
        if ((beside & over & tiles[at - 1] >> 31) != 0u) over &= over + 1u;
        while ((beside | over) != 0u) {
            bool up = over != 0u;
            int shift = up ? 24 : 7;
            uint seed = lowest(up ? over : beside), here = part_of(seed, tile);
            uint there = part_of(seed << shift, up ? above : left), done = here & there >> shift;
            over &= up ? ~done : ~0u;
            beside &= up ? ~0u : ~done;
            int a = node(at, here, columns), b = node(at - (up ? ivec2(0, 1) : ivec2(1, 0)), there, columns);
            HALVE_TO_ROOT(b)
            while (a != b) {
                int high = max(a, b), before = atomicMin(parent[high], min(a, b));
                b = min(a, b);
                a = before == high ? b : before;
            }
        }
    }

    // The roots among 128 pixels of a row, as bits; `firsts` are four tiles each.
    uint roots_in(uvec4 tiles, int row, int start, int parent[]) {
        uvec4 parts = (tiles >> (8 * row) & 255u) << uvec4(0, 8, 16, 24);
        uint found = 0u;
        for (uint rest = parts.x | parts.y | parts.z | parts.w; rest != 0u; rest &= rest - 1u) {
            int i = start + findLSB(rest);
            if (parent[i] == i) found |= lowest(rest);
        }
        return found;
    }
    int ones(uvec4 bits) { return bitCount(bits.x) + bitCount(bits.y) + bitCount(bits.z) + bitCount(bits.w); }
    kernel void roots(uvec4 firsts[][], int parent[], int columns, out uvec4 root<>, out int count<>) {
        ivec2 at = indexof(root).xy, tiles = ivec2(4 * at.x, at.y >> 2);
        int row = at.y & 3, start = at.y * columns + 128 * at.x;
        root.x = roots_in(firsts[tiles], row, start, parent);
        root.y = roots_in(firsts[tiles + ivec2(1, 0)], row, start + 32, parent);
        root.z = roots_in(firsts[tiles + ivec2(2, 0)], row, start + 64, parent);
        root.w = roots_in(firsts[tiles + ivec2(3, 0)], row, start + 96, parent);
        count = ones(root);
    }
    // Part k has -k in its root.
    #define NUMBER(roots, start) for (uint rest = roots; rest != 0u; rest &= rest - 1u) parent[start + findLSB(rest)] = -++n;
    kernel void number(uvec4 root<>, int count_to<>, int columns, inout int parent[]) {
        int start = indexof(root).y * columns + 128 * indexof(root).x, n = count_to - ones(root);
        NUMBER(root.x, start)
        NUMBER(root.y, start + 32)
        NUMBER(root.z, start + 64)
        NUMBER(root.w, start + 96)
    }
    int number_of(int i, int parent[]) {
        for (i = parent[i]; i >= 0; i = parent[i]) {}
        return -i;
    }
]=]

-- Writes a tile of labels: `quad` k has those of its bits from 4 k on.
local write_text <const> = [=[
    kernel void NAME(uint tile<>, int parent[], int columns, inout T label[][]) {
        ivec2 at = indexof(tile).xy, size = sizeof_stream(label).xy, p;
        ivec4 QUADS;
        for (uint rest = tile; rest != 0u;) {
            uint part = part_of(lowest(rest), tile);
            int n = number_of(node(at, part, columns), parent);
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
    local first <close> = core._over(by_fours, "uint", tile.shape)
    local quads = quads_of(mask)
    local bounded <close> = (quads or mask):boundary "zero"
    if quads then
        p.pack_quads(bounded, tile, first)
        quads:close()
    else
        p.pack(bounded, tile, first)
    end
    return tile, by_fours
end

local function write(p, tile, parent, labels)
    local columns <const> = labels.shape[2]
    local quads = quads_of(labels)
    if quads then
        p.write_quads(tile, parent, columns, quads)
        quads:close()
    else
        p.write(tile, parent, columns, labels)
    end
end

-- Numbers the roots of the forest and returns how many there are.
local function number(p, by_fours, parent, rows, columns)
    local shape <const> = {rows, (columns + 127) // 128}
    local firsts <close> = by_fours:boundary "zero"
    local root, count = p.roots {firsts = firsts, parent = parent, columns = columns, shape = shape}
    local count_to <close> = count:scan()
    p.number(root, count_to, columns, parent)
    root:close()
    count:close()
    return count_to:get(table.unpack(shape))
end

local function label_tiles(p, tile, by_fours, shape)
    local rows <const>, columns <const> = table.unpack(shape)
    local parent <close> = p.begin {shape = rows * columns}
    local bounded <close> = tile:boundary "zero"
    p.unite(tile, bounded, columns, parent)
    local count <const> = number(p, by_fours, parent, rows, columns)
    local labels = core._sized(parent, shape) -- every pixel is written
    write(p, tile, parent, labels)
    return labels, count
end

--- rill.image.label(mask): labels, count. Pixels that hold and are beside or above each other are of one part; all pixels of part k of `count` have the label
-- k, an int, in the order of each part's first pixel, row by row; what does not hold has 0. Waits for the device, for the count.
label.label = blame.guard(function(given)
    local mask = take("rill.image.label", given)
    local p, shape = made(), mask.shape
    local tile, by_fours = tiles_of(p, mask)
    if rill.type(given) == "stream" and mask ~= given then mask:close() end
    local labels, count
    if tile:any() then
        labels, count = label_tiles(p, tile, by_fours, shape)
    else
        labels, count = rill.stream("int", shape), 0
    end
    tile:close()
    by_fours:close()
    return labels, count
end, "rill.image.label")

return label
