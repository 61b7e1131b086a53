-- A canvas (see drawing.lua) of pixels, saved as PNG. A call first computes the coverage of each pixel, the largest one
-- where strokes overlap, and then blends once, so that joints show no seams.
local rill = require "rill.core.public"
local font = require "rill.plot.font"

local Canvas = {}
Canvas.__index = Canvas

local LARGEST = 4096
local WHITE = 0xffffff

--- Canvas.new(width, height) returns a white canvas.
function Canvas.new(width, height)
    if math.max(width, height) > LARGEST then
        error({ ("rill.plot: options 'width' and 'height': a PNG has at most %d pixels each way, got %d x %d"):format(
            LARGEST, width, height) }, 0)
    end
    local self = setmetatable({ width = width, height = height, pixels = {} }, Canvas)
    self:clip()
    return self
end

--- Canvas:clip(x, y, width, height) restricts later drawing to a rectangle, or, without arguments, to the whole canvas.
function Canvas:clip(x, y, width, height)
    self.left, self.top = math.max(math.floor(x or 0), 0), math.max(math.floor(y or 0), 0)
    self.right = math.min(math.ceil(x and x + width or self.width), self.width) - 1
    self.bottom = math.min(math.ceil(y and y + height or self.height), self.height) - 1
end

local function mixed(old, new, share)
    return math.floor(old + (new - old) * share + 0.5)
end

-- Blends a color into the pixels. cover: the coverage by pixel, 0 to 1.
local function blend(self, cover, color, opacity)
    local pixels = self.pixels
    for pixel, share in pairs(cover) do
        local old = pixels[pixel] or WHITE
        share = share * opacity
        pixels[pixel] = mixed(old >> 16, color[1], share) << 16 | mixed(old >> 8 & 255, color[2], share) << 8 |
            mixed(old & 255, color[3], share)
    end
end

-- Adds the coverage of the points within `half` of a segment. It steps along the longer axis, and for each step across
-- the width of the stroke.
local function stroke(self, cover, ax, ay, bx, by, half)
    local dx, dy, reach = bx - ax, by - ay, half + 0.5
    local square = dx * dx + dy * dy
    local steep = math.abs(dy) > math.abs(dx)
    local long, from, along = math.sqrt(square), steep and ay or ax, steep and dy or dx
    local across = along ~= 0 and reach * long / math.abs(along) or reach
    local low, high = steep and self.top or self.left, steep and self.bottom or self.right
    local least, most = steep and self.left or self.top, steep and self.right or self.bottom
    local first = math.max(math.floor(math.min(from, from + along) - reach), low)
    for major = first, math.min(math.floor(math.max(from, from + along) + reach), high) do
        local t = along ~= 0 and math.min(math.max((major + 0.5 - from) / along, 0), 1) or 0
        local middle = steep and ax + t * dx or ay + t * dy
        for minor = math.max(math.floor(middle - across), least), math.min(math.floor(middle + across), most) do
            local x, y = steep and minor or major, steep and major or minor
            local px, py = x + 0.5 - ax, y + 0.5 - ay
            local s = square > 0 and math.min(math.max((px * dx + py * dy) / square, 0), 1) or 0
            px, py = px - s * dx, py - s * dy
            local share = reach - math.sqrt(px * px + py * py)
            if share > 0 then
                local pixel = y * self.width + x
                share = math.min(share, 1)
                if share > (cover[pixel] or 0) then
                    cover[pixel] = share
                end
            end
        end
    end
end

--- Canvas:polyline(list, width, color) draws strokes with round ends, or a horizontal or vertical segment with straight
-- ends.
function Canvas:polyline(list, width, color)
    local cover, straight = {}, #list == 4 and (list[1] == list[3] or list[2] == list[4])
    if straight then -- exact ends
        local half = width / 2
        local x, y = math.min(list[1], list[3]), math.min(list[2], list[4])
        local across, down = math.abs(list[3] - list[1]), math.abs(list[4] - list[2])
        local rect = across > 0 and { x, y - half, across, width } or { x - half, y, width, down }
        return self:rects(rect, color, 1)
    end
    for i = 3, #list, 2 do
        stroke(self, cover, list[i - 2], list[i - 1], list[i], list[i + 1], width / 2)
    end
    blend(self, cover, color, 1)
end

--- Canvas:dots(list, radius, color) draws discs.
function Canvas:dots(list, radius, color)
    local cover = {}
    for i = 1, #list, 2 do
        stroke(self, cover, list[i], list[i + 1], list[i], list[i + 1], radius)
    end
    blend(self, cover, color, 1)
end

-- Returns the share of pixel k, from k to k + 1, that is between `from` and `to`.
local function inside(k, from, to)
    return math.max(math.min(to, k + 1) - math.max(from, k), 0)
end

--- Canvas:rects(list, color, opacity) draws rectangles, with partial coverage of the pixels at their edges.
function Canvas:rects(list, color, opacity)
    local cover = {}
    for i = 1, #list, 4 do
        local x0, y0 = list[i], list[i + 1]
        local x1, y1 = x0 + list[i + 2], y0 + list[i + 3]
        for y = math.max(math.floor(y0), self.top), math.min(math.ceil(y1) - 1, self.bottom) do
            local row = inside(y, y0, y1)
            for x = math.max(math.floor(x0), self.left), math.min(math.ceil(x1) - 1, self.right) do
                local pixel = y * self.width + x
                cover[pixel] = math.min((cover[pixel] or 0) + row * inside(x, x0, x1), 1)
            end
        end
    end
    blend(self, cover, color, opacity)
end

--- Canvas:text(x, y, text, size, anchor, color, upwards) draws a text by the strokes of the font.
function Canvas:text(x, y, text, size, anchor, color, upwards)
    local width = font.width(text, size)
    local shift = anchor == "middle" and width / 2 or anchor == "end" and width or 0
    -- Starts at the middle of a pixel, where vertical and horizontal strokes are sharp.
    local ox = math.floor((upwards and x or x - shift) + 0.5) + 0.5
    local oy = math.floor((upwards and y + shift or y) + 0.5) - 0.5
    local cover = {}
    for ax, ay, bx, by in font.strokes(text, size) do
        if upwards then
            stroke(self, cover, ox - ay, oy - ax, ox - by, oy - bx, font.half(size))
        else
            stroke(self, cover, ox + ax, oy - ay, ox + bx, oy - by, font.half(size))
        end
    end
    blend(self, cover, color, 1)
end

--- Canvas:width_of(text, size) returns the width of a text in pixels.
function Canvas.width_of(_, text, size)
    return font.width(text, size)
end

--- Canvas:save(path) writes the PNG file.
function Canvas:save(path)
    local rows, pixels = {}, self.pixels
    local blank = ("<I4"):pack(0xff000000 | WHITE)
    local packed = { [WHITE] = blank } -- [color] = its four bytes
    for y = 0, self.height - 1 do
        local row, first = {}, y * self.width
        for x = 0, self.width - 1 do
            local color = pixels[first + x]
            local bytes = color and packed[color] or blank
            if color and not packed[color] then
                bytes = string.char(color >> 16, color >> 8 & 255, color & 255, 255)
                packed[color] = bytes
            end
            row[x + 1] = bytes
        end
        rows[y + 1] = table.concat(row)
    end
    local picture = rill.stream("unorm8x4", { self.height, self.width }, table.concat(rows))
    local saved, reason = pcall(rill.image.save, picture.rgb:eval(), path)
    if not saved then
        error({ (tostring(reason):gsub("rill.image.save", "rill.plot", 1)) }, 0)
    end
end

return Canvas
