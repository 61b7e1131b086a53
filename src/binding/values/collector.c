/* Runs the garbage collector of Lua when device memory grows, since Lua does not know the size of streams.
 *
 * A step frees most unreachable streams at little cost. In generational mode, which the program `lua` sets, a step does
 * not free objects that survived two steps. Therefore the memory in use, or the number of buffers, doubles between two
 * steps: a stream that a loop keeps for some calls then survives at most one step. If steps do not free enough, a full
 * collection bounds the unreachable memory to the reachable memory. A full collection takes about 0.3 ns per byte of
 * the Lua heap, so the device memory must also have grown by HEAP_WEIGHT bytes per byte of the heap. */
#include "binding/binding.h"

#include <limits.h>

/* STEP_LEAST: the least growth in bytes before a step. */
enum { STEP_LEAST = 4 << 20, HEAP_WEIGHT = 12 };

static Held held_now(const State *state)
{
    Held held = {0, 0};
    for (size_t i = 0; i < state->devices.count; i++) {
        held.bytes += device_held(state->devices.items[i]);
        held.buffers += device_memory(state->devices.items[i]).buffers;
    }
    return held;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static Held least(Held a, Held b)
{
    return (Held){smaller(a.bytes, b.bytes), smaller(a.buffers, b.buffers)};
}

static Held step(lua_State *L, const State *state, uint64_t bytes)
{
    lua_gc(L, LUA_GCSTEP, (int)smaller(bytes / 1024, INT_MAX / 4096));
    return held_now(state);
}

static uint64_t heap_bytes(lua_State *L)
{
    return (uint64_t)lua_gc(L, LUA_GCCOUNT) * 1024;
}

void collector_run(lua_State *L, State *state)
{
    Held held = held_now(state);
    state->stepped = least(state->stepped, held);
    Held from = state->stepped, base = least(from, state->kept);
    uint64_t grown = held.bytes - from.bytes;
    bool due = grown >= STEP_LEAST && (grown >= base.bytes / 2 || held.buffers - from.buffers >= base.buffers / 2);
    if (!due || lua_gc(L, LUA_GCISRUNNING) <= 0) {
        return;
    }
    state->stepped = held = step(L, state, grown);
    state->kept = least(state->kept, held);
    grown = held.bytes - state->kept.bytes;
    if (grown >= state->kept.bytes / 2 && grown >= HEAP_WEIGHT * heap_bytes(L)) {
        lua_gc(L, LUA_GCCOLLECT);
        state->kept = state->stepped = held_now(state);
    }
}
