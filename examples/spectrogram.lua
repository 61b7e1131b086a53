-- Draws the spectrogram of a sound: time to the right, frequency upward, the magnitude in decibels as colors. Without a file, the
-- sound is a rising tone, a tone with harmonics that come and go, and clicks.
--
--     lua5.4 examples/spectrogram.lua [sound.mp3 [directory]]        a synthetic sound, out
local rill = require "rill"

local path, directory = ...
path, directory = path ~= "-" and path or nil, directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

-- Returns four seconds of sound, and the samples per second.
local function synthetic()
    local rate <const> = 16000
    local sound = rill.kernel [[
        kernel void sound(float rate, float noise<>, out float r<>) {
            int i = indexof(r).x;
            float t = float(i) / rate, chirp = sin(6.2831853 * (200.0 * t + 650.0 * t * t));
            float tone = 0.0, turn = 6.2831853 * fract(440.0 * t);
            for (int k = 1; k < 9; k++) tone += sin(float(k) * turn) / float(k);
            float click = fract(t) < 0.002 ? 0.8 : 0.0;
            r = 0.3 * chirp + 0.2 * tone * max(0.0, sin(6.0 * t)) + click + 0.0005 * noise;
        }
    ]]
    return sound {rate = rate, noise = rill.random(4 * rate, {seed = 1, distribution = "normal"})}, rate
end

local x, rate
if path then
    x, rate = rill.sound.load(path)
    x = x:mean(2)
else
    x, rate = synthetic()
end

local size <const> = 1024
local hop <const> = math.max(32, #x // 640)
local f = rill.signal.stft(x, {size = size, hop = hop})
local level = (20 * rill.log2(rill.cabs(f) + 1e-6) / math.log(10, 2)):eval()
local high = level:max()
local image = level:transpose():flip(1):copy() -- {bins, frames}, the highest frequency first
rill.image.save(image, directory .. "/spectrogram.png", {min = high - 60, max = high, colormap = "magma"})
print(("%.2f s at %d Hz: %d spectra of %d frequencies up to %d Hz, 60 dB below the loudest"):format(#x / rate, rate,
    f.shape[1], f.shape[2], rate // 2))

local power, frequencies = rill.signal.welch(x, {rate = rate, size = 4096, scaling = "spectrum"})
local peaks = rill.signal.find_peaks(rill.log2(power), {prominence = 2, distance = 20})
print("peaks of the power spectrum in Hz: " .. table.concat((function()
    local list = rill.gather(frequencies, peaks):values()
    for i, v in ipairs(list) do list[i] = ("%.0f"):format(v) end
    return list
end)(), " ", 1, math.min(8, #peaks)))
print(directory .. "/spectrogram.png")
