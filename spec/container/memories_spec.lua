-- One translator over several memories, and several translators over one memory.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator
local equal <const>, raises <const> = check.equal, check.raises

-- Counts the translations of addresses in p, c or w for each call of the program's body, u_k.
local function translations(source)
    local main = source:match "void main.*"
    return select(2, main:gsub("adr_[pcw]%(", "")) // select(2, main:gsub("u_k%(", ""))
end

describe("one translator over several memories", function()
    leaks.watch(setup, teardown)

    local shape <const>, page <const> = {12, 20}, {4, 8}

    -- Position, color and weight over the same pages, of which every second is mapped, and which elements
    -- are mapped.
    local function points()
        local t = T.pages {shape = shape, page = page}
        local room = 9 * 32
        local position, color, weight = rill.virtual(t, {
            rill.physical("vec2", room), rill.physical("unorm8x4", room), rill.physical("float", room),
        }, {default = 0.5})
        local frame, mapped = 0, {}
        for y = 0, 11, 4 do
            for x = 0, 19, 8 do
                if (x // 8 + y // 4) % 2 == 0 then
                    t:map({x, y}, nil, frame)
                    frame = frame + 1
                end
            end
        end
        for y = 0, 11 do
            for x = 0, 19 do mapped[#mapped + 1] = (x // 8 + y // 4) % 2 == 0 end
        end
        return t, position, color, weight, mapped
    end

    it("maps pages of all of them at once", function()
        local t, position, color, weight, mapped = points()
        assert.are.equal("vec2 unorm8x4 float", position.type .. " " .. color.type .. " " .. weight.type)
        assert.are.equal("5 5 5", ("%d %d %d"):format(position.pages.mapped, color.pages.mapped, weight.pages.mapped))
        local fill = rill.kernel [[
            kernel void fill(out vec2 p<>, out vec4 c<>, out float w<>) {
                p = vec2(indexof(p).xy); c = vec4(indexof(c).xy, 0.0, 255.0) / 255.0; w = float(indexof(w).x);
            }
        ]]
        fill {p = position, c = color, w = weight, over = position:active()}
        local got, colors, weights = position:values(), color:values(), weight:values()
        for i = 0, 239 do
            local x, y, m = i % 20, i // 20, mapped[i + 1]
            assert.are.equal(m and x or 0.5, got[2 * i + 1])
            assert.are.equal(m and y or 0.5, got[2 * i + 2])
            assert.are.near(m and y / 255 or 128 / 255, colors[4 * i + 2], 1e-6)
            assert.are.equal(m and x or 0.5, weights[i + 1])
        end
        t:unmap({0, 0}, {19, 11})
        equal({position.pages.mapped, position:get(1, 2)[1], weight:get(1, 2)}, {0, 0.5, 0.5})
    end)

    it("is translated once for an element of all of them", function()
        local _, position, color, weight, mapped = points()
        weight:fill(2)
        position:fill {1, 3}
        color:fill {0, 0, 1, 1}
        local k = rill.kernel [[
            kernel void k(vec2 p<>, vec4 c<>, float w<>, out float r<>) { r = w * (p.x + p.y) + floor(c.z) + float(indexof(r).x); }
        ]]
        local r, all <close> = rill.stream("float", shape), position:range()
        local few <close> = position:range({1, 1}, {1, 7}) -- of a page, which is not traversed for them
        k {p = position, c = color, w = weight, r = r, over = few}
        assert.are.equal(1, translations(k:source()))
        k {p = position, c = color, w = weight, r = r, over = all}
        assert.are.equal(2, select(2, k:explain(position, color, weight):gsub("at the addresses of 'p'", "")))
        for i, v in ipairs(r:values()) do
            assert.are.equal((mapped[i] and 9 or 0.5) + (i - 1) % 20, v)
        end
        local other <close> = rill.virtual(T.pages {shape = shape, page = page}, rill.physical("float", 32))
        k {p = position, c = color, w = other, r = r, over = few}
        assert.are.equal(2, translations(k:source()))
    end)

    it("shares with a memory of another shape only common addresses", function()
        local t <close> = T.fold {shape = {6, 4}, to = {8, 3}}
        local memory <close> = rill.physical("float", {8, 3})
        local wide <close> = rill.physical("float", {8, 5})
        local a, b, c = rill.virtual(t, {memory, wide, memory})
        a:write(rill.iota(24):reshape {6, 4})
        b:write(rill.iota(24):reshape {6, 4} * 10)
        local sum = rill.kernel "kernel void sum(float x<>, float y<>, float z<>, out float r<>) { r = x + y + z; }"
        local r <close> = sum(a, b, c)
        for i, v in ipairs(r:values()) do assert.are.equal(12 * (i - 1), v) end
    end)

    it("writes what it reads, element by element and in boxes", function()
        local _, position, _, weight, mapped = points()
        weight:fill(3)
        local move = rill.kernel "kernel void move(float w<>, inout vec2 p<>) { p = p * w + vec2(indexof(p).yx); }"
        position:fill {1, 2}
        move {w = weight, p = position, over = position:active()}
        for i = 0, 239 do
            local x, y = i % 20, i // 20
            equal(position:get(y + 1, x + 1), mapped[i + 1] and {3 + y, 6 + x} or {0.5, 0.5})
        end
        equal(position:values({2, 3}, {2, 4}), {4, 8, 4, 9})
    end)

    it("refuses invalid memory", function()
        local t <close> = T.linear {shape = {4}}
        raises("rill.virtual: argument #2 'physical'", function() rill.virtual(t, {}) end)
        raises("rill.virtual: argument #2 'physical'", function() rill.virtual(t, {rill.physical("float", 4), 1}) end)
        raises("translator 'linear' gives addresses of 1 dimension", function()
            rill.virtual(t, {rill.physical("float", 4), rill.physical("float", {2, 2})})
        end)
    end)
end)

describe("several translators over one memory", function()
    leaks.watch(setup, teardown)

    it("reread an array of four dimensions as one of one, in place", function()
        local memory <close> = rill.physical("int", 3 * 4 * 5 * 6)
        local four <close> = rill.virtual(T.linear {shape = {3, 4, 5, 6}}, memory)
        local one <close> = rill.virtual(T.linear {shape = {360}}, memory)
        local tiles <close> = rill.virtual(T.compose(T.linear {shape = {15, 24}}, T.fold {
            shape = {3, 4, 5, 6}, to = {15, 24}, tiled = true}), memory)
        local at = rill.kernel [[
            kernel void at(out int r<>) { ivec4 p = indexof(r); r = ((p.w * 4 + p.z) * 5 + p.y) * 6 + p.x; }
        ]]
        at(four)
        for i, v in ipairs(one:values()) do assert.are.equal(i - 1, v) end
        one:set(-7, 360)
        assert.are.equal(-7, four:get(3, 4, 5, 6))
        rill.kernel "kernel void twice(inout int x<>) { x *= 2; }" (one)
        assert.are.equal(2 * 59, four:get(1, 2, 5, 6))
        local place = tiles:get(2, 2, 3, 4)
        tiles:set(1000, 2, 2, 3, 4)
        local found = one:values()
        assert.are.equal(place, 2 * (T.compose(T.linear {shape = {15, 24}}, T.fold {
            shape = {3, 4, 5, 6}, to = {15, 24}, tiled = true}):translate {3, 2, 1, 1}))
        assert.are.equal(1000, found[place // 2 + 1])
    end)
end)
