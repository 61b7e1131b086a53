-- For LUA_INIT: writes each kernel text that a program compiles to a file in the folder RILL_TEXTS, as rows of a Lua
-- table {dialect, text}. fuzz/derivable.lua reads them.
local searchers <const> = package.searchers

table.insert(searchers, 1, function(name)
    if name ~= "rill.core" or package.loaded["fuzz.recorded"] then return nil end
    package.loaded["fuzz.recorded"] = true
    return function()
        local core
        for i = 2, #searchers do
            local load_module, where = searchers[i](name)
            if type(load_module) == "function" then
                core = load_module(name, where)
                break
            end
        end
        local out = assert(io.open(os.getenv "RILL_TEXTS" .. os.tmpname():gsub("^.*/", "/"), "w"))
        out:setvbuf "line"
        for _, how in ipairs {"kernel", "program"} do
            local original = core[how]
            core[how] = function(text, options, ...)
                if type(text) == "string" then
                    out:write(("{%q, %q},\n"):format(type(options) == "table" and options.dialect or "rill", text))
                end
                return original(text, options, ...)
            end
        end
        return core
    end
end)
