#include "gpu/program/program.h"

#include "base/decimal.h"
#include "base/strbuf.h"
#include "base/timer.h"
#include "gpu/context/device_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64, IDLE_PROGRAMS = 32 };

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    }
    return hash;
}

static Program *look_up(const ProgramTable *table, const char *source, size_t length, uint64_t hash)
{
    if (table->bucket_count == 0) {
        return NULL;
    }
    Program *program = table->buckets[hash % table->bucket_count];
    while (program &&
           !(program->hash == hash && program->length == length && memcmp(program->source, source, length) == 0)) {
        program = program->next;
    }
    return program;
}

static bool grow(ProgramTable *table)
{
    size_t wanted = table->bucket_count ? table->bucket_count * 2 : FIRST_BUCKETS;
    Program **buckets = calloc(wanted, sizeof *buckets);
    if (!buckets) {
        return error_set("out of host memory");
    }
    for (size_t i = 0; i < table->bucket_count; i++) {
        for (Program *program = table->buckets[i], *next; program; program = next) {
            next = program->next;
            Program **bucket = &buckets[program->hash % wanted];
            program->next = *bucket;
            *bucket = program;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = wanted;
    return true;
}

/* Records the driver's log as the error. */
static void record_log(GLuint object, PFNGLGETSHADERIVPROC get, PFNGLGETSHADERINFOLOGPROC get_log)
{
    GLint length = 0;
    get(object, GL_INFO_LOG_LENGTH, &length);
    char *log = calloc((size_t)(length > 0 ? length : 0) + 1, 1);
    if (!log) {
        error_set("out of host memory");
        return;
    }
    get_log(object, length, NULL, log);
    error_set("%s", *log ? log : "the driver rejects the shader and does not say why");
    free(log);
}

static GLuint link_program(GLuint shader)
{
    GLuint name = glCreateProgram();
    glAttachShader(name, shader);
    glLinkProgram(name);
    GLint linked = GL_FALSE;
    glGetProgramiv(name, GL_LINK_STATUS, &linked);
    if (!linked) {
        record_log(name, glGetProgramiv, glGetProgramInfoLog);
        glDeleteProgram(name);
        return 0;
    }
    glDetachShader(name, shader);
    return name;
}

/* Returns the length of a double literal ("0.5lf") at the start of a text, or 0. */
static size_t double_literal(const char *text)
{
    size_t n = strspn(text, "0123456789");
    if (text[n] == '.') {
        n += 1 + strspn(text + n + 1, "0123456789");
    }
    if (n > 0 && (text[n] == 'e' || text[n] == 'E')) {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-', digits = strspn(text + n + 1 + sign, "0123456789");
        n += digits ? 1 + sign + digits : 0;
    }
    bool wide = strncmp(text + n, "lf", 2) == 0 || strncmp(text + n, "LF", 2) == 0;
    bool digits = isdigit((unsigned char)text[0]) || (text[0] == '.' && isdigit((unsigned char)text[1]));
    return digits && wide ? n + 2 : 0;
}

/* Returns whether every compiler converts the number correctly: it has few binary digits near the binary point. */
static bool is_plain(double value)
{
    return value < 1099511627776.0 && floor(value * 1024) == value * 1024;
}

/* Replaces double literals by their bits. NVIDIA's compiler (580.159) does not round them: half of them are off
 * by one unit in the last place. */
static void replace_literals(StrBuf *out, const char *source)
{
    char before = ' ';
    for (const char *p = source; *p;) {
        const bool begins = !isalnum((unsigned char)before) && before != '_' && before != '.';
        const size_t length = begins && (isdigit((unsigned char)*p) || *p == '.') ? double_literal(p) : 0;
        size_t used;
        const double value = length ? decimal_read(p, length - 2, &used) : 0;
        uint32_t words[2];
        memcpy(words, &value, sizeof words);
        if (length && !is_plain(value)) {
            strbuf_addf(out, "packDouble2x32(uvec2(%uu, %uu))", words[0], words[1]);
        } else {
            strbuf_add_bytes(out, p, length ? length : 1);
        }
        p += length ? length : 1;
        before = p[-1];
    }
}

/* Replaces two consecutive underscores, which NVIDIA's compiler rejects, in names of users. */
static void replace_names(StrBuf *out, const char *source)
{
    for (const char *p = source; *p; p++) {
        strbuf_add_bytes(out, p, 1);
        if (p[0] == '_' && p[1] == '_') {
            strbuf_add(out, "0");
        }
    }
}

/* Removes the qualifier readonly. */
static void remove_readonly(StrBuf *out, const char *source)
{
    static const char qualifier[] = "readonly ";
    for (const char *found; (found = strstr(source, qualifier)) != NULL; source = found + sizeof qualifier - 1) {
        strbuf_add_bytes(out, source, (size_t)(found - source));
    }
    strbuf_add(out, source);
}

static GLuint compile_source(const char *source, size_t length)
{
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER);
    GLint size = (GLint)length, compiled = GL_FALSE;
    GLuint name = 0;
    glShaderSource(shader, 1, &source, &size);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        name = link_program(shader);
    } else {
        record_log(shader, glGetShaderiv, glGetShaderInfoLog);
    }
    glDeleteShader(shader);
    return name;
}

