// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// Metadata and properties of a caller as changes of a file.
  enum MetadataWriting {
    /// The changes that properties ask for. What is not written here is left out.
    ///
    /// - Parameter file: The file that is changed.
    static func edit(_ properties: NSDictionary, of file: ByteSource) throws(CoderError) -> MetadataEdit {
      var edit = MetadataEdit()
      let parts: [String: MetadataEdit.Part] = ["{Exif}": .exif, "{GPS}": .gps, "{IPTC}": .iptc, "{TIFF}": .exif]
      for (name, value) in properties.pairs {
        guard let part = parts[name] else { continue }
        if isNull(value) {
          if name == "{TIFF}" {
            // The directory has the others, and the orientation, without which the picture would be shown turned.
            for key in tiffNames { set(key, of: name, to: NSNull(), in: &edit) }
          } else {
            edit.removed.insert(part)
          }
          // XMP says the same of it.
          if name == "{IPTC}", (try? Coders.registry.open(file).header.metadata.contains(.xmp)) == true {
            for path in PropertyPaths.paths(name) { edit.values["{XMP}", path] = .text("") }
          }
          continue
        }
        guard let inner = value as? NSDictionary else { continue }
        for (key, value) in inner.pairs { set(key, of: name, to: value, in: &edit) }
        // A picture lies where its letters say.
        if name == "{GPS}" {
          applyLetters(&edit) { inner.object(forKey: NSString(string: $0)) as? String }
        }
      }
      // How the picture is to be turned counts more than what Exif beside it says, which in HEIF may be something else.
      if let orientation = properties.integer(kCGImagePropertyOrientation), (1...8).contains(orientation) {
        edit.values["{TIFF}", "Orientation"] = .integer(Int64(orientation))
      }
      if edit.removed.contains(.exif) { keepNeighbors(of: file, but: properties, in: &edit) }
      return edit
    }

    /// What lies beside the directory of `{Exif}` in the same block stays, when the block goes.
    private static func keepNeighbors(of file: ByteSource, but changes: NSDictionary, in edit: inout MetadataEdit) {
      guard let stored = try? Coders.registry.open(file).properties() else { return }
      for dictionary in ["{TIFF}", "{GPS}"] {
        if let change = changes.object(forKey: NSString(string: dictionary)), isNull(change) { continue }
        guard case .dictionary(let inner)? = stored[dictionary] else { continue }
        for (key, value) in inner.sorted where edit.values[dictionary, key] == nil && isWritten(key, in: dictionary) {
          var one = MetadataEdit()
          one.values[dictionary, key] = value
          if dictionary == "{GPS}" {
            applyLetters(&one) { if case .text(let letter)? = stored[dictionary, $0] { letter } else { nil } }
          }
          edit.values[dictionary, key] = one.values[dictionary, key]
        }
      }
    }

    private static func set(_ key: String, of dictionary: String, to value: Any, in edit: inout MetadataEdit) {
      // What TIFF says of pixels is the encoder's.
      guard let stored = isNull(value) ? .text("") : property(value) else { return }
      // What the older standard does not have, XMP has.
      if dictionary == "{IPTC}", let path = ["StarRating": "xmp:Rating", "UsageTerms": "xmpRights:UsageTerms"][key] {
        edit.values["{XMP}", path] = stored
        return
      }
      guard
        dictionary != "{TIFF}"
          || !["Compression", "PhotometricInterpretation", "TileWidth", "TileLength"].contains(key),
        isWritten(key, in: dictionary)
      else { return }
      edit.values[dictionary, key] = stored
    }

    private static let tiffNames = names.filter { $0.hasPrefix("TIFF.") && $0 != "TIFF.Orientation" }
      .map { String($0.dropFirst(5)) }

    /// A file with changes. Properties whose values are of another type than theirs are left out, as ImageIO does.
    static func change(_ file: ByteSource, _ edit: MetadataEdit) throws(CoderError) -> [UInt8] {
      do throws(CoderError) {
        return try Coders.registry.editMetadata(file, edit).bytes
      } catch {
        guard error.code == .invalidArgument else { throw error }
        var taken = edit
        taken.values = Properties()
        for (dictionary, value) in edit.values.sorted {
          guard case .dictionary(let inner) = value else { continue }
          for (key, value) in inner.sorted {
            var one = MetadataEdit()
            one.values[dictionary, key] = value
            do throws(CoderError) {
              _ = try Coders.registry.editMetadata(file, one)
              taken.values[dictionary, key] = value
            } catch { Coders.log("\(error)") }
          }
        }
        return try Coders.registry.editMetadata(file, taken).bytes
      }
    }

    /// Names that can be set: those that files have, but for some that the writer of Exif sets itself.
    private static let names = Set(MetadataEdit.names)
    private static func isWritten(_ key: String, in dictionary: String) -> Bool {
      names.contains("\(dictionary.dropFirst().dropLast()).\(key)")
        && ![
          "ExifVersion", "FlashPixVersion", "ComponentsConfiguration", "GPSVersion", "PixelXDimension",
          "PixelYDimension",
        ]
        .contains(key)
        && !(dictionary == "{GPS}"
          && ["Version", "LatitudeRef", "LongitudeRef", "DestLatitudeRef", "DestLongitudeRef"].contains(key))
    }

    private static func applyLetters(_ edit: inout MetadataEdit, _ text: (String) -> String?) {
      for name in ["Latitude", "Longitude", "DestLatitude", "DestLongitude"] {
        let letter = text("\(name)Ref")?.uppercased()
        guard let degrees = edit.values["{GPS}", name]?.number, letter == "S" || letter == "W" else { continue }
        edit.values["{GPS}", name] = .number(-abs(degrees))
      }
    }

    // MARK: Metadata by the names of XMP

    /// Puts all tags into a file: those that Exif has there, the others into XMP, which is replaced.
    static func apply(_ metadata: CGImageMetadata, to file: [UInt8]) throws(CoderError) -> [UInt8] {
      var edit = MetadataEdit()
      var others: [XMPNode] = []
      for node in metadata.nodes where !set(node, in: &edit) { others.append(node) }
      var file = file
      if !edit.isEmpty { file = try Coders.registry.editMetadata(.bytes(file), edit).bytes }
      var blocks = MetadataBlockEdits()
      blocks.replace(.xmp, with: others.isEmpty ? nil : try XMPPacket(others).bytes())
      let done = try Coders.registry.apply(.editMetadata(blocks), to: .bytes(file))
      return done.file?.bytes ?? file
    }

    /// Sets a tag as a property of Exif; false for one that Exif does not have.
    private static func set(_ node: XMPNode, in edit: inout MetadataEdit) -> Bool {
      let texts = node.texts
      guard !texts.isEmpty || (node.prefix == "exif" && node.name == "Flash") else { return false }
      var names: [String]
      switch node.prefix {
      case "exif" where node.name == "Flash":
        guard let flash = PropertyPaths.flash(of: node) else { return false }
        edit.values["{Exif}", "Flash"] = .integer(flash)
        return true
      case "exif" where node.name == "GPSTimeStamp":
        let parts = texts[0].split(separator: "T").map(String.init)
        if let day = parts.first(where: { $0.contains("-") }) {
          edit.values["{GPS}", "DateStamp"] = .text(day.replacingOccurrences(of: "-", with: ":"))
        }
        guard let time = parts.first(where: { $0.contains(":") }) else { return true }
        return setTime(String(time.prefix(8)), &edit)
      case "exif", "exifEX":
        names = [node.name.hasPrefix("GPS") ? "GPS.\(node.name.dropFirst(3))" : "Exif.\(node.name)"]
      case "tiff": names = ["TIFF.\(node.name)"]
      case "xmp" where node.name == "ModifyDate": names = ["TIFF.DateTime"]
      case "xmp" where node.name == "CreatorTool": names = ["TIFF.Software"]
      case "xmp" where node.name == "CreateDate": return copyDate(texts[0], to: "DateTimeDigitized", &edit)
      case "photoshop" where node.name == "DateCreated": return copyDate(texts[0], to: "DateTimeOriginal", &edit)
      default: names = []
      }
      guard let name = names.first, let dot = name.firstIndex(of: ".") else { return false }
      let (dictionary, key) = ("{\(name[..<dot])}", String(name[name.index(after: dot)...]))
      // Versions and letters are set by the writer of Exif.
      guard isWritten(key, in: dictionary) else {
        return key.hasSuffix("Version") || key.hasSuffix("VersionID") || key.hasSuffix("Ref")
      }
      if dictionary == "{GPS}", let degrees = degrees(texts[0]) {
        edit.values[dictionary, key] = .number(degrees)
        return true
      }
      let text = key.hasPrefix("DateTime") ? String(texts[0].prefix(19)) : texts.joined(separator: ",")
      var trial = MetadataEdit()
      guard (try? trial.set(name, to: text)) != nil, let value = trial.values[dictionary, key] else { return false }
      edit.values[dictionary, key] = value
      return true
    }

    private static func setTime(_ text: String, _ edit: inout MetadataEdit) -> Bool {
      var trial = MetadataEdit()
      guard (try? trial.set("GPS.TimeStamp", to: text)) != nil else { return false }
      edit.values["{GPS}", "TimeStamp"] = trial.values["{GPS}", "TimeStamp"]
      return true
    }

    /// Sets a date in Exif that XMP keeps, too. What Exif's own tag says counts more.
    private static func copyDate(_ text: String, to key: String, _ edit: inout MetadataEdit) -> Bool {
      var trial = MetadataEdit()
      if text.utf8.count >= 19, edit.values["{Exif}", key] == nil,
        (try? trial.set("Exif.\(key)", to: String(text.prefix(19)))) != nil
      {
        edit.values["{Exif}", key] = trial.values["{Exif}", key]
      }
      return false
    }

    /// `50,2.937N`, and `50,2,56N`: south and west are negative.
    private static func degrees(_ text: String) -> Double? {
      guard let letter = text.last, "NSEW".contains(letter) else { return nil }
      let parts = text.dropLast().split(separator: ",").map { Double($0) }
      guard (1...3).contains(parts.count), parts.allSatisfy({ $0 != nil }) else { return nil }
      let value = zip(parts, [1.0, 60, 3600]).reduce(0) { $0 + ($1.0 ?? 0) / $1.1 }
      return letter == "S" || letter == "W" ? -value : value
    }
  }
#endif
