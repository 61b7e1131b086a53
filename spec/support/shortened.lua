-- A test of some cases, and one of all of them, which takes long: body(whole) asks for what belongs to it. `it` is the spec's own.
return function(it, name, body)
    it(name, function() body(false) end)
    it(name .. ", in full #long", function() body(true) end)
end
