public import AsyncLocation

/// The readings of sensors other than the receiver at a point, such as those of a sports watch.
///
/// GPX has them in extensions; see <doc:WritingRecordings>. No member is derived from another.
public struct SensorReadings: Sendable, Hashable {
  /// The heart rate in beats per minute, 0...1,000.
  public internal(set) var heartRate: Double?
  /// Revolutions of the pedals, or steps of one foot, per minute, 0...10,000.
  public internal(set) var cadence: Double?
  /// The power in watts, 0...100,000.
  public internal(set) var power: Double?
  /// The temperature of the air in degrees Celsius, -273.15...1,000.
  public internal(set) var airTemperature: Double?
  /// The temperature of the water in degrees Celsius, -273.15...1,000.
  public internal(set) var waterTemperature: Double?
  /// Metres below the surface of the water, 0...20,000.
  public internal(set) var depth: Double?

  init() {}

  /// Creates readings.
  ///
  /// - Throws: `LocationError` with code `invalidValue` for a value that is out of its range; the
  ///   message names it.
  public init(
    heartRate: Double? = nil, cadence: Double? = nil, power: Double? = nil,
    airTemperature: Double? = nil, waterTemperature: Double? = nil, depth: Double? = nil
  ) throws(LocationError) {
    (self.heartRate, self.cadence, self.power) = (heartRate, cadence, power)
    (self.airTemperature, self.waterTemperature) = (airTemperature, waterTemperature)
    self.depth = depth
    for quantity in SensorQuantity.all {
      guard let value = self[keyPath: quantity.member], !quantity.range.contains(value) else {
        continue
      }
      throw LocationError(
        .invalidValue, "\(quantity.name) must be in \(quantity.range); got \(value).")
    }
  }

  /// The readings; nil if there are none.
  var unlessEmpty: Self? { self == Self() ? nil : self }
}

/// Readings in an object, so that a point without readings stores only a reference.
final class SensorBox: Sendable, Hashable {
  let readings: SensorReadings

  init(_ readings: SensorReadings) { self.readings = readings }

  static func == (left: SensorBox, right: SensorBox) -> Bool { left.readings == right.readings }

  func hash(into hasher: inout Hasher) { hasher.combine(readings) }
}

/// A member of readings, and the range of its values.
struct SensorQuantity: Sendable {
  let name: String
  let range: ClosedRange<Double>
  let member: any WritableKeyPath<SensorReadings, Double?> & Sendable

  private init(
    _ name: String, _ range: ClosedRange<Double>,
    _ member: any WritableKeyPath<SensorReadings, Double?> & Sendable
  ) {
    (self.name, self.range, self.member) = (name, range, member)
  }

  static let heartRate = Self("heartRate", 0...1000, \.heartRate)
  static let cadence = Self("cadence", 0...10_000, \.cadence)
  static let power = Self("power", 0...100_000, \.power)
  static let airTemperature = Self("airTemperature", -273.15...1000, \.airTemperature)
  static let waterTemperature = Self("waterTemperature", -273.15...1000, \.waterTemperature)
  static let depth = Self("depth", 0...20_000, \.depth)

  static let all = [heartRate, cadence, power, airTemperature, waterTemperature, depth]
}

extension SensorReadings: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("heartRate", heartRate, "/min"), DescribedMember("cadence", cadence, "/min"),
      DescribedMember("power", power, "W"), DescribedMember("airTemperature", airTemperature, "°C"),
      DescribedMember("waterTemperature", waterTemperature, "°C"),
      DescribedMember("depth", depth, "m"),
    ]
  }
}

extension [Int: SensorReadings] {
  /// The readings of a range of points, with indices from its start.
  func slice(_ range: Range<Int>) -> Self {
    isEmpty
      ? [:]
      : reduce(into: [:]) { slice, entry in
        if range.contains(entry.key) { slice[entry.key - range.lowerBound] = entry.value }
      }
  }
}
