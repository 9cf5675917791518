public import AsyncLocation
public import FoundationEssentials

/// Reads the locations in a storage.
public protocol FleetHistorySource: Sendable {
  /// The locations of a device in a time range, in ascending order of time.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - start: The start of the time range, inclusive.
  ///   - end: The end of the time range, exclusive.
  ///   - count: The maximum number of locations.
  func locations(
    of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
  ) async throws(LocationError) -> [Location]

  /// The last location of a device at or before an instant; nil if there is none.
  func location(
    of device: FleetDevice.ID, at instant: Date
  ) async throws(LocationError) -> Location?

  /// The devices with a location in an area and a time range, sorted by device, with the first and
  /// the last of these locations, and their number.
  ///
  /// - Parameters:
  ///   - area: A circle, a polygon or a corridor.
  ///   - start: The start of the time range, inclusive.
  ///   - end: The end of the time range, exclusive.
  ///   - device: The device after which the result begins; nil to begin with the first device.
  ///   - count: The maximum number of devices.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/unsupported`` for a beacon, in addition to errors of the
  ///   storage.
  func visits(
    to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
  ) async throws(LocationError) -> [FleetVisit]
}

/// A device with locations in an area.
public struct FleetVisit: Sendable, Hashable {
  /// The device.
  public let device: FleetDevice.ID
  /// The first location in the area.
  public let first: Location
  /// The last location in the area. The device may have left the area between the two.
  public let last: Location
  /// The number of the device's locations in the area.
  public let count: Int

  /// Creates a visit.
  public init(device: FleetDevice.ID, first: Location, last: Location, count: Int) {
    (self.device, self.first, self.last, self.count) = (device, first, last, count)
  }
}
