-- Recordings of a panel: an animated PNG, or a video through ffmpeg.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local json = require "rill.live.json"
local warning = require "rill.core.warning"

local OPTIONS <const> = {
    panel = {function(v) return type(v) == "string" end, "the name of a panel"},
    fps = {function(v) return option.is_finite(v) and v >= 0.02 and v <= 60 end, "frames per second, 0.02 to 60", 25},
}

local recording = {}

-- Returns the first of live-1.png, live-2.png ... that is not the name of a file.
local function unused_path()
    for i = 1, 9999 do
        local path = ("live-%d.png"):format(i)
        local file = io.open(path, "rb")
        if not file then
            return path
        end
        file:close()
    end
    return "live.png"
end

--- recording.stop(state) completes the file of a recording, if there is one.
function recording.stop(state)
    local current = state.recording
    state.recording = nil
    if current then
        local done, reason = pcall(current.animation.close, current.animation)
        if not done then
            warning.say("rill.live: the recording '%s' failed: %s", current.path, tostring(reason))
        end
    end
end

--- recording.start(state, where, path, options) starts a recording of the first panel of an image or a mesh that is
-- drawn, or of the panel that an option names. Without a path, chooses one.
function recording.start(state, where, path, options)
    local taken = option.take(where, options, OPTIONS)
    local panel = taken.panel and state.panels[taken.panel]
    if taken.panel and not (panel and (panel.kind == "image" or panel.kind == "mesh")) then
        errors.fail("%s: option 'panel': the view has no panel '%s' of an image or a mesh", where, taken.panel)
    end
    recording.stop(state)
    path = path or unused_path()
    local animation = rill.animate(path, taken.fps)
    state.recording = {path = path, animation = animation, panel = taken.panel, interval = 1 / taken.fps, due = 0}
    function state.recording.frame(s, image_options)
        local done, reason = pcall(animation.frame, animation, s, image_options)
        if not done then
            recording.stop(state)
            warning.say("rill.live: the recording '%s' ended: %s", path, tostring(reason))
        end
    end
end

--- recording.described(state) returns the JSON value of the recording in the state of a view: false or the path.
function recording.described(state)
    return state.recording and json.text(state.recording.path) or "false"
end

return recording
