-- The path tracer of rill.ray: the lists of rays of each bounce, and their sums.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local held = require "rill.core.scope"
local camera = require "rill.geometry.camera"
local vector = require "rill.core.vector"
local progress = require "rill.core.progress"
local concat = require "rill.stream.concat".concat
local scene = require "rill.ray.scene"
local materials = require "rill.ray.materials"
local kernels <const> = require "rill.glsl.template".file "path"

local WHERE <const> = "rill.ray.trace"

local OPTIONS <const> = {
    size = {camera.size[1], camera.size[2], {256, 256}}, camera = option.table, bounces = option.number(0, 64, 6),
    samples = option.number(1, 1 << 20, 16), lights = {function() return true end, "a list of lights"},
    materials = {function() return true end, "materials"}, background = {function() return true end, "a color"},
    seed = option.number(0, (1 << 31) - 1, 0), linear = option.flag, progress = option.flag,
    exposure = option.default(option.positive, 1),
    each = {function(v) return type(v) == "function" end, "a function of the picture and the number of samples"},
}

-- ---- the scene on the device

local function corners_of(bounds)
    local rows = {}
    for k = 0, 7 do
        rows[k + 1] = {}
        for d = 1, 3 do rows[k + 1][d] = (k >> (d - 1) & 1 == 1 and bounds.high or bounds.low)[d] end
    end
    return rill.from(rows, "vec3")
end

