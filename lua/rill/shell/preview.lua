-- Prints a stream at the prompt: type and shape, the values at its corners, the range of its numbers, and a small
-- image. Only the displayed values are read back.
local rill = require "rill.core.public"
local types = require "rill.core.types"

local EDGE <const> = 3        -- rows and columns shown at each end
local WHOLE <const> = 64      -- largest number of elements that tostring shows
local PICTURE <const> = 40    -- largest width and height of the image, in pixels

local function is_number(type)
    return types.scalar(type) and type ~= "bool"
end

-- ---- values at the corners

-- Returns the ranges of a dimension that are shown: {first, last} pairs; one pair if the whole dimension is shown.
local function ends_of(size, edge)
    if size <= 2 * edge + 1 then
        return { { 1, size } }
    end
    return { { 1, edge }, { size - edge + 1, size } }
end

-- Returns the texts of a small view's elements: a list of rows.
local function texts_of(view)
    local rows = {}
    for line in tostring(view):gmatch "\n([^\n]*)" do
        local row = {}
        for text in (line .. "  "):gmatch "(.-)  " do
            row[#row + 1] = text
        end
        rows[#rows + 1] = row
    end
    return rows
end

-- Returns rows of texts of a stream of one or two dimensions, with "..." in place of omitted elements.
local function corner_texts(s, edge)
    local shape, rows = s.shape, {}
    local down = #shape == 2 and ends_of(shape[1], EDGE) or { { 1, 1 } }
    local across = ends_of(shape[#shape], edge)
    for i, rows_shown in ipairs(down) do
        local block = {}
        for j, columns_shown in ipairs(across) do
            local first, last = columns_shown[1], columns_shown[2]
            if #shape == 2 then
                first, last = { rows_shown[1], first }, { rows_shown[2], last }
            end
            for r, row in ipairs(texts_of(s:domain(first, last))) do
                block[r] = block[r] or {}
                if j > 1 then
                    table.insert(block[r], "...")
                end
                table.move(row, 1, #row, #block[r] + 1, block[r])
            end
        end
        if i > 1 then
            rows[#rows + 1] = { "..." }
        end
        table.move(block, 1, #block, #rows + 1, rows)
    end
    return rows
end

local function aligned(rows)
    local widths, lines = {}, {}
    for _, row in ipairs(rows) do
        for c, text in ipairs(#row > 1 and row or {}) do
            widths[c] = math.max(widths[c] or 0, #text)
        end
    end
    for r, row in ipairs(rows) do
        local cells = {}
        for c, text in ipairs(row) do
            cells[c] = (" "):rep((widths[c] or 0) - #text) .. text
        end
        lines[r] = #row == 1 and "  " .. row[1] or "  " .. table.concat(cells, "  ")
    end
    return lines
end

-- Returns the lines of one slab, with fewer columns if they would not fit the width.
local function slab_lines(s, width)
    local lines
    for edge = EDGE, 1, -1 do
        lines = aligned(corner_texts(s, edge))
        local widest = 0
        for _, line in ipairs(lines) do
            widest = math.max(widest, #line)
        end
        if widest <= width then
            return lines
        end
    end
    for i, line in ipairs(lines) do
        lines[i] = #line > width and line:sub(1, math.max(width - 3, 0)) .. "..." or line
    end
    return lines
end

-- Returns the names and views of the first and the last two-dimensional slab of a stream with more dimensions.
local function slabs(s)
    local shape = s.shape
    local names, views = {}, {}
    for _, last in ipairs { false, true } do
        local view, index = s, {}
        for d = 1, #shape - 2 do
            index[d] = last and shape[d] or 1
            view = view[index[d]]
        end
        names[#names + 1], views[#views + 1] = table.concat(index, ", "), view
    end
    return names, views
end

local function corner_lines(s, width)
    if #s.shape <= 2 then
        return slab_lines(s, width)
    end
    local lines = {}
    local names, views = slabs(s)
    for i, view in ipairs(views) do
        if i == 1 or names[i] ~= names[1] then
            lines[#lines + 1] = ("  [%s]"):format(names[i])
            table.move(slab_lines(view, width), 1, 2 * EDGE + 1, #lines + 1, lines)
        end
    end
    return lines
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
    local text = tostring(s)
    if expression then
        text = text:gsub("^%l+", "expression", 1)
    end
    io.stdout:write(text, "\n")
    if text == "closed stream" or rill.type(s) == "container" or s.size <= WHOLE then
        return
    end
    io.stdout:write(table.concat(corner_lines(s, width), "\n"), "\n")
    local line, low, high = range_of(s)
    if line and #line + 2 > width then
        line = line:gsub("  ", "\n  ")
    end
    if line then
        io.stdout:write("  ", line, "\n")
    end
    io.stdout:write(picture(s, low, high, width))
end
