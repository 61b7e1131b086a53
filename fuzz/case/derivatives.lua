-- Checks the derivatives of random kernels: the outputs of k:tangent are those of the kernel bit for bit,
-- <J v, w> = <v, J^T w> of k:tangent and k:gradient, and central differences where two steps agree. All values stay in
-- -2 .. 2 between statements, and loops contract, so that differences are well conditioned.
local derivatives = {batch = 36}

local BOUND <const> = 2.0 -- of the absolute values of variables

-- Names of variables; derivatives use some of them for variables of their own.
local NAMES <const> = {"v", "t", "t_1", "turn", "kept", "begin", "stored", "top", "left", "trips", "old", "copy",
    "done", "n", "k0", "stop", "x_bar", "x_dot", "here", "step", "chosen", "entered", "at", "add", "size", "t_2",
    "a_at"}

-- Compilers take nearly all of the time, so most kernels are small. `depth`: of expressions; `budget`: statements that
-- are not assignments; `statements`: least and most; `functions`, `inputs`, `outputs`: numbers of them, of which one is
-- drawn, as one of `ranks` of gathers; `cost`: of the body, in iterations of which at most 300 are made; `plain`: in
-- two of three functions, which are texts of their own for doubles, another one is called.
local SMALL <const> = {depth = 1, deep = 1, budget = 3, statements = {1, 3}, functions = {0, 0, 0, 1}, inputs = 1,
    outputs = {1, 1, 1, 2}, ranks = {1, 1, 2}, cost = 16, plain = true}
local MEDIUM <const> = {depth = 2, deep = 2, budget = 6, statements = {1, 3}, functions = {0, 0, 1}, inputs = 2,
    outputs = {1, 1, 2}, ranks = {1, 2, 3, 4}, cost = 8, plain = true}
local LARGE <const> = {depth = 9, deep = 3, budget = 22, statements = {2, 7}, functions = {0, 1, 2, 2}, inputs = 3,
    outputs = {1, 1, 2, 3}, ranks = {1, 1, 2, 3, 4}, cost = 1}

local Case = {}
Case.__index = Case

-- ---- types

local function vector(self, n) return n == 1 and self.T or self.P .. "vec" .. n end

local function rows_of(type) return tonumber(type:match "vec(%d)$") or 1 end

local function literal(self, x)
    return ("%s%s"):format(x, self.T == "double" and "LF" or "")
end

-- ---- scopes: variables {name, type, kind, fixed, length}

