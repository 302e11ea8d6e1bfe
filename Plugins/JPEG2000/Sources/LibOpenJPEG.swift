// SPDX-License-Identifier: Apache-2.0

import COpenJPEG
import ImageCoderPlugin

/// What the wrapped library says of itself.
enum LibOpenJPEG {
  /// The library as it was found at run time, `openjpeg 2.5.0`.
  static var name: String { "openjpeg \(version)" }

  private static var version: String { String(cString: opj_version()) }

  /// Whether resolutions can be left out of a tile that is cut.
  ///
  /// Before 2.5.1 the library then passes over packets after the end of its data, and writes there.
  static let reducesCutTiles: Bool = {
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    return !numbers.lexicographicallyPrecedes([2, 5, 1])
  }()
}

/// Collects what the library says during one call; nothing reaches standard error.
final class LibraryMessages {
  private let host: CoderHost
  private var lines = 0
  /// The first error: later ones only tell which functions it passed through.
  private(set) var error: String?

  /// A broken file makes a library say the same for every block.
  private static let maxLines = 16

  init(_ host: CoderHost) { self.host = host }

  /// Sends the messages of a codec here.
  func listen(to codec: UnsafeMutablePointer<opj_codec_t?>) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    opj_set_info_handler(codec, { _, _ in }, nil)
    opj_set_warning_handler(codec, { LibraryMessages.at($1)?.take($0, isError: false) }, context)
    opj_set_error_handler(codec, { LibraryMessages.at($1)?.take($0, isError: true) }, context)
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> LibraryMessages? {
    context.map { Unmanaged<LibraryMessages>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(_ text: UnsafePointer<CChar>?, isError: Bool) {
    guard let text, lines < Self.maxLines || (isError && error == nil) else { return }
    var bytes = Array(UnsafeRawBufferPointer(start: text, count: Self.length(of: text)))
    while let last = bytes.last, last <= 0x20 || last == UInt8(ascii: ".") { bytes.removeLast() }
    let line = String(decoding: bytes.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
    if isError, error == nil { error = line }
    lines += 1
    host.log("openjpeg: \(line)", severity: .debug)
  }

  private static func length(of text: UnsafePointer<CChar>) -> Int {
    var length = 0
    while length < 400, text[length] != 0 { length += 1 }
    return length
  }
}

/// One decoded tile: a plane of 32-bit samples for each component.
///
/// - Threads: Any, one at a time.
final class DecodedTile {
  private let image: UnsafeMutablePointer<opj_image_t>

  /// Samples of a component in the tile.
  struct Plane {
    let samples: UnsafePointer<Int32>
    /// The column of the first sample, counted from the grid's origin at this resolution.
    let x0: Int
    let y0: Int
    let width: Int
    let height: Int
  }

  /// Components that were not decoded, or have no samples here, are nil.
  let planes: [Plane?]

  private init(_ image: UnsafeMutablePointer<opj_image_t>, planes: [Plane?]) {
    self.image = image
    self.planes = planes
  }

  deinit { opj_image_destroy(image) }

  /// Bytes that the library asks for at a time beyond its own large reads.
  private static let streamBuffer = 4096

  /// Decodes the tile that a stream holds.
  ///
  /// - Parameters:
  ///   - reduction: Resolutions that are left out.
  ///   - wanted: Components to decode, or nil for all. Only for tiles without a component transform.
  ///   - messages: Says why, when this fails.
  /// - Returns: nil when the library fails.
  static func decode(
    _ stream: TileStream, area: ReferenceGrid.Area, grid: ReferenceGrid, reduction: Int, wanted: [Int]?,
    levels: (Int) -> Int, messages: LibraryMessages
  ) -> DecodedTile? {
    guard let codec = opj_create_decompress(OPJ_CODEC_J2K) else { return nil }
    defer { opj_destroy_codec(codec) }
    messages.listen(to: codec)
    var parameters = opj_dparameters_t()
    opj_set_default_decoder_parameters(&parameters)
    parameters.cp_reduce = UInt32(reduction)
    guard opj_setup_decoder(codec, &parameters) != 0 else { return nil }
    // What a cut tile has is wanted; whether it is cut is known already.
    opj_decoder_set_strict_mode(codec, reduction == 0 || LibOpenJPEG.reducesCutTiles ? 0 : 1)
    // Whatever OPJ_NUM_THREADS says, threads are the host's.
    opj_codec_set_threads(codec, 0)
    guard let input = opj_stream_create(streamBuffer, 1) else { return nil }
    defer { opj_stream_destroy(input) }
    connect(input, to: stream)

    var found: UnsafeMutablePointer<opj_image_t>?
    defer { if let found { opj_image_destroy(found) } }
    guard opj_read_header(input, codec, &found) != 0, let image = found,
      Int(image.pointee.numcomps) == grid.components.count
    else { return nil }
    if let wanted {
      let indices = wanted.map { UInt32($0) }
      guard opj_set_decoded_components(codec, UInt32(indices.count), indices, 0) != 0 else { return nil }
    }
    // Zeros are the whole image. Without this, sizes of reduced pictures away from the origin are wrong.
    guard opj_set_decode_area(codec, image, 0, 0, 0, 0) != 0 else { return nil }
    guard opj_decode(codec, input, image) != 0, !stream.isCancelled else { return nil }
    let planes = planes(
      of: image, area: area, grid: grid, wanted: wanted, reduction: reduction, levels: levels)
    guard let planes else { return nil }
    found = nil
    return DecodedTile(image, planes: planes)
  }

  /// Takes the planes, if they are what the grid says.
  private static func planes(
    of image: UnsafeMutablePointer<opj_image_t>, area: ReferenceGrid.Area, grid: ReferenceGrid, wanted: [Int]?,
    reduction: Int, levels: (Int) -> Int
  ) -> [Plane?]? {
    var planes = [Plane?](repeating: nil, count: grid.components.count)
    // The library leaves no gaps for components that were not asked for.
    let order = wanted ?? Array(grid.components.indices)
    guard Int(image.pointee.numcomps) == order.count else { return nil }
    for (place, index) in order.enumerated() {
      let component = grid.components[index]
      let plane = image.pointee.comps[place]
      let samples = area.samples(of: component, reduction: reduction)
      guard let data = plane.data, !samples.isEmpty else { continue }
      // Where packets of the finest resolution are missing altogether, a smaller picture lies in a corner. A component
      // that no halving makes smaller has no packets there.
      let reached = area.samples(of: component, reduction: max(0, levels(index) - Int(plane.resno_decoded)))
      guard Int(plane.w) == samples.size.width, Int(plane.h) == samples.size.height,
        reached.size == samples.size
      else { return nil }
      planes[index] = Plane(
        samples: UnsafePointer(data), x0: samples.x0, y0: samples.y0, width: samples.size.width,
        height: samples.size.height)
    }
    return planes
  }

  private static func connect(_ input: UnsafeMutablePointer<opj_stream_t?>, to stream: TileStream) {
    opj_stream_set_user_data(input, Unmanaged.passUnretained(stream).toOpaque(), nil)
    opj_stream_set_user_data_length(input, UInt64(stream.byteCount))
    opj_stream_set_read_function(input) { buffer, count, context in
      guard let context, let buffer else { return -1 }
      let stream = Unmanaged<TileStream>.fromOpaque(context).takeUnretainedValue()
      guard !stream.isCancelled else { return -1 }
      let copied = stream.read(into: buffer, count: Int(clamping: count))
      // The library takes -1, which is its largest number, for the end.
      return copied == 0 ? -1 : copied
    }
    opj_stream_set_skip_function(input) { count, context in
      guard let context else { return -1 }
      let stream = Unmanaged<TileStream>.fromOpaque(context).takeUnretainedValue()
      let (target, overflow) = stream.position.addingReportingOverflow(Int(count))
      return !overflow && stream.seek(to: target) ? count : -1
    }
    opj_stream_set_seek_function(input) { offset, context in
      guard let context else { return 0 }
      return Unmanaged<TileStream>.fromOpaque(context).takeUnretainedValue().seek(to: Int(offset)) ? 1 : 0
    }
  }
}
