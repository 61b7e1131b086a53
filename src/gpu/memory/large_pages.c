/* Memory for large buffers, allocated through Vulkan and imported by GL_EXT_memory_object_fd.
 *
 * NVIDIA's OpenGL (580.159, H100) maps buffers with small pages. A gather at random indices from 1 GiB takes
 * 2,560 ms, and 9 ms from memory that Vulkan allocates; a transpose of 16384 x 16384 floats takes 137 and 0.7
 * ms, a copy of 1 GiB 1.2 and 0.6 ms.
 *
 * Vulkan is loaded when the first large buffer is created, which takes 0.2 s. Without Vulkan, or if a call of
 * it fails, OpenGL allocates the memory. */
#include "base/environment.h"
#include "gpu/context/device_private.h"
#include "gpu/memory/buffer.h"
#include "gpu/memory/vulkan_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_MIB = 32, MOST_GPUS = 16, ALIGNMENT = 65536 };

#define FUNCTIONS(X)                                                                                                   \
    X(VkResult, AllocateMemory, (VkDevice, const VkMemoryAllocateInfo *, const void *, VkDeviceMemory *))              \
    X(void, FreeMemory, (VkDevice, VkDeviceMemory, const void *))                                                      \
    X(VkResult, GetMemoryFdKHR, (VkDevice, const VkMemoryGetFdInfo *, int *))                                          \
    X(VkResult, CreateBuffer, (VkDevice, const VkBufferCreateInfo *, const void *, VkBuffer *))                        \
    X(void, GetBufferMemoryRequirements, (VkDevice, VkBuffer, VkMemoryRequirements *))                                 \
    X(void, DestroyBuffer, (VkDevice, VkBuffer, const void *))

/* A GPU of Vulkan. It is kept until the process ends. */
struct LargePages {
    VkDevice device; /* NULL: it cannot be used */
    uint8_t uuid[VK_UUID_SIZE];
    uint32_t memory_type;
#define X(type, name, parameters) type(*name) parameters;
    FUNCTIONS(X)
#undef X
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static LargePages gpus[MOST_GPUS];
static int gpu_count = -1; /* -1: Vulkan is not loaded yet */
static VkFunction (*instance_function)(VkInstance, const char *);
static VkInstance instance;

/* The functions below require the lock. */

/* Returns a function of a library. dlsym returns a pointer to data, which C does not convert to a function
 * pointer. */
static VkFunction symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    VkFunction function;
    memcpy(&function, &found, sizeof function);
    return function;
}

static bool create_instance(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return false;
    }
    instance_function = (VkFunction(*)(VkInstance, const char *))symbol(library, "vkGetInstanceProcAddr");
    VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *) =
        instance_function ? (VkResult(*)(const VkInstanceCreateInfo *, const void *, VkInstance *))instance_function(
                                NULL, "vkCreateInstance")
                          : NULL;
    const VkApplicationInfo application = {
        .type = VK_TYPE_APPLICATION_INFO, .name = "rill", .api_version = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.type = VK_TYPE_INSTANCE_CREATE_INFO, .application = &application};
    return create && create(&info, NULL, &instance) == VK_SUCCESS;
}

