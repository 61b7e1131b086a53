-- Cameras of pictures of space: where an eye is, what it looks at, and the rays through the pixels.
local rill = require "rill.core.public"

local camera = {}

local function is_size(value)
    local good = type(value) == "table" and not rill.type(value) and #value == 2
    for i = 1, good and 2 or 0 do
        good = good and math.type(value[i]) == "integer" and value[i] >= 1 and value[i] <= 16384
    end
    return good
end

--- camera.size: a row for choices.take, of a picture's.
camera.size = {is_size, "{rows, columns}, whole numbers from 1 to 16384"}

--- camera.unit(v): v with length 1; nil where it has none.
function camera.unit(v)
    local most = math.max(math.abs(v[1]), math.abs(v[2]), math.abs(v[3])) -- its square may be beyond numbers
    local x, y, z = v[1] / most, v[2] / most, v[3] / most
    local length = math.sqrt(x * x + y * y + z * z)
    return most > 0 and {x / length, y / length, z / length} or nil
end
local unit <const> = camera.unit

--- camera.cross(a, b): the vector product.
function camera.cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end
local cross <const> = camera.cross

--- camera.above(target, up, reach): where an eye stands unless told: so far that what reaches `reach` is in the picture, in front, a bit above and beside.
function camera.above(target, up, reach)
    local side = math.abs(up[1]) < 0.9 and {1, 0, 0} or {0, 1, 0}
    local across, eye = unit(cross(side, up)), {}
    local along = cross(up, across)
    for d = 1, 3 do
        eye[d] = target[d] + reach * (1.6 * across[d] + 0.9 * up[d] + 0.8 * along[d])
    end
    return eye
end

--- camera.axes(eye, target, up): unit vectors, ahead, to the right and to above in the picture; nil where `up` does not tell them.
function camera.axes(eye, target, up)
    local ahead = unit {target[1] - eye[1], target[2] - eye[2], target[3] - eye[3]}
    local right = ahead and unit(cross(ahead, up))
    return right and {eye = eye, ahead = ahead, right = right, above = cross(right, ahead), up = up}
end

--- camera.approach(seen, low, high): where rays to a box are to begin instead of at a camera's eye, since floats would lose where a far eye's rays are in the box: a point
-- in front of the eye, a diagonal before the box, and how far it is from the eye; and how far in front of it the box begins and ends. The eye, if that is near.
function camera.approach(seen, low, high)
    local least, most, squares, eye = math.huge, -math.huge, 0, {}
    for corner = 0, 7 do
        local depth = 0
        for d = 1, 3 do
            depth = depth + ((corner >> (d - 1) & 1 == 1 and high or low)[d] - seen.eye[d]) * seen.ahead[d]
        end
        least, most = math.min(least, depth), math.max(most, depth)
    end
    for d = 1, 3 do
        squares = squares + (high[d] - low[d]) ^ 2
    end
    local ahead = math.max(0, least - math.sqrt(squares))
    for d = 1, 3 do
        eye[d] = seen.eye[d] + ahead * seen.ahead[d]
    end
    return eye, ahead, math.max(least, 0) - ahead, most - ahead
end

--- camera.focus(columns, degrees): pixels per length at distance 1, of a picture so many degrees wide.
function camera.focus(columns, degrees)
    return columns / 2 / math.tan(math.rad(degrees / 2))
end

return camera
