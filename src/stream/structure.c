/* Structure types. They are interned and reference-counted, and freed with the last reference. */
#include "base/error.h"
#include "base/thread/lock.h"
#include "stream/type.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lock protects the table. Reference counts above 1 change without it. The last reference is dropped under
 * the lock, so that a structure in the table always has a reference. */
typedef struct Interned {
    Type type;
    atomic_size_t holders;
    bool kept; /* one reference belongs to the process */
    uint32_t hash;
    struct Interned *next;
} Interned;

enum { INTERNED_BUCKETS = 4096 };
static Interned *interned[INTERNED_BUCKETS];
static size_t interned_count;
static Lock interned_lock = LOCK_FREE;

static bool name_check(const char *what, const char *name)
{
    size_t length = strlen(name);
    bool good = length > 0 && length < sizeof((Field *)0)->name && !isdigit((unsigned char)name[0]);
    for (size_t i = 0; good && i < length; i++) {
        good = isalnum((unsigned char)name[i]) || name[i] == '_';
    }
    return good || error_set("%s '%.80s' is not a name: letters, digits and '_', at most 63", what, name);
}

static bool fields_check(const char *name, const Field *fields, int count)
{
    if (count < 1) {
        return error_set("structure '%s' has no fields", name);
    }
    int bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += fields[i].type->bytes;
        if (bytes > TYPE_MAX_BYTES) {
            return error_set("structure '%s' is larger than %d bytes", name, TYPE_MAX_BYTES);
        }
        if (!name_check("field", fields[i].name)) {
            return error_prefix("structure '%s'", name);
        }
        if (fields[i].type->bytes % 4 != 0) {
            return error_set("structure '%s': field '%s' is %s, which does not fill 4-byte words; use %s", name,
                             fields[i].name, fields[i].type->name, fields[i].type->value->name);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(fields[i].name, fields[k].name) == 0) {
                return error_set("structure '%s' has two fields named '%s'", name, fields[i].name);
            }
        }
    }
    return true;
}

static bool fields_same(const Type *type, const Field *fields, int count)
{
    if (type->field_count != count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (type->fields[i].type != fields[i].type || strcmp(type->fields[i].name, fields[i].name) != 0) {
            return false;
        }
    }
    return true;
}

/* FNV-1a hash of names and of the addresses of field types, which are interned. */
static uint32_t hash_text(uint32_t hash, const char *text)
{
    while (*text) {
        hash = (hash ^ (unsigned char)*text++) * 16777619u;
    }
    return hash;
}

static uint32_t fields_hash(const char *name, const Field *fields, int count)
{
    uint32_t hash = hash_text(2166136261u, name);
    for (int i = 0; i < count; i++) {
        uintptr_t type = (uintptr_t)fields[i].type;
        hash = hash_text((hash ^ (uint32_t)(type >> 4)) * 16777619u, fields[i].name);
    }
    return hash;
}

/* reference counts */

static Interned *interned_of(const Type *type)
{
    return (Interned *)(uintptr_t)type; /* the type is its first member */
}

const Type *type_retain(const Type *type)
{
    if (type && type->is_struct) {
        atomic_fetch_add_explicit(&interned_of(type)->holders, 1, memory_order_relaxed);
    }
    return type;
}

