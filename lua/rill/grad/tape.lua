-- The tape: what a function that is differentiated does with streams that depend on its arguments. An operation is
-- recorded as one entry: its inputs and outputs as places (places.lua), and a function `pull` from the adjoints of its
-- outputs to those of its inputs. Recordings are nested: each has its own entries.
--
-- Whether a stream depends on the arguments is a property of its memory: views need no entries, and an operation that
-- overwrites elements ends their adjoint. Streams of integers and bools have no derivative and are never tracked.
local core = require "rill.core"
local rill = require "rill.core.public"
local contributions = require "rill.grad.kernel.contributions"
local derivative = require "rill.grad.derivative"
local errors = require "rill.core.error"
local expression = require "rill.algebra.expression"
local places = require "rill.grad.places"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local LEAF <const> = require("rill.algebra.instructions").LEAF

local tape = {}

local tracked <const> = {} -- serial of a memory -> bits of the recordings in which it depends on arguments
local recordings <const> = {} -- the active ones; number n has bit n - 1
local rules <const> = {} -- name of an operation -> {run, writes}
local MOST_RECORDINGS <const> = 62

-- serial of a memory -> the newest box with a view of it. Boxes with views of the same memory are linked by `older`.
local needed <const> = setmetatable({}, {__mode = "v"})

core._record_tables(tracked, rules)

-- ---- what depends on arguments

local function bits_of_leaves(node)
    if node._op == LEAF then
        return tracked[core._serial(node._view) or 0] or 0
    end
    local bits = 0
    for _, key in ipairs {"_a", "_b", "_c", "_d"} do
        bits = bits | (node[key] and bits_of_leaves(node[key]) or 0)
    end
    return bits
end

-- Returns the bits of the recordings in which a value, its leaves, or the items of a table are tracked.
local function touches(value, depth)
    if type(value) == "userdata" then
        return tracked[core._serial(value) or 0] or 0
    elseif type(value) ~= "table" then
        return 0
    elseif expression.is(value) then
        return bits_of_leaves(value)
    elseif getmetatable(value) then
        local part = recorder.parts[rill.type(value)]
        return part and touches(part(value)) or 0
    elseif depth == 0 then
        return 0
    end
    local bits = 0
    for _, item in pairs(value) do
        bits = bits | touches(item, (depth or 2) - 1)
    end
    return bits
end

--- tape.depends(value) returns the bits of the recordings in which a stream or an expression depends on arguments.
local function depends(value)
    local kind <const> = rill.type(value)
    if kind ~= "stream" and kind ~= "expression" then
        return 0
    end
    local bits = touches(value)
    return bits ~= 0 and types.is_real(value.type) and bits or 0
end
tape.depends, tape.touches = depends, touches

-- ---- recordings

-- Calls f with recording switched off.
local function finish(before, done, ...)
    recorder.set(before)
    if not done then
        error((...), 0)
    end
    return ...
end

--- tape.suspended(f, ...) calls f without recording.
function tape.suspended(f, ...)
    return finish(recorder.set(false), pcall(errors.call, f, ...))
end

