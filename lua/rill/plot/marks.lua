-- Computes the marks of a chart: lines, points and bars in coordinates from 0 to 1 on both axes, clipped to the axes.
local rill = require "rill.core.public"
local Scale = require "rill.plot.scale"
local reduce = require "rill.plot.thinning"

local LONG = 20000 -- most points that are drawn individually; longer series are reduced on the device
local BINS = 50 -- most bins of a histogram by default
local MOST = 0x1.fffffffffffffp1023 -- the largest double

local marks = {}

local function finite(v)
    return v - v == 0
end

local function widest(limits, low, high)
    if low then
        limits[1] = math.min(limits[1] or low, low)
        limits[2] = math.max(limits[2] or high, high)
    end
end

-- ---- the ranges of the data, from which the axes follow

-- Returns a table or stream of numbers as a table.
local function listed(values)
    return type(values) == "table" and values or values and values:values()
end

local function count_of(values)
    return type(values) == "table" and #values or values.size
end

local function as_stream(values)
    return type(values) == "table" and rill.stream("double", #values, values) or values
end

local function numbered(count)
    local numbers = {}
    for i = 1, count do
        numbers[i] = i
    end
    return numbers
end

-- Extends the chart's limits by the points that are drawn.
local function measure_points(series, chart)
    for i, y in ipairs(series.ys) do
        local x = series.xs[i]
        local inside = x >= (chart.xmin or -math.huge) and x <= (chart.xmax or math.huge)
        if finite(x) and finite(y) and inside and not (chart.xlog and x <= 0) and not (chart.ylog and y <= 0) then
            widest(chart.xlimits, x, x)
            widest(chart.ylimits, y, y)
        end
    end
end

local measure = {}

--- measure.line(series, chart) sets the points of a line, reduced if there are more than can be seen.
function measure.line(series, chart)
    if count_of(series.y) > LONG then
        local x, y = series.x and as_stream(series.x), as_stream(series.y)
        series.xs, series.ys = reduce.line(x, y, chart.columns, chart)
    else
        series.ys = listed(series.y)
        series.xs = listed(series.x) or numbered(#series.ys)
    end
    measure_points(series, chart)
end

--- measure.scatter(series, chart) sets the points, or for a long series its limits, which the device computes.
function measure.scatter(series, chart)
    if count_of(series.y) <= LONG then
        return measure.line(series, chart)
    end
    series.y, series.x = as_stream(series.y), series.x and as_stream(series.x)
    series.long = true
    widest(chart.ylimits, reduce.extent(series.y, chart.ylog))
    if series.x then
        widest(chart.xlimits, reduce.extent(series.x, chart.xlog))
    else
        widest(chart.xlimits, 1, series.y.size)
    end
end

-- Returns the number of bins of equal width and their range. If the number `wanted_bins` is nil, their edges are round
-- numbers. All numbers are multiplied by Scale.unit, so that the range does not overflow.
local function bins(low, high, wanted_bins, count)
    if low == high then
        local half = low ~= 0 and math.abs(low) / 10 or 0.5
        low, high, wanted_bins = low - half, high + half, wanted_bins or 1
    end
    low, high = Scale.apart(low, high)
    if wanted_bins then
        return wanted_bins, low, high
    end
    local wanted = math.min(math.ceil(2 * count ^ (1 / 3)), BINS) -- Rice's rule
    local step = Scale.step(high - low, wanted)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return math.max(math.floor((high - low) / step + 0.5), 1), low, high
end

--- measure.histogram(series, chart) sets the counts of the bins.
function measure.histogram(series, chart)
    local values = as_stream(series.y)
    local low, high = reduce.extent(values)
    series.counts = {}
    if low then
        low, high = chart.xmin or low, chart.xmax or high
        local n
        local unit = Scale.unit(low, high)
        n, low, high = bins(low * unit, high * unit, series.bins, values.size)
        values = unit == 1 and values or values:cast "double" * unit
        series.counts = values:histogram { bins = n, min = low, max = high }:values()
        series.from, series.to = math.max(low / unit, -MOST), math.min(high / unit, MOST)
        widest(chart.xlimits, series.from, series.to)
        widest(chart.ylimits, chart.ylog and 0.5 or 0, 1)
        for _, count in ipairs(series.counts) do
            widest(chart.ylimits, count > 0 and count or 1, count)
        end
    end
end

-- ---- marks

-- Clips the segment from a to b to the square 0..1 (Liang and Barsky 1984). Returns the parameters of its ends, from 0
-- at a to 1 at b, or nil if it is outside.
local function clip(ax, ay, bx, by)
    local from, to = 0, 1
    local dx, dy = bx - ax, by - ay
    for _, side in ipairs { { -dx, ax }, { dx, 1 - ax }, { -dy, ay }, { dy, 1 - ay } } do
        local speed, room = side[1], side[2]
        if speed == 0 then
            if room < 0 then
                return nil
            end
        elseif speed < 0 then
            from = math.max(from, room / speed)
        else
            to = math.min(to, room / speed)
        end
    end
    if from <= to then
        return from, to
    end
end

-- Returns polylines {x1, y1, x2, y2, ...}. A number that is not finite ends a polyline. A single point is a polyline of
-- one point.
local function runs(xs, ys, xscale, yscale)
    local result, run, px, py = {}, nil, nil, nil
    local function point(x, y)
        run = run or {}
        run[#run + 1], run[#run + 2] = x, y
    end
    local function finish()
        result[#result + 1], run = run, nil
    end
    for i, y in ipairs(ys) do
        local u, v = xscale:at(xs[i]), yscale:at(y)
        if not (finite(u) and finite(v)) then
            finish()
            px = nil
        else
            if px then
                local from, to = clip(px, py, u, v)
                if from then
                    if from > 0 or not run then
                        finish()
                        point(px + from * (u - px), py + from * (v - py))
                    end
                    point(px + to * (u - px), py + to * (v - py))
                    if to < 1 then
                        finish()
                    end
                else
                    finish()
                end
            elseif u >= 0 and u <= 1 and v >= 0 and v <= 1 then
                point(u, v)
            end
            px, py = u, v
        end
    end
    finish()
    return result
end

local make = {}

--- make.line(series, chart) returns polylines.
function make.line(series, chart)
    return { kind = "line", runs = runs(series.xs, series.ys, chart.xscale, chart.yscale) }
end

--- make.scatter(series, chart) returns points {x1, y1, ...}, or for a long series a function cells(nx, ny) that returns
-- flags of the cells of a grid that contain points.
function make.scatter(series, chart)
    local xscale, yscale = chart.xscale, chart.yscale
    if series.long then
        local box = { xscale.low, xscale.high, yscale.low, yscale.high, xlog = chart.xlog, ylog = chart.ylog,
            xunit = xscale.unit, yunit = yscale.unit }
        return { kind = "scatter", cells = function(nx, ny)
            return reduce.cells(series.x, series.y, nx, ny, box)
        end }
    end
    local points = {}
    for i, y in ipairs(series.ys) do
        local u, v = xscale:at(series.xs[i]), yscale:at(y)
        if u >= 0 and u <= 1 and v >= 0 and v <= 1 then
            points[#points + 1], points[#points + 2] = u, v
        end
    end
    return { kind = "scatter", points = points }
end

--- make.histogram(series, chart) returns bars {left, right, top}, and their base: 0, or the lower end of a logarithmic
-- axis.
function make.histogram(series, chart)
    local bars, yscale = {}, chart.yscale
    local function within(v)
        return math.min(math.max(v, 0), 1)
    end
    local base = chart.ylog and 0 or within(yscale:at(0))
    local n = #series.counts
    local function edge(i) return within(chart.xscale:at(series.from * ((n - i) / n) + series.to * (i / n))) end
    for i, count in ipairs(series.counts) do
        local left, right = edge(i - 1), edge(i)
        if count > 0 and right > left then
            bars[#bars + 1] = { left, right, within(yscale:at(count)) }
        end
    end
    return { kind = "histogram", bars = bars, base = base }
end

--- marks.make(chart) sets the chart's scales (xscale, yscale) and marks, a list of the series' lines, points or bars
-- with their labels and colors. Fields of chart: columns, the resolution that long series are reduced to; xlog, ylog;
-- xmin, xmax, ymin, ymax.
function marks.make(chart)
    chart.xlimits, chart.ylimits = {}, {}
    local dots = false
    for _, series in ipairs(chart.series) do
        measure[series.kind](series, chart)
        dots = dots or series.kind == "scatter"
    end
    local bars = #chart.series > 0 and chart.series[1].kind == "histogram"
    local x, y = chart.xlimits, chart.ylimits
    local some = x[1] and y[1]
    chart.xscale = Scale.new(x[1], x[2], { chart.xmin, chart.xmax }, chart.xlog, dots and 0.03 or 0)
    chart.yscale = Scale.new(y[1], y[2], { chart.ymin or bars and y[1] or nil, chart.ymax }, chart.ylog, 0.05)
    chart.marks = {}
    for i, series in ipairs(chart.series) do
        local mark = make[series.kind](series, chart)
        mark.label, mark.color, mark.number = series.label, series.color, i
        chart.marks[i] = mark
        some = some or #(mark.runs or {}) > 0 -- a line may cross the chart without a point in it
    end
    chart.empty = not some
end

return marks
