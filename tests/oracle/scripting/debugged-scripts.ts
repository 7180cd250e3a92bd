/** Scripts of all kinds of statements, for the lines at which a debugger stops; separated by a line of equals signs. */
export const SCRIPTS = `local a = 1
for i=1,2 do
  a = a + i
end
local function f(x)
  return x
end
if f(a) then
 a = 2
else
 a=3
end
while a > 0 do
 a = a - 1
end
return a
====
local t = {
  a = 1,
  b = 2
}
t.x = {
  1,
  2,
  string.format('%d', 3)
}
return t.a
====
local t = {}
function t.f(a,
     b)
  local x
  local y = a
  return y
end
local z
z = t.f(1,
  2)
for k, v in pairs({1,2,3}) do
  z = z + v
  if z > 3 then
    break
  end
end
repeat
  z = z - 1
until z < 0
do
  local q = 1
  z = q
end
====
local s = 'a' ..
  'b' ..
  tostring(1)
local c = s == 'x' and
   1 or
   2
if s == 'y' or
   s == 'ab1' then
  c = 5
end
return string.format('%s',
  'x'
)
====
local n = 0
while true do
  n = n + 1
  if n > 2 then
    break
  elseif n == 1 then
    n = 1
  else
    n = 2
  end
end
while n < 5 do
  if n == 3 then
    n = n + 1
  end
  n = n + 1
  if n then
    n = n
  end
end
====
for i=1,3 do local x = i end
for i=1,0 do
 local y
end
local a, b, c = 1,
  2,
  3
local function g() end
g()
local h = function(x)
  return x * 2
end
local r = h(h(2))
local ok, e = pcall(function()
  error('x')
end)
table.sort({3,1,2}, function(a, b)
  return a < b
end)
return { 1,
 2,
 3 }
====
return 1
====
local x
local y
y = 1
====

-- comment
local a = 1

-- another
local b = 2
return a + b
====
local function fact(n)
  if n <= 1 then
    return 1
  else
    return n * fact(n - 1)
  end
end
return fact(3)
====
local t = setmetatable({}, {__index = function(t, k)
  return k
end})
local v = t.foo
for w in string.gmatch('a b', '%a') do
  v = w
end
local co = 1
for i = 3, 1, -1 do
  co = co * i
end
if co then return co end
====
local function f(...)
  local a, b = ...
  return select('#', ...)
end
local x = f(1, 2, 3)
local y = { f(1) }
local z = not x
local w = -x
local n = #y
x, y = y, x
return x
====
local i = 0
repeat
  local j = i
  if j == 1 then
    i = 5
  end
  i = i + 1
until i > 3
for _ = 1, 2 do
  for _ = 1, 2 do
    i = i + 1
  end
end
while i > 0 do
  for _ = 1, 2 do
    i = i - 5
  end
end
while i < 0 do
  while i < -2 do
    i = i + 1
  end
  i = i + 1
end
====
local t = {f = function(self, n)
    return n
  end}
local v = t:f(
  1
)
t.g = function() end
t.g()
local s = ('x'):rep(3)
return v
====
local function outer()
  local n = 0
  local function inner(k)
    n = n + k
    return n
  end
  return inner(1) + inner(2)
end
local r = outer()
r = r + (function() return 5 end)()
local t = { [1] = r, x = outer(), y = {
  z = 1,
} }
return tostring(
  t.x
)
====
local co = coroutine.create(function(a)
  local b = coroutine.yield(a)
  return b
end)
local ok, x = coroutine.resume(co, 1)
ok, x = coroutine.resume(co, 2)
return x
====
local x = 0
if true then
  x = 1
end
if false then
  x = 2
end
while false do
  x = 3
end
repeat
  x = x + 1
until true
return
====
local function v(a, ...)
  local t = {...}
  for i = 1, #t do
    a = a + t[i]
  end
  return a
end
return v(1, 2, 3)
====
local mt = {__add = function(a, b)
  return 7
end, __call = function(self, x)
  return x
end}
local o = setmetatable({}, mt)
local s = o + 1
local q = o(
  3)
return {s, q}
====
local a; local b = 1; local c = b
if a then b = 1 else b = 2 end
for i = 1, 2 do b = b + i end
while b < 20 do b = b * 2 end
local f = function(x) return x end
return f(b), f(c)
====
local res = {}
for i = 1, 2 do
  local x = i * 2
  if x > 2 then
    res[#res + 1] = x
  else
    res[#res + 1] = -x
  end
end
local function each(t, fn)
  for k, v in pairs(t) do
    fn(k, v)
  end
end
each(res, function(k, v)
  res[k] = v + 1
end)
return res
`;
