-- SPDX-License-Identifier: Apache-2.0
-- Sends files in turn: `wrk … -s uploads.lua URL -- FILE…`.

dofile("summary.lua")

local bodies, turn = {}, 0

function init(arguments)
  for index, path in ipairs(arguments) do
    local file = assert(io.open(path, "rb"))
    bodies[index] = wrk.format("POST", nil, {["Content-Type"] = "application/octet-stream"}, file:read("*a"))
    file:close()
  end
end

function request()
  turn = turn % #bodies + 1
  return bodies[turn]
end
