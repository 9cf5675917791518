import AsyncLocation

/// The source of a command's locations: a backend and its name for people.
struct NamedBackend: Sendable {
  let name: String
  let backend: any LocationBackend
  /// Whether the backend combines several sources.
  var isCombined = false
  /// A notice for the user before the backend is used; nil for none.
  var notice: String?
}
