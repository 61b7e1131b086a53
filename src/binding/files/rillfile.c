/* .rill files: streams of any type, structures included, and containers. */
#include "io/array/rillfile.h"
#include "binding/binding.h"
#include "binding/streams/container_handle.h"
#include "container/serialize.h"
#include "io/file.h"
#include "kernel/host/packed.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>

/* Returns the type of a field or of the element. `known` are the structures defined so far. */
static const Type *described_type(const RillField *field, const Type *const *known)
{
    return field->structure ? known[field->structure - 1] : type_find(field->type);
}

/* Returns a reference to the type of a structure; NULL with error_set. */
static const Type *described_struct(const RillStruct *structure, const Type *const *known)
{
    Field *fields = calloc(structure->count, sizeof *fields);
    const Type *made = NULL;
    size_t done = 0;
    if (!fields) {
        error_set("out of host memory");
        return NULL;
    }
    for (; done < structure->count; done++) {
        const RillField *from = &structure->items[done];
        snprintf(fields[done].name, sizeof fields[done].name, "%s", from->name);
        fields[done].type = described_type(from, known);
        if (!fields[done].type) {
            break;
        }
    }
    if (done == structure->count) {
        made = type_struct(structure->name, fields, (int)done);
    }
    free(fields);
    return made;
}

/* Returns a reference to the type of the elements; NULL with error_set. */
static const Type *file_type(const RillFile *file)
{
    const Type *known[RILLFILE_STRUCTS], *type = NULL;
    size_t count = 0;
    while (count < file->count && (known[count] = described_struct(&file->items[count], known))) {
        count++;
    }
    if (count == file->count) {
        type = type_retain(described_type(&file->element, known));
    }
    if (type && (uint32_t)type->bytes != file->element_bytes) {
        error_set("its elements have %u bytes, but %s has %d", file->element_bytes, type->name, type->bytes);
        type_release(type);
        type = NULL;
    }
    while (count > 0) {
        type_release(known[--count]);
    }
    return type;
}

static bool file_shape(const RillFile *file, Shape *shape)
{
    *shape = (Shape){.rank = file->rank};
    for (int i = 0; i < file->rank; i++) {
        shape->size[i] = file->size[i];
    }
    return shape_check(shape);
}

/* Loads the elements with the type of the file, then casts them. */
static bool load_cast(Device *device, const RillFile *file, const Type *own, const Type *type, const Shape *shape,
                      Stream *result)
{
    Stream loaded;
    if (own->is_struct || type->is_struct || own->components != type->components) {
        return error_set("it holds elements of type %s, which cannot be read as %s", own->name, type->name);
    }
    if (!packed_stream(device, own, shape, file->data, &loaded)) {
        return false;
    }
    bool ok = copy_new(&loaded, type, result);
    stream_release(&loaded);
    return ok;
}

bool rillfile_load(Device *device, const unsigned char *bytes, size_t size, const Type *type, Stream *result)
{
    RillFile file;
    Shape shape;
    if (!rillfile_decode(bytes, size, &file)) {
        return false;
    }
    const Type *own = file_type(&file);
    bool ok = own && file_shape(&file, &shape);
    if (ok && (!type || type_same_layout(own, type))) {
        ok = packed_stream(device, type ? type : own, &shape, file.data, result);
    } else if (ok) {
        ok = load_cast(device, &file, own, type, &shape, result);
    }
    type_release(own);
    rillfile_free(&file);
    return ok;
}

/* The structures written so far; a structure with number n is at n - 1. */
typedef struct Written {
    const Type *types[RILLFILE_STRUCTS];
} Written;

/* Returns the number of a structure in the file, from 1. A new structure is added after the structures that it
 * contains. 0 with error_set. */
static int describe_struct(RillFile *file, Written *written, const Type *type)
{
    int nested[TYPE_MAX_BYTES / 4];
    for (size_t i = 0; i < file->count; i++) {
        if (written->types[i] == type) {
            return (int)i + 1;
        }
    }
    for (int i = 0; i < type->field_count; i++) {
        const Type *field = type->fields[i].type;
        nested[i] = field->is_struct ? describe_struct(file, written, field) : 0;
        if (field->is_struct && !nested[i]) {
            return 0;
        }
    }
    if (file->count == RILLFILE_STRUCTS) {
        error_set("it has more than %d structures", RILLFILE_STRUCTS);
        return 0;
    }
    int number = rillfile_add_struct(file, type->name);
    for (int i = 0; number && i < type->field_count; i++) {
        const Field *field = &type->fields[i];
        if (!rillfile_add_field(file, number, field->name, nested[i] ? "" : field->type->name, nested[i])) {
            return 0;
        }
    }
    if (number) {
        written->types[number - 1] = type;
    }
    return number;
}

