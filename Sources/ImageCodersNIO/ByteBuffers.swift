// SPDX-License-Identifier: Apache-2.0
#if NIO
  public import ImageAnimation
  public import ImageCoders
  public import NIOCore

  extension ByteSource {
    /// The readable bytes of a buffer, which are not copied. The buffer may be used on: what is written to it then is written
    /// to a copy.
    public static func buffer(_ buffer: ByteBuffer) -> ByteSource {
      buffer.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
        .unowned(bytes, owner: storage.takeUnretainedValue())
      }
    }

    /// Buffers that arrive, when all are there. Each byte is copied once, if their number is known.
    ///
    ///     let upload = try await ByteSource.collecting(request.body, maxBytes: 32 << 20)
    ///
    /// - Parameters:
    ///   - maxBytes: How many bytes may come.
    ///   - expected: How many are announced, or 0. It saves copies, and promises nothing.
    /// - Throws: ``CoderError/Code/limitExceeded`` as soon as more have come; what the buffers throw.
    public static func collecting<Buffers: AsyncSequence>(
      _ buffers: Buffers, maxBytes: Int, expected: Int = 0
    ) async throws -> ByteSource where Buffers.Element == ByteBuffer {
      try await collecting(buffers.map(\.readableBytesView), maxBytes: maxBytes, expected: expected)
    }
  }

  extension ByteBuffer {
    /// The bytes of a file that was encoded into memory, copied once.
    public init(_ file: EncodedFile) { self.init(bytes: file.bytes) }
  }

  extension AsyncCoderRegistry {
    /// Decodes an image while its bytes arrive in buffers, as `images(arriving:options:showing:)` does.
    ///
    /// - Parameter policy: Which changes are shown. The final image always is.
    public func images<Buffers: AsyncSequence>(
      arriving buffers: Buffers, options: DecodeOptions = DecodeOptions(),
      showing policy: PartialPicturePolicy = PartialPicturePolicy()
    ) -> ImageStream<AsyncMapSequence<Buffers, ByteBufferView>> where Buffers.Element == ByteBuffer {
      images(arriving: buffers.map(\.readableBytesView), options: options, showing: policy)
    }
  }

  extension StreamingAnimation {
    /// Appends the readable bytes of a buffer, and looks at what they complete.
    ///
    /// - Throws: ``CoderError``, when the image ends with an error. The frames before it stay, and are complete now.
    public func append(_ buffer: ByteBuffer) throws(CoderError) { try append(buffer.readableBytesView) }

    /// Appends buffers as they arrive, to the end of the file, on threads of the library.
    ///
    /// - Throws: As `feed(_:)` with other pieces of bytes.
    public func feed<Buffers: AsyncSequence>(_ buffers: Buffers) async throws where Buffers.Element == ByteBuffer {
      try await feed(buffers.map(\.readableBytesView))
    }
  }
#else
  public import ImageCoders

  extension ByteSource {
    /// There with the trait `NIO`.
    @available(
      *, unavailable, message: "name the trait NIO where your package depends on ImageCoders: traits: [\"NIO\", …]"
    )
    public static func buffer<Buffer>(_ buffer: Buffer) -> ByteSource { .standardInput }
  }
#endif
