-- SPDX-License-Identifier: Apache-2.0
-- Sends files in turn: `wrk … -s uploads.lua URL -- FILE…`. Prints one line of JSON at the end.

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

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests": %d, "seconds": %.3f, "p50": %.2f, "p99": %.2f, "errors": %d}', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
