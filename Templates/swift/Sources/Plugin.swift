public import ImageCoderPlugin

// What the manifest says too (R15 of imgcoder/plugin.h).
private let plugin = PluginExport(
  id: "org.example.flipbook", version: "1.0.0",
  names: ContainerPropertyNames(dictionary: "{Flipbook}", defaultLoopCount: .plays(1)),
  reader: FlipbookReader.self, readsIncrementally: true,
  writer: FlipbookWriter.self, writerFormats: [ImageFormat(rawValue: "org.example.flipbook")],
  writerFeatures: [.frames, .parts, .replaces, .blends, .clears, .restores],
  options: [FlipbookWriter.runs.description])

/// What the host calls first; the kit exports it as `imgcoder_entry_v1`.
@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
