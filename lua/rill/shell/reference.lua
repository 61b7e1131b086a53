-- Every public name of rill, once: what `?name` at the prompt prints, what tools/docscov.lua holds the module against, and what
-- annotations and the manual's index are made of. Those of the algebra's operations have their lines in their rows, in rill.algebra.rows; those of modules that
-- solve, simulate and draw are in rill.shell.reference_modules; those of filters of pictures and of solvers are with their files, in
-- rill.image.filters and rill.solve.methods.
-- `make check-annotations` fails for a name without a line, and for a line without its name.
--
-- A line is `signature -- what it does`. Signatures are written as in LuaLS: `name?: type` may be left out, `{key?: type}` is a
-- table of options, what follows `): ` is returned. In front of names stand `rill.`, or for what values have: `s` a stream,
-- `e` an expression, `k` a kernel, `d` a device, `r` a request, `m` a host map, `p` a progress bar, `a` an animation, `t` an address
-- translator, `c` a container,
-- `o` a range, `n` a snapshot, `A` a matrix, `f` a fluid, `M` a mesh, `T` a tree.
local operations = require "rill.algebra.operations"
local container_names = require "rill.core.packed_methods"
local filters = require "rill.image.filters"
local module_lines = require "rill.shell.reference_modules"
local signatures = require "rill.shell.signatures"

local reference = {}

