-- The lines of rill.shell.reference for the modules that solve, simulate and draw: a page of the manual, and its lines, which are
-- written as it says. They stand between the pages of streams and those of files.
local methods = require "rill.solve.methods"
local signatures = require "rill.shell.signatures"

return {
    { "sparse", [==[
rill.sparse.csr(options: {shape: integer[], offsets: source|integer[], columns: source|integer[], values: source|number[]}): matrix -- a sparse matrix by rows: row i has the entries from offsets[i] to before offsets[i + 1]; numbers count from 0
rill.sparse.coo(options: {shape: integer[], rows: source|integer[], columns: source|integer[], values: source|number[]}): matrix -- a sparse matrix of entries in any order; those of one place are added
rill.sparse.ell(options: {shape: integer[], columns: source|table, values: source|table}): matrix -- a sparse matrix whose rows have as many places each; column -1: nothing there
rill.sparse.load(path: string): matrix -- the matrix of a MatrixMarket file, csr of double
A.shape: integer[] -- rows and columns
A.nnz: integer -- how many entries it has
A.format: string -- "csr", "coo" or "ell"
A.type: string -- the type of its values, "float" or "double"
A.offsets: stream -- where each row's entries begin, and the last one's end
A.rows: stream -- the row of each entry, from 0
A.columns: stream -- the column of each entry, from 0; of ell {rows, places}, -1 where nothing is
A.values: stream -- the values of the entries, which may be written
A:multiply(x: source, y?: stream): stream -- the product with a vector, or with a matrix; written to y, where it is given, which is returned
A:cast(type: string): matrix -- a copy with values of float or double
A:transpose(): matrix -- the transpose, in the same format
A:diagonal(): stream -- the elements i, i
A:dense(): stream -- all elements, {rows, columns}
A:to(format: string): matrix -- the same matrix as "csr", "coo" or "ell"
A:save(path: string) -- writes a MatrixMarket file
A:close() -- frees its memory at once
]==] },
    { "solve", signatures.lines("rill.solve.", methods) .. [==[
F.shape: integer[] -- the matrix's
F.type: string -- what they are computed in, "float" or "double"
F:solve(b: source, options?: {tolerance?: number, iterations?: integer, strict?: boolean}): stream, table -- x and a report, by factors that there are
F:determinant(): number|stream, number|stream -- the determinant, and the logarithm of its size; of a batch streams
F:close() -- frees the factors at once
h.shape: integer[] -- the grid's
h.type: string -- of x
h:solve(b: source, options?: {x?: stream, x0?: source, cycles?: integer, tolerance?: number, every?: integer, strict?: boolean}): stream, table -- as rill.solve.multigrid, with these grids; x is improved in place
h:cycle(x: stream, b: source, count?: integer): stream -- runs `count` cycles on x (default 1); nothing is read back
h:close() -- frees its memory at once
]==] },
    { "fluid", [==[
rill.fluid(options: {shape: table, spacing?: number|table, dt?: number, cfl?: number, substeps?: integer|boolean, viscosity?: number, grid?: string, advection?: string, tolerance?: number, boundary?: string|table, pressure?: string, iterations?: integer, buoyancy?: table, confinement?: number, velocity?: source|function}): fluid -- a fluid at rest on a grid of 2 or 3 dimensions
f.shape: integer[] -- the grid's
f.velocity: stream -- the velocity at the middles of cells, a new stream of vec2 or vec3
f.pressure: stream -- the pressure over the density, a view
f.time: number -- seconds since the beginning
f.dt: number -- how long the last step was, in seconds
f.divergence: table -- before and after the last projection, root mean squares times the spacing; mean; faces of a collocated grid
f:step(dt?: number): fluid -- goes on by dt seconds, or as the options say
f:flow(velocity: source|function): fluid -- the velocity is this from now on
f:force(force?: source|function): fluid -- accelerations from now on; none without
f:obstacle(mask?: source, velocity?: source|number[]): fluid -- cells the fluid flows around, and how they move; none without
f:inflow(mask?: source, velocity?: source|number[]): fluid -- cells in which the fluid moves as told; none without
f:carry(name: string, stream: source, options?: {diffusion?: number, inflow?: number|number[]}): fluid -- a quantity that goes with the fluid
f:get(name: string): stream -- a carried quantity as it is now, which may be written
]==] },
    { "volume", [==[
rill.volume(s: source|container, options?: {camera?: table, transfer?: string|table, method?: string, size?: integer[], spacing?: number|number[], step?: number, density?: number, range?: number[], iso?: number, surface?: string, colour?: number[], background?: number[], light?: number[]|boolean}): stream -- a picture (vec3) of a volume {layers, rows, columns}, by marching along rays ("march") or by "slices", through a transfer function; or its surface at iso, "shaded" or as that of "water"
]==] },
    { "sph", [==[
rill.sph(options: {positions: source, radius: number, velocities?: source, mass?: number, density?: number, viscosity?: number, sound?: number, state?: string, kernel?: string, laplacian?: string, densities?: string, tension?: boolean, integrator?: string, dt?: number|string, cfl?: number, substeps?: integer, gravity?: number[], walls?: table[]}): particles -- smoothed particle hydrodynamics: particles of a fluid in two or three dimensions
P:step(dt?: number): particles -- advances by dt seconds (default: the longest stable step); nothing is read back
P:neighbors(): container, container -- who is nearer than the radius to each particle: a grid of lists of particles, from 0, and one of how far they are
P:picture(options?: {style?: string, size?: integer[], radius?: number, fastest?: number, opacity?: number, iso?: number, low?: number[], high?: number[], eye?: number[], target?: number[], up?: number[], angle?: number, spacing?: number}): stream -- a picture: "spheres", "splats", or the "surface" of the fluid, which in three dimensions reflects and refracts
P.positions: stream -- where the particles are, in the order that they were given in; written anew where it is read after a step
P.velocities: stream -- in the same order, as all fields
P.density: stream -- as the last forces were found with it
P.pressure: stream -- which followed from it
P.time: number -- seconds since the start; read back
P.dt: number -- seconds of the last step; read back
P.limit: number -- the longest time step that was stable when it was taken; read back
P.steps: integer -- how many calls of P:step there were
P.mass: number -- of each particle
P.count: integer -- how many particles there are
P:close() -- frees their memory at once
]==] },
    { "field", [==[
rill.wave(options: {shape: table, spacing?: number|table, speed?: number|source, damping?: number, boundary?: string|table, walls?: source, height?: number|source, velocity?: number|source, dt?: number, substeps?: integer|boolean}): wave -- the wave equation on a grid of one to three dimensions
W:step(dt?: number): wave -- advances by dt seconds (default: 0.9 of the longest stable step); nothing is read back
W:picture(options?: {scale?: number}): stream -- a wave of two dimensions as water: vec3
W.height: stream -- how high each cell is, the state itself: it may be written
W.velocity: stream -- how fast that changes, a new stream
W.energy: number -- of motion and slopes; read back
W.time: number -- seconds since the start
W.limit: number -- the longest stable step, in seconds
W.shape: integer[] -- the grid's
W:close() -- frees its memory at once
rill.heat(options: {shape: table, spacing?: number|table, diffusivity?: number|source, boundary?: string|number|table, temperature?: number|source, source?: number|source, dt?: number}): heat -- how heat spreads on a grid of one to three dimensions
H:step(dt?: number): heat -- goes on by dt seconds, however many; nothing is read back
H:picture(options?: {min?: number, max?: number}): stream -- heat of two dimensions in glowing colours: vec3
H.temperature: stream -- of each cell, the state itself: it may be written
H.source: stream -- what is added in a second: it may be written
H.time: number -- seconds since the start
H.limit: number -- the longest step, in seconds, that a single stage would be stable for
H.shape: integer[] -- the grid's
H:close() -- frees its memory at once
]==] },
    { "cloth", [==[
rill.cloth(options: {shape?: table, positions?: source, velocities?: source, held?: source, spacing?: number, mass?: number, stiffness?: number, shear?: number, bend?: number, damping?: number, drag?: number, gravity?: number[], wind?: number[], walls?: table[], dt?: number, substeps?: integer|boolean}): cloth -- particles joined by springs to a cloth
C:step(dt?: number): cloth -- advances by dt seconds (default: half of the longest stable step); nothing is read back
C:hold(mask?: source): cloth -- particles stay where the mask holds, from now on; none without it
C:picture(options?: {size?: table, eye?: number[], at?: number[], angle?: number}): stream -- the cloth as a camera sees it: vec3
C.positions: stream -- where the particles are, the state itself: it may be written
C.velocities: stream -- those of half a step ago, the state itself
C.time: number -- seconds since the start
C.limit: number -- the longest stable step, in seconds
C.shape: integer[] -- rows and columns
C:close() -- frees its memory at once
]==] },
    { "nbody", [==[
rill.nbody(options: {positions: source, velocities?: source, masses?: number|source, G?: number, softening?: number, dt?: number, integrator?: string}): nbody -- bodies in two or three dimensions that attract each other, each with each
N:step(dt?: number): nbody -- advances by dt seconds (default: N.dt); nothing is read back
N:picture(options?: {size?: table, low?: number[], high?: number[], eye?: number[], target?: number[], up?: number[], angle?: number, spot?: number, fastest?: number, light?: number}): stream -- the bodies as points of light: vec3
N.positions: stream -- where the bodies are, the state itself: it may be written
N.velocities: stream -- the state itself, of the same time
N.masses: stream -- the state itself
N.accelerations: stream -- by the pull of all others, a new stream
N.energy: number -- of motion and places; read back
N.momentum: number[] -- the sum of m v; read back
N.time: number -- seconds since the start
N.dt: number -- seconds of a step, unless told
N.count: integer -- how many bodies there are
N:close() -- frees their memory at once
]==] },
    { "render", [==[
rill.render(m: mesh|table, options?: {size?: integer[], camera?: table, shading?: string, color?: source|string|number[], colormap?: string, range?: number[], texture?: source, opacity?: number, edges?: boolean|string|number[], thickness?: number, samples?: integer, light?: number[], shadow?: boolean|integer, background?: string|number[], linear?: boolean, buffers?: boolean}): stream, table? -- a picture (vec3) of a mesh or a list of them, "smooth", "flat", "wireframe" or "none"; with buffers = true also depth, triangle and hits of each sample
]==] },
    { "collide", [==[
rill.collide.bvh(m: mesh, options?: {leaf?: integer}): tree -- upright boxes over the triangles of a mesh as it is now
rill.collide.obbtree(m: mesh, options?: {leaf?: integer}): tree -- boxes that lie as the triangles in them do
rill.collide.pairs(a: tree, b: tree, options?: {a?: table, b?: table, contained?: boolean, stop?: string}): stream|boolean, table -- the pairs of triangles that meet, ascending, ivec2, or ivec3 with the pose in front; and {levels, tests, triangles, lists, contained}
T:ray(origins: source|table, directions: source|table): stream, stream -- where o + t d first meets the surface: t, and the triangle; infinity and -1 where it does not
T:distance(points: source|table): stream, stream, stream -- how far points are from the surface, the nearest triangle, the nearest point
T:contains(points: source|table): stream -- whether points are inside a closed surface: bool
T.kind: string -- what made it: "bvh" or "obbtree"
T.faces: integer -- how many triangles it holds
T.levels: integer -- how many levels of boxes are below the root
T.leaf: integer -- how many triangles a leaf holds
T:close() -- frees its memory at once
]==] },
    { "mesh", [==[
rill.mesh.new(options: {positions: source|table, triangles: source|table, normals?: source|table, uv?: source|table, attributes?: table}): mesh -- a surface of triangles: vec3 positions, ivec3 numbers of vertices from 0; copied and checked
rill.mesh.icosphere(level?: integer): mesh -- a sphere of radius 1, an icosahedron parted `level` times
rill.mesh.torus(options?: {radius?: number, tube?: number, segments?: integer[]}): mesh -- a ring around the z axis
rill.mesh.box(options?: {size?: number|number[], center?: number[]}): mesh -- 8 vertices, 12 triangles
rill.mesh.grid(options?: {size?: number[], segments?: integer[]}): mesh -- a flat sheet in the plane z = 0, with uv
rill.mesh.load(path: string, options?: {skip?: boolean}): mesh -- the mesh of an OBJ, PLY, OFF or STL file, told by its content; skip leaves out lines that OBJ does not have
rill.mesh.marching_cubes(s: source|container, iso: number, options?: {spacing?: number|number[], origin?: number[]}): mesh -- the surface where a volume {layers, rows, columns} is iso, by marching cubes; inside it is less
M.positions: stream -- where the vertices are, the mesh's own stream of vec3
M.triangles: stream -- three numbers of vertices for each triangle, the mesh's own stream of ivec3
M.vertices: integer -- how many vertices there are
M.faces: integer -- how many triangles there are
M.uv: stream? -- texture coordinates, vec2 per vertex or corner; nil without
M.attributes: table -- what else vertices, faces or corners have: streams by name
M:copy(): mesh -- a mesh of its own with the same content
M:transform(matrix: table): mesh -- a mesh whose vertices are M x; matrix: four rows of four numbers
M:weld(epsilon?: number): mesh -- vertices at the same place, or joined by steps of at most epsilon, become one
M:save(path: string, options?: {encoding?: string}) -- writes .obj, .ply, .off or .stl; encoding "ascii", "little" or "big"
M:bounds(): number[]?, number[]? -- the least and the largest coordinates of the vertices; read back
M:normals(): stream -- those stored, else one per vertex, weighed by the areas of the triangles around it
M:area(): number -- of all triangles, in doubles; read back
M:volume(): number -- what a closed mesh encloses, in doubles, negative where it is inside out; read back
M:adjacency(): table -- twin and edge of each half-edge {faces, 3}, valence of each vertex, and the edges, ivec2
M:euler(): integer -- vertices - edges + faces, of the vertices that triangles have
M:components(): integer, stream -- how many parts there are, and the part of each face, from 0
M:is_closed(): boolean -- whether no edge has just one triangle
M:is_manifold(): boolean -- whether each edge has one triangle or two, and those around each vertex are one fan
M:is_oriented(): boolean -- whether no two triangles run along an edge the same way
M:boundary(): stream -- the edges with one triangle, ivec2, as the triangle runs along them
M:close() -- frees its memory at once
]==] },
    { "subdivide", [==[
rill.subdivide.loop(m: mesh, options: {levels: integer, creases?: source|table, limit?: boolean, adaptive?: {edge?: number, pixels?: number, camera?: table, size?: integer[], curvature?: number, kernel?: kernel}, patch?: string}): mesh, table -- Loop's subdivision, everywhere or where edges ask for it, and how many faces and vertices there are at each level
]==] },
}
