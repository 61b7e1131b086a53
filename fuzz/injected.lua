-- One subject while things fail below it: injected.lua SUBJECT KIND FIRST MOST LOG, with spec/support/inject.c preloaded. The n-th event of
-- the kind is made to fail, for n from FIRST on, at most about MOST of them, until the subject passes; every n is noted in LOG before it is tried. After
-- each: an error that says what failed or the right result, nothing left of it, and the device at work. KIND "once": the subject runs one time,
-- and what fails is told by RILL_INJECT.
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

-- Nothing is taken from the pool of freed buffers: an allocation past the limit empties it.
local function empty_pool()
    rill.memory_limit(1)
    pcall(rill.stream, "float", 1)
    rill.memory_limit(0)
end

-- How many events there are when nothing fails.
local measured = subject(2)
empty_pool()
inject(kind, 0)
measured()
local _, expected = inject("none", 0)
check.collect()
local step = math.max(1, expected // tonumber(most))
note("step ", step)

-- The messages without what differs from n to n.
local function shape(message)
    return (message:gsub("\n.*", ""):gsub("%d+", "#"):sub(1, 90))
end

local messages = {}

-- The n-th event fails: whether any did, and what came of it.
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
