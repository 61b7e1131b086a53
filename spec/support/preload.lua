-- Libraries of spec/support that stand between rill and the driver, for LD_PRELOAD.
local compile = require "spec.support.compile"

--- The library's file; or nil and why there is none. With the `pending` of a test, that ends the test instead.
return function(name, pending)
    local library, lacking
    if os.getenv "RILL_SANITIZE" then
        lacking = "a sanitizer has to be the first library that is loaded"
    else
        library, lacking = compile(name, "-ldl -lpthread")
    end
    if not library and pending then
        pending(lacking)
    end
    return library, lacking
end
