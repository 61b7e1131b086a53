--- rill.horn: filters streams by scan, search and gather, or by a bitonic sort, as composed kernels: D. Horn, "Stream
-- Reduction Operations for GPGPU Applications", GPU Gems 2, chapter 36 (2005), section 36.1.
--
-- A record to be removed is called null. The scan counts, for each record, the null records up to and including it. A
-- remaining record moves left by its count. Each position of the result searches for the record that moves there, and
-- gathers it; nothing is scattered. s:filter does the same in three passes for any size. This module is for
-- comparison, and for devices that can only gather.
--
-- All kernels differ from the printed ones in three ways: counts and indices are int, because floats count to 2^24
-- only; a record is null if the caller's predicate is false for it, not if its x is infinite, because data may be
-- infinite; and indices are clamped to the stream, because the search may probe beyond its end.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local typename = require "rill.core.typename"
local oneline = require "rill.stream.expression_kernel"
local sure <const> = oneline.sure

local horn = {}

-- ---- kernels

-- T is the type of the records, KEEP the predicate in x, DECLARE the declaration of a structure.
--
-- start_scan: counts of one or two records. As printed (Listing "StartScan"), except the typing error `> =`.
--
-- scan: doubles the range of the counts. The printed condition is `here > twotoi`. With it the record at twotoi never
-- adds the count of record 0, and neither do records that depend on it, so if record 0 is null their counts are one
-- too small. A record has a neighbor twotoi to the left if here >= twotoi.
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

-- Let count(g) be the number of null records up to and including the record g positions to the right. count(g) - g
-- decreases by one at each remaining record and does not change at null records, so the record that moves here is the
-- first one with count(g) = g.
--
-- gather_search (Listing 36-1) is one step, starting from the guesses of the step before. The printed version steps
-- in both directions, in three cases, and does not specify the first guess and the range of twotoi. All distances are
-- reached only by the powers of two from the largest one not above the number of null records down to 1, starting
-- from 0. From the middle, positions before the first null record, which must not move, end at a distance of 1. Steps
-- that only go forward, past probes that are too low, need no third case and do not read the record: one fetch per
-- power of two.
--
-- gather_search_once (Listing 36-2) runs all steps in one pass. The printed version starts at halfN = ceil(nulls / 2
-- + 0.5) and halves it as a float. From four null records on, guesses are fractions, which equal no count and are
-- truncated to a neighbor of the correct record. Here the steps are the same as in gather_search; the printed
-- exception for positions without a null record before them is a distance like any other. The loop is unrolled, with
-- one program for each number of steps, as the chapter recommends for devices with expensive loops.
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

-- The alternative that the chapter measures. A bitonic network is not stable, so keys are pairs: whether the record
-- is null, and its position. The records follow in one gather. All comparisons put the smaller key first: the first
-- pass of each merge compares mirror images, which avoids the reversed halves of the usual form, and allows any
-- length: elements beyond the end would be larger than all others and would not move.
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

-- ---- compiling

-- Returns the kernel of a text for records of a type. Kernels are cached by text. Returns nil and the error message
-- if the predicate is invalid.
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

-- Returns the records of argument #1: a one-dimensional stream and its types.
local function records_of(name, argument, s, struct)
    if rill.type(s) == "expression" then
        s = s:eval()
    end
    if not core._is_open(s) then
        argument_error(name, 1, argument, "expected an open stream, got %s",
            rill.type(s) == "stream" and "a closed stream" or typename.told(s))
    end
    local element = s.type
    local value = oneline.value_types[element] or element
    local simple = scalars[value] or value:match "^[diu]?vec[234]$" ~= nil
    if simple == (struct ~= nil) then
        argument_error(name, 1, argument, simple and "elements of %s are not structures: omit the option 'struct'"
            or "records of structure %s need the option 'struct', their type", element)
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

-- Returns the kernel that evaluates the predicate.
local function predicate_kernel(name, text, records, pred)
    if type(pred) ~= "string" or not pred:find "%S" then
        argument_error(name, 2, "pred", "expected an expression in x (a string), got %s",
            type(pred) == "string" and "an empty string" or typename.of(pred))
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

-- Returns the running count of null records, and the number of passes. It alternates between two streams.
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

--- rill.horn.scan(nulls) returns, for each element, how many elements up to and including it are true or nonzero (a
-- stream of int), and the number of passes, log2 of the size, rounded up. nulls: a one-dimensional stream of bool,
-- int or uint.
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

--- rill.horn.search(counts [, {search = "once" | "steps"}]) returns, for each remaining record, the distance from
-- its new position to its old one (a stream of int), and the number of passes. counts: the result of rill.horn.scan.
-- search: "once" (default) runs all steps of the binary search in one pass, "steps" uses one pass each.
function horn.search(counts, options)
    options = check_options("search", 2, options, {search = true})
    check_indices("search", 1, "counts", counts, "scan")
    local size = counts.size
    local nulls = size > 0 and counts:get(size) or 0
    if nulls < 0 or nulls > size then
        argument_error("search", 1, "counts", "the last count is %d, expected 0 to %d", nulls, size)
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

--- rill.horn.gather(values, distances [, {struct = type}]) returns the records at `distances` to the right of their
-- new positions. struct: the type of the records, required if they are structures.
function horn.gather(values, distances, options)
    options = check_options("gather", 3, options, {struct = true})
    local records = records_of("gather", "values", values, options.struct)
    check_indices("gather", 2, "distances", distances, "search")
    local result = gather(records, distances)
    return result
end

--- rill.horn.filter(s, pred [, {search = "once" | "steps", struct = type}]) returns the records of s for which pred,
-- a GLSL expression in x, is true, in order, by scan, search and gather, and the number of passes. The result is
-- one-dimensional; a stream of several dimensions is processed row by row. One number is read back: the count of
-- remaining records.
function horn.filter(s, pred, options)
    options = check_options("filter", 3, options, {search = true, struct = true})
    local records = records_of("filter", "s", s, options.struct)
    local start = predicate_kernel("filter", start_scan, records, pred)
    local counts <close>, scanned = running(start, records)
    local distances <close>, searched = horn.search(counts, {search = options.search})
    return gather(records, distances), scanned + searched + 1
end

-- ---- bitonic sort

-- Sorts keys, using `spare`, a stream of the same size. Returns the sorted stream, the other stream, and the number
-- of passes.
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

--- rill.horn.sort_filter(s, pred [, {struct = type}]) returns the result of rill.horn.filter by a bitonic sort that
-- moves null records to the end, and the number of passes: k (k + 1) / 2, compared with k + 1 for scan and search.
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
