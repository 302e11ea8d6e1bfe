// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension SecurityPolicy {
  /// How a policy was found, for `coders policy`.
  package enum Finding: Sendable, Equatable {
    /// Named on the command line.
    case argument
    /// Named by `CODERS_POLICY`.
    case variable
    /// The user's file.
    case file(String)
    /// Nobody chose one.
    case nothing
  }

  /// What the variable `CODERS_POLICY` names, or the user's policy file says, or else ``standard``.
  ///
  /// The file is `$XDG_CONFIG_HOME/coders/policy.json`, or `~/.config/coders/policy.json`. A policy that is named or there,
  /// and cannot be read or understood, refuses every file: each call throws what is wrong with it.
  public static var user: SecurityPolicy { found(environment: PluginSearchPath.secureEnvironment).policy }

  /// The policy that holds for a process.
  ///
  /// - Parameter environment: Returns the value of a variable.
  package static func found(environment: (String) -> String?) -> (policy: SecurityPolicy, finding: Finding) {
    if let named = environment("CODERS_POLICY") { return (loading(named), .variable) }
    guard let path = path(environment) else { return (.standard, .nothing) }
    do throws(FileProblem) { try TrustedFile.check(path) } catch {
      if error.kind == .missing { return (.standard, .nothing) }
    }
    return (loading(path), .file(path))
  }

  /// The policy of a name or file, or one that refuses everything, with the reason.
  package static func loading(_ name: String) -> SecurityPolicy {
    do throws(CoderError) { return try SecurityPolicy(named: name) } catch {
      return SecurityPolicy(refusing: error, name: name)
    }
  }

  /// A preset, or the policy of a file.
  ///
  /// - Parameter name: A preset's name, or a file's path, which has a slash or ends in `.json`.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a name that no preset has, and with line and column for a file that
  ///   is not understood; ``CoderError/Code/io`` for a file that cannot be read, or that others can write to.
  public init(named name: String) throws(CoderError) {
    if let preset = SecurityPolicy(preset: name) {
      self = preset
      return
    }
    guard name.contains("/") || name.hasSuffix(".json") else {
      let known = Self.presets.map(\.name).joined(separator: ", ")
      throw .invalidArgument("\(name.quoted) is no policy; \(known) are, and paths of files")
    }
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try TrustedFile.contents(of: name, maxBytes: Self.maxFileBytes)
    } catch {
      throw .io("the policy cannot be read: \(error.message)")
    }
    do throws(TextProblem) { try self.init(parsing: bytes, path: name) } catch {
      throw .invalidArgument("the policy \(name) is not understood: \(error)")
    }
  }

  private static func path(_ environment: (String) -> String?) -> String? {
    if let home = environment("XDG_CONFIG_HOME"), home.hasPrefix("/") { return "\(home)/coders/policy.json" }
    if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.config/coders/policy.json" }
    return nil
  }
}
