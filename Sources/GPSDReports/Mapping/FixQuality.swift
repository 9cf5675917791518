package import AsyncLocation

/// The quality of a receiver's fix, ordered by mode, then by technique, then by estimated accuracy.
package struct FixQuality: Hashable, Sendable {
  /// An accuracy is clearly better if it is smaller than this factor times the other. The factor is
  /// small because accuracy estimates differ between receivers more than measurements do.
  static let clearlyBetterFactor = 0.5

  /// The mode and, for equal modes, the technique, as one number; higher is better.
  private let grade: Int
  /// In metres; infinite if the receiver does not report it.
  private let accuracy: Double

  package init(mode: GNSSFix.Mode, status: GNSSFix.Status?, accuracy: Double?) {
    grade = (mode == .threeDimensional ? 10 : 0) + Self.grade(status)
    self.accuracy = accuracy ?? .infinity
  }

  /// Returns whether the fix is better by enough to justify a change of receivers.
  func isClearlyBetter(than other: Self) -> Bool {
    if grade != other.grade { return grade > other.grade }
    // An unknown accuracy is not treated as poor.
    return other.accuracy.isFinite && accuracy < other.accuracy * Self.clearlyBetterFactor
  }

  /// Returns whether the fix is better by any amount; used when a receiver must be chosen.
  func isBetter(than other: Self) -> Bool {
    grade != other.grade ? grade > other.grade : accuracy < other.accuracy
  }

  /// Returns the rank of a technique; higher is better. An unknown one ranks as autonomous.
  private static func grade(_ status: GNSSFix.Status?) -> Int {
    switch status {
    case .rtkFixed: 6
    case .rtkFloat: 5
    case .differential, .precise: 4
    case nil, .autonomous, .combinedDeadReckoning, .surveyed: 3
    case .deadReckoning: 1
    case .simulated: 0
    }
  }
}

extension FixQuality {
  /// Creates the quality of a report's fix; nil if the report has no fix.
  @inline(__always)
  init?(_ report: borrowing TPV) {
    guard let mode = GNSSFix.Mode(report), report.latitude != nil, report.longitude != nil
    else { return nil }
    self.init(
      mode: mode, status: GNSSFix.Status(report), accuracy: report.horizontalAccuracy)
  }
}
