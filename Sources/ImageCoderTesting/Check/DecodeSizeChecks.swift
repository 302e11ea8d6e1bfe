// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder

extension PluginCheck {
  /// Sizes and parts that are chosen when a picture is decoded.
  static let decodeSizeChecks: [PluginCheck] = [
    PluginCheck(
      .decode, "any-size", .r16, "A drawing is offered at exactly the size that is requested, up to its largest."
    ) { (subject) throws(CheckEnd) in
      var count = 0
      for sample in try subject.samples where !subject.isOutOfTime {
        guard let reader = try subject.opened(sample), let info = Self.decodable(reader), isDrawing(info) else {
          continue
        }
        for (width, height) in Self.drawnSizes(info) {
          let what = "\(sample.name) at \(width)×\(height)"
          subject.stage(what)
          let (status, offer) = reader.negotiate(ReaderProbe.request(0, 0, width: width, height: height))
          guard status == Status.ok, offer.width == width, offer.height == height, offer.whole_width == 0 else {
            throw .failed(
              what, expected: "an offer of that size",
              found: status == Status.ok ? "\(offer.width)×\(offer.height)" : Status.name(status))
          }
          guard let picture = reader.decode(offer), picture.status == Status.ok, picture.isWhole else {
            throw .failed(what, expected: "a decode of what was offered", found: reader.session.message)
          }
          try subject.verify(reader.session, what)
          count += 1
        }
        guard info.largest_side > 0, info.largest_side < .max else { continue }
        let beyond = ReaderProbe.request(0, 0, width: info.largest_side + 1, height: 1)
        let status = reader.negotiate(beyond).status
        guard status >= 0x10 else {
          throw .failed(
            "\(sample.name) with \(info.largest_side + 1) columns", expected: "an error, as largest_side is less",
            found: Status.name(status))
        }
      }
      guard count > 0 else { throw .skipped("no sample is a drawing (IMGCODER_INFO_ANY_SIZE)") }
      return "\(count) sizes"
    },
    PluginCheck(
      .decode, "part", .r10, "A part that is offered contains what is wanted, and has the bytes of the whole."
    ) {
      (subject) throws(CheckEnd) in
      var count = 0
      for sample in try subject.samples where !subject.isOutOfTime {
        guard let reader = try subject.opened(sample), let info = Self.decodable(reader) else { continue }
        let (status, frame) = reader.frameInfo(0, 0)
        guard status == Status.ok else { continue }
        for divisor: UInt32 in [1, 2, 3] {
          var request = ReaderProbe.request(
            0, 0, width: max(1, frame.width / divisor), height: max(1, frame.height / divisor))
          let (wholeStatus, whole) = reader.negotiate(request)
          (request.part_x, request.part_y) = (request.width / 3, request.height / 3)
          (request.part_width, request.part_height) = (max(1, request.width / 4), max(1, request.height / 4))
          let what = """
            \(sample.name): \(request.part_width)×\(request.part_height) at \(request.part_x),\(request.part_y) of \
            \(request.width)×\(request.height)
            """
          subject.stage(what)
          let (status, offer) = reader.negotiate(request)
          guard wholeStatus == Status.ok, status == Status.ok else { continue }
          try Self.verify(offer, isLater: try subject.coder.isLater, what)
          guard offer.whole_width > 0 else { continue }
          guard contains(offer, request) else {
            throw .failed(
              what, expected: "a part that contains it",
              found: "\(offer.width)×\(offer.height) at \(offer.part_x),\(offer.part_y) of "
                + "\(offer.whole_width)×\(offer.whole_height)")
          }
          guard let part = reader.decode(offer), part.status == Status.ok, part.isWhole else {
            throw .failed(what, expected: "a decode of what was offered", found: reader.session.message)
          }
          try subject.verify(reader.session, what)
          count += 1
          guard whole.width == offer.whole_width, whole.height == offer.whole_height,
            whole.pixel_format == offer.pixel_format, let all = reader.decode(whole)
          else { continue }
          let tolerance = Self.isDrawing(info) ? drawnDifference : 0
          if let row = part.rowThatDiffers(from: all, by: tolerance) {
            throw .failed(
              what, expected: tolerance == 0 ? "the bytes of the whole" : "the whole's, but for \(tolerance) of 255",
              found: "row \(row) has others")
          }
        }
      }
      guard count > 0 else { throw .skipped("the reader offers no parts") }
      return "\(count) parts"
    },
  ]

  /// What edges that are drawn may differ by: where a line lies between pixels is rounded from the part's own corner.
  private static let drawnDifference = 8

  /// Whether a page has no pixels of its own.
  static func isDrawing(_ info: imgcoder_info) -> Bool { info.flags & UInt32(IMGCODER_INFO_ANY_SIZE) != 0 }

  /// Sizes that every drawing has, smaller and larger than its own, as far as its reader draws them.
  private static func drawnSizes(_ info: imgcoder_info) -> [(UInt32, UInt32)] {
    let (width, height) = (min(info.width, 1000), min(info.height, 1000))
    let most = info.largest_side == 0 ? 3000 : min(info.largest_side, 3000)
    return [(1, 1), (7, 3), (max(1, width / 2), max(1, height / 2)), (width * 2, height * 2), (width * 3 - 1, height)]
      .filter { $0.0 <= most && $0.1 <= most }
  }

  /// Whether what is offered has the wanted part of the picture at the offered scale.
  private static func contains(_ offer: imgcoder_offer, _ request: imgcoder_request) -> Bool {
    let across = Double(offer.whole_width) / Double(request.width)
    let down = Double(offer.whole_height) / Double(request.height)
    let rest = 1e-6
    return Double(offer.part_x) <= Double(request.part_x) * across + rest
      && Double(offer.part_x + offer.width) >= Double(request.part_x + request.part_width) * across - rest
      && Double(offer.part_y) <= Double(request.part_y) * down + rest
      && Double(offer.part_y + offer.height) >= Double(request.part_y + request.part_height) * down - rest
  }
}

extension ReaderProbe.Picture {
  /// The first row of this part that is not that of a whole picture, or nil.
  ///
  /// - Parameter tolerance: Of bytes, for pixel formats of 8 bits; 0 for equal ones.
  fileprivate func rowThatDiffers(from whole: Self, by tolerance: Int) -> Int? {
    let pixel = Int(checking_bytes_per_pixel(offer.pixel_format))
    return (0..<Int(offer.height)).first { y in
      let place = (y + Int(offer.part_y)) * whole.rowBytes + Int(offer.part_x) * pixel
      let (own, other) = (pixels[(y * rowBytes)..<((y + 1) * rowBytes)], whole.pixels[place..<(place + rowBytes)])
      return tolerance == 0 ? own != other : zip(own, other).contains { abs(Int($0) - Int($1)) > tolerance }
    }
  }
}
