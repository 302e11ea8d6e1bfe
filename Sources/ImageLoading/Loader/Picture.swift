// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel

  /// Tells apart what the bytes of one source were at different times.
  struct ContentVersion: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The version of bytes that their key names.
    static let constant = ContentVersion("constant")
  }

  /// A picture on its way through the stages of a loader.
  struct Picture: Sendable {
    var loaded: ImageResponse
    /// The version of the bytes that it was made of.
    var version: ContentVersion
    /// The download that the bytes came with, until it is kept; nil for local sources.
    var download: Generations.Download?
    /// Whether it may be put in memory.
    var mayKeep: Bool
    /// The whole picture's size before it was fitted to a box, upright; nil where pages are sizes of one picture.
    var fullSize: Size?

    /// The files beside the file that its coder asked for.
    var siblings: [SiblingStamp] = []

    /// The bytes of all frames.
    var byteCount: Int { loaded.image.frames.reduce(0) { $0 + $1.pixels.byteCount } }

    /// The same with the first frame alone.
    var firstFrame: Picture {
      guard loaded.image.frames.count > 1 else { return self }
      var picture = self
      picture.loaded.image.frames = [loaded.image.frames[0]]
      // What is missing further on is not missing here.
      picture.loaded.image.problem = loaded.image.frames[0].problem
      return picture
    }

    /// The same picture for a load that found it in memory.
    func reused(_ origin: ImageResponse.Origin, isStale: Bool = false) -> Picture {
      var picture = self
      picture.loaded.origin = origin
      picture.loaded.isStale = isStale
      picture.loaded.bytesReceived = 0
      picture.loaded.bytesSaved = 0
      return picture
    }

    /// The same picture for a load that found it in memory, and has asked for the bytes that it was made of.
    func reused(after bytes: LoadedBytes) -> Picture {
      var picture = reused(bytes.origin, isStale: bytes.isStale)
      picture.loaded.bytesReceived = bytes.bytesReceived
      let isConfirmed = bytes.origin == .validated && bytes.source == nil
      picture.loaded.bytesSaved = isConfirmed ? loaded.byteCount ?? 0 : bytes.bytesSaved
      picture.download = bytes.download
      return picture
    }
  }

  /// The bytes of a file that have come, or the word that nothing has changed.
  struct LoadedBytes: Sendable {
    /// Nil when the server has confirmed a picture in memory whose bytes are not kept.
    var source: ByteSource?
    /// Where they came from after redirects.
    var url: String
    var byteCount: Int?
    var version: ContentVersion
    /// The download that they came with; see ``Generations``.
    var download: Generations.Download?
    var response: StoredResponse?
    var origin: ImageResponse.Origin
    var isStale = false
    var bytesReceived = 0
    var bytesSaved = 0
    var mayKeep = true
    /// The place among those that hold bytes of the disk; given back with this.
    var place: FetchGate.Place?

    /// A picture that was made of these bytes.
    func picture(_ image: Image) -> Picture {
      let orientation = image.header.map(\.orientation) ?? .up
      let isOnePicture = image.header.map { $0.pageCount <= 1 } ?? false
      return Picture(
        loaded: ImageResponse(
          image: image, origin: origin, isStale: isStale, url: url, response: response, byteCount: byteCount,
          bytesReceived: bytesReceived, bytesSaved: bytesSaved),
        version: version, download: download, mayKeep: mayKeep,
        fullSize: isOnePicture ? image.header.map { orientation.displayed($0.canvas) } : nil,
        siblings: image.siblings)
    }
  }

  /// What a stage tells while it works.
  struct StageUpdate: Sendable {
    var progress: ImageTask.Progress?
    var preview: ImageTask.Preview?

    /// The newest of each kind.
    static func merge(_ earlier: StageUpdate?, _ later: StageUpdate) -> StageUpdate {
      StageUpdate(progress: later.progress ?? earlier?.progress, preview: later.preview ?? earlier?.preview)
    }
  }

  /// What the bytes tell while they arrive: the body, which is another one when the server began anew.
  struct BytesUpdate: Sendable {
    let body: Body
    let progress: ImageTask.Progress
  }
#endif
