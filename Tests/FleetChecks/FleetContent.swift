package import LocationFleet

/// The content of a fleet, with its devices and conditions in a defined order for comparisons.
package struct FleetContent: Equatable {
  package let devices: [StoredFleet.Device]
  package let conditions: [StoredFleet.Condition]
  package let events: [FleetEvent]
  package let lastNumber: UInt64
  package let lastRevision: UInt32

  package init(_ stored: StoredFleet) {
    devices = stored.devices.sorted { $0.id < $1.id }
    conditions = stored.conditions.sorted { $0.condition.identifier < $1.condition.identifier }
    (events, lastNumber) = (stored.events, stored.lastNumber)
    lastRevision = stored.lastRevision
  }
}
