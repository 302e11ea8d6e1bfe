// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The draft extension for auxiliary pictures over a reader written in Swift.
enum AuxiliaryCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_auxiliary_pictures_table>? = {
    var table = imgcoder_auxiliary_pictures_table_sized()
    table.count = { raw, result in
      guard let session = ReaderCalls.Session.of(raw), let result else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        result.pointee = UInt32(clamping: try session.auxiliaryPictures().count)
      }
    }
    table.describe = { raw, index, result in
      guard let session = ReaderCalls.Session.of(raw), let result else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        let pictures = try session.auxiliaryPictures()
        guard index < pictures.count else {
          throw .invalidArgument("auxiliary picture \(index) of a file that has \(pictures.count)")
        }
        var described = pictures[Int(index)].raw
        imgcoder_auxiliary_write(&described, result)
      }
    }
    return UnsafePointer(imgcoder_auxiliary_pictures_table_keep(table))
  }()
}

/// An auxiliary picture with its bytes in memory that lives as long as the session.
final class AuxiliaryDescription {
  let picture: AuxiliaryPicture
  private let type: UnsafeMutableBufferPointer<UInt8>
  private let metadata: UnsafeMutableBufferPointer<UInt8>
  private let profile: UnsafeMutableBufferPointer<UInt8>

  init(_ picture: AuxiliaryPicture) {
    self.picture = picture
    type = Self.kept(Array(picture.typeName.utf8))
    metadata = Self.kept(picture.gainMapMetadata ?? [])
    profile = Self.kept(picture.alternateProfile ?? [])
  }

  deinit {
    type.deallocate()
    metadata.deallocate()
    profile.deallocate()
  }

  var raw: imgcoder_auxiliary {
    var raw = imgcoder_auxiliary_sized()
    raw.kind = picture.kind.rawValue
    raw.page = UInt32(clamping: picture.page)
    raw.owner = UInt32(clamping: picture.owner)
    raw.type.bytes = UnsafeRawPointer(type.baseAddress)?.assumingMemoryBound(to: CChar.self)
    raw.type.length = UInt64(type.count)
    if picture.gainMapMetadata != nil {
      raw.gain_map = UnsafePointer(metadata.baseAddress)
      raw.gain_map_length = UInt64(metadata.count)
    }
    if picture.alternateProfile != nil {
      raw.alternate_icc = UnsafePointer(profile.baseAddress)
      raw.alternate_icc_length = UInt64(profile.count)
    }
    if let colors = picture.alternateColors {
      raw.alternate_cicp.primaries = colors.primaries
      raw.alternate_cicp.transfer = colors.transfer
      raw.alternate_cicp.matrix = colors.matrix
      raw.alternate_cicp.full_range = colors.isFullRange ? 1 : 0
    }
    return raw
  }

  private static func kept(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    return copy
  }
}
