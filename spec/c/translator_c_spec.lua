-- Translators below the binding: translator_test.c.
require "spec.support.cmocka".tests("translator", describe, it)
