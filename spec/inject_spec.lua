-- What fails below rill is an error, and nothing else: fuzz/inject.lua over some subjects and kinds; `make inject` does the rest.
local child = require "spec.support.child"
local preload = require "spec.support.preload"

-- Runs a subject; gives the exit status, the lines that tell of findings, and how many faults it met.
local function inject(subject, kind, most)
    local library = preload("inject", pending)
    local log = os.tmpname()
    local lua = os.getenv "RILL_LUA" or "lua5.4"
    local words = "env LD_PRELOAD='%s' RILL_INJECT_LIBRARY='%s' %s %s fuzz/injected.lua %s %s 1 %d %s >/dev/null 2>&1"
    local queues = subject == "request" and "RILL_ASYNC=1" or ""
    local command = words:format(library, library, queues, lua, subject, kind, most, log)
    local _, _, status = os.execute(command)
    local findings, tried = {}, 0
    for _, line in ipairs(child.take(log)) do
        if line:find "^finding" then
            findings[#findings + 1] = line
        end
        tried = tonumber(line:match "^tried (%d+)") or tried
    end
    return status, findings, tried
end

describe("faults below rill", function()
    for kind, case in pairs {alloc = {"sort", 50}, buffer = {"sort", 9}, link = {"sort", 3}, wait = {"request", 9},
        lua = {"sort", 300}} do
        local subject, most = table.unpack(case)
        it(kind .. ": each is an error that leaves nothing and harms nothing", function()
            local status, findings, tried = inject(subject, kind, most)
            assert.same({}, findings)
            assert.equal(0, status)
            assert(tried >= 3, "nothing failed")
        end)
    end
end)
