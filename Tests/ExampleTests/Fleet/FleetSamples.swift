import AsyncLocation
import MQTTBackend

@testable import async_location_example

/// Devices of a fleet for tests.
enum FleetSamples {
  static func id(_ name: String) throws -> FleetDevice.ID {
    try FleetDevice.ID(user: "jane", device: name)
  }

  static func update(_ name: String = "boat", isRetained: Bool = false) throws -> FleetUpdate {
    FleetUpdate(device: try id(name), location: try Samples.location(), isRetained: isRetained)
  }

  static func device(
    _ name: String, _ presence: FleetDevice.Presence = .online, silence: Duration? = .seconds(2)
  ) throws -> FleetDevice {
    FleetDevice(
      id: try id(name), location: try Samples.location(), presence: presence, silence: silence)
  }

  /// A name with a space and an invisible letter. Fleets refuse control and format characters.
  static let hostileName = "evil \u{3164}"
}
