-- Deletes everything that a queue holds, at once.
-- KEYS: the keys of the queue. ARGV: force: '1' to do so even if tasks are active.
-- Returns 1, or 0 if tasks are active.
if force ~= '1' and redis.call('HLEN', holders) > 0 then return 0 end
local kinds = kindsAside()
for _, kind in ipairs(redis.call('SMEMBERS', waiting .. ':kinds')) do
  redis.call('UNLINK', turnsOf(kind))
  kinds[#kinds + 1] = kind
end
for _, kind in ipairs(kinds) do redis.call('UNLINK', wake .. ':' .. kind) end
redis.call('UNLINK', unpack(KEYS))
redis.call('UNLINK', tasks .. ':names', tasks .. ':logs', grouped, waiting .. ':kinds', running, blocked .. ':out',
  blocked .. ':due', unique .. ':ids', unique .. ':until', meta .. ':metrics')
return 1
