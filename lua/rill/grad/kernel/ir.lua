-- The intermediate form of a kernel, between its tree and the texts of its derivatives.
--
-- A variable is {name, type, frame}; each is assigned once, except those that loops carry, arrays, and adjoints, which
-- are sums. An expression is {text, type, reads, atom}: `reads` lists its variables, `atom` means that it needs no
-- parentheses. Statements are tables with the field `op`:
--   set     to = e; `rule` and `args` tell how it is differentiated (rules.lua); nil: not at all
--   update  to = from, with the part `path` (an expression such as ".x" or "[i]") replaced by e
--   put     the part `path` of the array `to` is replaced by e; `old` is the variable that keeps the old value
--   add     to, or its part `path`, is increased by e
--   out     the output `to` receives e
--   push    of the variable output `to`
--   if      condition, yes, no (lists of statements)
--   loop    see lower.lua; for: see ir.count
local ir = {}

--- ir.value(text, type, reads, atom) returns an expression.
function ir.value(text, type, reads, atom)
    return {text = text, type = type, reads = reads or {}, atom = atom}
end

--- ir.literal(text, type) returns a number, or another expression without variables.
function ir.literal(text, type)
    return {text = text, type = type, reads = {}, atom = true, literal = true}
end

--- ir.read(variable) returns the value of a variable.
function ir.read(variable)
    local value = variable.value
    if not value then
        value = {text = variable.name, type = variable.type, reads = {variable}, atom = true, variable = variable}
        variable.value = value
    end
    return value
end

--- ir.join(format, type, ...) returns the expression that a format makes of others: $1, $2 ... stand for them. The
-- fields `format` and `parts` keep them.
function ir.join(format, type, ...)
    local parts, reads = {...}, {}
    local text = format:gsub("%$(%d)", function(i)
        local part = parts[tonumber(i)]
        return part.atom and not part.text:find "^%-" and part.text or "(" .. part.text .. ")"
    end)
    for _, part in ipairs(parts) do
        for _, variable in ipairs(part.reads) do
            reads[#reads + 1] = variable
        end
    end
    local calls = format:match "^[%w_]+%b()$" ~= nil
    return {
        text = text, type = type, reads = reads, atom = calls, literal = #reads == 0 and calls or nil, format = format,
        parts = parts,
    }
end

--- ir.in_frame(frame, outer) returns whether a frame is, or is in, another one.
function ir.in_frame(frame, outer)
    while frame do
        if frame == outer then return true end
        frame = frame.up
    end
    return false
end

--- ir.mentions(text, name) returns whether a text contains a name, other than as a field.
function ir.mentions(text, name)
    return text:find("%f[%w_.]" .. name .. "%f[^%w_]") ~= nil
end

--- ir.replace(text, name, f) returns a text in which f(brackets) stands for each use of a variable with its indices by
-- numbers, such as "[1][-1]", which may be missing. Names after a point are fields and components.
function ir.replace(text, name, f)
    return (text:gsub("(%.?)%f[%w_]" .. name .. "%f[^%w_]([%[%]%-%d]*)", function(point, brackets)
        return point == "" and f(brackets) or nil
    end))
end

-- ---- which statements are needed

local function each_read(e, mark)
    if not e then return end
    for _, variable in ipairs(e.reads) do
        mark(variable)
    end
    if e.also then
        for _, variable in ipairs(e.also) do mark(variable) end
    end
end

-- Calls visit(statement, parents) for all statements of a list. `parents`: a chain {statement, up}.
local function walk(list, visit, parents)
    for _, s in ipairs(list) do
        visit(s, parents)
        local inner = {s, parents}
        if s.yes then walk(s.yes, visit, inner) end
        if s.no then walk(s.no, visit, inner) end
        if s.body then walk(s.body, visit, inner) end
    end
end
ir.walk = walk

--- ir.needed(list, root) returns the set of the needed statements of a list, and the set of the variables that they
-- read. root(statement) returns whether a statement is needed by itself.
function ir.needed(list, root)
    local writers, live, read, queue = {}, {}, {}, {}
    local parents_of = {}
    local function mark(variable)
        if not read[variable] then
            read[variable] = true
            queue[#queue + 1] = variable
        end
    end
    local function keep(s)
        if live[s] then return end
        live[s] = true
        each_read(s.e, mark)
        each_read(s.path, mark)
        each_read(s.condition, mark)
        each_read(s.stop, mark)
        each_read(s.base, mark)
        each_read(s.first, mark)
        each_read(s.counter and s.counter.from, mark)
        if s.op == "update" or s.op == "add" or s.op == "put" then mark(s.to) end
        for _, e in ipairs(s.reads or {}) do each_read(e, mark) end
        local parent = parents_of[s]
        if parent then keep(parent) end
    end
    walk(list, function(s, parents)
        parents_of[s] = parents and parents[1]
        if s.to then
            writers[s.to] = writers[s.to] or {}
            table.insert(writers[s.to], s)
        end
    end)
    walk(list, function(s) if root(s) then keep(s) end end)
    while #queue > 0 do
        local variable = table.remove(queue)
        for _, s in ipairs(writers[variable] or {}) do keep(s) end
    end
    return live, read
end

return ir
