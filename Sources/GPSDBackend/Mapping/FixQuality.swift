import AsyncLocation

/// How good a receiver's fix is: first by what it is, then by how accurate it says to be.
struct FixQuality: Hashable, Sendable {
  /// An accuracy counts as another one only when it is less than this part of it: what receivers
  /// estimate differs by more than what they measure.
  static let clearly = 0.5

  /// The mode before the technique; the higher the better.
  private let grade: Int
  /// Metres; infinite when the receiver does not say.
  private let accuracy: Double

  init(mode: GNSSFix.Mode, status: GNSSFix.Status?, accuracy: Double?) {
    grade = (mode == .threeDimensional ? 10 : 0) + Self.grade(status)
    self.accuracy = accuracy ?? .infinity
  }

  /// Better by so much that it is worth a change.
  func isClearlyBetter(than other: Self) -> Bool {
    if grade != other.grade { return grade > other.grade }
    // An unknown accuracy is no bad one.
    return other.accuracy.isFinite && accuracy < other.accuracy * Self.clearly
  }

  /// Better by however little; for a choice that has to be made.
  func isBetter(than other: Self) -> Bool {
    grade != other.grade ? grade > other.grade : accuracy < other.accuracy
  }

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
  /// Nil when the report has no fix.
  @inline(__always)
  init?(_ report: borrowing TPV) {
    guard let mode = GNSSFix.Mode(report), report[.latitude] != nil, report[.longitude] != nil
    else { return nil }
    self.init(
      mode: mode, status: GNSSFix.Status(report), accuracy: report.horizontalAccuracy)
  }
}
