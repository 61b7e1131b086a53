---@meta rill
-- Made by tools/annotations.lua from lua/rill/support/reference.lua and the rows in lua/rill/operation: change those, then `make annotations`.

---What streams and expressions have in common.
---@class rill.source
---@field x rill.expression
---@field y rill.expression
---@field z rill.expression
---@field w rill.expression
---@field xy rill.expression
---@field xyz rill.expression
---@field r rill.expression
---@field g rill.expression
---@field b rill.expression
---@field a rill.expression
---@field rgb rill.expression
---@field [integer] any
---@operator add(rill.operand): rill.expression
---@operator sub(rill.operand): rill.expression
---@operator mul(rill.operand): rill.expression
---@operator div(rill.operand): rill.expression
---@operator idiv(rill.operand): rill.expression
---@operator mod(rill.operand): rill.expression
---@operator pow(rill.operand): rill.expression
---@operator band(rill.operand): rill.expression
---@operator bor(rill.operand): rill.expression
---@operator shl(rill.operand): rill.expression
---@operator shr(rill.operand): rill.expression
---@operator bnot: rill.expression
---@operator unm: rill.expression
---@operator len: integer
---@field type string # GLSL's name of the element type
---@field shape integer[] # a fresh table of sizes, slowest dimension first: == compares, tostring gives 512x512
---@field size integer # elements in all; #s is the same
---@field nbytes integer # bytes its elements take
local source = {}

---An array on the device.
---@class rill.stream: rill.source
local stream = {}

---Arithmetic that runs when it is used.
---@class rill.expression: rill.source
local expression = {}

---A compiled kernel: called with its arguments in order, or with one table of them by name.
---@class rill.kernel
---@overload fun(...: any): any, any, any, any
---@field name string # the kernel's name
---@field params table[] # its parameters in order: tables with name, type and kind
local kernel = {}

---A device.
---@class rill.device
---@field name string # the driver's name of the device
---@field vendor string # the driver's vendor
---@field version string # the driver's OpenGL version
---@field software boolean # whether it is a software device, as llvmpipe is
---@field family string # "cpu" or "gpu": which variants of kernels and algorithms it gets
---@field limits table # group_count, group_size, shared_bytes, block_bytes, texture_texels, storage_blocks, texture_units, uniform_vectors, outputs_per_pass, memory_bytes
---@field traits table # what the compiler decides by, and more that a driver is measured for: family, group_size, subgroup_size, subgroup_ops, subgroup_ballot, subgroup_shuffle, synchronous, host_memory, buffer_textures, exact_ranges, loop_limit, exact_division, fused_fma, nearest_half, denormals, nans, stable_arrays, robust_access, barrier_ns
local device = {}

---A read-back in flight.
---@class rill.request
local request = {}

---The elements of a stream as an array of the host.
---@class rill.map
---@field [integer] any
---@operator len: integer
local map = {}

---A progress bar.
---@class rill.progress
local progress = {}

---An animation in the making.
---@class rill.animation
local animation = {}

---A structure type.
---@class rill.struct
---@field name string
---@field fields table
---@field nbytes integer

---What rill.profile reports: rows, longest first.
---@class rill.report
---@field [integer] table
---@field time number
---@field device_time number
---@field host_time number
---@field compile_time number
---@field compiled integer
---@field launches integer
---@field peak integer
---@field copy_rate number

---@alias rill.data number|boolean|table|string|function|rill.stream|rill.expression
---@alias rill.element number|boolean|number[]|table
---@alias rill.index integer|integer[]
---@alias rill.operand rill.stream|rill.expression|number|boolean|number[]
---@alias rill.operator string|rill.kernel
---@alias rill.predicate string|rill.kernel|rill.stream|rill.expression
---@alias rill.shape integer|integer[]
---@alias rill.typename string|rill.struct
---@alias rill.value number|boolean|number[]|rill.stream|nil

---Streams and kernels on a GPU, headless.
---@class rill
local rill = {}

