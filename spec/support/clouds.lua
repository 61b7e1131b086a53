-- Checks the results of rill.points by brute force in doubles.
local rill = require "rill"
local points <const> = rill.points

local clouds = {}

local function near_to(expected, found, off, what)
    assert(math.abs(expected - found) <= off, ("%s: expected %.17g, got %.17g"):format(what, expected, found))
end

local function sub(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

-- Returns the indices of the k nearest points of point i, and their distances.
local function nearest(list, i, k, without)
    local order = {}
    for j = 1, #list do
        local d = sub(list[j], list[i])
        if j ~= i or not without then order[#order + 1] = {dot(d, d), j} end
    end
    table.sort(order, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
    return table.move(order, 1, math.min(k, #order), 1, {})
end

local function covariance(list, near)
    local mean, c = {0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
    local base = list[near[1][2]]
    for _, x in ipairs(near) do
        local d = sub(list[x[2]], base)
        for a = 1, 3 do mean[a] = mean[a] + d[a] / #near end
    end
    for _, x in ipairs(near) do
        local d = sub(sub(list[x[2]], base), mean)
        for a = 1, 3 do
            for b = 1, 3 do c[a][b] = c[a][b] + d[a] * d[b] / #near end
        end
    end
    return c
end

--- clouds.normals(p, list, what) checks the normals of a stream with the elements of a list.
function clouds.normals(p, list, what)
    local normals, variances = points.normals(p, {k = 9})
    local n, v = normals:read(), variances:read()
    for i = 1, #list do
        local c = covariance(list, nearest(list, i, 9))
        local size, second, m = c[1][1] + c[2][2] + c[3][3], 0, n[i]
        for a = 1, 3 do
            local moved = dot(c[a], m) - v[i][1] * m[a]
            assert(math.abs(moved) <= 2e-6 * size, what)
            for b = 1, 3 do second = second + c[a][b]^2 end
        end
        assert(math.abs(dot(m, m) - 1) < 1e-6, what)
        assert(math.abs(v[i][1] + v[i][2] + v[i][3] - size) <= 2e-6 * size, what)
        assert(math.abs(dot(v[i], v[i]) - second) <= 4e-6 * size^2, what)
        assert(v[i][1] <= v[i][2] and v[i][2] <= v[i][3] and v[i][1] >= 0, what)
        assert(m[3] > 0 or m[3] == 0 and (m[2] > 0 or m[2] == 0 and m[1] > 0), what)
    end
end

--- clouds.voxel(p, list, what, size) checks the means of voxels.
function clouds.voxel(p, list, what, size)
    local cells, keys = {}, {}
    for i, x in ipairs(list) do
        local c = {}
        for d = 1, 3 do c[d] = math.floor(x[d] / size) end
        local key = table.concat(c, " ")
        if not cells[key] then
            cells[key] = {c, {0, 0, 0}, 0, 0}
            keys[#keys + 1] = cells[key]
        end
        local e = cells[key]
        for d = 1, 3 do e[2][d] = e[2][d] + x[d] end
        e[3], e[4] = e[3] + 1, e[4] + i
    end
    table.sort(keys, function(a, b)
        for d = 1, 3 do
            if a[1][d] ~= b[1][d] then return a[1][d] < b[1][d] end
        end
    end)
    local number = rill.iter("float", math.max(p.size, 1), 1, math.max(p.size, 1) + 1)
    local means, counts, values
    if p.size > 0 then
        means, counts, values = points.voxel(p, size, {values = {number = number}})
    else
        means, counts = points.voxel(p, size)
    end
    assert(#keys == means.size, what)
    local m, c, v = means:read(), counts:read(), values and values.number:read()
    for i, e in ipairs(keys) do
        assert(e[3] == c[i], what)
        near_to(e[4] / e[3], v[i], 1e-4, what)
        for d = 1, 3 do
            local expected = e[2][d] / e[3]
            near_to(expected, m[i][d], 1e-6 * math.max(math.abs(expected), size), what)
        end
    end
end

--- clouds.outliers(p, list, what) checks outliers.
function clouds.outliers(p, list, what)
    local outlier, means = points.outliers(p, {k = 4, deviations = 1.5})
    local reach, sum, squares = {}, 0, 0
    for i = 1, #list do
        local near, mean = nearest(list, i, 4, true), 0
        for _, x in ipairs(near) do mean = mean + math.sqrt(x[1]) / #near end
        reach[i], sum = mean, sum + mean
    end
    for i = 1, #list do squares = squares + (reach[i] - sum / #list)^2 end
    local limit = sum / #list + 1.5 * math.sqrt(squares / (#list - 1))
    local o, m = outlier:read(), means:read()
    for i = 1, #list do
        near_to(reach[i], m[i], 1e-6 * reach[i], what)
        if math.abs(reach[i] - limit) > 1e-5 * limit then assert((reach[i] > limit) == o[i], what) end
    end
end

--- clouds.registration(p, list, what, size) checks that the distances of a moved cloud do not grow by registration, and that
--- the motion is rigid.
function clouds.registration(p, _, what, size)
    local move <const> = rill.translation {0.01 * size, -0.02 * size, 0.01 * size} * rill.rotation({1, 2, 3}, 0.01)
    local moved <const> = points.transform(p, move)
    local before <const> = rill.neighbors(p, {k = 1, queries = moved}).distances
    local T, report = points.icp(moved, p)
    local sum, largest = 0, 0
    for _, x in ipairs(before:values()) do sum, largest = sum + x^2, math.max(largest, x) end
    assert(report.fitness == 1 and report.rmse <= math.sqrt(sum / p.size) * (1 + 1e-5) + 1e-6 * largest, what)
    for i = 1, 3 do
        for j = 1, 3 do
            local s = T[i][1] * T[j][1] + T[i][2] * T[j][2] + T[i][3] * T[j][3]
            near_to(i == j and 1 or 0, s, 1e-12, what)
        end
    end
end

--- clouds.evaluation(p, list, what, distance) checks the pairs of a cloud and the same cloud turned by a little.
function clouds.evaluation(p, list, what, distance)
    local move <const> = rill.translation {0.3 * distance, 0.2 * distance, 0} * rill.rotation({3, 1, 2}, 0.02)
    local moved <const> = points.transform(p, move):read()
    local pairs_found, sum, unsure = 0, 0, 0
    for i = 1, #list do
        local least = math.huge
        for j = 1, #list do
            local d <const> = sub(moved[i], list[j])
            least = math.min(least, math.sqrt(dot(d, d)))
        end
        if least <= distance then pairs_found, sum = pairs_found + 1, sum + least^2 end
        if math.abs(least - distance) <= 1e-6 * distance then unsure = unsure + 1 end
    end
    local report <const> = points.evaluate(p, p, {transform = move, distance = distance})
    assert(math.abs(report.pairs - pairs_found) <= unsure, what)
    assert(report.fitness == report.pairs / #list, what)
    if report.pairs == pairs_found then
        near_to(pairs_found > 0 and math.sqrt(sum / pairs_found) or 0, report.rmse, 1e-5 * distance, what)
    end
end

--- clouds.clusters(p, list, what, radius, minimum) checks the clusters of DBSCAN. Points have any number of coordinates.
function clouds.clusters(p, list, what, radius, minimum)
    radius = 1.0 * radius
    local near, core, label, count = {}, {}, {}, 0
    for i = 1, #list do
        near[i] = {}
        for j = 1, #list do
            local square = 0
            for d = 1, #list[i] do square = square + (list[i][d] - list[j][d])^2 end
            if square <= radius * radius then near[i][#near[i] + 1] = {square, j} end
        end
        core[i] = #near[i] >= minimum
        table.sort(near[i], function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
    end
    for i = 1, #list do
        if core[i] and not label[i] then
            local rest = {i}
            label[i] = count
            while #rest > 0 do
                for _, x in ipairs(near[table.remove(rest)]) do
                    local j <const> = x[2]
                    if core[j] and not label[j] then
                        label[j], rest[#rest + 1] = count, j
                    end
                end
            end
            count = count + 1
        end
    end
    local found, clusters = points.dbscan(p, {radius = radius, minimum = minimum})
    local expected = {}
    for i = 1, #list do
        expected[i] = label[i]
        for _, x in ipairs(core[i] and {} or near[i]) do
            if core[x[2]] then
                expected[i] = label[x[2]]
                break
            end
        end
        expected[i] = expected[i] or -1
    end
    assert(clusters == count, ("%s: expected %d clusters, got %d"):format(what, count, clusters))
    for i, number in ipairs(#list > 0 and found:values() or {}) do
        assert(number == expected[i], ("%s: point %d: expected %d, got %d"):format(what, i, expected[i], number))
    end
end

--- clouds.plane(p, list, what, distance, seed) checks a plane, the mask of the points near it, and, for few points whose
-- planes are exact, that no plane through three points has more.
function clouds.plane(p, list, what, distance, seed, exact)
    local most = 0
    for i = 1, exact and #list or 0 do
        for j = i + 1, #list do
            for k = j + 1, #list do
                local n <const> = cross(sub(list[j], list[i]), sub(list[k], list[i]))
                local count = 0
                for m = 1, #list do
                    count = count + (dot(n, sub(list[m], list[i])) == 0 and 1 or 0)
                end
                most = dot(n, n) > 0 and math.max(most, count) or most
            end
        end
    end
    local done, plane, inside = pcall(points.segment_plane, p, {distance = distance, seed = seed})
    -- Points on a line are not exactly on one, since they are rounded.
    if #list < 3 or exact and most == 0 or what:find "^equal" or what:find "^line" and not done then
        assert(not done and (plane:find "needs 3 points" or plane:find "no sample of three points"), what)
        return
    end
    assert(done, plane)
    near_to(1, dot(plane, plane), 1e-12, what)
    assert(plane[3] > 0 or plane[3] == 0 and (plane[2] > 0 or plane[2] == 0 and plane[1] > 0), what)
    local count, size, mask = 0, 0, inside:values()
    for i, x in ipairs(list) do
        size = math.max(size, math.abs(x[1]), math.abs(x[2]), math.abs(x[3]))
        local off <const> = math.abs(dot(plane, x) + plane[4])
        count = count + (mask[i] and 1 or 0)
        assert((off <= distance) == mask[i] or math.abs(off - distance) <= 1e-12 * size + 1e-9 * distance, what)
    end
    assert(count >= math.max(3, most), ("%s: %d points, expected %d"):format(what, count, most))
    local again, same = points.segment_plane(p, {distance = distance, seed = seed})
    assert(table.concat(plane, " ") == table.concat(again, " ") and inside:bytes() == same:bytes(), what)
end

return clouds
