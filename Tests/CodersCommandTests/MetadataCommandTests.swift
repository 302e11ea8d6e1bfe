// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
import TestSupport
import Testing

@Suite struct MetadataCommandTests {
  private let folder = TemporaryFolder()

  /// A picture with a maker, a place and a title.
  private func photo(_ name: String) throws -> String {
    let plain = "\(Package.root)/Tests/Fixtures/jpeg/valid/baseline-444.jpg"
    let path = "\(folder.path)/\(name)"
    let run = Run.inProcess([
      "metadata", plain, "-o", path, "--set", "Make=Camera", "--set", "GPS.Latitude=-33.5", "--set", "dc:title=Harbour",
    ])
    #expect(run.status == 0 && run.errors == "" && run.output == "\(path)\n")
    return path
  }

  @Test func showsPropertiesInGroups() throws {
    let path = try photo("a.jpg")
    let run = Run.inProcess(["metadata", path])
    #expect(run.status == 0)
    #expect(
      run.output == """
        \(path)
          {GPS}
            GPSVersion   2, 3, 0, 0
            Latitude     33.5
            LatitudeRef  S
          {IPTC}
            ObjectName  Harbour
          {TIFF}
            Make  Camera
          {XMP}
            dc:title  Harbour

        """)
    let plain = "\(Package.root)/Tests/Fixtures/jpeg/valid/baseline-444.jpg"
    #expect(Run.inProcess(["metadata", plain]).output == "\(plain)\n  no metadata\n")
  }

  /// Up to the frame header, and up to the first scan.
  @Test(arguments: [0xC0, 0xDA] as [UInt8]) func whatComesBeforeTheDamageIsShown(_ marker: UInt8) throws {
    let path = try photo("a.jpg")
    let whole = Run.inProcess(["metadata", path])
    let bytes = try Package.bytes(path)
    let end = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker })
    folder.write(Array(bytes[..<(end + 3)]), to: "a.jpg")
    let cut = Run.inProcess(["metadata", path])
    #expect(cut.status == 1 && cut.output == whole.output)
    #expect(cut.errors.hasPrefix("coders: \(path): truncated at byte "))
    let json = Run.inProcess(["metadata", "--json", path])
    #expect(json.output.contains("\"code\": \"truncated\"") && json.output.contains("\"Make\": \"Camera\""))
  }

  @Test func jsonHasTheSameValues() throws {
    let path = try photo("a.jpg")
    let run = Run.inProcess(["metadata", "--json", path, "/nowhere.jpg"])
    #expect(run.status == 5)
    #expect(run.output.contains("\"Latitude\": 33.5,"))
    #expect(run.output.contains("\"format\": \"public.jpeg\""))
    #expect(run.output.contains("\"code\": \"io\""))
  }

  @Test func replacesInputsOnlyWhenAsked() throws {
    let paths = [try photo("a.jpg"), try photo("b.jpg")]
    let none = Run.inProcess(["metadata", "--strip", "gps"] + paths)
    #expect(none.status == 64 && none.errors.contains("say where the edited files go"))
    let run = Run.inProcess(["metadata", "--strip", "gps", "--in-place"] + paths)
    #expect(run.status == 0)
    #expect(run.output == paths.map { "\($0)\n" }.joined())
    for path in paths {
      let shown = Run.inProcess(["metadata", path]).output
      #expect(!shown.contains("Latitude") && shown.contains("Make  Camera"))
    }
    #expect(Command.run("ls -A '\(folder.path)' | sort").output == "a.jpg\nb.jpg\n")
  }

  @Test func outputsInAFolderKeepTheirExtensions() throws {
    let path = try photo("a.JPEG")
    let run = Run.inProcess(["metadata", "--strip", "all", path, "-o", "\(folder.path)/public/"])
    #expect(run.output == "\(folder.path)/public/a.JPEG\n")
    let again = Run.inProcess(["metadata", "--strip", "all", path, "-o", path])
    #expect(again.status == 64 && again.errors.contains("would replace the input"))
  }

  @Test(arguments: [
    (["--strip", "gsp"], "did you mean gps?"),
    (["--set", "Artst=x"], "no property is called Artst; did you mean Artist?"),
    (["--set", "Artist"], "a property is NAME=VALUE"), (["-o", "x.jpg"], "there is nothing to write"),
    (["--strip", "gps", "-o", "x.jpg", "--in-place"], "-o cannot be used with --in-place"),
    (["--set", "FNumber=wide", "--in-place"], "{Exif} FNumber takes numbers, not \"wide\""),
  ])
  func wrongArgumentsSayWhatIsMeant(_ arguments: [String], _ message: String) {
    let run = Run.inProcess(["metadata", "a.jpg"] + arguments)
    #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
  }

  @Test func aFormatThatCannotBeEditedIsNotSupported() {
    let gif = "\(Package.root)/Tests/Fixtures/bmp/valid/rgb24.bmp"
    let run = Run.inProcess(["metadata", "--strip", "gps", gif, "-o", "\(folder.path)/x.bmp"])
    #expect(run.status == 2)
    #expect(run.errors.contains("no coder edits the metadata of com.microsoft.bmp"))
  }
}
