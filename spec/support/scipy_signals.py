# Records results of scipy.signal for spec/signal/signal_spec.lua: python3 spec/support/scipy_signals.py > spec/support/scipy_signals.lua
import numpy as np
import scipy.signal as ss


def signal(n):
    i = np.arange(n)
    return np.sin(0.3 * i) + 0.5 * np.cos(1.7 * i + 0.2) + 0.02 * i


def flat(value):
    value = np.asarray(value)
    if np.iscomplexobj(value):
        value = np.stack([value.real, value.imag], -1)
    return [float("%.9g" % v) for v in value.ravel()]


def lua(value):
    return "{" + ", ".join("%.9g" % v for v in flat(value)) + "}"


rows = []


def row(call, value):
    rows.append((call, value))


names = "boxcar triang bartlett hann hamming blackman blackmanharris nuttall flattop cosine barthann bohman parzen lanczos".split()
for name in names:
    row('window("%s", 7, {symmetric = true})' % name, ss.get_window(name, 7, False))
    row('window("%s", 8)' % name, ss.get_window(name, 8))
for name, option, values in [("kaiser", "beta", [0, 8.6]), ("gaussian", "std", [1.5]), ("tukey", "alpha", [0, 0.3, 1]),
                             ("exponential", "tau", [2])]:
    for value in values:
        given = (name, None, value) if name == "exponential" else (name, value)
        row('window("%s", 9, {%s = %g, symmetric = true})' % (name, option, value), ss.get_window(given, 9, False))
        row('window("%s", 6, {%s = %g})' % (name, option, value), ss.get_window(given, 6))

x = signal(37)
for size, hop, window, name in [(8, 2, "hann", '"hann"'), (7, 3, "hamming", '"hamming"'), (16, 20, ("kaiser", 3), '{"kaiser", beta = 3}')]:
    for center in [True, False]:
        z = ss.stft(x, window=window, nperseg=size, noverlap=size - hop, boundary="zeros" if center else None, padded=False)[2] \
            if hop <= size else None
        w = ss.get_window(window, size)
        if z is None:
            p = np.pad(x, size // 2) if center else x
            z = np.stack([np.fft.rfft(p[i:i + size] * w) for i in range(0, len(p) - size + 1, hop)], 1) / w.sum()
        row("stft(signal(37), {size = %d, hop = %d, window = %s, center = %s})" % (size, hop, name, "true" if center else "false"),
            z.T * w.sum())
row("periodogram(signal(37))", ss.periodogram(x)[1])
row('periodogram(signal(36), {rate = 100, window = "hann", detrend = "linear", scaling = "spectrum"})',
    ss.periodogram(signal(36), 100, "hann", detrend="linear", scaling="spectrum")[1])
row("periodogram(signal(12), {detrend = false})", ss.periodogram(signal(12), detrend=False)[1])
row("welch(signal(37), {size = 8})", ss.welch(x, nperseg=8)[1])
row('welch(signal(37), {size = 9, hop = 2, rate = 10, window = "blackman", detrend = "linear"})',
    ss.welch(x, 10, "blackman", 9, 7, detrend="linear")[1])
row("welch(signal(20))", ss.welch(signal(20), nperseg=20)[1])
for n in [2, 5, 36, 37, 38, 60]:
    row("resample(signal(37), %d)" % n, ss.resample(x, n))
    row("resample(signal(36), %d)" % n, ss.resample(signal(36), n))
row("hilbert(signal(9))", ss.hilbert(signal(9)))
row("hilbert(signal(10))", ss.hilbert(signal(10)))
row("detrend(signal(11))", ss.detrend(signal(11)))
row('detrend(signal(11), {type = "constant"})', ss.detrend(signal(11), type="constant"))
row("firwin(5, 0.3)", ss.firwin(5, 0.3))
row("firwin(6, 120, {rate = 1000, window = \"hann\"})", ss.firwin(6, 120, fs=1000, window="hann"))
row("firwin(7, 0.4, {pass = \"highpass\"})", ss.firwin(7, 0.4, pass_zero=False))
row("firwin(7, {0.2, 0.5}, {pass = \"bandpass\", scale = false})", ss.firwin(7, [0.2, 0.5], pass_zero=False, scale=False))
row("firwin(7, {0.2, 0.5}, {pass = \"bandpass\", window = {\"kaiser\", beta = 4}})",
    ss.firwin(7, [0.2, 0.5], pass_zero=False, window=("kaiser", 4)))
row("firwin(9, {0.2, 0.5}, {pass = \"bandstop\"})", ss.firwin(9, [0.2, 0.5]))
row("firwin(9, {0.2, 0.5, 0.7}, {pass = \"bandstop\"})", ss.firwin(9, [0.2, 0.5, 0.7]))
row("firwin(9, {0.2, 0.5, 0.7}, {pass = \"bandpass\"})", ss.firwin(9, [0.2, 0.5, 0.7], pass_zero=False))
for b, a in [([0.2, 0.3, -0.1], [1]), ([2], [2, -1.6]), ([0.1, 0.2, 0.3], [1, -1.5, 0.7]), ([1, -1], [1, -0.95]),
             ([0.1], [2, 0.5, 0.3, -0.2, 0.1]), ([1, 2, 3, 4, 5, 6], [1, 0, 0, 0.5])]:
    t = "{%s}, {%s}" % (", ".join("%g" % v for v in b), ", ".join("%g" % v for v in a))
    row("lfilter(%s, signal(37))" % t, ss.lfilter(b, a, x))
    row("filtfilt(%s, signal(37))" % t, ss.filtfilt(b, a, x))
row("filtfilt({0.5, 0.5}, {1, -0.2}, signal(37), {pad = 0})", ss.filtfilt([0.5, 0.5], [1, -0.2], x, padlen=0))
sos = np.round(ss.butter(4, 0.2, output="sos"), 3)
row("sosfilt({%s}, signal(37))" % ", ".join("{" + ", ".join("%g" % v for v in s) + "}" for s in sos), ss.sosfilt(sos, x))
for options, given in [("", {}), ("{height = 0.5}", {"height": 0.5}), ("{distance = 5}", {"distance": 5}),
                       ("{prominence = 1}", {"prominence": 1}), ("{prominence = {0.1, 1.5}, height = {nil, 2}}",
                                                               {"prominence": (0.1, 1.5), "height": (None, 2)}),
                       ("{distance = 3.5, prominence = 0.3, height = 0}", {"distance": 3.5, "prominence": 0.3, "height": 0})]:
    at, p = ss.find_peaks(signal(60), **given)
    row("find_peaks(signal(60)%s)" % (", " + options if options else ""), at)
p = ss.find_peaks(signal(60), prominence=0)[1]["prominences"]
row("prominences(signal(60))", p)

print("-- Results of scipy.signal %s: made by scipy_signals.py. {call, values}." % __import__("scipy").__version__)
print("return {")
for call, value in rows:
    line, text = "    {[[%s]], {" % call, ["%.9g" % v for v in flat(value)]
    if len(line) > 100:
        print(line)
        line = "       "
    for k, v in enumerate(text):
        word = ("" if line.endswith("{") else " ") + v + ("," if k + 1 < len(text) else "")
        if len(line + word) > 112:
            print(line)
            line = "       "
        line += word
    print(line + "}},")
print("}")
