-- A program for mpi_spec: runs operations of distributed streams over random sizes, compares each with the same operation on
-- a stream of one rank, and prints the results, which must not depend on the number of ranks.
-- Arguments: a seed, and the number of rounds.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const>, long <const> = program.check, program.whole
math.randomseed(tonumber(arg[1]) or 1)
local rounds = tonumber(arg[2]) or 3
if math.random(2) == 1 then -- computes during exchanges also with few elements
    require("rill.mpi.launch").least_overlap = 0
end

local function say(...)
    if mpi.rank == 1 then
        print(...)
    end
end

local function equal(what, d, whole)
    local all = d:collect "all"
    check(what .. ": shape", table.concat(all.shape, "x") == table.concat(whole.shape, "x"))
    check(what .. ": elements", all:bytes() == whole:bytes())
    return all
end

local function hash(s)
    local h = 5381
    for i = 1, #s do
        h = (h * 33 + s:byte(i)) & 0xffffffffffff
    end
    return h
end

local function numbers(n, kind)
    local list = {}
    for i = 1, n do
        list[i] = kind == "int" and math.random(-50, 50) or math.random() * 10 ^ math.random(-3, 3)
    end
    return rill.from(list, kind)
end

local five = rill.kernel [=[
    kernel void five(neighbor float u<>, float k, out float r<>) {
        ivec2 p = indexof(r).xy;
        r = k * u[0][0] + 0.25 * (u[0][-1] + u[0][2] + u[-1][0] + u[2][1]) + float(p.x - p.y) / float(sizeof_stream(r).y);
    }
]=]
local line = rill.kernel [=[
    kernel void line(neighbor float u<>, out float r<>) { r = 0.5 * u[0] + u[-3] - u[2] + float(indexof(r).x); }
]=]
local far = rill.kernel [=[
    kernel void far(neighbor float u<>, int k, out float r<>) { r = u[k] - u[-k]; }
]=]
local pushes = rill.kernel [=[
    kernel void pushes(float x<>, vout float big<>, vout int at<>) {
        if (x > 1.0) { push(big, x); push(at, indexof(x).x); }
        if (x > 100.0) push(big, -x);
    }
]=]
local twice = rill.kernel "kernel void twice(inout float x<>, out float r<>) { x *= 2.0; r = x + 1.0; }"
local MODES = {"clamp", "wrap", "mirror", "zero", 2.5}

