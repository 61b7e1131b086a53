-- Case scripts: a body, the text before it, and a function that runs it.
local script = {}

local HEAD = [[
local rill = require "rill"
local check, same_ = require "spec.support.check", require "fuzz.support.same"
local same, same_bits = same_.values, same_.bits
check.collect()
check.collect() -- the collector of Lua 5.4 sometimes needs further cycles
local streams = rill.memory().streams
local function case()
]]
-- Checks that a case leaves nothing behind.
local TAIL = [[

end
local verdict = case()
for _ = 1, 4 do
    check.collect()
    if rill.memory().streams == streams then break end
end
check.equal({streams}, {rill.memory().streams})
return verdict
]]

function script.whole(body)
    return HEAD .. body .. TAIL
end

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

-- Returns the sources of the support modules that a text requires, each loaded on demand, followed by the text, so
-- that it runs without this tree.
function script.alone(text, comment)
    local done, parts = {}, {"-- " .. comment:gsub("\n", "\n-- ") .. "\n"}
    local function bundle(of)
        for name in of:gmatch "require%s*%(?%s*\"([%w_.]+)\"" do
            if (name:find "^fuzz%." or name:find "^spec%.") and not done[name] then
                done[name] = true
                local source = read(name:gsub("%.", "/") .. ".lua")
                bundle(source)
                table.insert(parts, ("package.preload[%q] = function(...)\n%send\n"):format(name, source))
            end
        end
    end
    bundle(text)
    table.insert(parts, text)
    return table.concat(parts)
end

-- Runs the script in this process. Returns true and its results, or false and the message.
function script.run(text)
    local chunk, message = load(text, "=case")
    if not chunk then
        return false, "no Lua: " .. message
    end
    local good, result = xpcall(chunk, function(m) return tostring(m) end)
    return good, result
end

return script
