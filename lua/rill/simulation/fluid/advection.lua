-- Advection: what is at a place now was upstream a step ago (Stam 1999). The way back is of second order, through its
-- middle. MacCormack's method
-- (Selle and others 2008) takes the result forward again, and corrects it by half of what did not come back; no value
-- leaves the range of those it
-- was interpolated from.
local template = require "rill.glsl.template"

local advection = {}

local programs <const> = template.sections "advection"

-- All lists in one, for a launch.
local function joined(list, ...)
    for _, part in ipairs {...} do
        table.move(part, 1, #part, #list + 1, list)
    end
    return list
end
advection.joined = joined

--- advection.flow(f): the velocities f.u, moved along themselves and pushed, into f.w. `f` is the state of a fluid
-- (lua/rill/simulation/fluid/fields.lua).
function advection.flow(f)
    local grid, held = f.grid, f.held or {}
    local program = grid:program(programs.flow, {
        held = f.held ~= nil, push = f.push ~= nil, corrects = f.corrects, viscous = f.viscosity > 0,
    })
    local before = grid.mac and {f.p} or f.slopes
    local head = joined({grid.sides, f.clock}, before, {f.push})
    if not f.corrects then
        program.once(table.unpack(joined(head, f.u, held, f.w)))
        return
    end
    local outs, inputs, pairs_ = {}, {}, {}
    for k = 1, grid.rank do
        joined(outs, {f.a[k], f.ranges[k]})
        joined(pairs_, {f.u[k], f.c[k]})
        joined(inputs, {f.u[k], f.c[k], f.a[k], f.ranges[k]})
    end
    program.lead(table.unpack(joined(joined({}, head), f.u, held, f.c)))
    program.ahead(table.unpack(joined({grid.sides, f.clock}, pairs_, held, outs)))
    program.again(table.unpack(joined(head, inputs, held, f.w)))
end

--- advection.carry(f, q): a carried quantity along f.u. q has type, now, next, fed (nil, or what comes in with an
-- inflow), nothing (a zero), and ahead,
-- low and high where MacCormack's method moves it.
function advection.carry(f, q)
    local grid = f.grid
    local program = grid:program(programs.carried, {held = f.held ~= nil, corrects = f.corrects, Q = q.type})
    local head = joined({grid.sides, f.clock}, f.u)
    local cells = f.held and {f.solid, q.fed and 1 or 0, q.fed or q.nothing} or {}
    if f.corrects then
        program.ahead(table.unpack(joined(joined({}, head), {q.now.view, q.ahead.s, q.low, q.high})))
        program.again(table.unpack(joined(head, {q.now.s, q.ahead.view, q.low, q.high}, cells, {q.next.s})))
    else
        program.once(table.unpack(joined(head, {q.now.view}, cells, {q.next.s})))
    end
    q.now, q.next = q.next, q.now
end

return advection
