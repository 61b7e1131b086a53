-- Names in numpy, CuPy, PyTorch, CUDA and Warp, and their equivalents in rill. core/suggest.lua looks up a name here
-- before it compares letters. The keys are the owners of the unknown name: "s" a stream or an expression, "c" a
-- container, "k" a kernel, "A" a matrix, "M" a mesh, "rill" the module and the modules in it, "rill.image" one of them.
-- A line is `equivalent in rill: other names`. The equivalent begins with a public name or is an expression; "-" means
-- that nothing is suggested, because the nearest name by letters has another meaning.
local synonyms = {}

local lines <const> = {
    frame = [==[
frame:sort(names): sort_values order_by orderby arrange sort_by sorted argsort
frame:join(u, {on = name}): merge inner_join left_join outer_join
frame:join(u, {on = name, how = "anti"}): anti_join except
frame:unique(names): drop_duplicates distinct dedup unique_rows
frame:filter(condition): where query loc subset filter_rows isin
frame:filter "not missing(x)": dropna drop_nulls drop_nans drop_na
frame:filter "missing(x)": isna isnull is_null
frame:with {x = "missing(x) ? 0.0 : x"}: fillna fill_null fill_nan
frame:take(rill.choice(rill.iota(#t), n, {replace = false})): sample sample_n
frame:group(name):aggregate {count = "count"}: value_counts countby
frame:group(names): groupby group_by grouped
frame:group(names):aggregate {m = "mean x"}: agg summarize
frame:pivot(options): pivot_table crosstab unstack
frame:melt(options): unpivot stack wide_to_long pivot_longer
frame:with(columns): assign with_columns with_column mutate transmute eval apply map insert add_column
frame:select(t.names): copy clone deepcopy
frame:head(n): limit slice_head
frame:sort "-x":head(n): nlargest top_k
frame:sort "x":head(n): nsmallest bottom_k
frame:rows(first, last): iloc slice islice
frame:take(indices): gather reindex
frame.names: columns colnames keys fields
frame.types: dtypes schema dtype
#frame: shape height nrow nrows len length size count
#frame.names: width ncol ncols
frame:each(): iterrows itertuples iter_rows iter rows_iter
frame:table(): to_dict to_list tolist values to_table as_dict
frame:save(path): to_csv write_csv savez write export
frame:describe(): summary info
frame:concat(u): append extend union vstack bind_rows rbind
]==],
    groups = [==[
groups:aggregate {m = "FUNCTION x"}: mean sum min max median std var first last count size agg
groups:aggregate {n = "FUNCTION x"}: nunique quantile any all summarize
groups:each(): items iter pairs groups
]==],
    ["rill.frame"] = [==[
frame:join(u, {on = name}): merge join
rill.frame.load(path): read_csv read open scan_csv
rill.frame.save(t, path): write to_csv
rill.frame(columns): DataFrame new from_dict from_records
rill.frame.category(values, names): Categorical factor Enum
rill.frame.concat(list): append vstack rbind bind_rows union_all
frame:group(names): group groupby
frame:sort(names): sort
]==],
    s = [==[
s:copy(): clone dup duplicate deepcopy contiguous ascontiguousarray
s:transpose(): T t transposed
s:transpose {axis, ...}: permute swapaxes swapdims moveaxis movedim rollaxis mT
s:reshape(shape): view view_as reshape_as reshaped unflatten resized
s:reshape(s.size): flatten ravel flat
s:replicate(...): repeat_interleave upsample
s:expand(axis): unsqueeze expand_dims
s:tile(...): expand_as broadcast_to repeat_ repeated
s:domain(first, last): slice narrow sub section window crop
s:domain(1, n): head
s:domain(s.size - n + 1, s.size): tail
s:split(n): chunk
s:split(n, 1): vsplit
s:split(n, 2): hsplit
s:split(n, 3): dsplit
s:cast(type): astype to type_as asType convert converted as_type
s:cast "float": float
s:cast "double": double
s:cast "half": half
s:cast "int": int long
s:cast "bool": bool
s:get(1): item first
s:get(...): at index __getitem__
s:set(value, ...): itemset __setitem__
s:values(): tolist list to_table totable toTable table unpack data elements
print(s): print
s:read(): numpy array cpu toarray asnumpy to_host get_array download copy_to_host to_numpy detach
s:write(data): upload copy_ copy_from copyto copy_to_device load_from assign memcpy to_device update
s:bytes(): tobytes tostring buffer
s:gl(): data_ptr ptr ctypes native handle __cuda_array_interface__
s.size: len length numel nelement count_elements
#s.shape: ndim dim dims rank ndimension ndims
s.shape: dimensions extent
s.nbytes: bytesize
s.nbytes // s.size: element_size itemsize
s.type: dtype
rill.device(): device get_device is_cuda context
s:like(): zeros_like empty_like new_zeros new_empty new zeros
s:like():fill(1): ones_like new_ones ones
s:like():fill(value): full_like new_full full
s:fill(0): zero_ zero memset
s:fill(value): fill_
rill.clamp(s, low, high): clip clip_ clamp_
s + t: add add_ plus
s - t: subtract subtract_ sub_ minus
s * t: mul mul_ multiply times
s / t: div div_ divide true_divide
s // t: floor_divide floordiv
s % t: remainder
s:map("fmod(x, t)", {t = t}): fmod
-s: neg negative negate
s ^ t: power
s * s: square
1 / s: reciprocal
1 / (1 + rill.exp(-s)): sigmoid sigmoid_
rill.log(s) / math.log(10): log10
rill.lgamma(s): gammaln loggamma
rill.gamma(s): tgamma
rill.gamma(s + 1): factorial
rill.digamma(s): psi
rill.trigamma(s): polygamma
~(rill.isnan(s) | rill.isinf(s)): isfinite
s:flip(1): flipud reverse reversed
s:flip(2): fliplr
rill.abs(s): absolute fabs abs_ magnitude
rill.trunc(s): fix
rill.round(s): rint around
rill.max(s, t): maximum
rill.where(rill.isnan(s), t, rill.where(rill.isnan(t), s, rill.max(s, t))): fmax
rill.max(s, 0): relu relu_
rill.clamp(s, 0, 6): relu6
rill.min(s, t): minimum
rill.where(rill.isnan(s), t, rill.where(rill.isnan(t), s, rill.min(s, t))): fmin
s:eq(t): equal equals
s:ne(t): not_equal
(s:eq(t)):all(): array_equal
s:lt(t): less
s:le(t): less_equal
s:gt(t): greater
s:ge(t): greater_equal
(rill.abs(s - t):le(eps)):all(): allclose
s & t: bitwise_and band
s:ne(0) & t:ne(0): logical_and
s | t: bitwise_or bor
s:ne(0) | t:ne(0): logical_or
s ~ t: bitwise_xor bxor xor
s:ne(0) ~ t:ne(0): logical_xor
~s: bitwise_not bnot invert
~s:ne(0): logical_not
s:scan(): prefix_sum inclusive_scan cumulative_sum
s:scan("add", {exclusive = true}): exclusive_scan
s:scan "max": cummax
s:moving_mean(n): rolling rolling_mean
s:ewm {alpha = alpha}: ewma exponential_moving_average
rill.log(s:softmax(axis)): log_softmax
s:nanquantile(p / 100): nanpercentile
s:scan "min": cummin
s:max(): amax
s:min(): amin
rill.where(rill.isnan(s), -math.huge, s):max(): nanmax
rill.where(rill.isnan(s), math.huge, s):min(): nanmin
s:mean(): average avg
s:var {ddof = 1}: variance
s:std(): stddev
s:std {ddof = 1}: stdev
s:sum(): total reduce fold accumulate
s:filter(~rill.isnan(s)):std(): nanstd
s:filter(~rill.isnan(s)):var(): nanvar
s:nanquantile(0.5): nanmedian
s:filter(~rill.isnan(s)): dropna
rill.isnan(s): isnull isna
s.x: real re
s.y: imag im
rill.conj(s): conj conjugate
rill.cangle(s): angle phase
s:windows(n, hop): unfold sliding_window_view
rill.signal.stft(s): stft spectrogram
rill.signal.lfilter(b, a, s): lfilter
rill.signal.find_peaks(s): find_peaks peaks
rill.signal.welch(s): psd
s:max() - s:min(): ptp
s:stats(): describe
rill.csv.save: to_csv
rill.where(rill.isnan(s), value, s): fillna
rill.where(rill.isnan(s), 0, rill.clamp(s, -3.4028235e38, 3.4028235e38)): nan_to_num
s:prod(): product
s:count(): count_nonzero
s:norm(): norm2 nrm2
s:find "x != 0": nonzero argwhere flatnonzero
s:find(pred): indices
s:filter(pred): masked_select compress extract copy_if where_
s:partition(pred): masked
s:select(index, axis): take index_select
rill.take_along(s, index, axis): take_along_axis take_along_dim
rill.scatter(s, index, t, "add"): scatter_add scatter_add_ index_add index_add_
rill.scatter(s, index, t): scatter_ index_copy_ put put_ index_put index_put_
rill.argsort(s): sort_indices
rill.reduce_by_key(rill.sort_by_key(keys, s)): groupby group_by
s:top_k(k): topk nlargest
s:histogram(): hist histc
s:unique(): distinct set_unique
s:unique().size: nunique
s:isin(t): in1d is_in
rill.union(a, b): union1d
rill.intersect(a, b): intersect1d
rill.difference(a, b): setdiff1d
rill.reduce_by_key(s:sort(), rill.ones(s.size, "int")): value_counts
(rill.reduce_by_key(s, rill.ones(s.size, "int"))): unique_consecutive
rill.concat {s, t}: cat append concatenate concat extend
rill.concat({s, t}, -1): hstack
rill.concat {s, t}, or in one dimension rill.stack {s, t}: vstack
s:map(expression): apply apply_ foreach forEach map_ transform
s:each(): pairs ipairs iter iterate items
rill.matmul(s, t): mm bmm mv
rill.linalg.solve(s, t): solve
rill.linalg.inv(s): inv inverse
rill.linalg.det(s): det
rill.linalg.slogdet(s): slogdet logdet
rill.linalg.pinv(s): pinv pinverse
rill.linalg.svd(s): svd
rill.linalg.svd(s, {vectors = false}): svdvals
rill.linalg.qr(s): qr
rill.linalg.eigh(s): eigh symeig
rill.linalg.eigh(s, {vectors = false}): eigvalsh
rill.linalg.lstsq(s, t): lstsq
rill.linalg.expm(s): expm matrix_exp
rill.image.save(s, path): imsave savefig write_png
s:save(path): dump tofile store
rill.show(s): imshow display preview
rill.sync(): synchronize wait block_until_ready
s:request(): async read_async get_async
rill.random(s.shape): uniform_ uniform random_ rand rand_like
rill.random(s.shape, {distribution = "normal"}): normal_ normal randn_like
rill.random(s.shape, {distribution = "exponential"}): exponential_ exponential
rill.random(s.shape, {distribution = "poisson", mean = s}): poisson
rill.random(s.shape, {distribution = "binomial", n = 1, p = s}): bernoulli bernoulli_
rill.choice(s.size, shape, {p = s}): multinomial
s:boundary(mode): wrap
rill.asin(s): arcsin
rill.acos(s): arccos
rill.atan(s): arctan
rill.asinh(s): arcsinh
rill.acosh(s): arccosh
rill.atanh(s): arctanh
rill.atan2(s, t): arctan2
s - rill.trunc(s): frac
s:sort {axis = 1}: msort
rill.choice(s, n): sample
-: argpartition mode insert block uniform_filter1d mH H masked_scatter masked_scatter_ lower
-: ffill bfill duplicated expanding glu celu quantize spline choose modf place spacing loc iloc addr sqrtm
]==],
    c = [==[
c:copy(): clone dup duplicate deepcopy
c:stream(): dense to_dense todense toarray to_stream densify
c:cast(type): astype to convert
c:read(): numpy array cpu to_host download asnumpy
c:values(): tolist list items to_table totable
c:each(): pairs ipairs iter iterate keys
c:get(i, ...): at lookup item getValue probe
c:set(value, i, ...): put insert setValue assign store
c:allocate(first, last): activate touch reserve map_pages ensure
c:pages: page_count mapped page_table
c:active(): mapped_part active_range topology
c.size: len length numel
c.type: dtype
c:push(elements): append add push_back extend emplace_back
c:boundary(mode): wrap pad
c:save(path): dump write_file
c:refine(points): split subdivide
c:like(): zeros_like empty_like new
c:neighbors(reach): neighbours stencil
-: resize
c:update(f): apply foreach forEach transform
rill.sync(): synchronize wait
]==],
    k = [==[
k(...): launch run call invoke dispatch execute exec forward apply enqueue go start __call
k:source(): code text glsl ptx cubin disassemble get_source src asm
k.params: args arguments parameters signature inputs outputs argtypes
k.name: __name__ title
k:specialize(constants): bind partial constants define defines set_constant curry template
k:explain(...): plan describe debug inspect analyze info
rill.profile(f): time profile timing benchmark bench
rill.cost(k, ...): cost estimate step_time time_per_step iteration_time
rill.kernel(text): compile build
rill.sync(): wait synchronize sync
]==],
    A = [==[
A:multiply(x): matmul mul dot mv spmv matvec apply multiplied times
A:transpose(): T t transposed
A:dense(): todense toarray to_dense stream read
A:to "csr": tocsr
A:to "coo": tocoo
A:to "ell": toell
A:cast(type): astype
A.values: data
A.columns: indices col cols
A.offsets: indptr row_ptr crow_indices
A.rows: row
A.nnz: size count
A.type: dtype
rill.solve.cg(A, b): solve cg
-: tocsc
]==],
    M = [==[
M:copy(): clone
M.positions: points verts vertices_ coordinates
M.triangles: indices cells elements
M:bounds(): aabb bbox bounding_box extents
M:components(): split connected_components
M:weld(): merge_vertices deduplicate
M:simplify {ratio = 0.5}: decimate decimation reduce simplify_quadric_decimation decimate_pro
M:simplify {ratio = 0.5}: simplify_quadratic_decimation simplification simplify_mesh lod
M:transform(matrix): translate rotate scale apply_transform
M:save(path): export write
rill.subdivide.loop(M, {levels = n}): subdivide refine
rill.reuse.order(t, "forsyth"): optimize_vertex_cache optimizeVertexCache tipsify
rill.render(M): show draw plot
rill.collide.bvh(M): ray intersect raycast distance closest contains nearest tree
]==],
    ["rill.image"] = [==[
rill.image.load: read
rill.image.save: write
rill.image.gaussian: blur gaussian_filter gaussian_blur GaussianBlur
rill.image.convert(s, "srgb", "gray"): rgb2gray grayscale gray to_gray
rill.image.convert: cvtColor rgb2hsv rgb2lab color
rill.image.regions: regionprops measure
rill.image.label: connectedComponents bwlabel connected_components
rill.image.otsu: threshold_otsu
rill.image.median: median_filter medianBlur
rill.image.canny: edge edges
rill.image.resize: rescale zoom imresize
rill.image.dilate: dilation binary_dilation
rill.image.erode: erosion binary_erosion
rill.image.equalize: equalizeHist histeq
s:domain(first, last): crop
s:flip(1): flipud
s:flip(2): fliplr
]==],
    ["rill.signal"] = [==[
rill.signal.window(name, n): get_window hann hanning hamming blackman kaiser windows
rill.signal.stft(x): spectrogram ShortTimeFFT short_time_fft
rill.signal.welch(x): psd csd power_spectrum
rill.signal.find_peaks(x): argrelmax argrelextrema peaks find_peaks_cwt
rill.signal.lfilter(b, a, x): filter biquad
rill.signal.sosfilt(sections, x): sos
rill.signal.resample(x, n): resample_poly decimate upfirdn
rill.signal.firwin(n, cutoff): firwin2 remez firls
rill.convolve(x, w): convolve fftconvolve oaconvolve
rill.correlate(x, w): correlate
-: butter cheby1 cheby2 ellip bessel iirfilter lfilter_zi savgol_filter medfilt wiener chirp sawtooth square cwt
]==],
    ["rill.csv"] = [==[
rill.csv.load: read read_csv parse open
rill.csv.save: write to_csv
]==],
    ["rill.npz"] = [==[
rill.npz.load: read open
rill.npz.save: write savez
]==],
    ["rill.sound"] = [==[
rill.sound.load: read open info
rill.sound.save: write
]==],
    ["rill.wav"] = [==[
rill.wav.load: read open
rill.wav.save: write
]==],
    ["rill.mpi"] = [==[
rill.mpi.broadcast: bcast Bcast
rill.mpi.reduce: allreduce Allreduce Reduce
rill.mpi.gather: allgather Allgather Gather
rill.mpi.distribute: scatter Scatter
rill.mpi.rank: Get_rank comm_rank
rill.mpi.size: Get_size comm_size
rill.mpi.send: isend Send
rill.mpi.receive: recv irecv Recv
]==],
    ["rill.solve"] = [==[
rill.solve.lu(A, b): solve
rill.linalg.inv(A): inv inverse
rill.linalg.lstsq(A, b): lstsq lsq least_squares
rill.linalg.svd(A): svd
rill.linalg.qr(A): qr
rill.linalg.eigh(A): eigh
rill.solve.eigen(A): eigsh lobpcg eigs arnoldi lanczos
rill.solve.bicgstab: gmres bicg
-: eig
]==],
    ["rill.linalg"] = [==[
rill.linalg.eigh(a): eigvalsh eigenvalues symeig
rill.linalg.svd(a, {vectors = false}): svdvals
rill.linalg.inv(a): inverse
rill.linalg.pinv(a): pinverse
rill.linalg.det(a): determinant
rill.linalg.slogdet(a): logdet
rill.linalg.lstsq(a, b): least_squares lsq
rill.linalg.expm(a): matrix_exp
rill.linalg.rank(a): matrix_rank
rill.solve.lu(a): lu lu_factor
rill.solve.cholesky(a): cho_factor
rill.trace(a): trace
rill.matmul(a, b): matmul multi_dot
-: eig eigvals schur logm sqrtm
]==],
    ["rill.mesh"] = [==[
rill.mesh.load: read
M:save(path): save write export
]==],
    ["rill.sparse"] = [==[
A:save(path): save write
rill.sparse.load: read
]==],
    rill = [==[
rill.points: open3d o3d pointcloud point_cloud pcl cloud
rill.points.icp(source, target): icp registration_icp registration align
rill.points.normals(p): estimate_normals
rill.points.voxel(p, size): voxel_down_sample voxel_grid downsample
rill.points.outliers(p): remove_statistical_outlier statistical_outlier
rill.points.evaluate(source, target): evaluate_registration
rill.points.segment_plane(p, {distance = d}): ransac fit_plane
rill.points.dbscan(p, {radius = r}): cluster_dbscan cluster clusters
rill.neighbors: knn kdtree KDTree cKDTree nearest nearest_neighbor nearest_neighbors neighbor NearestNeighbors
rill.neighbors(points, {radius = r}): radius_search ball_query query_ball_point
rill.arange(from, to): range
rill.iter: ramp
rill.stream: empty buffer malloc alloc cudaMalloc cuMemAlloc device_array to_device ndarray Buffer Array
rill.from: asarray fromlist fromtable as_tensor tensor Tensor from_numpy from_dlpack ascontiguousarray vector table new
s:like(): zeros_like empty_like
s:like():fill(1): ones_like
s:like():fill(value): full_like
s:copy(): copy clone
s:write: memcpy cudaMemcpy copyto copy_to
s:read: asnumpy download copy_to_host
s:values: tolist
s.size: len numel size
s.type: dtype
s:cast: astype
s:cumsum: cumsum
s:cumprod: cumprod
s:scan: cumulative prefix_sum inclusive_scan
s:scan("add", {exclusive = true}): exclusive_scan
s:find "x != 0": nonzero argwhere flatnonzero
s:filter: compress copy_if masked_select extract
s:max: amax
s:min: amin
s:top_k: topk
s:sum: reduce total
s:histogram: hist histc
s:map: vectorize apply foreach map_
s:tile: broadcast_to repeat_
s:replicate: repeat_interleave
s:reshape: ravel flatten view
s:squeeze: squeeze
s:expand: unsqueeze expand_dims
s:transpose: swapaxes permute moveaxis
s:domain: slice narrow
s:split: chunk
s:save: save_npy dump
(s:eq(t)):all(): array_equal
(rill.abs(s - t):le(eps)):all(): allclose
rill.concat: concatenate cat append
rill.concat({s, t}, -1): hstack
rill.concat {s, t}, or in one dimension rill.stack {s, t}: vstack
rill.stack({s, t}, 3): dstack
rill.random: rand uniform rng default_rng curand
rill.optimize: optim
rill.grad: autograd autodiff backward
rill.random(shape, {distribution = "normal"}): randn normal standard_normal
rill.random(shape, {distribution = "exponential"}): exponential standard_exponential expon random_exponential
rill.random(shape, {distribution = "poisson", mean = mean}): poisson
rill.random(shape, {distribution = "binomial", n = n, p = p}): binomial binom
rill.random(shape, {distribution = "binomial", n = 1, p = p}): bernoulli
rill.random(shape, {distribution = "gamma", shape = a}): standard_gamma random_gamma
rill.random(shape, {distribution = "gamma", shape = k / 2, scale = 2}): chisquare
rill.random(shape, {distribution = "beta", a = a, b = b}): beta
rill.random(shape, {distribution = "multinomial", n = n, p = p}): multinomial
rill.random(shape, {type = "int", low = low, high = high - 1}): randint
rill.permutation: randperm
s:select(rill.permutation(s.size)): shuffle
rill.reduce_by_key(rill.sort_by_key(keys, s)): groupby group_by
rill.seed: manual_seed random_seed srand
rill.take_along: take_along_axis take_along_dim
s:select: take index_select
rill.scatter: put
rill.scatter(s, index, t, "add"): scatter_add index_add
rill.scatter(dst, index, src, "add"): atomic_add atomicAdd
rill.clamp: clip
rill.min: minimum
rill.max: maximum
rill.max(s, 0): relu
rill.pow: power
rill.abs: absolute fabs
rill.round: rint around
rill.mod: remainder
s:map("fmod(x, t)", {t = t}): fmod
rill.rsqrt: inversesqrt rcp_sqrt
rill.mix: interpolate
~(rill.isnan(s) | rill.isinf(s)): isfinite
s * s: square
1 / s: reciprocal
rill.matmul: mm bmm
rill.searchsorted: lower_bound
rill.searchsorted(sorted, values, {side = "right"}): digitize bisect upper_bound
rill.fft: fftn
rill.signal.stft(x): stft spectrogram
rill.signal.istft(f): istft
rill.signal.welch(x): welch psd
rill.signal.periodogram(x): periodogram
rill.signal.find_peaks(x): find_peaks argrelmax argrelextrema
rill.signal.firwin(n, cutoff): firwin firwin2 remez
rill.signal.lfilter(b, a, x): lfilter biquad
rill.signal.sosfilt(sections, x): sosfilt
rill.signal.filtfilt(b, a, x): filtfilt
rill.signal.resample(x, n): resample decimate resample_poly
rill.signal.hilbert(x): hilbert
rill.signal.detrend(x): detrend
rill.signal.window("hann", n): hanning hann_window hamming_window get_window
s:windows(n, hop): sliding_window_view as_strided unfold
rill.fft(s, {inverse = true}): ifftn
rill.fft(s, {axes = {-1}, inverse = true}): ifft
rill.fft(s, {axes = {-1}, real = true}): rfft
rill.fft(s, {axes = {-1}, inverse = true, real = true}): irfft
rill.fft(s, {axes = {-2, -1}}): fft2
rill.fft(s, {axes = {-2, -1}, inverse = true}): ifft2
rill.convolve: conv convolve2d
rill.correlate: correlate2d conv1d conv2d
rill.solve: solver
rill.solve.eigen: eigsh lobpcg eigs
rill.solve.lu: lu_factor
rill.linalg.inv(s): inv inverse
rill.linalg.det: det
rill.linalg.slogdet: slogdet logdet
rill.linalg.pinv: pinv
rill.linalg.svd: svd
rill.linalg.qr: qr
rill.linalg.eigh: eigh eigvalsh eigenvalues eigenvectors
rill.linalg.lstsq: lstsq least_squares
rill.linalg.expm: expm matrix_exp
rill.linalg.rank: matrix_rank
rill.linalg.cond: cond
rill.solve.bicgstab: gmres bicg
rill.solve.cholesky: cho_factor
rill.sparse.csr: csr_matrix
rill.sparse.coo: coo_matrix
rill.sparse.load: mmread
rill.npz.save: savez savez_compressed
rill.sound.load: wavfile audioread soundfile torchaudio librosa audio sndfile flac mp3 ogg
rill.sound.save: audiowrite
rill.csv.load: read_csv read_table loadtxt genfromtxt
rill.csv.save: to_csv savetxt write_csv
rill.mesh.icosphere: sphere uv_sphere ball
rill.mesh.box: cube
rill.mesh.grid: plane quad
rill.mesh.new: Mesh trimesh
rill.collide.bvh: Bvh BVH aabbtree
rill.image.load: imread
rill.image.save: imwrite imsave
rill.show: imshow display
rill.print_options: set_printoptions printoptions get_printoptions set_print_options
rill.kernel: compile jit func Function RawKernel ElementwiseKernel ReductionKernel create_kernel Program
rill.kernel: __global__ global
rill.program: RawModule SourceModule load_module
rill.program: module
k(...): launch dispatch run invoke cuLaunchKernel
rill.sync: synchronize cudaDeviceSynchronize deviceSynchronize wait finish flush
rill.devices: device_count get_devices list_devices cudaGetDeviceCount
rill.open: set_device use_device cudaSetDevice init context create_context
rill.memory: mem_get_info memory_info memory_allocated cudaMemGetInfo
rill.clock: time perf_counter now Event timer cudaEventRecord
rill.profile: benchmark timeit bench nvprof
rill.hashgrid: HashGrid
rill.length(rill.vec2(s, t)): hypot
rill.log(s) / math.log(10): log10
rill.lgamma: gammaln loggamma
rill.gamma: tgamma
rill.gamma(n + 1): factorial
rill.digamma: psi
rill.trigamma: polygamma
0.5 * rill.erfc(-s / math.sqrt(2)): ndtr
math.sqrt(2) * rill.erfinv(2 * p - 1): ndtri
1 / (1 + rill.exp(-s)): sigmoid
indexof(r).x in a kernel: tid get_global_id thread_id
localid() in a kernel: threadIdx get_local_id
groupid() in a kernel: blockIdx get_group_id
kernel(64) in a kernel's text: blockDim get_local_size
sizeof_stream(x).x in a kernel: get_global_size
rill.struct: Struct structure dtype_struct
rill.type: is_tensor isinstance typeof istype
rill.plot: figure chart scatter_plot
rill.check: assert_bounds bounds_check
rill._VERSION: version __version__
math.pi: pi
math.huge: inf Inf infinity
0 / 0: nan NaN
-: vander mgrid ogrid gridDim
-: logm mode insert block
#s.shape: ndim rank
rill.load: npy
rill.choice: sample
rill.from: mat
rill.cumtrapz: cumulative_trapezoid
rill.trapz: trapezoid
rill.polyfit(x, y, degree): Polynomial
rill.log(p / (1 - p)): logit
rill.where(rill.eye(s.size):eq(1), s, 0): diag diagflat
]==],
}

-- Options of other libraries. A line is `option in rill: other names`. If several options have the same other name, the
-- first one that the function accepts is suggested. "-" means that nothing is suggested.
local option_lines <const> = [==[
axis: dim dims axes dimension along
axes: axis dim dims
keep: keepdims keepdim keep_dims
type: dtype
tolerance: tol rtol atol eps epsilon
iterations: maxiter max_iter maxiters niter max_iterations maxit steps
preconditioner: M precond pc
x0: guess initial x
descending: desc decreasing reverse order
reverse: reversed backward backwards
exclusive: excl
seed: random_state rng
edge_items: edgeitems
width: linewidth line_width
sd: std stddev scale sigma stdev
mean: loc mu lam lambda scale
shape: k alpha
scale: theta
a: alpha
b: beta
n: trials total_count count
p: probs probabilities pvals prob weights weight w
low: min a
high: max b
min: vmin low range
max: vmax high range
bins: nbins n_bins buckets
weights: w
colormap: cmap colourmap colors
color: colour c
spacing: dx h step cell
default: fill fill_value background
boundary: mode border padding pad wrap edge
filter: interpolation method order mode interp
length: n size
inverse: ifft backward return_inverse
delimiter: sep separator
missing: na_values missing_values
comment: comments
skip: skiprows skip_header
ddof: correction unbiased
transpose: trans transposed op T
transpose_a: transa trans_a
transpose_b: transb trans_b
replace: replacement
p: probabilities weights prob
size: shape resolution width height dims
shape: size dims resolution sizes
page: block tile leaf page_size block_size chunk
capacity: size max_pages max_size reserve
path: filename file
dialect: language
softening: eps epsilon soften
masses: mass m
mass: masses m
velocities: velocity v vel
velocity: velocities v vel
positions: position pos points vertices x
triangles: faces indices cells
dt: timestep time_step delta
largest: greatest descending
normals: normal
offsets: indptr row_ptr
columns: indices cols col usecols
rows: row
values: data vals
-: ascending
]==]

-- Parses lines of the form `equivalent in rill: other names` into a table, which maps each other name to the list of
-- its equivalents.
local function parsed(text)
    local names = {}
    for here, others in text:gmatch "([^\n]-): ([^:\n]+)\n" do
        for other in others:gmatch "%S+" do
            names[other] = names[other] or {}
            table.insert(names[other], here)
        end
    end
    return names
end

--- synonyms.of[owner]: other name -> list of equivalents; the first one is suggested.
synonyms.of = {}
for owner, text in pairs(lines) do
    synonyms.of[owner] = parsed(text)
end

-- Constructors of vectors (ivec3, float3, make_float3, vec3f): a constant vector is a table.
local SCALARS <const> = {float = true, double = true, half = true, int = true, uint = true, long = true, short = true,
    bool = true}
setmetatable(synonyms.of.rill, {__index = function(_, name)
    local scalar <const>, size <const> = name:match "^(%l+)([234])$"
    local n <const> = SCALARS[scalar] and size or name:match "^make_%l+([234])$" or name:match "^%lvec([234])$" or
        name:match "^vec([234])%l$"
    return n and {("{%s}, which is a constant vector (rill.vec%s joins streams)"):format(
        ("x, y, z, w"):sub(1, 3 * n - 2), n)} or nil
end})

local FREED <const> = "; the collector frees its memory, and %s:close() does at once"

--- synonyms.remark(owner, key) returns what an error says about a name that is no equivalent of another; nil if there
-- is nothing to say.
function synonyms.remark(owner, key)
    local frees <const> = key == "free" or key == "delete" or key == "destroy" or key == "dispose"
    if frees and (owner == "s" or owner == "c") then
        return FREED:format(owner)
    elseif owner == "k" and key:find "^%u" then
        return "; rill.program returns the structures of a text, with its kernels"
    end
end

--- synonyms.options: other name -> list of equivalent options.
synonyms.options = parsed(option_lines)

return synonyms
