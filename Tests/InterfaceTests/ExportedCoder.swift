// SPDX-License-Identifier: Apache-2.0

import CInterfaceFakes
public import ImageCoderPlugin

/// A coder that a plugin's author would write in Swift; it tells what it was handed.
let exported = PluginExport(
  id: "org.example.exported", version: "1.0.0", names: ContainerPropertyNames(dictionary: "{Exported}"),
  reader: ExportedReader.self, writer: ExportedWriter.self,
  options: [OptionDescription(name: "effort", text: "How hard.", kind: .integer(1...9, default: 5))],
  readOptions: [ExportedReader.level.description])

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { exported.table }

/// Answers with what it was opened with: limits as the canvas and the pixel format's depth, the level as the resolution.
final class ExportedReader: ContainerReader {
  static let level = CoderOption.integer("level", 0...9, default: 0, "What the header says.")

  private let limits: Limits
  private let options: OpenOptions

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    limits = host.limits
    self.options = options
    if source.size == 0 { throw .truncated("no byte of 4", at: 0) }
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = ImageHeader(
      format: .png, canvas: Size(width: max(1, limits.maxSide), height: max(1, limits.maxFrames)), pixelFormat: .rgba16,
      bitsPerChannel: 16, alpha: .straight)
    header.frameCount = 3
    header.gamma = Double(limits.maxMemory) + 0.5
    header.resolution = options[Self.level] > 0 ? Double(options[Self.level]) : nil
    header.isProgressive = options.contains(.headerOnly)
    return header
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    FrameHeader(
      rect: Rect(x: 1, y: 2, width: 3, height: 4), delay: FrameDelay(numerator: 5, denominator: 6),
      disposal: .restorePrevious, blend: .over, dependsOn: 7)
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    DecodeOffer(
      request, size: request.size ?? Size(width: 11, height: 12), pixelFormat: request.pixelFormat ?? .gray8,
      alpha: .straight, scaleCode: 13, memory: 14)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {}
}

/// Fails with what it was opened with.
final class ExportedWriter: ContainerWriter {
  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    throw .unsupported("format \(options.format) lossless \(options.isLossless) values \(options.values.count)")
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout { wanted }
  func setHeader(_ header: ImageHeader) throws(CoderError) {}
  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {}
  func finish() throws(CoderError) {}
}
