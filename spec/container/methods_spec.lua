-- Containers have the methods of streams.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local equal <const>, raises <const> = check.equal, check.raises

local function one(list)
    return #list == 1 and list[1] or list
end

-- Returns a container with some elements set, and the expected values of all elements.
local function filled(type, shape, options)
    local c = rill.sparse(type, one(shape), options)
    for _ = 1, 12 do
        local at = {}
        for d, size in ipairs(shape) do at[d] = math.random(size) end
        c:set(math.random(1, 99), table.unpack(at))
    end
    return c, c:stream()
end

local shapes <const> = {{{40}, {3}}, {{9, 11}, {4, 3}}, {{5, 6, 7}, {2, 3, 4}}}

describe("a container", function()
    leaks.watch(setup, teardown)

    it("has every method of a stream, or says what to do", function()
        local c, count = rill.sparse("float", {4, 4}, {page = {2, 2}}), 0
        for line in io.lines "lua/rill/shell/reference.lua" do
            local name = line:match "^s:([%w_]+)%("
            if name then
                count = count + 1
                assert.equal("function", type(c[name]), name)
            end
        end
        assert.is_true(count > 40)
        raises("c:gl: containers do not have this method of streams: c:range is a part for a launch", c.gl, c)
    end)

    it("gives boxes as bytes and in flight", function()
        for _, case in ipairs(shapes) do
            local c, s = filled("float", case[1], {page = one(case[2]), default = 2})
            assert.equal(s:bytes(), c:bytes())
            local first, last = {}, {}
            for d, size in ipairs(case[1]) do first[d], last[d] = 2, size - 1 end
            assert.equal(s:bytes(one(first), one(last)), c:bytes(one(first), one(last)))
            local request <close> = c:request(one(first), one(last))
            equal(s:values(one(first), one(last)), request:values())
        end
    end)

    local function convert(...)
        for _, case in ipairs {...} do
            local c, s = filled("float", case[1], {page = one(case[2]), default = 2.75})
            for _, type in ipairs {"int", "half", "double"} do
                local cast = c:cast(type)
                equal({type, c.pages.mapped}, {cast.type, cast.pages.mapped})
                equal(s:cast(type):values(), cast:values())
            end
            local mapped = c:map("x * x + k", {k = 3})
            assert.equal(c.pages.mapped, mapped.pages.mapped)
            equal(s:map("x * x + k", {k = 3}):values(), mapped:values())
            local like = c:like "int"
            equal({"int", 0, 0}, {like.type, like.pages.mapped, like:get(table.unpack(case[1]))})
        end
    end

    it("is converted and mapped in other dimensions #long", function() convert(shapes[1], shapes[3]) end)

    it("is converted and mapped in place, its default too", function()
        convert(shapes[2])
        local h = rill.hashgrid("int", {page = {2, 2}, default = -3}):set(4, -5, 7)
        equal({16, 9, 4.0, -3.0}, {h:map("x * x"):get(-5, 7), h:map("x * x"):get(9, 9), h:cast("float"):get(-5, 7),
            h:cast("float"):get(9, 9)})
        local a = rill.array("float", {2, 3}):fill(2.5)
        equal({3.5, 2, 0}, {a:map("x + 1"):get(2, 3), a:cast("int"):get(1, 1), a:like("int"):get(1, 1)})
        raises("c:map: argument #1 'expression': expected an expression in x", a.map, a, 3)
        raises("c:like: expected at most 1 argument, got 2", a.like, a, "int", "int")
        raises("c:cast: argument #1 'type': unknown type 'foo'", a.cast, a, "foo")
    end)

    it("is gathered from, by numbers and coordinates", function()
        for d, case in ipairs(shapes) do
            local c, s = filled("int", case[1], {page = one(case[2]), default = -1})
            local flat <close> = rill.random(60, {type = "int", low = 0, high = s.size - 1})
            equal(rill.gather(s, flat):values(), rill.gather(c, flat):values())
            if d > 1 then
                local points = {}
                for i = 1, 60 do
                    points[i] = {}
                    for k = 1, d do points[i][k] = math.random(-1, case[1][d + 1 - k]) end
                end
                local at <close> = rill.from(points, "ivec" .. d)
                equal(rill.gather(s, at):values(), rill.gather(c, at):values())
            end
        end
        local c = rill.sparse("float", {4, 4}, {page = {2, 2}})
        raises("rill.gather: argument #2 'index': expected a stream, got container.*: its elements as one are c:stream",
            rill.gather, rill.iota(4), c)
        raises("rill.matmul: argument #1 'a': expected a stream, got container.*: its elements as one are c:stream",
            rill.matmul, c, c)
        raises("rill.image.save: argument #1 's': expected a stream, got container.*: its elements as one are c:stream",
            rill.image.save, c, "/dev/null")
    end)

    shortened(it, "is gathered from by flat indices, whatever dimensions have a size of 1", function(whole)
        local index = rill.from({-1, 3, 0, 1, 2, 4, 7}, "int")
        for _, shape in ipairs(whole and {{1}, {1, 1}, {4}, {1, 4}, {4, 1}, {1, 1, 4}, {1, 4, 1}, {4, 1, 1}, {2, 1, 3}}
            or {{1, 4}, {4, 1}}) do
            local list, size, page, cells = {}, 1, {}, {}
            for d, n in ipairs(shape) do
                size, page[d], cells[d] = size * n, math.min(n, 2), n
            end
            for i = 1, size do list[i] = 10 * i end
            local s = rill.stream("float", shape, list)
            local made = {rill.array("float", shape), rill.sparse("float", shape, {page = page}),
                rill.sparse("float", shape, {page = page, levels = 2}),
                rill.virtual(rill.translator.linear {shape = shape}, rill.stream("float", size))}
            if #shape > 1 then
                cells[#cells] = nil
                made[#made + 1] = rill.lists("float", {counts = rill.full(cells, shape[#shape], "int")})
            end
            for _, c in ipairs(made) do
                c:write(s)
                equal(rill.gather(s, index):values(), rill.gather(c, index):values())
            end
        end
    end)

    it("has flat indices only if they reach all elements", function()
        raises("rill.gather: a container without bounds has no flat indices: expected one index for each of the 2 " ..
            "dimensions, got elements of int", rill.gather, rill.hashgrid("float", {rank = 2}), {0})
        raises("rill.gather: a flat index does not reach all elements of shape 65536x65536: expected one index for " ..
            "each of the 2 dimensions, got elements of int", rill.gather,
            rill.sparse("float", {65536, 65536}, {page = {16, 16}}), {0})
        local line = rill.hashgrid("int", {rank = 1}):set(7, -3)
        equal({7, 0}, rill.gather(line, {-4, 5}):values()) -- 0-based
    end)

    local add <const> = rill.kernel "kernel void add(float d, inout float x<>) { x += d; }"

    local function compare_masks(...)
        for _, case in ipairs {...} do
            local mask = filled("int", case[1], {page = one(case[2])})
            local dense <close> = mask:stream():ne(0):eval()
            local want, got = rill.stream("float", one(case[1]), 1), rill.stream("float", one(case[1]), 1)
            add {d = 2, x = want, where = dense}
            add {d = 2, x = got, where = mask}
            equal(want:values(), got:values())
            local c = rill.sparse("float", one(case[1]), {page = one(case[2])}):write(got)
            local list <close> = rill.active(mask:gt(50))
            add {d = 3, x = c, where = list}
            add {d = 3, x = want, where = dense:eq(1) * mask:stream():gt(50)}
            equal(want:values(), c:values())
        end
    end

    it("is a mask of launches in other dimensions #long", function() compare_masks(shapes[1], shapes[2]) end)

    it("is a mask of launches", function()
        compare_masks(shapes[3])
        raises("rill.active: argument #1 'mask': the default value of the mask is nonzero", rill.active,
            rill.sparse("int", 9, {page = 2, default = 1}))
        raises("add: 'where': expected a mask with a shape of 1 to 4 dimensions", add,
            {d = 1, x = rill.iota(3):cast "float", where = rill.hashgrid("int", {page = {2, 2}})})
    end)
end)
