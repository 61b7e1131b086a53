/* Records the memory accesses of compute programs, so that the figures of a GPU's memory (32-byte sectors, bank
 * conflicts) can be computed on any device. Preloaded between rill and the driver (spec/support/probe.lua).
 *
 * Before a recorded dispatch, some of its work groups run with a rewritten program (spec/support/probe_text.lua), in
 * which each access appends a record to a buffer. The buffers that they write are restored, and the dispatch itself is
 * unchanged. The recorded groups are evenly spaced; the figures are scaled to all groups.
 *
 * local probe = package.loadlib("build/spec/glprobe.so", "rill_glprobe")()
 *    probe.start(rewrite)         rewrite(text) -> {text=, binding=, sites=}, or nil, is called for recorded programs
 *    probe.record(samples, room, first)  from now on about `samples` groups of each dispatch are recorded; 0: none. `first`:
 *                                 the first groups, which may wait for each other
 *    probe.take()                 the recorded dispatches since the last call */
#include "interpose.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What a site of a text does; the bits are those of probe_text.lua. */
enum {
    LOAD = 1,
    STORE = 2,
    SHARED = 4,
    ATOMIC = 8,
    BARRIER = 16,
    TURN = 32,
    DIVISION = 64,
    TEXTURE = 128,
    IMAGE = 256
};
enum { NAMES = 1 << 16, LANES = 32, SECTOR = 32, BANKS = 32, HEADER = 6, MOST_SITES = 1 << 12 };
enum { SHADER_SOURCE, ATTACH_SHADER, DISPATCH, DISPATCH_INDIRECT, REPLACED };

typedef struct Site {
    int flags, bytes, binding; /* bytes of an element; binding of the block, or the unit of the texture or image */
    GLuint buffer;
} Site;

typedef struct Text {
    char *source;
    bool known;     /* whether it was rewritten */
    GLuint program; /* the rewritten program, or 0 */
    int id, binding, site_count;
    Site *sites;
} Text;

/* Of an invocation; its first record is the number of the others. */
typedef struct Record {
    uint32_t site, index;
} Record;

/* A record in the order of requests: the same sample, site, 32 lanes and repetition have the same key. */
typedef struct Access {
    uint64_t key;
    uint32_t lane, index;
    double weight;
} Access;

typedef struct Sums {
    double requests, lanes, sectors, ideal, cycles, phases;
} Sums;

static lua_State *host; /* a thread of the script's state, for calls of the rewriting function */
static int rewriter = LUA_NOREF, dispatches = LUA_NOREF;
static char *source_of_shader[NAMES];
static Text *text_of_program[NAMES];
static GLuint log_name;
static uint32_t log_room = 1 << 16, samples;
static bool records_first;
static Address real[REPLACED];

#define REAL(type, name) ((type)interpose_symbol(#name))

/* ---- texts */

