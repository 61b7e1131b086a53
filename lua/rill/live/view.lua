-- The class of views, which rill.live returns.
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local control = require "rill.live.control"
local json = require "rill.live.json"
local orbit = require "rill.live.orbit"
local panel = require "rill.live.panel"
local recording = require "rill.live.recording"
local warning = require "rill.core.warning"
local fail <const> = errors.fail

local SLICE <const> = 0.1 -- seconds of waiting between two looks at Ctrl-C
local STATE <const> = 0.2 -- seconds between two messages about frames per second
local EVENTS_MOST <const> = 4096 -- events that wait for v:events; then the oldest is dropped
local STATE_NAME <const> = "\1state" -- of the panel of the state; a name of a user has no control characters


local function release(state)
    panel.stop_profile(state)
    recording.stop(state)
    if not state.collected and state.server:clients() > 0 then
        pcall(panel.flush, state)
    end
    state.server:close()
end

local views <const> = class.define {
    type = "rill.view", letter = "v", one = "a view", fields = {url = "url", frame = "frame"}, lenient = true,
    release = release, describe = function(state) return ("view at %s"):format(state.url) end, closed = "closed view",
}
local methods <const> = views.methods
--- v.clients: the number of connected browsers.
function views.fields.clients(state) return state.server:clients() end
-- The garbage collector runs at any time, and must not launch kernels: what was not published yet is dropped.
function views.metatable.__gc(object)
    if object._state then
        object._state.collected = true
        object:close()
    end
end

for name, method in pairs(panel.methods) do
    methods[name] = function(self, ...)
        return method(views.check(self, name), ...)
    end
end

-- ---- state

-- Publishes whether the script runs, its frame and its speed. `at_prompt`: between two statements of the prompt, where
-- nothing can be paused and stopped.
local function publish_state(state, now, at_prompt)
    local seconds, frames = now - state.counted_at, state.frame - state.counted
    if seconds >= 1 or not state.speed then
        state.speed = seconds > 0 and frames / seconds or 0
        state.counted_at, state.counted = now, state.frame
    end
    state.state_due = now + STATE
    state.server:put(STATE_NAME, json.object("type", '"state"', "name", '""', "running", tostring(not state.stopped),
        "paused", tostring(state.paused), "frame", json.number(state.frame), "fps", json.number(state.speed),
        "recording", recording.described(state), "clients", json.number(state.server:clients()),
        "prompt", tostring(at_prompt or false)), "", true)
end

-- ---- events

