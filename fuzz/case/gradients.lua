-- Checks the gradients of random programs: chains of 2 to 12 operations in double on streams that are shared, seen by
-- views, overwritten and closed, with kernels, loops and nested gradients. fuzz/support/gradients.lua compares the
-- gradients with central differences. Values stay between -2 and 2, so that differences are well conditioned. Shapes
-- and texts are few, so that most programs are compiled already.
local source = require "fuzz.support.source"

local gradients = {batch = 60}

local BOUND <const> = 2.0 -- of the absolute values of streams

-- A memory: {bound = of its values, fixed = it cannot be closed}. A variable: {name, shape, memories = those that it
-- reads; kind = "stream", "view" (that cannot be reshaped), "expression" or "number"; writable}.

-- ---- variables

local function size_of(shape) return source.size(shape) end

local function text_of(shape) return "{" .. table.concat(shape, ", ") .. "}" end

local function same_shape(a, b) return table.concat(a, "x") == table.concat(b, "x") end

local function emit(self, text, ...)
    table.insert(self.lines, "    " .. text:format(...) .. "\n")
end

local function add(self, shape, kind, memories, writable)
    self.count = self.count + 1
    local v = {name = "t" .. self.count, shape = shape, kind = kind, memories = memories, writable = writable}
    table.insert(self.variables, v)
    return v
end

local function bound_of(v)
    local bound = 0.0
    for _, memory in ipairs(v.memories) do
        bound = math.max(bound, memory.bound)
    end
    return bound
end