---rill's version
---@type string
rill._VERSION = nil

---"stream", "expression", "kernel", "struct", "device", or nil for anything else
---See docs/module.md.
---@param value any
---@return string?
function rill.type(value) end

---a progress bar, silent where the output is no terminal; `local p <close>` works
---See docs/module.md.
---@param total number
---@param label? string
---@return rill.progress
function rill.progress(total, label) end

---n (1 unless told) more of the total are done
---See docs/module.md.
---@param n? number
function progress:step(n) end

---ends the bar's line
---See docs/module.md.
function progress:close() end

---the command `rill`: what bin/rill runs; returns the exit status
---See docs/prompt.md.
---@param arguments string[]
---@return integer
function rill.command(arguments) end

---the prompt, until the end of input; quiet: without the lines about version and device
---See docs/prompt.md.
---@param options? {quiet?: boolean}
function rill.repl(options) end

---the text that `?name` and help(name) print at the prompt: of a name, or of a function, stream, kernel ...
---See docs/prompt.md.
---@param what? any
---@return string
function rill.help(what) end

---the devices that open, hardware first: tables with index, name, vendor, version, software; left_out: why others are not among them, where there are any
---See docs/device.md.
---@return table[]
function rill.devices() end

---this device against plain Lua, some seconds: a list of checks with name, result ("ok", "allowed", "wrong") and text; passed, summary, about; each(line) as they come
---See docs/device.md.
---@param options? {each: function}
---@return table
function rill.selftest(options) end

---the current device; opened on first use
---See docs/device.md.
---@return rill.device
function rill.device() end

---makes a device current for this Lua state: a number of rill.devices, a part of its name, or nothing for the first that opens
---See docs/device.md.
---@param which? integer|string
---@return rill.device
function rill.open(which) end

---waits for all work
---See docs/device.md.
function rill.sync() end

---a monotonic clock, seconds: for timing, between calls of rill.sync
---See docs/device.md.
---@return number
function rill.clock() end

---device memory in bytes: bytes (live), peak, pooled (freed, kept for reuse), limit (0: none); streams (live allocations), and structs (structure types that live in this process)
---See docs/device.md.
---@return table
function rill.memory() end

---a limit for the current device's memory; 0 or nothing lifts it
---See docs/device.md.
---@param bytes? integer
function rill.memory_limit(bytes) end

---a stream, zero unless init says: one value for all, a flat or nested table, a binary string, or f(i, j, ...) that returns the element
---See docs/stream.md.
---@param type rill.typename
---@param shape rill.shape
---@param init? rill.data
---@return rill.stream
function rill.stream(type, shape, init) end

---a stream with the shape of a nested table; float (booleans: bool) unless told; of a vector type the innermost tables are elements
---See docs/stream.md.
---@param list table
---@param type? rill.typename
---@return rill.stream
function rill.from(list, type) end

---int 0, 1, 2 ... in row-major order
---See docs/stream.md.
---@param shape rill.shape
---@return rill.stream
function rill.iota(shape) end

---Brook's iterator stream: a ramp from `from` towards `to` (exclusive), which takes no memory and can't be written
---See docs/stream.md.
---@param type rill.typename
---@param shape rill.shape
---@param from rill.element
---@param to rill.element
---@return rill.stream
function rill.iter(type, shape, from, to) end

---streams of one type one after the other along an axis (1 unless told, -1 is the last)
---See docs/stream.md.
---@param list rill.source[]
---@param axis? integer
---@return rill.stream
function rill.concat(list, axis) end

---a structure type, as in rill.struct("Ray", "vec3 o; vec3 d;"): packed in order, without padding; used where a type is wanted
---See docs/stream.md.
---@param name string
---@param fields string
---@return rill.struct
function rill.struct(name, fields) end

---a table nested as the shape: of all, or of the box from index first to index last
---See docs/stream.md.
---@param first? rill.index
---@param last? rill.index
---@return table
function source:read(first, last) end

