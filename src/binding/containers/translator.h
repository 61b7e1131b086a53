/* Declares the userdata of translators. */
#ifndef RILL_BINDING_CONTAINERS_TRANSLATOR_H
#define RILL_BINDING_CONTAINERS_TRANSLATOR_H

#include "binding/binding.h"
#include "container/translator/translator.h"

/* Pushes a closed translator userdata and returns its slot, to be filled by translator_take or translator_make, so that
 * an error in between does not leak a translator. */
Translator **translator_push(lua_State *L);
/* Creates the translator of a pushed userdata, which is on the stack, by a call within the device, as binding_make
 * does. */
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
/* Checks as translator_check, and pushes another handle of the translator, which keeps it open for as long as that
 * handle is on the stack, even if a metamethod or a finalizer closes the first one. */
Translator *translator_hold(lua_State *L, int index, const char *function, int n, const char *name);
/* Releases a reference. Must be called outside of any scope; never raises. */
void translator_drop(Translator *t);

#endif
