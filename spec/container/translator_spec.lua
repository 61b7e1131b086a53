local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local like = require "spec.support.swap"

local T <const> = rill.translator
local raises <const> = check.raises

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
        assert.same(traits("1", "1", true, false, true, true, false), T.new(like()).traits)
        local own = T.new(like {glsl = "ivec2 translate(ivec2 v) { return v / 2; }",
            traits = {memory = "log n", access = "n", consistent = false, complete = true, one_to_one = false}})
        assert.same(traits("log n", "n", false, true, false, false, false), own.traits)
        assert.equal("n", T.compose(own, own).traits.access)
    end)

    -- The 17 rows of the table, in its order. docs/translator.md gives the reasons for different
    -- characteristics.
    it("makes the structures of Glift's Table II", function()
        local counts = rill.from({{{2, 1}, {0, 3}}}, "int")
        local function paged(frames, to, options) -- pages, of so many elements in all, in memory of other dimensions
            return T.compose(T.fold {shape = frames, to = to}, T.pages(options))
        end
        -- A quadtree over x and y, traversed on the CPU: four addresses for each leaf, of which some are
        -- coarser.
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

    it("refuses points outside of its domain", function()
        local t, hash = T.linear {shape = {3, 5}}, T.hash {rank = 2}
        raises("t:translate: argument #1 'point': {5, 0} is outside of the domain, {0, 0} .. {4, 2}", t.translate,
            t, {5, 0})
        raises("{%-1, 0} is outside", t.translate, t, {-1, 0})
        raises("expected a table of 2 whole numbers, got table of 3", t.translate, t, {1, 2, 3})
        raises("expected a table of 2 whole numbers, got table of 2", t.translate, t, {1, 2.5})
        raises("expected a table of 2 whole numbers, got table of 2", t.translate, t, {1, "2"})
        raises("expected a table of 2 whole numbers, got number 3", t.translate, t, 3)
        raises("expected a table of 2 whole numbers, got nothing", t.translate, t)
        raises("argument #1 'point': expected a whole number, got string", t.inverse, t, "1")
        raises("expected at most 1 argument, got 2", t.translate, t, {1, 2}, 3)
        raises("coordinates go from %-2147483647 to 2147483647", hash.translate, hash, {-2 ^ 31 | 0, 0})
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
        raises("'shape' is 65536x32768: expected at most 2147483647 elements", T.linear, {shape = {65536, 32768}})
        raises("'shape' is 4x0: expected sizes from 1", T.linear, {shape = {4, 0}})
        raises("'shape' is 4x4294967296: expected sizes from 1", T.linear, {shape = {4, 2 ^ 32 | 0}})
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
        for at = 0, 8 do -- a page at the end of the ints, of which a part cannot be mapped
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
        raises("option 'shape': expected a shape", T.linear, {})
        raises("'to', 3x3, has fewer elements than 'shape', 10", T.fold, {shape = 10, to = {3, 3}})
        raises("tiles of 4x4 do not fit into 'to', 4x4", T.fold, {shape = {4, 4}, to = {4, 4}, tiled = true})
        raises("tiles of 3x4x4 do not fit into 'to', 7x11", T.fold, {shape = {3, 4, 4}, to = {7, 11}, tiled = true})
        raises("'page' is 4 and 'shape' is 8x8: expected the same number", T.pages, {shape = {8, 8}, page = 4})
        raises("option 'levels': expected 1 .. 8, got 0", T.pages, {shape = 8, page = 4, levels = 0})
        raises("option 'capacity': expected 1 .. 2147483647, got 0", T.pages, {shape = 8, page = 4, capacity = 0})
        raises("pages of 65536 elements reach 32767 frames", T.hash, {page = {256, 256}, capacity = 2 ^ 20})
        raises("the page table would be too large", T.pages, {shape = {2 ^ 31 - 1 | 0, 2 ^ 31 - 1 | 0}, page = {1, 1},
            levels = 1})
        raises("expected 'rank', or 'page'", T.hash, {})
        raises("expected 'rank', or 'page'", T.hash, {rank = 2, page = 4})
        raises("argument #1 'outer': expected a translator, got nothing", T.compose)
        raises("addresses have 1 coordinates, the outer translator's domain", T.compose, T.linear {shape = {4, 4}},
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
        raises("'offsets' describes 2 lists, but there are 3 cells", T.lists, {offsets = rill.iota(3), shape = 3})
        raises("more than 2147483647 entries", T.lists, {counts = rill.from({2 ^ 31 - 1 | 0, 1}, "int")})
        raises("option 'counts': expected a stream of int, got stream<float>", T.lists,
            {counts = rill.stream("float", 2)})
        raises("a grid of lists has at most 7", T.lists, {counts = rill.stream("int", {1, 1, 1, 1, 1, 1, 1, 1})})
    end)

    it("survives that a metamethod of the options closes it", function()
        local function closing(t, key)
            return setmetatable({}, {__index = function(_, name)
                if name == key then return t end
                if name == "page" then return {4, 4} end
                t:close()
                collectgarbage()
            end})
        end
        for _, key in ipairs {"boundary", "mapping"} do
            local t = T.linear {shape = {8, 8}}
            pcall(rill.sparse, "float", {8, 8}, closing(t, key))
            raises("the translator was closed", t.translate, t, {0, 0})
        end
        local t = T.linear {shape = {8, 8}}
        raises("the translator was closed", rill.virtual, t, rill.physical("float", 64), closing(t, "none"))
    end)

    it("without elements has none", function()
        raises("expected sizes from 1", T.lists, {counts = rill.stream("int", 0)})
        raises("expected sizes from 1", T.pages, {shape = {0, 4}, page = {1, 1}})
        raises("expected sizes from 1", T.pages, {shape = {4, 4}, page = {0, 1}})
    end)
end)
