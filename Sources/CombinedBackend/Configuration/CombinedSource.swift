public import AsyncLocation

/// A source of a ``CombinedBackend/CombinedBackend``: a backend and its name.
public struct CombinedSource: Sendable {
  /// The name, part of ``/AsyncLocation/SourceInformation/device``.
  public let name: String
  /// The backend.
  public let backend: any LocationBackend

  /// Creates a source.
  public init(_ name: String, _ backend: any LocationBackend) {
    (self.name, self.backend) = (name, backend)
  }

  /// The maximum size of a name in UTF-8.
  private static let maximumNameLength = 64

  static func validate(_ sources: [Self]) throws(LocationError) {
    guard !sources.isEmpty else {
      throw LocationError(.invalidValue, "A CombinedBackend needs at least one source.")
    }
    var names: Set<String> = []
    for source in sources {
      let name = source.name
      let shown = String(quoted: name, limit: 80)
      guard names.insert(name).inserted else {
        throw LocationError(.invalidValue, "Two sources have the name \(shown).")
      }
      guard !name.isEmpty, name.utf8.count <= maximumNameLength, !name.contains(":"),
        String(printable: name) == name
      else {
        throw LocationError(
          .invalidValue,
          "The name of a source has 1 to \(maximumNameLength) bytes of printable text without a "
            + "colon; got \(shown).")
      }
    }
  }
}
