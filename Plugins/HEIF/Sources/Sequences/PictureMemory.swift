// SPDX-License-Identifier: Apache-2.0

import CDe265
import HEVCBitstream
import ImageCoderPlugin

/// Memory for the pictures that libde265 holds: of the host, of one size, and no more than the offer announced.
///
/// Pictures start out black, so that parts that a damaged bitstream leaves out are the same every time.
///
/// - Lifetime: Longer than the decoder's.
/// - Threads: One at a time, as the session.
final class PictureMemory {
  private let host: CoderHost
  private let sequence: SequenceParameters
  /// Blocks that no picture uses.
  private var spare: [UnsafeMutableRawPointer] = []
  private var live = 0
  private let limit: Int
  /// Why the host gave no memory for a picture. libde265 itself tells no reason.
  private var failure: CoderError?

  init(host: CoderHost, sequence: SequenceParameters) {
    self.host = host
    self.sequence = sequence
    limit = Self.pictures(for: sequence)
  }

  deinit { for block in spare { host.free(block) } }

  /// Pictures at a time: the buffer of the bitstream, what waits to be shown, and what stands in for missing ones.
  private static func pictures(for sequence: SequenceParameters) -> Int { sequence.bufferedPictures + 4 }

  /// What decoding needs: libde265 keeps about a byte beside each pixel, and a copy of one picture while it filters.
  static func bytes(for sequence: SequenceParameters) -> Int {
    let pixels = sequence.codedSize.pixelCount
    let picture = Layout(sequence).byteCount
    // At most 20 pictures of 2^28 pixels with 7 bytes each.
    return pictures(for: sequence) * (picture + pixels + pixels / 4) + picture
  }

  /// Where the planes of one picture lie in a block.
  private struct Layout {
    var strides = [0, 0, 0]
    var heights = [0, 0, 0]
    /// libde265's vector code reads and writes whole vectors at the end of a plane.
    private static let padding = 64

    init(_ sequence: SequenceParameters) {
      let size = sequence.codedSize
      let bytes = sequence.bitDepth > 8 ? 2 : 1
      let format = sequence.chromaFormat
      func stride(_ width: Int) -> Int { (width + 15) / 16 * 16 * bytes }
      let chromaWidth = (size.width + format.width - 1) / format.width
      let chromaHeight = (size.height + format.height - 1) / format.height
      strides =
        [stride(size.width)] + (format == .monochrome ? [0, 0] : [stride(chromaWidth), stride(chromaWidth)])
      heights = [size.height, chromaHeight, chromaHeight]
    }

    func bytes(of plane: Int) -> Int { strides[plane] == 0 ? 0 : strides[plane] * heights[plane] + Self.padding }
    var byteCount: Int { bytes(of: 0) + bytes(of: 1) + bytes(of: 2) }
  }

  /// Makes a decoder take its pictures from here.
  func serve(_ decoder: UnsafeMutableRawPointer) {
    var functions = de265_image_allocation(
      get_buffer: { _, spec, image, memory in
        guard let spec, let image, let memory else { return 0 }
        return Unmanaged<PictureMemory>.fromOpaque(memory).takeUnretainedValue().provide(image, as: spec.pointee)
      },
      release_buffer: { _, image, memory in
        guard let image, let memory else { return }
        Unmanaged<PictureMemory>.fromOpaque(memory).takeUnretainedValue().takeBack(image)
      })
    de265_set_image_allocation_functions(decoder, &functions, Unmanaged.passUnretained(self).toOpaque())
  }

  /// - Returns: 1, or 0 when the picture is not of the size that was announced, or there are too many.
  private func provide(_ image: OpaquePointer, as spec: de265_image_spec) -> Int32 {
    guard live < limit, Int(spec.width) == sequence.codedSize.width, Int(spec.height) == sequence.codedSize.height,
      Int(de265_get_bits_per_pixel(image, 0)) == sequence.bitDepth
    else { return 0 }
    let layout = Layout(sequence)
    let block: UnsafeMutableRawPointer
    if let used = spare.popLast() {
      block = used
    } else {
      do throws(CoderError) {
        block = try host.allocate(bytes: layout.byteCount, alignment: 64, for: "a picture")
      } catch {
        failure = error
        return 0
      }
    }
    live += 1
    block.initializeMemory(as: UInt8.self, repeating: 0, count: layout.bytes(of: 0))
    var place = block
    for plane in 0..<3 where layout.strides[plane] > 0 {
      if plane > 0 { clearChroma(place, bytes: layout.bytes(of: plane)) }
      de265_set_image_plane(image, Int32(plane), place, Int32(layout.strides[plane]), block)
      place += layout.bytes(of: plane)
    }
    return 1
  }

  /// Why the host gave no memory since this was asked, if it gave none.
  func takeFailure() -> CoderError? {
    defer { failure = nil }
    return failure
  }

  private func clearChroma(_ plane: UnsafeMutableRawPointer, bytes: Int) {
    if sequence.bitDepth == 8 {
      plane.initializeMemory(as: UInt8.self, repeating: 128, count: bytes)
    } else {
      plane.initializeMemory(as: UInt16.self, repeating: 1 << UInt16(sequence.bitDepth - 1), count: bytes / 2)
    }
  }

  private func takeBack(_ image: OpaquePointer) {
    guard let block = de265_get_image_plane_user_data(image, 0) else { return }
    live -= 1
    spare.append(block)
  }
}
