-- Group numbers of rows: rows with equal keys have the same number, and the numbers are in the order of the keys. Keys
-- with few possible values, such as categories and integers of a small range, need no sort.
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local fail <const> = errors.fail
local kernels <const> = template.sections "frame"

local keys = {}

local LEAST <const>, MOST <const> = 1 << 20, 1 << 26 -- possible values of keys that are counted instead of sorted
local EXACT <const> = 1 << 24 -- floats have all integers up to this one

-- Returns how many possible values of keys may be counted for `rows` rows.
local function limit(rows)
    return math.min(math.max(LEAST, 2 * rows), MOST)
end

-- Returns the smallest and the largest of numbers that are not NaN if all of them are integers; else nil.
local function bounds(s, real)
    if not real then
        return s:min(), s:max()
    end
    local absent = rill.isnan(s)
    local low = rill.where(absent, math.huge, s):min()
    local high = rill.where(absent, -math.huge, s):max()
    if not (low <= high and high - low <= MOST and low == math.floor(low)) then -- low is inf if all are NaN
        return nil
    end
    return low, high, (rill.floor(s):ne(s) & ~absent):any() == false
end

-- Returns the codes of numbers by their distance from the smallest one; nil if there are too many possible values.
local function by_range(s, seen)
    local real = types.is_real(s.type)
    local low, high, whole = bounds(s, real)
    local most = math.min(limit(s.size), seen == "float" and EXACT or MOST)
    if not low or real and not whole or high - low + 2 > most then
        return nil
    end
    local span = math.tointeger(high - low) + 1
    local codes = rill.stream("uint", s.size)
    kernels.codes:kernel {T = seen, real = real}(s, low, span, codes)
    return {codes = codes, count = span + (real and 1 or 0), column = function(found)
        local numbers = rill.stream(s.type, found.size)
        if found.size > 0 then
            kernels.numbers:kernel {T = seen, real = real}(found, low, span, numbers)
        end
        return numbers
    end}
end

--- keys.codes(where, name, s) returns the codes of the elements of a column, in their order: {codes = (stream of uint),
-- count = (the number of possible codes), column = (function that returns the column of a stream of codes)}. NaN and
-- missing values have one code, the last.
function keys.codes(where, name, s)
    local set, info = categories.of(s), types.scalar(s.type)
    if set then
        local count = #set.list
        return {codes = rill.min(s, count):eval(), count = count + 1, column = function(found)
            local codes = rill.where(found:ge(count), categories.MISSING, found):eval()
            return columns.category(codes, set)
        end}
    elseif not info then
        fail("%s: column \"%s\": expected numbers or a category as a key, got elements of %s", where, name, s.type)
    elseif info.seen == "bool" then
        return {codes = s:cast "uint", count = 2, column = function(found) return found:cast "bool" end}
    end
    local found = s.size > 0 and by_range(s, info.seen)
    if found then
        return found
    end
    local values, _, inverse = s:unique {inverse = true}
    return {codes = inverse:cast "uint", count = values.size, column = function(codes)
        return columns.take(values, codes)
    end}
end

-- Returns codes of which each occurs, with the codes that they replace as `values`.
local function dense(codes, count)
    if count > limit(codes.size) or codes.type == "double" then
        local values, occurrences, inverse = codes:unique {inverse = true}
        return {codes = inverse:cast "uint", count = values.size, values = values, occurrences = occurrences}
    end
    local occurrences = rill.bincount(codes, {minlength = count})
    local mask <close> = occurrences:ne(0):eval()
    local values = occurrences:find(mask)
    if values.size == count then
        return {codes = codes, count = count, occurrences = occurrences:cast "int"}
    end
    local ranks <close> = mask:cast("uint"):scan("add", {exclusive = true})
    return {codes = rill.gather(ranks, codes), count = values.size, values = values:cast "uint",
        occurrences = rill.gather(occurrences, values):cast "int"}
end

-- Returns the codes before those that `dense` made.
local function original(found, codes)
    return found.values and rill.gather(found.values, codes) or codes
end

-- Returns the codes of pairs of codes; a.parts(codes) returns the codes of the keys of a.
local function paired(a, b)
    if a.count * 1.0 * b.count > limit(a.codes.size) then
        local x, y = dense(a.codes, a.count), dense(b.codes, b.count)
        local wide = x.count * 1.0 * y.count > 2 ^ 32
        if x.count * 1.0 * y.count > 2 ^ 53 then
            fail("frame:group: %d times %d different keys are more than 2^53: group by one key at a time", x.count,
                y.count)
        end
        local parts, count = a.parts, b.column
        a = {codes = x.codes, count = x.count, parts = function(codes) return parts(original(x, codes)) end}
        b = {codes = y.codes, count = y.count, column = function(codes) return count(original(y, codes)) end}
        a.wide = wide
    end
    local result = rill.stream(a.wide and "double" or "uint", a.codes.size)
    local S <const> = a.codes.type
    if result.size > 0 then
        kernels.pair:kernel {S = S, R = result.type}(a.codes, b.codes, b.count, result)
    end
    return {codes = result, count = a.count * b.count, parts = function(codes)
        local first, second = rill.stream("uint", codes.size), rill.stream("uint", codes.size)
        if codes.size > 0 then
            kernels.unpair:kernel {S = codes.type, real = codes.type == "double"}(codes, b.count, first, second)
        end
        local list = a.parts(first)
        list[#list + 1] = b.column(second)
        return list
    end}
end

--- keys.number(where, names, list) returns the group numbers of the rows by a list of key columns: {codes = (stream of
-- uint), count = (the number of groups), occurrences = (stream of int: the rows of each group), columns = (list of the
-- key columns, with one row for each group, ascending)}. NaN and missing values are one key, the last.
function keys.number(where, names, list)
    local all
    for i, s in ipairs(list) do
        local one = keys.codes(where, names[i], s)
        if not all then
            all = {codes = one.codes, count = one.count, parts = function(codes) return {one.column(codes)} end}
        else
            if all.codes.type == "double" then
                local found, parts = dense(all.codes, all.count), all.parts
                all = {codes = found.codes, count = found.count, parts = function(codes)
                    return parts(original(found, codes))
                end}
            end
            all = paired(all, one)
        end
    end
    local found = dense(all.codes, all.count)
    local values = original(found, rill.iota(found.count):cast "uint")
    return {codes = found.codes, count = found.count, occurrences = found.occurrences, columns = all.parts(values)}
end

return keys
