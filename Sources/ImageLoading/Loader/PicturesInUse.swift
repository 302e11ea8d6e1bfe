// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel

  /// Pictures that the application still has, though the cache may have dropped them: to find one of them costs no memory.
  final class PicturesInUse: Sendable {
    private struct Entry: Sendable {
      /// The picture without its frames.
      let picture: Picture
      let frames: [WeakFrame]
    }

    private struct WeakFrame: Sendable {
      weak let pixels: PixelBuffer?
      let delay: FrameDelay
      let problem: CoderError?
    }

    private struct State {
      var entries: [String: Entry] = [:]
      /// At so many entries those are dropped whose pictures are gone.
      var nextSweep = 64
    }

    private let state = Lock(State())

    func note(_ picture: Picture, for key: String) {
      let frames = picture.loaded.image.frames.map {
        WeakFrame(pixels: $0.pixels, delay: $0.delay, problem: $0.problem)
      }
      var picture = picture
      picture.loaded.image.frames = []
      let entry = Entry(picture: picture, frames: frames)
      state.withLock { state in
        state.entries[key] = entry
        guard state.entries.count >= state.nextSweep else { return }
        state.entries = state.entries.filter { $0.value.frames.allSatisfy { $0.pixels != nil } }
        state.nextSweep = max(64, 2 * state.entries.count)
      }
    }

    /// The picture, if all of its frames are in use.
    func picture(for key: String) -> Picture? {
      guard let entry = state.withLock({ $0.entries[key] }) else { return nil }
      var picture = entry.picture
      for frame in entry.frames {
        guard let pixels = frame.pixels else {
          remove(key)
          return nil
        }
        picture.loaded.image.frames.append(Frame(pixels: pixels, delay: frame.delay, problem: frame.problem))
      }
      return picture
    }

    func remove(_ key: String) { state.withLock { _ = $0.entries.removeValue(forKey: key) } }
    func removeAll() { state.withLock { $0.entries = [:] } }
  }
#endif
