-- Timing for the benchmarks: contenders run in turn, round after round, and the median of each is kept, so that disturbances of the machine affect all of
-- them alike. Results are printed, never asserted.
local rill = require "rill"

local support = {}

--- support.median(list): returns the median of a list of numbers, which is sorted in place.
function support.median(list)
    table.sort(list)
    local n = #list
    return n % 2 == 1 and list[n // 2 + 1] or (list[n // 2] + list[n // 2 + 1]) / 2
end

--- support.timed(run, runs): returns the seconds per call of `run` over `runs` calls. All work is finished before and after.
function support.timed(run, runs)
    rill.sync()
    local start = rill.clock()
    for _ = 1, runs do run() end
    rill.sync()
    return (rill.clock() - start) / runs
end

--- support.complex(s): returns a stream of pairs of floats as complex numbers; support.floats(s) does the reverse.
function support.complex(s)
    local shape = s.shape
    shape[#shape] = nil
    return rill.stream("vec2", shape, s:bytes())
end

function support.floats(s)
    local shape = s.shape
    shape[#shape + 1] = 2
    return rill.stream("float", shape, s:bytes())
end

--- support.warm(run, seconds): calls `run` for some seconds, so that a device reaches its clock.
function support.warm(run, seconds)
    local stop = rill.clock() + seconds
    repeat
        run()
        rill.sync()
    until rill.clock() >= stop
end

--- support.race(rounds, ...): runs contenders, functions that return the seconds they took, in turn: one round that is not counted, then `rounds`. Returns
--- the median of each, in order.
function support.race(rounds, ...)
    local contenders, times, medians = {...}, {}, {}
    for i, contender in ipairs(contenders) do
        contender()
        times[i] = {}
    end
    for round = 1, rounds do
        for i, contender in ipairs(contenders) do times[i][round] = contender() end
    end
    for i = 1, #contenders do medians[i] = support.median(times[i]) end
    return table.unpack(medians)
end

--- support.least(rounds, ...): as support.race, but returns a table of the least seconds of each, for a machine with other load.
function support.least(rounds, ...)
    local contenders, times = {...}, {}
    for _, contender in ipairs(contenders) do contender() end
    for _ = 1, rounds do
        for i, contender in ipairs(contenders) do times[i] = math.min(times[i] or math.huge, contender()) end
    end
    return times
end

--- support.best(choices, rounds, make): returns the choice whose contender, made by make(choice), is fastest.
function support.best(choices, rounds, make)
    local contenders = {}
    for i, choice in ipairs(choices) do contenders[i] = make(choice) end
    local medians = {support.race(rounds, table.unpack(contenders))}
    local best = 1
    for i = 2, #choices do
        if medians[i] < medians[best] then best = i end
    end
    return choices[best]
end

--- support.duration(seconds): returns a text such as "1.23 ms".
function support.duration(seconds)
    for _, unit in ipairs{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}} do
        if seconds >= unit[1] then return string.format("%.3g %s", seconds / unit[1], unit[2]) end
    end
    return string.format("%.0f ns", seconds * 1e9)
end

--- support.faster(case, rill_time, peer, peer_time [, goal]): returns a row with the speedup of rill over the peer, and the goal for it.
function support.faster(case, rill_time, peer, peer_time, goal)
    return {
        case = case, rill = rill_time, peer = peer, peer_time = peer_time,
        result = string.format("%.2f x", peer_time / rill_time),
        goal = goal and string.format(">= %.2f x", goal) or "",
    }
end

--- support.costs(case, rill_time, peer, peer_time, goal): returns a row with the ratio of rill's cost to the peer's, and its limit.
function support.costs(case, rill_time, peer, peer_time, goal)
    return {
        case = case, rill = rill_time, peer = peer, peer_time = peer_time,
        result = string.format("%.2f x its cost", rill_time / peer_time),
        goal = string.format("<= %.2f x", goal),
    }
end

--- support.above(case, rill_time, peer, peer_time, goal): returns a row with the difference between rill's and the peer's cost in seconds, and its limit.
function support.above(case, rill_time, peer, peer_time, goal)
    return {
        case = case, rill = rill_time, peer = peer, peer_time = peer_time,
        result = (rill_time < peer_time and "-" or "+") .. support.duration(math.abs(rill_time - peer_time)),
        goal = "<= +" .. support.duration(goal),
    }
end

--- support.note(case, text [, goal]): returns a row without a peer.
function support.note(case, text, goal)
    return {case = case, result = text, goal = goal or ""}
end

--- support.table(title, lines [, format]): returns a separate table: a title, and lines of cells, numbers or texts. `format` formats floats. Default: "%.3f".
function support.table(title, lines, format)
    local cells = {}
    for i, line in ipairs(lines) do
        cells[i] = {}
        for j, cell in ipairs(line) do
            cells[i][j] = math.type(cell) == "float" and (format or "%.3f"):format(cell) or tostring(cell)
        end
    end
    return {title = title, table = cells}
end

local function quoted(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

--- support.command(environment, script, ...): returns the shell command that runs the interpreter of this process on a script. `environment`: "NAME=value ..." or "".
function support.command(environment, script, ...)
    local first = 0
    while arg[first - 1] do first = first - 1 end
    local words = {}
    for _, word in ipairs{arg[first], script, ...} do words[#words + 1] = quoted(word) end
    return environment .. " " .. table.concat(words, " ")
end

--- The directory of the benchmarks; support.built(name) returns the path of a program that was built for them.
support.folder = arg[0]:match("^(.*)/[^/]*$") or "."
function support.built(name)
    local peer = assert(package.searchpath("peer", package.cpath), "the peers are not built: run `make bench`")
    return peer:match("^(.*)/[^/]*$") .. "/" .. name
end

return support
