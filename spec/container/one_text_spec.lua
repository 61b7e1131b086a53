-- One kernel, over everything that can take the place of a stream.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local T <const> = rill.translator

local ranks <const> = {
    [2] = {
        size = 16, page = {4, 4}, tree = "quadtree",
        boxes = {{{3, 4}, {8, 7}}, {{13, 10}, {16, 16}}},
        kernel = rill.kernel [[kernel void all(neighbor float n<>, float x<>, float g[][], out float r<>, inout float s<>) {
            ivec2 p = indexof(x).xy;
            r = x + 2.0 * n[ivec2(1, -1)] + 4.0 * g[p.y][p.x] + 8.0 * g[p + ivec2(-2, 1)] + 16.0 * n[0][2]
                + 32.0 * sample(g, vec2(p) + vec2(0.5, -0.25)) + float(p.x + 100 * p.y);
            s += r;
        }]],
    },
    [3] = {
        size = 8, page = {2, 2, 2}, tree = "octree",
        boxes = {{{2, 3, 4}, {4, 4, 5}}, {{6, 6, 5}, {8, 7, 6}}},
        kernel = rill.kernel [[kernel void all(neighbor float n<>, float x<>, float g[][][], out float r<>, inout float s<>) {
            ivec3 p = indexof(x).xyz;
            r = x + 2.0 * n[ivec3(1, -1, 0)] + 4.0 * g[p.z][p.y][p.x] + 8.0 * g[p + ivec3(-2, 1, 1)]
                + float(p.x + 10 * p.y + 100 * p.z);
            s += r;
        }]],
    },
}

local function whole(size, rank, extra)
    local shape = {}
    for d = 1, rank do shape[d] = size + extra end
    return shape
end

-- Containers of (size + 1)^rank elements, all `value` at first, by their kinds.
local function kinds(rank)
    local case = ranks[rank]
    local shape, count = whole(case.size, rank, 1), (case.size + 1) ^ rank // 1 | 0
    local last = whole(case.size, rank, 0) -- coordinates
    local zero = whole(0, rank, 0)
    return {
        stream = function(value) return rill.stream("float", shape):fill(value) end,
        array = function(value) return rill.array("float", shape):fill(value) end,
        sparse = function(value) return rill.sparse("float", shape, {page = case.page, default = value}) end,
        hashgrid = function(value) return rill.hashgrid("float", {page = case.page, default = value}) end,
        tree = function(value)
            return rill[case.tree]("float", {size = case.size, page = case.page[1], default = value})
        end,
        adaptive = function(value)
            local t = T.pages {shape = shape, page = case.page, adaptive = true}
            return rill.virtual(t:map(zero, last, 0, 0), rill.physical("float",
                (case.size // case.page[1] + 1) ^ rank * case.page[1] ^ rank // 1 | 0)):fill(value)
        end,
        fold = function(value)
            local to = {count // 7 + 1, 7}
            return rill.virtual(T.fold {shape = shape, to = to}, rill.physical("float", to)):fill(value)
        end,
        own = function(value)
            local t = T.compose(T.linear {shape = count}, T.linear {shape = shape})
            return rill.virtual(t, rill.physical("float", count)):fill(value)
        end,
    }
end

local common <const> = {array = true, sparse = true, hashgrid = true, tree = true}

describe("one kernel text", function()
    leaks.watch(setup, teardown)

    for rank, case in pairs(ranks) do
        local name = ("reads and writes whatever it is given, in %d dimensions"):format(rank)
        local function compare(chosen)
            local expected, greatest
            local most = rill.kernel "reduce void most(float x<>, reduce float r<>) { r = max(r, x); }"
            local names, makers = {"stream"}, kinds(rank)
            for kind in pairs(makers) do
                if kind ~= "stream" and chosen[kind] then names[#names + 1] = kind end
            end
            for _, kind in ipairs(names) do
                local make = makers[kind]
                local c, r, s = make(5), make(0), make(1)
                for i, box in ipairs(case.boxes) do
                    local shape, n = {}, 1
                    for d = 1, rank do
                        shape[d] = box[2][d] - box[1][d] + 1
                        n = n * shape[d]
                    end
                    c:write(((rill.iota(n) * (7 * i)) % 23):reshape(shape), box[1], box[2])
                end
                local ranges, values = {}, {}
                local ranged = kind == "stream" and rill.array("float", whole(case.size, rank, 1)) or c
                for i, box in ipairs(case.boxes) do ranges[i] = ranged:range(box[1], box[2]) end
                case.kernel {n = c, x = c, g = c, r = r, s = s, over = ranges}
                for _, result in ipairs {c, r, s} do
                    for _, box in ipairs(case.boxes) do values[#values + 1] = result:values(box[1], box[2]) end
                end
                if not expected then
                    expected, greatest = values, most(c)
                    assert.is_true(greatest > 5)
                end
                for i = 1, #expected do
                    local same, message = pcall(check.equal, expected[i], values[i])
                    assert(same, ("%s: %s"):format(kind, message))
                end
                assert.equal(greatest, most(c), kind)
                for _, result in ipairs {r, s} do -- nothing else was written
                    assert.equal(result == r and 0 or 1, result:get(table.unpack(whole(0, rank, 1))), kind)
                end
            end
        end
        if rank == 2 then
            shortened(it, name, function(all)
                compare(all and kinds(rank) or {array = true, sparse = true, tree = true})
            end)
        else
            it(name .. " #long", function() compare(common) end)
        end
    end
end)
