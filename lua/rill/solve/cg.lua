-- Preconditioned conjugate gradients (Hestenes and Stiefel 1952). The scalars stay on the device, which stops the
-- method. The host reads them every few iterations.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local preconditioner = require "rill.solve.preconditioner"
local refine = require "rill.solve.refine"
local template = require "rill.glsl.template"

local fail <const> = errors.fail

local cg = {}

local EVERY <const> = 8
local DEGREE <const> = 3

local words <const> = core._cg_words
local BEFORE <const>, ALL <const> = words.DOT + words.RESIDUAL, words.DOT + words.RESIDUAL + words.DIRECTION
local DOTS <const> = words.PARTIALS + 2 * words.MOST_GROUPS -- sums of p'q

-- The state on the device before the first iteration. Its count is -1 because the phase before that iteration
-- increments it.
local BEGIN <const> = {}
for i = 1, words.PARTIALS do
    BEGIN[i] = 0.0
end
BEGIN[words.RZ_BEFORE + 1], BEGIN[words.COUNT + 1], BEGIN[words.SCALE + 1] = 1.0, -1.0, 1.0
for _, word in ipairs {"BEST", "BEST_RZ", "BEST_BEFORE", "BEST_RZ_BEFORE"} do
    BEGIN[words[word] + 1] = math.huge
end

-- Returns the reason to stop and a text with details, from the state `kept`, or nil to go on. `named`: the
-- preconditioner is a built-in one. `kind` is the operator's.
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
        return "diverged", "A p, or the preconditioner's result, is NaN or infinite"
    end
    return nil
end

--- cg.machine(like, multiply, z, jacobi, precondition [, A]) returns an object that runs conjugate gradients on vectors
-- of one type and shape. Nothing is read back. m.begin(r, x) starts from x = 0. m.first(r, x, least [, relative]) must
-- follow, then m.go(r, x, least, count) runs `count` iterations, which the device stops when r'r is at most `least`, or
-- if `relative` was true, `least` times the first r'r, which is kept as SCALE. m.kept is the state, which does not
-- change after the device stopped. m.finish(r, x, growth) restores the x of the least residual if the residual is now
-- more than `growth` times as large. multiply(p, q) writes A p into q. `z` is nil, the inverse diagonal (if `jacobi`),
-- or the stream that `precondition` writes. Vectors are made by operator.room. `A` is the operator of `multiply`.
-- m.skips: whether iterations after the device stopped take almost no time. m.waits: whether the host waits for the
-- device when it reads (family gpu).
function cg.machine(like, multiply, z, jacobi, precondition, A)
    local p, q = operator.room(like.type, like.shape), operator.room(like.type, like.shape)
    local dot_product, dots = nil, 0
    if A then
        dot_product, dots = A:dot_product(p, q)
        dots = dot_product and dots or 0
    end
    local best = operator.room(like.type, like.shape)
    local s = rill.stream("double", DOTS + math.max(words.MOST_GROUPS, dots))
    local function advance(phases, least, x, r)
        core._cg(phases, s, least, x, r, p, best, q, z, jacobi, dots)
    end
    local before, all = BEFORE, ALL
    if dot_product then
        before, all = BEFORE - words.DOT, ALL - words.DOT
        function multiply()
            dot_product(p, q, s, DOTS, words.STATE)
        end
    end
    local head = s:domain(1, words.PARTIALS)
    local rr = s:domain(words.PARTIALS + 1, words.PARTIALS + 1)
    local rz = s:domain(words.PARTIALS + words.MOST_GROUPS + 1, words.PARTIALS + words.MOST_GROUPS + 1)
    local machine = {kept = head, skips = dot_product and not precondition, waits = core._family(s) == "gpu"}
    local fresh = true -- p and s are zero
    function machine.begin(r, x)
        x:fill(0)
        if not fresh then
            p:fill(0)
            s:fill(0)
        end
        fresh = false
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
    end
    function machine.first(r, x, least, relative)
        advance(words.DIRECTION + (relative and words.RELATIVE or 0), least, x, r)
    end
    function machine.finish(r, x, growth)
        advance(words.RESTORE, growth * growth, x, r)
    end
    function machine.go(r, x, least, count)
        for _ = 1, count do
            multiply(p, q)
            if precondition then
                advance(before, least, x, r)
                precondition(r, z)
                operator.dot(r, z, rz)
                advance(words.DIRECTION, least, x, r)
            else
                advance(all, least, x, r)
            end
        end
    end
    return machine