local function mark(serial, bits)
    local before = tracked[serial] or 0
    for n, recording in ipairs(recordings) do
        local bit = 1 << (n - 1)
        if bits & bit ~= 0 and before & bit == 0 then
            recording.serials[#recording.serials + 1] = serial
        end
    end
    tracked[serial] = before | bits
end

local function stop(recording)
    assert(table.remove(recordings) == recording)
    for _, serial in ipairs(recording.serials) do
        local rest = (tracked[serial] or 0) & ~recording.bit
        tracked[serial] = rest ~= 0 and rest or nil
    end
    recording.serials = nil
    recorder.set(recording.before)
end

local function stopped(recording, done, ...)
    stop(recording)
    if not done then
        recording.entries = {}
        error((...), 0)
    end
    return recording, ...
end

--- tape.run(names, serials, f, ...) calls f(...) and records what depends on memories with the given serials. `names`:
-- how messages name them. Returns the recording and the results of f.
function tape.run(names, serials, f, ...)
    local n <const> = #recordings + 1
    if n > MOST_RECORDINGS then
        fail("rill.grad: more than %d functions that are differentiated call each other", MOST_RECORDINGS)
    end
    local recording = {entries = {}, bit = 1 << (n - 1), names = names, serials = {}, before = recorder.set(true)}
    recordings[n] = recording
    for _, serial in ipairs(serials) do
        mark(serial, recording.bit)
    end
    local arguments <const> = table.pack(...)
    return stopped(recording, table.unpack(errors.whole("rill.grad", function()
        return f(table.unpack(arguments, 1, arguments.n))
    end)))
end

--- tape.names(bits) returns how messages name the arguments of recordings.
function tape.names(bits)
    local list = {}
    for n, recording in ipairs(recordings) do
        if bits & 1 << (n - 1) ~= 0 then
            list[#list + 1] = recording.names
        end
    end
    return table.concat(list, " or ")
end

--- tape.count() returns the number of active recordings, of tracked memories, and of memories that are needed.
function tape.count()
    local n, m = 0, 0
    for _ in pairs(tracked) do
        n = n + 1
    end
    for _ in pairs(needed) do
        m = m + 1
    end
    return #recordings, n, m
end

-- ---- loops whose operations are not kept

local discarding -- nil, or {step, base, wrote, reads}: the loop of rill.steps that runs

--- tape.discard(loop, f) calls f, whose operations are not kept, since rill.steps records them as a whole: only what
-- depends on the arguments is determined. loop.step: the number of the step that f computes. Raises if a step reads
-- memory that an earlier one wrote, and that is not part of the state.
function tape.discard(loop, f)
    loop.base, loop.wrote, loop.reads = core._serial(rill.stream("int", 1)), {}, {}
    discarding = loop
    local done, message = pcall(f)
    discarding = nil
    if not done then
        error(message, 0)
    end
end

--- tape.discards() returns whether a function is called by tape.discard.
function tape.discards()
    return discarding ~= nil
end

-- Keeps the version of a stream that a step of rill.steps reads, since the step is computed again.
local function keep_version(s)
    local place <const> = places.of(s)
    local key <const> = place.serial .. place.key
    if not discarding.reads[key] then
        local view, version = core._leaf(s)
        discarding.reads[key] = {view = view, version = version}
    end
end

-- Raises if a step of rill.steps reads memory that an earlier step wrote.
local function check_read(value)
    if expression.is(value) then
        for _, leaf in ipairs(derivative.leaves(value)) do
            check_read(leaf._view)
        end
        return
    elseif type(value) == "table" and not getmetatable(value) then
        for _, item in pairs(value) do
            check_read(item)
        end
        return
    end
    local serial <const> = core._serial(value)
    local step <const> = discarding.wrote[serial or 0]
    if step and step < discarding.step then
        fail("rill.steps: step %d reads a stream that step %d wrote, and that is not in the state: the function " ..
            "must return all that the next step needs", discarding.step, step)
    elseif discarding.step and not step and rill.type(value) == "stream" and serial and serial < discarding.base then
        keep_version(value)
    end
end

--- tape.check_reads(loop) raises if memory that the steps of a loop read was written since.
function tape.check_reads(loop)
    for _, read in pairs(loop.reads) do
        if core._written(read.view, read.version) then
            fail("rill.steps: a stream that its function reads was written after the loop, so that the steps cannot " ..
                "be computed again: let the function read a :copy()")
        end
    end
end

--- tape.reads(value) must be called for the streams that an operation reads.
function tape.reads(value)
    if discarding then
        check_read(value)
    end
end

--- tape.serials() returns the serials of the memories that depend on arguments.
function tape.serials()
    local list = {}
    for serial in pairs(tracked) do
        list[#list + 1] = serial
    end
    table.sort(list)
    return list
end

-- ---- boxes: streams that a pull reads

-- Returns a box with a stream. If its elements are overwritten by a recorded operation, they are copied first.
-- `since`: the version from which on they must not have been written. Default: the present one.
local function box_of(s, since)
    local view, version = contributions.view(s)
    version = since or version
    local serial = core._serial(view)
    local box = {stream = view, version = version, older = serial and needed[serial], serial = serial}
    if serial then
        needed[serial] = box
    end
    return box
end

-- Replaces the stream in a box by a copy.
local function copy_into(box)
    local copy = box.stream:copy()
    local modes <const> = core._boundary(box.stream)
    copy = modes and copy:boundary(table.unpack(modes)) or copy
    box.stream, box.version = core._leaf(copy)
    box.bytes = copy.nbytes
end

--- tape.preserve(s) copies the elements of a stream that entries need. Must be called before an operation writes them.
function tape.preserve(s)
    local serial = core._serial(s)
    if discarding and serial and serial < discarding.base then
        discarding.wrote[serial] = discarding.step
    end
    local box, newer = serial and needed[serial], nil
    while box do
        local older = box.older
        local moved = box.dead
        if not moved and core._written(box.stream, box.version) then
            box.stale, moved = true, true
        elseif not moved and core._overlap(box.stream, s) then
            copy_into(box)
            moved = true
        end
        if not moved then
            newer = box
        elseif newer then
            newer.older = older
        else
            needed[serial] = older
        end
        box = older
    end
end

local function content(box, name)
    if box.stale or core._written(box.stream, box.version) then
        fail("%s: a stream that its gradient reads was written after it, outside of the function that is " ..
            "differentiated: pass a :copy()", name)
    end
    return box.stream
end

-- ---- entries

-- Returns the outline of an expression and what is known of its leaves: new leaf -> {place, bits, box}.
local function expression_input(e)
    local _, read = derivative.survey(e, function(leaf) return touches(leaf._view) ~= 0 end)
    local outline, leaves = derivative.outline(e)
    local known = {}
    for _, leaf in ipairs(derivative.leaves(e)) do -- in this order streams are copied, and copies are recorded
        local node <const> = leaves[leaf]
        local bits = types.is_real(leaf._type) and touches(leaf._view) or 0
        known[node] = {
            bits = bits, place = bits ~= 0 and places.of(leaf._view),
            box = read[leaf] and box_of(leaf._view, leaf._version),
        }
    end
    return {outline = outline, leaves = known}
end

local function input_of(value)
    if rill.type(value) == "expression" then
        return expression_input(value)
    end
    return {place = places.of(value)}
end

-- Returns what a pull keeps of a value.
local function kept_of(value)
    local kind <const> = rill.type(value)
    if kind == "stream" then
        return box_of(value)
    elseif kind == "expression" then
        local outline, leaves = derivative.outline(value)
        local boxes = {}
        for _, leaf in ipairs(derivative.leaves(value)) do
            boxes[leaves[leaf]] = box_of(leaf._view, leaf._version)
        end
        return {outline = outline, boxes = boxes}
    end
    return {value = value}
end

local function kept_value(kept, name)
    if kept.stream then
        return content(kept, name)
    elseif kept.outline then
        local streams = {}
        for node, box in pairs(kept.boxes) do
            streams[node] = content(box, name)
        end
        return derivative.filled(kept.outline, streams)
    end
    return kept.value
end

--- tape.begin(name, inputs, keep) returns the entry of an operation that will run or has run. `inputs`: a list of
-- streams and expressions; false and other values have no adjoint. `keep`: a table of the values that the pull reads.
-- Must be called before the operation runs if it writes memory that exists.
function tape.begin(name, inputs, keep)
    local bits, each = 0, {}
    for i, value in ipairs(inputs) do
        each[i] = depends(value)
        bits = bits | each[i]
    end
    local entry = {name = name, all = bits, bits = each, inputs = {}, outputs = {}, kept = {}}
    if discarding then
        return entry
    end
    for i, value in ipairs(inputs) do
        entry.inputs[i] = each[i] ~= 0 and input_of(value) or false
    end
    for _, key in ipairs(tables.keys(bits ~= 0 and keep or {})) do
        entry.kept[key] = kept_of(keep[key])
    end
    return entry
end

--- tape.complete(entry, outputs, pull) records an operation that has run. `outputs`: the streams that it made or wrote.
-- pull(kept, g1, g2 ...) gets the values to keep, and for each output its adjoint, a stream or an expression of its
-- shape. It returns for each input its adjoint, or nil for zero: a stream, an expression or a number, which the tape
-- sums or repeats to the shape of the input. With `pass` instead of `pull`: pass(kept, list, store, recording, once)
-- gets the list of the adjoints (false for zero), those of all places, the recording, and whether it is called once;
-- it returns the list of the adjoints of the inputs.
function tape.complete(entry, outputs, pull, pass)
    local ends = entry.all -- recordings in which it overwrites memory that was tracked
    for _, s in ipairs(outputs) do
        ends = ends | touches(s)
    end
    entry.pull, entry.pass = pull, pass
    if ends ~= 0 and tape.watch then
        tape.watch(entry.name, outputs)
    end
    for i, s in ipairs(ends ~= 0 and outputs or {}) do
        local real = types.is_real(s.type)
        if real and entry.all ~= 0 and types.list[s.type].scalar:find "^unorm" then
            fail("%s: values that are rounded to elements of %s have no gradient: use float or half", entry.name,
                s.type)
        end
        entry.outputs[i] = real and places.of(s)
        if real and entry.all ~= 0 then
            mark(core._serial(s), entry.all)
        end
    end
    for n, recording in ipairs(recordings) do
        if ends & 1 << (n - 1) ~= 0 and not discarding then
            recording.entries[#recording.entries + 1] = entry
        end
    end
end

--- tape.watch is nil, or a function(name, outputs) that is called after each operation that is recorded.
tape.watch = nil

--- tape.record(name, inputs, outputs, keep, pull) is tape.begin and tape.complete for an operation that has run, and
-- wrote only new memory.
function tape.record(name, inputs, outputs, keep, pull)
    tape.complete(tape.begin(name, inputs, keep), outputs, pull)
end

-- Returns the adjoints of the outputs of an entry, and whether one is not zero. They are zero afterwards.
local function adjoints_of(entry, store)
    local list, found = {}, false
    for i, place in ipairs(entry.outputs) do
        list[i] = place and places.take(store, place) or false
        found = found or list[i] ~= false
    end
    for i, place in ipairs(found and not entry.pass and entry.outputs or {}) do
        list[i] = list[i] or place and places.constant(place.type, place.shape, 0)
    end
    return list, found
end

local function pull_expression(entry, input, g, bit, store)
    local streams = {}
    for leaf, known in pairs(input.leaves) do
        streams[leaf] = known.box and content(known.box, entry.name) or nil
    end
    local list = {}
    derivative.pull(input.outline, g, function(leaf) return input.leaves[leaf].bits & bit ~= 0 end, streams,
        function(leaf, adjoint)
            local place = input.leaves[leaf].place
            for _, other in ipairs(list) do
                if other.place.serial == place.serial and other.place.key == place.key then
                    other.value = other.value + adjoint
                    return
                end
            end
            list[#list + 1] = {place = place, value = adjoint}
        end)
    for _, item in ipairs(list) do
        places.add(store, item.place, item.value)
    end
end

-- Adds the adjoints of the inputs of an entry.
local function pull_entry(entry, recording, store, once)
    local bit <const> = recording.bit
    local adjoints, found = adjoints_of(entry, store)
    if not found then
        return
    end
    local kept = {}
    for key, value in pairs(entry.kept) do
        kept[key] = kept_value(value, entry.name)
    end
    if entry.pass then
        places.settle(store) -- it may overwrite what expressions read
    end
    local results = entry.pass and entry.pass(kept, adjoints, store, recording, once) or
        table.pack(entry.pull(kept, table.unpack(adjoints, 1, #entry.outputs)))
    for i, input in ipairs(entry.inputs) do
        local g = entry.bits[i] & bit ~= 0 and results[i]
        if g and input.outline then
            pull_expression(entry, input, type(g) == "number" and places.constant(input.outline._type, {1}, g) or g,
                bit, store)
        elseif g then
            places.add(store, input.place, g)
        end
    end
end

-- Marks boxes as unused, so that writes do not copy them.
local function release(box)
    if box and box.stream then
        box.dead = true
        if box.serial and needed[box.serial] == box then
            needed[box.serial] = box.older
        end
    end
end

local function release_entry(entry)
    for _, kept in pairs(entry.kept) do
        release(kept)
        for _, box in pairs(kept.boxes or {}) do
            release(box)
        end
    end
    for _, input in ipairs(entry.inputs) do
        for _, known in pairs(input and input.leaves or {}) do
            release(known.box)
        end
    end
end

--- tape.reverse(recording, store, once) goes through the entries in reverse order. `store`: the adjoints of places (see
-- places.add), which are replaced by those at the beginning of the recording. `once`: the entries are released.
function tape.reverse(recording, store, once)
    local entries <const> = recording.entries
    for i = #entries, 1, -1 do
        pull_entry(entries[i], recording, store, once)
        if once then
            if #recordings == 0 then
                release_entry(entries[i])
            end
            entries[i] = nil
        end
    end
end

-- ---- hooks

--- See lua/rill/core/recorder.lua.
function recorder.tracks(s)
    return touches(s) ~= 0
end

--- See lua/rill/core/recorder.lua.
function recorder.evaluate(e)
    tape.reads(e)
    if touches(e) == 0 then
        return nil
    elseif e._sparse then
        fail("rill.grad: expressions of containers have no gradient: use streams, c:stream()")
    end
    local value = tape.suspended(expression.eval, e)
    tape.record("an expression", {e}, {value}, {}, function(_, g) return g end)
    return value
end

--- See lua/rill/core/recorder.lua.
function recorder.expired(e, s)
    return depends(e) ~= 0 and touches(s) & depends(e) ~= depends(e)
end

-- A call of an operation that has a rule.
local Call = {}
Call.__index = Call

--- call:run(...) calls the operation itself without recording.
function Call:run(...)
    return tape.suspended(self.f, ...)
end

--- call:begin(inputs, keep) is tape.begin for the operation.
function Call:begin(...)
    return tape.begin(self.name, ...)
end

--- call:record(inputs, outputs, keep, pull) is tape.record for the operation.
function Call:record(...)
    return tape.record(self.name, ...)
end

--- call:writes(s) must be called after call:begin and before call:run writes the elements of s.
function Call.writes(_, s) -- luacheck: ignore 212
    return tape.preserve(s)
end

--- tape.rule(name, run [, writes [, always]]) defines the rule of an operation, "s:NAME" or "rill.NAME". run(call, ...)
-- is called with the arguments if one of them is tracked, and returns the results. It calls call:run and call:record,
-- or other operations, which are recorded. `writes`: the number of the argument whose elements the operation writes,
-- or true for the first; then the rule is called for all writes to memory that is tracked or needed. `always`: the rule
-- is called for all arguments, since a function among them may depend on tracked streams.
function tape.rule(name, run, writes, always)
    assert(not rules[name], name)
    rules[name] = {run = run, writes = writes == true and 1 or writes or false, always = always or false}
end

--- See lua/rill/core/recorder.lua.
function recorder.call(name, f, ...)
    local rule = rules[name]
    if rule then
        local concerned = rule.always
        for i = 1, select("#", ...) do
            local value <const> = select(i, ...)
            concerned = concerned or touches(value) ~= 0
            if discarding and i ~= rule.writes then
                check_read(value)
            end
        end
        concerned = concerned or rule.writes and needed[core._serial((select(rule.writes, ...))) or 0]
        if concerned then
            return rule.run(setmetatable({name = name, f = f}, Call), ...)
        end
    end
    return errors.call(f, ...)
end

local hooks <const> = expression.hooks

--- hooks.record_call(name, f, ...) is recorder.call, for functions that are written in C.
function hooks.record_call(name, f, ...) return recorder.call(name, f, ...) end

local READS <const> = {}
for name in ("s[i] s:get s:read s:values s:bytes s:request s:each s:map_cpu tostring <"):gmatch "%S+" do
    READS[name] = true
end

--- hooks.record_refuse(serial, name, n, argument) raises that argument n of an operation without a rule is tracked.
function hooks.record_refuse(serial, name, n, argument)
    local names <const> = tape.names(tracked[serial] or 0)
    if READS[name] then
        fail("%s: this number depends on %s: rill.value(x) reads it, and has no gradient", name, names)
    end
    local number <const> = n > 0 and "#" .. n .. " " or ""
    local where <const> = argument and ("%s: argument %s'%s'"):format(name, number, argument) or name or "rill.grad"
    fail("%s: it depends on %s, and this operation has no gradient: rill.constant(x) is a stream without one", where,
        names)
end

return tape
