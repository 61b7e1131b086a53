-- Boundary modes: what is beyond a side of a grid. One row per mode, for streams, images, simulations, multigrid and adaptive containers.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fail <const> = errors.fail

local boundary = {}

-- id: the mode's name in rill's own code.
-- stream: the mode of a stream that continues a quantity beyond the side.
-- condition: of that quantity: "value" where it is given, "gradient" where it has no slope; none where neither holds.
-- words: what users call the mode, by module. The words of streams and of trees are those of rill.core.
-- fluid: of rill.fluid, the conditions of the velocity across the side (normal) and along it (tangential), and of the pressure. Values of
-- velocities are those of the side, those of pressures 0.
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

--- boundary.modes: the rows, in the order in which messages list their words. boundary.mode: the same by their ids.
boundary.modes, boundary.mode = MODES, {}

local by_word = {} -- module -> word -> row
for _, mode in ipairs(MODES) do
    boundary.mode[mode.id] = mode
    for module, word in pairs(mode.words) do
        by_word[module] = by_word[module] or {}
        by_word[module][word] = mode
    end
end

--- boundary.accept(word, module): the mode that a module calls so; nil if it has no such word.
function boundary.accept(word, module)
    return by_word[module][word]
end

--- boundary.words(module): the words of a module, in an array. Those of "stream" and "tree" are in the order of rill.core.
function boundary.words(module)
    local list = module == "stream" and core._boundary_modes or module == "tree" and core._tree_boundary_modes or {}
    if #list == 0 then
        for _, mode in ipairs(MODES) do
            list[#list + 1] = mode.words[module]
        end
    end
    return list
end

--- boundary.quoted(module, last): the words for messages: '"a", "b" or "c"', `last` being what is between the last two (", " if it is nil).
function boundary.quoted(module, last)
    local list = {}
    for i, word in ipairs(boundary.words(module)) do
        list[i] = ('"%s"'):format(word)
    end
    return table.concat(list, ", ", 1, #list - 1) .. (last or ", ") .. list[#list]
end

--- boundary.view(mode): the mode of a stream of which nothing is known at the side but whether it repeats: "wrap" or "clamp". It suits
-- coefficients, and kernels that compute themselves what is outside.
function boundary.view(mode)
    return mode == boundary.mode.periodic and "wrap" or "clamp"
end

--- boundary.take(where, value, rank, module [, numbers]): the modes of an option `boundary`, in the order of Lua: of one word, or of a table of
-- one per dimension. `numbers`: whether a number, the value outside, is a mode, too.
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

return boundary
