// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What the coder does with whole files.
  static let operationChecks: [PluginCheck] = [
    PluginCheck(
      .operations, "run", .r15, "An operation does what can says of it, each time, and the coder opens what it writes."
    ) {
      (subject) throws(CheckEnd) in
      try subject.requireOperations()
      var count = 0
      for sample in try subject.samples where !subject.isOutOfTime {
        for own in try subject.operations(for: sample) {
          let name = "\(own.operation.name) of \(sample.name)"
          let asked = try subject.ask(own.operation, of: sample.bytes, name)
          let made = try subject.operate(own.operation, on: sample.bytes, name)
          if let asked, (asked.status == Status.ok) != (made.status == Status.ok) {
            throw .failed("\(name), which can answers with \(asked.inWords)", expected: "the same", found: made.inWords)
          }
          try verify(made, name)
          guard made.status == Status.ok else { continue }
          let again = try subject.operate(own.operation, on: sample.bytes, "\(name), once more")
          guard again.bytes == made.bytes else {
            throw .failed(name, expected: "the same bytes each time", found: "other bytes", rule: .r10)
          }
          count += 1
          guard !own.takesOut, own.operation.from == own.operation.to else { continue }
          let reading = try subject.read(made.bytes, "what \(name) wrote")
          guard reading.open == Status.ok else {
            throw .failed("what \(name) wrote", expected: "a file that opens", found: Status.name(reading.open))
          }
        }
      }
      return "\(count) files"
    },
    PluginCheck(.operations, "values", .r2, "A value at each bound and beyond is taken or refused.") {
      (subject) throws(CheckEnd) in
      try subject.requireOperations()
      let sample = try subject.samples[0]
      for own in try subject.operations(for: sample) {
        for option in own.kind.described {
          let (low, high) = (option.minimum, option.maximum)
          for number in [low, high, low - 1, high + 1, 1e300, -.infinity, .nan] {
            var operation = own.operation
            let text = Int(option.type) == IMGCODER_OPTION_TEXT ? String(repeating: "x", count: 1_000) : ""
            let value = LoadedCoder.text(option.name) ?? ""
            operation.values = [TestValue(name: value, type: option.type, number: number, text: text)]
            let name = "\(operation.name) of \(sample.name) with \(value) \(number)"
            try verify(try subject.operate(operation, on: sample.bytes, name), name)
          }
        }
      }
      return nil
    },
    PluginCheck(.operations, "cut", .r2, "A file that is cut at any byte gives a status with a message.") {
      (subject) throws(CheckEnd) in
      try subject.requireOperations()
      for sample in try subject.samples.prefix(4) {
        for own in try subject.operations(for: sample) {
          for count in places(sample.bytes.count, 200) where !subject.isOutOfTime {
            let name = "\(own.operation.name) of the first \(count) bytes of \(sample.name)"
            let bytes = Array(sample.bytes.prefix(count))
            if let asked = try subject.ask(own.operation, of: bytes, name) { try verify(asked, name) }
            try verify(try subject.operate(own.operation, on: bytes, name), name)
          }
        }
      }
      return nil
    },
    PluginCheck(.operations, "unknown", .r16, "An operation that the coder does not describe is refused.") {
      (subject) throws(CheckEnd) in
      try subject.requireOperations()
      let sample = try subject.samples[0]
      let format = try subject.manifest.formats[0].format.rawValue
      for word in ["", "com.example.unknown", String(repeating: "x", count: 5_000)] {
        let operation = TestOperation(name: word, from: format, to: format)
        let name = "operation \"\(word.prefix(40))\" of \(sample.name)"
        for answer in [
          try subject.ask(operation, of: sample.bytes, name), try subject.operate(operation, on: sample.bytes, name),
        ] {
          guard let answer, ![Status.unsupported, Status.invalidArgument].contains(answer.status) else { continue }
          throw .failed(name, expected: "UNSUPPORTED or INVALID_ARGUMENT", found: answer.inWords)
        }
      }
      return nil
    },
    PluginCheck(.operations, "output-fails", .r16, "When the output returns IO, so does the operation.") {
      (subject) throws(CheckEnd) in
      try subject.requireOperations()
      for sample in try subject.samples.prefix(4) {
        for own in try subject.operations(for: sample) where !subject.isOutOfTime {
          let whole = try subject.operate(own.operation, on: sample.bytes, "\(own.operation.name) of \(sample.name)")
          guard whole.status == Status.ok else { continue }
          for call in places(Int(whole.outputCalls), 20) where !subject.isOutOfTime {
            var operation = own.operation
            operation.failedOutput = UInt64(call + 1)
            let name = "\(operation.name) of \(sample.name) when write \(call + 1) of \(whole.outputCalls) returns IO"
            let made = try subject.operate(operation, on: sample.bytes, name)
            guard made.status == Status.io else { throw .failed(name, expected: "IO", found: made.inWords) }
            guard made.outputCallsAfterFailure == 0 else {
              throw .failed(name, expected: "no further call of the output", found: "\(made.outputCallsAfterFailure)")
            }
          }
        }
      }
      return nil
    },
  ]

  /// Fails for an error without a message, and for bytes of an operation that is not supported.
  private static func verify(_ made: Operated, _ name: String) throws(CheckEnd) {
    guard made.status < 0x10 || made.isReported else {
      throw .failed("\(name): \(Status.name(made.status))", expected: "a message", found: "none", rule: .r14)
    }
    guard made.status != Status.unsupported || made.bytes.isEmpty else {
      throw .failed("\(name): UNSUPPORTED", expected: "no byte written", found: "\(made.bytes.count)", rule: .r16)
    }
  }
}
