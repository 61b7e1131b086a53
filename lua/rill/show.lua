-- rill.show: draws images in the terminal, by the best method that it supports: an image protocol (kitty's or
-- iTerm2's), two pixels per character cell in 24-bit or 256 colors, or letters of increasing brightness. Streams of one
-- dimension are drawn as sparklines.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local types = require "rill.core.types"
local sparkline = require "rill.plot.sparkline"
local terminal = require "rill.core.terminal"
local template = require "rill.glsl.template"

local SAMPLES = 8 -- largest number of samples per pixel and direction, if the image is reduced
local PIXELS = 4 * 1024 * 1024 -- largest number of pixels that are sent by an image protocol
local PIECE = 4096 -- bytes per escape sequence: kitty's limit
local ASCII = { " ", ".", ":", "-", "=", "+", "*", "#", "%", "@" }

-- seen[type]: for types that can be drawn, the kernel type and the default value of white. narrowed[type]: the type
-- that a stream is cast to first, if GLSL does not convert it.
local seen, narrowed = {}, {}
for name, info in pairs(types.list) do
    local vector, scalar = info.components > 1, types.seen_scalar(name)
    if not vector or types.is_real(name) and info.components > 2 then
        local drawn = vector and "vec" .. info.components or "float"
        local unit = types.is_real(name) or scalar == "bool"
        local white = unit and 1 or scalar == "uint" and info.bytes < 4 and (1 << 8 * info.bytes) - 1 or nil
        seen[name] = {drawn, white}
        narrowed[name] = (scalar == "double" or scalar == "bool") and drawn or nil
    end
end
local modes = { kitty = true, iterm = true, blocks = true, ["256"] = true, ascii = true }
local WIDEST <const> = 10000 -- characters
local options_known = {
    width = "number", min = "number", max = "number", colormap = "string", mode = "string", text = "boolean",
}

-- Computes each pixel as the mean of n x n samples of the area that it covers; n is 1 if the image is enlarged.
local SHRINK <const> = template.new [=[
kernel void shrink($T a[][], vec2 scale, int n, out $T c<>) {
    $T sum = $T(0);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            vec2 p = (vec2(indexof(c).xy) + (vec2(i, j) + 0.5) / float(n)) * scale;
            sum += a[int(p.y)][int(p.x)];
        }
    }
    c = sum / float(n * n);
}
]=]


local function problem(format, ...)
    errors.fail("rill.show: %s", format:format(...))
end

local function check_options(options)
    errors.options("rill.show: argument #2 'options'", options)
    local copy = {}
    for key, value in pairs(options or {}) do
        local wanted = options_known[key]
        value = key == "mode" and value == 256 and "256" or value
        if not wanted then
            option.refuse("rill.show", key, options_known)
        elseif type(value) ~= wanted then
            problem("option '%s': expected a %s, got %s", key, wanted, type(value))
        elseif wanted == "number" and value - value ~= 0 then
            problem("option '%s': expected a finite number, got %s", key, errors.number(value))
        end
        copy[key] = value
    end
    if copy.width and not (copy.width >= 1 and copy.width <= WIDEST) then
        problem("option 'width': expected 1 to %d characters, got %g", WIDEST, copy.width)
    end
    if copy.mode and not modes[copy.mode] then
        problem("option 'mode': expected kitty, iterm, blocks, 256 or ascii, got '%s'", copy.mode)
    end
    return copy
end

local function best_mode(able)
    if able.pictures then
        return able.pictures
    end
    local colors = able.unicode and able.colors
    return colors == "true" and "blocks" or colors == "256" and "256" or "ascii"
end

-- Returns the image at the size at which it is drawn.
local function shrunk(s, value, columns, rows)
    local shape = s.shape
    local scale = { shape[2] / columns, shape[1] / rows }
    local samples = math.min(math.ceil(math.max(scale[1], scale[2])), SAMPLES)
    return SHRINK:kernel {T = value} { a = s, scale = scale, n = samples, shape = { rows, columns } }
