--- rill.signal: windows, spectra, filters and peaks of signals. See docs/signal.md.
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"

local signal = {}

--- rill.signal.window(name, n [, {symmetric = false, type = "float", alpha =, beta =, std =, tau =}]) returns the n
-- weights of a window.
signal.window = lazy.call("rill.signal.window", "window")

--- rill.signal.stft(x [, {size = 1024, hop = size // 4, window = "hann", center = true, boundary = "zero"}]) returns
-- the spectra of windows of a signal, complex numbers {..., frames, size // 2 + 1}.
signal.stft = lazy.call("rill.signal.spectrum", "stft")

--- rill.signal.istft(f [, {size =, hop =, window =, center =, length =}]) returns the signal of a short-time spectrum.
signal.istft = lazy.call("rill.signal.spectrum", "istft")

--- rill.signal.periodogram(x [, {rate = 1, window = "boxcar", detrend = "constant", scaling = "density"}]) returns the
-- power spectrum of a signal, and its frequencies.
signal.periodogram = lazy.call("rill.signal.spectrum", "periodogram")

--- rill.signal.welch(x [, {rate = 1, size = 256, hop = size // 2, window = "hann", detrend = "constant", scaling =
-- "density"}]) returns the mean of the power spectra of windows of a signal, and the frequencies.
signal.welch = lazy.call("rill.signal.spectrum", "welch")

--- rill.signal.find_peaks(x [, {height =, distance =, prominence =}]) returns the 0-based indices of the local maxima,
-- and a table {heights =, prominences =}.
signal.find_peaks = lazy.call("rill.signal.peaks", "find_peaks")

--- rill.signal.firwin(n, cutoff [, {pass = "lowpass", window = "hamming", rate = 2, scale = true, type = "float"}])
-- returns the n coefficients of a filter with a finite impulse response.
signal.firwin = lazy.call("rill.signal.filter", "firwin")

--- rill.signal.lfilter(b, a, x) returns the signal filtered by the rational transfer function b / a.
signal.lfilter = lazy.call("rill.signal.filter", "lfilter")

--- rill.signal.sosfilt(sections, x) returns the signal filtered by second-order sections {b0, b1, b2, a0, a1, a2}.
signal.sosfilt = lazy.call("rill.signal.filter", "sosfilt")

--- rill.signal.filtfilt(b, a, x [, {pad =}]) returns the signal filtered forward and backward, without a delay.
signal.filtfilt = lazy.call("rill.signal.filter", "filtfilt")

--- rill.signal.resample(x, n) returns the signal at n samples of the same period, by its Fourier transform.
signal.resample = lazy.call("rill.signal.resample", "resample")

--- rill.signal.hilbert(x) returns the analytic signal, complex numbers whose real parts are x.
signal.hilbert = lazy.call("rill.signal.resample", "hilbert")

--- rill.signal.detrend(x [, {type = "linear"}]) returns the signal without its least squares line, or its mean.
signal.detrend = lazy.call("rill.signal.resample", "detrend")

return errors.strict(signal, "rill.signal")