---a flat table of numbers, of all or of a box
---See docs/stream.md.
---@param first? rill.index
---@param last? rill.index
---@return number[]
function source:values(first, last) end

---a packed little-endian string, of all or of a box
---See docs/stream.md.
---@param first? rill.index
---@param last? rill.index
---@return string
function source:bytes(first, last) end

---writes a table, a binary string or a stream of the box's shape; returns the stream
---See docs/stream.md.
---@param data rill.data
---@param first? rill.index
---@param last? rill.index
---@return rill.stream
function stream:write(data, first, last) end

---one element: s:get(i, j, ...), counted from 1
---See docs/stream.md.
---@param ... integer
---@return rill.element
function source:get(...) end

---writes one element: s:set(value, i, j, ...); returns the stream
---See docs/stream.md.
---@param value rill.element
---@param ... integer
---@return rill.stream
function stream:set(value, ...) end

---one value everywhere; returns the stream
---See docs/stream.md.
---@param value rill.element
---@return rill.stream
function stream:fill(value) end

---iterates in blocks: for i, v in s:each(), for i, j, v in two dimensions; pairs(s) does the same
---See docs/stream.md.
---@return function
function source:each() end

---a read-back in flight
---See docs/stream.md.
---@param first? rill.index
---@param last? rill.index
---@return rill.request
function source:request(first, last) end

---the elements as a host array m[i], flat, from 1; with lazy only pages that are touched travel
---See docs/stream.md.
---@param options? {lazy?: boolean}
---@return rill.map
function stream:map_cpu(options) end

---for an OpenGL renderer sharing the context: buffer name, byte offset, byte length, layout
---See docs/stream.md.
---@return integer
---@return integer
---@return integer
---@return table
function source:gl() end

---the elements in a new stream
---See docs/stream.md.
---@return rill.stream
function source:copy() end

---converted to another type: floats truncate into integers, bool is x ~= 0
---See docs/stream.md.
---@param type rill.typename
---@return rill.stream
function source:cast(type) end

---a new zero stream of the same shape
---See docs/stream.md.
---@param type? rill.typename
---@return rill.stream
function source:like(type) end

---frees its memory at once; views of it and expressions stay valid
---See docs/stream.md.
function stream:close() end

---the view of a box, both ends included; negative indices count from the end
---See docs/stream.md.
---@param first rill.index
---@param last rill.index
---@return rill.stream
function source:domain(first, last) end

---the view of elements 1, n + 1, 2n + 1 ... of each dimension; one n for all, or one each
---See docs/stream.md.
---@param ... integer
---@return rill.stream
function source:stride(...) end

---a view, the whole repeated: 1 2 becomes 1 2 1 2
---See docs/stream.md.
---@param ... integer
---@return rill.stream
function source:tile(...) end

---a view, each element repeated: 1 2 becomes 1 1 2 2
---See docs/stream.md.
---@param ... integer
---@return rill.stream
function source:replicate(...) end

---a view with blocks as trailing dimensions: {R, C} by a, b is {R/a, C/b, a, b}
---See docs/stream.md.
---@param ... integer
---@return rill.stream
function source:group(...) end

---a view, the same elements in another shape; of a view with gaps an error that says to copy
---See docs/stream.md.
---@param shape rill.shape
---@return rill.stream
function source:reshape(shape) end

---a view with its dimensions reversed, or in the order of the table
---See docs/stream.md.
---@param axes? integer[]
---@return rill.stream
function source:transpose(axes) end

---a view that says what gathers and neighbours read outside: "clamp" (the default), "wrap", "mirror", "zero" or a number; one, or one per dimension
---See docs/stream.md.
---@param ... string|number
---@return rill.stream
function source:boundary(...) end

---whether the data has come
---See docs/stream.md.
---@return boolean
function request:ready() end

---waits; a flat table of numbers
---See docs/stream.md.
---@return number[]
function request:values() end

