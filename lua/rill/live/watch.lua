-- Views that fill themselves: with what a script passes to rill.show and rill.plot (rill --live), or with the results
-- and the globals of the prompt.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local charts = require "rill.plot.chart"
local view = require "rill.live.view"

local MOST <const> = 32 -- panels of globals

local watch = {}

-- Returns a text that can be the name of a panel: at most 64 bytes of UTF-8 without control characters.
local function name_of(text)
    text = text:gsub("%c", " ")
    local _, invalid = utf8.len(text)
    while invalid do
        text = text:sub(1, invalid - 1) .. "?" .. text:sub(invalid + 1)
        _, invalid = utf8.len(text, invalid)
    end
    return text:sub(1, #text <= 64 and #text or utf8.offset(text, 0, 65) - 1)
end

-- Returns the type of panel that can show a value, or nil.
local function kind_of(value)
    local kind = rill.type(value)
    if kind == "container" or kind == "expression" and value._sparse then
        return "image"
    elseif kind == "stream" or kind == "expression" then
        if errors.not_open(value) or value.size == 0 then
            return nil
        elseif #value.shape == 2 then
            return "image"
        elseif #value.shape == 1 and value.type == "vec3" then
            return "mesh"
        end
        return #value.shape == 1 and value.type:find "^%l+%d*$" and not value.type:find "vec" and "plot" or nil
    elseif kind == "mesh" then
        return tostring(value) ~= "closed mesh" and "mesh" or nil
    end
    return (type(value) == "number" or type(value) == "string") and "text" or nil
end

-- Shows a value in the panel of a name, whose type may change.
local function show(object, name, value, options)
    local kind = kind_of(value)
    if kind then
        view.retype(object, name, kind)
        object[kind](object, name, value, kind == "image" and options or nil)
    end
    return kind
end

-- ---- scripts

-- Returns the name of the panel of the call of a script: its file and line.
local function call_name()
    local level = 3
    local info = debug.getinfo(level, "Sl")
    while info and info.currentline < 0 do
        level = level + 1
        info = debug.getinfo(level, "Sl")
    end
    local name = info and ("%s:%d"):format(info.short_src:match "[^/]*$", info.currentline) or "?"
    return name_of(name)
end

local function pump(object)
    if not object:running() then
        error("rill.live: the script was stopped in the browser", 0)
    end
end

-- Shows the series of a chart.
local function draw(object, name, chart)
    local curves = {}
    for i, series in ipairs(chart.series) do
        if series.kind == "histogram" then
            local own = #chart.series > 1 and name_of(("%s %s"):format(name, series.label)) or name
            local values = type(series.y) == "table" and rill.from(series.y, "float") or series.y
            view.retype(object, own, "histogram")
            object:histogram(own, values, {bins = series.bins})
        else
            curves[#curves + 1] = {series.label or tostring(i), series.x, series.y}
        end
    end
    if #curves > 0 then
        view.retype(object, name, "plot")
        view.curves(object, name, curves, chart)
    end
end

--- watch.script(object) lets rill.show and rill.plot show their arguments in a view.
function watch.script(object)
    local original_show <const>, original_plot <const> = rill.show, rill.plot
    rawset(rill, "show", function(s, given)
        if type(given) == "table" and given.text or not kind_of(s) then
            return original_show(s, given)
        end
        local own = type(given) == "table" and {min = given.min, max = given.max, colormap = given.colormap} or given
        show(object, call_name(), s, own)
        pump(object)
    end)
    rawset(rill, "plot", function(...)
        local read, chart = pcall(charts.read, ...)
        if not read or chart.path or chart.text then
            return original_plot(...)
        end
        draw(object, chart.title and chart.title ~= "" and name_of(chart.title) or call_name(), chart)
        pump(object)
    end)
end

--- watch.finish(object) serves the view of a script that has ended until it is stopped.
function watch.finish(object)
    io.stdout:flush()
    io.stderr:write "rill.live: the script has ended: stop it in the browser, or press Ctrl-C\n"
    view.serve(object)
    object:close()
end

-- ---- the prompt

--- watch.prompt(object) lets the prompt show its results and the globals in a view, until the view is closed.
function watch.prompt(object)
    local known = {}
    view.show_always(object)
    require "rill.shell.repl".watchers[object] = function(results)
        if not view.is_open(object) then
            require "rill.shell.repl".watchers[object] = nil
            return
        end
        view.pump(object)
        if results[1] and results[2] ~= nil then
            show(object, "_", results[2])
        end
        local count = 0
        for name, value in pairs(_G) do
            local kind = type(name) == "string" and not name:find "^_%d*$" and rill.type(value) and kind_of(value)
            if kind and #name <= 64 and count < MOST then
                count = count + 1
                known[name] = true
                pcall(show, object, name, value)
            elseif known[name] and not kind then
                known[name] = nil
                view.retype(object, name, nil)
            end
        end
    end
end

return watch
