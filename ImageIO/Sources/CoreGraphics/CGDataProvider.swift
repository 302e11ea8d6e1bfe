// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import Foundation

  /// Where bytes come from. It has all of them when it is made.
  public final class CGDataProvider: CGObject, @unchecked Sendable {
    // Unchecked: nothing changes after it is made.
    /// All bytes.
    public let data: CFData?

    public init?(data: CFData) { self.data = NSData(data: data as Data) }

    /// Nil for a file that cannot be read.
    public init?(url: CFURL) {
      guard let data = try? Data(contentsOf: url as URL) else { return nil }
      self.data = NSData(data: data)
    }

    /// Nil for a file that cannot be read.
    public convenience init?(filename: UnsafePointer<CChar>) {
      self.init(url: NSURL(fileURLWithPath: String(cString: filename)))
    }

    /// Copies the bytes, and gives them back at once.
    public init?(
      dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
      releaseData: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
    ) {
      guard size >= 0 else { return nil }
      self.data = NSData(bytes: data, length: size)
      releaseData(info, data, size)
    }
  }

  /// What is called with bytes that a consumer gets.
  public typealias CGDataConsumerPutBytesCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Int
  /// What is called when a consumer is released.
  public typealias CGDataConsumerReleaseInfoCallback = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// The functions of a consumer.
  public struct CGDataConsumerCallbacks: Sendable {
    /// Takes bytes, and says how many it took.
    public var putBytes: CGDataConsumerPutBytesCallback?
    /// Called once, when the consumer is released.
    public var releaseConsumer: CGDataConsumerReleaseInfoCallback?

    public init() {}

    public init(putBytes: CGDataConsumerPutBytesCallback?, releaseConsumer: CGDataConsumerReleaseInfoCallback?) {
      (self.putBytes, self.releaseConsumer) = (putBytes, releaseConsumer)
    }
  }

  /// Where bytes go.
  public final class CGDataConsumer: CGObject, @unchecked Sendable {
    // Unchecked: nothing changes after it is made. One thread at a time writes.
    /// Writes all bytes of a file, and says whether that went well.
    package let write: (Data) -> Bool
    private let release: () -> Void

    /// Bytes are appended.
    public init?(data: CFMutableData) {
      write = { bytes in
        data.append(bytes)
        return true
      }
      release = {}
    }

    /// A file, which is replaced. Nil for a URL of something else.
    public init?(url: CFURL) {
      let url = url as URL
      guard url.isFileURL else { return nil }
      write = { bytes in (try? bytes.write(to: url)) != nil }
      release = {}
    }

    /// Functions of the caller.
    public init?(info: UnsafeMutableRawPointer?, cbks: UnsafePointer<CGDataConsumerCallbacks>) {
      let callbacks = cbks.pointee
      guard let put = callbacks.putBytes else { return nil }
      write = { bytes in
        bytes.withUnsafeBytes { bytes in
          guard var place = bytes.baseAddress else { return true }
          var left = bytes.count
          while left > 0 {
            let taken = put(info, place, left)
            guard taken > 0, taken <= left else { return false }
            place += taken
            left -= taken
          }
          return true
        }
      }
      release = { callbacks.releaseConsumer?(info) }
    }

    deinit { release() }
  }
#endif