static int field(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    int value = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Reads the table on top of the stack. */
static void read_text(lua_State *L, Text *text)
{
    static int made;
    text->id = ++made;
    text->binding = field(L, "binding");
    lua_getfield(L, -1, "sites");
    text->site_count = (int)luaL_len(L, -1);
    text->sites = calloc((size_t)text->site_count + 1, sizeof *text->sites);
    for (int i = 0; i < text->site_count; i++) {
        lua_geti(L, -1, i + 1);
        text->sites[i] = (Site){field(L, "flags"), field(L, "bytes"), field(L, "binding"), 0};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_pushinteger(L, text->id);
    lua_setfield(L, -2, "id");
}

static char *joined(GLsizei count, const GLchar *const *strings, const GLint *lengths)
{
    char *all = calloc(1, 1);
    size_t used = 0;
    for (GLsizei i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] >= 0 ? (size_t)lengths[i] : strlen(strings[i]);
        all = realloc(all, used + length + 1);
        memcpy(all + used, strings[i], length);
        used += length;
        all[used] = 0;
    }
    return all;
}

static Address original(int index, const char *name)
{
    if (!real[index]) real[index] = interpose_symbol(name);
    return real[index];
}

EXPORT void glShaderSource(GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths);
void glShaderSource(GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths)
{
    if (shader < NAMES) {
        free(source_of_shader[shader]);
        source_of_shader[shader] = joined(count, strings, lengths);
    }
    ((PFNGLSHADERSOURCEPROC)original(SHADER_SOURCE, "glShaderSource"))(shader, count, strings, lengths);
}

EXPORT void glAttachShader(GLuint program, GLuint shader);
void glAttachShader(GLuint program, GLuint shader)
{
    if (program < NAMES && shader < NAMES && source_of_shader[shader]) {
        text_of_program[program] = calloc(1, sizeof(Text));
        text_of_program[program]->source = strdup(source_of_shader[shader]);
    }
    ((PFNGLATTACHSHADERPROC)original(ATTACH_SHADER, "glAttachShader"))(program, shader);
}

static void print_log(GLuint shader, const char *text)
{
    char log[4096] = "";
    REAL(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog)(shader, sizeof log, NULL, log);
    fprintf(stderr, "glprobe: %s\n%s\n", log, text);
    abort();
}

/* Compiles the rewritten text. */
static GLuint compile(const char *text)
{
    GLint done = 0;
    GLuint shader = REAL(PFNGLCREATESHADERPROC, glCreateShader)(GL_COMPUTE_SHADER);
    GLuint program = REAL(PFNGLCREATEPROGRAMPROC, glCreateProgram)();
    ((PFNGLSHADERSOURCEPROC)original(SHADER_SOURCE, "glShaderSource"))(shader, 1, &text, NULL);
    REAL(PFNGLCOMPILESHADERPROC, glCompileShader)(shader);
    REAL(PFNGLGETSHADERIVPROC, glGetShaderiv)(shader, GL_COMPILE_STATUS, &done);
    if (!done) print_log(shader, text);
    ((PFNGLATTACHSHADERPROC)original(ATTACH_SHADER, "glAttachShader"))(program, shader);
    REAL(PFNGLLINKPROGRAMPROC, glLinkProgram)(program);
    REAL(PFNGLDELETESHADERPROC, glDeleteShader)(shader);
    return program;
}

/* Rewrites and compiles a text at its first recorded dispatch. Returns whether it is the text of a compute shader. */
static bool prepare(Text *text)
{
    if (text->known) return text->program != 0;
    text->known = true;
    lua_rawgeti(host, LUA_REGISTRYINDEX, rewriter);
    lua_pushstring(host, text->source);
    if (lua_pcall(host, 1, 1, 0) != LUA_OK) {
        fprintf(stderr, "glprobe: %s\n%s\n", lua_tostring(host, -1), text->source);
        abort();
    }
    if (lua_istable(host, -1)) {
        read_text(host, text);
        lua_getfield(host, -1, "text");
        text->program = compile(lua_tostring(host, -1));
        lua_pop(host, 1);
    }
    lua_pop(host, 1);
    return text->program != 0;
}

/* ---- buffers */

static GLint integer(GLenum name)
{
    GLint value = 0;
    REAL(PFNGLGETINTEGERVPROC, glGetIntegerv)(name, &value);
    return value;
}

static GLuint indexed(GLenum name, int index)
{
    GLint value = 0;
    REAL(PFNGLGETINTEGERI_VPROC, glGetIntegeri_v)(name, (GLuint)index, &value);
    return (GLuint)value;
}

/* Finds the buffer of the texture that is bound to the active unit, and the bytes of a texel. */
static void resolve_bound(Site *site)
{
    static const GLenum sizes[] = {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE,
                                   GL_TEXTURE_ALPHA_SIZE};
    PFNGLGETTEXLEVELPARAMETERIVPROC get = REAL(PFNGLGETTEXLEVELPARAMETERIVPROC, glGetTexLevelParameteriv);
    GLint bits = 0, size = 0, name = 0;
    for (int i = 0; i < 4; i++) {
        get(GL_TEXTURE_BUFFER, 0, sizes[i], &size);
        bits += size;
    }
    get(GL_TEXTURE_BUFFER, 0, GL_TEXTURE_BUFFER_DATA_STORE_BINDING, &name);
    site->bytes = bits >= 8 ? bits / 8 : 4;
    site->buffer = (GLuint)name;
}

static void resolve_texture(Site *site)
{
    PFNGLACTIVETEXTUREPROC activate = REAL(PFNGLACTIVETEXTUREPROC, glActiveTexture);
    PFNGLBINDTEXTUREPROC bind = REAL(PFNGLBINDTEXTUREPROC, glBindTexture);
    GLenum active = (GLenum)integer(GL_ACTIVE_TEXTURE);
    bool image = (site->flags & IMAGE) != 0;
    activate(image ? active : GL_TEXTURE0 + (GLenum)site->binding);
    GLuint bound = (GLuint)integer(GL_TEXTURE_BINDING_BUFFER);
    if (image) bind(GL_TEXTURE_BUFFER, indexed(GL_IMAGE_BINDING_NAME, site->binding));
    resolve_bound(site);
    if (image) bind(GL_TEXTURE_BUFFER, bound);
    activate(active);
}

/* Finds the buffers of all sites, which depend on the dispatch. */
static void resolve(Text *text)
{
    for (int i = 0; i < text->site_count; i++) {
        Site *site = &text->sites[i];
        if ((site->flags & (TEXTURE | IMAGE)) != 0) {
            resolve_texture(site);
        } else if ((site->flags & (LOAD | STORE)) != 0 && (site->flags & SHARED) == 0) {
            site->buffer = indexed(GL_SHADER_STORAGE_BUFFER_BINDING, site->binding);
        }
    }
}

/* The contents of a buffer before a recorded dispatch, which writes it twice. */
typedef struct Saved {
    GLuint buffer, copy;
    GLint64 bytes;
} Saved;

static void copy_buffer(GLuint from, GLuint to, GLint64 bytes)
{
    PFNGLBINDBUFFERPROC bind = REAL(PFNGLBINDBUFFERPROC, glBindBuffer);
    bind(GL_COPY_READ_BUFFER, from);
    bind(GL_COPY_WRITE_BUFFER, to);
    REAL(PFNGLCOPYBUFFERSUBDATAPROC, glCopyBufferSubData)
    (GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, (GLsizeiptr)bytes);
}

static Saved save(GLuint buffer)
{
    Saved saved = {.buffer = buffer};
    PFNGLBINDBUFFERPROC bind = REAL(PFNGLBINDBUFFERPROC, glBindBuffer);
    bind(GL_COPY_READ_BUFFER, buffer);
    REAL(PFNGLGETBUFFERPARAMETERI64VPROC, glGetBufferParameteri64v)(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &saved.bytes);
    REAL(PFNGLGENBUFFERSPROC, glGenBuffers)(1, &saved.copy);
    bind(GL_COPY_WRITE_BUFFER, saved.copy);
    REAL(PFNGLBUFFERDATAPROC, glBufferData)(GL_COPY_WRITE_BUFFER, (GLsizeiptr)saved.bytes, NULL, GL_STREAM_COPY);
    copy_buffer(buffer, saved.copy, saved.bytes);
    return saved;
}

/* Saves the buffers that a text writes. Returns their number. */
static int save_written(const Text *text, Saved saved[32])
{
    int count = 0;
    for (int i = 0; i < text->site_count; i++) {
        const Site *site = &text->sites[i];
        bool known = (site->flags & STORE) == 0 || (site->flags & SHARED) != 0 || site->buffer == 0;
        for (int k = 0; k < count; k++) known = known || saved[k].buffer == site->buffer;
        if (!known && count < 32) saved[count++] = save(site->buffer);
    }
    return count;
}

static void restore(const Saved *saved, int count)
{
    REAL(PFNGLMEMORYBARRIERPROC, glMemoryBarrier)(GL_ALL_BARRIER_BITS);
    for (int i = 0; i < count; i++) {
        copy_buffer(saved[i].copy, saved[i].buffer, saved[i].bytes);
        REAL(PFNGLDELETEBUFFERSPROC, glDeleteBuffers)(1, &saved[i].copy);
    }
}

/* ---- recording */

/* A recorded dispatch: the groups with the indices 0, step, 2 step ... and the last one. */
typedef struct Dispatch {
    GLuint counts[3];
    uint64_t groups;
    uint32_t step, local, recorded, room; /* room: records of an invocation */
} Dispatch;

static Dispatch dispatch_of(GLuint program, const GLuint counts[3])
{
    GLint local[3] = {0};
    Dispatch d = {.counts = {counts[0], counts[1], counts[2]}, .groups = (uint64_t)counts[0] * counts[1] * counts[2]};
    REAL(PFNGLGETPROGRAMIVPROC, glGetProgramiv)(program, GL_COMPUTE_WORK_GROUP_SIZE, local);
    d.local = (uint32_t)(local[0] * local[1] * local[2]);
    d.step = samples && d.groups && !records_first ? (uint32_t)((d.groups + samples - 1) / samples) : 1;
    d.recorded = d.groups ? (uint32_t)((d.groups - 1) / d.step + 1 + ((d.groups - 1) % d.step != 0)) : 0;
    d.recorded = records_first && d.recorded > samples ? samples : d.recorded;
    d.room = d.groups ? log_room / (d.recorded * d.local) - 1 : 0;
    return d;
}

/* Makes the buffer for the records and stores its header. */
static void write_header(const Dispatch *d)
{
    uint32_t header[HEADER] = {d->room, d->step, (uint32_t)d->groups - 1, d->counts[0], d->counts[1], d->counts[2]};
    PFNGLBINDBUFFERPROC bind = REAL(PFNGLBINDBUFFERPROC, glBindBuffer);
    bool made = log_name == 0;
    if (made) REAL(PFNGLGENBUFFERSPROC, glGenBuffers)(1, &log_name);
    bind(GL_COPY_WRITE_BUFFER, log_name);
    if (made) {
        REAL(PFNGLBUFFERDATAPROC, glBufferData)
        (GL_COPY_WRITE_BUFFER, (GLsizeiptr)((size_t)log_room * sizeof(Record) + sizeof header), NULL, GL_DYNAMIC_COPY);
    }
    REAL(PFNGLBUFFERSUBDATAPROC, glBufferSubData)(GL_COPY_WRITE_BUFFER, 0, sizeof header, header);
}

/* Copies the values of the uniform array rill_p, the only uniforms of rill's compute programs. */
static void copy_uniforms(GLuint from, GLuint to)
{
    static const GLchar *const name = "rill_p[0]";
    GLuint index = GL_INVALID_INDEX, value[4];
    GLint size = 0, in = REAL(PFNGLGETUNIFORMLOCATIONPROC, glGetUniformLocation)(from, name);
    GLint out = REAL(PFNGLGETUNIFORMLOCATIONPROC, glGetUniformLocation)(to, name);
    REAL(PFNGLGETUNIFORMINDICESPROC, glGetUniformIndices)(from, 1, &name, &index);
    if (in < 0 || out < 0 || index == GL_INVALID_INDEX) return;
    REAL(PFNGLGETACTIVEUNIFORMSIVPROC, glGetActiveUniformsiv)(from, 1, &index, GL_UNIFORM_SIZE, &size);
    for (GLint i = 0; i < size; i++) {
        REAL(PFNGLGETUNIFORMUIVPROC, glGetUniformuiv)(from, in + i, value);
        REAL(PFNGLUNIFORM4UIVPROC, glUniform4uiv)(out + i, 1, value);
    }
}

/* Runs the rewritten program for the recorded groups, with the log at its binding. */
static void run_recorded(const Text *text, GLuint program, const Dispatch *d)
{
    PFNGLGETINTEGER64I_VPROC at = REAL(PFNGLGETINTEGER64I_VPROC, glGetInteger64i_v);
    PFNGLUSEPROGRAMPROC use = REAL(PFNGLUSEPROGRAMPROC, glUseProgram);
    GLuint index = (GLuint)text->binding, bound = indexed(GL_SHADER_STORAGE_BUFFER_BINDING, text->binding);
    GLint64 start = 0, size = 0;
    at(GL_SHADER_STORAGE_BUFFER_START, index, &start);
    at(GL_SHADER_STORAGE_BUFFER_SIZE, index, &size);
    REAL(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)(GL_SHADER_STORAGE_BUFFER, index, log_name);
    use(text->program);
    copy_uniforms(program, text->program);
    ((PFNGLDISPATCHCOMPUTEPROC)original(DISPATCH, "glDispatchCompute"))(d->recorded, 1, 1);
    use(program);
    if (bound && size > 0) {
        REAL(PFNGLBINDBUFFERRANGEPROC, glBindBufferRange)
        (GL_SHADER_STORAGE_BUFFER, index, bound, (GLintptr)start, (GLsizeiptr)size);
    } else {
        REAL(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)(GL_SHADER_STORAGE_BUFFER, index, bound);
    }
}

/* ---- analysis */

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_accesses(const void *a, const void *b)
{
    const Access *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->lane > y->lane) - (x->lane < y->lane);
}

