// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// Turns a frame's pixels into indexes of a palette.
final class IndexMapper {
  private enum Method {
    case exact(ColorTable)
    case nearest(PaletteSearch)
    case dithered(PaletteSearch, ErrorDiffusion)
  }

  private let method: Method
  /// What transparent pixels become.
  private let transparentIndex: UInt8

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ palette: FramePalette, isDithered: Bool, width: Int, host: CoderHost) throws(CoderError) {
    transparentIndex = palette.transparentIndex ?? 0
    if palette.isExact {
      method = .exact(palette.table)
    } else {
      let search = PaletteSearch(palette.colors)
      method = isDithered ? .dithered(search, try ErrorDiffusion(width: width, host: host)) : .nearest(search)
    }
  }

  /// Maps a row. With dithering, rows have to come from the top.
  func map(_ row: UnsafePointer<UInt32>, count: Int, to indexes: UnsafeMutablePointer<UInt8>) {
    switch method {
    case .exact(let table):
      var (last, index) = (UInt32.max ^ row[0], UInt8(0))
      for x in 0..<count {
        if row[x] != last {
          last = row[x]
          index = table.index(of: last) ?? transparentIndex
        }
        indexes[x] = index
      }
    case .nearest(let search):
      for x in 0..<count { indexes[x] = row[x] == 0 ? transparentIndex : search.index(near: row[x]) }
    case .dithered(let search, let errors):
      errors.diffuse(row, count: count, search: search, transparentIndex: transparentIndex, to: indexes)
    }
  }
}

/// Error diffusion by the weights of Floyd and Steinberg, every row from left to right.
final class ErrorDiffusion {
  private let host: CoderHost
  /// Sixteenths of levels, three channels of a pixel in four lanes; a pixel more on either side.
  private var current: UnsafeMutablePointer<SIMD4<Int32>>
  private var next: UnsafeMutablePointer<SIMD4<Int32>>
  private let width: Int

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(width: Int, host: CoderHost) throws(CoderError) {
    self.host = host
    self.width = width + 2
    let bytes = (width + 2) * MemoryLayout<SIMD4<Int32>>.stride
    current = try host.allocate(bytes: bytes, for: "dithering").bindMemory(to: SIMD4<Int32>.self, capacity: width + 2)
    do throws(CoderError) {
      next = try host.allocate(bytes: bytes, for: "dithering").bindMemory(to: SIMD4<Int32>.self, capacity: width + 2)
    } catch {
      host.free(current)
      throw error
    }
    current.initialize(repeating: .zero, count: width + 2)
    next.initialize(repeating: .zero, count: width + 2)
  }

  deinit {
    host.free(current)
    host.free(next)
  }

  func diffuse(
    _ row: UnsafePointer<UInt32>, count: Int, search: PaletteSearch, transparentIndex: UInt8,
    to indexes: UnsafeMutablePointer<UInt8>
  ) {
    let (zero, top) = (SIMD4<Int32>.zero, SIMD4<Int32>(repeating: 255))
    search.colors.withUnsafeBufferPointer { colors in
      for x in 0..<count {
        let pixel = row[x]
        guard pixel != 0 else {
          // The error ends at the edge of what is visible.
          indexes[x] = transparentIndex
          continue
        }
        let wanted = (Self.channels(pixel) &+ ((current[x &+ 1] &+ 8) &>> 4)).clamped(lowerBound: zero, upperBound: top)
        let index = search.index(
          near: UInt32(truncatingIfNeeded: wanted.x | wanted.y &<< 8 | wanted.z &<< 16) | 0xFF00_0000)
        indexes[x] = index
        let error = wanted &- Self.channels(colors[Int(index)])
        current[x &+ 2] &+= error &* 7
        next[x] &+= error &* 3
        next[x &+ 1] &+= error &* 5
        next[x &+ 2] &+= error
      }
    }
    swap(&current, &next)
    next.update(repeating: .zero, count: width)
  }

  private static func channels(_ pixel: UInt32) -> SIMD4<Int32> {
    SIMD4(
      Int32(truncatingIfNeeded: pixel & 0xFF), Int32(truncatingIfNeeded: pixel >> 8 & 0xFF),
      Int32(truncatingIfNeeded: pixel >> 16 & 0xFF), 0)
  }
}
