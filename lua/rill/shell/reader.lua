-- Reads the lines of the prompt: from a terminal by lua-readline, from a plain terminal, or from a pipe.
local core = require "rill.core"
local history = require "rill.shell.history"

-- Returns lua-readline, or nil if it is not installed. When it is loaded it reads a history file in HOME, and warns or
-- fails if there is none. For that reason HOME is replaced meanwhile.
local function load_readline()
    local getenv = os.getenv
    os.getenv = function(name) -- luacheck: ignore 122
        return name == "HOME" and "/dev/null" or getenv(name)
    end
    local found, readline = pcall(require, "readline")
    os.getenv = getenv -- luacheck: ignore 122
    return found and type(readline) == "table" and readline.handler_install and readline or nil
end

-- Returns the index of the last character of the word to complete. Depending on the version of lua-readline, `to` is
-- that index or the one after it.
local function word_end(text, to)
    if to > #text or not text:find("^[%w_.:/\128-\255]", to) then
        to = to - 1
    end
    return math.min(to, #text)
end

local function with_readline(readline, complete)
    local path = history.path()
    local last
    readline.set_options { auto_add = false, completion = true }
    readline.set_readline_name "rill"
    readline.set_complete_function(function(text, from, to)
        readline.set_completion_append_character ""
        local found, list = pcall(complete, text:sub(1, word_end(text, to)), from)
        return found and list or {}
    end)
    for _, entry in ipairs(path and history.load(path) or {}) do
        readline.add_history(entry)
        last = entry
    end
    local reader = {}

    local function edited(prompt)
        local line, done
        readline.handler_install(prompt, function(text)
            line, done = text, true
            readline.handler_remove()
        end)
        while not done do
            if core._wait_input() then
                readline.read_char()
            else
                -- The handler is not removed here: the module would then use a file that it has closed. The next
                -- handler replaces it.
                if readline.sigcleanup then
                    readline.sigcleanup()
                end
                io.stdout:write "^C\n"
                io.stdout:flush()
                return false
            end
        end
        return line
    end

    --- reader.line(prompt) returns the next line, or several pasted lines; nil at the end of input, false after Ctrl-C.
    function reader.line(prompt)
        core._hold_interrupts(true)
        local line = edited(prompt)
        core._hold_interrupts(false)
        return line
    end

    --- reader.remember(text) appends a text to the history, unless it equals the last entry.
    function reader.remember(text)
        if text ~= last and text:find "%S" and not text:find "%z" then
            last = text
            readline.add_history(text)
            if path then
                history.append(path, text)
            end
        end
    end
    return reader
end

local function plain(input, output)
    local reader = { remember = function() end }
    function reader.line(prompt)
        if input and output then
            io.stdout:write(prompt)
            io.stdout:flush()
        end
        if input and not core._wait_input() then
            io.stdout:write "\n"
            return false
        end
        local line, _, code = io.read "l"
        if not line and code then -- interrupted, not the end of input
            return false
        end
        return line
    end
    return reader
end

--- reader(complete) returns the reader of standard input. `complete(text, from)` returns the possible completions of
-- the word that starts at index `from` of the text.
return function(complete)
    local input, output = core._input_terminal(), core._terminal()
    local readline = input and output and load_readline()
    if readline then
        return with_readline(readline, complete)
    end
    return plain(input, output)
end
