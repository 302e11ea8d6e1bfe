// SPDX-License-Identifier: Apache-2.0

import CImageCoder

extension PluginCheck {
  /// What damaged files give.
  static let decodeDamageChecks: [PluginCheck] = [
    PluginCheck(.decode, "cut", .r9, "A file that is cut anywhere gives its complete rows and is TRUNCATED.") {
      (subject) throws(CheckEnd) in
      var count = 0
      // A little of each sample first, so that little time looks at all of them.
      for limit in [16, 500] {
        for sample in try subject.samples {
          let whole = try subject.readWhole(sample)
          for length in places(sample.bytes.count, limit) where !subject.isOutOfTime {
            try Self.cut(subject, sample, to: length, whole)
            count += 1
          }
        }
      }
      return Self.note(count, "cuts", subject)
    },
    PluginCheck(.decode, "flips", .r2, "A file with a changed bit gives a picture or a status.") {
      (subject) throws(CheckEnd) in
      var random = CheckRandom(subject.seed)
      var count = 0
      let samples = try subject.samples
      while count < 500 * samples.count, !subject.isOutOfTime {
        let sample = samples[count % samples.count]
        guard !sample.bytes.isEmpty else { continue }
        var bytes = sample.bytes
        // Headers, which are at the beginning, decide the most.
        let reach = random.below(2) == 0 ? min(bytes.count, 256) : bytes.count
        let (place, bit) = (random.below(reach), random.below(8))
        bytes[place] ^= 1 << UInt8(bit)
        try Self.attempt(subject, bytes, "\(sample.name) with bit \(bit) of byte \(place) changed")
        count += 1
      }
      return Self.note(count, "changes", subject)
    },
    PluginCheck(.decode, "bytes", .r2, "A file with a changed byte gives a picture or a status.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for limit in [16, 256] {
        for sample in try subject.samples {
          for place in places(min(sample.bytes.count, 4096), limit) {
            for value: UInt8 in [0x00, 0x7F, 0x80, 0xFF] where !subject.isOutOfTime && sample.bytes[place] != value {
              var bytes = sample.bytes
              bytes[place] = value
              try Self.attempt(subject, bytes, "\(sample.name) with byte \(place) set to \(value)")
              count += 1
            }
          }
        }
      }
      return Self.note(count, "changes", subject)
    },
    PluginCheck(.decode, "short", .r2, "Files of few bytes, or of equal bytes, give a status.") {
      (subject) throws(CheckEnd) in
      _ = try subject.reader
      var files: [(String, [UInt8])] = []
      for count in [0, 1, 2, 3, 4, 7, 8, 15, 16, 64, 4096] {
        for byte: UInt8 in [0x00, 0xFF] {
          files.append(("\(count) bytes of \(byte)", [UInt8](repeating: byte, count: count)))
        }
      }
      // The beginning of a file, and nothing else.
      for sample in try subject.samples.prefix(4) {
        for count in [4, 8, 12, 16, 32] where sample.bytes.count > count {
          for byte: UInt8 in [0x00, 0xFF] {
            let bytes = Array(sample.bytes.prefix(count)) + [UInt8](repeating: byte, count: 4096)
            files.append(("\(count) bytes of \(sample.name), then \(byte)", bytes))
          }
        }
      }
      for (name, bytes) in files { try Self.attempt(subject, bytes, name) }
      return "\(files.count) files"
    },
    PluginCheck(.decode, "lies", .r7, "A header that claims a huge canvas is refused before memory is allocated.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for sample in try subject.samples {
        let whole = try subject.readWhole(sample)
        for (bytes, name) in Self.lies(sample, whole) where !subject.isOutOfTime {
          var settings = ReadSettings()
          settings.host.limits.max_side = 4_096
          settings.host.limits.max_pixels = 1 << 22
          let reading = try subject.read(bytes, name, settings)
          try Self.verifyMemory(reading, bytes.count, name)
          for info in reading.infos where info.width > 4_096 || info.height > 4_096 {
            throw .failed(
              name, expected: "LIMIT_EXCEEDED for a canvas beyond 4096",
              found: "a canvas of \(info.width)×\(info.height)")
          }
          guard reading.status != Status.outOfMemory else {
            throw .failed(name, expected: "LIMIT_EXCEEDED, or another status", found: "OUT_OF_MEMORY")
          }
          count += 1
        }
      }
      return Self.note(count, "headers", subject)
    },
    PluginCheck(.decode, "messages", .r14, "Each failure has a message: one line, lower case, no full stop.") {
      (subject) throws(CheckEnd) in
      var count = 0
      var random = CheckRandom(subject.seed)
      func look(_ bytes: [UInt8], _ name: String, _ settings: ReadSettings = ReadSettings()) throws(CheckEnd) {
        let reading = try subject.read(bytes, name, settings)
        for failure in reading.failures {
          try Self.verify(failure, name)
          count += 1
        }
      }
      try look([], "an empty file")
      try look([UInt8](repeating: 0x20, count: 64), "64 spaces")
      for sample in try subject.samples {
        var limited = ReadSettings()
        limited.host.limits.max_side = 0
        try look(sample.bytes, "\(sample.name) with max_side of 0", limited)
        for length in places(sample.bytes.count, 40) where !subject.isOutOfTime {
          try look(Array(sample.bytes.prefix(length)), "the first \(length) bytes of \(sample.name)")
        }
        for _ in 0..<40 where !subject.isOutOfTime && !sample.bytes.isEmpty {
          var bytes = sample.bytes
          let place = random.below(bytes.count)
          bytes[place] = UInt8(random.below(256))
          try look(bytes, "\(sample.name) with byte \(place) set to \(bytes[place])")
        }
      }
      return Self.note(count, "failures", subject)
    },
  ]

  /// How far a check came, for its note.
  static func note(_ count: Int, _ what: String, _ subject: CheckSubject) -> String {
    "\(count) \(what)\(subject.isOutOfTime ? ", then the time for variations was used up" : "")"
  }

  /// Reads a damaged file: any status that is defined will do.
  static func attempt(_ subject: CheckSubject, _ bytes: [UInt8], _ name: String) throws(CheckEnd) {
    let reading = try subject.read(bytes, name)
    try verifyStatuses(reading, name, of: subject)
  }

  static func verifyStatuses(_ reading: Reading, _ name: String, of subject: CheckSubject) throws(CheckEnd) {
    let coder = try subject.coder
    for failure in reading.failures where !coder.isKnown(failure.status) || failure.status < 0x10 {
      throw .failed("\(name): \(failure.call)", expected: "a status of types.h", found: Status.name(failure.status))
    }
    for (index, picture) in reading.pictures.enumerated() where picture.status == Status.ok && !picture.isWhole {
      throw .failed(
        "\(name): picture \(index)", expected: "all \(picture.offer.height) rows done, as decode returned OK",
        found: "\(picture.rowsDone)", rule: .r8)
    }
    guard reading.left == 0 || reading.open == Status.ok else {
      throw .failed(
        "\(name): open, which failed", expected: "no memory of the host left", found: "\(reading.left) bytes",
        rule: .r13)
    }
  }

  private static func cut(
    _ subject: CheckSubject, _ sample: CheckSubject.Sample, to length: Int, _ whole: Reading
  ) throws(CheckEnd) {
    let name = "\(sample.name), the first \(length) of \(sample.bytes.count) bytes"
    let reading = try subject.read(Array(sample.bytes.prefix(length)), name)
    try verifyStatuses(reading, name, of: subject)
    for failure in reading.failures {
      // Too few bytes for the signature are no format at all.
      let isRight =
        failure.status == Status.truncated
        || (failure.call == "open" && failure.status == Status.wrongFormat && length < 64)
        // Frames that did not arrive are not counted, and not there.
        || failure.status == Status.invalidArgument
      guard isRight else {
        throw .failed(
          "\(name): \(failure.call)", expected: "TRUNCATED", found: "\(Status.name(failure.status)): \(failure.message)"
        )
      }
    }
    for (index, picture) in reading.pictures.enumerated() where index < whole.pictures.count {
      let full = whole.pictures[index]
      guard picture.offer.width == full.offer.width, picture.offer.height == full.offer.height,
        picture.offer.pixel_format == full.offer.pixel_format
      else { continue }
      // Rows of passes may change until the last one.
      let isCoarse =
        picture.offer.row_order != UInt32(IMGCODER_ROWS_TOP_DOWN)
        || whole.infos.contains { $0.flags & UInt32(IMGCODER_INFO_PROGRESSIVE) != 0 }
      guard !isCoarse || picture.status == Status.ok else { continue }
      if let row = picture.differentRow(full) {
        throw .failed(
          "\(name): picture \(index)", expected: "rows of the whole file", found: "row \(row) has other bytes")
      }
    }
  }

  static func verify(_ failure: Reading.Failure, _ name: String) throws(CheckEnd) {
    let what = "\(name): \(failure.call), \(Status.name(failure.status))"
    guard failure.isReported, !failure.message.isEmpty else {
      throw .failed(what, expected: "a message through host->fail", found: "none", rule: .r14)
    }
    guard failure.reportedStatus == failure.status else {
      throw .failed(
        what, expected: "the status that was reported to host->fail", found: Status.name(failure.reportedStatus),
        rule: .r14)
    }
    let text = failure.message
    let isLine = !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    // A name such as ICC or "IHDR" may begin a sentence.
    let word = text.prefix { $0.isLetter || $0.isNumber }
    let isSentence =
      word.count > 1 && word.first!.isUppercase && !word.dropFirst().contains { $0.isUppercase || $0.isNumber }
    guard isLine, !isSentence, text.last != "." else {
      throw .failed(
        what, expected: "one line in lower case without a full stop", found: text.debugDescription, rule: .r14)
    }
  }

  /// Copies of a sample in which the bytes that seem to hold its width or height hold something huge.
  private static func lies(_ sample: CheckSubject.Sample, _ whole: Reading) -> [([UInt8], String)] {
    guard let info = whole.infos.first else { return [] }
    var lies: [([UInt8], String)] = []
    for (name, value) in [("width", Int(info.width)), ("height", Int(info.height))] {
      for stored in [value, value - 1] where stored > 0 {
        for (size, isBig) in [(4, true), (4, false), (2, true), (2, false)] {
          guard stored < 1 << (8 * size - 1) else { continue }
          let bytes = (0..<size).map { UInt8(stored >> (8 * (isBig ? size - 1 - $0 : $0)) & 255) }
          for place in 0..<max(0, min(sample.bytes.count, 512) - size)
          where lies.count < 200 && sample.bytes[place..<(place + size)].elementsEqual(bytes) {
            for huge: UInt8 in [0x7F, 0xFF] {
              var copy = sample.bytes
              for index in 0..<size { copy[place + index] = (isBig ? index == 0 : index == size - 1) ? huge : 0xFF }
              lies.append((copy, "\(sample.name) with a huge \(name) at byte \(place)"))
            }
          }
        }
      }
    }
    return lies
  }

  /// Fails if more memory was held before the first row than a session may hold.
  static func verifyMemory(_ reading: Reading, _ size: Int, _ name: String) throws(CheckEnd) {
    let base = UInt64(16 << 20) + 8 * UInt64(size)
    guard reading.heldAtInfo <= base else {
      throw .failed(
        "\(name): open and info", expected: "at most \(base) bytes held: 16 MiB and 8 times \(size)",
        found: "\(reading.heldAtInfo)", rule: .r7)
    }
    for (index, picture) in reading.pictures.enumerated() {
      let (allowed, isOver) = base.addingReportingOverflow(picture.offer.memory)
      guard isOver || picture.heldAtFirstRow <= allowed else {
        throw .failed(
          "\(name): picture \(index)",
          expected: "at most \(allowed) bytes held before the first row: 16 MiB, 8 times \(size), and the offer's "
            + "\(picture.offer.memory)", found: "\(picture.heldAtFirstRow)", rule: .r7)
      }
    }
  }
}
