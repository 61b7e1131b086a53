-- Peers in processes of their own, spoken to in lines: so that rill and a peer written in another language take turns in one
-- run. The other end is bench/peer/peer_server.py, peer_tbb.cpp or peer_rill.lua:
--     give NAME TYPE SHAPE PATH    ok            data in a file, SHAPE like 16x4
--     time CASE                    SECONDS       runs the case once
--     save CASE PATH               TYPE SHAPE    runs it and writes its result
-- A reply may be "error: ..." instead. Before anything is asked, a peer says "ready WHAT", or "missing WHAT" and ends.
local rill = require "rill"
local support = require "bench.support"

local pipe = {}

local Peer = {}
Peer.__index = Peer

local function first_line(path)
    local file = io.open(path)
    local lines = {}
    for line in file and file:lines() or function() end do lines[#lines + 1] = line end
    if file then file:close() end
    return lines[#lines]
end

-- Starts a command and waits for its first word. nil and why not, if it is not ready.
local function start(command)
    local directory = os.tmpname() .. ".peer"
    assert(os.execute(("mkdir '%s' && mkfifo '%s/replies'"):format(directory, directory)))
    local peer = setmetatable({directory = directory}, Peer)
    peer.commands = assert(io.popen(("%s >'%s/replies' 2>'%s/errors'"):format(command, directory, directory), "w"))
    peer.replies = assert(io.open(directory .. "/replies"))
    local greeting = peer.replies:read "l" or first_line(directory .. "/errors") or "it ended without a word"
    peer.what = greeting:match "^ready (.*)$"
    if peer.what then return peer end
    peer:close()
    return nil, greeting:match "^missing (.*)$" or greeting
end

--- A peer: a script of bench/peer/, with its argument, run by the first Python that has what it needs. nil and why not, if there
--- is none.
function pipe.python(script, argument)
    local missing
    for _, python in ipairs {os.getenv "RILL_PYTHON" or "python3", "/usr/bin/python3"} do
        local command = "PYTHONDONTWRITEBYTECODE=1 '%s' '%s/peer/%s' '%s'"
        local peer, why = start(command:format(python, support.folder, script, argument or ""))
        if peer then return peer end
        missing = why
    end
    return nil, missing
end

--- A peer: a program built for the benches. nil and why not, if it could not be built.
function pipe.program(name, package)
    local path = support.built(name)
    local file = io.open(path)
    if not file then return nil, "not built: apt-get install " .. package end
    file:close()
    return start("'" .. path .. "'")
end

--- A peer: rill in a process of its own, which runs the cases of a module. `environment`: "NAME=value ..." or "".
function pipe.rill(environment, module)
    return start(support.command(environment, support.folder .. "/peer/peer_rill.lua", module))
end

--- p:ask(format, ...): sends a line and returns the reply.
function Peer:ask(format, ...)
    self.commands:write(format:format(...), "\n")
    self.commands:flush()
    local reply = self.replies:read "l"
    if not reply then error("the peer ended: " .. (first_line(self.directory .. "/errors") or "without a word"), 2) end
    if reply:find "^error: " then error("the peer: " .. reply, 2) end
    return reply
end

--- p:give(name, s): the peer has a copy of a stream, under a name.
function Peer:give(name, s)
    local path = self.directory .. "/data"
    local file = assert(io.open(path, "wb"))
    assert(file:write(s:bytes()))
    file:close()
    self:ask("give %s %s %s %s", name, s.type, tostring(s.shape), path)
    os.remove(path)
end

--- p:result(case): what the peer makes of a case, as a stream.
function Peer:result(case)
    local path = self.directory .. "/data"
    local type, shape = self:ask("save %s %s", case, path):match "^(%S+) (%S+)$"
    local sizes = {}
    for size in shape:gmatch "%d+" do sizes[#sizes + 1] = math.tointeger(size) end
    local file = assert(io.open(path, "rb"))
    local s = rill.stream(type, sizes, file:read "a")
    file:close()
    os.remove(path)
    return s
end

--- p:contender(case): for support.race: runs a case once and gives the seconds the peer took.
function Peer:contender(case)
    return function()
        return assert(tonumber(self:ask("time %s", case)))
    end
end

--- p:close(): the peer ends.
function Peer:close()
    self.commands:close()
    self.replies:close()
    os.execute(("rm -rf '%s' '%s'"):format(self.directory, self.directory:gsub("%.peer$", "")))
end
Peer.__close = Peer.close

-- Fails unless two streams agree: to the bit, or where a tolerance is given to that share of the largest value.
local function verify(case, ours, theirs, tolerance)
    if tostring(ours.shape) ~= tostring(theirs.shape) then
        error(("%s: shapes %s and %s"):format(case, ours.shape, theirs.shape), 0)
    elseif not tolerance then
        if ours:bytes() ~= theirs:bytes() then error(case .. ": the peer's result differs", 0) end
    else
        local far = rill.kernel "kernel void far(float a<>, float b<>, out float r<>) { r = abs(a - b); }"
        local apart <close> = far(ours, theirs)
        local sizes <close> = theirs:map "abs(x)"
        if apart:max() > tolerance * sizes:max() then
            error(("%s: the peer's result is off by %g of %g"):format(case, apart:max(), sizes:max()), 0)
        end
    end
end

-- What a case gives as a stream.
local function as_stream(value)
    return type(value) == "number" and rill.from {value} or value
end

--- pipe.rows(peer, name, cases): one row for each of `cases`: {title, peer's case, ratio aimed at, run}, `run` being rill's
--- side, a function that returns a stream or a number; `tolerance`: how far the results may differ, as a share of the largest
--- (nothing: not a bit); `as`, a function that makes of rill's result what the peer gives; `rounds`. Results are compared first.
function pipe.rows(peer, name, cases)
    local rows = {}
    for _, case in ipairs(cases) do
        local title, theirs, goal, run = case[1], case[2], case[3], case[4]
        local function ours()
            local value = run()
            if rill.type(value) == "stream" and value ~= case.keep then value:close() end
        end
        local good, message = pcall(function()
            local expected <close> = peer:result(theirs)
            verify(title, (case.as or as_stream)(run()), expected, case.tolerance)
        end)
        if good then
            local mine, other = support.race(case.rounds or 7, function() return support.timed(ours, 1) end,
                peer:contender(theirs))
            rows[#rows + 1] = support.faster(title, mine, name, other, goal)
        else
            rows[#rows + 1] = support.note(title, tostring(message))
        end
    end
    return rows
end

return pipe
