local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local T <const> = rill.translator
local raises <const> = check.raises

local swap <const> = {
    rank = 2, to = 2, glsl = "ivec2 translate(ivec2 v) { return v.yx; } ivec2 inverse(ivec2 p) { return p.yx; }",
    cpu = function(x, y) return y, x end,
}

-- The options of `swap` with others.
local function like(options)
    local result = {}
    for name, value in pairs(swap) do
        result[name] = value
    end
    for name, value in pairs(options) do
        result[name] = value
    end
    return result
end

-- A new translator under rill.check(true).
local function tried(options)
    local before = rill.check(true)
    local results = {pcall(T.new, options)}
    rill.check(before)
    if not results[1] then
        error(results[2], 0)
    end
    return results[2]
end

describe("a translator", function()
    leaks.watch(setup, teardown)

    it("has fields, a kind and a text", function()
        local t = T.fold {shape = {4, 8, 8}, to = {16, 17}, tiled = true}
        assert.equal("translator", rill.type(t))
        assert.equal("fold", t.name)
        assert.same({3, 2}, {t.rank, t.to})
        assert.is_true(t.shape == {4, 8, 8} and t.extent == {16, 17})
        assert.is_nil(t.mapped)
        assert.equal("translator fold: 4x8x8 to 16x17", tostring(t))
        local pages = T.pages {shape = 100, page = 7, capacity = 3}
        assert.is_true(pages.extent == {21})
        assert.equal("translator pages: 100 to 21, 0 pages mapped", tostring(pages))
        assert.equal("translator pages: 100 to 21, 1 page mapped", tostring(pages:map(99, nil, 2)))
        assert.equal("translator hash: 2 dimensions to 1 dimension, 0 pages mapped", tostring(T.hash {rank = 2}))
        raises("a translator has no field or method 'invers'; did you mean t:inverse", function() return t.invers end)
        raises("t:translate: argument 't': expected a translator, got nothing", t.translate)
    end)

    it("tells its characteristics", function()
        local function traits(memory, access, consistent, complete, one_to_one, invertible, mutable)
            return {memory = memory, access = access, location = "gpu", consistent = consistent, complete = complete,
                one_to_one = one_to_one, invertible = invertible, mutable = mutable}
        end
        local linear, pages = T.linear {shape = {4, 4}}, T.pages {shape = 64, page = 8}
        assert.same(traits("1", "1", true, true, true, true, false), linear.traits)
        assert.same(linear.traits, T.fold {shape = 16, to = {4, 4}}.traits)
        assert.same(traits("n", "1", true, false, true, true, true), pages.traits)
        assert.same(traits("n", "1", false, false, true, true, true), T.hash {rank = 2}.traits)
        assert.same(traits("n", "1", true, false, true, true, false), T.lists {counts = rill.from({2, 0},
            "int")}.traits)
        local adaptive = T.pages {shape = 64, page = 8, adaptive = true}
        assert.same(traits("n", "1", true, false, false, true, true), adaptive.traits)
        assert.is_false(T.pages {shape = {2 ^ 17 | 0, 2 ^ 17 | 0}, page = {16, 16}, adaptive = true}.traits.consistent)
        assert.is_true(T.lists {counts = rill.from({2, 2}, "int")}.traits.complete)
        assert.same(pages.traits, T.compose(pages, linear).traits)
        assert.same(linear.traits, T.compose(T.fold {shape = 16, to = {4, 4}}, linear).traits)
        assert.is_false(T.compose(T.fold {shape = 15, to = {4, 4}}, linear).traits.complete)
        assert.same(traits("1", "1", true, false, true, true, false), T.new(swap).traits)
        local own = T.new(like {glsl = "ivec2 translate(ivec2 v) { return v / 2; }",
            traits = {memory = "log n", access = "n", consistent = false, complete = true, one_to_one = false}})
        assert.same(traits("log n", "n", false, true, false, false, false), own.traits)
        assert.equal("n", T.compose(own, own).traits.access)
    end)

    -- Each of its 17 rows, in its order; where these characteristics are not the table's, docs/translator.md says why.
    it("makes the structures of Glift's Table II", function()
        local counts = rill.from({{{2, 1}, {0, 3}}}, "int")
        local function paged(frames, to, options) -- pages, of so many elements in all, in memory of other dimensions
            return T.compose(T.fold {shape = frames, to = to}, T.pages(options))
        end
        -- A quadtree over x and y, walked on the CPU: four places for each leaf, of which some are coarser.
        local function quadtree(missing)
            return T.new {rank = 3, to = 2, shape = {2, 8, 8}, cpu = function(x, y, z)
                local level = x < 4 and y < 4 and 1 or 2
                if x >= missing then return nil end
                return (x >> level) + (z == 1 and 8 or 0), (y >> level) + (level == 1 and 0 or 4)
            end}
        end
        local steps = T.new {rank = 4, to = 4, shape = {64, 8, 8, 8}, traits = {complete = true, one_to_one = false},
            glsl = "ivec4 translate(ivec4 v) { return ivec4(v.xyz, v.w * 7 % 5); }",
            cpu = function(x, y, z, t) return x, y, z, t * 7 % 5 end}
        -- Planes at 3 and 5, then a plane of each half, until a leaf is found.
        local kd = T.new {rank = 3, to = 1, shape = {8, 8, 8}, glsl = [[
            int translate(ivec3 v) {
                int node = 1;
                for (int k = 0; k < 6 && node < 4; k++) {
                    node = 2 * node + int(node == 1 ? v.x >= 3 : node == 2 ? v.y >= 5 : v.z >= 4);
                }
                return (node - 4) * 512 + (v.z * 8 + v.y) * 8 + v.x;
            }
        ]], cpu = function(x, y, z)
            local node = x >= 3 and (z >= 4 and 7 or 6) or y >= 5 and 5 or 4
            return (node - 4) * 512 + (z * 8 + y) * 8 + x
        end, traits = {memory = "log n", access = "log n", consistent = false, complete = true}}
        local codes = T.new {rank = 3, to = 1, shape = {8, 8, 8}, cpu = function(x, y, z)
            local code = (x // 4 + y // 4 + z // 4) % 2
            return code * 64 + (z % 4 * 4 + y % 4) * 4 + x % 4
        end}
        local warp = T.new {rank = 2, to = 2, shape = {8, 8}, glsl = [[
            ivec2 translate(ivec2 v) { return ivec2(v.x < 4 ? v.x * 2 : 4 + v.x, v.y); }
        ]], cpu = function(x, y) return x < 4 and x * 2 or 4 + x, y end, traits = {complete = true}}
        local cube = T.new {rank = 3, to = 3, shape = {8, 8, 8}, glsl = [[
            ivec3 translate(ivec3 v) { return v.z > v.x && v.z > v.y ? v : v.x > v.y ? v.zyx : v.xzy; }
        ]], cpu = function(x, y, z)
            if z > x and z > y then return x, y, z elseif x > y then return z, y, x end
            return x, z, y
        end, traits = {one_to_one = false, complete = true}}
        local boxes = T.new {rank = 3, to = 1, shape = {8, 8, 8}, traits = {memory = "log n", access = "log n",
            consistent = false, complete = true}, glsl = [[
            int translate(ivec3 v) {
                int low = 0, size = 512, at = (v.z * 8 + v.y) * 8 + v.x;
                while (size > 64) { size /= 2; low += at >= low + size ? size : 0; }
                return low + 63 - (at - low);
            }]], cpu = function(x, y, z)
            local at = (z * 8 + y) * 8 + x
            return at // 64 * 64 + 63 - at % 64
        end}
        local rows = { -- memory, access, location, consistent, complete, one to one, mutable; dimensions
            {T.compose(paged(4096, {64, 64}, {shape = {5, 8, 8, 8}, page = {1, 4, 4, 4}, levels = 2, adaptive = true}),
                steps), "n", "1", "gpu", false, false, false, true, 4, 2}, -- Binotto 2003
            {T.fold {shape = 64, to = {8, 8}}, "1", "1", "gpu", true, true, true, false, 1, 2}, -- Buck 2004, streams
            {T.fold {shape = {2, 4, 2, 4}, to = {8, 8}}, "1", "1", "gpu", true, true, true, false, 4, 2}, -- arrays
            {quadtree(6), "n", "1", "cpu", true, false, false, false, 3, 2}, -- Carr and Hart 2004
            {quadtree(8), "n", "1", "cpu", true, true, false, false, 3, 2}, -- Coombe 2004
            {T.compose(T.fold {shape = 2048, to = {32, 64}}, kd), "log n", "log n", "gpu", false, false, true, false, 3,
                2}, -- Foley and Sugerman 2005
            {T.fold {shape = {4, 4, 4}, to = {8, 8}, tiled = true}, "1", "1", "gpu", true, true, true, false, 3,
                2}, -- Harris 2003
            {T.compose(T.fold {shape = 6, to = {2, 3}}, T.lists {counts = counts:reshape {2, 2}}), "n", "1", "gpu",
                true, false, true, false, 3, 2}, -- Johnson 2005
            {paged(512, {8, 8, 8}, {shape = {8, 8, 8}, page = {4, 4, 4}, levels = 1, adaptive = true}), "n", "1", "gpu",
                true, false, false, true, 3, 3}, -- Kraus and Ertl 2002
            {paged(512, {8, 8, 8}, {shape = {64, 64, 64}, page = {4, 4, 4}, levels = 3, adaptive = true}), "n", "1",
                "gpu", false, false, false, true, 3, 3}, -- Lefebvre 2004
            {paged(512, {16, 32}, {shape = {8, 64, 64}, page = {1, 8, 8}, capacity = 8}), "n", "1", "gpu", true, false,
                true, true, 3, 2}, -- Lefohn 2004
            {T.compose(T.fold {shape = 6, to = {2, 3}}, T.lists {counts = counts}), "n", "1", "gpu", true, false, true,
                false, 4, 2}, -- Purcell 2002, 2003
            {T.compose(T.fold {shape = 128, to = {8, 4, 4}}, codes), "n", "1", "cpu", true, true, false, false, 3,
                3}, -- Schneider and Westermann 2003
            {warp, "1", "1", "gpu", true, true, true, false, 2, 2}, -- Sen 2004
            {T.compose(paged(512, {16, 32}, {shape = {8, 8, 8}, page = {4, 4, 4}}), cube), "n", "1", "gpu", true, false,
                false, true, 3, 2}, -- Tarini 2004
            {T.compose(T.fold {shape = 512, to = {16, 32}}, boxes), "log n", "log n", "gpu", false, false, true, false,
                3, 2}, -- Thrane and Simonsen 2005
        }
        assert.equal(17 - 1, #rows) -- Purcell's two are one
        for i, row in ipairs(rows) do
            local t, traits = row[1], row[1].traits
            assert.same({i, table.unpack(row, 2)}, {i, traits.memory, traits.access, traits.location, traits.consistent,
                traits.complete, traits.one_to_one, traits.mutable, t.rank, t.to})
        end
        assert.same({2, 1}, rows[12][1]:translate {2, 1, 1, 0})
        assert.same({1, 4}, rows[4][1]:translate {4, 2, 0})
        assert.equal(rows[13][1]:translate({1, 0, 0})[1], rows[13][1]:translate({5, 4, 0})[1])
    end)

    it("closes, and compositions with it stay", function()
        local pages = T.pages {shape = 64, page = 8}:map(8, 15, 3)
        local both = T.compose(pages, T.linear {shape = {8, 8}})
        pages:close()
        pages:close()
        assert.equal("closed translator", tostring(pages))
        raises("the translator was closed", pages.translate, pages, 8)
        raises("the translator was closed", function() return pages.rank end)
        raises("the translator was closed", T.compose, pages, pages)
        assert.equal(26, both:translate {2, 1})
        assert.same({24, 31}, both:translate(rill.from({{0, 1}, {7, 1}}, "ivec2")):values())
        local kept
        do
            local t <close> = T.linear {shape = 4}
            kept = t
        end
        assert.equal("closed translator", tostring(kept))
    end)

    it("takes points of one element, expressions, views and no points", function()
        local t = T.linear {shape = {3, 5}}
        assert.equal(7, t:translate(rill.from({{2, 1}}, "ivec2")):get(1))
        assert.is_true(t:translate(rill.stream("ivec2", {0, 3})).shape == {0, 3})
        assert.same({{0, 2}, {4, -2 ^ 31 | 0}}, t:translate(rill.stream("ivec2", {2, 2}, {0, 0, 2, 0, 4, 0, 5,
            0})):read())
        local points = rill.from({{0, 0}, {9, 9}, {1, 1}, {9, 9}, {2, 2}}, "ivec2")
        assert.same({0, 6, 12}, t:translate(points:stride(2)):values())
        assert.same({1, 2, 3}, T.linear {shape = 10}:translate(rill.iota(3) + 1):values())
        assert.same({1, 2}, T.linear {shape = 10}:translate(rill.from({1, 2}, "int16")):values())
        local counted = T.linear {shape = 100}:translate(rill.iota(100):filter "x % 9 == 7")
        assert.same({7, 16, 25, 34, 43, 52, 61, 70, 79, 88, 97}, counted:values())
        assert.equal(11, #counted)
        assert.equal(0, #T.linear {shape = 100}:inverse(rill.iota(100):filter "x < 0"))
        local eight = T.linear {shape = {2, 2, 2, 2, 2, 2, 2, 3}}
        local back = eight:inverse(rill.from({{383, 0}, {384, 5}}, "int"))
        assert.is_true(back.shape == {2, 2, 8})
        assert.same({2, 1, 1, 1, 1, 1, 1, 1}, back:read()[1][1])
        assert.same({{383, 0}, {-2 ^ 31 | 0, 5}}, eight:translate(back):read())
    end)

    it("refuses what is no point of its domain", function()
        local t, hash = T.linear {shape = {3, 5}}, T.hash {rank = 2}
        raises("t:translate: argument #1 'point': {5, 0} lies outside of the domain, {0, 0} .. {4, 2}", t.translate,
            t, {5, 0})
        raises("{%-1, 0} lies outside", t.translate, t, {-1, 0})
        raises("expected a table of 2 whole numbers, got table of 3", t.translate, t, {1, 2, 3})
        raises("expected a table of 2 whole numbers, got table of 2", t.translate, t, {1, 2.5})
        raises("expected a table of 2 whole numbers, got table of 2", t.translate, t, {1, "2"})
        raises("expected a table of 2 whole numbers, got number 3", t.translate, t, 3)
        raises("expected a table of 2 whole numbers, got nothing", t.translate, t)
        raises("argument #1 'point': expected a whole number, got string", t.inverse, t, "1")
        raises("expected at most 1 argument, got 2", t.translate, t, {1, 2}, 3)
        raises("coordinates go to 2147483647 either way", hash.translate, hash, {-2 ^ 31 | 0, 0})
        raises("a stream of ivec2, got one of ivec3", t.translate, t, rill.stream("ivec3", 2))
        raises("a stream of ivec2, got one of vec2", t.translate, t, rill.stream("vec2", 2))
        raises("of shape {n, 5}, got 4", T.linear {shape = {1, 1, 1, 1, 1}}.translate, T.linear {shape = {1, 1, 1, 1,
            1}},
            rill.stream("int", 4))
        raises("expected points of at most 7 dimensions", function()
            T.linear {shape = {1, 1, 1, 1, 1}}:inverse(rill.stream("int", {1, 1, 1, 1, 1, 1, 1, 1}))
        end)
        local closed = rill.stream("ivec2", 2)
        closed:close()
        raises("expected an open stream, got closed stream", t.translate, t, closed)
        assert.is_nil(t:inverse(15))
        assert.is_nil(t:inverse(-1))
        assert.is_nil(t:inverse(2 ^ 40 | 0))
    end)

    it("reaches all that an int counts", function()
        local t = T.linear {shape = {1, 2 ^ 31 - 1 | 0}}
        assert.equal(2 ^ 31 - 2, t:translate {2 ^ 31 - 2 | 0, 0})
        assert.equal(2 ^ 31 - 2, t:translate(rill.from({{2 ^ 31 - 2 | 0, 0}}, "ivec2")):get(1))
        raises("'shape' is 65536x32768: addresses reach 2147483647 elements", T.linear, {shape = {65536, 32768}})
        raises("'shape' is 4x0: sizes go from 1", T.linear, {shape = {4, 0}})
        raises("'shape' is 4x4294967296: sizes go from 1", T.linear, {shape = {4, 2 ^ 32 | 0}})
        raises("1 to 8 dimensions", T.linear, {shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}})
        local far = T.pages {shape = {131072, 131072}, page = {16, 16}}
        far:map({131071, 131071}, nil, 7)
        assert.equal(7 * 256 + 255, far:translate {131071, 131071})
        assert.same({7 * 256 + 255, -2 ^ 31 | 0}, far:translate(rill.from({{131071, 131071}, {0, 0}},
            "ivec2")):values())
        assert.same({131071, 131071}, far:inverse(7 * 256 + 255))
        local most = 2 ^ 31 - 1 | 0
        local hash = T.hash {page = {3, 3}}:map({-most, most}, nil, 0)
        local points = rill.from({{-most, most}, {most, most}}, "ivec2")
        local address = hash:translate {-most, most}
        assert.same({address, -2 ^ 31 | 0}, hash:translate(points):values())
        for at = 0, 8 do -- a page at the end of the ints: not all of it is there
            local expected = hash:inverse(at) or {-2 ^ 31 | 0, -2 ^ 31 | 0}
            assert.same(expected, hash:inverse(rill.from({at}, "int")):get(1))
        end
    end)

    it("divides by any size as the CPU does", function()
        local most = 2 ^ 31 - 1 | 0
        for _, size in ipairs {1, 2, 3, 7, 641, 46341, 65535, 65536, 65537, 6700417, 1 << 30, (1 << 30) + 1, most} do
            local shape, addresses = {most // size, size}, {}
            for _, quotient in ipairs {0, 1, 2, shape[1] // 3, shape[1] - 1, shape[1]} do
                for more = -1, 1 do
                    local address = quotient * size + more
                    addresses[#addresses + 1] = address <= most and address or nil
                end
            end
            addresses[#addresses + 1] = most
            local all = rill.from(addresses, "int")
            local rows = math.min(shape[1], 40)
            local pages = T.pages {shape = shape, page = {1, size}, capacity = rows}:map({0, 0}, {0, rows - 1}, 0)
            for _, t in ipairs {T.linear {shape = shape}, pages} do
                for i, found in ipairs(t:inverse(all):read()) do
                    local expected = t:inverse(addresses[i]) or {-2 ^ 31 | 0, -2 ^ 31 | 0}
                    assert.same(expected, found)
                    assert.is_true(expected[1] < 0 or t:translate(expected) == addresses[i])
                end
            end
        end
    end)

    it("refuses wrong options", function()
        raises("rill.translator.linear: argument #1 'options': expected a table like", T.linear, 5)
        raises("rill.translator.linear: unknown option 'shapes'", T.linear, {shapes = 4})
        raises("argument #1 'shape': expected a shape", T.linear, {})
        raises("'to', 3x3, has fewer elements than 'shape', 10", T.fold, {shape = 10, to = {3, 3}})
        raises("tiles of 4x4 don't go into 'to', 4x4", T.fold, {shape = {4, 4}, to = {4, 4}, tiled = true})
        raises("tiles of 3x4x4 don't go into 'to', 7x11", T.fold, {shape = {3, 4, 4}, to = {7, 11}, tiled = true})
        raises("'page', 4, has not as many dimensions as 'shape', 8x8", T.pages, {shape = {8, 8}, page = 4})
        raises("option 'levels': expected 1 .. 8, got 0", T.pages, {shape = 8, page = 4, levels = 0})
        raises("option 'capacity': expected 1 .. 2147483647, got 0", T.pages, {shape = 8, page = 4, capacity = 0})
        raises("pages of 65536 elements reach 32767 frames", T.hash, {page = {256, 256}, capacity = 2 ^ 20})
        raises("the page table would be too large", T.pages, {shape = {2 ^ 31 - 1 | 0, 2 ^ 31 - 1 | 0}, page = {1, 1},
            levels = 1})
        raises("expected 'rank', or 'page'", T.hash, {})
        raises("expected 'rank', or 'page'", T.hash, {rank = 2, page = 4})
        raises("argument #1 'outer': expected a translator, got nothing", T.compose)
        raises("memory have 1 coordinates, those of the outer one's domain 2", T.compose, T.linear {shape = {4, 4}},
            T.linear {shape = 4})
        local deep = T.linear {shape = 4}
        raises("the composition has too many parts", function()
            for _ = 1, 100 do
                deep = T.compose(deep, T.linear {shape = 4})
            end
        end)
        assert.equal(3, deep:translate(3))
        assert.same({0, 1, 2}, deep:translate(rill.iota(3)):values())
    end)

    it("of lists takes counts, offsets and cells", function()
        local lists = T.lists {offsets = rill.from({0, 2, 2, 5}, "int")}
        assert.is_true(lists.shape == {3, 3} and lists.extent == {5})
        assert.same({2, 2}, lists:inverse(4))
        assert.is_nil(lists:translate {0, 1})
        assert.is_nil(lists:inverse(5))
        local none = T.lists {counts = rill.stream("int", {2, 2})}
        assert.is_true(none.shape == {2, 2, 1})
        assert.is_nil(none:translate {0, 0, 0})
        assert.same({-2 ^ 31 | 0}, none:translate(rill.from({{0, 0, 0}}, "ivec3")):values())
        assert.equal(0, #none:ranges({0, 0, 0}, {0, 1, 1}))
        raises("expected either 'counts' or 'offsets'", T.lists, {})
        raises("expected either", T.lists, {counts = rill.iota(2), offsets = rill.iota(2)})
        raises("'counts': list 1 has %-3 entries", T.lists, {counts = rill.from({1, -3}, "int")})
        raises("'offsets': list 1 ends 3 entries before it begins", T.lists, {offsets = rill.from({0, 4, 1}, "int")})
        raises("'offsets': expected 0 as the first", T.lists, {offsets = rill.from({1, 4}, "int")})
        raises("'offsets': expected 0 as the first", T.lists, {offsets = rill.stream("int", 0)})
        raises("'counts' has 3 elements, but there are 2x2 cells", T.lists, {counts = rill.iota(3), shape = {2, 2}})
        raises("'offsets' tells of 2 lists, but there are 3 cells", T.lists, {offsets = rill.iota(3), shape = 3})
        raises("more entries than addresses reach", T.lists, {counts = rill.from({2 ^ 31 - 1 | 0, 1}, "int")})
        raises("argument #1 'counts': expected a stream of int, got stream<float>", T.lists,
            {counts = rill.stream("float", 2)})
        raises("a grid of lists has at most 7", T.lists, {counts = rill.stream("int", {1, 1, 1, 1, 1, 1, 1, 1})})
    end)

    it("without elements has none", function()
        raises("sizes go from 1", T.lists, {counts = rill.stream("int", 0)})
        raises("sizes go from 1", T.pages, {shape = {0, 4}, page = {1, 1}})
        raises("sizes go from 1", T.pages, {shape = {4, 4}, page = {0, 1}})
    end)
end)

describe("pages", function()
    leaks.watch(setup, teardown)

    local makers = {
        pages = function(capacity) return T.pages {shape = {64, 64}, page = {8, 8}, levels = 2,
            capacity = capacity} end,
        adaptive = function(capacity) return T.pages {shape = {64, 64}, page = {8, 8}, adaptive = true,
            capacity = capacity} end,
        hash = function(capacity) return T.hash {page = {8, 8}, capacity = capacity} end,
    }
    for name, make in pairs(makers) do
        it("of " .. name .. " are mapped all, or none", function()
            local t = make(5)
            t:map({0, 0}, {15, 7}, 1)
            local points = rill.from({{0, 0}, {8, 0}, {16, 0}, {0, 8}}, "ivec2")
            local function unchanged()
                assert.equal(2, t.mapped)
                assert.same({64, 128, -2 ^ 31 | 0, -2 ^ 31 | 0}, t:translate(points):values())
                assert.is_nil(t:translate {16, 0})
                assert.is_nil(t:inverse(192))
            end
            unchanged()
            raises("a page of the box is mapped already, to frame 2", t.map, t, {8, 0}, {20, 0}, 3)
            raises("the capacity is 5 frames", t.map, t, {8, 0}, {20, 0}, 4)
            unchanged()
            raises("frame 2 holds a page already", t.map, t, {16, 0}, {31, 0}, 2)
            raises("frame 1 holds a page already", t.map, t, {16, 0}, nil, 1)
            raises("2 pages don't go into frames from 4 on", t.map, t, {16, 0}, {24, 0}, 4)
            raises("1 pages don't go into frames from %-1 on", t.map, t, {16, 0}, nil, -1)
            raises("don't go into frames", t.map, t, {16, 0}, nil, 2 ^ 62 | 0)
            raises("argument #3 'frame': expected a whole number, got nothing", t.map, t, {16, 0}, {16, 0})
            unchanged()
            assert.equal(t, t:map({5, 5}, {4, 5}, 3))
            assert.equal(0, t:unmap {16, 0})
            unchanged()
            assert.equal(1, t:unmap({0, 0}, {7, 30}))
            assert.equal(1, t.mapped)
            assert.is_nil(t:inverse(64))
            assert.equal(1, t:unmap({0, 0}, {63, 63}))
            assert.equal(0, #t:ranges({0, 0}, {63, 63}))
        end)
    end

    it("of one hash are as many as a walk has steps", function()
        local function mixed(h)
            h = h * 0x9E3779B1 & 0xffffffff
            return h ~ h >> 15
        end
        local t, points = T.hash {rank = 2}, {}
        for i = 1, 129 do
            points[i] = {i, (mixed(i) ~ 77) << 32 >> 32}
            points[i][2] = points[i][2] >= 1 << 31 and points[i][2] - (1 << 32) or points[i][2]
        end
        local last = table.remove(points)
        for i, p in ipairs(points) do
            t:map(p, nil, i - 1)
        end
        local before = rill.memory().bytes
        raises("the hash table is full", t.map, t, last, nil, 128)
        raises("the hash table is full", t.map, t, {last[1] - 1, last[2]}, last, 128)
        assert.is_true(rill.memory().bytes <= before + 8192)
        assert.equal(128, t.mapped)
        assert.is_nil(t:translate(last))
        for i, found in ipairs(t:translate(rill.from(points, "ivec2")):values()) do
            assert.equal(i - 1, found)
            assert.equal(i - 1, t:translate(points[i]))
        end
        assert.equal(1, t:unmap(points[1]))
        t:map(last, nil, 200)
        assert.equal(200, t:translate(rill.from({last}, "ivec2")):get(1))
    end)

    it("give back the nodes of their tables", function()
        local t = T.pages {shape = {4096, 4096}, page = {8, 8}, levels = 4}
        t:map({0, 0}, {15, 15}, 0):unmap({0, 0}, {15, 15})
        check.collect()
        local before = rill.memory().bytes
        local random = order.generator(9)
        local x, y
        for _ = 1, 500 do
            x, y = random(4080), random(4080)
            t:map({x, y}, {x + 15, y + 15}, 0)
            assert.is_true(t:unmap({0, 0}, {4095, 4095}) >= 4)
        end
        assert.equal(0, t.mapped)
        check.collect()
        assert.is_true(rill.memory().bytes <= before + 16384)
        t:map({x, y}, {x + 15, y + 15}, 3)
        local around = rill.from({{x, y}, {x + 15, y + 15}, {x - 9, y - 9}, {0, 0}, {4095, 4095}}, "ivec2")
        for i, found in ipairs(t:translate(around):values()) do
            local p = around:get(i)
            assert.equal(p[1] >= 0 and p[2] >= 0 and t:translate(p) or -2 ^ 31 | 0, found)
        end
    end)

    it("come in ranges, page by page", function()
        local t = T.pages {shape = {20, 20}, page = {8, 8}}
        t:map({8, 0}, {19, 7}, 4):map({0, 8}, {7, 15}, 2)
        local expected = {
            {first = {8, 0}, last = {15, 7}, at = 256}, {first = {16, 0}, last = {19, 0}, at = 320},
        }
        local found = t:ranges({0, 0}, {19, 19})
        assert.same(expected, {found[1], found[2]})
        assert.same({first = {0, 8}, last = {7, 15}, at = 128}, found[#found])
        assert.same({{first = {9, 3}, last = {9, 3}, at = 281}}, t:ranges {9, 3})
        assert.same({}, t:ranges({9, 3}, {8, 3}))
        assert.same({}, t:ranges({99, 99}, {0, 0}))
        raises("argument #2 'last': {20, 0} lies outside", t.ranges, t, {0, 0}, {20, 0})
    end)

    it("have a fixed number in other translators: none", function()
        local t = T.linear {shape = {4, 4}}
        raises("t:map: the mapping of translator 'linear' is fixed", t.map, t, {0, 0}, {0, 0}, 0)
        raises("t:unmap: the mapping of translator 'linear' is fixed", t.unmap, t, {0, 0})
    end)

    it("reach their composition when they are mapped later", function()
        local pages = T.pages {shape = 64, page = 8}
        local both = T.compose(pages, T.linear {shape = {8, 8}})
        local points = rill.from({{1, 2}, {3, 0}}, "ivec2")
        assert.same({-2 ^ 31 | 0, -2 ^ 31 | 0}, both:translate(points):values())
        pages:map(0, nil, 1000)
        assert.same({-2 ^ 31 | 0, 8003}, both:translate(points):values())
        assert.same({{first = {0, 0}, last = {7, 0}, at = 8000}}, both:ranges({0, 0}, {7, 7}))
        assert.same({{first = {2, 0}, last = {5, 0}, at = 8002}}, both:ranges({2, 0}, {5, 7}))
    end)

    it("of a translation allocate nothing but its result", function()
        local t = T.compose(T.fold {shape = 4096, to = {64, 64}}, T.pages {shape = {64, 64}, page = {8, 8}}:map({0,
            0}, {63, 63}, 0))
        local points = rill.stream("ivec2", 1000)
        local kept = t:translate(points)
        check.collect()
        local before = rill.memory()
        for _ = 1, 5 do
            t:translate(points):close()
        end
        local after = rill.memory()
        assert.same({before.bytes, before.streams}, {after.bytes, after.streams})
        kept:close()
    end)
end)

describe("a translator of one's own", function()
    leaks.watch(setup, teardown)

    it("may define functions, constants and macros, beside others", function()
        local function shifted(by)
            return T.new {rank = 1, to = 1, shape = 100, name = "shifted", glsl = ([[
                #define BY %d
                const int twice = 2;
                int x(int v) { return v + BY * twice / 2; }
                int translate(int v) { ivec2 p = ivec2(x(v), 0); return p.x; }
                int inverse(int p) { return p - BY; }
            ]]):format(by), cpu = function(v) return v + by end, cpu_inverse = function(p) return p - by end}
        end
        local t = T.compose(shifted(3), T.compose(shifted(20), shifted(1)))
        assert.same({24, 25, 26}, t:translate(rill.iota(3)):values())
        assert.same({0, 1}, t:inverse(rill.from({24, 25}, "int")):values())
        assert.equal(24, t:translate(0))
        assert.equal(0, t:inverse(24))
        assert.is_nil(t:inverse(23))
        assert.is_nil(t:translate(80))
        assert.same({-2 ^ 31 | 0}, t:translate(rill.from({80}, "int")):values())
        assert.same({{first = 4, last = 78, at = 28}}, t:ranges(4, 90))
    end)

    it("maps what is negative to nowhere", function()
        local t = T.new {rank = 1, to = 2, glsl = "ivec2 translate(int v) { return ivec2(v, 5 - v); }",
            cpu = function(v) return v, 5 - v end}
        assert.same({{5, 0}, {-2 ^ 31 | 0, -2 ^ 31 | 0}}, t:translate(rill.from({5, 6}, "int")):read())
        assert.same({5, 0}, t:translate(5))
        assert.is_nil(t:translate(6))
        assert.is_nil(t:translate(-1))
        assert.is_nil(t.shape)
        assert.is_nil(t.extent)
        raises("translator 'custom' has no inverse", t.inverse, t, {5, 0})
    end)

    it("has errors that point into its text", function()
        local message = raises("translator_spec.lua:%d+:", function()
            T.new(like {glsl = [[
                ivec2 translate(ivec2 v) {
                    return v.yxz;
                }]]})
        end)
        local line = debug.getinfo(1, "l").currentline - 3
        assert.is_truthy(message:find(("spec.lua:%d:"):format(line), 1, true), message)
        assert.is_truthy(message:find("return v.yxz", 1, true))
        raises("nothing", T.new, like {glsl = "ivec2 translate(ivec2 v) { return nothing; }"})
        raises("expected a function 'ivec2 translate%(ivec2 address%)'", T.new,
            like {glsl = "int f(int x) { return x; }"})
        raises("expected a function 'ivec2 translate", T.new, like {glsl = "ivec2 translate(ivec3 v) { return v.xy; }"})
        raises("expected a function 'ivec2 inverse", T.new,
            like {glsl = swap.glsl:gsub("ivec2 inverse%(ivec2 p%)", "ivec2 inverse(int p)"):gsub("p%.yx", "ivec2(p)")})
        raises("translator_spec.lua:%d+:", function() T.new(like {glsl = "ivec2 translate(ivec2 v) {"}) end)
    end)

    it("has checked options", function()
        raises("argument #1 'glsl': expected GLSL that defines 'translate' %(a string%), got number 5", T.new,
            {rank = 1, to = 1, cpu = print, glsl = 5})
        raises("argument #1 'cpu': expected a function, got nil", T.new, {rank = 2, to = 2, glsl = swap.glsl})
        raises("argument #1 'ranges': expected a function, got number 3", T.new, like {ranges = 3})
        raises("expected 'rank' and 'to'", T.new, {to = 1})
        raises("expected 'rank' and 'to'", T.new, like {shape = {1, 2, 3}})
        raises("option 'rank': expected 1 .. 8, got 9", T.new, like {rank = 9})
        raises("option 'shape': sizes go from 1", T.new, like {shape = {4, 0}})
        raises("trait 'memory': expected \"1\", \"log n\" or \"n\", got string \"2\"", T.new,
            like {traits = {memory = "2"}})
        raises("trait 'complete': expected true or false, got number 1", T.new, like {traits = {complete = 1}})
        raises("unknown option 'invertible'", T.new, like {traits = {invertible = true}})
        raises("argument #1 'name': expected a name", T.new, like {name = 5})
    end)

    it("is told what its Lua functions do wrong", function()
        local t = T.new(like {cpu = function(x) if x == 0 then error("not this one", 0) elseif x == 1 then error({}) end
            return x, "y" end, ranges = function(first) return first[1] == 0 and 5 or first[1] == 1 and {{first = {0,
                0}}}
            or {{first = {3, 0}, last = {3, 1}, at = {9, 9}}} end})
        raises("t:translate: option 'cpu': not this one", t.translate, t, {0, 0})
        raises("option 'cpu': it raised no message", t.translate, t, {1, 0})
        raises("expected 2 whole numbers or nil as what it returns, got string \"y\"", t.translate, t, {2, 0})
        raises("option 'cpu_inverse' was not given", t.inverse, t, {2, 0})
        raises("t:ranges: option 'ranges': expected a list of ranges as what it returns, got number 5", t.ranges, t,
            {0, 0})
        raises("item 1: expected a table like", t.ranges, t, {1, 0})
        assert.same({{first = {3, 0}, last = {3, 1}, at = {9, 9}}}, t:ranges({2, 0}, {9, 9}))
        local closing
        closing = T.new(like {cpu = function(x, y) closing:close() return y, x end})
        assert.same({2, 1}, closing:translate {1, 2})
        assert.equal("closed translator", tostring(closing))
        local swapped = T.new(like {shape = {9, 9}, cpu = function(x, y)
            closing:close()
            return y, x
        end})
        closing = rill.virtual(swapped, rill.physical("float", {9, 9}))
        assert.equal(0, closing:get(1, 2)) -- stays until the call is over
        rill.iota(3)
        assert.equal("closed container", tostring(closing))
        local yielding = T.new(like {cpu = coroutine.yield})
        raises("yield across a C%-call boundary", coroutine.wrap(function() yielding:translate {1, 2} end))
    end)

    it("is compared with itself under check", function()
        assert.equal("custom", tried(swap).name)
        assert.equal("custom", tried(like {shape = {9, 7}, cpu_inverse = function(x, y) return y, x end}).name)
        raises("translator 'wrong' is wrong: of {0, 0} 'cpu' makes {1, 0}, the GLSL {0, 0}", tried,
            like {name = "wrong", cpu = function(x, y) return y + 1, x end})
        raises("'cpu' makes nil, the GLSL {0, 0}", tried, like {cpu = function() end})
        raises("translates to {%d+, %d+}, whose inverse is {%d+, %d+}", tried,
            like {glsl = swap.glsl:gsub("p%.yx", "p.xy")})
        raises("'cpu_inverse' makes {0, 7}", tried, like {cpu_inverse = function(x, y) return y, x + 7 end})
        raises("option 'cpu': never", tried, like {cpu = function() error("never", 0) end})
        tried(like {glsl = "ivec2 translate(ivec2 v) { return v / 2; } ivec2 inverse(ivec2 p) { return p * 2; }",
            cpu = function(x, y) return x // 2, y // 2 end, traits = {one_to_one = false}})
    end)

    it("is told under check where what is said about it is wrong", function()
        local half = like {name = "half", shape = {1000, 1000}, cpu = function(x, y) return x, y // 2 end,
            glsl = "ivec2 translate(ivec2 v) { return v / ivec2(1, 2); }"}
        raises("translator 'half' is wrong: {%d+, %d+} and {%d+, %d+} both translate to {%d+, %d+}, and trait " ..
            "'one_to_one' says true", tried, half)
        half.traits = {one_to_one = false, complete = true}
        tried(half)
        local upper = {name = "upper", rank = 1, to = 1, shape = 100, traits = {complete = true},
            glsl = "int translate(int v) { return v < 90 ? v : -1; }", cpu = function(v) return v < 90 and v or nil end}
        raises("translator 'upper' is wrong: {99} is nowhere, and trait 'complete' says true",
            function() tried(upper) end)
        upper.traits = nil
        tried(upper)
    end)

    it("is told under check where its ranges are wrong", function()
        local function ranged(ranges) return like {name = "ranged", shape = {20, 20}, ranges = ranges} end
        local function each(keep)
            return function(first, last)
                local list = {}
                for y = first[2], last[2] do
                    for x = first[1], last[1] do
                        local r = {first = {x, y}, last = {x, y}, at = {y, x}}
                        list[#list + 1] = keep(r, last) and r or nil
                    end
                end
                return list
            end
        end
        tried(ranged(each(function() return true end)))
        raises("translator 'ranged' is wrong: of the box {%d+, %d+} .. {%d+, %d+} 'ranges' leave out {%d+, 7}", tried,
            ranged(each(function(r) return r.first[2] ~= 7 end)))
        raises("'ranges' do not say what 'cpu' does of {%d+, %d+}", tried,
            ranged(each(function(r) r.at[1] = r.at[1] + 1 return true end)))
        raises("'ranges' do not say what 'cpu' does of {1, 0}", tried,
            ranged(function(first, last) return {{first = first, last = last, at = {first[2], first[1]}}} end))
        raises("'ranges' go out of it, to {%d+, %d+}", tried, ranged(each(function(r, last)
            r.last[1] = r.first[1] == last[1] and last[1] + 1 or r.last[1]
            return true
        end)))
        raises("'ranges' have twice {%d+, %d+}", tried, ranged(function(first, last)
            local list = each(function() return true end)(first, last)
            list[#list + 1] = list[1]
            return list
        end))
    end)

    it("has up to eight dimensions", function()
        -- Digits of base 3, the first ones last.
        local t = tried {name = "turned", rank = 6, to = 5, shape = {3, 3, 3, 3, 3, 3}, glsl = [[
            ivec4 translate(ivec4 v, ivec2 more, out int last) {
                last = v.x;
                return ivec4(more.y, more.x, v.w, v.z * 3 + v.y);
            }
            ivec4 inverse(ivec4 p, int last, out ivec2 more) {
                more = p.yx;
                return ivec4(last, p.w % 3, p.w / 3, p.z);
            }
        ]], cpu = function(u, v, w, x, y, z) return z, y, x, w * 3 + v, u end,
            cpu_inverse = function(p, q, r, s, t)
                if p > 2 or q > 2 or r > 2 or t > 2 or s > 8 then return nil end
                return t, s % 3, s // 3, r, q, p
            end}
        assert.same({2, 1, 2, 4, 1}, t:translate {1, 1, 1, 2, 1, 2})
        assert.same({1, 1, 1, 2, 1, 2}, t:inverse {2, 1, 2, 4, 1})
        assert.same({{2, 1, 2, 4, 1}}, t:translate(rill.from({{1, 1, 1, 2, 1, 2}}, "int")):read())
        assert.same({{1, 1, 1, 2, 1, 2}}, t:inverse(rill.from({{2, 1, 2, 4, 1}}, "int")):read())
        local c = rill.virtual(t, rill.physical("int", {3, 9, 3, 3, 3}))
        c:write(rill.iota {3, 3, 3, 3, 3, 3})
        assert.same(rill.iota({3, 3, 3, 3, 3, 3}):values(), c:values())
        local eight = tried {rank = 8, to = 8, shape = {2, 2, 2, 2, 2, 2, 2, 2}, glsl = [[
            ivec4 translate(ivec4 v, ivec4 more, out ivec4 last) { last = v; return more; }
        ]], cpu = function(x, y, z, w, ...)
            local p = {...}
            p[5], p[6], p[7], p[8] = x, y, z, w
            return table.unpack(p)
        end}
        assert.same({0, 0, 0, 1, 1, 0, 1, 1}, eight:translate {1, 0, 1, 1, 0, 0, 0, 1})
        raises("expected a function 'ivec4 translate%(ivec4 address, int more, out ivec3%)'", T.new,
            {rank = 5, to = 7, cpu = print, glsl = "int translate(int v) { return v; }"})
    end)
end)

describe("a table of addresses that a function computes once", function()
    leaks.watch(setup, teardown)

    -- The cells of a hexagon in a square: rows of different lengths, one after the other.
    local calls = 0
    local function hexagon(more)
        local options = {name = "hexagon", rank = 2, to = 1, shape = {7, 7}, cpu = function(x, y)
            calls = calls + 1
            local from, at = math.max(3 - y, 0), 0
            for row = 0, y - 1 do at = at + 7 - math.abs(row - 3) end
            return x >= from and x < from + 7 - math.abs(y - 3) and at + x - from or nil
        end}
        for k, v in pairs(more or {}) do options[k] = v end
        return T.new(options)
    end

    it("translates points, streams and ranges, both ways, without asking again", function()
        local t = hexagon()
        assert.equal(49, calls)
        assert.same({memory = "n", access = "1", location = "cpu", consistent = true, complete = false,
            one_to_one = true, invertible = true, mutable = false}, t.traits)
        assert.same({{7, 7}, {37}}, {t.shape, t.extent})
        assert.equal(18, t:translate {3, 3})
        assert.is_nil(t:translate {0, 0})
        assert.same({3, 3}, t:inverse(18))
        assert.is_nil(t:inverse(37))
        assert.same({18, -2 ^ 31 | 0}, t:translate(rill.from({{3, 3}, {6, 6}}, "ivec2")):values())
        assert.same({{3, 3}, {3, 0}, {-2 ^ 31 | 0, -2 ^ 31 | 0}}, t:inverse(rill.from({18, 0, 37}, "int")):read())
        assert.same({{first = {3, 0}, last = {6, 0}, at = 0}, {first = {2, 1}, last = {6, 1}, at = 4}},
            t:ranges({0, 0}, {6, 1}))
        assert.equal(49, calls)
    end)

    it("serves containers and compositions", function()
        local t = hexagon()
        local c = rill.virtual(t, rill.physical("int", 37), {default = -1})
        for i, v in ipairs {10, 20, 30} do c:set(v, i + 3, 3) end
        assert.same({-1, 10}, {c:get(1, 1), c:get(4, 3)})
        local look = rill.kernel "kernel void look(ivec2 p<>, int c[][], out int r<>) { r = c[p.y][p.x]; }"
        assert.same({20, -1, 0}, look(rill.from({{2, 4}, {6, 6}, {3, 0}}, "ivec2"), c):values())
        raises("12 of the 49 elements to be written are not mapped", function() c:write(rill.iota {7, 7}) end)
        local both = T.compose(T.fold {shape = 37, to = {5, 8}}, t)
        assert.equal("cpu", both.traits.location)
        assert.same({2, 2}, both:translate {3, 3})
        assert.same({3, 3}, both:inverse {2, 2})
        local turned = T.compose(t, T.new {rank = 2, to = 2, shape = {7, 7}, cpu = function(x, y) return y, x end})
        assert.equal(t:translate {2, 5}, turned:translate {5, 2})
        assert.same({5, 2}, turned:inverse(t:translate {2, 5}))
    end)

    it("says itself what is complete, and one to one", function()
        local t = T.new {rank = 1, to = 2, shape = 10, cpu = function(x) return x // 2, 3 end}
        assert.same({true, false}, {t.traits.complete, t.traits.one_to_one})
        assert.same({4, 5}, t.extent)
        assert.equal(6, t:inverse {3, 3})
        assert.same({6}, t:inverse(rill.from({{3, 3}}, "ivec2")):values())
        local c = rill.virtual(T.new {rank = 1, to = 1, shape = 10, cpu = function(x) return 9 - x end},
            rill.physical("int", 10))
        c:write(rill.iota(10))
        assert.same({45, 9}, {c:sum(), c:get(10)})
        assert.same({0, 1, 3}, c:scan():values(1, 3))
        raises("translator 'hexagon' is wrong: trait 'complete' says true, and its addresses are not", hexagon,
            {traits = {complete = true}})
        raises("trait 'one_to_one' says false", hexagon, {traits = {one_to_one = false}})
    end)

    it("has checked options", function()
        local function made(options)
            local all = {rank = 1, to = 1, shape = 4, cpu = function(x) return x end}
            for k, v in pairs(options) do all[k] = v end
            return function() return T.new(all) end
        end
        raises("without 'glsl' the 'cpu' function is asked for each address of 'shape', which has to be there",
            T.new, {rank = 1, to = 1, cpu = print})
        raises("'cpu_inverse' and 'ranges' follow", made {ranges = print})
        raises("rill.translator.new: 'shape' is 1000000x1000000: a table of its addresses is too large",
            made {rank = 2, shape = {1000000, 1000000}})
        raises("rill.translator.new: option 'cpu': no more",
            made {cpu = function(x) return x < 2 and x or error("no more", 0) end})
        raises("expected 1 whole number or nil as what it returns, got number 0.5",
            made {cpu = function() return 0.5 end})
        assert.is_nil(made {cpu = function(x) return x - 2 end}():translate(1))
        assert.same({}, made {cpu = function() end}():ranges(0, 3))
    end)
end)
