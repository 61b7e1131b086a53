-- Compiles small C files of spec/support to shared objects or programs in the build tree.

-- Compiles spec/support/<name>.c to <build>/spec/<name>.so, unless that file is newer than the source and
-- interpose.h. Returns its path, or nil and the reason. `program`: compiles to <build>/spec/<name>, which runs
-- several Lua states. Specs that run at the same time never see an incomplete file.
return function(name, flags, program)
    local source = "spec/support/" .. name .. ".c"
    local directory = (os.getenv "RILL_BUILD" or "build") .. "/spec"
    local object = directory .. "/" .. name .. (program and "" or ".so")
    local newer = "test '%s' -nt '%s' -a '%s' -nt spec/support/interpose.h"
    if os.execute(newer:format(object, source, object)) then
        return object
    end
    local lua = "$(pkg-config --cflags lua5.4 2>/dev/null || echo -I/usr/include/lua5.4)"
    local command = "mkdir -p '%s' && env -u LD_PRELOAD gcc -std=c11 -O2 %s %s -o '%s'.$$ '%s' %s && mv '%s'.$$ '%s'"
    local kind = program and "" or "-shared -fPIC"
    local libraries = program and " $(pkg-config --libs lua5.4 2>/dev/null || echo -llua5.4) -lpthread" or ""
    if os.execute(command:format(directory, kind, lua, object, source, (flags or "") .. libraries,
        object, object)) then
        return object
    end
    return nil, "no C compiler makes " .. object
end
