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
    {"olutions", "olv"}, {"olution", "olv"}, {"ositions", "os"}, {"osition", "os"},
    {"ductions", "duc"}, {"duction", "duc"}, {"ctions", "ct"}, {"ction", "ct"}, {"ically", "ic"}, {"ical", "ic"},
    {"ations", ""}, {"ation", ""}, {"ating", ""}, {"ated", ""}, {"ates", ""}, {"ate", ""}, {"ators", ""}, {"ator", ""},
    {"ices", "ix"}, {"ies", "i"}, {"ied", "i"}, {"sses", "ss"}, {"ing", ""}, {"ings", ""}, {"ed", ""}, {"ers", "er"},
    {"es", ""}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}, {"y", "i"}, {"e", ""},
}

--- topics.spellings: pairs of the beginning of a word and another beginning with the same meaning: the American
-- spelling, the singular of an irregular plural.
topics.spellings = {
    {"colour", "color"}, {"neighbour", "neighbor"}, {"behaviour", "behavior"}, {"centre", "center"}, {"grey", "gray"},
    {"normalis", "normaliz"}, {"optimis", "optimiz"}, {"initialis", "initializ"}, {"visualis", "visualiz"},
    {"vectoris", "vectoriz"}, {"parallelis", "paralleliz"}, {"discretis", "discretiz"}, {"polaris", "polariz"},
    {"summaris", "summariz"}, {"randomis", "randomiz"}, {"minimis", "minimiz"}, {"maximis", "maximiz"},
    {"factoris", "factoriz"}, {"voxelis", "voxeliz"}, {"rasteris", "rasteriz"}, {"equalis", "equaliz"},
    {"synchronis", "synchroniz"}, {"analys", "analyz"}, {"serialis", "serializ"}, {"tokenis", "tokeniz"},
    {"modell", "model"}, {"labell", "label"}, {"catalogue", "catalog"}, {"metre", "meter"}, {"fibre", "fiber"},
    {"indices", "index"}, {"vertices", "vertex"}, {"vortices", "vortex"}, {"axes", "axis"}, {"halves", "half"},
    {"spectral", "spectrum"}, {"spectra", "spectrum"}, {"minima", "minimum"}, {"maxima", "maximum"},
    {"solution", "solve"}, {"solver", "solve"}, {"rolling", "moving"}, {"sliding", "moving"}, {"running", "moving"},
}

--- topics.ignored: words that are ignored next to others.
topics.ignored = {"a", "an", "and", "are", "as", "at", "be", "by", "calculate", "calculating", "can",
    "compute", "computing", "do", "does", "for", "from", "get", "how", "i", "in", "into", "is", "it", "its",
    "me", "my", "need", "of", "on", "or", "our", "per", "should", "that", "the", "there", "this", "to", "use",
    "using", "want", "we", "what", "when", "which", "why", "with", "you"}

-- A line is `word: words with the same meaning`. All of them have the stem of the first one.
local same <const> = [==[
mean: average avg
image: picture photo photograph bitmap img
video: movie film mp4
load: read import
save: write export store dump
remove: delete drop erase discard
choose: pick choice
show: display
make: create build construct
device: gpu card accelerator
host: cpu
machine: computer pc server
several: multiple many multi two
performance: slow slower fast faster speed speedup quick
profile: profiler benchmark
large: larger largest big huge
error: bug exception crash failure
stream: array tensor ndarray
table: frame dataframe spreadsheet
column: col
max: maximum biggest greatest highest
min: minimum smallest lowest
sum: total summation
product: multiply
decomposition: factorize
concat: append concatenate
missing: null na
nearest: closest
thread: lane invocation
]==]

