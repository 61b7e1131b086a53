/* Parses the fields of a structure from text such as "vec3 o; vec3 d; float tmax, tmin;". */
#include "base/error.h"
#include "stream/type.h"

#include <ctype.h>
#include <string.h>

typedef struct Reader {
    const char *at;
    Field *fields;
    int count;
    TypeFinder *find;
    void *context;
} Reader;

static void skip_space(Reader *r)
{
    while (isspace((unsigned char)*r->at)) {
        r->at++;
    }
}

static bool read_word(Reader *r, char word[64], const char *what)
{
    skip_space(r);
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') {
        length++;
    }
    if (length == 0 || length > 63) {
        return error_set("expected the %s at \"%.20s\"", what, r->at);
    }
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    skip_space(r);
    return true;
}

/* Reads "type name [, name ...] ;". */
static bool read_declaration(Reader *r)
{
    char word[64];
    if (!read_word(r, word, "type of a field")) {
        return false;
    }
    const Type *type = r->find(r->context, word);
    if (!type) {
        return false;
    }
    for (;;) {
        if (r->count == TYPE_MAX_FIELDS) {
            return error_set("a structure has at most %d fields", TYPE_MAX_FIELDS);
        }
        Field *field = &r->fields[r->count++];
        field->type = type;
        if (!read_word(r, field->name, "name of a field")) {
            return false;
        }
        if (*r->at != ',' && *r->at != ';' && *r->at) {
            if (field > r->fields && r->find(r->context, field->name)) {
                return error_set("expected ';' before the type '%s', as in \"int a; float b\"", field->name);
            }
            return error_set("expected ';' after field '%s' at \"%.20s\"", field->name, r->at);
        }
        char mark = *r->at;
        r->at += mark != '\0';
        if (mark != ',') {
            skip_space(r);
            return true;
        }
    }
}

int type_parse_fields(const char *text, Field fields[TYPE_MAX_FIELDS], TypeFinder *find, void *context)
{
    Reader reader = {.at = text, .fields = fields, .find = find, .context = context};
    skip_space(&reader);
    while (*reader.at) {
        if (!read_declaration(&reader)) {
            return -1;
        }
    }
    return reader.count;
}
