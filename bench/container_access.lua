-- After Table III and Figure 10 of Lefohn et al., "Glift" (2006): the seconds and operations that kernels need to access an element of a container, compared with
-- GLSL programs written by hand for one shape; and the bandwidth of paged memory over the size of its pages.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"
local spirv = require "bench.support.spirv"

local T <const> = rill.translator
local count <const>, rounds <const> = 1 << 21, 9
local side <const>, page <const> = 1024, 16
local pages <const> = side // page
local trips <const>, lanes <const> = 32, 8 -- of the programs by hand: steps of a lane, and lanes

-- By hand: a lane loads four words of points at a time and stores four floats; it processes `step` elements, 4 or 16, one after the other.
local function steps_of(rank, step)
    local lines = {}
    for j = 0, step // 4 - 1 do
        lines[#lines + 1] = (rank == 1 and [[
            ivec4 aJ = ivec4(texelFetch(points, i * EACH + J));
            r[i * EACH + J] = vec4(look(aJ.x), look(aJ.y), look(aJ.z), look(aJ.w));]] or [[
            ivec4 aJ = ivec4(texelFetch(points, 2 * (i * EACH + J)));
            ivec4 bJ = ivec4(texelFetch(points, 2 * (i * EACH + J) + 1));
            r[i * EACH + J] = vec4(look(aJ.xy), look(aJ.zw), look(bJ.xy), look(bJ.zw));]]):gsub("EACH", step // 4)
        lines[j + 1] = lines[j + 1]:gsub("J", j)
    end
    return table.concat(lines, "\n")
end

local function program(rank, inputs, access, step)
    local lines = {"layout(local_size_x = 8) in;", "layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };",
                   "layout(binding = 0) uniform usamplerBuffer points;"}
    for i, name in ipairs(inputs) do
        lines[#lines + 1] = ("layout(binding = %d) uniform usamplerBuffer %s;"):format(i, name)
    end
    lines[#lines + 1] = access
    lines[#lines + 1] = ([[
        void main() {
            int i = int(gl_WorkGroupID.x * gl_WorkGroupSize.x) * %d + int(gl_LocalInvocationID.x);
            for (int k = 0; k < %d; k++, i += 8) {
                %s
            }
        }]]):format(trips, trips, steps_of(rank, step))
    return table.concat(lines, "\n")
end

-- Each case: rill's kernel, and the access by hand. BOUNDS is the guarantee of rill: an index outside is clamped, and an unmapped element reads as zero. Without
-- it the program trusts its points and its table.
local cases = {
    {
        name = "stream, 1-D to 2-D", rank = 1, inputs = {"memory"},
        kernel = "kernel void look(int p<>, float c[], out float r<>) { r = c[p]; }",
        access = [[
            float look(int p) {
                if (BOUNDS) p = clamp(p, 0, SIDE * SIDE - 1);
                int y = p / SIDE, x = p - y * SIDE;
                return uintBitsToFloat(texelFetch(memory, y * SIDE + x).x);
            }]],
    }, {
        name = "page table, 1 level", rank = 2, inputs = {"memory", "frames"},
        kernel = "kernel void look(ivec2 p<>, float c[][], out float r<>) { r = c[p.y][p.x]; }",
        access = [[
            float look(ivec2 p) {
                if (BOUNDS) p = clamp(p, ivec2(0), ivec2(SIDE - 1));
                ivec2 g = p >> BITS, o = p & (PAGE - 1);
                int w = int(texelFetch(frames, g.y * PAGES + g.x).x);
                int at = (w - 1) * PAGE * PAGE + o.y * PAGE + o.x;
                float v = uintBitsToFloat(texelFetch(memory, BOUNDS ? max(at, 0) : at).x);
                return BOUNDS && at < 0 ? 0.0 : v;
            }]],
    }, {
        name = "adaptive, two calls", rank = 2, inputs = {"memory", "entries", "other"},
        kernel = [[kernel void look(ivec2 p<>, float c[][], float d[][], out float r<>) {
            r = c[p.y][p.x] + d[p.y][p.x];
        }]],
        access = [[
            float look(ivec2 p) {
                if (BOUNDS) p = clamp(p, ivec2(0), ivec2(SIDE - 1));
                ivec2 g = p >> BITS;
                int e = int(texelFetch(entries, g.y * PAGES + g.x).x), level = e & 31;
                ivec2 o = (p >> level) & (PAGE - 1);
                int at = ((e >> 5) - 1) * PAGE * PAGE + o.y * PAGE + o.x, k = BOUNDS ? max(at, 0) : at;
                float v = uintBitsToFloat(texelFetch(memory, k).x) + uintBitsToFloat(texelFetch(other, k).x);
                return BOUNDS && at < 0 ? 0.0 : v;
            }]],
    },
}

local function by_hand(case, bounds, step, access)
    local names = {SIDE = side, PAGE = page, PAGES = pages, BITS = 4, BOUNDS = bounds}
    return (program(case.rank, case.inputs, access or case.access, step):gsub("%f[%w]%u+%f[%W]", function(word)
        return names[word] ~= nil and tostring(names[word]) or nil
    end))
end

-- Containers that cover side^2, whose pages are stored in random order, and the tables that hand-written programs need to read the same.
local function pack(words) return rill.from(words, "int"):bytes() end

local function shuffled(n) return rill.permutation(n, {seed = 1}):values() end

local function made_fold()
    local memory = rill.random({side, side}, {seed = 5})
    return {rill.virtual(T.fold {shape = side * side, to = {side, side}}, memory)}, {memory:bytes()}
end

local function made_pages()
    local t = T.pages {shape = {side, side}, page = {page, page}, levels = 1}
    local memory, words = rill.random(side * side), {}
    for i, frame in ipairs(shuffled(pages * pages)) do
        t:map({(i - 1) % pages * page, (i - 1) // pages * page}, nil, frame)
        words[i] = frame + 1
    end
    return {rill.virtual(t, memory)}, {memory:bytes(), pack(words)}
end

-- One page for everything, and finer pages in two quarters of the domain.
local function made_adaptive()
    local t = T.pages {shape = {side, side}, page = {page, page}, adaptive = true}
    local top, half, words = 6, side // 2, {}
    t:map({0, 0}, nil, 0, top):map({0, 0}, {half - 1, half - 1}, 1, 2)
    local fine, frames = pages // 2, 1 + (half // (4 * page)) ^ 2 // 1 | 0
    for i, frame in ipairs(shuffled(fine * fine)) do
        t:map({half + (i - 1) % fine * page, half + (i - 1) // fine * page}, nil, frames + frame, 0)
    end
    for i = 1, pages * pages do
        local x, y = (i - 1) % pages * page, (i - 1) // pages * page
        local level = x < half and y < half and 2 or x >= half and y >= half and 0 or top
        words[i] = t:translate({x, y}) // (page * page) + 1 << 5 | level
    end
    local n = (frames + fine * fine) * page * page
    local memory, other = rill.random(n, {seed = 3}), rill.random(n, {seed = 4})
    return {rill.virtual(t, memory), rill.virtual(t, other)}, {memory:bytes(), pack(words), other:bytes()}
end

-- Returns the operations per element: of the whole program over the elements of a step, and the part that is the access, which is the difference
-- from a kernel that stores its point instead.
local function counted(whole, without, elements)
    local n = spirv.count(whole)
    return {n / elements, (n - spirv.count(without)) / elements}
end

local function steps(kernel, arguments)
    return tonumber(kernel:explain(arguments):match("(%d+) elements? per step")) or 1
end

-- Replaces the access by the point's bits as a float, which cost almost nothing.
local function bits_of(rank, p)
    return (rank == 1 and "intBitsToFloat(P)" or "intBitsToFloat(P.x ^ P.y)"):gsub("P", p)
end

local function counted_kernel(kernel, arguments, rank)
    kernel(arguments)
    local source, elements = kernel:source(), steps(kernel, arguments)
    local without, found = source:gsub("(void u_look%b()%s*)%b{}", "%1{ u_r = " .. bits_of(rank, "u_p") .. "; }")
    assert(found == 1, "the kernel's body is not found")
    return counted(source, without, elements)
end

-- Adds rows of seconds for one case, and to `lines`, if given, lines of operations.
local function add_case(case, points, rows, lines)
    local containers, inputs = case.make()
    local kernel = rill.kernel(case.kernel)
    local out <close> = rill.stream("float", count)
    local arguments = {p = points, c = containers[1], d = containers[2], r = out}
    local function set_baked(on)
        for _, c in ipairs(containers) do c:bake(on) end
    end
    local shaders, contenders = {}, {}
    local expected
    for i, bounds in ipairs {true, false, true, false} do
        local step = i <= 2 and 4 or 16
        shaders[i] = peer.shader(by_hand(case, bounds, step), count // (lanes * trips * step), 4 * count,
            points:bytes(), table.unpack(inputs))
        peer.shader_run(shaders[i])
        contenders[i + 2] = function() return peer.shader_run(shaders[i], 3) end
        expected = expected or peer.shader_read(shaders[i])
        assert(peer.shader_read(shaders[i]) == expected, case.name .. ": the programs by hand differ")
    end
    for i, on in ipairs {false, true} do
        set_baked(on)
        kernel(arguments)
        assert(out:bytes() == expected, case.name .. ": other values than by hand")
        contenders[i] = function()
            set_baked(on)
            return support.timed(function() kernel(arguments) end, 3)
        end
    end
    local plainly, baked, kept, trusting, kept16, trusting16 = support.race(rounds, table.unpack(contenders))
    kept, trusting = math.min(kept, kept16), math.min(trusting, trusting16) -- as many elements a step as serve them best
    for _, number in ipairs(shaders) do peer.shader_close(number) end
    rows[#rows + 1] = support.costs(case.name .. ", baked", baked, "GLSL by hand, bounds kept", kept, 1.1)
    rows[#rows + 1] = support.costs(case.name .. ", baked", baked, "GLSL by hand, no bounds", trusting, 1.1)
    rows[#rows + 1] = support.costs(case.name .. ", not baked", plainly, "GLSL by hand, bounds kept", kept, 1.1)
    if not lines then return end
    local found = {}
    for i, on in ipairs {false, true} do
        set_baked(on)
        found[i] = counted_kernel(kernel, arguments, case.rank)
    end
    local point = case.rank == 1 and "int" or "ivec2"
    local none = ("float look(%s p) { return %s; }"):format(point, bits_of(case.rank, "p"))
    for i, bounds in ipairs {true, false} do
        local step = steps(kernel, arguments)
        found[i + 2] = counted(by_hand(case, bounds, step), by_hand(case, bounds, step, none), step)
    end
    for i, what in ipairs {"whole program", "access"} do
        local a, b, c, d = found[1][i], found[2][i], found[3][i], found[4][i]
        lines[#lines + 1] = {case.name .. ", " .. what, a, b, c, d, b / c, b / d}
    end
end

-- Figure 10: gigabytes per second of RGBA8 elements, each read once, row by row over side^2 of them, whose pages are stored in random order. Reads of
-- tables do not count.
local figure <const> = [=[
    const vec4 one = vec4(1.0);
    kernel void direct(vec4 x<>, out float r<>) { r = dot(x, one); }
    kernel void fixed_one(vec4 c[], int at, out float r<>) { r = dot(c[at], one); }
    kernel void sequential(vec4 c[], out float r<>) { r = dot(c[indexof(r).x], one); }
    kernel void chain1(int a<>, vec4 c[], out float r<>) { r = dot(c[a], one); }
    kernel void chain2(int a<>, int b[], vec4 c[], out float r<>) { r = dot(c[b[a]], one); }
    kernel void chain3(int a<>, int b[], int d[], vec4 c[], out float r<>) { r = dot(c[d[b[a]]], one); }
    kernel void paged(vec4 c[][], out float r<>) { ivec4 p = indexof(r); r = dot(c[p.y][p.x], one); }

    // The memory index of element n, whose page (w elements wide) is stored where `order` says; and the element stored at n.
    kernel void first_link(int order[], int side, int w, out int a<>) {
        int n = indexof(a).x, x = n % side, y = n / side;
        a = (order[y / w * (side / w) + x / w] * w + y % w) * w + x % w;
    }
    kernel void next_link(int order[], int w, out int a<>) {
        int n = indexof(a).x;
        a = order[n / (w * w)] * w * w + n % (w * w);
    }
    ]=]

local function paged_table(source, width, levels)
    local order = shuffled((side // width) ^ 2 // 1 | 0)
    local c = rill.sparse("unorm8x4", {side, side}, {
        page = {width, width}, levels = levels, capacity = #order,
        allocator = function() return order end,
    })
    return c:allocate({1, 1}, {side, side}):write(source:reshape {side, side}):bake()
end

-- Ways to read all of `source` into `out`, and the expected `out`: bytes, or sorted bytes if elements come in another order. Containers of pages are appended
-- to `opened`.
local function figure_ways(k, source, out, width, opened)
    local n = source.size
    local order <close> = rill.permutation((side // width) ^ 2 // 1 | 0, {seed = 2})
    local a = k.first_link(order, side, width, rill.stream("int", n))
    local b = k.next_link(order, width, rill.stream("int", n))
    table.move({a, b}, 1, 2, #opened + 1, opened)
    local ways = {
        {function() k.direct(source, out) end, "same"},
        {function() k.fixed_one(source, n // 2, out) end},
        {function() k.sequential(source, out) end, "same"},
        {function() k.chain1(a, source, out) end, "sorted"},
        {function() k.chain2(a, b, source, out) end, "sorted"},
        {function() k.chain3(a, b, b, source, out) end, "sorted"},
    }
    local flat = out:reshape {side, side}
    for levels = 1, 3 do
        local c = paged_table(source, width, levels)
        opened[#opened + 1] = c
        ways[#ways + 1] = {function() k.paged(c, flat) end, "same"}
    end
    return ways
end

local function figure_lines()
    local k = rill.program(figure)
    local source <close> = rill.random(side * side, {type = "vec4", seed = 6}):cast "unorm8x4"
    local out <close> = rill.stream("float", side * side)
    k.direct(source, out)
    local expected = {same = out:bytes(), sorted = out:sort():bytes()}
    local lines = {
        {"page", "direct", "fixed", "sequential", "chain 1", "chain 2", "chain 3", "table 1", "table 2", "table 3"},
    }
    for _, width in ipairs {1, 2, 4, 8, 16, 32, 64, 256, side} do
        local opened, contenders = {}, {}
        for i, way in ipairs(figure_ways(k, source, out, width, opened)) do
            local run, kind = way[1], way[2]
            run()
            local got = kind == "sorted" and out:sort() or out
            assert(not kind or got:bytes() == expected[kind], lines[1][i + 1] .. " gives other elements")
            contenders[i] = function() return support.timed(run, 2) end
        end
        local line = {("%d^2"):format(width)}
        for i, seconds in ipairs {support.race(rounds, table.unpack(contenders))} do
            line[i + 1] = 4 * side * side / seconds / 1e9
        end
        lines[#lines + 1] = line
        for _, x in ipairs(opened) do x:close() end
    end
    return lines
end

return function()
    local line <close> = rill.random(count, {type = "int", low = 0, high = side * side - 1, seed = 1})
    local spots_of = rill.kernel "kernel void spots(int n<>, int w, out ivec2 p<>) { p = ivec2(n % w, n / w); }"
    local spots <close> = spots_of(line, side)
    cases[1].make, cases[2].make, cases[3].make = made_fold, made_pages, made_adaptive
    local possible, missing = spirv.possible()
    local lines = possible and {
        {"operations an element", "rill", "baked", "by hand, bounds", "no bounds", "baked/bounds", "baked/no bounds"},
    }
    local rows = {}
    for _, case in ipairs(cases) do add_case(case, case.rank == 1 and line or spots, rows, lines) end
    local title <const> = "SPIR-V operations after spirv-opt -O; goal: access, baked / by hand at most 1.10"
    rows[#rows + 1] = lines and support.table(title, lines, "%.2f")
        or support.note("SPIR-V operations", missing)
    rows[#rows + 1] = support.table("GB/s of 1024^2 RGBA8 elements, pages at random", figure_lines(), "%.2f")
    return rows
end
