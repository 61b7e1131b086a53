-- Compiles and runs a batch of C functions, as references for random kernels.
local compiled = {}

local PRELUDE = [[
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned uint;
typedef _Bool bool;
enum { false, true };
typedef float vec2 __attribute__((vector_size(8)));
typedef float vec3 __attribute__((vector_size(16)));
typedef float vec4 __attribute__((vector_size(16)));
typedef vec2 mat2[2];
typedef vec3 mat3[3];
typedef vec4 mat4[4];
typedef struct S S;
#define int(x) ((int)(x))
#define uint(x) ((uint)(x))
#define float(x) ((float)(x))
#define double(x) ((double)(x))
#define bool(x) ((bool)(x))
#define min(a, b) ({ __typeof__((a) + (b)) a_ = (a), b_ = (b); b_ < a_ ? b_ : a_; })
#define max(a, b) ({ __typeof__((a) + (b)) a_ = (a), b_ = (b); a_ < b_ ? b_ : a_; })
#define clamp(x, a, b) min(max(x, a), b)
#define floor(x) _Generic((x), float: floorf, double: floor)(x)
#define push(name, value) ((void)((name)[name##_count++] = (value)))
static unsigned long T, most;
static int reach(int i, int n, char mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == 'w') return ((i % n) + n) % n;
    if (mode == 'm') { i = ((i % (2 * n)) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i; }
    return mode == 'c' ? (i < 0 ? 0 : n - 1) : -1;
}
]]

-- Runs C functions `names` that `texts` define. Returns, by name, tables of the lists of numbers that each printed
-- under a label.
function compiled.run(prelude, texts, names)
    local base = os.tmpname()
    local file = assert(io.open(base .. ".c", "w"))
    file:write(PRELUDE, prelude, table.concat(texts, "\n"), "\nint main(void) {\n")
    for _, name in ipairs(names) do
        file:write(("most = 0; printf(\"name %s\\n\"); %s(); printf(\"trips %%lu\\n\", most);\n"):format(name, name))
    end
    file:write("return 0;\n}\n")
    file:close()
    local command = ("gcc -std=gnu11 -w -O0 -fwrapv -ffp-contract=off -o %s.exe %s.c -lm 2>%s.log && %s.exe >%s")
        :format(base, base, base, base, base)
    local good = os.execute(command)
    local log = io.open(base .. ".log")
    local complaint = log and log:read "a" or ""
    if log then
        log:close()
    end
    if not good then
        error(("fuzz: the compiler refuses %s.c:\n%s"):format(base, complaint:sub(1, 2000)))
    end
    local results, of = {}, nil
    for line in io.lines(base) do
        local label, rest = line:match "^(%w+) ?(.*)$"
        if label == "name" then
            of = rest
            results[of] = {}
        else
            local list = {}
            for word in rest:gmatch "%S+" do
                list[#list + 1] = tonumber(word)
            end
            results[of][label] = list
        end
    end
    for _, suffix in ipairs {"", ".c", ".exe", ".log"} do
        os.remove(base .. suffix)
    end
    return results
end

return compiled
