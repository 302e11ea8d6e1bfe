-- SPDX-License-Identifier: Apache-2.0
-- Prints one line of JSON when wrk is done.

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests": %d, "seconds": %.3f, "p50": %.2f, "p99": %.2f, "errors": %d}', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
