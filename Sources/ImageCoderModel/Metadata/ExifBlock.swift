// SPDX-License-Identifier: Apache-2.0

/// What an Exif payload is made of: a small TIFF structure with what a file says of its picture, its Exif directory, and its
/// GPS directory.
///
/// Most formats have the payload as it is. A file that is itself a TIFF structure, as those of most cameras are, has the
/// directories among those of its pixels, and its reader makes a payload of them:
///
///     let fields = TIFFFieldWriter(order: .littleEndian)
///     var block = ExifBlock()
///     block.main = [fields.text(0x010F, "Maker"), fields.shorts(0x0112, [6])].compactMap(\.self)
///     block.exif = [fields.rationals(0x829A, [1 / 250])].compactMap(\.self)
///     let payload = try block.payload(fields.order)
///
/// Values keep their bytes. Offsets inside of them, as some cameras' MakerNote has, are not followed.
///
/// - Format: Exif 2.32 §§4.5–4.6.
public struct ExifBlock: Sendable, Equatable {
  /// The descriptive fields of the first directory, without pointers.
  public var main: [TIFFField] = []
  /// The fields of Exif's own directory, without pointers.
  public var exif: [TIFFField] = []
  /// The fields of the directory of places.
  public var gps: [TIFFField] = []
  /// The fields of the directory of interoperability.
  public var interoperability: [TIFFField] = []

  /// A block without fields.
  public init() {}

  private static let exifPointer = 0x8769
  private static let gpsPointer = 0x8825
  private static let interoperabilityPointer = 0xA005

  private var hasExif: Bool { !exif.isEmpty || !interoperability.isEmpty }

  /// The structure as a payload, from its TIFF header on. Directories without fields are left out.
  ///
  /// - Parameter order: That of the fields' values.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public func payload(_ order: ByteOrder) throws(CoderError) -> [UInt8] {
    let writer = TIFFFieldWriter(order: order)
    var fields = main
    // The nested directories come after the first one, whose size does not depend on where they are.
    if hasExif { fields.append(writer.long(Self.exifPointer, 0)) }
    if !gps.isEmpty { fields.append(writer.long(Self.gpsPointer, 0)) }
    let start = writer.headerSize
    let exifPlace = try start + writer.directory(fields, at: start).count
    var inner = exif
    if !interoperability.isEmpty { inner.append(writer.long(Self.interoperabilityPointer, 0)) }
    let innerPlace = try exifPlace + (hasExif ? writer.directory(inner, at: exifPlace).count : 0)
    if !interoperability.isEmpty { inner[inner.count - 1] = writer.long(Self.interoperabilityPointer, innerPlace) }
    let nested = interoperability.isEmpty ? [] : try writer.directory(interoperability, at: innerPlace)
    let gpsPlace = innerPlace + nested.count
    if hasExif { fields[main.count] = writer.long(Self.exifPointer, exifPlace) }
    if !gps.isEmpty { fields[fields.count - 1] = writer.long(Self.gpsPointer, gpsPlace) }
    var payload = try writer.header(firstDirectory: start) + writer.directory(fields, at: start)
    if hasExif { payload += try writer.directory(inner, at: exifPlace) }
    payload += nested
    if !gps.isEmpty { payload += try writer.directory(gps, at: gpsPlace) }
    return payload
  }
}
