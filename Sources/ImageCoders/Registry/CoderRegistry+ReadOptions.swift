// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

// Options of readers, as manifests and coders of the application describe them. No plugin is loaded.
extension CoderRegistry {
  /// The manifests of the plugins that read, in the order in which they are tried.
  package var readers: [Manifest] { candidatesInOrder().filter(\.canRead).compactMap(\.entry?.manifest) }

  /// What the coders say of an option of a name.
  package func readOptions(named name: String) -> [OptionDescription] {
    candidatesInOrder().flatMap(\.readOptions).filter { $0.name == name }
  }

  /// Whether a value of an option is shown nowhere and kept nowhere: a password, and what any coder takes for a secret.
  package func isSecret(readOption name: String) -> Bool {
    name == OptionDescription.password || readOptions(named: name).contains(where: \.isSecret)
  }
}
