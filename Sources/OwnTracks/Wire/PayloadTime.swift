import AsyncLocation
import FoundationEssentials

/// Times as OwnTracks writes them: seconds since 1970, UTC.
///
/// OwnTracks' apps write whole seconds. The member `tst_ns` has the nanoseconds within the second;
/// other programs ignore it.
enum PayloadTime {
  /// The years 1 to 9999.
  static var range: Range<Double> { -62_135_596_800.0..<253_402_300_800.0 }

  /// Returns nil for a time out of range, and for 0, which apps write for an unknown time.
  /// Nanoseconds are ignored if they are not a whole number within a second, or if the seconds have
  /// a fraction.
  @inline(__always)
  static func date(seconds: Double, nanoseconds: Double?) -> Date? {
    guard range.contains(seconds), seconds != 0 || nanoseconds ?? 0 > 0 else { return nil }
    guard seconds.rounded(.down) == seconds else {
      return Timestamp.nearest(Date(timeIntervalSince1970: seconds))
    }
    var wholeNanoseconds = 0
    if let nanoseconds, nanoseconds >= 0, nanoseconds < 1e9, nanoseconds.rounded() == nanoseconds {
      wholeNanoseconds = Int(nanoseconds)
    }
    return CivilTime.date(seconds: Int(seconds), nanoseconds: wholeNanoseconds)
  }
}
