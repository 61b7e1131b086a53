-- Simplification envelopes: an inner and an outer surface between which a mesh can be simplified.
--
--     lua5.4 examples/envelopes.lua [file [percent [directory]]]        (spot, or a ring) 2 out
--
-- Moves the vertices of a closed mesh along their normals by at most `percent` of the diagonal of its bounds, with rill.mesh.envelope. Prints the distances and
-- the time of the vertex kernel for strategies of rill.reuse, and checks the envelopes by winding numbers. Draws the outer envelope in red, and next to it one
-- half of the outer envelope, the mesh in gray, and the inner envelope in blue.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local path, percent, directory = ...
percent, directory = tonumber(percent or 2), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local m, name = surfaces.surface(path ~= "-" and path or nil, "spot.obj", surfaces.ring_mesh, 96, 48)
local low, high = m:bounds()
local middle, diagonal = {}, 0
for d = 1, 3 do
    middle[d] = (low[d] + high[d]) / 2
    diagonal = diagonal + (high[d] - low[d]) ^ 2
end
diagonal = math.sqrt(diagonal)
local target = percent / 100 * diagonal

-- ---- strategies

print(("  %s, %d triangles, target %.4g:"):format(name, m.faces, target))
local inner, outer, naive
local box <const> = rill.mesh.box()
for _, strategy in ipairs {"naive", "warp", "hash", "multi"} do
    if inner then
        inner:close()
        outer:close()
    end
    rill.mesh.envelope(box, {reuse = strategy}) -- compiles the kernels
    local report
    inner, outer, report = rill.mesh.envelope(m, {distance = target, reuse = strategy})
    naive = naive or report
    print(("  %-8s %9.1f ms, %5.2f x naive; %d invocations, at most %.2f x"):format(strategy, 1e3 * report.seconds,
        naive.seconds / report.seconds, report.invocations, naive.invocations / report.invocations))
end
for _, one in ipairs {{"inner", inner, 1}, {"outer", outer, 0}} do
    local offsets = one[2].attributes.offset:values()
    table.sort(offsets)
    local w <close> = m:winding(one[2].positions)
    assert(math.abs(w:min() - one[3]) < 1e-3 and math.abs(w:max() - one[3]) < 1e-3, "an envelope leaves its side")
    print(("  %s envelope: distances %.2f to %.2f of the target, median %.2f"):format(one[1], offsets[1] / target,
        offsets[#offsets] / target, offsets[(#offsets + 1) // 2] / target))
end

-- ---- the picture

-- Keeps triangles that are entirely on one side of a plane x = c.
local behind = rill.kernel [=[
    kernel void behind(ivec3 t<>, vec3 p[], float c, vout ivec3 r<>) {
        if (max(max(p[t.x].x, p[t.y].x), p[t.z].x) < c) push(r, t);
    }
]=]
local function cut(one)
    return rill.mesh.new {positions = one.positions, triangles = behind(one.triangles, one.positions, middle[1])}
end

local SIZE <const> = 400
local camera = {
    eye = {middle[1] + 1.1 * diagonal, middle[2] + 0.35 * diagonal, middle[3] - 0.5 * diagonal}, target = middle,
    fov = 42,
}
local picture = rill.stream("vec3", {SIZE, 2 * SIZE})
local function draw(column, models)
    local drawn <close> = rill.render(models, {size = {SIZE, SIZE}, camera = camera, samples = 4})
    picture:domain({1, column + 1}, {SIZE, column + SIZE}):write(drawn)
end
draw(0, {{outer, color = "#d05040"}})
draw(SIZE, {{cut(outer), color = "#d05040"}, {cut(m), color = "#c0c0c0"}, {cut(inner), color = "#4070d0"}})
rill.image.save(picture, directory .. "/envelopes.png")
print(("  %s/envelopes.png: the outer envelope; cut open, outer, mesh and inner"):format(directory))
