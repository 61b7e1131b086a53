-- Reads the arguments of rill.plot: charts, their series and their options.
local rill = require "rill.core.public"
local categories = require "rill.core.categories"
local errors = require "rill.core.error"
local typename = require "rill.core.typename"
local suggest = require "rill.core.lazy".module "rill.core.suggest"
local tables = require "rill.core.tables"
local types = require "rill.core.types"

local kinds = { line = true, scatter = true, histogram = true }
local series_known = { label = "string", kind = "string", bins = "integer", color = "string" }
local chart_known = {
    title = "string", xlabel = "string", ylabel = "string", path = "string", width = "integer", height = "integer",
    xmin = "number", xmax = "number", ymin = "number", ymax = "number", xlog = "boolean", ylog = "boolean",
    kind = "string", bins = "integer", legend = "boolean", mode = "string", text = "boolean",
}
-- The capabilities that each `mode` stands for.
local modes = {
    ascii = {}, mono = { unicode = true }, color16 = { unicode = true, colors = "16" },
    color256 = { unicode = true, colors = "256" }, color = { unicode = true, colors = "true" },
}


local function problem(format, ...)
    error({ ("rill.plot: " .. format):format(...) }, 0)
end

local function told(value)
    if type(value) == "number" then
        return "number " .. errors.number(value)
    end
    return rill.type(value) == "stream" and tostring(value):match "^[^\n]*" or rill.type(value) or type(value)
end

local function check_option(where, key, value, wanted)
    local good = type(value) == wanted or wanted == "integer" and math.type(tables.whole(value)) == "integer"
    if not good then
        local article = wanted == "integer" and "an" or "a"
        problem("%soption '%s': expected %s %s, got %s", where, key, article, wanted, told(value))
    elseif wanted == "number" and value - value ~= 0 then
        problem("%soption '%s': expected a finite number, got %s", where, key, errors.number(value))
    elseif wanted == "string" and not utf8.len(value) then
        problem("%soption '%s': expected valid UTF-8", where, key)
    end
end

-- Returns the named keys of a table. Raises an error if one is unknown or of another type.
local function options_of(from, known, where)
    local options = {}
    for key, value in pairs(from) do
        if type(key) ~= "number" then
            if not known[key] and series_known[key] then
                problem("%soption '%s' belongs to a series: rill.plot {{y, %s = ...}}", where, key, key)
            elseif not known[key] then
                problem("%sunknown option '%s': expected %s", where, tostring(key), suggest.among(key, known))
            end
            check_option(where, key, value, known[key])
            -- Control characters are replaced since they would move the cursor.
            options[key] = type(value) == "string" and key ~= "path" and value:gsub("%c", " ") or value
        end
    end
    if options.kind and not kinds[options.kind] then
        problem("%soption 'kind': expected line, scatter or histogram, got '%s'", where, options.kind)
    end
    if options.bins and (options.bins < 1 or options.bins > 100000) then
        problem("%soption 'bins': expected 1 to 100000, got %d", where, options.bins)
    end
    return options
end

-- Checks that `value` is a table of numbers, or a stream or expression of numbers of one dimension, and returns it as a
-- table or stream.
local function data(value, where)
    local what = rill.type(value)
    if what == "expression" and not value._sparse then
        value = value:eval()
        what = "stream"
    end
    if what == "stream" and not errors.not_open(value) then
        if not types.scalar(value.type) or #value.shape ~= 1 then
            problem("%sexpected a stream of numbers of one dimension, got %s", where, told(value))
        elseif categories.of(value) then
            problem("%sexpected numbers, got a category: t:group counts its names, and s:codes() is the stream of its "
                .. "codes", where)
        end
        return value.type == "bool" and value:cast "float" or value
    elseif type(value) ~= "table" or what then
        problem("%sexpected a stream or a table of numbers, got %s", where,
            type(value) == "number" and told(value) or typename.not_open(value))
    end
    for i = 1, #value do
        if type(value[i]) ~= "number" then
            problem("%sexpected numbers, got %s at [%d]", where, told(value[i]), i)
        end
    end
    return value
end

local function is_points(value)
    return not errors.not_open(value) and
        (value.type == "vec2" or value.type == "dvec2")
end

local function is_numbers(value)
    return type(value) == "table" and (value[1] == nil or type(value[1]) == "number")
end

local function size(values)
    return type(values) == "table" and #values or values.size
end

