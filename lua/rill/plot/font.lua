-- A stroke font for charts. Its grid unit is one pixel at size 12: capitals are 9 units high, small letters 6, and
-- descenders 3.
local font = {}

-- Grid units of a text size; space between characters; height of the baseline above the lowest point.
local SIZE, SPACE, BASE = 12, 2, 3
local ADVANCE = 4 -- width of a blank

-- Strokes, separated by blanks. A stroke is a sequence of points. A point is two digits of base 36: x from the left, y
-- from the lowest point (3 is the baseline, 9 the top of small letters, c the top of capitals).
local drawn = {
    ["!"] = "0c 0c06 0304", ['"'] = "0c09 2c29", ["#"] = "132c 435c 0666 0969",
    ["$"] = "5b4c1c0b0918475654431304 2d22", ["%"] = "036c 0c2c2a0a0c 4565634345", ["&"] = "63191b2c3c4b490604133366",
    ["'"] = "0c09", ["("] = "2d0a0521", [")"] = "0d2a2501", ["*"] = "2b26 0a47 074a", ["+"] = "0767 3a34",
    [","] = "141301", ["-"] = "0747", ["."] = "0313140403", ["/"] = "025c", [":"] = "0313140403 0818190908",
    [";"] = "141301 0818190908", ["<"] = "5a0754", ["="] = "0959 0656", [">"] = "0a5704",
    ["?"] = "0b1c3c4b49382726 2324", ["@"] = "665737262534446569594b2b09052353", ["["] = "2d0d0121", ["\\"] = "0c52",
    ["]"] = "0d2d2101", ["^"] = "092c49", ["_"] = "0262", ["`"] = "0c1a", ["{"] = "3d2d1c180716122131", ["|"] = "0d01",
    ["}"] = "0d1d2c283726221101", ["~"] = "061828465668", ["0"] = "1c4c5b544313040b1c", ["1"] = "1a3c33 1353",
    ["2"] = "0a0b1c4c5b590353", ["3"] = "0b1c4c5b594828 485754431304", ["4"] = "434c0656",
    ["5"] = "5c0c0819495854431304", ["6"] = "4c2c0a041343545748180706", ["7"] = "0c5c23",
    ["8"] = "18090b1c4c5b59481807041343545748", ["9"] = "1333555b4c1c0b08174758", A = "033c63 1656",
    B = "030c4c5b594808 4857544303", C = "6a4c2c0a05234365", D = "030c4c6a654303", E = "5c0c0353 0848",
    F = "5c0c03 0848", G = "6a4c2c0a052343656747", H = "0c03 6c63 0868", I = "0c03", J = "4c45331304",
    K = "0c03 6c06 2863", L = "0c0353", M = "030c376c63", N = "030c636c", O = "2c4c6a654323050a2c",
    P = "030c4c5b584707", Q = "2c4c6a654323050a2c 3663", R = "030c4c5b594808 3853", S = "5b4c1c0b0918475654431304",
    T = "0c6c 3c33", U = "0c052343656c", V = "0c336c", W = "0c234a638c", X = "0c63 036c", Y = "0c386c 3833",
    Z = "0c6c0363", a = "0819495853 56160504134354", b = "0c03 0819495854431304", c = "5849190804134354",
    d = "5c53 5849190804134354", e = "06565849190804134354", f = "3c2c1b13 0939", g = "5951401001 5849190804134354",
    h = "0c03 0729495853", i = "0903 0b0c", j = "29211000 2b2c", k = "0c03 4905 1643", l = "0c0413",
    m = "0903 0819293833 3849596863", n = "0903 0729495853", o = "194958544313040819", p = "0900 0819495854431304",
    q = "5950 5849190804134354", r = "0903 072939", s = "4839190807164544331304", t = "1c142333 0939",
    u = "0904133355 5953", v = "092349", w = "0923384369", x = "0953 0359", y = "0923 491000", z = "09490343",
    ["\u{B5}"] = "0900 04133355 5953", ["\u{3BC}"] = "0900 04133355 5953", ["\u{B0}"] = "1c2c3b3a29190a0b1c",
    ["\u{B2}"] = "0b1c2c3b3a0737", ["\u{B3}"] = "0c3c1a2a39382707", ["\u{B1}"] = "0848 2a26 0444",
    ["\u{D7}"] = "0549 0945", ["\u{B7}"] = "0616170706", ["\u{2212}"] = "0747", ["\u{2013}"] = "0757",
    ["\u{3C0}"] = "0969 2923 494453", ["\u{394}"] = "033c6303", ["\u{3C3}"] = "691908041343545849",
    ["\u{3BB}"] = "0c1c53 0338",
}
local UNKNOWN = "030c5c5303"

-- [character] = {advance =, x1, y1, x2, y2, ...}: segments, in units from the baseline.
local glyphs = {}

local function glyph(character)
    local found = glyphs[character]
    if found then
        return found
    end
    found = { advance = ADVANCE }
    local right = 0
    for run in (character == " " and "" or drawn[character] or UNKNOWN):gmatch "%S+" do
        local px, py
        for x, y in run:gmatch "(%w)(%w)" do
            x, y = tonumber(x, 36), tonumber(y, 36) - BASE
            local n = #found
            found[n + 1], found[n + 2], found[n + 3], found[n + 4] = px or x, py or y, x, y
            px, py, right = x, y, math.max(right, x)
        end
        found.advance = right + SPACE
    end
    -- All digits have one width, so that numbers line up.
    found.advance = character:find "^%d$" and 5 + SPACE or found.advance
    glyphs[character] = found
    return found
end

--- font.half(size) returns half the width of a stroke, in pixels.
function font.half(size)
    return 0.55 * math.max(size / SIZE, 1)
end

--- font.width(text, size) returns the width of a text (valid UTF-8) in pixels.
function font.width(text, size)
    local width = 0
    for _, code in utf8.codes(text) do
        width = width + glyph(utf8.char(code)).advance
    end
    return math.max(width - SPACE, 0) * size / SIZE
end

--- font.strokes(text, size) iterates over the segments x1, y1, x2, y2 of a text that begins at 0, 0, with y upwards.
function font.strokes(text, size)
    return coroutine.wrap(function()
        local x, scale = 0, size / SIZE
        for _, code in utf8.codes(text) do
            local g = glyph(utf8.char(code))
            for i = 1, #g, 4 do
                coroutine.yield((x + g[i]) * scale, g[i + 1] * scale, (x + g[i + 2]) * scale, g[i + 3] * scale)
            end
            x = x + g.advance
        end
    end)
end

return font
