// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import ImageCoderModel

  /// Why a picture could not be loaded.
  public struct LoadingError: Error, Sendable, Equatable {
    /// The kind of failure.
    public let code: Code
    /// One sentence for a developer: what was found, what was allowed. Lower case, no final period, no newline.
    public let message: String
    /// The URL or key that was loaded, or nil before one is known.
    public var url: String?
    /// The status of the answer, or nil if there was none.
    public let status: Int?
    /// What the decoder said, for ``Code/decoding``, or the operation, for ``Code/processing``.
    public let cause: CoderError?

    /// Makes an error of its members.
    public init(
      _ code: Code, _ message: String, url: String? = nil, status: Int? = nil, cause: CoderError? = nil
    ) {
      self.code = code
      self.message = message
      self.url = url
      self.status = status
      self.cause = cause
    }

    /// The kind of a failure. New kinds may come, so a `switch` needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
      public let description: String
      private init(_ description: String) { self.description = description }

      /// The request itself is wrong: a URL that cannot be read, a scheme that is not known.
      public static let badRequest = Code("badRequest")
      /// An address, port or scheme that the policy forbids.
      public static let forbidden = Code("forbidden")
      /// No connection, or it broke, and trying again did not help.
      public static let connection = Code("connection")
      /// The server's answer breaks the rules of HTTP, or does not fit what was asked.
      public static let badResponse = Code("badResponse")
      /// The server answered with a status that carries no picture; ``LoadingError/status`` has it.
      public static let status = Code("status")
      /// Redirects in a loop, or more than allowed.
      public static let redirects = Code("redirects")
      /// The deadline passed, or bytes came more slowly than allowed.
      public static let timeout = Code("timeout")
      /// More bytes than allowed.
      public static let tooLarge = Code("tooLarge")
      /// What came is no picture.
      public static let notAPicture = Code("notAPicture")
      /// The URL failed before, and is on the list of failed ones.
      public static let failedBefore = Code("failedBefore")
      /// The cache policy allows no request, and nothing is cached.
      public static let notCached = Code("notCached")
      /// The bytes came and could not be decoded; ``LoadingError/cause`` says why.
      public static let decoding = Code("decoding")
      /// The picture was decoded, and an operation of the pipeline failed; ``LoadingError/cause`` says why.
      public static let processing = Code("processing")
      /// Reading or writing a local file or the cache failed.
      public static let io = Code("io")
      /// Everyone who waited has left.
      public static let cancelled = Code("cancelled")
    }
  }
#endif
