-- Views of rill.live: what they cost the loop of a script, with a browser on the same machine
-- (spec/support/live_reader.lua), and how long events take.
local rill = require "rill"
local support = require "bench.support"

if not pcall(require "rill".live, {port = 0, quiet = true}) then
    return function()
        return {{case = "views in a browser: libwebsockets is missing", result = "", goal = ""}}
    end
end

local SECONDS <const> = 20

-- Starts a browser, which reads, does not read ("stuck") or sends keys.
local function browse(view, mode)
    local path = os.tmpname()
    os.execute(("lua5.4 spec/support/live_reader.lua '%s' %s %g >'%s' 2>&1 &"):format(view.url, mode, SECONDS, path))
    local stop = rill.clock() + 5
    repeat view:running() until view.clients > 0 or rill.clock() > stop
    return path
end

-- Returns the seconds per step of a simulation of waves on size x size cells without and with a view, in turn.
local function steps(size, mode)
    local wave = rill.wave {shape = {size, size}, speed = 1}
    local substeps = 8
    local function step()
        for _ = 1, substeps do wave:step() end
    end
    local view <close> = rill.live {port = 0, quiet = true}
    local function shown()
        step()
        view:running()
        view:image("image", wave.height, {colormap = "magma", min = -1, max = 1})
    end
    shown()
    local path = browse(view, mode)
    local full = rill.clock() + 8
    while mode == "stuck" and view._state.server:untaken "image" <= 8 and rill.clock() < full do
        shown() -- until the buffers of the connection are full
    end
    local count = 40
    local without, with = support.race(15, function() return support.timed(step, count) end,
        function() return support.timed(shown, count) end)
    os.remove(path)
    return without, with
end

-- Returns the seconds of publishing an image of 1920 x 1080, and of reading back a stream of its size.
local function frame()
    local s = rill.random({1080, 1920})
    local view <close> = rill.live {port = 0, quiet = true, fps = 1000, size = {1920, 1080}}
    view:image("image", s, {colormap = "magma"})
    local path = browse(view, "read")
    local function pause()
        local stop = rill.clock() + 0.1
        repeat until rill.clock() > stop
    end
    local function publish()
        view:running()
        local seconds = support.timed(function() view:image("image", s, {colormap = "magma"}) end, 1)
        pause()
        return seconds
    end
    local function read()
        local seconds = support.timed(function() s:bytes() end, 1)
        pause()
        return seconds
    end
    local published, back = support.race(15, publish, read)
    os.remove(path)
    return published, back
end

-- Runs a view at 60 steps per second until receive(event) returns true, at most for a minute.
local function serve(view, s, receive)
    local due, stop, done = rill.clock(), rill.clock() + 60, false
    while not done and rill.clock() < stop and view:running() do
        for event in view:events() do
            done = receive(event) or done
        end
        view:image("image", s)
        due = due + 1 / 60
        repeat until rill.clock() >= due
    end
end

-- Returns the seconds from sending a key to its event, at 60 steps per second, as a sorted list.
local function keys()
    local s, times = rill.random({256, 256}), {}
    local view <close> = rill.live {port = 0, quiet = true}
    view:image("image", s)
    local path = browse(view, "keys")
    serve(view, s, function(event)
        if event.type == "key" then times[#times + 1] = rill.clock() - tonumber(event.key) / 1e6 end
        return #times >= 100
    end)
    os.remove(path)
    table.sort(times)
    return times
end

-- Returns the same for movements of the pointer in Chromium (spec/support/live_pointer.lua). A movement that was
-- combined with the next one is left out.
local function moves(count)
    local columns <const> = 250
    local s, arrived, times = rill.random({columns, columns}), {}, {}
    local view <close> = rill.live {port = 0, quiet = true}
    view:image("image", s)
    local path = os.tmpname()
    local command = "lua5.4 spec/support/live_pointer.lua '%s' %d %d >'%s' 2>&1"
    local browser = io.popen(command:format(view.url, count, columns, path))
    serve(view, s, function(event)
        if event.type == "drag" then
            arrived[#arrived + 1] = {rill.clock(), math.floor(event.column + 0.5)}
        end
        return event.type == "release"
    end)
    browser:close()
    local k = 1
    for line in io.lines(path) do
        local time, column = line:match "^(%S+) (%d+)$"
        local found = k
        while arrived[found] and arrived[found][2] ~= tonumber(column) do found = found + 1 end
        if arrived[found] then
            times[#times + 1] = arrived[found][1] - tonumber(time)
            k = found + 1
        end
    end
    os.remove(path)
    table.sort(times)
    return times
end

return function()
    local rows = {}
    local function row(case, rill_time, peer, peer_time, result, goal)
        rows[#rows + 1] = {case = case, rill = rill_time, peer = peer, peer_time = peer_time, result = result,
            goal = goal}
    end
    for _, mode in ipairs {"read", "stuck"} do
        local without, with = steps(512, mode)
        row(("512 x 512 at 30 fps, browser: %s"):format(mode), with, "without a view", without,
            ("%+.1f %%"):format((with / without - 1) * 100), "<= 10 %")
    end
    local published, back = frame()
    row("a frame of 1920 x 1080", published, "reading back its floats", back,
        ("%+.2f ms"):format((published - back) * 1e3), "<= 3 ms")
    local function delays(case, times)
        local n = #times
        if n == 0 then return end
        row(case, times[(n + 1) // 2], "95th percentile", times[math.ceil(0.95 * n)],
            ("worst of %d: %.1f ms"):format(n, times[n] * 1e3), "< 50 ms")
    end
    delays("key to event at 60 steps/s", keys())
    if os.execute "command -v chromium >/dev/null" then delays("pointer in Chromium to event", moves(220)) end
    return rows
end
