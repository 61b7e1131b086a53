/* What the binding's files on translators share. */
#ifndef RILL_BINDING_CONTAINERS_TRANSLATOR_H
#define RILL_BINDING_CONTAINERS_TRANSLATOR_H

#include "binding/binding.h"
#include "container/translator/translator.h"

/* Pushes a closed translator, into which one goes that is still to be made: what raises meanwhile leaks nothing. */
Translator **translator_push(lua_State *L);
/* Makes a translator within the device by a call, as binding_make does, for what was pushed, which is on the stack. */
#define translator_make(L, slot, device, function, call)                                                               \
    do {                                                                                                               \
        binding_run(L, device, function, *(slot) = (call));                                                            \
        translator_take(L, slot, *(slot), function);                                                                   \
    } while (0)
/* Takes over a translator that was made; NULL raises what was set, with the function's name in front. What was pushed is on the stack. */
void translator_take(lua_State *L, Translator **slot, Translator *t, const char *function);
/* An open translator, or raises. */
Translator *translator_check(lua_State *L, int index, const char *function, int n, const char *name);
/* Checks as translator_check, and pushes another handle of the translator, which keeps it open for as long as that handle is on the stack, even if a
 * metamethod or a finalizer closes the first one. */
Translator *translator_hold(lua_State *L, int index, const char *function, int n, const char *name);
/* Gives a reference back, outside of any scope; never raises. */
void translator_drop(Translator *t);

#endif
