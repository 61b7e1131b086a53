-- Operations on small vectors on the host, which are arrays of numbers.
local vector = {}

--- vector.map(f, a, ...) returns the vector of the results of f for corresponding components of the vectors.
function vector.map(f, a, ...)
    local result, vectors = {}, {a, ...}
    for d = 1, #a do
        local numbers = {}
        for i, v in ipairs(vectors) do
            numbers[i] = v[d]
        end
        result[d] = f(table.unpack(numbers))
    end
    return result
end

--- vector.unit(v) returns a vector of three numbers scaled to length 1; nil if v is 0.
function vector.unit(v)
    local most = math.max(math.abs(v[1]), math.abs(v[2]), math.abs(v[3])) -- scaled by it, as squares may overflow
    local x, y, z = v[1] / most, v[2] / most, v[3] / most
    local length = math.sqrt(x * x + y * y + z * z)
    return most > 0 and {x / length, y / length, z / length} or nil
end

--- vector.cross(a, b) returns the cross product.
function vector.cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

--- vector.length(v) returns the Euclidean length.
function vector.length(v)
    local squares = 0
    for d = 1, #v do
        squares = squares + v[d] ^ 2
    end
    return math.sqrt(squares)
end

--- vector.middle(low, high) returns the center of a box.
function vector.middle(low, high)
    return vector.map(function(l, h) return (l + h) / 2 end, low, high)
end

--- vector.sides(low, high) returns the lengths of the sides of a box.
function vector.sides(low, high)
    return vector.map(function(l, h) return h - l end, low, high)
end

--- vector.longest(low, high) returns the length of the longest side of a box.
function vector.longest(low, high)
    return math.max(table.unpack(vector.sides(low, high)))
end

--- vector.diagonal(low, high) returns the length of the diagonal of a box.
function vector.diagonal(low, high)
    return vector.length(vector.sides(low, high))
end

return vector
