-- The reference of every public name of rill. It is the source of `?name` at the prompt, of the editor annotations and
-- of the manual's index, and tools/docscov.lua compares the module with it. Some lines are in other files: operations
-- on expressions in rill.algebra.rows, simulation, solver and rendering modules in rill.shell.reference_modules, image
-- filters in rill.image.filters, and solvers in rill.solve.methods. `make check-annotations` fails for a name without a
-- line, and for a line without its name.
--
-- A line is `signature -- description`. Signatures use the notation of LuaLS: `name?: type` is optional, `{key?: type}`
-- is a table of options, the types after `): ` are the results. Names begin with `rill.`, or with a letter for the type
-- of the value: `s` a stream, `e` an expression, `k` a kernel, `d` a device, `r` a request, `m` a host map, `p` a
-- progress bar, `a` an animation, `t` an address translator, `c` a container, `o` a range, `n` a snapshot, `A` a
-- matrix, `f` a fluid, `K` a neighbor search, `M` a mesh, `T` a tree, `D` a distributed stream, `Q` distributed
-- particles, `Y` distributed smoke, `Z` a distributed fluid of particles, `b` a big stream, `v` a view, `u` a
-- control of a view. `frame` and `groups` are tables and their groups.
local operations = require "rill.algebra.operations"
local container_names = require "rill.core.packed_methods"
local filters = require "rill.image.filters"
local module_lines = require "rill.shell.reference_modules"
local reduction_lines = require "rill.shell.reduction_lines"
local signatures = require "rill.shell.signatures"

local reference = {}

