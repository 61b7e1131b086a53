-- Containers below the binding: container_test.c.
require "spec.support.cmocka".tests("container", describe, it)
