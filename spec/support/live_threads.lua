-- The script that every thread of spec/support/host.c runs for `make tsan`: the first two threads publish the frames of
-- views, which they open and close; the others are browsers, which connect, send messages, read and leave. Returns the
-- number of rounds. RILL_LIVE_ADDRESS: the beginning of the paths of files with the addresses of the views.
local number, seconds = ...
local browser = require "spec.support.browser"

local SCRIPTS <const> = 2
local ADDRESS <const> = os.getenv "RILL_LIVE_ADDRESS"
local stop <const> = os.time() + seconds
local random <const> = math.random
local rounds = 0

math.randomseed(number)

-- Writes the address of the current view for the browsers; nil: there is none.
local function announce(url)
    local path <const> = ADDRESS .. number
    if not url then
        os.remove(path)
        return
    end
    local file = assert(io.open(path .. ".new", "w"))
    file:write(url)
    file:close()
    os.rename(path .. ".new", path)
end

local function address()
    local file <close> = io.open(ADDRESS .. random(SCRIPTS))
    return file and file:read "a"
end

local function show(rill)
    local view <close> = rill.live {port = 0, quiet = true, fps = 1000, steer = "all"}
    local s, colors = rill.random({64, 64}), rill.stream("vec3", {32, 48})
    local slider = view:slider("s", {min = -1, max = 1})
    view:button "b"
    view:on("drag", function() end)
    announce(view.url)
    for step = 1, random(50, 400) do
        if not view:running() then break end
        view:image("i", s, {colormap = "magma"})
        view:image("colors", colors)
        view:plot("p", step)
        view:text("t", step)
        for _ in view:events() do slider.value = random() end
        if step % 10 == 0 then view._state.server:counts() end
        rounds = rounds + 1
    end
    if random(2) == 1 then announce(nil) end
end

local function message()
    local kind = random(9)
    if kind == 1 then return "set", "s", random() end
    if kind == 2 then return "size", "i", random(1, 200), random(1, 200) end
    if kind == 3 then return "pointer", "i", "drag", random(1, 64), random(1, 64), 1 end
    if kind == 4 then return "view", "i", random(1, 30), random(1, 30), random(4, 30), random(4, 30) end
    if kind == 5 then return "key", "i", "a", "press" end
    if kind == 6 then return "set", "b", "press" end
    if kind == 7 then return "steer", "take" end
    return random(20) == 1 and "invalid" or "probe", "i", random(1, 64), random(1, 64)
end

local function browse()
    local url = address()
    local found, client = pcall(browser.open, {url = url or "http://127.0.0.1:1/?key=0"})
    if not found or not client then
        os.execute "sleep 0.02"
        return
    end
    for _ = 1, random(1, 60) do
        if not client:send(message()) then break end
        local header, reason = client:next(random(0, 1) * 0.01)
        if not header and reason ~= "timeout" then break end
        rounds = rounds + 1
    end
    client:close()
end

local rill = number <= SCRIPTS and require "rill"
repeat
    if rill then show(rill) else browse() end
until os.time() >= stop
if rill then announce(nil) end
return rounds
