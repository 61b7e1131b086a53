-- Accesses outside of the domain, for streams and containers of every kind: indices are reported under
-- check, and positions of sample follow the boundary.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator
local SIZE <const> = 17

-- The same values, v = x + 100 y, in a stream and in containers.
local function each(names, f)
    local values = rill.iota {SIZE, SIZE} % SIZE + rill.iota {SIZE, SIZE} // SIZE * 100 + 0.0
    local stream = values:eval()
    local tables = T.pages {shape = {SIZE, SIZE}, page = {8, 8}}
    tables:map({0, 0}, {16, 16}, 0)
    local made = {
        stream = stream, array = rill.array("float", {SIZE, SIZE}),
        sparse = rill.sparse("float", {SIZE, SIZE}, {page = {4, 4}}),
        virtual = rill.virtual(tables, rill.physical("float", 9 * 64)),
        quadtree = rill.quadtree("float", {size = 16, page = 4}),
        fold = rill.virtual(T.fold {shape = {SIZE, SIZE}, to = {30, 10}}, rill.physical("float", {30, 10})),
    }
    for name, c in pairs(made) do
        if names[name] then
            if name ~= "stream" then c:write(stream) end
            f(name, c, stream)
        end
    end
    for _, c in pairs(made) do c:close() end
end

local few <const> = {stream = true, sparse = true, quadtree = true, fold = true}
local others <const> = {array = true, virtual = true}

local function checking(f)
    local before = rill.check(true)
    local good, message = pcall(function()
        f()
        rill.sync()
    end)
    rill.check(before)
    return good, tostring(message)
end

describe("an index outside of the domain", function()
    leaks.watch(setup, teardown)

    local take = rill.kernel "kernel void take(ivec2 p<>, float g[][], out float r<>) { r = g[p.y][p.x]; }"
    local look = rill.kernel "kernel void look(vec2 p<>, float g[][], out float r<>) { r = sample(g, p); }"

    local function compare_gathers(names)
        each(names, function(name, c)
            for _, case in ipairs {{{3, SIZE}, "index 17 is out of range 0 .. 16"},
                {{-1, 3}, "index -1 is out of range 0 .. 16"}} do
                local points = rill.from({{2, 2}, case[1]}, "ivec2")
                local good, message = checking(function() take(points, c) end)
                assert.is_false(good, name)
                assert.matches("take: argument 'g': " .. case[2], message, 1, true)
                if name ~= "quadtree" then -- whose boundary is set by a method of theirs
                    assert.is_true(checking(function() take(points, c:boundary "clamp") end), name)
                end
            end
            assert.same({202, 1600, 300}, take(rill.from({{2, 2}, {-3, 99}, {-1, 3}}, "ivec2"), c):values(), name)
        end)
    end

    it("is reported for gathers under check, unless a boundary is set", function() compare_gathers(few) end)

    it("is so in other containers #long", function() compare_gathers(others) end)

    local function compare_samples(names, modes)
        local points = rill.from({{-2.5, 3.5}, {3.5, 16.25}, {20, 20}, {16.5, 0.5}, {1.5, 2.5}}, "vec2")
        local inside = rill.from({{0, 3.5}, {3.5, 16}, {16, 16}, {16, 0.5}, {1.5, 2.5}}, "vec2")
        each(names, function(name, c, stream)
            assert.is_true(checking(function() look(points, c):close() end), name)
            check.equal(look(inside, stream):values(), look(points, c):values(), 1e-3)
            if name ~= "quadtree" then
                for _, mode in ipairs(modes) do
                    check.equal(look(points, stream:boundary(mode)):values(), look(points, c:boundary(mode)):values(),
                        1e-3)
                end
            end
        end)
    end

    it("follows the boundary in sample, and is not a fault", function() compare_samples(few, {"zero"}) end)

    it("is so for every boundary #long", function()
        for _, names in ipairs {few, others} do compare_samples(names, {"wrap", "mirror", "zero"}) end
    end)
end)
