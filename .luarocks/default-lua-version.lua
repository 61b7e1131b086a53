-- A LuaRocks that itself runs on another Lua installs for this one here.
return "5.4"
