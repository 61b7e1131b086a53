-- Runs one subject with injected faults: injected.lua SUBJECT KIND FIRST MOST LOG, with spec/support/inject.c
-- preloaded. Lets the n-th event of the kind fail, for at most about MOST values of n from FIRST on, until the
-- subject succeeds. Writes every n to LOG before it is tried. After each fault there must be an error that says what
-- failed, or the correct result; nothing may be leaked, and the device must work. If KIND is "once", the subject
-- runs once, and RILL_INJECT sets the fault.
local check = require "spec.support.check"
local says = require "fuzz.support.says"
local subjects = require "fuzz.support.subjects"

local name, kind, first, most, path = table.unpack(arg)
local library = os.getenv "RILL_INJECT_LIBRARY"
local inject = assert(package.loadlib(library, "rill_inject"))
local live = assert(package.loadlib(library, "rill_inject_live"))
local log = assert(io.open(path, "a"))
log:setvbuf "line"
local subject = subjects[name]

local function note(...)
    log:write(...)
    log:write "\n"
end

if kind == "once" then
    local good, message = pcall(function() subject(1)() end)
    inject("none", 0)
    note(good and "good" or "error " .. tostring(message):gsub("\n", "\\n"))
    os.exit(good or type(message) == "string" and not message:find "^wrong", true)
end

local rill = require "rill"
for salt = 0, 1 do
    subject(salt)()
end
subjects.usable()
check.collect()
local before, blocks = rill.memory(), live()

-- Empties the pool of freed buffers with an allocation beyond the limit, so that nothing is taken from it.
local function empty_pool()
    rill.memory_limit(1)
    pcall(rill.stream, "float", 1)
    rill.memory_limit(0)
end

-- Returns the number of events without faults.
local measured = subject(2)
empty_pool()
inject(kind, 0)
measured()
local _, expected = inject("none", 0)
check.collect()
local step = math.max(1, expected // tonumber(most))
note("step ", step)

-- Collects the messages without the parts that depend on n.
local function shape(message)
    return (message:gsub("\n.*", ""):gsub("%d+", "#"):sub(1, 90))
end

local messages = {}

-- Lets the n-th event fail. Returns whether an event failed, and the result.
local function attempt(n)
    local f = subject(n + 2)
    empty_pool()
    collectgarbage "stop"
    inject(kind, n)
    local good, message = pcall(f)
    local fired, events = inject("none", 0)
    collectgarbage "restart"
    if fired == 0 then
        note(good and "passed " or "finding without a fault: " .. tostring(message) .. " ", n, " ", events)
        return false
    end
    if not good then
        local text = type(message) == "string" and shape(message) or "no string: " .. type(message)
        messages[text] = (messages[text] or 0) + 1
        if not says(kind, tostring(message)) then
            note("finding ", n, " ", (tostring(message):gsub("\n", "\\n")))
        end
    end
    local works, why = pcall(subjects.usable)
    if not works then
        note("finding ", n, " unusable afterwards: ", tostring(why))
    end
    return true
end

local n, tried = math.tointeger(tonumber(first)), 0
while true do
    note("at ", n)
    if not attempt(n) then
        break
    end
    tried = tried + 1
    check.collect()
    local after = rill.memory()
    if after.streams ~= before.streams or after.bytes ~= before.bytes then
        note(("finding %d left: %d streams of %d bytes"):format(n, after.streams - before.streams,
            after.bytes - before.bytes))
        before = after
    end
    n = n + step
end
for text, count in pairs(messages) do
    note("message ", count, " ", text)
end
note("tried ", tried, " blocks ", live() - blocks)
os.exit(true, true)
