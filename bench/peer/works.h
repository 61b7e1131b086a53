/* Workloads that a benchmark describes in Lua, in raw OpenGL or in C: see lua_works.c. */
#ifndef RILL_PEER_WORKS_H
#define RILL_PEER_WORKS_H

#include <lua.h>
#include <stddef.h>

enum { WORK_BUFFERS = 12, WORK_PASSES = 32, WORK_NUMBERS = 8 };

/* A launch of a program: texture unit i reads buffer textures[i] in its texel format, block i is buffer blocks[i]; -1 for none.
 * Uniform i is numbers[i]. */
typedef struct WorkPass {
    int program, groups[2];
    int textures[WORK_BUFFERS], texels[WORK_BUFFERS], blocks[WORK_BUFFERS];
    int number_count;
    struct {
        int is_int;
        double value;
    } numbers[WORK_NUMBERS];
} WorkPass;

typedef struct WorkBuffer {
    const void *data; /* NULL: zeros */
    size_t bytes;
} WorkBuffer;

/* Creates a workload in raw OpenGL. Returns its number, which the other functions take. */
int peer_gl_work(int program_count, const char *const *programs, int buffer_count, const WorkBuffer *buffers,
                 int pass_count, const WorkPass *passes);
double peer_gl_run(int number, int runs);
size_t peer_gl_read(int number, int buffer, void *values);
void peer_gl_close(int number);

/* Creates a workload in C: a function of host_works.c by name, with buffers and numbers of the benchmark. */
int peer_host_work(const char *name, int buffer_count, const WorkBuffer *buffers, int number_count,
                   const double *numbers);
double peer_host_run(int number, int runs, int threads);
size_t peer_host_read(int number, int buffer, const void **values);
void peer_host_close(int number);

/* The functions that peer_lua.c registers. */
int lua_gl_work(lua_State *L);
int lua_gl_run(lua_State *L);
int lua_gl_read(lua_State *L);
int lua_gl_close(lua_State *L);
int lua_host_work(lua_State *L);
int lua_host_run(lua_State *L);
int lua_host_read(lua_State *L);
int lua_host_close(lua_State *L);

#endif
