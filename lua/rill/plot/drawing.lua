-- Draws a chart for a file on a canvas, whose coordinates are pixels from the upper left. A canvas has these methods:
--   rects(list, color, opacity)        of {x, y, width, height, ...}
--   polyline(list, width, color)       of {x1, y1, x2, y2, ...}
--   dots(list, radius, color)          of {x1, y1, ...}
--   text(x, y, text, size, anchor, color, upwards)   y is the baseline; anchor "start", "middle" or "end"
--   width_of(text, size)
--   clip(x, y, width, height), or clip() for none
--   save(path)
-- Colors are {red, green, blue}, 0 to 255.

-- Colors that are distinguishable with every type of color vision (Okabe and Ito), in an order that begins with the
-- strongest contrasts.
local COLORS = {
    { 0, 114, 178 }, { 213, 94, 0 }, { 0, 158, 115 }, { 204, 121, 167 }, { 230, 159, 0 }, { 86, 180, 233 },
    { 120, 94, 60 }, { 90, 90, 90 },
}
local INK, AXIS, GRID = { 40, 40, 40 }, { 90, 90, 90 }, { 225, 225, 225 }
local LABEL, TITLE = 12, 16 -- sizes of text
local EDGE, GAP, TICK = 14, 6, 5
local LINE, DOT, CELL = 1.6, 2.2, 2

