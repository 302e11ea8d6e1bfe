// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderTesting
import ImageCoders

/// What a run of the program is asked to do.
struct Arguments {
  /// How a file is gone through.
  enum Mode {
    /// The whole image in one call.
    case decode
    /// One frame after the other.
    case frames
    /// Frames from the last to the first, which needs canvases rebuilt.
    case backwards
    /// What a player shows, and when.
    case play
    /// The picture of each page, as if the pages were frames.
    case pages
    /// The first frame, to fit a box of so many pixels.
    case thumbnail(Int)
    /// The whole image in one call, after the stored picture was turned and the file's metadata changed.
    case edited
    /// Header and metadata, no pixels.
    case header
    /// Bytes that arrive in pieces.
    case chunks(Chunking)
  }

  /// The layout of the pixels that are printed.
  enum Layout {
    /// `rgba16` where the file has 16 bits per channel, `rgba8` elsewhere.
    case atDepth
    /// As the reader says.
    case native
    case fixed(PixelFormat)
  }

  var mode = Mode.decode
  var layout = Layout.atDepth
  var plugins = "build/lib/coders/1"
  /// Where rows go: a file `<number>-<frame>.raw` for each frame, `<number>` being the file's place in the list.
  var rawFolder: String?
  var isUpright = true
  /// Whether the parts of a still picture are frames of their own.
  var separatesParts = false
  /// How often the program forks, instead of printing what it decodes.
  var forks = 0
  var isIsolated = false
  /// Bytes that pixels may take.
  var maxMemory = Limits.standard.maxMemory
  /// Empty for a list on standard input, one path a line.
  var paths: [String] = []

  static let usage = """
    usage: coder-digest [OPTION]… [FILE]…

    Decodes each file, or each path on standard input, and prints one line of JSON for it.

      --frames, --backwards   frame by frame, forwards or from the last to the first
      --play                  what a player shows and when, in nanoseconds, for at most three plays
      --pages                 the picture of each page
      --thumbnail N           the first frame, to fit N×N
      --edited                as without options, after metadata is taken out and put in; the file is turned, too
      --header                no pixels
      --chunks N              bytes arrive N at a time; rows that are final are held against what becomes of them
      --chunks seed:N         bytes arrive in pieces of random sizes, the same for the same N; one by one for 0
      --format NAME           gray8, rgb8, rgba8, rgba16, …; native; depth (rgba16 or rgba8, as the file's depth is)
      --as-stored             not turned upright
      --parts                 the parts of a still picture one by one
      --memory N              bytes that pixels may take
      --raw FOLDER            write each frame's rows to FOLDER/<number>-<frame>.raw
      --forks N               fork N times while threads are busy, and use all formats and the files in each child
      --isolated              decode in workers
      --plugins FOLDER        build/lib/coders/1

    """

  /// - Returns: Nil when an argument has no meaning.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--frames": mode = .frames
      case "--backwards": mode = .backwards
      case "--play": mode = .play
      case "--edited": mode = .edited
      case "--header": mode = .header
      case "--pages": mode = .pages
      case "--as-stored": isUpright = false
      case "--parts": separatesParts = true
      case "--thumbnail":
        guard let side = rest.popFirst().flatMap({ Int($0) }), side > 0 else { return nil }
        mode = .thumbnail(side)
      case "--chunks":
        guard let pieces = rest.popFirst().flatMap({ Chunking($0) }) else { return nil }
        mode = .chunks(pieces)
      case "--isolated": isIsolated = true
      case "--forks":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
        forks = count
      case "--format":
        guard let name = rest.popFirst(), let layout = Layout(name) else { return nil }
        self.layout = layout
      case "--memory":
        guard let bytes = rest.popFirst().flatMap({ Int($0) }), bytes > 0 else { return nil }
        maxMemory = bytes
      case "--raw":
        guard let folder = rest.popFirst() else { return nil }
        rawFolder = folder
      case "--plugins":
        guard let folder = rest.popFirst() else { return nil }
        plugins = folder
      default:
        guard !argument.hasPrefix("-") else { return nil }
        paths.append(argument)
      }
    }
  }
}

extension Chunking {
  /// `1000` or `seed:7`.
  fileprivate init?(_ argument: String) {
    if argument.hasPrefix("seed:") {
      guard let seed = UInt64(argument.dropFirst("seed:".count)) else { return nil }
      self.init(seed: seed)
    } else {
      guard let size = Int(argument), size > 0 else { return nil }
      self.init(size: size)
    }
  }
}

extension Arguments.Layout {
  init?(_ name: String) {
    switch name {
    case "depth": self = .atDepth
    case "native": self = .native
    default:
      guard let format = PixelFormat.allCases.first(where: { $0.description == name }) else { return nil }
      self = .fixed(format)
    }
  }
}
