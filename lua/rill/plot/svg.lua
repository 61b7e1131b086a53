-- A canvas (see drawing.lua) that writes SVG.
local core = require "rill.core"

local Canvas = {}
Canvas.__index = Canvas

local SIZE = 0.58 -- estimated width of a character, relative to the text size, since the viewer's font is not known

--- Canvas.new(width, height) returns an empty canvas.
function Canvas.new(width, height)
    return setmetatable({ width = width, height = height, parts = {}, clips = 0 }, Canvas)
end

local function number(v)
    return (("%.1f"):format(v):gsub("%.0$", ""))
end

local function hex(color)
    return ("#%02x%02x%02x"):format(color[1], color[2], color[3])
end

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

local function escape(text)
    return (text:gsub('[&<>"]', entities))
end

local function add(self, format, ...)
    self.parts[#self.parts + 1] = format:format(...)
end

--- Canvas:rects(list, color, opacity) adds rectangles as one path.
function Canvas:rects(list, color, opacity)
    local path = {}
    for i = 1, #list, 4 do
        local w, h = number(list[i + 2]), number(list[i + 3])
        path[#path + 1] = ("M%s %sh%sv%sh-%sz"):format(number(list[i]), number(list[i + 1]), w, h, w)
    end
    if #path > 0 then
        local faint = opacity < 1 and (' fill-opacity="%s"'):format(number(opacity)) or ""
        add(self, '<path fill="%s"%s shape-rendering="crispEdges" d="%s"/>', hex(color), faint, table.concat(path))
    end
end

--- Canvas:polyline(list, width, color) adds a polyline. Omits points that coincide with the previous one to a tenth of
-- a pixel.
function Canvas:polyline(list, width, color)
    local points, last = {}, nil
    for i = 1, #list, 2 do
        local point = number(list[i]) .. "," .. number(list[i + 1])
        if point ~= last then
            points[#points + 1], last = point, point
        end
    end
    if #points == 1 then
        points[2] = last
    end
    local ends = #list > 4 and "round" or "butt"
    local style = ('stroke="%s" stroke-width="%s" stroke-linejoin="round" stroke-linecap="%s"'):format(
        hex(color), number(width), ends)
    add(self, '<polyline fill="none" %s points="%s"/>', style, table.concat(points, " "))
end

--- Canvas:dots(list, radius, color) adds circles as one path.
function Canvas:dots(list, radius, color)
    local path, r = {}, number(radius)
    for i = 1, #list, 2 do
        path[#path + 1] = ("M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 -%s 0z"):format(number(list[i] - radius),
            number(list[i + 1]), r, r, number(2 * radius), r, r, number(2 * radius))
    end
    if #path > 0 then
        add(self, '<path fill="%s" d="%s"/>', hex(color), table.concat(path))
    end
end

--- Canvas:text(x, y, text, size, anchor, color, upwards) adds a text element.
function Canvas:text(x, y, text, size, anchor, color, upwards)
    local place = ('x="%s" y="%s"'):format(number(x), number(y))
    if upwards then
        place = place .. (' transform="rotate(-90 %s %s)"'):format(number(x), number(y))
    end
    local style = ('font-size="%d" text-anchor="%s" fill="%s"'):format(size, anchor, hex(color))
    add(self, "<text %s %s>%s</text>", place, style, escape(text))
end

--- Canvas:width_of(text, size) returns an estimate of the width of a text.
function Canvas.width_of(_, text, size)
    return utf8.len(text) * size * SIZE
end

--- Canvas:clip(x, y, width, height) begins a group with a clipping path; without arguments, ends the group.
function Canvas:clip(x, y, width, height)
    if not x then
        add(self, "</g>")
        return
    end
    self.clips = self.clips + 1
    local rect = ('<rect x="%s" y="%s" width="%s" height="%s"/>'):format(
        number(x), number(y), number(width), number(height))
    add(self, '<clipPath id="rill-%d">%s</clipPath><g clip-path="url(#rill-%d)">', self.clips, rect, self.clips)
end

--- Canvas:save(path) writes the SVG file.
function Canvas:save(path)
    local width, height = self.width, self.height
    local size = ('width="%d" height="%d" viewBox="0 0 %d %d"'):format(width, height, width, height)
    local failed = core._write(path, table.concat {
        '<svg xmlns="http://www.w3.org/2000/svg" ', size, ' font-family="sans-serif">\n',
        '<rect width="100%" height="100%" fill="#ffffff"/>\n', table.concat(self.parts, "\n"), "\n</svg>\n",
    })
    if failed then
        error({ "rill.plot: " .. failed }, 0)
    end
end

return Canvas
