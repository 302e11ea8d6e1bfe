// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  public import Foundation
  import ImageCodersBuiltIn

  /// The number of the class.
  public func CGImageSourceGetTypeID() -> CFTypeID { typeID(of: CGImageSource.self) }

  /// All types that are read, by their identifiers.
  public func CGImageSourceCopyTypeIdentifiers() -> CFArray {
    array(Coders.registry.readableFormats.map { NSString(string: $0.rawValue) })
  }

  /// A source of bytes that are all there. Nil for none; bytes of no known type make a source without pictures.
  ///
  /// - Parameter options: `kCGImageSourceTypeIdentifierHint` is looked at where the bytes leave a doubt.
  public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
    data.length == 0 ? nil : CGImageSource(data as Data, options: options)
  }

  /// A source of a file, or of a `data:` URL. Nil for a file that cannot be read, and for URLs of other schemes.
  public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
    let url = url as URL
    if url.isFileURL {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue,
        FileManager.default.isReadableFile(atPath: url.path)
      else { return nil }
      return CGImageSource(Data(), url: url, options: options)
    }
    guard let bytes = contents(ofDataURL: url.absoluteString), !bytes.isEmpty else { return nil }
    return CGImageSource(bytes, options: options)
  }

  /// RFC 2397: `data:image/png;base64,…`; nil for another URL.
  private func contents(ofDataURL text: String) -> Data? {
    guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
    let rest = String(text[text.index(after: comma)...]).removingPercentEncoding
    if text[..<comma].lowercased().hasSuffix(";base64") {
      return rest.flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
    }
    return rest.map { Data($0.utf8) }
  }

  /// A source of all bytes of a provider; nil for none.
  public func CGImageSourceCreateWithDataProvider(_ provider: CGDataProvider, _ options: CFDictionary?)
    -> CGImageSource?
  { provider.data.flatMap { CGImageSourceCreateWithData($0, options) } }

  /// A source whose bytes are to come.
  public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource {
    CGImageSource(Data(), options: options, arrives: true)
  }

  /// Gives an incremental source all bytes so far, those that it had included. After the final ones nothing changes.
  public func CGImageSourceUpdateData(_ source: CGImageSource, _ data: CFData, _ final: Bool) {
    source.update(data as Data, isFinal: final)
  }

  /// As ``CGImageSourceUpdateData(_:_:_:)``.
  public func CGImageSourceUpdateDataProvider(_ source: CGImageSource, _ provider: CGDataProvider, _ final: Bool) {
    if let data = provider.data { source.update(data as Data, isFinal: final) }
  }

  /// The type of the file, or nil while nobody knows.
  public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? {
    source.type.map { NSString(string: $0.rawValue) }
  }

  /// The number of frames of an animation; else of pages, sizes of an icon, pictures of a HEIF file.
  public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.count }

  /// Which of the pictures is shown if only one is.
  public func CGImageSourceGetPrimaryImageIndex(_ source: CGImageSource) -> Int {
    source.isSequence ? 0 : source.decoder?.header.primaryPage ?? 0
  }

  /// How far the source is read.
  public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus { source.status }

  /// How far a picture of it is read.
  public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus {
    source.status(at: index)
  }

  /// Releases what is kept to decode the next frame.
  public func CGImageSourceRemoveCacheAtIndex(_ source: CGImageSource, _ index: Int) { source.removeCache() }

  /// Lets the program read these types alone, by all sources.
  ///
  /// - Returns: 0; -50 for a second call, after the first picture was opened, and for an array without a type that is read.
  @discardableResult
  public func CGImageSourceSetAllowableTypes(_ types: CFArray) -> OSStatus {
    let readable = Set(Coders.registry.readableFormats)
    let formats = Set(types.compactMap { ($0 as? String).map { ImageFormat(rawValue: $0) } }).intersection(readable)
    return CGImageSource.allowed.withLock { state in
      guard !formats.isEmpty, state.formats == nil, !state.isUsed else { return -50 }
      state.formats = formats
      return 0
    }
  }
#endif
