#include "binding/binding.h"

#include <stdlib.h>

bool file_stream(Device *device, const Type *type, const Shape *shape, const void *bytes, Stream *result)
{
    if (!stream_create(device, type, shape, false, result)) {
        return false;
    }
    if (!transfer_upload(result, bytes)) {
        stream_release(result);
        return false;
    }
    return true;
}

void *file_bytes(const Stream *stream)
{
    uint64_t size = stream_bytes(stream);
    void *bytes = malloc(size + 1);
    if (!bytes) {
        error_set("out of host memory for %llu bytes", (unsigned long long)size);
        return NULL;
    }
    if (!transfer_download(stream, bytes)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

int file_load(lua_State *L, const char *function, const char *path, const Type *type, FileReader *read)
{
    Device *device = state_device(L);
    Stream *result = stream_handle_push(L);
    binding_make(L, device, function, read(device, path, type, result));
    return 1;
}