static size_t unique(uint64_t *words, size_t count)
{
    qsort(words, count, sizeof *words, compare_words);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || words[kept - 1] != words[i]) words[kept++] = words[i];
    return kept;
}

/* Adds a request to a site: the sectors that the lanes access, and the least number for as many different bytes. */
static void add_request(Sums *sums, const Site *site, const Access *lanes, size_t count)
{
    uint64_t sectors[LANES * 4], elements[LANES];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t first = (uint64_t)lanes[i].index * (uint64_t)site->bytes;
        elements[i] = lanes[i].index;
        for (uint64_t s = first / SECTOR; s <= (first + (uint64_t)site->bytes - 1) / SECTOR && n < LANES * 4; s++)
            sectors[n++] = s;
    }
    uint64_t bytes = unique(elements, count) * (uint64_t)site->bytes;
    sums->sectors += lanes->weight * (double)unique(sectors, n);
    sums->ideal += lanes->weight * (double)((bytes + SECTOR - 1) / SECTOR);
}

/* Returns the cycles of an access of some lanes to one word each: the most different words of a bank. Atomic
 * operations on the same word take turns. */
static int bank_cycles(uint64_t *words, size_t count, bool atomic)
{
    int banks[BANKS] = {0}, most = 0;
    count = atomic ? count : unique(words, count);
    for (size_t i = 0; i < count; i++) {
        int n = ++banks[words[i] % BANKS];
        most = n > most ? n : most;
    }
    return most;
}

