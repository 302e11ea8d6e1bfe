// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// What files may ask for: formats, coders, limits, and where the code of plugins sees files.
///
///     var policy = SecurityPolicy.web
///     policy.limits[.maxPixels] = SecurityPolicy.Rule(24_000_000, reason: "what the shop shows")
///     let registry = CoderRegistry(policy: policy)
///
/// Each setting says who made it and, if he told, why; a refusal repeats both. A policy only forbids: a caller who asks for
/// less gets less. `docs/policies.md` describes the presets and the file.
public struct SecurityPolicy: Sendable, Equatable {
  /// A value, who set it and why.
  public struct Rule<Value: Sendable & Equatable>: Sendable, Equatable {
    /// What holds.
    public var value: Value
    /// Who set it.
    public var origin: Origin
    /// Why, for the user who is refused something, or nil.
    public var reason: String?

    /// Makes a setting of the program's own.
    public init(_ value: Value, origin: Origin = .program, reason: String? = nil) {
      self.value = value
      self.origin = origin
      self.reason = reason
    }

    /// Who set it, and why, in words: `the policy web: photos of today's cameras`.
    var words: String { "\(origin)\(reason.map { ": \($0)" } ?? "")" }
  }

  /// Who made a setting.
  public enum Origin: Sendable, Hashable, CustomStringConvertible {
    /// A preset of this library.
    case preset(String)
    /// A line of a file, counted from 1.
    case file(String, line: Int)
    /// The program, in its own code.
    case program

    public var description: String {
      switch self {
      case .preset(let name): "the policy \(name)"
      case .file(let path, let line): "\(path), line \(line)"
      case .program: "the program"
      }
    }
  }

  /// What holds for files and coders of one format alone, instead of what holds in general.
  public struct FormatRules: Sendable, Equatable {
    /// Limits by their names.
    public var limits: [Limits.Name: Rule<Int>] = [:]
    /// At least how its plugins are isolated, or nil as in general. Also applies to readers in pure Swift.
    public var isolation: Rule<Isolation.Mode>?

    /// Makes rules that change nothing.
    public init() {}
  }

  /// What it is called: a preset's name, or a file's path.
  public var name: String
  /// The only formats that may be read, or nil for all.
  public var formats: Rule<Set<ImageFormat>>?
  /// Identifiers of the only coders that are used, to read or to write, or nil for all.
  public var coders: Rule<Set<String>>?
  /// Limits by their names. One that the caller left as in ``Limits/standard`` becomes that of the policy; otherwise the
  /// smaller one applies.
  public var limits: [Limits.Name: Rule<Int>] = [:]
  /// At least how plugins are isolated, or nil for the registry's own setting.
  public var isolation: Rule<Isolation.Mode>?
  /// At least how readers in pure Swift are isolated, or nil as all others. ``pureSwiftReaders`` lists them.
  public var isolationOfPureSwift: Rule<Isolation.Mode>?
  /// Whether each file gets a worker that has seen no other one, or nil for the registry's own setting.
  public var usesFreshWorkers: Rule<Bool>?
  /// Whether Exif, XMP and IPTC are read. Profiles and the orientation are part of how a picture looks, and are always read.
  public var readsMetadata: Rule<Bool>?
  /// The only options of readers that a caller may give, by their names, or nil for all.
  public var readOptions: Rule<Set<String>>?
  /// The most that coders may read beside a file, or nil for what the caller allows.
  public var siblings: Rule<SiblingAccess>?
  /// What becomes of a coder whose library has an open advisory, or nil for nothing. Coders that read are meant.
  public var advisories: Rule<AdvisoryRule>?
  /// Rules for some formats.
  public var formatRules: [ImageFormat: FormatRules] = [:]
  /// Why nothing may be read: of a policy that was asked for and is not understood.
  package var problem: CoderError?

  /// Makes a policy that forbids nothing: the limits are those of the caller.
  public init(name: String) { self.name = name }

