-- Writes statements of the intermediate form as kernel text.
local ir = require "rill.grad.kernel.ir"

local write = {}

-- Calls visit(variable, block, statement, sets, writes) for each variable that the needed statements of a list use.
local function each_use(list, live, visit, block)
    local function reads(e, s)
        if e then
            for _, variable in ipairs(e.reads) do visit(variable, block, s, false) end
        end
    end
    for _, s in ipairs(list) do
        if live[s] then
            reads(s.e, s); reads(s.path, s); reads(s.index, s); reads(s.condition, s); reads(s.base,
                s); reads(s.first, s)
            reads(s.counter and s.counter.from, s)
            if s.to then visit(s.to, block, s, s.op == "set", true) end
            if s.variable then visit(s.variable, block, s, false) end
            for _, part in ipairs {"yes", "no", "body"} do
                if s[part] then
                    local inner = {up = block, within = s, depth = block.depth + 1, list = s[part]}
                    s[part].block = inner
                    each_use(s[part], live, visit, inner)
                    if part == "body" and s.stop then
                        for _, variable in ipairs(s.stop.reads) do visit(variable, inner, s, false) end
                    end
                end
            end
        end
    end
end

local function common(a, b)
    while a ~= b do
        if a.depth > b.depth then a = a.up elseif b.depth > a.depth then b = b.up else a, b = a.up, b.up end
    end
    return a
end

-- Returns the block where the adjoint of a variable of a frame is declared, if it is used in `block`: not in a loop
-- whose iterations are in other frames, since these add to the same adjoint.
local function outside_loops(block, frame)
    local found = block
    while block do
        if block.list.frame and not ir.in_frame(frame, block.list.frame) then found = block.up end
        block = block.up
    end
    return found
end

-- Returns the statement of a block that contains a statement of an inner block.
local function outer(block, inner, s)
    while inner ~= block do
        s, inner = inner.within, inner.up
    end
    return s
end

-- Returns the set {variable = name} of the variables that are copies of others, with the names of these. Compilers do
-- not see through copies that are `precise`: a stencil with such copies took 1.2 times as long. declared: by variable,
-- the statement that declares it and is the only one that writes it; written: the set of all variables that are
-- written.
local function copies(order, declared, written, info)
    local names = {}
    for _, use in ipairs(order) do
        local variable, s = use.variable, declared[use.variable]
        local from = s and not variable.array and s.e.variable
        if from and info(variable.type).size and s.e.type == variable.type then
            -- "[i]" is a component of a variable, but an offset after a stream.
            local bar = from.given and from.base and not written[from] and info(from.type).size == 1
            if declared[from] or bar then names[variable] = names[from] or from.name end
        end
    end
    return names
end

