-- Registration of point clouds by the iterative closest point algorithm (P. Besl and N. McKay, "A Method for
-- Registration of 3-D Shapes", 1992).
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local arguments = require "rill.geometry.points.arguments"
local cloud = require "rill.points.cloud"
local search = require "rill.geometry.points.neighbors"
local transforms = require "rill.geometry.transform"
local vector = require "rill.core.vector"
local vectors = require "rill.geometry.vectors"
local texts <const> = require "rill.glsl.template".file "registration"
local fail <const> = errors.fail

local registration = {}

local WHERE <const> = "rill.points.icp"
local LANES <const>, SHARE <const> = 256, 16384 -- partial sums, at least, and points of each, at most

local ROUNDING <const> = 1e-7 -- of positions, relative to the size of the target

local OPTIONS <const> = {
    iterations = option.default(option.count, 30), tolerance = option.default(option.not_negative, 1e-6),
    distance = option.positive, initial = {option.is_data, "four rows of four numbers"},
    normals = {option.is_data, "a stream with one vec3 for each point of the target"},
}

-- Returns the product of two transforms without their last rows.
local function product(M, N)
    local rows = {}
    for i = 1, 3 do
        local m = M[i]
        rows[i] = {}
        for j = 1, 4 do
            rows[i][j] = m[1] * N[1][j] + m[2] * N[2][j] + m[3] * N[3][j] + (j == 4 and m[4] or 0)
        end
    end
    return rows
end

-- Solves A x = b for a symmetric matrix, which may be singular: a small multiple of the identity is added, so that
-- unknowns on which nothing depends are 0. Gauss 1810, without exchanges, which positive definite matrices do not need.
local function solve(A, b)
    local n <const>, largest, x = #b, 0, {}
    for i = 1, n do largest = math.max(largest, A[i][i]) end
    for i = 1, n do A[i][i] = A[i][i] + 1e-10 * largest + 1e-300 end
    for k = 1, n do
        for i = k + 1, n do
            local f <const> = A[i][k] / A[k][k]
            for j = k, n do A[i][j] = A[i][j] - f * A[k][j] end
            b[i] = b[i] - f * b[k]
        end
    end
    for i = n, 1, -1 do
        local s = b[i]
        for j = i + 1, n do s = s - A[i][j] * x[j] end
        x[i] = s / A[i][i]
    end
    return x
end

-- The next transform by distances of points. Returns its rows, the number of pairs, and the sum of squared distances.
local function by_points(own, given)
    local run <const> = texts:program {V = given.source.type}
    own.p, own.q, own.r0, own.r1, own.r2 = run.points(given)
    local a <close>, b, c, sums = run.rigid {p = own.p, q = own.q, r0 = own.r0, r1 = own.r1, r2 = own.r2, shape = 1}
    own.b, own.c, own.sums = b, c, sums
    local told <const> = sums:get(1)
    return {a:get(1), b:get(1), c:get(1)}, told[1], told[2]
end

-- Returns the rotation by a vector, whose length is the angle, and a translation.
local function motion(x)
    local angle <const> = math.sqrt(x[1]^2 + x[2]^2 + x[3]^2)
    local rows <const> = angle > 0 and transforms.rotation({x[1], x[2], x[3]}, angle) or
        transforms.translation {0, 0, 0}
    return {{rows[1][1], rows[1][2], rows[1][3], x[4]}, {rows[2][1], rows[2][2], rows[2][3], x[5]},
        {rows[3][1], rows[3][2], rows[3][3], x[6]}}
end

-- The next transform by distances from planes. Returns the same as by_points.
local function by_planes(own, given)
    local parts <const> = table.pack(texts:program({V = given.source.type}).planes(given))
    local list, A, b = {}, {}, {}
    for i, part in ipairs(parts) do
        own[i] = part
        for _, x in ipairs(part:sum()) do list[#list + 1] = x end
    end
    local at = 0
    for i = 1, 6 do
        A[i] = A[i] or {}
        for j = i, 6 do
            at = at + 1
            A[i][j] = list[at]
            A[j] = A[j] or {}
            A[j][i] = list[at]
        end
        at = at + 1
        b[i] = list[at]
    end
    return motion(solve(A, b)), list[#list - 1], list[#list]
end

-- Returns two clouds as streams of one type, and the least and the largest coordinates of the target.
local function clouds(own, where, source, target)
    local p = cloud.points(where, 1, "source", source)
    own.source = p ~= source and p or nil
    local q, low, high = cloud.points(where, 2, "target", target)
    own.target = q ~= target and q or nil
    if p.type ~= q.type then -- both as doubles
        own.p, own.q = p:cast "dvec3", q:cast "dvec3"
        p, q = own.p, own.q
    end
    for name, s in pairs {source = p, target = q} do
        if s.size == 0 then fail("%s: argument '%s' has no points", where, name) end
    end
    return p, q, low, high
end

-- Returns the streams of the arguments, and the middle of the target and the inverse of its size.
local function take(own, source, target, taken)
    local p <const>, q, low, high = clouds(own, WHERE, source, target)
    local normals
    if taken.normals ~= nil then
        normals = vectors.each(WHERE, "normals", taken.normals, q.size)
        own.normals = normals ~= taken.normals and normals or nil
        arguments.box(WHERE .. ": option 'normals'", normals)
    end
    local size <const> = vector.diagonal(low, high)
    return p, q, normals, vector.middle(low, high), size > 0 and 1 / size or 1
end

local EVALUATE <const> = {
    distance = option.positive, transform = {option.is_data, "four rows of four numbers"},
}

--- rill.points.evaluate(source, target, options) returns how well a transform registers the source with the target:
-- {fitness =, rmse =, pairs =}.
registration.evaluate = errors.guard(function(source, target, options)
    local where <const> = "rill.points.evaluate"
    local taken <const> = option.take(where, options, EVALUATE)
    local rows <const> = {cloud.rows(where .. ": option 'transform'", taken.transform or
        transforms.translation {0, 0, 0})}
    rows[4] = {0, 0, 0, 1}
    local own <close> = held {}
    local p <const>, q = clouds(own, where, source, target)
    own.moved = cloud.transform(p, rows)
    arguments.box(where .. ": the source moved by the option 'transform'", own.moved)
    local n <close> = search.neighbors(q, {k = 1, queries = own.moved, radius = taken.distance})
    own.indices, own.distances = n.indices, n.distances
    own.near = rill.isinf(own.distances):eval()
    own.wide = rill.where(own.near, 0, own.distances):eval():cast "double"
    local pairs_found <const>, norm = p.size - own.near:count(), own.wide:norm()
    return {fitness = pairs_found / p.size, rmse = pairs_found > 0 and norm / math.sqrt(pairs_found) or 0.0,
        pairs = pairs_found}
end, "rill.points.evaluate")

-- Returns a transform of positions that are measured from `middle` in units of 1 / scale as a transform of positions.
local function unscaled(rows, middle, scale)
    local out = {}
    for i = 1, 3 do
        local r <const> = rows[i]
        out[i] = {r[1], r[2], r[3],
            r[4] / scale + middle[i] - (r[1] * middle[1] + r[2] * middle[2] + r[3] * middle[3])}
    end
    return out
end

--- rill.points.icp(source, target, options) returns the transform that moves the source onto the target, and a report.
registration.icp = errors.guard(function(source, target, options)
    local taken <const> = option.take(WHERE, options, OPTIONS)
    local own <close> = held {}
    local p, q, normals, middle, scale = take(own, source, target, taken)
    local rows = {cloud.rows(WHERE .. ": option 'initial'", taken.initial or transforms.translation {0, 0, 0})}
    own.start = cloud.transform(p, {rows[1], rows[2], rows[3], {0, 0, 0, 1}})
    local order, nearest = search.follow(WHERE, q, own.start, taken.distance,
        "the source moved by the option 'initial'")
    own.order, own.sorted = order, rill.gather(p, order)
    p = own.sorted
    local step <const> = normals and by_planes or by_points
    local report <const> = {iterations = 0, converged = false}
    local lanes <const> = math.max(math.min(LANES, p.size), p.size // SHARE)
    -- Returns the motion that follows, and sets the report.
    local function measure()
        local held_here <close> = held {}
        held_here.moved = cloud.transform(p, {rows[1], rows[2], rows[3], {0, 0, 0, 1}})
        held_here.indices, held_here.distances = nearest(held_here.moved)
        local more, pairs_found, sum = step(held_here, {lanes = lanes, source = p, a = rows[1], b = rows[2],
            c = rows[3], target = q, normal = normals, index = held_here.indices, middle = middle, scale = scale,
            shape = lanes})
        if pairs_found == 0 then
            fail("%s: no point of the source is within the option 'distance', %g, of the target: give a larger one, "
                .. "or the option 'initial'", WHERE, taken.distance)
        end
        report.fitness, report.rmse = pairs_found / p.size, math.sqrt(sum / pairs_found) / scale
        return more
    end
    local more = measure()
    while report.iterations < taken.iterations and not report.converged do
        local last <const> = {fitness = report.fitness, rmse = report.rmse}
        rows = product(unscaled(more, middle, scale), rows)
        report.iterations = report.iterations + 1
        more = measure()
        local change <const> = math.max(math.abs(report.fitness / last.fitness - 1),
            math.abs(report.rmse - last.rmse) / math.max(report.rmse, 1e-300))
        report.converged = taken.tolerance > 0 and (change <= taken.tolerance or
            report.fitness == last.fitness and report.rmse * scale <= ROUNDING)
    end
    return transforms.translation {0, 0, 0} * {rows[1], rows[2], rows[3], {0, 0, 0, 1}}, report
end, WHERE)

return registration
