import AsyncLocation

/// A message from a script or a test to the run of a backend.
enum MockDelivery: Hashable, Sendable {
  case events([BackendEvent])
  case authorization(AuthorizationChange)
  case checkpoint(String)
  case finish(LocationError?)
}
