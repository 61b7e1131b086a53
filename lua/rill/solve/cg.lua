-- Conjugate gradients (Hestenes and Stiefel 1952), preconditioned. Scalars stay on the device, which stops by itself; every so many iterations
-- what it keeps is read.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local cg_group = require "rill.solve.cg_group"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local preconditioner = require "rill.solve.preconditioner"
local refine = require "rill.solve.refine"

local fail <const> = errors.fail

local cg = {}

local EVERY <const> = 8
local DEGREE <const> = 3

local words <const> = core._cg_words
local BEFORE <const>, ALL <const> = words.DOT + words.RESIDUAL, words.DOT + words.RESIDUAL + words.DIRECTION
local SIZE <const> = words.PARTIALS + 3 * words.MOST_GROUPS

-- What the device keeps before the first iteration, which ends by counting one.
local BEGIN <const> = {}
for i = 1, words.PARTIALS do
    BEGIN[i] = 0.0
end
BEGIN[words.RZ_BEFORE + 1], BEGIN[words.COUNT + 1] = 1.0, -1.0
for _, word in ipairs {"BEST", "BEST_RZ", "BEST_BEFORE", "BEST_RZ_BEFORE"} do
    BEGIN[words[word] + 1] = math.huge
end

-- Why to stop, of the numbers kept; nil to go on. `kind`: of the operator.
local function judge(kept, count, named, kind)
    local state = kept[words.STATE + 1]
    if state == words.INDEFINITE then
        local product = kept[words.PQ + 1]
        return "indefinite", ("p'A p is %.3g in iteration %d%s"):format(product, count + 1,
            kind == "function" and product == 0 and " (function(x, y) has to write A x into y)" or "")
    elseif state == words.UNEVEN and named then
        return "indefinite", "r'z of its preconditioner is not above 0"
    elseif state == words.UNEVEN then
        return "breakdown", "the preconditioner is not positive definite"
    end
    if state == words.GROWN then
        return nil, outcome.GREW
    elseif state > words.CONVERGED then
        return "diverged", "A p, or what the preconditioner gave, is no number"
    end
    return nil
end

--- cg.machine(like, multiply, z, jacobi, precondition): the work on vectors of one type and shape: m.begin(r, x) from x = 0, of which it returns r'r
-- as a stream of one double; m.first(r, x, least), then m.go(r, x, least, count), iterations, which the device stops by itself below `least`; m.kept, what it keeps. Nothing is
-- read back; m.finish(r, x, growth): x of the least residual, if the residual is now more than `growth` times as large. multiply(p, q) writes A p; `z`: nil, the inverse diagonal (jacobi), or what `precondition` writes. Vectors are operator.room's.
function cg.machine(like, multiply, z, jacobi, precondition)
    local p, q = operator.room(like.type, like.shape), operator.room(like.type, like.shape)
    local best, s = operator.room(like.type, like.shape), rill.stream("double", SIZE)
    local function advance(phases, least, x, r)
        core._cg(phases, s, least, x, r, p, best, q, z, jacobi)
    end
    local head = s:domain(1, words.PARTIALS)
    local rr = s:domain(words.PARTIALS + words.MOST_GROUPS + 1, words.PARTIALS + words.MOST_GROUPS + 1)
    local rz = s:domain(words.PARTIALS + 2 * words.MOST_GROUPS + 1, words.PARTIALS + 2 * words.MOST_GROUPS + 1)
    local machine = {kept = head}
    function machine.begin(r, x)
        x:fill(0)
        p:fill(0)
        s:fill(0)
        head:write(BEGIN)
        operator.dot(r, r, rr)
        if jacobi then
            q:write(r * z)
        elseif precondition then
            precondition(r, z)
        end
        if z then
            operator.dot(r, jacobi and q or z, rz)
        end
        return rr
    end
    function machine.first(r, x, least)
        advance(words.DIRECTION, least, x, r)
    end
    function machine.finish(r, x, growth)
        advance(words.RESTORE, growth * growth, x, r)
    end
    function machine.go(r, x, least, count)
        for _ = 1, count do
            multiply(p, q)
            if precondition then
                advance(BEFORE, least, x, r)
                precondition(r, z)
                operator.dot(r, z, rz)
                advance(words.DIRECTION, least, x, r)
            else
                advance(ALL, least, x, r)
            end
        end
    end
    return machine
end

-- correct(r, x, goal, left, note) of refine.run. `named`: the preconditioner is one of ours.
local function prepare(A, like, every, named, z, jacobi, precondition)
    local machine = cg.machine(like, A:product(like.type), z, jacobi, precondition)
    return function(r, x, goal, left, note)
        local start = machine.begin(r, x):get(1)
        local least = goal * goal * start
        machine.first(r, x, least)
        local count = 0
        local kept
        repeat
            machine.go(r, x, least, math.min(every, left - count))
            kept = machine.kept:values()
            count = math.tointeger(kept[words.COUNT + 1])
            note(count, math.sqrt(kept[words.RR + 1] / start))
        until count >= left or kept[words.STATE + 1] ~= 0
        local growth = kept[words.STATE + 1] == 0 and words.GROWTH_ALLOWED or 1
        local rr = kept[words.RR + 1]
        if rr ~= rr or rr > growth ^ 2 * kept[words.BEST + 1] then
            machine.finish(r, x, growth)
        end
        return count, judge(kept, count, named, A.kind)
    end
end

local NAMES <const> = {jacobi = true, polynomial = true}
local OWN <const> = {
    preconditioner = {
        function(value) return NAMES[value] or type(value) == "function" end,
        '"jacobi", "polynomial" or a function(r, z)',
    },
    degree = {
        function(value) return math.type(value) == "integer" and value >= 1 and value <= 100 end,
        "a whole number from 1 to 100",
    },
}

-- What prepare takes of an option `preconditioner`.
local function preconditioning(A, like, taken)
    local given = taken.preconditioner
    if not given then
        return nil, false, nil
    elseif given == "jacobi" then
        local inverse = preconditioner.jacobi(A, like.type)
        return inverse:reshape(like.shape), true, nil
    elseif given == "polynomial" then
        given = preconditioner.polynomial(A, like.type, like.shape, taken.degree or DEGREE)
    end
    return operator.room(like.type, like.shape), false, given
end

-- What refine.solve takes: how corrections are computed, or nil and a work.
local function choose(A, like, norm, x, b, taken)
    local every, named = taken.every or EVERY, type(taken.preconditioner) == "string"
    local z, jacobi, precondition = preconditioning(A, like, taken)
    local work = not precondition and cg_group.make(A, like.type, norm, x, b, z, every, function(kept, count)
        return judge(kept, count, named, A.kind)
    end)
    if not work then
        return prepare(A, like, every, named, z, jacobi, precondition)
    elseif not taken.x0 then
        work:begins_at_zero()
    end
    return nil, work
end

--- rill.solve.cg(A, b [, options]): x with A x = b for a symmetric positive definite A, and a report.
function cg.cg(A, b, given)
    local taken = options.take("cg", given, OWN)
    if taken.degree and taken.preconditioner ~= "polynomial" then
        fail("rill.solve.cg: option 'degree' is that of preconditioner = \"polynomial\": give both")
    end
    b = operator.vector("cg", "b", b)
    local x, result = refine.solve("cg", A, b, taken, refine.limit(b), function(system, like, norm, x)
        if norm > 0 then
            return choose(system, like, norm, x, b, taken)
        end
    end)
    return outcome.finish("cg", x, outcome.new(result), taken.strict)
end

return cg
