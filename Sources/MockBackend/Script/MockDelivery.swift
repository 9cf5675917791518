import AsyncLocation

/// What a script or a test hands to the run of a backend, in one order.
enum MockDelivery: Hashable, Sendable {
  case events([BackendEvent])
  case authorization(AuthorizationChange)
  case checkpoint(String)
  case finish(LocationError?)
}
