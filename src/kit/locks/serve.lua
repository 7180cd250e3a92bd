-- Hands a free lock to the next waiters, patient or not. Read after lock-state.lua. Can be repeated safely.
-- KEYS  lock, queue, waiters: see lock-state.lua and waiting-line.lua
-- ARGV  keep      min time for which the last token is kept, in ms

serveLine()