-- Returns the lines of the operations on expressions: functions, and methods of streams and of containers.
local function operation_lines()
    local lines = {}
    for _, op in ipairs(operations.list) do
        local signature = operations.signature(op)
        lines[#lines + 1] = signature and ("%s -- %s\n"):format(signature, op.doc)
        lines[#lines + 1] = op.method and ("%s -- %s\n"):format((signature:gsub("^s:", "c:")), op.doc) or nil
    end
    return table.concat(lines)
end

local texts = { -- {page of the manual, lines}
    { "module", [==[
rill._VERSION: string -- the version of rill, for example "0.2.0"
rill.type(value: any): string? -- returns the type of a value of rill: "stream", "expression", "kernel", "struct", "device", "translator", "container", "range", "snapshot", "matrix", "factors", "hierarchy", "fluid", "particles", "wave", "heat", "cloth", "nbody", "optimizer", "mesh", "tree", "scene", "big", "mpi.stream", "mpi.particles", "mpi.smoke", "mpi.sph", "frame", "neighbors", "view" or "control"; nil for any other value
rill.progress(total: number, label?: string): progress -- returns a progress bar. Nothing is drawn if standard output is not a terminal. `local p <close>` ends it
p:step(n?: number) -- adds n to the completed work. Default: 1
p:close() -- ends the line of the bar
]==] },
    { "gradient", [==[
rill.grad(f: function, options?: {wrt?: integer[], explain?: boolean}): function -- returns a function with the arguments of f that returns the gradients of f, which returns one number: a new stream for each argument that is a stream of floats or doubles, or for the arguments at the positions wrt
rill.value_and_grad(f: function, options?: {wrt?: integer[]}): function -- returns a function that returns the result of f, a number, and the gradients of rill.grad
rill.vjp(f: function, ...: any): stream, function -- calls f and returns its result and a function pull. pull(y_bar) returns for each stream of floats or doubles among the arguments the product of y_bar and the derivative of f
rill.jvp(f: function, arguments: stream[], tangents: stream[]): stream, stream -- returns the result of f(arguments ...) and its derivative in the direction of the tangents: forward mode
rill.hvp(f: function, x: stream|stream[], v: stream|stream[]): stream, ... -- returns the product of the Hessian matrix of f, which returns one number, and v
rill.grad_check(f: function, ...: any): number -- compares rill.grad(f) with central differences. Returns the largest relative error, and raises an error that names the worst element if it is too large, or if a value is NaN. The last argument may be a table of options: elements, the most that are compared of each argument (default: 32), and tolerance
rill.steps(n: integer, state: any, f: function, options?: {checkpoints?: integer}): any -- returns the state after n steps state = f(state, i). A gradient keeps only `checkpoints` states and computes the others again. Default: the square root of 2 n
rill.value(x: any): any -- returns the number of a stream of one element, without a gradient; of other streams the table of their elements
rill.constant(x: source): stream -- returns a new stream with the same elements, without a gradient
]==] },
    { "prompt", [==[
rill.command(arguments: string[]): integer -- runs the command `rill` with these arguments, as bin/rill does, and returns the exit status
rill.repl(options?: {quiet?: boolean}) -- runs the prompt until the end of input. quiet: do not print the line with version and device. Default: false
rill.help(what?: any): string -- returns the text that `?name` and help(name) print at the prompt, for a name or for a value: a function, a stream, a kernel ...
]==] },
    { "device", [==[
rill.devices(): table[] -- returns the devices that can be opened, hardware first: tables with index, name, vendor, version and software. The field left_out lists why other devices are missing, if there are any
rill.selftest(options?: {each: function}): table -- compares this device with plain Lua; takes some seconds. Returns a list of checks with name, result ("ok", "allowed" or "wrong") and text, and the fields passed, summary and about. each(line) is called with the line of each check
rill.device(): device -- returns the current device, and opens it when it is first needed
rill.open(which?: integer|string): device -- makes a device current for this Lua state: an index in rill.devices(), or a part of its name. Default: the first device that can be opened
rill.sync() -- waits until all submitted work is complete
rill.clock(): number -- returns the time of a monotonic clock in seconds. To time work, call rill.sync before each reading
rill.memory(): table -- returns the use of device memory in bytes: bytes (live), peak, pooled (freed and kept for reuse), limit (0: no limit). Also streams (number of live allocations) and, for the whole process, structs (live structure types) and pages (page frames that containers hold)
rill.memory_limit(bytes?: integer) -- sets a limit in bytes for the memory of the current device. 0 or no argument removes the limit
d.name: string -- the name of the device, as reported by the driver
d.vendor: string -- the vendor, as reported by the driver
d.version: string -- the OpenGL version, as reported by the driver
d.software: boolean -- true if it is a software device, such as llvmpipe
d.family: string -- "cpu" or "gpu". It selects variants of kernels and algorithms
d.limits: table -- limits of the device: group_count, group_size, shared_bytes, block_bytes, texture_texels, storage_blocks, texture_units, uniform_vectors, outputs_per_pass, memory_bytes
d.tuning: table -- choices that affect speed only, by name: tables with value, source ("measured", "default" or "forced") and seconds, the time of each measured value
d.traits: table -- measured properties of the driver. The compiler uses some of them: family, group_size, subgroup_size, subgroup_ops, subgroup_ballot, subgroup_shuffle, synchronous, host_memory, buffer_textures, exact_ranges, loop_limit, kept_loads, exact_rounds, exact_zeros, group_progress, exact_division, fused_fma, nearest_half, denormals, nans, exact_not, exact_literals, stable_arrays, robust_access, barrier_ns
]==] },
    { "stream", [==[
rill.stream(type: typename, shape: shape, init?: data): stream -- returns a new stream. init: one value for all elements, a flat or nested table, a binary string, or a function f(i, j, ...) that returns an element. Default: zeros
rill.from(list: table, type?: typename): stream -- returns a stream with the shape of a nested table. Default type: float, or bool for booleans. With a vector type the innermost tables are elements
rill.zeros(shape: shape, type?: typename): stream -- returns a stream of zeros. Default type: float
rill.ones(shape: shape, type?: typename): stream -- returns a stream of ones. Default type: float
rill.full(shape: shape, value: element, type?: typename): stream -- returns a stream whose elements have one value. Default type: float, bool for a boolean, a vector of floats for a table
rill.eye(n: integer, type?: typename): stream -- returns an n by n stream with ones on the diagonal and zeros elsewhere. Default type: float
rill.arange(from: number, to?: number, step?: number, type?: typename): stream -- returns the numbers from `from` (inclusive) to `to` (exclusive): rill.arange(to), rill.arange(from, to), rill.arange(from, to, step). Default type: int if all numbers are integers, else float
rill.linspace(from: number, to: number, n: integer, type?: typename): stream -- returns n evenly spaced numbers from `from` to `to`, both inclusive. Default type: float
rill.logspace(from: number, to: number, n: integer, options?: {base?: number, type?: string}): stream -- returns n numbers from base ^ from to base ^ to, both inclusive, whose logarithms are evenly spaced. Defaults: base 10, type float
rill.geomspace(from: number, to: number, n: integer, type?: string): stream -- returns n numbers from `from` to `to` with a constant ratio of neighbors
rill.meshgrid(...: source|number[]|{indexing?: string}): stream -- returns one stream for each stream of one dimension: the coordinates of the points of their grid. indexing: "xy" (x runs along the last dimension) or "ij". Default: "xy"
rill.print_options(options?: {precision?: integer|string, threshold?: integer, edge_items?: integer, width?: integer}): table -- sets how streams are printed, and returns the former options. precision: significant digits of floats, 1 to 17, or "auto" (14 for double, else 7). threshold: the largest number of elements that are printed completely. edge_items: elements at each end of a row, and rows at each end of a matrix, of larger streams. width: characters per line. Defaults: "auto", 100, 3, 80
rill.iota(shape: shape): stream -- returns a stream of int 0, 1, 2 ... in row-major order
rill.iter(type: typename, shape: shape, from: element, to: element): stream -- returns Brook's iterator stream: a linear ramp from `from` (inclusive) to `to` (exclusive). It takes no memory and cannot be written
rill.concat(list: source[], axis?: integer): stream -- joins streams of one type along an axis. Default axis: 1; -1 is the last one
rill.struct(name: string, fields: string): struct -- defines a structure type, for example rill.struct("Ray", "vec3 o; vec3 d;"). Fields are packed in order, without padding. The result is accepted wherever a type is expected
s.type: string -- the GLSL name of the element type
s.shape: integer[] -- a new table of sizes, slowest dimension first. == compares shapes, tostring gives 512x512
s.size: integer -- the number of elements; #s is the same
s.nbytes: integer -- the size of the elements in bytes
s:read(first?: index, last?: index): table -- returns the elements as a table nested like the shape: all, or the box from index first to index last (1-based, inclusive)
s:values(first?: index, last?: index): number[] -- returns the elements of all or of a box as a flat table of numbers
s:bytes(first?: index, last?: index): string -- returns the elements of all or of a box as a packed little-endian string
s:write(data: data, first?: index, last?: index): stream -- writes a table, a binary string or a stream of the same shape as the box; returns the stream
s:field(name: string): expression -- returns a field of structures, or components of vectors, as s.name does, also a field with the name of a method. Written by s.name = value, or by the methods write, fill and set of the result
s:get(...: integer): element -- returns one element: s:get(i, j, ...), 1-based
s:set(value: element, ...: integer): stream -- writes one element: s:set(value, i, j, ...), 1-based; returns the stream
s:fill(value: element): stream -- sets all elements to one value; returns the stream
s:each(): function -- iterates over the elements, which are read in blocks: for i, v in s:each(), or for i, j, v in two dimensions. pairs(s) is equivalent
s:request(first?: index, last?: index): request -- starts an asynchronous read of all elements or of a box
s:map_cpu(options?: {lazy?: boolean}): map -- returns the elements as a flat, 1-based host array m[i]. lazy: transfer only the pages that are accessed. Default: false
s:gl(): integer, integer, integer, table -- returns the buffer name, byte offset, byte length and layout, for an OpenGL renderer that shares the context
s:copy(): stream -- returns a copy of the stream
s:eval(): stream -- returns the stream itself; e:eval() of an expression returns a new stream
s:cast(type: typename): stream -- returns the elements converted to another type. Floats are truncated to integers; bool is x ~= 0
s:like(type?: typename): stream -- returns a new stream of zeros with the same shape
s:close() -- frees the memory at once. Views of the stream and expressions stay valid
s:domain(first: index, last: index): stream -- returns a view of a box, both ends inclusive; numbers select along the first dimension. Negative indices count from the end
s:stride(...: integer): stream -- returns a view of the elements 1, n + 1, 2n + 1 ... of each dimension. A negative n begins at the last element. One n for all dimensions, or one for each
s:flip(axis?: integer|integer[]): stream -- returns a view with the elements in reverse order along an axis, or along a list of axes. Default: all
s:as(type: typename): stream -- returns a view of vectors as numbers, with the components as a new last dimension, or the reverse: float {H, W, 3} is vec3 {H, W}
s:tile(...: integer): stream -- returns a view that repeats the whole stream: 1 2 becomes 1 2 1 2
s:replicate(...: integer): stream -- returns a view that repeats each element: 1 2 becomes 1 1 2 2
s:group(...: integer): stream -- returns a view with blocks as trailing dimensions: {R, C} by a, b gives {R/a, C/b, a, b}
s:windows(n: integer, hop?: integer): stream -- returns a view with a new last dimension: windows of n consecutive elements of the last dimension that begin every `hop` elements, without a copy. It can be read only if windows overlap. Default of hop: 1
s:reshape(shape: shape): stream -- returns a view of the same elements with another shape. One size may be -1: it is computed. Raises an error for a view with gaps, which has to be copied first
s:rot90(k?: integer, axes?: integer[]): stream -- returns a view that is rotated by k quarter turns in the plane of two axes. Defaults: 1, {1, 2}
s:transpose(axes?: integer[]): stream -- returns a view with the dimensions in reverse order, or in the order of the table
s:split(n: integer, axis?: integer): stream[] -- returns a table of n views: the equal parts along an axis. Default axis: 1
s:squeeze(axis?: integer): stream -- returns a view without the dimensions of size 1, or without one of them
s:expand(axis: integer): stream -- returns a view with a new dimension of size 1 at this position
s:select(indices: source|table, axis?: integer): stream -- returns the elements at 0-based indices, or where a mask is true. axis: select along this dimension. Default: all elements in row-major order; 1 for a mask of one dimension
rill.take_along(s: source, indices: source|table, axis?: integer): stream -- returns the elements at 0-based indices along an axis, in the shape of the indices: numpy's take_along_axis. Accepts the results of rill.argsort and s:argmax(axis). Default of axis: the last
rill.unravel_index(indices: source|table, shape: shape): stream, ... -- returns the 0-based indices in each dimension of a shape of 0-based flat indices
s:roll(n: integer|integer[], axis?: integer|integer[]): stream -- returns the elements moved by n along an axis; elements that leave the end enter at the beginning. Default: all elements in row-major order
s:pad(options: {before?: integer|integer[], after?: integer|integer[], value?: element, boundary?: string}): stream -- returns the stream with elements added before and after each dimension: value (default 0), or a boundary: "clamp", "wrap", "mirror" or "reflect"
s:diff(n?: integer, axis?: integer): stream -- returns the n-th differences of neighbors along an axis. Defaults: n = 1, the last axis
s:boundary(...: string|number): stream -- returns a view that defines what gathers and neighbors read outside of the stream: "clamp" (default), "wrap", "mirror", "zero" or a number. One mode for all dimensions, or one for each
r:ready(): boolean -- returns whether the data has arrived
r:values(): number[] -- waits for the data and returns a flat table of numbers
r:bytes(): string -- waits for the data and returns a packed little-endian string
r:close() -- discards the request
m:unmap() -- writes modified elements back to the device. `local m <close>` does this at the end of its block
]==] },
    { "kernel", [==[
rill.kernel(text: string, options?: {dialect?: string, fast?: boolean}): kernel -- compiles a kernel text and returns its last kernel: "kernel void f(float x<>, out float r<>) { r = 2.0 * x; }". fast: permit fast math. Default: false
rill.program(text: string, options?: {dialect?: string, fast?: boolean}): table -- compiles a kernel text and returns a table of all its kernels and structures, by name. dialect = "brook": read kernel bodies as Brook did
rill.programfile(path: string, options?: {dialect?: string, fast?: boolean}): table -- compiles a file as rill.program does
rill.check(on?: boolean): boolean -- turns the check of indices on or off for kernels that are compiled from now on, and returns the previous setting
rill.active(mask: source): table -- returns the list of active elements of a mask, to be used by the option `where` of several launches
rill.branch(cond: source, yes: kernel, no: kernel): function -- returns a function that launches kernel `yes` where the condition holds and kernel `no` elsewhere, with the same outputs
k.name: string -- the name of the kernel
k.params: table[] -- the parameters in order: tables with name, type and kind
k:source(): string -- returns the GLSL text that was compiled last
k:notes(): string[] -- returns notes about what is legal in the text of the kernel but probably not meant: "file:line:column: note: ..." with the line. There are notes about an assignment to an input or constant, a quotient of ints that becomes a float, a variable that hides a parameter, a parameter that is not used, and an output that is never assigned
k:explain(...: any): string -- takes the arguments of a launch and describes it: how each argument is accessed, and why
k:gradient(options?: {wrt?: string[]}): function -- returns the adjoint of the kernel (reverse mode), called with its arguments and then the adjoint r_bar of each output r, by position or by name: the adjoints of the parameters wrt (default: all of floats)
k:tangent(options?: {wrt?: string[]}): function -- returns the tangent of the kernel (forward mode), called with its arguments and then the tangent x_dot of each parameter x of wrt: the outputs, then their tangents
k:specialize(constants: table): kernel -- returns a kernel with constants fixed in its text: k:specialize{n = 3}
k:seed(n: integer): kernel -- returns the kernel with the random numbers of a seed in all its launches. Kernels call random(), random2() to random4(), random_int(n), random_normal() and random_exponential()
s:map(expression: string, constants?: table): stream -- runs a one-line kernel: a GLSL expression in x, the element, and named constants. x.name is a field of a structure
]==] },
    { "algebra", [==[
e:eval(): stream -- returns a new stream with the values of the expression
e:close() -- frees cached values, which are computed again when needed. `local e <close>` works
rill.isclose(a: source|number, b: source|number, options?: {rtol?: number, atol?: number, equal_nan?: boolean}): expression|boolean -- returns whether elements are nearly equal: |a - b| <= atol + rtol |b|. Defaults: 1e-5, 1e-8, false
]==] .. operation_lines() },
    { "primitive", reduction_lines.streams() .. [==[
s:softmax(axis?: integer|integer[]): stream -- returns exp(s) / sum(exp(s)) along an axis, stable. Default: all elements together
s:logsumexp(axis?: integer|integer[], options?: {keep?: boolean}): value -- returns log(sum(exp(s))) of all elements, or along an axis, stable
s:nansum(axis?: integer|integer[], options?: {keep?: boolean}): value -- returns the sum of the elements that are not NaN
s:nanmean(axis?: integer|integer[], options?: {keep?: boolean}): value -- returns the mean of the elements that are not NaN
rill.random(shape: shape, options?: {seed?: integer, type?: typename, distribution?: string, low?: number, high?: number, mean?: number|source, sd?: number, shape?: number|source, scale?: number|source, a?: number|source, b?: number|source, n?: integer|source, p?: number|source|number[]}): stream -- returns random numbers (Philox4x32-10): "uniform" in [low, high), or integers from low to high; "normal", "exponential", "gamma", "beta", "poisson", "binomial", "multinomial". Default seed: the next one of the sequence that rill.seed starts
rill.seed(n: integer) -- starts the sequence of random numbers that rill.random and kernels draw without the option seed
rill.permutation(n: integer, options?: {seed?: integer}): stream -- returns int 0 .. n - 1 in random order
rill.choice(from: integer|source, shape: shape, options?: {replace?: boolean, p?: source|number[], seed?: integer}): stream -- draws elements of a stream, or integers from 0 to from - 1. p: the probabilities
]==] },
    { "scan", [==[
s:scan(op?: operator, options?: {exclusive?: boolean, reverse?: boolean, axis?: integer, segments?: source|integer[]}): stream -- returns the inclusive scan: each element combined with all elements before it by op. Default op: "add"
s:cumsum(axis?: integer): stream -- returns the sums of each element and all elements before it along an axis; without axis of all elements, in one dimension
s:cumprod(axis?: integer): stream -- returns the products of each element and all elements before it, as s:cumsum
rill.segmented_reduce(values: source, segments: source|integer[], op?: operator): stream -- reduces each segment to one value. segments: lengths, or a bool stream that marks the first element of each segment
rill.reduce_by_key(keys: source, values: source, op?: operator): stream, stream -- returns one key for each run of equal adjacent keys, and the reduced values of the run
rill.quantile_by_key(keys: source, values: source, q: number|number[]): stream, stream -- returns one key for each run of equal adjacent keys, and the quantile q of the values of the run; {#q, runs} for a table q
]==] },
    { "statistics", [==[
s:median(axis?: integer|integer[], options?: {keep?: boolean}): value -- returns the median of all elements, or along an axis
s:quantile(q: number|number[], options?: {axis?: integer|integer[], keep?: boolean, method?: string}): value -- returns the value below which the fraction q (0 to 1) of the elements is. method: as in numpy. Default: "linear", interpolation between elements
s:nanquantile(q: number|number[], options?: {axis?: integer|integer[], keep?: boolean, method?: string}): value -- returns the quantile of the elements that are not NaN
s:percentile(p: number|number[], options?: {axis?: integer|integer[], keep?: boolean, method?: string}): value -- returns s:quantile(p / 100)
rill.cov(m: source, y?: source, options?: {ddof?: number}): value -- returns the covariance matrix; the rows of m and y are variables. ddof: divide by n - ddof. Default: 1
rill.corrcoef(m: source, y?: source): value -- returns the matrix of correlation coefficients; the rows of m and y are variables
rill.interp(x: source|number, xp: source|number[], fp: source|number[], options?: {left?: number, right?: number}): value -- returns the values at x of the piecewise linear function with the values fp at the points xp
s:moving_mean(n: integer, options?: {axis?: integer, boundary?: string|number}): stream -- returns the means of n consecutive elements along an axis
s:ewm(options: {alpha?: number, span?: number, halflife?: number, com?: number, adjust?: boolean, axis?: integer}): stream -- returns exponentially weighted means along an axis, as in pandas; one of the first four options is the decay
]==] },
    { "calculus", [==[
rill.gradient(s: source, options?: {spacing?: number|source|table, axis?: integer|integer[], edge_order?: integer}): stream, ... -- returns the derivative of samples by finite differences along an axis; of several dimensions one stream for each
rill.trapz(y: source, options?: {x?: source|number[], spacing?: number, axis?: integer}): value -- returns the integral of samples along an axis by the trapezoidal rule
rill.cumtrapz(y: source, options?: {x?: source|number[], spacing?: number, axis?: integer, initial?: number}): stream -- returns the integrals of samples from the first one to each later one
rill.polyfit(x: source|number[], y: source|number[], degree: integer, options?: {weights?: source|number[]}): stream -- returns the coefficients of the polynomial that fits points best, the highest power first, as double
rill.polyval(p: source|number[], x: source|number): value -- returns the values of a polynomial at x
rill.roots(p: source|number[]): stream -- returns the roots of a polynomial as dvec2, complex numbers
]==] },
    { "compact", [==[
s:filter(pred: predicate): stream -- returns the elements for which the predicate holds, in order
s:find(pred: predicate): stream -- returns the flat 0-based indices of the elements for which the predicate holds, as int
s:partition(pred: predicate): stream, stream -- returns two streams, each in order: the elements for which the predicate holds, and the others
s:runs(): stream, stream -- returns the value of each run of equal adjacent elements, and the lengths of the runs
s:unique(options?: {inverse?: boolean}): stream, stream, stream? -- returns the distinct values in ascending order, and the count of each. inverse: also the 0-based index of each element in the distinct values
]==] },
    { "sort", [==[
s:sort(options?: {descending?: boolean, axis?: integer, key?: string}): stream -- returns the elements sorted along the last axis; stable. key: a GLSL expression in x, the element
s:top_k(k: integer, options?: {largest?: boolean}): stream, stream -- returns the k largest elements in descending order, and their 0-based indices
rill.argsort(s: source, options?: {descending?: boolean, axis?: integer}): stream -- returns the 0-based indices that sort the stream: rill.gather(s, indices) is sorted
rill.lexsort(keys: source[], options?: {descending?: boolean|boolean[]}): stream -- returns the 0-based indices that sort rows by several keys, streams of one dimension: the first key is the primary one. Stable
rill.sort_by_key(keys: source, ...: source|{descending?: boolean, axis?: integer}): stream, ... -- sorts keys, and up to 16 streams of values in the order of the keys
rill.searchsorted(sorted: source, values: source|number, options?: {side?: string}): stream -- returns, for each value (or for one number, as a number), the number of elements of a sorted stream that are less than it. side = "right": less than or equal
rill.lookup(keys: source, table_keys: source, table_values: source, default?: element): stream -- returns the value of each key: that of the equal element of table_keys, whose elements differ. Default for keys that the table does not have: NaN for floats, else an error
s:isin(t: source|table): stream -- returns, as booleans, whether each element is an element of t
rill.union(a: source, b: source): stream -- returns the distinct elements of two streams, ascending
rill.intersect(a: source, b: source): stream -- returns the distinct elements of a that are elements of b, ascending
rill.difference(a: source, b: source): stream -- returns the distinct elements of a that are not elements of b, ascending
rill.merge(a: source, b: source, options?: {descending?: boolean}): stream -- merges two sorted streams into one
]==] },
    { "scatter", [==[
rill.gather(src: source, index: source|table): stream -- returns src[index[i]] for each i. Indices are 0-based: flat indices, or vectors whose component x is the fastest dimension
rill.scatter(dst: stream, index: source, src: source|element, op?: operator): stream -- writes dst[index[i]] = src[i], or combines src[i] with the old element by op, in the order of i; returns dst
rill.scatter_op(dst: stream, index: source, src: source|element, op: operator): stream -- writes as rill.scatter with an operator: Brook's ScatterOp
rill.gather_op(dst: stream, index: source, src: stream, op: operator): stream -- runs Brook's GatherOp: dst[i] = src[index[i]], then src[index[i]] is combined with itself by op; returns dst
]==] },
    { "histogram", [==[
s:histogram(options?: {bins?: integer|integer[], min?: number|number[], max?: number|number[], weights?: source, outside?: string}): stream, stream -- counts the elements in each of a row of bins, and returns the edges of the bins. outside: "drop" or "clamp" elements outside of the bins
rill.histogram2d(x: source, y: source, options?: {bins?: integer|integer[], min?: number|number[], max?: number|number[], weights?: source, outside?: string}): stream, stream, stream -- counts the pairs x, y in each bin of a grid {bins of x, bins of y}, and returns the edges of the bins of x and y
rill.bincount(s: source, options?: {weights?: source, minlength?: integer}): stream -- counts the occurrences of each integer, from 0
]==] },
    { "matrix", [==[
rill.matmul(a: source, b: source, options: table?): stream -- multiplies matrices, vectors, or batches of them
rill.einsum(subscripts: string, a: source, ...: source): value -- returns a sum of products, as in numpy: "ij,jk->ik" is a matrix product
rill.outer(a: source, b: source): stream -- returns the products of all elements of a with all elements of b, {a.size, b.size}
rill.trace(s: source, options?: {offset?: integer}): value -- returns the sum of the diagonal of a matrix
rill.kron(a: source, b: source): stream -- returns the Kronecker product: each element of a multiplied by all of b
rill.tensordot(a: source, b: source, axes?: integer|table): value -- returns the sum of products over pairs of dimensions. axes: the last ones of a and the first ones of b, or {axes of a, axes of b}. Default: 2
rill.inner(a: source, b: source): value -- returns the sum of products over the last dimensions
rill.vdot(a: source, b: source): value -- returns the sum of the products of all elements; complex numbers (vec2) of a are conjugated
rill.tril(s: source, k?: integer): stream -- returns the lower triangles of matrices: zeros above diagonal k
rill.triu(s: source, k?: integer): stream -- returns the upper triangles of matrices: zeros below diagonal k
rill.diagonal(s: source, options?: {offset?: integer, axes?: integer[]}): stream -- returns the diagonal of a matrix, or of matrices along two axes
]==] },
    { "blas", [==[
rill.blas.axpy(alpha: number, x: source, y: stream): stream -- computes y = alpha x + y; returns y
rill.blas.scal(alpha: number, x: stream): stream -- computes x = alpha x; returns x
rill.blas.dot(x: source, y: source): number -- returns the dot product
rill.blas.nrm2(x: source): number -- returns the Euclidean norm; the squares neither overflow nor underflow
rill.blas.asum(x: source): number -- returns the sum of absolute values
rill.blas.iamax(x: source): integer, ... -- returns the 1-based index of the first element with the largest absolute value; 0 for an empty stream
rill.blas.gemv(alpha: number, A: source, x: source, beta: number, y: stream, options?: {transpose?: boolean}): stream -- computes y = alpha A x + beta y; returns y
rill.blas.ger(alpha: number, x: source, y: source, A: stream): stream -- computes A = alpha x y' + A; returns A
rill.blas.gemm(alpha: number, A: source, B: source, beta: number, C: stream, options?: {transpose_a?: boolean, transpose_b?: boolean}): stream -- computes C = alpha A B + beta C for matrices or batches of them; returns C
]==] },
    { "fft", [==[
rill.fft(s: source, options?: {inverse?: boolean, axes?: integer|integer[], real?: boolean, length?: integer}): stream -- returns the Fourier transform along all dimensions, or along `axes`. Complex numbers are vec2 or dvec2. real: transform real numbers to half a spectrum, or back with inverse
rill.fftfreq(n: integer, d?: number, type?: typename): stream -- returns the frequencies of the n coefficients of rill.fft for samples at a distance of d, negative ones in the upper half. Defaults: d 1, type "float"
rill.rfftfreq(n: integer, d?: number, type?: typename): stream -- returns the frequencies of the n // 2 + 1 coefficients of rill.fft with the option real. Defaults: d 1, type "float"
rill.fftshift(s: source, axes?: integer|integer[]): stream -- returns the elements with those of frequency 0 in the middle, index n // 2 (0-based), of all dimensions, or of those in axes
rill.ifftshift(s: source, axes?: integer|integer[]): stream -- undoes rill.fftshift
rill.convolve(a: source, b: source|number[], options?: {boundary?: string|number|(string|number)[]}): stream -- returns the convolution of a with b, by Fourier transforms if that is cheaper
rill.correlate(a: source, b: source|number[], options?: {boundary?: string|number|(string|number)[]}): stream -- returns the cross-correlation of a with b: as rill.convolve, but b is not reversed
]==] },
    { "io", [==[
rill.image.load(path: string, type?: typename): stream -- loads an image of any supported format: float, vec3 or vec4 in 0 to 1, shape {rows, columns}
rill.image.save(s: source, path: string, options?: {min?: number, max?: number, colormap?: string, depth?: integer, quality?: integer}) -- writes an image in the format of the path's extension
rill.image.formats(): table[] -- returns the image formats: tables with extension, name (nil if the extension is an alias of another one) and lossy (whether samples change)
rill.csv.load(path: string, options?: {header?: boolean, delimiter?: string, quote?: string|boolean, decimal?: string, comment?: string, skip?: integer, missing?: string[], columns?: string|integer|(string|integer)[], type?: string|table, frame?: boolean}): table|frame -- reads the columns of a text file (CSV, TSV): streams of double, and tables of strings for text, by name and by index; names is the list of names. frame: returns a frame, whose columns of text are categories
rill.csv.save(path: string, columns: table, options?: {header?: boolean, delimiter?: string, decimal?: string, digits?: integer, missing?: string}) -- writes streams and tables of strings as the columns of a text file
rill.load(path: string, type?: typename, options?: {round?: boolean}): stream|container -- loads a .npy or .rill file. round: 64-bit integers that double does not represent are rounded. Default: false, they are an error
rill.sound.load(path: string, type?: typename): stream, integer -- loads a WAV, FLAC, Ogg Vorbis, AIFF or MP3 file: the samples as a stream {frames, channels}, from -1 to 1, and the number of frames per second. type: "float", "double", or "int" for the integers in the file. Default: "float"
rill.sound.save(s: source, path: string, rate: integer, options?: {depth?: integer|string, quality?: integer}) -- writes a stream {frames} or {frames, channels} as a .wav, .flac, .aiff, .ogg or .mp3 file. depth: 8, 16, 24 or 32 bits, "float" or "double". Default: 16, or the bits of an integer type. quality: of .ogg and .mp3, 1 to 100
rill.wav.load(path: string, type?: typename): stream, integer -- an earlier name of rill.sound.load: the samples as a stream {frames, channels}, from -1 to 1, and the number of frames per second. type: "float", "double", or "int" for the integers in the file. Default: "float"
rill.wav.save(s: source, path: string, rate: integer, options?: {depth?: integer|string, quality?: integer}) -- an earlier name of rill.sound.save: writes a stream {frames} or {frames, channels}. depth: 8, 16, 24 or 32 bits, "float" or "double". Default: 16, or the bits of an integer type
rill.npz.load(path: string, options?: {arrays?: string|string[], type?: string|table, round?: boolean}): table -- reads the arrays of a .npz file: streams by name and by index; names is the list of names
rill.npz.save(path: string, arrays: table, options?: {compress?: boolean}) -- writes streams by name to a .npz file. compress: deflate the arrays. Default: false
s:save(path: string) -- writes a .npy file, or a .rill file, which supports all types including structures
]==] },
    { "frame", [==[
rill.frame(columns: table, options?: {order?: string[]}): frame -- returns a table of named columns of the same length: streams of one dimension, lists of numbers, booleans or strings, or one value for all rows. Forms: {name = column, ...}, {{"name", column}, ...}, or a list of rows {{name = value, ...}, ...}. order: the names that are first. Default: sorted by name
rill.frame.load(path: string, options?: table): frame -- reads a table from a .csv, .tsv or .npz file, with the options of rill.csv.load or rill.npz.load. Columns of text are categories
rill.frame.save(t: frame, path: string, options?: table) -- writes a table to a .csv, .tsv or .npz file, with the options of rill.csv.save or rill.npz.save
rill.frame.category(values: string[]|stream, names?: string[]): stream -- returns a category, a stream of uint with names: of a list of strings (false: missing), of a stream of codes and the list of their names, or of a category without the names that do not occur. The order of names is the order in which they are sorted. Default: ascending
rill.frame.concat(list: frame[]): frame -- returns the rows of the tables in a list, which have the same columns
frame.names: string[] -- a new list of the names of the columns
frame.types: table -- a new table of the types of the columns by name: "category", or the type of the elements
frame:column(name: string): stream -- returns a column, also one with the name of a method; t.x and t["x"] return it, too
frame:head(n?: integer): frame -- returns the first n rows. Default: 10
frame:tail(n?: integer): frame -- returns the last n rows. Default: 10
frame:rows(first: integer, last?: integer): frame -- returns the rows first to last (1-based, inclusive). Negative indices count from the end. Default of last: -1
frame:take(indices: source|integer[]): frame -- returns the rows at 0-based indices
frame:each(): function -- iterates over the rows: for i, row in t:each(). A row is a table by name
frame:table(): table -- returns the columns as Lua lists by name; a missing name is false
frame:select(names: string|string[]): frame -- returns some columns, in this order
frame:drop(names: string|string[]): frame -- returns the other columns
frame:rename(names: table): frame -- renames columns: {old = "new"}
frame:with(columns: table, constants?: table): frame -- adds or replaces columns: {z = "x * 2 + y"}. A string is an expression over the columns, other values are columns as in rill.frame. In the form {{"z", "x * 2"}, ...} an expression may use the columns before it
frame:filter(condition: string|source, constants?: table): frame -- returns the rows for which a condition holds: an expression such as "x > 2 and name == 'a'", or a mask
frame:sort(names: string|(string|table)[]): frame -- sorts the rows by columns, the most important one first; "-x" is descending. Stable; NaN and missing values are last
frame:unique(names?: string|string[]): frame -- returns the first row of each combination of values of some columns. Default: all columns
frame:group(names: string|string[]): groups -- groups the rows with equal values of columns
frame:join(u: frame, options: {on: string|string[]|table, how?: string, suffix?: string, default?: number|boolean|table, unique?: boolean}): frame -- returns the pairs of rows with equal keys. on: the keys, or {left = names, right = names}. how: "inner", "left", "outer", "semi" or "anti". suffix: of columns of u that t has, too. default: the value of integers without an equal key. unique: the keys of u must differ. Defaults: "inner", "_2"
frame:concat(...: frame): frame -- returns the rows of several tables with the same columns
frame:pivot(options: {index: string|string[], columns: string, values: string, with?: string|table, default?: number|boolean}): frame -- returns a row for each value of index and a column for each value of columns, with the aggregate of values. Default of with: "sum"
frame:melt(options?: {id?: string|string[], values?: string|string[], variable?: string, value?: string}): frame -- returns the columns values one after the other in one column, with a category of their names. Default of values: all columns except id
frame:describe(): frame -- returns count, mean, standard deviation, extremes and quartiles of the columns of numbers
frame:save(path: string, options?: table) -- writes the table: rill.frame.save
frame:aggregate(columns: table): frame -- returns one row of aggregates of all rows: {m = "mean x", n = "count"}, as groups:aggregate. A frame without rows gives no row
groups:positions(): stream -- returns the 0-based position of each row in its group, an int stream in the order of the rows: t:filter(g:positions():lt(2)) is the first 2 rows of each group
groups:aggregate(columns: table): frame -- returns the keys, ascending, and aggregates of each group: {m = "mean x", q = "quantile x 0.9"}, or {m = {"mean", "x"}}. Functions: count sum mean min max var std median quantile first last nunique any all
groups:each(): function -- iterates over the groups: for keys, t in g:each(). keys: a table of the keys by name
]==] },
    { "image", signatures.lines("rill.image.", filters) },
    { "picture", [==[
rill.show(s: source|container|mesh, options?: {width?: integer, min?: number, max?: number, colormap?: string, mode?: string, text?: boolean}): string? -- draws in the terminal: a stream of two dimensions as an image, a stream of one dimension as a sparkline, the mapped pages of a container, or a mesh. text = true: return the output as a string
rill.animate(path: string, fps?: number): animation -- starts an animation: .png or .apng, or a video through ffmpeg. fps: frames per second. Default: 25
a:frame(s: source, options?: {min?: number, max?: number, colormap?: string, depth?: integer}): animation -- appends a frame. Accepts the streams and options of rill.image.save
a:close() -- completes the file. `local a <close>` does this at the end of its block
]==] },
    { "plot", [==[
rill.plot(...: source|number[]|{label?: string, kind?: string, bins?: integer, color?: string, title?: string, xlabel?: string, ylabel?: string, xmin?: number, xmax?: number, ymin?: number, ymax?: number, xlog?: boolean, ylog?: boolean, legend?: boolean, width?: integer, height?: integer, path?: string, mode?: string, text?: boolean}): string? -- draws a chart of streams or tables: rill.plot(y), rill.plot(x, y), rill.plot{series, ..., options}. kind: "line", "scatter" or "histogram". Draws in the terminal, or to the file `path` (.svg or .png)
]==] },
    { "live", [==[
rill.live(options?: {title?: string, port?: integer, listen?: string, size?: integer[], steer?: string, fps?: number, clients?: integer, record?: string, quiet?: boolean}): view -- opens a view of this script in a browser, and prints its address
v:running(): boolean -- handles what the browsers have sent, and waits while the view is paused. Returns false after "stop" in a browser or after Ctrl-C
v:image(name: string, s: source|container, options?: {min?: number, max?: number, colormap?: string}) -- shows a stream of two dimensions as an image
v:mesh(name: string, m: mesh|table|source, options?: table) -- shows a mesh, a list of meshes, or points, which the mouse turns. Takes the options of rill.render, and radius of points
v:plot(name: string, x: number|source|table, y?: number|source|table, options?: {points?: integer, log?: boolean|string, xlabel?: string, ylabel?: string}) -- appends a point to a curve, or replaces the curve
v:histogram(name: string, s: source, options?: {bins?: integer, min?: number, max?: number, outside?: string}) -- shows how often values occur
v:text(name: string, text: any) -- shows a text
v:table(name: string, data: table, options?: {columns?: string[], rows?: integer}) -- shows a list of rows, or a table of columns by name
v:profile(name?: string) -- shows what launches cost, as rill.profile does. Default of name: "profile"
v:slider(name: string, options?: {min?: number, max?: number, value?: number, step?: number}): control -- adds a slider. Defaults: min 0, max 1
v:number(name: string, options?: {min?: number, max?: number, value?: number, step?: number}): control -- adds a field for a number
v:choice(name: string, list: string[], options?: {value?: string}): control -- adds a list of which one item is chosen
v:toggle(name: string, options?: {value?: boolean}): control -- adds a switch
v:button(name: string): control -- adds a button. Its value is the number of presses
v:events(): function -- returns an iterator over the events of pointer and keys since its last call
v:on(type: string, f: function) -- lets v:running() call f with each event of a type: "press", "drag", "release", "move", "key" or "keyup"
v:record(path?: string, options?: {panel?: string, fps?: number}) -- starts a recording of a panel: an animated PNG, or a video through ffmpeg. Without a path: ends it
v.url: string -- the address for the browser
v.frame: integer -- the number of steps that v:running() has let the script make
v.clients: integer -- the number of connected browsers
v:close() -- closes the view. `local v <close>` does this at the end of its block
u.value: any -- the value, which the script may set, except of a button
u.changed: boolean -- whether a browser changed the value before the last call of v:running()
u.name: string -- the name
]==] },
    { "profile", [==[
rill.profile(f: function): report, ... -- runs f() and returns a report of what its launches cost, one row per kernel, and the results of f. tostring(report) is a table
]==] },
    { "cost", [==[
rill.cost(k: kernel | function, ...: any): table -- estimates by Brook's model whether a launch k(...) is worth its transfers: bytes_up, bytes_down, the seconds gpu, cpu and transfer, speedup, intensity, worthwhile, break_even (number of launches). Of a function, such as a step of a loop, it measures a call k(...): time, device_time, host_time, launches, copies, bytes, launch_time, bound, profile. tostring gives lines
]==] },
    { "debug", [==[
rill.debug.stats(s: source): table -- returns statistics of a stream: count, nan, inf, and min, mean, max, q1, median and q3 (the quartiles) of the finite numbers
rill.debug.watch(f: function): ... -- runs f() and raises an error at the first kernel that writes a NaN, with its name, output and element
s:stats(): table -- returns rill.debug.stats(s)
]==] },
    { "translator", [==[
rill.translator.linear(options: {shape: shape}): translator -- returns a row-major translator from any rank to one dimension
rill.translator.fold(options: {shape: shape, to: shape, tiled?: boolean}): translator -- returns a translator from N to M dimensions: row-major, or tiled, where the slowest dimensions are placed as tiles side by side, as in flat 3-D textures
rill.translator.pages(options: {shape: shape, page: shape, levels?: integer, capacity?: integer, adaptive?: boolean}): translator -- returns a page table of one or more levels. No page is mapped at first. adaptive: each page has a level and covers 2^level times its size
rill.translator.hash(options: {rank?: integer, page?: shape, capacity?: integer}): translator -- returns a translator that finds pages by a hash of their coordinates, which may be negative. No page is mapped at first
rill.translator.lists(options: {shape?: shape, counts?: source, offsets?: source}): translator -- returns a translator for a grid of lists, where x is the index in a list. counts: the lengths of the lists. offsets: the index of the first entry of each list, and the end of the last list
rill.translator.compose(outer: translator, inner: translator): translator -- returns the composition outer(inner(address)) as one program
rill.translator.new(options: {name?: string, rank: integer, to: integer, shape?: shape, glsl?: string, cpu: function, cpu_inverse?: function, ranges?: function, traits?: table}): translator -- returns a custom translator: the GLSL functions translate and inverse for the device, and Lua functions for points on the CPU. Without glsl, a table of the results of cpu is used
t.name: string -- the type of the translator: linear, fold, pages ...; the given name for a custom translator
t.rank: integer -- the number of dimensions of its input addresses
t.to: integer -- the number of dimensions of memory addresses
t.shape: integer[] -- the shape of its domain, slowest dimension first; nil if it has no bounds
t.extent: integer[] -- the shape of the memory that its addresses refer to; nil if it is not known
t.mapped: integer -- the number of mapped pages; nil if the translator has no pages
t.traits: table -- properties: memory, access ("1", "log n", "n"), location, consistent, complete, one_to_one, invertible, mutable
t:translate(points: point|source): point|stream|nil -- translates domain addresses to memory addresses: a point on the CPU, or a stream of points on the device
t:inverse(points: point|source): point|stream|nil -- translates memory addresses to domain addresses: a point on the CPU, or a stream of points on the device
t:ranges(first: point|source, last?: point|source, direction?: string): table[]|table -- returns the mapped parts of a box that are contiguous in memory: tables with first, last and at, the memory address of the first element, and level for pages above level 0. direction = "inverse": of a box of memory. Of streams of boxes: the streams first, last, at and box
t:map(first: point, last: point?, frame: integer, level?: integer): translator -- maps the pages that the box touches to consecutive frames from `frame` on. Either all pages are mapped or none. Default level: 0
t:unmap(first: point, last?: point, level?: integer): integer -- unmaps the pages that the box touches and returns their number. Default level: 0
t:close() -- frees its tables. Compositions that contain it stay valid
]==] },
    { "container", [==[
rill.array(type: typename, shape: shape, options?: {storage?: string, filter?: string, mipmaps?: integer|boolean, cube?: boolean, normalized?: boolean, format?: string, boundary?: translator}): container -- returns a dense container of zeros. storage = "texture": the device samples it, with filter "linear" or "nearest". mipmaps: the number of levels. cube: addressed by directions. normalized: positions in 0 .. 1. format: the texel format. boundary: the elements outside
rill.sparse(type: typename, shape: shape, options: {page: shape, levels?: integer, default?: element, capacity?: integer, overlap?: integer, allocator?: function, boundary?: translator, mapping?: translator}): container -- returns a container whose pages are allocated when they are written. capacity: the largest number of pages. overlap: the width in elements of the halo that each page stores. mapping: the order of elements in pages
rill.hashgrid(type: typename, options: {rank?: integer, page?: shape, default?: element, capacity?: integer, allocator?: function}): container -- returns a sparse container without bounds: indices are any integers, including negative ones
rill.quadtree(type: typename, options: {size: integer|shape, page: integer|shape, depth?: integer, default?: element, capacity?: integer}): container -- returns an adaptive container of two dimensions: a tree of pages, in which coarser nodes have a larger spacing. depth: how often it is split at first
rill.octree(type: typename, options: {size: integer|shape, page: integer|shape, depth?: integer, default?: element, capacity?: integer}): container -- returns an adaptive container of three dimensions, as rill.quadtree of two
rill.stack(type: typename|source[], options?: {capacity?: integer}|integer): container|stream -- returns an array that grows and shrinks at its end. rill.stack(list, axis) of a list of streams returns a stream: the streams along a new axis. Default axis: 1
rill.lists(type: typename, options: {shape?: shape, counts?: source, offsets?: source, keys?: source, values?: source}): container -- returns a grid of lists of different lengths, given by counts, by offsets (the first entry of each list, and the end of the last one), or by keys (the cell of each entry). Without values, an entry is the index of its key
rill.physical(type: typename, shape: shape, options?: {storage?: string, filter?: string, mipmaps?: integer|boolean, cube?: boolean, normalized?: boolean, format?: string}): stream -- returns a stream that can be the memory of a container. Accepts the options of rill.array
rill.virtual(translator: translator, physical: stream|stream[], options?: {default?: element, boundary?: translator}): container, ... -- returns a container: a virtual domain whose elements are stored at the memory addresses that the translator returns. For a list of memories, one container for each. default: the value of unmapped elements. Default: zero
c.type: string -- the element type
c.shape: integer[]? -- the shape of the virtual domain, slowest dimension first; nil if it has no bounds
c.size: integer? -- the number of elements of the virtual domain
c.nbytes: integer -- the size in bytes of its memory and of the tables of the translator
c.pages: table -- the numbers of pages: mapped, capacity and free; nil if the translator has no pages
c:get(i: integer, ...: integer): element -- returns one element, 1-based; the default value if it is not mapped
c:set(value: element, i: integer, ...: integer): container -- writes one element, 1-based. A sparse container maps its page first
c:read(first?: index, last?: index): table -- returns a box, or all elements, as a table nested like the shape
c:values(first?: index, last?: index): table -- returns a box, or all elements, as a flat table of numbers
c:bytes(first?: index, last?: index): string -- returns a box, or all elements, as a packed little-endian string
c:request(first?: index, last?: index): request -- starts an asynchronous read of a box, or of all elements
c:write(data: data|range, first?: index, last?: index): container -- writes a box, or all elements. A sparse container maps the pages first. A range writes the elements of its container at the same indices, or with its lower corner at `first`
c:fill(value: element): container -- sets all mapped elements to one value
c:copy(): container -- returns a copy of the elements in separate memory, with the same translator
c:eval(): container -- returns the container itself; e:eval() of an expression returns a new one
c:stream(): stream -- returns all elements as a dense stream
c:like(type?: typename): container -- returns a container of the same type with zeros and the default value zero. If it has pages, none are mapped
c:cast(type: typename): container -- returns a container with the elements and the default value converted to another type, as s:cast does
c:field(name: string): expression -- returns a field of structures, or components of vectors, as c.name does
c:map(expression: string, constants?: table): container -- runs a one-line kernel as s:map does. The result has the same mapping; its default value is the expression applied to the default value
c:allocate(first: index|source, last?: index): container -- maps all pages of a sparse container that a box or a stream of points touches; raises an error if the capacity is exhausted. New pages hold the default value
c:release(first: index|source, last?: index): container -- frees all pages of a sparse container that a box or a stream of points touches
rill.container(virtual: container, methods: table): container -- returns the same container with additional methods, which take precedence over its own
c:active(): range -- returns the mapped part, page by page, as a range. It is the default of the launch option `over`
c:range(first?: index, last?: index): range -- returns a box of the container, or all of it, as a range
c:each(range?: range|table): function -- iterates over the mapped elements, page by page, or over the elements of a range or a list of ranges: indices and element
c:neighbors(reach: integer|table, range?: range|table): function -- iterates as c:each with access to neighbors: near, i, j, ...; near(di, dj, ...) is the element at that offset, at most `reach` (one for all dimensions, or one for each)
c:update(f: function, range?: range|table): container -- calls f(element, i, j, ...) for the mapped elements, or for the elements of ranges, and writes its result. If f returns nothing the element is unchanged
c:generate(f: function, range?: range|table): container -- calls f(i, j, ...) for the mapped elements, or for the elements of ranges, and writes its result without reading the element
c:map_cpu(options?: {first?: index, last?: index, lazy?: boolean}): table -- returns a box as an indexable view of elements. m:unmap() writes assigned elements back
c:bake(on?: boolean): container -- makes the sizes that address its elements constants of the kernels that use it; false makes them uniforms again. Default: true
c:save(path: string) -- writes a container that owns its memory to a .rill file, which rill.load reads
c:boundary(...: string|number): container -- returns the same container with another boundary: a mode for all dimensions, or one for each, as s:boundary. An adaptive container itself is changed: "clamp" or "repeat" for sampling; or the values of nodes on its border, "neumann" (as those inside) or "dirichlet" and a value
c:refine(points: source|kernel|container, levels?: source|integer): container, range -- splits leaves of an adaptive container until the leaves at the points have the given levels or finer ones; or once, where an element of a mask, or of what a kernel computes from the container, is nonzero. Also returns the new nodes as a range
c:coarsen(mask: kernel|source|container): container -- joins leaves of an adaptive container where all elements of the mask are nonzero
c:level(points: source): stream -- returns the level of the leaf of an adaptive container at each point. The finest level is 0
c:mipmap(how?: string): container -- computes the levels of an adaptive container above the leaves: means, which are weighted by a component if how is "x" .. "w"; or with "nearest" the element of the same node one level below. Computes the mipmaps of a texture likewise
c:filter_mode(mode: string): container -- sets how sample() interpolates an adaptive container: "nearest", "linear" (default) or "trilinear"
c:push(elements: source|container|range): integer, integer -- appends all elements of a stream, a container or a range, in address order, to a stack; returns the indices of the first and the last
c:pop(n: integer): stream -- removes the last n elements of a stack and returns them in the order in which they were pushed, as a view that is valid until the next push
c:snapshot(): snapshot -- returns a snapshot of the contents. Pages are shared until they are written; the memory of rill.virtual is copied
c:diff(snapshot: snapshot): range -- returns the pages that were mapped, unmapped or written since the snapshot, as a range
c:undo(snapshot: snapshot): container -- restores the contents of the snapshot. It may be called repeatedly
n:close() -- releases the snapshot
o.size: integer -- the number of elements of the range
o:each(): function -- iterates over the indices of its elements, in address order
o:addresses(): stream -- returns the coordinates of its elements, 0-based and x first, in address order
o:close() -- releases the range
c:close() -- releases translator and memory at once
]==] },
    { "horn", [==[
rill.horn.filter(s: source, pred: string, options?: {search?: string, struct?: struct}): stream, integer -- filters the records for which pred holds, by Horn's method of scan, search and gather. Also returns the number of passes
rill.horn.scan(nulls: source): stream, integer -- returns the running count of the true elements, and the number of passes
rill.horn.search(counts: source, options?: {search?: string}): stream, integer -- returns, for each remaining record, its distance to the right of its new index, and the number of passes
rill.horn.gather(values: source, distances: source, options?: {struct?: struct}): stream -- returns the records at these distances
rill.horn.sort_filter(s: source, pred: string, options?: {struct?: struct}): stream, integer -- filters as rill.horn.filter by a bitonic sort; also returns the number of passes
]==] },
}

-- The lines of the modules are inserted before the pages about files.
local files = 1
while texts[files][1] ~= "io" do files = files + 1 end
table.move(texts, files, #texts, files + #module_lines)
table.move(module_lines, 1, #module_lines, files, texts)

-- Returns the lines of the methods that containers share with streams, derived from the lines of streams.
local function shared_lines()
    local known, lines = {}, {}
    for _, text in ipairs(texts) do
        for name, arguments, result in ("\n" .. text[2]):gmatch "\ns:([%w_]+)(%b()): ([^\n]-) %-%- " do
            known[name] = {arguments, result}
        end
    end
    for i, row in ipairs(container_names) do
        local name, signature = row[1], known[row[1]]
        -- Lists of axes and ddof are arguments of streams only.
        local arguments = signature[1]:gsub("integer|integer%[%]", "integer"):gsub(", ddof%?: number", "")
        lines[i] = ("c:%s%s: %s -- runs s:%s on the mapped elements, in address order%s\n"):format(name, arguments,
            row.result or signature[2], name, row.doc and ": " .. row.doc or "")
    end
    return table.concat(lines)
end
for _, text in ipairs(texts) do
    text[2] = text[2] .. (text[1] == "container" and shared_lines() or "")
end

-- The kernel language: word | form -- meaning.
local language = [==[
constant | T name -- one value for the whole launch: scalars, vectors, mat2 to mat4 (tables of rows), structures
input | T name<> -- input stream: the current element. GLSL's implicit conversions apply: an int stream is accepted for float x<>
out | out T name<> -- output stream: the current element, zero until it is assigned. A kernel may have any number of outputs
inout | inout T name<>, inout T name[] -- with <>: the current element, updated in place; with []: any element, read and written in no defined order, with GLSL's atomics on int and uint
gather | T name[], T name[][] ... -- gather stream: any element, read only, by name[i][j] or name[ivec2(x, y)] with x the fastest dimension. Indices are 0-based. A Lua table is uploaded
neighbor | neighbor T name<> -- the neighbors of the current element: name[0] is the element itself, name[-1], name[ivec2(dx, dy)], name[dy][dx]. s:boundary defines the elements outside, or the signature: neighbor(wrap) T name<>, neighbor(wrap, clamp) T name<>
iter | iter T name<> -- an element of a ramp made by rill.iter. Plain inputs and gathers accept ramps too
reduce | reduce T name<> -- the accumulator of a reduce kernel: reduce void sum(float x<>, reduce float r<>) { r += x; }. Its initial value is the first element. The operation must be associative
vout | vout T name<> -- variable output: call push(name, value) any number of times per element. The result is compacted, in order
push | push(name, value) -- appends a value to a variable output (vout)
indexof | indexof(name) -- ivec4: the 0-based index of the current element in that stream, with x along the last dimension. indexof(name, d): one component, d = 0 is the fastest dimension
sizeof_stream | sizeof_stream(name) -- ivec4: the sizes of a stream, x is the last dimension; 1 for missing dimensions
spacingof | spacingof(name) -- the distance between the elements that the launch visits here: 2^l in a leaf of level l of an adaptive container, else 1
sizeof_list | sizeof_list(name), sizeof_list(name, i) -- the number of elements in row i of a gather: the entries of a list of rill.lists. One index for each dimension but the fastest, or a vector
sample | sample(name, p), sample(name, p, level) -- linear interpolation of a gather at a real position in units of elements, x fastest; of adaptive containers and mipmaps at a level
sample_corners | sample_corners(name, p, weights, spacing), sample_corners(name, p, level, weights, spacing) -- the elements that sample interpolates: a vec2 in one dimension, in two dimensions a vec4 of the elements at (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1). Sets weights to the position of p between them, and spacing to their distance
random | random() -- float: a random number in [0, 1). The option seed of the launch and k:seed(n) select the numbers
random2 | random2(), random3(), random4() -- vec2, vec3, vec4: random numbers in [0, 1)
random_int | random_int(n) -- int or uint, as n: a random whole number in 0 .. n - 1
random_normal | random_normal() -- float: a normally distributed number with mean 0 and standard deviation 1
random_exponential | random_exponential() -- float: an exponentially distributed number with mean 1
cbrt | cbrt(x) -- the cube root of a float, a double or a vector of them
expm1 | expm1(x), log1p(x) -- exp(x) - 1 and log(1 + x) without cancellation near 0
sinc | sinc(x) -- sin(pi x) / (pi x), and 1 for 0
erf | erf(x), erfc(x), erfinv(x) -- the error function, 1 minus it without cancellation, and its inverse
gamma | gamma(x), lgamma(x) -- the gamma function, and the logarithm of its absolute value
digamma | digamma(x), trigamma(x) -- the first and the second derivative of lgamma
eigen_symmetric | eigen_symmetric(a, values, vectors) -- sets the eigenvalues of a symmetric matrix (mat2 to mat4, dmat2 to dmat4), ascending, and the columns of `vectors` to its eigenvectors
svd | svd(a, u, s, v) -- sets the singular values s of a matrix (mat2 to mat4, dmat2 to dmat4), descending, and the orthogonal matrices u and v: a = u diag(s) transpose(v)
cmul | cmul(a, b), cdiv(a, b) -- the product and the quotient of complex numbers, which are vec2 or dvec2
conj | conj(z) -- the conjugate of a complex number
cabs | cabs(z), cangle(z) -- the magnitude and the phase of a complex number
cexp | cexp(z) -- e to the power of a complex number
gradient | gradient void f(parameters of f, T r_bar<>, out T x_bar<>) { ... } -- your own rule for the derivatives of the kernel f: computes adjoints of what f reads from the adjoints of its outputs
shared | kernel(64) void f(...) { shared float part[64]; ... } -- memory of a work group, in group kernels
barrier | barrier() -- in group kernels: waits for all invocations of the work group
groupid | groupid() -- in group kernels: the index of the work group; a vector if the group has more than one dimension
localid | localid() -- in group kernels: the index of the invocation in its work group; a vector if the group has more than one dimension
subgroupsize | subgroupsize() -- in group kernels: int: the number of invocations of a subgroup. Needs device.traits.subgroup_ops
subgroupid | subgroupid() -- in group kernels: int: the index of the invocation in its subgroup. Needs device.traits.subgroup_ops
]==]

--- reference.letters: the letter that signatures use for each type of rill.type that has members. Expressions share the
-- members of streams; members of expressions only are under "e".
reference.letters = {
    stream = "s", expression = "s", kernel = "k", device = "d", translator = "t", container = "c", range = "o",
    snapshot = "n", matrix = "A", factors = "F", hierarchy = "h", fluid = "f", wave = "W", heat = "H", cloth = "C",
    particles = "P", nbody = "N", optimizer = "O", mesh = "M", tree = "T", scene = "S", big = "b", ["mpi.stream"] = "D",
    frame = "frame", groups = "groups", neighbors = "neighbors",
}

--- reference.aliases: the definitions of the type names in signatures, in LuaLS's notation.
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

--- reference.entries() returns the list of all entries, in the order of the manual: tables with `name` ("rill.stream",
-- "s:sum", "k.params"), `signature`, `summary` and `page` (docs/<page>.md). Functions have `params`, a list of {name=,
-- type=, optional=, options=}, and `returns`, a list of types. Fields have `type`. Entries of the kernel language have
-- `name` and `form` instead of a signature.
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

--- reference.find(name) returns the entries of a name in any spelling: "rill.load", "scan", "s:scan", "kernel:explain".
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

--- reference.members(letter) returns the entries of the members of a type, by name: "s" for streams, "k" for kernels
-- ...
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
