// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

extension Properties {
  private static let dictionary = "{JPEGXL}"

  /// What the file says beside its pixels.
  init(of codestream: Codestream, boxes: BoxIndex) {
    self.init()
    let info = codestream.info
    var facts = Properties()
    if info.have_animation != 0 {
      facts["CanvasPixelWidth"] = .integer(Int64(codestream.canvas.width))
      facts["CanvasPixelHeight"] = .integer(Int64(codestream.canvas.height))
    }
    if info.intrinsic_xsize != info.xsize || info.intrinsic_ysize != info.ysize, info.intrinsic_xsize > 0 {
      facts["IntrinsicPixelWidth"] = .integer(Int64(info.intrinsic_xsize))
      facts["IntrinsicPixelHeight"] = .integer(Int64(info.intrinsic_ysize))
    }
    if info.have_preview != 0 {
      facts["PreviewPixelWidth"] = .integer(Int64(info.preview.xsize))
      facts["PreviewPixelHeight"] = .integer(Int64(info.preview.ysize))
    }
    facts["IntensityTarget"] = .number(Double(info.intensity_target))
    if info.min_nits > 0 { facts["MinimumNits"] = .number(Double(info.min_nits)) }
    if info.linear_below > 0 { facts["LinearBelow"] = .number(Double(info.linear_below)) }
    if info.relative_to_max_display != 0 { facts["IsRelativeToMaxDisplay"] = .integer(1) }
    facts["IsContainer"] = .integer(boxes.isContainer ? 1 : 0)
    facts["CodestreamLevel"] = .integer(Int64(boxes.level))
    facts["UsesOriginalProfile"] = .integer(info.uses_original_profile != 0 ? 1 : 0)
    if boxes.hasReconstruction { facts["HasJPEGReconstruction"] = .integer(1) }
    facts["LayerCount"] = .integer(codestream.frames.reduce(0) { $0 + Int64($1.layerCount) })
    for (index, channel) in codestream.extraChannels.enumerated() {
      var entry = Properties()
      entry["Type"] = .text(channel.kindName)
      entry["BitsPerSample"] = .integer(Int64(channel.bits))
      if channel.exponentBits > 0 { entry["ExponentBits"] = .integer(Int64(channel.exponentBits)) }
      if let name = channel.name { entry["Name"] = .text(name) }
      facts["ExtraChannel\(index)"] = .dictionary(entry)
    }
    self[Self.dictionary] = .dictionary(facts)
    if info.exponent_bits_per_sample > 0 { self["IsFloat"] = .integer(1) }
    self["ColorModel"] = .text(codestream.black != nil ? "CMYK" : codestream.isGray ? "Gray" : "RGB")
  }

  /// What the file says of one frame.
  init(of frame: AnimationFrame) {
    self.init()
    if frame.layerCount > 1 { self[Self.dictionary, "LayerCount"] = .integer(Int64(frame.layerCount)) }
    if !frame.layers.isEmpty { self[Self.dictionary, "Name"] = .text(frame.layers.joined(separator: ", ")) }
    if let timecode = frame.timecode { self[Self.dictionary, "Timecode"] = .integer(Int64(timecode)) }
  }
}
