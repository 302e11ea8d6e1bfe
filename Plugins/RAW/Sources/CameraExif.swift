// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import Glibc
import ImageCoderPlugin

/// An Exif payload of what LibRaw says of a file, and of the tags that the file has.
///
/// Most formats are themselves directories of tags, with the samples among them, so that a payload has to be put together.
///
/// - Format: Exif 2.32 §4.6, TIFF 6.0 §2.
struct CameraExif {
  private var main = ExifFields()
  private var exif = ExifFields()
  private var place = ExifFields()

  /// - Parameters:
  ///   - tags: Those of the file, which count more than what the library says.
  ///   - orientation: How the picture is turned.
  ///   - colorSpace: 1 for sRGB.
  init(of file: CameraFile, tags: CameraTags, orientation: Orientation, colorSpace: Int) {
    let found = file.description
    main.add(0x010E, text: LibRaw.text(of: found.text))
    main.add(0x010F, text: LibRaw.text(of: found.maker))
    main.add(0x0110, text: LibRaw.text(of: found.model))
    main.add(0x0112, short: orientation.rawValue)
    main.add(0x0131, text: LibRaw.text(of: found.software))
    main.add(0x0132, text: Self.date(found.time))
    main.add(0x013B, text: LibRaw.text(of: found.artist))
    main.add(tags.main)
    exif.add(0x829A, positive: found.exposure)
    exif.add(0x829D, positive: found.aperture)
    exif.add(0x8827, short: Self.whole(found.sensitivity))
    exif.add(0x9000, type: .undefined, Array("0232".utf8))
    exif.add(0x9003, text: Self.date(found.time))
    exif.add(0x920A, positive: found.focal_length)
    // The colors of the picture, not those of the camera.
    exif.add(0xA001, short: colorSpace)
    exif.add(0xA405, short: Self.whole(found.focal_length_35mm))
    exif.add(0xA433, text: LibRaw.text(of: found.lens_maker))
    exif.add(0xA434, text: LibRaw.text(of: found.lens))
    exif.add(0xA435, text: LibRaw.text(of: found.lens_serial))
    exif.add(tags.exif)
    if tags.place.isEmpty { addPlace(found) } else { place = tags.place }
  }

  /// Places count where both directions have a side: the library leaves other fields at 0.
  private mutating func addPlace(_ found: craw_description) {
    guard found.has_place != 0, let latitude = Self.side(found.latitude_side, of: "NS"),
      let longitude = Self.side(found.longitude_side, of: "EW")
    else { return }
    place.add(0, type: .byte, [2, 3, 0, 0])
    place.add(1, text: latitude)
    place.add(2, rationals: Self.list(found.latitude))
    place.add(3, text: longitude)
    place.add(4, rationals: Self.list(found.longitude))
    // 0 is above the sea, 1 below it; files have them as numbers or as digits.
    place.add(5, type: .byte, [found.altitude_side & 1 == 1 ? 1 : 0])
    place.add(6, rationals: [found.altitude])
    place.add(7, rationals: Self.list(found.place_time))
    if let status = Self.side(found.place_status, of: "AV") { place.add(9, text: status) }
  }

  /// The payload.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``.
  func payload() throws(CoderError) -> [UInt8] {
    var block = ExifBlock()
    block.main = main.all
    block.exif = exif.all
    block.gps = place.all
    return try block.payload(ExifFields.writer.order)
  }

  private static func whole(_ number: Float) -> Int {
    number.isFinite && number >= 1 && number < 65_536 ? Int(number) : 0
  }

  private static func list(_ numbers: (Float, Float, Float)) -> [Float] { [numbers.0, numbers.1, numbers.2] }

  private static func side(_ character: CChar, of allowed: String) -> String? {
    let letter = Character(UnicodeScalar(UInt8(bitPattern: character)))
    return allowed.contains(letter) ? String(letter) : nil
  }

  /// The digits that the camera wrote. The library has made seconds of them as if they were this machine's time.
  private static func date(_ time: Int64) -> String {
    guard time > 0 else { return "" }
    var seconds = time_t(time)
    var fields = tm()
    guard localtime_r(&seconds, &fields) != nil, (0...8099).contains(fields.tm_year) else { return "" }
    func digits(_ number: Int32, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = "\(digits(fields.tm_year + 1900, 4)):\(digits(fields.tm_mon + 1, 2)):\(digits(fields.tm_mday, 2))"
    return "\(day) \(digits(fields.tm_hour, 2)):\(digits(fields.tm_min, 2)):\(digits(fields.tm_sec, 2))"
  }
}