end

-- Returns the function correct(r, x, goal, left, note) of refine.run. `named`: the preconditioner is a built-in one.
local function prepare(A, like, every, named, z, jacobi, precondition)
    local machine = cg.machine(like, A:product(like.type), z, jacobi, precondition, A)
    -- If the device works on its own, it computes the next iterations while the state is read: `ahead`, at most. They
    -- do not change x if the state says that the device stopped, but functions are called.
    local late <const>, ahead <const> = machine.waits, machine.skips and every or 1
    return function(r, x, goal, left, note)
        local least = goal * goal
        machine.begin(r, x)
        machine.first(r, x, least, true)
        local begun, count, kept, pending = 0, 0, nil, nil
        -- Reads the state from a stream or a request. Returns whether the device stopped.
        local function is_stopped(from)
            kept = from:values()
            count = math.tointeger(kept[words.COUNT + 1])
            note(count, math.sqrt(kept[words.RR + 1] / kept[words.SCALE + 1]))
            return kept[words.STATE + 1] ~= 0
        end
        local stopped
        repeat
            local more = math.min(every, left - begun)
            local now = pending and math.min(ahead, more) or 0
            local before <close> = pending
            pending = nil
            -- An error of a function in iterations that are not needed does not matter.
            local done, problem = true, nil
            if now > 0 then done, problem = pcall(machine.go, r, x, least, now) end
            stopped = before and is_stopped(before)
            if not stopped then
                if not done then error(problem, 0) end
                machine.go(r, x, least, more - now)
                begun = begun + more
                pending = late and machine.kept:request()
                stopped = not late and is_stopped(machine.kept)
            end
        until stopped or begun >= left
        local last <close> = pending
        if last then
            is_stopped(last)
        end
        local growth = kept[words.STATE + 1] == 0 and words.GROWTH_ALLOWED or 1
        local rr = kept[words.RR + 1]
        if rr ~= rr or rr > growth ^ 2 * kept[words.BEST + 1] then
            machine.finish(r, x, growth)
        end
        return count, judge(kept, count, named, A.kind)
    end
end

-- ---- vectors in parts

local STEP <const> = template.new [=[
    kernel void cg_step($T alpha, $T p<>, $T q<>, inout $T x<>, inout $T r<>$if(keep){, out $T best<>}) {
        $if(keep){best = x;}
        x += alpha * p;
        r -= alpha * q;
    }
]=]
local TURN <const> = template.new "kernel void cg_turn($T beta, $T z<>, inout $T p<>) { p = z + beta * p; }"

-- Returns the same function as `prepare`, for vectors that consist of parts. Launches compute the vectors, and the host
-- the scalars. With a preconditioner that is a function it is the flexible method (Golub and Ye 1999), which permits
-- one that is not exactly symmetric.
local function by_launches(A, like, every, named, z, precondition)
    local p, q, best, old = operator.like(like), operator.like(like), operator.like(like), nil
    local step, turn = STEP:kernel {T = like.type, keep = false}, TURN:kernel {T = like.type}
    local step_keeping = STEP:kernel {T = like.type, keep = true}
    local grown <const> = refine.GROWN[like.type]
    if precondition and not named then
        old = operator.like(like)
    end
    -- Does one iteration, which begins with r'r `rr`, and r'z `before` (nil: none yet). Returns the new r'z; nil and
    -- the state if it cannot go on.
    local function iterate(r, x, rr, before, keeps)
        local near, rz = r, rr
        if precondition then
            precondition(r, z)
            near, rz = z, r:dot(z)
        end
        if rz <= 0 or rz ~= rz then
            return nil, rz ~= rz and words.NO_NUMBER or words.UNEVEN
        end
        turn(before and (old and rz - old:dot(near) or rz) / before or 0, near, p)
        if old then
            old:write(r)
        end
        A:apply(p, q)
        local pq = p:dot(q)
        if pq <= 0 or pq ~= pq then
            return nil, pq ~= pq and words.NO_NUMBER or words.INDEFINITE, pq
        elseif keeps then
            step_keeping(rz / pq, p, q, x, r, best)
        else
            step(rz / pq, p, q, x, r)
        end
        return rz
    end
    return function(r, x, goal, left, note)
        x:fill(0)
        local start = r:dot(r)
        local rr, least, count, state, rz, product = start, math.huge, 0, words.RUNNING, nil, nil
        while rr > goal * goal * start and count < left and state == words.RUNNING do
            local keeps = rr < least
            least = math.min(least, rr)
            local now, stop, found = iterate(r, x, rr, rz, keeps)
            if now then
                rz, count, rr = now, count + 1, r:dot(r)
                state = rr - rr ~= 0 and words.NO_NUMBER or rr > grown * least and words.GROWN or state
                if count % every == 0 then
                    note(count, math.sqrt(rr / start))
                end
            else
                state, product = stop, found
            end
        end
        if count % every ~= 0 or count == 0 then
            note(count, math.sqrt(rr / start))
        end
        local growth = state == words.RUNNING and words.GROWTH_ALLOWED or 1
        if rr ~= rr or rr > growth * growth * least then
            x:write(best)
        end
        return count, judge({[words.STATE + 1] = state, [words.PQ + 1] = product}, count, named, A.kind)
    end