end

-- Returns a function from a pixel index k (0-based) to red, green and blue, 0 to 255.
local function colors(values, components, options, white)
    local low, range = options.min or 0, (options.max or white) - (options.min or 0)
    local map = options.map
    local function level(v)
        v = (v - low) / range
        return v ~= v and 0 or math.floor(math.min(math.max(v, 0), 1) * 255 + 0.5)
    end
    return function(k)
        local at = k * components
        local r = level(values[at + 1])
        if map then
            return map:byte(3 * r + 1, 3 * r + 3)
        elseif components == 1 then
            return r, r, r
        end
        return r, level(values[at + 2]), level(values[at + 3])
    end
end

local function cell(depth, top, bottom)
    -- 49: the terminal's default.
    local background = bottom and terminal.color(depth, bottom[1], bottom[2], bottom[3], true) or "49"
    return ("\27[%s;%sm\u{2580}"):format(terminal.color(depth, top[1], top[2], top[3]), background)
end

local function letter(top, bottom)
    local light = 0
    for _, c in ipairs { top, bottom } do
        light = light + (0.2126 * c[1] + 0.7152 * c[2] + 0.0722 * c[3]) / 510
    end
    return ASCII[math.min(math.floor(light * #ASCII), #ASCII - 1) + 1]
end

-- Returns the image as lines of characters, with two rows of pixels per line.
local function characters(pixel, columns, rows, mode)
    local lines, depth = {}, mode == "blocks" and "true" or mode
    for y = 0, rows - 1, 2 do
        local line = {}
        for x = 0, columns - 1 do
            local top = { pixel(y * columns + x) }
            local bottom = y + 1 < rows and { pixel((y + 1) * columns + x) }
            line[x + 1] = mode == "ascii" and letter(top, bottom or top) or cell(depth, top, bottom)
        end
        lines[#lines + 1] = table.concat(line) .. (mode == "ascii" and "\n" or "\27[0m\n")
    end
    return table.concat(lines)
end

local pairs64 -- [12 bits] = two characters of base 64

local function base64(bytes)
    if not pairs64 then
        local digits, codes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", {}
        for i = 0, 4095 do
            local high, low = (i >> 6) + 1, (i & 63) + 1
            codes[i] = digits:sub(high, high) .. digits:sub(low, low)
        end
        pairs64 = codes
    end
    local out, rest = {}, #bytes % 3
    for at = 1, #bytes - rest, 3 do
        local a, b, c = bytes:byte(at, at + 2)
        local word = a << 16 | b << 8 | c
        out[#out + 1] = pairs64[word >> 12]
        out[#out + 1] = pairs64[word & 4095]
    end
    if rest > 0 then
        local a, b = bytes:byte(-rest, -1)
        local word = (rest == 1 and a or a << 8 | b) << (rest == 1 and 16 or 8)
        out[#out + 1] = pairs64[word >> 12]
        out[#out + 1] = rest == 1 and "==" or pairs64[word & 4095]:sub(1, 1) .. "="
    end
    return table.concat(out)
end

-- https://sw.kovidgoyal.net/kitty/graphics-protocol: transmit and display (a=T) a PNG (f=100), `c` columns wide,
-- without a reply (q=2).
local function kitty(png, columns)
    local text, pieces = base64(png), {}
    for at = 1, #text, PIECE do
        local keys = ("m=%d"):format(at + PIECE <= #text and 1 or 0)
        keys = at == 1 and ("a=T,f=100,q=2,c=%d,"):format(columns) .. keys or keys
        pieces[#pieces + 1] = ("\27_G%s;%s\27\\"):format(keys, text:sub(at, at + PIECE - 1))
    end
    return table.concat(pieces) .. "\n"
end

-- https://iterm2.com/documentation-images.html
local function iterm(png, columns)
    return ("\27]1337;File=inline=1;size=%d;width=%d;preserveAspectRatio=1:%s\7\n"):format(#png, columns, base64(png))
end

-- Returns the image as a PNG for `columns` columns of characters. If it is enlarged, the scale is an integer.
local function carried(s, value, columns, options, white, able)
    local shape, wide = s.shape, columns * able.cell[1]
    local scale = wide / shape[2]
    scale = scale > 1 and math.floor(scale) or scale
    scale = math.min(scale, math.sqrt(PIXELS / (shape[1] * shape[2])))
    local width = math.max(math.floor(shape[2] * scale + 0.5), 1)
    local height = math.max(math.floor(shape[1] * scale + 0.5), 1)
    local small = shrunk(s, value, width, height)
    return core._png(small, { min = options.min or 0, max = options.max or white, colormap = options.colormap })
end

-- Returns the columns and rows of pixels, two rows per line. Without the option width the image fits the terminal.
local function size(shape, options, able)
    local columns = math.floor(math.max(math.min(options.width or able.columns, options.width or shape[2]), 1))
    local most = able.shown and 2 * math.max(able.lines - 2, 4) or 400
    local rows = shape[1] * columns / shape[2]
    if not options.width and rows > most then
        columns = math.max(math.floor(columns * most / rows + 0.5), 1)
        rows = math.min(shape[1] * columns / shape[2], most)
    end
    return columns, math.max(math.floor(rows + 0.5), 1)
end

local function picture(s, value, white, options)
    local able = terminal.look()
    local mode = options.mode or best_mode(able)
    local columns, rows = size(s.shape, options, able)
    if mode == "kitty" or mode == "iterm" then
        local png = carried(s, value, columns, options, white, able)
        return (mode == "kitty" and kitty or iterm)(png, columns)
    end
    local values = shrunk(s, value, columns, rows):values()
    return characters(colors(values, #values // (rows * columns), options, white), columns, rows, mode)
end

local function line(s, options)
    local able = terminal.look()
    local columns = math.max(math.min(math.floor(options.width or able.columns), s.size), 1)
    local ascii = options.mode == "ascii" or not options.mode and not able.unicode
    local ramp = ascii and ASCII or sparkline.blocks
    return sparkline.draw(sparkline.means(s, columns), ramp, options.min, options.max) .. "\n"
end

-- Returns a number, or the minimum or maximum of the components of a vector.
local function extreme(value, choose)
    return type(value) == "table" and choose(table.unpack(value)) or value
end

-- Returns the minimum and maximum of the finite numbers in a stream; nil if there are none.
local function extent(s)
    local low, high = extreme(s:min(), math.min), extreme(s:max(), math.max)
    if low - low ~= 0 or high - high ~= 0 then
        local stats = s:stats()
        low, high = stats.min and extreme(stats.min, math.min), stats.max and extreme(stats.max, math.max)
    end
    return low, high
end

-- Sets the range of a stream of integers without a natural range to its minimum and maximum. Raises for options that do
-- not fit the stream.
local function check_range(s, value, white, options)
    if #s.shape == 1 then
        if options.min and options.max and options.min >= options.max then
            problem("options 'min' and 'max': expected min below max, got %g and %g", options.min, options.max)
        end
        return
    end
    if not white and not (options.min and options.max) then
        local low, high = extent(s)
        options.min = options.min or low
        options.max = options.max or math.max(high, options.min + 1)
    end
    if options.colormap and value ~= "float" then
        problem("option 'colormap': expected a stream of numbers, got a stream of %s", s.type)
    end
    if options.colormap then
        local found, map = pcall(core._colormap, options.colormap)
        if not found then
            problem("%s", map)
        end
        options.map = map
    end
    if (options.min or 0) == (options.max or white) then
        problem("options 'min' and 'max': expected two different values, both are %g", options.max or white)
    end
end

-- Returns a line that reports values outside the range that is drawn. Returns nil if there are none, if the options set
-- both ends of the range, or if it is the range of the type.
local function clipped(s, white, options)
    if options.min and options.max or white ~= 1 and not options.min and not options.max then
        return nil
    end
    local from, to = options.min or 0, options.max or white
    local least, most = math.min(from, to), math.max(from, to)
    local low, high = extent(s)
    if not low or low >= least and high <= most then
        return nil
    end
    local note = "values from %.5g to %.5g, drawn in %.5g to %.5g; {min = %.5g, max = %.5g} draws all\n"
    if low ~= high then
        least, most = low, high
    end
    return note:format(low, high, from, to, math.min(low, least), math.max(high, most))
end

-- Draws the mapped pages of a container, and a line below that describes it.
local function show_container(c, options)
    options = check_options(options)
    local able = terminal.look()
    local mode = options.mode or best_mode(able)
    -- A page has at least one pixel.
    local pixels = (mode == "kitty" or mode == "iterm") and 512 or options.width or able.columns
    local text = picture(core._picture(c, math.max(math.min(pixels // 1 | 0, 512), 1)), "float", 1, options)
    if options.text then
        return text
    end
    io.stdout:write(text, tostring(c), "\n")
end

-- Returns an image of a mesh with about as many pixels as are drawn.
local function portrait(m, options)
    local able = terminal.look()
    local mode, columns = options.mode or best_mode(able), options.width or able.columns
    columns = (mode == "kitty" or mode == "iterm") and columns * able.cell[1] or columns
    columns = math.max(math.min(columns // 1 | 0, 1024), 4)
    return rill.render(m, {size = {columns * 3 // 4, columns}, background = "black"})
end

--- rill.show(s [, {width=, colormap=, min=, max=, mode=, text=}]) draws in the terminal. A stream of two dimensions is
-- drawn as an image: float (or half, unorm8, double, bool), vec3 or vec4 in 0..1, or integers. `min` and `max` are the
-- values drawn black and white. Default: 0 and 1, for uint8 and uint16 the range of the type, for other integers their
-- minimum and maximum. If min or max is not given and values are outside the range, a line below the image reports it.
-- A stream of numbers of one dimension is drawn as a sparkline of the means of its parts. Default of min and max: its
-- minimum and maximum. Of a container the mapped pages are drawn, projected along all dimensions but the two fastest;
-- pages of coarser levels are darker. A mesh is drawn by rill.render. `width`: in characters. Default: the smaller of
-- the widths of terminal and stream. `mode`: "kitty", "iterm", "blocks", "256" or "ascii". Default: chosen by
-- environment variables. `text`: return the output as a string. Default: false. Only the reduced image is read back.
local function show(s, options)
    if rill.type(s) == "container" or rill.type(s) == "expression" and s._sparse then
        return show_container(rill.type(s) == "expression" and s:eval() or s, options)
    end
    if rill.type(s) == "mesh" and tostring(s) ~= "closed mesh" then
        s = portrait(s, check_options(options))
    end
    s = errors.open("rill.show: argument #1 's'", s)
    options = check_options(options)
    local shape, kind = s.shape, seen[s.type]
    local drawn = kind and s.size > 0 and (#shape == 2 or #shape == 1 and kind[1] == "float")
    if not drawn then
        local expected = "a stream that is not empty, of two dimensions of numbers, vec3 or vec4, " ..
            "or of one dimension of numbers"
        problem("argument #1 's': expected %s, got stream<%s>[%s]", expected, s.type, tostring(shape))
    end
    check_range(s, kind[1], kind[2], options)
    if narrowed[s.type] then
        s = s:cast(narrowed[s.type])
    end
    local note = #shape == 2 and not options.text and clipped(s, kind[2], options)
    local text = #shape == 1 and line(s, options) or #shape == 2 and picture(s, kind[1], kind[2], options)
    if options.text then
        return text
    end
    io.stdout:write(text, note or "")
end

return errors.guard(show)
