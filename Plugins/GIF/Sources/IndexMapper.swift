// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// Turns a frame's pixels into indexes of a palette.
final class IndexMapper {
  private enum Method {
    case exact(ColorTable)
    case nearest(PaletteSearch)
    case dithered(PaletteSearch)
  }

  private let host: CoderHost
  private let method: Method
  /// What dithering carries from row to row, or nil.
  private var errors: ErrorDiffusion?
  private let errorMemory: UnsafeMutableRawPointer?
  /// What transparent pixels become.
  private let transparentIndex: UInt8

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ palette: FramePalette, isDithered: Bool, width: Int, host: CoderHost) throws(CoderError) {
    transparentIndex = palette.transparentIndex ?? 0
    self.host = host
    guard !palette.isExact else {
      (method, errorMemory) = (.exact(palette.table), nil)
      return
    }
    let search = try PaletteSearch(palette.colors)
    guard isDithered else {
      (method, errorMemory) = (.nearest(search), nil)
      return
    }
    let memory = try host.allocate(bytes: ErrorDiffusion.byteCount(width: width), for: "dithering")
    (method, errorMemory) = (.dithered(search), memory)
    errors = ErrorDiffusion(width: width, memory: memory)
  }

  deinit {
    if let errorMemory { host.free(errorMemory) }
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
    case .dithered(let search):
      errors?.diffuse(row, count: count, search: search, transparentIndex: transparentIndex, to: indexes)
    }
  }
}
