local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local equal <const> = check.equal

-- The terms that kernels add: factors and offsets, the slowest dimension first.
local sums <const> = {
    line = {{1}, {2, -1}, {3, 1}},
    far = {{1, -3}, {2, 2}, {3, 9}},
    cross = {{1}, {2, -1, 0}, {3, 1, 0}, {5, 0, -1}, {7, 0, 1}},
    corners = {{1, -1, -1}, {2, -1, 1}, {3, 1, -2}, {5, 2, 1}},
    seven = {{2, 1, 0, 0}, {1, -1, 0, 0}, {3, 0, -1, 0}, {5, 0, 1, 0}, {7, 0, 0, -1}, {9, 0, 0, 1}},
    cube = {{1, -1, -1, -1}, {2, 1, 1, 1}, {3, -1, 1, 0}, {5, 0, -2, 2}},
    unknown = {{1, -1}, {2, -1, 1}, {3, 2, 0}},
    loops = {},
}
for j = -1, 1 do
    for i = -2, 1 do table.insert(sums.loops, {3 * j + i + 20, j, i}) end
end
local texts <const> = {
    unknown = "r = x[-1] + 2 * x[ivec2(1, -1)] + 3 * x[k][2 - k];",
    loops = [[
        T s = T(0);
        for (int j = -1; j <= 1; j++) for (int i = 1; i > -3; i--) s += T(3 * j + i + 20) * x[j][i];
        r = s;
    ]],
}

-- Shapes, pages, types, expressions and boundaries; `long`: tests that run with `make test-all` only.
local cases <const> = {
    {{61}, {16}, "half", "line", "wrap"},
    {{61}, {4}, "float", "far", "zero"},
    {{24, 40}, {4, 8}, "float", "corners", "wrap", long = true},
    {{13, 21}, {4, 8}, "uint8", "cross", 7},
    {{13, 21}, {4, 7}, "double", "corners", "mirror", long = true},
    {{32, 16}, {8, 8}, "int16", "loops", "clamp"},
    {{12, 20}, {3, 4}, "float", "unknown", "zero"},
    {{12, 16}, {3, 8}, "vec2", "corners", "clamp", long = true},
    {{9, 10, 12}, {3, 5, 4}, "vec3", "seven", "clamp"},
    {{16, 16, 16}, {8, 8, 8}, "float", "cube", {"wrap", "zero", "clamp"}, long = true},
    {{2, 3, 4, 4, 8}, {1, 2, 2, 2, 4}, "int", "cross", "zero", long = true},
}
local seen <const> = {half = "float", uint8 = "uint", int16 = "int"}

local function compile(text, type)
    return rill.kernel((text:gsub("%f[%w]T%f[%W]", seen[type] or type)))
end

local function kernel(name, type)
    local text = texts[name]
    if not text then
        local terms = {}
        for i, term in ipairs(sums[name]) do
            terms[i] = term[1] .. " * x"
            for d = 2, #term do terms[i] = terms[i] .. "[" .. term[d] .. "]" end
        end
        text = "r = " .. table.concat(terms, " + ") .. ";"
    end
    return compile("kernel void near(int k, neighbor T x<>, out T r<>) { " .. text .. " }", type)
end

-- Numbers from 0 to 9 where the container is mapped.
local function put(c)
    local range <close> = c:active()
    compile([[kernel void put(out T r<>) {
        ivec4 p = indexof(r);
        r = T((p.x * 7 + p.y * 5 + p.z * 3 + p.w & 1023) % 10);
    }]], c.type) {r = c, over = range}
    return c
end