---waits; a packed little-endian string
---See docs/stream.md.
---@return string
function request:bytes() end

---gives it up
---See docs/stream.md.
function request:close() end

---writes back what was changed; `local m <close>` does it by itself
---See docs/stream.md.
function map:unmap() end

---compiles a text and returns its last kernel: "kernel void f(float x<>, out float r<>) { r = 2.0 * x; }"
---See docs/kernel.md.
---@param text string
---@return rill.kernel
function rill.kernel(text) end

---compiles a text: a table of everything it defines, kernels and structures, by name
---See docs/kernel.md.
---@param text string
---@return table
function rill.program(text) end

---rill.program of a file
---See docs/kernel.md.
---@param path string
---@return table
function rill.programfile(path) end

---whether kernels made ready from here on report indices out of range; returns what it was before
---See docs/kernel.md.
---@param on? boolean
---@return boolean
function rill.check(on) end

---the list of active elements of a mask, made once for several launches' option `where`
---See docs/kernel.md.
---@param mask rill.source
---@return table
function rill.active(mask) end

---a function that launches one kernel where the condition holds and the other elsewhere, into the same outputs
---See docs/kernel.md.
---@param cond rill.source
---@param yes rill.kernel
---@param no rill.kernel
---@return function
function rill.branch(cond, yes, no) end

---the GLSL compiled last
---See docs/kernel.md.
---@return string
function kernel:source() end

---called like the kernel: what a launch would do, how every argument is reached and why
---See docs/kernel.md.
---@param ... any
---@return string
function kernel:explain(...) end

---a kernel with constants fixed in its text: k:specialize{n = 3}
---See docs/kernel.md.
---@param constants table
---@return rill.kernel
function kernel:specialize(constants) end

---a one-line kernel: a GLSL expression in x, the element, and named constants
---See docs/kernel.md.
---@param expression string
---@param constants? table
---@return rill.stream
function source:map(expression, constants) end

---a new stream of the expression's values
---See docs/algebra.md.
---@return rill.stream
function expression:eval() end

---lets go of values kept for it, which are computed anew when needed; `local e <close>` works
---See docs/algebra.md.
function expression:close() end

---element by element: s < t
---See docs/algebra.md.
---@param t rill.operand
---@return rill.expression
function source:lt(t) end

---element by element: s <= t
---See docs/algebra.md.
---@param t rill.operand
---@return rill.expression
function source:le(t) end

---element by element: s > t
---See docs/algebra.md.
---@param t rill.operand
---@return rill.expression
function source:gt(t) end

---element by element: s >= t
---See docs/algebra.md.
---@param t rill.operand
---@return rill.expression
function source:ge(t) end

---element by element: s == t; of vectors, whole elements
---See docs/algebra.md.
---@param t rill.operand
---@return rill.expression
function source:eq(t) end

---element by element: s ~= t; of vectors, whole elements
---See docs/algebra.md.
---@param t rill.operand
---@return rill.expression
function source:ne(t) end

---a where the condition holds or is not zero, else b
---See docs/algebra.md.
---@param cond rill.operand
---@param a rill.operand
---@param b rill.operand
---@return rill.expression
function rill.where(cond, a, b) end

---vectors of two components, of scalars and shorter vectors; one scalar stands for both
---See docs/algebra.md.
---@param ... rill.operand
---@return rill.expression
function rill.vec2(...) end

---vectors of three components
---See docs/algebra.md.
---@param ... rill.operand
---@return rill.expression
function rill.vec3(...) end

---vectors of four components
---See docs/algebra.md.
---@param ... rill.operand
---@return rill.expression
function rill.vec4(...) end

---the absolute value
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.abs(x) end

----1, 0 or 1
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.sign(x) end

---rounded down
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.floor(x) end

---rounded up
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.ceil(x) end

---rounded towards zero
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.trunc(x) end

---rounded to the nearest whole number, halves to the even one
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.round(x) end

---x - floor(x)
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.fract(x) end

