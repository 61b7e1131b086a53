/* rill.load and s:save: .npy files, and .rill files, which also store structures. */
#include "binding/files/npy.h"
#include "binding/binding.h"
#include "binding/values/options.h"
#include "io/array/npz.h"
#include "io/array/rillfile.h"
#include "io/array/wav.h"
#include "io/byteorder.h"
#include "io/file.h"
#include "io/image/formats.h"
#include "kernel/host/packed.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

static const char load_name[] = "rill.load";
static const char save_name[] = "s:save";

/* The types in a file for the scalars of streams. 64-bit integers are converted to 32 bits when they are read. */
static const struct {
    ScalarForm form;
    int bytes; /* in a stream */
    NpyKind kind;
} kinds[] = {
    {FORM_FLOAT, 2, NPY_F2},  {FORM_FLOAT, 4, NPY_F4},    {FORM_FLOAT, 8, NPY_F8},    {FORM_SIGNED, 1, NPY_I1},
    {FORM_SIGNED, 2, NPY_I2}, {FORM_SIGNED, 4, NPY_I4},   {FORM_UNSIGNED, 1, NPY_U1}, {FORM_UNSIGNED, 2, NPY_U2},
    {FORM_BOOL, 4, NPY_B1},   {FORM_UNSIGNED, 4, NPY_U4},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_kind(Scalar scalar, int i)
{
    return kinds[i].form == type_scalar_form(scalar) && kinds[i].bytes == type_scalar_bytes(scalar);
}

Scalar npy_scalar_of(NpyKind kind)
{
    int i = 0, scalar = 0;
    while (i < KINDS - 1 && kinds[i].kind != kind) {
        i++;
    }
    while (scalar < SCALAR_COUNT - 1 && !is_kind((Scalar)scalar, i)) {
        scalar++;
    }
    return (Scalar)scalar;
}

bool npy_kind_of(Scalar scalar, NpyKind *kind)
{
    for (int i = 0; i < KINDS; i++) {
        if (is_kind(scalar, i)) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/* Converts bools from one byte, as in .npy files, to four, as in streams. */
static bool widen_bools(NpyArray *array)
{
    uint32_t *wide = malloc(array->count * sizeof *wide + 1);
    const unsigned char *narrow = array->data;
    if (!wide) {
        return error_set("out of host memory for %zu elements", array->count);
    }
    for (size_t i = 0; i < array->count; i++) {
        wide[i] = narrow[i] != 0;
    }
    free(array->data);
    array->data = wide;
    return true;
}

/* Converts 64-bit integers as a cast does: to the nearest float, to a boolean, or to their low 8 or 16 bits. They must
 * fit int and uint, which are also the default types, and double unless `round` is set; false with error_set if they do
 * not. */
static bool settle_wide(NpyArray *array, const Type *type, bool round)
{
    Scalar wanted = type ? type->scalar : array->kind == NPY_U8 ? SCALAR_UINT : SCALAR_INT;
    bool low = type_scalar_bytes(wanted) < (int)sizeof(uint32_t);
    if (type && type->scalar == SCALAR_DOUBLE) {
        return npy_convert(array, NPY_F8, round) ||
               error_prefix("doubles represent all integers up to 2^53; the option {round = true} rounds larger ones");
    }
    if (type && type_scalar_is_float(type->value->scalar)) {
        return npy_convert(array, NPY_F4, false);
    }
    if (type_scalar_form(wanted) == FORM_BOOL) {
        return npy_convert(array, NPY_B1, false);
    }
    return npy_convert(array, low || wanted == SCALAR_UINT ? NPY_U4 : NPY_I4, low) ||
           error_prefix("its %s numbers are read as 32 bits; the type \"double\" reads all up to 2^53",
                        npy_kind_name(array->kind));
}

/* Converts the numbers to a type that streams can have. `type` is the requested type, or NULL. */
static bool settle_numbers(NpyArray *array, const Type *type, bool round)
{
    if (array->kind == NPY_B1) {
        return widen_bools(array);
    }
    if (array->kind == NPY_I8 || array->kind == NPY_U8) {
        return settle_wide(array, type, round);
    }
    return true;
}

/* Computes the shape of the stream: the shape of the array, without the last dimension if that contains the components
 * of a vector type. */
static bool settle_shape(const NpyArray *array, const Type *type, Shape *shape)
{
    int components = type ? type->components : 1;
    int rank = array->rank;
    if (components > 1 && (rank == 0 || array->dim[rank - 1] != components)) {
        return error_set("type %s needs a last dimension of %d, and the array's is %lld", type->name, components,
                         rank ? (long long)array->dim[rank - 1] : 0LL);
    }
    rank -= components > 1;
    if (rank > SHAPE_MAX_RANK) {
        return error_set("the array has %d dimensions, a stream has at most %d", rank, SHAPE_MAX_RANK);
    }
    *shape = (Shape){.rank = rank ? rank : 1, .size = {1}};
    for (int i = 0; i < rank; i++) {
        shape->size[i] = array->dim[i];
    }
    return shape_check(shape);
}

/* The numbers of an array in a file. */
typedef struct NpySource {
    FileReading file;
    NpyHead head;
} NpySource;

/* Creates a stream in host memory and reads its elements from a file. */
static bool read_stream(Device *device, const Type *type, const Shape *shape, const NpySource *source, Stream *result)
{
    size_t got = 0;
    if (!stream_create(device, type, shape, false, result)) {
        return false;
    }
    size_t size = (size_t)stream_bytes(result);
    void *place = packed_destination(result);
    bool done = place && file_read_at(&source->file, source->head.start, place, size, &got) && got == size;
    if (!done) {
        stream_release(result);
    }
    return done;
}

/* Uploads the numbers as one row, or reads them from `source` if the array has no data. Casts them if another type is
 * requested, and returns a view in the shape of the array. */
static bool upload(Device *device, const NpyArray *array, const NpySource *source, const Type *type, const Shape *shape,
                   Stream *result)
{
    const Type *own = type_of(npy_scalar_of(array->kind), 1);
    const Type *wanted = type ? type_of(type->scalar, 1) : own;
    Shape row = {.rank = 1, .size = {(int64_t)array->count}};
    Stream numbers, cast = {0};
    if (!shape_check(&row) || !(array->data ? packed_stream(device, own, &row, array->data, &numbers)
                                            : read_stream(device, own, &row, source, &numbers))) {
        return false;
    }
    bool ok = wanted == own || copy_new(&numbers, wanted, &cast);
    if (ok) {
        ok = stream_over(wanted == own ? numbers.buffer : cast.buffer, type ? type : own, shape, 0, result);
    }
    stream_release(&numbers);
    if (cast.device) {
        stream_release(&cast);
    }
    return ok;
}

/* Returns the type of the stream of an array: complex numbers are vectors of two components. Returns false with error_set
 * if the requested type does not fit the array. */
static bool settle_type(const NpyArray *array, const Type **type)
{
    if (*type && (*type)->is_struct) {
        return error_set("a .npy file holds numbers, not structures (%s); those are in .rill files", (*type)->name);
    }
    if (array->is_complex && !*type) {
        *type = type_of(npy_scalar_of(array->kind), 2);
    }
    if (array->is_complex && (*type)->components != 2) {
        return error_set("it holds complex numbers: expected the type vec2 or dvec2, got %s", (*type)->name);
    }
    return true;
}

bool npy_stream(Device *device, NpyArray *array, const Type *type, bool round, Stream *result)
{
    Shape shape;
    return settle_type(array, &type) && settle_shape(array, type, &shape) && settle_numbers(array, type, round) &&
           upload(device, array, NULL, type, &shape, result);
}

static bool load_npy(Device *device, const FileBytes *file, const Type *type, bool round, Stream *result)
{
    NpyArray array;
    bool ok = npy_decode(file->data, file->size, &array) && npy_stream(device, &array, type, round, result);
    npy_free(&array);
    return ok;
}

static bool load_bytes(Device *device, const FileBytes *file, const Type *type, bool round, Stream *result)
{
    if (npy_recognize(file->data, file->size)) {
        return load_npy(device, file, type, round, result);
    }
    if (npz_recognize(file->data, file->size)) {
        return error_set("it is an archive of arrays: use rill.npz.load");
    }
    if (rillfile_recognize(file->data, file->size)) {
        return rillfile_load(device, file->data, file->size, type, result);
    }
    if (wav_recognize(file->data, file->size)) {
        return error_set("it is a WAV file: use rill.wav.load");
    }
    if (image_format_of_bytes(file->data, file->size)) {
        return error_set("it is an image: use rill.image.load");
    }
    return error_set(file->size ? "its content is neither .npy nor .rill (rill.csv.load reads columns of text)"
                                : "the file is empty");
}

/* Returns whether streams store the numbers of a file as they are, and whether the numbers are many. */
static bool is_plain(const NpyHead *head)
{
    const size_t many = 1 << 20;
    const NpyArray *array = &head->array;
    return head->little == byteorder_little() && (!head->fortran || array->rank < 2) && array->kind != NPY_B1 &&
           array->kind != NPY_I8 && array->kind != NPY_U8 && array->count * npy_kind_bytes(array->kind) >= many;
}

/* Reads the header of a file. Returns false, maybe with error_set, if the numbers cannot be read into a stream. */
static bool find_numbers(const FileReading *file, NpyHead *head)
{
    unsigned char start[4096];
    size_t got = 0;
    return file_read_at(file, 0, start, sizeof start, &got) && npy_recognize(start, got) &&
           npy_head(start, got, file->size, head) && is_plain(head);
}

/* Loads a .npy file into the memory of a stream. Returns false, maybe with error_set, if that is not possible:
 * load_file then reads the file and reports its errors. */
static bool load_directly(Device *device, const char *path, const Type *type, Stream *result)
{
    NpySource source;
    Shape shape;
    if (!device_traits(device)->host_memory || !file_open(path, &source.file)) {
        return false;
    }
    const NpyArray *array = &source.head.array;
    bool done = find_numbers(&source.file, &source.head) && settle_type(array, &type) &&
                settle_shape(array, type, &shape) && upload(device, array, &source, type, &shape, result);
    file_close(&source.file);
    return done;
}

static bool load_file(Device *device, const char *path, const Type *type, bool round, Stream *result)
{
    FileBytes file;
    if (load_directly(device, path, type, result)) {
        return true;
    }
    if (!file_read(path, &file)) {
        return false;
    }
    bool ok = load_bytes(device, &file, type, round, result);
    file_free(&file);
    return ok || error_prefix("cannot read '%s'", path);
}

/* rill.load(path [, type [, {round=}]]): loads a .npy or .rill file, which is detected by its content. An array of
 * numbers becomes a stream of scalars with the type of the array (64-bit integers as int or uint if they fit, complex
 * numbers as vec2 or dvec2) and its shape. `type` converts; a vector type uses the last dimension as its components. A
 * .rill file determines the type of the stream. round: 64-bit integers that double does not represent are rounded. */
static int l_load(lua_State *L)
{
    static const Option rows[] = {{.name = "round", .read = options_flag, .at = 0}, {.name = NULL}};
    bool round = false;
    binding_count(L, load_name, 3, false);
    const char *path = argument_path(L, 1, load_name, 1, "path");
    const Type *type = lua_isnoneornil(L, 2) ? NULL : type_check(L, 2, load_name, 2, "type");
    const OptionCall call = {.function = load_name, .index = 3, .n = 3, .expected = "a table like {round = true}"};
    options_read(L, &call, rows, &round);
    if (rillfile_load_container(L, load_name, path, type)) {
        return 1;
    }
    Device *device = state_device(L);
    Stream *result = stream_handle_push(L);
    binding_make(L, device, load_name, load_file(device, path, type, round, result));
    return 1;
}

/* Converts bools in place to one byte, as in .npy files. */
static void narrow_bools(unsigned char *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, data + i * sizeof value, sizeof value);
        data[i] = value != 0;
    }
}

static bool array_of_value(const Stream *stream, NpyArray *array)
{
    Stream seen;
    if (!copy_new(stream, stream->type->value, &seen)) {
        return false;
    }
    bool ok = npy_array(&seen, array);
    stream_release(&seen);
    return ok;
}

bool npy_array(const Stream *stream, NpyArray *array)
{
    const Type *type = stream->type;
    *array = (NpyArray){.rank = stream->shape.rank};
    if (!npy_kind_of(type->scalar, &array->kind)) {
        return array_of_value(stream, array); /* unorm8, which files cannot store, is saved as its type in kernels */
    }
    for (int i = 0; i < array->rank; i++) {
        array->dim[i] = stream->shape.size[i];
    }
    if (type->components > 1) {
        array->dim[array->rank++] = type->components;
    }
    array->count = (size_t)stream_elements(stream) * (size_t)type->components;
    array->data = packed_bytes(stream);
    if (array->data && array->kind == NPY_B1) {
        narrow_bools(array->data, array->count);
    }
    return array->data != NULL;
}

static bool save_npy(const Stream *stream, const char *path)
{
    NpyArray array;
    bool ok = npy_array(stream, &array) ? npy_write(path, &array) : error_prefix("cannot write '%s'", path);
    npy_free(&array);
    return ok;
}

/* s:save(path): writes a .npy file (components of vectors as a last dimension, half as float16, bool as bool, unorm8 as
 * float32), or a .rill file, which preserves every type, structures included. */
static int l_save(lua_State *L)
{
    binding_count(L, save_name, 2, true);
    const Stream *stream = accept_check(L, 1, save_name, 0, "s");
    const char *path = argument_path(L, 2, save_name, 1, "path");
    bool as_npy = file_has_extension(path, "npy"), as_rill = file_has_extension(path, "rill");
    if (!as_npy && !as_rill) {
        binding_argument(
            L, save_name, 1, "path", 2,
            "a path that ends in .npy or .rill (rill.image.save writes images, rill.csv.save columns of text)");
    }
    if (as_npy && stream->type->is_struct) {
        luaL_error(L, "%s: cannot write '%s': .npy holds numbers, structures like %s go into .rill files", save_name,
                   path, stream->type->name);
    }
    binding_make(L, stream->device, save_name, as_npy ? save_npy(stream, path) : rillfile_save(stream, path));
    return 0;
}

void open_npy(lua_State *L)
{
    static const luaL_Reg methods[] = {{"save", l_save}, {NULL, NULL}};
    stream_handle_methods(L, methods);
    fields_function(L, "load", l_load);
}
