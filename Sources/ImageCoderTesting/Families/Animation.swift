// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Every frame's place, time, disposal and blend are the file's; every way through the frames shows the same.
  var animation: [ConformanceCheck] {
    fixtures.valid.filter(\.answer.isAnimated).flatMap { fixture in
      [
        check(.animation, "frames of \(fixture.name)") { (claim) throws(ConformanceFailure) in
          try checkFrames(fixture, claim)
        },
        check(.animation, "any order in \(fixture.name)") { (claim) throws(ConformanceFailure) in
          try checkOrders(fixture, claim)
        },
      ]
    }
  }

  private func checkFrames(_ fixture: Fixture<ValidAnswer>, _ claim: Claim) throws(ConformanceFailure) {
    let decoder = try claim.value("open") { try open(fixture.bytes) }
    try claim.equal(decoder.loopCount, fixture.answer.loopCount?.count, "loop count")
    for (index, answer) in fixture.answer.frames.enumerated() {
      let frame = try claim.value("header of frame \(index)") { try decoder.frameHeader(at: index) }
      let rect = [frame.rect.x, frame.rect.y, frame.rect.width, frame.rect.height]
      try claim.equal(rect, answer.rect ?? rect, "rectangle of frame \(index)")
      if let delay = answer.delay {
        let expected = FrameDelay(numerator: delay[0], denominator: delay[1])
        let isSame =
          frame.delay.map {
            UInt64($0.numerator) * UInt64(expected.denominator) == UInt64(expected.numerator) * UInt64($0.denominator)
          } ?? false
        try claim.holds(isSame, "delay of frame \(index)", expected: "\(expected)", found: "\(frame.delay as Any)")
      }
      // A last or lone frame's disposal shows nowhere, but it is the file's.
      try claim.equal("\(frame.disposal)", answer.disposal ?? "\(frame.disposal)", "disposal of frame \(index)")
      try claim.equal("\(frame.blend)", answer.blend ?? "\(frame.blend)", "blend of frame \(index)")
    }
    try claim.error("a frame after the last", in: .invalidArgument) {
      try decoder.frameHeader(at: fixture.answer.frames.count)
    }
    var options = DecodeOptions()
    options.firstFrameOnly = true
    options.appliesOrientation = false
    options.pixelFormat = fixture.answer.hashLayout
    let first = try claim.value("decode the first frame") { try coder.decode(.bytes(fixture.bytes), options: options) }
    try claim.equal(first.frames.count, 1, "frames when one is asked for")
    try claim.equal(first.pixels.hash, fixture.answer.frames[0].hash, "hash when one frame is asked for")
  }

  private func checkOrders(_ fixture: Fixture<ValidAnswer>, _ claim: Claim) throws(ConformanceFailure) {
    let count = fixture.answer.frames.count
    let backwards = Array((0..<count).reversed())
    let twice = (0..<count).flatMap { [$0, $0] }
    let wild = (0..<(4 * count)).map { ($0 * 7 + $0 / 3) % count }
    for (name, order) in [("backwards", backwards), ("each twice", twice), ("wild", wild)] {
      let decoder = try claim.value("open") { try open(fixture.bytes, Self.stored(fixture.answer.hashLayout)) }
      for index in order {
        let frame = try claim.value("frame \(index), \(name)") { try decoder.frame(at: index) }
        try claim.equal(frame.pixels.hash, fixture.answer.frames[index].hash, "hash of frame \(index), \(name)")
      }
    }
  }
}