/* Elements of two words are accessed by 16 lanes at a time, elements of four words by eight. */
static void add_shared(Sums *sums, const Site *site, const Access *lanes, size_t count)
{
    size_t words = site->bytes > 4 ? (size_t)site->bytes / 4 : 1;
    for (size_t first = 0; first < count;) {
        uint64_t list[BANKS * 8];
        size_t n = 0, i = first;
        uint32_t part = (uint32_t)(lanes[first].lane % LANES * words / BANKS);
        for (; i < count && lanes[i].lane % LANES * words / BANKS == part; i++)
            for (size_t w = 0; w < words && n < BANKS * 8; w++)
                list[n++] =
                    words == 1 ? (uint64_t)lanes[i].index * (uint64_t)site->bytes / 4 : lanes[i].index * words + w;
        sums->cycles += lanes->weight * bank_cycles(list, n, (site->flags & ATOMIC) != 0);
        sums->phases += lanes->weight;
        first = i;
    }
}

static void add_requests(const Text *text, Sums *sums, Access *accesses, size_t count)
{
    qsort(accesses, count, sizeof *accesses, compare_accesses);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && accesses[end].key == accesses[i].key; end++) {
        }
        int number = (int)(accesses[i].key >> 32 & (MOST_SITES - 1));
        const Site *site = &text->sites[number];
        Sums *own = &sums[number];
        own->requests += accesses[i].weight;
        own->lanes += accesses[i].weight * (double)(end - i);
        if ((site->flags & SHARED) != 0) {
            add_shared(own, site, accesses + i, end - i);
        } else {
            add_request(own, site, accesses + i, end - i);
        }
    }
}

