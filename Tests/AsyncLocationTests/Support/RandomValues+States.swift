import FoundationEssentials
import MockBackend

@testable import AsyncLocation

/// States, permission, options and errors.
extension SplitMix64 {
  mutating func pick<Value: CaseIterable>(_ type: Value.Type) -> Value {
    Array(Value.allCases).randomElement(using: &self)!
  }

  mutating func duration() -> Duration {
    .nanoseconds(Int.random(in: -1...10_000_000_000_000, using: &self))
  }

  mutating func error(depth: Int = 0) -> LocationError {
    let codes: [LocationError.Code] = [.timedOut, .denied, .invalidValue, .backendUnavailable]
    let cause: (any Error)? =
      depth < 3 && Bool.random(using: &self) ? error(depth: depth + 1) : nil
    return LocationError(codes.randomElement(using: &self)!, text(), cause: cause)
  }

  mutating func diagnostics() -> LocationUpdate.Diagnostics {
    var diagnostics: LocationUpdate.Diagnostics = []
    for (_, option) in LocationUpdate.Diagnostics.names where Bool.random(using: &self) {
      diagnostics.insert(option)
    }
    return diagnostics
  }

  mutating func update() throws -> LocationUpdate {
    LocationUpdate(
      location: Bool.random(using: &self) ? try location() : nil, diagnostics: diagnostics())
  }

  mutating func placemark() throws -> Placemark {
    var placemark = Placemark(coordinate: try location().coordinate)
    let texts: [WritableKeyPath<Placemark, String?>] = [
      \.name, \.thoroughfare, \.subThoroughfare, \.locality, \.subLocality, \.administrativeArea,
      \.subAdministrativeArea, \.postalCode, \.country, \.isoCountryCode, \.timeZone, \.source,
      \.attribution,
    ]
    for text in texts { placemark[keyPath: text] = maybe { $0.text() } }
    placemark.population = maybe { .random(in: 0...10_000_000, using: &$0) }
    let center = try location().coordinate
    placemark.region = maybe {
      CircularRegion(center: center, radius: $0.number(1...1e5), identifier: $0.text())
    }
    return Bool.random(using: &self) ? placemark : placemark.measured(from: center)
  }

  mutating func placemarkUpdate() throws -> PlacemarkUpdate {
    PlacemarkUpdate(
      location: try location(), placemarks: [try placemark(), try placemark()],
      error: maybe { $0.error() })
  }

  mutating func placemarkOptions() -> PlacemarkOptions {
    PlacemarkOptions(
      minimumDistance: number(0...1e6), minimumInterval: duration(), retryInterval: duration(),
      locale: maybe { _ in "de-AT" }, device: maybe { $0.text() }, buffering: buffering())
  }

  mutating func connection() -> ConnectionState {
    ConnectionState(
      pick(ConnectionState.Phase.self), endpoint: maybe { $0.text() },
      attempts: .random(in: 0...9, using: &self), retryDelay: maybe { $0.duration() },
      problem: maybe { $0.error() },
      receivers: (0..<Int.random(in: 0..<3, using: &self)).map { _ in receiver() },
      preferredReceiver: maybe { $0.text() },
      devices: maybe { numbers in Set((0..<3).map { _ in numbers.text() }) })
  }

  mutating func accuracy() -> DesiredAccuracy { maybe { .meters($0.number(1e-9...1e9)) } ?? .best }

  mutating func statistics() -> LocationManager.Statistics {
    LocationManager.Statistics(
      eventsReceived: next() >> 1, eventsDiscarded: next() >> 1, locationsStale: next() >> 1,
      locationsUnstored: next() >> 1, reportsWithheld: next() >> 1, elementsDelivered: next() >> 1,
      elementsDropped: next() >> 1,
      subscribers: .random(in: 0...Int.max, using: &self), backendRuns: next() >> 1)
  }

  mutating func decision() -> AuthorizationDecision {
    AuthorizationDecision(
      pick(AuthorizationDecision.Permission.self), accuracy: pick(AccuracyAuthorization.self),
      reason: maybe { $0.text() })
  }

  mutating func authorization() -> Authorization {
    Authorization(
      status: pick(AuthorizationStatus.self), accuracy: pick(AccuracyAuthorization.self),
      locationServicesEnabled: .random(using: &self), reason: maybe { $0.text() })
  }

  mutating func demand() -> BackendDemand {
    BackendDemand(
      kinds: BackendCapabilities(rawValue: .random(in: 0...15, using: &self)),
      desiredAccuracy: accuracy(), minimumInterval: duration(),
      devices: maybe { random in Set((0..<3).map { _ in random.text() }) },
      isPaused: .random(using: &self))
  }

  mutating func buffering() -> BufferingPolicy { .newest(.random(in: 1...Int.max, using: &self)) }

  mutating func updateOptions() -> UpdateOptions {
    UpdateOptions(
      distanceFilter: number(0...1e6), minimumInterval: duration(), desiredAccuracy: accuracy(),
      maximumAge: duration(), device: maybe { $0.text() },
      activityType: pick(ActivityType.self), pausesAutomatically: .random(using: &self),
      omitsSuspectLocations: .random(using: &self),
      buffering: buffering())
  }

  mutating func headingOptions() -> HeadingOptions {
    HeadingOptions(
      headingFilter: number(0...360), device: maybe { $0.text() }, buffering: buffering())
  }

  mutating func visitOptions() -> VisitOptions {
    VisitOptions(
      minimumStay: duration(), radius: number(0...1e6), maximumGap: duration(),
      departureConfirmation: duration(), jumpConfirmation: duration(), device: maybe { $0.text() })
  }

  mutating func eventOptions() -> EventOptions {
    EventOptions(
      services: [LocationServices.locations, .visits, .all].randomElement(using: &self) ?? [],
      reportsPreviousLocation: .random(using: &self), reportsConnection: .random(using: &self),
      buffering: buffering())
  }

  mutating func properties() -> LocationManager.Properties {
    LocationManager.Properties(
      activityType: pick(ActivityType.self),
      allowsBackgroundLocationUpdates: .random(using: &self), desiredAccuracy: accuracy(),
      distanceFilter: number(0...1e6), headingFilter: number(0...360),
      headingOrientation: pick(DeviceOrientation.self),
      pausesLocationUpdatesAutomatically: .random(using: &self),
      showsBackgroundLocationIndicator: .random(using: &self))
  }

  mutating func configuration() -> LocationManager.Configuration {
    LocationManager.Configuration(
      requestsAuthorizationImplicitly: .random(using: &self), buffering: buffering())
  }
}
