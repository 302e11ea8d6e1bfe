// SPDX-License-Identifier: Apache-2.0
#if !Loading
  // Without the trait the module has nothing but these names, each of which says why.

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageLoader {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageRequest {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageTask {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageResponse {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageSlot {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum LoadGroup {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum PrefetchTask {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum HTTPFetcher {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum AddressPolicy {}

  /// There with the trait `Loading`.
  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum LoadingError {}
#endif
