-- Functions of doubles that GLSL has only for floats: tan, the inverse and hyperbolic functions, and fmod.
local rill = require "rill"
local check = require "spec.support.check"
local compile = require "spec.support.compile"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Expected values are computed with 400 bits by mpmath 1.3, and those of fmod with fractions.
local arguments <const> = {
    0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
    -0x1.999999999999ap-4, 0x1.bffffffffffffp-2, 0x1.0000000000001p-1, -0x1.4cccccccccccdp-1, 0x1.f333333333333p-1,
    -0x1.fffffffffffffp-1, 0x1.0000000000000p+0, -0x1.0000000000000p+0, 0x1.0000000000001p+0, 0x1.3000000000000p+0,
    0x1.921fb54442d18p+0, -0x1.3800000000000p+1, 0x1.921fb54442d18p+1, 0x1.8000000000000p+3, -0x1.6000000000000p+4,
    0x1.5e80000000000p+5, 0x1.62a0000000000p+9, -0x1.6300000000000p+9, 0x1.6340000000000p+9, 0x1.8000000000000p+28,
    -0x1.6a09e667f3bcdp+49, 0x1.0000000000000p+50, 0x1.9000000000000p+66, -0x1.fffffffffffffp+1023, 1/0, -1/0, 0/0,
}
local expected <const> = {
    tan = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.9af8877430b80p-4, 0x1.def49eaab37a0p-2, 0x1.17b4f5bf3474cp-1, -0x1.853982d11be39p-1,
        0x1.79972609d881ap+0, -0x1.8eb245cbee3a4p+0, 0x1.8eb245cbee3a6p+0, -0x1.8eb245cbee3a6p+0,
        0x1.8eb245cbee3a9p+0, 0x1.3d6dc956eac7dp+1, 0x1.d02967c31cdb5p+53, 0x1.b2d89a938294dp-1,
        -0x1.1a62633145c07p-53, -0x1.458f6ebce073bp-1, -0x1.220d129b73ef8p-7, -0x1.5f20215e0709bp-3,
        -0x1.dceb73a93bdb8p-1, -0x1.f9bd03136287dp-15, 0x1.17bf3887a602ep-1, 0x1.300efcc91fa64p-1,
        -0x1.54962745332fap-3, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
    },
    asin = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.9a49276037884p-4, 0x1.cfaf27460fe9ep-2, 0x1.0c152382d7367p-1, -0x1.6a4881ddc9b84p-1,
        0x1.58c2b5ce0c3e5p+0, -0x1.921fb50442d18p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0/0, 0/0, 0/0,
        0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
    },
    acos = {
        0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0,
        0x1.921fb53fb5bbep+0, 0x1.abc447ba464a1p+0, 0x1.1e33eb72bed71p+0, 0x1.0c152382d7365p+0,
        0x1.23a1fb1993d6dp+1, 0x1.cae7fbb1b499ap-3, 0x1.921fb52442d18p+1, 0x0.0p+0, 0x1.921fb54442d18p+1, 0/0, 0/0,
        0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
    },
    atan = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.983e282e2cc4dp-4, 0x1.a64eec3cc23fcp-2, 0x1.dac670561bb51p-2, -0x1.271aa72553ed5p-1,
        0x1.8ba4a84de9622p-1, -0x1.921fb54442d18p-1, 0x1.921fb54442d18p-1, -0x1.921fb54442d18p-1,
        0x1.921fb54442d19p-1, 0x1.bde70ed439fe7p-1, 0x1.00fe987ed02ffp+0, -0x1.2e75728833a54p+0,
        0x1.433b8a322ddd3p+0, 0x1.7cd6f6dc59db4p+0, -0x1.867ed918ab138p+0, 0x1.8c482390fcc29p+0,
        0x1.91c34e69c0590p+0, -0x1.91c367668c617p+0, 0x1.91c3780793b77p+0, 0x1.921fb5399826ep+0,
        -0x1.921fb54442d13p+0, 0x1.921fb54442d14p+0, 0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0,
        0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, 0/0,
    },
    sinh = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.9a487337b59b3p-4, 0x1.ce6dd75bf0316p-2, 0x1.0acd00fe63b98p-1, -0x1.64bc177c905ddp-1,
        0x1.23119bae457a7p+0, -0x1.2cd9fc44eb982p+0, 0x1.2cd9fc44eb982p+0, -0x1.2cd9fc44eb982p+0,
        0x1.2cd9fc44eb984p+0, 0x1.7ca875d3c6932p+0, 0x1.2690f661dd820p+1, -0x1.6b6caa976f3dep+2,
        0x1.718f45d72e671p+3, 0x1.3de1654d043f1p+16, -0x1.ab5adb9c43600p+30, 0x1.27b7b70b0dae9p+62,
        0x1.2c8c9d92044a2p+1022, -0x1.3e21a464507f9p+1023, 1/0, 1/0, -1/0, 1/0, 1/0, -1/0, 1/0, -1/0, 0/0,
    },
    cosh = {
        0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0,
        0x1.0000000000000p+0, 0x1.0147f40224b38p+0, 0x1.18e4aea0b3f4ap+0, 0x1.20ac1862ae8d1p+0,
        0x1.3802d6807c463p+0, 0x1.83a14945205d9p+0, 0x1.8b07551d9f550p+0, 0x1.8b07551d9f550p+0,
        0x1.8b07551d9f550p+0, 0x1.8b07551d9f551p+0, 0x1.cabbcf9d3bb3fp+0, 0x1.412cc2a8d4e9ep+1,
        0x1.710448ca66a4dp+2, 0x1.72f147fee4000p+3, 0x1.3de1654d6b544p+16, 0x1.ab5adb9c43600p+30,
        0x1.27b7b70b0dae9p+62, 0x1.2c8c9d92044a2p+1022, 0x1.3e21a464507f9p+1023, 1/0, 1/0, 1/0, 1/0, 1/0, 1/0, 1/0,
        1/0, 0/0,
    },
    tanh = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.983d7795f413ap-4, 0x1.a5729ee488036p-2, 0x1.d9353d7568af5p-2, -0x1.24b1ed00e1cbcp-1,
        0x1.8075159fe98bep-1, -0x1.85efab514f394p-1, 0x1.85efab514f394p-1, -0x1.85efab514f394p-1,
        0x1.85efab514f395p-1, 0x1.a8dbcbc31897ap-1, 0x1.d594fdae482bap-1, -0x1.f83dabf23e177p-1,
        0x1.fe175fa292810p-1, 0x1.ffffffff59f7cp-1, -0x1.0000000000000p+0, 0x1.0000000000000p+0,
        0x1.0000000000000p+0, -0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0,
        -0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x1.0000000000000p+0, -0x1.0000000000000p+0,
        0x1.0000000000000p+0, -0x1.0000000000000p+0, 0/0,
    },
    asinh = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.98eb9e7e5fc3ep-4, 0x1.b2d0a9dc4fb35p-2, 0x1.ecc2caec5160bp-2, -0x1.38f264ac43213p-1,
        0x1.ba27cf5bd35dcp-1, -0x1.c34366179d426p-1, 0x1.c34366179d427p-1, -0x1.c34366179d427p-1,
        0x1.c34366179d428p-1, 0x1.0208c28bbf24bp+0, 0x1.3bc04e847ec05p+0, -0x1.9faf1cb755d79p+0,
        0x1.dcbf69f10006dp+0, 0x1.9703358f9be84p+1, -0x1.e4713d0abf553p+1, 0x1.1e48da393670cp+2,
        0x1.d0788441be754p+2, -0x1.d089d5326d8dfp+2, 0x1.d0955de3c3fc1p+2, 0x1.481b946c5c2e2p+4,
        -0x1.18080dd3171b7p+5, 0x1.1acdd632f662bp+5, 0x1.7718e127d29dbp+5, -0x1.633ce8fb9f87ep+9, 1/0, -1/0, 0/0,
    },
    acosh = {
        0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0x0.0p+0, 0/0, 0x1.6a09e667f3bccp-26,
        0x1.34d4dfb57c8f9p-1, 0x1.05f23c6cbaf31p+0, 0/0, 0x1.cfc02f90106c1p+0, 0x1.96916e283f590p+1, 0/0,
        0x1.1e4495b1374c2p+2, 0x1.d07880167b4c8p+2, 0/0, 0x1.d09559bc41579p+2, 0x1.481b946c5c2e2p+4, 0/0,
        0x1.1acdd632f662bp+5, 0x1.7718e127d29dbp+5, 0/0, 1/0, 0/0, 0/0,
    },
    atanh = {
        0x0.0p+0, -0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0180000000000p-1022, 0x1.23456789abcdep-30,
        -0x1.9af93cd234412p-4, 0x1.e064e0c92c395p-2, 0x1.193ea7aad030cp-1, -0x1.8cf3f3b79174bp-1,
        0x1.17a5089afb172p+1, -0x1.2b708872320e2p+4, 1/0, -1/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
        0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
    },
}
local pairs_of_arguments <const> = {
    0x0.0p+0, 0x0.0p+0, 0x0.0p+0, -0x0.0p+0, 0x0.0p+0, 0x1.3333333333333p-2, 0x0.0p+0, -0x1.d000000000000p+2,
    0x0.0p+0, 0x0.012688b70e62bp-1022, 0x0.0p+0, 0x1.e42d130773b76p+1023, 0x0.0p+0, 1/0, 0x0.0p+0, -1/0, 0x0.0p+0,
    0/0, -0x0.0p+0, 0x0.0p+0, -0x0.0p+0, -0x0.0p+0, -0x0.0p+0, 0x1.3333333333333p-2, -0x0.0p+0,
    -0x1.d000000000000p+2, -0x0.0p+0, 0x0.012688b70e62bp-1022, -0x0.0p+0, 0x1.e42d130773b76p+1023, -0x0.0p+0, 1/0,
    -0x0.0p+0, -1/0, -0x0.0p+0, 0/0, 0x1.8000000000000p+0, 0x0.0p+0, 0x1.8000000000000p+0, -0x0.0p+0,
    0x1.8000000000000p+0, 0x1.3333333333333p-2, 0x1.8000000000000p+0, -0x1.d000000000000p+2, 0x1.8000000000000p+0,
    0x0.012688b70e62bp-1022, 0x1.8000000000000p+0, 0x1.e42d130773b76p+1023, 0x1.8000000000000p+0, 1/0,
    0x1.8000000000000p+0, -1/0, 0x1.8000000000000p+0, 0/0, -0x1.4000000000000p+1, 0x0.0p+0, -0x1.4000000000000p+1,
    -0x0.0p+0, -0x1.4000000000000p+1, 0x1.3333333333333p-2, -0x1.4000000000000p+1, -0x1.d000000000000p+2,
    -0x1.4000000000000p+1, 0x0.012688b70e62bp-1022, -0x1.4000000000000p+1, 0x1.e42d130773b76p+1023,
    -0x1.4000000000000p+1, 1/0, -0x1.4000000000000p+1, -1/0, -0x1.4000000000000p+1, 0/0, 0x0.0000000000001p-1022,
    0x0.0p+0, 0x0.0000000000001p-1022, -0x0.0p+0, 0x0.0000000000001p-1022, 0x1.3333333333333p-2,
    0x0.0000000000001p-1022, -0x1.d000000000000p+2, 0x0.0000000000001p-1022, 0x0.012688b70e62bp-1022,
    0x0.0000000000001p-1022, 0x1.e42d130773b76p+1023, 0x0.0000000000001p-1022, 1/0, 0x0.0000000000001p-1022, -1/0,
    0x0.0000000000001p-1022, 0/0, -0x1.7e43c8800759cp+996, 0x0.0p+0, -0x1.7e43c8800759cp+996, -0x0.0p+0,
    -0x1.7e43c8800759cp+996, 0x1.3333333333333p-2, -0x1.7e43c8800759cp+996, -0x1.d000000000000p+2,
    -0x1.7e43c8800759cp+996, 0x0.012688b70e62bp-1022, -0x1.7e43c8800759cp+996, 0x1.e42d130773b76p+1023,
    -0x1.7e43c8800759cp+996, 1/0, -0x1.7e43c8800759cp+996, -1/0, -0x1.7e43c8800759cp+996, 0/0, 1/0, 0x0.0p+0, 1/0,
    -0x0.0p+0, 1/0, 0x1.3333333333333p-2, 1/0, -0x1.d000000000000p+2, 1/0, 0x0.012688b70e62bp-1022, 1/0,
    0x1.e42d130773b76p+1023, 1/0, 1/0, 1/0, -1/0, 1/0, 0/0, -1/0, 0x0.0p+0, -1/0, -0x0.0p+0, -1/0,
    0x1.3333333333333p-2, -1/0, -0x1.d000000000000p+2, -1/0, 0x0.012688b70e62bp-1022, -1/0,
    0x1.e42d130773b76p+1023, -1/0, 1/0, -1/0, -1/0, -1/0, 0/0, 0/0, 0x0.0p+0, 0/0, -0x0.0p+0, 0/0,
    0x1.3333333333333p-2, 0/0, -0x1.d000000000000p+2, 0/0, 0x0.012688b70e62bp-1022, 0/0, 0x1.e42d130773b76p+1023,
    0/0, 1/0, 0/0, -1/0, 0/0, 0/0,
}
local expected_pairs <const> = {
    atan = {
        0x0.0p+0, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x1.921fb54442d18p+1, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0,
        0x1.921fb54442d18p+1, 0/0, -0x0.0p+0, -0x1.921fb54442d18p+1, -0x0.0p+0, -0x1.921fb54442d18p+1, -0x0.0p+0,
        -0x0.0p+0, -0x0.0p+0, -0x1.921fb54442d18p+1, 0/0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0,
        0x1.5f97315254857p+0, 0x1.780272693021bp+1, 0x1.921fb54442d18p+0, 0x0.65844c45318bap-1022, 0x0.0p+0,
        0x1.921fb54442d18p+1, 0/0, -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, -0x1.738cd060d0db1p+0,
        -0x1.679ec88f8c904p+1, -0x1.921fb54442d18p+0, -0x0.a931d47352935p-1022, -0x0.0p+0, -0x1.921fb54442d18p+1,
        0/0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x0.0000000000003p-1022, 0x1.921fb54442d18p+1,
        0x1.bd03c81406992p-45, 0x0.0p+0, 0x0.0p+0, 0x1.921fb54442d18p+1, 0/0, -0x1.921fb54442d18p+0,
        -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0,
        -0x1.943b728391d72p-28, -0x0.0p+0, -0x1.921fb54442d18p+1, 0/0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0,
        0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0,
        0x1.921fb54442d18p-1, 0x1.2d97c7f3321d2p+1, 0/0, -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0,
        -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0, -0x1.921fb54442d18p+0,
        -0x1.921fb54442d18p-1, -0x1.2d97c7f3321d2p+1, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
    },
    fmod = {
        0/0, 0/0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0x0.0p+0, 0/0, 0/0, 0/0, -0x0.0p+0, -0x0.0p+0,
        -0x0.0p+0, -0x0.0p+0, -0x0.0p+0, -0x0.0p+0, 0/0, 0/0, 0/0, 0x1.0000000000000p-54, 0x1.8000000000000p+0,
        0x0.009af56deea60p-1022, 0x1.8000000000000p+0, 0x1.8000000000000p+0, 0x1.8000000000000p+0, 0/0, 0/0, 0/0,
        -0x1.99999999999a0p-4, -0x1.4000000000000p+1, -0x0.010243b7386a0p-1022, -0x1.4000000000000p+1,
        -0x1.4000000000000p+1, -0x1.4000000000000p+1, 0/0, 0/0, 0/0, 0x0.0000000000001p-1022,
        0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x0.0000000000001p-1022,
        0x0.0000000000001p-1022, 0/0, 0/0, 0/0, -0x1.39ca9efec80b2p-3, -0x1.a000000000000p+2,
        -0x0.00d8205f9c56ep-1022, -0x1.7e43c8800759cp+996, -0x1.7e43c8800759cp+996, -0x1.7e43c8800759cp+996, 0/0,
        0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
        0/0, 0/0, 0/0, 0/0, 0/0, 0/0,
    },
}