/* Compiles the source after changes that the driver or RILL_TUNE needs. */
static GLuint compile_shader(const Device *device, const char *source, size_t length)
{
    StrBuf text = STRBUF_EMPTY, plain = STRBUF_EMPTY;
    /* The driver test runs before the choices have values. */
    const bool forced = device->tuning[TUNING_READONLY].source == TUNING_FORCED;
    if (forced && !device->traits.tuning[TUNING_READONLY]) {
        remove_readonly(&plain, source);
        source = strbuf_text(&plain);
        length = plain.length;
    }
    if (device->mends_literals && (strstr(source, "lf") || strstr(source, "LF"))) {
        replace_literals(&text, source);
    }
    const bool mended = text.length > 0 && !text.failed;
    GLuint name = compile_source(mended ? text.text : source, mended ? text.length : length);
    if (!name && strstr(error_message(), "reserves names")) {
        StrBuf other = STRBUF_EMPTY;
        replace_names(&other, mended ? text.text : source);
        name = other.failed ? 0 : compile_source(other.text, other.length);
        strbuf_free(&other);
    }
    strbuf_free(&text);
    strbuf_free(&plain);
    return name;
}

/* Returns the length of the linked parameter array: compilers remove its unused end, or the whole array. */
static int used_vectors(GLuint name)
{
    if (glGetUniformLocation(name, "rill_p") != 0) {
        return 0;
    }
    const GLchar *uniform = "rill_p";
    GLuint index = GL_INVALID_INDEX;
    GLint size = 0;
    glGetUniformIndices(name, 1, &uniform, &index);
    if (index != GL_INVALID_INDEX) {
        glGetActiveUniformsiv(name, 1, &index, GL_UNIFORM_SIZE, &size);
    }
    return size;
}

static void free_program(Program *program)
{
    free(program->params);
    free(program->source);
    free(program);
}

static void delete_name(Program *program)
{
    if (program->device->bound.program == program) {
        glUseProgram(0);
        program->device->bound.program = NULL;
    }
    glDeleteProgram(program->name);
}

/* Idle programs, in the order in which they were released. */

static void park(ProgramTable *table, Program *program)
{
    program->older = table->newest;
    program->newer = NULL;
    *(table->newest ? &table->newest->newer : &table->oldest) = program;
    table->newest = program;
    table->idle++;
}

static void unpark(ProgramTable *table, Program *program)
{
    *(program->older ? &program->older->newer : &table->oldest) = program->newer;
    *(program->newer ? &program->newer->older : &table->newest) = program->older;
    program->older = program->newer = NULL;
    table->idle--;
}

static void trim(Device *device)
{
    ProgramTable *table = &device->programs;
    while (table->idle > IDLE_PROGRAMS) {
        Program *program = table->oldest, **at = &table->buckets[program->hash % table->bucket_count];
        unpark(table, program);
        while (*at != program) {
            at = &(*at)->next;
        }
        *at = program->next;
        table->count--;
        delete_name(program);
        free_program(program);
    }
}

static Program *hold(Program *program)
{
    if (program->count++ == 0) {
        unpark(&program->device->programs, program);
    }
    return program;
}

void program_release(Program *program)
{
    if (!program || --program->count > 0) {
        return;
    }
    if (program->device) {
        park(&program->device->programs, program);
    } else {
        free_program(program);
    }
}

static Program *create(GLuint name, const char *source, size_t length)
{
    Program *program = calloc(1, sizeof *program);
    if (!program) {
        glDeleteProgram(name);
        error_set("out of host memory");
        return NULL;
    }
    program->name = name;
    program->length = length;
    program->param_vectors = used_vectors(name);
    program->source = malloc(length + 1);
    program->params = calloc((size_t)program->param_vectors + 1, 4 * sizeof *program->params);
    if (!program->source || !program->params) {
        glDeleteProgram(name);
        free_program(program);
        error_set("out of host memory");
        return NULL;
    }
    memcpy(program->source, source, length + 1);
    return program;
}

bool program_dumps(const Device *device)
{
    return device->dumps;
}

void program_note(Device *device, const char *why)
{
    device->note = why;
}

Program *program_find(Device *device, const char *name, const char *source, bool *refused)
{
    bool unused = false;
    refused = refused ? refused : &unused;
    *refused = false;
    if (!strbuf_whole(source)) {
        return NULL;
    }
    ProgramTable *table = &device->programs;
    size_t length = strlen(source);
    uint64_t hash = hash_text(source, length);
    Program *program = look_up(table, source, length, hash);
    if (program) {
        return hold(program);
    }
    device->trim_programs = trim;
    trim(device);
    if (!gl_error_alive(device) || (table->count >= table->bucket_count && !grow(table)) ||
        !dump_program(name, device->note, source, hash)) {
        return NULL;
    }
    double start = timer_clock();
    GLuint object = compile_shader(device, source, length);
    recorder_compiled(device, timer_clock() - start);
    gl_error_clear(device); /* the log has the error */
    if (!object) {
        *refused = true;
        dump_rejected(name, hash);
        return NULL;
    }
    program = create(object, source, length);
    if (program) {
        Program **bucket = &table->buckets[hash % table->bucket_count];
        device->compiled++;
        program->device = device;
        program->count = 1;
        snprintf(program->label, sizeof program->label, "%s", name);
        program->hash = hash;
        program->next = *bucket;
        *bucket = program;
        table->count++;
    }
    return program;
}

void program_destroy_all(Device *device)
{
    bool context = device_is_current(device);
    ProgramTable *table = &device->programs;
    for (size_t i = 0; i < table->bucket_count; i++) {
        for (Program *program = table->buckets[i], *next; program; program = next) {
            next = program->next;
            if (context) {
                delete_name(program);
            }
            program->device = NULL; /* the kernel that still holds it frees the rest */
            if (program->count == 0) {
                free_program(program);
            }
        }
    }
    free(table->buckets);
    *table = (ProgramTable){0};
}
