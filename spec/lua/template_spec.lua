-- Templates of kernel texts: constructs, errors, and the cache of programs.
local rill = require "rill"
local check = require "spec.support.check"
local dimensions = require "rill.glsl.dimensions"
local program_cache = require "rill.glsl.program_cache"
local template = require "rill.glsl.template"

local THIS <const> = debug.getinfo(1, "S").short_src

-- Calls a function on a line that is known: returns the line of the call.
local function line()
    return debug.getinfo(2, "l").currentline
end

describe("a template", function()
    it("replaces names by values, with braces where letters follow", function()
        local t = template.new "$T a = ${T}2($x); $row.y"
        assert.equal("vec a = vec2(0.5); 3.y", t:text {T = "vec", x = 0.5, row = 3})
    end)

    it("repeats a body for rows and for values, with a separator, also in loops within loops", function()
        local t = template.new "$for(r, rows, \", \"){$r.a:$for(c, r.list, \"|\"){$r.a$c}} $for(n, numbers){[$n]}"
        assert.equal("p:p1|p2, q: [5][6]",
            t:text {rows = {{a = "p", list = {1, 2}}, {a = "q", list = {}}}, numbers = {5, 6}})
    end)

    it("chooses by booleans, numbers and words", function()
        local t = template.new "$if(yes){a}$else{b}$if(rank == 2){c} $else {d}$if(word == $other){e}$if(no){f}"
        assert.equal("ace", t:text {yes = true, rank = 2, word = "w", other = "w", no = false})
        assert.equal("bdf", t:text {yes = false, rank = 3, word = "w", other = "v", no = true})
    end)

    it("puts snippets first, once, after the snippets that they use", function()
        template.snippet("spec_inner", "inner($V);\n")
        template.snippet("spec_outer", "$use(spec_inner)outer;\n")
        local t = template.new "$use(spec_outer)$use(spec_inner)a$use(spec_outer)b"
        assert.equal("inner(vec2);\nouter;\nab", t:text {V = "vec2"})
    end)

    it("makes functions of types by snippets, each type once", function()
        template.snippet("spec_half", {
            any = "$T $name($T x) { return x / 2; }\n", int = "int $name(int x) { return x >> 1; }\n",
        })
        template.snippet("spec_quarter", {
            any = "$T $name($T x) { return $use(spec_half, $T)($use(spec_half, $T)(x)); }\n",
        })
        local t = template.new "$use(spec_quarter, $A)(a) + $use(spec_half, int)(b)"
        assert.equal("double rill_spec_half_double(double x) { return x / 2; }\n"
            .. "double rill_spec_quarter_double(double x) { return rill_spec_half_double(rill_spec_half_double(x)); }\n"
            .. "int rill_spec_half_int(int x) { return x >> 1; }\nrill_spec_quarter_double(a) + rill_spec_half_int(b)",
            t:text {A = "double"})
    end)

    it("inserts a body into a snippet where it is called", function()
        template.snippet("spec_twice", "for ($I j;;) { {$body} {$body} }")
        local t = template.new "$for(r, rows){$call(spec_twice){ n += $r; }}$call(spec_twice)"
        assert.equal("for (int j;;) { { n += 7; } { n += 7; } }for (int j;;) { {} {} }", t:text {I = "int", rows = {7}})
    end)

    it("has the texts of dimensions", function()
        local t = template.new "$V $I $brackets a$element $for(n, neighbors, \" \"){$n.offset $n.axis $n.edge}"
        assert.equal("float int [] a[(i).x] -1 x 0 1 x last.x", t:text(dimensions[1]))
        assert.equal("vec2 ivec2 [][] a[(i).y][(i).x] ivec2(-1, 0) x 0 ivec2(1, 0) x last.x "
            .. "ivec2(0, -1) y 0 ivec2(0, 1) y last.y", t:text(dimensions[2]))
        assert.equal("ivec3(0, 0, 1) ivec3(0, 0, -1)",
            template.new "$for(a, axes){$if(a.k == 2){$a.step $a.back}}":text(dimensions[3]))
    end)

    it("says where a construct is wrong", function()
        for _, text in ipairs {
            "$if(x) y", "$for(r, rows) {", "$for(rows){}", "$use()", "$call(a b){}", "$", "$if(a = b){}",
        } do
            local at = line() + 1
            local done, message = pcall(function() local t = template.new("\n" .. text) return t end)
            assert.is_false(done, text)
            check.raises(("template %s:%d: "):format(THIS, at + 1), error, message)
        end
    end)

    it("says which name it does not know, or which value does not fit, and on which line", function()
        local at = line()
        local t = template.new [[first
            $if(flag){$V}
            $for(r, rows){
                $r.missing }]]
        check.raises(("template %s:%d: '$flag'"):format(THIS, at + 2), t.text, t, {})
        check.raises(("template %s:%d: 'flag' is a string"):format(THIS, at + 2), t.text, t, {flag = "a"})
        check.raises(("template %s:%d: '$V' is a boolean"):format(THIS, at + 2), t.text, t, {flag = true, V = true})
        check.raises(("template %s:%d: '$rows'"):format(THIS, at + 3), t.text, t, {flag = false})
        check.raises(("template %s:%d: '$r.missing'"):format(THIS, at + 4), t.text, t, {flag = false, rows = {{}}})
        t = template.new "$use(spec_nowhere)"
        check.raises("there is no snippet 'spec_nowhere'", t.text, t, {})
    end)

    it("names the file and the line of an error in a kernel, in what it repeats and in snippets, too", function()
        local at = line()
        local t = template.new [[
            kernel void f(float x<>, out float r<>) {
                $for(k, numbers){
                r = x;
                r += $k; }
                r = wrong_$word;
            }]]
        local said = ("kernel text of %s:%d:21: error: "):format(THIS, at + 6)
        check.raises(said, t.kernel, t, {numbers = {1, 2, 3}, word = "name"})
        local found = select(2, pcall(t.kernel, t, {numbers = {}, word = "name"}))
        assert.matches(("\n +%d | +r = wrong_name;\n"):format(at + 6), found)
        local below = line() + 1
        template.snippet("spec_bad", "float half_of(float x) { return wrong; }\n")
        t = template.new "$use(spec_bad)kernel float f(float x<>) { return half_of(x); }"
        check.raises(("kernel text of %s:%d:%%d+: error: "):format(THIS, below), t.kernel, t)
    end)
end)

