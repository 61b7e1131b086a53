-- Tests of views of rill.live on ranks of rill.mpi.
local ranks = require "spec.support.ranks"

describe("rill.live on ranks of rill.mpi", function()
    local why = not package.searchpath("rill.live.core", package.cpath) and
        "there is no libwebsockets here: apt install libwebsockets-dev, and build again" or ranks.missing()

    it("shows distributed streams as it shows all elements in one stream", function()
        if why then return pending(why) end
        assert.equal("done\n", ranks.same({1, 3}, "view"))
    end)
end)
