-- Group kernels: shared memory, barriers, groupid and localid.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

describe("a group kernel", function()
    leaks.watch(setup, teardown)

    it("shares memory within its group", function()
        local k = rill.kernel [=[
            kernel(64) void reverse(float x<>, out float r<>, out int2 id<>) {
                shared float t[64];
                t[localid()] = x;
                barrier();
                r = t[63 - localid()];
                id = int2(groupid(), localid());
            } ]=]
        for _, n in ipairs {0, 64, 128, 1024} do
            local x <close> = rill.iter("float", n, 0, n)
            local r, id = k(x)
            check.equal(kernels.list(n, function(i) return (i - 1) // 64 * 64 + 63 - (i - 1) % 64 end), r:values())
            check.equal(kernels.list(2 * n, function(i)
                return i % 2 == 1 and (i - 1) // 2 // 64 or (i - 1) // 2 % 64 end), id:values())
        end
        local x <close> = rill.iter("float", 100, 0, 100)
        local r = k(x)
        check.equal(kernels.list(64, function(i) return 64 - i end), {table.unpack(r:values(), 1, 64)})
    end)

    it("reads shared memory before the next barrier, also with fast arithmetic", function()
        local text <const> = [=[
            kernel(64) void k(float x<>, out float r<>) {
                shared float a[64];
                int i = localid();
                a[i] = x;
                barrier();
                float v = a[63 - i];
                barrier();
                float w = v * 2.0;
                a[i] = 1000.0;
                barrier();
                r = w + a[i];
            } ]=]
        for _, fast in ipairs {false, true} do
            local k = rill.kernel(text, {fast = fast})
            local x <close> = rill.iter("float", 64, 0, 64)
            check.equal(kernels.list(64, function(i) return 1000.0 + 2 * (64 - i) end), k(x):values())
        end
    end)

    it("drops what invocations past the end compute", function()
        local k = rill.kernel [=[
            kernel(16) void f(int x<>, neighbor int y<>, inout int all[], out int r<>, inout int z<>) {
                atomicAdd(all[0], 1);
                r = 10 * x + y[-1]; z += indexof(x).x; } ]=]
        local whole <close> = rill.stream("int", 20, -1)
        local r <close> = whole:domain(3, 13)
        local x <close> = rill.iota(11)
        local all <close> = rill.stream("int", 1)
        local z <close> = rill.stream("int", 11, 5)
        k(x, x, all, r, z)
        check.equal(kernels.list(20, function(i)
            return i >= 3 and i <= 13 and 10 * (i - 3) + math.max(0, i - 4) or -1 end), whole:values())
        check.equal(kernels.list(11, function(i) return 4 + i end), z:values())
        assert.equal(16, all:get(1))
    end)

    it("has two and three dimensions", function()
        local two = rill.kernel [=[
            kernel(16, 8) void tile(float x<>, out float r<>, out int4 id<>) {
                shared float t[8][16];
                int2 l = localid();
                t[l.y][l.x] = x;
                barrier();
                r = t[l.y][15 - l.x];
                id = int4(groupid(), localid());
            } ]=]
        local x <close> = rill.stream("float", {16, 48}, function(i, j) return 100 * i + j end)
        local r, id = two(x)
        for _, p in ipairs {{1, 1}, {9, 17}, {16, 48}, {5, 30}} do
            local i, j = p[1], p[2]
            local block = (j - 1) // 16 * 16
            assert.equal(100 * i + block + 16 - (j - 1) % 16, r:get(i, j))
            check.equal({(j - 1) // 16, (i - 1) // 8, (j - 1) % 16, (i - 1) % 8}, id:get(i, j))
        end
        local ragged = rill.kernel [[
            kernel(8, 4) void f(float x<>, out float r<>) { r = 2.0 * x + float(indexof(x).y); } ]]
        local y <close> = rill.stream("float", {3, 5, 11}, function(i, j, l) return 10000 * i + 100 * j + l end)
        local ry <close> = ragged(y)
        for _, p in ipairs {{1, 1, 1}, {3, 5, 11}, {2, 4, 9}} do
            assert.equal(2 * y:get(table.unpack(p)) + p[2] - 1, ry:get(table.unpack(p)))
        end
        local three = rill.kernel [[ kernel(4, 2, 2) void f(int x<>, out int r<>) { int3 g = groupid(), l = localid();
            r = x + g.z * 1000 + l.z * 10000; } ]]
        local z <close> = rill.iota({3, 3, 5})
        local rz <close> = three(z)
        assert.equal(44 + 1000, rz:get(3, 3, 5))
        assert.equal(15 + 10000, rz:get(2, 1, 1))
        check.names({"tile", "two or three", "1 dimension"}, two, rill.stream("float", 4))
    end)

    it("sums a group as a tree, with structures in shared memory and helpers", function()
        local k = rill.kernel [=[
            struct Pair { float sum; int count; };
            Pair join(Pair a, Pair b) { return Pair(a.sum + b.sum, a.count + b.count); }
            kernel(32) void sums(float x<>, out float r<>, out int n<>) {
                shared Pair t[32], other;
                int l = localid();
                t[l] = Pair(x, 1);
                barrier();
                for (int s = 16; s > 0; s /= 2) {
                    if (l < s) t[l] = join(t[l], t[l + s]);
                    barrier();
                }
                if (l == 0) other = t[0];
                barrier();
                r = other.sum; n = other.count;
            } ]=]
        local x <close> = rill.iter("float", 96, 0, 96)
        local r, n = k(x)
        check.equal(kernels.list(96, function(i) local g = (i - 1) // 32; return 32 * 32 * g + 496 end), r:values())
        check.equal(kernels.list(96, function() return 32 end), n:values())
    end)

    it("reads general views and packed types", function()
        local k = rill.kernel [=[
            kernel(8) void f(float x<>, out float r<>) { shared float t[8]; t[localid()] = x; barrier(); r = t[localid() ^ 1]; }
        ]=]
        local s <close> = rill.stream("half", 64, function(i) return i end)
        local r <close> = rill.stream("unorm8", 16)
        k(s:domain(2, 64):stride(4), r)
        local big <close> = rill.stream("int16", 16, function(i) return i end)
        local out <close> = k(big)
        check.equal({2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15}, out:values())
        check.equal(kernels.list(16, function() return 1 end), r:values())
    end)

    it("is limited by the device, and barriers belong to it", function()
        check.names({"group of 1048576 invocations"}, rill.kernel,
            "kernel(1024, 1024) void f(float x<>, out float r<>) { r = x; }")
        check.names({"group sizes"}, rill.kernel, "kernel(0) void f(float x<>, out float r<>) { r = x; }")
        check.names({"group sizes"}, rill.kernel, "kernel(n) void f(float x<>, out float r<>) { r = x; }")
        check.names({"group sizes"}, rill.kernel, "kernel(2,2,2,2) void f(float x<>, out float r<>) { r = x; }")
        check.names({"'localid'", "group kernels"}, rill.kernel,
            "kernel void f(float x<>, out float r<>) { r = float(localid()); }")
        check.names({"shared", "group kernels"}, rill.kernel,
            "kernel void f(float x<>, out float r<>) { shared float t[4]; r = x; }")
        check.names({":2:", "shared float t[n]", "'n'"}, rill.kernel,
            "kernel(8) void f(float x<>, out float r<>) {\nshared float t[n]; r = x; }")
    end)

    it("reports gathers out of range of real elements only", function()
        local k = rill.kernel [=[ kernel(16) void f(float x<>, float w[], out float r<>) { r = w[indexof(x).x]; } ]=]
        local x <close> = rill.stream("float", 20)
        rill.check(true)
        local good, message = pcall(function()
            check.equal({0}, {k(x, rill.stream("float", 20)):get(20)})
            check.names({"f", "'w'", "19"}, kernels.finished(k), x, rill.stream("float", 19))
        end)
        rill.check(false)
        assert(good, message)
    end)

    it("of any size compute right with barriers in loops", function()
        for _, size in ipairs {1, 3, 5, 7, 8, 9, 12, 20, 31, 33, 100} do
            local kernel = rill.kernel((([=[
              kernel(SIZE) void count(int least[], int total, inout int at[], inout int sums[]) {
                shared int step[1];
                int me = localid(), here = 0, sum = 0;
                while (here < total) {
                  barrier();
                  if (me == 0) step[0] = 100;
                  barrier();
                  atomicMin(step[0], least[0] + (here & 1) + me % 2);
                  barrier();
                  here += step[0];
                  for (int k = 0; k < 3; k++) { sum += step[0]; barrier(); }
                }
                at[groupid() * SIZE + me] = here;
                sums[groupid() * SIZE + me] = sum;
              }
            ]=]):gsub("SIZE", tostring(size))))
            local n = 3 * size
            local at, sums = rill.stream("int", n, -1), rill.stream("int", n, -1)
            kernel {least = rill.from({2}, "int"), total = 21, at = at, sums = sums, shape = n}
            assert.is_true(at:eq(22):all() and sums:eq(66):all(), "size " .. size)
        end
    end)
end)
