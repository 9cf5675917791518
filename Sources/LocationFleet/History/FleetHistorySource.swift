public import AsyncLocation
public import FoundationEssentials

/// Answers questions about the locations that a storage has.
public protocol FleetHistorySource: Sendable {
  /// The locations of a device, in ascending order of their times.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - start: The time of the first location at the earliest.
  ///   - end: The time before which the last one is.
  ///   - count: The largest number of locations.
  func locations(
    of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
  ) async throws(LocationError) -> [Location]

  /// The last location of a device at an instant or before it; nil without one.
  func location(
    of device: FleetDevice.ID, at instant: Date
  ) async throws(LocationError) -> Location?

  /// The devices that have a location in an area and a range of time, with the first and the last of these
  /// locations; sorted by device.
  ///
  /// - Parameters:
  ///   - area: A circle, a polygon or a corridor.
  ///   - start: The time of the first location at the earliest.
  ///   - end: The time before which the last one is.
  ///   - device: The device before the first; nil for the first of all.
  ///   - count: The largest number of devices.
  /// - Throws: Also ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/unsupported`` for a beacon.
  func visits(
    to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
  ) async throws(LocationError) -> [FleetVisit]
}

/// A device that was in an area.
public struct FleetVisit: Sendable, Hashable {
  /// The device.
  public let device: FleetDevice.ID
  /// The first location in the area.
  public let first: Location
  /// The last location in the area. Between both, the device may have been elsewhere.
  public let last: Location
  /// The number of the device's locations in the area.
  public let count: Int

  /// Creates a visit.
  public init(device: FleetDevice.ID, first: Location, last: Location, count: Int) {
    (self.device, self.first, self.last, self.count) = (device, first, last, count)
  }
}
