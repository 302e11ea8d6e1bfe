// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// What Exif, IPTC and XMP say of a picture, by the names of XMP. Nil where they say nothing.
  ///
  /// Where Exif and XMP say something of the same, Exif counts, and where IPTC and XMP do, XMP.
  public func CGImageSourceCopyMetadataAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
  ) -> CGImageMetadata? {
    source.lock.withLock {
      guard let page = source.page(index), let properties = try? page.properties() else { return nil }
      let result = CGImageMetadata((try? page.metadata(.xmp)).flatMap { try? XMPPacket($0) } ?? XMPPacket())
      let shown = dictionary(MacProperties.shown(properties, of: page.header))
      for (name, counts) in [
        ("{TIFF}", true), ("{Exif}", true), ("{GPS}", true), ("{IPTC}", false), ("{ExifAux}", false),
      ] {
        guard let inner = shown.inner(NSString(string: name)) else { continue }
        for (key, value) in inner.pairs {
          var value = value
          // XMP has one property for the day and the time of a place.
          if name == "{GPS}", let day = inner.object(forKey: kCGImagePropertyGPSDateStamp) as? String,
            let time = inner.object(forKey: kCGImagePropertyGPSTimeStamp) as? String
          {
            if key == "DateStamp" { continue }
            if key == "TimeStamp" { value = "\(day.replacingOccurrences(of: ":", with: "-"))T\(time)Z" }
          }
          if name == "{TIFF}", key == "Orientation", page.header.orientation == .up, shown["Orientation"] == nil {
            continue
          }
          let letter = inner.object(forKey: NSString(string: "\(key)Ref")) as? String
          // Exif's dates are there by its own name, and by the one that is asked for them.
          let isDate = name == "{Exif}" && ["DateTimeOriginal", "DateTimeDigitized"].contains(key)
          for (path, counts) in isDate ? [("exif:\(key)" as String?, true), (nil, false)] : [(nil, counts)] {
            guard let node = PropertyPaths.node(name, key, value: value, letter: letter, at: path) else { continue }
            guard counts || result.root[XMPPath([node.step])] == nil else { continue }
            _ = result.put(node, at: [node.step])
          }
        }
      }
      return result.nodes.isEmpty ? nil : result
    }
  }

  /// The tag that says what a property says: of `kCGImagePropertyExifDictionary` and `kCGImagePropertyExifDateTimeOriginal`,
  /// `exif:DateTimeOriginal`. Nil for none, and for dictionaries that XMP does not have.
  public func CGImageMetadataCopyTagMatchingImageProperty(
    _ metadata: CGImageMetadata, _ dictionary: CFString, _ property: CFString
  ) -> CGImageMetadataTag? {
    PropertyPaths.path(dictionary as String, property as String)
      .flatMap { CGImageMetadataCopyTagWithPath(metadata, nil, NSString(string: $0)) }
  }

  /// Sets the tag that says what a property says, from the property's value. False for a dictionary that XMP does not have, and
  /// for a value that no tag has.
  @discardableResult
  public func CGImageMetadataSetValueMatchingImageProperty(
    _ metadata: CGMutableImageMetadata, _ dictionary: CFString, _ property: CFString, _ value: CFTypeRef
  ) -> Bool {
    guard let node = PropertyPaths.node(dictionary as String, property as String, value: value) else { return false }
    return metadata.put(node, at: [node.step])
  }

  /// What a gain map says of itself, as tags.
  enum GainMapTags {
    private typealias Member = (name: String, of: WritableKeyPath<GainMapParameters.Channel, Double>)

    /// Adobe's gain map specification, "XMP Packet for Gain Maps".
    private static var members: [Member] {
      [
        ("GainMapMin", \.minimum), ("GainMapMax", \.maximum), ("Gamma", \.gamma), ("OffsetSDR", \.baseOffset),
        ("OffsetHDR", \.alternateOffset),
      ]
    }

    /// Nil for a picture that is none, and for one whose file says nothing.
    ///
    /// - Parameter packet: The packet of XMP beside the picture.
    static func metadata(of page: ImageDecoder, _ picture: AuxiliaryPicture, packet: [UInt8]?) -> CGImageMetadata? {
      guard picture.kind == .gainMap, let map = try? page.gainMap()?.parameters else {
        return packet.flatMap { CGImageMetadataCreateFromXMPData(NSData(data: Data($0))) }
      }
      func node(_ name: String, _ value: XMPNode.Value) -> XMPNode {
        XMPNode(
          prefix: "hdrgm", name: name, namespace: XMPPacket.usualNamespace(of: "hdrgm") ?? "", value: value)
      }
      func numbers(_ name: String, _ values: [Double]) -> XMPNode {
        node(
          name,
          Set(values).count == 1 ? .text("\(values[0])") : .list(.ordered, values.map { .item(.text("\($0)")) }))
      }
      var nodes = members.map { member in
        numbers(member.name, [map.red, map.green, map.blue].map { $0[keyPath: member.of] })
      }
      nodes.append(numbers("HDRCapacityMin", [map.baseHeadroom]))
      nodes.append(numbers("HDRCapacityMax", [map.alternateHeadroom]))
      nodes.append(node("Version", .text("1.0")))
      return CGImageMetadata(nodes)
    }

    /// The parameters that tags state; nil where one is missing or no number.
    static func parameters(_ metadata: CGImageMetadata) -> GainMapParameters? {
      func numbers(_ name: String) -> [Double]? {
        guard let node = metadata.root[XMPPath([.name(prefix: "hdrgm", name: name)])] else { return nil }
        let numbers = node.texts.compactMap { Double($0) }
        return numbers.count == 1 || numbers.count == 3 ? numbers : nil
      }
      guard let low = numbers("HDRCapacityMin")?[0], let high = numbers("HDRCapacityMax")?[0] else { return nil }
      var channels = (0..<3).map { _ in GainMapParameters.Channel(minimum: 0, maximum: 0) }
      for member in members {
        guard let values = numbers(member.name) else { return nil }
        for channel in 0..<3 { channels[channel][keyPath: member.of] = values[values.count == 3 ? channel : 0] }
      }
      var result = GainMapParameters(channels[0], baseHeadroom: low, alternateHeadroom: high)
      (result.green, result.blue) = (channels[1], channels[2])
      return result
    }
  }
#endif
