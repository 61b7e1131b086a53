-- Reads pages of the manual and inserts their tables of names. The lines `<!-- names: module -->` and `<!-- end of
-- names -->` enclose the table of the names of `rill`, by page. The lines `<!-- names: PAGE -->` and `<!-- end of
-- names -->` enclose the table of all names that lua/rill/shell/reference.lua lists for docs/PAGE.md, with signature
-- and description. `make build` writes the tables into the pages.
local files = require "tools.site.files"
local reference = require "rill.shell.reference"

local names = {}

--- Returns the description of an entry as the text of a table cell. Code is not changed.
function names.summary(entry)
    local text = entry.summary:gsub("|", "\\|"):gsub("([^`]*)(`?[^`]*`?)", function(prose, code)
        return prose:gsub("<", "&lt;"):gsub("%*", "\\*") .. code
    end)
    return text
end

-- "rill.atan(y [, x])"
local function call(entry)
    if not entry.params then return entry.name end
    local words = {}
    for i, parameter in ipairs(entry.params) do
        local form = parameter.optional and (i > 1 and " [, %s]" or "[%s]") or i > 1 and ", %s" or "%s"
        words[i] = form:format(parameter.name)
    end
    return ("%s(%s)"):format(entry.name, table.concat(words))
end

local function name_table(page)
    local rows = {"| | |\n|---|---|"}
    for _, entry in ipairs(reference.entries()) do
        if entry.page == page and not entry.language then
            rows[#rows + 1] = ("| `%s` | %s |"):format(call(entry), names.summary(entry))
        end
    end
    assert(#rows > 1, page)
    return table.concat(rows, "\n")
end

-- Returns the names of `rill` in the order of the reference, with the names of one page in one row.
local function module_table()
    local rows, by_page = {"| names of `rill` | page |", "|---|---|"}, {}
    for _, entry in ipairs(reference.entries()) do
        local name, page = entry.name:match "^rill%.([%a][%w_.]*)$", entry.page
        if name and page == "algebra" and not by_page[page] then
            by_page[page] = {}
            rows[#rows + 1] = {by_page[page], "[algebra.md](algebra.md#all-functions)"}
        elseif name and page ~= "algebra" then
            if not by_page[page] then
                by_page[page] = {}
                rows[#rows + 1] = {by_page[page], ("[%s.md](%s.md)"):format(page, page)}
            end
            local cell = by_page[page]
            cell[#cell + 1] = cell[#cell] ~= ("`%s`"):format(name) and ("`%s`"):format(name) or nil
        end
    end
    by_page.algebra[1] = "the functions of expressions: `where` `vec3` `min` `sqrt` `sin` `length` ..."
    for i = 3, #rows do
        rows[i] = ("| %s | %s |"):format(table.concat(rows[i][1], " "), rows[i][2])
    end
    return table.concat(rows, "\n")
end

--- Returns the text of a page of the manual with current tables of names.
function names.read(path)
    local text = files.read(path)
    local filled, count = text:gsub("%f[^\n\0](<!%-%- names: (%l+) %-%->)\n.-(<!%-%- end of names %-%->)%f[\n\0]",
        function(head, page, foot)
            return head .. "\n\n" .. (page == "module" and module_table() or name_table(page)) .. "\n\n" .. foot
        end)
    local _, marks = text:gsub("%f[^\n\0]<!%-%- names: ", "")
    assert(count == marks, path .. ": a table of names has no end")
    return filled
end

return names
