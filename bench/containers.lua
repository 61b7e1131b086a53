-- Address translators against kernels written by hand for one shape, whose sizes the compiler knows: addresses of random points.
local rill = require "rill"
local support = require "bench.support"

local T <const> = rill.translator
local count <const>, rounds <const> = 1 << 21, 7
local side <const>, page <const>, pages <const> = 256, 8, 32 -- of the cube of points, of its pages, and pages in its side

local text = [[
    const int side = SIDE, page = PAGE, pages = SIDE / PAGE, nowhere = -2147483647 - 1;
    bool inside(ivec3 v) { return uint(v.x) < uint(side) && uint(v.y) < uint(side) && uint(v.z) < uint(side); }

    kernel ivec2 fold(int v<>) { return uint(v) < uint(side * side) ? ivec2(v % side, v / side) : ivec2(nowhere); }

    kernel int one_level(ivec3 v<>, int frames[]) {
        ivec3 g = v / page, o = v % page;
        int w = frames[inside(v) ? (g.z * pages + g.y) * pages + g.x : 0];
        return inside(v) && w != 0 ? (w - 1) * page * page * page + (o.z * page + o.y) * page + o.x : nowhere;
    }

    kernel int two_levels(ivec3 v<>, int root[], int frames[]) {
        ivec3 g = v / page, o = v % page, r = g / 8, i = g % 8;
        int node = root[inside(v) ? (r.z * (pages / 8) + r.y) * (pages / 8) + r.x : 0];
        int w = node == 0 ? 0 : frames[(node - 1) * 512 + (i.z * 8 + i.y) * 8 + i.x];
        return inside(v) && w != 0 ? (w - 1) * page * page * page + (o.z * page + o.y) * page + o.x : nowhere;
    }

    // The indices of the tables of two levels, one after the other in memory.
    kernel void points(int n<>, out ivec3 p<>) {
        uint h = uint(n) * 2654435761u;
        h = h ^ h >> 15;
        p = ivec3(h & 255u, h >> 8 & 255u, h >> 16 & 255u);
    }
    kernel int frame_of_two(int n<>) { // entry n of the lower nodes: its frame among pages in row-major order, and 1
        int node = n / 512, i = n % 512;
        ivec3 r = ivec3(node % (pages / 8), node / (pages / 8) % (pages / 8), node / (pages / 8 * (pages / 8)));
        ivec3 g = r * 8 + ivec3(i % 8, i / 8 % 8, i / 64);
        return (g.z * pages + g.y) * pages + g.x + 1;
    }
]]

-- Seconds of the translator and of the kernel by hand, after both gave the same addresses.
local function race(t, points, by_hand)
    local mine <close> = t:translate(points)
    local other <close> = by_hand()
    assert(mine:bytes() == other:bytes(), t.name .. ": other addresses")
    return support.race(rounds, function()
        return support.timed(function() t:translate(points):close() end, 1)
    end, function()
        return support.timed(function() by_hand():close() end, 1)
    end)
end

local cube <const> = {128, 128, 128}

local function each_pair(f)
    local twice = rill.kernel "kernel void twice(float x<>, out float r<>) { r = 2.0 * x; }"
    local both = rill.kernel "kernel void both(float x<>, inout float r<>) { r = 0.5 * r + x; }"
    f("r = 2 x", twice)
    f("r = r / 2 + x", both)
end

