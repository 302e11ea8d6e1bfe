-- SPDX-License-Identifier: Apache-2.0
-- Asks for pictures of another server: `wrk … -s fetches.lua URL -- new|same FIRST ADDRESS…`. With new, each request is for a
-- picture that nobody asked for before.

dofile("summary.lua")

local addresses, isNew, number = {}, true, 0

function init(arguments)
  isNew, number = arguments[1] == "new", tonumber(arguments[2])
  for index = 3, #arguments do addresses[index - 2] = arguments[index] end
end

function request()
  number = number + 1
  local address = addresses[number % #addresses + 1]
  local path = wrk.path .. "&url=" .. address
  if isNew then path = path .. "%3F" .. number end
  return wrk.format("GET", path)
end