---the square root
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.sqrt(x) end

---1 / sqrt(x)
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.rsqrt(x) end

---e to the power x
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.exp(x) end

---2 to the power x
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.exp2(x) end

---the natural logarithm
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.log(x) end

---the logarithm to base 2
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.log2(x) end

---the sine of radians
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.sin(x) end

---the cosine of radians
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.cos(x) end

---the tangent of radians
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.tan(x) end

---the arc sine
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.asin(x) end

---the arc cosine
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.acos(x) end

---the arc tangent of y, or of y / x in all four quadrants
---See docs/algebra.md.
---@param y rill.operand
---@param x? rill.operand
---@return rill.expression
function rill.atan(y, x) end

---the arc tangent of y / x in all four quadrants
---See docs/algebra.md.
---@param y rill.operand
---@param x rill.operand
---@return rill.expression
function rill.atan2(y, x) end

---the hyperbolic sine
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.sinh(x) end

---the hyperbolic cosine
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.cosh(x) end

---the hyperbolic tangent
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.tanh(x) end

---the inverse of sinh
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.asinh(x) end

---the inverse of cosh
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.acosh(x) end

---the inverse of tanh
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.atanh(x) end

---the error function, to 5e-7 of itself (double: 1e-15)
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.erf(x) end

---1 - erf(x) without the loss where that is small, to 1.2e-5 of itself (double: 1e-14)
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.erfc(x) end

---x ^ y; a negative base to a whole power is right
---See docs/algebra.md.
---@param x rill.operand
---@param y rill.operand
---@return rill.expression
function rill.pow(x, y) end

---x % y as in Lua: the sign of y
---See docs/algebra.md.
---@param x rill.operand
---@param y rill.operand
---@return rill.expression
function rill.mod(x, y) end

---the lesser of each pair; NaN wins. s:min() reduces
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@return rill.expression
function rill.min(a, b) end

---the greater of each pair; NaN wins. s:max() reduces
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@return rill.expression
function rill.max(a, b) end

---x between low and high
---See docs/algebra.md.
---@param x rill.operand
---@param low rill.operand
---@param high rill.operand
---@return rill.expression
function rill.clamp(x, low, high) end

---x between 0 and 1
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.saturate(x) end

---a + t (b - a)
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@param t rill.operand
---@return rill.expression
function rill.mix(a, b, t) end

---another name of rill.mix
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@param t rill.operand
---@return rill.expression
function rill.lerp(a, b, t) end

---0 where x < edge, else 1
---See docs/algebra.md.
---@param edge rill.operand
---@param x rill.operand
---@return rill.expression
function rill.step(edge, x) end

---0 below low, 1 above high, smooth between
---See docs/algebra.md.
---@param low rill.operand
---@param high rill.operand
---@param x rill.operand
---@return rill.expression
function rill.smoothstep(low, high, x) end

---a * b + c, rounded once for floats
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@param c rill.operand
---@return rill.expression
function rill.fma(a, b, c) end

---whether x is NaN; of vectors, any component
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.isnan(x) end

---whether x is infinite; of vectors, any component
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.isinf(x) end

---the length of each vector
---See docs/algebra.md.
---@param v rill.operand
---@return rill.expression
function rill.length(v) end

---the length of a - b
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@return rill.expression
function rill.distance(a, b) end

---the dot product of each pair of elements; s:dot(t) is one number
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@return rill.expression
function rill.dot(a, b) end

---the cross product of vec3s
---See docs/algebra.md.
---@param a rill.operand
---@param b rill.operand
---@return rill.expression
function rill.cross(a, b) end

---v / length(v)
---See docs/algebra.md.
---@param v rill.operand
---@return rill.expression
function rill.normalize(v) end

---incident mirrored at the plane of a unit normal
---See docs/algebra.md.
---@param incident rill.operand
---@param normal rill.operand
---@return rill.expression
function rill.reflect(incident, normal) end

