// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CIsolation
import ImageCoderEngine
import ImageCoderModel

/// What a plugin says of itself, told by its server.
struct CoderDescription: Sendable {
  let version: String
  let library: String
  let canRead: Bool
  let canWrite: Bool
  let recognizes: Bool
  let readsIncrementally: Bool
  let writesPages: Bool
  let writerFeatures: WriterFeatures
  let names: ContainerPropertyNames?
  let addsMetadata: Bool
  let takesRGB16: Bool

  /// - Returns: Nil if the bytes are no description of this version.
  init?(_ bytes: UnsafeRawBufferPointer) {
    let size = MemoryLayout<isolation_description>.size
    guard bytes.count >= size else { return nil }
    let raw = bytes.loadUnaligned(as: isolation_description.self)
    guard raw.protocol == UInt32(ISOLATION_PROTOCOL), Int(raw.size) == size else { return nil }
    var rest = bytes.dropFirst(size)
    func text(_ count: UInt32) -> String {
      let part = rest.prefix(Int(count))
      rest = rest.dropFirst(Int(count))
      return String(decoding: part, as: UTF8.self)
    }
    _ = text(raw.id)
    version = text(raw.version)
    library = text(raw.library)
    canRead = raw.reads != 0
    canWrite = raw.writes != 0
    recognizes = raw.recognizes != 0
    readsIncrementally = raw.flags & UInt32(IMGCODER_CODER_READS_INCREMENTALLY) != 0
    writesPages = raw.flags & UInt32(IMGCODER_CODER_WRITES_PAGES) != 0
    var features = WriterFeatures(rawValue: raw.features).subtracting(.thumbnail)
    if raw.adds_thumbnails != 0 { features.insert(.thumbnail) }
    writerFeatures = features
    addsMetadata = raw.adds_metadata != 0
    takesRGB16 = raw.takes_rgb16 != 0
    names =
      raw.has_container == 0
      ? nil
      : ContainerPropertyNames(
        dictionary: text(raw.dictionary), unclampedDelay: text(raw.unclamped_delay), delay: text(raw.delay),
        loopCount: text(raw.loop_count), defaultLoopCount: LoopCount(plays: raw.default_plays))
  }
}
