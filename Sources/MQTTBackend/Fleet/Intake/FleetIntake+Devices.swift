import AsyncLocation

extension FleetIntake {
  /// The devices that have a location.
  var locatedDevices: [(id: FleetDevice.ID, slot: DeviceDirectory.Slot, location: Location)] {
    (0..<directory.slotCount).compactMap { slot in
      guard let device = directory.device(slot, after: interruptions, at: 0),
        let location = device.location
      else { return nil }
      return (device.id, slot, location)
    }
  }

  /// The known state of a device; nil if it is not known.
  func device(_ id: FleetDevice.ID, at now: Int64) -> FleetDevice? {
    directory.find(id).flatMap { directory.device($0, after: interruptions, at: now) }
  }

  /// The devices in a range of slots, without removed ones.
  func devices(_ slots: Range<DeviceDirectory.Slot>, at now: Int64) -> [FleetDevice] {
    slots.clamped(to: 0..<directory.slotCount).compactMap {
      directory.device($0, after: interruptions, at: now)
    }
  }
}
