// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// `coders metadata`: shows and edits metadata without decoding pixels.
struct MetadataCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "metadata",
    abstract: "Show what files say about their pictures, or change it without touching pixels.",
    discussion: """
      Without --strip, --set, --video and --auxiliary, prints the properties of Exif (TIFF, Exif, GPS), IPTC and XMP under ImageIO's names, \
      and the name of the color profile.

      --strip takes parts out: exif, gps, location (gps, places that XMP and IPTC name, GeoTIFF), xmp, iptc, c2pa, \
      thumbnail, text (comments and texts of the container), other (data of applications, previews, bytes after the \
      picture), icc; all is all of them but icc. The orientation stays, so \
      that pictures are not shown turned. --set writes a property: its name alone, or after its group and a dot; a \
      property of XMP has its prefix, such as dc:title. An empty value takes the property out. Repeat --set with the \
      same name for a list. Parts are taken out first.

      Pixels stay byte for byte. JPEG, PNG, WebP, TIFF, GIF, JPEG 2000, JPEG XL, HEIF and AVIF can be edited. Makers' \
      notes are kept or taken out whole, with --strip exif.

      --video makes a motion photo of a JPEG, HEIC or AVIF file: the video is put after the picture, in place of another \
      one, and XMP says so. `coders parts --kind video` takes it out again. --auxiliary puts a picture of depth, disparity \
      or a matte beside the one of a JPEG, HEIC or AVIF file, as `coders parts` takes it out.

      Examples:
        coders metadata photo.jpg
        coders metadata --json photo.heic
        coders metadata --strip gps,thumbnail --in-place *.jpg
        coders metadata --strip all photo.jpg -o public.jpg
        coders metadata --set "Copyright=© 2026 A. Author" --set Keywords=sea --set Keywords=boat *.jpg -o marked/
        coders metadata --set GPS.Latitude=48.2082 --set GPS.Longitude=16.3738 photo.webp --in-place
        coders metadata --video clip.mp4 photo.jpg -o motion.jpg
        coders metadata --auxiliary depth=depth.png photo.heic -o portrait.heic
      """)

  @Option(
    help: ArgumentHelp(
      "Take out these parts: exif, gps, location, xmp, iptc, c2pa, thumbnail, text, other, icc, all.",
      valueName: "parts"),
    transform: PartsArgument.parsed)
  var strip: PartsArgument?

  @Option(
    name: .customLong("set"), help: ArgumentHelp("Set a property; may be repeated.", valueName: "name=value"),
    transform: SettingArgument.parsed)
  var settings: [SettingArgument] = []

  @Option(help: ArgumentHelp("Put this MP4 or QuickTime video after the picture: a motion photo.", valueName: "file"))
  var video: String?

  @Option(
    help: ArgumentHelp(
      "Put this picture beside the main one: depth, disparity or matte; may be repeated.", valueName: "kind=file"),
    transform: AddedPictureArgument.parsed)
  var auxiliary: [AddedPictureArgument] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file or directory to write; directories are created; - is standard output.", valueName: "file|dir"))
  var output: String?

  @Flag(help: "Replace the inputs themselves, each when its new file is whole.")
  var inPlace = false

  @OptionGroup var batch: BatchOptions
  @OptionGroup var input: InputOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  private var isEdit: Bool { strip != nil || !settings.isEmpty || video != nil || !auxiliary.isEmpty }

  func validate() throws {
    do throws(CoderError) {
      _ = try edit()
    } catch {
      throw ValidationError(error.message)
    }
    if isEdit, output == nil, !inPlace {
      throw ValidationError(
        "say where the edited files go: -o names a file or directory, --in-place replaces the inputs")
    }
    if !isEdit, output != nil || inPlace {
      throw ValidationError("there is nothing to write without --strip, --set, --video or --auxiliary")
    }
    if output != nil, inPlace { throw ValidationError("-o cannot be used with --in-place") }
    if batch.json, output == "-" { throw ValidationError("standard output takes either the file or --json") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    guard isEdit else { return try show(registry, failures, console) }
    if let output { try OutputFile(output, console).refuseTerminal(console) }
    let inputs = try input.inputs(registry, console, read: read, writingTo: output, failures)
    var names = inputs.map(\.path)
    if let output {
      let isFile = OutputNames.isFile(output, isOneInput: input.isOneFile, console)
      names = try OutputNames(inputs, in: output, isFile: isFile, suffixes: [], console).paths
    } else if names.contains("-") {
      throw .invalidArgument("standard input cannot be replaced; -o names the output")
    }
    var edit = try edit()
    if let video {
      do throws(CoderError) {
        edit.video = try OpenSource(.file(console.location(of: video)), limits: read.limits).contents()
      } catch { throw error.annotated(file: video) }
    }
    for picture in auxiliary {
      do throws(CoderError) {
        let bytes = try OpenSource(.file(console.location(of: picture.file)), limits: read.limits).contents()
        guard edit.pictures.updateValue(Array(bytes), forKey: picture.kind) == nil else {
          throw .invalidArgument("--auxiliary gives two pictures of a kind")
        }
      } catch { throw error.annotated(file: picture.file) }
    }
    batch.settings.run(
      MetadataWork(command: self, edit: edit, registry: registry, console: console),
      zip(inputs, names).map { ($0.path, $1) }, output: output ?? "", isQuiet: read.coders.isQuiet, failures, console)
    return failures.status
  }

  private func edit() throws(CoderError) -> MetadataEdit {
    var edit = MetadataEdit(removing: strip?.parts ?? [])
    for setting in settings {
      do throws(CoderError) {
        try edit.set(setting.name, to: setting.value)
      } catch {
        let names =
          setting.name.contains(".")
          ? MetadataEdit.names : MetadataEdit.names.map { String($0.split(separator: ".", maxSplits: 1)[1]) }
        throw .invalidArgument(error.message + Spelling.question(setting.name, in: names))
      }
    }
    return edit
  }

  // MARK: Showing

  private func show(
    _ registry: CoderRegistry, _ failures: Failures, _ console: Console
  ) throws(CoderError) -> ExitStatus {
    var files: [JSONValue] = []
    var isFirst = true
    for (order, file) in try input.inputs(registry, console, read: read, failures).map(\.path).enumerated()
    where !console.cancellation.isCancelled {
      console.flush()
      CurrentFiles.set(input: file)
      let shown = shown(of: file, registry, console)
      var members: [String: JSONValue] = ["file": .text(file)]
      if let error = shown.problem {
        failures.add(error, file: file, order: order)
        members["error"] = JSONValue(error)
      }
      if let (format, properties) = shown.found {
        members["format"] = .text(format.rawValue)
        members["properties"] = JSONValue(properties)
      }
      files.append(.object(members))
      guard let properties = shown.found?.properties, !batch.json, !read.coders.isQuiet else { continue }
      if !isFirst { console.print("") }
      isFirst = false
      print(properties, of: file, console)
    }
    if batch.json { console.print(JSONValue.object(["schema": .integer(1), "files": .list(files)]).printed) }
    return failures.status
  }

  private typealias Found = (format: ImageFormat, properties: Properties)

  /// What a file says, as far as it can be read, and what is wrong with it.
  private func shown(
    of file: String, _ registry: CoderRegistry, _ console: Console
  ) -> (found: Found?, problem: CoderError?) {
    do throws(CoderError) {
      let (found, isCut) = try properties(of: file, registry, console)
      return (found, isCut ? .truncated("the file ends before its picture does") : nil)
    } catch {
      let found = try? registry.properties(
        ofDamaged: read.source(file, registry, console), reading: read.decodeOptions(registry, console, file: file),
        coder: registry.coderID(named: read.coder))
      return (found.map { ($0.format, Self.described($0.properties)) }, error)
    }
  }

  private func properties(
    of file: String, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> (found: Found, isCut: Bool) {
    var options = try read.decodeOptions(registry, console, file: file)
    options.size = .fitting(Size(width: 1, height: 1))
    let decoder = try read.open(try read.source(file, registry, console), registry, options: options)
    return (
      (decoder.header.format, Self.described(try decoder.properties())), decoder.header.isTruncated
    )
  }

  /// Those that metadata states, and not the container.
  private static func described(_ properties: Properties) -> Properties {
    var shown = Properties()
    for (name, value) in properties.sorted
    where ["{TIFF}", "{Exif}", "{GPS}", "{IPTC}", "{XMP}", "ProfileName"].contains(name) {
      shown[name] = value
    }
    return shown
  }

  private func print(_ properties: Properties, of file: String, _ console: Console) {
    console.print(console.style.title(file.printable))
    if properties.isEmpty { console.print("  no metadata") }
    for (name, value) in properties.sorted {
      guard case .dictionary(let inner) = value else {
        console.print("  \(name)  \(value.inWords.printable)")
        continue
      }
      console.print("  \(name)")
      let width = inner.sorted.map(\.name.count).max() ?? 0
      for (name, value) in inner.sorted {
        let space = String(repeating: " ", count: width - name.count + 2)
        console.print("    \(name.printable)\(space)\(value.inWords.printable)")
      }
    }
  }
}

/// Edits one file.
private struct MetadataWork: FileWork {
  let command: MetadataCommand
  let edit: MetadataEdit
  let registry: CoderRegistry
  let console: Console

  func make(
    _ input: String, _ output: String, currentFile: inout String, problem: @escaping (CoderError) -> Void
  ) throws(CoderError) -> EncodingReport {
    let target = OutputFile(output, console)
    let made = try registry.editMetadata(
      try command.read.source(input, registry, console), edit, at: target.destination,
      reading: try command.read.decodeOptions(registry, console, file: input),
      coder: try registry.coderID(named: command.read.coder))
    currentFile = output
    try target.take(made, console)
    return EncodingReport(file: output, format: made.format, made: made, allowed: nil)
  }
}

/// Parts of metadata on the command line: `exif,gps`, `all`.
struct PartsArgument: DescribedArgument {
  let parts: Set<MetadataEdit.Part>

  init?(argument: String) {
    var parts: Set<MetadataEdit.Part> = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      if word == "all" {
        parts.formUnion(MetadataEdit.publishing)
      } else if let part = MetadataEdit.Part(rawValue: String(word)) {
        parts.insert(part)
      } else {
        return nil
      }
    }
    self.parts = parts
  }

  static func allowed(for text: String) -> String {
    let words = MetadataEdit.Part.allCases.map(\.rawValue) + ["all"]
    let given = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let wrong = given.first { !words.contains($0) } ?? ""
    return "parts are a list from \(words.joined(separator: ","))" + Spelling.question(wrong, in: words)
  }
}

/// A property with its value on the command line: `Artist=A. Author`.
struct SettingArgument: DescribedArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
    name = String(argument[..<sign])
    value = String(argument[argument.index(after: sign)...])
  }

  static func allowed(for text: String) -> String { "a property is NAME=VALUE, such as Artist=\"A. Author\"" }
}