typedef struct Totals {
    double read, written, divisions;
    int barriers, chain, memory_chain, sampled;
} Totals;

typedef struct Lane {
    int barriers, chain, memory_chain;
    bool used, memory_used; /* whether a load was executed since the last barrier or turn of a loop */
} Lane;

static void follow(Lane *lane, int flags)
{
    if ((flags & (BARRIER | TURN)) != 0) {
        lane->barriers += (flags & BARRIER) != 0;
        lane->used = lane->memory_used = false;
    } else if ((flags & LOAD) != 0) {
        lane->chain += !lane->used;
        lane->used = true;
        if ((flags & SHARED) == 0) {
            lane->memory_chain += !lane->memory_used;
            lane->memory_used = true;
        }
    }
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* The records of a dispatch while they are analyzed. A slot is a recorded group. */
typedef struct Analysis {
    const Text *text;
    const Dispatch *dispatch;
    size_t accesses, reads, writes, lost;
    uint32_t *times; /* how often the invocation has executed each site */
    Access *access;
    uint64_t *read, *written; /* elements, see add_traffic */
    Totals totals;
    Sums *sums; /* of each site */
} Analysis;

/* Returns the number of groups for which the records of a slot stand. */
static double weight_of(const Dispatch *d, size_t slot)
{
    bool extra = (d->groups - 1) % d->step != 0;
    uint64_t regular = d->recorded - extra;
    return slot == regular ? 1 : (double)(d->groups - extra) / (double)regular;
}

/* Elements of memory in one word: the slot, the buffer, the bytes of the element (in words, or 28 and the bytes if they
 * are less than a word), the index. */
enum { SMALL = 28 };

static void add_traffic(Analysis *a, const Site *site, size_t slot, uint32_t index)
{
    uint64_t size = site->bytes < 4 ? SMALL + (uint64_t)site->bytes : (uint64_t)site->bytes / 4;
    uint64_t element = (uint64_t)slot << 52 | (uint64_t)(site->buffer & 0x7fff) << 37 | (size & 31) << 32 | index;
    if ((site->flags & LOAD) != 0) a->read[a->reads++] = element;
    if ((site->flags & STORE) != 0) a->written[a->writes++] = element;
}

/* Returns the bytes of different elements, each of which counts once for each group that accesses it. */
static double traffic(const Dispatch *d, uint64_t *elements, size_t count)
{
    double bytes = 0;
    count = unique(elements, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t size = elements[i] >> 32 & 31;
        bytes += (double)(size > SMALL ? size - SMALL : size * 4) * weight_of(d, elements[i] >> 52);
    }
    return bytes;
}

/* Adds the records of an invocation. */
static void add_lane(Analysis *a, const Record *records, size_t count, size_t slot, uint32_t number)
{
    double weight = weight_of(a->dispatch, slot);
    Lane lane = {0};
    memset(a->times, 0, (size_t)a->text->site_count * sizeof *a->times);
    for (size_t i = 0; i < count; i++) {
        const Site *site = &a->text->sites[records[i].site];
        follow(&lane, site->flags);
        a->totals.divisions += (site->flags & DIVISION) != 0 ? weight : 0;
        if ((site->flags & (LOAD | STORE)) == 0) continue;
        uint32_t time = a->times[records[i].site]++;
        /* slot: 12 bits, 32 lanes: 8 bits, site: 12 bits, repetition: 32 bits */
        uint64_t key = (uint64_t)slot << 52 | (uint64_t)(number / LANES) << 44 | (uint64_t)records[i].site << 32 | time;
        a->access[a->accesses++] = (Access){key, number, records[i].index, weight};
        if ((site->flags & SHARED) == 0) add_traffic(a, site, slot, records[i].index);
    }
    a->totals.barriers = greater(a->totals.barriers, lane.barriers);
    a->totals.chain = greater(a->totals.chain, lane.chain);
    a->totals.memory_chain = greater(a->totals.memory_chain, lane.memory_chain);
}

static void add_lanes(Analysis *a, const Record *records)
{
    const Dispatch *d = a->dispatch;
    for (size_t i = 0; i < (size_t)d->recorded * d->local; i++) {
        const Record *own = records + i * (d->room + 1);
        size_t count = own->site < d->room ? own->site : d->room;
        a->lost += own->site - count;
        add_lane(a, own + 1, count, i / d->local, (uint32_t)(i % d->local));
    }
    a->totals.read = traffic(d, a->read, a->reads);
    a->totals.written = traffic(d, a->written, a->writes);
    add_requests(a->text, a->sums, a->access, a->accesses);
}

/* ---- results */

static void set(const char *name, double value)
{
    lua_pushnumber(host, value);
    lua_setfield(host, -2, name);
}

static void push_sites(const Text *text, const Sums *sums)
{
    lua_newtable(host);
    for (int i = 0; i < text->site_count; i++) {
        lua_newtable(host);
        set("requests", sums[i].requests);
        set("lanes", sums[i].lanes);
        set("sectors", sums[i].sectors);
        set("ideal", sums[i].ideal);
        set("cycles", sums[i].cycles);
        set("phases", sums[i].phases);
        set("bytes", text->sites[i].bytes);
        lua_seti(host, -2, i + 1);
    }
}

/* Appends a dispatch to the list that probe.take returns. */
static void append(const Analysis *a)
{
    const Totals *totals = &a->totals;
    const Dispatch *d = a->dispatch;
    lua_rawgeti(host, LUA_REGISTRYINDEX, dispatches);
    lua_newtable(host);
    set("id", a->text->id);
    set("groups", (double)d->groups);
    set("local", d->local);
    set("lost", (double)a->lost);
    set("read", totals->read);
    set("written", totals->written);
    set("divisions", totals->divisions);
    set("barriers", totals->barriers);
    set("chain", totals->chain);
    set("memory_chain", totals->memory_chain);
    push_sites(a->text, a->sums);
    lua_setfield(host, -2, "sites");
    lua_seti(host, -2, (lua_Integer)luaL_len(host, -2) + 1);
    lua_pop(host, 1);
}

static size_t records_in(const Dispatch *d, const Record *records)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)d->recorded * d->local; i++) count += records[i * (d->room + 1)].site;
    return count;
}

