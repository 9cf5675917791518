import AsyncLocation
public import FoundationEssentials

/// A named time zone with its rules, for local times without the full Foundation.
///
/// `TimeZone` of FoundationEssentials has no rules of named zones. This type reads them from the
/// system's database, or from data in the same format, TZif (RFC 8536, versions 1 to 4):
///
/// ```swift
/// let zone = try LocalTimeZone(identifier: "Europe/Berlin")
/// let offset = zone.offset(at: location.timestamp)  // 7200 seconds in summer
/// let abbreviation = zone.abbreviation(at: location.timestamp)  // CEST
/// ```
///
/// Before the first transition, the first local time of the data applies, usually local mean time.
/// After the last transition, the rule at the end of the data (POSIX.1-2017, section 8.3) applies
/// indefinitely. Without a rule, the last local time remains in force.
///
/// Two zones are equal if their identifiers, transitions and rules are equal.
public struct LocalTimeZone: Sendable, Hashable {
  /// UTC, which needs no data.
  public static let utc = Self(
    identifier: "UTC",
    schedule: LocalTimeSchedule(first: .utc, transitions: [], rule: nil))

  /// The name of the zone, such as `Europe/Berlin`.
  public let identifier: String
  let schedule: LocalTimeSchedule

  init(identifier: String, schedule: LocalTimeSchedule) {
    (self.identifier, self.schedule) = (identifier, schedule)
  }

  /// Reads a zone of the system's database. Blocks while reading, as
  /// ``Recording/init(contentsOf:options:)`` does.
  ///
  /// The zone is searched in the folder of the environment variable `TZDIR`, by default
  /// `/usr/share/zoneinfo`, then in `/usr/lib/zoneinfo` and `/usr/share/lib/zoneinfo`. On Debian
  /// the database is the package `tzdata`.
  ///
  /// - Parameter identifier: Names between slashes, of ASCII letters, digits, `+`, `-` and `_`, in
  ///   at most 64 bytes. Other text is refused, so an identifier cannot name a file outside the
  ///   database.
  /// - Throws: An error with code ``RecordingError/Code/refused`` for other identifiers,
  ///   ``RecordingError/Code/unreadable`` if the database does not have the zone, or as
  ///   ``init(identifier:contents:)`` does.
  public init(identifier: String) throws(RecordingError) {
    let contents = try TimeZoneDatabase().contents(of: identifier)
    try self.init(identifier: identifier, contents: contents)
  }

  /// Reads a zone from the bytes of a file in the format TZif.
  ///
  /// - Parameters:
  ///   - identifier: Any name for the zone.
  ///   - contents: At most 64 KiB. Times that count leap seconds, as those of the zones `right/…`,
  ///     are converted to those of `Date`. These zones end with their table of leap seconds, and
  ///     have no rule.
  /// - Throws: An error with code ``RecordingError/Code/malformed`` if the data violates RFC 8536,
  ///   or ``RecordingError/Code/tooLarge``.
  public init(identifier: String, contents: [UInt8]) throws(RecordingError) {
    do throws(RecordingError) {
      self.init(identifier: identifier, schedule: try TZifReader.schedule(contents))
    } catch {
      throw RecordingError(
        error.code,
        "the data of the time zone \(String(quoted: identifier)) cannot be used: \(error.message); "
          + "use a file in the format TZif (RFC 8536), or install the package tzdata again")
    }
  }

  /// The difference between local time and UTC at a date, positive in the east; more than −25 and
  /// less than 26 hours.
  public func offset(at date: Date) -> Duration {
    .seconds(schedule.type(at: Self.seconds(date)).offset)
  }

  /// The abbreviation of the local time at a date, such as `CEST`, or a number such as `+03` in
  /// some zones; 1 to 32 ASCII letters, digits, `+` and `-`.
  public func abbreviation(at date: Date) -> String {
    schedule.type(at: Self.seconds(date)).abbreviation
  }

  /// The whole seconds from 1970 to a date, rounded down. Dates that are millions of years away, or
  /// not a number, are clamped to the limit.
  private static func seconds(_ date: Date) -> Int {
    let limit = 1e14
    // The stored number is rounded before the sum, which could round a date up to a transition.
    let whole = date.timeIntervalSinceReferenceDate.rounded(.down)
    return Int(max(-limit, min(limit, whole + Date.timeIntervalBetween1970AndReferenceDate)))
  }
}

extension LocalTimeZone: CustomStringConvertible {
  /// The identifier.
  public var description: String { identifier }
}
