-- Words of searches, which `?words` at the prompt and the search of the website (tools/site/search.lua) share: endings
-- and spellings, and topics, which lead from the words of users to public names and pages.
local reference = require "rill.shell.reference"
local synonyms = require "rill.core.synonyms"

local topics = {}

--- topics.endings: pairs of an ending and its replacement. The first one that a word has is replaced, if at least three
-- letters are left before it.
topics.endings = {
    {"izations", "iz"}, {"ization", "iz"}, {"izing", "iz"}, {"ized", "iz"}, {"izes", "iz"}, {"ize", "iz"},
    {"plications", "pli"}, {"plication", "pli"}, {"plying", "pli"}, {"plies", "pli"}, {"plied", "pli"}, {"ply", "pli"},
    {"ations", ""}, {"ation", ""}, {"ating", ""}, {"ated", ""}, {"ates", ""}, {"ate", ""},
    {"ices", "ix"}, {"ies", "i"}, {"ied", "i"}, {"sses", "ss"}, {"ing", ""}, {"ings", ""}, {"ed", ""}, {"ers", "er"},
    {"es", ""}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}, {"y", "i"}, {"e", ""},
}

--- topics.spellings: pairs of the beginning of a word and its American spelling.
topics.spellings = {
    {"colour", "color"}, {"neighbour", "neighbor"}, {"behaviour", "behavior"}, {"centre", "center"}, {"grey", "gray"},
    {"normalis", "normaliz"}, {"optimis", "optimiz"}, {"initialis", "initializ"}, {"visualis", "visualiz"},
    {"vectoris", "vectoriz"}, {"parallelis", "paralleliz"}, {"discretis", "discretiz"}, {"polaris", "polariz"},
    {"summaris", "summariz"}, {"randomis", "randomiz"}, {"minimis", "minimiz"}, {"maximis", "maximiz"},
    {"modell", "model"}, {"labell", "label"}, {"catalogue", "catalog"}, {"metre", "meter"}, {"fibre", "fiber"},
}

--- topics.ignored: words that are ignored next to others.
topics.ignored = {"a", "an", "and", "as", "by", "do", "for", "from", "how", "i", "in", "into", "is", "my", "of", "on",
    "or", "per", "the", "to", "with"}

