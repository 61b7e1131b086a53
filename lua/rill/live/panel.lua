-- Panels: what a view shows. A panel is published at most state.fps times per second, and only if a browser is
-- connected; else a call stores its arguments.
local core = require "rill.core"
local rill = require "rill.core.public"
local categories = require "rill.core.categories"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local expression = require "rill.algebra.expression"
local reports = require "rill.shell.profile_report"
local tables = require "rill.core.tables"
local cells = require "rill.live.cells"
local control = require "rill.live.control"
local curve = require "rill.live.curve"
local json = require "rill.live.json"
local orbit = require "rill.live.orbit"
local picture = require "rill.live.picture"
local ranks = require "rill.live.ranks"
local fail <const> = errors.fail

local NAME_MOST <const> = 64 -- bytes
local JPEG_PIXELS <const> = 1 << 19 -- from which images of colors are sent as JPEG, if rill is built with it
local UNTAKEN <const> = 0.25 -- seconds from a version that no browser takes to the next one

local panel = {}

--- panel.check_name(where, name) raises unless a value can be the name of a panel or control.
function panel.check_name(where, name)
    if type(name) ~= "string" or name == "" or #name > NAME_MOST or not utf8.len(name) or name:find "%c" then
        fail("%s: argument #1 'name': expected a name of 1 to %d bytes of UTF-8 without control characters, got %s",
            where,
            NAME_MOST, errors.told(name))
    end
end

--- panel.layout(state) publishes the lists of panels and controls.
function panel.layout(state)
    local panels, controls = {}, {}
    for i, one in ipairs(state.order) do
        panels[i] = json.object("name", json.text(one.name), "type", json.text(one.kind))
    end
    for i, one in ipairs(state.controls) do
        controls[i] = control.described(one)
    end
    state.server:put("", json.object("type", '"layout"', "name", '""', "panels", json.list(panels), "controls",
        json.list(controls)), "", true)
end

--- panel.retype(state, name, kind) removes the panel of a name if it has another type. Without a type, removes it.
function panel.retype(state, name, kind)
    local one = state.panels[name]
    if one and one.kind ~= kind then
        state.server:remove(name)
        state.panels[name] = nil
        for i, other in ipairs(state.order) do
            if other == one then
                table.remove(state.order, i)
                break
            end
        end
        panel.layout(state)
    end
end

