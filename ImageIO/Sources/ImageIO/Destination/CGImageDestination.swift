// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  public import Foundation
  import ImageCodersBuiltIn

  /// A file that is made of pictures. Nothing is written before it is finished.
  ///
  /// - Threads: One at a time.
  public final class CGImageDestination: CGObject, @unchecked Sendable {
    // Unchecked: one thread at a time uses it.
    /// What a picture of the file is made of.
    enum Content {
      case image(CGImage, CGImageMetadata?)
      case source(CGImageSource, Int)
    }

    struct Item {
      var content: Content
      var properties: NSDictionary
    }

    /// A picture that belongs to the first one.
    struct Auxiliary {
      var kind: (kind: PageKind, name: String)
      var info: NSDictionary
    }

    let format: ImageFormat
    let count: Int
    let write: (Data) -> Bool
    let properties = NSMutableDictionary()
    private(set) var items: [Item] = []
    private(set) var auxiliaries: [Auxiliary] = []
    var isDone = false

    /// Nil for a type that is not written.
    init?(_ type: CFString, count: Int, write: @escaping (Data) -> Bool) {
      let format = ImageFormat(rawValue: type as String)
      guard count >= 0, Coders.registry.writableFormats.contains(format) else { return nil }
      (self.format, self.count, self.write) = (format, count, write)
    }

    func add(_ content: Content, _ properties: CFDictionary?) {
      guard !isDone else { return Coders.log("a picture was added to a file that is finished, and is left out") }
      guard count == 0 || items.count < count else {
        return Coders.log("a file of \(count) pictures gets one more, which is left out")
      }
      items.append(Item(content: content, properties: properties ?? [:]))
    }

    func add(_ auxiliary: Auxiliary) {
      guard !isDone else { return }
      auxiliaries.removeAll { $0.kind == auxiliary.kind }
      auxiliaries.append(auxiliary)
    }

    /// Properties of the first picture over those of the file: options are looked for in both.
    var options: NSDictionary {
      let all = NSMutableDictionary()
      for dictionary in [properties, items.first?.properties ?? [:]] {
        for (key, value) in dictionary.pairs { all.setObject(value, forKey: NSString(string: key)) }
      }
      return all
    }
  }

  /// The number of the class.
  public func CGImageDestinationGetTypeID() -> CFTypeID { typeID(of: CGImageDestination.self) }

  /// All types that are written, by their identifiers.
  public func CGImageDestinationCopyTypeIdentifiers() -> CFArray {
    array(Coders.registry.writableFormats.map { NSString(string: $0.rawValue) })
  }

  /// A file in memory; its bytes take the place of what is in the data when it is finished, and not before.
  ///
  /// Programs that take metadata out begin with a copy of the old file, so nothing of it may stay.
  ///
  /// - Parameters:
  ///   - count: How many pictures it gets; 0 for as many as are added.
  ///   - options: There are none.
  /// - Returns: Nil for a type that is not written.
  public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
  ) -> CGImageDestination? {
    CGImageDestination(type, count: count) { bytes in
      data.setData(bytes)
      return true
    }
  }

  /// A file that replaces the one of a URL when it is finished. Nil for a type that is not written, and for a URL of something
  /// else than a file.
  public func CGImageDestinationCreateWithURL(
    _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
  ) -> CGImageDestination? {
    let url = url as URL
    guard url.isFileURL else { return nil }
    return CGImageDestination(type, count: count) { bytes in (try? bytes.write(to: url)) != nil }
  }

  /// A file whose bytes a consumer gets when it is finished. Nil for a type that is not written.
  public func CGImageDestinationCreateWithDataConsumer(
    _ consumer: CGDataConsumer, _ type: CFString, _ count: Int, _ options: CFDictionary?
  ) -> CGImageDestination? { CGImageDestination(type, count: count, write: consumer.write) }

  /// Sets properties of the file: plays of an animation, and what all of its pictures have where they do not say it themselves.
  public func CGImageDestinationSetProperties(_ destination: CGImageDestination, _ properties: CFDictionary?) {
    for (key, value) in properties?.pairs ?? [] {
      destination.properties.setObject(value, forKey: NSString(string: key))
    }
  }

  /// Adds a picture. One more than the file was made for is left out, with a line in the log.
  public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
  ) { destination.add(.image(image, nil), properties) }

  /// Adds a picture with metadata, over which `properties` go.
  public func CGImageDestinationAddImageAndMetadata(
    _ destination: CGImageDestination, _ image: CGImage, _ metadata: CGImageMetadata?, _ options: CFDictionary?
  ) { destination.add(.image(image, metadata), options) }

  /// Adds a picture of another file, with its metadata. `properties` go over them; `kCFNull` takes one out, or a dictionary.
  ///
  /// The only picture of a file of the same type, if no property asks for other pixels, is written as it is stored.
  public func CGImageDestinationAddImageFromSource(
    _ destination: CGImageDestination, _ source: CGImageSource, _ index: Int, _ properties: CFDictionary?
  ) { destination.add(.source(source, index), properties) }

  /// Adds a picture that belongs to the first one: depth, disparity, a matte or a gain map, as
  /// ``CGImageSourceCopyAuxiliaryDataInfoAtIndex(_:_:_:)`` gives them. Others are left out.
  public func CGImageDestinationAddAuxiliaryDataInfo(
    _ destination: CGImageDestination, _ type: CFString, _ info: CFDictionary
  ) {
    guard let kind = AuxiliaryType.written(type) else {
      return Coders.log("\(type) is not written")
    }
    destination.add(CGImageDestination.Auxiliary(kind: kind, info: info))
  }

  /// Writes the file.
  ///
  /// - Returns: False without pictures or with too few of them, for one that a source does not have or the format cannot hold, if
  ///   the bytes cannot be written; and for each call after the first. The log says why.
  @discardableResult
  public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
    guard !destination.isDone else { return false }
    destination.isDone = true
    guard !destination.items.isEmpty, destination.items.count >= destination.count else {
      Coders.log("a file of \(destination.count) pictures has \(destination.items.count)")
      return false
    }
    do throws(CoderError) {
      return destination.write(Data(try FileMaker(destination).bytes()))
    } catch {
      Coders.log("\(error)")
      return false
    }
  }
#endif