-- The lines of the methods, of streams and of containers, and functions of the algebra.
local function operation_lines()
    local lines = {}
    for _, op in ipairs(operations.list) do
        local signature = operations.signature(op)
        lines[#lines + 1] = signature and ("%s -- %s\n"):format(signature, op.doc)
        lines[#lines + 1] = op.method and ("%s -- %s\n"):format((signature:gsub("^s:", "c:")), op.doc) or nil
    end
    return table.concat(lines)
end

local texts = { -- page of the manual, lines
    { "module", [==[
rill._VERSION: string -- rill's version
rill.type(value: any): string? -- "stream", "expression", "kernel", "struct", "device", "translator", "container", "range", "snapshot", "matrix", "factors", "hierarchy", "fluid", "particles", "wave", "heat", "cloth", "nbody", "mesh", "tree", or nil for anything else
rill.progress(total: number, label?: string): progress -- a progress bar, silent where the output is no terminal; `local p <close>` works
p:step(n?: number) -- n (1 unless told) more of the total are done
p:close() -- ends the bar's line
]==] },
    { "prompt", [==[
rill.command(arguments: string[]): integer -- the command `rill`: what bin/rill runs; returns the exit status
rill.repl(options?: {quiet?: boolean}) -- the prompt, until the end of input; quiet: without the lines about version and device
rill.help(what?: any): string -- the text that `?name` and help(name) print at the prompt: of a name, or of a function, stream, kernel ...
]==] },
    { "device", [==[
rill.devices(): table[] -- the devices that open, hardware first: tables with index, name, vendor, version, software; left_out: why others are not among them, where there are any
rill.selftest(options?: {each: function}): table -- this device against plain Lua, some seconds: a list of checks with name, result ("ok", "allowed", "wrong") and text; passed, summary, about; each(line) as they come
rill.device(): device -- the current device; opened on first use
rill.open(which?: integer|string): device -- makes a device current for this Lua state: a number of rill.devices, a part of its name, or nothing for the first that opens
rill.sync() -- waits for all work
rill.clock(): number -- a monotonic clock, seconds: for timing, between calls of rill.sync
rill.memory(): table -- device memory in bytes: bytes (live), peak, pooled (freed, kept for reuse), limit (0: none); streams (live allocations), and of this process structs (structure types that live) and pages (places for pages that containers hold)
rill.memory_limit(bytes?: integer) -- a limit for the current device's memory; 0 or nothing lifts it
d.name: string -- the driver's name of the device
d.vendor: string -- the driver's vendor
d.version: string -- the driver's OpenGL version
d.software: boolean -- whether it is a software device, as llvmpipe is
d.family: string -- "cpu" or "gpu": which variants of kernels and algorithms it gets
d.limits: table -- group_count, group_size, shared_bytes, block_bytes, texture_texels, storage_blocks, texture_units, uniform_vectors, outputs_per_pass, memory_bytes
d.tuning: table -- choices that decide speed only, by name: tables with value, source ("measured", "default" or "forced") and seconds, the time of each value that was measured
d.traits: table -- what the compiler decides by, and more that a driver is measured for: family, group_size, subgroup_size, subgroup_ops, subgroup_ballot, subgroup_shuffle, synchronous, host_memory, buffer_textures, exact_ranges, loop_limit, kept_loads, exact_rounds, exact_zeros, exact_division, fused_fma, nearest_half, denormals, nans, exact_not, exact_literals, stable_arrays, robust_access, barrier_ns
]==] },
    { "stream", [==[
rill.stream(type: typename, shape: shape, init?: data): stream -- a stream, zero unless init says: one value for all, a flat or nested table, a binary string, or f(i, j, ...) that returns the element
rill.from(list: table, type?: typename): stream -- a stream with the shape of a nested table; float (booleans: bool) unless told; of a vector type the innermost tables are elements
rill.iota(shape: shape): stream -- int 0, 1, 2 ... in row-major order
rill.iter(type: typename, shape: shape, from: element, to: element): stream -- Brook's iterator stream: a ramp from `from` towards `to` (exclusive), which takes no memory and can't be written
rill.concat(list: source[], axis?: integer): stream -- streams of one type one after the other along an axis (1 unless told, -1 is the last)
rill.struct(name: string, fields: string): struct -- a structure type, as in rill.struct("Ray", "vec3 o; vec3 d;"): packed in order, without padding; used where a type is wanted
s.type: string -- GLSL's name of the element type
s.shape: integer[] -- a fresh table of sizes, slowest dimension first: == compares, tostring gives 512x512
s.size: integer -- elements in all; #s is the same
s.nbytes: integer -- bytes its elements take
s:read(first?: index, last?: index): table -- a table nested as the shape: of all, or of the box from index first to index last
s:values(first?: index, last?: index): number[] -- a flat table of numbers, of all or of a box
s:bytes(first?: index, last?: index): string -- a packed little-endian string, of all or of a box
s:write(data: data, first?: index, last?: index): stream -- writes a table, a binary string or a stream of the box's shape; returns the stream
s:get(...: integer): element -- one element: s:get(i, j, ...), counted from 1
s:set(value: element, ...: integer): stream -- writes one element: s:set(value, i, j, ...); returns the stream
s:fill(value: element): stream -- one value everywhere; returns the stream
s:each(): function -- iterates in blocks: for i, v in s:each(), for i, j, v in two dimensions; pairs(s) does the same
s:request(first?: index, last?: index): request -- a read-back in flight
s:map_cpu(options?: {lazy?: boolean}): map -- the elements as a host array m[i], flat, from 1; with lazy only pages that are touched travel
s:gl(): integer, integer, integer, table -- for an OpenGL renderer sharing the context: buffer name, byte offset, byte length, layout
s:copy(): stream -- the elements in a new stream
s:eval(): stream -- the stream itself, as e:eval() of an expression gives a new one
s:cast(type: typename): stream -- converted to another type: floats truncate into integers, bool is x ~= 0
s:like(type?: typename): stream -- a new zero stream of the same shape
s:close() -- frees its memory at once; views of it and expressions stay valid
s:domain(first: index, last: index): stream -- the view of a box, both ends included; negative indices count from the end
s:stride(...: integer): stream -- the view of elements 1, n + 1, 2n + 1 ... of each dimension; one n for all, or one each
s:tile(...: integer): stream -- a view, the whole repeated: 1 2 becomes 1 2 1 2
s:replicate(...: integer): stream -- a view, each element repeated: 1 2 becomes 1 1 2 2
s:group(...: integer): stream -- a view with blocks as trailing dimensions: {R, C} by a, b is {R/a, C/b, a, b}
s:reshape(shape: shape): stream -- a view, the same elements in another shape; of a view with gaps an error that says to copy
s:transpose(axes?: integer[]): stream -- a view with its dimensions reversed, or in the order of the table
s:boundary(...: string|number): stream -- a view that says what gathers and neighbours read outside: "clamp" (the default), "wrap", "mirror", "zero" or a number; one, or one per dimension
r:ready(): boolean -- whether the data has come
r:values(): number[] -- waits; a flat table of numbers
r:bytes(): string -- waits; a packed little-endian string
r:close() -- gives it up
m:unmap() -- writes back what was changed; `local m <close>` does it by itself
]==] },
    { "kernel", [==[
rill.kernel(text: string, options?: {dialect?: string, fast?: boolean}): kernel -- compiles a text and returns its last kernel, which computes what is written unless it is fast: "kernel void f(float x<>, out float r<>) { r = 2.0 * x; }"
rill.program(text: string, options?: {dialect?: string, fast?: boolean}): table -- compiles a text: a table of everything it defines, kernels and structures, by name; dialect "brook" converts as Brook did
rill.programfile(path: string, options?: {dialect?: string, fast?: boolean}): table -- rill.program of a file
rill.check(on?: boolean): boolean -- whether kernels made ready from here on report indices out of range; returns what it was before
rill.active(mask: source): table -- the list of active elements of a mask, made once for several launches' option `where`
rill.branch(cond: source, yes: kernel, no: kernel): function -- a function that launches one kernel where the condition holds and the other elsewhere, into the same outputs
k.name: string -- the kernel's name
k.params: table[] -- its parameters in order: tables with name, type and kind
k:source(): string -- the GLSL compiled last
k:explain(...: any): string -- called like the kernel: what a launch would do, how every argument is reached and why
k:specialize(constants: table): kernel -- a kernel with constants fixed in its text: k:specialize{n = 3}
s:map(expression: string, constants?: table): stream -- a one-line kernel: a GLSL expression in x, the element, and named constants
]==] },
    { "algebra", [==[
e:eval(): stream -- a new stream of the expression's values
e:close() -- lets go of values kept for it, which are computed anew when needed; `local e <close>` works
]==] .. operation_lines() },
    { "primitive", [==[
s:sum(axis?: integer, options?: {keep?: boolean}): value -- the sum of all elements, or a stream of the sums along an axis (from 1, -1 is the last)
s:prod(axis?: integer, options?: {keep?: boolean}): value -- the product of all elements, or along an axis
s:min(axis?: integer, options?: {keep?: boolean}): value -- the least element, or along an axis; of vectors per component; NaN wins
s:max(axis?: integer, options?: {keep?: boolean}): value -- the greatest element, or along an axis; of vectors per component; NaN wins
s:mean(axis?: integer, options?: {keep?: boolean}): value -- the mean of all elements, or along an axis
s:var(axis?: integer, options?: {keep?: boolean}): value -- the variance (of the population), of all or along an axis
s:std(axis?: integer, options?: {keep?: boolean}): value -- the root of the variance, of all or along an axis
s:any(axis?: integer, options?: {keep?: boolean}): value -- whether any element is true or not zero
s:all(axis?: integer, options?: {keep?: boolean}): value -- whether all elements are true or not zero
s:count(axis?: integer, options?: {keep?: boolean}): value -- how many elements are true or not zero
s:argmin(axis?: integer, options?: {keep?: boolean}): value -- the indices i, j, ... of the first least element, from 1; along an axis an int stream of places from 0
s:argmax(axis?: integer, options?: {keep?: boolean}): value -- the indices i, j, ... of the first greatest element, from 1: s:get(s:argmax())
s:norm(axis?: integer, options?: {keep?: boolean}): value -- the root of the sum of squares
s:dot(t: source, axis?: integer, options?: {keep?: boolean}): value -- the sum of products with a stream of the same shape
rill.random(shape: shape, options?: {seed?: integer, type?: typename, distribution?: string, low?: number, high?: number, mean?: number, sd?: number}): stream -- random numbers (Philox4x32-10): "uniform" in [low, high), or "normal"; integers low to high; without seed the next of the sequence rill.seed starts
rill.seed(n?: integer) -- starts the sequence of random numbers that are asked for without a seed
rill.permutation(n: integer, options?: {seed?: integer}): stream -- int 0 .. n - 1 in random order
rill.choice(from: integer|source, shape: shape, options?: {replace?: boolean, p?: source|number[], seed?: integer}): stream -- elements drawn from a stream, or numbers from 0 .. from - 1; p: the chances
]==] },
    { "scan", [==[
s:scan(op?: operator, options?: {exclusive?: boolean, reverse?: boolean, axis?: integer, segments?: source|integer[]}): stream -- every element becomes what op ("add" unless told) makes of it and all elements before it
rill.segmented_reduce(values: source, segments: source|integer[], op?: operator): stream -- one value per segment; segments are lengths, or a bool stream that marks firsts
rill.reduce_by_key(keys: source, values: source, op?: operator): stream, stream -- one key of every run of equal neighbours, and the run's values reduced
]==] },
    { "compact", [==[
s:filter(pred: predicate): stream -- the elements for which the predicate holds, in order
s:find(pred: predicate): stream -- where the predicate holds: flat numbers from 0, int
s:partition(pred: predicate): stream, stream -- two streams in order: elements for which the predicate holds, and the others
s:runs(): stream, stream -- the value of every run of equal neighbours, and the lengths of the runs
s:unique(): stream, stream -- the distinct values, ascending, and how often each occurs
]==] },
    { "sort", [==[
s:sort(options?: {descending?: boolean, axis?: integer, key?: string}): stream -- ordered along the last axis; stable; key: a GLSL expression in x, the element
s:top_k(k: integer, options?: {largest?: boolean}): stream, stream -- the k greatest elements, greatest first, and their places from 0
rill.argsort(s: source, options?: {descending?: boolean, axis?: integer}): stream -- places, from 0, that sort the stream: rill.gather by them sorts
rill.sort_by_key(keys: source, ...: source|{descending?: boolean, axis?: integer}): stream, ... -- the keys and up to 16 streams of values, all in the order of the keys
rill.searchsorted(sorted: source, values: source, options?: {side?: string}): stream -- how many elements of a sorted stream are less than each value; side = "right": not greater
rill.merge(a: source, b: source, options?: {descending?: boolean}): stream -- one sorted stream out of two
]==] },
    { "scatter", [==[
rill.gather(src: source, index: source): stream -- src[index[i]] for every i; indices count from 0: flat, or vectors whose x is the fastest dimension
rill.scatter(dst: stream, index: source, src: source|element, op?: operator): stream -- dst[index[i]] = src[i], or combined with what is there, in the order of i; returns dst
rill.scatter_op(dst: stream, index: source, src: source|element, op: operator): stream -- rill.scatter with an operator: Brook's ScatterOp
rill.gather_op(dst: stream, index: source, src: stream, op: operator): stream -- Brook's GatherOp: dst[i] = src[index[i]], then src[index[i]] = op of it with itself; returns dst
]==] },
    { "histogram", [==[
s:histogram(options?: {bins?: integer|integer[], min?: number|number[], max?: number|number[], weights?: source, outside?: string}): stream -- how many elements fall into each of a row of bins; outside: "drop" or "clamp"
rill.bincount(s: source, options?: {weights?: source, minlength?: integer}): stream -- how often each whole number from 0 on occurs
]==] },
    { "matrix", [==[
rill.matmul(a: source, b: source): stream -- the product of matrices, vectors, or batches of them
]==] },
    { "blas", [==[
rill.blas.axpy(alpha: number, x: source, y: stream): stream -- y = alpha x + y; returns y
rill.blas.scal(alpha: number, x: stream): stream -- x = alpha x; returns x
rill.blas.dot(x: source, y: source): number -- the sum of products
rill.blas.nrm2(x: source): number -- the root of the sum of squares, which neither overflow nor vanish
rill.blas.asum(x: source): number -- the sum of absolute values
rill.blas.iamax(x: source): integer, ... -- where the first element of the greatest absolute value is, from 1; 0 where there is none
rill.blas.gemv(alpha: number, A: source, x: source, beta: number, y: stream, options?: {transpose?: boolean}): stream -- y = alpha A x + beta y; returns y
rill.blas.ger(alpha: number, x: source, y: source, A: stream): stream -- A = alpha x y' + A; returns A
rill.blas.gemm(alpha: number, A: source, B: source, beta: number, C: stream, options?: {transpose_a?: boolean, transpose_b?: boolean}): stream -- C = alpha A B + beta C, of matrices or batches of them; returns C
]==] },
    { "fft", [==[
rill.fft(s: source, options?: {inverse?: boolean, axes?: integer|integer[], real?: boolean, length?: integer}): stream -- the Fourier transform along all dimensions or some; complex numbers are vec2 or dvec2. real: of real numbers half a spectrum, or by inverse back
rill.convolve(a: source, b: source, options?: {boundary?: string|number|(string|number)[]}): stream -- a weighted by b around each element, b turned round; by Fourier transforms where that is cheaper
rill.correlate(a: source, b: source, options?: {boundary?: string|number|(string|number)[]}): stream -- the same, b as it is
]==] },
    { "io", [==[
rill.image.load(path: string, type?: typename): stream -- a picture of any format there is: float, vec3 or vec4 in 0 to 1, {rows, columns}
rill.image.save(s: source, path: string, options?: {min?: number, max?: number, colormap?: string, depth?: integer}) -- writes a picture in the format of the extension
rill.image.formats(): table[] -- the formats of pictures: tables with extension, and name (nil where the extension stands for one of the others)
rill.load(path: string, type?: typename): stream|container -- reads a .npy or .rill file
s:save(path: string) -- writes .npy, or .rill for every type, structures too
]==] },
    { "image", signatures.lines("rill.image.", filters) },
    { "picture", [==[
rill.show(s: source|container|mesh, options?: {width?: integer, min?: number, max?: number, colormap?: string, mode?: string, text?: boolean}): string? -- draws a stream in the terminal: of two dimensions as a picture, of one as a sparkline; of a container where it is mapped; a mesh as rill.render does; text = true returns what else is written
rill.animate(path: string, fps?: number): animation -- an animation of so many frames a second (25 unless told): .png or .apng, or a video through ffmpeg
a:frame(s: source, options?: {min?: number, max?: number, colormap?: string, depth?: integer}): animation -- the next frame, a picture as rill.image.save takes it
a:close() -- ends the file; `local a <close>` does it by itself
]==] },
    { "plot", [==[
rill.plot(...: source|number[]|{label?: string, kind?: string, bins?: integer, color?: string, title?: string, xlabel?: string, ylabel?: string, xmin?: number, xmax?: number, ymin?: number, ymax?: number, xlog?: boolean, ylog?: boolean, legend?: boolean, width?: integer, height?: integer, path?: string, mode?: string, text?: boolean}): string? -- a chart of streams or tables, rill.plot(y), rill.plot(x, y), rill.plot{series, ..., options}: kind is "line", "scatter" or "histogram"; in the terminal, or a file path in .svg or .png
]==] },
    { "profile", [==[
rill.profile(f: function): report, ... -- runs f() and reports what its launches cost: a row per kernel; tostring is a table; what f returns follows
]==] },
    { "cost", [==[
rill.cost(k: kernel, ...: any): table -- whether a launch k(...) is worth its transfers, by Brook's model: bytes_up, bytes_down, seconds gpu, cpu and transfer, speedup, intensity, worthwhile, break_even (launches); tostring is a line
]==] },
    { "debug", [==[
rill.debug.stats(s: source): table -- what is in a stream: count, nan, inf, and min, mean and max of the finite numbers
rill.debug.watch(f: function): ... -- runs f() and stops at the first kernel that writes a NaN, with its name, output and element
s:stats(): table -- rill.debug.stats(s)
]==] },
    { "translator", [==[
rill.translator.linear(options: {shape: shape}): translator -- row-major: any rank to one dimension
rill.translator.fold(options: {shape: shape, to: shape, tiled?: boolean}): translator -- N dimensions into M: row-major, or tiled: the slowest dimensions as tiles side by side, as flat 3-D textures are made
rill.translator.pages(options: {shape: shape, page: shape, levels?: integer, capacity?: integer, adaptive?: boolean}): translator -- a page table of one or more levels; nothing is mapped at first. Adaptive: its pages have levels, too, and cover 2^level times their size
rill.translator.hash(options: {rank?: integer, page?: shape, capacity?: integer}): translator -- pages found by a hash of their coordinates, negative ones too; nothing is mapped at first
rill.translator.lists(options: {shape?: shape, counts?: source, offsets?: source}): translator -- a grid of lists; x is the place in a list. Their lengths, or where each begins and the last ends
rill.translator.compose(outer: translator, inner: translator): translator -- outer of what inner gives, as one program
rill.translator.new(options: {name?: string, rank: integer, to: integer, shape?: shape, glsl?: string, cpu: function, cpu_inverse?: function, ranges?: function, traits?: table}): translator -- one of your own: GLSL functions translate and inverse for the device, Lua functions for points; without glsl a table of what cpu says
t.name: string -- what kind it is: linear, fold, pages ...; of a translator of your own its name
t.rank: integer -- dimensions of its addresses
t.to: integer -- dimensions of addresses in memory
t.shape: integer[] -- the shape of its domain, slowest dimension first; nil where there are no bounds
t.extent: integer[] -- the shape of the memory it gives addresses of; nil where that is not known
t.mapped: integer -- how many pages are mapped; nil where there are none to map
t.traits: table -- memory, access ("1", "log n", "n"), location, consistent, complete, one_to_one, invertible, mutable
t:translate(points: point|source): point|stream|nil -- from addresses to memory: a point on the CPU, a stream of points on the device
t:inverse(points: point|source): point|stream|nil -- from memory to addresses: a point on the CPU, a stream of points on the device
t:ranges(first: point|source, last?: point|source, direction?: string): table[]|table -- the mapped parts of a box that stand in memory one element after the other: tables with first, last, and at, where they begin; of pages of a level above 0, level. "inverse": of a box of memory. Of streams of boxes streams first, last, at and box
t:map(first: point, last: point?, frame: integer, level?: integer): translator -- maps the pages (of a level, 0 unless told) that the box touches to frames from `frame` on, all or none
t:unmap(first: point, last?: point, level?: integer): integer -- unmaps the pages (of a level, 0 unless told) that the box touches, and counts them
t:close() -- lets go of its tables; compositions with it stay valid
]==] },
    { "container", [==[
rill.array(type: typename, shape: shape, options?: {storage?: string, filter?: string, mipmaps?: integer|boolean, cube?: boolean, normalized?: boolean, format?: string, boundary?: translator}): container -- a dense container, zeros at first; storage "texture": sampled by the device, filter "linear" or "nearest", mipmaps: how many levels, cube: by directions, normalized: at positions 0 .. 1, format: what texels are held in; boundary: what lies outside
rill.sparse(type: typename, shape: shape, options: {page: shape, levels?: integer, default?: element, capacity?: integer, overlap?: integer, allocator?: function, boundary?: translator, mapping?: translator}): container -- a container of pages that come as they are allocated or written; capacity: how many there may be; overlap: how many elements around a page stand beside its own, too; mapping: where elements stand among the pages
rill.hashgrid(type: typename, options: {rank?: integer, page?: shape, default?: element, capacity?: integer, allocator?: function}): container -- the same without bounds: indices are any integers, negative ones too
rill.quadtree(type: typename, options: {size: integer|shape, page: integer|shape, depth?: integer, default?: element, capacity?: integer}): container -- an adaptive container of two dimensions: a tree of pages whose nodes are the farther apart the coarser they are; split `depth` times at first
rill.octree(type: typename, options: {size: integer|shape, page: integer|shape, depth?: integer, default?: element, capacity?: integer}): container -- the same of three dimensions
rill.stack(type: typename, options?: {capacity?: integer}): container -- an array that grows and shrinks at its end
rill.lists(type: typename, options: {shape?: shape, counts?: source, offsets?: source, keys?: source, values?: source}): container -- a grid of lists of different lengths: these, or where each begins and the last ends, or the cell of each entry; without values an entry is the place of its key
rill.physical(type: typename, shape: shape, options?: {storage?: string, filter?: string, mipmaps?: integer|boolean, cube?: boolean, normalized?: boolean, format?: string}): stream -- memory for a container: a stream of its own; options as for rill.array
rill.virtual(translator: translator, physical: stream|stream[], options?: {default?: element, boundary?: translator}): container, ... -- a container: a virtual domain whose elements stand in memory where the translator says; of a list of memories one for each; default: what is read where nothing is mapped, zero unless told
c.type: string -- the type of its elements
c.shape: integer[]? -- the shape of its virtual domain, slowest dimension first; nil where it has no bounds
c.size: integer? -- elements of the virtual domain
c.nbytes: integer -- bytes of its memory and of the translator's tables
c.pages: table -- mapped, capacity and free, in pages; nil where the translator has none
c:get(i: integer, ...: integer): element -- one element, indices from 1; the default where nothing is mapped
c:set(value: element, i: integer, ...: integer): container -- sets one element, which is mapped, or will be in a sparse container
c:read(first?: index, last?: index): table -- a box, or all of it, as a table nested as the shape
c:values(first?: index, last?: index): table -- the same as a flat table of numbers
c:bytes(first?: index, last?: index): string -- the same as a packed little-endian string
c:request(first?: index, last?: index): request -- the same as a read-back in flight
c:write(data: data|range, first?: index, last?: index): container -- writes a box, or all of it, which is mapped, or will be in a sparse container; of a range the elements of its container, where they are there, or with the least corner at `first`
c:fill(value: element): container -- sets all that is mapped
c:copy(): container -- the same elements in memory of their own, by the same translator
c:eval(): container -- the container itself, as e:eval() of an expression gives a new one
c:stream(): stream -- all of it as a dense stream
c:like(type?: typename): container -- one of the same kind, all zero as is its default; one with pages has none yet
c:cast(type: typename): container -- the same elements, and default, converted to another type as s:cast does
c:map(expression: string, constants?: table): container -- a one-line kernel as s:map: a container mapped like this one; its default is what the expression gives for the default
c:allocate(first: index|source, last?: index): container -- a sparse container: maps all pages that a box or a stream of points touches, or raises; new ones hold the default
c:release(first: index|source, last?: index): container -- a sparse container: frees all pages that a box or a stream of points touches
rill.container(virtual: container, methods: table): container -- the same container with further methods, which come before its own
c:active(): range -- its mapped part, page by page: what a launch runs over by the option `over`, and unless told
c:range(first?: index, last?: index): range -- a box of it, or all
c:each(range?: range|table): function -- an iterator over the mapped elements, page by page, or over those of a range or a list of ranges: indices and element
c:neighbors(reach: integer|table, range?: range|table): function -- the same with what is around: near, i, j, ...; near(di, dj, ...) is the element so far away, at most reach (one for all dimensions, or one each)
c:update(f: function, range?: range|table): container -- calls f(element, i, j, ...) for the mapped elements, or those of ranges, and writes what it returns; nothing leaves an element as it is
c:generate(f: function, range?: range|table): container -- the same without reading: f(i, j, ...) returns the element
c:map_cpu(options?: {first?: index, last?: index, lazy?: boolean}): table -- a box as an indexable view of elements; assigned ones are written back by m:unmap()
c:bake(on?: boolean): container -- makes the sizes and the like by which its elements are found constants of the kernels that use it; false: uniforms again
c:save(path: string) -- writes a container whose memory is its own to a .rill file, which rill.load reads
c:boundary(...: string|number): container -- the same container with another outside: a mode for all dimensions, or one each, as s:boundary. Of an adaptive one itself: "clamp" or "repeat"; or what nodes on its border hold: "neumann", as those inside, or "dirichlet" and a value
c:refine(points: source|kernel|container, levels?: source|integer): container, range -- an adaptive container: splits leaves until those at the points have the levels or finer ones; or, once, those where an element of a mask, or of what a kernel makes of the container, is not 0; and a range of what is new
c:coarsen(mask: kernel|source|container): container -- an adaptive container: joins leaves where all elements of the mask are not 0
c:level(points: source): stream -- an adaptive container: the level of the leaf at each point; the finest is 0
c:mipmap(how?: string): container -- an adaptive container: sets what coarser levels than the leaves' hold, to means, in which elements weigh by a component ("x" .. "w") where one is named, or with "nearest" to what the same node of the level below has; a texture's mipmaps likewise
c:filter_mode(mode: string): container -- what sample() takes of an adaptive container: "nearest", "linear" (the default) or "trilinear"
c:push(elements: source|container|range): integer, integer -- puts all elements of a stream on a stack, or those of a container or a range of one, in address order: the indices of the first and the last
c:pop(n: integer): stream -- takes the last n from a stack, in the order in which they were pushed: a view that holds until the next push
c:snapshot(): snapshot -- what it holds now: shared with it until that is written, or of rill.virtual, whose memory is not its own, a copy
c:diff(snapshot: snapshot): range -- the pages that came, went or were written since
c:undo(snapshot: snapshot): container -- makes all as it was then; as often as you like
n:close() -- lets go of a snapshot
o.size: integer -- elements of a range
o:each(): function -- an iterator over the indices of its elements, in address order
o:addresses(): stream -- the coordinates of its elements, from 0 and x first, in address order
o:close() -- lets go of a range
c:close() -- lets go of translator and memory at once
]==] },
    { "horn", [==[
rill.horn.filter(s: source, pred: string, options?: {search?: string, struct?: struct}): stream, integer -- Horn's filtering by scan, search and gather: the records for which pred holds; number of passes
rill.horn.scan(nulls: source): stream, integer -- running count of the true elements; passes
rill.horn.search(counts: source, options?: {search?: string}): stream, integer -- how far to the right of its new place each survivor stands; passes
rill.horn.gather(values: source, distances: source, options?: {struct?: struct}): stream -- those records
rill.horn.sort_filter(s: source, pred: string, options?: {struct?: struct}): stream, integer -- the same as filter by a bitonic sort; passes
]==] },
}

-- Those of the modules, in front of the pages of files.
local files = 1
while texts[files][1] ~= "io" do files = files + 1 end
table.move(texts, files, #texts, files + #module_lines)
table.move(module_lines, 1, #module_lines, files, texts)

-- The lines of the methods that containers share with streams, made of those of streams.
local function shared_lines()
    local known, lines = {}, {}
    for _, text in ipairs(texts) do
        for name, arguments, result in ("\n" .. text[2]):gmatch "\ns:([%w_]+)(%b()): ([^\n]-) %-%- " do
            known[name] = {arguments, result}
        end
    end
    for i, row in ipairs(container_names) do
        local name, signature = row[1], known[row[1]]
        lines[i] = ("c:%s%s: %s -- s:%s of what is mapped, in address order%s\n"):format(name, signature[1],
            row.result or signature[2], name, row.doc and ": " .. row.doc or "")
    end
    return table.concat(lines)
end
for _, text in ipairs(texts) do
    text[2] = text[2] .. (text[1] == "container" and shared_lines() or "")
end

-- What stands in kernel texts: the word one would ask for, the form, what it means.
local language = [==[
constant | T name -- one value for the launch: scalars, vectors, mat2 to mat4 (tables of rows), structures
input | T name<> -- input stream: this element. GLSL's implicit conversions apply: an int stream for float x<>
out | out T name<> -- output stream: this element, zero until assigned; any number of them
inout | inout T name<>, inout T name[] -- with <>: this element, updated in place; with []: any element, read and written in no order, GLSL's atomics on int and uint
gather | T name[], T name[][] ... -- gather stream: any element, read only, by name[i][j] or name[ivec2(x, y)] with x the fastest dimension; indices count from 0. A Lua table is uploaded
neighbor | neighbor T name<> -- the elements around this one: name[0] itself, name[-1], name[ivec2(dx, dy)], name[dy][dx]; outside is what s:boundary says
iter | iter T name<> -- an element of a ramp made by rill.iter, which plain inputs and gathers take too
reduce | reduce T name<> -- the accumulator of a reduce kernel: reduce void sum(float x<>, reduce float r<>) { r += x; }. It starts as the first element; the operation must be associative
vout | vout T name<> -- variable output: push(name, value) any number of times per element; the result is compacted, in order
push | push(name, value) -- adds a value to a variable output (vout)
indexof | indexof(name) -- ivec4: this element's index in that stream, from 0, x along the last dimension; indexof(name, d): one number, d = 0 the fastest
sizeof_stream | sizeof_stream(name) -- ivec4: the sizes of a stream, x the last dimension, 1 where there is none
spacingof | spacingof(name) -- how far apart the elements are that the launch visits here: 2^l in a leaf of level l of an adaptive container, else 1
sizeof_list | sizeof_list(name, i) -- how many elements row i of a gather has: entries of a list of rill.lists. One index for each dimension but the fastest, or a vector
sample | sample(name, p), sample(name, p, level) -- linear interpolation of a gather at a real position in element units, x fastest; of adaptive containers and mipmaps at a level
sample_corners | sample_corners(name, p, weights, spacing), sample_corners(name, p, level, weights, spacing) -- the elements that sample interpolates, of one dimension a vec2, of two a vec4 of those at (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1); sets the variables to where between them p is, and how far apart they are
shared | kernel(64) void f(...) { shared float part[64]; ... } -- memory of a work group, in group kernels
barrier | barrier() -- in group kernels: waits for all invocations of the work group
groupid | groupid() -- in group kernels: the number of the work group; a vector where the group has more dimensions
localid | localid() -- in group kernels: the invocation's number in its group; a vector where the group has more dimensions
]==]

--- reference.letters: what stands in signatures for values of the kinds of rill.type that have members. Expressions share those of
-- streams; their own are under "e".
reference.letters = {
    stream = "s", expression = "s", kernel = "k", device = "d", translator = "t", container = "c", range = "o",
    snapshot = "n", matrix = "A", factors = "F", hierarchy = "h", fluid = "f", wave = "W", heat = "H", cloth = "C",
    particles = "P", nbody = "N", mesh = "M", tree = "T",
}

--- reference.aliases: what the words for types in signatures stand for, in LuaLS's notation.
reference.aliases = {
    typename = "string|struct",
    shape = "integer|integer[]",
    index = "integer|integer[]",
    element = "number|boolean|number[]|table",
    data = "number|boolean|table|string|function|stream|expression",
    source = "stream|expression",
    operand = "stream|expression|number|boolean|number[]",
    predicate = "string|kernel|stream|expression",
    operator = "string|kernel",
    value = "number|boolean|number[]|stream|nil",
    point = "integer|integer[]",
}

local entries

--- reference.entries(): the list of all entries, in the order of the manual: tables with `name` ("rill.stream", "s:sum", "k.params"),
-- `signature`, `summary` and `page` (docs/<page>.md); functions have `params`, a list of {name=, type=, optional=, options=}, and
-- `returns`, a list of types; fields have `type`. Entries of the kernel language have `name` and `form` instead of a signature.
function reference.entries()
    if not entries then
        entries = {}
        for _, text in ipairs(texts) do
            for line in text[2]:gmatch "[^\n]+" do
                entries[#entries + 1] = signatures.entry(line, text[1])
            end
        end
        for name, form, summary in language:gmatch "([%w_]+) | (.-) %-%- ([^\n]*)\n" do
            entries[#entries + 1] = { name = name, form = form, summary = summary, page = "kernel", language = true }
        end
    end
    return entries
end

--- reference.find(name): the entries of a name in any spelling: "rill.load", "scan", "s:scan", "kernel:explain".
function reference.find(name)
    local owners = setmetatable({ expression = "e", request = "r", map = "m", progress = "p", animation = "a" },
        { __index = reference.letters })
    local owner, member = name:match "^(%a+)[.:]([%w_]+)$"
    local wanted = owners[owner] and owners[owner] .. "." .. member or name:gsub(":", ".")
    local found = {}
    for _, entry in ipairs(reference.entries()) do
        local own = entry.name:gsub(":", ".")
        if own == wanted or own:match "([^.]+)$" == name or own == "rill." .. wanted then
            found[#found + 1] = entry
        end
    end
    return found
end

--- reference.members(letter): the entries of what a kind of value has: "s" a stream, "k" a kernel ..., by name.
function reference.members(letter)
    local members = {}
    for _, entry in ipairs(reference.entries()) do
        local owner, name = entry.name:match "^(%a+)[.:]([%w_]+)$"
        if owner == letter then
            members[name] = entry
        end
    end
    return members
end

return reference
