local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"
local Scale = require "rill.plot.scale"
local reduce = require "rill.plot.thinning"

local nan, inf = 0 / 0, 1 / 0

local function drawn(...)
    local words = {...}
    local options = type(words[#words]) == "table" and words[#words]
    options.text = true
    options.mode = options.mode or "mono"
    options.width, options.height = options.width or 20, options.height or 6
    return rill.plot(...)
end

local function lines(...)
    return table.concat({...}, "\n") .. "\n"
end

local function labels(scale, count)
    local list = {}
    for i, tick in ipairs(scale:ticks(count)) do
        list[i] = tick.label
    end
    return table.concat(list, " ")
end

describe("the axes of a chart", function()
    local function axis(low, high, logarithmic, count)
        return labels(Scale.new(low, high, {low, high}, logarithmic, 0), count or 5)
    end

    it("have round numbers", function()
        assert.are.equal("0 2 4 6 8 10", axis(0, 10))
        assert.are.equal("-1.0 -0.5 0 0.5 1.0", axis(-1, 1))
        assert.are.equal("0.1 0.2 0.3 0.4", axis(0.1, 0.4))
        assert.are.equal("0 5e5 1e6 1.5e6 2e6", axis(0, 2e6))
        assert.are.equal("0 1e-7 2e-7 3e-7", axis(0, 3e-7))
        assert.are.equal("1700000000 1700000020 1700000040", axis(1.7e9, 1.7e9 + 40, false, 3))
        assert.are.equal("-1e300 0 1e300", axis(-1e300, 1e300, false, 2))
    end)

    it("count powers of ten where they are logarithmic", function()
        assert.are.equal("1 10 100 1000 10000", axis(1, 1e4, true))
        assert.are.equal("1 2 5 10", axis(1, 10, true))
        assert.are.equal("1e-9 1e-6 0.001 1 1000 1e6 1e9", axis(1e-9, 1e9, true, 6))
        assert.are.equal("3.0 3.2 3.4 3.6 3.8 4.0", axis(3, 4, true))
    end)

    it("surround constants and nothing", function()
        local constant = Scale.new(5, 5, {}, false, 0.05)
        assert.are.same({4.5, 5.5}, {constant.low, constant.high})
        assert.are.equal(0.5, constant:at(5))
        assert.are.equal("-1.0 -0.5 0 0.5 1.0", labels(Scale.new(0, 0, {}, false, 0), 4))
        assert.are.equal("0 0.5 1.0", labels(Scale.new(nil, nil, {}, false, 0), 2))
        assert.are.equal("20.0 20.5 21.0", labels(Scale.new(1, 4, {20}, false, 0), 2))
    end)

    it("hold at the ends of what numbers can be", function()
        local huge, tiny = 1.7e308, 5e-324
        local cases = {{-huge, huge}, {0, tiny}, {tiny, 2 * tiny}, {-huge, -huge}, {1, 2, {1e17}}, {1, 2, {0, tiny}},
            {1, 2, {-huge, huge}}, {1, 2, {huge}}}
        for _, case in ipairs(cases) do
            local scale = Scale.new(case[1], case[2], case[3] or {}, false, 0.05)
            assert.is_true(scale.low < scale.high and scale.high - scale.low < math.huge)
            assert.is_true(#scale:ticks(5) >= 1)
        end
        for _, kind in ipairs {"line", "scatter", "histogram"} do
            for _, values in ipairs {{-huge, 0, huge}, {tiny, 2 * tiny}, {huge, huge}} do
                assert.is_truthy(rill.plot(values, {kind = kind, mode = "ascii", text = true}))
            end
        end
    end)

    -- The rows of a chart without its axes, from the top: the place of the first and the last mark of each, or nothing.
    local function marks_of(data, options)
        options.mode, options.text, options.width, options.height = "ascii", true, 60, 10
        local rows = {}
        for line in rill.plot(data, options):gmatch "[^\n]+" do
            local row = line:match "^[^|+]*[|+](.*)$"
            rows[#rows + 1] = row and (row:gsub("[-+]", " "))
        end
        table.remove(rows)
        return rows
    end

    it("draw the largest numbers as they draw others", function()
        for _, kind in ipairs {"line", "scatter", "histogram"} do
            for _, shape in ipairs {{1, -1}, {1, 1}, {0, 1}, {-1, 0.5, -0.3}, {0.5, 0.505}, {-1, 1, 0}} do
                local huge, plain = {}, {}
                for i, v in ipairs(shape) do huge[i], plain[i] = v * 1.7e308, v * 1.7e108 end
                assert.are.same(marks_of(plain, {kind = kind, bins = 5}), marks_of(huge, {kind = kind, bins = 5}))
            end
        end
        local n <const> = 30000 -- reduced on the device
        for _, row in ipairs {{"double", 1.7e308, 1.7e108}, {"float", 3.3e38, 3.3e28}} do
            local type, large, small = table.unpack(row)
            local huge = rill.stream(type, n, function(i) return large * math.sin(i / 3000) end)
            local plain = rill.stream(type, n, function(i) return small * math.sin(i / 3000) end)
            for _, kind in ipairs {"line", "scatter"} do
                assert.are.same(marks_of(plain, {kind = kind}), marks_of(huge, {kind = kind}))
            end
        end
        local text = rill.plot({1.7e308, -1.7e308}, {mode = "ascii", text = true})
        assert(text:find("1.5e308", 1, true) or text:find("1e308", 1, true), text)
        local limits = marks_of({1, 2, 3}, {ymin = -1.7e308, ymax = 1.7e308})
        assert(table.concat(limits):find "%.%.%.", "a line at 0")
    end)

    it("put doubles beyond floats on logarithmic axes", function()
        local n <const> = 30000
        local function powers(top)
            local s = rill.stream("double", n, function(i) return 10.0 ^ ((2 * i / n - 1) * top) end)
            return marks_of(s, {kind = "scatter", ylog = true})
        end
        local wide <const> = powers(300)
        assert.are.same(powers(200), wide)
        for _, row in ipairs(wide) do assert(row:find "%S") end
        local text = rill.plot({1.6e308, 1.7e308}, {ylog = true, mode = "ascii", text = true})
        assert(text:find("1.7e308", 1, true), text)
    end)
end)

describe("what is reduced on the device", function()
    local function series(n, seed)
        return rill.stream("float", n, function(i) return i % 97 == 0 and nan or (i * seed) % 1009 / 10 end)
    end

    it("keeps the lowest and highest number of every part", function()
        for _, n in ipairs {4801, 10007, 300000} do
            local s, parts = series(n, 7919), 40
            local values = s:values()
            local xs, ys = reduce.line(nil, s, parts, {})
            assert.are.equal(6 * parts, #ys)
            local last = 0
            for b = 1, parts do
                local low, high, from, to = inf, -inf, xs[6 * b - 5], xs[6 * b]
                local least, most = inf, -inf
                for k = 6 * b - 5, 6 * b do
                    assert.are.equal(values[xs[k] // 1], ys[k]) -- every spot is an element
                    assert.is_true(xs[k] >= last)
                    last = xs[k]
                    least, most = math.min(least, ys[k]), math.max(most, ys[k])
                end
                for i = from // 1, to // 1 do
                    if values[i] == values[i] then
                        low, high = math.min(low, values[i]), math.max(high, values[i])
                    end
                end
                assert.are.same({low, high}, {least, most})
            end
        end
    end)

    it("keeps what runs back, infinite numbers and gaps", function()
        local n = 20000
        local x = rill.stream("double", n, function(i) return math.cos(i / 500) end)
        local y = rill.stream("double", n, function(i)
            return i <= n / 2 and i % 10 == 0 and inf or i > n / 2 and nan or i
        end)
        local xs, ys = reduce.line(x, y, 10, {})
        assert.are.equal(60, #xs)
        for k = 1, 30 do
            assert.is_true(ys[k] - ys[k] == 0)
        end
        for k = 31, 60 do
            assert.is_true(ys[k] ~= ys[k])
        end
        assert.are.near(-1, math.min(table.unpack(xs, 1, 12)), 1e-4) -- the turn at 500 pi lies in the first part
    end)

    it("looks only between the limits", function()
        local n = 1000000
        local x = rill.iter("double", n, 0, n):copy()
        local xs = reduce.line(x, x, 20, {xmin = 500, xmax = 520})
        assert.are.same({23, 499, 521}, {#xs, xs[1], xs[#xs]})
        xs = reduce.line(nil, x, 20, {xmin = 500.5, xmax = 520})
        assert.are.same({21, 500, 520}, {#xs, xs[1], xs[#xs]})
        assert.are.equal(0, #(reduce.line(x, x, 20, {xmin = -20, xmax = -10})))
    end)

    it("measures what can be drawn", function()
        assert.are.same({-3, 5}, {reduce.extent(rill.from{nan, 5, -3, inf, -inf})})
        assert.are.same({2, 5}, {reduce.extent(rill.from{5, -3, 2, 0}, true)})
        assert.is_nil((reduce.extent(rill.from{nan, inf})))
        assert.is_nil((reduce.extent(rill.stream("float", 0))))
        assert.are.same({-2147483647, 2147483647}, {reduce.extent(rill.from({-2147483647, 3, 2147483647}, "int"))})
        assert.are.same({0, 5e6 - 1}, {reduce.extent(rill.iota(5000000))})
    end)

    it("marks the cells that have points", function()
        local x, y = rill.from{0, 1, 0.49, nan, 0.2, -1}, rill.from{0, 1, 0.9, 0.5, inf, 0.5}
        check.equal({1, 0, 0, 0, 1, 1}, reduce.cells(x, y, 2, 3, {0, 1, 0, 1}))
        check.equal({1, 1, 1}, reduce.cells(nil, rill.from{1, 1, 1}, 3, 1, {1, 3, 0, 2}))
        local e = math.log(100)
        check.equal({1, 0, 1}, reduce.cells(nil, rill.from{1, 99, 0}, 1, 3, {0, 4, 0, e, ylog = true}))
    end)
end)

describe("rill.plot in the terminal", function()
    it("draws braille", function()
        assert.are.equal(lines("1┤             ⢀⣀⠤⠒⠉", " │         ⣀⠤⠔⠊⠁", " │    ⢀⡠⠔⠒⠉", "0┤⣀⠤⠒⠉⠁",
            " └┬────────┬───────┬", "  0       0.5    1.0"), (drawn({0, 1}, {0, 1}, {})))
    end)

    it("draws ASCII, one series in half cells, several by letters", function()
        local one = drawn({0, 1}, {0, 1}, {mode = "ascii", width = 24})
        assert.is_falsy(one:find "[^%g%s]")
        assert.is_truthy(one:find "%.%.''")
        local two = drawn {{0, 1, label = "up"}, {1, 0, label = "down"}, mode = "ascii"}
        assert.is_truthy(two:find "^%* up  %+ down\n")
        assert.is_falsy(two:find "[^%g%s]")
    end)

    it("draws the bars of a histogram in eighths", function()
        local text = drawn({1, 1, 1, 1, 2, 2, 3, 4}, {kind = "histogram", bins = 4, height = 6, width = 21})
        local rows = {}
        for row in text:gmatch "[^\n]+" do
            rows[#rows + 1] = row:sub(utf8.offset(row, 3)) -- without the number and the axis
        end
        assert.are.same({"▆▆▆▆▆", "█████", "█████▇▇▇▇", ("█"):rep(19)},
            {rows[1], rows[2], rows[3], rows[4]})
    end)

    it("colors series, and writes no colors without being asked", function()
        local text = drawn {{1, 2}, {2, 1, color = "#ff8000"}, mode = "color", legend = false}
        assert.is_truthy(text:find("\27[38;2;255;128;0m", 1, true))
        assert.is_truthy(drawn {1, 2, mode = "color256"}:find("\27[38;5;", 1, true))
        assert.is_truthy(drawn {1, 2, mode = "color16"}:find "\27%[9%dm")
        assert.is_falsy(drawn {1, 2}:find "\27")
    end)

    it("keeps inside its width and height", function()
        local title = "a title that is much longer than twenty columns \u{fc}\u{f6}\27\n"
        for width = 20, 40, 5 do
            for height = 5, 12 do
                local text = drawn {
                    {1e9, 2e9 + 1e-3, label = "one with a long label"}, {-1, 3},
                    title = title, xlabel = title, ylabel = title, width = width, height = height,
                }
                for line in text:gmatch "[^\n]*\n" do
                    assert.is_true(utf8.len(line) - 1 <= width, line)
                end
                assert.is_falsy(text:find "\27")
            end
        end
        local _, count = drawn({1, 2}, {height = 9, title = "t", xlabel = "x", ylabel = "y"}):gsub("\n", "")
        assert.are.equal(9, count)
    end)

    local function dots(text)
        local count = 0
        for _, code in utf8.codes(text) do
            for bit = 0, 7 do
                count = count + (code >= 0x2800 and code < 0x2900 and code >> bit & 1 or 0)
            end
        end
        return count
    end

    it("leaves gaps for NaN and infinite numbers, and dots between them", function()
        local whole = dots(drawn({5, 5, 5, 5, 5}, {}))
        local gap = dots(drawn({5, 5, nan, 5, 5}, {}))
        assert.is_true(gap > whole / 3 and gap < 2 * whole / 3)
        assert.are.equal(gap, dots(drawn({5, 5, inf, 5, 5}, {})))
        assert.are.equal(3, dots(drawn({5, nan, 5, -inf, 5}, {})))
        assert.are.equal(1, dots(drawn({5}, {})))
        assert.are.equal(3, dots(drawn({5, 6, 7}, {kind = "scatter"})))
    end)

    it("says so when there is nothing to draw", function()
        for _, kind in ipairs {"line", "scatter", "histogram"} do
            for _, data in ipairs {{}, {nan}, {inf, -inf}, rill.stream("float", 0), rill.from{nan, nan}} do
                assert.is_truthy(drawn(data, {kind = kind}):find "no data")
            end
        end
        assert.is_truthy(drawn {title = "nothing"}:find "no data")
        assert.is_truthy(drawn({-1, 0}, {ylog = true}):find "no data")
        assert.is_truthy(drawn({1, 2}, {xmin = 5}):find "no data")
    end)

    it("takes tables, streams of any numbers, expressions and points", function()
        local wanted = drawn({1, 4, 9}, {})
        for _, kind in ipairs {"float", "double", "half", "int", "uint", "int8", "uint16"} do
            assert.are.equal(wanted, drawn(rill.from({1, 4, 9}, kind), {}))
        end
        assert.are.equal(wanted, drawn(rill.from{0, 3, 8} + 1, {}))
        assert.are.equal(wanted, drawn {rill.from{1, 4, 9}})
        assert.are.equal(wanted, drawn {{{1, 4, 9}}})
        assert.are.equal(wanted, drawn {1, 4, 9})
        assert.are.equal(wanted, drawn({1, 2, 3}, {1, 4, 9}, {}))
        assert.are.equal(wanted, drawn(rill.from({{1, 1}, {2, 4}, {3, 9}}, "vec2"), {}))
        assert.are.equal(drawn({1, 0, 1}, {}), drawn(rill.from{true, false, true}, {}))
    end)

    -- The dots of a chart, by row and column.
    local function dot_set(text)
        local set, y = {}, 0
        for line in text:gmatch "[^\n]*\n" do
            local x = 0
            for _, code in utf8.codes(line) do
                for bit = 0, code >= 0x2800 and code < 0x2900 and 7 or -1 do
                    if code >> bit & 1 == 1 then
                        local row = bit < 6 and bit % 3 or 3
                        set[(4 * y + row) * 1000 + 2 * x + (bit < 6 and bit // 3 or bit - 6)] = true
                    end
                end
                x = x + 1
            end
            y = y + 1
        end
        return set
    end

    -- Whether each dot of one chart has a dot of the other on its place or beside it.
    local function covers(set, other)
        for dot in pairs(other) do
            local found = false
            for _, step in ipairs {0, -1, 1, -1000, 1000, -1001, -999, 999, 1001} do
                found = found or set[dot + step]
            end
            if not found then
                return false
            end
        end
        return true
    end

    it("draws a long series as its points would, of any kind", function()
        local n, xs, ys = 30001, {}, {}
        local s = rill.stream("double", n, function(i) return math.abs((i - 1) % 6000 - 3000) end)
        local values = s:values()
        for i = 1, n, 2 do -- the ends and the turns among them
            xs[#xs + 1], ys[#ys + 1] = i, values[i]
        end
        for _, kind in ipairs {"line", "scatter"} do
            local long = drawn(s, {kind = kind, width = 40, height = 10})
            local short = drawn(xs, ys, {kind = kind, width = 40, height = 10})
            assert.is_true(covers(dot_set(long), dot_set(short)) and covers(dot_set(short), dot_set(long)))
            assert.is_true(kind == "line" or long == short)
            assert.are.equal(long, drawn(values, {kind = kind, width = 40, height = 10}))
            assert.is_true(dots(long) > 150)
        end
    end)

    it("cuts off what is outside the limits", function()
        local text = drawn({0, 10}, {0, 10}, {xmin = 4, xmax = 6, ymin = 4, ymax = 6})
        assert.are.equal(dots(drawn({4, 6}, {4, 6}, {xmin = 4, xmax = 6, ymin = 4, ymax = 6})), dots(text))
        assert.is_truthy(text:find " 4 +5 +6\n$")
    end)
end)

describe("rill.plot to a file", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function text_of(path)
        local file = assert(io.open(path, "rb"))
        local text = file:read "a"
        file:close()
        return text
    end

    -- Checks that tags are closed by their own kind; returns how many there are of each.
    local function tags(text)
        local open, count = {}, {}
        for closing, name, rest in text:gmatch "<(/?)([%a:]+)([^>]*)>" do
            if closing == "/" then
                assert.are.equal(table.remove(open), name)
            else
                count[name] = (count[name] or 0) + 1
                open[#open + 1] = not rest:find "/$" and name or nil
            end
        end
        assert.are.equal(0, #open)
        return count
    end

    it("writes SVG", function()
        local path = files:path "chart.svg"
        rill.plot {
            {{0, 1, 2}, {0, 1, 0}, label = "a < b & \"c\""}, {{0, 2}, {1, 1}, kind = "scatter", color = "#123456"},
            title = "T", xlabel = "X", ylabel = "Y", path = path, width = 300, height = 200,
        }
        local text = text_of(path)
        local count = tags(text)
        assert.are.same({1, 1}, {count.svg, count.clipPath})
        for _, part in ipairs {
            'width="300" height="200" viewBox="0 0 300 200"', "a &lt; b &amp; &quot;c&quot;</text>", ">T</text>",
            ">X</text>", 'rotate(-90', ">Y</text>", "#123456", ">1</text>",
        } do
            assert.is_truthy(text:find(part, 1, true), part)
        end
        -- The line goes up and down again between the axes' ends.
        local points = text:match '<polyline fill="none" stroke="#0072b2" stroke%-width="1.6"[^>]*points="([^"]*)"'
        local x1, y1, x2, y2, x3, y3 = points:match "^(%S+),(%S+) (%S+),(%S+) (%S+),(%S+)$"
        assert.are.near((x1 + x3) / 2, x2, 0.11)
        assert.are.near(y1, y3, 0.11)
        assert.is_true(y2 + 0 < y1 - 50)
    end)

    -- Rows and columns of the pixels of a color: the box around them, and their number.
    local function box(path, r, g, b)
        local s = rill.image.load(path, "vec4")
        local rows, columns = table.unpack(s.shape)
        local bytes, found = s:values(), {columns, 0, rows, 0, 0}
        for k = 0, rows * columns - 1 do
            local near = math.abs(bytes[4 * k + 1] * 255 - r) + math.abs(bytes[4 * k + 2] * 255 - g) +
                math.abs(bytes[4 * k + 3] * 255 - b) < 6
            if near then
                local y, x = k // columns, k % columns
                found[1], found[2] = math.min(found[1], x), math.max(found[2], x)
                found[3], found[4], found[5] = math.min(found[3], y), math.max(found[4], y), found[5] + 1
            end
        end
        return found
    end

    it("writes PNG, with the axes, marks and words in it", function()
        local path = files:path "chart.png"
        rill.plot {{{0, 10}, {0, 10}, color = "#ff0000"}, path = path, width = 200, height = 150}
        local s = rill.image.load(path)
        assert.are.same({"vec3", 150, 200}, {s.type, table.unpack(s.shape)})
        local left, right, top, bottom = table.unpack(box(path, 255, 0, 0))
        local axis = box(path, 90, 90, 90)
        assert.are.near(axis[1] + 5, left, 2) -- the axis has ticks of 5 on its left
        assert.are.near(axis[2], right, 2)
        assert.is_true(top > 15 and bottom < axis[4] and bottom - top > 80)
        local ink = box(path, 40, 40, 40)
        assert.is_true(ink[5] > 60) -- the numbers, on both sides of the axes
        assert.is_true(ink[1] < axis[1] and ink[4] > axis[4])
        -- The middle of the diagonal, and white above it.
        local x, y = (left + right) // 2, (top + bottom) // 2
        assert.is_true(s:get(y + 1, x + 1)[1] > 0.9 and s:get(y + 1, x + 1)[2] < 0.6)
        assert.are.same({1, 1, 1}, s:get(y - 12, x - 8))
    end)

    it("draws a bar of the right size", function()
        local path = files:path "bar.png"
        local bars = {1, 1, 1, 2, kind = "histogram", color = "#00ff00", bins = 2}
        rill.plot {bars, path = path, width = 300, height = 200, ymax = 6}
        local left, right, top, bottom, count = table.unpack(box(path, 0, 255, 0))
        local axis = box(path, 90, 90, 90)
        local wide, high = right - left + 1, bottom - top + 1
        assert.are.near((axis[4] - 14) / 2, high, 6) -- 3 of 6
        assert.are.near(wide * high * 4 / 6, count, wide * high / 12) -- a bar of 3, and a bar of 1
    end)

    it("draws long scatters and empty charts", function()
        for _, extension in ipairs {"svg", "png"} do
            local path = files:path("long." .. extension)
            rill.plot(rill.random(100000, {seed = 1}), rill.random(100000, {seed = 2}),
                {kind = "scatter", path = path, width = 200, height = 150})
            rill.plot({}, {path = files:path("empty." .. extension), width = 100, height = 80})
        end
        assert.is_truthy(text_of(files:path "empty.svg"):find ">no data</text>")
        local left, right, top, bottom, count = table.unpack(box(files:path "long.png", 0, 114, 178))
        assert.is_true(count > 0.95 * (right - left) * (bottom - top))
        tags(text_of(files:path "long.svg"))
    end)

    it("draws the same every time", function()
        for _, extension in ipairs {"svg", "png"} do
            local one, two = files:path("one." .. extension), files:path("two." .. extension)
            for _, path in ipairs {one, two} do
                rill.plot(rill.random(50000, {seed = 5}), {path = path, title = "Noise", width = 300, height = 200})
            end
            assert.are.equal(text_of(one), text_of(two))
        end
    end)
end)

describe("rill.plot says what it can't draw:", function()
    local s = rill.stream("float", 3)
    local cases = {
        {"expected a stream or a table of numbers, or a table of series"},
        {"expected a stream or a table of numbers, got number 3", 3},
        {"expected a stream or a table of numbers, got string", "y"},
        {"expected numbers, got string at %[2%]", {1, "2"}},
        {"got stream<float>%[2x2%]", rill.stream("float", {2, 2})},
        {"got stream<vec3>%[2%]", rill.stream("vec3", 2)},
        {"expected numbers, got a category: t:group counts its names", rill.frame.category {"a", "b"}},
        {"expected numbers, got a category", s, rill.frame.category {"a", "b", "a"}},
        {"expected numbers, got a category", rill.frame.category {"a", "b"}, {kind = "histogram"}},
        {"x has 3 numbers, y 2", s, {1, 2}},
        {"x: expected a stream or a table", 3, s},
        {"unknown option 'titel': expected bins, height", s, {titel = "x"}},
        {"option 'color' belongs to a series: rill.plot {{y, color = ...}}", s, {color = "#ff0000"}},
        {"option 'title': expected a string, got number 3", s, {title = 3}},
        {"option 'title': expected valid UTF%-8", s, {title = "\xff"}},
        {"option 'width': expected an integer, got number 20.5", s, {width = 20.5}},
        {"option 'width': expected 20 to 1000, got 19", s, {width = 19}},
        {"option 'height': expected 5 to 1000, got 2", s, {height = 2}},
        {"option 'xmin': expected a finite number, got inf", s, {xmin = math.huge}},
        {"'xmin' and 'xmax': expected min below max, got 2 and 1", s, {xmin = 2, xmax = 1}},
        {"expected numbers above 0 for a logarithmic axis, got %-1", s, {ymin = -1, ylog = true}},
        {"option 'kind': expected line, scatter or histogram, got 'pie'", s, {kind = "pie"}},
        {"option 'bins': expected 1 to 100000, got 0", s, {bins = 0}},
        {"option 'mode': expected ascii, color", s, {mode = "sixel"}},
        {"option 'path': expected a path in .svg or .png, got 'a.pdf'", s, {path = "a.pdf"}},
        {"option 'text' applies to charts in the terminal only", s, {path = "a.svg", text = true}},
        {"cannot write '/no/such/a.svg': No such file", s, {path = "/no/such/a.svg"}},
        {"cannot write '/no/such/a.png': No such file", s, {path = "/no/such/a.png"}},
        {"a PNG has at most 4096 pixels each way", s, {path = "a.png", width = 5000}},
        {"series 2: unknown option 'labl'", {s, {s, labl = "x"}}},
        {"series 1: option 'color': expected \"#rrggbb\", got 'red'", {{s, color = "red"}, s}},
        {"series 1: expected {y} or {x, y} with options, got 3", {{s, s, s}}},
        {"series 1: expected a stream or a table of numbers, got string", {"y"}},
        {"a histogram counts one stream", s, s, {kind = "histogram"}},
        {"option 'xlog': a histogram has bins", s, {kind = "histogram", xlog = true}},
        {"has both x and y", rill.stream("vec2", 2), s},
        {"argument #3 'options': expected a table", s, s, 3},
    }
    for _, case in ipairs(cases) do
        it(case[1], function()
            local message = check.raises("rill%.plot: .*" .. case[1], rill.plot, table.unpack(case, 2))
            assert.is_falsy(message:find "traceback")
        end)
    end
end)