local function color_of(mark)
    return mark.color or COLORS[(mark.number - 1) % #COLORS + 1]
end

local draw = {}

--- draw.line(canvas, mark, box) draws the polylines of a mark; a single point is a dot.
function draw.line(canvas, mark, box)
    for _, run in ipairs(mark.runs) do
        local points = {}
        for i = 1, #run, 2 do
            points[i], points[i + 1] = box.x + run[i] * box.width, box.y + (1 - run[i + 1]) * box.height
        end
        if #points == 2 then
            canvas:dots(points, DOT, color_of(mark))
        else
            canvas:polyline(points, LINE, color_of(mark))
        end
    end
end

-- Returns rectangles for the marked cells, one for each run of marked cells in a row.
local function cell_rects(mark, box)
    local nx, ny = math.max(box.width // CELL, 1), math.max(box.height // CELL, 1)
    local flags, rects = mark.cells(nx, ny), {}
    local width, height = box.width / nx, box.height / ny
    for row = 0, ny - 1 do
        local start
        for column = 0, nx do
            local marked = column < nx and flags[row * nx + column + 1] ~= 0
            if marked and not start then
                start = column
            elseif start and not marked then
                local n = #rects
                rects[n + 1], rects[n + 2] = box.x + start * width, box.y + (ny - 1 - row) * height
                rects[n + 3], rects[n + 4] = (column - start) * width, height
                start = nil
            end
        end
    end
    return rects
end

--- draw.scatter(canvas, mark, box) draws points as dots, and cells as squares.
function draw.scatter(canvas, mark, box)
    if mark.cells then
        return canvas:rects(cell_rects(mark, box), color_of(mark), 1)
    end
    local points = {}
    for i = 1, #mark.points, 2 do
        points[i] = box.x + mark.points[i] * box.width
        points[i + 1] = box.y + (1 - mark.points[i + 1]) * box.height
    end
    canvas:dots(points, DOT, color_of(mark))
end

--- draw.histogram(canvas, mark, box, opacity) draws bars, with a gap of a pixel if they are wide enough.
function draw.histogram(canvas, mark, box, opacity)
    local rects = {}
    for _, bar in ipairs(mark.bars) do
        local left, right = box.x + bar[1] * box.width, box.x + bar[2] * box.width
        local apart = right - left >= 6 and 1 or 0
        local top, bottom = math.max(bar[3], mark.base), math.min(bar[3], mark.base)
        local n = #rects
        rects[n + 1], rects[n + 2] = left, box.y + (1 - top) * box.height
        rects[n + 3], rects[n + 4] = right - left - apart, math.max((top - bottom) * box.height, 0.5)
    end
    canvas:rects(rects, color_of(mark), opacity)
end

-- ---- legend and axes

local function sample(canvas, mark, x, y)
    local color = color_of(mark)
    if mark.kind == "line" then
        canvas:polyline({ x, y - 4, x + 18, y - 4 }, 2, color)
    elseif mark.kind == "scatter" then
        canvas:dots({ x + 9, y - 4 }, 3, color)
    else
        canvas:rects({ x + 4, y - 9, 10, 10 }, color, 1)
    end
end

-- Draws the legend from y on. Returns the y of its lower end.
local function legend(canvas, chart, y)
    local x, right = EDGE, chart.width - EDGE
    y = y + LABEL
    for _, mark in ipairs(chart.marks) do
        local width = 24 + canvas:width_of(mark.label, LABEL)
        if x > EDGE and x + width > right then
            x, y = EDGE, y + LABEL + GAP
        end
        sample(canvas, mark, x, y)
        canvas:text(x + 24, y, mark.label, LABEL, "start", INK)
        x = x + width + 18
    end
    return y + 4
end

local function y_axis(chart, canvas, height)
    local ticks = chart.yscale:ticks(math.max(height // 45, 2))
    local width = 0
    for _, tick in ipairs(ticks) do
        width = math.max(width, canvas:width_of(tick.label, LABEL))
    end
    return ticks, math.ceil(width)
end

local function x_axis(chart, canvas, width)
    return chart.xscale:ticks_that_fit(math.max(width // 60, 2), function(ticks)
        local free = -math.huge
        for _, tick in ipairs(ticks) do
            local half = canvas:width_of(tick.label, LABEL) / 2
            if tick.at * width - half < free then
                return false
            end
            free = tick.at * width + half + 10
        end
        return true
    end)
end

-- Returns the middle of a pixel, where a thin line is sharp.
local function sharp(v)
    return math.floor(v) + 0.5
end

local function axes(canvas, chart, box, xticks, yticks)
    local bottom, right = box.y + box.height, box.x + box.width
    for _, tick in ipairs(xticks) do
        local x = sharp(box.x + tick.at * box.width)
        canvas:polyline({ x, box.y, x, bottom }, 1, GRID)
        canvas:polyline({ x, bottom, x, bottom + TICK }, 1, AXIS)
        canvas:text(x, bottom + TICK + GAP + 9, tick.label, LABEL, "middle", INK)
    end
    for _, tick in ipairs(yticks) do
        local y = sharp(bottom - tick.at * box.height)
        canvas:polyline({ box.x, y, right, y }, 1, GRID)
        canvas:polyline({ box.x - TICK, y, box.x, y }, 1, AXIS)
        canvas:text(box.x - TICK - 4, y + 4, tick.label, LABEL, "end", INK)
    end
    if chart.xlabel then
        canvas:text(box.x + box.width / 2, chart.height - EDGE, chart.xlabel, LABEL, "middle", INK)
    end
    if chart.ylabel then
        canvas:text(EDGE + 9, box.y + box.height / 2, chart.ylabel, LABEL, "middle", INK, true)
    end
end

local function marks_of(canvas, chart, box)
    local histograms = 0
    for _, mark in ipairs(chart.marks) do
        histograms = histograms + (mark.kind == "histogram" and 1 or 0)
    end
    canvas:clip(box.x, box.y - 2, box.width, box.height + 4)
    for _, mark in ipairs(chart.marks) do
        draw[mark.kind](canvas, mark, box, histograms > 1 and 0.6 or 1)
    end
    canvas:clip()
end

return function(chart, canvas)
    local top = EDGE
    if chart.title then
        canvas:text(chart.width / 2, top + 13, chart.title, TITLE, "middle", INK)
        top = top + TITLE + GAP + 2
    end
    if chart.legend and #chart.marks > 0 then
        top = legend(canvas, chart, top) + GAP
    end
    local below = TICK + GAP + LABEL + (chart.xlabel and LABEL + GAP + 4 or 0) + EDGE
    local height = math.max(chart.height - top - below, 20)
    local yticks, labels = y_axis(chart, canvas, height)
    local left = EDGE + (chart.ylabel and LABEL + GAP + 2 or 0) + labels + TICK + 4
    local width = math.max(chart.width - left - EDGE - 8, 20)
    local xticks = x_axis(chart, canvas, width)
    local box = {
        x = math.floor(left) + 0.5, y = math.floor(top) + 0.5, width = math.floor(width), height = math.floor(height),
    }
    axes(canvas, chart, box, xticks, yticks)
    marks_of(canvas, chart, box)
    local right, bottom = box.x + box.width, box.y + box.height
    canvas:polyline({ box.x, box.y, box.x, bottom, right, bottom }, 1, AXIS)
    if chart.note then
        canvas:text(box.x + box.width / 2, box.y + box.height / 2, chart.note, TITLE, "middle", AXIS)
    end
end
