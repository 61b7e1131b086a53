-- c:scan of the mapped elements in parts: each part is scanned, combined with the total of the parts
-- before it, and written to the result.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"

local scanned = {}

errors.own()

local formulas <const> = {
    add = "a + b", mul = "a * b", min = "min(a, b)", max = "max(a, b)", ["and"] = "a & b", ["or"] = "a | b",
    xor = "a ^ b",
}
local real <const> = {add = true, mul = true} -- the scan itself handles NaN in min and max

local function joins(element, op)
    return element:find "^[iu]vec[234]$" or element == "int" or element == "uint"
        or (element == "float" or element == "double" or element:find "^d?vec[234]$") and real[op]
end

local JOIN <const> = template.new "kernel void join($T c[], inout $T x<>) { $T a = c[0], b = x; x = ($op); }"
local LAST <const> = template.new "kernel void last($T s[], int i, out $T r<>) { r = s[i]; }"
local BOTH <const> = template.new
    "kernel void both($T s[], $T x[], int i, out $T r<>) { $T a = s[i], b = x[i]; r = ($op); }"

-- `join`: x = c op x for every element. `last` and `both`: the total up to element i, of inclusive and of
-- exclusive scans.
local function kernels_of(type, op)
    local values = {T = type, op = formulas[op]}
    return {join = JOIN:kernel(values), last = LAST:kernel(values), both = BOTH:kernel(values)}
end

--- Returns whether a scan of elements of this type, with this operator and these options, can be computed
--- in parts.
function scanned.serves(element, op, options)
    op = op or "add"
    local plain = options == nil or type(options) == "table" and not rill.type(options) and options.segments == nil
    return formulas[op] ~= nil and plain and joins(element, op)
end

--- Computes the scan in `count` parts and returns a container mapped like c. op nil: add.
function scanned.by_parts(c, count, op, options, ...)
    local reverse, exclusive = options and options.reverse, options and options.exclusive
    local k, made, carry = kernels_of(c.type, op or "add"), core._mapped_like(c, c.type), nil
    for n = 1, count do
        local part <close> = core._line_part(c, reverse and count + 1 - n or n, count, "c:scan")
        local line <close> = core._line(c, c, "c:scan", part)
        local own <close> = line:scan(op, options, ...)
        if carry then
            k.join {c = carry, x = own}
            carry:close()
        end
        local place <const> = reverse and 0 or line.size - 1
        carry = exclusive and k.both {s = own, x = line, i = place, shape = 1} or
            k.last {s = own, i = place, shape = 1}
        core._put_line(made, part, own)
    end
    carry:close()
    return made
end

return scanned
