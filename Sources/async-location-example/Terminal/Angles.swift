import AsyncLocation

/// Formats angles for people.
enum Angles {
  /// Decimal degrees and a hemisphere: 48.1371540° N.
  static func decimal(_ degrees: Double, _ hemispheres: (String, String), sign: String) -> String {
    NumberText.fixed(degrees.magnitude, 7) + sign + " " + hemisphere(degrees, hemispheres)
  }

  /// Degrees, minutes and seconds: 48°08′13.75″ N.
  static func sexagesimal(
    _ degrees: Double, _ hemispheres: (String, String), glyphs: Glyphs
  ) -> String {
    // Rounded as a whole, so that 59.999″ carries into the minutes.
    let hundredths = Int((degrees.magnitude * 360_000).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 360_000)
    let (minutes, seconds) = rest.quotientAndRemainder(dividingBy: 6000)
    return "\(whole)\(glyphs.degree)\(minutes.padded(to: 2))\(glyphs.minute)"
      + "\((seconds / 100).padded(to: 2)).\((seconds % 100).padded(to: 2))\(glyphs.second) "
      + hemisphere(degrees, hemispheres)
  }

  /// A direction in 0..<360 degrees with a fixed number of decimals. A value that rounds to 360
  /// becomes 0.
  static func direction(_ degrees: Double, _ digits: Int) -> String {
    let text = NumberText.fixed(degrees, digits)
    return text == NumberText.fixed(360, digits) ? NumberText.fixed(0, digits) : text
  }

  /// The nearest of the 16 compass points to a course in degrees.
  static func compassPoint(_ course: Double) -> String {
    let points = [
      "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW",
      "NW", "NNW",
    ]
    return points[Int((course / 22.5).rounded()) % points.count]
  }

  private static func hemisphere(_ degrees: Double, _ names: (String, String)) -> String {
    degrees < 0 ? names.1 : names.0
  }
}
