-- Small vectors on the host, arrays of numbers.
local vector = {}

--- vector.map(f, a, ...): a vector of what f gives of the numbers of vectors, one after the other.
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

--- vector.unit(v): v of three numbers with length 1; nil where it has none.
function vector.unit(v)
    local most = math.max(math.abs(v[1]), math.abs(v[2]), math.abs(v[3])) -- its square may be beyond numbers
    local x, y, z = v[1] / most, v[2] / most, v[3] / most
    local length = math.sqrt(x * x + y * y + z * z)
    return most > 0 and {x / length, y / length, z / length} or nil
end

--- vector.cross(a, b): the vector product.
function vector.cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

--- vector.length(v): Euclidean.
function vector.length(v)
    local squares = 0
    for d = 1, #v do
        squares = squares + v[d] ^ 2
    end
    return math.sqrt(squares)
end

--- vector.middle(low, high): of a box.
function vector.middle(low, high)
    return vector.map(function(l, h) return (l + h) / 2 end, low, high)
end

--- vector.sides(low, high): of a box.
function vector.sides(low, high)
    return vector.map(function(l, h) return h - l end, low, high)
end

--- vector.longest(low, high): the longest side of a box.
function vector.longest(low, high)
    return math.max(table.unpack(vector.sides(low, high)))
end

--- vector.diagonal(low, high): the length of a box from corner to corner.
function vector.diagonal(low, high)
    return vector.length(vector.sides(low, high))
end

return vector
