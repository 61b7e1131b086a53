-- The parts of the prompt without a terminal: completion, printing of values, help.
local rill = require "rill"
local completion = require "rill.shell.completion"
local pretty = require "rill.shell.pretty"
local tempfiles = require "spec.support.tempfiles"

local function list(first, ...)
    return table.concat(first, first[1] and " " or "", ...)
end

describe("completion", function()
    local env = {
        rill = rill, s = rill.iota(4), x = {inner = {deep = 1, run = print}, list = {{name = 1}}}, text = "abc",
        k = rill.kernel "kernel void k(float alpha, float x<>, out float r<>) { r = alpha * x; }", print = print,
        t = rill.translator.linear {shape = 4}, frame = rill.frame {price = {1}, ["a b"] = {2}},
    }

    local function complete(text, from)
        return list(completion(text, from or text:match "()[%w_.:]*$", env))
    end

    it("knows globals and words of the language", function()
        assert.equal("print", complete "pri")
        assert.equal("repeat return rill", complete "x = re" .. " " .. complete "ri")
        assert.equal("", complete "")
        assert.equal("", complete "1")
    end)

    it("knows fields and methods", function()
        assert.equal("s:softmax s:sort", complete "s:so")
        assert.equal("s.shape s.size", complete "s.s")
        assert.equal("x.inner.deep", complete "x.inner.d")
        assert.equal("x.inner:run", complete "x.inner:")
        assert.equal("x.list[1].name", complete("x.list[1].n", 1))
        assert.equal("text:upper", complete "text:up")
        assert.equal("k:specialize", complete "print(k:sp")
        assert.equal("t.rank", complete "t.ra")
        assert.equal("frame.price", complete "frame.p")
        assert.equal("frame:pivot", complete "frame:p")
        assert.equal("frame.names", complete "frame.n")
        assert.equal("t:ranges", complete "t:ra")
        assert.equal("rill.random", complete "rill.ra" :match "rill.random")
        assert.equal("rill.image.load", complete "rill.image.lo")
        assert.equal("", complete "nothing.at")
        assert.equal("", complete "print().a")
    end)

    it("knows the keys of options", function()
        assert.equal("exclusive = ", complete "s:scan('add', {exc")
        assert.equal("distribution = ", complete "rill.random({2, 2}, {seed = 1, dist")
        assert.equal("alpha = ", complete "k{al")
        assert.equal("descending = ", complete "s:sort{des")
        assert.equal("alpha =  r =  shape =  where =  x = ", complete "k{")
        assert.equal("", complete "rill.random(9, {seed = di")
    end)

    it("knows paths in strings, and leaves kernel text alone", function()
        local files = tempfiles.open()
        files:write("some file.txt", "")
        os.execute("mkdir '" .. files:path "somewhere" .. "'")
        local start = "rill.load('" .. files.directory .. "/so"
        assert.equal(files:path "some file.txt" .. " " .. files:path "somewhere/", complete(start, 12))
        -- Two texts, so that a line editor does not close the quote.
        assert.equal(files:path "somewhere/" .. " " .. files:path "somewhere/.", complete(start .. "mew", 12))
        files:write("somewhere/inside", "")
        assert.equal(files:path "somewhere/" .. " " .. files:path "somewhere/inside", complete(start .. "mew", 12))
        assert.equal(files:path "somewhere/inside", complete(start .. "mewhere/", 12))
        assert.equal("", complete "k = [[ kernel pri")
        assert.equal("print", complete "k = [[ kernel ]] .. pri")
        files:close()
    end)
end)