-- A line is `name or page: phrase, phrase ...`.
local phrases <const> = [==[
rill.neighbors: nearest neighbor, k nearest neighbors, knn, kdtree, radius search, neighbor search, closest points
rill.neighbors: neighbor list
frame:group: group by, group rows, aggregate by category, split apply combine, sum per group, count per group
frame:join: join, merge tables, inner join, left join, sql join, vlookup
s:windows: sliding window, rolling window, overlapping windows, moving window
rill.cmul: complex multiplication, complex product, complex numbers
rill.linalg.eigh: eigenvalues, eigenvectors, symmetric eigenvalue problem, principal components
rill.linalg.svd: singular values, singular value decomposition, principal components
rill.linalg.inv: inverse of a matrix, invert matrix
rill.linalg.lstsq: least squares, linear regression, fit a line
frame:sort: sort by two keys, sort by several columns, order by, sort table
rill.lexsort: sort by two keys, sort by several keys, order of several arrays, lexicographic sort
frame:filter: filter rows, where clause, select rows, rows by condition
frame:pivot: pivot table, cross tabulation
rill.frame: table, data frame, dataframe, spreadsheet, columns by name, pandas
rill.frame.load: read csv, load table, open csv
rill.csv.load: read csv, load csv, parse csv
frame:with: add column, new column, computed column
s:unique: distinct values, remove duplicates, deduplicate
s:domain: slice rows, slice, sub array, part of an array, crop, range of rows, subset of rows, cut out
rill.gather: fancy indexing, index by array, lookup by index, permute elements, reorder
s:filter: boolean mask, select elements, compact, remove elements by condition, where true
s:top_k: largest elements, top k, best n
s:cumsum: running total, prefix sum, cumulative sum
s:scan: prefix sum, running total, running maximum
s:sum: add up, total, sum of elements
s:quantile: percentile, quartile, median of an axis
rill.argsort: sort order, sort indices, ranking
s:sort: sort numbers, order elements
s:histogram: count values in bins, frequency distribution, distribution of values
T:distance: signed distance, distance to mesh, point to triangle distance, sdf
rill.image.distance: distance transform, distance field of an image
T:contains: point in mesh, inside outside test, point in polygon
rill.collide.pairs: collision detection, overlapping boxes, contact between meshes, interference
rill.fft: fourier transform, spectrum, frequencies, fast fourier
rill.convolve: convolution, fir filter, moving average
rill.image.gaussian: blur, smooth image, gaussian filter
rill.image.sobel: edge detection, image gradient
rill.image.canny: edge detection
rill.image.median: median filter, remove noise, salt and pepper
rill.image.resize: scale image, resample image, thumbnail
rill.image.label: connected components, count objects, blobs
rill.image.save: save picture, write png, write jpeg, export image
rill.sound.load: read mp3, read wav, read flac, read ogg, load audio, audio file, open sound
rill.sound.save: write mp3, write wav, write flac, save audio
rill.image.load: read picture, read png, read jpeg, open image
rill.show: show picture, display image, look at an array, plot image
rill.plot: line chart, draw curve, graph of a function, scatter plot, bar chart
rill.sparse: sparse container, sparse grid
rill.solve.cg: conjugate gradients, solve linear system, symmetric positive definite
rill.solve.lu: solve linear system, dense system, linear equations, gaussian elimination
rill.solve.multigrid: poisson equation, multigrid, pressure solver
rill.matmul: matrix product, matrix multiplication, multiply matrices, dot product, linear layer, dense layer
rill.einsum: tensor contraction, einstein summation
rill.random: random numbers, uniform distribution, normal distribution, gaussian noise, seed
rill.choice: sample without replacement, weighted sampling, pick random
rill.permutation: shuffle
rill.kernel: write kernel, custom function, own gpu function, shader
rill.grad: gradient, derivative, automatic differentiation, autodiff, backpropagation
rill.optimize.adam: train network, stochastic gradient descent, fit parameters
rill.optimize.lbfgs: minimize function, fit curve, nonlinear least squares
rill.neighbors: particles within radius, n nearest
rill.points.icp: register point clouds, align scans, iterative closest point
rill.points.normals: estimate normals, surface normals of points
rill.points.voxel: downsample points, voxel grid
rill.sph: fluid particles, smoothed particle hydrodynamics
rill.nbody: gravity, n body simulation, galaxy
rill.fluid: smoke simulation, navier stokes, fluid solver
rill.wave: wave equation
rill.heat: heat equation, diffusion
rill.cloth: cloth simulation, springs
rill.render: draw mesh, rasterize triangles, 3d picture
rill.ray.trace: ray tracing, path tracing
rill.subdivide.loop: subdivision surface, catmull clark, smooth mesh
M:simplify: reduce triangles, fewer triangles, mesh decimation, decimate mesh, simplify mesh, level of detail
rill.mesh.load: triangle mesh, load obj, load stl
rill.reuse.run: vertex reuse, vertex cache, mesh optimization
rill.volume: marching cubes, isosurface, extract surface
rill.animate: animation, make video, gif
rill.live: watch a run, live view, browser, dashboard, sliders
rill.profile: how long does it take, timing, slow launch, performance
rill.debug.watch: print in kernel, debug kernel, find error in kernel
rill.device: which gpu, memory of the device
rill.check: out of bounds, check indices
rill.big: data larger than memory, out of core, huge file
docs/guide_cluster.md: several gpus, mpi, cluster, distributed
docs/guide_from_numpy.md: numpy, array programming
docs/guide_from_pytorch.md: pytorch, torch
docs/guide_from_cuda.md: cuda, opencl
docs/guide_tables.md: pandas, polars, data analysis
docs/guide_points.md: open3d, point cloud
docs/guide_recipes.md: recipes, examples of programs
docs/driver.md: install driver, no gpu, headless, software rendering, mesa
docs/sparse.md: sparse matrix, breadth first search, graph, pagerank, adjacency matrix, csr
docs/gradient.md: gradient, derivative
docs/scatter.md: atomic add, write to computed index, accumulate at indices
docs/container.md: virtual memory, data structures, paged array
docs/prompt.md: interactive, repl, console
]==]

