-- Searches of users who know other libraries, and the answers of which they expect one among the first three: public
-- names, or pages, "docs/x.md", separated by blanks. spec/lua/topics_spec.lua tries them at the prompt, and
-- spec/project/site_spec.lua on the website.
return {
    -- tables and arrays
    ["group by"] = "frame:group", ["join"] = "frame:join", ["merging two tables"] = "frame:join",
    ["two dataframes merge"] = "frame:join", ["pivot table"] = "frame:pivot",
    ["sorting by several columns"] = "frame:sort", ["sort by two keys"] = "rill.lexsort",
    ["delete a column"] = "frame:drop", ["drop missing values"] = "frame:filter",
    ["fill missing values"] = "frame:with", ["summary statistics"] = "frame:describe", ["slice rows"] = "s:domain",
    ["sliding window"] = "s:windows", ["moving average"] = "s:moving_mean", ["rolling mean"] = "s:moving_mean",
    ["running total"] = "s:cumsum", ["exponential smoothing"] = "s:ewm", ["remove duplicates"] = "s:unique",
    ["argsort"] = "rill.argsort", ["binary search"] = "rill.searchsorted", ["index of maximum"] = "s:argmax",
    ["append to array"] = "rill.concat", ["change data type"] = "s:cast", ["top 10 values"] = "s:top_k",
    -- linear algebra and analysis
    ["complex multiplication"] = "rill.cmul", ["eigenvalues"] = "rill.linalg.eigh",
    ["least squares"] = "rill.linalg.lstsq", ["inverse matrix"] = "rill.linalg.inv",
    ["condition number"] = "rill.linalg.cond", ["kronecker product"] = "rill.kron",
    ["cholesky decomposition"] = "rill.linalg.cholesky", ["solve linear equations"] = "rill.solve.lu",
    ["breadth first search"] = "docs/sparse.md", ["finite differences"] = "rill.gradient",
    ["find roots"] = "rill.roots", ["jacobian"] = "rill.vjp", ["automatic differentiation"] = "rill.grad",
    ["train a network"] = "rill.optimize.adam", ["random permutation"] = "rill.permutation",
    ["bootstrap sampling"] = "rill.choice",
    -- signals and images
    ["power spectrum"] = "rill.signal.periodogram", ["spectrogram"] = "rill.signal.stft",
    ["fft shift"] = "rill.fftshift", ["low pass filter"] = "rill.signal.firwin",
    ["find peaks"] = "rill.signal.find_peaks", ["median filter"] = "rill.image.median",
    ["gaussian blur"] = "rill.image.gaussian", ["edge detection"] = "rill.image.sobel",
    ["morphological opening"] = "rill.image.open", ["save a picture"] = "rill.image.save",
    ["load a photo"] = "rill.image.load",
    -- geometry, rendering, simulation
    ["nearest neighbor"] = "rill.neighbors", ["k-nearest neighbours"] = "rill.neighbors",
    ["kd tree"] = "rill.neighbors", ["pagerank"] = "docs/sparse.md", ["page rank"] = "docs/sparse.md",
    ["data frame"] = "rill.frame", ["kmeans"] = "docs/guide_recipes.md",
    ["signed distance"] = "T:distance", ["ray triangle intersection"] = "T:ray", ["shadow rays"] = "S:any",
    ["ray tracing"] = "rill.ray.trace", ["marching cubes"] = "rill.mesh.marching_cubes",
    ["bounding box"] = "M:bounds", ["reduce triangles"] = "M:simplify", ["mesh decimation"] = "M:simplify",
    ["n body gravity"] = "rill.nbody", ["fluid simulation"] = "rill.fluid",
    -- files, devices, kernels
    ["read csv"] = "rill.csv.load", ["read mp3"] = "rill.sound.load", ["audio file"] = "rill.sound.load",
    ["read obj file"] = "rill.mesh.load", ["load numpy file"] = "rill.load rill.npz.load",
    ["out of core"] = "rill.big", ["copy to gpu"] = "s:write", ["choose a gpu"] = "rill.open",
    ["gpu not found"] = "docs/driver.md", ["memory usage"] = "rill.memory",
    ["several computers"] = "docs/guide_cluster.md", ["multiple gpus"] = "docs/guide_cluster.md",
    ["shared memory"] = "shared", ["synchronize threads"] = "barrier",
    ["why is it slow"] = "docs/guide_fast_kernels.md", ["make kernel faster"] = "docs/guide_fast_kernels.md",
    ["debug a shader"] = "docs/guide_debugging.md", ["find nan"] = "rill.debug.watch",
}
