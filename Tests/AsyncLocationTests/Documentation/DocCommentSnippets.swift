import AsyncLocation

@MainActor final class Screen {
  let state = LocationState()

  func appear(_ manager: LocationManager) async {
    await state.follow(manager)
  }
}

/// The code of the doc comments, which this file compiles.
@MainActor
enum DocCommentSnippets {
  static func decisions() -> [AuthorizationDecision] {
    let near = AuthorizationDecision.authorizedWhenInUse
    let coarse = AuthorizationDecision.authorizedAlways.limited(to: .reduced)
    let none = AuthorizationDecision.denied.withReason("The operator has switched tracking off.")
    return [near, coarse, none]
  }

  static func session(_ manager: LocationManager) async {
    let session = ServiceSession(manager, authorization: .always)
    for await missing in session.diagnostics where missing.contains(.authorizationDenied) {
      print("Permission is refused.")
    }
  }

  static func events(of manager: LocationManager, _ show: (Any) -> Void) async {
    for await event in manager.events {
      switch event {
      case .didChangeAuthorization(let authorization): show(authorization)
      case .didUpdateLocations(let locations): show(locations)
      case .didFailWithError(let error): show(error)
      default: break
      }
    }
  }

  static func monitor(_ depot: Coordinate, _ manager: LocationManager) async throws {
    let monitor = try await Monitor("deliveries", manager: manager)
    try await monitor.add(.circle(center: depot, radius: 150), identifier: "depot")
    for await event in monitor.events {
      print(event.identifier, event.state)
    }
  }

  static func correct(_ location: Location) throws -> Location {
    let corrected = try location.with {
      $0.altitude = nil
      $0.speed = 3
    }
    return corrected
  }

  static func cache(_ server: any Geocoder) -> CachingGeocoder {
    let geocoder = CachingGeocoder(server)
    return geocoder
  }

  static func places(of manager: LocationManager, _ geocoder: any Geocoder) async throws {
    for try await update in manager.placemarks(using: geocoder) {
      print(update.placemark?.name ?? "somewhere", update.location.coordinate)
    }
  }
}
