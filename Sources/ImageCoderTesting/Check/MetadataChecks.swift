// SPDX-License-Identifier: Apache-2.0

import CImageCoder

extension PluginCheck {
  static let metadataChecks: [PluginCheck] = [
    PluginCheck(.metadata, "flags", .r16, "The flags of info say which payloads there are.") {
      (subject) throws(CheckEnd) in
      try requireMetadata(subject)
      // Version 1.0 has the first three, and its readers may refuse others.
      let known = try subject.coder.entry.abi_minor == 0 ? kinds.prefix(3) : kinds[...]
      var count = 0
      for sample in try subject.samples {
        guard let reader = try subject.opened(sample) else { continue }
        let info = reader.info(0).info
        for (kind, name, flag) in known {
          subject.stage("\(sample.name): \(name)")
          guard let (status, bytes) = reader.metadata(0, kind) else { continue }
          let isStated = info.flags & flag != 0
          guard (status == Status.ok) == isStated, isStated || status == Status.notPresent else {
            throw .failed(
              "\(sample.name): \(name)", expected: isStated ? "OK, as info says" : "NOT_PRESENT, as info says",
              found: Status.name(status))
          }
          guard status == Status.ok else { continue }
          guard bytes.count > 0, isReadable(UnsafeRawPointer(bytes.baseAddress!), UInt64(bytes.count)) else {
            throw .failed("\(sample.name): \(name)", expected: "bytes", found: "\(bytes.count) that cannot be read")
          }
          count += 1
        }
        try subject.verify(reader.session, sample.name)
      }
      return "\(count) payloads"
    },
    PluginCheck(.metadata, "lifetime", .r13, "Payloads stay as they are until close, whatever is called.") {
      (subject) throws(CheckEnd) in
      try requireMetadata(subject)
      var count = 0
      for sample in try subject.samples {
        guard let reader = try subject.opened(sample) else { continue }
        let info = reader.info(0).info
        var known: [(UnsafeBufferPointer<UInt8>, [UInt8], String)] = []
        for turn in 0..<2 {
          for page in 0..<min(info.page_count, 3) {
            for (kind, name, _) in kinds {
              subject.stage("\(sample.name): \(name) of page \(page)")
              guard let (status, bytes) = reader.metadata(page, kind), status == Status.ok else { continue }
              known.append((bytes, Array(bytes), "\(name) of page \(page)"))
            }
          }
          guard turn == 0 else { break }
          subject.stage("\(sample.name): a decode after metadata")
          if decodable(reader) != nil { _ = reader.decode(reader.negotiate(ReaderProbe.request(0, 0)).offer) }
          _ = reader.properties(0, .max)
        }
        for (bytes, copy, name) in known {
          subject.stage("\(sample.name): \(name) later")
          guard isReadable(UnsafeRawPointer(bytes.baseAddress!), UInt64(bytes.count)),
            bytes.elementsEqual(copy)
          else {
            throw .failed(
              "\(sample.name): \(name), later", expected: "the same bytes until close", found: "other bytes")
          }
          count += 1
        }
        try subject.verify(reader.session, sample.name)
      }
      return "\(count) payloads"
    },
    PluginCheck(.metadata, "limit", .r7, "A payload beyond max_metadata is LIMIT_EXCEEDED and costs no pixels.") {
      (subject) throws(CheckEnd) in
      try requireMetadata(subject)
      var count = 0
      for sample in try subject.samples {
        guard let known = try subject.opened(sample) else { continue }
        for (kind, name, _) in kinds {
          guard let (status, bytes) = known.metadata(0, kind), status == Status.ok, bytes.count > 1 else { continue }
          var settings = HostSessionProbe.Settings()
          settings.limits.max_metadata = UInt64(bytes.count - 1)
          let session = HostSessionProbe(settings)
          let reader = ReaderProbe(try subject.reader, sample.bytes, session: session)
          let what = "\(sample.name) with max_metadata of \(bytes.count - 1)"
          subject.stage("\(what): \(name)")
          guard reader.open() == Status.ok else {
            throw .failed(what, expected: "OK from open", found: session.message)
          }
          let refused = reader.metadata(0, kind)?.status ?? Status.ok
          guard refused == Status.limitExceeded else {
            throw .failed("\(what): \(name)", expected: "LIMIT_EXCEEDED", found: Status.name(refused))
          }
          guard decodable(reader) != nil else { continue }
          let (_, offer) = reader.negotiate(ReaderProbe.request(0, 0))
          guard let picture = reader.decode(offer), picture.status == Status.ok else {
            throw .failed("\(what): decode", expected: "OK", found: session.message)
          }
          count += 1
        }
      }
      guard count > 0 else { throw .skipped("no sample has metadata") }
      return "\(count) payloads"
    },
    PluginCheck(.metadata, "properties", .r16, "Properties are balanced, are UTF-8 and the same each time.") {
      (subject) throws(CheckEnd) in
      guard try subject.reader.reader?.properties != nil else { throw .skipped("the reader has no properties") }
      for sample in try subject.samples {
        guard let reader = try subject.opened(sample) else { continue }
        let info = reader.info(0).info
        let frames = info.flags & UInt32(IMGCODER_INFO_EMBEDDED) == 0 ? min(info.frame_count, 4) : 0
        for frame in [UInt32.max] + Array(0..<frames) {
          let what = "\(sample.name): properties of \(frame == .max ? "the page" : "frame \(frame)")"
          subject.stage(what)
          guard let first = reader.properties(0, frame), let second = reader.properties(0, frame) else { continue }
          try subject.verify(reader.session, what)
          guard first.status == Status.ok else {
            throw .failed(what, expected: "OK", found: "\(Status.name(first.status)): \(reader.session.message)")
          }
          guard first.depth == 0 else {
            throw .failed(what, expected: "an end for each begin", found: "\(first.depth) open dictionaries")
          }
          guard first.text == second.text else {
            throw .failed(what, expected: "the same each time", found: "others", rule: .r10)
          }
        }
      }
      return nil
    },
  ]

  static let kinds: [(kind: UInt32, name: String, flag: UInt32)] = [
    (UInt32(IMGCODER_METADATA_ICC), "icc", UInt32(IMGCODER_INFO_HAS_ICC)),
    (UInt32(IMGCODER_METADATA_EXIF), "exif", UInt32(IMGCODER_INFO_HAS_EXIF)),
    (UInt32(IMGCODER_METADATA_XMP), "xmp", UInt32(IMGCODER_INFO_HAS_XMP)),
    (UInt32(IMGCODER_METADATA_IPTC), "iptc", UInt32(IMGCODER_INFO_HAS_IPTC)),
    (UInt32(IMGCODER_METADATA_C2PA), "c2pa", UInt32(IMGCODER_INFO_HAS_C2PA)),
    (UInt32(IMGCODER_METADATA_GEOTIFF), "geotiff", UInt32(IMGCODER_INFO_HAS_GEOTIFF)),
    (UInt32(IMGCODER_METADATA_TEXT), "text", UInt32(IMGCODER_INFO_HAS_TEXT)),
  ]

  private static func requireMetadata(_ subject: CheckSubject) throws(CheckEnd) {
    guard try subject.reader.reader?.metadata != nil else { throw .skipped("the reader has no metadata") }
  }
}
