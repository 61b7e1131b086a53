-- rill.fft against sums in double.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local tempfiles = require "spec.support.tempfiles"

-- cos and sin of 2 pi k / n, k from 0 to n - 1.
local function roots(n)
    local cos, sin = {}, {}
    for k = 0, n - 1 do
        local angle = 2 * math.pi * k / n
        cos[k], sin[k] = math.cos(angle), math.sin(angle)
    end
    return cos, sin
end

-- Returns coefficient k of n complex numbers of a flat list, from `first` on with a stride.
local function coefficient(values, n, k, cos, sin, first, apart)
    local x, y, at = 0, 0, 0
    for j = 0, n - 1 do
        local i = 2 * (first + j * apart) + 1
        local a, b, c, s = values[i], values[i + 1], cos[at], sin[at]
        x, y = x + (a * c + b * s), y + (b * c - a * s)
        at = at + k
        if at >= n then at = at - n end
    end
    return x, y
end

-- Returns the transform of a flat list along the middle of three dimensions; backwards: with conjugate roots, divided by n.
local function transform(values, outer, n, inner, backwards)
    local cos, sin = roots(n)
    local result, scale = {}, backwards and 1 / n or 1
    for o = 0, outer - 1 do
        for i = 0, inner - 1 do
            for k = 0, n - 1 do
                local at = 2 * ((o * n + k) * inner + i) + 1
                local x, y = coefficient(values, n, backwards and (n - k) % n or k, cos, sin, o * n * inner + i, inner)
                result[at], result[at + 1] = x * scale, y * scale
            end
        end
    end
    return result
end

-- The same along several dimensions of a shape.
local function transform_axes(values, shape, axes, backwards)
    for _, axis in ipairs(axes) do
        local outer, inner = 1, 1
        for d, size in ipairs(shape) do
            outer, inner = outer * (d < axis and size or 1), inner * (d > axis and size or 1)
        end
        values = transform(values, outer, shape[axis], inner, backwards)
    end
    return values
end

