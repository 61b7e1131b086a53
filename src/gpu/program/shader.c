#include "gpu/program/shader.h"

#include "base/error.h"
#include "base/lru.h"
#include "gpu/context/device_data.h"
#include "gpu/program/profile.h"
#include "shaders_embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 512 };

typedef struct KnownShader {
    char *name, *defines;
    Program *program;
    uint64_t key; /* of shader_variant; 0: none */
} KnownShader;

static void destroy(void *item)
{
    KnownShader *known = item;
    program_release(known->program);
    free(known->name);
    free(known->defines);
    free(known);
}

static void destroy_all(void *attachment)
{
    lru_clear(attachment, destroy);
}

static const AttachmentKind cache_kind = {sizeof(Lru), destroy_all};

/* Reads a file of RILL_SHADER_PATH. Returns its text, which the caller frees, or NULL if there is none. */
static char *read_override(const char *name)
{
    const char *directory = getenv("RILL_SHADER_PATH");
    char path[4096];
    if (!directory || !*directory || snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) {
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    StrBuf text = STRBUF_EMPTY;
    char block[4096];
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) {
        strbuf_add_bytes(&text, block, got);
    }
    fclose(file);
    return strbuf_take(&text);
}

static const char *embedded(const char *name)
{
    for (const EmbeddedShader *shader = shaders_embedded; shader->name; shader++) {
        if (strcmp(shader->name, name) == 0) {
            return shader->text;
        }
    }
    return NULL;
}

static bool add_file(StrBuf *out, const char *name);

/* Adds one line of a file. An #include is replaced by the file's text. */
static bool add_line(StrBuf *out, const char *line, size_t length)
{
    static const char import[] = "#include \"";
    char name[128];
    size_t prefix = sizeof import - 1;
    if (length <= prefix || memcmp(line, import, prefix) != 0) {
        strbuf_add_bytes(out, line, length);
        strbuf_add(out, "\n");
        return true;
    }
    const char *end = memchr(line + prefix, '"', length - prefix);
    if (!end || (size_t)(end - line) - prefix >= sizeof name) {
        return error_set("a shader includes a file without a name: %.*s", (int)length, line);
    }
    snprintf(name, sizeof name, "%.*s", (int)(end - line - (ptrdiff_t)prefix), line + prefix);
    return add_file(out, name);
}

static bool add_file(StrBuf *out, const char *name)
{
    char *own = read_override(name);
    const char *text = own ? own : embedded(name);
    bool done = text || error_set("unknown shader '%s'", name);
    while (done && *text) {
        size_t length = strcspn(text, "\n");
        done = add_line(out, text, length);
        text += length + (text[length] == '\n');
    }
    free(own);
    return done;
}

bool shader_text(StrBuf *text, const char *name)
{
    return add_file(text, name) && (!text->failed || error_set("out of host memory"));
}

static Program *compile(Device *device, const char *name, const char *defines)
{
    StrBuf source = STRBUF_EMPTY;
    strbuf_addf(&source, "#version 430\n%s", defines);
    Program *program = NULL;
    if (!add_file(&source, name)) {
        strbuf_free(&source);
        return NULL;
    }
    if (source.failed) {
        error_set("out of host memory");
    } else if (!(program = program_find(device, name, source.text, NULL))) {
        error_prefix("%s", name);
    }
    strbuf_free(&source);
    return program;
}

/* Adds a program to the cache, which takes the reference. Returns NULL if `program` is NULL. If memory is
 * exhausted, releases the program and returns NULL with error_set. */
static KnownShader *remember(Lru *cache, const char *name, const char *defines, Program *program)
{
    if (!program) {
        return NULL;
    }
    KnownShader *known = calloc(1, sizeof *known);
    if (!known) {
        program_release(program);
        error_set("out of host memory");
        return NULL;
    }
    *known = (KnownShader){strdup(name), strdup(defines), program, 0};
    if (!known->name || !known->defines || !lru_add(cache, known, KEPT, destroy)) {
        destroy(known);
        error_set("out of host memory");
        return NULL;
    }
    return known;
}

/* Returns the cached program of a file with the given defines, which is compiled if it is not in the cache; NULL with
 * error_set on failure. */
static KnownShader *find(Device *device, const char *name, const char *defines)
{
    if (!strbuf_whole(defines)) {
        return NULL;
    }
    Lru *cache = device_data_get(device, &cache_kind);
    for (size_t i = 0; cache && i < cache->count; i++) {
        const KnownShader *known = cache->items[i];
        if (strcmp(known->name, name) == 0 && strcmp(known->defines, defines) == 0) {
            return lru_use(cache, i);
        }
    }
    return cache ? remember(cache, name, defines, compile(device, name, defines)) : NULL;
}

Program *shader_program(Device *device, const char *name, const char *defines)
{
    KnownShader *known = find(device, name, defines);
    return known ? known->program : NULL;
}

Program *shader_variant(Device *device, const char *name, uint64_t key, ShaderDefines defines, const void *variant)
{
    Lru *cache = device_data_get(device, &cache_kind);
    for (size_t i = 0; cache && i < cache->count; i++) {
        const KnownShader *known = cache->items[i];
        if (known->key == key + 1 && strcmp(known->name, name) == 0) {
            lru_use(cache, i);
            return known->program;
        }
    }
    StrBuf text = STRBUF_EMPTY;
    defines(&text, variant);
    KnownShader *known = find(device, name, strbuf_text(&text));
    strbuf_free(&text);
    if (known) {
        known->key = key + 1;
    }
    return known ? known->program : NULL;
}

Program *shader_program_format(Device *device, const char *name, const char *defines, ...)
{
    StrBuf text = STRBUF_EMPTY;
    va_list arguments;
    va_start(arguments, defines);
    strbuf_addv(&text, defines, arguments);
    va_end(arguments);
    Program *program = shader_program(device, name, strbuf_text(&text));
    strbuf_free(&text);
    return program;
}
