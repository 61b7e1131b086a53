-- Output handler of busted for tools/suite.lua. Prints failures, and writes events to $RILL_SUITE_LOG immediately,
-- so that the counts are correct even if a run crashes. Lines: "start NAME", "pass NAME", "fail NAME", "skip NAME",
-- "reason TEXT" (of the last skipped test), "tag TAG" (a test was left out because of it), and finally "end".

return function(options)
    local busted = require "busted"
    local handler = require "busted.outputHandlers.base"()
    local log = assert(io.open(assert(os.getenv "RILL_SUITE_LOG", "RILL_SUITE_LOG is not set"), "w"))
    log:setvbuf "no"

    local function note(event, name)
        log:write(event, name and " " .. name:gsub("%s+", " ") or "", "\n")
    end

    local function show(kind, failure)
        local message = failure.message
        if type(message) ~= "string" then
            message = message == nil and "error without a message" or require("pl.pretty").write(message)
        end
        local trace = failure.trace or {}
        local where = trace.short_src and ("%s:%d: "):format(trace.short_src, trace.currentline) or ""
        io.write("  ", kind, ": ", failure.name, "\n    ", where, (message:gsub("\n", "\n    ")), "\n")
        if kind == "error" and trace.traceback then
            io.write("    ", (trace.traceback:gsub("^\n", ""):gsub("\n", "\n    ")), "\n")
        end
        io.flush()
    end

    -- Leaves out tests that have one of the tags of RILL_SUITE_TAGS, or are in a block that has one, together with
    -- their setup and teardown. The option of busted for this does not count such tests.
    local blocks = {}

    function handler.blockStart(element)
        table.insert(blocks, element.name)
        return nil, true
    end

    function handler.blockEnd()
        table.remove(blocks)
        return nil, true
    end

    local function left_out_for(name)
        local full = table.concat(blocks, " ") .. " " .. name
        for tag in (os.getenv "RILL_SUITE_TAGS" or ""):gmatch "%w+" do
            if full:find("#" .. tag .. "%f[%W]") then
                return tag
            end
        end
    end

    function handler.registerTest(name)
        local tag = left_out_for(name)
        if tag then
            note("tag", tag)
        end
        return nil, not tag
    end

    function handler.registerFixture()
        return nil, not left_out_for ""
    end

    function handler.testStart(element)
        note("start", handler.getFullName(element))
        return nil, true
    end

    local names = {success = "pass", pending = "skip", failure = "fail", error = "fail"}
    function handler.testEnd(element, _, status)
        local name = handler.getFullName(element)
        note(names[status] or "fail", name)
        if status == "failure" then
            show("failure", handler.failures[#handler.failures])
        elseif status == "error" then
            show("error", handler.errors[#handler.errors])
        elseif status == "pending" then
            local pending = handler.pendings[#handler.pendings]
            local reason = type(pending.message) == "string" and pending.message or "no reason is given"
            note("reason", (reason:gsub("^%S+:%d+: ", "")))
        end
        return nil, true
    end

    -- Errors outside of a test: a file that does not load, a setup, a teardown.
    function handler.outside(element)
        if element.descriptor ~= "it" then
            note("fail", handler.getFullName(element) .. " (" .. element.descriptor .. ")")
            show("error", handler.errors[#handler.errors])
        end
        return nil, true
    end

    function handler.suiteEnd()
        note "end"
        return nil, true
    end

    for _, kind in ipairs {"it", "pending"} do
        busted.subscribe({"register", kind}, handler.registerTest, {priority = 1})
    end
    for _, kind in ipairs {"strict_setup", "strict_teardown", "lazy_setup", "lazy_teardown"} do
        busted.subscribe({"register", kind}, handler.registerFixture, {priority = 1})
    end
    busted.subscribe({"describe", "start"}, handler.blockStart)
    busted.subscribe({"describe", "end"}, handler.blockEnd)
    busted.subscribe({"test", "start"}, handler.testStart, {predicate = handler.cancelOnPending})
    busted.subscribe({"test", "end"}, handler.testEnd, {predicate = handler.cancelOnPending})
    busted.subscribe({"error"}, handler.outside)
    busted.subscribe({"failure"}, handler.outside)
    busted.subscribe({"suite", "end"}, handler.suiteEnd)
    assert(options)
    return handler
end
