-- Libraries of spec/support that are preloaded between rill and the driver.
local compile = require "spec.support.compile"

--- Returns the library's file, or nil and the reason. With `pending` of a test, ends the test instead.
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