--- write.body(list, live, zero, info) returns the text of a function's body. `live`: the needed statements;
-- zero(type): the literal 0 of a type.
function write.body(list, live, zero, info)
    local found, order = {}, {} -- by variable: the block where it is declared, its uses, and how often it is set
    local written, declared = {}, {}
    local top = {depth = 0, list = list}
    list.block = top
    each_use(list, live, function(variable, block, s, sets, writes)
        written[variable] = writes or written[variable]
        if variable.base or variable.given then return end
        local use = found[variable]
        if not use then
            use = {block = block, sets = 0, writes = 0, variable = variable, uses = {}}
            found[variable] = use
            order[#order + 1] = use
        end
        use.block = common(use.block, block)
        use.uses[#use.uses + 1] = {block, s}
        use.writes = use.writes + (writes and 1 or 0)
        if sets then
            use.sets, use.setter, use.at = use.sets + 1, s, block
        elseif s.to == variable then
            use.sets = use.sets + 2
        end
    end, top)
    local inline, before = {}, {}
    for _, use in ipairs(order) do
        local first = use.uses[1]
        if use.variable.adjoint then use.block = outside_loops(use.block, use.variable.frame) end
        if use.sets == 1 and use.at == use.block and outer(use.block, first[1], first[2]) == use.setter then
            inline[use.setter] = true
            declared[use.variable] = use.writes == 1 and use.setter or nil
        else
            local s = outer(use.block, first[1], first[2])
            local adds = s.op == "add" and s.to == use.variable and not s.path and info(use.variable.type).size
            declared[use.variable] = adds and use.writes == 1 and s or nil
            before[s] = before[s] or {}
            table.insert(before[s], use.variable)
            -- The values that one branch gives to an array are read in another one of the same condition.
            if use.variable.array and first[1] ~= use.block then use.variable.cleared = true end
        end
    end
    local names = copies(order, declared, written, info)
    local function text(e)
        local result = e.text
        for _, variable in ipairs(e.reads) do
            local name = names[variable]
            if name then result = ir.replace(result, variable.name, function(brackets) return name .. brackets end) end
        end
        return result
    end
    local out = {}
    local function line(depth, words)
        out[#out + 1] = ("  "):rep(depth) .. words
    end
    local function declaration(variable)
        local element, lengths = variable.type:match "^([^%[]+)(.*)$"
        return element .. " " .. variable.name .. lengths
    end
    local function clear(name, t, depth)
        line(depth, ("for (int k = 0; k < %d; k++) %s[k] = %s;"):format(t.length, name, zero(t.element).text))
    end
    local function add_text(to, e, depth, type)
        local t = info(type)
        if t.base == "array" then
            local n = "k" .. depth
            line(depth, ("for (int %s = 0; %s < %d; %s++) {"):format(n, n, t.length, n))
            add_text(to .. "[" .. n .. "]", e .. "[" .. n .. "]", depth + 1, t.element)
            line(depth, "}")
        elseif t.base == "structure" then
            for _, field in ipairs(t.fields) do
                if info(field[2]).real then add_text(to .. "." .. field[1], e .. "." .. field[1], depth, field[2]) end
            end
        else
            line(depth, ("%s += %s;"):format(to, e))
        end
    end
    local statement = {}
    local function statements(block_list, depth)
        for _, s in ipairs(block_list) do
            if live[s] then
                for _, variable in ipairs(before[s] or {}) do
                    local t = info(variable.type)
                    if s.op == "add" and s.to == variable and not s.path and t.size then
                        inline[s] = true
                    elseif variable.array and not variable.adjoint and not variable.cleared or
                        t.base == "array" and t.length > 16 then
                        line(depth, declaration(variable) .. ";")
                        if variable.adjoint or variable.cleared then clear(variable.name, t, depth) end
                    else
                        line(depth, declaration(variable) .. " = " .. zero(variable.type).text .. ";")
                    end
                end
                if not (names[s.to] and declared[s.to] == s) then statement[s.op](s, depth) end
            end
        end
    end
    function statement.set(s, depth)
        line(depth, (inline[s] and declaration(s.to) or s.to.name) .. " = " .. text(s.e) .. ";")
    end
    function statement.update(s, depth)
        line(depth, ("%s = %s;"):format(s.to.name, text(s.base)))
        line(depth, ("%s%s = %s;"):format(s.to.name, text(s.path), text(s.e)))
    end
    function statement.put(s, depth)
        local t = info(s.to.type)
        if s.e.literal and text(s.path) == "" and t.base == "array" and t.length > 16 then
            return clear(s.to.name, t, depth)
        end
        line(depth, ("%s%s = %s;"):format(s.to.name, text(s.path), text(s.e)))
    end
    function statement.add(s, depth)
        if inline[s] then return line(depth, declaration(s.to) .. " = " .. text(s.e) .. ";") end
        add_text(s.to.name .. (s.path and text(s.path) or ""), text(s.e), depth, s.e.type)
    end
    function statement.declare() end
    function statement.out(s, depth)
        line(depth, ("%s = %s;"):format(s.name, text(s.e)))
    end
    function statement.emit(s, depth)
        line(depth, ("push(%s, %s);"):format(s.name, text(s.e)))
    end
    function statement.contribute(s, depth)
        line(depth, ("push(%s, %s);"):format(s.names.at, text(s.index)))
        line(depth, ("push(%s, %s);"):format(s.names.add, text(s.e)))
    end
    function statement.collect(s, depth)
        line(depth, ("%s += %s;"):format(s.to.name, text(s.e)))
    end
    function statement.refuse(s)
        error({refused = s.words, text = s.node and s.node.text}, 0)
    end
    statement["if"] = function(s, depth)
        line(depth, ("if (%s) {"):format(text(s.condition)))
        local from = #out
        statements(s.yes, depth + 1)
        if #out == from then
            out[from] = ("  "):rep(depth) .. ("if (!(%s)) {"):format(text(s.condition))
            statements(s.no, depth + 1)
        else
            local middle = #out
            line(depth, "} else {")
            statements(s.no, depth + 1)
            if #out == middle + 1 then out[#out] = nil end
        end
        line(depth, "}")
    end
    function statement.loop(s, depth)
        local counter = s.counter
        local condition = s.condition and text(s.condition) or "true"
        local by = counter and (math.abs(counter.step) == 1 and (counter.step > 0 and "++" or "--") or
            (counter.step > 0 and " += " or " -= ") .. math.abs(counter.step))
        if counter then
            line(depth, ("for (%s %s = %s; %s; %s%s) {"):format(counter.variable.type, counter.variable.name,
                text(counter.from), condition, counter.variable.name, by))
        else
            line(depth, ("while (%s) {"):format(condition))
        end
        statements(s.body, depth + 1)
        if s.stop then line(depth + 1, ("if (%s) break;"):format(text(s.stop))) end
        line(depth, "}")
    end
    -- for (int q = n - 1; q >= 0; q--)
    statement["repeat"] = function(s, depth)
        local q = s.variable.name
        line(depth, s.up and ("for (int %s = 0; %s < %s; %s++) {"):format(q, q, text(s.first), q)
            or ("for (int %s = %s - 1; %s >= 0; %s--) {"):format(q, text(s.first), q, q))
        statements(s.body, depth + 1)
        line(depth, "}")
    end
    statement["while"] = function(s, depth)
        line(depth, ("while (%s) {"):format(text(s.condition)))
        statements(s.body, depth + 1)
        line(depth, "}")
    end
    statements(list, 1)
    return table.concat(out, "\n")
end

write.walk = ir.walk
return write