end

-- ---- small sparse matrices

-- Conjugate gradients for small sparse matrices: one launch of one work group runs many iterations and the steps of
-- refinement between them (shaders/cg_group.comp). A Work object has the methods that refine.solve requires.

local ROWS <const> = 32 -- of a slice: SPMV_SLICE of spmv_words.h
local LEAST_SQUARES <const> = 1e-280 -- in a smaller sum, some squares may be denormal
local LEAST_NORM <const> = 1e-120 -- compared with a larger norm of b, squares that underflow are negligible

local Work = {}
Work.__index = Work

local MANY <const> = 32768 -- entries: with fewer, making tiles costs more than it saves

-- Returns the matrix in the layout for one work group, the number of iterations that a launch may run, and whether the
-- layout is tiled; nil if the matrix is too large for one work group.
local function arrange(matrix)
    local rows = matrix.shape[1]
    local function steps(tiled)
        return function(places, begins, entries)
            return core._cg_group_steps(begins, rows, places, entries, tiled)
        end
    end
    for _, tiled in ipairs(matrix.nnz >= MANY and {true, false} or {false}) do
        local count = steps(tiled)
        local made = matrix[tiled and "_tiles" or "_plain"](matrix, function(...) return count(...) > 0 end)
        if made then
            return made, count(made.places, made.begins, matrix.nnz), tiled
        end
    end
end

-- Returns values as floats, or nil if a value overflows.
local function narrow(values)
    local cast = values:cast "float"
    local size = operator.norm(cast, true)
    if size ~= size or size == math.huge then
        cast:close()
        return nil
    end
    return cast
end

-- Returns a Work object for an operator A with iterations in `type`, or nil if A is not a sparse matrix that one work
-- group can process. inverse: the inverse diagonal, or nil; named: the preconditioner is a built-in one.
local function group_work(A, type, norm, x, b, inverse, every, named)
    local plain, steps, tiled
    if A.kind == "sparse" then
        plain, steps, tiled = arrange(A[A.type])
    end
    local rows, values = x.size, plain and plain.values
    if plain and type == "float" and A.type == "double" then
        values = narrow(values)
    end
    if not values then
        return nil
    end
    local self = setmetatable({plain = plain, values = values, wide = type == "double", b = b, x = x, inverse = inverse,
        every = every, named = named, kind = A.kind, phases = words.START, norm = norm, steps = steps, tiled = tiled},
        Work)
    self.stream = rill.stream("double", core._cg_group_room(rows, self.wide))
    self.rows = (rows + ROWS - 1) // ROWS * ROWS
    return self
end

-- Launches the given phases and the pending ones.
local function launch(self, phases, steps, most, goal, scale, factor)
    local plain = self.plain
    core._cg_group(self.phases | phases, steps, most, goal, scale, factor, self.stream, self.x, self.b, self.inverse,
        plain.begins, plain.columns, self.values, plain.values, self.wide, self.tiled)
    self.phases = 0
end

-- Sets self.residue from the result of a launch.
local function measure(self, kept)
    local squares = kept[words.SQUARES + 1]
    if (squares >= LEAST_SQUARES or self.norm > LEAST_NORM) and squares < math.huge then
        self.residue = math.sqrt(squares)
    else
        local r = self.stream:domain(words.KEPT + self.rows + 1, words.KEPT + 2 * self.rows)
        self.residue = operator.norm(r, self.norm > LEAST_NORM)
    end
