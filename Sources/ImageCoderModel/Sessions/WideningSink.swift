// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs

/// A sink for rows without alpha on the way to one that takes them with alpha.
///
/// Rows are written into the memory of the wider ones and made wider there, from their ends, when they are done. A row that is
/// asked for once more, for a later pass, is made narrow again first.
private final class WideningSink {
  private let outer: RowSink
  private let samples: NarrowSamples
  private let width: Int
  private let order: RowOrder
  /// What became of each row, for rows in any order.
  private var states: [State]
  /// The last rows that were granted in top-down order, and the first one's number.
  private var granted = imgcoder_rows()
  private var first = 0

  private enum State: UInt8 {
    case untouched, narrow, wide
  }

  init(_ outer: RowSink, samples: NarrowSamples, offer: DecodeOffer) {
    self.outer = outer
    self.samples = samples
    width = offer.size.width
    order = offer.rowOrder
    states = order == .any ? [State](repeating: .untouched, count: offer.size.height) : []
  }

  func withSink(_ body: (RowSink) throws(CoderError) -> Void) throws(CoderError) {
    var raw = imgcoder_sink_sized()
    raw.context = Unmanaged.passUnretained(self).toOpaque()
    raw.rows = { sink, y, count, granted in
      guard let context = sink?.pointee.context, let granted else { return InterfaceStatus.invalidArgument }
      return Unmanaged<WideningSink>.fromOpaque(context).takeUnretainedValue()
        .grant(at: y, count: count, granted)
    }
    raw.done = { sink, y, count, pass in
      guard let context = sink?.pointee.context else { return InterfaceStatus.invalidArgument }
      return Unmanaged<WideningSink>.fromOpaque(context).takeUnretainedValue()
        .take(at: y, count: count, pass: pass)
    }
    let result: Result<Void, CoderError> = withExtendedLifetime(self) {
      withUnsafePointer(to: raw) { pointer in
        do throws(CoderError) { return .success(try body(RowSink(pointer))) } catch { return .failure(error) }
      }
    }
    try result.get()
  }

  private func grant(
    at y: UInt32, count: UInt32, _ rows: UnsafeMutablePointer<imgcoder_rows>
  ) -> imgcoder_status {
    let status = outer.raw.pointee.rows(outer.raw, y, count, rows)
    guard status == InterfaceStatus.ok, let base = rows.pointee.pixels else { return status }
    guard order == .any else {
      granted = rows.pointee
      first = Int(y)
      return status
    }
    for row in 0..<max(0, min(Int(count), states.count - Int(y))) {
      if states[Int(y) + row] == .wide { samples.narrow(base + row * Int(rows.pointee.stride), count: width) }
      states[Int(y) + row] = .narrow
    }
    return status
  }

  /// What the host will refuse is left as it is.
  private func take(at y: UInt32, count: UInt32, pass: UInt32) -> imgcoder_status {
    let (place, rows) = (Int(y), Int(count))
    if order == .topDown {
      if let base = granted.pixels, place >= first, rows <= Int(granted.count) - (place - first) {
        widen(base + (place - first) * Int(granted.stride), stride: Int(granted.stride), count: rows)
      }
    } else if place + rows <= states.count, states[place..<(place + rows)].allSatisfy({ $0 != .untouched }) {
      for row in place..<(place + rows) where states[row] == .narrow {
        var again = imgcoder_rows()
        let status = outer.raw.pointee.rows(outer.raw, UInt32(row), 1, &again)
        guard status == InterfaceStatus.ok, let base = again.pixels else { return status }
        widen(base, stride: 0, count: 1)
        states[row] = .wide
      }
    }
    return outer.raw.pointee.done(outer.raw, y, count, pass)
  }

  private func widen(_ base: UnsafeMutablePointer<UInt8>, stride: Int, count: Int) {
    for row in 0..<count { samples.widen(base + row * stride, count: width) }
  }
}

/// Samples that lie closer in a row than those with alpha which are made of them.
private enum NarrowSamples {
  /// Three integers or halves, and what stands for opaque.
  case three16(opaque: UInt16)
  case three32
  case gray32

  init?(_ offer: DecodeOffer) {
    switch offer.rowFormat {
    case .rgbFloat16: self = .three16(opaque: 0x3C00)
    case .rgbFloat32: self = .three32
    case .grayFloat32: self = .gray32
    case .cmyk8, .cmyk16: return nil
    case nil:
      guard offer.pixelFormat == .rgb16 else { return nil }
      self = .three16(opaque: .max)
    }
  }

  func widen(_ row: UnsafeMutableRawPointer, count: Int) {
    switch self {
    case .three16(let opaque): Self.widen(row, count: count, opaque: opaque)
    case .three32: Self.widen(row, count: count, opaque: Float(1).bitPattern)
    case .gray32:
      let samples = row.assumingMemoryBound(to: UInt32.self)
      for x in stride(from: count - 1, through: 0, by: -1) {
        let gray = samples[x]
        samples[4 &* x] = gray
        samples[4 &* x &+ 1] = gray
        samples[4 &* x &+ 2] = gray
        samples[4 &* x &+ 3] = Float(1).bitPattern
      }
    }
  }

  func narrow(_ row: UnsafeMutableRawPointer, count: Int) {
    switch self {
    case .three16: Self.narrow(row, UInt16.self, channels: 3, count: count)
    case .three32: Self.narrow(row, UInt32.self, channels: 3, count: count)
    case .gray32: Self.narrow(row, UInt32.self, channels: 1, count: count)
    }
  }

  @inline(__always)
  private static func widen<Sample>(_ row: UnsafeMutableRawPointer, count: Int, opaque: Sample) {
    let samples = row.assumingMemoryBound(to: Sample.self)
    for x in stride(from: count - 1, through: 0, by: -1) {
      let (red, green, blue) = (samples[3 &* x], samples[3 &* x &+ 1], samples[3 &* x &+ 2])
      samples[4 &* x] = red
      samples[4 &* x &+ 1] = green
      samples[4 &* x &+ 2] = blue
      samples[4 &* x &+ 3] = opaque
    }
  }

  @inline(__always)
  private static func narrow<Sample>(_ row: UnsafeMutableRawPointer, _: Sample.Type, channels: Int, count: Int) {
    let samples = row.assumingMemoryBound(to: Sample.self)
    for x in 0..<count {
      for channel in 0..<channels { samples[channels &* x &+ channel] = samples[4 &* x &+ channel] }
    }
  }
}

extension RowSink {
  /// Calls `body` with a sink for the rows of an offer without alpha: what reaches this one is
  /// ``DecodeOffer/withAlpha``. Other rows reach it as they are.
  package func widening(
    _ offer: DecodeOffer, _ body: (RowSink) throws(CoderError) -> Void
  ) throws(CoderError) {
    guard let samples = NarrowSamples(offer) else { return try body(self) }
    try WideningSink(self, samples: samples, offer: offer).withSink(body)
  }
}

extension DecodeOffer {
  /// The same picture in a format with alpha that version 1.0 of the interface has, or nil if it is in one of those already.
  package var withAlpha: DecodeOffer? {
    guard NarrowSamples(self) != nil else { return nil }
    var wide = self
    wide.pixelFormat = rowFormat?.pixelFormat ?? .rgba16
    wide.rowFormat = nil
    wide.alpha = .opaque
    return wide
  }
}
