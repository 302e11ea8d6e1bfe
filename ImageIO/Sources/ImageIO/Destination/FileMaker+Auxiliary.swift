// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  extension FileMaker {
    /// A file with a picture beside its own. It lies as that one is stored.
    func attached(_ auxiliary: CGImageDestination.Auxiliary, to file: [UInt8]) throws(CoderError) -> [UInt8] {
      guard let data = auxiliary.info.object(forKey: kCGImageAuxiliaryDataInfoData) as? Data,
        let description = auxiliary.info.inner(kCGImageAuxiliaryDataInfoDataDescription),
        let width = description.integer(kCGImagePropertyWidth),
        let height = description.integer(kCGImagePropertyHeight),
        let stride = description.integer(kCGImagePropertyBytesPerRow), (1..<65_536).contains(width),
        (1..<65_536).contains(height),
        let code = description.integer(kCGImagePropertyPixelFormat),
        let pixels = try Self.pixels(data, Size(width: width, height: height), stride: stride, code: code)
      else { throw .invalidArgument("an auxiliary picture without rows that its description fits") }
      let metadata = auxiliary.info.object(forKey: kCGImageAuxiliaryDataInfoMetadata) as? CGImageMetadata
      let operation: FileOperation
      if auxiliary.kind.kind == .gainMap {
        guard let parameters = metadata.flatMap({ GainMapTags.parameters($0) }) else {
          throw .invalidArgument("a gain map whose metadata do not say what its levels mean")
        }
        let small = try registry.encode(
          ImageCodersBuiltIn.Image(pixels), as: .jpeg, options: EncodeOptions(quality: 0.9))
        operation = .attachGainMap(GainMapParts(file: small, iso: parameters.isoMetadata, xmp: nil))
      } else {
        let isDeep = pixels.format.bytesPerChannel > 1 && format != .jpeg
        let gray = try pixels.converted(to: PixelLayout(isDeep ? .gray16 : .gray8, .opaque))
        // Levels are measures: nobody sees what is lost of them.
        let small = try registry.encode(
          ImageCodersBuiltIn.Image(gray), as: format, options: EncodeOptions(quality: 0.95))
        operation = .attachAuxiliary(
          AuxiliaryParts(
            file: small, typeName: auxiliary.kind.name, xmp: try Self.packet(auxiliary.kind.kind, metadata)))
      }
      guard let made = try registry.apply(operation, to: .bytes(file)).file else {
        throw .unsupported("\(auxiliary.kind.kind) in \(format)")
      }
      return made.bytes
    }

    /// What metadata say of a picture. Files have one name for depth and disparity, and say here which of the two it is.
    private static func packet(_ kind: PageKind, _ metadata: CGImageMetadata?) throws(CoderError) -> [UInt8]? {
      var nodes = metadata?.nodes ?? []
      if kind == .disparity, !nodes.contains(where: { $0.prefix == "apdi" && $0.name == "AuxiliaryImageSubType" }) {
        nodes.append(
          XMPNode(
            prefix: "apdi", name: "AuxiliaryImageSubType", namespace: "http://ns.apple.com/pixeldatainfo/1.0/",
            value: .text("disparity")))
      }
      return nodes.isEmpty ? nil : try XMPPacket(nodes).bytes()
    }

    private static func pixels(_ data: Data, _ size: Size, stride: Int, code: Int) throws(CoderError)
      -> PixelBuffer?
    {
      let formats: [(PixelFormat, Int)] = [
        (.gray8, 0x4C30_3038), (.gray16, 0x4C30_3136), (.rgb8, 24), (.rgba8, 0x5247_4241),
      ]
      guard let format = formats.first(where: { $0.1 == code })?.0, stride >= size.width * format.bytesPerPixel,
        stride < 1 << 24, data.count >= stride * (size.height - 1) + size.width * format.bytesPerPixel
      else { return nil }
      let rows = [UInt8](data) + [UInt8](repeating: 0, count: max(0, stride * size.height - data.count))
      return try PixelBuffer(
        copying: rows.prefix(stride * size.height), size: size, format: format,
        alpha: format.hasAlpha ? .straight : .opaque,
        stride: stride)
    }
  }
#endif