---incident refracted at the plane of a unit normal
---See docs/algebra.md.
---@param incident rill.operand
---@param normal rill.operand
---@param eta rill.operand
---@return rill.expression
function rill.refract(incident, normal, eta) end

---degrees to radians
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.radians(x) end

---radians to degrees
---See docs/algebra.md.
---@param x rill.operand
---@return rill.expression
function rill.degrees(x) end

---the sum of all elements, or a stream of the sums along an axis (from 1, -1 is the last)
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:sum(axis, options) end

---the product of all elements, or along an axis
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:prod(axis, options) end

---the least element, or along an axis; of vectors per component; NaN wins
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:min(axis, options) end

---the greatest element, or along an axis; of vectors per component; NaN wins
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:max(axis, options) end

---the mean of all elements, or along an axis
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:mean(axis, options) end

---the variance (of the population), of all or along an axis
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:var(axis, options) end

---the root of the variance, of all or along an axis
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:std(axis, options) end

---whether any element is true or not zero
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:any(axis, options) end

---whether all elements are true or not zero
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:all(axis, options) end

---how many elements are true or not zero
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:count(axis, options) end

---the indices i, j, ... of the first least element, from 1; along an axis an int stream of places from 0
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:argmin(axis, options) end

---the indices i, j, ... of the first greatest element, from 1: s:get(s:argmax())
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:argmax(axis, options) end

---the root of the sum of squares
---See docs/primitive.md.
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:norm(axis, options) end

---the sum of products with a stream of the same shape
---See docs/primitive.md.
---@param t rill.source
---@param axis? integer
---@param options? {keep?: boolean}
---@return rill.value
function source:dot(t, axis, options) end

---random numbers (Philox4x32-10): "uniform" in [low, high), or "normal"; integers low to high; without seed the next of the sequence rill.seed starts
---See docs/primitive.md.
---@param shape rill.shape
---@param options? {seed?: integer, type?: rill.typename, distribution?: string, low?: number, high?: number, mean?: number, sd?: number}
---@return rill.stream
function rill.random(shape, options) end

---starts the sequence of random numbers that are asked for without a seed
---See docs/primitive.md.
---@param n? integer
function rill.seed(n) end

---int 0 .. n - 1 in random order
---See docs/primitive.md.
---@param n integer
---@param options? {seed?: integer}
---@return rill.stream
function rill.permutation(n, options) end

---elements drawn from a stream, or numbers from 0 .. from - 1; p: the chances
---See docs/primitive.md.
---@param from integer|rill.source
---@param shape rill.shape
---@param options? {replace?: boolean, p?: rill.source|number[], seed?: integer}
---@return rill.stream
function rill.choice(from, shape, options) end

---every element becomes what op ("add" unless told) makes of it and all elements before it
---See docs/scan.md.
---@param op? rill.operator
---@param options? {exclusive?: boolean, reverse?: boolean, axis?: integer, segments?: rill.source|integer[]}
---@return rill.stream
---@overload fun(self: rill.source, options: {exclusive?: boolean, reverse?: boolean, axis?: integer, segments?: rill.source|integer[]}): rill.stream
function source:scan(op, options) end

---one value per segment; segments are lengths, or a bool stream that marks firsts
---See docs/scan.md.
---@param values rill.source
---@param segments rill.source|integer[]
---@param op? rill.operator
---@return rill.stream
function rill.segmented_reduce(values, segments, op) end

---one key of every run of equal neighbours, and the run's values reduced
---See docs/scan.md.
---@param keys rill.source
---@param values rill.source
---@param op? rill.operator
---@return rill.stream
---@return rill.stream
function rill.reduce_by_key(keys, values, op) end

---the elements for which the predicate holds, in order
---See docs/compact.md.
---@param pred rill.predicate
---@return rill.stream
function source:filter(pred) end

---where the predicate holds: flat numbers from 0, int
---See docs/compact.md.
---@param pred rill.predicate
---@return rill.stream
function source:find(pred) end