local function stencils(ranks)
    local h, w = math.random(1, 40), math.random(ranks and 64 or 1, 90)
    local whole = numbers(h * w, "float"):reshape {h, w}
    local modes = {MODES[math.random(1, 4)], MODES[math.random(1, 4)]}
    local d = mpi.stream("float", {h, w}, {init = whole, boundary = modes,
        ranks = ranks and mpi.size % 2 == 0 and {mpi.size // 2, 2} or nil})
    local e, s = d, whole
    for _ = 1, 3 do
        e = five(e, 0.5)
        e = e:boundary(table.unpack(modes))
        s = five(s:boundary(table.unpack(modes)), 0.5)
    end
    local all = equal(("five %dx%d %s %s"):format(h, w, modes[1], modes[2]), e, s)
    say("five", h, w, hash(all:bytes()), ("%a"):format(e:sum()), ("%a"):format(e:norm()), ("%a"):format(e:dot(d)))
    five {u = e, k = 0.25, r = e} -- in place
    five {u = s:boundary(table.unpack(modes)), k = 0.25, r = s}
    equal("in place", e, s)
    local mask = d:gt(1.0)
    local r, t = mpi.stream("float", {h, w}, {ranks = d.ranks}), rill.stream("float", {h, w})
    five {u = d, k = 1, r = r, where = mask}
    five {u = whole:boundary(table.unpack(modes)), k = 1, r = t, where = whole:gt(1.0)}
    equal("where", r, t)
    local changed = (d * 1):eval()
    local r2, same, none = twice(changed)
    check("an inout parameter is returned after the outputs", same == changed and none == nil)
    equal("inout", changed, (whole * 2):eval())
    equal("out after inout", r2, (whole * 2 + 1):eval())
    local index = {d:argmax()}
    check("argmax", table.concat(index, " ") == table.concat({whole:argmax()}, " "))
    check("min", d:min() == whole:min() and d:max() == whole:max())
    check(("mean %.17g %.17g"):format(d:mean(), whole:mean()),
        math.abs(d:mean() - whole:mean()) <= 1e-6 * math.abs(whole:mean()))
    check("std", math.abs(d:std() - whole:std()) <= 1e-6 * math.abs(whole:std()) + 1e-12)
end

local function lines(kind)
    local n = math.random(0, 3) == 0 and math.random(0, 6) or math.random(1, 5000)
    local whole = numbers(n, kind)
    local d = mpi.stream(kind, n, {init = n > 0 and whole or nil})
    local expected = whole:sum()
    local sum = d:sum()
    check("sum", math.abs(sum - expected) <= 1e-6 * (n > 0 and rill.abs(whole):sum() or 1))
    say("line", kind, n, ("%a"):format(sum))
    if n > 0 then
        equal("algebra", ((d * 2 + d) - 1):eval(), ((whole * 2 + whole) - 1):eval())
        equal("abs", rill.abs(d - 3):eval(), rill.abs(whole - 3):eval())
        local scanned = d:scan():collect "all"
        local exclusive = d:scan {exclusive = true}:collect "all"
        if kind == "int" then
            check("scan", scanned:bytes() == whole:scan():bytes())
            check("exclusive scan", exclusive:bytes() == whole:scan("add", {exclusive = true}):bytes())
        else
            check("scan", rill.abs(scanned - whole:scan()):max() <= 1e-5 * rill.abs(whole):sum())
        end
        say("scan", hash(scanned:bytes()), hash(exclusive:bytes()))
    end
    equal("sort", d:sort(), n > 0 and whole:sort() or whole)
    equal("descending", d:sort {descending = true}, n > 0 and whole:sort {descending = true} or whole)
    if n > 0 then
        local values, counts = d:unique()
        local v, c = whole:unique()
        equal("unique", values, v)
        equal("counts", counts, c)
        local kept = d:filter(d:gt(1))
        equal("filter", kept, whole:filter(whole:gt(1)))
        equal("rebalance", kept:rebalance(), whole:filter(whole:gt(1)))
        equal("find", d:find(d:gt(1)), whole:find(whole:gt(1)))
        local odd = rill.kernel(("kernel void odd(%s x<>, out bool r<>) { r = indexof(x).x %% 2 == 1; }"):format(kind))
        for _, given in ipairs {{"i % 7 > 2"}, {"i > from && x < 2", {from = 5}}, {odd}, {"x > 0"}} do
            equal("filter by index", d:filter(table.unpack(given)), whole:filter(table.unpack(given)))
            equal("find by index", kept:find(table.unpack(given)),
                whole:filter(whole:gt(1)):find(table.unpack(given)))
        end
        local some = d:gt(1):eval()
        for _, test in ipairs {some:ge(1), some:eq(true), "x && i > 3"} do
            local mask = type(test) == "string" and test or test:collect "all"
            equal("filter of bool", some:filter(test), some:collect "all":filter(mask))
        end
        for _, o in ipairs {{largest = true}, {largest = false}} do
            local best, places = d:top_k(math.min(n, 20), o)
            local values_of, places_of = whole:top_k(math.min(n, 20), o)
            check("top_k", best:bytes() == values_of:bytes() and places:bytes() == places_of:bytes())
        end
        local found = d:quantile {0, 0.3, 1}
        for i, x in ipairs(whole:quantile {0, 0.3, 1}) do
            check("quantile", found[i] == x)
        end
        check("median", d:median() == whole:median() and d:percentile(90) == whole:percentile(90))
        check("uneven sum", d:filter(d:gt(1)):sum() == kept:rebalance():sum())
        local bins = d:histogram {bins = 10, min = -60, max = 60}
        check("histogram", bins:bytes() == whole:histogram {bins = 10, min = -60, max = 60}:bytes())
    end
    local back = mpi.distribute(mpi.rank == mpi.size and whole or nil, mpi.size)
    equal("distribute", back, whole)
    if kind == "float" and n > 0 then
        local mode = MODES[math.random(1, 5)]
        equal("line " .. mode, line(d:boundary(mode)), line(whole:boundary(mode)))
        local wide = mpi.stream("float", n, {init = whole, halo = 7, boundary = mode})
        equal("far", far(wide, 7), far(whole:boundary(mode), 7))
        local big, at = pushes(d)
        local b, a = pushes(whole)
        equal("vout", big, b)
        equal("vout index", at, a)
    end
end

-- Several views of the same elements in one launch, and offsets in the condition of a push.
local function views()
    local pair = rill.kernel [=[
        kernel void pair(neighbor float u<>, neighbor float v<>, out float r<>) {
            r = u[-1][0] + 2.0 * u[6][0] + 3.0 * v[2][0] + 4.0 * v[0][-7];
        }
    ]=]
    local near = rill.kernel "kernel void near(neighbor float u<>, out float r<>) { r = u[-1][0] + 2.0 * u[1][0]; }"
    local choose = rill.kernel [=[
        kernel void choose(neighbor float u<>, vout float r<>) { if (u[1] > u[-2]) push(r, u[1]); }
    ]=]
    local whole = numbers(30 * 256, "float"):reshape {30, 256}
    local ranks = mpi.size == 4 and {2, 2} or {1, mpi.size}
    local d = mpi.stream("float", {30, 256}, {init = whole, ranks = ranks, boundary = "wrap"})
    local s = whole:boundary "wrap"
    equal("near", near(d), near(s))
    equal("a wider halo", pair(d, d), pair(s, s))
    equal("two modes", pair(d, d:boundary "zero"), pair(s, s:boundary "zero"))
    equal("two modes again", pair(d:boundary(5), d), pair(s:boundary(5), s))
    local line_of = numbers(1000, "float")
    equal("neighbors of a push", choose(mpi.stream("float", 1000, {init = line_of, boundary = "mirror"})),
        choose(line_of:boundary "mirror"))
    local wide = mpi.stream("float", 1000, {init = line_of, halo = 6})
    local again = far((far(wide, 6) * 2):copy(), 5)
    equal("the option halo is kept", far(again:map "x + 1.0", 3),
        far((far((far(line_of, 6) * 2):eval(), 5) + 1):eval(), 3))
    local halves = numbers(1000, "half")
    local step = rill.kernel "kernel void step(neighbor half u<>, out float r<>) { r = u[-3] + 2.0 * u[2]; }"
    equal("a value that the type does not have", step(mpi.stream("half", 1000, {init = halves, boundary = 0.1})),
        step(halves:boundary(0.1)))
    local view = d:boundary "zero"
    d:close()
    d:close()
    check("views of closed elements", not pcall(view.sum, view) and tostring(view):find "closed")
end

-- Types with fewer bits, sums beyond 2^31, equal values on several ranks, and variances much smaller than the mean.
local function extremes()
    local n = 2500
    for _, kind in ipairs(long and {"int8", "uint8", "int16", "uint16", "half", "bool"} or {"uint8", "bool"}) do
        local list = {}
        for i = 1, n do
            list[i] = i * 7 % 100
            if kind == "bool" then list[i] = i % 3 == 0 end
        end
        local whole = rill.from(list, kind)
        local d = mpi.stream(kind, n, {init = whole})
        equal("scan of " .. kind, d:scan(), whole:scan())
        check("argmax of " .. kind, d:argmax() == whole:argmax())
        equal("sort of " .. kind, d:sort(), whole:sort())
    end
    for _, case in ipairs {{"int", 2000000000}, long and {"uint", 4000000000} or nil} do
        local kind, start = case[1], case[2]
        local whole = (rill.iota(n):cast(kind) + start):eval():cast(kind)
        local d = mpi.stream(kind, n, {init = whole})
        equal("scan that wraps", d:scan(), whole:scan())
        equal("sort of large " .. kind, d:sort {descending = true}, whole:sort {descending = true})
        equal("exclusive scan that wraps", d:scan {exclusive = true}, whole:scan("add", {exclusive = true}))
    end
    local list = {}
    for i = 1, n do list[i] = i % 700 == 5 and 0 / 0 or i % 37 end
    local some = rill.from(list, "float")
    for _, descending in ipairs {true, false} do
        equal("sort with NaN", mpi.stream("float", n, {init = some}):sort {descending = descending},
            some:sort {descending = descending})
    end
    local nan = rill.stream("float", n, 0 / 0)
    local values, counts = mpi.stream("float", n, {init = nan}):unique()
    check("unique NaN", values.size == 1 and counts:sum() == n)
    for i = 1, 3000 do list[i] = 1e6 + i % 2 / 16 end
    local variance = mpi.stream("float", 3000, {init = list}):var()
    check("variance", math.abs(variance - 1 / 1024) < 1e-12)
    say("extremes", ("%a"):format(variance))
end

-- Several boundary modes of the same elements in turn: the halos of one must not remain for the next.
local function modes_in_turn()
    local edge = rill.kernel [=[
        kernel void edge(neighbor float u<>, out float r<>) { r = u[-1][0] + 2.0 * u[1][0] + 4.0 * u[0][-3] + 8.0 * u[0][2]; }
    ]=]
    for _, ranks in ipairs {{mpi.size, 1}, mpi.size == 4 and {2, 2} or {1, mpi.size}} do
        local whole = numbers(8 * 256, "float"):reshape {8, 256}
        local d = mpi.stream("float", {8, 256}, {init = whole, ranks = ranks})
        for _, mode in ipairs {"zero", "wrap", "zero", "mirror", 2.5, "clamp", "zero", "wrap", 2.5, "mirror", 2.5} do
            for _, list in ipairs {{mode, mode}, {mode, "clamp"}, {"wrap", mode}} do
                local e, s = d:boundary(table.unpack(list)), whole:boundary(table.unpack(list))
                equal("mode " .. table.concat(list, " "), edge(e), edge(s))
            end
        end
    end
end

-- Values outside that are not values of the type, vectors and structures.
local function values_outside()
    local names = {bool = "bool", half = "float", int = "int", uint8 = "uint", unorm8 = "float", vec3 = "vec3",
        dvec2 = "dvec2"}
    for _, kind in ipairs(long and {"bool", "half", "int", "uint8", "unorm8", "vec3", "dvec2"} or
        {"bool", "unorm8", "dvec2"}) do
        local text = "kernel void shift(neighbor T p<>, out T r<>) { r = p[2][0]; }"
        local down = rill.kernel((text:gsub("T", names[kind])))
        local up = rill.kernel((text:gsub("T", names[kind]):gsub("%[2%]", "[-5]")))
        local whole = rill.stream(kind, {7, 3})
        for i = 1, 7 do
            local value = kind == "bool" and i % 2 == 0 or kind ~= "bool" and i / (kind == "unorm8" and 8 or 1)
            whole:domain({i, 1}, {i, 3}):fill(kind == "vec3" and {i, 2, 3} or kind == "dvec2" and {i, 2} or value)
        end
        for _, mode in ipairs {"zero", 1, 2.5, -1} do
            local d, s = mpi.stream(kind, {7, 3}, {init = whole, boundary = mode}), whole:boundary(mode)
            equal(("outside of %s %s"):format(kind, mode), down(d), down(s))
            equal(("outside of %s %s"):format(kind, mode), up(d), up(s))
        end
    end
    local Pair = rill.struct("Pair", "float x; int y;")
    local text = "struct Pair { float x; int y; }; "
    local make = rill.kernel(text .. [=[
        kernel void make(out Pair r<>) { r.x = float(indexof(r).y); r.y = indexof(r).x + 1; }
    ]=])
    local add = rill.kernel(text .. [=[
        kernel void add(neighbor Pair p<>, out float r<>) { r = p[1][0].x + 100.0 * float(p[-1][0].y) + p[0][1].x; }
    ]=])
    local d, s = mpi.stream(Pair, {9, 4}), rill.stream(Pair, {9, 4})
    make(d)
    make(s)
    for _, mode in ipairs {"zero", "wrap", "clamp", 3} do
        equal("structures " .. mode, add(d:boundary(mode)), add(s:boundary(mode)))
    end
    equal("rebalanced structures", d:rebalance(), s)
    check("structures are not numbers", not pcall(d.save, d, "none.npy") and not pcall(d.sum, d))
end

-- Halos that are wider than the parts, also with more ranks than rows.
local function wide_halos()
    local away = rill.kernel [=[
        kernel void away(neighbor float u<>, int k, out float r<>) { r = u[k][0] - 3.0 * u[-k][1] + 5.0 * u[0][-1]; }
    ]=]
    for _, rows in ipairs {1, 2, 3, 7} do
        for _, mode in ipairs(MODES) do
            local whole = numbers(rows * 5, "float"):reshape {rows, 5}
            local d = mpi.stream("float", {rows, 5}, {init = whole, halo = 11, boundary = mode})
            for _, k in ipairs {1, 4, 11} do
                equal(("away %d %s %d"):format(rows, mode, k), away(d, k), away(whole:boundary(mode), k))
            end
        end
    end
end

-- Streams that are views of others, on one rank.
local function distributed_views()
    local whole = numbers(24 * 30, "float"):reshape {24, 30}
    local list = {whole:transpose(), whole:domain({3, 5}, {20, 11}), whole:stride(3, 4), whole:flip(),
        whole:domain({4, 4}, {4, 4}), whole:domain({2, 1}, {1, 30}), whole * 2 + 1}
    for i, s in ipairs(list) do
        local root, copy = mpi.size // 2 + 1, (s * 1):eval()
        local d = mpi.distribute(mpi.rank == root and s or nil, root, {boundary = "zero"})
        equal("distribute view " .. i, d, copy)
        equal("init " .. i, mpi.stream("float", d.shape, {init = s}), copy)
    end
end

views()
extremes()
modes_in_turn()
values_outside()
wide_halos()
distributed_views()
local stir = rill.kernel [=[
    kernel void stir(neighbor float u<>, out float r<>) {
        r = random() < 0.5 ? u[0][1] + random() : u[-1][0] - random();
    }
]=]
local thin = rill.kernel "kernel void thin(float x<>, vout float r<>) { if (random() < 0.4) push(r, x + random()); }"

local keep = rill.kernel "kernel bool keep(float x<>) { return random() < 0.4; }"

local function draws(ranks)
    local h, w = math.random(1, 40), math.random(ranks and 64 or 1, 90)
    local whole = numbers(h * w, "float"):reshape {h, w}
    local d = mpi.stream("float", {h, w}, {init = whole,
        ranks = ranks and mpi.size % 2 == 0 and {mpi.size // 2, 2} or nil})
    local function planes(u)
        rill.seed(h)
        return stir(u), stir {u = u, seed = 5}, stir:seed(5)(u), u:map "x + random()", stir(u)
    end
    local list = {planes(d)}
    for i, s in ipairs {planes(whole)} do
        say("draws", h, w, hash(equal("draws " .. i, list[i], s):bytes()))
    end
    local n = math.random(1, 3000)
    whole = numbers(n, "float")
    local function rows(x)
        rill.seed(n)
        return thin(x), x:filter "random() < 0.3", x:map "x * random()", (x * 2):map "x * random()",
            x:filter(keep), x:find(keep:seed(3)), x:find "random() < 0.3"
    end
    list = {rows(mpi.stream("float", n, {init = whole}))}
    for i, s in ipairs {rows(whole)} do
        say("thin", n, hash(equal("thin " .. i, list[i], s):bytes()))
    end
end

for _ = 1, rounds do
    draws(false)
    draws(true)
    stencils(false)
    stencils(true)
    for _, kind in ipairs {"float", "int", long and "double" or nil} do -- small.lua always has double
        lines(kind)
    end
end
local passed = mpi.reduce(mpi.rank, "sum")
say("ranks", passed == mpi.size * (mpi.size + 1) // 2)
