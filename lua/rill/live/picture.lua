-- Images of panels: reduces the visible part of a stream on the device to at most the size of the panel, and converts
-- it to levels of gray or colors of 8 bits, which are read back.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local types = require "rill.core.types"
local template = require "rill.glsl.template"
local fail <const> = errors.fail

local SAMPLES <const> = {1, 2, 3, 4, 6, 8} -- numbers of samples per pixel and direction
local PAGES <const> = 512 -- longest side of the image of a container's pages, in pixels

local sections <const> = template.sections "reduce"
local gray <const> = "gray"

local picture = {}

--- picture.drawn(name) returns the template, the type in the kernel, and the value of white or nil, for a type of
-- streams that can be drawn; nil for other types.
function picture.drawn(name)
    local row = types.list[name]
    local scalar = types.seen_scalar(name)
    if row.components == 1 then
        local unit = types.is_real(name) or scalar == "bool"
        return gray, scalar, unit and 1 or scalar == "uint" and row.bytes < 4 and (1 << 8 * row.bytes) - 1 or nil
    elseif types.is_real(name) and row.components > 2 then
        return "color", "vec" .. row.components, 1
    end
end
local drawn <const> = picture.drawn

--- picture.extent(s) returns the smallest and the largest finite number of a stream.
function picture.extent(s)
    local low, high = s:min(), s:max()
    if low - low ~= 0 or high - high ~= 0 then
        local stats = s:stats()
        low, high = stats.min or 0, stats.max or 1
    end
    return low, high
end

-- Raises unless a stream can be drawn.
local function check_stream(where, s, options)
    local section = drawn(s.type)
    if not section or #s.shape ~= 2 or s.size == 0 then
        fail("%s: expected a stream that is not empty, of two dimensions of numbers, vec3 or vec4, got stream<%s>[%s]",
            where, s.type, tostring(s.shape))
    elseif options and options.colormap and section ~= gray then
        fail("%s: option 'colormap': expected a stream of numbers, got a stream of %s", where, s.type)
    end
    return s
end

--- picture.check(where, s, options) raises unless a value can be drawn: a stream, an expression or a container.
-- Expressions are not evaluated.
function picture.check(where, s, options)
    local kind = rill.type(s)
    if kind == "stream" and not errors.not_open(s) or kind == "mpi.stream" then
        check_stream(where, s, options)
    elseif kind ~= "container" and kind ~= "expression" then
        errors.open(where, s)
    end
end

--- picture.stream(where, s) returns a stream of two dimensions for a value that can be drawn.
function picture.stream(where, s)
    if rill.type(s) == "container" or rill.type(s) == "expression" and s._sparse then
        return core._picture(rill.type(s) == "expression" and s:eval() or s, PAGES)
    end
    return check_stream(where, errors.open(where, s))
end

--- picture.range(options, white, extent, ...) returns the range of values that is drawn. extent(...) returns the
-- smallest and the largest number.
function picture.range(options, white, extent, ...)
    local low, high = options.min, options.max
    if not white and not (low and high) then
        local least, most = extent(...)
        low, high = low or least, high or most
    end
    low, high = low or 0, high or white
    return low, high ~= low and high or low + 1
end

--- picture.full_options(s, options) returns the options with the range of values, for rill.image.save.
function picture.full_options(s, options)
    local section, _, white = drawn(s.type)
    if section ~= gray or white then
        return options
    end
    local low, high = picture.range(options, white, picture.extent, s)
    return {min = low, max = high, colormap = options.colormap}
end

--- picture.visible(shape, view, size) returns the visible part {row, column, rows, columns}, 1-based, and the size of
-- its image {rows, columns}. If elements are not reduced, the part consists of whole elements.
function picture.visible(shape, view, size)
    local rows, columns = shape[1], shape[2]
    local row, column, high, wide = 1, 1, rows, columns
    if view then
        high, wide = math.min(view[3], rows), math.min(view[4], columns)
        row = math.min(math.max(view[1], 1), rows + 1 - high)
        column = math.min(math.max(view[2], 1), columns + 1 - wide)
    end
    local scale = math.min(size[1] / high, size[2] / wide)
    if scale >= 1 then
        local last_row, last_column = math.ceil(row + high - 1e-6), math.ceil(column + wide - 1e-6)
        row, column = math.floor(row), math.floor(column)
        high, wide = math.max(last_row - row, 1), math.max(last_column - column, 1)
        return {row, column, high, wide}, {high, wide}
    end
    return {row, column, high, wide}, {math.max(math.ceil(high * scale - 0.5), 1),
        math.max(math.ceil(wide * scale - 0.5), 1)}
end

--- picture.samples(scale) returns the number of samples per pixel and direction for pixels of scale[1] x scale[2]
-- elements.
function picture.samples(scale)
    local width <const> = math.max(scale[1], scale[2])
    for _, n in ipairs(SAMPLES) do
        if n >= width - 1e-6 then
            return n
        end
    end
    return SAMPLES[#SAMPLES]
end

--- picture.target(state, is_gray, shown) returns the stream of the pixels of a panel, which is kept.
function picture.target(state, is_gray, shown)
    local kind = is_gray and "unorm8" or "unorm8x4"
    local pixels = state.pixels
    if not pixels or pixels.type ~= kind or pixels.shape[1] ~= shown[1] or pixels.shape[2] ~= shown[2] then
        if pixels then
            pixels:close()
        end
        pixels = rill.stream(kind, shown)
        state.pixels = pixels
    end
    return pixels
end

--- picture.probed(probe, s, row, column) returns the text of the element at a position {row, column}, or nil if a
-- stream does not have it. `row`, `column`: how many elements of the whole are before the stream. Default: 0.
function picture.probed(probe, s, row, column)
    local i, j = math.floor(probe[1] + 0.5) - (row or 0), math.floor(probe[2] + 0.5) - (column or 0)
    if i < 1 or j < 1 or i > s.shape[1] or j > s.shape[2] then
        return nil
    end
    local value = s:get(i, j)
    local parts = {}
    for k, x in ipairs(type(value) == "table" and value or {value}) do
        parts[k] = type(x) == "number" and ("%.6g"):format(x) or tostring(x)
    end
    return table.concat(parts, ", ")
end

--- picture.draw(state, s, options) draws a stream. `state`: the table of the panel, with the fields size ({rows,
-- columns} in pixels), view (the visible part) and image, a stream that is kept. Returns the description of the image:
-- its stream `pixels`, min, max, view, shown, channels.
function picture.draw(state, s, options)
    local section, T, white = drawn(s.type)
    if section ~= gray and T ~= s.type then
        s = s:cast(T)
    end
    local low, high = picture.range(options, white, picture.extent, s)
    local part, shown = picture.visible(s.shape, state.view, state.size)
    local pixels = picture.target(state, section == gray, shown)
    local scale = {part[4] / shown[2], part[3] / shown[1]}
    sections[section]:kernel {T = T, n = picture.samples(scale)} {
        a = s, origin = {part[2] - 1, part[1] - 1}, scale = scale, low = low, factor = 1 / (high - low), c = pixels,
    }
    return {pixels = pixels, min = low, max = high, view = part, shown = shown, channels = section == gray and 1 or 4,
        rows = s.shape[1], columns = s.shape[2]}
end

return picture