local function inner(self, f)
    local outer = self.scope
    self.scope = setmetatable({}, {__index = outer})
    self.scope.variables = table.move(outer.variables, 1, #outer.variables, 1, {})
    local text = f()
    self.scope = outer
    return text
end

-- Returns a name for a variable whose initial value is e, which does not use it.
local function fresh(self, e)
    local d = self.d
    if d:chance(1, 3) then
        local name = d:pick(NAMES)
        local used = e and e:find("%f[%w_]" .. name .. "%f[^%w_]")
        if not self.scope.own[name] and not self.taken[name] and not used then return name end
    end
    self.count = self.count + 1
    return "v" .. self.count
end

local function add(self, variable)
    local list = self.scope.variables
    for i = #list, 1, -1 do
        if list[i].name == variable.name then table.remove(list, i) end
    end
    list[#list + 1] = variable
    self.scope.own[variable.name] = true
    return variable
end

-- Returns the text f() of a block. `own`: names that its scope has already.
local function block(self, f, own)
    return inner(self, function()
        self.scope.own = own or {}
        return f()
    end)
end

local function variables(self, type, writable)
    local list = {}
    for _, v in ipairs(self.scope.variables) do
        if v.type == type and not v.length and not v.stream and not (writable and v.fixed) then list[#list + 1] = v end
    end
    return list
end

local function arrays(self, type)
    local list = {}
    for _, v in ipairs(self.scope.variables) do
        if v.length and (not type or v.type == type) then list[#list + 1] = v end
    end
    return list
end

local function streams(self, kind, type)
    local list = {}
    for _, v in ipairs(self.scope.variables) do
        if v.stream == kind and (not type or v.type == type) then list[#list + 1] = v end
    end
    return list
end

-- ---- effects: an expression that changes a variable does not read it elsewhere, since the order is not defined

-- Returns f(), made again without effects if it reads what it changes.
local function ordered(self, f, effects)
    local outer = self.touched
    self.touched, self.effects = {}, effects
    local count = self.count
    local results = {f()}
    self.effects = false
    for _, name in ipairs(self.touched) do
        local _, uses = results[1]:gsub("%f[%w_]" .. name .. "%f[^%w_]", "")
        if uses > 1 then
            self.count = count
            results = {f()}
            break
        end
    end
    self.touched = outer
    return table.unpack(results)
end

-- ---- ints and bools

local int, bool, real

-- An index of 0 .. n - 1.
local function index(self, n, depth)
    local d = self.d
    if n == 1 then return "0" end
    if depth <= 0 or d:chance(1, 2) then return tostring(d:below(n)) end
    return ("abs(%s) %% %d"):format(int(self, depth - 1), n)
end

function int(self, depth)
    local d = self.d
    depth = math.min(depth, self.size.depth)
    local known = variables(self, "int")
    local choice = depth <= 0 and d:below(2) or d:below(9)
    if choice == 1 and #known > 0 then return d:pick(known).name end
    if choice == 2 or choice == 3 then
        return ("(%s %s %s)"):format(int(self, depth - 1), d:pick {"+", "-", "*"}, int(self, depth - 1))
    elseif choice == 4 then
        return ("(%s ? %s : %s)"):format(bool(self, depth - 1), int(self, depth - 1), int(self, depth - 1))
    elseif choice == 5 then
        return ("int(floor(%s * 3.0))"):format((real(self, 1, depth - 1)))
    elseif choice == 6 and self.indexed then
        local of = d:pick(self.indexed)
        return ("%s(%s).%s"):format(d:pick {"indexof", "sizeof_stream"}, of, d:pick {"x", "y", "x"})
    elseif choice == 7 then
        return ("(%s %% %d)"):format(int(self, depth - 1), d:int(2, 7))
    elseif choice == 8 and self.effects then
        local writable = variables(self, "int", true)
        if #writable > 0 then
            self.effects = false
            local name = d:pick(writable).name
            local text = ("(%s = %s %% 11)"):format(name, int(self, depth - 1))
            self.effects = true
            table.insert(self.touched, name)
            return text
        end
    end
    return tostring(d:pick {1, 0, 2, 3, 5, -1, -2})
end

function bool(self, depth)
    local d = self.d
    depth = math.min(depth, self.size.depth)
    local choice = depth <= 0 and d:below(2) or d:below(6)
    if choice == 1 then
        return ("%s %s %s"):format(int(self, depth - 1), d:pick {"<", ">", "==", "!=", "<="}, int(self, depth - 1))
    elseif choice == 2 or choice == 3 then
        return ("(%s) %s (%s)"):format(bool(self, depth - 1), d:pick {"&&", "||", "^^"}, bool(self, depth - 1))
    elseif choice == 4 then
        return ("!(%s)"):format(bool(self, depth - 1))
    elseif choice == 5 then
        local e = real(self, d:int(2, 4), depth - 1)
        return ("any(lessThan(%s, %s))"):format(e, e)
    end
    return ("%s %s %s"):format((real(self, 1, depth - 1)), d:pick {"<", ">"}, (real(self, 1, depth - 1)))
end

-- A condition, of which && and || evaluate the parts in order.
local function condition(self, depth)
    local d = self.d
    local function part() return (ordered(self, function() return bool(self, depth) end, d:chance(1, 2))) end
    local e = part()
    return d:chance(1, 3) and ("(%s) %s (%s)"):format(e, d:pick {"&&", "||"}, part()) or e
end

-- ---- reals: each function returns a text and a bound of the absolute values of components

-- Scales an expression so that its bound is at most `most`.
local function bounded(self, e, b, most)
    if b <= most then return e, b end
    local d = self.d
    local choice = d:below(4)
    if choice == 1 and most >= 1.0 and not (self.size.plain and d:chance(2, 3)) then
        return ("sin(%s)"):format(e), 1.0
    end
    if choice == 2 then
        return ("clamp(%s, -%s, %s)"):format(e, literal(self, "0.9375"), literal(self, "0.875")), 1.0
    end
    return ("(%s) * %s"):format(e, literal(self, ("%.4f"):format(most / b * 0.99))), most
end

local function swizzle(self, have, want)
    local set = self.d:pick {"xyzw", "rgba"}
    local list = {}
    for i = 1, want do
        local k = self.d:below(have) + 1
        list[i] = set:sub(k, k)
    end
    return table.concat(list)
end

-- A read of an element of a stream.
local function stream_read(self, n, depth)
    local d = self.d
    local kinds = {}
    for _, s in ipairs(streams(self, "neighbor", vector(self, n))) do kinds[#kinds + 1] = s end
    for _, s in ipairs(streams(self, "gather", vector(self, n))) do kinds[#kinds + 1] = s end
    if #kinds == 0 then return nil end
    local s = d:pick(kinds)
    local parts, vectors = {}, s.rank > 1 and d:chance(1, 4)
    if s.stream == "neighbor" and d:chance(1, 6) then return s.name, BOUND end
    local far = d:chance(1, 5)
    for i = 1, s.rank do
        if s.stream == "neighbor" then
            parts[i] = far and ("abs(%s) %% 4 - 2"):format(int(self, depth - 1)) or tostring(d:int(-2, 2))
        elseif d:chance(1, 6) and not vectors then
            parts[i] = ("float(%s * 2.0)"):format((real(self, 1, depth - 1)))
        else
            parts[i] = int(self, depth - 1)
        end
    end
    if vectors then
        local reversed = {}
        for i = 1, s.rank do reversed[i] = parts[s.rank + 1 - i] end
        return ("%s[ivec%d(%s)]"):format(s.name, s.rank, table.concat(reversed, ", ")), BOUND
    end
    return ("%s[%s]"):format(s.name, table.concat(parts, "][")), BOUND
end

-- A leaf of n components.
local function leaf(self, n, depth)
    local d = self.d
    local list = {}
    for _, v in ipairs(variables(self, vector(self, n))) do list[#list + 1] = v.name end
    local wide = {}
    for m = 2, 4 do
        for _, v in ipairs(variables(self, vector(self, m))) do wide[#wide + 1] = {v, m} end
    end
    local choice = d:below(9)
    if #list > 0 and choice <= 3 then return d:pick(list), BOUND end
    if choice == 4 and #wide > 0 then
        local v = d:pick(wide)
        if n == 1 and d:chance(1, 2) then return ("%s[%s]"):format(v[1].name, index(self, v[2], depth - 1)), BOUND end
        return v[1].name .. "." .. swizzle(self, v[2], n), BOUND
    elseif choice == 5 then
        local a = arrays(self, vector(self, n))
        if #a > 0 then
            local v = d:pick(a)
            return ("%s[%s]"):format(v.name, index(self, v.length, depth - 1)), BOUND
        end
    elseif choice == 6 then
        local m = variables(self, "matrix")
        if #m > 0 then
            local v = d:pick(m)
            if n == v.rows then return ("%s[%s]"):format(v.name, index(self, v.columns, depth - 1)), BOUND end
            if n == 1 then
                return ("%s[%s][%s]"):format(v.name, index(self, v.columns, depth - 1), index(self, v.rows, depth - 1)),
                    BOUND
            end
        end
    elseif choice == 7 then
        local s = variables(self, "S")
        for _, v in ipairs(arrays(self, "S")) do
            s[#s + 1] = {name = ("%s[%s]"):format(v.name, index(self, v.length, depth - 1))}
        end
        if #s > 0 then
            local name = d:pick(s).name
            if n == 1 then
                return name .. d:pick {".s", ".v.y", ".v[1]", (".a[%s]"):format(index(self, 2, depth - 1))}, BOUND
            end
            return name .. ".v." .. swizzle(self, 3, n), BOUND
        end
    elseif choice == 8 then
        local e, b = stream_read(self, n, depth)
        if e then return e, b end
    end
    if #list > 0 then return d:pick(list), BOUND end
    local x = literal(self, d:pick {"0.5", "1.5", "0.25", "1.0", "2.0"})
    return n == 1 and x or ("%s(%s)"):format(vector(self, n), x), 2.0
end

-- A call of a function with n components as its result.
local function call(self, n, depth)
    local d = self.d
    if self.silent then return nil end
    local list = {}
    for _, f in ipairs(self.functions) do
        if f.rows == n and (f.pure or self.effects) then list[#list + 1] = f end
    end
    if #list == 0 then return nil end
    local f = d:pick(list)
    self.calls = self.calls + 1
    if self.calls > 7 then return nil end
    local args, used = {}, {}
    local effects = self.effects
    self.effects = false
    for i, p in ipairs(f.parameters) do
        if p.kind then
            local to
            for _, v in ipairs(variables(self, p.type, true)) do
                if not used[v.name] and (not to or d:chance(1, 2)) then to = v.name end
            end
            local a = arrays(self, p.type)
            if #a > 0 and d:chance(1, 3) then
                local v = d:pick(a)
                if not used[v.name] and not v.fixed then
                    to = ("%s[%s]"):format(v.name, index(self, v.length, depth - 1))
                    used[v.name] = true
                end
            end
            if not to then
                self.effects = effects
                return nil
            end
            used[to] = true
            table.insert(self.touched, to:match "^%w[%w_]*")
            args[i] = to
        elseif p.stream then
            for _, s in ipairs(streams(self, p.stream, p.type)) do
                if s.rank == p.rank then args[i] = s.name end
            end
            if not args[i] then
                self.effects = effects
                return nil
            end
        elseif p.type == "int" then
            args[i] = int(self, depth - 1) .. " % 11"
        elseif p.length then
            local found
            for _, v in ipairs(arrays(self, p.type)) do
                if v.length == p.length then found = v.name end
            end
            if not found then
                local parts = {}
                for k = 1, p.length do parts[k] = (leaf(self, rows_of(p.type), 0)) end
                found = ("%s[](%s)"):format(p.type, table.concat(parts, ", "))
            end
            args[i] = found
        else
            local e, b = real(self, rows_of(p.type), depth - 1)
            args[i] = bounded(self, e, b, BOUND)
        end
    end
    self.effects = effects
    return ("%s(%s)"):format(f.name, table.concat(args, ", ")), BOUND
end

local UNARY <const> = {
    {"sin(%s)", function() return 1.0 end}, {"cos(%s)", function() return 1.0 end},
    {"tanh(%s)", function() return 1.0 end, scalar = true}, {"atan(%s)", function() return 1.6 end},
    {"sqrt(%s * %s + ONE)", function(b) return b + 1.0 end, twice = true},
    {"abs(%s)", function(b) return b end}, {"-(%s)", function(b) return b end},
    {"exp(sin(%s))", function() return 2.8 end}, {"log(%s * %s + ONE)", function(b) return b end, twice = true},
    {"(ONE / (%s * %s + ONE))", function() return 1.0 end, twice = true},
    {"pow(%s * %s + ONE, HALF)", function(b) return b + 1.0 end, twice = true},
    {"inversesqrt(%s * %s + ONE)", function() return 1.0 end, twice = true},
    {"fract(%s)", function() return 1.0 end}, {"(%s - floor(%s))", function() return 1.0 end, twice = true},
    {"smoothstep(ZERO, ONE, %s)", function() return 1.0 end},
    {"clamp(%s, -ONE, HALF)", function() return 1.0 end}, {"asin(sin(%s) * HALF)", function() return 1.6 end},
    {"acos(sin(%s) * HALF)", function() return 3.2 end}, {"asinh(%s)", function(b) return b end},
    {"mod(%s, HALF)", function() return 0.5 end},
}

local CHEAP <const> = {}
for _, row in ipairs(UNARY) do
    local name = row[1]:match "^%(*(%w*)"
    row.costly = ("sin cos tanh atan exp log pow asin acos asinh"):find("%f[%w]" .. name .. "%f[%W]")
    CHEAP[#CHEAP + 1] = not row.costly and row or nil
end

local function constants(self, n, text)
    local function c(x) return n == 1 and literal(self, x) or vector(self, n) .. "(" .. x .. ")" end
    return (text:gsub("ONE", c "1.0"):gsub("HALF", c "0.5"):gsub("ZERO", c "0.0"))
end

-- A matrix as text, or nil.
local function matrix(self, columns, rows, depth)
    local d = self.d
    depth = math.min(depth, self.size.depth)
    local type = ("%smat%dx%d"):format(self.P, columns, rows)
    local known = {}
    for _, v in ipairs(variables(self, "matrix")) do
        if v.columns == columns and v.rows == rows then known[#known + 1] = v.name end
    end
    local choice = d:below(depth > 0 and 8 or 2)
    if choice == 0 and #known > 0 then return d:pick(known), BOUND end
    if choice == 2 then
        local a, b = matrix(self, rows, columns, depth - 1)
        return ("transpose(%s)"):format(a), b
    elseif choice == 3 then
        local a, b1 = real(self, rows, depth - 1)
        local e, b2 = real(self, columns, depth - 1)
        return ("outerProduct(%s, %s)"):format(a, e), b1 * b2
    elseif choice == 4 then
        local a, b1 = matrix(self, columns, rows, depth - 1)
        local e, b2 = matrix(self, columns, rows, depth - 1)
        local op = d:pick {"+", "-", "c"}
        if op == "c" then return ("matrixCompMult(%s, %s)"):format(a, e), b1 * b2 end
        return ("(%s %s %s)"):format(a, op, e), b1 + b2
    elseif choice == 5 then
        local m = d:int(2, 3)
        local a, b1 = matrix(self, m, rows, depth - 1)
        local e, b2 = matrix(self, columns, m, depth - 1)
        return ("(%s * %s)"):format(a, e), b1 * b2 * m
    elseif choice == 6 then
        local a, b1 = matrix(self, columns, rows, depth - 1)
        local e, b2 = real(self, 1, depth - 1)
        if d:chance(1, 2) then return ("(%s * %s)"):format(a, e), b1 * b2 end
        return ("(%s * %s)"):format(e, a), b1 * b2
    elseif choice == 7 and columns == rows then
        local e, b = real(self, 1, depth - 1)
        return ("%s(%s)"):format(type, e), b
    end
    local parts, most = {}, 0.0
    for c = 1, columns do
        local e, b = real(self, rows, depth - 2)
        parts[c], most = e, math.max(most, b)
    end
    return ("%s(%s)"):format(type, table.concat(parts, ", ")), most
end

function real(self, n, depth)
    local d = self.d
    depth = math.min(depth, self.size.depth)
    if depth <= 0 then return leaf(self, n, depth) end
    local choice = d:below(20)
    if choice == 1 or choice == 2 then
        local a, b1 = real(self, n, depth - 1)
        local e, b2 = real(self, n > 1 and d:chance(1, 4) and 1 or n, depth - 1)
        local op = d:pick {"+", "-"}
        return ("(%s %s %s)"):format(a, op, e), b1 + b2
    elseif choice == 3 or choice == 4 then
        local a, b1 = real(self, n > 1 and d:chance(1, 4) and 1 or n, depth - 1)
        local e, b2 = real(self, n, depth - 1)
        return ("%s * %s"):format(a, e):gsub("^.*$", "(%0)"), b1 * b2
    elseif choice == 5 then
        local a, b1 = real(self, n, depth - 1)
        local e = real(self, n, depth - 1)
        return constants(self, n, ("(%s / (ONE + %s * %s))"):format(a, e, e)), b1
    elseif choice == 6 or choice == 7 or choice == 8 then
        local row = d:pick(UNARY)
        if self.size.plain and row.costly and d:chance(2, 3) then row = d:pick(CHEAP) end
        local e, b = real(self, n, depth - 1)
        local m = row.scalar and 1 or n
        if m ~= n then
            e, b = real(self, 1, depth - 1)
        end
        local text = constants(self, m, row.twice and row[1]:format(e, e) or row[1]:format(e))
        return m == n and text or ("%s(%s)"):format(vector(self, n), text), row[2](b)
    elseif choice == 9 then
        local a, b1 = real(self, n, depth - 1)
        local e, b2 = real(self, n, depth - 1)
        return ("%s(%s, %s)"):format(d:pick {"min", "max"}, a, e), math.max(b1, b2)
    elseif choice == 10 then
        local a, b1 = real(self, n, depth - 1)
        local e, b2 = real(self, n, depth - 1)
        local t, b3 = real(self, 1, depth - 1)
        if d:chance(1, 2) then return ("mix(%s, %s, %s)"):format(a, e, t), b1 + (b1 + b2) * b3 end
        return ("fma(%s, %s, %s)"):format(a, e, n == 1 and t or ("%s(%s)"):format(vector(self, n), t)), b1 * b2 + b3
    elseif choice == 11 then
        local test = bool(self, depth - 1)
        local a, b1 = real(self, n, depth - 1)
        local e, b2 = real(self, n, depth - 1)
        return ("(%s ? %s : %s)"):format(test, a, e), math.max(b1, b2)
    elseif choice == 12 or choice == 13 then
        local e, b = call(self, n, depth)
        if e then return e, b end
    elseif choice == 14 and n == 1 then
        local m = d:int(2, 4)
        local a, b1 = real(self, m, depth - 1)
        local e, b2 = real(self, m, depth - 1)
        local what = d:below(4)
        if what == 0 then return ("dot(%s, %s)"):format(a, e), b1 * b2 * m end
        if what == 1 then
            return constants(self, m, ("length(%s * %s + ONE)"):format(a, a)), (b1 * b1 + 1.0) * 2.0
        elseif what == 2 then
            return constants(self, m, ("distance(abs(%s) + ONE, -abs(%s))"):format(a, e)), (b1 + b2 + 1.0) * 2.0
        end
        if m < 4 then
            local x, b = matrix(self, m, m, depth - 1)
            return ("determinant(%s)"):format(x), 6 * b ^ m
        end
    elseif choice == 14 then
        local a, b1 = real(self, n, depth - 1)
        local e, b2 = real(self, n, depth - 1)
        local what = d:below(4)
        if what == 0 then return constants(self, n, ("normalize(%s * %s + ONE)"):format(a, a)), 1.0 end
        if what == 1 then return ("reflect(%s, %s)"):format(a, e), b1 + 2 * n * b1 * b2 * b2 end
        if what == 2 and n == 3 then return ("cross(%s, %s)"):format(a, e), 2 * b1 * b2 end
        return constants(self, n, ("faceforward(%s, %s, %s)"):format(a, e, a)), b1
    elseif choice == 15 and n > 1 then
        local m = d:int(2, 3)
        local x, b1 = matrix(self, m, n, depth - 1)
        local e, b2 = real(self, m, depth - 1)
        if d:chance(1, 2) then return ("(%s * %s)"):format(x, e), b1 * b2 * m end
        x, b1 = matrix(self, n, m, depth - 1)
        return ("(%s * %s)"):format(e, x), b1 * b2 * m
    elseif choice == 16 and n > 1 then
        local parts, most, left = {}, 0.0, n
        while left > 0 do
            local m = d:int(1, left)
            if m == n and d:chance(1, 2) then m = 1 end
            local e, b = real(self, m, depth - 1)
            parts[#parts + 1], most, left = e, math.max(most, b), left - m
        end
        return ("%s(%s)"):format(vector(self, n), table.concat(parts, ", ")), most
    elseif choice == 17 and self.effects then
        local list = variables(self, vector(self, n), true)
        if #list > 0 then
            self.effects = false
            local e, b = real(self, n, depth - 1)
            local name = d:pick(list).name
            local text = ("(%s = %s)"):format(name, (bounded(self, e, b, BOUND)))
            self.effects = true
            table.insert(self.touched, name)
            return text, BOUND
        end
    elseif choice == 18 then
        return constants(self, n, ("(%s(%s %% 13) * %s)"):format(vector(self, n), int(self, depth - 1),
            literal(self, "0.125"))), 1.5
    elseif choice == 19 then
        local s = self.T == "float" and self.sampled
        if s and n == 1 and not self.silent then
            local p = real(self, s.rank, depth - 1)
            return ("sample(%s, %s)"):format(s.name, p), BOUND
        end
    end
    return leaf(self, n, depth)
end

-- ---- statements

local statements

local function pad(text) return (text:gsub("[^\n]+", "    %0")) end

-- An expression for an assignment, with bound `most`.
local function assigned(self, n, most)
    local e, b = real(self, n, self.d:int(1, self.deep))
    if self.loops > 0 then return (bounded(self, e, b, most * 0.5)) end
    return (bounded(self, e, b, most))
end

-- A target of n components: its text.
local function target(self, n)
    local d, list = self.d, {}
    for _, v in ipairs(variables(self, vector(self, n), true)) do list[#list + 1] = v.name end
    local choice = d:below(8)
    if choice == 4 or choice == 5 then
        local wide = {}
        for m = math.max(n, 2), 4 do
            for _, v in ipairs(variables(self, vector(self, m), true)) do wide[#wide + 1] = {v.name, m} end
            for _, v in ipairs(arrays(self, vector(self, m))) do
                if not v.fixed then wide[#wide + 1] = {("%s[%s]"):format(v.name, index(self, v.length, 1)), m} end
            end
        end
        for _, v in ipairs(variables(self, "S", true)) do
            if n <= 3 then wide[#wide + 1] = {v.name .. ".v", 3} end
        end
        if #wide > 0 then
            local v = d:pick(wide)
            if n == 1 and d:chance(1, 2) then return ("%s[%s]"):format(v[1], index(self, v[2], 2)) end
            local letters, at = ("xyzw"):sub(1, v[2]), {}
            while #at < n do
                local k = d:below(#letters) + 1
                at[#at + 1] = letters:sub(k, k)
                letters = letters:sub(1, k - 1) .. letters:sub(k + 1)
            end
            return v[1] .. "." .. table.concat(at)
        end
    elseif choice == 6 then
        local a, more = {}, {}
        for _, v in ipairs(arrays(self, vector(self, n))) do
            if not v.fixed then a[#a + 1] = v end
        end
        for _, v in ipairs(arrays(self, "S")) do
            if not v.fixed then more[#more + 1] = v end
        end
        if n == 1 and #more > 0 and d:chance(1, 2) then
            local v = d:pick(more)
            return ("%s[%s].%s"):format(v.name, index(self, v.length, 2), d:pick {"s", "v.z", "a[1]"})
        elseif #a > 0 then
            local v = d:pick(a)
            return ("%s[%s]"):format(v.name, index(self, v.length, 2))
        end
    elseif choice == 7 then
        local m = variables(self, "matrix", true)
        if #m > 0 then
            local v = d:pick(m)
            if n == v.rows then return ("%s[%s]"):format(v.name, index(self, v.columns, 2)) end
            if n == 1 then
                return ("%s[%s][%s]"):format(v.name, index(self, v.columns, 2), index(self, v.rows, 2))
            end
        end
        local s = variables(self, "S", true)
        if n == 1 and #s > 0 then
            return d:pick(s).name .. d:pick {".s", (".a[%s]"):format(index(self, 2, 2))}
        end
    end
    return #list > 0 and d:pick(list) or nil
end

local function plain_assignment(self)
    local d = self.d
    local n = d:pick {1, 1, 1, 2, 3, 4}
    local to = target(self, n)
    if not to then
        n = 1
        to = target(self, 1)
    end
    if not to then return "" end
    local choice = d:below(6)
    local text
    if choice == 1 then
        text = ("%s *= %s;\n"):format(to, assigned(self, d:chance(1, 3) and 1 or n, 1.0))
    elseif choice == 2 then
        text = ("%s %s %s;\n%s *= %s;\n"):format(to, d:pick {"+=", "-="}, assigned(self, n, BOUND), to,
            literal(self, "0.5"))
        if to:find "[%[(]" and #self.touched > 0 then text = ("%s = %s;\n"):format(to, assigned(self, n, BOUND)) end
    elseif choice == 3 and n == 1 and not to:find "[%[%.(]" then
        text = ("%s = (%s%s) * %s;\n"):format(to, to, d:pick {"++", "--"}, literal(self, "0.5"))
        text = d:chance(1, 2) and text or ("%s%s;\n%s *= %s;\n"):format(to, d:pick {"++", "--"}, to,
            literal(self, "0.625"))
    elseif choice == 4 then
        text = ("%s /= %s;\n"):format(to, constants(self, n, ("(ONE + abs(%s))"):format((real(self, n, 1)))))
    else
        text = ("%s = %s;\n"):format(to, assigned(self, n, BOUND))
    end
    return text
end

local function assignment(self)
    return (ordered(self, function() return plain_assignment(self) end, self.d:chance(1, 8)))
end

local function declaration(self)
    local d = self.d
    local what = d:weighted {{4, "real"}, {2, "vector"}, {2, "int"}, {2, "array"}, {1, "matrix"}, {1, "S"}, {1, "SS"}}
    local text
    if what == "int" then
        local e = int(self, 2)
        local v = add(self, {name = fresh(self, e), type = "int"})
        text = ("int %s = %s %% 11;\n"):format(v.name, e)
    elseif what == "array" then
        local n, length, parts = d:pick {1, 1, 2, 3}, d:int(2, 4), {}
        for i = 1, length do
            local e, b = real(self, n, d:below(2))
            parts[i] = bounded(self, e, b, BOUND)
        end
        local v = add(self, {name = fresh(self, table.concat(parts)), type = vector(self, n), length = length})
        text = ("%s %s[%d] = {%s};\n"):format(v.type, v.name, length, table.concat(parts, ", "))
        local form = d:below(3)
        if form == 1 then
            text = ("%s %s[%d] = %s[](%s);\n"):format(v.type, v.name, length, v.type, table.concat(parts, ", "))
        elseif form == 2 then
            text = ("%s %s[%d];\nfor (int q = 0; q < %d; q++) %s[q] = %s * %s(q);\n"):format(v.type, v.name, length,
                length, v.name, parts[1]:gsub("^.*$", "(%0)"), self.T)
            text = text .. ("for (int q = 0; q < %d; q++) %s[q] *= %s;\n"):format(length, v.name, literal(self, "0.25"))
            if parts[1]:find "%f[%w_]q%f[^%w_]" then text = "" end
        end
    elseif what == "matrix" then
        local columns, rows = d:int(2, 3), d:int(2, 3)
        local e, b = matrix(self, columns, rows, 2)
        if b > BOUND then e = ("(%s) * %s"):format(e, literal(self, ("%.5f"):format(BOUND / b * 0.99))) end
        local v = add(self, {name = fresh(self, e), type = "matrix", columns = columns, rows = rows})
        text = ("%smat%dx%d %s = %s;\n"):format(self.P, columns, rows, v.name, e)
    elseif what == "S" or what == "SS" then
        local function one()
            local function part(n)
                local e, b = real(self, n, 1)
                return (bounded(self, e, b, BOUND))
            end
            return ("S(%s, %s, %d, %s[](%s, %s))"):format(part(1), part(3), d:below(4), self.T, part(1), part(1))
        end
        if what == "S" then
            local e = one()
            local known = variables(self, "S")
            if #known > 0 and d:chance(1, 2) then e = d:pick(known).name end
            local v = add(self, {name = fresh(self, e), type = "S"})
            text = ("S %s = %s;\n"):format(v.name, e)
        else
            local e = ("%s, %s"):format(one(), one())
            local v = add(self, {name = fresh(self, e), type = "S", length = 2})
            text = ("S %s[2] = S[](%s);\n"):format(v.name, e)
        end
    else
        local n = what == "real" and 1 or d:int(2, 4)
        local e = ordered(self, function() return assigned(self, n, BOUND) end, d:chance(1, 8))
        local v = add(self, {name = fresh(self, e), type = vector(self, n)})
        text = ("%s %s = %s;\n"):format(v.type, v.name, e)
    end
    return text
end

local function counted_body(self, counter, most, extra)
    self.loops = self.loops + 1
    local text = block(self, function() return (extra or "") .. statements(self, self.d:int(1, most)) end,
        {[counter] = true}) -- the body of a "for" has the scope of its variables
    self.loops = self.loops - 1
    return text
end

local function loop(self)
    local d = self.d
    if self.loops >= 3 or self.cost * 4 > 300 then return assignment(self) end
    local cost = self.cost
    self.cost = cost * 4
    local text = inner(self, function()
        self.scope.own = {}
        local name = fresh(self)
        local what = d:below(12)
        local most = self.loops > 0 and 3 or 5
        local before, head, tail = "", nil, ""
        local counter = {name = name, type = "int", fixed = true}
        local fixed = {}
        for _, v in ipairs(variables(self, "int")) do fixed[#fixed + 1] = v.name end
        local last = #fixed > 0 and d:chance(1, 2) and d:pick(fixed) or tostring(d:int(0, most))
        if last == name then last = "3" end
        if what == 4 then counter.type = "uint" end
        add(self, counter)
        if what <= 2 then
            head = ("for (int %s = %d; %s %s %s; %s)"):format(name, d:int(0, 2), name, d:pick {"<", "<="}, last,
                d:pick {name .. "++", "++" .. name, name .. " += 2", name .. " += 3"})
        elseif what == 3 then
            head = ("for (int %s = %s; %s %s %d; %s)"):format(name, last, name, d:pick {">", ">="}, d:int(-1, 1),
                d:pick {name .. "--", name .. " -= 2"})
        elseif what == 4 then
            head = ("for (uint %s = 1u; %s < %du; %s++)"):format(name, name, d:int(1, 4), name)
        elseif what == 5 then
            before = ("int %s = %d;\n"):format(name, d:int(0, 1))
            head = ("for (; %s < %d && (%s); %s++)"):format(name, most, condition(self, 1), name)
        elseif what == 6 then
            before = ("int %s;\n"):format(name)
            head = ("for (%s = 0; %s < %s; %s++)"):format(name, name, last, name)
        elseif what == 7 then
            head = ("for (int %s = 0, %s_to = %d; %s < %s_to; %s++, %s_to--)"):format(name, name, most + 2, name, name,
                name, name)
        elseif what == 8 then
            before = ("int %s = 0;\n"):format(name)
            head = ("while (%s++ < %d && (%s))"):format(name, most, condition(self, 2))
        elseif what == 9 then
            before = ("int %s = 0;\n"):format(name)
            head = ("while (%s < %s)"):format(name, last)
            tail = ("%s++;\n"):format(name)
        else
            before = ("int %s = 0;\n"):format(name)
        end
        local body
        if what >= 10 then
            body = counted_body(self, name, most, what == 10 and name .. "++;\n" or "")
            head = ("%s < %d && (%s)"):format(what == 10 and name or name .. "++", most, condition(self, 2))
        end
        body = body or counted_body(self, name, most, tail)
        if what ~= 4 and what ~= 3 and what < 8 and d:chance(1, 10) and not head:find "int" then
            body = body .. ("    if (%s) %s++;\n"):format(bool(self, 1), name)
        end
        local after = ""
        if before ~= "" and d:chance(1, 2) then
            local to = variables(self, self.T, true)
            if #to > 0 then
                after = ("%s = sin(%s(%s) * 0.5 + %s);\n"):format(d:pick(to).name, self.T, name, d:pick(to).name)
                if to[1].name == name then after = "" end
            end
        end
        if what >= 10 then return ("%sdo {\n%s} while (%s);\n%s"):format(before, pad(body), head, after) end
        return ("%s%s {\n%s}\n%s"):format(before, head, pad(body), after)
    end)
    self.cost = cost
    return "{\n" .. pad(text) .. "}\n"
end

local function exit(self)
    local d = self.d
    local test = bool(self, 1)
    local what = d:below(4)
    if self.loops > 0 and what <= 2 then
        return ("if (%s) %s;\n"):format(test, d:pick {"break", "continue"})
    elseif what == 3 or self.loops == 0 then
        local value = ""
        if self.returns then
            local e, b = real(self, self.returns, 1)
            value = " " .. bounded(self, e, b, BOUND)
        end
        if d:chance(1, 3) then
            return ("if (%s) {\n%s    return%s;\n}\n"):format(test, pad(assignment(self)), value)
        end
        return ("if (%s) return%s;\n"):format(test, value)
    end
    return ""
end

local function switch(self)
    local d, out = self.d, {}
    local e = int(self, 2)
    local loops = self.loops
    for i = 0, d:int(1, 3) do
        out[#out + 1] = ("    case %d:\n"):format(i)
        if d:chance(1, 5) then out[#out + 1] = ("    case %d:\n"):format(i + 10) end
        local body = block(self, function() return statements(self, d:int(1, 2)) end)
        if d:chance(1, 4) then body = body .. ("if (%s) break;\n"):format(bool(self, 1)) .. assignment(self) end
        out[#out + 1] = "    {\n" .. pad(pad(body)) .. "    }\n"
        if d:chance(1, 2) then out[#out + 1] = "        break;\n" end
    end
    if d:chance(1, 2) then
        local body = block(self, function() return statements(self, 1) end)
        table.insert(out, d:chance(1, 4) and 1 or #out + 1, "    default: {\n" .. pad(pad(body)) .. "    }\n")
    end
    self.loops = loops
    return ("switch (%s %% 4) {\n%s}\n"):format(e, table.concat(out))
end

local function statement(self)
    local d = self.d
    if self.budget <= 0 then return assignment(self) end
    self.budget = self.budget - 1
    local what = d:weighted {{8, "assign"}, {4, "declare"}, {3, "if"}, {4, "loop"}, {2, "exit"}, {1, "switch"},
        {1, "int"}, {1, "push"}, {1, "block"}, {1, "array"}, {1, "call"}}
    if what == "declare" then return declaration(self) end
    if what == "if" then
        local test = condition(self, 2)
        local yes = block(self, function() return statements(self, d:int(1, 3)) end)
        if d:chance(1, 2) then
            local no = block(self, function() return statements(self, d:int(1, 2)) end)
            return ("if (%s) {\n%s} else {\n%s}\n"):format(test, pad(yes), pad(no))
        end
        return ("if (%s) {\n%s}\n"):format(test, pad(yes))
    elseif what == "loop" then
        return loop(self)
    elseif what == "exit" then
        return exit(self)
    elseif what == "switch" then
        return switch(self)
    elseif what == "int" then
        local list = variables(self, "int", true)
        if #list > 0 then
            local v = d:pick(list).name
            return d:chance(1, 2) and ("%s = %s %% 11;\n"):format(v, int(self, 2)) or
                ("%s += %s;\n%s %%= 11;\n"):format(v, int(self, 1), v)
        end
    elseif what == "push" and self.pushes and not self.silent then
        return ("push(%s, %s);\n"):format(self.pushes, assigned(self, 1, BOUND))
    elseif what == "block" then
        return "{\n" .. pad(block(self, function() return statements(self, d:int(1, 3)) end)) .. "}\n"
    elseif what == "array" then
        local list = arrays(self)
        for _, a in ipairs(list) do
            for _, b in ipairs(list) do
                if a ~= b and a.type == b.type and a.length == b.length and not a.fixed and d:chance(1, 2) then
                    return ("%s = %s;\n"):format(a.name, b.name)
                end
            end
        end
    elseif what == "call" and #self.functions > 0 then
        local e = ordered(self, function()
            local text = call(self, d:pick {1, 1, 0, 2, 3}, 2)
            return text or ""
        end, true)
        if e ~= "" then return e .. ";\n" end
    end
    return assignment(self)
end

function statements(self, n)
    local out = {}
    for i = 1, n do out[i] = statement(self) end
    return table.concat(out)
end

-- ---- functions

local function make_function(self, number)
    local d = self.d
    local rows = d:pick {1, 1, 0, 2, 3}
    local f = {name = d:pick {"of", "sum_of", "dot_of", "rate"} .. number, rows = rows, parameters = {}, pure = true}
    local outer = self.scope
    self.scope = {variables = {}, own = {}}
    local list, first = {}, {}
    for i = 1, d:int(1, 3) do
        local what = d:below(8)
        local p = {name = "p" .. i, type = vector(self, d:pick {1, 1, 2, 3})}
        if what == 1 then
            p.kind, f.pure = "inout", false
        elseif what == 2 then
            p.kind, f.pure = "out", false
            first[#first + 1] = ("%s = %s(%s);\n"):format(p.name, p.type, literal(self, "0.5"))
        elseif what == 3 then
            p.type, p.fixed = "int", true
        elseif what == 4 then
            p.length = d:int(2, 3)
        elseif what == 5 then
            local s = self.module_streams
            if #s > 0 then
                local from = d:pick(s)
                p.stream, p.argument, p.rank, p.type = from.stream, from.name, from.rank, from.type
                p.name = "s" .. i
            end
        end
        local text = ("%s %s"):format(p.type, p.name)
        if p.stream == "gather" then text = text .. ("[]"):rep(p.rank) end
        if p.stream == "neighbor" then text = "neighbor " .. text .. "<>" end
        if p.length then text = text .. "[" .. p.length .. "]" end
        list[i] = (p.kind and p.kind .. " " or "") .. text
        f.parameters[i] = p
        add(self, p)
    end
    local loops, cost, silent, deep, returns = self.loops, self.cost, self.silent, self.deep, self.returns
    self.loops, self.cost, self.deep, self.returns = 0, math.max(8, cost), math.min(2, deep), rows > 0 and rows or nil
    if rows == 0 then f.pure = false end
    local indexed, pushes, sampled = self.indexed, self.pushes, self.sampled
    self.indexed, self.pushes, self.sampled = nil, nil, nil
    local body = statements(self, d:int(1, math.min(4, self.size.statements[2])))
    if rows > 0 then
        local e, b = real(self, rows, 2)
        body = body .. ("return %s;\n"):format((bounded(self, e, b, BOUND)))
    end
    self.loops, self.cost, self.silent, self.deep, self.returns = loops, cost, silent, deep, returns
    self.indexed, self.pushes, self.sampled = indexed, pushes, sampled
    self.scope = outer
    self.calls = 0
    f.text = ("%s %s(%s) {\n%s}\n"):format(rows == 0 and "void" or vector(self, rows), f.name, table.concat(list, ", "),
        pad(table.concat(first) .. body))
    return f
end

-- ---- kernels

local function numbers(self, shape, n, at)
    at = at or 1
    local list, d = {}, self.d
    if at > #shape then
        if n == 1 then return ("%.3f"):format((d:below(3001) - 1500) / 1000 + 0.0137) end
        for i = 1, n do list[i] = ("%.3f"):format((d:below(3001) - 1500) / 1000 + 0.0137) end
        return "{" .. table.concat(list, ", ") .. "}"
    end
    for i = 1, shape[at] do list[i] = numbers(self, shape, n, at + 1) end
    return "{" .. table.concat(list, ", ") .. "}"
end

local function ints(self, shape, at)
    at = at or 1
    if at > #shape then return tostring(self.d:below(8)) end
    local list = {}
    for i = 1, shape[at] do list[i] = ints(self, shape, at + 1) end
    return "{" .. table.concat(list, ", ") .. "}"
end

local MODES <const> = {"\"clamp\"", "\"wrap\"", "\"mirror\"", "\"outside\""}

-- Numbers outside of a stream must be the same in all dimensions.
local function with_outside(self, text)
    return (text:gsub("\"outside\"", self.d:pick {"\"zero\"", "0.75"}))
end

local function with_modes(self, text, rank)
    local d, modes = self.d, {}
    if d:chance(1, 3) then return text end
    for i = 1, rank do modes[i] = d:pick(MODES) end
    return with_outside(self, ("modes(%s, %s)"):format(text, table.concat(modes, ", ")))
end

local function shape_text(shape) return "{" .. table.concat(shape, ", ") .. "}" end

-- Returns the shape of an input for a launch: the same, of fewer dimensions, repeated or strided.
local function input_shape(self, shape)
    local d, list = self.d, {}
    if d:chance(3, 4) then return shape end
    local from = d:chance(1, 3) and d:int(1, #shape) or 1
    for i = from, #shape do
        local n, what = shape[i], d:below(4)
        list[#list + 1] = what == 1 and 1 or what == 2 and n * 2 + d:below(2) or
            what == 3 and n % 2 == 0 and n // 2 or n
    end
    return list
end

function Case:kernel()
    local d = self.d
    local rank = d:weighted {{5, 1}, {3, 2}, {1, 3}}
    local shape = {}
    for i = 1, rank do shape[i] = d:pick(rank == 1 and {3, 4, 5, 1, 2, 7} or {2, 3, 1}) end
    local parameters, arguments, first = {}, {}, {}
    local outputs, order = {}, {}
    self.scope = {variables = {}, own = {}}
    local function name_of(base)
        if d:chance(1, 6) then
            local name = d:pick {"x", "t", "t_1", "turn", "kept", "here", "k"}
            if not self.taken[name] then base = name end
        end
        self.taken[base] = true
        return base
    end
    local function parameter(text, variable, argument)
        order[#order + 1] = {text, argument and ("%s = %s"):format(variable.name, argument)}
        if variable then add(self, variable) end
    end
    self.indexed, self.module_streams = {}, {}
    for i = 1, d:int(1, self.size.inputs) do
        local n = d:pick {1, 1, 1, 2, 3, 4}
        local name, type = name_of("x" .. i), vector(self, n)
        local of = i == 1 and shape or input_shape(self, shape)
        parameter(("%s %s<>"):format(type, name), {name = name, type = type, fixed = true}, numbers(self, of, n))
        self.indexed[#self.indexed + 1] = name
    end
    if d:chance(1, 2) then
        local n = d:pick {1, 1, 2, 3}
        local name, type = name_of "c", vector(self, n)
        parameter(("%s %s"):format(type, name), {name = name, type = type, fixed = true}, numbers(self, {}, n))
    end
    if d:chance(1, 6) and not self.double_matrix then
        local n = d:int(2, 3)
        local name = name_of "m"
        local rows = numbers(self, {n}, n)
        if self.T == "float" then
            parameter(("mat%d %s"):format(n, name), {name = name, type = "matrix", columns = n, rows = n, fixed = true},
                rows)
        end
    end
    if d:chance(1, 2) then
        local name = name_of "n"
        if d:chance(1, 2) then
            parameter(("int %s<>"):format(name), {name = name, type = "int", fixed = true}, ints(self, shape))
        else
            self.specialized = d:chance(1, 4) and name
            parameter(("int %s"):format(name), {name = name, type = "int", fixed = true},
                not self.specialized and tostring(d:below(7)) or nil)
        end
    end
    if d:chance(1, 3) then
        local n, name = d:pick {1, 1, 2}, name_of "u"
        local words, argument = "", numbers(self, shape, n)
        local modes = {}
        if d:chance(1, 2) then
            for i = 1, d:chance(1, 2) and 1 or rank do modes[i] = d:pick(MODES) end
            words = with_outside(self, "(" .. table.concat(modes, ", ") .. ")"):gsub("\"", "")
        else
            argument = with_modes(self, argument, rank)
        end
        local s = {name = name, type = vector(self, n), stream = "neighbor", rank = rank, fixed = true}
        parameter(("neighbor%s %s %s<>"):format(words, s.type, name), s, argument)
        table.insert(self.module_streams, s)
    end
    for i = 1, d:pick {0, 0, 1, 2} do
        local n, name, ranks = d:pick {1, 1, 2}, name_of("g" .. i), d:pick(self.size.ranks)
        local of = {}
        for k = 1, ranks do of[k] = d:pick(ranks == 1 and {4, 1, 2, 5} or {2, 1, 3}) end
        local s = {name = name, type = vector(self, n), stream = "gather", rank = ranks, fixed = true}
        parameter(("%s %s%s"):format(s.type, name, ("[]"):rep(ranks)), s, with_modes(self, numbers(self, of, n), ranks))
        table.insert(self.module_streams, s)
        if self.T == "float" and ranks <= 3 and n == 1 then self.sampled = s end
    end
    if d:chance(1, 5) then
        local name = name_of "w"
        parameter(("inout %s %s<>"):format(self.T, name), {name = name, type = self.T}, numbers(self, shape, 1))
    end
    self.functions = {}
    for i = 1, d:pick(self.size.functions) do self.functions[i] = make_function(self, i) end
    local returned = d:chance(1, 10)
    if returned then
        self.returns = 1
    else
        for i = 1, d:pick(self.size.outputs) do
            local n, name = d:pick {1, 1, 1, 2, 3}, name_of("r" .. i)
            parameter(("out %s %s<>"):format(vector(self, n), name))
            outputs[i] = {name = name, type = vector(self, n), rows = n}
            if i == 1 then self.indexed[#self.indexed + 1] = name end
        end
        if d:chance(1, 6) then parameter("out int r_int<>", {name = "r_int", type = "int"}) end
        if d:chance(1, 5) then
            parameter(("vout %s pushed<>"):format(self.T))
            self.pushes = "pushed"
        end
    end
    for _, p in ipairs(order) do
        parameters[#parameters + 1] = p[1]
        if p[2] then arguments[#arguments + 1] = p[2] end
    end
    -- Outputs are anywhere among the parameters.
    if #parameters > 1 and d:chance(1, 3) then table.insert(parameters, 1, table.remove(parameters)) end
    self.loops, self.cost, self.deep = 0, self.size.cost, self.size.deep
    first[1] = ""
    for _, n in ipairs {1, d:int(2, 4)} do
        local e, b = real(self, n, 1)
        local v = add(self, {name = fresh(self), type = vector(self, n)})
        first[1] = ("%s%s %s = %s;\n"):format(first[1], v.type, v.name, (bounded(self, e, b, BOUND)))
    end
    -- Outputs that are read before they are written are zero, so that nothing depends on the inputs.
    local written = not d:chance(1, 5)
    for _, output in ipairs(outputs) do
        local e, b = real(self, output.rows, 1)
        if written then first[1] = ("%s%s = %s;\n"):format(first[1], output.name, (bounded(self, e, b, BOUND))) end
        add(self, output)
    end
    first[1] = first[1] .. statements(self, d:int(table.unpack(self.size.statements)))
    for _, output in ipairs(outputs) do
        local e, b = real(self, output.rows, 2)
        first[#first + 1] = ("%s %s %s;\n"):format(output.name, d:pick {"=", "+=", "+="}, (bounded(self, e, b, BOUND)))
    end
    if returned then
        local e, b = real(self, 1, 2)
        first[#first + 1] = ("return %s;\n"):format((bounded(self, e, b, BOUND)))
    end
    local texts = {("struct S { %s s; %s v; int i; %s a[2]; };\n"):format(self.T, vector(self, 3), self.T)}
    for i, f in ipairs(self.functions) do texts[i + 1] = f.text end
    return ("%skernel %s f(%s) {\n%s}\n"):format(table.concat(texts), returned and self.T or "void",
        table.concat(parameters, ", "), pad(table.concat(first))), arguments, shape
end

local SCRIPT <const> = [[
local derivatives = require "spec.support.derivatives"
local function modes(t, ...)
    if type(t) ~= "table" then t = {t} end
    t.modes = {...}
    return t
end
local k = rill.kernel(%s%s)
%slocal arguments = {%s}
return derivatives.examine(k, arguments, {%s}, %s)
]]

function derivatives.script(d)
    local single, size = d:chance(1, 5), d:weighted {{24, SMALL}, {5, MEDIUM}, {1, LARGE}}
    local self = setmetatable({d = d, size = size, T = single and "float" or "double", P = single and "" or "d",
        taken = {x = true}, touched = {}, count = 0, calls = 0, functions = {}, loops = 0, cost = size.cost,
        deep = math.min(2, size.deep), budget = size.budget, effects = false}, Case)
    local text, arguments, shape = self:kernel()
    local fast = d:chance(1, 20)
    local near = fast or text:find "mat%d" ~= nil -- drivers compute (A * B) * v as A * (B * v)
    return SCRIPT:format("[==[\n" .. text .. "]==]", fast and ", {fast = true}" or "", self.specialized and
        ("k = k:specialize {%s = 3}\n"):format(self.specialized) or "", table.concat(arguments, ", "),
        "shape = " .. shape_text(shape) .. (near and ", near = true" or "") ..
            (d:chance(1, 4) and "" or ", alone = false"), tostring(single))
end

function derivatives.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do scripts[i] = derivatives.script(d) end
    return scripts
end

return derivatives
