-- Columns of text that are read as categories, and large files, which several threads read.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local NAN <const> = 0 / 0
local WORDS <const> = {"NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "nan", "NaN"}
local NAMES <const> = {
    "a", "b", "Z", "é", "x y", " a", "a ", "a,b", "a;b", 'say "a"', "line\nend", "cr\r\nlf", "0x10", "true", "\0",
    "a\0b", "NA ", "none", "12 a", ("long name "):rep(30),
}

describe("categories of text files", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_text(text, options)
        local given = {frame = true}
        for key, value in pairs(options or {}) do given[key] = value end
        return rill.csv.load(files:write("in.csv", text), given)
    end

    -- Compares a category with a list of texts, in which false is a missing value.
    local function holds(expected, s)
        local names, list, codes = s.names, {}, s:values()
        assert.equal("uint", s.type)
        for i, code in ipairs(codes) do
            list[i] = code ~= 0xffffffff and names[code + 1]
        end
        assert.same(expected, list)
        local seen, last = {}, nil
        for _, text in ipairs(expected) do seen[text] = true end
        for i = 1, #names do
            assert.is_true(seen[names[i]])
            assert.is_true(last == nil or last < names[i])
            last = names[i]
        end
    end

    local function quoted(text) return '"' .. text:gsub('"', '""') .. '"' end

    it("are written by their names", function()
        local texts <const> = {"b", 'a "q", c', false, "1", "NA", " s", "b", "", "nan"}
        local t <const> = rill.frame {c = texts, x = rill.iota(#texts)}
        local path <const> = files:path "out.csv"
        for _, options in ipairs {{}, {delimiter = ";"}, {header = false}} do
            t:save(path, options)
            local list = table.move(texts, 1, #texts, 1, {})
            list[8] = false -- an empty field
            local back <const> = rill.csv.load(path, {frame = true, header = options.header})
            holds(list, back[options.header == nil and "c" or "c1"])
            local lists = {names = {"c", "x"}, c = table.move(texts, 1, #texts, 1, {}), x = t.x}
            lists.c[3] = ""
            local written <const> = tempfiles.read(path)
            rill.csv.save(path, lists, options) -- writes the same file from strings
            assert.equal(tempfiles.read(path), written)
            rill.csv.save(path, {names = {"c", "x"}, c = t.c, x = t.x}, options)
            assert.equal(tempfiles.read(path), written)
        end
        t:select "c":save(path)
        holds({"b", 'a "q", c', false, "1", "NA", " s", "b", false, "nan"}, rill.frame.load(path).c)
        rill.frame {c = rill.frame.category({}, {"a"})}:save(path)
        assert.equal("c\n", tempfiles.read(path))
        rill.csv.save(path, {c = t.c:codes()})
        assert.equal("c\n5\n4\n", tempfiles.read(path):sub(1, 6))
    end)

    it("have sorted names, and codes of fields with and without quotes", function()
        local t <const> = load_text('k,n\nb,1\n"b",2\na,3\n"c,""d""",4\n')
        assert.equal('a b c,"d"', table.concat({t.k.names[1], t.k.names[2], t.k.names[3]}, " "))
        check.equal({1, 1, 0, 2}, t.k:values())
        check.equal({1, 2, 3, 4}, t.n:values())
    end)

    it("have missing values", function()
        local rows, expected = {"k,n", ",1", '"",2', "  ,3"}, {false, false, false}
        for _, word in ipairs(WORDS) do
            table.move({word .. ",4", quoted(word) .. ",5"}, 1, 2, #rows + 1, rows)
            table.move({false, word}, 1, 2, #expected + 1, expected)
        end
        holds(expected, load_text(table.concat(rows, "\n")).k)
        check.equal({NAN, NAN, NAN}, load_text(table.concat(rows, "\n", 1, 4)).k:values())
        rows[#rows + 1], expected[#expected + 1] = "text,6", "text"
        holds(expected, load_text(table.concat(rows, "\n")).k)
        rows[2], expected[1] = "first,7", "first"
        holds(expected, load_text(table.concat(rows, "\n")).k)
        holds({false, "a", false}, load_text("k\n?\na\n-", {missing = {"?", "-"}}).k)
    end)

    it("keep the texts of rows before the first text", function()
        local t = load_text "a,b,c\n007,,1\n 1,nan,2\nx,y,3\n,z,4\n"
        holds({"007", " 1", "x", false}, t.a)
        holds({false, false, "y", "z"}, t.b)
        check.equal({1, 2, 3, 4}, t.c:values())
        t = load_text("a,b\n1,2\n,3\n", {type = {a = "text"}})
        holds({"1", false}, t.a)
        check.equal({2, 3}, t.b:values())
        assert.equal(0, #load_text("a,b\n", {type = "text"}))
    end)

    it("are columns with a text in quotes, except if all fields are in quotes", function()
        local t = load_text('c,d,e,f\n007,"",,1\n"012",2,"NA",\n,3,NA,"2.5"\n')
        holds({"007", "012", false}, t.c)
        check.equal({NAN, 2, 3}, t.d:values())
        holds({false, "NA", false}, t.e)
        holds({"1", false, "2.5"}, t.f)
        check.equal({7, 12}, load_text('c,d\n"007",1\n"012",2\n', {type = {c = "double"}}).c:values())
        t = load_text '"c","d","e"\n"007","x",""\n"NA","1","2"\n,"NA","3"\n'
        check.equal({7, NAN, NAN}, t.c:values())
        holds({"x", "1", "NA"}, t.d)
        check.equal({NAN, 2, 3}, t.e:values())
        holds({"007"}, load_text('"c","d"\n"007",1\n').c)
        holds({"1", "2"}, load_text('c\n"1"\n"2"\n').c)
        check.equal({1, 2}, rill.csv.load(files:path "in.csv").c:values())
    end)

    it("with names that could be values survive a file", function()
        local path <const> = files:path "values.csv"
        for _, texts in ipairs {{"NA", "NA"}, {"007", "012"}, {"1", false}, {"inf", "-1e3"}, {"nan", "x"}, {"", "5"}} do
            rill.frame {c = texts}:save(path)
            local expected <const> = {}
            for i, text in ipairs(texts) do expected[i] = text ~= "" and text end
            holds(expected, rill.csv.load(path, {frame = true}).c)
        end
        rill.csv.save(path, {c = {"1,5", "2"}, d = {"3", "4"}}, {decimal = ","})
        local t <const> = rill.csv.load(path, {frame = true, decimal = ","})
        holds({"1,5", "2"}, t.c)
        holds({"3", "4"}, t.d)
        -- Numbers in quotes below names that are all numbers would make the first row a row of values.
        rill.csv.save(path, {["2020"] = {"7", "x"}})
        assert.same({"2020"}, rill.csv.load(path).names)
        rill.csv.save(path, {["2020"] = {"nan", "x"}})
        assert.same({"2020"}, rill.csv.load(path).names)
    end)

    it("have the missing words that the options give", function()
        local text <const> = "country,n\nNA,1\nnull,\n,3\nnan,4\n?,5\nDE,NA\n"
        holds({false, false, false, false, "?", "DE"}, load_text(text).country)
        local t = load_text(text, {missing = false})
        holds({"NA", "null", false, "nan", "?", "DE"}, t.country)
        holds({"1", false, "3", "4", "5", "NA"}, t.n)
        t = load_text(text, {type = {country = "text"}})
        holds({"NA", "null", false, "nan", "?", "DE"}, t.country)
        check.equal({1, NAN, 3, 4, 5, NAN}, t.n:values())
        holds({"NA", "null", false, "nan", false, "DE"},
            load_text(text, {type = {country = "text"}, missing = {"?"}}).country)
        check.equal({NAN, 2}, load_text("n,c\n,a\n2,b\n", {missing = false}).n:values())
        check.names({"line 7, field 2", 'got "NA"'}, load_text, text, {missing = false, type = {n = "double"}})
        check.names({"option 'missing': expected a table of words, or false", "true"}, load_text, text,
            {missing = true})
    end)

    it("are read back by the writer of files", function()
        math.randomseed(3)
        local texts, numbers = {}, {}
        for i = 1, 200 do
            texts[i] = math.random(8) ~= 1 and (NAMES[math.random(#NAMES)] or WORDS[math.random(#WORDS)]) or false
            texts[i] = math.random(6) == 1 and WORDS[math.random(#WORDS)] or texts[i]
            numbers[i] = i
        end
        local t <const>, path <const> = rill.frame {k = texts, n = numbers}, files:path "out.csv"
        t:save(path)
        local u <const> = rill.csv.load(path, {frame = true})
        holds(texts, u.k)
        check.equal(numbers, u.n:values())
    end)

    it("may be many", function()
        local list = {}
        for i = 1, 20000 do list[i] = ("name %d"):format(i * 7919 % 20011) end
        local t <const> = load_text("k,n\n" .. table.concat(list, ",1\n") .. ",1\n")
        holds(list, t.k)
        assert.equal(20000, #t.k.names)
    end)

    -- Returns the text of a file of n rows of a number and a text, and both lists. change(i, number, text) returns
    -- other fields.
    local function large(n, change)
        local numbers, texts, rows = {}, {}, {"x,k,y"}
        for i = 1, n do
            local number, text = ("%.3f"):format(i * 0.37 % 100), "name " .. i * 31 % 97
            if change then number, text = change(i, number, text) end
            numbers[i], texts[i] = tonumber(number) or NAN, text
            rows[i + 1] = ("%s,%s,%s %d"):format(number, text, ("more"):rep(30), i % 3)
        end
        return table.concat(rows, "\n"), numbers, texts
    end

    it("of large files agree with the rows", function()
        local n <const> = 17000
        for _, way in ipairs {
            function(_, x, k) return x, k end,
            function(i, x, k) return i < 12000 and "" or x, i < 12000 and "NA" or k end, -- missing in the first part
            function(i, x) return x, i < 15000 and tostring(i) or "text" end, -- numbers in the first part
            function(i, x) return x, i > 3000 and tostring(i) or "text" end, -- numbers in the last part
        } do
            local text, numbers, texts = large(n, way)
            local t <const> = load_text(text)
            for i = 1, n do
                texts[i] = texts[i] ~= "NA" and texts[i]
            end
            check.equal(numbers, t.x:values())
            holds(texts, t.k)
            assert.equal(3, #t.y.names)
            local list <const> = rill.csv.load(files:path "in.csv").k
            assert.equal(texts[n], list[n])
            assert.equal(n, #list)
        end
    end)

    it("of large files may have a single text in quotes", function()
        local text, numbers, texts = large(17000, function(i, x) return x, i == 16000 and '"5"' or "007" end)
        local t <const> = load_text(text)
        check.equal(numbers, t.x:values())
        texts[16000] = "5"
        holds(texts, t.k)
    end)

    it("of large files may contain line ends", function()
        local text, numbers, texts = large(12000, function(_, x, k)
            return x, quoted(k .. ("\n1,2,3"):rep(9))
        end)
        local t <const> = load_text(text)
        check.equal(numbers, t.x:values())
        for i, name in ipairs(texts) do texts[i] = name:sub(2, -2) end
        holds(texts, t.k)
    end)

    it("of large files name the lines of errors", function()
        local text <const> = large(17000)
        local first <const> = text:gsub("\n[^\n]*\n", "\n1,2\n", 1)
        assert.is_true(#text > 1 << 21)
        check.names({"line 17001 has 4 fields", "expected 3, as in line 1"}, load_text, text .. ",5")
        check.names({"line 2 has 2 fields"}, load_text, first)
        check.names({"line 17002, field 1", "a number"}, load_text, text .. "\na,a,b", {type = {x = "float"}})
    end)
end)
