#include "binding/binding.h"

#include <stdlib.h>

int file_load(lua_State *L, const char *function, const char *path, const Type *type, FileReader *read)
{
    Device *device = state_device(L);
    Stream *result = stream_handle_push(L);
    binding_make(L, device, function, read(device, path, type, result));
    return 1;
}
