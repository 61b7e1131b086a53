-- Compaction: s:filter, find, partition, runs and unique. A predicate of any form is converted to a mask of bytes, by
-- which the primitive compacts.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local typename = require "rill.core.typename"
local constants_of = require "rill.stream.constants"

local oneline = require "rill.stream.expression_kernel"

local filter = {} -- the methods of streams

-- Raises an error at the line of the script.
local function fail(where, format, ...)
    errors.fail("%s: %s", where, format:format(...))
end

-- Expressions that test whether a value is nonzero, by its scalar type in kernels.
local KEEP <const> = {
    bool = "x", int = "x != 0", uint = "x != 0u", float = "(floatBitsToUint(x) << 1) != 0u", double = "x != 0.0lf",
}

-- Runs a kernel that writes its result to a new mask. `part`: see the launch option of the same name; its field
-- `numbers` is the table of core._numbered if there are several parts.
local function masked(kernel, s, values, part)
    local mask, given = core._mask(s), values or {}
    given[#given + 1], given[#given + 2] = s, mask
    if part then
        local named = {part = s.size > 0 and part or nil}
        for i, param in ipairs(kernel.params) do
            named[param.name] = given[i]
        end
        kernel = part.numbers and core._numbered(kernel, part.numbers) or kernel
        kernel(named)
    else
        kernel(table.unpack(given))
    end
    return mask
end

-- Returns the scalar type in kernels of the elements of a mask.
local function mask_scalar(where, values)
    local scalar = oneline.value_types[values.type] or values.type
    if not KEEP[scalar] then
        fail(where, "argument #1 'pred': expected elements of bool, int, uint or float, got %s", values.type)
    end
    return scalar
end

local function from_values(where, values)
    local scalar = mask_scalar(where, values)
    return masked(oneline.sure(oneline.kernel(("kernel uint keep(%s x<>) { return ("):format(scalar),
        KEEP[scalar], ") ? 1u : 0u; }")), values)
end

-- Raises unless a mask is open and has the shape of s. If s and the mask were not counted together, this makes their
-- lengths exact; so it must be called before s is made flat.
local function check_extent(where, s, mask)
    local what = rill.type(mask)
    if what == "stream" and not core._is_open(mask) then
        fail(where, "argument #1 'pred': expected an open stream, got closed stream")
    elseif what == "stream" and not core._same_extent(s, mask)
        or what == "expression" and mask.shape ~= s.shape then
        fail(where, "argument #1 'pred': the mask has shape %s, the stream %s%s", mask.shape, s.shape,
            mask.size == s.size and #s.shape == 1 and (": mask%s:reshape(%d) has the shape of the stream"):format(
                what == "expression" and ":eval()" or "", s.size) or "")
    end
end

-- Returns the mask of an expression. One kernel computes the expression and writes the bytes.
local function from_expression(where, s, expression)
    require("rill.algebra.expression").check(expression)
    local holds = mask_scalar(where, expression) == "bool" and expression or expression:ne(0)
    local mask <close> = core._mask(s):write(rill.where(holds, 1, 0))
    return core._flat(mask)
end

-- Returns the mask of a text, which is a condition, or else a number that counts as true if it is nonzero.
-- `streams`: whether constants may be streams of the shape of `flat`.
local function from_text(where, flat, text, constants, part, streams)
    if not text:find "%S" then
        fail(where, "argument #1 'pred': expected an expression in x (the element) and i (its index), "
            .. "got an empty string")
    elseif oneline.wrong(text, true) then
        fail(where, "argument #1 'pred': %s: %s", oneline.wrong(text, true), text)
    end
    local declared = ""
    local value = oneline.value_types[flat.type] or flat.type
    if not core._builtin_type(value) then
        declared = core._declare(flat)
    end
    local index = text:find "%f[%w_]i%f[^%w_]" and "int i = indexof(x).x; " or ""
    local seed
    seed, constants = constants_of.seed(text, constants)
    -- With structures, integer constants are int, which GLSL converts to the type of a field.
    local values, parameters = constants_of.declare(where, constants_of.scalar(value) or "int", constants,
        { x = "the element", i = "its index" }, streams)
    local head = ("%skernel uint %s_if(%s%s x<>) { %s"):format(declared, where:match "%a+$", parameters, value,
        index)
    local kernel, message = oneline.kernel(head .. "bool keep_x = (", text, "); return keep_x ? 1u : 0u; }")
    if not kernel then
        kernel = oneline.kernel(head .. "double keep_x = (", text, "); return keep_x != 0.0lf ? 1u : 0u; }")
    end
    if not kernel then
        fail(where, "%s", message)
    end
    return masked(constants_of.seeded(where, kernel, seed), flat, values, part)
