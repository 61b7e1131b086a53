-- Runs raster_test.c: the rasterizer below the binding.
require "spec.support.cmocka".tests("raster", describe, it)
