-- rill.animate: frames to an animated PNG, or to a video through ffmpeg.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"

local SLOWEST, FASTEST = 0.02, 1000

local function problem(format, ...)
    error("rill.animate: " .. format:format(...), 3)
end

local function told(value)
    return type(value) == "number" and errors.number(value) or rill.type(value) or type(value)
end

--- rill.animate(path, fps): an animation of so many frames a second (25 unless told). A path in .png or .apng is an animated PNG, one
-- in .mp4, .webm, .mkv or .gif is written by the program ffmpeg. `a:frame(s [, options])` appends a picture, with the options of
-- rill.image.save, and returns `a`; all frames have one size. `a:close()` ends the file, which only then takes its place;
-- `local a <close>` works.
return function(path, fps)
    fps = fps == nil and 25 or fps
    if type(path) ~= "string" then
        problem("argument #1 'path': expected a path (a string), got %s", told(path))
    elseif type(fps) ~= "number" or not (fps >= SLOWEST and fps <= FASTEST) then
        problem("argument #2 'fps': expected frames per second, %g to %g, got %s", SLOWEST, FASTEST, told(fps))
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
