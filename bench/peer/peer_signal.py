"""scipy.signal's and torch's side of bench/signal.lua."""
try:
    import sys

    import numpy as np
    import scipy
    import scipy.signal as ss
    from peer_server import serve

    against_torch = sys.argv[1:] == ["torch"]
    if against_torch:
        import torch
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-scipy python3-torch", flush=True)
    raise SystemExit


def stft(size, hop):
    def case(data):
        if against_torch:
            x, w = torch.from_numpy(data["x"]), torch.hann_window(size)
            return lambda: torch.stft(x, size, hop, window=w, pad_mode="constant", return_complex=True).abs().sum(0).numpy()
        return lambda: ss.stft(data["x"], nperseg=size, noverlap=size - hop, padded=False)[2]
    return case


def spectra(size, hop):
    run = stft(size, hop)

    def case(data):
        f = run(data)
        return lambda: np.abs(f()).sum(0).astype(np.float32) * np.float32(size / 2)
    return run if against_torch else case


cases = {"stft_1024": spectra(1024, 256), "stft_2048": spectra(2048, 512)}
if not against_torch:
    b, a = ss.butter(2, 0.1)
    cases.update({
        "welch": lambda data: lambda: ss.welch(data["x"], nperseg=1024)[1],
        "lfilter": lambda data: lambda: ss.lfilter(b, a, data["x"]).astype(np.float32),
        "peaks": lambda data: lambda: ss.find_peaks(data["x"][:1 << 20], prominence=0.9)[0].astype(np.int32),
        "resample": lambda data: lambda: ss.resample(data["x"][:1 << 20], 1000000),
    })
name = f"torch {torch.__version__}, {torch.get_num_threads()} threads" if against_torch else f"scipy {scipy.__version__}"
serve(name, cases)
