import AsyncLocation

/// The source of a command's locations: a backend and its name for people.
struct NamedBackend: Sendable {
  let name: String
  let backend: any LocationBackend
  /// A message for the user before the backend is used, if there is one.
  var notice: String?
}
