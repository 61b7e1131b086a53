--- rill.live: a view of a running script in a browser.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local json = require "rill.live.json"
local view = require "rill.live.view"
local fail <const> = errors.fail

local PORT <const>, CLIENTS <const>, FPS <const>, MOST <const> = 8377, 16, 30, 250

local function is_size(v)
    return option.is_list(v) and #v == 2 and math.type(v[1]) == "integer" and math.type(v[2]) == "integer" and
        math.min(v[1], v[2]) >= 16 and math.max(v[1], v[2]) <= 8192
end

local function whole(low, high, default)
    return {function(v) return math.type(v) == "integer" and v >= low and v <= high end,
        ("a whole number from %d to %d"):format(low, high), default}
end

local OPTIONS <const> = {
    title = {function(v) return type(v) == "string" and #v <= 200 end, "a text of at most 200 bytes", "rill"},
    port = whole(0, 65535, PORT),
    listen = {function(v) return type(v) == "string" and #v < 64 end, 'an IP address, as "0.0.0.0"', "127.0.0.1"},
    size = {is_size, "{width, height} in pixels, whole numbers from 16 to 8192", {960, 720}},
    steer = option.words({first = true, all = true}, "first"),
    clients = whole(1, 64, CLIENTS),
    fps = {function(v) return option.is_positive(v) and v <= 1000 end, "frames per second, above 0 and at most 1000",
        FPS},
    record = {function(v) return type(v) == "string" and #v > 0 end, "a path"},
    quiet = option.default(option.flag, false),
}

local place <const> = debug.getinfo(1, "S").source:match "^@(.*)init%.lua$" or ""

-- Returns the text of a file of the page.
local function page(name)
    local file <close> = io.open(place .. "page/" .. name, "rb") or
        fail("rill.live: cannot read '%spage/%s': install rill again", place, name)
    return file:read "a"
end

-- Returns the files of the page: the stylesheet and the scripts that index.html names.
local function page_files(key)
    local index = page "index.html"
    local files = {{path = "/", type = "text/html; charset=utf-8", body = (index:gsub("%$key", key))}}
    for name, ending in index:gmatch '"([%w_]+%.(%l+))%?key=%$key"' do
        files[#files + 1] = {path = "/" .. name, body = page(name),
            type = ending == "css" and "text/css; charset=utf-8" or "text/javascript; charset=utf-8"}
    end
    return files
end

-- Returns rill.live.core. Raises if it was not built.
local function load_core()
    local found, core = pcall(require, "rill.live.core")
    if not found then
        fail("rill.live: the web server is missing: install Debian's package libwebsockets-dev and build rill again "
            .. "(%s)", tostring(core):match "^[^\n]*")
    end
    return core
end

-- A server on ranks of rill.mpi after the first: nobody connects.
local silent <const> = {clients = function() return 0 end, untaken = function() return 0 end,
    interrupted = function() return false end}
for _, name in ipairs {"put", "image", "control", "remove", "close", "next", "wait"} do
    silent[name] = function() end
end

local function serve(taken, key)
    local core = load_core()
    local server, reason = core.open {
        listen = taken.listen, port = taken.port, clients = taken.clients, key = key, steer_all = taken.steer == "all",
        hello = ('"title":%s,"size":[%d,%d]'):format(json.text(taken.title), taken.size[1], taken.size[2]),
        files = page_files(key),
    }
    return server or fail("rill.live: %s", reason)
end

-- Returns the address for browsers of this machine.
local function address(taken, port, key)
    local host = taken.listen
    if host == "0.0.0.0" or host == "::" then
        host = "127.0.0.1"
    end
    return ("http://%s:%d/?key=%s"):format(host:find(":", 1, true) and "[" .. host .. "]" or host, port, key)
end

local function announce(taken, url, port)
    if taken.listen ~= "::1" and not taken.listen:find "^127%." then
        local who = (taken.listen == "0.0.0.0" or taken.listen == "::") and "every machine that reaches this one"
            or "every machine that reaches " .. taken.listen
        io.stderr:write(("rill.live: %s can connect to port %d if it has the key. The connection is not encrypted\n")
            :format(who, port))
    end
    if not taken.quiet then
        io.stdout:write(url, "\n")
        io.stdout:flush()
    end
end

--- rill.live([{title =, port = 8377, listen = "127.0.0.1", size = {960, 720}, steer = "first", fps = 30, clients = 16,
-- record =, quiet = false}]) opens a view of this script, prints its address and returns it. A browser shows what the
-- script passes to the methods of the view. `port`: if it is in use, the next free one; 0: any. `listen`: the IP
-- address at which browsers can connect; "0.0.0.0" is all of this machine. `size`: {width, height} of an image in
-- pixels until a browser tells the size of its panel. `steer`: "first": only the browser that connected first has
-- controls; "all": all browsers. `fps`: the largest number of versions of a panel per second. `clients`: the largest
-- number of browsers. `record`: the path of a recording that a browser starts. Default: live-1.png, live-2.png ...
-- `quiet`: do not print the address. Raises if libwebsockets was missing when rill was built.
-- At the prompt, rill.live() without options also shows the results of statements and the globals.
local function live(options)
    local taken = option.take("rill.live", options, OPTIONS)
    local mpi <const> = package.loaded["rill.mpi"]
    if mpi and mpi.rank > 1 then
        return view.create {server = silent, url = "", interval = 1 / taken.fps, most = MOST, size = {taken.size[2],
            taken.size[1]}}
    end
    local core = load_core()
    local key = core.key()
    local server = serve(taken, key)
    local url = address(taken, server:port(), key)
    announce(taken, url, server:port())
    local object = view.create {
        server = server, url = url, interval = 1 / taken.fps, jpeg = core.jpeg, most = MOST, record = taken.record,
        size = {taken.size[2], taken.size[1]},
    }
    local prompt <const> = package.loaded["rill.shell.repl"]
    if options == nil and prompt and prompt.is_running() then
        require "rill.live.watch".prompt(object)
    end
    return object
end

return errors.guard(live)
