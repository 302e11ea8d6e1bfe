// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension CoderRegistry {
  /// Reads what a file says of its picture: size, format, orientation, frames.
  ///
  ///     let size = try registry.header(of: .file("photo.heic")).displayedSize
  ///
  /// The same as the header of ``open(_:options:coder:explain:)``, sooner: nothing is prepared for decoding. Of a large file
  /// a few kilobytes are read, unless only the rest of it can tell.
  ///
  /// - Parameters:
  ///   - options: Say which page is meant, and what is allowed.
  ///   - coder: The identifier of the only coder to use, or nil to choose.
  /// - Throws: As ``open(_:options:coder:explain:)``, apart from errors of options that only decoding looks at.
  @available(*, noasync, message: "this blocks a thread: await registry.async.header(…)")
  public func header(
    of source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) throws(CoderError) -> ImageHeader {
    try naming(source) { () throws(CoderError) in
      try headerAndReader(of: source, options: options, coder: coder).header
    }
  }

  /// The same with the identifier of the coder that read it.
  func headerAndReader(
    of source: ByteSource, options: DecodeOptions, coder: String? = nil
  ) throws(CoderError) -> (header: ImageHeader, reader: String) {
    let opened = try opened(source, options)
    return try choose(opened, options: options, coder: coder, explain: nil) {
      (coder, formats) throws(CoderError) in
      let header = try restricting(options, formats) { (restricted) throws(CoderError) in
        try naming(coder, options: restricted) { () throws(CoderError) in
          var context = DecodeContext(opened, options: restricted, openEmbedded: embeddedFileOpener)
          context.format = formats.only
          try coder.checkValues(of: context)
          return try coder.header(of: context)
        }
      } format: {
        $0.format
      }
      return (header, coder.id)
    }
  }
}
