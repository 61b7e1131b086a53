-- Prints a stream at the prompt: its text, and for a stream that is not printed completely the range of its numbers and
-- a small image. Only the displayed values are read back.
local rill = require "rill.core.public"
local types = require "rill.core.types"
local printing = require "rill.stream.print"

local PICTURE <const> = 40 -- largest width and height of the image, in pixels

local function is_number(type)
    return types.scalar(type) and type ~= "bool"
end

-- ---- range

local function number_text(value)
    if type(value) ~= "table" then
        local format = math.type(value) == "integer" and "%d" or value ~= value and "nan" or "%.5g"
        return format:format(value)
    end
    local parts = {}
    for i, part in ipairs(value) do
        parts[i] = number_text(part)
    end
    return "{" .. table.concat(parts, ", ") .. "}"
end

-- Returns the minimum and maximum of the components; nil if one of them is not finite.
local function finite_range(least, most)
    local low, high = math.huge, -math.huge
    least, most = type(least) == "table" and least or { least }, type(most) == "table" and most or { most }
    for i = 1, #least do
        if least[i] ~= least[i] or most[i] ~= most[i] then
            return nil
        end
        low, high = math.min(low, least[i]), math.max(high, most[i])
    end
    return low > -math.huge and high < math.huge and low or nil, high
end

-- Returns the line that describes the numbers, and their finite range; nil for structures.
local function range_of(s)
    if s.type == "bool" then
        return ("true %d of %d"):format(s:count(), s.size)
    elseif not is_number(s.type) and not s.type:find "[234]$" or s.type:find "^bvec" then
        return nil
    end
    local least, mean, most = s:min(), s:mean(), s:max()
    local low, high = finite_range(least, most)
    if low then
        local line = ("min %s  mean %s  max %s"):format(number_text(least), number_text(mean), number_text(most))
        return line, low, high
    end
    local stats = s:stats()
    local line = ("NaN %d  Inf %d"):format(stats.nan, stats.inf)
    if stats.min then
        line = ("%s  min %s  mean %s  max %s"):format(line, number_text(stats.min), number_text(stats.mean),
            number_text(stats.max))
    end
    return line, stats.min, stats.max
end

-- ---- pictures

-- Returns a small image by rill.show; "" if the stream cannot be drawn or all its values are equal.
local function picture(s, low, high, width)
    local shape = s.shape
    if not low or low >= high then
        return ""
    elseif #shape == 1 then
        local drawn, text = pcall(rill.show, s, { width = math.min(60, s.size, width - 2), text = true })
        return drawn and "  " .. text or ""
    end
    width = #shape == 2 and math.min(PICTURE, shape[2], width, PICTURE * shape[2] // shape[1]) or 0
    if width < 2 or shape[1] < 2 then
        return ""
    end
    local options = { width = width, text = true }
    if not s.type:find "[34]$" or low < 0 or high > 1 then
        options.min, options.max = low, high
    end
    local drawn, text = pcall(rill.show, s, options)
    return drawn and text or ""
end

--- preview(s, width) prints a stream, or the values of an expression, in lines of at most `width` characters.
return function(s, width)
    local expression = rill.type(s) == "expression"
    s = expression and s:eval() or s
    local container = rill.type(s) == "container"
    local text = container and tostring(s) or printing.text(s, width)
    if expression then
        text = text:gsub("^%l+", "expression", 1)
    end
    io.stdout:write(text, "\n")
    if text == "closed stream" or container or printing.complete(s) then
        return
    end
    local line, low, high = range_of(s)
    if line and #line + 2 > width then
        line = line:gsub("  ", "\n  ")
    end
    if line then
        io.stdout:write("  ", line, "\n")
    end
    io.stdout:write(picture(s, low, high, width))
end
