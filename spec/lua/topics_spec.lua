-- Searches for words, at the prompt (?words) and on the website: lua/rill/shell/topics.lua.
local rill = require "rill"
local reference = require "rill.shell.reference"
local topics = require "rill.shell.topics"

-- What new users searched for, and one of the answers that they expected among the first three.
local SEARCHES <const> = {
    ["nearest neighbor"] = "rill.neighbors", ["k-nearest neighbours"] = "rill.neighbors", ["group by"] = "frame:group",
    ["join"] = "frame:join", ["merging two tables"] = "frame:join", ["slice rows"] = "s:domain",
    ["sliding window"] = "s:windows", ["complex multiplication"] = "rill.cmul", ["eigenvalues"] = "rill.linalg.eigh",
    ["inverse matrix"] = "rill.linalg.inv", ["sort by two keys"] = "rill.lexsort",
    ["sorting by several columns"] = "frame:sort",
    ["signed distance"] = "T:distance", ["breadth first search"] = "docs/sparse.md", ["running total"] = "s:cumsum",
    ["read csv"] = "rill.csv.load", ["median filter"] = "rill.image.median", ["edge detection"] = "rill.image.sobel",
    ["solve linear equations"] = "rill.solve.lu", ["train a network"] = "rill.optimize.adam",
    ["save a picture"] = "rill.image.save", ["ray tracing"] = "rill.ray.trace", ["out of core"] = "rill.big",
    ["read mp3"] = "rill.sound.load", ["audio file"] = "rill.sound.load",
    ["reduce triangles"] = "M:simplify", ["mesh decimation"] = "M:simplify",
    ["remove duplicates"] = "s:unique", ["argsort"] = "rill.argsort", ["automatic differentiation"] = "rill.grad",
}

describe("a search for words", function()
    it("finds what users of other libraries mean", function()
        for text, wanted in pairs(SEARCHES) do
            local list = topics.search(text, 3)
            for i, target in ipairs(list) do
                list[i] = type(target) == "table" and target.name or target
            end
            assert.is_truthy((" " .. table.concat(list, " ") .. " "):find(" " .. wanted .. " ", 1, true),
                text .. ": " .. table.concat(list, ", "))
        end
        assert.same({}, topics.search("zzz qqq", 3))
    end)

    it("has the same stem for the forms of a word", function()
        for _, forms in ipairs {
            "neighbor neighbors neighbour neighbours", "sort sorts sorted sorting", "color colour colors",
            "normalize normalise normalized normalization normalisation", "multiply multiplies multiplication",
            "distance distances", "query queries", "mesh meshes", "matrix matrices", "slice slices slicing",
        } do
            local stem = topics.stem(forms:match "%a+")
            for form in forms:gmatch "%a+" do
                assert.equal(stem, topics.stem(form), form)
            end
        end
        assert.are_not.equal(topics.stem "sort", topics.stem "sqrt")
        assert.equal("gas", topics.stem "gas")
    end)

    it("leads to names and pages that exist", function()
        local names = {}
        for _, entry in ipairs(reference.entries()) do names[entry.name] = true end
        for _, row in ipairs(topics.rows()) do
            local file = row.target:find "^docs/" and io.open(row.target)
            assert.is_truthy(names[row.target] or file, row.phrase .. ": " .. row.target)
            if file then file:close() end
        end
    end)

    it("is what help does with words that are no name", function()
        assert.is_truthy(rill.help("nearest neighbor"):find("^rill%.neighbors%("))
        assert.is_truthy(rill.help("breadth first search"):find("docs/sparse.md", 1, true))
        assert.is_truthy(rill.help("gather"):find("rill.gather(", 1, true))
        assert.is_truthy(rill.help("zzz qqq"):find("there is no 'zzz qqq' in rill", 1, true))
    end)
end)
