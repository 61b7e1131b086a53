"""pandas' side of bench/numpy.lua: reads the file whose path is the argument, with the faster of its parsers."""
try:
    import sys

    import pandas
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-pandas", flush=True)
    raise SystemExit

serve("pandas " + pandas.__version__, {
    "csv": lambda data: lambda: pandas.read_csv(sys.argv[1], engine="c"),
})