---two streams in order: elements for which the predicate holds, and the others
---See docs/compact.md.
---@param pred rill.predicate
---@return rill.stream
---@return rill.stream
function source:partition(pred) end

---the value of every run of equal neighbours, and the lengths of the runs
---See docs/compact.md.
---@return rill.stream
---@return rill.stream
function source:runs() end

---the distinct values, ascending, and how often each occurs
---See docs/compact.md.
---@return rill.stream
---@return rill.stream
function source:unique() end

---ordered along the last axis; stable; key: a GLSL expression in x, the element
---See docs/sort.md.
---@param options? {descending?: boolean, axis?: integer, key?: string}
---@return rill.stream
function source:sort(options) end

---the k greatest elements, greatest first, and their places from 0
---See docs/sort.md.
---@param k integer
---@param options? {largest?: boolean}
---@return rill.stream
---@return rill.stream
function source:top_k(k, options) end

---places, from 0, that sort the stream: rill.gather by them sorts
---See docs/sort.md.
---@param s rill.source
---@param options? {descending?: boolean, axis?: integer}
---@return rill.stream
function rill.argsort(s, options) end

---the keys and up to 16 streams of values, all in the order of the keys
---See docs/sort.md.
---@param keys rill.source
---@param ... rill.source|{descending?: boolean, axis?: integer}
---@return rill.stream
---@return any ...
function rill.sort_by_key(keys, ...) end

---how many elements of a sorted stream are less than each value; side = "right": not greater
---See docs/sort.md.
---@param sorted rill.source
---@param values rill.source
---@param options? {side?: string}
---@return rill.stream
function rill.searchsorted(sorted, values, options) end

---one sorted stream out of two
---See docs/sort.md.
---@param a rill.source
---@param b rill.source
---@param options? {descending?: boolean}
---@return rill.stream
function rill.merge(a, b, options) end

---src[index[i]] for every i; indices count from 0: flat, or vectors whose x is the fastest dimension
---See docs/scatter.md.
---@param src rill.source
---@param index rill.source
---@return rill.stream
function rill.gather(src, index) end

---dst[index[i]] = src[i], or combined with what is there, in the order of i; returns dst
---See docs/scatter.md.
---@param dst rill.stream
---@param index rill.source
---@param src rill.source|rill.element
---@param op? rill.operator
---@return rill.stream
function rill.scatter(dst, index, src, op) end

---rill.scatter with an operator: Brook's ScatterOp
---See docs/scatter.md.
---@param dst rill.stream
---@param index rill.source
---@param src rill.source|rill.element
---@param op rill.operator
---@return rill.stream
function rill.scatter_op(dst, index, src, op) end

---Brook's GatherOp: dst[i] = src[index[i]], then src[index[i]] = op of it with itself; returns dst
---See docs/scatter.md.
---@param dst rill.stream
---@param index rill.source
---@param src rill.stream
---@param op rill.operator
---@return rill.stream
function rill.gather_op(dst, index, src, op) end

---how many elements fall into each of a row of bins; outside: "drop" or "clamp"
---See docs/histogram.md.
---@param options? {bins?: integer|integer[], min?: number|number[], max?: number|number[], weights?: rill.source, outside?: string}
---@return rill.stream
function source:histogram(options) end

---how often each whole number from 0 on occurs
---See docs/histogram.md.
---@param s rill.source
---@param options? {weights?: rill.source, minlength?: integer}
---@return rill.stream
function rill.bincount(s, options) end

---the product of matrices, vectors, or batches of them
---See docs/matrix.md.
---@param a rill.source
---@param b rill.source
---@return rill.stream
function rill.matmul(a, b) end

---@class rill.image
rill.image = {}

---a picture of any format there is: float, vec3 or vec4 in 0 to 1, {rows, columns}
---See docs/io.md.
---@param path string
---@param type? rill.typename
---@return rill.stream
function rill.image.load(path, type) end

