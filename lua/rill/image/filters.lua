-- The filters of pictures that are written in Lua, a line each: its name, its file in this directory, and the rest of its line of
-- rill.shell.reference.
return [==[
bilateral smooth (s: source, options: {sigma_space: number, sigma_range: number, radius?: integer}): stream -- the mean of those around each pixel, weighed by how near they are in place and in value
canny canny (s: source, options?: {low?: number, high?: number, sigma?: number}): stream -- where edges are, one pixel wide: a stream of bool
cel tone (s: source, options?: {levels?: integer}): stream -- each component as one of a few levels. Default: 4 levels
convert color (s: source, from: string, to: string): stream -- another colour space: "srgb", "linear", "hsv", "lab", "ycbcr" or "gray"
resize resize (s: source, shape: integer[], options?: {filter?: string}): stream -- in another shape, {rows, columns}: "nearest", "linear" (default), "cubic", "area" or "lanczos"
tonemap tone (s: source, options?: {operator?: string, key?: number, white?: number}): stream -- light of any range to 0 to 1: "linear" or "reinhard" (default)
close morphology (s: source, shape: integer|source|table): stream -- dilated, then eroded, by a square of that radius, or a mask
convolve convolve (s: source, weights: source|number[][], options?: {boundary?: string|number|table}): stream -- weighed with neighbours, the weights turned round
correlate convolve (s: source, weights: source|number[][], options?: {boundary?: string|number|table}): stream -- weighed with neighbours
diffuse diffuse (s: source, options: {k: number, steps?: integer, step?: number, conductance?: string}): stream -- Perona and Malik's diffusion, which stops at edges higher than k
dilate morphology (s: source, shape: integer|source|table): stream -- the most in a square of that radius, or in a mask, around each pixel
erode morphology (s: source, shape: integer|source|table): stream -- the least in a square of that radius, or in a mask, around each pixel
open morphology (s: source, shape: integer|source|table): stream -- eroded, then dilated, by a square of that radius, or a mask
separable convolve (s: source, wy: source|number[], wx: source|number[]): stream -- convolved with wy down the columns and wx along the rows
sobel sobel (s: source): stream, stream, stream -- the length of the gradient, and its parts along the rows and down the columns, eight times a pixel's step
gaussian smooth (s: source, sigma: number): stream -- a picture weighed by Gauss's function of deviation sigma, in pixels, cut at ceil(3 sigma)
median median (s: source, radius: integer): stream -- the medians of the squares of 2 radius + 1 pixels, component by component, NaN behind all numbers
segment region_growing (s: source, options: {seeds: integer[][]|source, tolerance: number, edge?: number, smooth?: integer, steps?: integer}): stream, table -- the region around seeds, a mask, grown by diffusion where the picture is within `tolerance` of the seeds' mean; and a report: level, iterations, converged
threshold mask (s: source, t: number): stream -- a mask: where a gray picture is above t
otsu histogram (s: source, options?: {bins?: integer}): number? -- the threshold that parts a gray picture's values into two classes best: the largest value of the lower; nil of no values
equalize histogram (s: source, options?: {bins?: integer, min?: number, max?: number}): stream -- each component's values spread evenly over 0 to 1
integral histogram (s: source): stream -- the sums of all pixels up to each, in rows and columns
distance distance (mask: source): stream -- how far each pixel is from the nearest false, Euclidean and exact; infinite where nothing is false
label label (mask: source): stream, integer -- connected parts (pixels beside or above each other) numbered from 1 by their first pixels, 0 elsewhere; and how many there are
]==]
