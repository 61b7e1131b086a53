-- The adjoint of a neighbor stream: each element adds up what the elements that read it contribute. What they read
-- beyond the edge is added by a second kernel to the elements that the boundary modes put there.
local core = require "rill.core"
local rill = require "rill.core.public"
local tables = require "rill.core.tables"

local neighbors = {}

local MODES <const> = {clamp = 0, wrap = 1, mirror = 2}
local kernels = {} -- by text

local function compiled(text)
    kernels[text] = kernels[text] or rill.kernel(text)
    return kernels[text]
end

local function minus(n) return n == 0 and "" or n > 0 and " - " .. n or " + " .. -n end

-- Returns the text of the sum over the elements of the launch.
local function inner(list, modes, rank, type_name)
    local words, params, terms = {}, {}, {}
    for d = 1, rank do words[d] = modes[d] == "wrap" and "wrap" or "zero" end
    for i, c in ipairs(list) do
        local index = {}
        for d = 1, rank do index[d] = ("[%d]"):format(-c.offset[d]) end
        params[i] = ("neighbor(%s) %s c%d<>"):format(table.concat(words, ", "), type_name, i)
        terms[i] = ("c%d%s"):format(i, table.concat(index))
    end
    return ("kernel void adjoint_of_neighbors(%s, out %s r<>) { r = %s; }"):format(table.concat(params, ", "),
        type_name,
        table.concat(terms, " + "))
end

-- Returns the text of the sum over what is read beyond the edges of axis `axis`. Along axes before it nothing is beyond
-- the edge, so that each element is counted once.
local function edges(list, modes, rank, type_name, axis, low, high)
    local params, lines = {}, {}
    local brackets = ("[]"):rep(rank)
    for i in ipairs(list) do params[i] = ("%s c%d%s"):format(type_name, i, brackets) end
    local depth = 1
    local function line(text) lines[#lines + 1] = ("  "):rep(depth) .. text end
    for d = 1, rank do
        local at = rank - d
        line(("int p%d = indexof(r, %d) + first[%d], n%d = size[%d];"):format(d, at, at, d, at))
    end
    local open = 0
    for d = 1, rank do
        local reflects = modes[d] == "clamp" or modes[d] == "mirror"
        if d >= axis and reflects then
            line(("for (int t%d = %d; t%d <= %d; t%d++) {"):format(d, d == axis and 1 or 0, d, low[d] + high[d], d))
            depth, open = depth + 1, open + 1
            line(("int g%d = t%d == 0 ? p%d : t%d <= %d ? -t%d : n%d + t%d - %d;"):format(d, d, d, d, low[d], d, d, d,
                low[d] + 1))
            local source = modes[d] == "clamp" and ("clamp(g%d, 0, n%d - 1)"):format(d, d) or
                ("adjoint_mirror(g%d, n%d)"):format(d, d)
            line(("if (t%d == 0 || %s == p%d) {"):format(d, source, d))
            depth, open = depth + 1, open + 1
        else
            line(("int g%d = p%d;"):format(d, d))
        end
    end
    for i, c in ipairs(list) do
        local tests, index = {}, {}
        for d = 1, rank do
            local e = ("g%d%s"):format(d, minus(c.offset[d]))
            if modes[d] == "wrap" then
                e = ("((%s) %% n%d + n%d) %% n%d"):format(e, d, d, d)
            else
                tests[#tests + 1] = ("%s >= 0 && %s < n%d"):format(e, e, d)
            end
            index[d] = "[" .. e .. "]"
        end
        local add = ("r += c%d%s;"):format(i, table.concat(index))
        line(#tests > 0 and ("if (%s) %s"):format(table.concat(tests, " && "), add) or add)
    end
    for _ = 1, open do
        depth = depth - 1
        line "}"
    end
    return ([[int adjoint_mirror(int i, int n) {
  int m = i >= 0 ? i %% (2 * n) : 2 * n - 1 - (-1 - i) %% (2 * n);
  return m < n ? m : 2 * n - 1 - m;
}
kernel void adjoint_of_edges(%s, ivec4 size, ivec4 first, inout %s r<>) {
%s
}]]):format(table.concat(params, ", "), type_name, table.concat(lines, "\n"))
end

-- Adds what is read beyond the edges of one axis to the elements of `sum` from which it is read.
local function add_edges(sum, list, modes, shape, type_name, axis, low, high)
    local rank, n = #shape, shape[axis]
    local kernel = compiled(edges(list, modes, rank, type_name, axis, low, high))
    local size = {1, 1, 1, 1}
    for d = 1, rank do size[rank - d + 1] = shape[d] end
    local thick1, thick2 = math.min(n, modes[axis] == "clamp" and 1 or low[axis]), modes[axis] == "clamp" and 1 or
        high[axis]
    local parts = {}
    if low[axis] + high[axis] >= n or thick1 + thick2 >= n then
        parts[1] = {1, n}
    else
        if low[axis] > 0 then parts[#parts + 1] = {1, thick1} end
        if high[axis] > 0 then parts[#parts + 1] = {n - thick2 + 1, n} end
    end
    for _, part in ipairs(parts) do
        local from, to, first = {}, {}, {0, 0, 0, 0}
        for d = 1, rank do from[d], to[d] = 1, shape[d] end
        from[axis], to[axis] = part[1], part[2]
        first[rank - axis + 1] = part[1] - 1
        local arguments = {size = size, first = first, r = rank == 1 and sum:domain(from[1], to[1]) or
            sum:domain(from, to)}
        for i, c in ipairs(list) do arguments["c" .. i] = c.bar end
        kernel(arguments)
    end
end

--- neighbors.pull(list, type_name, s, param) returns the adjoint of a neighbor stream s. list: contributions
-- {offset, bar}: the stream `bar` has for each element of the launch the adjoint of the element of s at `offset`
-- (slowest
-- dimension first; missing ones are 0). param: the parameter, whose boundary modes are in `declaration`.
function neighbors.pull(list, type_name, s, param)
    local shape, rank = {}, #s.shape
    for d = 1, rank do shape[d] = s.shape[d] end
    local modes = {}
    local words = param.declaration:match "^neighbor%s*(%b())"
    if words then
        for word in words:gmatch "[%w%.%-]+" do modes[#modes + 1] = word end
        for d = 2, rank do modes[d] = modes[d] or modes[1] end
    else
        local own = core._boundary(s, true) or {}
        for d = 1, rank do modes[d] = own[d] or "clamp" end
    end
    for d = 1, rank do modes[d] = MODES[modes[d]] and modes[d] or "zero" end
    local low, high = {}, {}
    for d = 1, rank do low[d], high[d] = 0, 0 end
    local full = {}
    for i, c in ipairs(list) do
        local offset = {}
        for d = 1, rank do
            local o = c.offset[d - rank + #c.offset] or 0
            offset[d] = o
            low[d], high[d] = math.max(low[d], -o), math.max(high[d], o)
        end
        full[i] = {offset = offset, bar = c.bar}
    end
    local arguments = {}
    for i, c in ipairs(full) do arguments["c" .. i] = c.bar end
    if tables.product(shape) == 0 then return rill.stream(type_name, shape) end
    local sum = compiled(inner(full, modes, rank, type_name))(arguments)
    for d = 1, rank do
        if (modes[d] == "clamp" or modes[d] == "mirror") and low[d] + high[d] > 0 then
            add_edges(sum, full, modes, shape, type_name, d, low, high)
        end
    end
    return sum
end

return neighbors
