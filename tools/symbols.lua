-- Returns what the object files of a build define and reference, according to `nm`: symbols(build, root) returns a
-- list of {file =, kind =, name =}, where file is a path below src without ".c" and kind is the letter of nm. Object
-- files without a source file are ignored.
local files = require "tools.site.files"

return function(build, root)
    local sources = {}
    for _, path in ipairs(files.tree(root .. "/src", "*.c")) do
        sources[path:match "/src/(.*)%.c$"] = true
    end
    local list = {}
    for _, line in ipairs(files.lines("cd '%s/obj' && find . -name '*.o' | LC_ALL=C sort | xargs nm -A", build)) do
        local file, kind, name = line:match "^%./(.-)%.o:%x*%s+(%a) (%S+)$"
        if sources[file] then
            list[#list + 1] = {file = file, kind = kind, name = name}
        end
    end
    return list
end
