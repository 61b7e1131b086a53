-- The text of a table: names, types and rows in aligned columns. Of a large table only the first and the last rows are
-- read back.
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local core = require "rill.core"
local printing = require "rill.stream.print"

local printed = {}

local LONGEST <const> = 32 -- characters of a cell
local GAP <const> = "..."

-- Returns a number with separators of thousands.
local function thousands(n)
    local text = tostring(n)
    return (text:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", ""))
end

-- Returns the number of characters of a text; of its bytes if it is not UTF-8.
local function width_of(text)
    return utf8.len(text) or #text
end

-- Returns a text of one line, which is truncated if it is long.
local function cell(text)
    text = text:gsub("[%c\127]", function(c)
        return c == "\n" and "\\n" or c == "\t" and "\\t" or ("\\x%02X"):format(c:byte())
    end)
    if width_of(text) <= LONGEST then
        return text
    end
    local cut = utf8.len(text) and utf8.offset(text, LONGEST - #GAP + 1) or LONGEST - #GAP + 1
    return text:sub(1, cut - 1) .. GAP
end

-- Returns the texts of numbers. By default a double has 7 significant digits, unless its shortest text is shorter.
local function numbers_of(s, digits)
    local texts = core._element_texts(s, digits)
    if digits == 0 and s.type == "double" then
        for i, short in ipairs(core._element_texts(s, 7)) do
            if short:find("e+", 1, true) and not texts[i]:find "e" then -- 1e+09 of 1000000000.25
                short = ("%.1f"):format(tonumber(texts[i]))
            end
            texts[i] = #short < #texts[i] and texts[i]:find("[.e]") and short or texts[i]
        end
    end
    return texts
end

-- Returns the texts of the rows of a column.
local function texts_of(s)
    if s.size == 0 then
        return {}
    elseif not categories.of(s) then
        return numbers_of(s, printing.digits())
    end
    local texts = columns.texts(s, "(missing)")
    for i, text in ipairs(texts) do
        texts[i] = cell(text)
    end
    return texts
end

-- Returns the cells of a column: name, type, the first rows, and after a gap the last rows.
local function cells_of(name, s, head, tail)
    if not core._is_open(s) then
        local closed <const> = "closed stream"
        return {cells = {cell(name), closed}, width = math.max(width_of(cell(name)), #closed), left = false}
    end
    local cells = {cell(name), columns.kind(s)}
    table.move(texts_of(columns.range(s, 1, head)), 1, head, 3, cells)
    if tail > 0 then
        cells[#cells + 1] = GAP
        table.move(texts_of(columns.range(s, s.size - tail + 1, s.size)), 1, tail, #cells + 1, cells)
    end
    local width = 0
    for _, text in ipairs(cells) do
        width = math.max(width, width_of(text))
    end
    return {cells = cells, width = width, left = categories.of(s) ~= nil}
end

-- Returns the columns that fit into a line: the first ones and the last one, with the number of those between.
local function fitting(all, width)
    local sum, shown = -2, {}
    for _, column in ipairs(all) do
        sum = sum + column.width + 2
    end
    if sum <= width or #all <= 2 then
        return all, 0
    end
    local left = width - all[#all].width - 2 - #GAP
    for i = 1, #all - 1 do
        left = left - all[i].width - 2
        if left < 0 and i > 1 then
            break
        end
        shown[i] = all[i]
    end
    local hidden <const> = #all - 1 - #shown
    if hidden > 0 then
        local dots = {cells = {}, width = #GAP, left = true}
        for i = 1, #all[1].cells do
            dots.cells[i] = GAP
        end
        shown[#shown + 1] = dots
    end
    shown[#shown + 1] = all[#all]
    return shown, hidden
end

--- printed.text(t [, width]) returns the text of a table, in lines of at most `width` characters if at least two
-- columns fit. Default of width: the option of rill.print_options.
function printed.text(t, width)
    local state <const> = rawget(t, "_state")
    local rows, count <const> = state.rows, #state.names
    local settings = printing.settings()
    local all = {}
    local head, tail = rows, 0
    if rows > math.min(settings.threshold, 20) then
        head = math.min(math.max(settings.edge_items, 5), rows)
        tail = math.min(head, rows - head)
    end
    for i, name in ipairs(state.names) do
        all[i] = cells_of(name, state.columns[name], head, tail)
    end
    local shown, hidden = fitting(all, width or settings.width)
    local lines = {("frame: %s row%s, %d column%s%s"):format(thousands(rows), rows == 1 and "" or "s", count,
        count == 1 and "" or "s", hidden > 0 and (", %d not shown"):format(hidden) or "")}
    local most = 0
    for _, column in ipairs(all) do
        most = math.max(most, #column.cells)
    end
    for i = 1, most do
        local parts = {}
        for k, column in ipairs(shown) do
            local text = column.cells[i] or ""
            local space = (" "):rep(column.width - width_of(text))
            parts[k] = column.left and text .. space or space .. text
        end
        lines[#lines + 1] = table.concat(parts, "  "):gsub(" +$", "")
    end
    return table.concat(lines, "\n")
end

return printed
