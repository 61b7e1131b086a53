/* Files of columns: functions for rill.csv. */
#include "io/array/csv.h"
#include "binding/binding.h"
#include "binding/values/handle.h"
#include "io/file.h"
#include "kernel/host/packed.h"
#include "kernel/launch/copy.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char load_name[] = "rill.csv.load";
static const char save_name[] = "rill.csv.save";

/* An open file, or the columns of a file to be written. The user value is the string of the missing words. */
typedef struct CsvHandle {
    FileBytes bytes;
    CsvTable table;
    CsvTexts names;
    CsvColumn *columns;
    size_t count;
} CsvHandle;

static void drop(lua_State *L, void *self)
{
    (void)L;
    CsvHandle *handle = self;
    csv_close(&handle->table);
    csv_free_texts(&handle->names);
    csv_free_columns(handle->columns, handle->count);
    free(handle->columns);
    file_free(&handle->bytes);
    *handle = (CsvHandle){0};
}

static const HandleType csv_type = {"csv", "file", sizeof(CsvHandle), .values = 1, .drop = drop};

static void push_texts(lua_State *L, const CsvTexts *texts)
{
    lua_createtable(L, texts->count < INT_MAX ? (int)texts->count : 0, 0);
    for (size_t i = 0; i < texts->count; i++) {
        size_t length;
        const char *text = csv_text(texts, i, &length);
        lua_pushlstring(L, text, length);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void allocate_columns(lua_State *L, CsvHandle *handle, size_t count, const char *function)
{
    handle->columns = calloc(count + 1, sizeof *handle->columns);
    handle->count = handle->columns ? count : 0;
    if (!handle->columns) {
        luaL_error(L, "%s: out of host memory for %I columns", function, (lua_Integer)count);
    }
}

/* _csv_open(path, delimiter, quote, decimal, comment, skip, missing): reads the first row of a file. The characters are
 * strings; "" stands for none. `missing`: words, each followed by a zero byte; false: only empty fields are missing. Returns
 * a handle, the fields of the first row, and whether they are names. */
static int csv_open_file(lua_State *L)
{
    const char *path = argument_path(L, 1, load_name, 1, "path");
    CsvFormat format = {.delimiter = *luaL_checkstring(L, 2),
                        .quote = *luaL_checkstring(L, 3),
                        .decimal = *luaL_checkstring(L, 4),
                        .comment = *luaL_checkstring(L, 5),
                        .skip = (size_t)luaL_checkinteger(L, 6),
                        .missing = lua_toboolean(L, 7) ? luaL_checkstring(L, 7) : "",
                        .only_empty = !lua_toboolean(L, 7)};
    CsvHandle *handle = handle_push(L, &csv_type);
    lua_pushvalue(L, 7);
    lua_setiuservalue(L, -2, 1);
    if (!file_read(path, &handle->bytes)) {
        binding_raise_for(L, load_name);
    }
    if (!csv_open(&handle->table, handle->bytes.data, handle->bytes.size, &format)) {
        error_prefix("cannot read '%s'", path);
        binding_raise_for(L, load_name);
    }
    handle->bytes.path = NULL;
    push_texts(L, &handle->table.names);
    lua_pushboolean(L, handle->table.has_names);
    return 3;
}

/* Sets the kind of a column from the name of a type at the top of the stack. */
static void set_kind(lua_State *L, CsvColumn *column)
{
    const char *name = lua_tostring(L, -1);
    const Type *type = name ? type_find(name) : NULL;
    if (!type) {
        column->exact = name && strcmp(name, "text") == 0;
        column->kind = !name ? CSV_SKIP : column->exact ? CSV_TEXT : CSV_AUTO;
        return;
    }
    ScalarForm form = type_scalar_form(type->scalar);
    int bits = 8 * type_scalar_bytes(type->scalar);
    column->kind = form == FORM_BOOL ? CSV_BOOL : form == FORM_FLOAT || form == FORM_UNORM ? CSV_NUMBER : CSV_WHOLE;
    column->single = column->kind == CSV_NUMBER && type->scalar != SCALAR_DOUBLE;
    column->low = form == FORM_SIGNED ? -(double)(INT64_C(1) << (bits - 1)) : 0;
    column->high = (double)((INT64_C(1) << (form == FORM_SIGNED ? bits - 1 : bits)) - 1);
}

static bool upload(Device *device, const CsvColumn *column, size_t rows, const Type *type, Stream *result)
{
    Shape shape = {.rank = 1, .size = {(int64_t)rows}};
    const Type *wide = type_of(SCALAR_DOUBLE, 1);
    Stream numbers;
    if (!shape_check(&shape)) {
        return false;
    }
    if (!type || type == wide) {
        return packed_stream(device, wide, &shape, column->numbers, result);
    }
    if (!packed_stream(device, wide, &shape, column->numbers, &numbers)) {
        return false;
    }
    bool done = copy_new(&numbers, type, result);
    stream_release(&numbers);
    return done;
}

static bool upload_codes(Device *device, const CsvColumn *column, size_t rows, Stream *result)
{
    Shape shape = {.rank = 1, .size = {(int64_t)rows}};
    return shape_check(&shape) && packed_stream(device, type_of(SCALAR_UINT, 1), &shape, column->codes, result);
}

/* Pushes a column: a table of strings, a stream of codes, or a stream of the type whose name is at the top of the
 * stack. */
static void push_column(lua_State *L, Device *device, CsvHandle *handle, CsvColumn *column)
{
    const char *name = lua_tostring(L, -1);
    if (column->kind == CSV_TEXT && !column->category) {
        push_texts(L, &column->texts);
        return;
    }
    Stream *stream = stream_handle_push(L);
    if (column->kind == CSV_TEXT) {
        binding_run(L, device, load_name, upload_codes(device, column, handle->table.rows, stream));
        return;
    }
    binding_run(L, device, load_name, upload(device, column, handle->table.rows, type_find(name), stream));
}

/* _csv_read(handle, header, types, path, categories): reads the columns of an open file and closes it. types[i] is false
 * for a column to skip, "auto", "text", or the name of a scalar type. Returns a table with a stream, or a table of
 * strings, for each column that is not skipped, and with false for the others. `categories`: columns of text are streams
 * of uint, the codes of their different texts: 0-based indices of the sorted texts, 4294967295 for missing values. The
 * second result has the list of these texts for each such column, and false for the others. */
static int csv_read_file(lua_State *L)
{
    CsvHandle *handle = handle_to(L, 1, &csv_type);
    luaL_argcheck(L, handle && !handle->columns, 1, "an open file");
    Device *device = state_device(L);
    size_t count = handle->table.names.count;
    allocate_columns(L, handle, count, load_name);
    for (size_t c = 0; c < count; c++) {
        lua_rawgeti(L, 3, (lua_Integer)c + 1);
        set_kind(L, &handle->columns[c]);
        handle->columns[c].category = lua_toboolean(L, 5);
        lua_pop(L, 1);
    }
    lua_settop(L, 4);
    lua_createtable(L, (int)count, 0);
    if (!csv_read(&handle->table, lua_toboolean(L, 2), handle->columns)) {
        error_prefix("cannot read '%s'", lua_tostring(L, 4));
        binding_raise_for(L, load_name);
    }
    for (size_t c = 0; c < count; c++) {
        if (handle->columns[c].kind != CSV_SKIP) {
            lua_rawgeti(L, 3, (lua_Integer)c + 1);
            push_column(L, device, handle, &handle->columns[c]);
            lua_rawseti(L, 3, (lua_Integer)c + 1);
            lua_pop(L, 1);
        }
        if (handle->columns[c].kind == CSV_TEXT && handle->columns[c].category) {
            push_texts(L, &handle->columns[c].names.texts);
        } else {
            lua_pushboolean(L, false);
        }
        lua_rawseti(L, 5, (lua_Integer)c + 1);
        csv_free_columns(&handle->columns[c], 1);
    }
    binding_charge(L, device);
    drop(L, handle);
    lua_settop(L, 5);
    lua_remove(L, 4);
    return 2;
}

/* Copies the strings of the table at the top of the stack. */
static void take_texts(lua_State *L, CsvTexts *texts)
{
    size_t count = lua_rawlen(L, -1);
    for (size_t i = 1; i <= count; i++) {
        size_t length;
        lua_rawgeti(L, -1, (lua_Integer)i);
        const char *text = luaL_checklstring(L, -1, &length);
        if (!csv_add_text(texts, text, length)) {
            binding_raise_for(L, save_name);
        }
        lua_pop(L, 1);
    }
}

/* Sets a column from the table {stream of codes, table of names} at the top of the stack. */
static void take_category(lua_State *L, CsvColumn *column)
{
    column->kind = CSV_TEXT;
    column->category = true;
    lua_getfield(L, -1, "names");
    take_texts(L, &column->names.texts);
    lua_getfield(L, -2, "codes");
    const Stream *stream = accept_check(L, lua_gettop(L), save_name, 2, "columns");
    binding_run(L, stream->device, save_name, (column->codes = packed_bytes(stream)));
    lua_pop(L, 2);
}

/* Sets a column from the value at the top of the stack: a table of strings, a stream, or a table of `codes` and `names`. */
static void take_column(lua_State *L, CsvColumn *column)
{
    if (lua_istable(L, -1)) {
        bool category = lua_getfield(L, -1, "codes") != LUA_TNIL;
        lua_pop(L, 1);
        if (category) {
            take_category(L, column);
            return;
        }
        column->kind = CSV_TEXT;
        take_texts(L, &column->texts);
        return;
    }
    const Stream *stream = accept_check(L, lua_gettop(L), save_name, 2, "columns");
    column->kind = CSV_NUMBER;
    column->single = type_scalar_form(stream->type->scalar) == FORM_FLOAT && stream->type->scalar != SCALAR_DOUBLE;
    binding_run(L, stream->device, save_name, (column->numbers = packed_doubles(stream)));
}

/* _csv_save(path, names, columns, rows, delimiter, decimal, digits, missing, header): writes columns, each a stream, a table
 * of strings, or the table {codes =, names =} of a category: a stream of uint and its names. */
static int csv_save_file(lua_State *L)
{
    const char *path = argument_path(L, 1, save_name, 1, "path");
    CsvStyle style = {.delimiter = *luaL_checkstring(L, 5),
                      .decimal = *luaL_checkstring(L, 6),
                      .digits = (int)luaL_checkinteger(L, 7),
                      .missing = luaL_checkstring(L, 8),
                      .header = lua_toboolean(L, 9)};
    CsvHandle *handle = handle_push(L, &csv_type);
    lua_pushvalue(L, 2);
    take_texts(L, &handle->names);
    allocate_columns(L, handle, handle->names.count, save_name);
    for (size_t c = 0; c < handle->count; c++) {
        lua_rawgeti(L, 3, (lua_Integer)c + 1);
        take_column(L, &handle->columns[c]);
        lua_pop(L, 1);
    }
    bool done =
        csv_write(path, &style, &handle->names, handle->columns, handle->count, (size_t)luaL_checkinteger(L, 4));
    drop(L, handle);
    if (!done) {
        binding_raise_for(L, save_name);
    }
    return 0;
}

void open_csv(lua_State *L)
{
    static const luaL_Reg methods[] = {{NULL, NULL}};
    handle_methods(L, &csv_type, methods);
    handle_open(L, &csv_type, NULL);
    fields_function(L, "_csv_open", csv_open_file);
    fields_function(L, "_csv_read", csv_read_file);
    fields_function(L, "_csv_save", csv_save_file);
}