end

local function head(self, steps)
    return self.stream:domain(1, words.HISTORY + steps):values()
end

--- work:residual() returns the norm of b - A x.
function Work:residual()
    if not self.residue then
        launch(self, words.MEASURE, 0, 0, 0.0, 0.0, 0.0)
        measure(self, head(self, 0))
    end
    return self.residue
end

--- work:begins_at_zero() declares that x is 0, so that the residual is b.
function Work:begins_at_zero()
    self.residue = self.norm
end

-- Calls `note` for every self.every-th iteration of a launch and for the last one.
local function record(self, kept, before, count, note)
    local first = kept[words.FIRST + 1]
    for i = before + 1, count do
        if i % self.every == 0 or i == count and kept[words.DONE + 1] == 1 then
            note(i, math.sqrt(kept[words.HISTORY + i - before] / first))
        end
    end
    if count == 0 then
        note(0, 1.0)
    end
end

--- work:correct(norm, goal, left, note) computes a correction as described in refine.lua, and adds it to x unless x
-- would not be finite.
function Work:correct(norm, goal, left, note)
    local by, phases, before = operator.scale(norm), words.BEGIN, 0
    self.by = by
    local kept
    repeat
        local steps = math.min(self.steps, left - before)
        launch(self, phases | words.ITERATE | words.ADD | words.MEASURE, steps, left, goal, by, 1.0 / by)
        kept = head(self, steps)
        local count = math.tointeger(kept[words.COUNT + 1])
        record(self, kept, before, count, note)
        before, phases = count, 0
    until kept[words.DONE + 1] == 1
    self.added = kept[words.ADDED + 1] == 1
    measure(self, kept)
    return before, judge(kept, before, self.named, self.kind)
end

--- work:add() returns whether the correction was added to x.
function Work:add()
    return self.added
end

--- work:take_back() restores x as it was before the correction.
function Work:take_back()
    launch(self, words.ADD | words.MEASURE, 0, 0, 0.0, 0.0, 0.0)
    measure(self, head(self, 0))
end

--- work:close() frees its memory.
function Work:close()
    self.stream:close()
    if self.values ~= self.plain.values then
        self.values:close()
    end
end
Work.__close = Work.close

-- ---- rill.solve.cg

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

-- Returns the arguments z, jacobi and precondition of `prepare` for the option `preconditioner`.
local function preconditioning(A, like, opts)
    local given = opts.preconditioner
    if not given then
        return nil, false, nil
    elseif given == "jacobi" then
        local inverse = preconditioner.jacobi(A, like.type)
        return inverse:reshape(like.shape), true, nil
    elseif given == "polynomial" then
        given = preconditioner.polynomial(A, like, opts.degree or DEGREE)
    end
    return operator.room_like(like), false, given
end

-- Returns what refine.solve expects of `make`: a function that computes corrections, or nil and a Work object.
local function choose(A, like, norm, x, b, opts)
    local every, named = opts.every or EVERY, type(opts.preconditioner) == "string"
    local z, jacobi, precondition = preconditioning(A, like, opts)
    if operator.provider(b) then
        return by_launches(A, like, every, named, z, precondition)
    end
    local work = not precondition and group_work(A, like.type, norm, x, b, z, every, named)
    if not work then
        return prepare(A, like, every, named, z, jacobi, precondition)
    elseif not opts.x0 then
        work:begins_at_zero()
    end
    return nil, work
end

--- rill.solve.cg(A, b [, options]) returns x of A x = b for a symmetric positive definite A, and a report.
function cg.cg(A, b, given)
    local opts = options.take("cg", given, OWN)
    if opts.degree and opts.preconditioner ~= "polynomial" then
        fail("rill.solve.cg: option 'degree' applies to preconditioner = \"polynomial\" only: give both")
    end
    b = operator.vector("cg", "b", b, true)
    local x, result = refine.solve("cg", A, b, opts, refine.limit(b), function(system, like, norm, x)
        if norm > 0 then
            return choose(system, like, norm, x, b, opts)
        end
    end)
    return outcome.finish("cg", x, outcome.new(result), opts.strict)
end

return cg
