-- Scans of data in parts: each part is scanned, and combined with the total of the parts before it.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local template = require "rill.glsl.template"

local scan = {}

errors.own()

local FORMULAS <const> = {
    add = "a + b", mul = "a * b", min = "min(a, b)", max = "max(a, b)", ["and"] = "a & b", ["or"] = "a | b",
    xor = "a ^ b",
}
local REAL <const> = {add = true, mul = true} -- the scan itself handles NaN in min and max

local JOIN <const> = template.new "kernel void join($T c[], inout $T x<>) { $T a = c[0], b = x; x = ($op); }"
local LAST <const> = template.new "kernel void last($T s[], int i, out $T r<>) { r = s[i]; }"
local BOTH <const> = template.new
    "kernel void both($T s[], $T x[], int i, out $T r<>) { $T a = s[i], b = x[i]; r = ($op); }"

--- scan.serves(element, op, options) returns whether a scan of elements of this type, with this operator and these
-- options, can be computed in parts.
function scan.serves(element, op, options)
    op = op or "add"
    local plain = options == nil or option.table[1](options) and options.segments == nil
    return plain and FORMULAS[op] ~= nil and (element:find "^[iu]vec[234]$" or element == "int" or element == "uint"
        or (element == "float" or element == "double" or element:find "^d?vec[234]$") and REAL[op])
end

--- scan.of(each, element, op, options) scans the parts of a stream of one dimension. `element`: the type of the
-- results. each(f) calls f(line) for each part in order, from the last one if the option `reverse` is set, and gets
-- its scan, which it closes. op nil: add.
function scan.of(each, element, op, options)
    local values <const> = {T = element, op = FORMULAS[op or "add"]}
    local join <const>, last <const>, both <const> = JOIN:kernel(values), LAST:kernel(values), BOTH:kernel(values)
    local reverse, exclusive = options and options.reverse, options and options.exclusive
    local carry
    each(function(line)
        local own = line:scan(op, options)
        if carry then
            join {c = carry, x = own}
            carry:close()
        end
        local i <const> = reverse and 0 or line.size - 1
        carry = exclusive and both {s = own, x = line, i = i, shape = 1} or last {s = own, i = i, shape = 1}
        return own
    end)
    if carry then
        carry:close()
    end
end

return scan