--- panel.of(state, where, name, kind) returns the panel of a name, which is created at the first call.
function panel.of(state, where, name, kind)
    local one = state.panels[name]
    if not one then
        panel.check_name(where, name)
        if #state.order >= state.most then
            fail("%s: a view has at most %d panels", where, state.most)
        end
        one = {name = name, kind = kind, due = 0, size = state.size, version = 0}
        state.panels[name] = one
        state.order[#state.order + 1] = one
        panel.layout(state)
    elseif one.kind ~= kind then
        fail("%s: argument #1 'name': '%s' is the name of a panel of type %s", where, name, one.kind)
    end
    return one
end

local function numbers(values)
    local list = {}
    for i, value in ipairs(values) do
        list[i] = json.number(value)
    end
    return json.list(list)
end

-- Returns the header of a panel's next version. `members`: names and encoded values.
local function header(one, members)
    one.version = one.version + 1
    return json.object("type", json.text(one.kind), "name", json.text(one.name), "version", json.number(one.version),
        table.unpack(members, 1, members.n))
end

-- Returns samples of a color map, 256 colors of three bytes each, as a list of "#rrggbb". Default: from black to white.
local function samples(palette)
    local list = {}
    for i = 0, palette and 255 or -1, 17 do
        list[#list + 1] = ('"#%02x%02x%02x"'):format(palette:byte(3 * i + 1, 3 * i + 3))
    end
    return palette and json.list(list) or '["#000000","#ffffff"]'
end

-- Publishes the image whose read-back was started, if there is one.
local function take_image(state, one)
    local request <close> = one.request
    if request then
        one.request = nil
        local bytes = request:bytes()
        state.server:fill(bytes)
        state.server:image(table.unpack(one.arguments, 1, 10))
    end
end

-- Publishes an image {pixels =, min =, max =, view =, shown =, channels =, rows =, columns =}. On devices that queue
-- work, the images of a panel after the first one are read back asynchronously, and published by a later call of
-- v:running().
local function send_image(state, one, drawn, options, value)
    local width, height, channels = drawn.shown[2], drawn.shown[1], drawn.channels
    local palette = channels == 1 and options.colormap and core._colormap(options.colormap) or nil
    local format = channels == 4 and width * height > JPEG_PIXELS and state.jpeg and "jpeg" or "png"
    local bytes = width * height * channels
    local text = header(one, {n = 20, "width", json.number(drawn.columns), "height", json.number(drawn.rows), "shown",
        numbers {width, height}, "mime", json.text("image/" .. format), "min", json.number(drawn.min), "max",
        json.number(drawn.max), "colormap", options.colormap and json.text(options.colormap), "view",
        numbers(drawn.view), "value", value, "colors", channels == 1 and samples(palette) or nil})
    local arguments = {one.name, text, one.kind, drawn.rows, drawn.columns, width, height, channels, format, palette}
    if state.queues and one.published then
        take_image(state, one)
        one.request, one.arguments = drawn.pixels:request(), arguments
    else
        core._download(drawn.pixels, state.server:draft(bytes), 0, bytes)
        state.server:image(table.unpack(arguments, 1, 10))
        one.published = true
    end
end

-- Returns whether it is time to append an image of a panel to the recording.
local function is_recorded(state, one, now)
    local recording = state.recording
    return recording and (not recording.panel or recording.panel == one.name) and not (now and now < recording.due)
end

-- Appends an image to the recording, if it is time to.
local function record(state, one, s, options, now)
    local recording = state.recording
    if not is_recorded(state, one, now) then
        return
    end
    recording.panel = one.name
    recording.due = math.max(recording.due + recording.interval, now or 0)
    recording.frame(s, picture.full_options(s, options))
end

-- Returns the element under the pointer, whose text is given, as JSON, or nil.
local function probed(one, text)
    return text and json.object("row", json.number(math.floor(one.probe[1] + 0.5)), "column",
        json.number(math.floor(one.probe[2] + 0.5)), "text", json.text(text))
end

-- ---- publishers, by type: function(state, panel)

local function publish_image(state, one)
    local where <const> = "v:image: argument #2 's'"
    local s, options = picture.stream(where, one.value), one.options
    record(state, one, s, options, state.now)
    if state.server:clients() > 0 or state.shows then
        send_image(state, one, picture.draw(one, s, options), options,
            one.probe and probed(one, picture.probed(one.probe, s)))
    end
end

local function publish_mesh(state, one)
    local s <close> = orbit.draw(one, one.value, one.options)
    record(state, one, s, {}, state.now)
    if state.server:clients() > 0 or state.shows then
        local view = one.view
        one.view = nil
        send_image(state, one, picture.draw(one, s, {}), {})
        one.view = view
    end
end

local function publish_plot(state, one)
    local members, payload = curve.message(one)
    members.n = 8
    state.server:put(one.name, header(one, members), payload)
end

local function publish_histogram(state, one)
    local s = errors.open("v:histogram: argument #2 's'", one.value)
    local counts, edges = s:histogram(one.options)
    local values, limits = counts:values(), edges:values()
    counts:close()
    edges:close()
    state.server:put(one.name, header(one, {n = 6, "min", json.number(limits[1]), "max", json.number(limits[#limits]),
        "bins", json.number(#values)}), ("<" .. ("d"):rep(#values)):pack(table.unpack(values)))
end

local function publish_text(state, one)
    state.server:put(one.name, header(one, {n = 2, "text", json.text(one.value)}))
end

local function publish_table(state, one)
    local members = cells.message("v:table", one.value, one.options)
    members.n = 6
    state.server:put(one.name, header(one, members))
end

-- Publishes what launches have cost since the last version, and starts to measure those of the next one.
local function publish_profile(state, one)
    local recorded = reports.background == state and core._profile_stop()
    if recorded then
        local rows = reports.rows(reports.complete(recorded, state.copy_rate))
        local list = {}
        for i, row in ipairs(rows) do
            list[i] = tables.copy(row)
        end
        for _, row in ipairs(list) do
            for k, head in ipairs(reports.heads) do
                row[head], row[k] = row[k], nil
            end
        end
        local members = cells.message("v:profile", list, {columns = reports.heads, rows = 100, right = true})
        members.n = 6
        state.server:put(one.name, header(one, members))
    end
    reports.background = nil
    state.copy_rate = state.copy_rate or core._copy_rate()
    core._profile_start()
    reports.background = state
end

local publish <const> = {
    image = publish_image, mesh = publish_mesh, plot = publish_plot, histogram = publish_histogram, text = publish_text,
    table = publish_table, profile = publish_profile,
}

-- Returns whether anybody sees a panel.
local function is_seen(state, one)
    return state.server:clients() > 0 or state.shows or state.recording and (one.kind == "image" or one.kind == "mesh")
end

-- Returns whether a value, or one of a list of meshes, was closed since it was passed, or the memory of an expression
-- was written.
local function is_closed(value)
    local kind = rill.type(value)
    if kind == "stream" then
        return errors.not_open(value) ~= nil
    elseif kind == "mesh" or kind == "container" then
        return tostring(value):find "^closed" ~= nil
    elseif kind == "expression" then
        return expression.is_stale(value)
    end
    for _, item in ipairs(type(value) == "table" and not kind and value or {}) do
        if rill.type(item) == "mesh" and is_closed(item) then
            return true
        end
    end
    return false
end

-- Computes when a panel may be published again.
local function count_version(state, one, now)
    one.stale = false
    one.due = math.max(one.due + state.interval, now - state.interval)
end

-- Publishes a panel again, if its value can still be read.
local function redraw(state, one, now)
    local value = one.value
    one.stale = false
    if value == nil or is_closed(value) or one.kind == "table" and cells.is_closed(value) then
        return
    end
    count_version(state, one, now)
    state.now = now
    publish[one.kind](state, one)
end

-- Returns whether it is time for the next version of a panel. While no browser takes its versions, because all of them
-- are slow or have stopped reading, a version follows after UNTAKEN seconds.
local function is_time(state, one, now)
    return now >= one.due and (now >= one.due + UNTAKEN or state.recording ~= nil
        or state.server:untaken(one.name) * state.interval < UNTAKEN)
end

-- Returns whether a panel has changed, is seen and, with `now`, may be published.
local function is_due(state, one, now)
    return one.stale and (not now or is_time(state, one, now)) and is_seen(state, one)
end

--- panel.flush(state [, now]) publishes the panels that have changed since their last version. With `now`, only those
-- for which it is time.
function panel.flush(state, now)
    for _, one in ipairs(state.order) do
        if not ranks.is(one.value) and is_due(state, one, now) then
            redraw(state, one, now or rill.clock())
        end
        if one.request and (not now or one.request:ready()) then
            take_image(state, one)
        end
    end
end

-- Images of distributed streams: all ranks draw them together, in v:running().

--- panel.requests(state [, now]) returns what the ranks have to draw, on the rank that serves.
function panel.requests(state, now)
    local list = {}
    for _, one in ipairs(state.order) do
        if ranks.is(one.value) and is_due(state, one, now) then
            one.stale = false
            if not ranks.is_closed(one.value) then
                list[#list + 1] = ranks.request(one, one.value, one.options, is_recorded(state, one, now))
            end
        end
    end
    return list
end

--- panel.answer(state, requests, mpi) draws what was requested, on all ranks, and publishes it on the first one.
function panel.answer(state, requests, mpi)
    for _, request in ipairs(requests) do
        local one = state.panels[request.name]
        local d = one and one.value
        local pieces = mpi.gather(ranks.is(d) and not ranks.is_closed(d) and ranks.piece(d, request) or {}, 1)
        local whole = request.whole and d:collect()
        if pieces then
            local now = rill.clock()
            count_version(state, one, now)
            if whole then
                record(state, one, whole, one.options)
                whole:close()
            end
            local drawn, text = ranks.draw(one, d, request, pieces, one.options)
            send_image(state, one, drawn, one.options, one.probe and probed(one, text))
        end
    end
end

--- panel.stop_profile(state) ends the profile of a view.
function panel.stop_profile(state)
    if reports.background == state then
        reports.background = nil
        core._profile_stop()
    end
end

-- Publishes a panel if it is time to, or remembers that it has changed.
local function offer(state, one)
    local now = rill.clock()
    if is_time(state, one, now) and is_seen(state, one) then
        redraw(state, one, now)
    else
        one.stale = true
    end
end

-- Raises an error if a value is an expression and memory that it reads was written since.
local function check_fresh(value)
    if rill.type(value) == "expression" then
        expression.check(value)
    end
end

-- ---- methods

local methods = {}

local IMAGE <const> = {
    min = option.finite, max = option.finite, colormap = {function(v) return (pcall(core._colormap, v)) end,
        "the name of a color map: " .. table.concat(core._colormaps, ", ")},
}

--- v:image(name, s [, {min =, max =, colormap =}]) shows a stream of two dimensions of numbers, vec3 or vec4, an
-- expression, a distributed stream (on all ranks), or the mapped pages of a container. `min` and `max`: the values of
-- the first and the last color. Default: 0 and 1, for uint8 and uint16 the range of the type, for other integers their
-- minimum and maximum.
function methods.image(state, name, s, options)
    local one = panel.of(state, "v:image", name, "image")
    options = options and option.take("v:image", options, IMAGE) or {}
    picture.check("v:image: argument #2 's'", s, options)
    check_fresh(s)
    if options.min and options.max and options.min == options.max then
        fail("v:image: options 'min' and 'max': expected two different values, both are %g", options.max)
    end
    one.value, one.options = s, options
    if not ranks.is(s) then
        offer(state, one)
    elseif package.loaded["rill.mpi"].size == 1 then
        one.value = s.part
        offer(state, one)
    else
        one.stale = true -- v:running publishes it, on all ranks
    end
end

--- v:mesh(name, m [, options]) shows a mesh, a list of meshes, or points, a stream of vec3, rendered by rill.render
-- with the same options at the size of the panel. The mouse turns it. `radius`: half the side of the square of a point.
-- Default: 0.004 of the diagonal of the points.
function methods.mesh(state, name, m, options)
    local one = panel.of(state, "v:mesh", name, "mesh")
    orbit.check("v:mesh", m, options)
    check_fresh(m)
    one.value, one.options = m, options or {}
    offer(state, one)
end

--- v:plot(name, y [, options]) appends a point to a curve: its x is 1, 2, 3, ...; v:plot(name, x, y [, options])
-- appends the point (x, y). A stream or a table of numbers replaces the curve. Streams are read when the panel is
-- published. A table of values by name is several
-- curves. `points`: the number of newest points that are shown. Default: 1000. `log`: true or "y", "x" or "xy" for
-- logarithmic axes. `xlabel`, `ylabel`: texts.
function methods.plot(state, name, x, y, options)
    local one = panel.of(state, "v:plot", name, "plot")
    curve.add("v:plot", one, x, y, options)
    one.value = true
    offer(state, one)
end

--- panel.curves(state, name, curves, chart) replaces the curves {label, x or nil, y} of a panel. `chart`: the options
-- of a chart of rill.plot.
function panel.curves(state, name, curves, chart)
    local one = panel.of(state, "rill.plot", name, "plot")
    curve.replace("rill.plot", one, curves, {
        xlabel = chart.xlabel, ylabel = chart.ylabel,
        log = chart.xlog and chart.ylog and "xy" or chart.xlog and "x" or chart.ylog or false,
    })
    one.value = true
    offer(state, one)
end

local HISTOGRAM <const> = {bins = true, min = true, max = true, outside = true}

--- v:histogram(name, s [, options]) shows how often values occur in a stream of numbers: see s:histogram.
function methods.histogram(state, name, s, options)
    local one = panel.of(state, "v:histogram", name, "histogram")
    local where <const> = "v:histogram: argument #2 's'"
    local problem = errors.not_open(s)
    if problem then
        fail("%s: expected an open stream, got %s", where, problem)
    end
    categories.none(s, where)
    option.check("v:histogram", options, HISTOGRAM)
    check_fresh(s)
    one.value, one.options = s, options or {}
    offer(state, one)
end

--- v:text(name, text) shows a text, or any value as tostring writes it.
function methods.text(state, name, text)
    local one = panel.of(state, "v:text", name, "text")
    one.value = tostring(text)
    offer(state, one)
end

--- v:table(name, data [, {columns =, rows = 200}]) shows a list of rows, which are tables, or a table of columns by
-- name, which are lists or streams of numbers. `columns`: the names of the columns in their order. `rows`: the largest
-- number of rows that are shown.
function methods.table(state, name, data, options)
    local one = panel.of(state, "v:table", name, "table")
    one.options = cells.take("v:table", data, options)
    one.value = data
    offer(state, one)
end

--- v:profile([name]) shows what the launches since the last version of the panel cost, as rill.profile reports it.
-- Launches inside of rill.profile are not counted. Default of name: "profile".
function methods.profile(state, name)
    local one = panel.of(state, "v:profile", name or "profile", "profile")
    one.value = true
    if reports.background and reports.background ~= state then
        fail("v:profile: another view measures launches: close it first, as the device has one profile")
    end
    local now = rill.clock()
    if now >= one.due and is_seen(state, one) and not reports.taken then
        redraw(state, one, now)
        one.due = now + 1
    end
end

--- panel.methods: the methods of views that show values, as functions of the state.
panel.methods = methods

return panel
