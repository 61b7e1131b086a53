-- rill.animate: writes frames to an animated PNG, or to a video through ffmpeg.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"

local SLOWEST, FASTEST = 0.02, 1000

local function problem(format, ...)
    error("rill.animate: " .. format:format(...), 3)
end

local function described(value)
    return type(value) == "number" and errors.number(value) or rill.type(value) or type(value)
end

--- rill.animate(path, fps) starts an animation of `fps` frames per second. Default: 25. Paths in .png and .apng are
-- written as animated PNG; paths in .mp4, .webm, .mkv and .gif are written by the program ffmpeg. `a:frame(s [,
-- options])` appends an image, with the options of rill.image.save, and returns `a`. All frames must have the same
-- size. `a:close()` completes the file and moves it to the path; `local a <close>` works.
return function(path, fps)
    fps = fps == nil and 25 or fps
    if type(path) ~= "string" then
        problem("argument #1 'path': expected a path (a string), got %s", described(path))
    elseif type(fps) ~= "number" or not (fps >= SLOWEST and fps <= FASTEST) then
        problem("argument #2 'fps': expected frames per second, %g to %g, got %s", SLOWEST, FASTEST, described(fps))
    end
    local extension = (path:match "%.([^./]*)$" or ""):lower()
    local known = { png = true, apng = true, mp4 = true, webm = true, mkv = true, gif = true }
    if not known[extension] then
        problem("'%s': expected a path in .png, .apng, .mp4, .webm, .mkv or .gif", path)
    end
    local made, animation = pcall(core._animation, path, fps)
    if not made then
        error(animation, 2)
    end
    return animation
end
