-- Returns whether a message names the injected fault: says(kind, message), with the kinds of spec/support/inject.c.
local MEMORY <const> = {
    "[Oo]ut of [%l ]*memory", "not enough memory", "Cannot allocate memory",
    "GL_OUT_OF_MEMORY",
}
local WORDS <const> = {
    alloc = MEMORY, lua = MEMORY, buffer = MEMORY,
    compile = {"injected"}, link = {"the driver rejects the shader"},
    map = {"injected"}, read = {"injected"}, wait = {"injected", "failed to wait for"},
    lost = {'device "[^"]+": the driver reset'},
}

return function(kind, message)
    for _, pattern in ipairs(WORDS[kind]) do
        if message:find(pattern) then
            return true
        end
    end
    return false
end
