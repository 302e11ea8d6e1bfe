// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin

@testable import SVGCoder

/// A document in memory.
struct SmallDrawing {
  var bytes: [UInt8]
  var limits = Limits.standard

  init(_ attributes: String, _ content: String = "") {
    bytes = Array("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
  }

  /// - Parameter background: As the option has it.
  func reader(background: String = "") throws(CoderError) -> SVGReader {
    let options = OpenOptions(values: background.isEmpty ? [:] : ["background": .word(background)])
    return try SVGReader(MemorySource(bytes).view, host: MemoryHost(limits).host, options: options)
  }

  /// What is drawn, and where it lies.
  func pixels(
    size: Size? = nil, part: Rect? = nil, most: Int = .max, background: String = ""
  ) throws(CoderError) -> [UInt8] {
    let reader = try reader(background: background)
    let offer = try reader.offer(for: DecodeRequest(size: size, part: part))
    let sink = MemorySink(offer, most: most)
    try reader.decode(offer, into: sink.sink)
    return sink.pixels
  }
}
