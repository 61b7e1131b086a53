-- Conjugate gradients for small sparse matrices: many whole iterations in one launch of one work group, and the refinement's own steps with them
-- (shaders/cg_group.comp). A work of refine.solve.
local core = require "rill.core"
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"

local cg_group = {}

local words <const> = core._cg_words
local ROWS <const> = 32 -- SPMV_SLICE of spmv_words.h: of a slice
local LEAST_SQUARES <const> = 1e-280 -- below, some may have lost bits
local LEAST_NORM <const> = 1e-120 -- what vanishes beside it is nothing

local Work = {}
Work.__index = Work

local MANY <const> = 32768 -- entries, below which tiles are not worth making

-- The matrix as one group takes it, and how many iterations a launch may have; nil where it is none that one may take.
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

-- Values as floats; nil where they are beyond those.
local function narrow(values)
    local cast = values:cast "float"
    local size = operator.norm(cast, true)
    if size ~= size or size == math.huge then
        cast:close()
        return nil
    end
    return cast
end

--- cg_group.make(A, type, norm, x, b, inverse, every, judge): the work for an operator A, with iterations in a type; inverse: the inverse diagonal, or nil.
-- judge(kept): of refine.solve's correct, what comes after the count. nil where A is no sparse matrix that one group may take.
function cg_group.make(A, type, norm, x, b, inverse, every, judge)
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
        every = every, judge = judge, phases = words.START, norm = norm, steps = steps, tiled = tiled}, Work)
    self.stream = rill.stream("double", core._cg_group_room(rows, self.wide))
    self.rows = (rows + ROWS - 1) // ROWS * ROWS
    return self
end

-- Carries out phases and those that are still to be done before.
local function launch(self, phases, steps, most, goal, scale, factor)
    local plain = self.plain
    core._cg_group(self.phases | phases, steps, most, goal, scale, factor, self.stream, self.x, self.b, self.inverse,
        plain.begins, plain.columns, self.values, plain.values, self.wide, self.tiled)
    self.phases = 0
end

-- Takes over the residual that a launch has left.
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

--- work:residual(): the norm of b - A x.
function Work:residual()
    if not self.residue then
        launch(self, words.MEASURE, 0, 0, 0.0, 0.0, 0.0)
        measure(self, head(self, 0))
    end
    return self.residue
end

--- work:begins_at_zero(): says that x is 0.
function Work:begins_at_zero()
    self.residue = self.norm
end

-- Tells `note` of the iterations of a launch: every so many, and the last.
local function tell(self, kept, before, count, note)
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

--- work:correct(norm, goal, left, note): as refine.lua has it; x has the correction then, where it could be added.
function Work:correct(norm, goal, left, note)
    local by, phases, before = operator.scale(norm), words.BEGIN, 0
    self.by = by
    local kept
    repeat
        local steps = math.min(self.steps, left - before)
        launch(self, phases | words.ITERATE | words.ADD | words.MEASURE, steps, left, goal, by, 1.0 / by)
        kept = head(self, steps)
        local count = math.tointeger(kept[words.COUNT + 1])
        tell(self, kept, before, count, note)
        before, phases = count, 0
    until kept[words.DONE + 1] == 1
    self.added = kept[words.ADDED + 1] == 1
    measure(self, kept)
    return before, self.judge(kept, before)
end

--- work:add(): whether x has the correction.
function Work:add()
    return self.added
end

--- work:take_back(): makes x what it was before the correction.
function Work:take_back()
    launch(self, words.ADD | words.MEASURE, 0, 0, 0.0, 0.0, 0.0)
    measure(self, head(self, 0))
end

--- work:close(): frees its memory.
function Work:close()
    self.stream:close()
    if self.values ~= self.plain.values then
        self.values:close()
    end
end
Work.__close = Work.close

return cg_group
