-- Writes PNG files of every variant of the format, so that specs can read files that rill never writes. The data is
-- stored without compression. Format: PNG specification (W3C), zlib: RFC 1950 and 1951.
local pngwriter = {}

local crc_table = {}
for n = 0, 255 do
    local c = n
    for _ = 1, 8 do
        c = (c & 1 == 1) and (0xEDB88320 ~ (c >> 1)) or (c >> 1)
    end
    crc_table[n] = c
end

function pngwriter.crc32(text)
    local c = 0xFFFFFFFF
    for i = 1, #text do
        c = crc_table[(c ~ text:byte(i)) & 0xFF] ~ (c >> 8)
    end
    return c ~ 0xFFFFFFFF
end

local function adler32(text)
    local a, b = 1, 0
    for i = 1, #text do
        a = (a + text:byte(i)) % 65521
        b = (b + a) % 65521
    end
    return b << 16 | a
end

-- Returns zlib's container with stored blocks.
function pngwriter.zlib(text)
    local parts = { "\x78\x01" }
    local at = 1
    repeat
        local block = text:sub(at, at + 65534)
        at = at + #block
        parts[#parts + 1] = string.pack("<BI2I2", at > #text and 1 or 0, #block, #block ~ 0xFFFF) .. block
    until at > #text
    parts[#parts + 1] = string.pack(">I4", adler32(text))
    return table.concat(parts)
end

function pngwriter.chunk(name, data)
    return string.pack(">I4", #data) .. name .. data .. string.pack(">I4", pngwriter.crc32(name .. data))
end

local colors = {
    gray = { type = 0, channels = 1 },
    rgb = { type = 2, channels = 3 },
    palette = { type = 3, channels = 1 },
    gray_alpha = { type = 4, channels = 2 },
    rgba = { type = 6, channels = 4 },
}

-- Packs samples of `depth` bits into bytes, the first sample in the high bits.
local function pack_row(samples, depth)
    if depth == 16 then
        return (string.pack(">" .. ("I2"):rep(#samples), table.unpack(samples)))
    end
    local bytes, word, bits = {}, 0, 0
    for _, sample in ipairs(samples) do
        word, bits = word << depth | sample, bits + depth
        if bits == 8 then
            bytes[#bytes + 1], word, bits = string.char(word), 0, 0
        end
    end
    if bits > 0 then
        bytes[#bytes + 1] = string.char(word << (8 - bits))
    end
    return table.concat(bytes)
end

-- Returns every `dx`-th pixel of every `dy`-th row, starting at (x, y), as filtered rows (filter 0).
local function scan(o, channels, x, y, dx, dy)
    local rows = {}
    for row = y, o.height - 1, dy do
        local samples = {}
        for col = x, o.width - 1, dx do
            for c = 1, channels do
                samples[#samples + 1] = o.samples[(row * o.width + col) * channels + c]
            end
        end
        if #samples > 0 then
            rows[#rows + 1] = "\0" .. pack_row(samples, o.depth)
        end
    end
    return table.concat(rows)
end

-- Adam7: x, y, dx, dy of the seven passes.
local adam7 = { {0,0,8,8}, {4,0,8,8}, {0,4,4,8}, {2,0,4,4}, {0,2,2,4}, {1,0,2,2}, {0,1,1,2} }

-- Writes a PNG file and returns its bytes. o: width, height, depth (1, 2, 4, 8, 16), color (gray, rgb, palette,
-- gray_alpha, rgba), samples (flat, from the top, channels interleaved; for a palette its indices); palette (list of
-- {r, g, b}), trns (binary string), interlaced (Adam7); header = {width=, height=} for an incorrect size; extra:
-- chunks before the data.
function pngwriter.encode(o)
    local color = colors[o.color]
    local said = o.header or o
    local parts = { "\x89PNG\r\n\x1a\n" }
    parts[#parts + 1] = pngwriter.chunk("IHDR", string.pack(">I4I4BBBBB", said.width or o.width,
        said.height or o.height, o.depth, color.type, 0, 0, o.interlaced and 1 or 0))
    if o.palette then
        local entries = {}
        for i, entry in ipairs(o.palette) do
            entries[i] = string.char(table.unpack(entry))
        end
        parts[#parts + 1] = pngwriter.chunk("PLTE", table.concat(entries))
    end
    if o.trns then
        parts[#parts + 1] = pngwriter.chunk("tRNS", o.trns)
    end
    parts[#parts + 1] = o.extra or ""
    local data = {}
    for _, pass in ipairs(o.interlaced and adam7 or { {0, 0, 1, 1} }) do
        data[#data + 1] = scan(o, color.channels, table.unpack(pass))
    end
    parts[#parts + 1] = pngwriter.chunk("IDAT", pngwriter.zlib(table.concat(data)))
    parts[#parts + 1] = pngwriter.chunk("IEND", "")
    return table.concat(parts)
end

return pngwriter