  /// The policy for one that cannot be loaded: everything is refused.
  package init(refusing problem: CoderError, name: String) {
    self.init(name: name)
    self.problem = problem
  }

  /// The setting of a limit for a format, or in general.
  package func limit(_ name: Limits.Name, of format: ImageFormat?) -> Rule<Int>? {
    format.flatMap { formatRules[$0]?.limits[name] } ?? limits[name]
  }

  /// At least how a coder of these formats is isolated: as the strictest of them asks for.
  func isolation(of formats: [ImageFormat], isPureSwift: Bool) -> Isolation.Mode {
    guard isolation != nil || isolationOfPureSwift != nil || !formatRules.isEmpty else { return .inProcess }
    let own = isPureSwift ? isolationOfPureSwift ?? isolation : isolation
    let modes = formats.map { formatRules[$0]?.isolation ?? own }
    return (modes.isEmpty ? [own] : modes).compactMap { $0?.value }.max() ?? .inProcess
  }

  /// Coders in Swift that wrap no library to read, by their identifiers, each with the reason why it counts as one. Only
  /// bundled coders do: a plugin that has such an identifier and lies elsewhere is a stranger.
  public static var pureSwiftReaders: [String: String] { PureSwiftReaders.reasons }

  /// Names of formats as type identifiers, where a coder of the catalog knows them.
  ///
  /// A rule of a file for a format that no coder knows, installed or registered, may be a typing error, and a rule that
  /// forbids nothing then: such a policy is not understood.
  ///
  /// - Parameter registered: Formats of the application's own coders.
  func resolved(_ catalog: Catalog, registered: Set<ImageFormat>) -> SecurityPolicy {
    func formats(_ format: ImageFormat) -> Set<ImageFormat> {
      let named = catalog.formats(named: format.rawValue)
      return named.isEmpty ? [format] : named
    }
    var policy = self
    if let rule = self.formats {
      policy.formats?.value = Set(rule.value.flatMap(formats))
      // A type identifier may be that of a format whose coder is not installed.
      let unknown = rule.value.map(\.rawValue).filter { !$0.contains(".") && !catalog.knows($0) }.sorted()
      if case .file = rule.origin, let name = unknown.first {
        let known = Set(catalog.formats.map { $0.extensions.first ?? $0.format.rawValue }).sorted()
        policy.problem =
          policy.problem
          ?? .invalidArgument(
            "the policy \(rule.origin) is not understood: formats names \(name.quoted), a format that no coder has; "
              + "known are \(known.joined(separator: ", ")), and type identifiers")
      }
    }
    policy.formatRules = [:]
    // Sorted, so that two names of a format give the same rules each time.
    for (name, rules) in formatRules.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if let place = rules.place, !registered.contains(name), !catalog.knows(name.rawValue) {
        policy.problem =
          policy.problem
          ?? .invalidArgument(
            "the policy \(place) is not understood: byFormat names \(name.rawValue.quoted), a format that no coder has")
      }
      for format in formats(name) { policy.formatRules[format, default: FormatRules()].tighten(by: rules) }
    }
    return policy
  }
}

extension SecurityPolicy.FormatRules {
  /// The file and the line that the rules are from, or nil if the program made them.
  fileprivate var place: SecurityPolicy.Origin? {
    var origins = limits.values.map(\.origin)
    if let isolation { origins.append(isolation.origin) }
    let places = origins.compactMap { (origin) -> (origin: SecurityPolicy.Origin, line: Int)? in
      guard case .file(_, let line) = origin else { return nil }
      return (origin, line)
    }
    return places.min { $0.line < $1.line }?.origin
  }

  /// Where two names mean the same format, the stricter rule of each kind applies.
  fileprivate mutating func tighten(by other: SecurityPolicy.FormatRules) {
    limits.merge(other.limits) { $0.value <= $1.value ? $0 : $1 }
    if let mode = other.isolation, mode.value > isolation?.value ?? .inProcess { isolation = mode }
    isolation = isolation ?? other.isolation
  }
}
