/// A test kit's backend that observes the use of its manager and the work in progress.
///
/// The manager checks for this conformance once, when the manager is created. Without the
/// conformance, nothing is observed.
package protocol ManagerObserver: Sendable {
  /// Tracks the work in progress.
  var activity: ActivityLedger { get }

  /// Called before an endpoint has an effect, on the caller's thread, with no lock held.
  ///
  /// - Returns: An error if the endpoint must have no effect: a call throws the error, a stream
  ///   ends with it, and a property returns its usual value.
  func willUse(_ endpoint: LocationManager.Endpoint) -> LocationError?

  /// Called when a stream or a monitor is open, a call for a location waits, or a service has
  /// started, with no lock held.
  func didOpen(_ endpoint: LocationManager.Endpoint)

  /// Called when the manager discards events of a run that it has cancelled, with no lock held.
  func didDiscardEvents()

  /// Called when a run of the backend has returned, before the manager handles the end of the run.
  func runDidReturn()
}
