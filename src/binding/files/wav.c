/* Files of sound: functions of rill.sound, which rill.wav has, too. The name of a function in messages is its upvalue. */
#include "binding/binding.h"
#include "binding/values/options.h"
#include "io/array/sound.h"
#include "io/file.h"
#include "kernel/host/packed.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading */

/* Returns the samples as packed numbers of a type: float, double, or int for the integers in the file. */
static void *convert(const WavSound *sound, const Type *type)
{
    size_t count = sound->frames * (size_t)sound->channels;
    void *numbers = malloc(count * (size_t)type->bytes + 1);
    if (numbers && type->scalar == SCALAR_FLOAT) {
        wav_floats(sound, numbers);
        return numbers;
    }
    for (size_t i = 0; i < count && numbers; i++) {
        if (type->scalar == SCALAR_INT) {
            ((int32_t *)numbers)[i] = wav_integer(sound, i);
        } else {
            ((double *)numbers)[i] = wav_sample(sound, i);
        }
    }
    return numbers;
}

static bool load_bytes(Device *device, const FileBytes *file, const Type *type, WavSound *sound, StrBuf *samples,
                       Stream *result)
{
    if (!sound_decode(file->data, file->size, sound, samples)) {
        return false;
    }
    if (type->scalar == SCALAR_INT && sound->floats) {
        return error_set("its samples are floats: expected the type float or double, got int");
    }
    Shape shape = {.rank = 2, .size = {(int64_t)sound->frames, sound->channels}};
    if (!shape_check(&shape)) {
        return false;
    }
    void *numbers = convert(sound, type);
    bool done = numbers ? packed_stream(device, type, &shape, numbers, result) : error_set("out of host memory");
    free(numbers);
    return done;
}

static bool load(Device *device, const char *path, const Type *type, WavSound *sound, Stream *result)
{
    FileBytes file;
    if (!file_read(path, &file)) {
        return false;
    }
    StrBuf samples = STRBUF_EMPTY;
    bool done = load_bytes(device, &file, type, sound, &samples, result) || error_prefix("cannot read '%s'", path);
    strbuf_free(&samples);
    file_free(&file);
    return done;
}

/* rill.sound.load(path [, type]): returns the samples as a stream {frames, channels}, and the number of frames per second.
 * Integers are scaled to -1 to 1. Types: float (the default), double, or int for the integers in the file. */
static int l_load(lua_State *L)
{
    const char *load_name = lua_tostring(L, lua_upvalueindex(1));
    binding_count(L, load_name, 2, false);
    const char *path = argument_path(L, 1, load_name, 1, "path");
    const Type *type = lua_isnoneornil(L, 2) ? type_of(SCALAR_FLOAT, 1) : type_check(L, 2, load_name, 2, "type");
    bool known = type->scalar == SCALAR_FLOAT || type->scalar == SCALAR_DOUBLE || type->scalar == SCALAR_INT;
    if (type->is_struct || type->components > 1 || !known) {
        binding_argument(L, load_name, 2, "type", 2, "float, double or int");
    }
    Device *device = state_device(L);
    WavSound sound = {0};
    Stream *result = stream_handle_push(L);
    binding_make(L, device, load_name, load(device, path, type, &sound, result));
    lua_pushinteger(L, sound.rate);
    return 2;
}

/* ---- saving */

/* The options of a call, and the form of the samples. */
typedef struct Saving {
    WavSound sound;
    const SoundFormat *format;
    bool whole, has_depth;
    int64_t quality;
} Saving;

/* Reads the option `depth`: a number of bits, or the type of floats. */
static void read_depth(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    static const char *const words[] = {"float", "double", NULL};
    Saving *saving = field;
    WavSound *sound = &saving->sound;
    lua_Integer bits = lua_type(L, -1) == LUA_TNUMBER ? lua_tointeger(L, -1) : 0;
    int word = binding_word(L, -1, words);
    if (word < 0 && (bits < 8 || bits > 32 || bits % 8 != 0)) {
        luaL_error(L, "%s: option '%s': expected 8, 16, 24, 32, \"float\" or \"double\", got %s", call->function,
                   option->name, binding_describe(L, -1));
    }
    saving->has_depth = true;
    sound->floats = word >= 0;
    sound->bytes = word >= 0 ? 4 << word : (int)bits / 8;
}