describe("kernels of templates", function()
    local DOUBLED <const> = template.new "kernel $T doubled($T x<>) { return $T($n) * x$if(more){ + x}; }"

    it("are shared for equal values, and differ if any value differs", function()
        local one = DOUBLED:kernel {T = "float", n = 2, more = false}
        assert.equal(one, DOUBLED:kernel {T = "float", n = 2, more = false})
        local s = rill.from {1, 2}
        for _, values in ipairs {
            {T = "float", n = 3, more = false, 3}, {T = "float", n = 2, more = true, 3},
            {T = "double", n = 2, more = false, 2},
        } do
            local other = DOUBLED:kernel(values)
            assert.not_equal(one, other)
            assert.equal(values[1], other(s:cast(values.T)):get(1))
        end
    end)

    it("depend on all fields of arrays, and on what the snippets use", function()
        template.snippet("spec_amount", "const float amount = $amount;\n")
        local t = template.new [[
            $use(spec_amount)kernel float sum(float x<>) { return amount * x$for(r, rows){ + $r.a}; }]]
        local function value(amount, a)
            return t:kernel {amount = amount, rows = {{a = a, b = 1}}}(rill.from {1}):get(1)
        end
        assert.same({3, 4, 5}, {value("2.0", "1.0"), value("3.0", "1.0"), value("2.0", "3.0")})
        assert.equal(t:kernel {amount = "2.0", rows = {{a = "1.0", b = 1}}},
            t:kernel {amount = "2.0", rows = {{b = 1, a = "1.0"}}})
    end)

    it("come from values that another table completes", function()
        local base = {__index = {T = "int", n = 1, more = false}}
        assert.equal(DOUBLED:kernel {T = "int", n = 5, more = false}, DOUBLED:kernel(setmetatable({n = 5}, base)))
    end)

    it("are a program if t:program is called", function()
        local t = template.new "kernel $T a($T x<>) { return x; } struct Pair { $T one; $T two; };"
        local program = t:program {T = "float"}
        assert.equal("kernel a(float x<>, out float result<>)", tostring(program.a))
        assert.equal(program, t:program {T = "float"})
    end)

    it("are removed from the cache after many others, and created again #long", function()
        local t = template.new "kernel float f(float x<>) { return x + float($n); }"
        local dropped = setmetatable({t:kernel {n = 0}}, {__mode = "v"})
        for n = 1, program_cache.LIMIT do
            t:kernel {n = n}
        end
        collectgarbage()
        collectgarbage()
        assert.is_nil(dropped[1])
        assert.equal(1, t:kernel {n = 0}(rill.from {1}):get(1))
    end)
end)
