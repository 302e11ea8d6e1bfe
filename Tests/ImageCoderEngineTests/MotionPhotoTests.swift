// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

@Suite struct MotionPhotoTests {
  /// A file type box and a media box: 16 and 12 bytes.
  private let video: [UInt8] =
    [0, 0, 0, 16] + Array("ftypmp42".utf8) + [0, 0, 0, 0, 0, 0, 0, 12] + Array("mdat".utf8) + [1, 2, 3, 4]

  @Test func videoIsFoundBetweenOtherBytes() {
    #expect(MotionPhoto.video(in: video) == 0..<28)
    // What Samsung puts around it is no box.
    let before = [0, 0, 0x30, 0x0A, 16, 0, 0, 0] + Array("MotionPhoto_Data".utf8)
    let after = Array("SEFH".utf8) + [0, 0, 0, 0x66]
    #expect(MotionPhoto.video(in: before + video + after) == 24..<52)
    #expect(MotionPhoto.video(in: before) == nil && MotionPhoto.video(in: []) == nil)
    // A word alone is no box.
    #expect(MotionPhoto.video(in: Array("ftypftypmp42 and so on".utf8)) == nil)
  }

  @Test func videoThatIsCutGoesToTheEnd() {
    #expect(MotionPhoto.video(in: Array(video.prefix(26))) == 0..<26)
    var open = video
    open[19] = 0
    #expect(MotionPhoto.video(in: open + [9, 9]) == 0..<30)
  }

  @Test func mediaTypeIsThatOfTheBrand() {
    #expect(MotionPhoto.mediaType(of: video) == "video/mp4")
    #expect(MotionPhoto.mediaType(of: [0, 0, 0, 16] + Array("ftypqt  ".utf8)) == "video/quicktime")
  }

  /// The directory names the picture and the video; another one of the packet is gone, and the moment stays.
  @Test func packetSaysThatAVideoFollows() throws {
    let old = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MicroVideo="1" \
      GCamera:MicroVideoOffset="999" GCamera:MicroVideoPresentationTimestampUs="1500" \
      xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="image/jpeg"/></rdf:RDF></x:xmpmeta>
      """
    let packet = try MotionPhoto.packet(Array(old.utf8), video: video, format: .heic, keepsItems: false)
    let properties = XMPProperties.read(packet)
    #expect(properties["{XMP}", "GCamera:MotionPhoto"] == .text("1"))
    #expect(properties["{XMP}", "GCamera:MotionPhotoPresentationTimestampUs"] == .text("1500"))
    #expect(properties["{XMP}", "GCamera:MicroVideoOffset"] == nil && properties["{XMP}", "GCamera:MicroVideo"] == nil)
    #expect(properties["{XMP}", "dc:format"] == .text("image/jpeg"))
    guard case .list(let items)? = properties["{XMP}", "Container:Directory"] else {
      Issue.record("no directory")
      return
    }
    func item(_ index: Int, _ name: String) -> PropertyValue? {
      guard case .dictionary(let outer) = items[index], case .dictionary(let inner)? = outer["Container:Item"] else {
        return nil
      }
      return inner["Item:\(name)"]
    }
    #expect(items.count == 2 && item(0, "Semantic") == .text("Primary") && item(0, "Mime") == .text("image/heic"))
    #expect(item(0, "Padding") == .text("8") && item(1, "Semantic") == .text("MotionPhoto"))
    #expect(item(1, "Mime") == .text("video/mp4") && item(1, "Length") == .text("28"))
  }
}