static bool describe_type(RillFile *file, const Type *type)
{
    Written written;
    if (type->is_struct) {
        file->element.structure = describe_struct(file, &written, type);
        if (!file->element.structure) {
            return false;
        }
    } else {
        snprintf(file->element.type, sizeof file->element.type, "%s", type->name);
    }
    file->element_bytes = (uint32_t)type->bytes;
    return true;
}

static bool describe(RillFile *file, const Stream *stream)
{
    if (!describe_type(file, stream->type)) {
        return false;
    }
    file->rank = stream->shape.rank;
    for (int i = 0; i < file->rank; i++) {
        file->size[i] = stream->shape.size[i];
    }
    file->data_bytes = (size_t)stream_bytes(stream);
    file->data = packed_bytes(stream);
    return file->data != NULL;
}

bool rillfile_save(const Stream *stream, const char *path)
{
    RillFile file = {0};
    bool ok = describe(&file, stream) ? rillfile_write(path, &file) : error_prefix("cannot write '%s'", path);
    rillfile_free(&file);
    return ok;
}

/* containers */

/* Describes a container, and takes over the elements and numbers of `image`. */
static bool describe_container(RillFile *file, const ContainerData *image)
{
    file->data = image->elements;
    file->data_bytes = (size_t)image->element_count * (size_t)image->type->bytes;
    file->rank = 1;
    file->size[0] = image->element_count;
    snprintf(file->container.kind, sizeof file->container.kind, "%s", image->kind);
    file->container.rank = image->size.rank;
    for (int i = 0; i < image->size.rank; i++) {
        file->container.size[i] = image->size.size[i];
        file->container.page[i] = image->page.size[i];
    }
    file->container.levels = image->levels;
    file->container.capacity = image->capacity;
    file->container.numbers = image->numbers;
    file->container.number_count = (size_t)image->number_count;
    return describe_type(file, image->type);
}

static bool save_container(Container *c, const char *path)
{
    RillFile file = {0};
    ContainerData image;
    if (!container_data_save(c, &image)) {
        free(image.elements);
        free(image.numbers);
        return false;
    }
    bool done =
        describe_container(&file, &image) ? rillfile_write(path, &file) : error_prefix("cannot write '%s'", path);
    rillfile_free(&file);
    return done;
}

/* c:save(path): writes a .rill file. */
int rillfile_save_container(lua_State *L)
{
    static const char function[] = "c:save";
    LuaContainer *self = container_self(L, function, 2);
    const char *path = argument_path(L, 2, function, 1, "path");
    if (!file_has_extension(path, "rill")) {
        binding_argument(L, function, 1, "path", 2, "a path that ends in .rill");
    }
    const Translator *edge = stream_has_boundary(&self->stream) ? NULL : container_edge(self->container);
    if (edge) {
        luaL_error(L,
                   "%s: its boundary '%s' is a user-defined translator, whose functions cannot be saved: "
                   "save c:boundary(\"clamp\"), and c:write the loaded elements to a container with this boundary",
                   function, translator_info(edge).name);
    }
    binding_make(L, self->stream.device, function, save_container(self->container, path));
    return 0;
}

static Container *load_container(Device *device, const RillFile *file)
{
    const Type *type = file_type(file);
    ContainerData image = {.kind = file->container.kind,
                           .type = type,
                           .size = {.rank = file->container.rank},
                           .page = {.rank = file->container.rank},
                           .levels = file->container.levels,
                           .capacity = file->container.capacity,
                           .numbers = file->container.numbers,
                           .number_count = (int64_t)file->container.number_count,
                           .elements = file->data,
                           .element_count = file->rank == 1 ? file->size[0] : -1};
    for (int i = 0; i < file->container.rank; i++) {
        image.size.size[i] = file->container.size[i];
        image.page.size[i] = file->container.page[i];
    }
    Container *c = type ? container_data_load(device, &image) : NULL;
    type_release(type);
    return c;
}

static Container *read_container(Device *device, const char *path)
{
    FileBytes bytes;
    RillFile file = {0};
    Container *c = NULL;
    if (!file_read(path, &bytes)) {
        return NULL;
    }
    if (rillfile_decode(bytes.data, bytes.size, &file)) {
        c = load_container(device, &file);
        rillfile_free(&file);
    }
    file_free(&bytes);
    if (!c) {
        error_prefix("cannot read '%s'", path);
    }
    return c;
}

bool rillfile_load_container(lua_State *L, const char *function, const char *path, const Type *type)
{
    if (!rillfile_is_container(path)) {
        return false;
    }
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function, read_container(device, path));
    if (type && type != self->stream.type) {
        luaL_error(L, "%s: cannot read '%s': it holds a container of type %s, which cannot be read as %s", function,
                   path, self->stream.type->name, type->name);
    }
    return true;
}