-- A line is `name or page: phrase, phrase ...`.
local phrases <const> = [==[
rill.neighbors: nearest neighbor, k nearest neighbors, knn, kdtree, radius search, neighbor search, closest points
rill.neighbors: neighbor list, particles within radius, n nearest
frame:group: group by, group rows, aggregate by category, split apply combine, sum per group, count per group
frame:join: join, merge tables, inner join, left join, sql join, vlookup
s:windows: sliding window, rolling window, overlapping windows, moving window
rill.cmul: complex multiplication, complex product, complex numbers
rill.linalg.eigh: eigenvalues, eigenvectors, symmetric eigenvalue problem, principal components
rill.linalg.svd: singular values, singular value decomposition, principal components, null space
rill.linalg.inv: inverse of a matrix, invert matrix
rill.linalg.lstsq: least squares, linear regression, fit a line
frame:sort: sort by two keys, sort by several columns, order by, sort table
rill.lexsort: sort by two keys, sort by several keys, order of several arrays, lexicographic sort
frame:filter: filter rows, where clause, select rows, rows by condition, remove missing values
frame:filter: select rows by condition
frame:pivot: pivot table, cross tabulation
rill.frame: table, data frame, dataframe, spreadsheet, columns by name, pandas
rill.frame.load: read csv, load table, open csv
rill.csv.load: read csv, load csv, parse csv, load excel, text file
frame:with: add column, new column, computed column, fill missing values, replace values, derived column
s:unique: distinct values, remove duplicates, deduplicate
s:domain: slice rows, slice, sub array, part of an array, crop, range of rows, subset of rows, cut out
s:domain: last elements, first elements
rill.gather: fancy indexing, index by array, lookup by index, permute elements, reorder
s:filter: boolean mask, select elements, compact, remove elements by condition, where true, mask array, apply mask
s:top_k: largest elements, top k, best n
s:cumsum: running total, prefix sum, cumulative sum
s:scan: prefix sum, running total, running maximum
s:sum: add up, total, sum of elements
s:quantile: percentile, quartile, median of an axis
rill.argsort: sort order, sort indices, ranking
s:sort: sort numbers, order elements
s:histogram: count values in bins, frequency distribution, distribution of values
T:distance: signed distance, distance to mesh, point to triangle distance, sdf, nearest triangle
T:distance: closest point on mesh
rill.image.distance: distance transform, distance field of an image
T:contains: point in mesh, inside outside test, point in polygon, voxelize mesh, mesh boolean, inside a mesh
rill.collide.pairs: collision detection, overlapping boxes, contact between meshes, interference
rill.fft: fourier transform, spectrum, frequencies, fast fourier
rill.convolve: convolution, fir filter, moving average
rill.image.gaussian: blur, smooth image, gaussian filter
rill.image.sobel: edge detection, image gradient
rill.image.canny: edge detection
rill.image.median: median filter, remove noise, salt and pepper
rill.image.resize: scale image, resample image, thumbnail
rill.image.label: connected components, count objects, blobs, flood fill
rill.image.save: save picture, write png, write jpeg, export image
rill.sound.load: read mp3, read wav, read flac, read ogg, load audio, audio file, open sound
rill.sound.save: write mp3, write wav, write flac, save audio
rill.image.load: read picture, read png, read jpeg, open image
rill.show: show picture, display image, look at an array, plot image, heat map, heatmap, color map, look at matrix
rill.plot: line chart, draw curve, graph of a function, scatter plot, bar chart, plot two curves, plot a histogram
rill.plot: heat map
rill.sparse: sparse container, sparse grid
rill.solve.cg: conjugate gradients, solve linear system, symmetric positive definite, solve sparse system
rill.solve.lu: solve linear system, dense system, linear equations, gaussian elimination
rill.solve.multigrid: poisson equation, multigrid, pressure solver, preconditioner
rill.matmul: matrix product, matrix multiplication, multiply matrices, dot product, linear layer, dense layer
rill.einsum: tensor contraction, einstein summation
rill.random: random numbers, uniform distribution, normal distribution, gaussian noise, seed, monte carlo
rill.random: sample from a distribution
rill.choice: sample without replacement, weighted sampling, pick random, bootstrap, resample with replacement
rill.permutation: shuffle, random permutation, random order, shuffle rows
rill.kernel: write kernel, custom function, own gpu function, shader
rill.grad: gradient, derivative, automatic differentiation, autodiff, backpropagation, backward pass, reverse mode
rill.optimize.adam: train network, stochastic gradient descent, fit parameters
rill.optimize.lbfgs: minimize function, fit curve, nonlinear least squares
rill.points.icp: register point clouds, align scans, iterative closest point
rill.points.normals: estimate normals, surface normals of points
rill.points.voxel: downsample points, voxel grid, thin out points
rill.sph: fluid particles, smoothed particle hydrodynamics
rill.nbody: gravity, n body simulation, galaxy, gravity simulation, planets
rill.fluid: smoke simulation, navier stokes, fluid solver, fluid simulation, lattice boltzmann, incompressible flow
rill.fluid: fluid dynamics
rill.wave: wave equation, shallow water, water waves, ripples
rill.heat: heat equation, diffusion
rill.cloth: cloth simulation, springs, mass spring system, soft body
rill.render: draw mesh, rasterize triangles, 3d picture, camera, camera projection, perspective, depth buffer
rill.render: draw triangles, light, shading
rill.ray.trace: ray tracing, path tracing, global illumination, reflection and refraction, path tracer, renderer
rill.subdivide.loop: subdivision surface, catmull clark, smooth mesh, refine mesh
M:simplify: reduce triangles, fewer triangles, mesh decimation, decimate mesh, simplify mesh, level of detail
rill.mesh.load: triangle mesh, load obj, load stl
rill.reuse.run: vertex reuse, vertex cache, mesh optimization
rill.volume: marching cubes, isosurface, extract surface
rill.animate: animation, make video, gif
rill.live: watch a run, live view, browser, dashboard, sliders
rill.profile: how long does it take, timing, slow launch, performance, benchmark a program
rill.debug.watch: print in kernel, debug kernel, find error in kernel, find nan, first nan
rill.device: which gpu, memory of the device
rill.check: out of bounds, check indices, illegal memory access, out of bounds access
rill.big: data larger than memory, out of core, huge file, memory mapped file, too large for memory
s:moving_mean: moving mean, moving average, smooth a series
s:std: standard deviation
rill.cov: covariance matrix
rill.corrcoef: correlation coefficient, correlation matrix
s:argmax: index of maximum, position of the largest element
s:argmin: index of minimum, position of the smallest element
s:cumprod: cumulative product
rill.concat: stack arrays, join arrays, append to array, hstack, vstack
rill.stack: growing array, push back, dynamic array
s:cast: change data type, convert type, half precision
s:read: copy to host, download, device to host
s:write: copy to device, upload, host to device
rill.stream: allocate memory, copy to device, upload, new array
s:close: free memory, release memory
rill.memory: memory usage, how much memory
rill.memory_limit: out of memory
rill.open: select device, choose a device, second gpu
rill.devices: list devices, choose a device
rill.clock: measure time, stopwatch, elapsed time
rill.debug.stats: find nan, count nan
rill.isnan: find nan, test for nan
rill.npz.load: load numpy file, npz file, several arrays in a file
rill.load: load numpy file, npy file, binary file
s:save: save array to file, save numpy file, binary file
rill.frame.save: save table, write csv
rill.csv.save: write csv
rill.optimize.sgd: gradient descent, momentum
rill.vjp: jacobian, backward pass
rill.jvp: jacobian, forward mode, directional derivative
rill.hvp: hessian, second derivative
rill.gradient: finite differences, numerical derivative
rill.trapz: numerical integration, integrate samples, trapezoidal rule, area under a curve
rill.cumtrapz: cumulative integral
rill.roots: find roots, zeros of a polynomial
rill.polyfit: fit polynomial, polynomial regression
rill.interp: interpolate values, linear interpolation, interpolation between samples
rill.normalize: unit vectors, normalize vectors
rill.cross: cross product
s:dot: dot product, inner product
rill.dot: dot product of vectors, inner product of vectors
rill.mix: blend
rill.linalg.cholesky: cholesky decomposition
rill.linalg.qr: qr decomposition, orthogonal basis, gram schmidt, orthogonalize vectors
rill.linalg.pinv: pseudo inverse
rill.linalg.expm: matrix exponential
rill.linalg.solve: small linear systems, batch of linear systems
rill.solve.tridiagonal: tridiagonal system, thomas algorithm
rill.solve.eigen: eigenvalues of a sparse matrix, smallest eigenvalues, lanczos
A:multiply: sparse matrix vector product, spmv
s:transpose: transpose a matrix, permute axes, swap axes
rill.searchsorted: binary search, bisect, insertion point
rill.bincount: count integers, count per value, tally
rill.histogram2d: two dimensional histogram, joint histogram
rill.seed: random seed, reproducible random numbers
rill.where: conditional, if else, fill missing values
frame:drop: remove a column
frame:select: keep columns, choose columns
frame:describe: summary statistics
frame:melt: wide to long, unpivot
frame:concat: concatenate tables, append rows
frame:aggregate: total of a column, mean of a column
rill.signal.stft: spectrogram, time frequency, short time fourier transform
rill.signal.periodogram: power spectrum, spectral density
rill.signal.welch: power spectrum, spectral density, noise spectrum
rill.signal.firwin: low pass filter, high pass filter, band pass filter, design a filter
rill.signal.sosfilt: iir filter, biquad, butterworth filter, low pass filter
rill.signal.filtfilt: zero phase filter
rill.signal.find_peaks: find peaks, local maxima
rill.signal.resample: change the sample rate, resample a signal
rill.signal.hilbert: signal envelope, analytic signal, instantaneous phase
rill.correlate: cross correlation, autocorrelation, template matching
rill.ifftshift: undo fftshift
rill.image.segment: flood fill, region growing, segmentation, watershed
rill.image.open: morphological opening, morphology
rill.image.close: morphological closing, morphology
rill.image.erode: erosion, shrink a mask, morphology
rill.image.dilate: dilation, grow a mask, morphology
rill.image.threshold: adaptive threshold, binarize
rill.image.convert: grayscale, color space, rgb to hsv
rill.image.equalize: histogram equalization, contrast
rill.image.tonemap: high dynamic range, hdr, exposure
rill.image.bilateral: edge preserving filter, denoise image, noise reduction
rill.image.integral: summed area table, integral image
s:rot90: rotate image
s:flip: mirror image, reverse order
s:pad: zero padding, add a border
s:roll: circular shift, cyclic shift
v:slider: interactive slider
v:record: record a run
T:ray: ray casting, ray mesh intersection, ray triangle intersection
S:closest: ray casting, closest hit, visible surface
S:any: shadow rays, occlusion, ambient occlusion, line of sight, visibility
rill.mesh.marching_cubes: marching cubes, isosurface, mesh from volume, surface reconstruction
M:bounds: bounding box, extent of a mesh
M:normals: mesh normals, vertex normals, face normals
M:save: save mesh, write stl, write obj, write ply
M:weld: merge vertices, duplicate vertices
M:is_closed: watertight mesh
M:octree: voxelize mesh
rill.points.outliers: remove outliers
rill.points.dbscan: cluster points, clustering
rill.points.segment_plane: fit a plane, ransac, ground plane
neighbor: stencil, finite difference stencil, game of life, cellular automaton
s:boundary: periodic boundary, boundary condition, wrap around edges, border mode
groupid: block index, work group index
localid: thread index in a block, work item index
indexof: thread index, index of the element, global index
barrier: synchronize threads, syncthreads, memory barrier
rill.sync: wait for the device, synchronize, finish
shared: shared memory, local memory, work group memory
rill.scatter: atomic operations, atomic add
c:mipmap: mip map
c:undo: undo changes
rill.hashgrid: hash table, hash map, spatial hash
rill.octree: octree, adaptive grid
rill.print_options: print array, number of digits, print precision
s:ewm: exponential smoothing, exponential moving average
rill.linalg.cond: condition number
rill.image.convolve: sharpen image, laplacian filter, custom filter, filter mask
reduce: custom reduction, own reduction
rill.grad_check: check gradients, test a gradient
rill.lists: linked list, list per cell, ragged array
rill.from: lua table to stream, convert a lua table
s:map: apply function, elementwise function
frame:head: first rows
frame:tail: last rows
rill.kron: kronecker product
docs/guide_cluster.md: several gpus, mpi, cluster, distributed, several machines, several computers, cluster nodes
docs/guide_cluster.md: slurm job
docs/guide_from_numpy.md: numpy, array programming
docs/guide_from_pytorch.md: pytorch, torch, neural network, network layer, loss function, deep learning
docs/guide_from_cuda.md: cuda, opencl, grid stride loop, warp shuffle, thread block
docs/guide_tables.md: pandas, polars, data analysis
docs/guide_points.md: open3d, point cloud, surface reconstruction
docs/guide_recipes.md: recipes, examples of programs, k means, clustering, confusion matrix, random walk
docs/guide_projects.md: scientific programs, lattice boltzmann, gray scott, reaction diffusion, ising model, recipes
docs/guide_projects.md: phase correlation, pagerank
docs/guide_recipes.md: time series
docs/driver.md: install driver, no gpu, headless, software rendering, mesa, device not found, no device found
docs/driver.md: run on cpu, run without gpu
docs/sparse.md: sparse matrix, breadth first search, graph, pagerank, adjacency matrix, csr, shortest path
docs/sparse.md: page rank, graph traversal, breadth first traversal
docs/gradient.md: gradient, derivative
docs/scatter.md: atomic add, write to computed index, accumulate at indices, atomic operations
docs/container.md: virtual memory, data structures, paged array
docs/prompt.md: interactive, repl, console
docs/statistics.md: statistics
docs/stream.md: data type, half precision, type of the elements
docs/guide_fast_kernels.md: performance, performance of a kernel, performance of my code, optimize a kernel
docs/guide_fast_kernels.md: bottleneck
docs/cost.md: cost of operations, bandwidth, memory bound, launch overhead
docs/guide_debugging.md: debug kernel, debug shader, incorrect result, wrong result, compile error, syntax error
docs/guide_debugging.md: illegal memory access, race condition
docs/errors.md: error message, compile error
docs/scale.md: distributed array, several processes, several machines, message passing, halo exchange, ghost cells
docs/neighbors.md: molecular dynamics, pair potential
docs/container_policy.md: game of life
docs/kernel.md: block size, work group size, stencil, local memory
docs/container_texture.md: texture sampling, texture filtering, mip map, cube map
docs/solve.md: preconditioner, iterative solver, krylov
docs/fft.md: deconvolution, filter in the frequency domain
docs/device.md: segmentation fault, crash of the driver, environment variables, cache location, caches of programs
docs/algebra.md: broadcasting, elementwise operations
docs/big.md: memory mapped file, too large for memory
]==]

