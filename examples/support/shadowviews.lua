-- References and images for examples/shadow.lua: a plain map of all texels, and rays. Adds methods to its Shadow, whose `lit` are the triangles in the light's
-- view.
--     dofile(here .. "support/shadowviews.lua")(Shadow, passes, triangles, scene, texels of the map, tiles)
local rill = require "rill"

return function(Shadow, passes, triangles, scene, most_texels, lit_tiles)
    -- Returns lists of all triangles by tiles.
    function Shadow:tiled()
        local tile = most_texels / lit_tiles
        self.tiles = self.tiles or triangles.bin(self.lit, lit_tiles, tile)
        return {tile = tile, tiles = lit_tiles, list = self.tiles, a = self.lit[1], b = self.lit[2], c = self.lit[3]}
    end

    --- Returns a plain map, and the distance of its elements.
    function Shadow:plain(texels)
        local given = self:tiled()
        given.texel, given.r = most_texels / texels, rill.stream("float", {texels + 1, texels + 1})
        return passes.plain(given), given.texel
    end

    --- Returns the light that reaches each pixel, by rays.
    function Shadow:cast()
        local given = self:tiled()
        given.margin, given.triangle, given.at = 1e-4, self.triangle, self.at
        return passes.cast_ray(given)
    end

    function Shadow:picture(light)
        return passes.paint(scene.ground, 1 / self.steep, light, self.triangle, self.slope)
    end

    --- Returns an image with the levels of the pages that pixels use, as colors.
    function Shadow:levels(picture)
        return passes.outline(self.map, self.triangle, self.at, picture)
    end
end
