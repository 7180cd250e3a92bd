-- Removes a document from the words, keywords and orders that only its old content had. Read after index.lua and document.lua.

local kept = {}
for at = firstWord, firstWord + words - 1 do kept['words:' .. values[at]] = true end
for at = firstPosting, firstPosting + postings - 1 do kept[values[at]] = true end
for at = firstSet, firstSet + sets - 1 do kept[values[at]] = true end
for at = firstSet + sets, #values, 2 do kept[values[at]] = true end
dropAll(id, entriesOf(old), kept)
return 0
