-- Kernels as printed in the Brook and Horn papers (with misprints corrected), and kernels from Brook programs.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

local inf = math.huge

local horn = [=[
kernel void positive(float input<>, out float output<>, float inf<>)
{
  if (input > 0)
    output = input;
  else
    output = inf; // inf 1./0 must be passed in as a stream on ATI GPUs
}
kernel void StartScan(float4 value[], out float count<>, iter float here<>,
                      iter float left_1<>)
{
  count = isinf(value[here].x) ? 1 : 0;
  if (here >= 1)
    count += isinf(value[left_1].x) ? 1 : 0;
}
kernel void Scan(float input[], out float count<>, iter float here<>,
                 iter float left_2toi<>, float twotoi)
{
  count = input[here];
  if (here > twotoi)
    count += input[left_2toi];
}
]=]

local listing_36_1 = [=[
kernel void GatherSearch(float scatterValues[], out float outGuess<>,
                         float4 value[], float twotoi, float lastguess<>,
                         iter float here<>)
{
  float guess = scatterValues[here + lastguess];
  float4 finalValue = value[here + lastguess];
  if (guess > lastguess)
    outGuess = lastguess + twotoi; // too low
  else if (guess == lastguess && !isinf(finalValue.x))
    outGuess = lastguess; // correct
  else
    outGuess = lastguess - twotoi; // too high
}
kernel void RelGather(out float4 outp<>, float gatherindex<>, float4 value[],
                      iter float here<>)
{
  outp = value[here + gatherindex];
}
]=]

local listing_36_2 = [=[
kernel void GatherSearch(float scatterValues[], out float4 output<>,
                         float4 value[],
                         float halfN, /* ceil(numNullElements/2+.5) */
                         float logN,
                         /* ceil(log(numNullElements)/log(2)) */
                         iter float here<>)
{
  float lastguess = halfN;
  float twotoi = halfN;
  float i;
  for (i = 0; i < logN; ++i)
  {
    float4 finalValue = value[here + lastguess];
    float guess = scatterValues[here + lastguess];
    twotoi /= 2;
    if (guess > lastguess)
      lastguess = lastguess + twotoi; // too low
    else if (guess == lastguess && !isinf(finalValue.x))
      lastguess = lastguess; // correct
    else
      lastguess = lastguess - twotoi; // too high
  }
  if (scatterValues[here] == 0)
    output = value[here];
  else
    output = value[here + lastguess];
}
]=]

-- A list of floats with nulls (infinities) among them, as float4 elements, and the running count of nulls.
local function with_nulls(n)
    local values, running, nulls = {}, {}, 0
    for i = 1, n do
        local null = i % 3 == 0 or i % 7 == 2
        nulls = nulls + (null and 1 or 0)
        values[i] = {null and inf or i, 1, 2, 3}
        running[i] = nulls
    end
    return values, running, nulls
end

