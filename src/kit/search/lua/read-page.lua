-- Reads another page of a result that is still there, and keeps it for longer.
-- KEYS  base: see document.lua
-- ARGV  digest   of the result
--       offset   how many documents to skip
--       limit    max number of documents
--       keep     how long to keep the result, in ms
-- Returns {total, {id, score, JSON, …}}; nil if the result has expired.

local result = base .. 'result:' .. digest
if redis.call('PEXPIRE', result, keep) == 0 then return false end
return { redis.call('ZCARD', result), pageOf(result, tonumber(offset), tonumber(limit)) }
