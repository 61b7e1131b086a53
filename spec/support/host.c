/* A host program with several Lua states, each in a separate thread:
 *    host SCRIPT THREADS SECONDS
 * runs the script in each thread at the same time, with the index of the thread and the seconds as arguments.
 * Prints the results, and fails if one raises an error. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

typedef struct Job {
    const char *script;
    int number, seconds, failed;
    char result[2000];
} Job;

static void *run(void *argument)
{
    Job *job = argument;
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    job->failed = luaL_loadfile(L, job->script);
    if (!job->failed) {
        lua_pushinteger(L, job->number);
        lua_pushinteger(L, job->seconds);
        job->failed = lua_pcall(L, 2, 1, 0);
    }
    snprintf(job->result, sizeof job->result, "%s", luaL_tolstring(L, -1, NULL));
    lua_close(L);
    return NULL;
}

int main(int count, char **arguments)
{
    static Job jobs[MOST];
    static pthread_t threads[MOST];
    int many = count == 4 ? atoi(arguments[2]) : 0, failed = 0;
    if (many < 1 || many > MOST) {
        fprintf(stderr, "usage: host SCRIPT THREADS SECONDS\n");
        return 2;
    }
    for (int i = 0; i < many; i++) {
        jobs[i] = (Job){.script = arguments[1], .number = i + 1, .seconds = atoi(arguments[3])};
        if (pthread_create(&threads[i], NULL, run, &jobs[i])) {
            fprintf(stderr, "host: no thread\n");
            return 2;
        }
    }
    for (int i = 0; i < many; i++) {
        pthread_join(threads[i], NULL);
        fprintf(jobs[i].failed ? stderr : stdout, "%s\n", jobs[i].result);
        failed |= jobs[i].failed;
    }
    return failed != 0;
}
