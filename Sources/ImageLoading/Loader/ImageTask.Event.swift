// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import ImageCoderEngine

  extension ImageTask {
    /// How far a load has come.
    public struct Progress: Sendable, Hashable {
      /// Bytes of the file that are there, those of an earlier, broken download among them.
      public var bytesReceived: Int
      /// Bytes of the whole file, or nil if the server does not say.
      public var bytesExpected: Int?

      /// The share that is there, 0 to 1, or nil if it is not known.
      public var fraction: Double? {
        guard let bytesExpected, bytesExpected > 0 else { return nil }
        return min(1, Double(bytesReceived) / Double(bytesExpected))
      }
    }

    /// A picture while its bytes arrive.
    public struct Preview: Sendable {
      /// All complete frames and the rows of the next one that are there, processed like the picture itself.
      public var image: Image
      /// The quality of the frame in progress, 0 to 1.
      public var quality: Double
    }

    /// What a load tells while it runs.
    public enum Event: Sendable {
      /// Bytes have arrived.
      case progress(Progress)
      /// A better picture than before is there.
      case preview(Preview)
      /// The picture; the last event.
      case finished(ImageResponse)
    }
  }
#endif