-- Largest errors in units of the last place, as in docs/kernel.md.
local bounds <const> = {tan = 4, asin = 1, acos = 1, atan = 1, sinh = 3, cosh = 3, tanh = 2, asinh = 2, acosh = 2,
    atanh = 2, fmod = 0}

-- Returns the unit of the last place of a number.
local function unit(x)
    local exponent = math.floor(math.log(math.max(math.abs(x), 2.0 ^ -1022), 2))
    return 2.0 ^ math.max(exponent - 52, -1074)
end

local function agrees(want, got, bound)
    if want ~= want or got ~= got then
        return want ~= want and got ~= got
    elseif want == got then
        return want ~= 0 or 1 / want == 1 / got
    end
    return math.abs(want) < math.huge and math.abs(got - want) <= (bound + 0.5) * unit(want)
end

local function kernel(name, dialect)
    local two = name == "fmod" or name == "atan2"
    local text = "kernel void k(double x<>, double y<>, out double r<>) { r = CALL; }"
    local call = (two and "NAME(x, y)" or "NAME(x)"):gsub("NAME", {NAME = name == "atan2" and "atan" or name})
    return rill.kernel(text:gsub("CALL", call), {dialect = dialect})
end

describe("functions of doubles that GLSL lacks", function()
    leaks.watch(setup, teardown)

    for name, wanted in pairs(expected) do
        it(name .. " has the stored values, of vectors, too", function()
            local x <close> = rill.from(arguments, "double")
            for _, dialect in ipairs(LONG and {"rill", "brook"} or {"rill"}) do
                for i, got in ipairs(kernel(name, dialect)(x, x):values()) do
                    assert.is_true(agrees(wanted[i], got, bounds[name]),
                        ("%s(%a): %a, not %a"):format(name, arguments[i], got, wanted[i]))
                end
            end
            local text = "kernel void k(double x<>, out dvec3 r<>) { r = NAME(dvec4(1.0, x, 0.5, x)).ywz; }"
            local values <const> = rill.kernel((text:gsub("NAME", name)))(x):values()
            for i = 1, #arguments do
                for c = 0, 1 do
                    assert.is_true(agrees(wanted[i], values[3 * i - 2 + c], bounds[name]))
                end
            end
        end)
    end

    for name, wanted in pairs(expected_pairs) do
        it(name .. " of two arguments has the stored values, of vectors, too", function()
            local a, b = {}, {}
            for i = 1, #wanted do
                a[i], b[i] = pairs_of_arguments[2 * i - 1], pairs_of_arguments[2 * i]
            end
            local x <close> = rill.from(a, "double")
            local y <close> = rill.from(b, "double")
            local calls = {"NAME(x, y)", "NAME(dvec3(x), dvec3(1.0, y, x)).y"}
            calls[3] = name == "fmod" and "NAME(dvec2(x), y).y" or nil
            for _, dialect in ipairs(LONG and {"rill", "brook"} or {"brook"}) do
                if name == "fmod" and dialect == "brook" then
                    calls[#calls + 1] = "x % y"
                end
                for _, call in ipairs(calls) do
                    local text = "kernel void k(double x<>, double y<>, out double r<>) { r = CALL; }"
                    text = text:gsub("CALL", {CALL = (call:gsub("NAME", name))})
                    for i, got in ipairs(rill.kernel(text, {dialect = dialect})(x, y):values()) do
                        assert.is_true(agrees(wanted[i], got, name == "fmod" and 0 or 2),
                            ("%s(%a, %a): %a, not %a"):format(name, a[i], b[i], got, wanted[i]))
                    end
                end
            end
        end)
    end

    it("compute no constants of the text, which GLSL cannot", function()
        for _, call in ipairs {"sin(1.0lf)", "exp(dvec2(1.0)).x", "tan(1.0lf)", "atan(1.0lf, 2.0)",
            "fmod(3.0lf, 2.0)"} do
            check.names({"text:2:18:", "a constant can't be computed by '" .. call:match "%a+"}, rill.kernel,
                "\nconst double D = " .. call .. ";\nkernel void k(float x<>, out double r<>) { r = D + x; }")
        end
        local k = rill.kernel "const float D = tan(0.0);\nkernel void k(float x<>, out float r<>) { r = D + x; }"
        local x <close> = rill.from {0.5}
        assert.equal(0.5, k(x):get(1))
    end)

    it("do not change functions of floats, and are compiled only if a kernel calls them", function()
        local k = rill.kernel "kernel void k(float x<>, out float r<>, out double d<>) { r = tan(x); d = double(x); }"
        local x <close> = rill.from {0.5}
        k(x)
        assert.is_nil(k:source():find("rill_wide", 1, true))
        local both = rill.kernel [[
            kernel void k(float x<>, out float r<>, out double d<>, out float m<>) {
                r = atan(x); d = atan(double(x), x) + tanh(2.0lf); m = fmod(x, 0.375); } ]]
        local r, d, m = both(x)
        assert.near(math.atan(0.5), r:get(1), 1e-5)
        assert.near(math.pi / 4 + 0.9640275800758169, d:get(1), 1e-15)
        assert.equal(0.125, m:get(1))
    end)

    it("have the errors that the manual states, at 100,000 arguments #long", function()
        local path, reason = compile("wide", "-ffp-contract=off")
        if not path then
            return pending(reason)
        end
        local wide <const> = assert(package.loadlib(path, "luaopen_wide"))()
        math.randomseed(7)
        local function power(low, high) return 2.0 ^ (low + (high - low) * math.random()) end
        local makers <const> = {
            function() return 2 * math.random() - 1 end, function() return 60 * math.random() - 30 end,
            function() return power(-40, 5) end, function() return -power(-5, 50) end,
            function() return 1422 * math.random() - 711 end, function() return 1 - power(-52, 0) end,
            function() return string.unpack("<d", string.pack("<i8", math.random(0))) end,
            function() return 1 + power(-52, 0) end, function() return math.random(1000000) * (math.pi / 2) end,
        }
        local a, b = {}, {}
        for i = 1, 100000 do
            a[i] = arguments[i] or makers[i % #makers + 1]()
            b[i] = i % 3 == 0 and a[i] * power(-6, 6) or makers[i // 7 % #makers + 1]()
        end
        local x <close> = rill.from(a, "double")
        local y <close> = rill.from(b, "double")
        local two <const> = {atan2 = true, fmod = true}
        for _, name in ipairs {"tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
            "atan2", "fmod"} do
            local worst, at = wide(name, x:bytes(), two[name] and y:bytes() or "", kernel(name)(x, y):bytes())
            assert.is_true(worst <= (bounds[name] or 2), ("%s(%a, %a): %g units of the last place"):format(name,
                a[at] or 0, b[at] or 0, worst))
        end
    end)
end)
