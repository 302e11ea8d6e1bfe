// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageProcessing

/// `coders compare`: says how much two pictures differ.
struct CompareCommand: ReadingVerb {
  /// What is measured beside the rest, since it takes longer.
  enum Metric: String, ExpressibleByArgument, CaseIterable {
    case ssimulacra2
  }

  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measure how much two pictures differ, or list what two files say differently.",
    discussion: """
      Both are shown as they are seen: upright, in sRGB unless --color says otherwise, color multiplied by alpha. They must \
      have the same size. PSNR is that of all samples; SSIM is the mean structural similarity of luma (a Gaussian window of \
      11×11 pixels), 1 for equal pictures; DSSIM is (1 - SSIM) ÷ 2. Of animations, the first frame is compared.

      --metric ssimulacra2 also says how much alike they look: 100 is the same, 90 hard to tell apart, 70 good, 50 medium. \
      It judges the colors of the files, which have to be those of sRGB; --color srgb converts others.

      With a bound, the exit status is 4 if the pictures differ by more: --min-psnr, --min-ssim, --min-ssimulacra2, \
      --max-difference. Without one, it is 0 whatever the difference.

      With --metadata, no pixels are decoded: what the files state is compared instead, one line for each fact and \
      property that differs: size, colors, density, properties of Exif, IPTC and XMP, thumbnails, videos, gain maps and \
      other parts. The exit status is 4 if there is a difference.

      Examples:
        coders compare photo.png photo.jpg
        coders compare photo.png photo.jpg --min-ssim 0.95 && echo good enough
        coders compare photo.png photo.jpg --metric ssimulacra2
        coders compare expected.png found.png --max-difference 0
        coders compare a.png b.png -o difference.png --amplify 16
        coders compare --metadata photo.jpg photo.heic
      """)

  @Option(help: ArgumentHelp("Fail if the PSNR is lower.", valueName: "decibels"))
  var minPsnr: Double?

  @Option(help: ArgumentHelp("Fail if the SSIM is lower, 0 to 1.", valueName: "similarity"))
  var minSsim: Double?

  @Option(help: ArgumentHelp("Fail if SSIMULACRA2 is lower, at most 100.", valueName: "score"))
  var minSsimulacra2: Double?

  @Option(help: "Measure by this, too: ssimulacra2.")
  var metric: Metric?

  @Option(
    help: ArgumentHelp(
      "Fail if a sample differs by more, in levels of 0 to 255; 0 asks for equal pictures.", valueName: "levels"))
  var maxDifference: Double?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the difference as a picture: black where the pictures are equal.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Multiply differences by this factor in the picture of -o.", valueName: "factor"))
  var amplify = 1.0

  @Flag(help: "Compare what the files say of their pictures, and not the pixels.")
  var metadata = false

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "Colors") var color: ColorOptions

  @Argument(help: ArgumentHelp("A picture; - is standard input.", valueName: "a"))
  var first: String

  @Argument(help: ArgumentHelp("The picture to compare it with.", valueName: "b"))
  var second: String

  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if first == "-", second == "-" { throw ValidationError("standard input can be given only once") }
    if !(amplify > 0 && amplify <= 1_000_000) { throw ValidationError("--amplify is \(amplify); above 0 is allowed") }
    if metadata, output != nil || minPsnr != nil || minSsim != nil || maxDifference != nil || isLookMeasured {
      throw ValidationError(
        "--metadata compares no pixels: --metric, -o and bounds of differences do not go with it")
    }
    if json, output == "-" { throw ValidationError("standard output takes either the picture or --json") }
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    if metadata { return compareMetadata(registry, console, failures: failures) }
    guard let a = picture(first, registry, failures, console), let b = picture(second, registry, failures, console)
    else { return failures.status }
    let comparison = try ImageComparison(a.pixels, b.pixels)
    let look = isLookMeasured ? try ImageComparison.ssimulacra2(a, b) : nil
    let isAllowed =
      comparison.psnr >= minPsnr ?? -.infinity && comparison.ssim >= minSsim ?? -.infinity
      && look ?? .infinity >= minSsimulacra2 ?? -.infinity
      && comparison.maximum * 255 <= (maxDifference ?? .infinity) + 1e-4
    if let output {
      let target = OutputFile(output, console)
      try target.refuseTerminal(console)
      let format = try registry.format(named: output == "-" ? "png" : nil, output: output)
      let difference = try ImageComparison.picture(of: a.pixels, b.pixels, amplification: amplify)
      let encoder = try registry.makeEncoder(
        as: format, to: target.destination, options: EncodeOptions(limits: read.limits), coder: nil)
      try encoder.add(Image(difference))
      try target.take(try encoder.finish(), console)
    }
    if json {
      console.print(document(comparison, look: look, isAllowed).printed)
    } else if !read.coders.isQuiet, output != "-" {
      console.print("PSNR        " + (comparison.psnr.isFinite ? "\(comparison.psnr.short) dB" : "equal pictures"))
      console.print("SSIM        \(Self.decimals(comparison.ssim))")
      console.print("DSSIM       \(Self.decimals(comparison.dssim))")
      if let look { console.print("SSIMULACRA2 \(Self.decimals(look))") }
      console.print(
        "difference  at most \((comparison.maximum * 255).short), \((comparison.mean * 255).short) on average, of 255")
      console.print("pixels      \(comparison.differingPixels) of \(a.pixels.size.pixelCount) differ")
    }
    guard failures.status == .ok else { return failures.status }
    return isAllowed ? .ok : .different
  }

  private var isLookMeasured: Bool { metric == .ssimulacra2 || minSsimulacra2 != nil }

  private func picture(
    _ file: String, _ registry: CoderRegistry, _ failures: Failures, _ console: Console
  ) -> Image? {
    CurrentFiles.set(input: file)
    do throws(CoderError) {
      var options = try read.decodeOptions(registry, console, file: file)
      options.firstFrameOnly = true
      options.color = try color.outputColor(console, unlessAsked: isLookMeasured ? .asStored : .convert(to: .sRGB))
      let image = try read.decode(try read.source(file, registry, console), registry, options: options)
      if let problem = image.problem { failures.add(problem, file: file) }
      return image
    } catch {
      failures.add(error, file: file)
      return nil
    }
  }

  // MARK: Metadata

  private func compareMetadata(_ registry: CoderRegistry, _ console: Console, failures: Failures) -> ExitStatus {
    guard let a = statements(of: first, registry, console, failures: failures),
      let b = statements(of: second, registry, console, failures: failures)
    else { return failures.status }
    let differences = MetadataComparison(a, b).differences
    if json {
      let list = differences.map {
        JSONValue.object([
          "name": .text($0.name), "first": .optional($0.first), "second": .optional($0.second),
        ])
      }
      console.print(
        JSONValue.object([
          "schema": .integer(1), "first": .text(first), "second": .text(second), "differences": .list(list),
        ]).printed)
    } else if !read.coders.isQuiet {
      var table = Table(["", first, second])
      for difference in differences {
        table.add([difference.name, difference.first ?? "–", difference.second ?? "–"])
      }
      if differences.isEmpty {
        console.print("both files say the same")
      } else {
        for line in table.lines(console.style) { console.print(line) }
      }
    }
    return differences.isEmpty ? .ok : .different
  }

  private func statements(
    of file: String, _ registry: CoderRegistry, _ console: Console, failures: Failures
  ) -> MetadataComparison.Statements? {
    CurrentFiles.set(input: file)
    do throws(CoderError) {
      let options = try read.decodeOptions(registry, console, file: file)
      let source = try registry.rereadable(try read.source(file, registry, console), options)
      let decoder = try read.open(source, registry, options: options)
      return try MetadataComparison.Statements(decoder, registry.parts(of: decoder, in: source, options))
    } catch {
      failures.add(error, file: file)
      return nil
    }
  }

  private func document(_ comparison: ImageComparison, look: Double?, _ isAllowed: Bool) -> JSONValue {
    .object([
      "ssimulacra2": look.map { .number($0) } ?? .null,
      "schema": .integer(1), "first": .text(first), "second": .text(second),
      "psnr": comparison.psnr.isFinite ? .number(comparison.psnr) : .null, "ssim": .number(comparison.ssim),
      "dssim": .number(comparison.dssim), "max_difference": .number(comparison.maximum * 255),
      "mean_difference": .number(comparison.mean * 255), "differing_pixels": .integer(comparison.differingPixels),
      "within_bounds": .boolean(isAllowed),
    ])
  }

  /// Six digits after the point.
  private static func decimals(_ value: Double) -> String {
    let millionths = Int((abs(value) * 1e6).rounded())
    let digits = String(millionths % 1_000_000)
    let fraction = String(repeating: "0", count: 6 - digits.count) + digits
    return "\(value < 0 && millionths > 0 ? "-" : "")\(millionths / 1_000_000).\(fraction)"
  }
}