/* Finds the type of device memory for buffers that are shared with OpenGL. Returns false if there is none. */
static bool find_memory_type(LargePages *gpu, const VkPhysicalDeviceMemoryProperties *memory)
{
    const VkHandleTypes external = {.type = VK_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                    .handle_types = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkBufferCreateInfo info = {.type = VK_TYPE_BUFFER_CREATE_INFO,
                                     .next = &external,
                                     .size = ALIGNMENT,
                                     .usage = VK_BUFFER_USAGE_STORAGE_AND_TRANSFER};
    VkBuffer buffer;
    if (gpu->CreateBuffer(gpu->device, &info, NULL, &buffer) != VK_SUCCESS) {
        return false;
    }
    VkMemoryRequirements needs;
    gpu->GetBufferMemoryRequirements(gpu->device, buffer, &needs);
    gpu->DestroyBuffer(gpu->device, buffer, NULL);
    for (uint32_t i = 0; i < memory->type_count; i++) {
        if ((needs.type_bits >> i & 1) && (memory->types[i].flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) {
            gpu->memory_type = i;
            return true;
        }
    }
    return false;
}

static bool create_device(LargePages *gpu, VkPhysicalDevice physical)
{
    static const char *const extensions[] = {"VK_KHR_external_memory_fd"};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .type = VK_TYPE_DEVICE_QUEUE_CREATE_INFO, .count = 1, .priorities = &priority};
    const VkDeviceCreateInfo info = {.type = VK_TYPE_DEVICE_CREATE_INFO,
                                     .queue_count = 1,
                                     .queues = &queue,
                                     .extension_count = 1,
                                     .extensions = extensions};
    VkPhysicalDeviceMemoryProperties memory;
    VkResult (*create)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *) =
        (VkResult(*)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *))instance_function(
            instance, "vkCreateDevice");
    typedef VkFunction (*DeviceFunction)(VkDevice, const char *);
    DeviceFunction function = (DeviceFunction)instance_function(instance, "vkGetDeviceProcAddr");
    void (*get_memory)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *) =
        (void (*)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *))instance_function(
            instance, "vkGetPhysicalDeviceMemoryProperties");
    if (!create || !function || !get_memory || create(physical, &info, NULL, &gpu->device) != VK_SUCCESS) {
        gpu->device = NULL;
        return false;
    }
    bool all = true;
#define X(type, name, parameters)                                                                                      \
    gpu->name = (type(*) parameters)function(gpu->device, "vk" #name);                                                 \
    all = all && gpu->name;
    FUNCTIONS(X)
#undef X
    get_memory(physical, &memory);
    if (!all || !find_memory_type(gpu, &memory)) {
        gpu->device = NULL;
    }
    return gpu->device != NULL;
}

static void list_gpus(VkPhysicalDevice physical[MOST_GPUS])
{
    gpu_count = 0;
    if (!create_instance()) {
        return;
    }
    VkResult (*enumerate)(VkInstance, uint32_t *, VkPhysicalDevice *) =
        (VkResult(*)(VkInstance, uint32_t *, VkPhysicalDevice *))instance_function(instance,
                                                                                   "vkEnumeratePhysicalDevices");
    void (*get)(VkPhysicalDevice, VkPhysicalDeviceProperties2 *) =
        (void (*)(VkPhysicalDevice, VkPhysicalDeviceProperties2 *))instance_function(instance,
                                                                                     "vkGetPhysicalDeviceProperties2");
    uint32_t count = MOST_GPUS;
    if (!enumerate || !get || enumerate(instance, &count, physical) < VK_SUCCESS) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceIDProperties id = {.type = VK_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.type = VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .next = &id};
        get(physical[i], &properties);
        memcpy(gpus[i].uuid, id.device_uuid, sizeof gpus[i].uuid);
    }
    gpu_count = (int)count;
}

/* Returns Vulkan's GPU of an OpenGL device, or NULL. */
static LargePages *find_gpu(const uint8_t uuid[VK_UUID_SIZE])
{
    static VkPhysicalDevice physical[MOST_GPUS];
    static bool tried[MOST_GPUS];
    if (gpu_count < 0) {
        list_gpus(physical);
    }
    for (int i = 0; i < gpu_count; i++) {
        if (memcmp(gpus[i].uuid, uuid, VK_UUID_SIZE) == 0) {
            if (!tried[i]) {
                tried[i] = true;
                create_device(&gpus[i], physical[i]);
            }
            return gpus[i].device ? &gpus[i] : NULL;
        }
    }
    return NULL;
}

/* --- */