-- Elements at random, through a page table and by a kernel that knows the sizes and reads as many tables.
local function add_lookups(rows, points)
    local kernels = rill.program [[
        kernel void look(ivec3 p<>, float c[][][], out float r<>) { r = c[p.z][p.y][p.x]; }
        kernel void chain(ivec3 p<>, int frames[], float m[], out float r<>) {
            ivec3 g = p / 8, o = p % 8;
            int w = frames[(g.z * 32 + g.y) * 32 + g.x];
            r = w > 0 ? m[(w - 1) * 512 + (o.z * 8 + o.y) * 8 + o.x] : 0.0;
        }
    ]]
    local memory <close> = rill.random(side * side * side)
    local t <close> = T.pages {shape = {side, side, side}, page = {page, page, page}, levels = 1}
    local c <close> = rill.virtual(t:map({0, 0, 0}, {side - 1, side - 1, side - 1}, 0), memory)
    local frames <close> = (rill.iota(pages * pages * pages) + 1):eval()
    local function mine() return kernels.look(points, c) end
    local function other() return kernels.chain(points, frames, memory) end
    local a <close> = mine()
    local b <close> = other()
    assert(a:bytes() == b:bytes(), "other elements")
    local looked, chained = support.race(rounds, function()
        return support.timed(function() mine():close() end, 1)
    end, function()
        return support.timed(function() other():close() end, 1)
    end)
    rows[#rows + 1] = support.costs("random lookup, page table, 2^21", looked, "a chain for one shape", chained, 1.11)
end

-- Primitives of what is mapped, which a launch makes a stream of, beside those of a stream.
local function add_primitives(rows, c, s)
    for _, name in ipairs {"sum", "scan", "sort"} do
        local function run(x)
            return support.timed(function()
                local result = x[name](x)
                if name ~= "sum" then result:close() end
            end, 1)
        end
        local flat <close> = s:reshape(s.size)
        local mine, other = support.race(rounds, function() return run(c) end, function() return run(flat) end)
        rows[#rows + 1] = support.note(name .. ", pages of 8^3", ("%.2f x that of a stream"):format(mine / other))
    end
end

-- Launches over all pages of sparse containers, whose places are shuffled, and over arrays, beside those over streams.
local function add_launches(rows)
    local from <close> = rill.random(cube)
    local to <close> = rill.stream("float", cube)
    local function add(case, k, x, r, range, goal)
        k {x = x, r = r, over = range}
        local mine, other = support.race(rounds, function()
            return support.timed(function() k {x = x, r = r, over = range} end, 5)
        end, function()
            return support.timed(function() k {x = from, r = to} end, 5)
        end)
        rows[#rows + 1] = support.costs(case, mine, "streams of 128^3", other, goal)
    end
    for _, size in ipairs {4, 8, 16, 32} do
        local c = rill.sparse("float", cube, {page = {size, size, size}})
        local n <const> = 128 // size
        local order <close> = rill.permutation(n * n * n, {seed = 1})
        for _, p in ipairs(order:values()) do
            c:allocate {p // (n * n) * size + 1, p // n % n * size + 1, p % n * size + 1}
        end
        local d <close> = c:copy()
        each_pair(function(name, k)
            add(("%s, pages of %d^3"):format(name, size), k, c, d, c:active(), 1.25)
        end)
        local around <const> = rill.kernel [[kernel void around(neighbor float x<>, out float r<>) {
            r = x[-1][0][0] + x[1][0][0] + x[0][-1][0] + x[0][1][0] + x[0][0][-1] + x[0][0][1] - 6.0 * x;
        }]]
        add(("six neighbours, pages of %d^3"):format(size), around, c, d, c:active(), 1.25)
        if size == 8 then add_primitives(rows, c:write(from), from) end
        c:close()
    end
    local a <close> = rill.array("float", cube)
    local b <close> = rill.array("float", cube)
    each_pair(function(name, k) add(name .. ", arrays", k, a, b, nil, 1.1) end)
end

-- What one page costs where so many are mapped, in boxes of pages of 2^3 elements: it should not grow. Growth of memory is left out. To iterate
-- touches all of them.
local function page_costs()
    local across <const>, runs <const> = 256, 200 -- of the domain in pages
    local double = rill.kernel "kernel void double_all(inout float x<>) { x *= 2.0; }"
    local lines = {{"mapped pages", "allocate", "release", "snapshot", "write shared", "diff", "undo", "iterate"}}
    for _, box in ipairs {{1, 10, 10}, {1, 32, 32}, {1, 100, 100}, {1, across, across}, {16, across, 245}} do
        local c <close> = rill.sparse("float", {2 * across, 2 * across, 2 * across}, {page = {2, 2, 2}})
        c:allocate({1, 1, 1}, {2 * box[1], 2 * box[2], 2 * box[3]})
        local line, at, taken = {("%d"):format(c.pages.mapped)}, 0, {}
        local function add(f, times)
            at = 0
            line[#line + 1] = support.duration(support.timed(function()
                at = at + 1
                f()
            end, times))
        end
        local function far() return {2 * across, 2 * across, 2 * at} end
        c:allocate({2 * across, 2 * across, 1}, {2 * across, 2 * across, 2 * runs}):release {2 * across, 2 * across, 1}
        c:release({2 * across, 2 * across, 1}, {2 * across, 2 * across, 2 * runs})
        add(function() c:allocate(far()) end, runs)
        add(function() c:release(far()) end, runs)
        add(function() taken[at] = c:snapshot() end, runs)
        for _, s in ipairs(taken) do s:close() end
        local s <close> = c:snapshot()
        add(function() c:set(1, 1, 1 + (at - 1) // 10 * 2, 2 * ((at - 1) % 10) + 1) end, 100)
        add(function() c:diff(s):close() end, 10)
        add(function() c:undo(s) end, 1)
        s:close()
        double {x = c, over = c:active()}
        add(function()
            local range <close> = c:active()
            double {x = c, over = range}
        end, 5)
        lines[#lines + 1] = line
    end
    return support.table("What one page of so many costs; of diff and undo, 100 pages", lines)
end

-- Linear interpolation by the device in a texture, beside that of a stream: 2^21 positions at random.
local function add_samples(rows)
    for _, shape in ipairs {{1024, 1024}, cube} do
        local rank = #shape
        local vector = rank == 2 and "vec2" or "vec3"
        local stream <close> = rill.random(shape, {seed = 1})
        local out <close> = rill.stream("float", count)
        local texture <close> = rill.array("float", shape, {storage = "texture"})
        texture:write(stream)
        local place = rill.kernel(([[
            kernel void place(float x<>, float y<>, float z<>, float side, out %s p<>) { p = %s(vec3(x, y, z)) * side; }
        ]]):format(vector, vector))
        local p <close> = place(rill.random(count, {seed = 2}), rill.random(count, {seed = 3}),
            rill.random(count, {seed = 4}), shape[1] - 1)
        local k = rill.kernel(("kernel void k(%s p<>, float c%s, out float r<>) { r = sample(c, p); }"):format(
            vector, ("[]"):rep(rank)))
        local function run(c)
            return function() return support.timed(function() k {p = p, c = c, r = out} end, 2) end
        end
        local mine, other = support.race(rounds, run(texture), run(stream))
        local case = ("sample, %d-D texture, 2^21 positions"):format(rank)
        rows[#rows + 1] = support.costs(case, mine, "of a stream", other, 1.1)
    end
end

return function()
    local hand = rill.program((text:gsub("SIDE", side):gsub("PAGE", page)))
    local line <close> = rill.random(count, {type = "int", low = 0, high = side * side - 1, seed = 1})
    local points <close> = hand.points(rill.iota(count))
    local last, entries = {side - 1, side - 1, side - 1}, rill.iota(pages * pages * pages)
    local one, two = (entries + 1):eval(), hand.frame_of_two(entries)
    local root = (rill.iota(pages * pages * pages // 512) + 1):eval()
    local shape, sizes = {side, side, side}, {page, page, page}
    local function mapped(levels)
        return T.pages {shape = shape, page = sizes, levels = levels}:map({0, 0, 0}, last, 0)
    end
    local cases = {
        {"1-D to 2-D", T.fold {shape = side * side, to = {side, side}}, line, function() return hand.fold(line) end},
        {"page table, 1 level", mapped(1), points, function() return hand.one_level(points, one) end},
        {"page table, 2 levels", mapped(2), points, function() return hand.two_levels(points, root, two) end},
    }
    local rows = {}
    for i, case in ipairs(cases) do
        local mine, other = race(case[2], case[3], case[4])
        rows[i] = support.costs(case[1] .. ", 2^21 addresses", mine, "a kernel of one shape", other, 1.1)
    end
    local hash = T.hash {page = sizes}:map({0, 0, 0}, last, 0)
    local mine, other = race(hash, points, function() return hand.one_level(points, one) end)
    rows[#rows + 1] = support.note("spatial hash, 2^21 addresses", ("%.2f x that of 1 level"):format(mine / other))
    add_lookups(rows, points)
    add_launches(rows)
    add_samples(rows)
    rows[#rows + 1] = page_costs()
    return rows
end
