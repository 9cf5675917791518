import AsyncLocation
import FoundationEssentials

/// The name of one of several files of a recorder: the recorder's file name with the time of the
/// first location. Pure.
struct RotatedName: Hashable, Sendable {
  /// The maximum number of files whose names have the same time.
  static let maximumNumber = 1000

  private let stem: String
  private let suffix: String

  /// - Parameters:
  ///   - name: The name of the recorder's file, such as `drive.gpx`.
  ///   - time: The time in the name, in UTC, such as `drive-20260504T030201Z.gpx`.
  init(_ name: String, at time: Date) {
    let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
    let digits = Timestamp.format(time).prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
    stem =
      name[..<(dot ?? name.endIndex)] + "-" + digits
      + (digits.hasSuffix("Z") ? "" : "Z")
    suffix = String(name[(dot ?? name.endIndex)...])
  }

  /// The name with a number, counted from 1. The name of the first file contains no number.
  func text(_ number: Int) -> String { stem + (number > 1 ? "-\(number)" : "") + suffix }
}
