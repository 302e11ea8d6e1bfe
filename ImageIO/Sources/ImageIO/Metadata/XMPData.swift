// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  public import Foundation
  import ImageCodersBuiltIn

  /// The packet of XMP that says what metadata say. Nil for metadata without tags. Options are not looked at.
  public func CGImageMetadataCreateXMPData(_ metadata: CGImageMetadata, _ options: CFDictionary?) -> CFData? {
    guard !metadata.nodes.isEmpty, let packet = try? XMPPacket(metadata.nodes).bytes() else { return nil }
    return NSData(data: Data(packet))
  }

  /// What a packet of XMP says; nil for data that is none.
  public func CGImageMetadataCreateFromXMPData(_ data: CFData) -> CGImageMetadata? {
    (try? XMPPacket([UInt8](data as Data))).map { CGImageMetadata($0) }
  }
#endif
