--- rill.horn: filtering a stream by scan, search and gather, and by a bitonic sort, as composed kernels: D. Horn, "Stream
-- Reduction Operations for GPGPU Applications", GPU Gems 2, chapter 36 (2005), section 36.1.
--
-- A record that is to go is *null*. The scan tells every record how many nulls stand at it or before it; a survivor moves left
-- by that many places; so each place of the result searches for the record that wants to move there, and gathers it. Nothing is
-- ever scattered. s:filter does the same work in three passes whatever the size: this module is for the comparison, and for
-- devices that can only gather.
--
-- Departures from the printed kernels that hold for all of them: counts and indices are int, for floats count to 2^24 only;
-- a record is null when the caller's predicate says so, not when its x is infinite, which data may be; and indices of
-- records are kept inside the stream, for a probe of the search can go beyond its end.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local typename = require "rill.core.typename"
local oneline = require "rill.stream.expression_kernel"
local sure <const> = oneline.sure

local horn = {}

-- ---- kernels

-- T is the type of the records, KEEP the predicate in x, DECLARE a structure's declaration.
--
-- start_scan: counts of one or two records. As printed (Listing "StartScan"), but for the typing error `> =`.
--
-- scan: doubles how far the counts reach. Printed, the condition is `here > twotoi`: the record at twotoi itself then never
-- adds the count of record 0, nor do those that build on it, and whenever record 0 is null they count one null too few.
-- A record whose neighbour twotoi to the left exists has here >= twotoi.
local start_scan = [=[
DECLARE
bool keep(T x) {
    return bool(
KEEP
    );
}
kernel void start_scan(T value<>, T left_1[], out int count<>) {
    int here = indexof(count).x;
    int left = keep(left_1[max(here - 1, 0)]) ? 0 : 1;
    count = keep(value) ? 0 : 1;
    count = here >= 1 ? count + left : count;
}
]=]

local scan = [=[
kernel void scan(int input<>, int left[], int twotoi, out int count<>) {
    int here = indexof(count).x;
    int left_2toi = left[max(here - twotoi, 0)];
    count = here >= twotoi ? input + left_2toi : input;
}
]=]

-- Let count(g) be the nulls at and before the record g places ahead. count(g) - g falls by one at each survivor and stays at each null,
-- so the survivor that moves here is the first record with count(g) = g.
--
-- gather_search (Listing 36-1) is one step, from the guesses of the step before. Printed, steps go both ways, in three cases,
-- and where guesses start and what twotoi runs through is left open. Only the powers of two from the largest not above
-- the number of nulls down to 1 reach every distance, and only from a first guess of 0: from the middle, the places before the first null,
-- which must not move at all, end at a distance of 1. Steps that only go forward, past probes that are too low, need no
-- third case and so no look at the record: the same powers of two, one fetch each.
--
-- gather_search_once (Listing 36-2) takes all steps in one pass. Printed, it starts at halfN = ceil(nulls / 2 + 0.5) and halves
-- that in floats: from four nulls on the guesses are no whole numbers, which equal no count, and are cut to a
-- record beside the right one. Here the steps are those of the other form; the printed exception for places without
-- a null before them is a distance like any other. The steps are written out, one program for each number of them, as the
-- chapter advises where loops are dear.
local step = [=[
kernel int step(int count[], int here, int guess, int twotoi) {
    int probe = guess + twotoi - 1;
    int found = count[min(here + probe, sizeof_stream(count).x - 1)];
    return found > probe ? guess + twotoi : guess;
}
]=]

local search = step .. [=[
kernel void gather_search(int count[], int last_guess<>, int twotoi, out int guess<>) {
    guess = step(count, indexof(guess).x, last_guess, twotoi);
}
]=]

local search_once = step .. [=[
kernel void gather_search_once(int count[], out int guess<>) {
    int here = indexof(guess).x, found = 0;
    STEPS
    guess = found;
}
]=]

local relative_gather = [=[
DECLARE
kernel void relative_gather(int gather_index<>, T value[], out T record<>) {
    record = value[indexof(record).x + gather_index];
}
]=]

-- The alternative that the chapter measures against. A bitonic network is not stable, so keys are pairs: whether the record is
-- null, then its place. The records follow in one gather. All comparisons put the smaller key first: the first pass of
-- each merge compares mirror images, which spares the turned halves of the usual form and lets the stream have any
-- length: what would stand beyond its end is larger than everything, and would stay there.
local sort_start = [=[
DECLARE
bool keep(T x) {
    return bool(
KEEP
    );
}
kernel void sort_start(T value<>, out uint2 key<>) {
    key = uint2(keep(value) ? 0 : 1, indexof(key).x);
}
]=]