-- Returns the relative error of a flat list in the 2-norm.
local function distance(expected, got)
    assert.equal(#expected, #got)
    local apart, size = 0, 0
    for i, value in ipairs(expected) do
        apart, size = apart + (value - got[i]) ^ 2, size + value ^ 2
    end
    return math.sqrt(apart / math.max(size, 1e-300))
end

local function close(expected, got, type, what)
    local wide = type == "double" or type == "dvec2"
    local apart = distance(expected, got)
    if apart ~= apart or apart > (wide and 5e-15 or 6e-7) then
        error(("%s: off by %g"):format(what, apart), 2)
    end
end

local function random(type, shape, seed)
    return rill.random(shape, {type = type, seed = seed, low = -1, high = 1})
end

-- Real numbers as complex ones.
local function complex(values)
    local result = {}
    for i, value in ipairs(values) do
        result[2 * i - 1], result[2 * i] = value, 0
    end
    return result
end

local function assert_length(type, n)
    local s = random(type, n, n)
    local values, bytes = s:values(), s:bytes()
    for _, inverse in ipairs {false, true} do
        local r = rill.fft(s, {inverse = inverse})
        assert.equal(type, r.type)
        close(transform(values, 1, n, 1, inverse), r:values(), type, ("%d numbers, inverse %s"):format(n, inverse))
        assert.is_true(r:bytes() == rill.fft(s, {inverse = inverse}):bytes(), "the same bits again")
    end
    assert.is_true(bytes == s:bytes(), "the input unchanged")
end

-- Some coefficients of a long transform, and the sum of all squares.
local function assert_some(type, n, count)
    local s = random(type, n, n)
    local values, got = s:values(), rill.fft(s):values()
    local cos, sin = roots(n)
    local wide, before, after = type == "dvec2", 0, 0
    local allowed = (wide and 5e-15 or 6e-7) * math.sqrt(n) * 4
    for i = 1, count do
        local k = i == 1 and 0 or (i * 2654435761 + n) % n
        local x, y = coefficient(values, n, k, cos, sin, 0, 1)
        local apart = math.max(math.abs(x - got[2 * k + 1]), math.abs(y - got[2 * k + 2]))
        if apart > allowed then
            error(("%d numbers, coefficient %d: off by %g, %g are allowed"):format(n, k, apart, allowed))
        end
    end
    for i = 1, 2 * n do
        before, after = before + values[i] ^ 2, after + got[i] ^ 2
    end
    assert.near(1, after / n / before, wide and 1e-13 or 1e-6)
end

-- Half the spectrum of real numbers, and back, along dimension `axis`.
local function assert_real(type, shape, axes)
    local axis = axes[#axes]
    local s = random(type, shape, 9)
    local n, last, first = s.shape[axis], {}, {}
    for d = 1, #s.shape do
        first[d], last[d] = 1, d == axis and n // 2 + 1 or s.shape[d]
    end
    local what = ("%s of %s along %s"):format(type, s.shape, table.concat(axes, " "))
    local half = rill.fft(s, {real = true, axes = axes})
    local whole = rill.stream(half.type, s.shape, transform_axes(complex(s:values()), s.shape, axes))
    close(whole:domain(first, last):copy():values(), half:values(), type, what)
    local back = rill.fft(half, {real = true, inverse = true, axes = axes, length = n})
    assert.equal(type, back.type)
    assert.equal(tostring(s.shape), tostring(back.shape))
    close(s:values(), back:values(), type, what .. " and back")
end

-- Some coefficients of the first and the last line along dimension `axis` of two.
local function assert_lines(type, shape, axis, inverse)
    local s = random(type, shape, 5)
    local lines, got = s, rill.fft(s, {axes = axis, inverse = inverse})
    if axis == 1 then lines, got = lines:transpose(), got:transpose() end
    local n <const>, count <const> = shape[axis], shape[3 - axis]
    local cos, sin = roots(n)
    local expected, values = {}, {}
    for _, line in ipairs {1, count} do
        local from, to = lines[line]:copy():values(), got[line]:copy():values()
        for i = 0, 7 do
            local k = (i * 2654435761 + i // 4) % n
            local x, y = coefficient(from, n, inverse and (n - k) % n or k, cos, sin, 0, 1)
            local scale = inverse and 1 / n or 1
            table.move({x * scale, y * scale}, 1, 2, #expected + 1, expected)
            table.move(to, 2 * k + 1, 2 * k + 2, #values + 1, values)
        end
    end
    close(expected, values, type, ("%s of %s along %d"):format(type, s.shape, axis))
end

describe("fft", function()
    leaks.watch(setup, teardown)

    -- Work groups transform several lines, and the last group has fewer.
    it("of powers of two, of rows and columns", function()
        for bits = 1, 12 do
            assert_lines("vec2", {5, 1 << bits}, 2, bits % 2 == 0)
            assert_lines("vec2", {1 << bits, 6}, 1, bits % 2 == 1)
        end
        assert_lines("vec2", {3, 1 << 13}, 2)
        assert_lines("vec2", {256, 37}, 1)
        assert_lines("vec2", {1, 1024}, 1) -- nothing to transform
    end)

    it("of powers of two, of rows and columns of doubles #doubles", function()
        for bits = 1, 12, 3 do
            assert_lines("dvec2", {5, 1 << bits}, 2, bits % 2 == 0)
            assert_lines("dvec2", {1 << bits, 6}, 1, bits % 2 == 1)
        end
    end)

    it("of powers of two, of more rows and columns #long #doubles", function()
        for _, type in ipairs {"vec2", "dvec2"} do
            for bits = 1, 12 do
                for _, count in ipairs {1, 3, 4, 33} do
                    assert_lines(type, {count, 1 << bits}, 2)
                    assert_lines(type, {1 << bits, count}, 1)
                end
            end
            for bits = 13, 16 do
                assert_some(type, 1 << bits, 3)
            end
        end
        assert_some("vec2", 1 << 19, 3)
        assert_some("vec2", 1 << 20, 3)
    end)

    it("keeps NaN and infinity in their lines, and begins at any element", function()
        for _, axis in ipairs {1, 2} do
            local s = random("vec2", {64, 64}, 3)
            local clean = rill.fft(s, {axes = axis})
            s:set({0 / 0, 1}, 7, 7)
            s:set({1, 1 / 0}, 20, 20)
            local got = rill.fft(s, {axes = axis})
            for i = 1, 64 do
                local from, to = {i, 1}, {i, 64}
                if axis == 1 then from, to = {1, i}, {64, i} end
                local line = got:domain(from, to):copy()
                if i == 7 or i == 20 then
                    local x = line:values()[33]
                    assert.is_true(x ~= x or math.abs(x) == math.huge)
                else
                    assert.is_true(clean:domain(from, to):copy():bytes() == line:bytes(), "line " .. i)
                end
            end
        end
        local s = random("vec2", 1200, 3)
        for _, n in ipairs {64, 1024} do
            local part = s:domain(4, n + 3)
            assert.is_true(rill.fft(part:copy()):bytes() == rill.fft(part):bytes())
        end
    end)

    it("of one dimension, of lengths of all kinds", function()
        for _, n in ipairs {1, 2, 7, 11, 15, 16, 17, 32, 1009, 1024} do
            assert_length("vec2", n)
        end
    end)

    it("of doubles #doubles", function()
        for _, n in ipairs {1, 13, 16, 32, 256} do
            assert_length("dvec2", n)
        end
    end)

    it("of every length from 1 to 1025 #long", function()
        for n = 1, 1025 do
            assert_some("vec2", n, 6)
        end
    end)

    it("of doubles, of many lengths #long #doubles", function()
        for n = 1, 1025, 3 do
            assert_some("dvec2", n, 6)
        end
    end)

    it("of lengths beyond what one work group holds", function()
        for _, n in ipairs(fitting {2048, 2049, 4096, 8192, 20480, 65536}) do
            assert_some("vec2", n, 5)
        end
    end)

    it("of a prime near a million #long #doubles", function()
        assert_some("vec2", 999983, 3)
        assert_some("dvec2", 999983, 3)
    end)

    it("of several dimensions, all or some", function()
        local shapes = {{4, 3, 2}, {16, 32}, {1, 7, 1}}
        for _, shape in ipairs(shapes) do
            local s = random("vec2", shape, 4)
            local all = {}
            for d = 1, #shape do all[d] = d end
            local r = rill.fft(s)
            close(transform_axes(s:values(), shape, all), r:values(), "vec2", tostring(s.shape))
            close(s:values(), rill.fft(r, {inverse = true}):values(), "vec2", tostring(s.shape) .. " and back")
            for axis = 1, #shape do
                local one = transform_axes(s:values(), shape, {axis}, true)
                close(one, rill.fft(s, {axes = axis, inverse = true}):values(), "vec2", "axis " .. axis)
                assert.is_true(rill.fft(s, {axes = axis}):bytes() == rill.fft(s, {axes = {axis - #shape - 1}}):bytes())
            end
        end
    end)

    -- With so many elements separate programs are used.
    it("of many elements, of short lengths", function()
        local s = random("vec2", {32, 2100}, 8)
        local r = rill.fft(s, {axes = 1})
        for _, i in ipairs {1, 2, 1333, 2100} do
            local column = s:transpose()[i]:copy():values()
            close(transform(column, 1, 32, 1), r:transpose()[i]:copy():values(), "vec2", "column " .. i)
        end
    end)

    it("of many elements, of other lengths #long #doubles", function()
        for _, type in ipairs {"vec2", "dvec2"} do
            for _, n in ipairs {32, 160, 512, 1024} do
                local s = random(type, {(1 << 16) // n + 1, n}, 8)
                local r = rill.fft(s, {axes = 2})
                close(transform(s[7]:copy():values(), 1, n, 1), r[7]:copy():values(), type, "rows of " .. n)
            end
            for _, n in ipairs {1 << 17, 1 << 18, 5 << 15} do
                assert_some(type, n, 3)
            end
        end
    end)

    it("of other shapes #long", function()
        for _, shape in ipairs {{5, 3, 8}, {2, 3, 2, 5}, {33, 2}, {64, 1}, {7, 7, 7}, {12, 35}} do
            local s, all = random("vec2", shape, 4), {}
            for d = 1, #shape do all[d] = d end
            close(transform_axes(s:values(), shape, all), rill.fft(s):values(), "vec2", tostring(s.shape))
        end
    end)

    it("of rows by the thousand", function()
        local s = random("vec2", {1000, 16}, 8)
        close(transform(s:values(), 1000, 16, 1), rill.fft(s, {axes = 2}):values(), "vec2", "rows")
        local t = random("vec2", {500, 16}, 8)
        close(transform(t:values(), 1, 500, 16), rill.fft(t, {axes = 1}):values(), "vec2", "columns")
    end)

    it("of more rows than go through all passes together", function()
        local s = random("vec2", {2100, 64}, 8)
        local rows = rill.fft(s, {axes = 2})
        for _, i in ipairs {1, 2048, 2049, 2100} do
            assert.is_true(rill.fft(s[i]:copy()):bytes() == rows[i]:bytes(), "row " .. i)
        end
        assert.is_true(rill.fft(s):bytes() == rill.fft(rows, {axes = 1}):bytes(), "rows, then columns, in place")
        local back = rill.fft(rows, {axes = 2, inverse = true})
        assert.is_true((rill.length(back - s)):max() < 3e-6)
    end)

    it("of real numbers, to half a spectrum and back", function()
        for _, n in ipairs {1, 2, 3, 4, 10, 11, 22, 64, 1024} do
            assert_real("float", n, {1})
        end
        for _, shape in ipairs {{4, 3}, {2, 4, 8}} do
            local all = {}
            for d = 1, #shape do all[d] = d end
            for axis = 1, #shape do
                assert_real("float", shape, {axis})
                all[axis], all[#all] = all[#all], all[axis]
                assert_real("float", shape, all)
            end
        end
    end)

    shortened(it, "of many rows of real numbers #doubles", function(all)
        for _, n in ipairs(all and {128, 512, 2048} or {512}) do
            local rows = 3 + (1 << 16) // n
            local whole = rill.random({rows, n + 1}, {seed = n, low = -1})
            for name, x in pairs {
                rows = whole:domain({1, 1}, {rows, n}):copy(), view = whole:domain({1, 2}, {rows, n + 1}),
                apart = whole:reshape(rows * (n + 1)):domain(2, (rows - 1) * n + 1):reshape {rows - 1, n},
            } do
                local half = rill.fft(x, {axes = 2, real = true})
                assert.equal(n // 2 + 1, half.shape[2])
                local wide = rill.fft(x:cast "double", {axes = 2}):domain({1, 1}, {x.shape[1], n // 2 + 1})
                local far = rill.length(half:cast "dvec2" - wide):max() / rill.length(wide):max()
                assert.is_true(far < 4e-7, ("%s of %d: %g"):format(name, n, far))
                assert.is_true(half:bytes() == rill.fft(x, {axes = 2, real = true}):bytes())
            end
        end
    end)

    it("of real numbers of other shapes and types #long #doubles", function()
        for _, type in ipairs {"float", "double"} do
            for n = 1, 40 do
                assert_real(type, n, {1})
            end
            for _, shape in ipairs {{6, 10}, {5, 7}, {2, 3, 2, 5}} do
                assert_real(type, shape, {1, 2})
                assert_real(type, shape, {2, 1})
            end
        end
    end)

    it("of real doubles #doubles", function()
        for _, n in ipairs {1, 32, 3} do
            assert_real("double", n, {1})
        end
    end)

    it("assumes an even length for half a spectrum by default", function()
        local s = rill.from {1, 2, 4, 3}
        local half = rill.fft(s, {real = true})
        check.equal({10, 0, -3, 1, 0, 0}, half:values(), 1e-6)
        check.equal({1, 2, 4, 3}, rill.fft(half, {inverse = true, real = true}):values(), 1e-6)
        assert.equal(5, rill.fft(half, {inverse = true, real = true, length = 5}).size)
        -- The imaginary parts of the first and the last coefficient are ignored.
        local odd = rill.from({{10, 7}, {-3, 1}, {0, 5}}, "vec2")
        check.equal({1, 2, 4, 3}, rill.fft(odd, {inverse = true, real = true}):values(), 1e-6)
    end)

    it("of views and other types", function()
        local s = random("vec2", {9, 40}, 6)
        for name, view in pairs {
            part = s:domain({2, 4}, {8, 31}), turned = s:transpose(), row = s[3], odd = s[2]:domain(2, 33),
        } do
            local r, shape = rill.fft(view), view.shape
            local axes = #shape == 1 and {1} or {1, 2}
            close(transform_axes(view:copy():values(), shape, axes), r:values(), "vec2", name)
        end
        local numbers = {3, 1, 4, 1, 5, 9, 2, 6, 5}
        local expected = transform(complex(numbers), 1, 9, 1)
        for _, type in ipairs {"float", "uint8"} do
            close(expected, rill.fft(rill.from(numbers, type)):values(), "vec2", type)
            local half = rill.fft(rill.from(numbers, type), {real = true})
            close({table.unpack(expected, 1, 10)}, half:values(), "vec2", type)
        end
        close(expected, rill.fft(rill.from(numbers) + 0):values(), "vec2", "an expression")
        local halves = rill.from({{1, 2}, {3, 4}}, "half2")
        check.equal({4, 6, -2, -2}, rill.fft(halves):values())
        -- The real numbers of a row that begins at an odd index are not aligned as pairs.
        local row = random("float", {3, 9}, 2)[2]:domain(1, 8)
        expected = transform(complex(row:values()), 1, 8, 1)
        close({table.unpack(expected, 1, 10)}, rill.fft(row, {real = true}):values(), "float", "row")
    end)

    it("of empty streams, and of one element", function()
        assert.equal("stream<vec2>[0x4] 0 bytes", tostring(rill.fft(rill.stream("float", {0, 4}))))
        assert.equal("0x3", tostring(rill.fft(rill.stream("float", {0, 4}), {real = true}).shape))
        assert.equal("0x4", tostring(rill.fft(rill.stream("vec2", {0, 3}), {real = true, inverse = true}).shape))
        local one = rill.from({{3, 4}}, "vec2")
        local r = rill.fft(one)
        r:set({0, 0}, 1)
        check.equal({3, 4}, one:values())
    end)

    it("of an image #long #doubles", function()
        local data, why = tempfiles.data()
        if not data then
            pending(why)
            return
        end
        local known = { -- by numpy
            [{0, 0}] = {33832495, 0}, [{1, 0}] = {14677.633049, 6379220.664400},
            [{0, 1}] = {4946997.851099, -4048879.132943},
            [{3, 5}] = {-389012.325394, 536311.513715}, [{17, 200}] = {-3690.231623, -1740.172898},
            [{256, 256}] = {-643, 0}, [{256, 0}] = {-26053, 0}, [{100, 300}] = {1255.557053, 5692.574282},
        }
        local picture = rill.round(rill.image.load(data .. "/images/camera.pgm") * 255):eval()
        local wide, narrow = rill.fft(picture:cast "double"), rill.fft(picture)
        for k, value in pairs(known) do
            check.equal(value, wide:get(k[2] + 1, k[1] + 1), 1e-6)
        end
        local apart = (narrow:cast "dvec2" - wide):eval()
        assert.is_true(rill.dot(apart, apart):sum() <= 1e-12 * rill.dot(wide, wide):sum())
        assert.near(1517342158487552, rill.dot(wide, wide):sum(), 4)
    end)

    it("caches only pooled memory, and frees it when memory is short", function()
        local s = random("vec2", 4096, 1)
        collectgarbage() -- what the tests before left behind would go in between
        collectgarbage()
        local before = rill.memory()
        rill.fft(s):close()
        local after = rill.memory()
        assert.equal(before.bytes, after.bytes)
        assert.equal(before.streams, after.streams)
        assert.is_true(after.pooled > 0)
        rill.memory_limit(after.bytes)
        assert.equal(0, rill.memory().pooled)
        rill.memory_limit(after.bytes + (1 << 20))
        rill.fft(s):close()
        local kept = rill.memory()
        assert.is_true(kept.bytes + kept.pooled <= kept.limit and kept.pooled > 0)
        rill.memory_limit(0)
    end)

    it("reports errors", function()
        local s, half, bins = rill.stream("vec2", {4, 6}), rill.stream("vec2", 5), rill.stream("float", 3)
        local function raises(pattern, ...)
            check.raises(pattern, rill.fft, ...)
        end
        raises("rill.fft: argument #1 's': expected a stream, got number 3", 3)
        raises("rill.fft: argument #2 'options': expected a table like {inverse = true}, got boolean true", s, true)
        raises("unknown option 'invers'", s, {invers = true})
        raises("option 'axes': expected dimensions, 1 .. 2 or from the last %-1 .. %-2, got number 3", s, {axes = 3})
        raises("option 'axes': expected dimensions, .*, got number 0", s, {axes = {0}})
        raises("option 'axes': expected dimensions, .*, got string", s, {axes = {1, "x"}})
        raises("option 'axes': dimension 2 is listed twice", s, {axes = {2, -1}})
        raises("option 'axes': an empty list", s, {axes = {}})
        raises("option 'length' requires the inverse of half a spectrum", s, {length = 4})
        local back = {length = 0, real = true, inverse = true}
        raises("'length': expected a length, at least 1, got number 0", half, back)
        back.length = 10
        raises("argument #1 's': 5 coefficients are half the spectrum of 8 or 9 numbers, not of 10", half, back)
        back.length = nil
        raises("1 coefficient is half the spectrum of 1 number: give 'length', which is 1",
            rill.stream("vec2", 1), back)
        raises("expected half a spectrum, elements of vec2 or dvec2, got float", bins, back)
        raises("argument #1 's': expected real numbers, float or double, got elements of vec2", s, {real = true})
        raises("expected complex numbers, vec2 or dvec2, or real ones, got .* vec3", rill.stream("vec3", 3))
        raises("got elements of bool", rill.stream("bool", 3))
        raises("dimension 1 is empty: there is nothing", rill.stream("float", 0), {real = true})
    end)
end)
