-- The series of a plot panel: points that are appended one by one, or curves that are replaced.
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
local categories = require "rill.core.categories"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local json = require "rill.live.json"
local fail <const> = errors.fail

local POINTS <const> = 1000
local MOST <const> = 100000 -- points of a series
local PIECE <const> = 200 -- numbers that are packed at once

local OPTIONS <const> = {
    points = {function(v) return math.type(v) == "integer" and v >= 2 and v <= MOST end,
        "a whole number from 2 to " .. MOST, POINTS},
    log = {function(v) return type(v) == "boolean" or v == "x" or v == "y" or v == "xy" end,
        'true, false, "x", "y" or "xy"', false},
    xlabel = {function(v) return type(v) == "string" end, "a text"},
    ylabel = {function(v) return type(v) == "string" end, "a text"},
}

local curve = {}

local function is_number(value) return type(value) == "number" end

-- Returns a copy of the last `most` numbers of a list, or a stream of numbers of one dimension itself, and the number
-- of all; nil for other values.
local function source_of(where, value, most)
    local kind = rill.type(value)
    if kind == "stream" or kind == "expression" then
        local problem = errors.not_open(value)
        if problem then
            fail("%s: expected an open stream, got %s", where, problem)
        elseif kind == "expression" then
            expression.check(value)
        end
        if not types.scalar(value.type) or #value.shape ~= 1 then
            fail("%s: expected a stream of numbers of one dimension, got stream<%s>[%s]", where, value.type,
                tostring(value.shape))
        end
        categories.none(value, where .. ": the stream")
        return value, value.size
    elseif type(value) == "table" and not kind then
        for i = 1, #value do
            if not is_number(value[i]) then
                fail("%s: expected numbers, got %s at [%d]", where, errors.told(value[i]), i)
            end
        end
        return table.move(value, math.max(#value - most + 1, 1), #value, 1, {}), #value
    end
end

-- Reads the last `most` numbers of a source.
local function read(where, source, most)
    if not rill.type(source) then
        return source
    end
    local s = errors.open(where, source)
    if s.type == "bool" then s = s:cast "int" end
    return s.size > most and s:domain(s.size - most + 1, s.size):values() or s:values()
end

-- Returns whether a source was closed since it was passed, or the memory of an expression was written.
local function is_lost(source)
    return rill.type(source) and (errors.not_open(source) ~= nil or expression.is_stale(source))
end

-- Reads the streams of a series. If they cannot be read any more, the numbers before them remain.
local function settle(where, series, most)
    local x, y = series.source_x, series.source_y
    series.source_x, series.source_y = nil, nil
    if not y or is_lost(y) or is_lost(x) then
        return
    end
    y = read(where, y, most)
    if x then
        x = read(where, x, most)
    else
        x = {}
        for i = 1, #y do x[i] = series.total - #y + i end
    end
    series.x, series.y = x, y
end

local function series_of(panel, name)
    local series = panel.series[name]
    if not series then
        series = {name = name, x = {}, y = {}, count = 0}
        panel.series[name] = series
        panel.names[#panel.names + 1] = name
    end
    return series
end

-- Appends a point, and drops old ones now and then.
local function append(where, series, x, y, most)
    settle(where, series, most)
    local n = #series.y + 1
    series.count = series.count + 1
    series.x[n], series.y[n] = x or series.count, y
    if n >= 2 * most then
        series.x = table.move(series.x, n - most + 1, n, 1, {})
        series.y = table.move(series.y, n - most + 1, n, 1, {})
    end
end

-- Adds a value of one series. Streams are read when the panel is published.
local function add(where, panel, name, x, y)
    local series, most = series_of(panel, name), panel.options.points
    if is_number(y) and (x == nil or is_number(x)) then
        append(where, series, x, y, most)
        return
    end
    local list, total = source_of(where, y, most)
    local places, count = nil, total
    if x ~= nil then places, count = source_of(where, x, most) end
    if not list or x ~= nil and not places then
        fail("%s: expected a number, a stream or a table of numbers, or a table of them by name, got %s", where,
            errors.told(list and x or y))
    elseif count ~= total then
        fail("%s: x has %d numbers, y %d", where, count, total)
    end
    series.source_x, series.source_y, series.total = places, list, total
end

-- Returns whether a value is a table of series by name.
local function is_named(value)
    return type(value) == "table" and not rill.type(value) and type(next(value)) == "string"
end

-- Returns whether a value is a table of options.
local function is_options(value)
    local named = is_named(value)
    for key in pairs(named and value or {}) do
        named = named and OPTIONS[key] ~= nil
    end
    return named
end

local function is_empty(value)
    return type(value) == "table" and not rill.type(value) and next(value) == nil
end

-- Returns whether a value is a list of numbers, so that an empty table after it is a list too.
local function is_list(value)
    return type(value) == "table" and not rill.type(value) and #value > 0
end

--- curve.add(where, panel, ...) adds what is passed to v:plot after the name: a value, or x and a value, and options.
function curve.add(where, panel, x, y, options)
    if options == nil and (is_options(y) or is_empty(y) and not is_list(x)) then
        y, options = nil, y
    end
    if y == nil then
        x, y = nil, x
    end
    if options ~= nil or not panel.options then
        panel.options = option.take(where, options, OPTIONS)
    end
    panel.series, panel.names = panel.series or {}, panel.names or {}
    if is_named(y) then
        for _, name in ipairs(tables.keys(y)) do
            add(("%s: series '%s'"):format(where, name), panel, name, x, y[name])
        end
        return
    end
    add(where, panel, panel.name, x, y)
end

--- curve.replace(where, panel, curves, options) replaces all curves of a panel by a list of {name, x or nil, y}.
function curve.replace(where, panel, curves, options)
    panel.options = option.take(where, options, OPTIONS)
    panel.options.points = MOST
    panel.series, panel.names = {}, {}
    for _, one in ipairs(curves) do
        add(where, panel, one[1], one[2], one[3])
    end
end

local function packed(parts, values, first, last)
    for from = first, last, PIECE do
        local to = math.min(from + PIECE - 1, last)
        parts[#parts + 1] = ("<" .. ("d"):rep(to - from + 1)):pack(table.unpack(values, from, to))
    end
end

--- curve.message(panel) returns the members of the header and the payload.
function curve.message(panel)
    local parts, described = {}, {}
    for i, name in ipairs(panel.names) do
        local series = panel.series[name]
        settle("v:plot", series, panel.options.points)
        local last = #series.y
        local first = math.max(last - panel.options.points + 1, 1)
        packed(parts, series.x, first, last)
        packed(parts, series.y, first, last)
        described[i] = json.object("name", json.text(name), "n", json.number(last - first + 1))
    end
    local options = panel.options
    local log = options.log == true and "y" or options.log
    return {"series", json.list(described), "xlabel", options.xlabel and json.text(options.xlabel), "ylabel",
        options.ylabel and json.text(options.ylabel), "log", log and json.text(log)}, table.concat(parts)
end

return curve