-- The element at a real-valued index, as a gather reads it: floored, clamped.
local function at(list, index)
    return list[math.max(0, math.min(#list - 1, math.floor(index + 1 / 1024))) + 1]
end

describe("Brook's kernels", function()
    leaks.watch(setup, teardown)

    it("SAXPY over float4", function()
        local saxpy = rill.kernel [[
            kernel void saxpy (float a, float4 x<>, float4 y<>, out float4 result<>) {
                result = a*x + y;
            }
        ]]
        local x <close> = rill.stream("float4", 100, function(i) return i, -i, 2 * i, 0.5 end)
        local y <close> = rill.stream("float4", 100, function(i) return 1, i, 1, i end)
        local result <close> = saxpy(2.0, x, y)
        local expected = {}
        for i = 1, 100 do
            table.move({2 * i + 1, -2 * i + i, 4 * i + 1, 1 + i}, 1, 4, #expected + 1, expected)
        end
        check.equal(expected, result:values())
    end)

    it("ray and triangle", function()
        local k = rill.program [=[
            typedef struct ray_t { float3 o; float3 d; float tmax; } Ray;
            typedef struct tri_t { float3 v0, v1, v2; } Triangle;
            typedef struct { float4 state; } RayState;
            typedef struct { float trinum; } GridTrilist;
            typedef struct { float4 data; } Hit;
kernel void krnIntersectTriangle(Ray ray<>, Triangle tris[],
                                 RayState oldraystate<>,
                                 GridTrilist trilist[],
                                 out Hit candidatehit<>) {
  float idx, det, inv_det;
  float3 edge1, edge2, pvec, tvec, qvec;
  if(oldraystate.state.y > 0) {
    idx = trilist[oldraystate.state.w].trinum;
    edge1 = tris[idx].v1 - tris[idx].v0;
    edge2 = tris[idx].v2 - tris[idx].v0;
    pvec = cross(ray.d, edge2);
    det = dot(edge1, pvec);
    inv_det = 1.0f/det;
    tvec = ray.o - tris[idx].v0;
    candidatehit.data.y = dot( tvec, pvec ) * inv_det;
    qvec = cross( tvec, edge1 );
    candidatehit.data.z = dot( ray.d, qvec ) * inv_det;
    candidatehit.data.x = dot( edge2, qvec ) * inv_det;
    candidatehit.data.w = idx;
  } else {
    candidatehit.data = float4(0,0,0,-1);
  }
}
        ]=]
        local rays <close> = rill.stream(k.Ray, 3, {
            {o = {0.25, 0.25, -5}, d = {0, 0, 1}, tmax = 100},
            {o = {1.5, 0.5, 3}, d = {0, 0, -1}, tmax = 100},
            {o = {0, 0, 0}, d = {1, 0, 0}, tmax = 100},
        })
        local tris <close> = rill.stream(k.Triangle, 2, {
            {v0 = {0, 0, 0}, v1 = {1, 0, 0}, v2 = {0, 1, 0}}, {v0 = {1, 0, 2}, v1 = {3, 0, 2}, v2 = {1, 2, 2}},
        })
        local states <close> = rill.stream(k.RayState, 3, {
            {state = {0, 1, 0, 1}}, {state = {0, 2, 0, 0.9999}}, {state = {0, 0, 0, 0}},
        })
        local list <close> = rill.stream(k.GridTrilist, 2, {{trinum = 1}, {trinum = 0}})
        local hits <close> = k.krnIntersectTriangle(rays, tris, states, list)
        check.equal({5, 0.25, 0.25, 0, 3, 1.5, 0.5, 0, 0, 0, 0, -1}, hits:values())
    end)

    it("Horn's filter: positive, StartScan, Scan", function()
        local k = rill.program(horn)
        local n = 100
        local input <close> = rill.stream("float", n, function(i) return i % 5 - 2 end)
        local infinite <close> = rill.stream("float", 1, inf)
        local output <close> = k.positive(input, rill.stream("float", n), infinite)
        check.equal(kernels.list(n, function(i) return i % 5 - 2 > 0 and i % 5 - 2 or inf end), output:values())

        local values, running = with_nulls(n)
        local value <close> = rill.stream("float4", n, values)
        local here <close> = rill.iter("float", n, 0, n)
        local left <close> = rill.iter("float", n, -1, n - 1)
        local count = k.StartScan(value, here, left)
        local twotoi = 2
        while twotoi < n do
            local shifted <close> = rill.iter("float", n, -twotoi, n - twotoi)
            -- `here > twotoi` of the print skips the element at twotoi itself, which has one to its left.
            count = k.Scan(count, here, shifted, twotoi - 0.5)
            twotoi = twotoi * 2
        end
        check.equal(running, count:values())
    end)

    it("Horn's listing 36-1", function()
        local k = rill.program(listing_36_1)
        local n = 64
        local values, running = with_nulls(n)
        local value <close> = rill.stream("float4", n, values)
        local scatter <close> = rill.from(running)
        local here <close> = rill.iter("float", n, 0, n)
        local guesses = kernels.list(n, function() return 16 end)
        local last = rill.from(guesses)
        local twotoi = 16
        for _ = 1, 5 do
            twotoi = twotoi / 2
            last = k.GatherSearch(scatter, value, twotoi, last, here)
            for i = 1, n do
                local guess, final = at(running, i - 1 + guesses[i]), at(values, i - 1 + guesses[i])[1]
                if guess > guesses[i] then
                    guesses[i] = guesses[i] + twotoi
                elseif not (guess == guesses[i] and final ~= inf) then
                    guesses[i] = guesses[i] - twotoi
                end
            end
            check.equal(guesses, last:values())
        end
        local outp <close> = k.RelGather(last, value, here)
        for i = 1, n do
            assert.equal(at(values, i - 1 + guesses[i])[1], outp:get(i)[1])
        end
    end)

    it("Horn's listing 36-2", function()
        local k = rill.kernel(listing_36_2)
        local n = 64
        local values, running, nulls = with_nulls(n)
        local value <close> = rill.stream("float4", n, values)
        local scatter <close> = rill.from(running)
        local here <close> = rill.iter("float", n, 0, n)
        local half, log = math.ceil(nulls / 2 + 0.5), math.ceil(math.log(nulls, 2))
        local output <close> = k(scatter, value, half, log, here)
        for i = 1, n do
            local last, twotoi = half, half
            for _ = 1, log do
                local final, guess = at(values, i - 1 + last)[1], at(running, i - 1 + last)
                twotoi = twotoi / 2
                if guess > last then
                    last = last + twotoi
                elseif not (guess == last and final ~= inf) then
                    last = last - twotoi
                end
            end
            assert.equal(at(values, i - 1 + (running[i] == 0 and 0 or last))[1], output:get(i)[1])
        end
    end)

    it("Mat4Mult with four outputs", function()
        local k = rill.kernel [[
            kernel void mult (float4 a1<>, float4 a2<>, float4 a3<>, float4 a4<>, float4 b1<>, float4 b2<>, float4 b3<>,
                              float4 b4<>, out float4 c1<>, out float4 c2<>, out float4 c3<>, out float4 c4<>) {
                c1 = a1.x*b1 + a1.y*b2 + a1.z*b3 + a1.w*b4;
                c2 = a2.x*b1 + a2.y*b2 + a2.z*b3 + a2.w*b4;
                c3 = a3.x*b1 + a3.y*b2 + a3.z*b3 + a3.w*b4;
                c4 = a4.x*b1 + a4.y*b2 + a4.z*b3 + a4.w*b4;
            }
        ]]
        local n, a, b = 9, {}, {}
        local function value(m, e, row, column) return (m * 7 + e * 3 + row * 5 + column * 2) % 11 - 5 end
        for row = 1, 4 do
            a[row] = rill.stream("float4", n, function(e)
                return value(0, e, row, 1), value(0, e, row, 2), value(0, e, row, 3), value(0, e, row, 4)
            end)
            b[row] = rill.stream("float4", n, function(e)
                return value(1, e, row, 1), value(1, e, row, 2), value(1, e, row, 3), value(1, e, row, 4)
            end)
        end
        local c = {k(a[1], a[2], a[3], a[4], b[1], b[2], b[3], b[4])}
        assert.equal(4, #c)
        for row = 1, 4 do
            local expected = {}
            for e = 1, n do
                for column = 1, 4 do
                    local sum = 0
                    for i = 1, 4 do
                        sum = sum + value(0, e, row, i) * value(1, e, i, column)
                    end
                    expected[#expected + 1] = sum
                end
            end
            check.equal(expected, c[row]:values())
        end
    end)

    it("sgemv: multiply with a repeated vector", function()
        local mul = rill.kernel [[ kernel void mul (float a<>, float b<>, out float c<>) { c = a * b; } ]]
        local a <close> = rill.stream("float", {5, 7}, function(i, j) return i * 10 + j end)
        local x <close> = rill.stream("float", {1, 7}, function(_, j) return j end)
        local y <close> = rill.stream("float", 7, function(j) return j end)
        local t <close> = mul(a, x)
        local u <close> = mul(a, y)
        local expected = {}
        for i = 1, 5 do
            for j = 1, 7 do
                expected[#expected + 1] = (i * 10 + j) * j
            end
        end
        check.equal(expected, t:values())
        check.equal(expected, u:values())
    end)

    it("an FFT butterfly by indexof and 2-D gathers", function()
        local k = rill.kernel [=[
            kernel void butterfly(float2 input[][], float stride, out float2 output<>) {
                float2 p = indexof(output).xy;
                float lane = floor(fmod(p.x, 2.0 * stride));
                bool upper = lane >= stride;
                float2 partner = float2(upper ? p.x - stride : p.x + stride, p.y);
                float angle = -3.14159265f * (upper ? lane - stride : lane) / stride;
                float2 w = float2(cos(angle), sin(angle));
                float2 a = upper ? input[partner] : input[p];
                float2 b = upper ? input[p] : input[partner];
                float2 wb = float2(w.x*b.x - w.y*b.y, w.x*b.y + w.y*b.x);
                output = upper ? a - wb : a + wb;
            }
        ]=]
        local n = 16
        local function signal(row, i) return math.sin(i * 1.3 + row), math.cos(i * 0.7) end
        local function reversed(i)
            return (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3
        end
        local s = rill.stream("float2", {3, n}, function(row, i) return signal(row, reversed(i - 1)) end)
        local stride = 1
        while stride < n do
            s = k(s, stride, rill.stream("float2", {3, n}))
            stride = stride * 2
        end
        for row = 1, 3 do
            for f = 0, n - 1 do
                local re, im = 0, 0
                for i = 0, n - 1 do
                    local x, y = signal(row, i)
                    local c, d = math.cos(-2 * math.pi * f * i / n), math.sin(-2 * math.pi * f * i / n)
                    re, im = re + x * c - y * d, im + x * d + y * c
                end
                local got = s:get(row, f + 1)
                check.equal({re, im}, got, 2e-5)
            end
        end
    end)

    it("a cloth step with two outputs and springs from a helper", function()
        local k = rill.program [=[
            float3 spring(float3 p, float3 q, float rest, float stiffness) {
                float3 d = q - p;
                float l = length(d);
                return l > 0.0f ? d * (stiffness * (l - rest) / l) : float3(0, 0, 0);
            }
            kernel void cloth(float3 pos[][], float3 vel<>, float dt, float rest, float stiffness, float3 gravity,
                              out float3 newpos<>, out float3 newvel<>) {
                float4 here = indexof(newpos);
                float3 p = pos[here.xy];
                float3 force = gravity;
                float2 offset[4] = { float2(1, 0), float2(-1, 0), float2(0, 1), float2(0, -1) };
                for (int i = 0; i < 4; i++) {
                    force += spring(p, pos[here.xy + offset[i]], rest, stiffness);
                }
                newvel = vel + dt * force;
                newpos = p + dt * newvel;
            }
        ]=]
        local rows, columns, dt, rest, stiffness = 5, 6, 0.01, 0.9, 20
        local function point(i, j) return {j + 0.1 * i, i - 0.05 * j * j, 0.2 * i * j} end
        local pos <close> = rill.stream("float3", {rows, columns}, function(i, j) return table.unpack(point(i, j)) end)
        local vel <close> = rill.stream("float3", {rows, columns}, {0.5, -0.25, 0})
        local newpos, newvel = k.cloth(pos, vel, dt, rest, stiffness, {0, 0, -9.81})
        for i = 1, rows do
            for j = 1, columns do
                local p, force = point(i, j), {0, 0, -9.81}
                for _, o in ipairs {{1, 0}, {-1, 0}, {0, 1}, {0, -1}} do
                    local q = point(math.max(1, math.min(rows, i + o[2])), math.max(1, math.min(columns, j + o[1])))
                    local d = {q[1] - p[1], q[2] - p[2], q[3] - p[3]}
                    local l = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
                    for c = 1, 3 do
                        force[c] = force[c] + (l > 0 and d[c] * stiffness * (l - rest) / l or 0)
                    end
                end
                local v0 = {0.5, -0.25, 0}
                local v = kernels.list(3, function(c) return v0[c] + dt * force[c] end)
                check.equal(v, newvel:get(i, j), 1e-5)
                check.equal(kernels.list(3, function(c) return p[c] + dt * v[c] end), newpos:get(i, j), 1e-5)
            end
        end
    end)

    it("a region-growing segmentation step", function()
        local k = rill.kernel [=[
            kernel void evolve(float image[][], float seed[][], float k, float dt, out float result<>) {
                float2 p = indexof(result).xy;
                float c = seed[p];
                float4 s = float4(seed[p + float2(1, 0)], seed[p + float2(-1, 0)], seed[p + float2(0, 1)], seed[p + float2(0, -1)]);
                float4 g = float4(image[p + float2(1, 0)], image[p + float2(-1, 0)],
                                  image[p + float2(0, 1)], image[p + float2(0, -1)]) - image[p];
                float4 weight = exp(-(g * g) / (k * k));
                result = saturate(c + dt * dot(weight, s - c));
            }
        ]=]
        local rows, columns, kappa, dt = 6, 9, 0.4, 0.2
        local function image(i, j)
            i, j = math.max(1, math.min(rows, i)), math.max(1, math.min(columns, j))
            return (i * 3 + j * 5) % 7 / 7
        end
        local function seed(i, j)
            i, j = math.max(1, math.min(rows, i)), math.max(1, math.min(columns, j))
            return (i * j) % 4 / 4
        end
        local r <close> = k(rill.stream("float", {rows, columns}, image), rill.stream("float", {rows, columns},
            seed), kappa,
            dt, rill.stream("float", {rows, columns}))
        for i = 1, rows do
            for j = 1, columns do
                local sum = 0
                for _, o in ipairs {{0, 1}, {0, -1}, {1, 0}, {-1, 0}} do
                    local g = image(i + o[1], j + o[2]) - image(i, j)
                    sum = sum + math.exp(-g * g / kappa ^ 2) * (seed(i + o[1], j + o[2]) - seed(i, j))
                end
                check.equal({math.max(0, math.min(1, seed(i, j) + dt * sum))}, {r:get(i, j)}, 1e-5)
            end
        end
    end)

    it("bitonic sort steps on a stream of pairs", function()
        local k = rill.kernel [=[
            kernel void sort(float2 input[], float stage, float offset, out float2 output<>) {
                float i = indexof(output).x;
                float partner = fmod(floor(i / offset), 2.0f) < 1.0f ? i + offset : i - offset;
                bool ascending = fmod(floor(i / stage), 2.0f) < 1.0f;
                float2 a = input[i], b = input[partner];
                bool first = partner > i;
                if (first == ascending) output = a.x <= b.x ? a : b;
                else output = a.x <= b.x ? b : a;
            }
        ]=]
        local n = 64
        local s = rill.stream("float2", n, function(i) return i * 37 % 64, i end)
        local stage = 2
        while stage <= n do
            local offset = stage // 2
            while offset >= 1 do
                s = k(s, stage, offset, rill.stream("float2", n))
                offset = offset // 2
            end
            stage = stage * 2
        end
        for i = 1, n do
            local pair = s:get(i)
            assert.equal(i - 1, pair[1])
            assert.equal(i - 1, pair[2] * 37 % 64)
        end
    end)

    it("spellings of Brook and Cg", function()
        local k = rill.kernel [=[
            int nothing(float x) { return (int)(float)(uint)x * 0; }
            kernel void all(float x<>, int i<>, unsigned int u<>, float2 d[10][10], out float4 r<>, out int4 n<>) {
                half h = 2.5h;
                half3 h3 = half3(1, 2, 3);
                float3 f = lerp(float3(0, 0, 0), float3(1, 1, 1), x);
                unsigned int twice = u * 2u;
                double2 dd = double2(1.5, 2.5);
                bool2 b = bool2(true, false);
                float3x3 m = float3x3(1, 0, 0, 0, 1, 0, 0, 0, 1);
                r = float4(frac(x), saturate(x - 1.0), rsqrt(x), fmod(-x, 0.75) + atan2(x, 1.0));
                r += float4((float)i / 2, (float)(i + 1) * 0.5, (m * h3).z, d[1][2].y) + float4(f, h).wwww;
                r.x += float(dd.y) + (b.x ? (float)twice : 0.0f);
                n = int4((indexof x).x, (int)x, int(twice), (int)(-x * 2.0));
                n.y += nothing(x);
                n.x += 10 * (int)h3.y + 100 * (int)d[(int)1.9][2].x;
            }
        ]=]
        local x <close> = rill.from {1.25, 2.5}
        local i <close> = rill.from({3, 5}, "int")
        local u <close> = rill.from({7, 9}, "uint")
        local d <close> = rill.stream("float2", {10, 10}, function(a, b) return a, b end)
        local r, n = k(x, i, u, d)
        for e, v in ipairs {1.25, 2.5} do
            local iv, uv = ({3, 5})[e], ({7, 9})[e]
            check.equal({
                v % 1 + iv / 2 + 2.5 + 2.5 + 2 * uv, math.min(1, v - 1) + (iv + 1) / 2 + 2.5,
                    1 / math.sqrt(v) + 3 + 2.5,
                math.fmod(-v, 0.75) + math.atan(v, 1) + 3 + 2.5,
            }, r:get(e), 1e-5)
            check.equal({220 + e - 1, v // 1, 2 * uv, -(v * 2 // 1)}, n:get(e))
        end
    end)
end)
