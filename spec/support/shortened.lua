-- Declares a test of some cases, and a long test of all cases: body(whole) selects the cases. `it` is the function
-- of the spec.
return function(it, name, body)
    it(name, function() body(false) end)
    it(name .. ", in full #long", function() body(true) end)
end
