-- rill.show: pictures in the terminal. Two pixels to a character cell, the upper half block in one colour over the other;
-- letters of rising brightness where the terminal has no colours or the output is none.
local rill = require "rill"

local SAMPLES = 8 -- per pixel and direction, where the picture is larger than what is drawn
local ASCII = " .:-=+*#%@"

-- How kernels see the types that can be drawn, and the number that is drawn white.
local seen = {
    float = {"float", 1}, half = {"float", 1}, unorm8 = {"float", 1}, bool = {"float", 1},
    vec3 = {"vec3", 1}, vec4 = {"vec4", 1}, half4 = {"vec4", 1}, unorm8x4 = {"vec4", 1},
    uint8 = {"float", 255}, uint16 = {"float", 65535},
    int = {"float"}, uint = {"float"}, int8 = {"float"}, int16 = {"float"},
    double = {"float", 1}, dvec3 = {"vec3", 1}, dvec4 = {"vec4", 1},
}
local narrowed = { double = "float", dvec3 = "vec3", dvec4 = "vec4", bool = "float" }
local options_known = { width = true, colormap = true, min = true, max = true }

local shrink_text = ([=[
kernel void shrink(T a[][], vec2 scale, out T c<>) {
    T sum = T(0);
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            vec2 p = (vec2(indexof(c).xy) + (vec2(i, j) + 0.5) / float(N)) * scale;
            sum += a[int(p.y)][int(p.x)];
        }
    }
    c = sum / float(N * N);
}
]=]):gsub("%f[%w]N%f[%W]", SAMPLES)

local shrink = {}

-- Raises where rill.show was called: `depth` functions above this one.
local function problem_at(depth, format, ...)
    error("rill.show: " .. format:format(...), depth + 2)
end

local function problem(format, ...)
    problem_at(2, format, ...)
end

local function check_options(options)
    if options ~= nil and type(options) ~= "table" then
        problem_at(2, "argument #2 'options': expected a table like {width = 60}, got %s", type(options))
    end
    for key, value in pairs(options or {}) do
        if not options_known[key] then
            problem_at(2, "unknown option '%s': width, colormap, min and max there are", tostring(key))
        elseif key ~= "colormap" and type(value) ~= "number" then
            problem_at(2, "option '%s': expected a number, got %s", key, type(value))
        end
    end
    return { width = options and options.width, colormap = options and options.colormap,
        min = options and options.min, max = options and options.max }
end

-- "colour" (24 bits), "256" or "ascii".
local function terminal_mode()
    local term = os.getenv "TERM" or ""
    if not rill._terminal() or term == "" or term == "dumb" then
        return "ascii"
    end
    local depth = os.getenv "COLORTERM"
    return (depth == "truecolor" or depth == "24bit") and "colour" or term:find "256" and "256" or
        term:find "direct" and "colour" or "ascii"
end

-- The picture at the size it is drawn, as flat numbers; components per pixel.
local function shrunk(s, value, columns, rows)
    shrink[value] = shrink[value] or rill.kernel((shrink_text:gsub("%f[%w]T%f[%W]", value)))
    local shape = s.shape
    local small = shrink[value] {
        a = s, scale = { shape[2] / columns, shape[1] / rows }, shape = { rows, columns },
    }
    return small:values()
end

-- A function from pixel number k (from 0) to red, green and blue, 0 to 255.
local function colours(values, components, options, white)
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

local function code_256(r, g, b)
    return 16 + 36 * ((r * 5 + 127) // 255) + 6 * ((g * 5 + 127) // 255) + (b * 5 + 127) // 255
end

local function cell(mode, top, bottom)
    if mode == "256" then
        return ("\27[38;5;%d;48;5;%dm\u{2580}"):format(code_256(table.unpack(top)), code_256(table.unpack(bottom)))
    end
    return ("\27[38;2;%d;%d;%d;48;2;%d;%d;%dm\u{2580}"):format(top[1], top[2], top[3], table.unpack(bottom))
end

local function letter(top, bottom)
    local light = 0
    for _, c in ipairs { top, bottom } do
        light = light + (0.2126 * c[1] + 0.7152 * c[2] + 0.0722 * c[3]) / 510
    end
    local k = math.min(math.floor(light * #ASCII), #ASCII - 1)
    return ASCII:sub(k + 1, k + 1)
end

local function draw(pixel, columns, rows, mode)
    local lines = {}
    for y = 0, rows - 1, 2 do
        local line = {}
        for x = 0, columns - 1 do
            local top = { pixel(y * columns + x) }
            local bottom = y + 1 < rows and { pixel((y + 1) * columns + x) } or mode == "ascii" and top or { 0, 0, 0 }
            line[x + 1] = mode == "ascii" and letter(top, bottom) or cell(mode, top, bottom)
        end
        lines[#lines + 1] = table.concat(line) .. (mode == "ascii" and "\n" or "\27[0m\n")
    end
    return table.concat(lines)
end

--- rill.show(s [, {width=, colormap=, min=, max=}]): draws a 2-D stream in the terminal: float (or half, unorm8, double, bool),
-- vec3 or vec4 in 0..1, and integers, which need min and max unless they are uint8 or uint16. `width` is in characters: as wide
-- as the terminal, or the picture, unless told. Only what is drawn is read back.
return function(s, options)
    local what = rill.type(s)
    if what == "expression" then
        s = s:eval()
    elseif what ~= "stream" then
        problem("argument #1 's': expected a stream, got %s", what or type(s))
    end
    options = check_options(options)
    local shape, kind = s.shape, seen[s.type]
    if not kind or #shape ~= 2 or s.size == 0 then
        local expected = "a stream of two dimensions and of float, vec3, vec4 or a type like them"
        problem("argument #1 's': expected %s, got stream<%s>[%s]", expected, s.type, tostring(shape))
    end
    local value, white = kind[1], kind[2]
    if not white and not (options.min and options.max) then
        problem("a stream of %s needs the options min and max, the values to draw black and white", s.type)
    end
    if options.colormap and value ~= "float" then
        problem("option 'colormap' is for streams of numbers, not of %s", s.type)
    end
    if options.colormap then
        local found, map = pcall(rill._colormap, options.colormap)
        if not found then
            problem("%s", map)
        end
        options.map = map
    end
    if (options.min or 0) == (options.max or white) then
        problem("options 'min' and 'max': both are %g, which leaves no range", options.max or white)
    end
    if narrowed[s.type] then
        s = s:cast(narrowed[s.type])
    end
    local _, terminal = rill._terminal()
    local columns = math.floor(math.max(math.min(options.width or terminal, options.width or shape[2]), 1))
    local rows = math.max(math.floor(shape[1] * columns / shape[2] + 0.5), 1)
    local values = shrunk(s, value, columns, rows)
    local pixel = colours(values, #values // (rows * columns), options, white)
    io.stdout:write(draw(pixel, columns, rows, terminal_mode()))
end
