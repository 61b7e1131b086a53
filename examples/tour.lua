-- A tour of rill: streams, kernels, reductions, gathers, an image and a stencil.
--
--     lua5.4 examples/tour.lua [directory]        out
local rill = require "rill"
local directory = ... or "out"
os.execute(("mkdir -p '%s'"):format(directory))
local n = 1 << 20

-- A kernel: its signature declares how each argument is accessed, and its body is GLSL.
local saxpy = rill.kernel [[
  kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }
]]
local x, y = rill.random(n, {seed = 1}), rill.iter("float", n, 0, 1)
local r = saxpy(2.5, x, y)
print("  a stream", r)
print("  its sum, and that of its parts", r:sum(), 2.5 * x:sum() + saxpy(0, x, y):sum())

-- A user-defined reduction: an associative operation. Built-in reductions are methods.
local highest = rill.kernel "reduce void highest(float x<>, reduce float r<>) { r = max(r, x); }"
print("  highest", highest(r), r:max(), "at", r:argmax())
print("  of each quarter", highest(r, 4))

-- Count elements: a kernel that returns 0 or 1, and a sum.
local above = rill.kernel "kernel void above(float bound, float x<>, out int r<>) { r = x > bound ? 1 : 0; }"
print("  above 0.9", above(0.9, x):sum(), "of", #x)

-- Reduce along an axis and broadcast back: columns of mean zero.
local m = rill.from{ {1, 2, 3}, {4, 5, 6} }
local minus = rill.kernel "kernel void minus(float a<>, float b<>, out float r<>) { r = a - b; }"
print("  centered", minus(m, m:mean(1)))

-- Gather inside a kernel. Since `]]` would end the string, it is delimited by [=[ ]=].
local pick = rill.kernel [=[
  kernel void pick(int i<>, float a[], int next[], out float r<>) { r = a[next[i]]; }
]=]
print("  picked", pick(rill.iota(3), {10, 20, 30}, {2, 0, 1}))

-- An image from a kernel without inputs: the launch gives the shape.
local rings = rill.kernel [[
  kernel void rings(float scale, out vec3 c<>) {
    vec2 p = vec2(indexof(c).xy) / scale - 1.0;
    c = 0.5 + 0.5 * cos(20.0 * length(p) + vec3(0, 2, 4));
  }
]]
local photo = rings{ scale = 128, shape = {256, 256} }
rill.image.save(photo, directory .. "/rings.png")
print(("  %s/rings.png: an image from a kernel without inputs"):format(directory))

-- A 2-D stencil: 100 steps of heat diffusion of the luminance, with two buffers and no copies.
local luminance = rill.kernel [[
  kernel void luminance(vec3 c<>, out float r<>) { r = dot(c, vec3(0.30, 0.59, 0.11)); }
]]
local heat = rill.kernel [[
  kernel void heat(float k, neighbor float u<>, out float r<>) {
    r = u[0] + k * (u[ivec2(1, 0)] + u[ivec2(-1, 0)] + u[ivec2(0, 1)] + u[ivec2(0, -1)] - 4.0 * u[0]);
  }
]]
local u, v = luminance(photo), nil
local before = u:std()
for _ = 1, 100 do u, v = heat(0.2, u, v), u end
print(("  100 steps of heat: deviation %.4f -> %.4f, mean %.4f"):format(before, u:std(), u:mean()))
rill.image.save(u, directory .. "/heat.png", {colormap = "viridis", min = u:min(), max = u:max()})
print(("  %s/heat.png: the rings, diffused"):format(directory))

-- Views share memory: the center of the image, every second pixel, transposed.
local middle = photo:domain({65, 65}, {192, 192}):stride(2, 2):transpose()
print("  a view", middle.shape, "of", photo.shape)
