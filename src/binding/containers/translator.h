/* Declares the userdata of translators. A translator maps the indices of a container's elements to addresses in
 * memory. */
#ifndef RILL_BINDING_CONTAINERS_TRANSLATOR_H
#define RILL_BINDING_CONTAINERS_TRANSLATOR_H

#include "binding/binding.h"
#include "container/translator/translator.h"

/* Pushes a closed translator userdata. Returns its slot, which translator_take or translator_make fills. Because the
 * userdata exists before the translator, a Lua error does not leak the translator. */
Translator **translator_push(lua_State *L);
/* Evaluates `call` in a scope as binding_make does, and stores the translator that it returns in the slot of a userdata
 * on the stack. Raises. */
#define translator_make(L, slot, device, function, call)                                                               \
    do {                                                                                                               \
        binding_run(L, device, function, *(slot) = (call));                                                            \
        translator_take(L, slot, *(slot), function);                                                                   \
    } while (0)
/* Stores a new translator in the slot of a userdata on the stack, and takes over the reference. If `t` is NULL, raises
 * error_message() with the prefix "function: ". */
void translator_take(lua_State *L, Translator **slot, Translator *t, const char *function);
/* Returns an open translator, or raises. */
Translator *translator_check(lua_State *L, int index, const char *function, int n, const char *name);
/* Checks the value as translator_check does, and pushes another userdata of the same translator. The translator stays
 * open while this userdata is on the stack, even if a metamethod or a finalizer closes the userdata at `index`. */
Translator *translator_hold(lua_State *L, int index, const char *function, int n, const char *name);
/* Releases a reference. Must be called outside of any scope; never raises. */
void translator_drop(Translator *t);

#endif
