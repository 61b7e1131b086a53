-- rill.plot: charts of streams and tables, in the terminal or as a file.
local charts = require "rill.plot.chart"
local marks = require "rill.plot.marks"
local terminal = require "rill.core.terminal"

local WIDE, HIGH = 80, 20 -- largest default size of a chart in the terminal, in characters
local PIXELS = { 800, 500 } -- default size of a chart in a file
local LEVEL = 2 -- the level at which debug.traceback begins

local function problem(format, ...)
    error({ ("rill.plot: " .. format):format(...) }, 0)
end

local function limit(name, value, least, most)
    if value and (value < least or value > most) then
        problem("option '%s': expected %d to %d, got %d", name, least, most, value)
    end
    return value
end

local function in_terminal(chart)
    local able = terminal.look()
    able = chart.mode and charts.modes[chart.mode] or able
    local seen = terminal.look()
    chart.width = limit("width", chart.width, 20, 1000) or math.max(math.min(seen.columns, WIDE), 20)
    chart.height = limit("height", chart.height, 5, 1000) or math.max(math.min(seen.lines - 2, HIGH), 8)
    chart.columns = 8 * chart.width -- four parts per column of dots, so that each column is covered
    marks.make(chart)
    chart.note = chart.empty and "no data" or nil
    local drawn = require "rill.plot.characters".render(chart, able)
    if chart.text then
        return drawn
    end
    io.stdout:write(drawn)
end

local writers = { svg = "rill.plot.svg", png = "rill.plot.raster" }

local function to_file(chart)
    local extension = (chart.path:match "%.([^./]*)$" or ""):lower()
    if not writers[extension] then
        problem("option 'path': expected a path in .svg or .png, got '%s'", chart.path)
    elseif chart.text or chart.mode then
        problem("option '%s' applies to charts in the terminal only, but 'path' is given",
            chart.text and "text" or "mode")
    end
    chart.width = limit("width", chart.width, 100, 10000) or PIXELS[1]
    chart.height = limit("height", chart.height, 80, 10000) or PIXELS[2]
    chart.columns = 2 * chart.width
    marks.make(chart)
    chart.note = chart.empty and "no data" or nil
    local canvas = require(writers[extension]).new(chart.width, chart.height)
    require "rill.plot.drawing"(chart, canvas)
    canvas:save(chart.path)
end

local function plot(...)
    if select("#", ...) == 0 then
        problem("expected a stream or a table of numbers, or a table of series")
    end
    local chart = charts.read(...)
    if chart.path then
        return to_file(chart)
    end
    return in_terminal(chart)
end

--- rill.plot(y [, options]), rill.plot(x, y [, options]), rill.plot{series..., options...}: draws a chart of streams or
-- tables of numbers in the terminal, or to the file `path`, .svg or .png. A series is data, or `{y, ...}` or `{x, y,
-- ...}` with the options label, kind ("line", the default, "scatter" or "histogram"), bins and color ("#rrggbb").
-- Without x, x is 1, 2, 3, ...; a stream of vec2 has both. Options of the chart: title, xlabel, ylabel, width and
-- height (characters, or pixels of a file), xmin, xmax, ymin, ymax, xlog, ylog, kind and bins of all series, legend,
-- mode ("ascii", "mono", "color16", "color256", "color": the terminal's capabilities, which are detected by default),
-- text (returns the chart as a string instead of writing it). NaN and infinite numbers leave gaps. Long streams are
-- reduced on the device.
return function(...)
    local good, result = xpcall(plot, function(reason)
        return type(reason) == "table" and reason or debug.traceback(reason, LEVEL)
    end, ...)
    if good and result == nil then
        return
    elseif good then
        return result
    end
    error(type(result) == "table" and result[1] or result, 2)
end