static void read_log(const Text *text, const Dispatch *d)
{
    REAL(PFNGLMEMORYBARRIERPROC, glMemoryBarrier)(GL_ALL_BARRIER_BITS);
    REAL(PFNGLBINDBUFFERPROC, glBindBuffer)(GL_COPY_WRITE_BUFFER, log_name);
    const char *map = REAL(PFNGLMAPBUFFERRANGEPROC, glMapBufferRange)(
        GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)(HEADER * 4 + (size_t)log_room * sizeof(Record)), GL_MAP_READ_BIT);
    const Record *records = (const Record *)(map + HEADER * 4);
    size_t count = records_in(d, records) + 1;
    Analysis a = {.text = text, .dispatch = d};
    a.times = calloc((size_t)text->site_count + 1, sizeof *a.times);
    a.sums = calloc((size_t)text->site_count + 1, sizeof *a.sums);
    a.access = malloc(count * sizeof *a.access);
    a.read = malloc(count * sizeof *a.read);
    a.written = malloc(count * sizeof *a.written);
    add_lanes(&a, records);
    append(&a);
    free(a.times);
    free(a.sums);
    free(a.access);
    free(a.read);
    free(a.written);
    REAL(PFNGLUNMAPBUFFERPROC, glUnmapBuffer)(GL_COPY_WRITE_BUFFER);
}

