"""scikit-image's side of bench/geometry.lua. A case is VOLUME_ISO: marching cubes by Lorensen's table, of a volume that was sent before."""
try:
    import numpy as np
    import skimage
    from peer_server import serve
    from skimage.measure import marching_cubes
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-skimage", flush=True)
    raise SystemExit


class Cases(dict):
    def __missing__(self, name):
        volume, iso = name.split("_", 1)

        def prepare(data):
            argument = data[volume]

            def run():
                places, triangles = marching_cubes(argument, float(iso), method="lorensen")[:2]
                return np.array([len(places), len(triangles)], np.int32)
            return run
        return prepare


serve("scikit-image " + skimage.__version__, Cases())