---writes a picture in the format of the extension
---See docs/io.md.
---@param s rill.source
---@param path string
---@param options? {min?: number, max?: number, colormap?: string, depth?: integer}
function rill.image.save(s, path, options) end

---the formats of pictures: tables with extension, and name (nil where the extension stands for one of the others)
---See docs/io.md.
---@return table[]
function rill.image.formats() end

---reads a .npy or .rill file
---See docs/io.md.
---@param path string
---@param type? rill.typename
---@return rill.stream
function rill.load(path, type) end

---writes .npy, or .rill for every type, structures too
---See docs/io.md.
---@param path string
function source:save(path) end

---draws a stream in the terminal: of two dimensions as a picture, of one as a sparkline; text = true returns what else is written
---See docs/picture.md.
---@param s rill.source
---@param options? {width?: integer, min?: number, max?: number, colormap?: string, mode?: string, text?: boolean}
---@return string?
function rill.show(s, options) end

---an animation of so many frames a second (25 unless told): .png or .apng, or a video through ffmpeg
---See docs/picture.md.
---@param path string
---@param fps? number
---@return rill.animation
function rill.animate(path, fps) end

---the next frame, a picture as rill.image.save takes it
---See docs/picture.md.
---@param s rill.source
---@param options? {min?: number, max?: number, colormap?: string, depth?: integer}
---@return rill.animation
function animation:frame(s, options) end

---ends the file; `local a <close>` does it by itself
---See docs/picture.md.
function animation:close() end

---a chart of streams or tables, rill.plot(y), rill.plot(x, y), rill.plot{series, ..., options}: kind is "line", "scatter" or "histogram"; in the terminal, or a file path in .svg or .png
---See docs/plot.md.
---@param ... rill.source|number[]|{label?: string, kind?: string, bins?: integer, color?: string, title?: string, xlabel?: string, ylabel?: string, xmin?: number, xmax?: number, ymin?: number, ymax?: number, xlog?: boolean, ylog?: boolean, legend?: boolean, width?: integer, height?: integer, path?: string, mode?: string, text?: boolean}
---@return string?
function rill.plot(...) end

---runs f() and reports what its launches cost: a row per kernel; tostring is a table; what f returns follows
---See docs/profile.md.
---@param f function
---@return rill.report
---@return any ...
function rill.profile(f) end

---@class rill.debug
rill.debug = {}

---what is in a stream: count, nan, inf, and min, mean and max of the finite numbers
---See docs/debug.md.
---@param s rill.source
---@return table
function rill.debug.stats(s) end

---runs f() and stops at the first kernel that writes a NaN, with its name, output and element
---See docs/debug.md.
---@param f function
---@return any ...
function rill.debug.watch(f) end

---rill.debug.stats(s)
---See docs/debug.md.
---@return table
function source:stats() end

---@class rill.horn
rill.horn = {}

---Horn's filtering by scan, search and gather: the records for which pred holds; number of passes
---See docs/horn.md.
---@param s rill.source
---@param pred string
---@param options? {search?: string, struct?: rill.struct}
---@return rill.stream
---@return integer
function rill.horn.filter(s, pred, options) end

---running count of the true elements; passes
---See docs/horn.md.
---@param nulls rill.source
---@return rill.stream
---@return integer
function rill.horn.scan(nulls) end

---how far to the right of its new place each survivor stands; passes
---See docs/horn.md.
---@param counts rill.source
---@param options? {search?: string}
---@return rill.stream
---@return integer
function rill.horn.search(counts, options) end

---those records
---See docs/horn.md.
---@param values rill.source
---@param distances rill.source
---@param options? {struct?: rill.struct}
---@return rill.stream
function rill.horn.gather(values, distances, options) end

---the same as filter by a bitonic sort; passes
---See docs/horn.md.
---@param s rill.source
---@param pred string
---@param options? {struct?: rill.struct}
---@return rill.stream
---@return integer
function rill.horn.sort_filter(s, pred, options) end

return rill