/* ---- dispatches */

/* Records a dispatch before it runs. What it writes is restored. */
static void record(const GLuint counts[3])
{
    GLuint program = (GLuint)integer(GL_CURRENT_PROGRAM);
    Text *text = program < NAMES ? text_of_program[program] : NULL;
    Saved saved[32];
    if (!samples || !text || !prepare(text)) return;
    Dispatch d = dispatch_of(program, counts);
    if (d.groups == 0) return;
    PFNGLBINDBUFFERPROC bind = REAL(PFNGLBINDBUFFERPROC, glBindBuffer);
    GLuint generic = (GLuint)integer(GL_SHADER_STORAGE_BUFFER_BINDING);
    GLuint from = (GLuint)integer(GL_COPY_READ_BUFFER_BINDING), to = (GLuint)integer(GL_COPY_WRITE_BUFFER_BINDING);
    resolve(text);
    int count = save_written(text, saved);
    write_header(&d);
    run_recorded(text, program, &d);
    read_log(text, &d);
    restore(saved, count);
    bind(GL_COPY_READ_BUFFER, from);
    bind(GL_COPY_WRITE_BUFFER, to);
    bind(GL_SHADER_STORAGE_BUFFER, generic);
}

EXPORT void glDispatchCompute(GLuint x, GLuint y, GLuint z);
void glDispatchCompute(GLuint x, GLuint y, GLuint z)
{
    if (samples) record((GLuint[3]){x, y, z});
    ((PFNGLDISPATCHCOMPUTEPROC)original(DISPATCH, "glDispatchCompute"))(x, y, z);
}