-- Returns a variable for which fits(v) is true, or nil. Newer ones are more probable.
local function pick(self, fits)
    local list = {}
    for _, v in ipairs(self.variables) do
        if v.kind ~= "number" and fits(v) then
            list[#list + 1] = v
        end
    end
    if #list == 0 then
        return nil
    end
    local d = self.d
    return list[#list - math.min(d:below(#list), d:below(#list))]
end

local function any() return true end

local function of_rank(rank)
    return function(v) return #v.shape == rank end
end

local function shaped(shape)
    return function(v) return same_shape(v.shape, shape) end
end

local function is_stream(v) return v.kind == "stream" or v.kind == "view" end

local function number(self) return self.d:pick {"0.5", "-0.75", "1.25", "2", "0.3"} end

local function number_variable(self)
    local list = {}
    for _, v in ipairs(self.variables) do
        list[#list + 1] = v.kind == "number" and v or nil
    end
    return #list > 0 and self.d:pick(list) or nil
end

-- Returns a number or a variable of one, and its bound.
local function scalar(self)
    local v = number_variable(self)
    if v and self.d:chance(2, 3) then
        return v.name, bound_of(v)
    end
    return number(self), BOUND
end

-- Returns an operand that broadcasts to a shape, and its bound: a stream, a row, a number.
local function operand(self, shape)
    local d = self.d
    local v = pick(self, function(v)
        return same_shape(v.shape, shape) or #v.shape == 1 and (v.shape[1] == shape[#shape] or v.shape[1] == 1)
    end)
    local n = number_variable(self)
    if n and d:chance(1, 3) then
        v = n
    end
    if not v or d:chance(1, 6) then
        return number(self), BOUND, {}
    end
    return v.name, bound_of(v), v.memories
end

-- Adds a stream with the value of a text whose absolute values are at most `bound`.
local function result(self, text, shape, bound)
    if bound > BOUND then
        text = bound > 16 * BOUND and ("rill.sin(%s)"):format(text) or
            ("(%s) * %.4f"):format(text, BOUND / bound)
        text = ("(%s):eval()"):format(text)
    end
    local v = add(self, shape, "stream", {{bound = math.min(bound, BOUND)}}, true)
    emit(self, "local %s = %s", v.name, text)
end

-- Adds a number, the full reduction of a stream.
local function reduced(self, text, bound)
    local v = add(self, {1}, "number", {{bound = math.min(bound, BOUND)}})
    emit(self, bound > BOUND and "local %s = %s * %.4f" or "local %s = %s", v.name, text, BOUND / bound)
    return v
end

-- ---- expressions

local FORMS <const> = { -- text of a and b, bound of a and b
    {"a * b", function(a, b) return a * b end}, {"a + b", function(a, b) return a + b end},
    {"a - 0.5 * b", function(a, b) return a + b end}, {"rill.sin(a) * b", function(_, b) return b end},
    {"a / (b * b + 1)", function(a) return a end}, {"rill.exp(rill.sin(a))", function() return 2.8 end},
    {"rill.sqrt(a * a + 1)", function(a) return a + 1 end}, {"a ^ 2", function(a) return a * a end},
    {"rill.max(a, b)", math.max}, {"rill.min(a, b * 0.5)", math.max}, {"rill.abs(a)", function(a) return a end},
    {"rill.clamp(a, -0.9, 0.8)", function() return 0.9 end}, {"rill.fract(a * 3)", function() return 1 end},
    {"a % 0.7", function() return 0.7 end}, {"rill.tanh(a + b)", function() return 1 end},
    {"rill.log(a * a + 1)", function(a) return a end}, {"rill.where(a:gt(0.1), a * a, b)",
        function(a, b) return math.max(a * a, b) end},
    {"rill.where(a:lt(b), b, 2 * a)", function(a, b) return math.max(2 * a, b) end},
    {"rill.mix(a, b, 0.25)", math.max}, {"rill.atan(a, b * b + 0.5)", function() return 1.6 end},
    {"rill.step(0.2, a) * b", function(_, b) return b end},
    {"rill.floor(a * 2) * b", function(a, b) return 4 * a * b end},
    {"rill.cos(a) - a", function(a) return a + 1 end}, {"rill.smoothstep(-1, 1, a) * b", function(_, b) return b end},
    {"(a * a + 1) ^ (b * 0.5)", function(a, b) return (a * a + 1) ^ (b * 0.5) end},
    {"rill.fma(a, a, a)", function(a) return a * a + a end}, {"a * a * a - a", function(a) return a ^ 3 + a end},
    {"2 - a", function(a) return 2 + a end}, {"-a", function(a) return a end},
}

-- Returns an expression of the shape of a, its bound, and the memories that it reads.
local function expression(self, a, depth)
    local d = self.d
    local text, bound, memories = a.name, bound_of(a), table.move(a.memories, 1, #a.memories, 1, {})
    for _ = 1, depth or d:chance(1, 6) and 2 or 1 do
        local form = d:pick(FORMS)
        local b, other, read = operand(self, a.shape)
        if not form[1]:find "%f[%w_]b%f[^%w_]" then
            read = {}
        end
        table.move(read, 1, #read, #memories + 1, memories)
        local inner = ("(%s)"):format(text)
        text = form[1]:gsub("%f[%w_][ab]%f[^%w_]", {a = inner, b = b})
        bound = form[2](bound, other)
        if bound > 8 then
            text, bound = ("rill.sin(%s)"):format(text), 1
        elseif bound > BOUND then
            text, bound = ("(%s) * %.4f"):format(text, BOUND / bound), BOUND
        end
    end
    return text, bound, memories
end

local operations = {}

function operations.expression(self)
    local a = pick(self, any)
    local text, bound, memories = expression(self, a)
    if self.d:chance(3, 4) then
        return result(self, ("(%s):eval()"):format(text), a.shape, bound)
    end
    local v = add(self, a.shape, "expression", memories)
    emit(self, "local %s = %s", v.name, text)
end

-- An expression of a name that does not use other variables.
local function of_name(self, name)
    local form = self.d:pick {"(%s * %s * %s - %s)", "rill.sin(%s * %s)"}
    return (form:gsub("%%s", name))
end

-- ---- views

local VIEWS <const> = {
    {1, "domain(2)", function(n) return n > 1 and {n - 1} end}, {1, "stride(2)", function(n) return {(n + 1) // 2} end},
    {1, "flip()", function(n) return {n} end}, {1, "stride(-1)", function(n) return {n} end},
    {1, "reshape {2, -1}", function(n) return n % 2 == 0 and n > 2 and {2, n // 2} end, "reshape"},
    {1, "tile(2)", function(n) return n <= 3 and {2 * n} end, "read"},
    {1, "replicate(2)", function(n) return n <= 3 and {2 * n} end, "read"},
    {1, "group(2)", function(n) return n % 2 == 0 and {n // 2, 2} end},
    {1, "expand(1)", function(n) return {1, n} end}, {1, "split(2)[2]", function(n) return n % 2 == 0 and {n // 2} end},
    {2, "transpose()", function(r, c) return {c, r} end}, {2, "flip(1)", function(r, c) return {r, c} end},
    {2, "domain({1, 1}, {-1, 1})", function(r) return {r, 1} end}, {2, "stride(1, 2)",
        function(r, c) return {r, (c + 1) // 2} end},
    {2, "reshape(-1)", function(r, c) return {r * c} end, "reshape"}, {2, "split(2, 1)[1]",
        function(r, c) return r % 2 == 0 and {r // 2, c} end},
    {2, "tile(1, 2)", function(r, c) return c <= 2 and {r, 2 * c} end, "read"},
    {2, "squeeze(1)", function(r, c) return r == 1 and {c} end},
}

function operations.view(self)
    local d = self.d
    local v = pick(self, is_stream)
    if not v then
        return
    end
    local name, memories = v.name, v.memories
    if #v.shape == 2 and d:chance(1, 3) then
        local row = add(self, {v.shape[2]}, "view", memories, v.writable)
        return emit(self, "local %s = %s[%d]", row.name, name, d:int(1, v.shape[1]))
    end
    local view = d:pick(VIEWS)
    local shape = view[1] == #v.shape and view[3](table.unpack(v.shape))
    if shape and not (view[4] == "reshape" and v.kind == "view") then
        local kind = view[4] == "reshape" and "stream" or "view"
        local made = add(self, shape, kind, memories, v.writable and view[4] ~= "read")
        emit(self, "local %s = %s:%s", made.name, name, view[2])
    end
end

-- ---- writes

-- Removes the expressions that read a memory, which is written: using them is an error. Returns whether one remains.
local function expire(self, memory)
    for i = #self.variables, 1, -1 do
        local v = self.variables[i]
        for _, read in ipairs(v.kind == "expression" and v.memories or {}) do
            if read == memory then
                table.remove(self.variables, i)
                break
            end
        end
    end
end

local function target(self, fits)
    return pick(self, function(v) return v.writable and (not fits or fits(v)) end)
end

local function written(self, v, bound)
    local memory = v.memories[1]
    memory.bound = math.max(memory.bound, bound)
    expire(self, memory)
end

function operations.write(self)
    local v = target(self)
    if not v then
        return
    end
    local from = pick(self, shaped(v.shape))
    if self.d:chance(1, 4) then
        emit(self, "%s:write(%s)", v.name, from.name)
        return written(self, v, bound_of(from))
    end
    local text, bound = expression(self, from)
    emit(self, "%s:write(%s)", v.name, text)
    written(self, v, bound)
end

function operations.fill(self)
    local v = target(self)
    if v then
        local value, bound = scalar(self)
        local d = self.d
        if d:chance(1, 2) then
            emit(self, "%s:fill(%s)", v.name, value)
        elseif #v.shape == 1 then
            local form = d:chance(1, 2) and "V[I] = X" or "V:set(X, I)"
            emit(self, "%s", (form:gsub("%u", {V = v.name, I = d:int(1, v.shape[1]), X = value})))
        elseif d:chance(1, 2) then
            local row = pick(self, shaped {v.shape[2]})
            if not row then
                return
            end
            bound = bound_of(row)
            emit(self, "%s[%d]:write(%s)", v.name, d:int(1, v.shape[1]), row.name)
        else
            emit(self, "%s:set(%s, %d, 1)", v.name, value, d:int(1, v.shape[1]))
        end
        written(self, v, bound)
    end
end

local function indices(self, count, most)
    local list = {}
    for i = 1, count do
        list[i] = self.d:int(0, most - 1)
    end
    return list
end

local function index_stream(self, count, most)
    return ("gradients.indices {%s}"):format(table.concat(indices(self, count, most), ", "))
end

function operations.scatter(self)
    local v, d = target(self, of_rank(1)), self.d
    local from = v and pick(self, of_rank(1))
    if not from then
        return
    end
    if d:chance(1, 2) then
        emit(self, "rill.scatter(%s, %s, %s)", v.name, index_stream(self, from.shape[1], v.shape[1]), from.name)
        return written(self, v, bound_of(from))
    end
    emit(self, "rill.scatter(%s, %s, %s * 0.25, \"add\")", v.name, index_stream(self, from.shape[1], v.shape[1]),
        from.name)
    written(self, v, bound_of(v) + bound_of(from) * from.shape[1] * 0.25)
end

function operations.close(self)
    local d = self.d
    local v = pick(self, is_stream)
    if d:chance(1, 2) or not v or v.argument then
        return emit(self, "collectgarbage()")
    end
    emit(self, "%s:close()", v.name)
    for i, other in ipairs(self.variables) do
        if other == v then
            table.remove(self.variables, i)
            return
        end
    end
end

-- ---- kernels

local EDGES <const> = {"\"clamp\"", "\"wrap\"", "\"mirror\"", "0.5"}
local MODES <const> = {"\"clamp\"", "\"wrap\"", "\"mirror\"", "0.5", "\"zero\""}

local function half(self, shape)
    return pick(self, shaped(shape))
end

local kernels = {}

function kernels.square(self, v)
    local a, bound = scalar(self)
    local to = self.d:chance(1, 3) and target(self, shaped(v.shape))
    local most = bound * bound_of(v) ^ 2
    if to and most <= 4 * BOUND then
        emit(self, "kernels.square(%s, %s, %s)", v.name, a, to.name)
        return written(self, to, most)
    end
    result(self, ("kernels.square(%s, %s)"):format(v.name, a), v.shape, most)
end

function kernels.both(self, v)
    local w = half(self, v.shape)
    local b = bound_of(w)
    local s = add(self, v.shape, "stream", {{bound = (b + bound_of(v)) / 2}}, true)
    local p = add(self, v.shape, "stream", {{bound = b * bound_of(v) / 2}}, true)
    emit(self, "local %s, %s = kernels.both(%s, %s)", s.name, p.name, v.name, w.name)
end

function kernels.grow(self, v)
    local to = target(self, shaped(v.shape))
    if to then
        emit(self, "kernels.grow%s", self.d:chance(1, 3) and
            (" {x = %s, f = %s, where = %s:gt(0)}"):format(to.name, v.name, half(self, v.shape).name) or
            ("(%s, %s)"):format(to.name, v.name))
        written(self, to, bound_of(to) * bound_of(v) * 0.5 + bound_of(v) * 0.25)
    end
end

function kernels.shrink(self)
    local to = target(self)
    if to then
        emit(self, "kernels.shrink(%s)", to.name)
        written(self, to, 1)
    end
end

function kernels.swap(self)
    local a = target(self)
    local b = a and target(self, function(v)
        return same_shape(v.shape, a.shape) and v.memories[1] ~= a.memories[1]
    end)
    if b then
        emit(self, "kernels.swap(%s, %s)", a.name, b.name)
        local bound = math.max(bound_of(a), bound_of(b))
        written(self, a, bound)
        written(self, b, bound)
    end
end

function kernels.smooth(self, v)
    if #v.shape ~= 1 then
        return
    end
    local k, mode = half(self, v.shape), self.d:chance(1, 5) and "" or (":boundary(%s)"):format(self.d:pick(MODES))
    local b = bound_of(v)
    result(self, ("kernels.smooth(%s%s, %s)"):format(v.name, mode, k.name), v.shape, 0.5 * b + 0.5 * bound_of(k) *
        math.max(b, 0.5))
end

function kernels.plate(self, v)
    if #v.shape == 2 then
        local d = self.d
        local mode = d:chance(1, 5) and "" or (":boundary(%s, %s)"):format(d:pick(EDGES),
            d:pick(EDGES))
        result(self, ("kernels.plate(%s%s)"):format(v.name, mode), v.shape, bound_of(v) ^ 2 + 1)
    end
end

function kernels.pick(self, v)
    local f = pick(self, of_rank(1))
    if #v.shape == 1 and f then
        local n = f.shape[1]
        result(self, ("kernels.pick(%s, %s, %s)"):format(v.name, index_stream(self, n, v.shape[1] + 2), f.name), {n},
            bound_of(v) * bound_of(f) * 0.25 + 0.5 * bound_of(v))
    end
end

function kernels.grid(self, v)
    local f = pick(self, of_rank(1))
    if #v.shape == 2 and f then
        result(self, ("kernels.grid(%s, %s)"):format(v.name, f.name), f.shape, bound_of(v) + bound_of(f))
    end
end

function kernels.positive(self, v)
    local w = half(self, v.shape)
    reduced(self, ("kernels.positive(%s, %s):sum()"):format(v.name, w.name), bound_of(v) * bound_of(w) *
        size_of(v.shape))
end

function kernels.curve(self, v)
    local a = scalar(self)
    if bound_of(v) > 1 then
        return result(self, ("kernels.curve(rill.sin(%s), %s)"):format(v.name, a), v.shape, 2)
    end
    result(self, ("kernels.curve(%s, %s)"):format(v.name, a), v.shape, 2)
end

function kernels.side(self, v)
    local w = half(self, v.shape)
    result(self, ("kernels.side(%s, %s)"):format(v.name, w.name), v.shape, bound_of(w) + bound_of(v))
end

function kernels.rows(self, v)
    local to = target(self, shaped(v.shape))
    if to then
        local b = bound_of(v)
        self.count = self.count + 1
        emit(self, "local v%d = kernels.rows(%s)", self.count, v.name)
        emit(self, "kernels.length2(v%d, %s)", self.count, to.name)
        written(self, to, bound_of(to) + 0.25 * (b ^ 4 / 4 + 1))
    end
end

function kernels.total(self, v)
    if #v.shape == 2 and self.d:chance(1, 2) then
        return result(self, ("kernels.total(%s, {%d, 1}):reshape(%d)"):format(v.name, v.shape[1], v.shape[1]),
            {v.shape[1]}, bound_of(v) * v.shape[2])
    end
    reduced(self, ("kernels.total(%s)"):format(v.name), bound_of(v) * size_of(v.shape))
end

function kernels.product(self, v)
    reduced(self, ("kernels.product(%s)"):format(v.name), bound_of(v) ^ size_of(v.shape))
end

local KERNELS <const> = {"square", "both", "grow", "shrink", "swap", "smooth", "plate", "pick", "grid", "positive",
    "curve", "side", "rows", "total", "product"}

function operations.kernel(self)
    kernels[self.d:pick(KERNELS)](self, pick(self, any))
end

function operations.map(self)
    local v = pick(self, any)
    local form = self.d:pick {{"\"sin(x) * x\"", 1},
        {"\"x > 0.3 ? x * x : 0.5 * x\"", 2}, {"\"a * x\", {a = 0.5}", 0.5}}
    result(self, ("%s:map(%s)"):format(v.name, form[1]), v.shape, bound_of(v) * form[2] * math.max(1, bound_of(v)))
end

-- ---- operations on whole streams

function operations.reduce(self)
    local v, d = pick(self, any), self.d
    local n, b = size_of(v.shape), bound_of(v)
    local name, bound = table.unpack(d:pick {{"sum", b * n}, {"mean", b}, {"max", b}, {"min", b}, {"norm", b * n},
        {"var", b * b}, {"prod", math.max(1, b) ^ n}, {"median", b}})
    if name == "norm" or name == "var" then -- the derivative of norm has no limit
        return reduced(self, ("(rill.cos(%s) + 1.5):%s()"):format(v.name, name), 2.5 * n)
    end
    if #v.shape == 1 or d:chance(1, 3) then
        return reduced(self, ("%s:%s()"):format(v.name, name), bound)
    end
    local axis = d:int(1, 2)
    local shape = {v.shape[3 - axis]}
    if name ~= "median" and d:chance(1, 3) then
        shape = {axis == 1 and 1 or v.shape[1], axis == 2 and 1 or v.shape[2]}
        return result(self, ("%s:%s(%d, {keep = true})"):format(v.name, name, axis), shape, bound)
    end
    result(self, ("%s:%s(%d)"):format(v.name, name, axis), shape, bound)
end

function operations.dot(self)
    local v = pick(self, any)
    local w = half(self, v.shape)
    reduced(self, ("%s:dot(%s)"):format(v.name, w.name), bound_of(v) * bound_of(w) * size_of(v.shape))
end

function operations.scan(self)
    local v, d = pick(self, any), self.d
    local options = {}
    local op = d:pick {"add", "mul"}
    options[#options + 1] = d:chance(1, 3) and "exclusive = true" or nil
    options[#options + 1] = d:chance(1, 3) and "reverse = true" or nil
    local n = #v.shape == 1 and v.shape[1]
    if n and n > 1 and d:chance(1, 4) then
        options[#options + 1] = ("segments = {%d, %d}"):format(n - 1, 1)
    elseif not n then
        options[#options + 1] = ("axis = %d"):format(d:int(1, 2))
    end
    local b = bound_of(v)
    result(self, ("%s:scan(%q, {%s})"):format(v.name, op, table.concat(options, ", ")), v.shape,
        op == "add" and b * size_of(v.shape) or math.max(1, b) ^ size_of(v.shape))
end

function operations.order(self)
    local v, d = pick(self, any), self.d
    local n, b = v.shape[#v.shape], bound_of(v)
    local choice = d:below(5)
    if choice == 1 and #v.shape == 1 then
        local k = d:int(1, n)
        return result(self, ("(%s:top_k(%d))"):format(v.name, k), {k}, b)
    elseif choice == 2 and #v.shape == 1 then
        local w = half(self, v.shape)
        local s = add(self, v.shape, "stream", {{bound = b}}, true)
        local t = add(self, v.shape, "stream", {{bound = bound_of(w)}}, true)
        return emit(self, "local %s, %s = rill.sort_by_key(%s, %s)", s.name, t.name, v.name, w.name)
    elseif choice == 3 then
        return reduced(self, ("%s:quantile(0.3)"):format(v.name), b)
    elseif choice == 4 and #v.shape == 1 then
        return reduced(self, ("%s:filter(%s:gt(0.1)):sum()"):format(half(self, v.shape).name, v.name), b * n + BOUND)
    end
    result(self, ("%s:sort {%s}"):format(v.name, d:pick {"", "descending = true", "key = \"x * x\"",
        ("axis = %d"):format(d:int(1, #v.shape))}), v.shape, b)
end

function operations.gather(self)
    local v, d = pick(self, any), self.d
    local n, b = v.shape[1], bound_of(v)
    local count = d:pick {n, 2, 4}
    local choice = d:below(4)
    if choice == 1 then
        local shape = {count, v.shape[2]}
        local list = table.concat(indices(self, count, n), ", ")
        return result(self, ("%s:select({%s}, 1)"):format(v.name, list), shape, b)
    elseif choice == 2 and #v.shape == 2 then
        return result(self, ("rill.take_along(%s, rill.argsort(%s, {axis = 2}), 2)"):format(v.name, v.name), v.shape, b)
    elseif #v.shape == 1 then
        return result(self, ("rill.gather(%s, %s)"):format(v.name, index_stream(self, count, n + 1)), {count}, b)
    end
end

function operations.move(self)
    local v, d = pick(self, any), self.d
    local n, b = v.shape[1], bound_of(v)
    local choice = d:below(6)
    if choice == 1 and n > 1 then
        local shape = {n - 1, v.shape[2]}
        return result(self, ("%s:diff(1, 1)"):format(v.name), shape, 2 * b)
    elseif choice == 2 and n <= 3 and #v.shape == 1 then
        local after = d:int(0, 1)
        return result(self, ("%s:pad {before = 1, after = %d%s}"):format(v.name, after, d:pick {"", ", value = 0.5"}),
            {n + 1 + after}, b)
    elseif choice == 3 then
        local w = half(self, v.shape)
        local shape = table.move(v.shape, 1, #v.shape, 1, {})
        shape[1] = 2 * n
        if size_of(shape) <= 12 then
            return result(self, ("rill.concat {%s, %s}"):format(v.name, w.name), shape, math.max(b, bound_of(w)))
        end
    elseif choice == 4 and #v.shape == 1 then
        local w = half(self, v.shape)
        return result(self, ("rill.stack({%s, %s}, %d)"):format(v.name, w.name, 2), {n, 2}, math.max(b, bound_of(w)))
    elseif choice == 5 then
        return result(self, ("%s:copy()"):format(v.name), v.shape, b)
    end
    result(self, ("%s:roll(%d, %d)"):format(v.name, d:int(1, 2), d:int(1, #v.shape)), v.shape, b)
end

function operations.product(self)
    local d = self.d
    local a = pick(self, of_rank(d:int(1, 2)))
    if not a then
        return
    end
    local n = a.shape[#a.shape]
    local b = pick(self, function(v) return v.shape[1] == n end)
    if not b then
        return
    end
    local bound = bound_of(a) * bound_of(b) * n
    local shape = table.move(a.shape, 1, #a.shape - 1, 1, {})
    shape[#shape + 1] = b.shape[2]
    if #a.shape == 1 and #b.shape == 1 then
        return result(self, ("rill.outer(%s, %s)"):format(a.name, b.name), {n, n}, bound)
    elseif #a.shape == 2 and d:chance(1, 2) then
        local text = #b.shape == 2 and "ij,jk->ik" or "ij,j->i"
        return result(self, ("rill.einsum(%q, %s, %s)"):format(text, a.name, b.name), shape, bound)
    end
    result(self, ("rill.matmul(%s, %s)"):format(a.name, b.name), shape, bound)
end

function operations.transform(self)
    local v, d = pick(self, any), self.d
    local n, b = size_of(v.shape), bound_of(v)
    if d:chance(1, 2) then
        return result(self, ("rill.fft(%s).%s:eval()"):format(v.name, d:pick {"x", "y"}), v.shape, b * n)
    end
    local w = #v.shape == 1 and pick(self, function(w) return #w.shape == 1 and w.shape[1] <= 3 end)
    if w then
        return result(self, ("rill.%s(%s, %s, {boundary = %s})"):format(
            d:pick {"convolve", "correlate"}, v.name, w.name,
            d:pick {"\"zero\"", "\"wrap\"", "\"clamp\""}), v.shape, b * bound_of(w) * 3)
    end
end

-- ---- functions of rill.grad in the program

function operations.steps(self)
    local v, d = pick(self, any), self.d
    local w = half(self, v.shape)
    if not is_stream(w) then
        return
    end
    local body = d:pick {"rill.sin(s * %s)", "rill.sin(s) * 0.5 + %s * 0.25", "rill.sin(kernels.square(s, 0.5) + %s)"}
    local options = d:chance(1, 2) and (", {checkpoints = %d}"):format(d:int(1, 3)) or ""
    local from = d:chance(1, 2) and v.name or ("(%s):eval()"):format((expression(self, v, 1)))
    local made = add(self, v.shape, "stream", {{bound = BOUND}}, true)
    local count = d:int(1, 5)
    if d:chance(1, 3) then
        local text = "local %s = rill.steps(%d, %s, function(s) kernels.shrink(s) return (%s):eval() end%s)"
        emit(self, text, made.name, count, ("(%s):copy()"):format(from), body:format(w.name), options)
    else
        emit(self, "local %s = rill.steps(%d, %s, function(s) return %s end%s)", made.name, count, from,
            body:format(w.name), options)
    end
    emit(self, "%s = (%s):eval()", made.name, made.name)
end

function operations.constant(self)
    local v, d = pick(self, any), self.d
    if d:chance(1, 2) then
        return result(self, ("gradients.constant(%s)"):format(v.name), v.shape, bound_of(v))
    end
    reduced(self, ("gradients.value(%s:mean())"):format(v.name), bound_of(v))
end

function operations.nested(self)
    local v, d = pick(self, is_stream), self.d
    if not v then
        return
    end
    local w = half(self, v.shape)
    if not is_stream(w) then
        return
    end
    local choice = d:below(4)
    local inner = ("%s * %s"):format(of_name(self, "u"), w.name)
    local text
    if choice == 0 then
        text = ("rill.grad(function(u) return (%s):sum() end)(%s)"):format(inner, v.name)
    elseif choice == 1 then
        text = ("select(2, rill.vjp(function(u) return %s end, %s))(%s)"):format(inner, v.name, w.name)
    elseif choice == 2 then
        text = ("select(2, rill.jvp(function(u) return %s end, {%s}, {%s}))"):format(inner, v.name, w.name)
    else
        text = ("rill.hvp(function(u) return (%s):sum() end, %s, %s)"):format(inner, v.name, w.name)
    end
    result(self, ("rill.sin(%s):eval()"):format(text), v.shape, 1)
end

local OPERATIONS <const> = {
    {9, "expression"}, {4, "view"}, {4, "write"}, {2, "fill"}, {2, "scatter"}, {1, "close"}, {6, "kernel"}, {1, "map"},
    {2, "reduce"}, {1, "dot"}, {1, "scan"}, {2, "order"}, {2, "gather"}, {2, "move"}, {1, "product"},
    {1, "transform"}, {1, "steps"}, {1, "constant"}, {1, "nested"},
}

-- ---- programs

local SHAPES <const> = {{4}, {3}, {6}, {2, 3}, {2, 2}, {1}, {3, 2}}

-- Functions that make the stream of an argument: streams, and views of larger ones.
local function maker(d, shape)
    local choice = d:below(8)
    if #shape == 1 and choice == 6 then
        return ("rill.stream(\"double\", %d):stride(2)"):format(2 * shape[1]), "view"
    elseif #shape == 1 and choice == 7 then
        return ("rill.stream(\"double\", %d):domain(2, %d)"):format(shape[1] + 2, shape[1] + 1), "view"
    elseif #shape == 2 and choice == 6 then
        return ("rill.stream(\"double\", {%d, %d}):transpose()"):format(shape[2], shape[1]), "view"
    end
    return ("rill.stream(\"double\", %s)"):format(text_of(shape)), "stream"
end

local function values_of(d, n)
    local list = {}
    for i = 1, n do
        list[i] = ("%.4f"):format((d:below(30000) - 15000) / 10000 + 0.0313)
    end
    return "{" .. table.concat(list, ", ") .. "}"
end

local SCRIPT <const> = [[
local gradients = require "fuzz.support.gradients"
local kernels = gradients.kernels
local outside = %s
local function f(%s)
%send
local verdict = gradients.examine {f = f, mode = %q, make = {%s}, values = {%s}, wrt = %s,
    reset = function() outside:write %s end, views = {%s}}
outside:close()
streams = gradients.streams() -- examine compares them after several runs, since kernels keep the orders of indices
return verdict
]]

-- Adds the statement that returns the result.
local function finish(self, mode)
    local d, parts = self.d, {}
    if mode == "vjp" or mode == "jvp" then
        local v = self.variables[#self.variables]
        v = v.kind == "number" and pick(self, any) or v
        if d:chance(1, 2) then
            return emit(self, "return %s", v.name)
        end
        return emit(self, "return %s", (expression(self, v, 1)))
    end
    local used = {}
    for i = #self.variables, math.max(1, #self.variables - d:int(0, 3)), -1 do
        used[#used + 1] = self.variables[i]
    end
    for i, v in ipairs(used) do
        local name = v.name
        if v.kind == "number" then
            parts[i] = ("%s * %s + %s"):format(name, name, name)
        else
            parts[i] = ("(%s * %s * %s - %s):sum()"):format(name, name, name, name)
        end
    end
    emit(self, "return %s", table.concat(parts, " + "))
end

function gradients.script(d)
    local self = {d = d, lines = {}, variables = {}, count = 0}
    local names, make, values, shapes = {}, {}, {}, {}
    for k = 1, d:int(1, 3) do
        shapes[k] = k > 1 and d:chance(1, 2) and shapes[1] or d:pick(SHAPES)
        names[k] = ("a"):rep(k)
        local text, kind = maker(d, shapes[k])
        table.insert(self.variables, {name = names[k], shape = shapes[k], kind = kind,
            memories = {{bound = BOUND}}, writable = true, argument = true})
        make[k] = ("function() return %s end"):format(text)
        values[k] = values_of(d, size_of(shapes[k]))
    end
    local shape = d:chance(1, 2) and shapes[1] or d:pick(SHAPES)
    table.insert(self.variables, 1, {name = "outside", shape = shape, kind = "stream", memories = {{bound = BOUND}},
        writable = d:chance(1, 2), argument = true})
    local mode = d:pick {"grad", "grad", "grad", "value_and_grad", "vjp", "vjp", "jvp", "hvp"}
    local wrt
    if #names > 1 and (mode == "grad" or mode == "value_and_grad") and d:chance(1, 4) then
        wrt = ("{%d}"):format(d:int(1, #names))
    end
    local view = ""
    if #names > 1 and not wrt and shapes[2] == shapes[1] and d:chance(1, 4) then
        view = ("[2] = function(s) return s%s end"):format(#shapes[1] == 1 and d:pick {"", ":flip()"} or "")
    end
    local count = d:int(2, 12)
    for _ = 1, 3 * count do
        if count > 0 then
            local before = #self.lines
            operations[d:weighted(OPERATIONS)](self)
            count = count - (#self.lines > before and 1 or 0)
        end
    end
    finish(self, mode)
    return SCRIPT:format(("rill.stream(\"double\", %s)"):format(text_of(shape)), table.concat(names, ", "),
        table.concat(self.lines), mode, table.concat(make, ", "), table.concat(values, ", "), wrt or "nil",
        values_of(d, size_of(shape)), view)
end

function gradients.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        scripts[i] = gradients.script(d)
    end
    return scripts
end

return gradients
