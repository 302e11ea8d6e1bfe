// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  @_exported public import CoreGraphics
  @_exported public import TypeIdentifiers

  /// How far a source is read.
  public enum CGImageSourceStatus: Int32, Sendable {
    /// The bytes ended too early.
    case statusUnexpectedEOF = -5
    case statusInvalidData = -4
    /// No coder reads it.
    case statusUnknownType = -3
    /// There are too few bytes to say more.
    case statusReadingHeader = -2
    /// Bytes are missing, or may still come.
    case statusIncomplete = -1
    case statusComplete = 0
  }

  /// Where the first row and the first column of a stored picture are shown.
  public enum CGImagePropertyOrientation: UInt32, Sendable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left
  }

  /// How a TGA file is compressed. None is written here.
  public enum CGImagePropertyTGACompression: UInt32, Sendable {
    case tgaCompressionNone = 0
    case tgaCompressionRLE
  }

  /// What the value of a tag is.
  public enum CGImageMetadataType: Int32, Sendable {
    case invalid = -1
    case `default`
    case string, arrayUnordered, arrayOrdered, alternateArray, alternateText, structure
  }

  /// Why metadata was not written: codes of errors in the domain `kCFErrorDomainCGImageMetadata`.
  public enum CGImageMetadataErrors: Int32, Sendable {
    case unknown = 0
    case unsupportedFormat, badArgument, conflictingArguments, prefixConflict
  }

  /// Why an animation is not shown.
  public enum CGImageAnimationStatus: OSStatus, Sendable {
    case allocationFailure = -22144
    case incompleteInputImage = -22143
    case unsupportedFormat = -22142
    case corruptInputImage = -22141
    case parameterError = -22140
  }
#endif
