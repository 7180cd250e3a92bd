-- Stores the documents of a query in the order that was asked for. Read after evaluate.lua.

-- Documents without the field come last.
local function addMissing(result, candidates, field)
  local missing = redis.call('ZDIFF', 2, candidates, field)
  for _, id in ipairs(missing) do redis.call('ZADD', result, '+inf', id) end
end

-- `inputs` are what a document must be in all of; the result's first member is the first document.
local function storeSorted(inputs, result)
  local scored = {}
  for at, input in ipairs(inputs) do
    scored[at] = { input[1], plan.relevance == 0 and 0 or input[2] * plan.relevance }
  end
  local fields, isComplete = {}, true
  for at, field in ipairs(plan.sort) do
    fields[at] = { base .. field[1], field[2] }
    if redis.call('ZCARD', fields[at][1]) < documents then isComplete = false end
  end
  if isComplete then
    for _, field in ipairs(fields) do scored[#scored + 1] = field end
    combine('ZINTERSTORE', scored, result)
    return
  end
  local candidates = joined(scored)
  if #fields == 1 and plan.relevance == 0 then
    combine('ZINTERSTORE', { { candidates[1], 0 }, fields[1] }, result)
    addMissing(result, candidates[1], fields[1][1])
    return
  end
  -- In a mix, a field that a document does not have counts 0.
  local parts = { candidates }
  for _, field in ipairs(fields) do
    parts[#parts + 1] = { combine('ZINTERSTORE', { { candidates[1], 0 }, field }), 1 }
  end
  combine('ZUNIONSTORE', parts, result)
end
