-- Advection: the value at a point was upstream one step ago (Stam 1999). The path is traced back through its
-- midpoint, which is second-order accurate. The MacCormack method (Selle and others 2008) advects the result forward
-- again and corrects it by half of the difference. Results are clamped to the range of the values from which they
-- were interpolated.
local clock = require "rill.simulation.fluid.time_step"
local programs <const> = require "rill.glsl.template".sections "advection"

local advection = {}

--- advection.flow(f) advects the velocities f.u by themselves, applies the forces, and stores the result in f.w. `f`
-- is the state of a fluid (lua/rill/simulation/fluid/fields.lua).
function advection.flow(f)
    local grid = f.grid
    local program = grid:program(programs.flow, {
        held = f.held ~= nil, push = f.push ~= nil, corrects = f.corrects, viscous = f.viscosity > 0,
    })
    local reach = clock.reach(f, f.timer)
    local function launch(kernel, components, pushed)
        components.u, components.held = f.u, f.held
        components.slope = pushed and f.slopes or nil
        local p = pushed and grid.mac and f.p or nil
        grid:launch(kernel, {clock = f.clock, p = p, push = pushed and f.push or nil}, components, reach)
    end
    if not f.corrects then
        launch(program.once, {r = f.w}, true)
        return
    end
    launch(program.lead, {r = f.c}, true)
    launch(program.ahead, {e = f.c, r = f.a, range = f.ranges})
    launch(program.again, {e = f.c, a = f.a, range = f.ranges, r = f.w}, true)
end

--- advection.carry(f, q, reach) advects a carried quantity by f.u. reach: that of clock.reach. Fields of q: type, now,
-- next, fed (the value at inflows, or nil), zero, and for the MacCormack method ahead, low and high.
function advection.carry(f, q, reach)
    local grid = f.grid
    local program = grid:program(programs.carried, {held = f.held ~= nil, corrects = f.corrects, Q = q.type})
    local last = {clock = f.clock, q = q.now.view, r = q.next.s, solid = f.blocked}
    if f.held then
        last.feeds, last.fed = q.fed and 1 or 0, q.fed or q.zero
    end
    if f.corrects then
        grid:launch(program.ahead, {clock = f.clock, q = q.now.view, r = q.ahead.s, low = q.low, high = q.high},
            {u = f.u}, reach)
        last.q, last.a, last.low, last.high = q.now.s, q.ahead.view, q.low, q.high
    end
    grid:launch(f.corrects and program.again or program.once, last, {u = f.u}, reach)
    q.now, q.next = q.next, q.now
end

return advection
