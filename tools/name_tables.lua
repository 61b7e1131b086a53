-- Writes the tables of names into the pages of the manual: name_tables.lua, run in the root of the tree. See
-- tools/site/names.lua.
local files = require "tools.site.files"
local names = require "tools.site.names"

for _, path in ipairs(files.list("docs", "*.md")) do
    local text = names.read(path)
    if text ~= files.read(path) then
        files.write(path, text)
        print("written: " .. path)
    end
end