local function post(state, event)
    local events = state.events
    if #events >= EVENTS_MOST then
        table.remove(events, 1)
        state.dispatched = math.max(state.dispatched - 1, 0)
    end
    events[#events + 1] = event
end

local function on_set(state, name, text, number)
    local one = state.controls[name]
    control.receive(one, number, text == "press")
    state.layout_stale = true
end

local function on_pointer(state, name, kind, row, column, buttons)
    local one = state.panels[name]
    local before = kind ~= "press" and one.pointer or {row, column}
    one.pointer = {row, column}
    post(state, {panel = name, type = kind, row = row, column = column, drow = row - before[1],
        dcolumn = column - before[2], buttons = buttons // 1 | 0})
end

local function on_key(state, name, key, pressed)
    local at = state.panels[name].pointer or {}
    post(state, {panel = name, type = pressed == 1 and "key" or "keyup", key = key, row = at[1], column = at[2],
        drow = 0, dcolumn = 0})
end

local function on_view(state, name, _, row, column, rows, columns)
    local one = state.panels[name]
    one.view = {row, column, rows, columns}
    one.stale, one.due, state.redraw = true, 0, true
end

local function on_size(state, name, _, width, height)
    local one = state.panels[name]
    one.size = {math.floor(height), math.floor(width)}
    one.stale, one.due, state.redraw = true, 0, true
end

local function on_orbit(state, name, _, dx, dy, zoom)
    local one = state.panels[name]
    orbit.drag(one, dx, dy, zoom)
    one.stale, one.due, state.redraw = true, 0, true
end

local function on_probe(state, name, _, row, column)
    local one = state.panels[name]
    one.probe = row > 0 and {row, column} or nil
    one.stale, state.redraw = true, true
end

local function on_run(state, _, action)
    state.paused = action == "pause" or action == "step"
    state.step = action == "step"
    state.stopped = state.stopped or action == "stop"
    state.state_due = 0
end

local function on_record(state, _, action)
    if action == "stop" then
        recording.stop(state)
    elseif not state.recording then
        local done, reason = pcall(recording.start, state, "rill.live", state.record)
        if not done then
            warning.say("rill.live: cannot record: %s", tostring(reason))
        end
    end
    state.state_due = 0
end

local handlers <const> = {
    set = on_set, pointer = on_pointer, key = on_key, view = on_view, size = on_size, orbit = on_orbit,
    probe = on_probe, run = on_run, record = on_record,
}

local OF_PANELS <const> = {pointer = true, key = true, view = true, size = true, orbit = true, probe = true}

-- Handles what browsers have sent, and Ctrl-C unless the prompt does.
local function receive(state, at_prompt)
    while true do
        local verb, name, text, a, b, c, d = state.server:next()
        if not verb then
            break
        end
        if not OF_PANELS[verb] or state.panels[name] then -- the panel may have been removed since
            handlers[verb](state, name, text, a, b, c, d)
        end
    end
    if not at_prompt and state.server:interrupted() then
        state.stopped = true
    end
    if state.layout_stale then
        state.layout_stale = false
        panel.layout(state)
    end
end

-- Calls the functions of v:on with the events that arrived since the last call.
local function dispatch(state)
    local events <const>, first <const> = state.events, state.dispatched + 1
    state.dispatched = #events
    for i = first, #events do
        for _, f in ipairs(state.functions[events[i].type] or {}) do
            f(events[i])
        end
    end
end

-- Gives all ranks of rill.mpi the events and controls of rank 1, and draws the images of distributed streams with them.
-- `again`: the ranks wait for the next call, because the view is paused.
local function share(state, again)
    local mpi <const> = package.loaded["rill.mpi"]
    local draws = mpi and mpi.size > 1 and panel.requests(state, not again and rill.clock() or nil)
    if not draws or again and #draws == 0 then
        return
    end
    local values, shared = {}, nil -- luacheck: ignore 311
    for i, one in ipairs(state.controls) do
        values[i] = {one.name, one.value, one.changed}
    end
    repeat
        shared = mpi.broadcast({stopped = state.stopped or false, events = state.events,
            dispatched = state.dispatched, values = values, draws = draws, again = again}, 1)
        panel.answer(state, shared.draws, mpi)
    until mpi.rank == 1 or not shared.again
    if mpi.rank > 1 then
        state.stopped, state.events, state.dispatched = shared.stopped, shared.events, shared.dispatched
        for _, row in ipairs(shared.values) do
            local one = state.controls[row[1]]
            if one then
                one.value, one.changed = row[2], row[3]
            end
        end
    end
end

-- Waits until the script is to go on.
local function wait_while_paused(state)
    while state.paused and not state.step and not state.stopped do
        if state.redraw or state.state_due == 0 then
            state.redraw = false
            share(state, true)
            panel.flush(state)
            publish_state(state, rill.clock())
        end
        state.server:wait(SLICE)
        receive(state)
        if state.clients ~= state.server:clients() then
            state.clients = state.server:clients()
            state.redraw = true
        end
    end
    state.step = false
end

--- v:running() handles what the browsers have sent, and returns whether the script is to go on: false after "stop" in
-- a browser or after Ctrl-C. While the view is paused, waits.
function methods.running(self)
    local state = views.check(self, "running")
    if state.stopped then
        return false
    end
    for _, one in ipairs(state.controls) do
        one.changed = false
    end
    receive(state)
    if state.paused and not state.step then
        share(state, true)
        panel.flush(state)
        publish_state(state, rill.clock())
        state.clients = state.server:clients()
        wait_while_paused(state)
    elseif state.step then
        state.step = false
    end
    share(state)
    state.frame = state.frame + (state.stopped and 0 or 1)
    local now = rill.clock()
    panel.flush(state, now)
    if now >= state.state_due or state.stopped then
        publish_state(state, now)
    end
    dispatch(state)
    if not self._state then -- a function of v:on has closed the view
        return false
    elseif state.stopped then
        panel.flush(state)
    end
    return not state.stopped
end

--- v:events() returns an iterator over the events that arrived before the last call of v:running() and that were
-- not iterated yet.
function methods.events(self)
    local state = views.check(self, "events")
    local list, i = state.events, 0
    state.events, state.dispatched = {}, 0
    return function()
        i = i + 1
        return list[i]
    end
end

local TYPES <const> = {press = true, drag = true, release = true, move = true, key = true, keyup = true}

--- v:on(type, f) lets v:running() call f once with each event of a type: "press", "drag", "release", "move", "key" or
-- "keyup". v:events() returns these events too.
function methods.on(self, kind, f)
    local state = views.check(self, "on")
    if not TYPES[kind] then
        fail("v:on: argument #1 'type': expected press, drag, release, move, key or keyup, got %s", errors.told(kind))
    elseif type(f) ~= "function" then
        fail("v:on: argument #2 'f': expected a function, got %s", errors.told(f))
    end
    local list = state.functions[kind] or {}
    state.functions[kind] = list
    list[#list + 1] = f
end

-- ---- controls

for _, kind in ipairs {"slider", "number", "choice", "toggle", "button"} do
    local where <const> = "v:" .. kind
    methods[kind] = function(self, name, ...)
        local state = views.check(self, kind)
        panel.check_name(where, name)
        local one = state.controls[name]
        if one and one.kind ~= kind then
            fail("%s: argument #1 'name': '%s' is the name of a %s", where, name, one.kind)
        elseif not one then
            if #state.controls >= state.most then
                fail("%s: a view has at most %d controls", where, state.most)
            end
            local object
            object, one = control.new(kind, name, function() panel.layout(state) end, where, ...)
            one.object = object
            control.register(state.server, one)
            state.controls[name] = one
            state.controls[#state.controls + 1] = one
            panel.layout(state)
        end
        return one.object
    end
end

-- ---- recording

--- v:record(path [, {panel =, fps = 25}]) starts a recording of a panel: the first one with an image or a mesh, or the
-- named one. Paths in .png are animated PNG, .mp4, .webm, .mkv and .gif are written by ffmpeg. v:record() ends it.
function methods.record(self, path, options)
    local state = views.check(self, "record")
    if path == nil then
        recording.stop(state)
    elseif type(path) ~= "string" then
        fail("v:record: argument #1 'path': expected a path (a string), got %s", errors.told(path))
    elseif state.jpeg ~= nil then -- not on ranks that do not serve
        recording.start(state, "v:record", path, options)
    end
    publish_state(state, rill.clock())
end

for name, method in pairs(methods) do
    methods[name] = errors.guard(method, "v:" .. name)
end

local view = {}

--- view.create(state) returns a view: see lua/rill/live/init.lua.
function view.create(state)
    local now = rill.clock()
    state.panels, state.order, state.controls, state.events, state.functions = {}, {}, {}, {}, {}
    state.frame, state.counted, state.counted_at, state.state_due, state.dispatched = 0, 0, now, 0, 0
    state.paused, state.stopped, state.step = false, false, false
    state.queues = not rill.device().traits.synchronous
    local object = views.create(state)
    panel.layout(state)
    publish_state(state, now)
    return object
end

--- view.is_open(object) returns whether a view is open.
function view.is_open(object)
    return object._state and true or false
end

--- view.retype(object, name, kind) removes the panel of a name if it has another type. Without a type, removes it.
function view.retype(object, name, kind)
    panel.retype(views.check(object, "retype"), name, kind)
end

--- view.curves(object, name, curves, options) replaces the curves {label, x or nil, y} of a plot panel.
function view.curves(object, name, curves, options)
    panel.curves(views.check(object, "plot"), name, curves, options)
end

--- view.show_always(object) publishes panels also while no browser is connected.
function view.show_always(object)
    local state = views.check(object, "image")
    state.shows, state.interval = true, 0
end

--- view.pump(object) handles what browsers have sent, except that pause and stop have no effect: at the prompt, the
-- page has no such buttons, and a loop of an earlier statement may have been stopped.
function view.pump(object)
    local state = views.check(object, "running")
    receive(state, true)
    state.paused, state.step, state.stopped = false, false, false
    panel.flush(state, rill.clock())
    publish_state(state, rill.clock(), true)
end

--- view.serve(object) handles what browsers send until the view is stopped.
function view.serve(object)
    local state = views.check(object, "running")
    while not state.stopped do
        receive(state)
        panel.flush(state)
        local now = rill.clock()
        if now >= state.state_due then
            publish_state(state, now)
        end
        state.server:wait(SLICE)
    end
end

return view
