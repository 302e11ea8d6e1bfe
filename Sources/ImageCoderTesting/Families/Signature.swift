// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Own files are recognized, each prefix of them is not refused, and all other formats' files are.
  var signature: [ConformanceCheck] {
    guard container.canRead else { return [] }
    let own = fixtures.valid.map { fixture in
      check(.signature, fixture.name) { (claim) throws(ConformanceFailure) in
        var isDecided = false
        // What tells may stand further on.
        for length in Array(0...min(fixture.bytes.count, 64)) + [fixture.bytes.count] {
          let answer = fixture.bytes.prefix(length).withUnsafeBytes {
            coder.canDecode($0, fileSize: length == fixture.bytes.count ? length : nil)
          }
          switch answer {
          case .yes: isDecided = true
          case .needMore(let bytes):
            try claim.holds(!isDecided, "\(length) bytes", expected: "recognized, as before", found: "\(answer)")
            try claim.holds(bytes > length, "\(length) bytes", expected: "a need of more bytes", found: "\(bytes)")
          case .no: throw claim.failure("\(length) bytes", expected: "not to be refused", found: "no")
          }
        }
        if !isDecided {
          // Conditions may look at what lies further on, such as the tags of a directory at the end.
          let answer = fixture.bytes.withUnsafeBytes { coder.canDecode($0, fileSize: fixture.bytes.count) }
          if case .yes = answer { isDecided = true }
        }
        try claim.holds(isDecided, "the whole file", expected: "recognized", found: "not recognized")
      }
    }
    let foreign = fixtures.foreign.map { fixture in
      check(.signature, "refuses \(fixture.name)") { (claim) throws(ConformanceFailure) in
        let answer = fixture.bytes.withUnsafeBytes { coder.canDecode($0, fileSize: fixture.bytes.count) }
        if case .needMore = answer { try claim.equal(answer, .no, "recognition") }
        // Containers may share their first bytes, and much that is inside, as those of ISO-BMFF do; then a look inside has
        // to tell, and lets the next coder try.
        try claim.error("open", in: .wrongFormat, .unsupported) { try open(fixture.bytes) }
      }
    }
    let nothing = check(.signature, "refuses nothing") { (claim) throws(ConformanceFailure) in
      try claim.error("open", in: .wrongFormat, .truncated) { try open([]) }
    }
    return own + foreign + [nothing]
  }
}
