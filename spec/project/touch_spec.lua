-- Makes additions in a copy of the tree and counts the files that each touches. Everything that is not edited must
-- follow automatically. The recipes are in CONTRIBUTING.md, whose titles state the numbers of files.
local addition = require "spec.support.addition"

local NUMBERS <const> = {one = 1, two = 2, three = 3, four = 4, five = 5, six = 6, seven = 7, eight = 8}

-- Runs a tool as a check.
local CHECKS <const> = {cycles = "build", annotations = "--check"}

-- Compares the files touched with the files of a recipe, whose number is in CONTRIBUTING.md, and with the permitted
-- maximum.
local function counts(copy, recipe, most, files)
    assert.same(files, copy:touched())
    assert.is_true(#files <= most)
    local title = "\n### " .. recipe .. ": (%l+) files"
    local number = copy:read "CONTRIBUTING.md":match(title)
    assert.equal(#files, NUMBERS[number], "CONTRIBUTING.md: " .. recipe)
end

describe("an addition: #long", function()
    it("a function of the algebra", function()
        local copy <close> = addition.open()
        copy:insert("lua/rill/algebra/rows/elementary.lua", [[

define("logistic", "x", "real", {
    doc = "1 / (1 + e^-x)",
    number = function(x) return 1 / (1 + exp(-x)) end,
    text = "T @logistic(T x) { return 1.0 / (1.0 + @exp(-x)); }",
})
]])
        copy:write("spec/algebra/logistic_spec.lua", [[
local rill = require "rill"
local s = rill.from({0, 2}, "double")
assert(rill.logistic(s):values()[1] == 0.5 and rill.logistic(0) == 0.5)
assert(math.abs(rill.logistic(s):values()[2] - 1 / (1 + math.exp(-2))) < 1e-15)
assert(rill.logistic(rill.from({{0, 0}}, "vec2")).type == "vec2")
print((rill.help "rill.logistic"))
print(table.concat(require "rill.shell.completion"("rill.logi", 1, {rill = rill})))
print(select(2, pcall(function() return rill.logistik end)))
]])
        local output = copy:run "spec/algebra/logistic_spec.lua"
        for _, text in ipairs {
            "rill.logistic(x: operand): expression\n  1 / (1 + e^-x)\n  [docs/algebra.md]", "\nrill.logistic\n",
            "did you mean rill.logistic?",
        } do
            assert.truthy(output:find(text, 1, true), output)
        end
        copy:run "tools/annotations.lua build/library/rill.lua"
        assert.truthy(copy:read "build/library/rill.lua":find("\nfunction rill.logistic(x) end\n", 1, true))
        copy:run "tools/annotations.lua --check"
        counts(copy, "A function of the algebra", 2,
            {"lua/rill/algebra/rows/elementary.lua", "spec/algebra/logistic_spec.lua"})
        copy:run "tools/name_tables.lua" -- as `make build` does
        copy:run "tools/docscov.lua"
    end)

    it("a primitive", function()
        local copy <close> = addition.open()
        copy:write("src/primitive/sorting/delta2.h", [[
/* Differences of neighbors. */
#ifndef RILL_DIFFERENCES_H
#define RILL_DIFFERENCES_H

#include "stream/stream.h"

/* Each element less the one before it: a stream of one dimension and one element less. */
bool delta2_stream(const Stream *s, Stream *result);

#endif
]])
        copy:write("src/primitive/sorting/delta2.c", [[
#include "primitive/sorting/delta2.h"

#include "kernel/launch/builtin.h"

bool delta2_stream(const Stream *s, Stream *result)
{
    Shape shape = {.rank = 1, .size = {s->shape.size[0] - 1}};
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "kernel void delta2(%s s[], out %s r<>) { r = s[indexof(r).x + 1] - s[indexof(r).x]; }",
                s->type->value->name, s->type->value->name);
    Kernel *kernel = builtin_kernel(s->device, strbuf_text(&text));
    strbuf_free(&text);
    if (!kernel || !stream_create(s->device, s->type, &shape, false, result)) {
        return false;
    }
    Argument args[] = {{.stream = s}, {.stream = result}};
    if (!kernel_launch(kernel, s->device, args, &shape, false)) {
        stream_release(result);
        return false;
    }
    return true;
}
]])
        copy:write("src/binding/operations/delta2.c", [[
/* rill.delta2. */
#include "binding/binding.h"

#include "primitive/sorting/delta2.h"

static int rill_delta2(lua_State *L)
{
    binding_count(L, "rill.delta2", 1, false);
    const Stream *s = accept_check(L, 1, "rill.delta2", 1, "s");
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, "rill.delta2", delta2_stream(s, result));
    return 1;
}

void open_delta2(lua_State *L)
{
    static const luaL_Reg functions[] = {{"delta2", rill_delta2}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
]])
        copy:insert("lua/rill/shell/reference.lua",
            "rill.delta2(s: source): stream -- each element less the one before it\n", "rill.seed(")
        copy:insert("docs/primitive.md", "\n`rill.delta2(s)` is each element less the one before it.\n")
        copy:write("spec/primitive/delta2_spec.lua", [[
local rill = require "rill"
assert(table.concat(rill.delta2(rill.from {1, 4, 9, 16}):values(), " ") == "3.0 5.0 7.0")
assert(table.concat(rill.delta2(rill.iota(5):cast "int16"):values(), " ") == "1 1 1 1")
print((rill.help "rill.delta2"))
print(select(2, pcall(rill.delta2, 1)))
]])
        copy:build "OPENERS"
        local output = copy:run "spec/primitive/delta2_spec.lua"
        assert.truthy(output:find("each element less the one before it", 1, true), output)
        assert.truthy(output:find("rill.delta2: argument #1 's': expected", 1, true), output)
        for _, tool in ipairs {"layers", "cycles", "errors", "annotations", "docscov"} do
            copy:run("tools/%s.lua %s", tool, CHECKS[tool] or "")
        end
        counts(copy, "A primitive", 6, {
            "docs/primitive.md", "lua/rill/shell/reference.lua", "spec/primitive/delta2_spec.lua",
            "src/binding/operations/delta2.c", "src/primitive/sorting/delta2.c", "src/primitive/sorting/delta2.h",
        })
    end)

    it("a gradient of an operation", function()
        local copy <close> = addition.open()
        copy:insert("lua/rill/grad/rules/order.lua", [[

rule("rill.merge", function(call, a, b, ...)
    local y <const> = call:run(a, b, ...)
    local order <const>, n <const> = tape.suspended(function() return rill.argsort(rill.concat {a, b}) end), a.size
    call:record({a, b}, {y}, {order = order}, function(kept, g)
        local both <const> = moved_back(g, kept.order, 1)
        return both:domain(1, n), both:domain(n + 1, both.size)
    end)
    return y
end)
]])
        copy:insert("docs/gradient.md", "`rill.merge`, ", "`top_k`, `filter`")
        copy:write("spec/grad/merge_gradient_spec.lua", [[
local rill = require "rill"
local x, y, w = rill.from {1, 4}, rill.from {2, 3, 5}, rill.from {1, 2, 3, 4, 5}
local a, b = rill.grad(function(x, y) return (rill.merge(x, y) * w):sum() end)(x, y)
assert(table.concat(a:values(), " ") == "1.0 4.0" and table.concat(b:values(), " ") == "2.0 3.0 5.0")
]])
        copy:build()
        copy:run "spec/grad/merge_gradient_spec.lua"
        counts(copy, "A gradient of an operation", 3,
            {"docs/gradient.md", "lua/rill/grad/rules/order.lua", "spec/grad/merge_gradient_spec.lua"})
    end)

    it("a storage type", function()
        local copy <close> = addition.open()
        copy:insert("src/stream/type_rows.h", " \\\n    X(UNORM16, 2, UNORM)", "\n\n/* id, name")
        copy:insert("src/stream/type_rows.h", " \\\n    X(UNORM16, \"unorm16\", UNORM16, 1, FLOAT)", "\n\n#endif")
        local glsl = "src/kernel/emit/glsl.c"
        copy:insert(glsl,
            '    case SCALAR_UNORM16: strbuf_addf(out, "(float((%s >> %s) & 65535u) / 65535.0)", word, s); break;\n',
            "    case SCALAR_INT8: strbuf_addf(out, \"(int(")
        copy:insert(glsl,
            '    case SCALAR_UNORM16: strbuf_addf(out, "uint(clamp(%s, 0.0, 1.0) * 65535.0 + 0.5)", value); break;\n',
            "    case SCALAR_INT8:\n")
        local values = "src/binding/values/value.c"
        copy:insert(values, [[
static bool pack_unorm16(lua_State *L, int index, void *to)
{
    double wide = 0;
    if (!real_pack(L, index, "unorm16", &wide)) {
        return false;
    }
    uint16_t value = (uint16_t)(fmin(fmax(wide, 0), 1) * 65535 + 0.5);
    memcpy(to, &value, sizeof value);
    return true;
}

static void push_unorm16(lua_State *L, const void *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    lua_pushnumber(L, (lua_Number)((float)value / 65535.0f));
}

]], "static bool pack_bool(")
        copy:insert(values, "    [SCALAR_UNORM16] = {pack_unorm16, push_unorm16},\n", "    [SCALAR_FLOAT] =")
        copy:insert("docs/stream.md", "| 16-bit floats from 0 to 1 | `unorm16` | `float` | 2 |\n", "| small integers |")
        local elements = "spec/support/elements.lua"
        copy:insert(elements, '    unorm16 = {"unorm16", 1},\n', "    unorm8 =")
        copy:insert(elements, '    if scalar == "unorm16" then\n        return k % 2\n    end\n',
            '    if scalar == "unorm"')
        copy:build("SCALARS", "SCALAR_COUNT", "TYPES")
        copy:write("build/use.lua", [[
local rill = require "rill"
local list = require "spec.support.elements".list("unorm16", 9)
local s = rill.stream("unorm16", 9, list)
local function is(expected, stream)
    assert(table.concat(stream:values(), " ") == expected, table.concat(stream:values(), " "))
end
is("0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0", s)
is("0.0 0.0 0.0 0.0 0.0 1.0 1.0 1.0 1.0", s:sort())
is("0.0 1.0 1.0", rill.from({-1, 1, 2}, "float"):cast "unorm16")
is("0.5 0.75", (rill.from({0.25, 0.5}, "unorm16") + 0.25):cast "half")
assert(s:sum() == 4)
s:save "build/s.npy"
is("0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0", rill.load "build/s.npy")
s:save "build/s.rill"
assert(rill.load "build/s.rill".type == "unorm16")
print(select(2, pcall(rill.stream, "unorm15", 1)))
]])
        local output = copy:run "build/use.lua"
        assert.truthy(output:find("'unorm16'", 1, true), output)
        copy:run "tools/errors.lua"
        counts(copy, "A storage type", 5, {"docs/stream.md", elements, values, glsl, "src/stream/type_rows.h"})
    end)

    it("a kind of parameter", function()
        local copy <close> = addition.open()
        local signature = "src/kernel/text/module.c"
        copy:insert("src/kernel/text/module.h", "    PARAM_LATE, /* late T name<> */\n", "    PARAM_KIND_COUNT")
        copy:insert(signature, [[
    [PARAM_LATE] =
        {.name = "late stream", .word = "late", .stream = true, .read = true, .element = true, .along = true},
]], "    [PARAM_REDUCE] =")
        copy:insert("lua/rill/shell/reference.lua", "late | late T name<> -- an input that is late\n", "neighbor | ")
        copy:insert("docs/kernel.md", "| `late T name<>` | late stream | an input that is late |\n", "| `neighbor T")
        copy:write("spec/kernel/late_spec.lua", [[
local rill = require "rill"
local k = rill.kernel "kernel void f(late float x<>, out float r<>) { float late = x; r = 2.0 * late; }"
assert(table.concat(k(rill.from {1, 2}):values(), " ") == "2.0 4.0")
assert(table.concat(k(rill.from({{1, 0}, {2, 0}}, "float"):stride(1, 2)):values(), " ") == "2.0 4.0")
print(k.params[1].kind, (rill.help "late"))
print(k:explain(rill.iota(3)))
print(select(2, pcall(rill.kernel, "kernel void f(late out float x<>) { }")))
print(dofile "tools/site/highlight.lua" "local k = [=[kernel void f(late float x<>) {}]=]")
print(select(2, pcall(rill.kernel, "kernel void f(late float x, out float r<>) { r = x; }")))
]])
        copy:build "PARAM_KIND_COUNT"
        local output = copy:run "spec/kernel/late_spec.lua"
        for _, text in ipairs {
            "late stream", "an input that is late", "vout, late", "write x<> for a late stream",
            '<span class="k">late</span>',
        } do
            assert.truthy(output:find(text, 1, true), output)
        end
        copy:run "tools/errors.lua"
        copy:run "tools/docscov.lua"
        counts(copy, "A kind of parameter", 8, {
            "docs/kernel.md", "lua/rill/shell/reference.lua", "spec/kernel/late_spec.lua", signature,
            "src/kernel/text/module.h",
        })
    end)

    it("a kind of container", function()
        local copy <close> = addition.open()
        copy:write("src/container/kind/ones.c", [[
/* Arrays of floats that are ones at first, and so are arrays like them. */
#include "container/kind/kinds.h"
#include "container/kind/memory.h"
#include "container/snapshot/snapshot_private.h"
#include "container/translator/translators.h"

static Container *set(Container *c)
{
    static const float one = 1;
    if (c && !memory_fill(c, &one, NULL)) {
        container_release(c);
        return NULL;
    }
    return c;
}

Container *container_ones(Device *device, const Shape *shape)
{
    Stream memory;
    Translator *t = translator_linear(shape);
    Container *c = NULL;
    if (t && stream_create(device, type_find("float"), &(Shape){1, {shape_elements(shape)}}, false, &memory)) {
        c = container_new(&container_kind_ones, t, &memory, NULL);
        stream_release(&memory);
    }
    translator_release(t);
    return set(c);
}

static Container *like(const Container *c, const Type *type)
{
    Container *result = memory_like(c, type);
    return type == c->memory.type ? set(result) : result;
}

static bool save(Container *c, ContainerData *data)
{
    data->kind = container_kind_array.name;
    return container_kind_array.save(c, data);
}

const ContainerKind container_kind_ones = {
    .name = "ones",
    .traits = {.owns_memory = true},
    .snapshot_bytes = sizeof(MemorySnapshot),
    .like = like,
    .copy = memory_copy,
    .save = save,
    .ready = snapshot_memory_ready,
    .fill = memory_fill,
    .note = snapshot_memory_note,
    .forget = snapshot_memory_forget,
    .diff = snapshot_memory_diff,
    .undo = snapshot_memory_undo,
};
]])
        copy:insert("src/container/kind/kinds.h", "    X(ones) \\\n", "    X(mapped)")
        copy:insert("src/container/kind/kinds.h", "/* Arrays of ones. */\n" ..
            "Container *container_ones(Device *device, const Shape *shape);\n\n", "#endif")
        local create = "src/binding/containers/create.c"
        copy:insert(create, [[
/* _ones(shape) */
static int container_of_ones(lua_State *L)
{
    static const char function[] = "rill._ones";
    Shape shape;
    shape_check_arg(L, 1, function, 1, "shape", &shape);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function, container_ones(device, &shape));
    return 1;
}

]], "void open_container_create(")
        copy:insert(create, '{"_ones", container_of_ones}, ', '{"physical", rill_physical}')
        copy:write("spec/container/ones_spec.lua", [[
local rill = require "rill"
local c <close> = require "rill.core"._ones({2, 3})
assert(c:stream():sum() == 6 and c:like("float"):stream():sum() == 6)
local s <close> = c:snapshot()
rill.kernel "kernel void f(inout float x<>) { x = x + 1.0; }"(c)
assert(c:stream():sum() == 12 and c:copy():stream():sum() == 12)
c:undo(s)
assert(c:stream():sum() == 6)
c:save "build/ones.rill"
local read <close> = rill.load "build/ones.rill"
assert(read:stream():sum() == 6)
]])
        copy:build "ContainerKind"
        copy:run "spec/container/ones_spec.lua"
        for _, tool in ipairs {"layers", "cycles", "errors"} do
            copy:run("tools/%s.lua %s", tool, CHECKS[tool] or "")
        end
        counts(copy, "A kind of container", 4, {
            "spec/container/ones_spec.lua", create, "src/container/kind/kinds.h", "src/container/kind/ones.c",
        })
    end)

    it("a file format, of images", function()
        local copy <close> = addition.open()
        copy:write("src/io/image/flat.c", [[
#include "base/error.h"
#include "io/image/formats.h"

#include <string.h>

bool flat_recognize(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "flat", 4) == 0;
}

bool flat_decode(const unsigned char *bytes, size_t size, Image *image)
{
    if (size < 6 || size - 6 < (size_t)bytes[4] * bytes[5]) {
        return error_set("it is truncated");
    }
    if (!image_create(image, bytes[4], bytes[5], 1, IMAGE_U8)) {
        return false;
    }
    memcpy(image->data, bytes + 6, image_samples(image));
    return true;
}

bool flat_encode(const Image *image, StrBuf *bytes)
{
    if (image->channels != 1 || image->depth != IMAGE_U8) {
        return error_set("the format holds no colors: use .png");
    }
    char size[2] = {(char)image->rows, (char)image->cols};
    strbuf_add(bytes, "flat");
    strbuf_add_bytes(bytes, size, sizeof size);
    strbuf_add_bytes(bytes, image->data, image_samples(image));
    return true;
}
]])
        copy:insert("src/io/image/formats.h", '    X("FLAT", "flat", INTEGERS, flat, flat_encode) \\\n', '    X("QOI"')
        copy:write("spec/io/flat_spec.lua", [[
local rill = require "rill"
local s = rill.from({{0, 1, 0}, {1, 0, 1}}, "float")
rill.image.save(s, "build/s.flat")
local back = rill.image.load("build/s.flat", "float")
assert(tostring(back.shape) == "2x3" and table.concat(back:values(), " ") == "0.0 1.0 0.0 1.0 0.0 1.0")
local file = io.open("build/s.flat", "rb")
local bytes = file:read "a"
file:close()
assert(bytes == "flat\2\3\0\xff\0\xff\0\xff")
io.open("build/cut.flat", "wb"):write(bytes:sub(1, -2)):close()
print(select(2, pcall(rill.image.load, "build/cut.flat")))
print(select(2, pcall(rill.image.save, s, "build/s.flut")))
]])
        copy:build "IMAGE_FORMATS"
        local output = copy:run "spec/io/flat_spec.lua"
        assert.truthy(output:find("it is truncated", 1, true), output)
        assert.truthy(output:find(".flat", 1, true), output)
        copy:run "tools/errors.lua"
        copy:run "tools/layers.lua"
        counts(copy, "A file format", 3, {"spec/io/flat_spec.lua", "src/io/image/flat.c", "src/io/image/formats.h"})
    end)

    it("a file format, of meshes", function()
        local copy <close> = addition.open()
        copy:write("src/io/mesh/soup.c", [[
#include "base/error.h"
#include "io/mesh/formats.h"

#include <string.h>

bool soup_recognize(const unsigned char *bytes, size_t size)
{
    return size >= 5 && memcmp(bytes, "soup\n", 5) == 0;
}

bool soup_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    TextReader text = text_reader(bytes, size, 0);
    double corner[3];
    for (text_skip_line(&text); text.at < text.end; text_skip_line(&text)) {
        if (!text_finite(&text, "a coordinate", corner, 3) || !mesh_add_vertex(mesh, corner)) {
            return false;
        }
        int32_t count = (int32_t)mesh->vertices;
        if (count % 3 == 0 && !mesh_add_triangle(mesh, count - 3, count - 2, count - 1)) {
            return false;
        }
    }
    return mesh->vertices % 3 == 0 || error_set("it is truncated");
}

void soup_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    (void)encoding;
    text_add(writer, "soup\n");
    for (size_t corner = 0; corner < 3 * mesh->faces; corner++) {
        text_add_floats(writer, mesh->positions + 3 * mesh->triangles[corner], 3);
        text_add_bytes(writer, "\n", 1);
    }
}
]])
        copy:insert("src/io/mesh/formats.h", '    X("SOUP", "soup", 1 << MESH_ASCII, soup) \\\n', '    X("STL"')
        copy:write("spec/io/soup_spec.lua", [[
local rill = require "rill"
local mesh = rill.mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 2.5, 0}}, triangles = {{0, 1, 2}}}
mesh:save "build/m.soup"
local file = io.open("build/m.soup", "rb")
local text = file:read "a"
file:close()
assert(text == "soup\n 0 0 0\n 1 0 0\n 0 2.5 0\n")
assert(#rill.mesh.load "build/m.soup".triangles == 1)
io.open("build/cut.soup", "wb"):write(text:sub(1, -10)):close()
print(select(2, pcall(rill.mesh.load, "build/cut.soup")))
io.open("build/none.soup", "wb"):write "\0\0":close()
print(select(2, pcall(rill.mesh.load, "build/none.soup")))
print(select(2, pcall(mesh.save, mesh, "build/m.soup", {encoding = "big"})))
print(select(2, pcall(mesh.save, mesh, "build/m.soap")))
]])
        copy:build "MESH_FORMATS"
        local output = copy:run "spec/io/soup_spec.lua"
        for _, text in ipairs {
            "it is truncated", "its content is not one of OBJ, PLY, OFF, SOUP, STL and XYZ", "SOUP files are text",
            "meshes are saved as .obj, .ply, .off, .soup, .stl or .xyz",
        } do
            assert.truthy(output:find(text, 1, true), output)
        end
        copy:run "tools/errors.lua"
        copy:run "tools/layers.lua"
        counts(copy, "A file format", 3, {"spec/io/soup_spec.lua", "src/io/mesh/formats.h", "src/io/mesh/soup.c"})
    end)

    it("an image filter", function()
        local copy <close> = addition.open()
        copy:write("lua/rill/image/darken.lua", [[
-- rill.image.darken.
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local template = require "rill.glsl.template"

local OPTIONS <const> = {by = option.number(0.0, 1.0, 0.5)}
local TEXT <const> = template.new "kernel void darken($T s<>, float keep, out $T r<>) { r = keep * s; }"

--- rill.image.darken(s [, {by=}]): each component times 1 - by.
local function darken(s, type, where, options)
    local o = option.take(where, options, OPTIONS)
    return TEXT:kernel {T = type}(s, 1 - o.by)
end

return {darken = picture.filter("darken", darken)}
]])
        copy:insert("lua/rill/image/filters.lua",
            "darken darken (s: source, options?: {by?: number}): stream -- each component times 1 - by\n",
            "diffuse diffuse")
        copy:write("spec/image/darken_spec.lua", [[
local rill = require "rill"
local s = rill.from {{0, 1}, {4, 8}}
assert(table.concat(rill.image.darken(s):values(), " ") == "0.0 0.5 2.0 4.0")
assert(table.concat(rill.image.darken(s, {by = 0.75}):values(), " ") == "0.0 0.25 1.0 2.0")
print((rill.help "rill.image.darken"))
print(select(2, pcall(rill.image.darken, s, {of = 1})))
print(select(2, pcall(function() return rill.image.darkne end)))
]])
        copy:build()
        local output = copy:run "spec/image/darken_spec.lua"
        for _, text in ipairs {
            "each component times 1 - by", "unknown option 'of': expected by", "did you mean rill.image.darken?",
        } do
            assert.truthy(output:find(text, 1, true), output)
        end
        assert.truthy(copy:read "docs/image.md":find("| `rill.image.darken(s [, options])` |", 1, true))
        copy:run "tools/docscov.lua"
        copy:run "tools/layers.lua"
        copy:run "tools/annotations.lua --check"
        counts(copy, "An image filter", 3,
            {"lua/rill/image/darken.lua", "lua/rill/image/filters.lua", "spec/image/darken_spec.lua"})
    end)

    it("a solver", function()
        local copy <close> = addition.open()
        copy:write("lua/rill/solve/richardson.lua", [[
-- Richardson's method: x += omega (b - A x).
local operator = require "rill.solve.operator"
local options = require "rill.solve.options"
local outcome = require "rill.solve.report"
local refine = require "rill.solve.refine"
local template = require "rill.glsl.template"

local STEP <const> = template.new [=[
    kernel void richardson($T b<>, $T y<>, $T omega, inout $T x<>) { x += omega * (b - y); }
]=]
local OWN <const> = {omega = {function(v) return type(v) == "number" and v > 0 end, "a number above 0"}}

-- The function `correct` of refine.solve.
local function prepare(A, like, omega)
    local y, step = operator.like(like), STEP:kernel {T = like.type}
    return function(r, x, goal, left, note)
        local start, count = operator.norm(r), 0
        x:fill(0)
        repeat
            A:apply(x, y)
            step(r, y, omega, x)
            count = count + 1
            A:apply(x, y)
            local relative = operator.norm((r - y):eval()) / start
            note(count, relative)
        until relative <= goal or count >= left
        return count
    end
end

--- rill.solve.richardson(A, b [, options]): x with A x = b for a symmetric positive definite A, and a report.
local function richardson(A, b, given)
    local taken = options.take("richardson", given, OWN)
    b = operator.vector("richardson", "b", b, true)
    local x, result = refine.solve("richardson", A, b, taken, refine.limit(b), function(system, like, norm)
        return norm > 0 and prepare(system, like, taken.omega or 0.1)
    end)
    return outcome.finish("richardson", x, outcome.new(result), taken.strict)
end

return {richardson = richardson}
]])
        copy:insert("lua/rill/solve/methods.lua",
            "richardson richardson (A: source|matrix|function|kernel, b: source, options?: {tolerance?: number, " ..
            "iterations?: integer, x0?: source, precision?: string, every?: integer, strict?: boolean, " ..
            "omega?: number}): stream, table -- Richardson's method: x with A x = b, and a report\n",
            "jacobi stationary")
        copy:insert("docs/solve.md", "## rill.solve.richardson\n\n`rill.solve.richardson(A, b [, options])` takes " ..
            "steps of length `omega` along the residual.\n\n", "## rill.solve.multigrid")
        copy:write("spec/solve/richardson_spec.lua", [[
local rill = require "rill"
local A = rill.from {{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}
local x, report = rill.solve.richardson(A, rill.from {6, 10, 8}, {omega = 0.3})
assert(report.converged and math.abs(x:get(2) - 2) < 1e-4)
print(report)
print((rill.help "rill.solve.richardson"))
print(select(2, pcall(rill.solve.richardson, A, rill.from {6, 10, 8}, {omega = 0.3}, 1)))
print(select(2, pcall(rill.solve.richardson, A, rill.from {6, 10, 8}, {omege = 0.3})))
local found, mpi = pcall(require, "rill.mpi")
if found then -- over distributed streams
    local twice = rill.kernel "kernel void twice(float x<>, out float y<>) { y = 2 * x; }"
    local y = rill.solve.richardson(twice, mpi.stream("float", 5, {init = 6}), {omega = 0.3})
    assert(rill.type(y) == "mpi.stream" and math.abs(y:sum() - 15) < 1e-3)
end
]])
        copy:build()
        local output = copy:run "spec/solve/richardson_spec.lua"
        for _, text in ipairs {
            "converged after", "Richardson's method: x with A x = b",
            "argument #4: expected none, as it takes 3 at most",
            "rill.solve.richardson: unknown option 'omege': expected", "did you mean 'omega'?",
        } do
            assert.truthy(output:find(text, 1, true), output)
        end
        copy:run "tools/docscov.lua"
        copy:run "tools/layers.lua"
        copy:run "tools/annotations.lua --check"
        counts(copy, "A solver", 4, {
            "docs/solve.md", "lua/rill/solve/methods.lua", "lua/rill/solve/richardson.lua",
            "spec/solve/richardson_spec.lua",
        })
    end)

    it("a fluid boundary", function()
        local copy <close> = addition.open()
        copy:insert("lua/rill/core/boundary.lua", [[
    {id = "slip", stream = "clamp", condition = "gradient", words = {fluid = "slip"},
        fluid = {normal = "value", tangential = "gradient", pressure = "gradient"}},
]], "    {id = \"open\"")
        copy:insert("docs/fluid.md", "| `\"slip\"` | no normal flow and no friction |\n", "| `\"open\"`")
        copy:write("spec/fluid/slip_spec.lua", [[
local rill = require "rill"
local function least_speed(side)
    local f = rill.fluid {
        shape = {8, 8}, dt = 0.1, viscosity = 0.5, boundary = {x = "periodic", y = side},
        velocity = function() return 1, 0 end,
    }
    for _ = 1, 10 do f:step() end
    return f.velocity:min()[1]
end
assert(math.abs(least_speed "slip" - 1) < 1e-5 and least_speed "wall" < 0.7)
local f = rill.fluid {shape = {8, 8}, dt = 0.1, boundary = "slip", velocity = function() return 0, 1 end}
f:step()
assert(f.velocity:max()[2] < 1e-3) -- a closed box
print(select(2, pcall(rill.fluid, {shape = {8, 8}, boundary = "slippery"})))
]])
        local output = copy:run "spec/fluid/slip_spec.lua"
        assert.truthy(output:find('"wall", "slip", "open", "periodic"', 1, true), output)
        for _, tool in ipairs {"errors", "docscov"} do copy:run("tools/%s.lua", tool) end
        counts(copy, "A fluid boundary", 3,
            {"docs/fluid.md", "lua/rill/core/boundary.lua", "spec/fluid/slip_spec.lua"})
    end)

    it("an error message", function()
        local copy <close> = addition.open()
        copy:insert("lua/rill/random/choice.lua", [[
    if n == 13 then
        fail("rill.permutation: %d brings no luck", n)
    end
]], "    return (shuffled(n, options.seed))")
        local listed, said = pcall(copy.run, copy, "tools/errors.lua")
        assert.is_false(listed)
        assert.truthy(said:find("not in docs/errors.md: rill.permutation: ... brings no luck", 1, true), said)
        copy:insert("docs/errors.md", "| `... brings no luck` | superstition | 12 or 14 |\n",
            "| `rill.random: '...' numbers take")
        copy:insert("docs/errors.md",
            "print(pcall(rill.permutation, 13)) --> false ... rill.permutation: 13 brings no luck\n",
            "```\n\n## Types and values")
        copy:run "tools/errors.lua"
        copy:run "spec/support/manual.lua docs/errors.md"
        counts(copy, "An error message", 2, {"docs/errors.md", "lua/rill/random/choice.lua"})
    end)
end)
