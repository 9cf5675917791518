import FoundationEssentials
import MockBackend

@testable import AsyncLocation

/// A manager with a mock backend and a manual clock.
struct ManagerBench: Sendable {
  let clock = ManualClock()
  let backend: MockBackend
  let manager: LocationManager

  init(
    capabilities: BackendCapabilities = .all, authorization: MockAuthorization = .granting
  ) {
    backend = MockBackend(capabilities: capabilities, authorization: authorization)
    manager = LocationManager(
      backend: backend, configuration: .init(buffering: .newest(4_096)), clock: clock)
  }
}
