-- b:map and b:filter of kernels with neighbors, several inputs and several outputs: each against the same kernel on the whole
-- streams, over shapes, tiles, types and boundary modes, and neighbors against sums in Lua.
local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"
local tiles = require "rill.big.tiles"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local MODES <const> = {"clamp", "wrap", "mirror", "zero", 0.1, -3}

describe("maps of big streams", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- Saves a stream, and returns its big stream.
    local function big(s, name, options)
        local path = files:path(name .. ".npy")
        s:save(path)
        return rill.big(path, s.type, nil, options)
    end

    -- Returns the stream of small whole numbers that a seed gives.
    local function numbers(element, shape, seed)
        return rill.random(shape, {seed = seed}):map("floor(x * 40.0)"):cast(element)
    end

    it("read neighbors in other tiles", function()
        local near = rill.kernel [=[
            kernel void near(neighbor float u<>, out float r<>) { r = u[-1] + 10.0 * u[2] + 100.0 * u[-3]; }
        ]=]
        local at = {
            clamp = function(list, i) return list[math.max(1, math.min(#list, i))] end,
            wrap = function(list, i) return list[(i - 1) % #list + 1] end,
            zero = function(list, i) return list[i] or 0 end,
            [7] = function(list, i) return list[i] or 7 end,
            mirror = function(list, i)
                local m = (i - 1) % (2 * #list)
                return list[m < #list and m + 1 or 2 * #list - m]
            end,
        }
        for _, n in ipairs(LONG and {1, 2, 3, 7, 65} or {1, 3, 65}) do
            local s = numbers("float", n, n)
            local list = s:values()
            for mode, read in pairs(at) do
                local expected = {}
                for i = 1, n do
                    expected[i] = read(list, i - 1) + 10 * read(list, i + 2) + 100 * read(list, i - 3)
                end
                for _, tile in ipairs(LONG and {1, 2, 5, 64, 100} or {2, 64}) do
                    local r = big(s, "u", {tile = tile}):map(near, files:path "near.npy", {boundary = mode})
                    assert.same(expected, rill.load(r.path):values())
                end
            end
        end
    end)

    it("read neighbors of several streams of all types in all modes", function()
        local count = 0
        local all <const> = {"float", "double", "half", "int", "uint", "int8", "uint8", "int16", "uint16"}
        for i, element in ipairs(LONG and all or {"float", "int8"}) do
            local text = ([=[
                kernel void near(neighbor $T x<>, neighbor float y<>, out float r<>, out int place<>) {
                    r = float(x[1][-1]) + 2.0 * float(x[-2][0]) + 3.0 * float(x[0][1]) + 5.0 * y[-1][-1] + 7.0 * y[3][1];
                    place = indexof(r).y * 100 + indexof(r).x + 10000 * sizeof_stream(r).y;
                }
            ]=]):gsub("$T", ({half = "float", int8 = "int", int16 = "int", uint8 = "uint", uint16 = "uint"})[element] or
                element)
            local kernel = rill.kernel(text)
            for k, shape in ipairs(LONG and {{1, 1}, {2, 9}, {11, 3}, {40, 4}, {0, 3}} or {{2, 9}, {40, 4}, {0, 3}}) do
                local x, y = numbers(element, shape, i), numbers("float", shape, i + 50)
                local a = {MODES[(i + k) % 6 + 1], MODES[(i + 2 * k) % 3 + 1]}
                local b = {MODES[k % 3 + 1], MODES[(i + k) % 3 + 1]}
                local r, place = kernel(x:boundary(table.unpack(a)), y:boundary(table.unpack(b)))
                local other = big(y, "y")
                for _, rows in ipairs(LONG and {1, 2, 7, 50} or {2, 50}) do
                    local given = big(x, "x", {tile = rows * shape[2]})
                    local r2, place2 = given:map(kernel, {r = files:path "r.npy", place = files:path "place.npy"},
                        {arguments = {y = other}, boundary = {x = a, y = b}})
                    assert.equal(r:bytes(), rill.load(r2.path):bytes())
                    assert.equal(place:bytes(), rill.load(place2.path):bytes())
                    assert.same({shape, shape, "float", "int"}, {r2.shape, place2.shape, r2.type, place2.type})
                    count = count + 1
                end
            end
        end
        assert.equal(LONG and 180 or 12, count)
    end)

    it("read neighbors whose offsets are computed", function()
        local shift = rill.kernel "kernel float shift(neighbor float u<>, int k) { return u[k][0] + u[3][1]; }"
        local s = numbers("float", {20, 3}, 1)
        local b = big(s, "u", {tile = 6})
        for _, mode in ipairs {"clamp", "wrap", "mirror", "zero"} do
            for _, k in ipairs(LONG and {-5, 2, 0, 25} or {-5, 2}) do
                local r = b:map(shift, files:path "r.npy", {arguments = {k = k}, boundary = mode, halo = math.abs(k)})
                assert.equal(shift(s:boundary(mode), k):bytes(), rill.load(r.path):bytes())
            end
        end
        check.raises("the offsets of neighbors are unknown", function()
            b:map(shift, files:path "r.npy", {arguments = {k = 1}})
        end)
    end)

    it("have variable outputs and masks of several streams", function()
        local pushes = rill.kernel [=[
            kernel void pushes(neighbor float x<>, float y<>, float least, vout float v<>, out bool q<>) {
                q = x[-1] > y && indexof(q).x != 3;
                if (q && x[2] > least) push(v, x[0]);
            }
        ]=]
        local mask = rill.kernel "kernel bool mask(float y<>, neighbor float x<>) { return x[1] > y; }"
        for _, n in ipairs(LONG and {0, 1, 5, 130} or {0, 130}) do
            local x, y = numbers("float", n, 1), numbers("float", n, 2)
            local other = big(y, "y")
            for _, tile in ipairs(LONG and {1, 3, 64, 200} or {3, 64}) do
                local b = big(x, "x", {tile = tile})
                local v, q = pushes(x:boundary "wrap", y, 4)
                local v2, q2 = b:map(pushes, {v = files:path "v.npy", q = files:path "q.npy"},
                    {arguments = {y = other, least = 4}, boundary = "wrap"})
                assert.equal(v:bytes(), rill.load(v2.path):bytes())
                assert.same(q:values(), rill.load(q2.path):values())
                local kept = b:filter(mask, files:path "kept.npy", {arguments = {y = other}, boundary = "mirror"})
                local kept2 = other:filter(mask, files:path "kept2.npy", {arguments = {x = b}})
                assert.equal(x:filter(mask(y, x:boundary "mirror")):bytes(), rill.load(kept.path):bytes())
                assert.equal(y:filter(mask(y, x)):bytes(), rill.load(kept2.path):bytes())
            end
        end
    end)

    it("have variable outputs with more elements than inputs", function()
        local triple = rill.kernel [=[
            kernel void triple(float x<>, vout float v<>) { push(v, x); push(v, -x); push(v, 0.5); }
        ]=]
        local x = numbers("float", {41, 3}, 1)
        for _, tile in ipairs {3, 50, 1000} do
            local r = big(x, "x", {tile = tile}):map(triple, files:path "v.npy")
            assert.equal(triple(x):bytes(), rill.load(r.path):bytes())
            assert.same({369}, r.shape)
        end
    end)

    it("are expressions of several streams", function()
        local x, y = numbers("float", {9, 5}, 1), numbers("int8", {9, 5}, 2)
        local z = rill.random({9, 5}, {seed = 3, type = "vec2"})
        local b = big(x, "x", {tile = 7})
        local given = {y = big(y, "y"), z = big(z, "z"), a = 3}
        local r = b:map("x * a + float(y) + z.y", files:path "r.npy", {arguments = given})
        local sum = rill.kernel "kernel float sum(float x<>, int y<>, vec2 z<>) { return x * 3.0 + float(y) + z.y; }"
        assert.equal(sum(x, y, z):bytes(), rill.load(r.path):bytes())
        assert.same({9, 5}, r.shape)
        local kept = b:filter("x > float(y) && i % 3 != a", files:path "kept.npy", {arguments = {y = given.y, a = 1}})
        local test = rill.kernel [=[
            kernel bool test(float x<>, int y<>) { return x > float(y) && (indexof(x).y * 5 + indexof(x).x) % 3 != 1; }
        ]=]
        assert.equal(x:filter(test(x, y)):bytes(), rill.load(kept.path):bytes())
    end)

    it("keep within the memory", function()
        local s = numbers("float", {64, 32}, 1)
        local blur = rill.kernel "kernel float blur(neighbor float u<>) { return u[-1][0] + u[1][0]; }"
        local far = rill.kernel "kernel float far(neighbor float u<>) { return u[-9][0] + u[1][0]; }"
        local b = big(s, "u", {memory = 10 * 32 * 4 * 16})
        local r = b:map(blur, files:path "r.npy", {boundary = "wrap"})
        assert.equal(blur(s:boundary "wrap"):bytes(), rill.load(r.path):bytes())
        local message = check.raises("the kernel reads 19 rows for each row of results, and the memory is for 10",
            function() b:map(far, files:path "r.npy") end)
        local enough = math.tointeger(tonumber(message:match "memory = (%d+)"))
        local r2 = rill.big(b.path, {memory = enough}):map(far, files:path "r.npy")
        assert.equal(far(s):bytes(), rill.load(r2.path):bytes())
    end)

    it("refuse bad arguments", function()
        local b, y = big(rill.iota(6), "x"), big(rill.iota(6), "y")
        local wide = big(rill.iota(6):reshape {2, 3}, "wide")
        local out, path = files:path "out.npy", files:path "y.npy"
        local two = rill.kernel "kernel void two(int x<>, int y<>, out int r<>) { r = x + y; }"
        local near = rill.kernel "kernel int near(neighbor int x<>) { return x[1]; }"
        local outs = rill.kernel "kernel void outs(int x<>, out int p<>, out int q<>) { p = x; q = x; }"
        local takes = rill.kernel "kernel int takes(int x<>, int table[]) { return table[x]; }"
        local random = rill.kernel "kernel void random(int x<>, inout int h[], out int r<>) { h[0] = 1; r = x; }"
        local part = rill.kernel "kernel int part(int x<>, int part) { return x + part; }"
        local function run(...)
            local arguments = table.pack(...)
            return function() b:map(table.unpack(arguments, 1, arguments.n)) end
        end
        for message, f in pairs {
            ["kernel 'two' has the inputs 'x' and 'y': give a big stream for one of them"] = run(two, out),
            ["argument 'y' has shape 2x3, and '"] = run(two, out, {arguments = {y = wide}}),
            ["'y': expected a big stream of the same shape, got stream"] = run(two, out,
                {arguments = {y = rill.iota(6)}}),
            ["'r' is an output of the kernel"] = run(two, out, {arguments = {y = y, r = y}}),
            ["kernel 'two' has no argument 'z'"] = run(two, out, {arguments = {y = y, z = 1}}),
            ["kernel 'two' has no input stream for '"] = run(two, out, {arguments = {x = y, y = y}}),
            ["y.npy' is the file of the stream"] = run(two, path, {arguments = {y = y}}),
            ["argument 'part' has the name of the launch option"] = run(part, out, {arguments = {part = 1}}),
            ["'table' is read as a whole"] = run(takes, out, {arguments = {table = y}}),
            ["argument 'h' is a random%-access stream"] = run(random, out, {arguments = {h = rill.iota(1)}}),
            ["option 'boundary': only kernels with neighbor arguments have it"] = run(two, out,
                {arguments = {y = y}, boundary = "wrap"}),
            ["option 'halo': only kernels with neighbor arguments have it"] = run("x", out, {halo = 1}),
            ["option 'boundary': 'y' is not a neighbor argument"] = run(near, out, {boundary = {y = "wrap"}}),
            ["option 'boundary': expected \"clamp\", \"wrap\""] = run(near, out, {boundary = "none"}),
            ["option 'boundary' has 2 values, the grid has 1 dimension"] = run(near, out,
                {boundary = {"wrap", "clamp"}}),
            ["option 'halo': expected a whole number from 0, got number %-1"] = run(near, out, {halo = -1}),
            ["the kernel has 2 outputs: expected a table of files by their names"] = run(outs, out),
            ["argument #2 'path': expected the name of a .npy file, got nil"] = run(outs, {p = out}),
            ["argument #2 'path': unknown option 'z'"] = run(outs, {p = out, z = out}),
            ["out.npy' is the file of two outputs"] = run(outs, {p = out, q = files.directory .. "/./out.npy"}),
            ["'y': expected a big stream of the same shape or a constant"] = run("x + y", out,
                {arguments = {y = rill.iota(6)}}),
            ["argument 'y' has shape 2x3"] = run("x + y", out, {arguments = {y = wide}}),
            ["expected names for use in the expression"] = run("x + y", out, {arguments = {x = y}}),
            ["kernel 'outs': expected one output, a mask"] = function() b:filter(outs, out) end,
        } do
            check.raises(message, f)
        end
        assert.falsy(io.open(out))
    end)

    it("detect that one of several sources is changed", function()
        local x, y = big(rill.iota(1000), "x"), big(rill.iota(1000), "y")
        local bytes, count = tempfiles.read(y.path), 0
        local done, message = pcall(tiles.each_of, "b:map", {{state = x._state}, {state = y._state}}, 100, function()
            count = count + 1
            if count == 3 then files:write("y.npy", bytes:sub(1, 3000)) end
        end)
        assert.falsy(done)
        assert.truthy(message:find("y.npy': the file was truncated from", 1, true))
        check.raises("truncated", function() x:map("x + y", files:path "never.npy", {arguments = {y = y}}) end)
        for _, name in ipairs(files:list()) do
            assert.falsy(name:find "^%.rill" or name == "never.npy")
        end
    end)
end)
