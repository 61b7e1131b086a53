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
        assert.same({10, 10 * 8 * 1024, 10}, (function(c) return {c.messages, c.bytes,
            c.rounds} end)(model.reduce({1 << 20}, 1024)))
        assert.equal(0, model.reduce({1000}, 1).messages)
        assert.equal(0, model.sort(1000, 1, 4).bytes)
        local count = model.sort(1 << 30, 1024, 4)
        assert.equal(10 + 2 * 1023 + 2, count.messages)
        assert.truthy(count.bytes >= (1 << 20) * 4 * 1023 / 1024)
    end)

    test("computes times", function()
        local p = {latency = 1e-6, bandwidth = 1e10, copy_latency = 1e-6, copy_bandwidth = 1e10}
        assert.equal(0, model.seconds({messages = 0, bytes = 0}, p))
        assert.near(2e-6 + 1e-3 + 4e-6 + 2e-3, model.seconds({messages = 2, bytes = 1e7}, p), 1e-12)
    end)
end)
