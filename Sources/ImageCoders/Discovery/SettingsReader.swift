// SPDX-License-Identifier: Apache-2.0

/// The keys of the settings file, as `Registry/schema/settings-1.schema.json` describes them.
package enum SettingsKeys {
  package static let all = ["priorities", "disabled", "allowed", "prefer"]
  package static let prefer = ["read", "write"]
}

extension CoderPreferences {
  /// Bytes that a settings file may have at most.
  private static let maxBytes = 1 << 20

  /// Reads a settings file. What is wrong in it is left out, with a problem that names its place.
  mutating func read(_ path: String) {
    var problems: [TextProblem] = []
    do throws(FileProblem) {
      let bytes = try TrustedFile.contents(of: path, maxBytes: Self.maxBytes)
      do throws(TextProblem) {
        let file = try JSONNode(try JSONValue(parsing: bytes), name: "the settings file").object()
        problems += file.unknownKeys(SettingsKeys.all)
        for (key, node) in file.nodes { read(key, node, &problems) }
      } catch {
        problems.append(error)
      }
    } catch {
      if error.kind != .missing { self.problems.append(error.message) }
    }
    self.problems += problems.map { "\(path): \($0)" }
  }

  private mutating func read(_ key: String, _ node: JSONNode, _ problems: inout [TextProblem]) {
    do throws(TextProblem) {
      switch key {
      case "priorities":
        for (id, node) in try node.object().nodes {
          do throws(TextProblem) {
            priorities[id] = try node.whole(Int(Int32.min)...Int(Int32.max))
          } catch {
            problems.append(error)
          }
        }
      case "disabled": disabled = Set(try Self.strings(node, &problems))
      case "allowed":
        // A list that is not understood must not allow everything.
        allowed = []
        allowed = Set(try Self.strings(node, &problems))
      case "prefer":
        for (format, node) in try node.object().nodes {
          do throws(TextProblem) {
            let lists = try node.object()
            problems += lists.unknownKeys(SettingsKeys.prefer)
            preferred[format] = Order(
              read: try lists["read"].map { (node) throws(TextProblem) in try Self.strings(node, &problems) } ?? [],
              write: try lists["write"].map { (node) throws(TextProblem) in try Self.strings(node, &problems) } ?? [])
          } catch {
            problems.append(error)
          }
        }
      default: break
      }
    } catch {
      problems.append(error)
    }
  }

  /// The strings of a list; what is none is a problem.
  private static func strings(_ node: JSONNode, _ problems: inout [TextProblem]) throws(TextProblem) -> [String] {
    var strings: [String] = []
    for item in try node.list() {
      do throws(TextProblem) { strings.append(try item.word()) } catch { problems.append(error) }
    }
    return strings
  }
}
