-- Small C files of spec/support made into shared objects in the build tree.

-- Compiles spec/support/<name>.c to <build>/spec/<name>.so unless that is newer; returns its path, or nil and why there is none.
return function(name, flags)
    local source = "spec/support/" .. name .. ".c"
    local directory = (os.getenv "RILL_BUILD" or "build") .. "/spec"
    local object = directory .. "/" .. name .. ".so"
    if os.execute(("test '%s' -nt '%s'"):format(object, source)) then
        return object
    end
    local lua = "$(pkg-config --cflags lua5.4 2>/dev/null || echo -I/usr/include/lua5.4)"
    local command = "mkdir -p '%s' && env -u LD_PRELOAD gcc -std=c11 -O2 -shared -fPIC %s -o '%s' '%s' %s"
    if os.execute(command:format(directory, lua, object, source, flags or "")) then
        return object
    end
    return nil, "no C compiler makes " .. object
end
