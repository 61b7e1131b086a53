-- The lines of rill.shell.reference for the solver, simulation and rendering modules, as {page of the manual, lines}.
-- rill.shell.reference describes the notation, and inserts them before the pages about files.
local linalg = require "rill.linalg.methods"
local methods = require "rill.solve.methods"
local reduction_lines = require "rill.shell.reduction_lines"
local signatures = require "rill.shell.signatures"

return {
    { "sparse", [==[
rill.sparse.csr(options: {shape: integer[], offsets: source|integer[], columns: source|integer[], values: source|number[]}): matrix -- returns a sparse matrix in compressed row format: row i has the entries offsets[i] to offsets[i + 1] - 1. Indices are 0-based
rill.sparse.coo(options: {shape: integer[], rows: source|integer[], columns: source|integer[], values: source|number[]}): matrix -- returns a sparse matrix from entries in any order. Entries with the same row and column are added
rill.sparse.ell(options: {shape: integer[], columns: source|table, values: source|table}): matrix -- returns a sparse matrix in ELLPACK format: each row has the same number of entries. Column -1 marks an unused entry
rill.sparse.eye(n: integer, type?: string): matrix -- returns the n by n identity, csr. Default type: "float"
rill.sparse.diags(diagonals: table|source, offsets?: integer[]|integer, shape?: integer[]): matrix -- returns a csr matrix with the given diagonals: streams, tables, or numbers that fill a diagonal of a given shape. Offsets above 0 are above the main diagonal
rill.sparse.kron(A: matrix, B: matrix): matrix -- returns the Kronecker product: the block a B for each element a of A
rill.sparse.from_dense(matrix: source|number[][], tolerance?: number): matrix -- returns a csr matrix of the elements whose absolute value is above the tolerance. Default: 0
rill.sparse.load(path: string): matrix -- loads a MatrixMarket file as a csr matrix of double
A.shape: integer[] -- the numbers of rows and columns
A.nnz: integer -- the number of entries
A.format: string -- "csr", "coo" or "ell"
A.type: string -- the type of the values, "float" or "double"
A.offsets: stream -- the index of the first entry of each row, and the end of the last row
A.rows: stream -- the row of each entry, 0-based
A.columns: stream -- the column of each entry, 0-based; for ell a stream {rows, entries per row} with -1 for unused entries
A.values: stream -- the values of the entries, which may be written
A:multiply(x: source|matrix, y?: stream): stream|matrix -- returns the product with a vector, a matrix or a sparse matrix. If y is given, the product is written to y, which is returned. A * x is the same
A:cast(type: string): matrix -- returns a copy with values of float or double
A:transpose(): matrix -- returns the transpose, in the same format
A:diagonal(): stream -- returns the elements (i, i)
A:dense(): stream -- returns all elements as a stream {rows, columns}
A:to(format: string): matrix -- returns the same matrix in the format "csr", "coo" or "ell"
A:save(path: string) -- writes a MatrixMarket file
A:close() -- frees its memory at once
]==] },
    { "linalg", signatures.lines("rill.linalg.", linalg) },
    { "solve", signatures.lines("rill.solve.", methods) .. [==[
F.shape: integer[] -- the shape of the matrix
F.type: string -- the type of the computation, "float" or "double"
F:solve(b: source, options?: {tolerance?: number, iterations?: integer, strict?: boolean}): stream, table -- solves for x with the stored factors; returns x and a report
F:determinant(): number|stream, number|stream -- returns the determinant, and the logarithm of its absolute value; streams for a batch
F:close() -- frees the factors at once
h.shape: integer[] -- the shape of the grid
h.type: string -- the type of x
h:solve(b: source|distributed, options?: {x?: stream|distributed, x0?: source|distributed, cycles?: integer, tolerance?: number, every?: integer, strict?: boolean}): stream|distributed, table -- solves as rill.solve.multigrid on these grids. The option x is a stream that is improved in place
h:cycle(x: stream|distributed, b: source|distributed, count?: integer): stream|distributed -- runs `count` cycles on x. Default: 1. Nothing is read back
h:close() -- frees its memory at once
]==] },
    { "optimize", [==[
rill.optimize.adam(parameters: stream[], options?: {rate?: number, betas?: number[], epsilon?: number, decay?: number, decoupled?: boolean, amsgrad?: boolean}): optimizer -- returns an optimizer by Adam (Kingma and Ba 2015), which changes the parameters in place. Default of rate: 1e-3
rill.optimize.sgd(parameters: stream[], options?: {rate?: number, momentum?: number, dampening?: number, nesterov?: boolean, decay?: number}): optimizer -- returns an optimizer by gradient descent with momentum, which changes the parameters in place. Defaults: rate 1e-3, momentum 0
rill.optimize.lbfgs(parameters: stream[], options?: {rate?: number, iterations?: integer, evaluations?: integer, history?: integer, tolerance?: number, change?: number}): optimizer -- returns an optimizer by L-BFGS with a line search for the strong Wolfe conditions
O:step(...: source|function): optimizer|number, boolean? -- adam, sgd: makes a step with one gradient for each parameter, and returns the optimizer. lbfgs: takes a function of the parameters that returns its value and the gradients; returns the value, and whether the iteration converged
O:set_rate(rate: number): optimizer -- sets the rate of the next steps
O.rate: number -- the rate of the next steps
O.steps: integer -- the number of calls of O:step
O.parameters: stream[] -- a list of the parameters
O:close() -- frees its memory at once. The parameters stay open
]==] },
    { "fluid", [==[
rill.fluid(options: {shape: table, spacing?: number|table, dt?: number, cfl?: number, substeps?: integer|boolean, viscosity?: number, grid?: string, advection?: string, tolerance?: number, boundary?: string|table, pressure?: string, iterations?: integer, buoyancy?: table, confinement?: number, velocity?: source|function, on?: table}): fluid -- returns a fluid at rest on a grid of 2 or 3 dimensions
f.shape: integer[] -- the shape of the grid
f.velocity: stream -- the velocity at the cell centers, a new stream of vec2 or vec3
f.vorticity: stream -- the curl of the velocity at the cell centers, in 1/s: float in two dimensions, where it is positive for counterclockwise rotation if y points up, and vec3 in three; a new stream
f.pressure: stream -- the pressure divided by the density, a view
f.time: number -- the simulated time in seconds
f.dt: number -- the length of the last step in seconds
f.divergence: table -- the root mean square of the divergence times the spacing, before and after the last projection; mean; faces of a collocated grid
f:step(dt?: number): fluid -- advances by dt seconds. Default: the length given by the options
f:flow(velocity: source|function): fluid -- sets the velocity
f:force(force?: source|function): fluid -- sets the acceleration that acts from now on. Without an argument: none
f:obstacle(mask?: source, velocity?: source|number[]): fluid -- sets the cells that the fluid flows around, and their velocity. Without arguments: none
f:inflow(mask?: source, velocity?: source|number[]): fluid -- sets the cells with a prescribed velocity. Without arguments: none
f:carry(name: string, stream: source, options?: {diffusion?: number, inflow?: number|number[]}): fluid -- adds a quantity that is transported by the fluid
f:get(name: string): stream -- returns the current values of a transported quantity, a stream that may be written
]==] },
    { "volume", [==[
rill.volume(s: source|container, options?: {camera?: table, transfer?: string|table, method?: string, size?: integer[], spacing?: number|number[], step?: number, density?: number, range?: number[], iso?: number, surface?: string, color?: number[], background?: number[], light?: number[]|boolean}): stream -- renders a volume {layers, rows, columns} to an image (vec3), by ray marching ("march") or by "slices", through a transfer function; or its isosurface at iso, "shaded" or with the look of "water"
]==] },
    { "sph", [==[
rill.sph(options: {positions: source, radius: number, velocities?: source, mass?: number, density?: number, viscosity?: number, sound?: number, state?: string, kernel?: string, laplacian?: string, densities?: string, tension?: boolean, integrator?: string, dt?: number|string, cfl?: number, substeps?: integer, gravity?: number[], walls?: table[], on?: table}): particles -- returns a smoothed particle hydrodynamics simulation: fluid particles in two or three dimensions
P:step(dt?: number): particles -- advances by dt seconds. Default: the longest stable step. Nothing is read back
P:neighbors(): container, container -- returns the particles that are nearer than the radius to each particle: a grid of lists of 0-based particle indices, and one of their distances
P:picture(options?: {style?: string, size?: integer[], radius?: number, fastest?: number, opacity?: number, iso?: number, low?: number[], high?: number[], eye?: number[], target?: number[], up?: number[], fov?: number, spacing?: number}): stream -- renders the particles to an image: "spheres", "splats", or the "surface" of the fluid, which in three dimensions reflects and refracts
P.positions: stream -- the positions in the order in which the particles were given. They are copied when they are read after a step
P.velocities: stream -- the velocities, in the order of the positions
P.density: stream -- the density with which the last forces were computed
P.pressure: stream -- the pressure that was computed from the density
P.time: number -- the simulated time in seconds; read back
P.dt: number -- the length of the last step in seconds; read back
P.limit: number -- the longest stable time step at the time of the last step; read back
P.steps: integer -- the number of calls of P:step
P.mass: number -- the mass of each particle
P.count: integer -- the number of particles
P:close() -- frees their memory at once
]==] },
    { "field", [==[
rill.wave(options: {shape: table, spacing?: number|table, speed?: number|source, damping?: number, boundary?: string|table, walls?: source, height?: number|source, velocity?: number|source, dt?: number, substeps?: integer|boolean, on?: table}): wave -- returns a simulation of the wave equation on a grid of one to three dimensions
W:step(dt?: number): wave -- advances by dt seconds. Default: 0.9 of the longest stable step. Nothing is read back
W:picture(options?: {scale?: number}): stream -- renders a wave of two dimensions as water: vec3
W.height: stream -- the height of each cell, the state itself, which may be written
W.velocity: stream -- the time derivative of the height, a new stream
W.energy: number -- the kinetic and potential energy; read back
W.time: number -- the simulated time in seconds
W.limit: number -- the longest stable step in seconds
W.shape: integer[] -- the shape of the grid
W:close() -- frees its memory at once
rill.heat(options: {shape: table, spacing?: number|table, diffusivity?: number|source, boundary?: string|number|table, temperature?: number|source, source?: number|source, dt?: number, on?: table}): heat -- returns a simulation of the heat equation on a grid of one to three dimensions
H:step(dt?: number): heat -- advances by dt seconds, which may be any length. Nothing is read back
H:picture(options?: {min?: number, max?: number}): stream -- renders the temperature of two dimensions in glowing colors: vec3
H.temperature: stream -- the temperature of each cell, the state itself, which may be written
H.source: stream -- the heat added per second, which may be written
H.time: number -- the simulated time in seconds
H.limit: number -- the longest step in seconds for which a single stage is stable
H.shape: integer[] -- the shape of the grid
H:close() -- frees its memory at once
]==] },
    { "cloth", [==[
rill.cloth(options: {shape?: table, positions?: source, velocities?: source, held?: source, spacing?: number, mass?: number, stiffness?: number, shear?: number, bend?: number, damping?: number, drag?: number, gravity?: number[], wind?: number[], walls?: table[], dt?: number, substeps?: integer|boolean, on?: table}): cloth -- returns a simulation of cloth: particles connected by springs
C:step(dt?: number): cloth -- advances by dt seconds. Default: half of the longest stable step. Nothing is read back
C:hold(mask?: source): cloth -- fixes the particles where the mask holds. Without a mask: none
C:picture(options?: {size?: table, eye?: number[], at?: number[], fov?: number}): stream -- renders the cloth from a camera: vec3
C.positions: stream -- the positions, the state itself, which may be written
C.velocities: stream -- the velocities half a step earlier, the state itself
C.time: number -- the simulated time in seconds
C.limit: number -- the longest stable step in seconds
C.shape: integer[] -- the numbers of rows and columns
C:close() -- frees its memory at once
]==] },
    { "nbody", [==[
rill.nbody(options: {positions: source, velocities?: source, masses?: number|source, G?: number, softening?: number, dt?: number, integrator?: string, on?: table}): nbody -- returns a simulation of bodies in two or three dimensions that all attract each other
N:step(dt?: number): nbody -- advances by dt seconds. Default: N.dt. Nothing is read back
N:picture(options?: {size?: table, low?: number[], high?: number[], eye?: number[], target?: number[], up?: number[], fov?: number, spot?: number, fastest?: number, light?: number}): stream -- renders the bodies as points of light: vec3
N.positions: stream -- the positions, the state itself, which may be written
N.velocities: stream -- the velocities at the same time, the state itself
N.masses: stream -- the masses, the state itself
N.accelerations: stream -- the accelerations by the attraction of all other bodies, a new stream
N.energy: number -- the kinetic and potential energy; read back
N.momentum: number[] -- the sum of m v; read back
N.time: number -- the simulated time in seconds
N.dt: number -- the default length of a step in seconds
N.count: integer -- the number of bodies
N:close() -- frees their memory at once
]==] },
    { "render", [==[
rill.render(m: mesh|table, options?: {size?: integer[], camera?: table, shading?: string, color?: source|string|number[], colormap?: string, range?: number[], texture?: source, opacity?: number, edges?: boolean|string|number[], thickness?: number, samples?: integer, light?: number[], shadow?: boolean|integer, background?: string|number[], linear?: boolean, buffers?: boolean}): stream, table? -- renders a mesh or a list of meshes to an image (vec3): "smooth", "flat", "wireframe" or "none". buffers = true: also return depth, triangle and hits of each sample
]==] },
    { "collide", [==[
rill.collide.bvh(m: mesh, options?: {leaf?: integer}): tree -- returns a tree of axis-aligned bounding boxes over the triangles of a mesh in its current state
rill.collide.obbtree(m: mesh, options?: {leaf?: integer}): tree -- returns a tree of oriented bounding boxes over the triangles of a mesh
rill.collide.pairs(a: tree, b: tree, options?: {a?: table, b?: table, contained?: boolean, stop?: string}): stream|boolean, table -- returns the pairs of intersecting triangles in ascending order, ivec2, or ivec3 with the index of the pose first; and a table {levels, tests, triangles, lists, contained}
T:ray(origins: source|table, directions: source|table): stream, stream -- returns t and the triangle of the first intersection of each ray o + t d with the surface; infinity and -1 if there is none
T:distance(points: source|table): stream, stream, stream -- returns the distance of each point from the surface, the nearest triangle and the nearest point
T:contains(points: source|table): stream -- returns whether each point is inside the closed surface: bool
T.kind: string -- the type of the tree: "bvh" or "obbtree"
T.faces: integer -- the number of triangles
T.levels: integer -- the number of levels of boxes below the root
T.leaf: integer -- the number of triangles in a leaf
T:close() -- frees its memory at once
]==] },
    { "signal", [==[
rill.signal.window(name: string, n: integer, options?: {symmetric?: boolean, type?: string, alpha?: number, beta?: number, std?: number, tau?: number}): stream -- returns the n weights of a window: "hann", "hamming", "blackman", "kaiser" with beta, "gaussian" with std, "tukey" with alpha ... symmetric: for filters. Default: periodic, for spectra
rill.signal.stft(x: source|number[], options?: {size?: integer, hop?: integer, window?: string|table|source, center?: boolean}): stream -- returns the spectra of windows of a signal, complex numbers {..., frames, size // 2 + 1}. Defaults: size 1024, hop size // 4, window "hann", center true
rill.signal.istft(f: source, options?: {size?: integer, hop?: integer, window?: string|table|source, center?: boolean, length?: integer}): stream -- returns the signal of short-time spectra. Default of size: 2 (bins - 1)
rill.signal.periodogram(x: source|number[], options?: {rate?: number, window?: string|table|source, detrend?: string|boolean, scaling?: string}): stream, stream -- returns the power spectrum of a signal, and its frequencies. Defaults: rate 1, window "boxcar", detrend "constant", scaling "density"
rill.signal.welch(x: source|number[], options?: {rate?: number, size?: integer, hop?: integer, window?: string|table|source, detrend?: string|boolean, scaling?: string}): stream, stream -- returns the mean of the power spectra of windows, and the frequencies. Defaults: size 256, hop half of it, window "hann"
rill.signal.find_peaks(x: source|number[], options?: {height?: number|number[], distance?: number, prominence?: number|number[]}): stream, table -- returns the 0-based indices of the local maxima, and a table {heights =, prominences =}
rill.signal.firwin(n: integer, cutoff: number|number[], options?: {pass?: string, window?: string|table|source, rate?: number, scale?: boolean, type?: string}): stream -- returns the n coefficients of a filter with a finite impulse response. pass: "lowpass" (default), "highpass", "bandpass" or "bandstop". Default of rate: 2
rill.signal.lfilter(b: number|number[]|source, a: number|number[]|source, x: source|number[]): stream -- returns the signal filtered by the transfer function b / a, computed in blocks, in doubles
rill.signal.sosfilt(sections: table|source, x: source|number[]): stream -- returns the signal filtered by second-order sections {b0, b1, b2, a0, a1, a2}
rill.signal.filtfilt(b: number|number[]|source, a: number|number[]|source, x: source|number[], options?: {pad?: integer}): stream -- returns the signal filtered forward and backward, without a delay
rill.signal.resample(x: source|number[], n: integer): stream -- returns the signal at n samples of the same duration, by its Fourier transform
rill.signal.hilbert(x: source|number[]): stream -- returns the analytic signal, complex numbers whose real parts are x
rill.signal.detrend(x: source|number[], options?: {type?: string}): stream -- returns the signal without its least squares line, "linear" (default), or its mean, "constant"
]==] },
    { "points", [==[
rill.points.normals(p: source|table, options?: {k?: integer, toward?: number[]}): stream, stream -- returns unit normals (vec3) from the k nearest points of each point, and their variances (vec3, ascending). toward: a position to whose side normals point. Default: k = 16
rill.points.voxel(p: source|table, size: number, options?: {values?: source|table}): stream, stream, any -- returns the mean of the points in each cube of a grid, their number, and the means of values
rill.points.outliers(p: source|table, options?: {k?: integer, deviations?: number}): stream, stream -- returns whether each point is far from its k nearest points, bool, and its mean distance to them. Defaults: k = 20, deviations = 2
rill.points.icp(source: source|table, target: source|table, options?: {iterations?: integer, tolerance?: number, distance?: number, initial?: table, normals?: source|table}): table, table -- returns the transform that moves the source onto the target, and a report {iterations, converged, fitness, rmse}. normals: of the target, to minimize distances from planes
rill.points.transform(p: source|table, transform: table): stream -- returns points moved by a transform, four rows of four numbers
rill.points.evaluate(source: source|table, target: source|table, options?: {distance?: number, transform?: table}): table -- returns how well a transform registers the source with the target: {fitness, rmse, pairs}. Default of transform: the identity
rill.points.inverse(transform: table): table -- returns the inverse of a transform, such as the result of rill.points.icp: four rows of four numbers
rill.points.segment_plane(p: source|table, options: {distance: number, iterations?: integer, seed?: integer}): number[], stream -- returns the plane with the most points within a distance, {a, b, c, d} of a x + b y + c z + d = 0, and whether each point is within it, bool (RANSAC). Default: iterations = 1000
rill.points.dbscan(p: source|table, options: {radius: number, minimum?: integer}): stream, integer -- returns the cluster of each point, int, 0-based, -1 for noise, and the number of clusters. minimum: the neighbors within the radius, with the point itself, that make a core point. Default: 10
rill.points.load(path: string, options?: {type?: string, invalid?: string}): stream, table -- returns the points of a PLY, XYZ, OBJ, OFF or STL file, and a table with the streams normals and colors if there are any. type: "float" or "double" (dvec3). invalid: points with numbers that are not finite are an "error", "drop" or "keep". Defaults: "float", "error"
rill.points.save(path: string, p: source|table, options?: {normals?: source|table, colors?: source|table, encoding?: string}) -- writes a .ply or .xyz file. encoding of PLY files: "ascii", "little" (default) or "big"
]==] },
    { "neighbors", [==[
rill.neighbors(points: source|table, options: {k?: integer, radius?: number, queries?: source|table, periodic?: number|number[], self?: boolean}, more?: table): neighbors -- returns the k nearest points of each point or query, or all points within a radius. Points have one to three coordinates
neighbors:query(queries?: source|table, options?: {k?: integer, radius?: number, periodic?: number|number[], self?: boolean}): neighbors -- searches other queries among the same points, whose tree is used again. Default of the options: those of the search
neighbors:update(points: source|table): neighbors -- searches again with other points and the same options. The fields of the search are new streams
neighbors.indices: stream -- the 0-based indices of the neighbors, nearest first: {m, k}, -1 if there are fewer; for a radius the lists of all queries in one dimension
neighbors.distances: stream -- the distances of the neighbors; infinity if there are fewer
neighbors.starts: stream? -- for a radius: where the list of each query starts, and the end of the last one
neighbors:close() -- frees its memory at once
]==] },
    { "mesh", [==[
rill.mesh.new(options: {positions: source|table, triangles: source|table, normals?: source|table, uv?: source|table, attributes?: table}): mesh -- returns a triangle mesh: vec3 positions, ivec3 vertex indices (0-based). The data is copied and checked
rill.mesh.icosphere(level?: integer): mesh -- returns a sphere of radius 1: an icosahedron that is subdivided `level` times
rill.mesh.torus(options?: {radius?: number, tube?: number, segments?: integer[]}): mesh -- returns a torus around the z axis
rill.mesh.box(options?: {size?: number|number[], center?: number[]}): mesh -- returns a box of 8 vertices and 12 triangles
rill.mesh.grid(options?: {size?: number[], segments?: integer[]}): mesh -- returns a flat grid in the plane z = 0, with texture coordinates
rill.mesh.load(path: string, options?: {skip?: boolean}): mesh -- loads an OBJ, PLY, OFF, STL or XYZ file. The format is detected from the content. skip: ignore lines that OBJ does not define
rill.mesh.marching_cubes(s: source|container, iso: number, options?: {spacing?: number|number[], origin?: number[]}): mesh -- returns the isosurface of a volume {layers, rows, columns} at iso, by marching cubes. Values inside are less than iso
rill.mesh.envelope(m: mesh, options?: {distance?: number, depth?: integer, reuse?: string}): mesh, mesh, table -- returns an inner and an outer envelope of a closed mesh: vertices move along their normals as far as no triangles intersect. Also returns the report of rill.reuse.run
rill.rotation(axis: string|number[], angle: number): table -- returns the rotation about "x", "y", "z" or an axis {x, y, z} by an angle in radians: four rows of four numbers. A * B is the product of transforms, A * {x, y, z} the transformed point
rill.translation(v: number[]): table -- returns the translation by {x, y, z}: four rows of four numbers
rill.scaling(v: number|number[]): table -- returns the scaling by a factor, or by {x, y, z}: four rows of four numbers
M.positions: stream -- the positions of the vertices, the mesh's own stream of vec3
M.triangles: stream -- three vertex indices per triangle, the mesh's own stream of ivec3
M.vertices: integer -- the number of vertices
M.faces: integer -- the number of triangles
M.uv: stream? -- texture coordinates, vec2 per vertex or corner; nil if there are none
M.attributes: table -- further attributes of vertices, faces or corners: streams by name
M:copy(): mesh -- returns a copy of the mesh
M:transform(matrix: table): mesh -- returns a mesh with vertices M x. matrix: four rows of four numbers
M:weld(epsilon?: number): mesh -- merges duplicate vertices: vertices at the same position, or connected by steps of at most epsilon
M:simplify(options: {ratio?: number, faces?: integer, error?: number, lock_borders?: boolean}): mesh, number -- returns a mesh with fewer triangles: a part (`ratio`) or a number of them, or as few as a largest error permits; and the error that it estimates, a length. By libmeshoptimizer
M:winding(points: source|table): stream -- returns the generalized winding number of the mesh around each point (vec3): 1 inside and 0 outside of a closed mesh
M:octree(options?: {depth?: integer}): container, table -- returns lists of the triangles in each cell of the last level of an octree, and the grid of cells {low, side, cells}
M:save(path: string, options?: {encoding?: string}) -- writes .obj, .ply, .off or .stl. encoding: "ascii", "little" or "big"
M:bounds(): number[]?, number[]? -- returns the minimum and maximum coordinates of the vertices; read back
M:normals(): stream -- returns the stored normals, or one normal per vertex, weighted by the areas of its triangles
M:area(): number -- returns the area of all triangles, computed in double; read back
M:volume(): number -- returns the enclosed volume of a closed mesh, computed in double, negative if its triangles face inward; read back
M:adjacency(): table -- returns twin and edge of each half-edge {faces, 3}, the valence of each vertex, and the edges, ivec2
M:euler(): integer -- returns the Euler characteristic: vertices - edges + faces, of the vertices that triangles use
M:components(): integer, stream -- returns the number of connected components, and the 0-based component of each face
M:is_closed(): boolean -- returns whether no edge belongs to only one triangle
M:is_manifold(): boolean -- returns whether each edge belongs to one or two triangles and the triangles of each vertex form one fan
M:is_oriented(): boolean -- returns whether no two triangles traverse an edge in the same direction
M:boundary(): stream -- returns the edges that belong to one triangle, ivec2, in the direction of the triangle
M:close() -- frees its memory at once
]==] },
    { "ray", [==[
rill.ray.scene(m: mesh|table, options?: {structure?: string}): scene -- returns a scene of the triangles of a mesh or of a list of meshes in their current state, in a "bvh" or a "grid"
rill.ray.trace(s: scene, options?: {size?: integer[], camera?: table, bounces?: integer, samples?: integer, lights?: table, materials?: table, background?: number|string|table, exposure?: number, linear?: boolean, seed?: integer, progress?: boolean, each?: function}): stream, table -- renders a scene by path tracing: vec3; also returns a report {rays, shadow, samples} with the numbers of rays of each bounce
S:closest(origins: source|table, directions: source|table): stream, stream, stream -- returns t, the triangle and the barycentric coordinates of the first crossing of each ray o + t d; infinity and -1 if there is none
S:any(origins: source|table, directions: source|table, far?: number|source|table): stream -- returns whether each ray crosses a triangle at a distance up to far: bool
S:count(origins: source|table, directions: source|table, far?: number|source|table): stream -- returns the number of triangles that each ray crosses at a distance up to far: int
S.structure: string -- the acceleration structure: "bvh", "grid" or "none"
S.faces: integer -- the number of triangles
S.bases: integer[] -- the index of the first triangle of each mesh
S.invalid: integer -- the number of invalid rays in all queries; read back
S:close() -- frees its memory at once
]==] },
    { "reuse", [==[
rill.reuse.run(strategy: string, indices: source, kernel: kernel, arguments?: table, options?: {batch?: integer, block?: integer, warp?: integer, count?: integer, rate?: stream, starts?: stream}): stream, table -- runs a vertex kernel once for each distinct index of a batch; also returns a report {invocations=, asr=, batches=, probes=, worst_probe=, votes=, passes=, slow=}
rill.reuse.starts(indices: source, options?: {batch?: integer, block?: integer}): stream -- returns the dynamic batches of indices, for the option starts of rill.reuse.run: a stream of ivec2
rill.reuse.strategies(): string[] -- returns the names of the strategies
rill.reuse.order(triangles: source, method: string, options?: {entries?: integer, seed?: integer}): stream, stream -- returns the triangles in an order with locality ("forsyth", "hoppe") or at random, and their old numbers
rill.reuse.cache(triangles: source, options?: {entries?: integer, parallel?: integer, window?: string, replacement?: string}): number, number -- returns the misses per triangle of a modeled cache, and the ideal
rill.reuse.driver(triangles: source): integer, number -- returns how often the device's graphics pipeline runs a vertex shader, and this per triangle
rill.reuse.acmr(triangles: source, entries?: integer): number -- returns the average cache miss ratio of a FIFO cache
]==] },
    { "subdivide", [==[
rill.subdivide.loop(m: mesh, options: {levels: integer, creases?: source|table, limit?: boolean, adaptive?: {edge?: number, pixels?: number, camera?: table, size?: integer[], curvature?: number, kernel?: kernel}, patch?: string}): mesh, table -- subdivides by Loop's scheme, everywhere or adaptively where edges require it. Also returns the numbers of faces and vertices at each level
]==] },
    { "big", [==[
rill.big(path: string, type?: string|{type?: string, shape?: integer|integer[], memory?: integer, tile?: integer}, shape?: integer|integer[], options?: {memory?: integer, tile?: integer}): big_stream -- returns a .npy file on disk as a stream, which is read by tiles
b.path: string -- the name of the file
b.type: string -- the type of the elements
b.shape: integer[] -- the shape of the whole
b.size: integer -- the number of elements
b.memory: integer -- the bytes that an operation uses for its tiles
b.tile: integer? -- the number of elements of a tile, if it was given
b:domain(first: integer, last: integer): stream -- reads the elements, or rows, first to last into a stream
b:map(f: kernel|string, path: string|table, options?: {arguments?: table, boundary?: string|number|table, halo?: integer}): big_stream ... -- writes the results of a kernel or an expression in x of all elements to files
b:filter(pred: kernel|string, path: string, options?: {arguments?: table, boundary?: string|number|table, halo?: integer}): big_stream -- writes the elements for which a predicate holds to a file
b:scan(path: string, options?: {exclusive?: boolean}): big_stream -- writes the running sums to a file
b:sort(path: string, options?: {descending?: boolean}): big_stream -- writes the sorted elements to a file, in the order of s:sort
]==] .. reduction_lines.whole("b", "big_stream") .. [==[
b:histogram(options?: {bins?: integer, min?: number, max?: number, outside?: string}): stream, stream -- counts the elements in each of a row of bins, and returns the edges of the bins
b:quantile(q: number|number[]): value -- returns the value below which the fraction q (0 to 1) of the elements is
b:percentile(p: number|number[]): value -- returns b:quantile(p / 100)
b:median(): number? -- returns the middle element in ascending order, or the mean of both middle elements
b:unique(): stream, stream -- returns the distinct elements in ascending order, and how often each occurs
b:top_k(k: integer, options?: {largest?: boolean}): stream, stream -- returns the k largest elements in descending order, and their 0-based indices
]==] },
    { "scale", [==[
rill.mpi.rank: integer -- the number of this process, from 1
rill.mpi.size: integer -- the number of processes
rill.mpi.device(): device -- returns the device of this rank
rill.mpi.barrier() -- waits until all ranks have called it
rill.mpi.send(value: any, rank: integer, tag?: integer) -- sends a value to another rank: nil, a boolean, a number, a string, a stream or a plain table of them
rill.mpi.receive(rank: integer, tag?: integer): any -- waits for a value that a rank has sent with the same tag
rill.mpi.broadcast(value: any, root?: integer): any -- returns on every rank the value of rank root. Default: 1
rill.mpi.gather(value: any, root?: integer): any[]? -- returns a table of the values of all ranks on rank root, and nil on the others. Default: on every rank
rill.mpi.reduce(value: any, operation: string|function): any -- combines the values of all ranks in the order of the ranks: "sum", "prod", "min", "max" or a function of two values
rill.mpi.stream(type: string, shape: integer|integer[], options?: {init?: any, halo?: integer, boundary?: string|number|table, ranks?: integer[]}): distributed -- returns a distributed stream, of which every rank has a part
rill.mpi.distribute(stream?: source, root?: integer, options?: {halo?: integer, boundary?: string|number|table, ranks?: integer[]}): distributed -- returns a distributed stream of the elements of a stream of rank root. Default: 1
rill.mpi.load(path: string, options?: {halo?: integer, boundary?: string|number|table, ranks?: integer[]}): distributed -- reads a .npy file on all ranks together
rill.mpi.checkpoint(path: string, state: table) -- writes distributed streams and plain values by name to a file, which is replaced only when it is complete
rill.mpi.restart(path: string, options?: {ranks?: integer[]}): table? -- returns the table that rill.mpi.checkpoint has written; nil if there is no file
rill.mpi.cg(A: kernel|function, b: distributed, options?: {tolerance?: number, iterations?: integer, x0?: distributed, precision?: string, every?: integer, strict?: boolean, preconditioner?: string|function, degree?: integer}): distributed, table -- another name of rill.solve.cg
rill.mpi.multigrid(b: distributed, options?: {boundary?: string|table, spacing?: number|table, shift?: number, cycles?: integer, tolerance?: number, x0?: distributed, precision?: string, every?: integer, strict?: boolean}): distributed, table -- another name of rill.solve.multigrid
rill.mpi.particles(options: {positions: source, box: table, fields?: table}): distributed_particles -- returns particles that are divided among the ranks
rill.mpi.smoke(options: {shape: integer[], dt?: number, lift?: number, weight?: number, cooling?: number, reach?: integer, tolerance?: number}): distributed_smoke -- an earlier name of rill.fluid with on = rill.mpi: returns smoke in a closed box of two dimensions
rill.mpi.sph(options: {positions: source, box: table, radius: number, sound: number, velocities?: source, density?: number, mass?: number, viscosity?: number, gravity?: table, bounce?: number, dt?: number}): distributed_sph -- an earlier name of rill.sph with on = rill.mpi: returns a fluid of particles
rill.mpi.profile(f: function, ...: any): table -- calls f on all ranks, and returns a table of the times of computing and waiting and of the messages of each rank
D.part: stream -- the elements of this rank
D.type: string -- the type of the elements
D.shape: integer[] -- the whole shape
D.size: integer -- the number of elements of all ranks
D.first: integer|integer[] -- the 1-based index of the first element of D.part in the whole
D.ranks: integer[] -- the numbers of ranks along the dimensions
D:changed(): distributed -- says that the script has written to D.part
D:eval(): distributed -- computes the elements of an expression of distributed streams
D:copy(): distributed -- returns a distributed stream with the same elements and the same cut
D:write(other: distributed): distributed -- sets the elements to those of another distributed stream with the same cut
D:get(...: integer): any -- returns the element at 1-based indices in the whole, on all ranks
D:fill(value: any): distributed -- sets all elements
D:boundary(...: string|number): distributed -- returns a distributed stream of the same elements in memory with other boundary modes
D:map(expression: string, constants?: table): distributed -- returns the values of a GLSL expression in x
D:cast(type: string): distributed -- returns a distributed stream with the elements converted
]==] .. reduction_lines.whole("D", "distributed") .. [==[
D:eq(other: any): distributed -- compares elements; also ne, lt, le, gt, ge
D:scan(options?: {exclusive?: boolean}): distributed -- returns the running sums
D:filter(test: any): distributed -- returns the elements for which a test holds, in order
D:find(test: any): distributed -- returns the 0-based indices of the elements for which a test holds
D:sort(options?: {descending?: boolean}): distributed -- returns the sorted elements
D:unique(): distributed, distributed -- returns the distinct elements in ascending order, and how often each occurs
D:histogram(options?: {bins?: integer, min?: number, max?: number, outside?: string}): stream, stream -- returns the numbers of elements per bin, and the edges of the bins, on every rank
D:quantile(q: number|number[]): value -- returns the value below which the fraction q (0 to 1) of the elements is, on every rank
D:percentile(p: number|number[]): value -- returns D:quantile(p / 100)
D:median(): number? -- returns the middle element in ascending order, or the mean of both middle elements
D:top_k(k: integer, options?: {largest?: boolean}): stream, stream -- returns the k largest elements in descending order, and their 0-based indices in the whole, on every rank
D:rebalance(): distributed -- returns the same elements in the standard cut
D:collect(root?: integer|string): stream? -- returns all elements as a stream on one rank, or with "all" on every rank
D:save(path: string): distributed -- writes a .npy file on all ranks together
D:close() -- frees its memory at once
Q.count: integer -- the number of particles of this rank
Q.total: integer -- the number of particles of all ranks
Q.names: string[] -- the names of the fields
Q:migrate(): distributed_particles -- moves particles that have left the slab of their rank
Q:rebalance(): distributed_particles -- makes new slabs with about as many particles each
Q:ghosts(radius: number): table -- returns streams of this rank's particles and of those of others within a radius of its slab
Q:sum(type: string, radius: number, expression: string, constants?: table): stream -- returns for each particle the sum of an expression over the particles within a radius
Q:collect(root?: integer): table? -- returns streams of all particles by name on one rank
Q:close() -- frees its memory at once
Y:source(options: {center: number[], radius: number, density?: number, heat?: number}): distributed_smoke -- sets density and heat in a disk to at least these values
Y:step(n?: integer): distributed_smoke -- advances by n steps
Y:close() -- frees its memory at once
Z:step(n?: integer): distributed_sph -- advances by n steps
Z:close() -- frees its memory at once
]==] },
}
