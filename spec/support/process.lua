-- Runs Lua scripts in a new interpreter, to test exits, environment variables and crashes.
local process = {}

-- Runs a script. `environment`: variables to set (false: to unset). `arguments`: arguments of the script, quoted by
-- the caller. Returns {status = exit status, or 128 + the signal; out =, err = output}.
function process.run(script, environment, arguments)
    local base = os.tmpname()
    local file = assert(io.open(base, "w"))
    file:write(script)
    file:close()
    local words = {"env"}
    for name, value in pairs(environment or {}) do
        if value then
            words[#words + 1] = ("'%s=%s'"):format(name, value)
        else
            table.insert(words, 2, ("-u '%s'"):format(name)) -- options of env come first
        end
    end
    local command = ("%s %s '%s' %s >'%s.out' 2>'%s.err'"):format(
        table.concat(words, " "), os.getenv "RILL_LUA" or "lua5.4", base, arguments or "", base, base)
    local _, how, status = os.execute(command)
    local result = {status = how == "signal" and 128 + status or status}
    for _, name in ipairs {"out", "err"} do
        local output = assert(io.open(base .. "." .. name))
        result[name] = output:read "a"
        output:close()
        os.remove(base .. "." .. name)
    end
    os.remove(base)
    return result
end

-- Runs a script that must succeed without output on standard error. Returns its output.
function process.output(script, environment, arguments)
    local result = process.run(script, environment, arguments)
    if result.status ~= 0 or result.err ~= "" then
        error(("exit status %s\n%s%s"):format(result.status, result.out, result.err), 2)
    end
    return result.out
end

return process
