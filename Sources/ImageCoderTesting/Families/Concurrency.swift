// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import Synchronization

extension Subject {
  /// Eight decoders at once give what one gives.
  var concurrency: [ConformanceCheck] {
    [
      check(.concurrency, "eight decoders at once") { (claim) throws(ConformanceFailure) in
        var expected: [String] = []
        for fixture in fixtures.valid {
          expected.append(try claim.value(fixture.name) { try coder.decode(.bytes(fixture.bytes)).fingerprint })
        }
        let serial = expected
        let differing = Mutex<[String]>([])
        ThreadPool.shared.run(8, jobs: 8) { worker in
          for step in fixtures.valid.indices {
            // Each worker is at another fixture at a time, and all of them pass every one.
            let index = (step + worker * 3) % fixtures.valid.count
            let fixture = fixtures.valid[index]
            let found = (try? coder.decode(.bytes(fixture.bytes)).fingerprint) ?? "an error"
            if found != serial[index] { differing.withLock { $0.append("\(fixture.name): \(found)") } }
          }
        }
        let found = differing.withLock { $0 }
        try claim.holds(
          found.isEmpty, "results", expected: "those of one decoder", found: found.joined(separator: "; "))
      }
    ]
  }
}
