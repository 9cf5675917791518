import AsyncLocation

/// Formats NMEA 0183 sentences and numbers.
enum NMEA {
  /// A sentence with its checksum, without the line ending.
  ///
  /// - Parameter fields: The talker and formatter, such as "GNGGA", and the other fields.
  static func sentence(_ fields: [String]) -> String {
    let body = fields.joined(separator: ",")
    let checksum = body.utf8.reduce(0, ^)
    let digits = String(checksum, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)"
  }

  /// A number with a fixed number of decimals, rounded half away from zero.
  static func decimal(_ value: Double, _ decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value.magnitude * scale).rounded())
    let digits = scaled.padded(to: decimals + 1)
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    return "\(sign)\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
  }

  /// Degrees, minutes and hemisphere; the minutes have five decimals, about 2 cm.
  static func angle(_ degrees: Double, width: Int, _ hemispheres: (String, String)) -> [String] {
    let units = Int((degrees.magnitude * 60 * 100_000).rounded())
    let (whole, rest) = units.quotientAndRemainder(dividingBy: 6_000_000)
    let minutes = "\((rest / 100_000).padded(to: 2)).\((rest % 100_000).padded(to: 5))"
    return [whole.padded(to: width) + minutes, degrees < 0 ? hemispheres.1 : hemispheres.0]
  }

  static func latitude(_ degrees: Double) -> [String] { angle(degrees, width: 2, ("N", "S")) }
  static func longitude(_ degrees: Double) -> [String] { angle(degrees, width: 3, ("E", "W")) }
}
