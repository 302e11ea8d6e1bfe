// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel

/// Looks at files that no coder's signature agrees with. The manifest has the capability `recognize`.
///
/// - Threads: Any, several at a time.
public protocol FileRecognizer {
  /// Says whether a file may be of one of the coder's formats.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the file: 4096, or all of a smaller file; twice as many, up to 1 MiB, each time that
  ///     the answer is ``FileRecognition/needMore``. Valid during the call.
  ///   - fileSize: In bytes, or nil if it is not known yet.
  static func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> FileRecognition
}

/// What a ``FileRecognizer`` says of a file.
public enum FileRecognition: Sendable, Equatable {
  /// It may be of one of the coder's formats.
  case yes
  /// It is of another format.
  case no
  /// More bytes are needed, if the file has more.
  case needMore
}

extension FileRecognition {
  /// The answer as the plugin interface has it.
  var status: imgcoder_status {
    switch self {
    case .yes: InterfaceStatus.ok
    case .no: CoderError.Code.wrongFormat.rawValue
    case .needMore: InterfaceStatus.needMore
    }
  }
}

/// The function of the plugin interface over a recognizer written in Swift.
enum RecognizerCalls {
  static func recognize(
    _ coder: UnsafePointer<imgcoder_coder>?, prefix: UnsafeRawBufferPointer, fileSize: UInt64
  ) -> imgcoder_status {
    guard let recognizer = PluginExport.of(coder)?.recognizer else { return CoderError.Code.wrongFormat.rawValue }
    let size = fileSize == .max ? nil : Int(clamping: fileSize)
    return recognizer.recognize(prefix: prefix, fileSize: size).status
  }
}
