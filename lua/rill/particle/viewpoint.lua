-- Where pictures of particles are taken from: a window of the plane, or a camera in space.
local rill = require "rill"
local blame = require "rill.support.blame"
local choices = require "rill.support.choices"

local viewpoint = {}

--- viewpoint.text: where a particle is on the picture: x, y in pixels, its depth in lengths, and pixels per length there. Two dimensions are seen along
-- the third. For neighbours.text.
viewpoint.text = [=[
    vec4 seen(V x, vec3 eye, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus) {
        @2 return vec4(middle + focus * (x - eye.xy) * vec2(1.0, -1.0), 1.0, focus); @3
        vec3 d = x - eye;
        float depth = dot(d, ahead), scale = focus / max(depth, 1e-6);
        return vec4(middle + scale * vec2(dot(d, right), -dot(d, above)), depth, depth > 0.0 ? scale : 0.0); @
    }
]=]

--- viewpoint.parameters: of a kernel that calls `seen`; viewpoint.seen has the arguments.
viewpoint.parameters = "vec3 eye, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus, ivec2 extent, "

-- ---- options

local function is_size(value)
    local good = type(value) == "table" and not rill.type(value) and #value == 2
    for i = 1, good and 2 or 0 do
        good = good and math.type(value[i]) == "integer" and value[i] >= 1 and value[i] <= 16384
    end
    return good
end

--- viewpoint.rows(dimensions): rows for choices.options.
function viewpoint.rows(dimensions)
    local vector = {
        function(v) return choices.is_vector(v, dimensions) end, ("a table of %d numbers"):format(dimensions),
    }
    local flat, solid = dimensions == 2 and vector or nil, dimensions == 3 and vector or nil
    return {
        size = {is_size, "{rows, columns}, whole numbers from 1 to 16384"},
        low = flat, high = flat, eye = solid, target = solid, up = solid,
        angle = solid and {choices.is_positive, "a number above 0"},
    }
end

-- ---- cameras

local function unit(v)
    local length = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
    return length > 0 and {v[1] / length, v[2] / length, v[3] / length} or nil
end

local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

-- A window of the plane, whose middle is the picture's and which fits into it.
local function flat_camera(where, taken, low, high, extent)
    low, high = taken.low or low, taken.high or high
    if not (low[1] < high[1] and low[2] < high[2]) then
        blame.fail("%s: 'low' must be below 'high' in both dimensions, got (%g, %g) and (%g, %g)", where, low[1],
            low[2], high[1], high[2])
    end
    local focus = math.min(extent[1] / (high[1] - low[1]), extent[2] / (high[2] - low[2]))
    return {
        eye = {(low[1] + high[1]) / 2, (low[2] + high[2]) / 2, 0}, focus = focus, far = 2,
        right = {1, 0, 0}, above = {0, 1, 0}, ahead = {0, 0, 1},
    }
end

local function solid_camera(where, taken, low, high, extent, down)
    local middle, reach = {}, 0
    for d = 1, 3 do
        middle[d], reach = (low[d] + high[d]) / 2, math.max(reach, high[d] - low[d])
    end
    local up = unit(taken.up or {-down[1], -down[2], -down[3]}) or {0, 0, 1}
    local target, side = taken.target or middle, math.abs(up[1]) < 0.9 and {1, 0, 0} or {0, 1, 0}
    local across = unit(cross(side, up))
    local eye = taken.eye or {}
    for d = 1, not taken.eye and 3 or 0 do
        eye[d] = target[d] + reach * (1.6 * across[d] + 0.9 * up[d] + 0.8 * cross(up, across)[d])
    end
    local ahead = unit {target[1] - eye[1], target[2] - eye[2], target[3] - eye[3]}
    local right = ahead and unit(cross(ahead, up))
    if not right then
        blame.fail("%s: 'eye' must be away from 'target', and not straight above or below it", where)
    end
    local angle, far = taken.angle or 40, 0
    for d = 1, 3 do
        far = far + (math.abs(eye[d] - middle[d]) + reach) ^ 2
    end
    return {
        eye = eye, right = right, above = cross(right, ahead), ahead = ahead, up = up, far = math.sqrt(far),
        focus = extent[2] / 2 / math.tan(math.rad(math.min(angle, 170) / 2)),
    }
end

--- viewpoint.new(where, taken, low, high, size, down): as the options `taken` say, else so that all between the corners is seen; size: {rows, columns}.
-- `down` is what things fall by, in three dimensions.
function viewpoint.new(where, taken, low, high, size, down)
    local extent = {size[2], size[1]}
    local camera = (#low == 2 and flat_camera or solid_camera)(where, taken, low, high, extent, down)
    camera.middle, camera.extent = {(extent[1] - 1) / 2, (extent[2] - 1) / 2}, extent
    return camera
end

--- viewpoint.seen(camera, values): the arguments of a launch: what the camera is, and its own.
function viewpoint.seen(camera, values)
    for _, name in ipairs {"eye", "right", "above", "ahead", "middle", "focus", "extent"} do
        values[name] = camera[name]
    end
    return values
end

return viewpoint