end

local PREDICATES <const> = { bool = true, int = true, uint = true, float = true }

local function from_kernel(where, flat, kernel)
    local inputs, output, others = 0, nil, 0
    for _, param in ipairs(kernel.params) do
        if param.kind == "output stream" then
            output, others = param.type, others + (output and 1 or 0)
        elseif param.kind == "input stream" then
            inputs = inputs + 1
        else
            others = others + 1
        end
    end
    if inputs ~= 1 or others > 0 or not PREDICATES[output] then
        fail(where, "argument #1 'pred': expected a kernel with one input stream and one output of bool, "
            .. "int or uint, got %s", tostring(kernel))
    end
    local values <close> = kernel(flat)
    return from_values(where, values)
end

-- Returns the mask of a predicate over `flat`, which has the elements of the user's stream `s` in one dimension.
local function mask_of(where, s, flat, pred, constants)
    local what = rill.type(pred)
    if type(pred) == "string" then
        return from_text(where, flat, pred, constants)
    elseif constants ~= nil then
        fail(where, "argument #2 'constants': expected none, since only a predicate that is a string has constants, "
            .. "got %s", typename.of(pred))
    elseif what == "kernel" then
        return from_kernel(where, flat, pred)
    elseif what == "stream" then
        return from_values(where, core._flat(pred))
    elseif what == "expression" then
        return from_expression(where, s, pred)
    end
    fail(where, "argument #1 'pred': expected an expression in x and i (a string), a kernel or a mask "
        .. "(a stream or an expression), got %s", typename.told(pred))
end

-- Returns the open stream before the colon of a method that takes at most `most` arguments.
local function self_of(where, s, most, ...)
    if rill.type(s) == "expression" then
        s = s:eval()
    end
    if not core._is_open(s) then
        fail(where, "argument 's': expected an open stream, got %s",
            rill.type(s) == "stream" and "closed stream" or typename.told(s))
    elseif select("#", ...) > most then
        fail(where, "expected %s, got %d", most == 0 and "no argument" or most == 1 and "at most 1 argument" or
            "at most 2 arguments", select("#", ...))
    end
    return s
end

local function compact(name, s, pred, constants, ...)
    local where <const> = "s:" .. name
    s = self_of(where, s, 2, pred, constants, ...)
    check_extent(where, s, pred)
    local flat <close> = core._flat(s)
    local mask <close> = mask_of(where, s, flat, pred, constants)
    return core._compact(name, flat, mask)
end

--- s:filter(pred [, constants]) returns a new stream of the elements for which the predicate holds, in row-major order.
-- `constants` is a table of numbers, booleans or tables of 2 to 4 numbers by their names in a predicate that is a
-- string.
filter.filter = errors.guard(function(s, ...)
    return compact("filter", s, ...)
end)

--- filter.mask(where, s, text, constants, part) returns the mask of an expression over a stream of one dimension, for
-- the method `where`: see filter.text.
function filter.mask(where, s, text, constants, part)
    return from_text(where, s, text, constants, part)
end

--- filter.text(where, s, text, constants, part) is s:filter, for the method `where`, of a stream of one dimension by an
-- expression whose index counts in the whole of which the stream is a part: part = {first = 1-based index, shape =
-- size}. Constants may be streams of its shape.
function filter.text(where, s, text, constants, part)
    local mask <close> = from_text(where, s, text, constants, part, true)
    return core._compact("filter", s, mask)
end

--- filter.by_mask(where, s, values) is s:filter, for the method `where`, by a stream of values of the shape of s.
function filter.by_mask(where, s, values)
    local flat <close> = core._flat(s)
    local line <close> = core._flat(values)
    local mask <close> = from_values(where, line)
    return core._compact("filter", flat, mask)
end

--- s:find(pred [, constants]) returns an int stream of the flat 0-based indices of the elements for which the predicate
-- holds.
filter.find = errors.guard(function(s, ...)
    return compact("find", s, ...)
end)

--- s:partition(pred [, constants]) returns two streams, the elements for which the predicate holds and the others, both
-- in order.
filter.partition = errors.guard(function(s, ...)
    return compact("partition", s, ...)
end)

-- ---- runs