-- Returns the words of a text, in lower case.
local function words_of(text)
    local list = {}
    for word in text:lower():gmatch "[%w_\x80-\xff]+" do
        list[#list + 1] = word
    end
    return list
end

--- topics.stem(word) returns what words have in common that differ in their ending or spelling: "neighbours" and
-- "neighbor" give "neighbor". The word is in lower case.
function topics.stem(word)
    for _, pair in ipairs(topics.spellings) do
        if word:sub(1, #pair[1]) == pair[1] then
            word = pair[2] .. word:sub(#pair[1] + 1)
            break
        end
    end
    for _, pair in ipairs(topics.endings) do
        local rest <const> = #word - #pair[1]
        if rest >= 3 and word:sub(rest + 1) == pair[1] then
            return word:sub(1, rest) .. pair[2]
        end
    end
    return word
end

--- topics.stems(text) returns the stems of the words of a text, without those that are ignored next to others.
function topics.stems(text)
    local all, list <const> = words_of(text), {}
    for _, word in ipairs(all) do
        local ignored = false
        for _, small in ipairs(topics.ignored) do
            ignored = ignored or word == small
        end
        list[#list + 1] = not ignored and topics.stem(word) or nil
    end
    if #list == 0 then
        for i, word in ipairs(all) do
            list[i] = topics.stem(word)
        end
    end
    return list
end

local rows

--- topics.rows() returns the list of all topics, {phrase =, target =, points =}: the phrases of this file, and names
-- of other libraries that lead to a public name. A target is the name of an entry of the reference, or a page,
-- "docs/x.md". `points`: the rank of the target in a search for the whole phrase.
function topics.rows()
    if rows then
        return rows
    end
    local known <const> = {}
    rows = {}
    for _, entry in ipairs(reference.entries()) do
        known[entry.name] = true
    end
    for target, list in phrases:gmatch "([^\n]-): ([^\n]+)\n" do
        for phrase in list:gmatch "[^,]+" do
            rows[#rows + 1] = {phrase = phrase:match "^%s*(.-)%s*$", target = target, points = 100}
        end
    end
    for _, names in pairs(synonyms.of) do
        for other, here in pairs(names) do
            local name <const> = here[1]:match "^#?([%a]+[.:][%a][%w_.]*)"
            if known[name] then
                rows[#rows + 1] = {phrase = other, target = name, points = 85}
            end
        end
    end
    table.sort(rows, function(a, b)
        return a.phrase < b.phrase or a.phrase == b.phrase and a.target < b.target
    end)
    return rows
end

-- Returns the share of the stems in `a` that are in `b`, or with which a word in `b` begins.
local function share(a, b)
    local found = 0
    for _, word in ipairs(a) do
        local best = 0
        for _, other in ipairs(b) do
            best = math.max(best, word == other and 1 or #word > 2 and other:sub(1, #word) == word and 0.5 or 0)
        end
        found = found + best
    end
    return #a > 0 and found / #a or 0
end

-- Returns the points of an entry for the stems of a search.
local function points_of(entry, stems)
    local name <const>, summary <const> = topics.stems(entry.name:gsub("_", " ")), topics.stems(entry.summary)
    local sum = 0
    for _, word in ipairs(stems) do
        local one <const> = {word}
        local best <const> = math.max(60 * share(one, {name[#name]}), 40 * share(one, name), 25 * share(one, summary))
        if best == 0 then
            return 0
        end
        sum = sum + best
    end
    return sum / #stems
end

--- topics.search(text, most) returns the targets that fit the words of a text, best first, at most `most`: entries of
-- the reference, and pages as texts, "docs/x.md".
function topics.search(text, most)
    local stems <const>, points <const>, list <const> = topics.stems(text), {}, {}
    local order <const> = {}
    local function add(target, score)
        if score > 0 then
            if not points[target] then
                list[#list + 1] = target
                order[target] = #list
            end
            points[target] = math.max(points[target] or 0, score)
        end
    end
    local by_name <const> = {}
    for _, entry in ipairs(reference.entries()) do
        by_name[entry.name] = by_name[entry.name] or entry
        add(entry, #stems > 0 and points_of(entry, stems) or 0)
    end
    for _, row in ipairs(topics.rows()) do
        local phrase <const> = topics.stems(row.phrase)
        local forward <const>, backward <const> = share(stems, phrase), share(phrase, stems)
        local score = forward == 1 and 50 * backward + 20 or 0
        score = backward == 1 and row.points - (forward < 1 and 25 or 0) or score
        add(by_name[row.target] or row.target, score)
    end
    table.sort(list, function(a, b)
        return points[a] > points[b] or points[a] == points[b] and order[a] < order[b]
    end)
    return {table.unpack(list, 1, most)}
end

return topics
