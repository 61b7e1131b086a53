-- Random stencils: kernels with neighbor streams of random types, offsets, shapes, boundary modes and views, all values
-- small whole numbers. Two runs with the same seed, on any device and in any family, must print the same text.
local boundaries = require "spec.support.boundaries"

local stencils = {}

-- Types of streams: the type in the kernel, the type of a component, the number of components.
local types <const> = {
    float = {"float", "float", 1}, int = {"int", "int", 1}, uint = {"uint", "uint", 1}, vec2 = {"vec2", "float", 2},
    vec4 = {"vec4", "float", 4}, vec3 = {"vec3", "float", 3}, half = {"float", "half", 1}, int16 = {"int", "int16", 1},
    uint8 = {"uint", "uint8", 1}, half4 = {"vec4", "half", 4}, double = {"double", "double", 1},
}
local names <const> = {"float", "float", "float", "float", "int", "int", "uint", "vec2", "vec2", "vec4", "vec4", "vec3",
    "half", "int16", "uint8", "half4", "double"}

local function elements(shape)
    local n = 1
    for _, size in ipairs(shape) do n = n * size end
    return n
end

local function draw_shape(d, rank)
    local shape = {}
    for k = 1, rank do shape[k] = d(1, rank == 4 and 3 or rank == 3 and 4 or 9) end
    local unit <const> = ({1, 4, 4, 16})[d(1, 4)] -- most rows consist of whole steps
    shape[rank] = unit * d(1, 70 // unit)
    return shape
end

-- Draws an offset as text: [z][y][x], or a vector with x first. Four dimensions have vectors only.
local function draw_offset(d, rank)
    local numbers, far = {}, d(1, 40) == 1
    for k = 1, rank do
        numbers[k] = d(1, 3) == 1 and 0 or far and d(-9, 9) or d(-3, 3)
    end
    if rank == 4 and d(1, 4) > 1 then rank, numbers[4] = 3, nil end
    return rank < 4 and "[" .. table.concat(numbers, "][") .. "]" or "[ivec4(" .. table.concat(numbers, ", ") .. ")]"
end

-- Returns a stream of a type: packed, or a view of a larger stream.
local function draw_stream(d, rill, name, shape)
    local type, how = types[name], d(1, 10)
    local whole, first, last, offset = {}, {}, {}, how == 1 and #shape or 1
    for k, size in ipairs(shape) do
        local more <const> = how <= 2 and k <= offset and d(0, 5) or 0
        whole[k], first[k] = size + more, 1 + d(0, more)
        last[k] = first[k] + size - 1
    end
    if how == 3 then table.move(shape, 1, #shape, 1, whole) whole[1], whole[#whole] = shape[#shape], shape[1] end
    local values <const> = rill.iota(elements(whole) * type[3]):map("(x * 7 + x / 13) % 61"):cast(type[2])
    local s = rill.stream(name, whole, values:bytes())
    if how <= 2 then return s:domain(first, last), "a view" end
    if how == 3 then
        local order <const> = {}
        for k = 1, #shape do order[k] = k end
        order[1], order[#order] = order[#order], order[1]
        return s:transpose(order), "transposed"
    end
    return s, "packed"
end

-- Returns a case: a text, the kernel, its arguments, and a list of the streams' descriptions.
local function draw_case(d, rill, doubles)
    local rank <const> = ({2, 2, 2, 1, 3, 4})[d(1, 6)]
    local shape = draw_shape(d, rank)
    local parameters, arguments, terms, says = {}, {}, {}, {table.concat(shape, "x")}
    local function pick()
        local name <const> = names[d(1, #names)]
        return name == "double" and not doubles and "float" or name
    end
    for k = 1, d(1, 4) == 1 and 2 or 1 do
        local name, u = pick(), "u" .. k
        local s, how = draw_stream(d, rill, name, shape)
        local modes <const> = boundaries.modes(d, rank)
        parameters[#parameters + 1] = ("neighbor %s %s<>"):format(types[name][1], u)
        arguments[#arguments + 1] = s:boundary(table.unpack(modes))
        says[#says + 1] = ("%s %s (%s)"):format(name, how, table.concat(modes, " "))
        for _ = 1, d(1, 6) do
            local x = u .. draw_offset(d, rank)
            local sum = types[name][3] > 1 and x .. ".x" or x
            if types[name][3] > 1 then sum = ("%s - 2 * %s.y"):format(sum, x) end
            terms[#terms + 1] = ("sum = sum * 3 %% 1009 + int(%s);"):format(sum)
        end
    end
    if d(1, 12) == 1 then
        terms[#terms + 1] = "for (int i = -1; i <= 1; i++) sum += int(" ..
            (types[says[2]:match "%w+"][3] > 1 and "u1[i].x" or "u1[i]") .. ");"
        if rank > 1 then terms[#terms] = terms[#terms]:gsub("%[i%]", "[0][i]") end
    end
    if d(1, 3) == 1 then
        parameters[#parameters + 1] = "float own<>"
        arguments[#arguments + 1] = rill.iota(shape):cast "float"
        terms[#terms + 1] = "sum += int(own);"
    end
    if d(1, 4) == 1 then terms[#terms + 1] = "sum += 5 * indexof(u1).x;" end
    local stored <const> = pick()
    local result <const> = types[stored][1]
    parameters[#parameters + 1] = ("out %s r<>"):format(result)
    arguments[#arguments + 1] = rill.stream(stored, shape)
    local text = ("kernel void f(%s) { int sum = 0; %s r = %s(sum & 255); }"):format(table.concat(parameters, ", "),
        table.concat(terms, " "), result)
    return text, arguments, table.concat(says, ", ")
end

--- stencils.run(first, count, doubles): prints for each of `count` cases its description and the bytes of the result,
--- and on standard error a line "whole texels" if all reads of neighbors are reads of whole texels. doubles: whether
--- some cases have doubles.
function stencils.run(first, count, doubles)
    local rill = require "rill"
    for seed = first, first + count - 1 do
        local d <const> = boundaries.draw(seed)
        for _ = 1, 3 do d(0, 1) end -- the first draws of similar seeds are similar
        local text, arguments, says = draw_case(d, rill, doubles)
        local k = rill.kernel(text)
        local _, streams = text:gsub("neighbor ", "")
        local _, wide = k:explain(table.unpack(arguments)):gsub("neighbor stream[^\n]*, 16%-byte loads", "")
        k(table.unpack(arguments))
        print(("%d: %s: %s"):format(seed, says, text), (arguments[#arguments]:bytes():gsub("[\0-\255]", function(c)
            return ("%02x"):format(c:byte())
        end)))
        io.stderr:write(wide == streams and "whole texels\n" or "")
        for _, s in ipairs(arguments) do s:close() end
    end
end

return stencils
