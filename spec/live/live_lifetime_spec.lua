-- Tests that views which open and close leave no memory, descriptors and threads. The tests tagged #long make more
-- steps.
local found = pcall(require, "rill.live.core")
local rill = require "rill"
local compile = require "spec.support.compile"
local process = require "spec.support.process"
local browser = found and require "spec.support.browser"
local sockets = found and require "spec.support.sockets"

describe("views of rill.live", function()
    local function test(name, f)
        it(name, function()
            if not found then
                return pending "there is no libwebsockets here: apt install libwebsockets-dev, and build again"
            end
            f()
        end)
    end

    local function count(directory)
        -- A pipe to the command would be one more descriptor.
        local path, own <close> = os.tmpname(), io.open "/proc/self/stat"
        os.execute(("ls /proc/%d/%s | wc -l >'%s'"):format(own:read "n", directory, path))
        local file <close> = io.open(path)
        os.remove(path)
        return file:read "n"
    end

    local function kilobytes()
        for line in io.lines "/proc/self/status" do
            local value = line:match "^VmRSS:%s+(%d+)"
            if value then return tonumber(value) end
        end
    end

    local random = math.random

    -- Makes steps, in which views open and close, and browsers connect, send messages, read and leave, in random order.
    local function steps(number)
        local s, views, clients = rill.random({32, 32}), {}, {}
        for step = 1, number do
            local k = random(3)
            local view, chance = views[k], random(40)
            if not view and chance < 10 then
                views[k] = rill.live {port = 0, quiet = true, fps = 1000, steer = "all"}
                views[k]:slider "s"
                views[k]:on("drag", function() end)
            elseif view and chance == 1 then
                view:close()
                views[k] = nil
            elseif view and chance == 2 then
                views[k] = nil -- is collected
            elseif view and chance < 6 and #clients < 8 then
                local client = browser.open(view)
                if client then clients[#clients + 1] = client end
            elseif #clients > 0 and chance < 9 then
                table.remove(clients, random(#clients)):close()
            elseif #clients > 0 and chance < 20 then
                local client = clients[random(#clients)]
                client:send("set", "s", random())
                client:send("size", "image", random(1, 64), random(1, 64))
                client:next(0)
            end
            view = views[k]
            if view then
                view:running()
                view:image("image", s, {colormap = "magma"})
                view:plot("plot", step)
                view:text("text", step)
            end
            if step % 500 == 0 then collectgarbage() end
        end
        for _, client in ipairs(clients) do client:close() end
        for k = 1, 3 do
            if views[k] then views[k]:close() end
        end
        collectgarbage()
        collectgarbage()
    end

    -- Returns the number of threads. The system lists a thread for a moment after it has ended.
    local function count_threads()
        local fewest, start <const> = math.huge, rill.clock()
        while rill.clock() - start < 0.2 do fewest = math.min(fewest, count "task") end
        return fewest
    end

    -- Allocated memory stays the same. The heap around it grows by up to 20 MB in the first 2,000 steps: each server's
    -- thread uses one of the heaps of the C library, and free pieces of memory remain between pieces that are used.
    local function check(first, second, most)
        steps(first)
        local descriptors, threads = count "fd", count_threads()
        local memory, allocated = kilobytes(), sockets.allocated()
        steps(second)
        assert.equal(descriptors, count "fd", "descriptors")
        assert.equal(threads, count_threads(), "threads")
        -- A sanitizer keeps what was freed, and reports leaks at the end.
        local more, used = kilobytes() - memory, (sockets.allocated() - allocated) // 1024
        assert.truthy(os.getenv "RILL_SANITIZE" or more < most, ("%d KiB more"):format(more))
        assert.truthy(os.getenv "RILL_SANITIZE" or used < 1500, ("%d KiB more are allocated"):format(used))
    end

    test("leave nothing", function() check(2000, 600, 6000) end)
    test("leave nothing after many steps #long", function() check(3000, 10000, 12000) end)

    test("close at the end of the script, in any order", function()
        for _, ending in ipairs {"", "view:close()", "os.exit(true, true)", "os.exit(true)", "error 'x'",
            "view = nil collectgarbage()",
            "local v <close> = view", "rill.live {port = 0, quiet = true}"} do
            local result = process.run([[
                local rill = require "rill"
                view = rill.live {port = 0, quiet = true}
                view:image("i", rill.stream("float", {4, 4}))
                view:running()
                view:profile()
            ]] .. ending)
            assert.equal(ending:find "error" and 1 or 0, result.status, ending .. result.err)
        end
    end)

    -- `make tsan` runs the same longer, with a tool that also detects races without an effect.
    test("work in several Lua states on threads", function()
        local host, missing = compile("host", "", true)
        if not host then return pending(missing) end
        local address = os.tmpname()
        local pipe = assert(io.popen(("RILL_LIVE_ADDRESS='%s' '%s' spec/support/live_threads.lua 4 1 2>&1")
            :format(address, host)))
        local text = pipe:read "a"
        os.remove(address)
        assert.is_true(pipe:close(), text)
        assert.matches("^%d+\n%d+\n%d+\n%d+\n$", text)
    end)

    test("do not change what SIGPIPE does", function()
        local result = process.run [[
            local rill = require "rill"
            local view = rill.live {port = 0, quiet = true}
            local function ignored() return io.open "/proc/self/status":read "a":match "SigIgn:%s+(%x+)" end
            local with = ignored()
            view:close()
            print(with, ignored())
        ]]
        local open, closed = result.out:match "^(%x+)%s+(%x+)"
        assert.equal(0, tonumber(open, 16) & 0x1000)
        assert.equal(0, tonumber(closed, 16) & 0x1000)
    end)
end)
