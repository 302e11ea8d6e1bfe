// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn
  import Synchronization

  /// A file of pictures: all of it, or what of it has arrived.
  ///
  /// - Threads: Any; several may ask the same source. Bytes are added by one thread, while no other asks.
  public final class CGImageSource: CGObject, @unchecked Sendable {
    // Unchecked: what changes is used under the lock.
    let lock = NSRecursiveLock()
    /// The file, or nil for bytes.
    let url: URL?
    private(set) var bytes: Data
    private var source: ByteSource
    /// The extension of the type that the caller expects.
    private let fileExtension: String?
    /// Types that the caller lets this source read, or nil.
    private let allowedHere: Set<ImageFormat>?

    /// Nil for a source that has all of its bytes from the start.
    private(set) var arriving: IncrementalDecoder?
    private var fed = 0
    private(set) var isFinal: Bool
    private var finished: Result<ImageCodersBuiltIn.Image, CoderError>?

    private var opened: Result<ImageDecoder, CoderError>?
    /// Decoders of animations, which go from frame to frame.
    private var sequences: [SequenceKey: ImageDecoder] = [:]

    /// What a decoder of an animation is asked for.
    struct SequenceKey: Hashable {
      var side: Int?
      var isUpright = false
    }

    init(_ bytes: Data, url: URL? = nil, options: CFDictionary?, arrives: Bool = false) {
      (self.bytes, self.url, isFinal) = (bytes, url, !arrives)
      let hint = (options?.object(forKey: kCGImageSourceTypeIdentifierHint) as? String).map {
        ImageFormat(rawValue: $0)
      }
      fileExtension = hint.flatMap { Coders.registry.fileExtension(of: $0) }
      allowedHere = (options?.object(forKey: kCGImageSourceAllowableTypes) as? NSArray).map { types in
        Set(types.compactMap { ($0 as? String).map { ImageFormat(rawValue: $0) } })
      }
      source = url.map { ByteSource.file($0.path) } ?? .bytes(bytes)
      super.init()
      if arrives { arriving = Coders.registry.makeIncrementalDecoder(options: self.options()) }
      if let fileExtension, source.fileExtension == nil { source.fileExtension = fileExtension }
    }

    /// Types that are read in this program; set once.
    static let allowed = Mutex<(formats: Set<ImageFormat>?, isUsed: Bool)>((nil, false))

    /// Pictures as they are stored, frames one by one.
    func options(page: Int? = nil) -> DecodeOptions {
      var formats = Self.allowed.withLock { state in
        state.isUsed = true
        return state.formats
      }
      if let allowedHere { formats = formats?.intersection(allowedHere) ?? allowedHere }
      var options = DecodeOptions(page: page, allowedFormats: formats)
      options.appliesOrientation = false
      options.zeroDelayFrames = .separate
      return options
    }

    // MARK: Bytes

    /// All bytes so far.
    func update(_ data: Data, isFinal: Bool) {
      lock.withLock {
        guard arriving != nil, !self.isFinal else { return }
        if data.count < fed {
          arriving = Coders.registry.makeIncrementalDecoder(options: options())
          fed = 0
        }
        bytes = data
        source = .bytes(data)
        if let fileExtension { source.fileExtension = fileExtension }
        // What is wrong with the bytes is the status of the source.
        try? arriving?.append(data.suffix(data.count - fed))
        fed = data.count
        self.isFinal = isFinal
        opened = nil
        sequences = [:]
        if isFinal { finished = Result { () throws(CoderError) in try arriving!.finish() } }
      }
    }

    var fileSize: Int {
      guard let url else { return lock.withLock { bytes.count } }
      return (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
    }

    var byteSource: ByteSource { lock.withLock { source } }

    /// All bytes of the file, or nil for one that cannot be read.
    var contents: Data? { url.map { try? Data(contentsOf: $0) } ?? lock.withLock { bytes } }

    // MARK: Decoders

    /// The decoder of the primary picture.
    var decoder: ImageDecoder? { try? openedDecoder.get() }

    private var openedDecoder: Result<ImageDecoder, CoderError> {
      lock.withLock {
        if let opened { return opened }
        let result = Result { () throws(CoderError) in
          try Coders.registry.open(source, options: options())
        }
        opened = result
        return result
      }
    }

    var isSequence: Bool { decoder.map { $0.header.isAnimated || $0.header.frameCount > 1 } ?? false }

    var count: Int {
      if !isFinal, let header = lock.withLock({ arriving?.header }) { return Self.count(header) }
      return decoder.map { Self.count($0.header) } ?? 0
    }

    private static func count(_ header: ImageHeader) -> Int {
      header.isAnimated || header.frameCount > 1 ? header.frameCount : max(1, header.pageCount)
    }

    /// A decoder of its own for a still picture; nil for an index that the file does not have.
    func still(_ index: Int, _ change: (inout DecodeOptions) -> Void) -> ImageDecoder? {
      guard index >= 0 else { return nil }
      var options = self.options()
      change(&options)
      guard let first = try? Coders.registry.open(byteSource, options: options) else { return nil }
      if index == 0, first.header.pageCount <= 1 || first.header.isAnimated { return first }
      guard index < first.header.pageCount else { return nil }
      options.page = index
      return try? Coders.registry.open(byteSource, options: options)
    }

    /// A frame of an animation, by a decoder that is kept for the next one.
    func frame(_ index: Int, key: SequenceKey = SequenceKey()) -> (frame: Frame, decoder: ImageDecoder)? {
      lock.withLock {
        guard index >= 0, index < count else { return nil }
        if sequences[key] == nil {
          var options = self.options()
          options.pixelFormat = .rgba8
          options.appliesOrientation = key.isUpright
          options.squaresPixels = key.isUpright
          if let side = key.side { options.size = .fitting(Size(width: side, height: side)) }
          sequences[key] = try? Coders.registry.open(source, options: options)
        }
        guard let decoder = sequences[key], let frame = try? decoder.frame(at: index) else { return nil }
        return (frame, decoder)
      }
    }

    func removeCache() { lock.withLock { sequences = [:] } }

    // MARK: Status

    var type: ImageFormat? {
      if !isFinal, let header = lock.withLock({ arriving?.header }) { return header.format }
      return decoder?.header.format
    }

    var status: CGImageSourceStatus {
      lock.withLock {
        guard isFinal else {
          switch arriving?.status {
          case .incomplete?, .complete?: return .statusIncomplete
          case .unexpectedEnd?: return .statusUnexpectedEOF
          case .invalid?: return arriving?.header == nil ? .statusUnknownType : .statusInvalidData
          default: return .statusReadingHeader
          }
        }
        if let finished, (try? openedDecoder.get()) != nil {
          switch finished {
          case .success(let image): return image.problem == nil ? .statusComplete : Self.status(image.problem)
          case .failure(let error): return Self.status(error)
          }
        }
        switch openedDecoder {
        case .success(let decoder): return decoder.header.isTruncated ? .statusUnexpectedEOF : .statusComplete
        case .failure(let error): return Self.status(error)
        }
      }
    }

    private static func status(_ error: CoderError?) -> CGImageSourceStatus {
      switch error?.code {
      // Unsupported is what no coder that may be asked reads.
      case .noCoder?, .wrongFormat?, .unsupported?: .statusUnknownType
      case .truncated?: .statusUnexpectedEOF
      default: .statusInvalidData
      }
    }

    func status(at index: Int) -> CGImageSourceStatus {
      guard index >= 0, index < count else { return status == .statusComplete ? .statusUnknownType : status }
      guard !isFinal, let progress = lock.withLock({ arriving?.progress }) else { return status }
      return isSequence && index < progress.framesComplete ? .statusComplete : status
    }

    /// What arriving bytes show of an index now, or nil.
    func partial(_ index: Int) -> Frame? {
      lock.withLock {
        guard !isFinal, let image = try? arriving?.picture() else { return nil }
        return index >= 0 && index < image.frames.count ? image.frames[index] : nil
      }
    }
  }
#endif