static bool save(const Stream *stream, const char *path, const Saving *s)
{
    double *samples = packed_doubles(stream);
    bool done = samples && sound_write(path, s->format, &s->sound, samples, s->whole, (int)s->quality);
    free(samples);
    return done;
}

static bool is_whole(Scalar scalar)
{
    return scalar == SCALAR_INT || scalar == SCALAR_INT16 || scalar == SCALAR_INT8;
}

/* rill.sound.save(s, path, rate [, {depth=, quality=}]): writes a stream {frames} or {frames, channels}; the extension
 * determines the format. Floats from -1 to 1 are rounded to integers of `depth` bits, 8, 16, 24 or 32, or stored if depth is "float" or "double". Elements of int, int16
 * and int8 are the samples themselves. Default of depth: 16 for floats, else the bits of the type. */
static int l_save(lua_State *L)
{
    static const Option rows[] = {{.name = "depth", .read = read_depth, .at = 0},
                                  {OPTION("quality", options_count, Saving, quality), .low = 1, .high = 100},
                                  {.name = NULL}};
    const char *save_name = lua_tostring(L, lua_upvalueindex(1));
    binding_count(L, save_name, 4, false);
    const Stream *stream = accept_check(L, 1, save_name, 1, "s");
    const char *path = argument_path(L, 2, save_name, 2, "path");
    Saving saving = {.format = sound_format(path)};
    if (!saving.format) {
        error_prefix("%s", save_name);
        binding_raise(L);
    }
    lua_Integer rate = binding_integer(L, 3, save_name, 3, "rate");
    const Shape *shape = &stream->shape;
    int64_t channels = shape->rank == 2 ? shape->size[1] : 1;
    bool whole = is_whole(stream->type->scalar), floats = type_scalar_form(stream->type->scalar) == FORM_FLOAT;
    if (stream->type->is_struct || stream->type->components > 1 || !(whole || floats) || shape->rank > 2) {
        binding_argument(L, save_name, 1, "s", 1,
                         "a stream of float, double, half, int, int16 or int8 with the shape {frames} or {frames, "
                         "channels}");
    }
    if (channels < 1 || channels > UINT16_MAX) {
        binding_argument(L, save_name, 1, "s", 1, "a stream with 1 to 65535 channels");
    }
    if (rate < 1 || rate > UINT32_MAX) {
        binding_argument(L, save_name, 3, "rate", 3, "a number of frames per second, 1 to 4294967295");
    }
    WavSound *sound = &saving.sound;
    *sound = (WavSound){.rate = (uint32_t)rate, .channels = (int)channels, .frames = (size_t)shape->size[0]};
    sound->bytes = whole ? type_scalar_bytes(stream->type->scalar) : 2;
    saving.whole = whole;
    const OptionCall call = {.function = save_name, .index = 4, .n = 4, .expected = "a table like {depth = 24}"};
    options_read(L, &call, rows, &saving);
    if (whole && sound->floats) {
        luaL_error(L, "%s: option 'depth': a stream of %s has integer samples: expected 8, 16, 24 or 32", save_name,
                   stream->type->name);
    }
    if (saving.has_depth && sound_is_lossy(saving.format)) {
        luaL_error(L, "%s: option 'depth' is not for %s files (.%s)", save_name, saving.format->name,
                   saving.format->extension);
    }
    if (saving.quality && !sound_is_lossy(saving.format)) {
        luaL_error(L, "%s: option 'quality' is for Ogg Vorbis and MP3 files (.ogg, .mp3)", save_name);
    }
    if (sound->bytes * channels > UINT16_MAX) {
        binding_argument(L, save_name, 1, "s", 1, "a stream with frames of at most 65535 bytes");
    }
    binding_run(L, stream->device, save_name, save(stream, path, &saving));
    return 0;
}

static void add_module(lua_State *L, const char *module, const char *load_name, const char *save_name)
{
    lua_createtable(L, 0, 2);
    lua_pushstring(L, load_name);
    lua_pushcclosure(L, l_load, 1);
    lua_setfield(L, -2, "load");
    lua_pushstring(L, save_name);
    lua_pushcclosure(L, l_save, 1);
    lua_setfield(L, -2, "save");
    binding_strict(L, module);
    lua_setfield(L, -2, strchr(module, '.') + 1);
}

void open_wav(lua_State *L)
{
    add_module(L, "rill.sound", "rill.sound.load", "rill.sound.save");
    add_module(L, "rill.wav", "rill.wav.load", "rill.wav.save");
}
