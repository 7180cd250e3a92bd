-- The server's time, for scripts that include this file first: `micros`, and `now` in ms.

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
