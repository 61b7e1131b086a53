-- Runs translator_test.c: translators below the binding.
require "spec.support.cmocka".tests("translator", describe, it)
