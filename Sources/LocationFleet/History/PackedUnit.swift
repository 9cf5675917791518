/// The decimal unit in which a member's values are packed as integers.
struct PackedUnit: Hashable {
  /// Written instead of a unit for a member that no location has.
  static var absent: UInt8 { 0x7F }
  /// Added to the unit of a member that some locations lack.
  static var partial: UInt8 { 0x80 }
  /// The unit of a member whose values are stored as floating-point numbers.
  private static var raw: UInt8 { 0x7E }

  /// The number of decimal places, plus ``kilometresPerHour`` for a speed in km/h; or ``raw``.
  let byte: UInt8

  private static var maximumPlaces: UInt8 { 9 }
  private static var kilometresPerHour: UInt8 { 0x10 }
  /// 2⁵³: beyond it, `Double` does not represent every integer exactly.
  private static var largestInteger: Double { 9_007_199_254_740_992 }

  private init(checked byte: UInt8) { self.byte = byte }

  /// Returns nil for a byte that does not encode a unit.
  init?(byte: UInt8) {
    guard byte == Self.raw || byte & ~Self.kilometresPerHour <= Self.maximumPlaces else {
      return nil
    }
    self.init(checked: byte)
  }

  /// The unit with the fewest decimal places in which all values are exact; for speeds, km/h is
  /// preferred to m/s. Raw if there is none.
  init(for values: [Double], _ member: PackedLocations.Member) {
    // OwnTracks sends speeds in km/h, so km/h is tried first.
    let bases = member == .speed ? [Self.kilometresPerHour, 0] : [0]
    for base in bases {
      var places: UInt8 = 0
      // The unit needs at least the places of the previous values, so `places` only grows.
      let isExact = values.allSatisfy { value in
        while places <= Self.maximumPlaces {
          if Self(checked: base | places).number(value) != nil { return true }
          places += 1
        }
        return false
      }
      guard isExact else { continue }
      // A value may be inexact with more places than it needs.
      let unit = Self(checked: base | places)
      if unit.numbers(values) != nil {
        self = unit
        return
      }
    }
    self.init(checked: Self.raw)
  }

  var isRaw: Bool { byte == Self.raw }

  private var scale: Double { Self.powers[Int(byte & ~Self.kilometresPerHour)] }
  private var isKilometresPerHour: Bool { byte & Self.kilometresPerHour != 0 }

  private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  /// The integer that represents a value exactly; nil if there is none.
  private func number(_ value: Double) -> Int64? {
    let scaled = ((isKilometresPerHour ? value * 3.6 : value) * scale).rounded()
    guard abs(scaled) < Self.largestInteger else { return nil }
    let number = Int64(scaled)
    return self.value(number) == value ? number : nil
  }

  /// The integers that represent the values exactly; nil unless all values are exact.
  func numbers(_ values: [Double]) -> [Int64]? {
    guard !isRaw else { return nil }
    var numbers: [Int64] = []
    numbers.reserveCapacity(values.count)
    for value in values {
      guard let number = number(value) else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// The value that an integer represents. The unit must not be raw.
  func value(_ number: Int64) -> Double {
    let value = Double(number) / scale
    return isKilometresPerHour ? value / 3.6 : value
  }
}
