--- rill.subdivide: Loop subdivision of meshes, uniform or adaptive (D. Horn, Stream reduction operations for GPGPU
-- applications, section 36.3).
local rill = require "rill"
local adaptive = require "rill.geometry.subdivide.adaptive"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local object = require "rill.geometry.mesh.mesh"
local rules = require "rill.geometry.subdivide.loop"
local fail <const> = errors.fail

local subdivide = {}
local WHERE <const> = "rill.subdivide.loop"
local MOST <const> = adaptive.MOST

local function is_flag(v) return type(v) == "boolean" end
local OPTIONS <const> = {
    levels = option.number(0, 15), creases = {option.is_data, "a stream of ivec2 or a table of pairs"},
    limit = {is_flag, "true or false", false}, patch = option.choice({"redgreen", "sliver"}, "redgreen"),
    adaptive = {function(v) return type(v) == "table" and not rill.type(v) end,
        "a table with edge, pixels, curvature or kernel"},
}

-- Returns the creases as a new stream, or nil if there are none.
local function creases_of(list)
    if list == nil or not rill.type(list) and #list == 0 then
        return nil
    end
    local done, s = pcall(function()
        return rill.type(list) == "expression" and list:eval() or rill.type(list) and list:copy() or
            rill.from(list, "ivec2")
    end)
    if not done or rill.type(s) ~= "stream" or s.type ~= "ivec2" or #s.shape ~= 1 then
        fail("%s: option 'creases': expected pairs of vertex indices (0-based), a stream of ivec2 or a table", WHERE)
    end
    return s
end

-- Returns the data of a level (rules.level). Raises an error if a crease given by the user is not an edge.
local function level_of(m, creases, first)
    local l, missing = rules.level(m, creases)
    if first and missing then
        local c = creases:get(missing + 1)
        fail("%s: option 'creases': crease %d, {%d, %d}, is not an edge of the mesh", WHERE, missing, c[1], c[2])
    end
    return l
end

-- Returns the same triangles with the vertices on the limit surface, and its normals.
local function at_limit(m, creases, first)
    local l <close> = level_of(m, creases, first)
    local moved = object.own {positions = rules.even(l, nil, true), triangles = m.triangles:copy()}
    local plain <close> = moved:normals()
    rawset(moved, "_normals", rules.normals(l, plain, object.scale_of(m)))
    return moved
end

local function uniform_step(l)
    local even, odd = rules.even(l), rules.odd(l)
    local made = object.own {positions = rill.concat {even, odd}, triangles = rules.quarters(l)}
    even:close()
    odd:close()
    if not l.crease then return made end
    local ones <close> = rill.stream("int", l.count, 1)
    local place <close> = ones:scan()
    return made, rules.creases(l, ones, place)
end

-- Closes the data of a level, except the user's mesh.
local function close_level(l, theirs, creases)
    if l.m ~= theirs then l.m:close() end
    if creases then creases:close() end
end

local function note(report, m)
    report.faces[#report.faces + 1], report.vertices[#report.vertices + 1] = m.faces, m.vertices
end

local function uniform(m, taken, creases, report)
    if m.faces * 4 ^ taken.levels > MOST then
        fail("%s: option 'levels': %d triangles would become %.0f, expected at most %d", WHERE, m.faces,
            m.faces * 4 ^ taken.levels, MOST)
    end
    local theirs <const> = m
    for level = 1, taken.levels do
        local l <close>, before = level_of(m, creases, level == 1), creases
        m, creases = uniform_step(l)
        close_level(l, theirs, before)
        note(report, m)
    end
    return m, creases
end

-- Subdivides until no edge fulfills the criterion.
local function adapted(m, taken, creases, report)
    local fails = adaptive.criterion(WHERE, m, taken.adaptive)
    local theirs <const>, live = m, rill.stream("int", m.faces, 1)
    for level = 0, taken.levels do
        local l <close> = level_of(m, creases, level == 0)
        local split, before, old = fails(l, live), creases, live
        report.met = split:max() == 0
        if report.met or level == taken.levels then
            split:close()
            break
        end
        m, live, creases = adaptive.step(WHERE, l, split, live, taken.patch)
        split:close()
        old:close()
        close_level(l, theirs, before)
        note(report, m)
    end
    live:close()
    return m, creases
end

--- rill.subdivide.loop(m, options) returns a new mesh and a report {faces =, vertices =, levels =, met =} with the
-- counts at each level, beginning with m. options: levels (required, 0 to 15); creases: pairs of vertex indices;
-- limit = true: vertices and normals of the limit surface; adaptive = {edge = length | pixels = n, camera = as for
-- rill.render, size = {rows, columns} | curvature = degrees | kernel =}: split only edges that fulfill the criterion;
-- patch: "redgreen" (default) or "sliver".
subdivide.loop = errors.guard(function(m, options)
    object.take(WHERE, m)
    local taken = option.take(WHERE, options, OPTIONS)
    if not taken.adaptive and type(options) == "table" and options.patch ~= nil then
        fail("%s: option 'patch' requires the option 'adaptive'", WHERE)
    end
    local creases = creases_of(taken.creases)
    local report = {faces = {m.faces}, vertices = {m.vertices}}
    if m.faces == 0 then
        report.levels, report.met = 0, true
        return m:copy(), report
    end
    local made, left = (taken.adaptive and adapted or uniform)(m, taken, creases, report)
    report.levels = #report.faces - 1
    if taken.limit then
        local last = made
        made = at_limit(last, left, report.levels == 0)
        if last ~= m then last:close() end
    elseif report.levels == 0 then
        made = object.own {positions = m.positions:copy(), triangles = m.triangles:copy()}
    end
    if left then left:close() end
    return made, report
end, WHERE)

return errors.strict(subdivide, "rill.subdivide")
