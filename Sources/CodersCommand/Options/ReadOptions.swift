// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of verbs that read images.
struct ReadOptions: ParsableArguments {
  @OptionGroup var coders: CoderOptions
  @OptionGroup(visibility: .hidden) var limits: LimitOptions

  @Option(
    name: .customLong("coder"),
    help: ArgumentHelp("Read with this coder only: its identifier, or the last part of it.", valueName: "id"))
  var coder: String?

  @Option(help: ArgumentHelp("Read this page, counted from 1. (default: the file's primary page)", valueName: "n"))
  var page: Int?

  @Option(
    name: .customLong("read-option"),
    help: ArgumentHelp(
      "Read with this option of the file's format; coders options lists them; can be repeated. A password is @FILE or @-.",
      valueName: "[format:]name=value"), transform: ReadValue.parsed)
  var values: [ReadValue] = []

  @Option(
    help: ArgumentHelp(
      "Let plugins see files in locked processes only; the variable CODERS_ISOLATION can make it stricter.",
      valueName: "mode"))
  var isolate = IsolationArgument.off

  @Option(
    help: ArgumentHelp(
      """
      What files may ask for: standard, trusted, web, thumbnailer, paranoid, or a policy file; see coders policy. \
      Limits of files: coders help limits.
      """,
      valueName: "policy"))
  var policy: PolicyArgument?

  @Flag(
    help: """
      Let coders read any file of a picture's folder that they ask for, not only those that are named after the picture.
      """)
  var siblings = false

  /// What the options say.
  var settings: ReadSettings {
    var settings = ReadSettings()
    settings.coders = coders.settings
    settings.limits = limits.limits
    settings.coder = coder
    settings.page = page
    settings.values = values
    settings.isolation = isolate.mode
    settings.policy = policy?.name
    settings.siblings = siblings ? .folder : nil
    return settings
  }

  func validate() throws {
    if let page, page < 1 { throw ValidationError("--page is \(page), pages count from 1") }
    let piped = values.filter(\.takesStandardInput)
    if piped.count > 1 {
      let names = piped.map { "\($0.name)=@-" }.joined(separator: " and ")
      throw ValidationError("standard input has one value; \(names) are \(piped.count)")
    }
  }
}

/// A value of an option to read with on the command line: `exposure=1`, `nef:exposure=1`, `password=@FILE`.
extension ReadValue: DescribedArgument {
  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let colon = parts[0].lastIndex(of: ":")
    let format = colon.map { String(parts[0][..<$0]) }
    let name = String(colon.map { parts[0][parts[0].index(after: $0)...] } ?? parts[0])
    guard !name.isEmpty, format?.isEmpty != true else { return nil }
    self.init(format: format, name: name, written: String(parts[1]))
  }

  static func allowed(for text: String) -> String {
    "an option to read with has a name and a value, such as exposure=1 or nef:exposure=1"
  }
}

/// Options of verbs that read a part of a picture, or a drawing at a size.
struct PartOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read only this part of the upright picture, in pixels of its own size; only that is decoded where the format has "
        + "parts.", valueName: "wxh+x+y"), transform: CropArgument.parsed)
  var region: CropArgument?
}

/// Options of verbs that write pictures as large as their files say.
struct DrawingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the picture at this size: 0.5 is half of it. A drawing, such as SVG, can be larger than it says: 4.",
      valueName: "factor"))
  var scale: Double?

  @Option(help: ArgumentHelp("Draw a drawing at so many pixels per inch.", valueName: "n"))
  var dpi: Double?

  func validate() throws {
    for (name, value) in [("scale", scale), ("dpi", dpi)] {
      if let value, value <= 0 || !value.isFinite {
        throw ValidationError("--\(name) is \(value), more than 0 is needed")
      }
    }
    if scale != nil, dpi != nil { throw ValidationError("--scale and --dpi are two names of a size; give one") }
  }

  /// What the options say, or the file's own size.
  var size: PictureSize { scale.map { .scaled($0) } ?? dpi.map { .resolution($0) } ?? .own }
}

/// A verb that reads images.
protocol ReadingVerb: Verb {
  var reading: ReadOptions { get }
}

extension ReadingVerb {
  /// How it reads them.
  var read: ReadSettings { reading.settings }
}

/// The words of `--isolate`.
enum IsolationArgument: String, ExpressibleByArgument, CaseIterable {
  case off, preferred, required, strict

  var mode: Isolation.Mode {
    switch self {
    case .off: .inProcess
    case .preferred: .preferred
    case .required: .required
    case .strict: .strict
    }
  }
}
