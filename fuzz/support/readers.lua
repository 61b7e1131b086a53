-- Operations that use an expression of the algebra, by name: functions that return the text of a check, or nil if
-- the operation does not apply.
local algebra = require "fuzz.support.algebra"
local source = require "fuzz.support.source"

local PRECISION, is_whole, wrap, convert = algebra.PRECISION, algebra.is_whole, algebra.wrap, algebra.convert
local smaller, larger = algebra.smaller, algebra.larger

local readers = {}

function readers.eval(_, root, case)
    return ("same('type', {%q}, {e.type})\nlocal r = e:eval()\nsame('eval', %s, r)\nsame('shape', %s, r.shape)\n")
        :format(
        root.type, source.list(root.values), source.list(case.shape))
end

function readers.write(d, root, case)
    local view = source.stream(d, "to", root.type, case.shape, function() return convert(0, root.type) end,
        {written = true})
    return ("%sto:write(e)\nsame('write', %s, to)\n%s"):format(view.lines, source.list(root.values),
        view.text ~= "" and ("same('base', %s, to_base)\n"):format(source.list(source.written(view, root.values)))
            or "")
end

function readers.sum(_, root)
    if root.special or root.type == "float" and root.largest / root.step * #root.values >= PRECISION.float then
        return nil
    end
    local total = root.type == "float" and 0.0 or root.type == "double" and 0.0 or 0
    for _, v in ipairs(root.values) do
        total = total + (v == true and 1 or v or 0)
    end
    return ("same('sum', {%s}, {e:sum()})\n"):format(source.literal(total))
end

function readers.extremes(_, root)
    if #root.values == 0 or root.type == "bool" then
        return nil
    end
    local low, high = root.values[1], root.values[1]
    for _, v in ipairs(root.values) do
        low, high = smaller(low, v), larger(high, v)
    end
    return ("same('min', {%s}, {e:min()})\nsame('max', {%s}, {e:max()})\n"):format(source.literal(low),
        source.literal(high))
end

function readers.count(_, root)
    local total = 0
    for _, v in ipairs(root.values) do
        total = total + (convert(v, "bool") and 1 or 0)
    end
    return ("same('count', {%d}, {e:count()})\nsame('any', {%s}, {e:any()})\nsame('all', {%s}, {e:all()})\n")
        :format(total,
        total > 0, total == #root.values)
end

function readers.scan(_, root)
    if not is_whole(root.type) and root.type ~= "bool" then
        return nil
    end
    local total, sums = 0, {}
    for i, v in ipairs(root.values) do
        total = wrap(total + (v == true and 1 or v or 0), root.type == "bool" and "int" or root.type)
        sums[i] = total
    end
    return ("same('scan', %s, e:scan())\n"):format(source.list(sums))
end

-- The filtered stream has the case's shape.
function readers.mask(_, root, case)
    if root.type == "double" then
        return nil
    end
    local kept, rest = {}, {}
    local of = case.streams[1]
    for i, v in ipairs(root.values) do
        table.insert(convert(v, "bool") and kept or rest, of.values[i])
    end
    kept, rest = source.list(kept), source.list(rest)
    return ([[
same('filter', %s, x1:filter(e))
local a, b = x1:partition(e)
same('kept', %s, a)
same('rest', %s, b)
]]):format(kept, kept, rest)
end

function readers.kernel(_, root)
    local list = source.list(root.values)
    return ([[
local f = rill.kernel "kernel void f(%s x<>, out %s r<>) { r = x; }"
same('kernel', %s, f(e))
local g = rill.kernel "kernel void g(neighbor %s x<>, out %s r<>) { r = x[0]; }"
same('neighbor', %s, g(e))
]]):format(root.type, root.type, list, root.type, root.type, list)
end

function readers.close(_, root)
    return ("do\n    local kept <close> = e\nend\nsame('closed', %s, e:eval())\n"):format(source.list(root.values))
end

return readers
