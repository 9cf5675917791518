import CoreLocation

/// A wrapper around Core Location's delegate, as found in many programs. The comments name the
/// problems that such a wrapper has to solve; `Sources/Courier` has none of them.
final class LocationClient: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private var permission: CheckedContinuation<CLAuthorizationStatus, Never>?
  private var request: CheckedContinuation<CLLocation, any Error>?

  var onLocations: (([CLLocation]) -> Void)?
  var onHeading: ((CLHeading) -> Void)?
  var onFailure: ((any Error) -> Void)?

  override init() {
    super.init()
    manager.delegate = self  // The delegate is called on the thread that created the manager.
    manager.desiredAccuracy = kCLLocationAccuracyBest
  }

  func requestPermission() async -> CLAuthorizationStatus {
    guard manager.authorizationStatus == .notDetermined else { return manager.authorizationStatus }
    return await withCheckedContinuation { continuation in
      permission = continuation  // A second caller replaces the first, which waits for ever.
      manager.requestWhenInUseAuthorization()
    }
  }

  func currentLocation() async throws -> CLLocation {
    // There is no deadline, and a cancelled task continues to wait.
    try await withCheckedThrowingContinuation { continuation in
      request = continuation
      manager.requestLocation()
    }
  }

  func start() {
    manager.startUpdatingLocation()
    manager.startUpdatingHeading()
  }

  func stop() {
    manager.stopUpdatingLocation()
    manager.stopUpdatingHeading()
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    // Also called when the delegate is set, before the user has answered.
    guard manager.authorizationStatus != .notDetermined else { return }
    permission?.resume(returning: manager.authorizationStatus)
    permission = nil
  }

  func locationManager(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {
    onLocations?(locations)
    guard let last = locations.last else { return }
    request?.resume(returning: last)
    request = nil  // Forgotten, the next location resumes twice, which is a crash.
  }

  func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
    onHeading?(heading)  // Below zero, the values are invalid.
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    onFailure?(error)
    request?.resume(throwing: error)
    request = nil
  }
}

/// To be tested, the program also needs a protocol, this conformance, and a mock that calls the
/// callbacks in the order of a real manager.
protocol LocationClientProtocol: AnyObject {
  var onLocations: (([CLLocation]) -> Void)? { get set }
  var onHeading: ((CLHeading) -> Void)? { get set }
  var onFailure: ((any Error) -> Void)? { get set }
  func requestPermission() async -> CLAuthorizationStatus
  func currentLocation() async throws -> CLLocation
  func start()
  func stop()
}

extension LocationClient: LocationClientProtocol {}