-- Returns the words of a text, in lower case.
local function words_of(text)
    local list = {}
    for word in text:lower():gmatch "[%w_\x80-\xff]+" do
        list[#list + 1] = word
    end
    return list
end

-- Returns a word with the first of the spellings that it has, without its ending, and with single consonants at its
-- end: "plotting" and "plot" give "plot".
local function shortened(word)
    for _, pair in ipairs(topics.spellings) do
        if word:sub(1, #pair[1]) == pair[1] then
            word = pair[2] .. word:sub(#pair[1] + 1)
            break
        end
    end
    for _, pair in ipairs(topics.endings) do
        local rest <const> = #word - #pair[1]
        if rest >= 3 and word:sub(rest + 1) == pair[1] then
            word = word:sub(1, rest) .. pair[2]
            break
        end
    end
    return (word:gsub("([bdgmnprt])%1$", "%1"))
end

--- topics.same: {[stem] = stem}: the stems of words with the same meaning, except of the first word of each line.
topics.same = {}
for first, others in same:gmatch "(%w+): ([^\n]+)" do
    for word in others:gmatch "%w+" do
        topics.same[shortened(word)] = shortened(first)
    end
end

--- topics.stem(word) returns what words have in common that differ in their ending or spelling, or have the same
-- meaning: "neighbours" and "neighbor" give "neighbor". The word is in lower case.
function topics.stem(word)
    local short <const> = shortened(word)
    return topics.same[short] or short
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

-- Returns how well a word of a search matches a stem: 1 if they are equal, 0.5 if the stem begins with the word.
local function match(word, stem)
    return word == stem and 1 or #word > 2 and stem:sub(1, #word) == word and 0.5 or 0
end

local function best_match(word, stems)
    local best = 0
    for _, stem in ipairs(stems) do
        best = math.max(best, match(word, stem))
    end
    return best
end

-- Returns the points of a word in the stems of a name: its last word counts most. An abbreviation has half of the
-- points: "kronecker" and rill.kron.
local function name_points(word, stems)
    local last <const> = stems[#stems]
    local short <const> = #last > 3 and word:sub(1, #last) == last and 0.5 or 0
    return math.max(60 * match(word, last), 60 * short, 40 * best_match(word, stems))
end

local tables

-- Returns the stems of all names, summaries and phrases, and the weights of stems: a word counts more if it is rare.
local function prepared()
    if tables then
        return tables
    end
    local names <const>, phrases_of <const>, counts <const> = {}, {}, {}
    local function count(...)
        local seen <const> = {}
        for _, stems in ipairs {...} do
            for _, stem in ipairs(stems) do
                counts[stem] = (counts[stem] or 0) + (seen[stem] and 0 or 1)
                seen[stem] = true
            end
        end
    end
    for i, entry in ipairs(reference.entries()) do
        names[i] = {entry = entry, name = topics.stems(entry.name:gsub("_", " ")),
            summary = topics.stems(entry.summary), last = entry.name:match "[%w_]*$":gsub("_", "")}
        count(names[i].name, names[i].summary)
    end
    for i, row in ipairs(topics.rows()) do
        local stems <const> = topics.stems(row.phrase)
        phrases_of[i] = {target = row.target, points = row.points, stems = stems, joined = table.concat(stems)}
        count(stems)
    end
    local weights <const>, all <const> = {}, #names + #phrases_of + 1
    for stem, n in pairs(counts) do
        weights[stem] = math.log(all / n)
    end
    tables = {names = names, phrases = phrases_of, weights = weights, most = math.log(all)}
    return tables
end

--- topics.search(text, most) returns the targets that fit the words of a text, best first, at most `most`: entries of
-- the reference, and pages as texts, "docs/x.md". The points of a target are the mean of the points of the words; rare
-- words have a larger weight. The words that occur in a target must have at least 35 % of the weight of all words.
-- Words that occur in no target are ignored.
function topics.search(text, most)
    local data <const> = prepared()
    local words <const>, weights <const>, total = {}, {}, 0
    local joined <const> = text:lower():gsub("[%s_]", "") -- "find peaks" is rill.signal.find_peaks
    local query <const> = topics.stems(text)
    for _, word in ipairs(query) do
        local weight = data.weights[word]
        for stem in pairs(weight and {} or data.weights) do
            weight = weight or match(word, stem) > 0 and data.most
        end
        if weight then
            words[#words + 1], weights[#words + 1], total = word, weight, total + weight
        end
    end
    -- found[target][i]: the points of the word i
    local found <const>, list <const>, order <const> = {}, {}, {}
    local function add(target, i, points)
        if points > 0 then
            if not found[target] then
                found[target] = {}
                list[#list + 1], order[target] = target, #list
            end
            found[target][i] = math.max(found[target][i] or 0, points)
        end
    end
    local by_name <const> = {}
    for _, row in ipairs(data.names) do
        by_name[row.entry.name] = by_name[row.entry.name] or row.entry
        for i, word in ipairs(words) do
            add(row.entry, i, row.last == joined and 100 or
                math.max(name_points(word, row.name), 25 * best_match(word, row.summary)))
        end
    end
    local whole_query <const>, written <const> = table.concat(query), {}
    for _, row in ipairs(data.phrases) do
        if #query > 0 and row.joined == whole_query then -- "kd tree" is "kdtree"
            local target <const> = by_name[row.target] or row.target
            written[target] = math.max(written[target] or 0, row.points)
            if not found[target] then
                found[target] = {}
                list[#list + 1], order[target] = target, #list
            end
        end
        local covered, whole = 0, 0
        for _, stem in ipairs(row.stems) do
            local best = 0
            for _, word in ipairs(words) do
                best = math.max(best, match(word, stem))
            end
            covered, whole = covered + best * data.weights[stem], whole + data.weights[stem]
        end
        for i, word in ipairs(covered > 0 and words or {}) do
            add(by_name[row.target] or row.target, i,
                best_match(word, row.stems) * row.points * (0.25 + 0.75 * covered / whole))
        end
    end
    local points <const>, kept <const> = {}, {}
    for _, target in ipairs(list) do
        local sum, covered = 0, 0
        for i, value in pairs(found[target]) do
            sum, covered = sum + value * weights[i], covered + weights[i]
        end
        -- D:sort has fewer points, because there is s:sort.
        local variant <const> = type(target) == "table" and target.name:match "^[bcD](:.*)"
        points[target] = math.max(written[target] or 0, sum / math.max(total, 1e-9)
            * (variant and by_name["s" .. variant] and 0.8 or 1))
        if written[target] or covered >= 0.35 * total then
            kept[#kept + 1] = target
        end
    end
    table.sort(kept, function(a, b)
        return points[a] > points[b] or points[a] == points[b] and order[a] < order[b]
    end)
    return {table.unpack(kept, 1, most)}
end

return topics