local function components(points, where)
    if rill.type(points) == "expression" and points._sparse then
        problem("%sexpected a stream or a table of numbers, got %s", where, typename.told(points))
    end
    points = rill.type(points) == "expression" and points:eval() or points
    if #points.shape ~= 1 then
        problem("%sexpected a stream of one dimension, got %s", where, told(points))
    end
    return points.x:eval(), points.y:eval()
end

local function make_series(options, where, first, second)
    local series = options
    if is_points(first) then
        if second ~= nil then
            problem("%sa stream of points has both x and y: expected no second stream or table", where)
        end
        series.x, series.y = components(first, where)
    elseif second ~= nil then
        series.x, series.y = data(first, where .. "x: "), data(second, where .. "y: ")
        if size(series.x) ~= size(series.y) then
            problem("%sx has %d numbers, y %d", where, size(series.x), size(series.y))
        end
    else
        series.y = data(first, where)
    end
    return series
end

-- Returns the series of an entry of a chart's table, which is data, or {y} or {x, y} with options.
local function entry(value, i)
    local where = ("series %d: "):format(i)
    if rill.type(value) or type(value) ~= "table" then
        return make_series({}, where, value)
    end
    local options = options_of(value, series_known, where)
    if is_numbers(value) then
        return make_series(options, where, value)
    elseif #value > 2 then
        problem("%sexpected {y} or {x, y} with options, got %d streams or tables", where, #value)
    end
    return make_series(options, where, value[1], value[2])
end

local function hex_color(text, where)
    local r, g, b = text:match "^#(%x%x)(%x%x)(%x%x)$"
    if not r then
        problem("%soption 'color': expected \"#rrggbb\", got '%s'", where, text)
    end
    return { tonumber(r, 16), tonumber(g, 16), tonumber(b, 16) }
end

local function check_chart(chart)
    for _, axis in ipairs { "x", "y" } do
        local low, high = chart[axis .. "min"], chart[axis .. "max"]
        if low and high and low >= high then
            problem("options '%smin' and '%smax': expected min below max, got %g and %g", axis, axis, low, high)
        elseif chart[axis .. "log"] and ((low or 1) <= 0 or (high or 1) <= 0) then
            local wrong = (low or 1) <= 0 and low or high
            problem("options '%smin' and '%smax': expected numbers above 0 for a logarithmic axis, got %g", axis,
                axis, wrong)
        end
    end
    if chart.mode and not modes[chart.mode] then
        problem("option 'mode': expected %s, got '%s'", table.concat(tables.keys(modes), ", "), chart.mode)
    end
end

local function finish_series(chart)
    local labeled = false
    for i, series in ipairs(chart.series) do
        local where = #chart.series > 1 and ("series %d: "):format(i) or ""
        series.kind = series.kind or chart.kind or "line"
        series.bins = series.bins or chart.bins
        series.color = series.color and hex_color(series.color, where)
        labeled = labeled or series.label ~= nil
        series.label = series.label or tostring(i)
        if series.kind == "histogram" then
            if series.x then
                problem("%sa histogram counts one stream or table of numbers, got two", where)
            elseif chart.xlog then
                problem("option 'xlog': a histogram has bins of equal width, which a logarithmic axis cannot show")
            end
        end
    end
    if chart.legend == nil then
        chart.legend = labeled or #chart.series > 1
    end
end

local function has_only_names(value)
    return type(value) == "table" and not rill.type(value) and #value == 0 and next(value) ~= nil
end

-- Returns the chart described by the arguments of rill.plot.
local function read(first, second, options)
    local chart
    if type(first) == "table" and not rill.type(first) and second == nil then
        chart = options_of(first, chart_known, "")
        if is_numbers(first) and not has_only_names(first) then
            chart.series = { make_series({}, "", first) } -- rill.plot {1, 2, 3, title = ...}
        else
            chart.series = {}
            for i = 1, #first do
                chart.series[i] = entry(first[i], i)
            end
        end
    else
        if options == nil and has_only_names(second) then
            second, options = nil, second -- rill.plot(y, {title = ...})
        end
        if options ~= nil and (type(options) ~= "table" or rill.type(options)) then
            problem("argument #3 'options': expected a table like {title = \"...\"}, got %s", told(options))
        end
        chart = options_of(options or {}, chart_known, "")
        chart.series = { make_series({}, "", first, second) }
    end
    check_chart(chart)
    finish_series(chart)
    return chart
end

--- chart.read(...) returns the chart that the arguments of rill.plot describe: its options, and `series`, a list with
-- x, y, label and kind. An error is a table with the message.
return {read = read, modes = modes}
