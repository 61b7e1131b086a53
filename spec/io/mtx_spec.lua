-- MatrixMarket files that are written by hand.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

describe("MatrixMarket files", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_text(text)
        return rill.sparse.load(files:write("in.mtx", text))
    end

    local function refused(names, text)
        table.insert(names, 1, "rill.sparse.load: cannot read")
        check.names(names, load_text, text)
    end

    it("of all fields and symmetries", function()
        local A = load_text("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 3 1.5\n% more\n" ..
            "2 1 -2e3\n1 1 4\n")
        check.equal({4, 0, 1.5, -2000, 0, 0}, A:dense():values())
        assert.same({"csr", "double"}, {A.format, A.type})
        A = load_text "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n2 1 5\n3 2 6\n"
        check.equal({7, 5, 0, 5, 0, 6, 0, 6, 0}, A:dense():values())
        A = load_text "%%matrixmarket MATRIX Coordinate Real Skew-Symmetric\n2 2 1\n2 1 3\n"
        check.equal({0, -3, 3, 0}, A:dense():values())
        A = load_text "%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1"
        check.equal({1, 1, 1, 0}, A:dense():values())
        A = load_text "%%MatrixMarket matrix coordinate double general\n1 2 2\n1 2 1.25d1\n1 2 1\n"
        check.equal({0, 13.5}, A:dense():values())
        A = load_text "%%MatrixMarket matrix coordinate real general\n0 5 0\n"
        assert.equal("0x5", tostring(A.shape))
        assert.equal(0, A:multiply(rill.stream("float", 5)).size)
    end)

    it("with CRLF, tabs and blanks", function()
        local text = "%%MatrixMarket matrix coordinate real general\r\n%\r\n 2\t2 2 \r\n1 1 0.5\r\n\r\n  2 2   .25 \r\n"
        check.equal({0.5, 0, 0, 0.25}, load_text(text):dense():values())
    end)

    it("that are cut off anywhere", function()
        local text = "%%MatrixMarket matrix coordinate real general\n12 12 2\n11 12 1.5\n12 11 2.5"
        assert.equal(2, load_text(text).nnz)
        for length = 0, #text - 4 do
            refused({}, text:sub(1, length))
        end
    end)

    it("that announce what is not there", function()
        local head = "%%MatrixMarket matrix coordinate real general\n"
        collectgarbage()
        local before = rill.memory().bytes
        refused({"truncated", "1000000000 entries", "6 bytes"}, head .. "10 10 1000000000\n1 1 1\n")
        assert.equal(before, rill.memory().bytes)
        refused({"truncated", "declares 2 entries, but has only 1"}, head .. "2 2 2\n1 1 1.00000000000000\n")
        refused({"line 4", "more than the 1 entry"}, head .. "2 2 1\n1 1 1\n2 2 1\n")
        refused({"the number of rows", "2147483646"}, head .. "2147483647 1 1\n1 1 1\n")
        refused({"the number of entries"}, head .. "2 2\n1 1 1\n")
    end)

    it("with indices, values and words that are none", function()
        local head = "%%MatrixMarket matrix coordinate real general\n"
        refused({"line 3: a row is 3: expected 1 .. 2"}, head .. "2 2 1\n3 1 1\n")
        refused({"line 3: a column is 0: expected 1 .. 2"}, head .. "2 2 1\n1 0 1\n")
        refused({"line 3: expected a row, a whole number", '"-1"'}, head .. "2 2 1\n-1 1 1\n")
        refused({"line 3: expected a column", '"1.5"'}, head .. "2 2 1\n1 1.5 1\n")
        refused({"line 3: expected a value", '"x"'}, head .. "2 2 1\n1 1 x\n")
        refused({"line 3: unexpected text after an entry"}, head .. "2 2 1\n1 1 1 1\n")
        refused({"line 2: unexpected text after a line of sizes"}, head .. "2 2 1 9\n1 1 1\n")
        refused({"line 3: 1e400 does not fit double"}, head .. "2 2 1\n1 1 1e400\n")
        local zeros = ("0"):rep(5000)
        refused({"line 3: expected a value", '"0000000000000000..."'}, head .. "2 2 1\n1 1 " .. zeros .. "3\n")
        refused({"line 4: more than the 1 entry that the file declares"}, head .. "2 2 1\n1 1 1\n1 2 1\n")
        refused({"line 3: expected a whole number", '"7.5"'},
            "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 7.5\n")
        refused({"line 3: unexpected text after an entry"},
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n")
        refused({"not a MatrixMarket file"}, "1 1 1\n1 1 1\n")
        refused({'"matrix array"'}, "%%MatrixMarket matrix array real general\n1 1\n1\n")
        refused({'field is "complex"'}, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n")
        refused({'symmetry is "hermitian"'}, "%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n")
        refused({"square", "1 x 2"}, "%%MatrixMarket matrix coordinate real symmetric\n1 2 1\n1 1 1\n")
        refused({"line 3", "diagonal"}, "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n")
        check.names({"rill.sparse.load", "nowhere.mtx"}, rill.sparse.load, files:path "nowhere.mtx")
        check.names({"rill.sparse.load", "'path'"}, rill.sparse.load, 3)
    end)
end)
