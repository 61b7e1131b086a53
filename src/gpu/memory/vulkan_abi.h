/* The part of Vulkan's binary interface that large_pages.c uses, so that building needs no Vulkan headers.
 * Names and numbers are the same as in vulkan_core.h. */
#ifndef RILL_VULKAN_ABI_H
#define RILL_VULKAN_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef uint64_t VkBuffer, VkDeviceMemory; /* non-dispatchable handles: 64 bits on every machine */
typedef int32_t VkResult;

enum {
    VK_SUCCESS = 0,
    VK_ERROR_OUT_OF_DEVICE_MEMORY = -2,
    VK_API_VERSION_1_1 = 1 << 22 | 1 << 12,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT = 1,
    VK_BUFFER_USAGE_STORAGE_AND_TRANSFER = 1 | 2 | 32,
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT = 1,
    VK_UUID_SIZE = 16
};

/* Values of the first member of structures. */
enum {
    VK_TYPE_APPLICATION_INFO = 0,
    VK_TYPE_INSTANCE_CREATE_INFO = 1,
    VK_TYPE_DEVICE_QUEUE_CREATE_INFO = 2,
    VK_TYPE_DEVICE_CREATE_INFO = 3,
    VK_TYPE_MEMORY_ALLOCATE_INFO = 5,
    VK_TYPE_BUFFER_CREATE_INFO = 12,
    VK_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 = 1000059001,
    VK_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES = 1000071004,
    VK_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO = 1000072000,
    VK_TYPE_EXPORT_MEMORY_ALLOCATE_INFO = 1000072002,
    VK_TYPE_MEMORY_GET_FD_INFO = 1000074002
};

typedef struct VkApplicationInfo {
    uint32_t type;
    const void *next;
    const char *name;
    uint32_t version;
    const char *engine;
    uint32_t engine_version, api_version;
} VkApplicationInfo;

typedef struct VkInstanceCreateInfo {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const VkApplicationInfo *application;
    uint32_t layer_count;
    const char *const *layers;
    uint32_t extension_count;
    const char *const *extensions;
} VkInstanceCreateInfo;

typedef struct VkDeviceQueueCreateInfo {
    uint32_t type;
    const void *next;
    uint32_t flags, family, count;
    const float *priorities;
} VkDeviceQueueCreateInfo;

typedef struct VkDeviceCreateInfo {
    uint32_t type;
    const void *next;
    uint32_t flags, queue_count;
    const VkDeviceQueueCreateInfo *queues;
    uint32_t layer_count;
    const char *const *layers;
    uint32_t extension_count;
    const char *const *extensions;
    const void *features;
} VkDeviceCreateInfo;

typedef struct VkPhysicalDeviceIDProperties {
    uint32_t type;
    void *next;
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE], luid[8];
    uint32_t node_mask, luid_valid;
} VkPhysicalDeviceIDProperties;

typedef struct VkPhysicalDeviceProperties2 {
    uint32_t type;
    void *next;
    uint64_t properties[256]; /* 824 bytes on a 64-bit machine; not read */
} VkPhysicalDeviceProperties2;

typedef struct VkPhysicalDeviceMemoryProperties {
    uint32_t type_count;
    struct {
        uint32_t flags, heap;
    } types[32];
    uint32_t heap_count;
    struct {
        uint64_t size;
        uint32_t flags;
    } heaps[16];
} VkPhysicalDeviceMemoryProperties;

/* VkExternalMemoryBufferCreateInfo and VkExportMemoryAllocateInfo */
typedef struct VkHandleTypes {
    uint32_t type;
    const void *next;
    uint32_t handle_types;
} VkHandleTypes;

typedef struct VkBufferCreateInfo {
    uint32_t type;
    const void *next;
    uint32_t flags;
    uint64_t size;
    uint32_t usage, sharing, family_count;
    const uint32_t *families;
} VkBufferCreateInfo;

typedef struct VkMemoryRequirements {
    uint64_t size, alignment;
    uint32_t type_bits;
} VkMemoryRequirements;

typedef struct VkMemoryAllocateInfo {
    uint32_t type;
    const void *next;
    uint64_t size;
    uint32_t memory_type;
} VkMemoryAllocateInfo;

typedef struct VkMemoryGetFdInfo {
    uint32_t type;
    const void *next;
    VkDeviceMemory memory;
    uint32_t handle_type;
} VkMemoryGetFdInfo;

typedef void (*VkFunction)(void);

#endif
