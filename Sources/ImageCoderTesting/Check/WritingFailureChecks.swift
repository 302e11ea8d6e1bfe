// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder

extension PluginCheck {
  /// What the writer does when the host fails, or calls it in another order.
  static let writingFailureChecks: [PluginCheck] = [
    PluginCheck(.writing, "output-fails", .r16, "When the output returns IO, so does the call, and writes no more.") {
      (subject) throws(CheckEnd) in
      for format in try subject.writableFormats where !subject.isOutOfTime {
        let calls = try subject.write(format, format.format).outputCalls
        for call in places(Int(calls), 40) where !subject.isOutOfTime {
          var settings = format
          settings.failedOutput = UInt64(call + 1)
          let name = "\(format.format) when write \(call + 1) of \(calls) returns IO"
          let written = try subject.write(settings, name)
          guard written.status == Status.io else {
            throw .failed(name, expected: "IO", found: describe(written.failure))
          }
          guard written.outputCallsAfterFailure == 0 else {
            throw .failed(
              name, expected: "no further call of the output", found: "\(written.outputCallsAfterFailure)")
          }
        }
      }
      return nil
    },
    PluginCheck(.writing, "allocations", .r2, "When any call of allocate returns null, the result is OUT_OF_MEMORY.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for format in try subject.writableFormats {
        let whole = try subject.write(format, format.format)
        for call in places(Int(whole.record.allocations), 100) where !subject.isOutOfTime {
          var settings = format
          settings.host.failedAllocation = UInt64(call + 1)
          let name = "\(format.format) when call \(call + 1) of allocate returns null"
          let written = try subject.write(settings, name)
          guard written.status == Status.outOfMemory || written.bytes == whole.bytes else {
            throw .failed(name, expected: "OUT_OF_MEMORY", found: describe(written.failure))
          }
          count += 1
        }
      }
      return note(count, "failures", subject)
    },
    PluginCheck(.writing, "cancel", .r16, "When is_cancelled answers 1, writing ends with CANCELLED.") {
      (subject) throws(CheckEnd) in
      for format in try subject.writableFormats where !subject.isOutOfTime {
        let whole = try subject.write(format, format.format)
        for poll in places(Int(clamping: whole.record.polls), 20) where !subject.isOutOfTime {
          var settings = format
          settings.host.cancelledPoll = UInt64(poll + 1)
          let name = "\(format.format), cancelled at call \(poll + 1) of is_cancelled"
          let written = try subject.write(settings, name)
          guard written.status == Status.cancelled || (written.failure == nil && written.bytes == whole.bytes) else {
            throw .failed(name, expected: "CANCELLED", found: describe(written.failure))
          }
        }
      }
      return nil
    },
    PluginCheck(.writing, "order", .r16, "finish without a frame is OUT_OF_ORDER; no order of calls crashes.") {
      (subject) throws(CheckEnd) in
      for format in try subject.writableFormats {
        for (name, calls) in orders {
          let what = "\(format.format): \(name)"
          subject.stage(what)
          let session = HostSessionProbe()
          let writer = WriterProbe(try subject.writer, session: session)
          guard writer.open(format) == Status.ok else { continue }
          var last = Status.ok
          for call in calls where last == Status.ok { last = run(call, writer, format) }
          writer.close()
          try subject.verify(session, what)
          guard try subject.coder.isKnown(last), last == Status.ok || last >= 0x10 else {
            throw .failed(what, expected: "a status of types.h", found: Status.name(last))
          }
          // This one is in writer.h; of the others, the host makes none.
          guard calls.last != "finish" || calls.contains("add_frame") || last == Status.outOfOrder else {
            throw .failed(what, expected: "OUT_OF_ORDER", found: Status.name(last))
          }
        }
      }
      return nil
    },
    PluginCheck(.writing, "unknown-format", .r16, "A format that the coder does not write is refused.") {
      (subject) throws(CheckEnd) in
      for format in ["com.example.unknown", String(repeating: "x", count: 5_000)] {
        let name = "open for \"\(format.prefix(40))\""
        subject.stage(name)
        let session = HostSessionProbe()
        let writer = WriterProbe(try subject.writer, session: session)
        let status = writer.open(WriteSettings(format: format))
        guard [Status.unsupported, Status.invalidArgument].contains(status) else {
          throw .failed(name, expected: "UNSUPPORTED or INVALID_ARGUMENT", found: Status.name(status))
        }
      }
      return nil
    },
    PluginCheck(
      .writing, "unknown-metadata", .r16, "A kind of metadata that the format has no place for is UNSUPPORTED."
    ) {
      (subject) throws(CheckEnd) in
      guard try subject.writer.writer?.add_metadata != nil else { throw .skipped("the writer has no add_metadata") }
      for format in try subject.writableFormats {
        for kind: UInt32 in [0, 76, 77, .max] {
          var settings = format
          settings.metadata = [(kind, [1, 2, 3, 4])]
          let name = "\(format.format) with metadata of kind \(kind)"
          let written = try subject.write(settings, name)
          guard let failure = written.failure,
            failure.status == Status.unsupported || failure.status == Status.invalidArgument
          else { throw .failed(name, expected: "UNSUPPORTED", found: describe(written.failure)) }
        }
      }
      return nil
    },
    PluginCheck(.writing, "messages", .r14, "Each refusal of the writer has a message.") { (subject) throws(CheckEnd) in
      var count = 0
      for format in try subject.writableFormats {
        for layout in UInt32(1)...10 {
          for isLossless in [false, true] where !subject.isOutOfTime {
            var settings = format
            (settings.pixelFormat, settings.isLossless, settings.frames) = (layout, isLossless, 2)
            let name = "\(format.format) from pixel format \(layout) with 2 frames"
            guard let failure = try subject.write(settings, name).failure, !failure.call.contains("accepted") else {
              continue
            }
            try verify(failure, name)
            count += 1
          }
        }
      }
      return "\(count) refusals"
    },
  ]

  /// Calls after `open`; all but the last may succeed.
  private static let orders: [(String, [String])] = [
    ("finish at once", ["finish"]),
    ("finish after negotiate", ["negotiate", "finish"]),
    ("finish after set_info", ["negotiate", "set_info", "finish"]),
    ("add_frame at once", ["add_frame"]),
    ("add_frame after negotiate", ["negotiate", "add_frame"]),
    ("add_metadata at once", ["add_metadata"]),
    ("add_metadata after a frame", ["negotiate", "set_info", "add_frame", "add_metadata"]),
    ("set_info at once", ["set_info"]),
    ("set_info twice", ["negotiate", "set_info", "set_info"]),
    ("finish twice", ["negotiate", "set_info", "add_frame", "finish", "finish"]),
    ("add_frame after finish", ["negotiate", "set_info", "add_frame", "finish", "add_frame"]),
    ("close at once", []),
    ("close after a frame", ["negotiate", "set_info", "add_frame"]),
  ]

  private static func run(_ call: String, _ writer: WriterProbe, _ settings: WriteSettings) -> UInt32 {
    let alpha = settings.alpha
    switch call {
    case "negotiate":
      let answer = writer.negotiate(settings.pixelFormat, alpha)
      accepted = (answer.format, answer.alpha)
      return answer.status
    case "set_info":
      var info = imgcoder_info()
      (info.width, info.height) = (UInt32(settings.width), UInt32(settings.height))
      (info.pixel_format, info.alpha, info.bits_per_channel) = (accepted.0, accepted.1, 8)
      (info.frame_count, info.page_count, info.orientation) = (1, 1, 1)
      return writer.setInfo(info)
    case "add_metadata": return writer.addMetadata(UInt32(IMGCODER_METADATA_XMP), Array("<x/>".utf8))
    case "add_frame":
      return writer.addFrame(
        TestPixels(width: settings.width, height: settings.height, format: accepted.0, alpha: accepted.1))
    default: return writer.finish()
    }
  }

  /// What negotiate answered last: each check has a process and a thread of its own.
  nonisolated(unsafe) private static var accepted: (UInt32, UInt32) = (UInt32(IMGCODER_PIXEL_RGBA8), 1)
}