describe("the text of a table", function()
    it("has limits of depth and length", function()
        assert.equal("{ 1, 2, { a = \"x, y\" } }", pretty.text({1, 2, {a = "x, y"}}, 80))
        assert.equal("{ { { { {...} } } } }", pretty.text({{{{{{}}}}}}, 80))
        local long = {}
        for i = 1, 1000 do
            long[i] = i
        end
        local text = pretty.text(long, 40)
        assert.truthy(text:find("\n  40, ... 960 more\n}", 1, true))
        for line in text:gmatch "[^\n]+" do
            assert.is_true(#line <= 40)
        end
        local loop = {1}
        loop.self = loop
        assert.equal("{ 1, self = <cycle> }", pretty.text(loop, 80))
    end)

    it("escapes bytes that are not text", function()
        assert.equal([["a\x00b\xFF\xC3("]], pretty.text("a\0b\xff\xc3(", 80))
        assert.equal('"\u{e9}"', pretty.text("\u{e9}", 80))
        assert.equal("two\nlines", pretty.text("two\nlines", 80))
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}}):allocate({1, 1})
        local line = "container<float>[8x8], pages, 1 of 4 pages mapped"
        assert.equal(line, pretty.text(c, 80))
        assert.equal("{ " .. line .. " }", pretty.text({c}, 80))
        assert.equal("{ expression<float>[8x8], stream<int>[2] }", pretty.text({c + 1, rill.iota(2)}, 80))
        assert.equal("range of 16 elements of 8x8", pretty.text(c:active(), 80))
        assert.equal("mapped container<float> of 64", pretty.text(c:map_cpu(), 80))
        local speaks = setmetatable({1}, {__tostring = function() return "\27[2J" end})
        assert.equal("{ \\x1B[2J }", pretty.text({speaks}, 80))
        assert.equal("{ [\\x1B[2J] = 1 }", pretty.text({[speaks] = 1}, 80))
        assert.equal("a\\x1B[31m\n\t\"", pretty.printable "a\27[31m\n\t\"")
        assert.truthy(pretty.text(("x"):rep(1e6), 80):find "^\"x+\" %.%.%. %(1000000 bytes%)$")
    end)
end)

describe("rill.help", function()
    it("explains names and values", function()
        assert.truthy(rill.help "s:sort":find("s:sort(options?:", 1, true))
        assert.equal(rill.help "stream.sort", rill.help "s:sort")
        assert.truthy(rill.help "rill.scan":find("s:scan", 1, true))
        assert.truthy(rill.help "vout":find "push")
        assert.equal(rill.help "rill.sin", rill.help(rill.sin))
        assert.truthy(rill.help(rill.iota(1)):find "unique")
        assert.truthy(rill.help "rill":find "programfile")
        assert.truthy(rill.help "rill.image":find "label load median")
        assert.truthy(rill.help "rill.solve":find "^rill%.solve has\n")
        assert.truthy(rill.help "factors":find "^factors have\n")
        assert.truthy(rill.help "expression":find "^an expression has\n")
        local _, report = rill.solve.cg(rill.from {{2}}, rill.from {1})
        assert.truthy(rill.help(report):find "^converged .*\nits fields\n  converged history")
        assert.truthy(rill.help "nonsense":find "there is no 'nonsense'")
        for _, part in ipairs {"image", "debug", "horn"} do
            assert.truthy(rill.help "rill":match "modules in it\n(.*)":find(part), part)
            assert.truthy(rill.help "??":find("rill." .. part .. " has", 1, true), part)
            assert.truthy(rill.help(part):find("rill." .. part .. " has", 1, true), part)
        end
        for _, name in ipairs {"programfile", "transpose", "eval", "specialize", "software", "vout"} do
            assert.truthy(rill.help "?":find(name), name)
        end
    end)

    it("suggests similar names, and so do errors", function()
        for name, near in pairs {
            scater = "rill.scatter", ["rill.linspce"] = "rill.linspace", ["s:srot"] = "s:sort",
            ["rill.imge"] = "rill.image", ["rill.image.laod"] = "rill.image.load", ["k:explan"] = "k:explain",
            nieghbor = "neighbor",
        } do
            local answer = ("there is no '%s' in rill; did you mean %s?"):format(name, near)
            assert.truthy(rill.help(name):find(answer, 1, true), name)
        end
        assert.falsy(rill.help "qwertyuiop":find "did you mean")
        local s = rill.iota(2)
        for expected, access in pairs {
            ["rill has no field or module 'linspce'; did you mean rill.linspace?"] = function() return rill.linspce end,
            ["rill has no field or module 'cumsum'; did you mean s:cumsum?"] = function() return rill.cumsum end,
            ["rill.image has no field 'lod'; did you mean rill.image.load?"] = function() return rill.image.lod end,
            ["rill.mesh has no field 'sphere'; did you mean rill.mesh.icosphere?"] = function()
                return rill.mesh.sphere
            end,
            ["rill has no field or module 'cube'; did you mean rill.mesh.box?"] = function() return rill.cube end,
            ["rill.debug has no field 'wacth'; did you mean rill.debug.watch?"] =
                function() return rill.debug.wacth end,
            ["a stream has no field or method 'srot'; did you mean s:sort?"] = function() return s:srot() end,
            ["an expression has no field or method 'fliter'; did you mean s:filter?"] =
                function() return (s + 1):fliter() end,
        } do
            local _, message = pcall(access)
            assert.truthy(message:find(expected, 1, true), message)
        end
        assert.falsy(select(2, pcall(function() return rill.qwertyuiop end)):find "did you mean")
        assert.truthy(rill.help():find "Ctrl%-D")
    end)
end)
