-- rill.steps: loops whose gradient keeps few states and computes the others again (A. Griewank and A. Walther,
-- "Algorithm 799: revolve", ACM TOMS 26, 2000).
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local places = require "rill.grad.places"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local tape = require "rill.grad.tape"
local types = require "rill.core.types"
local fail <const> = errors.fail

local steps = {}

-- ---- states

-- Calls f(stream) for the streams of a state, in a fixed order, and returns the state with the results.
local function mapped(state, f)
    local kind <const> = rill.type(state)
    if kind == "stream" or kind == "expression" then
        return f(state)
    elseif kind == "container" and recorder.on then
        fail("rill.steps: a container in the state has no gradient: use c:stream()")
    elseif type(state) ~= "table" or kind or getmetatable(state) then
        return state
    end
    local made, keys = {}, {}
    for key in pairs(state) do
        keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b)
        return type(a) == type(b) and a < b or type(a) ~= type(b) and type(a) == "number"
    end)
    for _, key in ipairs(keys) do
        made[key] = mapped(state[key], f)
    end
    return made
end

local function copied(state)
    return mapped(state, function(s) return s:eval():copy() end)
end

-- Returns a state whose expressions are replaced by streams.
local function evaluated(state)
    return mapped(state, places.stream)
end

local function streams_of(state)
    local list = {}
    mapped(state, function(s)
        list[#list + 1] = s
        return s
    end)
    return list
end

-- ---- the schedule

-- Returns the largest number of steps whose gradient needs at most `repeats` computations of each step with `count`
-- states: the binomial coefficient of count + repeats and count.
local function reach(count, repeats)
    local product = 1
    for k = 1, repeats do
        product = product * (count + k) // k
    end
    return product
end

-- Returns the number of steps from a kept state to the next state to be kept, in a range of n steps.
local function distance(n, count)
    local repeats = 1
    while reach(count, repeats) < n do
        repeats = repeats + 1
    end
    return math.max(1, repeats > 1 and reach(count, repeats - 2) or 0, n - reach(count - 1, repeats))
end

-- ---- the loop

local function run(loop, state, first, last)
    for i = first, last do
        loop.watch.step = i
        state = evaluated(loop.f(state, i))
    end
    return state
end

-- Runs the loop, and keeps the states of the schedule: a list of {step, state}.
local function forward(loop, state)
    local kept, at, count = {}, 1, loop.checkpoints
    while at <= loop.n do
        kept[#kept + 1] = {step = at, state = state}
        local ahead <const> = count > 1 and loop.n - at + 1 > 1 and distance(loop.n - at + 1, count) or loop.n - at + 1
        state = run(loop, copied(state), at, at + ahead - 1)
        at, count = at + ahead, count - 1
    end
    return state, kept
end

-- Pulls the adjoints of the streams of a state over one step. `store`: the adjoints of the pass, also of the streams
-- that the function uses.
local function pull_step(loop, state, i, adjoints, store)
    state = copied(state)
    local serials = table.move(loop.serials, 1, #loop.serials, 1, {})
    local own <const> = streams_of(state)
    for _, s in ipairs(own) do
        serials[#serials + 1] = core._serial(s)
    end
    local before = {}
    for k, s in ipairs(own) do
        before[k] = types.is_real(s.type) and places.of(s)
    end
    local recording, result = tape.run(loop.names, serials, function()
        return evaluated(loop.f(state, i))
    end)
    for k, s in ipairs(streams_of(result)) do
        if adjoints[k] and types.is_real(s.type) then
            places.add(store, places.of(s), adjoints[k])
        end
    end
    tape.reverse(recording, store, true)
    for k, place in ipairs(before) do
        local g = place and places.take(store, place)
        adjoints[k] = g and places.stream(g) or false
    end
    return adjoints
end

-- Pulls the adjoints over the steps first .. last. `count`: the number of states that may be kept, with `state`.
local function pull_range(loop, state, first, last, count, adjoints, store)
    while last > first do
        local ahead <const> = count > 1 and distance(last - first + 1, count) or last - first
        local middle <const> = run(loop, copied(state), first, first + ahead - 1)
        if count > 1 then
            adjoints = pull_range(loop, middle, first + ahead, last, count - 1, adjoints, store)
            last = first + ahead - 1
        else
            adjoints = pull_step(loop, middle, last, adjoints, store)
            last = last - 1
        end
    end
    return pull_step(loop, state, first, adjoints, store)
end

-- Pulls the adjoints over all steps.
local function pull(loop, kept, adjoints, store)
    local last, count = loop.n, loop.checkpoints
    for k = #kept, 1, -1 do
        adjoints = pull_range(loop, kept[k].state, kept[k].step, last, count - k + 1, adjoints, store)
        last = kept[k].step - 1
        kept[k] = nil
    end
    return adjoints
end

-- Returns the number of steps that pull_range computes for n steps.
local function computed(n, count)
    local total = 1
    while n > 1 do
        local ahead <const> = count > 1 and distance(n, count) or n - 1
        total = total + ahead + (count > 1 and computed(n - ahead, count - 1) or 1)
        n = count > 1 and ahead or n - 1
    end
    return total
end

local function bytes_of(state)
    local bytes = 0
    for _, s in ipairs(streams_of(state)) do
        bytes = bytes + s.nbytes
    end
    return bytes
end

-- Sets what rill.grad(f, {explain = true}) shows of the loop: the bytes of the states that are kept and of those that
-- are computed again.
local function describe(entry, loop, kept)
    local last, steps_again = loop.n, 0
    entry.states = 0
    for k = #kept, 1, -1 do
        steps_again = steps_again + computed(last - kept[k].step + 1, loop.checkpoints - k + 1)
        last = kept[k].step - 1
        entry.states = entry.states + (k > 1 and bytes_of(kept[k].state) or 0)
    end
    entry.again = steps_again * bytes_of(kept[1].state)
end

-- Runs and records the loop.
local function recorded(loop, state)
    local inputs <const> = streams_of(state)
    loop.serials = tape.serials()
    local entry <const> = tape.begin("rill.steps", inputs, inputs)
    -- The tape keeps no inputs if only streams that f uses depend on the arguments of the function.
    local initial <const> = entry.all == 0 and copied(state)
    local final, kept
    tape.discard(loop.watch, function()
        final, kept = forward(loop, state)
    end)
    describe(entry, loop, kept)
    table.remove(kept, 1) -- the initial state is kept by the entry
    tape.complete(entry, streams_of(final), nil, function(values, adjoints, store, recording, once)
        local at = 0
        local first = initial or mapped(state, function()
            at = at + 1
            return values[at]
        end)
        loop.names = recording.names
        tape.check_reads(loop.watch)
        local all = {{step = 1, state = first}}
        if once and #kept > 0 and not recorder.on then
            table.move(kept, 1, #kept, 2, all)
            kept = {} -- they are released when they have been used
        elseif not recorder.on then -- states that are kept do not depend on the arguments of an outer function
            table.move(kept, 1, #kept, 2, all)
        end
        return pull(loop, all, adjoints, store)
    end)
    return final
end

local OPTIONS <const> = {
    checkpoints = {function(v) return math.type(v) == "integer" and v > 0 end, "a whole number from 1"},
}

--- rill.steps(n, state, f [, {checkpoints =}]) returns the state after n steps: state = f(state, i) for i = 1 .. n. A
-- state is a stream, or a table of streams, other values and tables of them. In a function that is differentiated only
-- `checkpoints` states are kept, and the steps are computed again for the gradient. Default: the square root of 2 n,
-- rounded up, with which each step is computed three times at most. f must compute the new state from the state, i,
-- and streams that it does not change.
function steps.steps(n, state, f, options, ...)
    errors.none("rill.steps", 5, 4, (...))
    n = tables.whole(n)
    if math.type(n) ~= "integer" or n < 0 then
        fail("rill.steps: argument #1 'n': expected a whole number from 0, got %s", errors.told(n))
    end
    if type(f) ~= "function" then
        fail("rill.steps: argument #3 'f': expected a function, got %s", errors.told(f))
    end
    local o <const> = option.take("rill.steps", options, OPTIONS)
    if not recorder.on or tape.discards() or n == 0 then
        for i = 1, n do
            state = evaluated(f(state, i))
        end
        return state
    end
    local loop = {n = n, f = f, checkpoints = o.checkpoints or math.ceil(math.sqrt(2 * n)), watch = {}}
    return recorded(loop, evaluated(state))
end

steps.steps = errors.guard(steps.steps, "rill.steps")

return steps