bool large_pages_look_up(Device *device)
{
    int mib = DEFAULT_MIB;
    if (!environment_number("RILL_LARGE_PAGES", "a number of MiB, or 0 for no large pages", INT32_MAX, &mib)) {
        return false;
    }
    const bool possible = device->staged && !device->info.software && glCreateMemoryObjectsEXT && glImportMemoryFdEXT &&
                          glBufferStorageMemEXT && glGetUnsignedBytei_vEXT &&
                          traits_has_extension("GL_EXT_memory_object_fd");
    device->large_bytes = possible && mib > 0 ? (uint64_t)mib << 20 : UINT64_MAX;
    return true;
}

static bool no_error(const Device *device)
{
    return glGetError() == GL_NO_ERROR && !device->debug.recorded;
}

/* Returns the GPU of the device. Returns NULL if there is none; no buffer is treated as large from then on. */
static LargePages *gpu_of(Device *device)
{
    if (!device->large_pages) {
        GLubyte uuid[VK_UUID_SIZE] = {0};
        glGetUnsignedBytei_vEXT(GL_DEVICE_UUID_EXT, 0, uuid);
        if (no_error(device)) {
            pthread_mutex_lock(&lock);
            device->large_pages = find_gpu(uuid);
            pthread_mutex_unlock(&lock);
        }
    }
    if (!device->large_pages) {
        gl_error_clear(device);
        device->large_bytes = UINT64_MAX;
    }
    return device->large_pages;
}

/* Tests the buffer by writing its last word and reading it back. */
static bool works(Buffer *buffer)
{
    const uint32_t written = 0x5ca1ab1e;
    const uint64_t at = buffer->capacity - sizeof written;
    uint32_t read = 0;
    glClearBufferSubData(GL_COPY_WRITE_BUFFER, GL_R32UI, (GLintptr)at, sizeof written, GL_RED_INTEGER, GL_UNSIGNED_INT,
                         &written);
    return staging_ring_read(buffer, at, &read, sizeof read) && read == written;
}

LargePagesResult large_pages_store(Buffer *buffer)
{
    Device *device = buffer->device;
    const LargePages *gpu = gpu_of(device);
    if (!gpu) {
        return LARGE_PAGES_NONE;
    }
    const uint64_t size = (buffer->capacity + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const VkHandleTypes exported = {.type = VK_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                    .handle_types = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo info = {
        .type = VK_TYPE_MEMORY_ALLOCATE_INFO, .next = &exported, .size = size, .memory_type = gpu->memory_type};
    VkDeviceMemory memory;
    const VkResult result = gpu->AllocateMemory(gpu->device, &info, NULL, &memory);
    if (result != VK_SUCCESS) {
        return result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? LARGE_PAGES_FULL : LARGE_PAGES_NONE;
    }
    const VkMemoryGetFdInfo request = {.type = VK_TYPE_MEMORY_GET_FD_INFO,
                                       .memory = memory,
                                       .handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    int file = -1;
    bool imported = false;
    if (gpu->GetMemoryFdKHR(gpu->device, &request, &file) == VK_SUCCESS) {
        glCreateMemoryObjectsEXT(1, &buffer->memory_object);
        glImportMemoryFdEXT(buffer->memory_object, size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, file);
        imported = no_error(device); /* on success OpenGL owns the file descriptor */
        if (imported) {
            glBufferStorageMemEXT(GL_COPY_WRITE_BUFFER, (GLsizeiptr)buffer->capacity, buffer->memory_object, 0);
        } else {
            close(file);
        }
    }
    gpu->FreeMemory(gpu->device, memory, NULL); /* OpenGL keeps its own reference */
    if (imported && no_error(device) && (device->large_works || works(buffer))) {
        device->large_works = true;
        return LARGE_PAGES_STORED;
    }
    glDeleteBuffers(1, &buffer->name); /* its storage cannot be replaced */
    glGenBuffers(1, &buffer->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->name);
    gl_error_clear(device);
    large_pages_release(buffer);
    device->large_bytes = UINT64_MAX;
    return LARGE_PAGES_NONE;
}

void large_pages_release(Buffer *buffer)
{
    if (buffer->memory_object) {
        glDeleteMemoryObjectsEXT(1, &buffer->memory_object);
        buffer->memory_object = 0;
    }
}
