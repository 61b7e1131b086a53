-- Makes the adjoint of a kernel: the forward sweep, and then the statements in reverse order, each of which adds to the
-- adjoints of what it reads. Iterations of loops are computed again from the state before them:
--   1. if an iteration needs no other state than the loop's counter, nothing is stored;
--   2. if the number of iterations is known and small, their states are stored in an array;
--   3. otherwise a few states are stored, and the others are computed again from them. The distances between the stored
--      states are halved (a variant of A. Griewank and A. Walther, "Algorithm 799: revolve", ACM TOMS 26, 2000), so
-- that
--      the number of iterations has no bound.
local builder = require "rill.grad.kernel.builder"
local ir = require "rill.grad.kernel.ir"
local types = require "rill.grad.kernel.types"

local value, literal, read, join = ir.value, ir.literal, ir.read, ir.join

local STATE_WORDS <const> = 64 -- of states that are stored for each iteration
local SLOTS <const>, MOST_SLOT_WORDS <const> = 16, 256

local Adjoint = builder.extend()

--- Returns the variable of an adjoint.
function Adjoint:bar(variable)
    local bar = variable.bar
    if not bar then
        bar = {name = self.lowered:name((variable.base or variable.name):gsub("%W.*", "") .. "_bar"),
            type = variable.type,
            frame = variable.frame, adjoint = true, array = variable.array}
        variable.bar = bar
        self.bars[#self.bars + 1] = bar
    end
    return bar
end

--- Adds an expression to the adjoint of a value.
function Adjoint:add(argument, e)
    self:add_part(argument, nil, e)
end

--- Adds an expression to the adjoint of a part of a value; `path` nil means all of it.
function Adjoint:add_part(argument, path, e)
    local variable = argument.variable
    if not variable then return end
    local info = self.types.info(e.type)
    if info.base == "array" or info.base == "structure" then e = self:keep(e) end
    local repeated = path and path.swizzle and path.text:match "%.([xyzwrgbastpq]+)$"
    if repeated and #repeated > 1 then
        for i = 1, #repeated do
            for j = i + 1, #repeated do
                if repeated:sub(i, i) == repeated:sub(j, j) then
                    return self:add_each(variable, path, repeated, e)
                end
            end
        end
    end
    self:emit {op = "add", to = self:bar(variable), path = path, e = e}
end

--- Adds to components that occur several times, as in v.xx.
function Adjoint:add_each(variable, path, letters, e)
    e = self:keep(e)
    local head = path.text:sub(1, -#letters - 1)
    for i = 1, #letters do
        self:emit {op = "add", to = self:bar(variable), path = value(head .. letters:sub(i, i), nil, path.reads),
            e = value(e.text .. "." .. ("xyzw"):sub(i, i), self.types.info(e.type).base, e.reads, true)}
    end
end

--- Raises an error, if the adjoint of an argument is needed.
function Adjoint:refuse(argument, w, words, s)
    local to = argument and argument.variable and self:bar(argument.variable)
    if not to then error({refused = words, text = s.node and s.node.text}, 0) end
    self:emit {op = "refuse", words = words, node = s.node, to = to, e = w}
end

-- ---- contributions to streams that are read by index

--- Returns the expression of the flat index of an element, or of its index outside.
function Adjoint:flat(target, indices, neighbor)
    local name = target.text
    local rank = 0
    if neighbor then
        rank = #indices == 1 and self.types.info(indices[1].type).rows or #indices
    else
        for _ in target.type:gmatch "%[%]" do rank = rank + 1 end
    end
    local function whole(text, type)
        local info = self.types.info(type)
        return info.real and "int(floor(" .. text .. " + 0.0009765625))" or "int(" .. text .. ")"
    end
    local parts, reads = {}, {}
    for i = 1, rank do -- slowest first
        local text
        if #indices == rank and (rank > 1 or self.types.info(indices[1].type).rows == 1) then
            text = whole(indices[i].atom and indices[i].text or "(" .. indices[i].text .. ")", indices[i].type)
        else
            local info = self.types.info(indices[1].type)
            local e = indices[1]
            text = whole((e.atom and e.text or "(" .. e.text .. ")") .. "." .. ("xyzw"):sub(rank - i + 1, rank - i + 1),
                info.base)
        end
        parts[i] = text
    end
    for _, e in ipairs(indices) do table.move(e.reads, 1, #e.reads, #reads + 1, reads) end
    if neighbor then
        for i = 1, rank do parts[i] = ("indexof(%s, %d) + %s"):format(name, rank - i, parts[i]) end
    end
    local coordinates = {}
    for i = 1, rank do coordinates[i] = parts[rank - i + 1] end
    return self:place(name, coordinates, reads)
end

--- Returns the expression of the flat index of an element of a stream. coordinates: their texts, fastest first.
function Adjoint:place(name, coordinates, reads)
    local names = self.places[name]
    if not names then
        local function free(word) -- a kernel that is itself an adjoint may have a parameter of this name
            for _, parameter in ipairs(self.lowered.parameters) do
                if parameter.text == word then return free(word .. "2") end
            end
            return word
        end
        names = {size = free(name .. "_size"), mode = free(name .. "_mode")}
        self.places[name] = names
    end
    for i = #coordinates + 1, 4 do coordinates[i] = "0" end
    return value(("adjoint_place(ivec4(%s), %s, %s)"):format(table.concat(coordinates, ", "), names.size, names.mode),
        "int", reads, true)
end

--- Adds w to the adjoint of the element `index` of a stream.
function Adjoint:contribute_at(target, index, w)
    local name = target.text
    if not self.wanted[name] then return end
    local inside = self.frame ~= self.lowered.top
    if inside then
        local p = self:pushes(name)
        self:emit {op = "contribute", target = name, names = p, index = index, e = w, reads = {index}, root = true}
    else
        local at, add = self.lowered:name(name .. "_at"), self.lowered:name(name .. "_add")
        table.insert(self.sites, {name = name, at = at, add = add, type = w.type})
        self:emit {op = "out", name = at, e = index, root = true}
        self:emit {op = "out", name = add, e = w, root = true}
    end
end

--- Adds w to the adjoint of the element that statement s reads.
function Adjoint:contribute(s, w)
    local g = s.gather
    if not self.wanted[g.target.text] then return end
    self:contribute_at(g.target, self:flat(g.target, g.indices, g.neighbor), self:keep(w))
end

--- sample(name, p): the corners and their weights, and the derivative with respect to the position.
function Adjoint:contribute_sample(s, w, p)
    local name = s.sample.target.text
    local rank = select(2, s.sample.target.type:gsub("%[%]", ""))
    local element = s.e.type
    local position = self:keep(p)
    local size = self.types.info(p.type).rows
    local letters = "xyzw"
    local function component(e, d) return size == 1 and e.text or e.text .. "." .. letters:sub(d, d) end
    local low = self:keep(join("floor($1)", p.type, position))
    local between = self:keep(join("$1 - $2", p.type, position, low))
    w = self:keep(w)
    local function inner(d, text) -- the sum of the products of w and an expression
        if self.types.info(element).size == 1 then return "(" .. w.text .. " * " .. text .. ")" end
        return "dot(" .. w.text .. ", " .. text .. ")", d
    end
    local slopes = {}
    for d = 1, rank do slopes[d] = {} end
    for corner = 0, 2 ^ rank - 1 do
        corner = math.tointeger(corner)
        local at, weight = {}, {}
        for d = 1, rank do
            local bit = corner >> (d - 1) & 1
            at[d] = ("int(%s)%s"):format(component(low, d), bit == 1 and " + 1" or "")
            weight[d] = bit == 1 and component(between, d) or ("(1.0 - %s)"):format(component(between, d))
        end
        local index = self:place(name, table.move(at, 1, rank, 1, {}), low.reads)
        local reads = table.move(w.reads, 1, #w.reads, #between.reads + 1, table.move(between.reads, 1,
            #between.reads, 1, {}))
        if self.wanted[name] then
            self:contribute_at(s.sample.target, index, self:keep(value(w.text .. " * " .. table.concat(weight, " * "),
                element, reads)))
        end
        local brackets = {}
        for d = rank, 1, -1 do brackets[#brackets + 1] = "[" .. at[d] .. "]" end
        local texel = self:keep(value(name .. table.concat(brackets), element, low.reads, true))
        for d = 1, rank do
            local rest = {}
            for k = 1, rank do
                if k ~= d then rest[#rest + 1] = " * " .. weight[k] end
            end
            local bit = corner >> (d - 1) & 1
            table.insert(slopes[d], {text = (bit == 1 and "" or "-") .. inner(d, texel.text) .. table.concat(rest),
                reads = table.move(texel.reads, 1, #texel.reads, #reads + 1, table.move(reads, 1, #reads, 1, {}))})
        end
    end
    if p.literal then return end
    local parts, reads = {}, {}
    for d = 1, size do
        local texts = {}
        for i, slope in ipairs(slopes[d] or {}) do
            texts[i] = slope.text
            table.move(slope.reads, 1, #slope.reads, #reads + 1, reads)
        end
        parts[d] = #texts > 0 and table.concat(texts, " + ") or "0.0"
    end
    self:add(p, value(size == 1 and parts[1] or p.type .. "(" .. table.concat(parts, ", ") .. ")", p.type, reads))
end

-- ---- statements in reverse

local reverse = {}

--- Adds the statements that go back through a list of statements.
function Adjoint:reverse(list)
    for i = #list, 1, -1 do
        reverse[list[i].op](self, list[i])
    end
end

--- An array without values has nothing to go back through.
function reverse.declare() end

--- Adds to the adjoints of what an assigned expression reads.
function reverse.set(self, s)
    if s.rule and self.types.info(s.to.type).real then
        local w = read(self:bar(s.to))
        s.rule.adjoint(self, w, read(s.to), s.args, s)
        if s.carries then
            self:emit {op = "set", to = self:bar(s.to), e = self:zero(s.to.type)}
        end
    end
end

--- Divides the adjoint of a variable between the new part and the rest.
function reverse.update(self, s)
    local bar = self:bar(s.to)
    if not self.types.info(s.to.type).real then return end
    local part = value(bar.name .. s.path.text, s.part, table.move(s.path.reads, 1, #s.path.reads, 2, {bar}), true)
    if self.types.info(s.part).real then
        self:add(s.args[2], part)
        self:emit {op = "put", to = bar, path = s.path, e = self:zero(s.part)}
    end
    self:add(s.args[1], read(bar))
end

--- Restores the element of an array, and takes its adjoint for the value that was stored.
function reverse.put(self, s)
    if s.old then self:emit {op = "put", to = s.to, path = s.path, e = read(s.old)} end
    if not self.types.info(s.e.type).real then return end
    local bar = self:bar(s.to)
    local w = self:keep(value(bar.name .. s.path.text, s.e.type, table.move(s.path.reads, 1, #s.path.reads, 2, {bar})))
    self:emit {op = "put", to = bar, path = s.path, e = self:zero(s.e.type)}
    if not s.args[1].literal then self:add(s.args[1], w) end
end

--- The adjoint of a pushed value is read from the adjoint of the variable output.
function reverse.push(self, s)
    local name = s.output.text
    if s.e.literal or not self.types.info(s.e.type).real then return end
    self.pulled[name] = true
    self:add(s.args[1], value(("%s_bar[%s_first + %s]"):format(name, name, s.at.atom and s.at.text or "(" ..
        s.at.text .. ")"),
        s.e.type, s.at.reads, true))
end

reverse["if"] = function(self, s)
    local outer = self.list
    local yes, no = {}, {}
    self.list = yes
    self:reverse(s.yes)
    self.list = no
    self:reverse(s.no)
    self.list = outer
    self:emit {op = "if", condition = s.condition, yes = yes, no = no}
end

-- Returns the number of 32-bit words of a type.
local function words(known, type)
    local info = known.info(type)
    if info.base == "array" then return info.length * words(known, info.element) end
    if info.fields then
        local sum = 0
        for _, field in ipairs(info.fields) do sum = sum + words(known, field[2]) end
        return sum
    end
    return info.size * (info.base == "double" and 2 or 1)
end

--- Calls f with another list of statements, and returns the list.
function Adjoint:gathered(f)
    local outer = self.list
    self.list = {}
    f()
    local list = self.list
    self.list = outer
    return list
end

--- Returns the state of an iteration in the reverse sweep: new variables for those that the loop carries.
function Adjoint:state(s)
    local map, state = {}, {}
    for _, c in ipairs(s.carried) do
        if c.variable then
            local new = {name = self.lowered:name(c.variable.name:gsub("_%d+$", "")), type = c.variable.type,
                frame = self.frame}
            new.bar = self:bar(c.variable)
            map[c.variable] = new
            state[#state + 1] = {variable = new, first = c.first, carried = c}
        else
            state[#state + 1] = {variable = c.array, array = true, carried = c}
        end
    end
    return map, state
end

--- Copies the body of a loop for the variables of `map`. `counter`: the expression of the number of the iteration.
function Adjoint:iteration(s, map, turn)
    local inner = {frames = {[s.frame] = self.frame}}
    for old, new in pairs(map) do inner[old] = new end
    local list = self:copy(s.body, inner, s.frame)
    if s.counter then
        local variable = inner[s.counter.variable]
        if variable then
            variable.given = nil
            local step = s.counter.step
            local type = variable.type
            turn = type == "int" and turn or join(type .. "($1)", type, turn)
            table.insert(list, 1, {op = "set", to = variable, e = step == 1 and join("$1 + $2", type, s.counter.from,
                turn) or
                join("$1 + $2 * " .. (type == "uint" and ("uint(%d)"):format(step) or step), type, s.counter.from,
                    turn)})
        end
    end
    return list
end

--- Runs f in the frame of an iteration.
function Adjoint:within(f)
    local outer = self.frame
    local frame = {up = outer}
    self.frame = frame
    local list = self:gathered(f)
    list.frame = frame
    self.frame = outer
    return list
end

--- Goes back through the iterations of a loop.
function reverse.loop(self, s)
    local lowered = self.lowered
    local known = s.trips and math.tointeger(tonumber(s.trips.text))
    if known == 0 then return end
    local map, state = self:state(s)
    local turn = {name = lowered:name "turn", type = "int", frame = self.frame, given = true}
    local frame
    -- An iteration: the forward sweep without the assignments of the carried variables at its end, then the reverse
    -- sweep.
    local body = self:within(function()
        frame = self.frame
        local forward, carries = {}, {}
        for _, t in ipairs(self:iteration(s, map, read(turn))) do
            table.insert(t.carries and carries or forward, t)
            if not t.carries then self:emit(t) end
        end
        table.move(carries, 1, #carries, #forward + 1, forward)
        self:reverse(forward)
    end)
    local function is_root(t)
        return t.root or (t.op ~= "declare" and t.to and not t.to.array and t.to.adjoint and
            not ir.in_frame(t.to.frame, frame)) or (t.to and t.to.array and t.to.adjoint and not ir.in_frame(t.to.frame,
                frame))
    end
    local _, reads = ir.needed(body, is_root)
    local needed, any = {}, false
    local function need(set)
        local more = false
        for _, part in ipairs(state) do
            if set[part.variable] and not needed[part] then
                needed[part], any, more = true, true, true
            end
        end
        return more
    end
    need(reads)
    local trips = s.trips
    if not trips then
        trips = read(self:count(s))
    end
    if not any then
        self:emit {op = "repeat", variable = turn, first = trips, body = body}
        return
    end
    -- What the next state depends on.
    local step = {name = lowered:name "step", type = "int", frame = self.frame, given = true}
    local from = self:variable("begin", "int")
    local advance = self:within(function()
        for _, t in ipairs(self:iteration(s, map, join("$1 + $2", "int", read(from), read(step)))) do self:emit(t) end
    end)
    local again
    repeat
        local variables = {}
        for part in pairs(needed) do variables[part.variable] = true end
        _, again = ir.needed(advance, function(t) return t.to and variables[t.to] end)
    until not need(again)
    local kept, size = {}, 0
    for _, part in ipairs(state) do
        if needed[part] then
            kept[#kept + 1] = part
            size = size + words(self.types, part.variable.type)
        end
    end
    if known and known * size <= STATE_WORDS then
        return self:stored(s, kept, turn, trips, body, known)
    end
    self:recomputed(s, kept, turn, trips, body, {step = step, from = from, list = advance, size = size})
end

--- Returns the variable that counts the iterations of a loop of the forward sweep.
function Adjoint:count(s)
    if not s.count then
        s.count = {name = self.lowered:name "trips", type = "int", frame = self.frame}
    end
    if not s.counts then
        s.counts = true
        table.insert(s.body, 1, {op = "set", to = s.count, e = join("$1 + 1", "int", read(s.count))})
    end
    return s.count
end

-- Makes the arrays of stored states. Bools are stored as ints: zink of Mesa 22.3 ends the process for arrays of bools.
local function saves(self, kept, slots)
    for _, part in ipairs(kept) do
        local type = part.variable.type
        local info = self.types.info(type)
        part.stored_type = info.base == "bool" and types.of("int", info.rows) or type
        local element, lengths = part.stored_type:match "^([^%[]+)(.*)$"
        part.save = {name = self.lowered:name "kept", type = ("%s[%d]%s"):format(element, slots, lengths),
            frame = self.frame, array = true}
    end
end

-- Returns the statement that stores the state of a variable.
local function store(part, variable, at)
    local e = read(variable)
    return {op = "put", to = part.save, path = value("[" .. at.text .. "]", nil, at.reads),
        e = part.stored_type == e.type and e or join(part.stored_type .. "($1)", part.stored_type, e)}
end

-- Returns the statement that brings back a stored state.
local function restore(part, at)
    local type = part.variable.type
    local e = value(("%s[%s]"):format(part.save.name, at.text), part.stored_type,
        table.move(at.reads, 1, #at.reads, 2, {part.save}), true)
    e = part.stored_type == type and e or join(type .. "($1)", type, e)
    return part.array and {op = "put", to = part.variable, path = value("", nil), e = e} or
        {op = "set", to = part.variable, e = e}
end

--- The states of all iterations are stored by the forward sweep.
function Adjoint:stored(s, kept, turn, trips, body, known)
    saves(self, kept, known)
    local count = {name = self.lowered:name "turn", type = "int", frame = self.frame}
    local first, last = {}, {}
    for _, part in ipairs(kept) do
        local variable = part.carried.variable or part.carried.array
        first[#first + 1] = store(part, variable, read(count))
        table.insert(body, 1, restore(part, read(turn)))
    end
    last[1] = {op = "set", to = count, e = join("$1 + 1", "int", read(count))}
    local forward = s.body
    table.move(forward, 1, #forward, #first + 1)
    table.move(first, 1, #first, 1, forward)
    forward[#forward + 1] = last[1]
    table.insert(self.inits, {before = s, {op = "set", to = count, e = literal("0", "int")}})
    self:emit {op = "repeat", variable = turn, first = trips, body = body}
end

--- Some states are stored, the others are computed again.
function Adjoint:recomputed(s, kept, turn, trips, body, advance)
    local slots = math.max(4, math.min(SLOTS, MOST_SLOT_WORDS // advance.size))
    saves(self, kept, slots)
    local at = {name = self.lowered:name "stored", type = ("int[%d]"):format(slots), frame = self.frame, array = true}
    local top, left = self:variable("top", "int"), self:variable("left", "int")
    local from = advance.from
    local function set(to, text, ...)
        return {op = "set", to = to, e = join(text, to.type, ...)}
    end
    local function save(place)
        local list = {{op = "put", to = at, path = value("[" .. place.text .. "]", nil, place.reads), e = read(from)}}
        for _, part in ipairs(kept) do
            list[#list + 1] = store(part, part.variable, place)
        end
        return list
    end
    local function stored_at(place)
        return value(("%s[%s]"):format(at.name, place.text), "int",
            table.move(place.reads, 1, #place.reads, 2, {at}), true)
    end
    local function load(place)
        local list = {{op = "set", to = from, e = stored_at(place)}}
        for _, part in ipairs(kept) do list[#list + 1] = restore(part, place) end
        return list
    end
    self:emit {op = "set", to = from, e = literal("0", "int")}
    self:emit {op = "set", to = top, e = literal("0", "int")}
    self:emit {op = "set", to = left, e = trips}
    for _, part in ipairs(kept) do
        if part.array then
            local first = {name = self.lowered:name "kept", type = part.variable.type, frame = self.frame, array = true,
                cleared = true}
            table.insert(self.inits, {before = s, {op = "put", to = first, path = value("", nil),
                e = read(part.variable)}})
            self:emit {op = "put", to = part.variable, path = value("", nil), e = read(first)}
        else
            self:emit {op = "set", to = part.variable, e = part.first}
        end
    end
    for _, t in ipairs(save(literal("0", "int"))) do self:emit(t) end
    local length = self:variable("length", "int")
    local inner = {
        set(length, ("$1 < %d && $2 > %d - $1 ? $2 / 2 : $1 < %d ? 1 : $2"):format(slots - 1, slots - 1, slots - 1),
            read(top),
            join("($1 - 1 - $2)", "int", read(left), read(from))),
        {op = "repeat", up = true, variable = advance.step, first = read(length), body = advance.list},
        set(from, "$1 + $2", read(from), read(length)),
        {op = "if", condition = join("$1 < " .. slots - 1, "bool", read(top)), no = {}, yes = {set(top, "$1 + 1",
            read(top)),
            table.unpack(save(read(top)))}},
    }
    local list = load(read(top))
    list[#list + 1] = {op = "while", condition = join("$1 < $2 - 1", "bool", read(from), read(left)), body = inner}
    list[#list + 1] = set(left, "$1 - 1", read(left))
    turn.given = nil
    list[#list + 1] = {op = "set", to = turn, e = read(left)}
    table.move(body, 1, #body, #list + 1, list)
    list.frame = body.frame
    list[#list + 1] = {op = "if", condition = join("$1 > 0 && $2 == $3", "bool", read(top), stored_at(read(top)),
        read(left)), yes = {set(top, "$1 - 1", read(top))}, no = {}}
    self:emit {op = "while", condition = join("$1 > 0", "bool", read(left)), body = list}
end

-- Inserts the statements of `inits` before the loops that they belong to.
local function insert_before(list, inits)
    for i = #list, 1, -1 do
        local s = list[i]
        if s.yes then insert_before(s.yes, inits); insert_before(s.no, inits) end
        if s.body then insert_before(s.body, inits) end
        for _, init in ipairs(inits) do
            if init.before == s then table.insert(list, i, init[1]) end
        end
    end
end

--- Makes the contributions of many sites variable outputs: a kernel has at most 64 parameters, and fewer outputs if
-- some are variable.
function Adjoint:limit_sites()
    if #self.sites <= (next(self.pushed) and 2 or 8) then return end
    local by_name = {}
    for _, site in ipairs(self.sites) do by_name[site.at], by_name[site.add] = site, site end
    ir.walk(self.list, function(s)
        local site = s.op == "out" and by_name[s.name]
        if site and s.name == site.at then
            site.index, s.root = s.e, nil
        elseif site then
            s.op, s.target, s.names, s.index, s.reads = "contribute", site.name, self:pushes(site.name), site.index,
                {site.index}
        end
    end)
    self.sites = {}
end

--- Returns the names of the variable outputs for contributions to a stream: {at, add}.
function Adjoint:pushes(name)
    local p = self.pushed[name] or {at = self.lowered:name(name .. "_at"), add = self.lowered:name(name .. "_add")}
    self.pushed[name] = p
    return p
end

local adjoint = {}

--- adjoint.make(lowered, wanted) returns the statements of the adjoint of a kernel, and what its signature needs:
-- {list, bars: the sums for parameters, sites and pushed: contributions by index, places, pulled}. `wanted`: the
-- names of the parameters with respect to which the outputs are differentiated.
function adjoint.make(lowered, wanted)
    local self = setmetatable({bars = {}, wanted = wanted, sites = {}, pushed = {}, places = {}, pulled = {},
        inits = {}},
        Adjoint):prepare(lowered)
    for _, s in ipairs(lowered.list) do self:emit(s) end
    for _, output in ipairs(lowered.outputs) do
        if lowered.types.info(output.type).real and not output.e.literal then
            local seed = {name = output.name .. "_bar", type = output.type, base = output.name, given = true}
            self:add(output.e, read(seed))
        end
    end
    self:reverse(lowered.list)
    for _, variable in ipairs(lowered.reads) do
        local name = variable.source.text
        if wanted[name] then
            self:emit {op = "out", name = self:bar(variable).name, e = read(self:bar(variable)), root = true,
                source = name}
        end
    end
    insert_before(self.list, self.inits)
    self:limit_sites()
    return self
end

return adjoint
