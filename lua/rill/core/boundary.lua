-- Boundary modes: the values outside of a grid. One row per mode, for streams, images, simulations, multigrid and
-- adaptive containers.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fail <const> = errors.fail

local boundary = {}

-- id: the internal name of the mode.
-- stream: the boundary mode of a stream that extends a quantity beyond the side.
-- condition: the boundary condition of the quantity: "value" (Dirichlet), "gradient" (Neumann, slope 0), or nil.
-- words: the names of the mode in each module. The words of streams and of trees are those of rill.core.
-- fluid: for rill.fluid, the conditions of the velocity normal and tangential to the side, and of the pressure. The
-- prescribed velocity is the velocity of the side; the prescribed pressure is 0.
local MODES <const> = {
    {id = "absorbing", stream = "clamp", words = {wave = "absorb"}},
    {id = "value", stream = "zero", condition = "value",
        words = {stream = "zero", wave = "fixed", multigrid = "dirichlet", tree = "dirichlet"}},
    {id = "gradient", stream = "clamp", condition = "gradient",
        words = {stream = "clamp", heat = "insulated", wave = "free", multigrid = "neumann", tree = "neumann"}},
    {id = "nearest", stream = "clamp", words = {tree = "clamp"}},
    {id = "wall", stream = "clamp", condition = "gradient", words = {fluid = "wall"},
        fluid = {normal = "value", tangential = "value", pressure = "gradient"}},
    {id = "open", stream = "clamp", condition = "gradient", words = {fluid = "open"},
        fluid = {normal = "gradient", tangential = "gradient", pressure = "value"}},
    {id = "periodic", stream = "wrap", fluid = {normal = "gradient", tangential = "gradient", pressure = "gradient"},
        words = {
            stream = "wrap", heat = "periodic", wave = "periodic", fluid = "periodic", multigrid = "periodic",
            tree = "repeat",
        }},
    {id = "mirror", stream = "mirror", words = {stream = "mirror"}},
}

--- boundary.modes: the rows, in the order in which messages list their words. boundary.mode: the rows by their ids.
boundary.modes, boundary.mode = MODES, {}

--- boundary.source: functions of the modes of streams that repeat or reflect the elements. A function takes an index
-- outside of 0 .. n - 1 and n, and returns the index of the element that is read there.
boundary.source = {
    -- The elements 0 and n - 1 are themselves copies: the n - 2 between them repeat.
    ["inner wrap"] = function(i, n) return (i - 1) % (n - 2) + 1 end,
    wrap = function(i, n) return i % n end,
    mirror = function(i, n)
        local m = i % (2 * n)
        return m < n and m or 2 * n - 1 - m
    end,
}

local by_word = {} -- module -> word -> row
for _, mode in ipairs(MODES) do
    boundary.mode[mode.id] = mode
    for module, word in pairs(mode.words) do
        by_word[module] = by_word[module] or {}
        by_word[module][word] = mode
    end
end

--- boundary.accept(word, module) returns the mode with this word in a module; nil if the module does not have the word.
function boundary.accept(word, module)
    return by_word[module][word]
end

--- boundary.words(module) returns the array of the words of a module. The words of "stream" and "tree" are in the order
-- of rill.core.
function boundary.words(module)
    local list = module == "stream" and core._boundary_modes or module == "tree" and core._tree_boundary_modes or {}
    if #list == 0 then
        for _, mode in ipairs(MODES) do
            list[#list + 1] = mode.words[module]
        end
    end
    return list
end

--- boundary.quoted(module [, last]) returns the words for messages: '"a", "b" or "c"'. `last` is the separator of the
-- last two. Default: ", ".
function boundary.quoted(module, last)
    local list = {}
    for i, word in ipairs(boundary.words(module)) do
        list[i] = ('"%s"'):format(word)
    end
    return table.concat(list, ", ", 1, #list - 1) .. (last or ", ") .. list[#list]
end

--- boundary.view(mode) returns "wrap" if the mode is periodic, else "clamp". It is the mode for coefficients, and for
-- kernels that compute the values outside themselves.
function boundary.view(mode)
    return mode == boundary.mode.periodic and "wrap" or "clamp"
end

--- boundary.take(where, value, rank, module [, numbers]) returns the modes of an option `boundary`, slowest dimension
-- first. The value is one word, or a table with one word per dimension. `numbers`: whether a number, the value outside,
-- is a mode too. Default: false.
function boundary.take(where, value, rank, module, numbers)
    local list = option.per_dimension(where, "boundary", value, rank)
    for d, one in ipairs(list) do
        local number = numbers and type(one) == "number" and one - one == 0
        list[d] = number and {id = "value", stream = one, condition = "value"} or boundary.accept(one, module)
        if not list[d] then
            fail("%s: option 'boundary': expected %s, or a table of one per dimension, got %s", where,
                boundary.quoted(module) .. (numbers and " or a number" or ""), errors.told(one))
        end
    end
    return list
end

--- boundary.row(module) returns a row for options that are a word of a module, or a table of one word per dimension.
function boundary.row(module)
    return {option.some(function(word) return boundary.accept(word, module) ~= nil end),
        boundary.quoted(module, " or ") .. ", or a table of one per dimension"}
end

--- boundary.of_signature(kernel, param, rank) returns the modes in the signature of a kernel's parameter, slowest
-- dimension first; nil if it has none.
function boundary.of_signature(kernel, param, rank)
    local given = param.boundary
    if not given then
        return nil
    elseif #given ~= 1 and #given ~= rank then
        fail("%s: argument '%s': its signature has %d boundary modes, the stream has %d dimension%s: write one " ..
            "mode, or one for each dimension", kernel.name, param.name, #given, rank, rank == 1 and "" or "s")
    end
    local list = {}
    for d = 1, rank do
        list[d] = given[#given == 1 and 1 or d]
    end
    return list
end

--- boundary.reach(param, rank, d, halo) returns how far the kernel of a neighbor parameter reads along dimension d (the
-- slowest is 1) of a stream with `rank` dimensions. `halo`: the distance that the user gave for offsets that the kernel
-- computes; nil: none, and the result is nil for such kernels.
function boundary.reach(param, rank, d, halo)
    local known <const> = (param.reach or param.least_reach)[rank - d + 1] or 0 -- the fastest dimension is first
    if param.reach then
        return known
    end
    return halo and math.max(halo, known)
end

local function same(a, b)
    a, b = a == "zero" and 0 or a, b == "zero" and 0 or b
    return a == b or a ~= a and b ~= b
end

--- boundary.join(modes, other) returns the modes that a result inherits from two streams: lists with a mode per
-- dimension, or nil if a stream has none. Different modes become "clamp".
function boundary.join(modes, other)
    if not modes or not other then
        return modes or other
    end
    local list, equal = {}, true
    for d, mode in ipairs(modes) do
        list[d], equal = "clamp", equal and same(mode, other[d])
    end
    return equal and modes or list
end

return boundary
