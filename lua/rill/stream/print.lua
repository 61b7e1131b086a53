-- Implements tostring(s): type, shape and elements of a stream. Of a large stream only the first and the last elements
-- are read back.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"

local printing = {}

local MOST <const> = (1 << 31) - 1 -- the largest number of elements of a stream
local DIGITS <const> = option.number(1, 17)
local UNITS <const> = {"KiB", "MiB", "GiB", "TiB"}
local GAP <const> = "..." -- stands for omitted elements, rows and slabs

-- ---- options

local known = {
    precision = {function(v) return v == "auto" or DIGITS[1](v) end, DIGITS[2] .. ' or "auto"', "auto"},
    threshold = option.number(0, MOST, 100),
    edge_items = option.number(1, 1000, 3),
    width = option.number(1, 10000, 80),
}
local settings = option.take("rill.print_options", nil, known)

--- rill.print_options([options]) sets how streams are printed, and returns a table of the former options, with which
-- rill.print_options restores them. An option that is absent is unchanged. Raises for unknown options and for values
-- out of range.
--   precision   the number of significant digits of floats, 1 to 17. Default: "auto", which is 14 for double, else 7
--   threshold   the largest number of elements that a stream may have to be printed completely. Default: 100
--   edge_items  of larger streams, the number of elements at both ends of a row, and of rows at both ends of a matrix.
--               Default: 3
--   width       the number of characters of a line. Default: 80. The prompt uses the width of the terminal
function printing.print_options(options)
    local former, rows = settings, {}
    for name, row in pairs(known) do
        rows[name] = option.default(row, former[name])
    end
    settings = option.take("rill.print_options", options, rows)
    for name, value in pairs(settings) do
        settings[name] = math.tointeger(value) or value -- 3.0 is accepted
    end
    return former
end

--- printing.settings() returns the table of the options, which must not be changed.
function printing.settings()
    return settings
end

--- printing.digits() returns the number of significant digits of floats; 0 means the default of each type.
function printing.digits()
    return settings.precision == "auto" and 0 or settings.precision
end

--- printing.complete(s) returns whether all elements of a stream are printed.
function printing.complete(s)
    return s.size <= settings.threshold
end

-- ---- elements

-- Returns the parts of a dimension that are printed, as a list of {first, last}.
local function parts_of(size, edge, all)
    if all or size <= 2 * edge + 1 then
        return {{1, size}}
    end
    return {{1, edge}, {size - edge + 1, size}}
end

-- Appends the rows of a stream of one or two dimensions to `rows`: tables of texts, and GAP in place of omitted rows.
local function add_rows(rows, s, all)
    local shape, edge = s.shape, settings.edge_items
    local digits = printing.digits()
    for i, down in ipairs(parts_of(#shape > 1 and shape[1] or 1, edge, all)) do
        rows[#rows + 1] = i > 1 and GAP or nil
        local base = #rows
        for _, across in ipairs(parts_of(shape[#shape], edge, all)) do
            local first, last = across[1], across[2]
            local columns = last - first + 1
            if #shape > 1 then
                first, last = {down[1], first}, {down[2], last}
            end
            for k, text in ipairs(core._element_texts(s:domain(first, last), digits)) do
                local at = base + (k - 1) // columns + 1
                rows[at] = rows[at] or {}
                table.insert(rows[at], text)
            end
        end
    end
end

-- Appends the rows of a stream of any rank to `rows`. Each matrix of a stream of more dimensions follows a line with
-- its indices.
local function add_slabs(rows, s, all, index)
    local shape = s.shape
    if #shape <= 2 then
        rows[#rows + 1] = index and ("[%s]"):format(index) or nil
        return add_rows(rows, s, all)
    end
    for i, part in ipairs(parts_of(shape[1], 1, all)) do
        rows[#rows + 1] = i > 1 and GAP or nil
        for k = part[1], part[2] do
            add_slabs(rows, s[k], all, (index and index .. ", " or "") .. k)
        end
    end
end

-- ---- lines

-- Returns the width of each column of the rows.
local function widths_of(rows)
    local widths = {}
    for _, row in ipairs(rows) do
        for c, text in ipairs(type(row) == "table" and row or {}) do
            widths[c] = math.max(widths[c] or 0, #text)
        end
    end
    return widths
end

-- Returns the width of a line of columns.
local function line_width(widths)
    local sum = -2
    for _, width in ipairs(widths) do
        sum = sum + width + 2
    end
    return sum
end

-- Returns the first and the last `edge` items of a list, with `gap` between them.
local function ends_of(list, edge, gap)
    local ends = table.move(list, 1, edge, 1, {})
    ends[edge + 1] = gap
    return table.move(list, #list - edge + 1, #list, edge + 2, ends)
end

-- Appends a row to the lines, in lines of at most `width` characters. `indent` is the beginning of continued lines.
local function add_line(lines, row, widths, width, indent)
    local line
    for c, text in ipairs(row) do
        text = (" "):rep(widths[c] - #text) .. text
        if not line then
            line = text
        elseif #line + 2 + #text <= width then
            line = line .. "  " .. text
        else
            lines[#lines + 1], line = line, indent .. text
        end
    end
    lines[#lines + 1] = line
end

-- Returns the lines of a stream of one dimension. Its elements are aligned if they take several lines.
local function vector_lines(row, cut, width)
    row = cut and ends_of(row, #row // 2, GAP) or row
    local widths, widest = {}, 0
    for c, text in ipairs(row) do
        widths[c], widest = #text, math.max(widest, #text)
    end
    if line_width(widths) > width then
        for c in ipairs(row) do
            widths[c] = widest
        end
    end
    local lines = {}
    add_line(lines, row, widths, width, "")
    return lines
end

-- Returns the lines of rows. If the middle columns are omitted (`cut`), more columns are omitted until a row fits.
local function matrix_lines(rows, cut, width)
    local widths = widths_of(rows)
    local edge, shown = #widths // 2, widths
    if cut then
        shown = ends_of(widths, edge, #GAP)
        while edge > 1 and line_width(shown) > width do
            edge = edge - 1
            shown = ends_of(widths, edge, #GAP)
        end
    end
    local lines = {}
    for _, row in ipairs(rows) do
        if type(row) == "table" then
            add_line(lines, cut and ends_of(row, edge, GAP) or row, shown, width, "  ")
        else
            lines[#lines + 1] = row
        end
    end
    return lines
end

local function bytes_text(bytes)
    local unit = 0
    while bytes >= 1024 and unit < #UNITS do
        bytes, unit = bytes / 1024, unit + 1
    end
    return unit == 0 and bytes .. " bytes" or ("%.1f %s"):format(bytes, UNITS[unit])
end

--- printing.text(s [, width]) returns the text of a stream, in lines of at most `width` characters if the elements
-- permit it. Default of width: the option of rill.print_options.
printing.text = errors.guard(function(s, width)
    if not core._is_open(s) then
        return "closed stream"
    end
    width = width or settings.width
    local shape, all, rows = s.shape, printing.complete(s), {}
    local cut = not all and shape[#shape] > 2 * settings.edge_items + 1
    local text = ("stream<%s>[%s] %s%s"):format(s.type, shape, bytes_text(s.nbytes),
        core._has_indices(s) and ", 0-based indices" or "")
    if s.size == 0 then
        return text
    end
    add_slabs(rows, s, all)
    local lines = #shape == 1 and vector_lines(rows[1], cut, width) or matrix_lines(rows, cut, width)
    return text .. "\n" .. table.concat(lines, "\n")
end)

return printing
