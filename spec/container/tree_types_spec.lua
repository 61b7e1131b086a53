-- Adaptive containers of packed types and of structures, compared with containers of plain types.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local pair <const> = rill.struct("Pair", "int n; vec4 v; half2 h;")

-- type, plain type, tolerance, function from a number to an element, the same in a kernel, and function
-- from an element to a number
local function same(x) return x end

local cases <const> = {
    {"half", "float", 1e-2}, {"int8", "int", 0, long = true},
    {"unorm8x4", "vec4", 3 / 255, function(x) return {x, x, x, x} end, "vec4(x)", function(e) return e[3] end,
        long = true},
    {pair, "int", 0, function(x) return {n = x // 1 | 0, v = {x, x, x, x}, h = {0, x}} end,
        "Pair(int(x), vec4(x), vec2(x))", function(e) return e.n end, long = true},
}

local function made(type, element, rank)
    local make = rank == 2 and rill.quadtree or rill.octree
    return make(type, {size = rank == 2 and 16 or 8, page = rank == 2 and 4 or 1, default = element(1)})
end

describe("an adaptive container", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs(cases) do
        local type, plain, off = case[1], case[2], case[3]
        local element, text, number = case[4] or same, case[5] or "x", case[6] or same
        local name = case[1] == pair and "structures" or type
        local seen = ({half = "float", int8 = "int"})[type] or plain
        local function compare_rank(rank)
            local component = case[1] ~= pair and element or same
            local number_of = case[1] ~= pair and number or same
            local q <close> = made(type, element, rank)
            local m <close> = made(plain, component, rank)
            local function all(f) for _, c in ipairs {q, m} do f(c, c == q and element or component) end end
            local function compare(what)
                local shape = q.shape
                local at = {}
                local function walk(d)
                    if d > rank then
                        local a, b = number(q:get(table.unpack(at))), number_of(m:get(table.unpack(at)))
                        if math.abs(a - b) > off then
                            error(("%s, at %s: expected %s, got %s"):format(what, table.concat(at, ","), b, a))
                        end
                        return
                    end
                    for i = 1, shape[d], d == 1 and 2 or 3 do
                        at[d] = i
                        walk(d + 1)
                    end
                end
                walk(1)
            end
            local brackets = rank == 2 and "ivec2" or "ivec3"
            local points = rank == 2 and {{3, 4}, {12, 9}} or {{1, 2, 3}, {6, 5, 1}}
            all(function(c) c:refine(rill.from(points, brackets), 0) end)
            compare "refined"
            local value = off == 0 and "float((p.x * 5 + p.y * 3 + p.z) % 11)" or
                "float((p.x * 5 + p.y * 3 + p.z) % 11) / 16.0"
            all(function(c)
                local own = c == q and case[1] == pair
                local T = own and "Pair" or c == q and seen or plain
                local f = "%s kernel void f(inout %s e<>) { ivec4 p = indexof(e); float x = %s; e = %s; }"
                rill.kernel(f:format(own and "struct Pair { int n; vec4 v; half2 h; };" or "", T, value,
                    (own or case[5] and case[1] ~= pair) and text or T .. "(x)")) {e = c}
            end)
            compare "launched"
            local index = rank == 2 and {16, 2} or {8, 2, 2}
            all(function(c, e) c:set(e(off == 0 and 7 or 0.5), table.unpack(index)) end)
            compare "set"
            local s = q:snapshot()
            all(function(c, e) c:boundary("dirichlet", e(1)) end)
            compare "bordered"
            all(function(c) c:mipmap() end)
            local far = [[%s kernel void far(%s e<>, out bool r<>) { r = indexof(e).x >= %d; }]]
            all(function(c)
                local own = c == q and case[1] == pair
                c:coarsen(rill.kernel(far:format(own and "struct Pair { int n; vec4 v; half2 h; };" or "",
                    own and "Pair" or c == q and seen or plain, rank == 2 and 8 or 4)))
            end)
            compare "coarsened"
            assert.truthy(q:diff(s).size > 0)
            q:undo(s)
            assert.equal(0, q:diff(s).size)
            s:close()
            assert.truthy(math.abs((off == 0 and 7 or 0.5) - number(q:get(table.unpack(index)))) <= off)
        end
        it("holds " .. name .. (case.long and " #long" or ""), function() compare_rank(2) end)
        if type == "half" then
            it("holds them in three dimensions #long", function() compare_rank(3) end)
        end
    end

    it("of halves is sampled, copied and saved as others are", function()
        local q <close> = rill.quadtree("half", {size = 8, page = 2})
        q:set(2, 5, 5):set(1, 5, 6):mipmap()
        local look = rill.kernel "kernel void look(vec2 p<>, float q[][], out float r<>) { r = sample(q, p); }"
        local at = rill.from({{4, 4}, {4.5, 4}, {5, 4}}, "vec2")
        assert.same({2.0, 1.5, 1.0}, look(at, q):values())
        local path = os.tmpname() .. ".rill"
        q:copy():save(path)
        local back = rill.load(path)
        os.remove(path)
        assert.same(q:values(), back:values())
        assert.equal("half", back.type)
    end)
end)
