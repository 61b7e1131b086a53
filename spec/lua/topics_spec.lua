-- Searches for words, at the prompt (?words) and on the website: lua/rill/shell/topics.lua.
local rill = require "rill"
local reference = require "rill.shell.reference"
local topics = require "rill.shell.topics"
local searches = require "spec.support.searches"

describe("a search for words", function()
    it("finds what users of other libraries mean", function()
        for text, wanted in pairs(searches) do
            local list, hit = topics.search(text, 3), false
            for i, target in ipairs(list) do
                list[i] = type(target) == "table" and target.name or target
                hit = hit or (" " .. wanted .. " "):find(" " .. list[i] .. " ", 1, true)
            end
            assert.is_truthy(hit, text .. ": " .. table.concat(list, ", "))
        end
        assert.same({}, topics.search("zzz qqq", 3))
    end)

    it("ignores words of a search that no page contains", function()
        local list = topics.search("zzzqqq join", 1)
        assert.equal("frame:join", list[1].name)
    end)

    it("has the same stem for the forms of a word", function()
        for _, forms in ipairs {
            "neighbor neighbors neighbour neighbours", "sort sorts sorted sorting", "color colour colors",
            "normalize normalise normalized normalization normalisation", "multiply multiplies multiplication",
            "distance distances", "plot plots plotting", "crop cropped cropping", "decompose decomposition",
            "convolve convolution", "solve solver solvers solution", "detect detection", "index indices",
            "vertex vertices", "spectrum spectra spectral", "average averages mean", "rolling running moving",
            "picture photo images", "delete remove dropped",
            "query queries", "mesh meshes", "matrix matrices", "slice slices slicing",
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
        assert.is_truthy(rill.help("eigenvalues"):find("\n\nrill.linalg.eigh(", 1, true))
        assert.is_truthy(rill.help("spectrogram"):find("\n\nrill.signal.stft(", 1, true))
        assert.is_truthy(rill.help("zzz qqq"):find("there is no 'zzz qqq' in rill", 1, true))
    end)
end)
