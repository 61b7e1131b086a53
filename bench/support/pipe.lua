-- Peers in separate processes, with a protocol of lines, so that rill and a peer written in another language take turns in one run. The other end is
-- bench/peer/peer_server.py, peer_tbb.cpp or peer_rill.lua:
--     give NAME TYPE SHAPE PATH    ok            data in a file, SHAPE like 16x4
--     time CASE                    SECONDS       runs the case once
--     save CASE PATH               TYPE SHAPE    runs it and writes its result
-- A reply may be "error: ..." instead. At its start a peer prints "ready WHAT", or prints "missing WHAT" and exits.
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

-- Starts a command and waits for its first word. Returns nil and a reason if the peer is not ready.
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

--- Returns a peer that is a script of bench/peer/, with its argument, run by the first Python that has the required modules; nil and a reason if there is none.
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

--- Returns a peer that is a program built for the benchmarks; nil and a reason if it could not be built.
function pipe.program(name, package)
    local path = support.built(name)
    local file = io.open(path)
    if not file then return nil, "not built: apt-get install " .. package end
    file:close()
    return start("'" .. path .. "'")
end

--- Returns a peer that is rill in a separate process, which runs the cases of a module. `environment`: "NAME=value ..." or "".
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

--- p:give(name, s): sends a copy of a stream to the peer, under a name.
function Peer:give(name, s)
    local path = self.directory .. "/data"
    local file = assert(io.open(path, "wb"))
    assert(file:write(s:bytes()))
    file:close()
    self:ask("give %s %s %s %s", name, s.type, tostring(s.shape), path)
    os.remove(path)
end

--- p:result(case): returns the peer's result of a case as a stream.
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

--- p:contender(case): returns a function for support.race that runs a case once and returns the seconds the peer took.
function Peer:contender(case)
    return function()
        return assert(tonumber(self:ask("time %s", case)))
    end
end

--- p:close(): ends the peer.
function Peer:close()
    self.commands:close()
    self.replies:close()
    os.execute(("rm -rf '%s' '%s'"):format(self.directory, self.directory:gsub("%.peer$", "")))
end
Peer.__close = Peer.close

-- Fails unless two streams agree, bit for bit, or up to `tolerance` times the largest value.
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

-- Returns the result of a case as a stream.
local function as_stream(value)
    return type(value) == "number" and rill.from {value} or value
end

--- pipe.rows(peer, name, cases): returns one row for each of `cases`: {title, peer's case, goal for the ratio, run}. `run` is rill's side, a function that returns a
--- stream or a number. `tolerance`: how far results may differ, relative to the largest value (default: not at all); `as`: a function that converts rill's result
--- to the form of the peer's; `rounds`; `warm`: seconds for which both sides run first; `note`: a function whose text is appended to the ratio; `least`: the least
--- times count, not the medians. Results are compared before timing.
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
            local theirs_timed = peer:contender(theirs)
            if case.warm then
                support.warm(theirs_timed, case.warm)
                support.warm(ours, case.warm)
            end
            local function once() return support.timed(ours, 1) end
            local times <const> = case.least and support.least(case.rounds or 7, once, theirs_timed)
                or {support.race(case.rounds or 7, once, theirs_timed)}
            local row = support.faster(title, times[1], name, times[2], goal)
            row.result = row.result .. (case.note and case.note() or "")
            rows[#rows + 1] = row
        else
            rows[#rows + 1] = support.note(title, tostring(message))
        end
    end
    return rows
end

return pipe
