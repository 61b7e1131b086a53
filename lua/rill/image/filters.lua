-- The image filters that are written in Lua, one per line: the name, the file in this directory, and the rest of the
-- line in rill.shell.reference.
return [==[
bilateral smooth (s: source, options: {sigma_space: number, sigma_range: number, radius?: integer}): stream -- smooths and keeps edges: returns, for each pixel, the mean of the pixels around it, weighted by distance and by difference of value
canny canny (s: source, options?: {low?: number, high?: number, sigma?: number}): stream -- finds edges one pixel wide: returns a mask, a stream of bool
cel tone (s: source, options?: {levels?: integer}): stream -- rounds each component to one of a few levels from 0 to 1. Default: 4 levels
convert color (s: source, from: string, to: string): stream -- converts between color spaces: "srgb", "linear", "hsv", "lab", "ycbcr" or "gray"
resize resize (s: source, shape: integer[], options?: {filter?: string}): stream -- resizes to the shape {rows, columns}, by the filter "nearest", "linear" (default), "cubic", "area" or "lanczos"
tonemap tone (s: source, options?: {operator?: string, key?: number, white?: number}): stream -- maps high dynamic range to 0 to 1 by the operator "linear" or "reinhard" (default)
close morphology (s: source, shape: integer|source|table): stream -- dilates, then erodes, by a square of a radius or by a mask
convolve convolve (s: source, weights: source|number[][], options?: {boundary?: string|number|table}): stream -- returns the sum of neighbors times weights, with the weights flipped in both dimensions
correlate convolve (s: source, weights: source|number[][], options?: {boundary?: string|number|table}): stream -- returns the sum of neighbors times weights
diffuse diffuse (s: source, options: {k: number, steps?: integer, step?: number, conductance?: string}): stream -- smooths by anisotropic diffusion (Perona and Malik), which stops at differences larger than k
dilate morphology (s: source, shape: integer|source|table): stream -- returns the largest pixel in a square of a radius, or in a mask, around each pixel
erode morphology (s: source, shape: integer|source|table): stream -- returns the least pixel in a square of a radius, or in a mask, around each pixel
open morphology (s: source, shape: integer|source|table): stream -- erodes, then dilates, by a square of a radius or by a mask
separable convolve (s: source, wy: source|number[], wx: source|number[]): stream -- convolves with wy down the columns and wx along the rows
sobel sobel (s: source): stream, stream, stream -- returns the length of the gradient, its component along the rows and its component down the columns, each eight times the change per pixel
gaussian smooth (s: source, sigma: number): stream -- smooths by a Gaussian of standard deviation sigma, in pixels, up to the radius ceil(3 sigma)
median median (s: source, radius: integer): stream -- returns the median of the square of 2 radius + 1 pixels around each pixel, component by component; NaN is ordered after all numbers
segment region_growing (s: source, options: {seeds: integer[][]|source, tolerance: number, edge?: number, smooth?: integer, steps?: integer}): stream, table -- returns a mask of the region around seeds, grown where the image is within `tolerance` of the seeds' mean; and a report: level, iterations, converged
threshold mask (s: source, t: number): stream -- returns a mask: true where a gray image is above t
otsu histogram (s: source, options?: {bins?: integer}): number? -- returns the threshold that best separates a gray image's values into two classes: the largest value of the lower class; nil without finite values
equalize histogram (s: source, options?: {bins?: integer, min?: number, max?: number}): stream -- equalizes the histogram: spreads each component's values evenly over 0 to 1
integral histogram (s: source): stream -- returns the summed-area table: for each pixel the sum of all pixels up to its row and column
distance distance (mask: source): stream -- returns the exact Euclidean distance from each pixel to the nearest false pixel; infinite if no pixel is false
label label (mask: source, options?: {connectivity?: integer}): stream, integer -- returns the number of the connected component of each true pixel, from 1 in the order of first pixels, 0 for false pixels; and the number of components. Pixels that share a side are connected; with connectivity 8 also pixels that share a corner
regions label (labels: source, count?: integer): table -- returns the properties of the regions 1 to count of labels, a table of streams: area, centroid (row and column), first and last (the bounding box, both included)
]==]
