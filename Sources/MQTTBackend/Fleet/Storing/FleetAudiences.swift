import LocationFleet

/// The audiences of conditions that do not apply to all devices, by revision. Pure.
struct FleetAudiences: Sendable {
  private var audiences: [UInt32: FleetCondition.Audience] = [:]

  subscript(_ revision: UInt32) -> FleetCondition.Audience {
    get { audiences[revision] ?? .all }
    set { audiences[revision] = newValue == .all ? nil : newValue }
  }

  /// Returns a test of whether the condition of a revision applies to a device; nil if all
  /// conditions apply to all devices.
  func filter(for device: FleetDevice.ID) -> ((_ revision: UInt32) -> Bool)? {
    guard !audiences.isEmpty else { return nil }
    return { [audiences] revision in audiences[revision]?.contains(device) ?? true }
  }
}