/* Drops a reference that is not the last one. Returns false, without an effect, if it may be the last. */
static bool drop_shared(Interned *entry)
{
    size_t holders = atomic_load_explicit(&entry->holders, memory_order_relaxed);
    while (holders > 1) {
        if (atomic_compare_exchange_weak_explicit(&entry->holders, &holders, holders - 1, memory_order_release,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static void unlink_entry(Interned *entry)
{
    Interned **at = &interned[entry->hash % INTERNED_BUCKETS];
    while (*at != entry) {
        at = &(*at)->next;
    }
    *at = entry->next;
    interned_count--;
}

/* Drops a reference. If it was the last one, adds the structure to the list `dead`. */
static void drop_reference(const Type *type, Interned **dead)
{
    if (!type || !type->is_struct || drop_shared(interned_of(type))) {
        return;
    }
    Interned *entry = interned_of(type);
    lock_take(&interned_lock);
    bool last = atomic_fetch_sub_explicit(&entry->holders, 1, memory_order_acq_rel) == 1;
    if (last) {
        unlink_entry(entry);
    }
    lock_give(&interned_lock);
    if (last) {
        entry->next = *dead;
        *dead = entry;
    }
}

/* Uses a list instead of recursion, since structures may be nested deeply. */
void type_release(const Type *type)
{
    Interned *dead = NULL;
    drop_reference(type, &dead);
    while (dead) {
        Interned *entry = dead;
        dead = entry->next;
        for (int i = 0; i < entry->type.field_count; i++) {
            drop_reference(entry->type.fields[i].type, &dead);
        }
        if (entry->type.value != &entry->type) {
            drop_reference(entry->type.value, &dead);
        }
        free((void *)(uintptr_t)entry->type.fields);
        free(entry);
    }
}

size_t type_struct_count(void)
{
    lock_take(&interned_lock);
    size_t count = interned_count;
    lock_give(&interned_lock);
    return count;
}

/* construction */

/* Finds the structure that a kernel sees, whose fields have value types. Sets *value to a new reference, or to
 * NULL if the structure is its own value type. Returns false with error_set. */
static bool struct_value(const char *name, const Field *fields, int count, const Type **value)
{
    bool differs = false;
    *value = NULL;
    for (int i = 0; i < count; i++) {
        differs = differs || fields[i].type->value != fields[i].type;
    }
    if (!differs) {
        return true;
    }
    Field *seen = calloc((size_t)count, sizeof *seen);
    if (!seen) {
        return error_set("out of host memory");
    }
    for (int i = 0; i < count; i++) {
        seen[i] = fields[i];
        seen[i].type = fields[i].type->value;
    }
    *value = type_struct(name, seen, count);
    free(seen);
    return *value != NULL;
}

/* Creates a structure that is not interned yet. The caller owns the reference, and keeps its own reference to
 * `value`. */
static Interned *struct_new(const char *name, const Field *fields, int count, const Type *value)
{
    Interned *made = calloc(1, sizeof *made);
    Field *own = calloc((size_t)count, sizeof *own);
    if (!made || !own) {
        free(made);
        free(own);
        error_set("out of host memory");
        return NULL;
    }
    Type *type = &made->type;
    snprintf(type->name, sizeof type->name, "%s", name);
    type->is_struct = true;
    type->field_count = count;
    type->fields = own;
    type->value = value ? type_retain(value) : type;
    for (int i = 0; i < count; i++) {
        own[i] = fields[i];
        own[i].offset = type->bytes;
        type_retain(fields[i].type);
        type->bytes += fields[i].type->bytes;
        type->components += fields[i].type->components;
    }
    atomic_init(&made->holders, 1);
    return made;
}

/* Finds or creates a structure. The new reference belongs to the caller, or to the process if `kept` is set;
 * the process holds at most one. */
static const Type *intern(const char *name, const Field *fields, int count, const Type *value, bool kept)
{
    uint32_t hash = fields_hash(name, fields, count);
    Interned **bucket = &interned[hash % INTERNED_BUCKETS];
    lock_take(&interned_lock);
    Interned *found = *bucket;
    while (found && (strcmp(found->type.name, name) != 0 || !fields_same(&found->type, fields, count))) {
        found = found->next;
    }
    if (found) {
        size_t more = !kept || !found->kept;
        atomic_fetch_add_explicit(&found->holders, more, memory_order_relaxed);
    } else if ((found = struct_new(name, fields, count, value))) {
        found->hash = hash;
        found->next = *bucket;
        *bucket = found;
        interned_count++;
    }
    if (found) {
        found->kept = found->kept || kept;
    }
    lock_give(&interned_lock);
    return found ? &found->type : NULL;
}

static const Type *struct_make(const char *name, const Field *fields, int count, bool kept)
{
    const Type *value;
    if (!name_check("structure", name) || !fields_check(name, fields, count) ||
        !struct_value(name, fields, count, &value)) {
        return NULL;
    }
    const Type *made = intern(name, fields, count, value, kept);
    type_release(value);
    return made;
}

const Type *type_struct(const char *name, const Field *fields, int count)
{
    return struct_make(name, fields, count, false);
}

const Type *type_struct_kept(const char *name, const Field *fields, int count)
{
    return struct_make(name, fields, count, true);
}
