-- Draws charts in characters: with Unicode eight dots per cell (braille) and bars in eighths of a cell, otherwise ASCII
-- characters.
local terminal = require "rill.core.terminal"

-- Colors that are legible on a dark and on a light background.
local COLORS = {
    { 64, 148, 224 }, { 230, 104, 60 }, { 42, 168, 124 }, { 200, 124, 188 }, { 208, 154, 20 }, { 66, 178, 200 },
    { 160, 130, 100 }, { 138, 138, 138 },
}
local LETTERS = { "*", "+", "o", "x", "#", "@", "%", "&" }
local UNICODE = { left = "\u{2502}", tick = "\u{2524}", corner = "\u{2514}", bottom = "\u{2500}", mark = "\u{252C}" }
local PLAIN = { left = "|", tick = "+", corner = "+", bottom = "-", mark = "+" }
-- The bits of the dots of a braille cell: [column][row from the top].
local BITS = { [0] = { [0] = 0x01, 0x02, 0x04, 0x40 }, { [0] = 0x08, 0x10, 0x20, 0x80 } }

local Canvas = {}
Canvas.__index = Canvas

-- Returns a canvas of cells with down x across dots each: 4 x 2 in "braille", 2 x 1 in "halves" (the characters ' . :),
-- or 1 x 1 in "letters".
local function canvas(columns, rows, style)
    local dots = ({ braille = { 2, 4 }, halves = { 1, 2 }, letters = { 1, 1 } })[style]
    return setmetatable({
        columns = columns, rows = rows, style = style, across = dots[1], down = dots[2],
        width = columns * dots[1], height = rows * dots[2], bits = {}, owner = {}, solid = {},
    }, Canvas)
end

--- Canvas:dot(x, y, owner) sets a dot, 0-based from the lower left, of the mark number `owner`.
function Canvas:dot(x, y, owner)
    local top = self.height - 1 - y
    local cell = top // self.down * self.columns + x // self.across
    local bit = self.style == "braille" and BITS[x % 2][top % 4] or top % self.down == 0 and 1 or 2
    self.bits[cell] = (self.bits[cell] or 0) | bit
    self.owner[cell], self.solid[cell] = owner, nil
end

local function index_of(share, count)
    return math.min(math.max(math.floor(share * count), 0), count - 1)
end

--- Canvas:segment(ax, ay, bx, by, owner) sets the dots of a segment, whose coordinates are from 0 to 1.
function Canvas:segment(ax, ay, bx, by, owner)
    local x0, y0 = index_of(ax, self.width), index_of(ay, self.height)
    local x1, y1 = index_of(bx, self.width), index_of(by, self.height)
    local steps = math.max(math.abs(x1 - x0), math.abs(y1 - y0))
    for k = 0, steps do
        local t = steps > 0 and k / steps or 0
        self:dot(math.floor(x0 + (x1 - x0) * t + 0.5), math.floor(y0 + (y1 - y0) * t + 0.5), owner)
    end
end

local draw = {}

--- draw.line(self, mark) draws polylines.
function draw.line(self, mark)
    for _, run in ipairs(mark.runs) do
        self:segment(run[1], run[2], run[1], run[2], mark.number)
        for i = 3, #run, 2 do
            self:segment(run[i - 2], run[i - 1], run[i], run[i + 1], mark.number)
        end
    end
end

--- draw.scatter(self, mark) draws points, or the cells that contain points.
function draw.scatter(self, mark)
    for i = 1, #(mark.points or {}), 2 do
        self:dot(index_of(mark.points[i], self.width), index_of(mark.points[i + 1], self.height), mark.number)
    end
    if mark.cells then
        for i, flag in ipairs(mark.cells(self.width, self.height)) do
            if flag ~= 0 then
                self:dot((i - 1) % self.width, (i - 1) // self.width, mark.number)
            end
        end
    end
end

--- draw.histogram(self, mark) draws bars in whole columns of cells. A column shows the highest of its bars, in eighths
-- of a cell. Differences of 1e-9 of the width are rounding.
function draw.histogram(self, mark)
    local tops = {}
    for _, bar in ipairs(mark.bars) do
        local first, last = index_of(bar[1] + 1e-9, self.columns), index_of(bar[2] - 1e-9, self.columns)
        for x = first, last do
            -- A column shows the bar that covers its middle, and bars that are narrower than the column.
            local middle = (x + 0.5) / self.columns
            if first == last or middle >= bar[1] and middle < bar[2] then
                tops[x] = math.max(tops[x] or 0, bar[3])
            end
        end
    end
    for x, top in pairs(tops) do
        local eighths = math.max(math.floor((top - mark.base) * self.rows * 8 + 0.5), 1)
        local from = index_of(mark.base, self.rows)
        for row = from, math.min(from + (eighths - 1) // 8, self.rows - 1) do
            local cell = (self.rows - 1 - row) * self.columns + x
            self.solid[cell] = math.min(eighths - 8 * (row - from), 8)
            self.owner[cell], self.bits[cell] = mark.number, nil
        end
    end
end

--- Canvas:character(cell) returns the character of a cell.
function Canvas:character(cell)
    local bits, solid, owner = self.bits[cell], self.solid[cell], self.owner[cell]
    if self.style == "braille" then
        return solid and utf8.char(0x2580 + solid) or bits and utf8.char(0x2800 + bits) or " "
    elseif self.style == "halves" then
        return solid and (solid > 4 and "#" or "_") or bits and ({ "'", ".", ":" })[bits] or " "
    end
    return (bits or solid and solid > 4) and LETTERS[(owner - 1) % #LETTERS + 1] or solid and "_" or " "
end

-- ---- titles, legend and axes

local function length(text)
    return utf8.len(text)
end

-- Returns the first `width` characters.
local function shortened(text, width)
    if length(text) <= width then
        return text
    end
    return text:sub(1, utf8.offset(text, width + 1) - 1)
end

local function centered(text, width)
    text = shortened(text, width)
    return (" "):rep((width - length(text)) // 2) .. text
end

local function painter(able, chart)
    return function(text, number)
        local mark = chart.marks[number]
        if not able.colors or not mark or text == " " then
            return text
        end
        local c = mark.color or COLORS[(number - 1) % #COLORS + 1]
        return ("\27[%sm%s\27[0m"):format(terminal.color(able.colors, c[1], c[2], c[3]), text)
    end
end

local samples = { line = "\u{2500}\u{2500}", scatter = "\u{2022}", histogram = "\u{2588}" }

-- Returns the lines of the legend, each with as many entries "-- label" as fit.
local function legend(chart, style, width, paint)
    local lines, line, used = {}, {}, 0
    for number, mark in ipairs(chart.marks) do
        local sample = style == "braille" and samples[mark.kind] or style == "letters" and
            LETTERS[(number - 1) % #LETTERS + 1] or mark.kind == "histogram" and "#" or "."
        local label = shortened(mark.label, math.max(width - length(sample) - 1, 1))
        local size = length(sample) + 1 + length(label)
        if used > 0 and used + 2 + size > width then
            lines[#lines + 1], line, used = table.concat(line, "  "), {}, 0
        end
        line[#line + 1] = paint(sample, number) .. " " .. label
        used = used + (used > 0 and 2 or 0) + size
    end
    lines[#lines + 1] = #line > 0 and table.concat(line, "  ") or nil
    return lines
end

-- Returns the labels of the left axis by row of the canvas, and their width.
local function left_ticks(chart, rows)
    local most
    local function fits(ticks)
        for _, tick in ipairs(ticks) do
            if #tick.label > most then
                return false
            end
        end
        return true
    end
    local ticks
    for _, share in ipairs { 0.4, 0.6 } do -- of the width, for labels
        most = math.floor(chart.width * share)
        ticks = ticks and #ticks > 0 and ticks or chart.yscale:ticks_that_fit(math.max(rows // 2, 1), fits)
    end
    local by_row, width = {}, 0
    for _, tick in ipairs(ticks) do
        by_row[rows - 1 - index_of(tick.at, rows)] = tick.label
        width = math.max(width, #tick.label)
    end
    return by_row, width
end

-- Returns the column at which each label of the bottom axis begins, relative to the axis, or nil if two labels would
-- touch.
local function spread(ticks, columns, indent)
    local starts, free = {}, -indent
    for i, tick in ipairs(ticks) do
        local middle = index_of(tick.at, columns)
        local start = math.min(middle - (#tick.label - 1) // 2, columns - #tick.label)
        start = math.max(start, -indent)
        if start < free then
            return nil
        end
        starts[i], free = start, start + #tick.label + 1
    end
    return starts
end

-- Returns the line of the bottom axis and the line of its labels.
local function bottom(chart, columns, indent, glyphs)
    local ticks = chart.xscale:ticks_that_fit(math.max(columns // 8, 2), function(ticks)
        return spread(ticks, columns, indent) ~= nil
    end)
    local axis, labels, used = {}, {}, -indent
    for x = 1, columns do
        axis[x] = glyphs.bottom
    end
    local starts = spread(ticks, columns, indent)
    for i, tick in ipairs(ticks) do
        axis[index_of(tick.at, columns) + 1] = glyphs.mark
        labels[#labels + 1] = (" "):rep(starts[i] - used) .. tick.label
        used = starts[i] + #tick.label
    end
    return table.concat(axis), table.concat(labels)
end

local function style_of(chart, able)
    if able.unicode and (able.colors or #chart.marks < 2) then
        return "braille"
    end
    return #chart.marks < 2 and "halves" or "letters"
end

local function add_all(lines, more)
    for _, line in ipairs(more) do
        lines[#lines + 1] = line
    end
end

local text = {}

--- text.render(chart, able) returns the chart as a string, chart.width characters wide and chart.height lines high, for
-- a terminal with the capabilities `able`, as terminal.look returns them.
function text.render(chart, able)
    local style, paint = style_of(chart, able), painter(able, chart)
    local glyphs = able.unicode and UNICODE or PLAIN
    local lines = {}
    if chart.title then
        lines[1] = centered(chart.title, chart.width)
    end
    if chart.legend then
        add_all(lines, legend(chart, style, chart.width, paint))
    end
    if chart.ylabel then
        lines[#lines + 1] = shortened(chart.ylabel, chart.width)
    end
    local rows = math.max(chart.height - #lines - 2 - (chart.xlabel and 1 or 0), 2)
    local by_row, indent = left_ticks(chart, rows)
    local columns = chart.width - indent - 1
    local cells = canvas(columns, rows, style)
    for _, mark in ipairs(chart.marks) do
        draw[mark.kind](cells, mark)
    end
    for row = 0, rows - 1 do
        local line = {}
        for x = 0, columns - 1 do
            local cell = row * columns + x
            line[x + 1] = paint(cells:character(cell), cells.owner[cell])
        end
        local label = by_row[row] or ""
        local drawn = table.concat(line)
        if chart.note and row == rows // 2 then
            drawn = centered(chart.note, columns)
        end
        lines[#lines + 1] = (" "):rep(indent - #label) .. label .. (by_row[row] and glyphs.tick or glyphs.left) .. drawn
    end
    local axis, labels = bottom(chart, columns, indent, glyphs)
    lines[#lines + 1] = (" "):rep(indent) .. glyphs.corner .. axis
    -- The labels begin in the first column, since they may use the indent of the axis.
    lines[#lines + 1] = " " .. labels
    if chart.xlabel then
        lines[#lines + 1] = (" "):rep(indent + 1) .. centered(chart.xlabel, columns)
    end
    for i, line in ipairs(lines) do
        lines[i] = line:gsub("[ ]+$", "")
    end
    return table.concat(lines, "\n") .. "\n"
end

return text
