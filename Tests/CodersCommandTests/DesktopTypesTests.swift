// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CodersCommand
import Glibc
import ImageCoders
import TestSupport
import Testing

@Suite struct DesktopTypesTests {
  private func types(_ formats: String, known list: String? = nil, does: String = #"["read", "write"]"#) throws
    -> DesktopTypes
  {
    let text = """
      {"id": "org.example.sketch", "name": "Sketch", "version": "1.0.0", "abi": {"major": 1}, "library": "libsketch.so",
       "formats": \(formats), "capabilities": \(does)}
      """
    let folder = TemporaryFolder()
    if let list { folder.write(list, to: "mime/packages/freedesktop.org.xml") }
    return DesktopTypes(
      try Manifest(json: Array(text.utf8)), json: try JSONValue(parsing: Array(text.utf8)),
      known: KnownTypes(in: ["/nowhere", folder.path]), mediaType: { $0 == "public.tiff" ? "image/tiff" : nil })
  }

  private let sketch = """
    [{"uti": "org.example.sketch", "name": "Sketch <2>", "mime": ["image/x-sketch", "image/sketch"],
      "extensions": ["sketch", "s[k"], "refines": ["public.tiff", "org.example.unknown"],
      "match": [{"bytes": "89530d", "offset": 4, "within": 12, "mask": "ff0fff"}, {"bytes": "00", "from": "end"}]}]
    """

  @Test func declaresNamesSignaturesAndParents() throws {
    #expect(
      try types(sketch).declaration == #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Written by coders plugin for org.example.sketch. -->
        <mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
          <mime-type type="image/x-sketch">
            <comment>Sketch &lt;2&gt;</comment>
            <alias type="image/sketch"/>
            <sub-class-of type="image/tiff"/>
            <magic>
              <match type="string" offset="4:16" value="\x89\x53\x0d" mask="0xff0fff"/>
            </magic>
            <glob pattern="*.sketch"/>
            <glob pattern="*.s[[]k"/>
          </mime-type>
        </mime-info>

        """#)
  }

  @Test func declaresOnlyWhatSharedMIMEInfoLacks() throws {
    #expect(try types(sketch, known: #"<mime-type type="image/x-sketch">"#).declaration == nil)
    #expect(try types(sketch, known: #"<alias type="image/sketch"/>"#).declaration == nil)
    #expect(try types(sketch, known: #"<mime-type type="image/x-sketch2">"#).declaration != nil)
    #expect(try types(sketch, known: #"<mime-type type="image/x-sketch">"#).thumbnailer != nil)
  }

  /// A name that is no media type would end the entry that it is in, and begin another.
  @Test func leavesOutWhatIsNoMediaType() throws {
    let formats = #"[{"uti": "a", "mime": ["image/x;Exec=rm", "image/\"><x", "image/a\nb", "plain", "image/"]}]"#
    #expect(try types(formats).declaration == nil)
    #expect(try types(formats).thumbnailer == nil)
  }

  @Test func onlyReadersMakeThumbnails() throws {
    #expect(try types(sketch, does: #"["write"]"#).thumbnailer == nil)
    let own = try Package.text("build/share/thumbnailers/coders.thumbnailer").split(separator: "\n").filter {
      !$0.contains("MimeType")
    }
    let lines = try #require(try types(sketch).thumbnailer).split(separator: "\n")
    #expect(Array(lines.prefix(3)) == Array(own.prefix(3)))
    #expect(lines.last == "MimeType=image/sketch;image/x-sketch;")
  }

  /// The program that reads these files takes the words as they are meant.
  @Test(.enabled(if: Command.run("command -v update-mime-database").status == 0, "needs shared-mime-info"))
  func updateMIMEDatabaseReadsTheDeclaration() throws {
    let folder = TemporaryFolder()
    folder.write(try #require(try types(sketch).declaration), to: "mime/packages/coders.xml")
    let run = Command.run(
      "update-mime-database '\(folder.path)/mime' && cat '\(folder.path)/mime/globs2' '\(folder.path)/mime/aliases' '\(folder.path)/mime/subclasses'"
    )
    #expect(run.status == 0)
    for line in ["50:image/x-sketch:*.sketch\n", "image/sketch image/x-sketch\n", "image/x-sketch image/tiff\n"] {
      #expect(run.output.contains(line), "\(run.output)")
    }
    let magic = try Package.bytes("\(folder.path)/mime/magic")
    // Offset, length, value, mask and range, as the section "The magic files" of the specification has them.
    let line =
      Array(">4=\0\u{3}".utf8) + [0x89, 0x53, 0x0D] + Array("&".utf8) + [0xFF, 0x0F, 0xFF] + Array("+13\n".utf8)
    #expect(magic.indices.contains { magic[$0...].starts(with: line) })
  }

  @Test func typesOfAPackageAreWrittenBelowItsRoot() throws {
    let root = TemporaryFolder()
    for prefix in ["usr", "usr/local"] {
      root.write(
        """
        {"id": "org.example.\(prefix == "usr" ? "one" : "two")", "name": "X", "version": "1", "abi": {"major": 1}, "library": "x.so",
         "formats": [{"uti": "x", "mime": ["image/x-of-this-test"], "extensions": ["x"]}], "capabilities": ["read"]}
        """, to: "\(prefix)/lib/coders/1/x.imgcoder.json")
    }
    let run = Run.inProcess("plugin", "types", "--root", root.path)
    #expect(run.errors == "")
    let files = Command.run("cd '\(root.path)' && find . -path '*/share/*' -type f -printf '%m %P\\n' | sort").output
    #expect(
      files == """
        644 usr/local/share/mime/packages/coders-org.example.two.xml
        644 usr/local/share/thumbnailers/coders-org.example.two.thumbnailer
        644 usr/share/mime/packages/coders-org.example.one.xml
        644 usr/share/thumbnailers/coders-org.example.one.thumbnailer

        """)
    #expect(Run.inProcess("plugin", "types", "--root", "\(root.path)/usr").status == 5)
  }

  /// What packages of plugins depend on is the interface of this program.
  @Test func thePackageProvidesItsInterface() throws {
    let (major, minor) = (IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR)
    let lines = try Package.text("packaging/debian/control").split(separator: "\n")
    #expect(lines.contains("Provides: imgcoder-host-\(major) (= \(major).\(minor))"))
  }
}
