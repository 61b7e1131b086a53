-- Runs random cases for a time: campaign.lua [GENERATOR ...]. SECONDS (default: 60) is the time, SEED the first seed
-- (default: from the clock), CASES lists generators in place of arguments. Every batch runs in a separate process,
-- so that a crash or a hang is also a finding. A failing case is reduced, printed, and saved under $RILL_BUILD/fuzz
-- as a script that runs alone.
local child = require "spec.support.child"
local draw = require "fuzz.support.draw"
local script = require "fuzz.support.script"
local shrink = require "fuzz.support.shrink"

local all = {"bodies", "programs", "texts", "exact", "derivatives", "gradients", "expressions", "primitives", "keys",
    "damage", "abuse", "limits", "neighbors", "frames", "clouds", "matrices",
    "decompositions", "signals"}
local lua = os.getenv "RILL_LUA" or "lua5.4"
local build = os.getenv "RILL_BUILD" or "build"
local seconds = tonumber(os.getenv "SECONDS") or 60
local folder = build .. "/fuzz"

local function number(name)
    local text = os.getenv(name)
    if text and text ~= "" then
        return assert(math.tointeger(tonumber(text)), "fuzz: " .. name .. " is not a whole number")
    end
end

local seed = number "SEED" or os.time() * 1000 + (os.clock() * 1e6 // 1 | 0) % 1000

local function chosen()
    local list = {}
    for name in ((os.getenv "CASES" or "") .. " " .. table.concat(arg, " ")):gmatch "%w+" do
        list[#list + 1] = name
    end
    return #list > 0 and list or all
end

local function without(list, name)
    local kept = {}
    for _, item in ipairs(list) do
        kept[#kept + 1] = item ~= name and item or nil
    end
    return kept
end

-- ---- processes

local function environment(family)
    return family and "env RILL_FAMILY=" .. family .. " RILL_ASYNC=1 " or ""
end

-- Returns how a command ended, or nil if it succeeded.
local function ending(limit, command)
    local ended, status = child.run(limit, command)
    return ended or status ~= 0 and "exit status " .. status or nil
end

local function worker(limit, family, ...)
    local log = os.tmpname()
    local ended = ending(limit, ("%s%s fuzz/worker.lua %s %s 2>%s.err </dev/null"):format(environment(family), lua,
        table.concat({...}, " "), log, log))
    return ended, child.take(log), table.concat(child.take(log .. ".err"), "\n")
end

-- Runs a script alone. Returns nil, or how it failed.
local function alone(text, family, limit)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local ended = ending(limit, ("%s%s %s >/dev/null 2>%s.err </dev/null"):format(environment(family), lua, path, path))
    local complaint = table.concat(child.take(path .. ".err"), "\n")
    os.remove(path)
    if ended and ended:find "^exit" then
        return complaint:gsub("^[^:\n]*: ", ""):gsub("\nstack traceback.*", "")
    end
    return ended
end

-- ---- findings

local findings, counts = {}, {}

-- Counts an event of a case: good, left, fail.
local function count(family, event)
    family = family or os.getenv "RILL_FAMILY" or "default"
    counts[family] = counts[family] or {good = 0, left = 0, fail = 0}
    counts[family][event] = counts[family][event] + 1
end

-- Returns the pattern of a message. Two failures with one pattern count as one defect.
local function shape(message)
    return (message:gsub("^[^:\n]*:%d+: ", ""):gsub("[%-%d.e+]+", "#"):gsub("0x%x+", "#"):sub(1, 48))
end

local function save(text)
    os.execute(("mkdir -p '%s'"):format(folder))
    local path = ("%s/%d-%d.lua"):format(folder, seed, #findings + 1)
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    return path
end

local function report(name, family, message, body, note)
    local comment = ("%s%s\n%s%s"):format(name, family and ", RILL_FAMILY=" .. family .. " RILL_ASYNC=1" or "",
        message, note or "")
    local path = save(script.alone(script.whole(body), comment))
    table.insert(findings, path)
    print(("\n---- finding %d: %s\n%s\n----\n"):format(#findings, comment, body))
    print("run it: " .. environment(family) .. lua .. " " .. path .. "\n")
    io.flush()
end

local function text_of(generator, choices)
    local good, texts = pcall(generator.scripts, {draw.replay(choices)})
    return good and texts[1] or nil
end

-- Handles a failing case: runs it alone, then reduces it.
local function examine(name, family, case_seed, message, deadline)
    local generator = require("fuzz.case." .. name)
    local d = draw.random(case_seed)
    local body = generator.scripts({d})[1]
    local failure = alone(script.alone(script.whole(body), ""), family, 60)
    if not failure then
        if message ~= "hang" then
            report(name, family, message, body, "\n(not when it runs alone: a batch from seed " .. case_seed .. ")")
        else
            print(("slow: %s, seed %d: took long in its batch, passes alone"):format(name, case_seed))
        end
        return
    end
    local wanted = shape(failure)
    local best = shrink.choices(d.choices, function(choices)
        local text = text_of(generator, choices)
        local failed = text and alone(script.alone(script.whole(text), ""), family, 20)
        return failed and shape(failed) == wanted
    end, deadline)
    local text = text_of(generator, best)
    report(name, family, alone(script.alone(script.whole(text), ""), family, 20) or failure, text)
end

local seen = {}

local function found(name, family, case_seed, message, finish)
    local key = name .. shape(message)
    seen[key] = (seen[key] or 0) + 1
    if seen[key] <= 2 then
        examine(name, family, case_seed, message, math.max(finish, os.time()) + 60)
    end
end

-- ---- batches

local function batch(name, family, batch_seed, size, most, finish)
    local ended, lines, complaint = worker(120 + 10 * size, family, name, batch_seed, size, most,
        tostring(draw.divides))
    local current, finished
    for _, line in ipairs(lines) do
        local event, index, rest = line:match "^(%l+) ?(%d*) ?(.*)$"
        index = tonumber(index)
        if event == "start" then
            current = index
        elseif event == "end" then
            finished = true
        elseif event == "good" or event == "left" or event == "fail" then
            current = nil
            count(family, event)
        end
        if event == "fail" then
            found(name, family, batch_seed + index, (rest:gsub("\\n", "\n")), finish)
        end
    end
    if current then
        count(family, "fail")
        found(name, family, batch_seed + current, ended or "ended early", finish)
        return
    elseif not finished or ended then
        count(family, "fail")
        local when = finished and "at exit" or #lines == 0 and "at start" or "while cases were made"
        table.insert(findings, "batch")
        print(("\n---- finding %d: %s, batch of %d from seed %d: %s %s\n%s"):format(#findings, name, size, batch_seed,
            ended or "ended early", when, complaint))
        if #findings >= 5 then
            os.exit(false)
        end
    end
end

local function main()
    local generators = chosen()
    local _, lines, complaint = worker(120, nil, "-", "-", "-", "-", "-")
    local arrays, most, device = (lines[1] or ""):match "^lanes (%l+) most (%d+) (.*)$"
    if not most then
        print("fuzz: no device:\n" .. complaint)
        os.exit(false)
    end
    draw.most = tonumber(most)
    draw.divides = not worker(120, nil, "/", "-", "-", "-", "-")
    print(("fuzz: SEED=%d, %d seconds, %s, at most %s elements: %s"):format(seed, seconds, device, most,
        table.concat(generators, " ")))
    if arrays == "alike" then
        for _, name in ipairs {"bodies", "primitives", "limits"} do
            generators = without(generators, name)
        end
        print "fuzz: without bodies, primitives and limits: private arrays of this driver are incorrect"
    end
    if not draw.divides then
        print "fuzz: without // and % of integers: this driver also divides in invocations without an element (SIGFPE)"
    end
    local base = (seed * 6364136223846793005) >> 16 -- consecutive seeds have no case in common
    local finish, round = os.time() + (#generators > 0 and seconds or 0), 0
    while os.time() < finish do
        local name = generators[round % #generators + 1]
        local family = round // #generators % 2 == 1 and "gpu" or nil
        local size = require("fuzz.case." .. name).batch
        batch(name, family, base + round * 1000, size, most, finish)
        round = round + 1
    end
    print(("fuzz: SEED=%d: %d batches, %d findings"):format(seed, round, #findings))
    local good = 0
    for family, of in pairs(counts) do
        good = good + of.good
        print(("fuzz: family %s: %d cases: %d good, %d left out, %d failed"):format(family, of.good + of.left + of.fail,
            of.good, of.left, of.fail))
    end
    for _, path in ipairs(findings) do
        print("  " .. path)
    end
    os.exit(#findings == 0 and good > 0)
end

main()