EXPORT void glDispatchComputeIndirect(GLintptr offset);
void glDispatchComputeIndirect(GLintptr offset)
{
    GLuint counts[3] = {0};
    PFNGLGETBUFFERSUBDATAPROC get = REAL(PFNGLGETBUFFERSUBDATAPROC, glGetBufferSubData);
    if (samples) {
        get(GL_DISPATCH_INDIRECT_BUFFER, offset, sizeof counts, counts);
        record(counts);
    }
    ((PFNGLDISPATCHCOMPUTEINDIRECTPROC)original(DISPATCH_INDIRECT, "glDispatchComputeIndirect"))(offset);
}

static Address interpose_wrap(const char *name, Address address)
{
    static const struct {
        const char *name;
        Address wrapper;
    } wrappers[] = {{"glShaderSource", (Address)glShaderSource},
                    {"glAttachShader", (Address)glAttachShader},
                    {"glDispatchCompute", (Address)glDispatchCompute},
                    {"glDispatchComputeIndirect", (Address)glDispatchComputeIndirect}};
    for (int i = 0; address && i < REPLACED; i++)
        if (strcmp(name, wrappers[i].name) == 0) {
            if (address != wrappers[i].wrapper) real[i] = address;
            return wrappers[i].wrapper;
        }
    return address;
}

/* ---- Lua */

static int l_start(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    host = lua_newthread(L);
    luaL_ref(L, LUA_REGISTRYINDEX); /* keeps the thread */
    lua_settop(L, 1);
    rewriter = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    dispatches = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static int l_record(lua_State *L)
{
    samples = (uint32_t)luaL_checkinteger(L, 1);
    uint32_t room = (uint32_t)luaL_optinteger(L, 2, 1 << 21);
    records_first = lua_toboolean(L, 3);
    if (room != log_room && log_name) {
        REAL(PFNGLDELETEBUFFERSPROC, glDeleteBuffers)(1, &log_name);
        log_name = 0;
    }
    log_room = room;
    return 0;
}

static int l_take(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, dispatches);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, dispatches);
    return 1;
}

EXPORT int rill_glprobe(lua_State *L);
int rill_glprobe(lua_State *L)
{
    static const luaL_Reg functions[] = {{"start", l_start}, {"record", l_record}, {"take", l_take}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