-- Returns a stream of ints: `value(i)` for each triangle of mesh i.
local function per_face(s, ends, value)
    local parts = {}
    for i in ipairs(s.bases) do
        local n = ends[i] - s.bases[i]
        if n > 0 then parts[#parts + 1] = rill.stream("int", n, value(i)) end
    end
    if #parts == 0 then return rill.stream("int", 1) end
    local all = concat(parts)
    for _, part in ipairs(parts) do part:close() end
    return all
end

-- The triangles of emitting meshes, and the cumulative sums of their powers.
local function add_emitters(w, s, ends, list)
    local parts = {}
    for i, m in ipairs(list) do
        local n = ends[i] - s.bases[i]
        if math.max(table.unpack(m.emission)) > 0 and n > 0 then
            parts[#parts + 1] = w.run.numbers {from = s.bases[i], shape = n}
        end
    end
    w.emitters, w.total = 0, 0
    if #parts == 0 then
        w.emitter, w.sums = rill.stream("int", 1), rill.stream("double", 1)
    else
        w.emitter = concat(parts)
        for _, part in ipairs(parts) do part:close() end
        local powers <close> = w.run.powers(w.emitter, w.corner, w.which, w.material)
        w.sums = powers:scan()
        w.emitters, w.total = w.emitter.size, w.sums:get(w.emitter.size)
        if w.total <= 0 then w.emitters = 0 end
    end
end

-- Returns the streams of a scene that the kernels read.
local function world_of(s, list, taken)
    local w = held {run = kernels:program(), reach = s.reach / s.scale}
    local ends = {table.unpack(s.bases, 2)}
    ends[#s.bases] = s.faces
    w.corner, w.normal = rill.stream("vec3", 3 * s.faces + 3), rill.stream("vec3", 3 * s.faces + 3)
    if s.count > 0 then
        w.run.place_corners {corner = s.corner, scale = s.scale, place = w.corner, shape = s.corner.size // 3}:close()
    end
    for i, m in ipairs(list) do
        if m.smooth and ends[i] > s.bases[i] then
            local mesh <const> = s.meshes[i]
            w.run.place_normals(mesh.triangles, mesh:normals(), s.bases[i], w.normal):close()
        end
    end
    w.which = per_face(s, ends, function(i) return i - 1 end)
    w.material = materials.stream(list)
    w.lights, w.count = materials.lights(taken.lights)
    w.horizon, w.zenith = materials.background(taken.background)
    add_emitters(w, s, ends, list)
    return w
end

-- ---- tracing

-- Adds the light of a list of rays to the sums. hidden: the number of crossings of shadow rays, or nil.
local function add(w, key, light, hidden, sum)
    w.run.add {key = key, light = light, hidden = hidden or w.which, several = hidden and 1 or 0, count = light.size,
        sum = sum, shape = light.size}:close()
end

-- Traces the shadow rays of a list, and adds the light of those that meet nothing. Returns their number.
local function light_up(w, s, list, hit, turn, sum)
    if w.count == 0 and w.emitters == 0 then return 0 end
    local rays <close> = held {w.run.shadows(list.d, list.weight, list.key, hit.triangle, hit.b, w.corner, w.normal,
        w.which, w.material, w.lights, w.count, w.emitter, w.sums, w.emitters, w.total, w.reach, turn.depth,
            turn.sample)}
    local from, to, far, light, at = table.unpack(rays)
    if from.size > 0 then
        local hidden <close> = scene.query(s, "any", from, to, far, from.shape)
        add(w, at, light, hidden, sum)
    end
    return from.size
end

-- Traces one list of rays. Returns the list of the next bounce.
local function bounce(w, s, list, turn, sum)
    local hit <close> = held {}
    hit.distance, hit.triangle, hit.b = scene.query(s, "closest", list.o, list.d, w.far, list.o.shape)
    local light, o, d, weight, key = w.run.interact(list.o, list.d, list.weight, list.key, hit.triangle, hit.b,
        w.corner, w.normal, w.which, w.material, w.horizon, w.zenith, w.up, w.reach, turn.depth, turn.bounces,
            turn.sample)
    add(w, list.key, light, nil, sum)
    light:close()
    local shadow <const> = light_up(w, s, list, hit, turn, sum)
    return held {o = o, d = d, weight = weight, key = key}, shadow
end

local function sample(w, s, view, turn, sum, report)
    local list = held {}
    list.o, list.d, list.weight, list.key = w.run.camera {columns = view.columns, rows = view.rows, eye = view.eye,
        ahead = view.ahead, right = view.right, above = view.above, width = view.width,
            parallel = view.parallel, s = turn.sample,
        seed = view.seed, shape = view.rows * view.columns}
    for depth = 0, turn.bounces do
        turn.depth = depth
        report.rays[depth + 1] = (report.rays[depth + 1] or 0) + list.o.size
        if list.o.size > 0 then
            local current <close> = list
            local shadow
            list, shadow = bounce(w, s, current, turn, sum)
            report.shadow[depth + 1] = (report.shadow[depth + 1] or 0) + shadow
        else
            report.shadow[depth + 1] = report.shadow[depth + 1] or 0
        end
    end
    local _ <close> = list
end

-- Returns the camera of the image.
local function view_of(s, taken)
    local box <close> = corners_of(s)
    local seen = camera.of_meshes(taken.camera or {}, {{positions = box}}, taken.size, WHERE)
    seen.rows, seen.columns, seen.seed = taken.size[1], taken.size[2], taken.seed
    return seen
end

--- rill.ray.trace(s, options) returns the image of a scene and a report.
return function(value, options)
    local s <const> = scene.take(WHERE .. ": argument #1 's'", value)
    local taken <const> = option.take(WHERE, options, OPTIONS)
    local list <const> = materials.take(taken.materials, #s.bases)
    local view <const> = view_of(s, taken)
    local w <close> = world_of(s, list, taken)
    w.up, w.far = vector.unit(view.up), rill.stream("float", 1, math.huge)
    local report <const> = {rays = {}, shadow = {}, samples = taken.samples}
    local sum <close> = rill.stream("vec4", taken.size[1] * taken.size[2])
    local function picture(samples)
        local rows <close> = sum:reshape(taken.size)
        return w.run.develop(rows, taken.exposure / samples, taken.linear and 1 or 0)
    end
    local bar <close> = taken.progress and progress.progress(taken.samples, "tracing rays") or nil
    for k = 1, taken.samples do
        sample(w, s, view, {sample = k - 1, bounces = taken.bounces}, sum, report)
        if bar then bar:step() end
        local ends <const> = taken.each and taken.each(picture(k), k) == false
        if s.closed then errors.fail("%s: option 'each': the function closed the scene", WHERE) end
        if ends then
            report.samples = k
            break
        end
    end
    return picture(report.samples), report
end