local bitonic = [=[
bool before(uint2 a, uint2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
kernel void bitonic(uint2 mine<>, uint2 key[], int mirror, out uint2 sorted<>) {
    int here = indexof(sorted).x, last = sizeof_stream(key).x - 1;
    int partner = here ^ mirror;
    uint2 other = key[min(partner, last)];
    bool right = partner > last || before(mine, other) == (here < partner);
    sorted = right ? mine : other;
}
]=]

local first_null = [=[
kernel int first_null(uint2 key[]) {
    int size = sizeof_stream(key).x, found = 0;
    for (int bit = 30; bit >= 0; bit--) {
        int next = found + (1 << bit);
        if (next > found && next <= size && key[next - 1].x == 0u)
            found = next;
    }
    return found;
}
]=]

local sorted_gather = [=[
DECLARE
kernel void sorted_gather(uint2 key<>, T value[], out T record<>) { record = value[key.y]; }
]=]

-- ---- making them

-- The kernel of a text over records of a type, kept by its text. nil and what is wrong with the predicate, if it is.
local function kernel_of(text, records, pred)
    if records then
        text = text:gsub("%f[%w_]%u+%f[^%w_]", {T = records.value, DECLARE = records.declaration})
    end
    local head, tail = text:match "^(.-)KEEP\n(.*)$"
    return oneline.kernel(head and head:gsub("\n$", "") or text, pred or "", tail or "")
end

-- ---- arguments

local function argument_error(name, number, argument, format, ...)
    errors.fail("rill.horn.%s: argument #%d '%s': %s", name, number, argument, format:format(...))
end

local scalars = {float = true, double = true, int = true, uint = true, bool = true}

-- A stream as argument #1: its records as these kernels see them, flat, and of which type.
local function records_of(name, argument, s, struct)
    if rill.type(s) == "expression" then
        s = s:eval()
    end
    if not core._is_open(s) then
        argument_error(name, 1, argument, "expected an open stream, got %s",
            rill.type(s) == "stream" and "a closed one" or typename.told(s))
    end
    local element = s.type
    local value = oneline.value_types[element] or element
    local simple = scalars[value] or value:match "^[diu]?vec[234]$" ~= nil
    if simple == (struct ~= nil) then
        argument_error(name, 1, argument, simple and "elements of %s are no structure: leave out the option 'struct'"
            or "records of structure %s need its type: {struct = type}", element)
    end
    local declaration = struct and tostring(struct) .. ";" or ""
    local records = {stream = s, type = struct or element, value = value, declaration = declaration}
    if #s.shape > 1 then
        local contiguous, flat = pcall(s.reshape, s, s.size)
        records.stream = contiguous and flat or s:copy():reshape(s.size)
    end
    return records
end

local function check_indices(name, number, argument, s, maker)
    if not core._is_open(s) or s.type ~= "int" or #s.shape ~= 1 then
        argument_error(name, number, argument, "expected an int stream of one dimension, as %s gives it, got %s",
            maker, core._is_open(s) and tostring(s):match "^[^\n]*" or typename.told(s))
    end
end

local choices = {once = true, steps = true}

local function check_options(name, number, options, allowed)
    if options == nil then
        return {}
    elseif type(options) ~= "table" or rill.type(options) then
        argument_error(name, number, "options", "expected a table of options, got %s", typename.of(options))
    end
    for key, value in pairs(options) do
        if not allowed[key] then
            option.refuse("rill.horn." .. name .. ": argument #" .. number .. " 'options'", key, allowed)
        elseif key == "struct" and rill.type(value) ~= "struct" then
            local expected = "option 'struct': expected a structure type, got %s"
            argument_error(name, number, "options", expected, typename.of(value))
        elseif key == "search" and not choices[value] then
            argument_error(name, number, "options", "option 'search': expected \"once\" or \"steps\", got %s",
                type(value) == "string" and '"' .. value .. '"' or typename.of(value))
        end
    end
    return options
end

-- The kernel that asks the predicate.
local function predicate_kernel(name, text, records, pred)
    if type(pred) ~= "string" or not pred:find "%S" then
        argument_error(name, 2, "pred", "expected an expression in x (a string), got %s",
            type(pred) == "string" and "an empty one" or typename.of(pred))
    elseif oneline.wrong(pred, true) then
        argument_error(name, 2, "pred", "%s: %s", oneline.wrong(pred, true), pred)
    end
    local kernel, wrong = kernel_of(text, records, pred)
    if not kernel then
        argument_error(name, 2, "pred", "%s", wrong)
    end
    return kernel
end

-- ---- scan, search and gather

-- The running count of nulls and the passes it took. Two streams take turns, whatever the number of passes.
local function running(start, records)
    local count = records.stream.size
    local from = rill.stream("int", count)
    if count == 0 then
        return from, 0
    end
    local to = rill.stream("int", count)
    local kernel, passes, twotoi = sure(kernel_of(scan)), 1, 2
    start(records.stream, records.stream, from)
    while twotoi < count do
        kernel(from, from, twotoi, to)
        from, to, passes, twotoi = to, from, passes + 1, twotoi * 2
    end
    to:close()
    return from, passes
end

--- rill.horn.scan(nulls): an int stream of how many of the elements at and before each place are true or not zero (nulls: a
-- 1-D stream of bool, int or uint), and the passes that took: the logarithm of the size to base 2, rounded up.
function horn.scan(nulls)
    local records = records_of("scan", "nulls", nulls)
    local element = records.value
    if element ~= "bool" and element ~= "int" and element ~= "uint" then
        argument_error("scan", 1, "nulls", "expected elements of bool, int or uint, got %s", element)
    end
    local counts, passes = running(sure(kernel_of(start_scan, records, "!bool(x)")), records)
    return counts, passes
end

local function once_kernel(largest)
    local lines = {}
    while largest > 0 do
        lines[#lines + 1] = ("found = step(count, here, found, %d);"):format(largest)
        largest = largest // 2
    end
    return sure(kernel_of((search_once:gsub("STEPS", table.concat(lines, "\n    ")))))
end

local function search_steps(kernel, counts, kept, largest)
    local from, to = rill.stream("int", kept), rill.stream("int", kept)
    local passes, twotoi = 0, largest
    while twotoi > 0 do
        kernel(counts, from, twotoi, to)
        from, to, passes, twotoi = to, from, passes + 1, twotoi // 2
    end
    to:close()
    return from, passes
end

--- rill.horn.search(counts [, {search = "once" | "steps"}]): from scan's counts an int stream with one element per survivor: how
-- many places to the right of its new place the survivor stands; and the passes that took. "once" (the default) takes all steps of the
-- binary search in one pass, "steps" one pass each.
function horn.search(counts, options)
    options = check_options("search", 2, options, {search = true})
    check_indices("search", 1, "counts", counts, "scan")
    local size = counts.size
    local nulls = size > 0 and counts:get(size) or 0
    if nulls < 0 or nulls > size then
        argument_error("search", 1, "counts", "ends in %d, which is no count of nulls among %d", nulls, size)
    end
    local kept, largest = size - nulls, 1
    if nulls == 0 or kept == 0 then
        return rill.stream("int", kept), 0
    end
    while largest * 2 <= nulls do
        largest = largest * 2
    end
    local distances, passes
    if options.search == "steps" then
        distances, passes = search_steps(sure(kernel_of(search)), counts, kept, largest)
    else
        distances, passes = rill.stream("int", kept), 1
        once_kernel(largest)(counts, distances)
    end
    return distances, passes
end

local function gather(records, distances)
    local result = rill.stream(records.type, distances.size)
    sure(kernel_of(relative_gather, records))(distances, records.stream, result)
    return result
end

--- rill.horn.gather(values, distances [, {struct = type}]): the records that stand `distances` places to the right of their new
-- ones. Records of a structure need its type, made by rill.struct, for the kernel's text.
function horn.gather(values, distances, options)
    options = check_options("gather", 3, options, {struct = true})
    local records = records_of("gather", "values", values, options.struct)
    check_indices("gather", 2, "distances", distances, "search")
    local result = gather(records, distances)
    return result
end

--- rill.horn.filter(s, pred [, {search = "once" | "steps", struct = type}]): the records of s for which pred, a GLSL expression in x,
-- holds, in order, by scan, search and gather; and the passes that took. The result is 1-D, a stream of more
-- dimensions is taken row by row. One number is read back: how many survive.
function horn.filter(s, pred, options)
    options = check_options("filter", 3, options, {search = true, struct = true})
    local records = records_of("filter", "s", s, options.struct)
    local start = predicate_kernel("filter", start_scan, records, pred)
    local counts <close>, scanned = running(start, records)
    local distances <close>, searched = horn.search(counts, {search = options.search})
    return gather(records, distances), scanned + searched + 1
end

-- ---- bitonic sort

-- Sorts keys, and uses `spare` of the same size. Returns the sorted stream, the other one and the number of passes.
local function bitonic_sort(keys, spare)
    local kernel, passes, block = sure(kernel_of(bitonic)), 0, 2
    local function pass(mirror)
        kernel(keys, keys, mirror, spare)
        keys, spare, passes = spare, keys, passes + 1
    end
    while block < 2 * keys.size do
        pass(block - 1)
        local half = block // 4
        while half > 0 do
            pass(half)
            half = half // 2
        end
        block = block * 2
    end
    return keys, spare, passes
end

--- rill.horn.sort_filter(s, pred [, {struct = type}]): what rill.horn.filter gives, by a bitonic sort that moves the nulls to the end:
-- k (k + 1) / 2 passes where scan and search take k + 1.
function horn.sort_filter(s, pred, options)
    options = check_options("sort_filter", 3, options, {struct = true})
    local records = records_of("sort_filter", "s", s, options.struct)
    local start = predicate_kernel("sort_filter", sort_start, records, pred)
    local size = records.stream.size
    if size == 0 then
        return rill.stream(records.type, 0), 0
    end
    local keys, spare, passes = bitonic_sort(start(records.stream), rill.stream("uvec2", size))
    local kept = sure(kernel_of(first_null)) {key = keys, shape = 1}:get(1)
    local result = rill.stream(records.type, kept)
    if kept > 0 then
        sure(kernel_of(sorted_gather, records))(keys:domain(1, kept), records.stream, result)
    end
    keys:close()
    spare:close()
    return result, passes + 3
end

for name, f in pairs(horn) do
    horn[name] = errors.guard(f, "rill.horn." .. name)
end
return errors.strict(horn, "rill.horn")
