-- The structures of an index of ads, for scripts that include this file first. Uses the locals `base` and `prior`.
--   base             what all keys of the index begin with:
--   ids              set: the ids of all ads
--   ad:ID            hash: type (cpm, cpc, cpa), price, locations (separated by NUL), words (between spaces), views, clicks, actions, value
--                    (estimated eCPM), source (JSON)
--   learnt:ID        hash: for each word that was on a page with the ad v:WORD (views), e:WORD (clicks of cpc, actions of cpa) and b:WORD (bonus)
--   value:LOCATION   sorted set: ads by value
--   bonus:WORD       sorted set: ads by the bonus of this word, if it is above 0
--   bonuses          sorted set: words by the highest bonus of an ad
--   totals           hash: views and paid events of all ads of a type, as in cpc:views and cpc:events
--   target:ID        hash: ad, words, clicked, acted; expires

local EVENT = { cpc = 'clicks', cpa = 'actions' }
-- Before anything is known: one click or action in a thousand views.
local FIRST_EVENTS, FIRST_VIEWS = 1, 1000

local NUL = '\0'

local function exact(number) return string.format('%.17g', number) end

local function locationsOf(text)
  local locations = {}
  for location in text:gmatch('[^%z]+') do locations[#locations + 1] = location end
  return locations
end

local function setBonus(id, word, bonus)
  local key = base .. 'bonus:' .. word
  if bonus > 0 then redis.call('ZADD', key, exact(bonus), id) else redis.call('ZREM', key, id) end
  local best = redis.call('ZRANGE', key, 0, 0, 'REV', 'WITHSCORES')
  if best[2] then redis.call('ZADD', base .. 'bonuses', best[2], word) else redis.call('ZREM', base .. 'bonuses', word) end
end

-- Estimates the value of an ad and the bonus of each of its words from what was counted. The fewer views, the nearer the estimate is to the average of
-- all ads of the type; for a word, to the ad's.
local function estimate(id)
  local found = redis.call('HMGET', base .. 'ad:' .. id, 'type', 'price', 'locations', 'words', 'views', 'clicks', 'actions')
  local kind, price, views = found[1], tonumber(found[2]), tonumber(found[5])
  local value = price
  if kind ~= 'cpm' then
    local totals = redis.call('HMGET', base .. 'totals', kind .. ':views', kind .. ':events')
    local average = ((tonumber(totals[2]) or 0) + FIRST_EVENTS) / ((tonumber(totals[1]) or 0) + FIRST_VIEWS)
    local events = tonumber(kind == 'cpc' and found[6] or found[7])
    local rate = (events + prior * average) / (views + prior)
    value = 1000 * price * rate
    for word in found[4]:gmatch('[^ ]+') do
      local counts = redis.call('HMGET', base .. 'learnt:' .. id, 'v:' .. word, 'e:' .. word)
      if counts[1] then
        local own = ((tonumber(counts[2]) or 0) + prior * rate) / (tonumber(counts[1]) + prior)
        local bonus = 1000 * price * (own - rate)
        redis.call('HSET', base .. 'learnt:' .. id, 'b:' .. word, exact(bonus))
        setBonus(id, word, bonus)
      end
    end
  end
  redis.call('HSET', base .. 'ad:' .. id, 'value', exact(value))
  for _, location in ipairs(locationsOf(found[3])) do redis.call('ZADD', base .. 'value:' .. location, exact(value), id) end
end

-- Takes an ad out of what is searched. What was learnt about it stays.
local function withdraw(id, locations, words)
  for _, location in ipairs(locationsOf(locations)) do redis.call('ZREM', base .. 'value:' .. location, id) end
  for word in words:gmatch('[^ ]+') do setBonus(id, word, 0) end
end

-- Removes an ad. Returns false if there is none.
local function removeAd(id)
  local found = redis.call('HMGET', base .. 'ad:' .. id, 'locations', 'words')
  if not found[1] then return false end
  withdraw(id, found[1], found[2])
  redis.call('DEL', base .. 'ad:' .. id, base .. 'learnt:' .. id)
  redis.call('SREM', base .. 'ids', id)
  return true
end
