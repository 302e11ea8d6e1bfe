// SPDX-License-Identifier: Apache-2.0
#if !Loading
  // Without the trait the module has nothing but these names, each of which says why.

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageLoader {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageRequest {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageTask {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageResponse {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum ImageSlot {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum LoadGroup {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum PrefetchTask {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum HTTPFetcher {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum AddressPolicy {}

  @available(
    *, unavailable,
    message: "name the trait Loading where your package depends on ImageCoders: traits: [\"Loading\", …]"
  )
  public enum LoadingError {}
#endif
