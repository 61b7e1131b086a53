-- Products of many 4 x 4 matrices: one kernel with eight inputs and four outputs, like Brook's Mat4Mult.
--
--     lua5.4 examples/mat4mult.lua [size [directory]]        512 out
--
-- Section 4.2 of "Brook for GPUs" uses this kernel to measure the cost of devices that support fewer outputs (RILL_MAX_OUTPUTS=1 in the environment
-- simulates one; `make bench BENCH=brook/outputs` measures it). A cloth has a matrix for each thread, which twists it, and one for each position
-- along the threads, which bends it. The kernel multiplies the two matrices of each point, and the points are drawn by adding their light to the
-- image. The script checks products against plain Lua.
local rill = require "rill"

local passes = rill.program([=[
    // Multiplies A by B, both given by rows. Inputs of one column or row are broadcast.
    kernel void multiply(float4 a0<>, float4 a1<>, float4 a2<>, float4 a3<>, float4 b0<>, float4 b1<>, float4 b2<>, float4 b3<>,
                         out float4 c0<>, out float4 c1<>, out float4 c2<>, out float4 c3<>) {
        c0 = a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        c1 = a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        c2 = a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        c3 = a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }

    // A rotation about y that grows with t, and a translation to the height of the thread.
    kernel void twist(iter float t<>, out float4 r0<>, out float4 r1<>, out float4 r2<>, out float4 r3<>) {
        float c = cos(3 * t), s = sin(3 * t);
        r0 = float4(c, 0, s, 0);
        r1 = float4(0, 1, 0, t);
        r2 = float4(-s, 0, c, 0);
        r3 = float4(0, 0, 0, 1);
    }

    // A rotation about z by the position t along the thread, and a translation.
    kernel void bend(iter float t<>, out float4 r0<>, out float4 r1<>, out float4 r2<>, out float4 r3<>) {
        float c = cos(2 * t), s = sin(2 * t);
        r0 = float4(c, -s, 0, 0.8 * t);
        r1 = float4(s, c, 0, 0.25 * c);
        r2 = float4(0, 0, 1, 0.25 * s);
        r3 = float4(0, 0, 0, 1);
    }

    // Computes the cell of the image to which the origin is mapped, and its light.
    kernel void draw(float4 x<>, float4 y<>, float4 z<>, float size, out int cell<>, out float3 light<>) {
        float2 p = floor((float2(x.w, -y.w) / (2.6 + 0.5 * z.w) + 0.5) * size);
        cell = all(p >= 0 && p < size) ? p.y * size + p.x : -1;
        light = lerp(float3(0.10, 0.35, 0.80), float3(1.0, 0.60, 0.25), saturate(0.5 - 0.6 * z.w));
    }

    kernel float3 expose(float3 light<>, float scale) { return sqrt(1 - exp(-scale * light)) + 0.03; }
]=], {dialect = "brook"})

--- Returns the rows of A B for `threads` matrices A and `points` matrices B, four streams {threads, points}, and the rows of A and of B.
local function products(threads, points)
    local a = {passes.twist(rill.iter("float", threads, -1, 1))}
    local b = {passes.bend(rill.iter("float", points, -1, 1))}
    for row = 1, 4 do a[row], b[row] = a[row]:reshape {threads, 1}, b[row]:reshape {1, points} end
    return {passes.multiply(a[1], a[2], a[3], a[4], b[1], b[2], b[3], b[4])}, a, b
end

--- Returns the largest difference of some elements from products computed in Lua.
local function largest_error(c, a, b)
    local worst, threads, points = 0, table.unpack(c[1].shape)
    for k = 0, 40 do
        local i, j = 1 + k * 37 % threads, 1 + k * 91 % points
        for row = 1, 4 do
            local x, got = a[row]:get(i, 1), c[row]:get(i, j)
            for column = 1, 4 do
                local sum = 0
                for m = 1, 4 do sum = sum + x[m] * b[m]:get(1, j)[column] end
                worst = math.max(worst, math.abs(sum - got[column]))
            end
        end
    end
    return worst
end

if ... == "module" then
    return {products = products, largest_error = largest_error}
end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local threads, points <const> = 96, 4096
local start = rill.clock()
local c, a, b = products(threads, points)
local picture = rill.stream("vec3", {size, size})
local cell, light = passes.draw(c[1], c[2], c[3], size)
rill.scatter(picture:reshape(size * size), cell, light, "add")
picture = passes.expose(picture, 0.1 * size * size / (threads * points))
rill.sync()
local seconds = rill.clock() - start
local off = largest_error(c, a, b)
assert(off < 1e-6, "products are off by " .. off)
rill.image.save(picture, directory .. "/mat4mult.png")
print(("  %d products of 4 x 4 matrices, drawn in %.0f ms"):format(threads * points, 1000 * seconds))
print(("  %s/mat4mult.png: a cloth of threads; the largest error of a product is %.0e"):format(directory, off))
