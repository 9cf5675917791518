import AsyncLocation
import FoundationEssentials

/// Formats dates for display, in a time zone. Pure.
struct PictureClock: Hashable, Sendable {
  let zone: LocalTimeZone

  /// The abbreviation of the zone's time at a date, such as UTC or CEST.
  func zoneName(at date: Date) -> String { zone.abbreviation(at: date) }

  /// Year, month and day.
  func date(_ date: Date) -> String { String(Timestamp.format(local(date)).prefix(10)) }

  /// Hours, minutes and seconds.
  func time(_ date: Date) -> String {
    String(Timestamp.format(local(date)).dropFirst(11).prefix(8))
  }

  func dateAndTime(_ date: Date) -> String { "\(self.date(date)) \(time(date))" }

  /// The date, the time and the zone.
  func instant(_ date: Date) -> String { "\(dateAndTime(date)) \(zoneName(at: date))" }

  /// A range of times. The date and the zone occur once if they are the same at both ends.
  func range(_ start: Date, _ end: Date) -> String {
    let (isOneDay, zone) = (date(start) == date(end), zoneName(at: end))
    let first = zoneName(at: start) == zone ? dateAndTime(start) : instant(start)
    return "\(first) – \(isOneDay ? time(end) : dateAndTime(end)) \(zone)"
  }

  /// The seconds by which the clock is ahead of UTC.
  func offset(at date: Date) -> Double { zone.offset(at: date) / .seconds(1) }

  /// The date whose UTC time equals the local time of a date.
  private func local(_ date: Date) -> Date {
    Timestamp.nearest(date.addingTimeInterval(offset(at: date)))
  }
}
