import AsyncLocation

/// A message from a script or a test to the run of a backend.
enum MockDelivery: Hashable, Sendable {
  case events([BackendEvent])
  /// Events for a use of the manager, and whether the run ends after them.
  case supplied([BackendEvent], ends: Bool)
  case authorization(AuthorizationChange)
  case checkpoint(String)
  case finish(LocationError?)
}
