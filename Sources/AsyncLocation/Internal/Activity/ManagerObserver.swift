/// A backend of a test kit, which observes how its manager is used and what is in progress.
///
/// The manager looks for this conformance once, when it is created. Without it, nothing is observed.
package protocol ManagerObserver: Sendable {
  /// Tracks what is in progress.
  var activity: ActivityLedger { get }

  /// Called before an endpoint has an effect, on the caller's thread, with no lock held.
  ///
  /// - Returns: An error if the endpoint must have no effect: a call throws it, a stream ends with
  ///   it, and a property has its usual value.
  func willUse(_ endpoint: LocationManager.Endpoint) -> LocationError?

  /// Called when a stream is open or a call waits, with no lock held.
  func didOpen(_ endpoint: LocationManager.Endpoint)

  /// Called while a run emits events that the manager discards, since it has cancelled the run.
  /// With no lock held.
  func didDiscardEvents()

  /// Called when a run of the backend has returned and the manager handles its end.
  func runDidReturn()
}
