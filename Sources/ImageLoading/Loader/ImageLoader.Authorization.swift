// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import HTTPTypes

  extension ImageLoader {
    /// What a hook adds to a request before the loader looks for it anywhere.
    ///
    ///     options.authorize = { request in
    ///       let token = await session.token(for: request.name)
    ///       return ImageLoader.Authorization(headers: [.authorization: "Bearer \(token.text)"], scope: token.user)
    ///     }
    public struct Authorization: Sendable {
      /// Another URL, such as a signed one, or nil for that of the request. ``scope`` has to tell apart what may not be shared.
      public var url: String?
      /// Headers to add; they replace those of the request with the same names.
      public var headers: HTTPFields
      /// Who may see the answer, such as a user's id: requests with different scopes share nothing, in memory, on disk and on
      /// the way; those with the same one do although their tokens differ. Nil for a digest of the headers `Authorization`
      /// and `Cookie`, if there are any.
      public var scope: String?
      /// The URL that names the picture in keys, or nil for the one that is loaded. A signed URL that changes with the time
      /// names the same picture without its signature.
      public var identity: String?

      /// Makes an answer of the hook; without arguments it adds nothing.
      public init(url: String? = nil, headers: HTTPFields = [:], scope: String? = nil, identity: String? = nil) {
        self.url = url
        self.headers = headers
        self.scope = scope
        self.identity = identity
      }
    }
  }
#endif
