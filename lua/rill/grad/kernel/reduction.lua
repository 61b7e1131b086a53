-- The adjoint of a reduce kernel. The result of a block is (p o x) o s for each element x, where p combines the
-- elements before it and s those after it; both are computed by scans.
local core = require "rill.core"
local errors = require "rill.core.error"
local recorder = require "rill.core.recorder"
local rill = require "rill.core.public"
local tables = require "rill.core.tables"
errors.own()

local fail <const> = errors.fail

local reduction = {}

-- Texts after that of the kernel. `$f`: its name; `$T`: the type of the elements; `$given`: constants as parameters;
-- `$pass`: them as arguments; $1 and $2: calls of f(x, r) with the arguments in the order of the signature.
local TEXT <const> = [[
reduce void adjoint_reverse($given$T adjoint_x<>, reduce $T adjoint_r<>) {
  $T adjoint_t = adjoint_x;
  $f($pass$reverse);
  adjoint_r = adjoint_t;
}
kernel void adjoint_step($given$T adjoint_p<>, $T adjoint_x<>, $T adjoint_s<>, int adjoint_place<>,
    out $T adjoint_r<>) {
  adjoint_r = adjoint_p;
  if ((adjoint_place & 1) != 0) adjoint_r = adjoint_x; else $f($pass$first);
  if ((adjoint_place & 2) == 0) $f($pass$last);
}]]

-- Marks the first element of each row by 1, and the last by 2.
local PLACE <const> = [[kernel void adjoint_places(int n, out int place<>) {
  int i = indexof(place).x;
  place = (i == 0 ? 1 : 0) + (i == n - 1 ? 2 : 0);
}]]

--- reduction.make(k, about) returns what the adjoint of a reduce kernel needs: {input, result, constants, program}.
function reduction.make(k, about)
    local text = core._kernel_text(k)
    local made = {constants = {}, kernel = k}
    local given, order = {}, {}
    for i, param in ipairs(about.params) do
        if param.kind == "input stream" then
            made.input, order[i] = param, "x"
        elseif param.kind == "reduction result" then
            made.result, order[i] = param, "r"
        elseif param.kind == "constant" then
            if not param.fixed then made.constants[#made.constants + 1] = param.name end
            given[#given + 1] = param.fixed and "" or param.declaration .. ", "
            order[i] = param.fixed or param.name
        else
            fail("k:gradient: '%s' is a reduce kernel with a %s: it has no derivative", about.name, param.kind)
        end
    end
    local function call(x, r)
        local list = {}
        for i, word in ipairs(order) do list[i] = word == "x" and x or word == "r" and r or word end
        return table.concat(list, ", ")
    end
    local values = {
        f = about.name, T = about.types[made.input.name], given = table.concat(given), pass = "",
        reverse = call("adjoint_r", "adjoint_t"), first = call("adjoint_x", "adjoint_r"), last = call("adjoint_s",
            "adjoint_r"),
    }
    local whole = text .. "\n" .. TEXT:gsub("%$(%a+)", values)
    made.text = whole
    made.program = rill.program(whole, {fast = about.fast})
    made.own = core._own_gradient(k)
    made.gradient = not made.own and made.program.adjoint_step:gradient {wrt = {"adjoint_x"}}
    made.places = rill.kernel(PLACE)
    return made
end

-- Returns v as rows, one for each block of the result, and a function that brings rows into the shape of v.
local function rows_of(v, shape, where)
    local sizes = {}
    for d = 1, #v.shape do sizes[d] = v.shape[d] end
    local result = shape
    if tables.product(shape) == 1 then
        result = {}
        for d = 1, #sizes do result[d] = 1 end
    end
    local split, blocks, rest, back = {}, {}, {}, {}
    for d = 1, #sizes do
        local n = result[d]
        if #result ~= #sizes or n == 0 or sizes[d] % n ~= 0 then
            fail("%s: the adjoint of the result has the shape %s, which does not divide the shape %s", where,
                table.concat(shape, "x"), tostring(v.shape))
        end
        split[2 * d - 1], split[2 * d] = n, sizes[d] // n
        blocks[d], rest[d] = 2 * d - 1, 2 * d
    end
    local rank = #sizes
    for d = 1, rank do back[2 * d - 1], back[2 * d] = d, rank + d end
    local n = tables.product(result)
    local each = n > 0 and #v // n or 0
    if n == 1 then
        return v:reshape {1, each}, function(rows) return rows:reshape(sizes) end
    end
    local order = table.move(rest, 1, rank, rank + 1, blocks)
    local parts = {}
    for i = 1, rank do parts[i], parts[rank + i] = split[2 * i - 1], split[2 * i] end
    return v:reshape(split):transpose(order):copy():reshape {n, each}, function(rows)
        return rows:reshape(parts):transpose(back):copy():reshape(sizes)
    end
end

-- Goes back through the steps r = p o x and r o s by the rule of the text.
local function own_steps(made, a, fixed)
    local x_name, r_name = made.input.name, made.result.name
    local middle = {}
    for key, value in pairs(a) do middle[key] = value end
    middle.adjoint_s, middle.adjoint_r_bar = a.adjoint_x, nil
    middle.adjoint_place = (a.adjoint_place | 2):eval() -- without s
    local function step(x, r, r_bar, where)
        local arguments = {[x_name] = x, [r_name] = r, [r_name .. "_bar"] = r_bar:copy(), where = where}
        for key, value in pairs(fixed) do arguments[key] = value end
        local x_bar, old = made.own(arguments)
        return x_bar, old
    end
    local first, last = (a.adjoint_place & 1):ne(0), (a.adjoint_place & 2):ne(0)
    local bar = (a.adjoint_r_bar + 0):eval()
    local r = made.program.adjoint_step(middle)
    local _, older = step(a.adjoint_s, r, bar)
    older = rill.where(last, bar, older):eval()
    local x_bar = step(a.adjoint_x, a.adjoint_p, older)
    return rill.where(first, older, x_bar):eval()
end

--- reduction.adjoint(made, given, where) returns the adjoint of the input of a reduce kernel. given: the arguments by
-- name, with the adjoint of the result.
function reduction.adjoint(made, given, where)
    local v, bar = given[made.input.name], given[made.result.name .. "_bar"]
    if recorder.on and recorder.tracks(v) then
        fail("%s: the gradient of a reduce kernel has no gradient: use s:sum() or another reduction", where)
    end
    local shape, fixed = {}, {}
    for d = 1, #bar.shape do shape[d] = bar.shape[d] end
    for _, name in ipairs(made.constants) do fixed[name] = given[name] end
    local forward, backward = made.kernel, made.program.adjoint_reverse
    if #made.constants > 0 then forward, backward = forward:specialize(fixed), backward:specialize(fixed) end
    local x, back = rows_of(v, shape, where)
    local n, each = x.shape[1], x.shape[2]
    if n * each == 0 then return rill.stream(bar.type, v.shape) end
    local before = x:scan(forward, {axis = 2, exclusive = true})
    local after = x:scan(backward, {axis = 2, exclusive = true, reverse = true})
    local arguments = {
        adjoint_p = before, adjoint_x = x, adjoint_s = after, adjoint_place = made.places {n = each, shape = {n, each}},
        adjoint_r_bar = bar:reshape {n, 1}:replicate(1, each),
    }
    for name, value in pairs(fixed) do arguments[name] = value end
    return back(made.own and own_steps(made, arguments, fixed) or made.gradient(arguments))
end

return reduction
