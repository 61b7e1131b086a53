-- Checks that kernels keep operations of floats as they are written (docs/kernel.md, Floating-point arithmetic): sums and
-- products whose roundings matter, in each place of a kernel that can contain a value, compared with plain Lua that
-- rounds each operation to float.
local exact = {batch = 20}

-- Sums of operands of different size: compilers that reassociate them compute other values.
local VALUES <const> = {1, 3, 5, 7.5, -2.25, 0.1, 1e8, -1e8, 16777216, 33554432, 1e-7, 12582912}

-- What compilers replace by an operand, or by an expression with fewer operations.
local CANCELED <const> = {"((x + y) - y)", "((x - y) + y)", "((x + y) - x)", "((x * y) - (x * y))", "(x * 0.0)",
    "(x - x)", "((y + x) - (y + y))", "((x * y) + (x * x))"}

-- Places of an expression `$e` over the floats a, b and c. `value`: the result for the value v of the expression; default:
-- v. `target`: the type of the stream with random access that gets the results, in `member`.
local places = {
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = $e; }"},
    {"kernel void f(float a<>, float b<>, float c<>, vout float r<>) { push(r, $e); }"},
    {"kernel void f(float a<>, float b<>, float c<>, vout float r<>) { r = $e; push(r); }"},
    {"kernel float f(float a<>, float b<>, float c<>) { return $e; }"},
    {"float g(float v) { return v; }\nkernel void f(float a<>, float b<>, float c<>, out float r<>) { r = g($e); }"},
    {"float g(float a, float b, float c) { return $e; }\n"
        .. "kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = g(a, b, c); }"},
    {"void g(float a, float b, float c, out float v) { v = $e; }\n"
        .. "kernel void f(float a<>, float b<>, float c<>, out float r<>) { g(a, b, c, r); }"},
    {"struct S { float u; float v; };\n"
        .. "kernel void f(float a<>, float b<>, float c<>, out float r<>) { S s = S(0.0, $e); r = s.v; }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { float t[3]; t[1] = $e; r = t[1]; }"},
    {"float g(float v[2]) { return v[1]; }\n"
        .. "kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = g(float[2](a, $e)); }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = float[](a, $e)[1]; }"},
    {"struct S { float u; float v; };\n"
        .. "kernel void f(float a<>, float b<>, float c<>, out float r<>) {\n"
        .. "S s[2] = S[2](S(a, b), S(c, $e)); r = s[1].v; }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { vec2 v = vec2(a, $e); r = v.y; }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = a > 1e30 ? 0.0 : $e; }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = a; if (a < 1e30) r = $e; }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { for (int i = 0; i < 2; i++) r = $e; }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = abs($e); }", value = "math.abs(v)"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = intBitsToFloat(floatBitsToInt($e)); }"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = 0.0; if ($e > 0.0) r = 1.0; }",
        value = "v > 0 and 1 or 0"},
    {"kernel void f(float a<>, float b<>, float c<>, out float r<>) { r = $e == 0.0 ? 1.0 : 2.0; }",
        value = "v == 0 and 1 or 2"},
    {"kernel void f(float a<>, float b<>, float c<>, inout float r[]) { r[indexof(a).x] = $e; }", target = "float"},
    {"kernel void f(float a<>, float b<>, float c<>, inout float r[]) {\n"
        .. "int i = indexof(a).x; r[i] = 0.0; r[i] += $e; }", target = "float"},
    {"kernel void f(float a<>, float b<>, float c<>, inout vec2 r[]) { r[indexof(a).x].y = $e; }", target = "vec2",
        member = ".y"},
    {"kernel(8) void f(float a<>, float b<>, float c<>, out float r<>) {\n"
        .. "shared float s[8]; s[localid()] = $e; barrier(); r = s[localid()]; }"},
}

-- Returns the text of a random expression, and a Lua expression that rounds each of its operations.
local function expression(d, depth)
    if depth == 0 or d:chance(1, 4) then
        local name = d:pick {"a", "b", "c"}
        return name, name
    end
    local left, from = expression(d, depth - 1)
    local right, by = expression(d, depth - 1)
    if d:chance(1, 2) then
        local pattern = d:pick(CANCELED)
        local function written(x, y, round)
            return (pattern:gsub("%b()", function(part)
                return ("%s(%s)"):format(round, (part:sub(2, -2):gsub("%b()", round .. "%0")))
            end):gsub("[xy]", {x = x, y = y}))
        end
        return written(left, right, ""), written(from, by, "F")
    end
    local op = d:weighted {{4, "+"}, {4, "-"}, {1, "*"}}
    return ("(%s %s %s)"):format(left, op, right), ("F(%s %s %s)"):format(from, op, by)
end

local SCRIPT <const> = [[
local function F(x) return string.unpack("f", string.pack("f", x)) end
local function value(v) return %s end
local A, B, C = {%s}, {%s}, {%s}
local k = rill.kernel(%q)
local a, b, c = rill.from(A), rill.from(B), rill.from(C)
local expected = {}
for i = 1, #A do
    local a, b, c = F(A[i]), F(B[i]), F(C[i])
    expected[i] = value(%s)
end
local got = %s
same("exact", expected, got)
]]

function exact.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local place = d:pick(places)
        local text, reference = expression(d, d:int(2, 4))
        local lists, n = {}, d:int(1, 20)
        for k = 1, 3 do
            local list = {}
            for j = 1, n do list[j] = ("%.9g"):format(d:pick(VALUES)) end
            lists[k] = table.concat(list, ", ")
        end
        local got = place.target and ("k(a, b, c, rill.stream(%q, #A))%s"):format(place.target, place.member or "")
            or "k(a, b, c)"
        scripts[i] = SCRIPT:format(place.value or "v", lists[1], lists[2], lists[3], (place[1]:gsub("$e", text)),
            reference, got)
    end
    return scripts
end

return exact
