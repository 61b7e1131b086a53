-- Images of distributed streams of rill.mpi. Each rank computes the sums of the samples of pixels that are in its part,
-- and sends them to the first rank, which adds them.
local rill = require "rill.core.public"
local picture = require "rill.live.picture"
local template = require "rill.glsl.template"

local sections <const> = template.sections "pieces"

local ranks = {}

--- ranks.is(value) returns whether a value is a distributed stream.
function ranks.is(value)
    return rill.type(value) == "mpi.stream"
end

--- ranks.is_closed(d) returns whether a distributed stream was closed.
function ranks.is_closed(d)
    return tostring(d):find "^closed" ~= nil
end

--- ranks.request(one, d, options, whole) returns what all ranks have to know to draw the panel of a distributed stream.
-- `whole`: the first rank also needs all elements, for a recording.
function ranks.request(one, d, options, whole)
    local part, shown = picture.visible(d.shape, one.view, one.size)
    return {name = one.name, part = part, shown = shown, whole = whole, probe = one.probe,
        extent = not (options.min and options.max)}
end

-- Returns the first pixel, from 0, and the number of pixels along one direction of which samples can be in a part.
local function pixels(request, axis, first, count)
    local from, scale = request.part[axis] - 1, request.part[axis + 2] / request.shown[axis]
    local low = math.max(math.floor((first - from) / scale) - 1, 0)
    return low, math.min(math.ceil((first + count - from) / scale) + 1, request.shown[axis]) - low
end

--- ranks.piece(d, request) returns what this rank sends to the first one.
function ranks.piece(d, request)
    local s, first = d.part, d.first
    local section, T, white = picture.drawn(d.type)
    local result = {}
    if s.size > 0 then
        local rows, columns, row, column = s.shape[1], s.shape[2], first[1] - 1, first[2] - 1
        if not white and request.extent then
            result.low, result.high = picture.extent(s)
        end
        if request.probe then
            result.probed = picture.probed(request.probe, s, row, column)
        end
        local top, high = pixels(request, 1, row, rows)
        local left, wide = pixels(request, 2, column, columns)
        if high > 0 and wide > 0 then
            local part, shown = request.part, request.shown
            local scale = {part[4] / shown[2], part[3] / shown[1]}
            result.top, result.left = top, left
            local gray <const> = section == "gray"
            result.sums = sections.sums:kernel {T = T, S = gray and "float" or T, n = picture.samples(scale)} {
                a = not gray and T ~= s.type and s:cast(T) or s,
                origin = {part[2] - 1, part[1] - 1},
                scale = scale, pixel = {left, top}, first = {column, row}, count = {columns, rows},
                shape = {high, wide},
            }
        end
    end
    return result
end

--- ranks.draw(one, d, request, pieces, options) returns the description of an image, as picture.draw, and the text of
-- the element under the pointer or nil.
function ranks.draw(one, d, request, pieces, options)
    local section, T, white = picture.drawn(d.type)
    local gray <const> = section == "gray"
    local sums <close> = rill.stream(gray and "float" or T, request.shown)
    local low, high, probed = math.huge, -math.huge, nil
    for _, piece in ipairs(pieces) do
        low, high = math.min(low, piece.low or low), math.max(high, piece.high or high)
        probed = probed or piece.probed
        if piece.sums then
            local size = piece.sums.shape
            local box = sums:domain({piece.top + 1, piece.left + 1}, {piece.top + size[1], piece.left + size[2]})
            box:write(box + piece.sums)
            piece.sums:close()
        end
    end
    low, high = picture.range(options, white, function() return low, high end)
    local scale = {request.part[4] / request.shown[2], request.part[3] / request.shown[1]}
    local target = picture.target(one, gray, request.shown)
    sections[section]:kernel {T = T, n = picture.samples(scale)} {
        a = sums, low = low, factor = 1 / (high - low), c = target,
    }
    return {pixels = target, min = low, max = high, view = request.part, shown = request.shown,
        channels = gray and 1 or 4, rows = d.shape[1], columns = d.shape[2]}, probed
end

return ranks
