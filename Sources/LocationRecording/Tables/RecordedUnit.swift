import AsyncLocation

/// The unit of a table's numbers, which may differ from that of `Location`. Pure.
struct RecordedUnit: Hashable, Sendable {
  enum Dimension: Hashable, Sendable { case length, speed, angle, time }

  /// The factor by which a number is multiplied.
  private let factor: Double

  /// The unit of `Location`.
  static var ownUnit: Self { Self(factor: 1) }
  static var kilometresPerHour: Self { Self(factor: 1 / 3.6) }
  static var knots: Self { Self(factor: 1_852.0 / 3_600) }
  /// 10⁻⁷ degrees, the unit of columns whose names end with `E7`.
  static var tenMillionths: Self { Self(factor: 1e-7) }

  private init(factor: Double) { self.factor = factor }

  /// The number in the unit of `Location`.
  func convert(_ number: Double) -> Double {
    factor == 1 ? number : ComputedNumber.rounded(number * factor)
  }

  /// Reads the name of a unit; nil for other words. Case, spaces and periods are ignored.
  ///
  /// A nautical mile has 1,852 m, an international foot 0.3048 m and a mile 5,280 feet.
  init?(_ word: some StringProtocol, of dimension: Dimension) {
    let key = word.lowercased().filter { $0 != " " && $0 != "." }
    switch (dimension, key) {
    case (.length, "m"), (.length, "metre"), (.length, "metres"), (.length, "meter"),
      (.length, "meters"), (.length, "masl"), (.length, "mabovesealevel"), (.speed, "m/s"),
      (.speed, "ms"), (.speed, "mps"), (.speed, "m/sec"), (.speed, "metres/second"),
      (.speed, "meters/second"), (.angle, "°"), (.angle, "º"), (.angle, "deg"),
      (.angle, "degree"), (.angle, "degrees"), (.time, "s"), (.time, "sec"), (.time, "seconds"):
      self = .ownUnit
    case (.length, "km"): self.init(factor: 1_000)
    case (.length, "ft"), (.length, "feet"), (.length, "foot"), (.length, "f"), (.speed, "ft/s"),
      (.speed, "fps"):
      self.init(factor: 0.3048)
    case (.speed, "km/h"), (.speed, "kmh"), (.speed, "kph"), (.speed, "kmph"), (.speed, "km/hr"):
      self = .kilometresPerHour
    case (.speed, "mph"), (.speed, "mi/h"), (.speed, "miles/hour"):
      self.init(factor: 0.3048 * 5_280 / 3_600)
    case (.speed, "kn"), (.speed, "kt"), (.speed, "kts"), (.speed, "knot"), (.speed, "knots"),
      (.speed, "nm/h"):
      self = .knots
    case (.angle, "rad"), (.angle, "radians"): self.init(factor: 180 / .pi)
    default: return nil
    }
  }
}
