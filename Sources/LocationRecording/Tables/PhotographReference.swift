/// A column of a table of photographs whose numbers need a reference column, as `GPSSpeed` needs
/// `GPSSpeedRef`. Pure.
///
/// The words are from Exif 2.32, section 4.6.6, and from ExifTool.
enum PhotographReference: Hashable, Sendable, CaseIterable {
  case altitude, speed, track, direction

  /// The name of the column with the numbers; the name of the reference column adds `ref`.
  var name: String {
    switch self {
    case .altitude: "gpsaltitude"
    case .speed: "gpsspeed"
    case .track: "gpstrack"
    case .direction: "gpsimgdirection"
    }
  }

  var column: RecordedColumn {
    switch self {
    case .altitude: .altitude
    case .speed: .speed
    case .track: .course
    case .direction: .heading
    }
  }

  /// The number with a sign or a unit, as in other columns; `?`, which is not a number, if the
  /// reference is not understood or is magnetic north.
  func text(_ text: String, referredTo reference: String) -> String {
    guard !RecordedFix.isAbsent(text) else { return text }
    switch (self, reference.trimmed.lowercased()) {
    case (.altitude, ""), (.altitude, "0"), (.altitude, "above sea level"),
      (.track, "t"), (.track, "true north"), (.direction, "t"), (.direction, "true north"):
      return text
    case (.altitude, "1"), (.altitude, "below sea level"):
      let magnitude = text.trimmed.drop { $0 == "-" }
      return "-\(magnitude)"
    case (.speed, "k"), (.speed, "km/h"): return text + " km/h"
    case (.speed, "m"), (.speed, "mph"): return text + " mph"
    case (.speed, "n"), (.speed, "knots"): return text + " kn"
    default: return "?"
    }
  }
}