-- Functions `bool same_T(T a, T b)`: compare with ==, except that NaN equals NaN.
local SAME <const> = {
    float = "bool same_float(float a, float b) { return a == b || ((floatBitsToUint(a) & 0x7fffffffu) > 0x7f800000u"
        .. " && (floatBitsToUint(b) & 0x7fffffffu) > 0x7f800000u); }\n",
    double = "bool nan_double(double x) { uvec2 w = unpackDouble2x32(x); uint h = w.y & 0x7fffffffu;"
        .. " return h > 0x7ff00000u || (h == 0x7ff00000u && w.x != 0u); }\n"
        .. "bool same_double(double a, double b) { return a == b || (nan_double(a) && nan_double(b)); }\n",
    int = "bool same_int(int a, int b) { return a == b; }\n",
    uint = "bool same_uint(uint a, uint b) { return a == b; }\n",
    bool = "bool same_bool(bool a, bool b) { return a == b; }\n",
}
local LETTERS <const> = { [""] = "float", d = "double", i = "int", u = "uint" }

-- Returns the members of a vector or structure type: a list of {name, type}. `declared` contains the declarations of
-- structures.
local function members(value, declared)
    local letter, size = value:match "^([diu]?)vec([234])$"
    local list = {}
    if letter then
        for c = 1, tonumber(size) do
            list[c] = { ("xyzw"):sub(c, c), LETTERS[letter] }
        end
    else
        local fields = declared:match("struct " .. value .. " {(.-)};")
        for field, name in fields:gmatch "([%w_]+) ([%w_]+);" do
            list[#list + 1] = { name, field }
        end
    end
    return list
end

local function add_same(out, value, declared)
    if out[value] then
        return
    end
    out[value] = true
    if SAME[value] then
        out[#out + 1] = SAME[value]
        return
    end
    local tests = {}
    for i, member in ipairs(members(value, declared)) do
        add_same(out, member[2], declared)
        tests[i] = ("same_%s(a.%s, b.%s)"):format(member[2], member[1], member[1])
    end
    out[#out + 1] = ("bool same_%s(%s a, %s b) { return %s; }\n"):format(value, value, value,
        table.concat(tests, " && "))
end

-- Returns the kernel that marks the first element of each run.
local function heads(s)
    local value = oneline.value_types[s.type] or s.type
    local declared = core._builtin_type(value) and "" or core._declare(s)
    local same = {}
    add_same(same, value, declared)
    local test = ("indexof(x).x == 0 || !same_%s(x[-1], x[0])"):format(value)
    return oneline.sure(oneline.kernel(declared .. table.concat(same) ..
        ("kernel uint heads(neighbor %s x<>) { return ("):format(value), test, ") ? 1u : 0u; }"))
end

local DISTANCE <const> = "s[1] - s[0]"

--- s:runs() returns the values of the runs of equal adjacent elements, in row-major order, and their lengths (int).
-- Components and fields are compared with ==, except that NaN equals NaN.
filter.runs = errors.guard(function(s, ...)
    s = self_of("s:runs", s, 0, ...)
    local flat <close> = core._flat(s)
    local size = flat.size
    local mask <close> = masked(heads(flat), flat)
    local values, starts = core._compact("both", flat, mask)
    local ends <close> = starts:boundary(size)
    local length = oneline.sure(oneline.kernel("kernel int lengths(neighbor int s<>) { return (", DISTANCE, "); }"))
    local lengths = length(ends)
    starts:close()
    return values, lengths
end)

-- Returns, in the shape of s, the 0-based index of the run of each element. `ordered`: the sorted elements; `places`:
-- their flat indices in s.
local function inverse_of(s, ordered, places)
    local inverse = rill.stream("int", s.shape)
    if s.size > 0 then
        local starts <close> = heads(ordered)(ordered)
        local runs <close> = starts:scan()
        rill.scatter(inverse:reshape(s.size), places, runs:cast "int" - 1)
    end
    return core._set_indices(inverse, true)
end

--- s:unique([{inverse =}]) returns the distinct values in ascending order, NaN last, and the count of each (int). With
-- `inverse` = true also an int stream of the shape of s: the 0-based index of each element in the distinct values.
filter.unique = errors.guard(function(s, options, ...)
    s = self_of("s:unique", s, 1, options, ...)
    if option.table[1](options) and options.return_counts ~= nil then
        errors.fail("s:unique: unknown option 'return_counts': the counts are always returned, as the second result")
    end
    local inverse <const> = option.take("s:unique", options, {inverse = option.flag}).inverse
    local flat <close> = core._flat(s)
    local done, sorted, places = pcall(core._ordered, flat, "s:unique")
    if done and inverse then
        done, sorted, places = pcall(rill.sort_by_key, flat, rill.iota(flat.size))
    elseif done then
        done, sorted = pcall(flat.sort, flat)
    end
    if not done then
        fail("s:unique", "%s", (tostring(sorted):gsub("^.-s:%a+: ", "")))
    end
    local values, counts = sorted:runs()
    local indices = inverse and inverse_of(s, sorted, places)
    sorted:close()
    if inverse then
        return values, counts, indices
    end
    return values, counts
end)

return filter
