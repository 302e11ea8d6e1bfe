// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a manifest or a plugin is not used, with the name of the thing to change.
package struct SkipReason: Error, Sendable, Equatable {
  package let code: Code
  /// One sentence: what was found and what was expected.
  package let message: String
  /// With ``Code/loadFailed``: the library that the plugin needs and the system does not have, as the plugin names it,
  /// `libwebp.so.7`. Nil when loading failed for another reason.
  package let missingLibrary: String?
  /// With ``Code/abiUnsupported``: whether the plugin is newer than this host, and not older.
  package let needsNewerHost: Bool

  package init(_ code: Code, _ message: String, missingLibrary: String? = nil, needsNewerHost: Bool = false) {
    self.code = code
    self.message = message
    self.missingLibrary = missingLibrary
    self.needsNewerHost = needsNewerHost
  }

  /// Whether the same may succeed a moment later: the process, or the machine, had no descriptor or no memory left. The
  /// system's loader says so in words only.
  package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM].contains(where: says) }

  /// Whether the process, or the machine, had no memory left.
  var isMissingMemory: Bool { says(ENOMEM) }

  private func says(_ problem: Int32) -> Bool {
    message.lowercased().has(String(cString: strerror(problem)).lowercased())
  }

  /// Stable, as `coders list --json` prints it.
  package enum Code: String, Sendable, CaseIterable {
    /// The manifest or directory cannot be read, or the manifest is no regular file.
    case manifestUnreadable = "manifest_unreadable"
    /// The manifest is not JSON, a key of it is wrong, or its format is of a version that this host does not know.
    case manifestInvalid = "manifest_invalid"
    /// The plugin is built for another version of the interface.
    case abiUnsupported = "abi_unsupported"
    /// The plugin is for another system or processor.
    case platformMismatch = "platform_mismatch"
    /// The plugin shares a Swift runtime of another version.
    case runtimeMismatch = "runtime_mismatch"
    /// Another user owns or can write to the directory, the manifest or the library.
    case permission
    /// The library does not exist, or is no regular file.
    case libraryMissing = "library_missing"
    /// A usable coder of the same id was found earlier on the search path.
    case shadowed
    /// The user turned the coder off.
    case disabled
    /// The user allows other coders only.
    case notAllowed = "not_allowed_by_settings"
    /// The system's loader refused the library.
    case loadFailed = "load_failed"
    /// The library exports no entry.
    case entryMissing = "entry_missing"
    /// The library's entry is invalid.
    case entryInvalid = "entry_invalid"
    /// What the library describes breaks the interface: a required function is missing, a size is too small.
    case coderInvalid = "coder_invalid"
    /// The coder in the library has another id than the manifest.
    case idMismatch = "id_mismatch"
    /// The plugin itself says that it cannot work here.
    case refused
    /// A process that loaded the library to try it crashed.
    case scanCrashed = "scan_crashed"
    /// The library ended a process that loaded it to try it.
    case scanExited = "scan_exited"
    /// A process that loaded the library to try it did not answer.
    case scanTimeout = "scan_timeout"
    /// The caller requires isolation that this machine or this coder does not offer.
    case isolationMissing = "isolation_missing"
    /// The policy refuses coders whose library has an open advisory.
    case advisoryOpen = "advisory_open"
  }
}
