package import AsyncLocation
package import FoundationEssentials

extension [BackendEvent] {
  package var locations: [Location] {
    compactMap { if case .location(let location) = $0 { location } else { nil } }
  }
  package var headings: [Heading] {
    compactMap { if case .heading(let heading) = $0 { heading } else { nil } }
  }
  package var satellites: [SatelliteView] {
    compactMap { if case .satellites(let view) = $0 { view } else { nil } }
  }
  package var losses: [LocationError] {
    compactMap { if case .unavailable(let error) = $0 { error } else { nil } }
  }
}

/// Returns a date from its components in UTC.
package func date(
  _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Double = 0
) -> Date {
  let days = CivilTime.days(year: year, month: month, day: day)
  return Date(timeIntervalSinceReferenceDate: Double(days * 86_400 - 978_307_200))
    + Double(hour * 3600 + minute * 60) + second
}