-- Returns a container with scattered pages.
local function sparse(type, shape, page, default)
    local c = rill.sparse(type, #shape == 1 and shape[1] or shape, {page = page, default = default})
    for _ = 1, math.random(1, 9) do
        local at = {}
        for d, size in ipairs(shape) do at[d] = math.random(size) end
        c:allocate(at)
    end
    return put(c)
end

-- Returns the 1-based index inside that replaces one outside; nil: the boundary value.
local function inside(i, n, mode)
    if i >= 1 and i <= n then return i end
    if mode == "wrap" then return (i - 1) % n + 1 end
    if mode == "mirror" then return i < 1 and 1 - i or 2 * n + 1 - i end
    return mode == "clamp" and (i < 1 and 1 or n) or nil
end

-- Returns the expected first component at an index.
local function expected(values, shape, n, terms, modes, at)
    local sum = 0
    for _, term in ipairs(terms) do
        local number, outside = 0, nil
        for d = 1, #shape do
            local place = #term - #shape + d -- offsets are of the fastest dimensions
            local i = inside(at[d] + (place > 1 and term[place] or 0), shape[d], modes[d])
            outside = outside or (not i and (tonumber(modes[d]) or 0)) or nil
            number = number * shape[d] + (i or 1) - 1
        end
        sum = sum + term[1] * (outside or values[number * n + 1])
    end
    return sum
end

describe("neighbors in a launch page by page", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs(cases) do
        local shape, page, type, sum, mode = table.unpack(case)
        local name = ("%s of %s, pages of %s"):format(sum, table.concat(shape, "x"), table.concat(page, "x"))
        it("are those of all elements: " .. name .. (case.long and " #long" or ""), function()
            local n = tonumber(type:match "vec(%d)") or 1
            local c = sparse(type, shape, page, n > 1 and table.move({3, 4, 5}, 1, n, 1, {}) or 3)
            local modes, list = {}, _G.type(mode) == "table" and mode or {}
            for d = 1, #shape do modes[d] = list[d] or mode end
            local view = #list > 0 and c:boundary(table.unpack(list)) or c:boundary(mode)
            local values, wanted, got = c:values(), {}, {}
            local r = kernel(sum, type) {k = 2, x = view}
            local step = r:each()
            local range <close> = r:active()
            for _ = 1, range.size do
                local found = table.pack(step())
                local v = found[found.n]
                wanted[#wanted + 1] = expected(values, shape, n, sums[sum], modes, found)
                got[#got + 1] = n > 1 and v[1] or v
            end
            equal(wanted, got)
        end)
    end

    local function compare_pages(...)
        local k = rill.kernel [[kernel void both(neighbor float x<>, neighbor float y<>, float z<>, out float r<>) {
            r = x[0][1] + 3 * x[-1][0] + 5 * y[1][1] + 7 * y[2][0] + 11 * z;
        }]]
        local shape = {24, 32}
        for _, page in ipairs {...} do
            local x, y = sparse("float", shape, page[1], 1), sparse("float", shape, page[2], 2)
            local z = sparse("float", shape, page[3], 3)
            local xs, ys, zs = x:values(), y:values(), z:values()
            local wanted, got = {}, {}
            local r = k(x, y, z):values()
            for i, j in x:each() do
                local function term(values, factor, di, dj)
                    local a, b = inside(i + di, 24, "clamp"), inside(j + dj, 32, "clamp")
                    return factor * values[(a - 1) * 32 + b]
                end
                got[#got + 1] = r[(i - 1) * 32 + j]
                wanted[#wanted + 1] = term(xs, 1, 0, 1) + term(xs, 3, -1, 0) + term(ys, 5, 1, 1) + term(ys, 7, 2, 0) +
                    term(zs, 11, 0, 0)
            end
            equal(wanted, got)
        end
    end

    it("are found where the launch has other pages", function() compare_pages {{3, 8}, {4, 8}, {8, 8}} end)

    it("are found where it has larger ones #long", function() compare_pages {{8, 8}, {4, 8}, {2, 4}} end)

    it("go on across all coordinates without bounds", function()
        local k = kernel("cross", "float")
        local h = rill.hashgrid("float", {page = {4, 8}, default = 1})
        local far <const> = 2147483648 -- coordinate 2147483647, the last
        for _, at in ipairs {{0, 0}, {-3, 5}, {5, -7}, {far, far}, {far, -far + 17}, {-100, 1}} do h:allocate(at) end
        put(h)
        local wanted, got = {}, {}
        for i, j, v in k(2, h):each() do
            if i < far and j < far then
                local sum = 0
                for _, term in ipairs(sums.cross) do
                    sum = sum + term[1] * h:get(i + (term[2] or 0), j + (term[3] or 0))
                end
                wanted[#wanted + 1], got[#got + 1] = sum, v
            end
        end
        assert.is_true(#wanted > 128)
        equal(wanted, got)
    end)
end)
