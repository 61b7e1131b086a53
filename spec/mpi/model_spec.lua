-- Tests of rill.mpi.model: the schedule of many ranks, which runs without data.
local found = pcall(require, "rill.mpi.core")

describe("rill.mpi.model", function()
    local model = found and require "rill.mpi.model"

    local function test(name, f)
        it(name, function()
            if not found then
                return pending "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"
            end
            f()
        end)
    end

    test("counts the halos of 1024 ranks along one dimension", function()
        local count = model.halo({65536, 4096}, {1024}, {1, 1}, 4)
        assert.same({2, 2 * 4096 * 4, 1}, {count.messages, count.bytes, count.rounds})
        assert.same({2 * 1023, 2 * 1023 * 4096 * 4}, {count.all_messages, count.all_bytes})
        count = model.halo({65536, 4096}, {1024}, {1, 1}, 4, {"wrap", "clamp"})
        assert.equal(2 * 1024, count.all_messages)
    end)

    test("counts the halos of 16 x 8 x 8 ranks", function()
        local count = model.halo({2048, 1024, 1024}, {16, 8, 4}, {1, 1, 1}, 4)
        assert.equal(3, count.rounds)
        assert.equal(6, count.messages)
        -- the planes of a part of 128 x 128 x 256, with the halos of the dimensions before
        assert.equal(4 * 2 * (128 * 256 + 130 * 256 + 130 * 130), count.bytes)
    end)

    test("counts halos wider than a part", function()
        local count = model.halo({8, 10}, {8}, {3, 0}, 4)
        assert.equal(6, count.messages) -- from three ranks on each side
        assert.equal(2 * 3 * 10 * 4, count.bytes)
    end)

    test("counts reductions and sorts", function()
        assert.same({20, 20}, (function(c) return {c.messages, c.rounds} end)(model.reduce(1024)))
        assert.equal(0, model.reduce(1).messages)
        assert.equal(0, model.sort(1000, 1, 4).bytes)
        local count = model.sort(1 << 30, 1024, 4)
        assert.equal(2 * 10 + 1023, count.messages)
        assert.truthy(count.bytes >= (1 << 20) * 4 * 1023 / 1024)
    end)

    test("counts iterations of conjugate gradients", function()
        local sum = model.reduce(8)
        for times, preconditioned in pairs {[2] = false, [4] = true} do
            local count = model.cg({4096, 512}, 8, 8, preconditioned)
            assert.same({2 + times * 6, 2 * 512 * 8 + times * sum.bytes, 1 + times * 6},
                {count.messages, count.bytes, count.rounds})
        end
        assert.equal(0, model.cg({4096, 512}, 1, 8).messages)
    end)

    test("counts cycles of multigrid", function()
        local count = model.multigrid({512, 512}, 4, 4) -- levels of 512^2 and 256^2; 128^2 is gathered
        assert.same({2 * (5 + 6) + 3, 2 * 4 * ((4 + 3) * 512 + (4 + 3 + 2) * 256) + 4 * 128 * 128 * 3 // 4, 12},
            {count.messages, count.bytes, count.rounds})
        count = model.multigrid({64, 64, 64}, 2, 4) -- 32^3 is distributed, 16^3 gathered
        assert.same({5 + 6 + 1, 4 * (7 * 64 * 64 + 9 * 32 * 32) + 4 * 16 ^ 3 // 2}, {count.messages, count.bytes})
        assert.equal(0, model.multigrid({512, 512}, 1, 4).bytes)
    end)

    test("counts ghosts, and the time of checkpoints", function()
        local count = model.ghosts(1000, 16, 3, 20)
        assert.same({8 + 6, 24 * 16 + 20000, 8 + 3}, {count.messages, count.bytes, count.rounds})
        assert.equal(4, model.ghosts(1000, 2, 2, 20).rounds)
        assert.equal(0, model.ghosts(0, 1, 2, 20).messages)
        assert.near(2 + 14 * 10 * 1e-6, model.checkpoint(2e9, 1024, 1e9, 1e-6), 1e-12)
    end)

    test("computes times", function()
        local p = {latency = 1e-6, bandwidth = 1e10, copy_latency = 1e-6, copy_bandwidth = 1e10}
        assert.equal(0, model.seconds({messages = 0, bytes = 0}, p))
        assert.near(2e-6 + 1e-3 + 4e-6 + 2e-3, model.seconds({messages = 2, bytes = 1e7}, p), 1e-12)
    end)
end)
