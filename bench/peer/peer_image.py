"""The libraries' side of bench/image.lua, by argument: "scipy" (scipy.ndimage, one thread) or "opencv" (all cores). A case is WORK_PICTURE, for an image that
was sent before."""
import sys

library = sys.argv[1]
try:
    import numpy as np
    from peer_server import serve
    if library == "scipy":
        import scipy
        import scipy.ndimage as nd
    else:
        import cv2
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-{library}", flush=True)
    raise SystemExit

# The parameters of bench/image.lua.
SIGMA, RADIUS = 2, 6

SCIPY = {
    "gaussian": lambda a: nd.gaussian_filter(a, SIGMA, truncate=RADIUS / SIGMA, mode="nearest"),
    "median": lambda a: nd.median_filter(a, 3, mode="nearest"),
    "label": lambda a: nd.label(a)[0],
    "distance": lambda a: nd.distance_transform_edt(a),
}
OPENCV = {
    "gaussian": lambda a: cv2.GaussianBlur(a, (2 * RADIUS + 1, 2 * RADIUS + 1), SIGMA, borderType=cv2.BORDER_REPLICATE),
    "median": lambda a: cv2.medianBlur(a, 3),
}
OF_MASKS = {"label", "distance"}  # which are where a picture is above 1/2


class Cases(dict):
    def __missing__(self, name):
        work, picture = name.split("_", 1)
        function = (SCIPY if library == "scipy" else OPENCV)[work]

        def prepare(data):
            argument = data[picture] > 0.5 if work in OF_MASKS else data[picture]
            return lambda: function(argument)
        return prepare


what = "scipy.ndimage " + scipy.__version__ if library == "scipy" else "OpenCV " + cv2.__version__
serve(what, Cases())
