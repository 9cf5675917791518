import AsyncLocation
import LocationRecording
import OfflineGeocoder

/// The time zone of the times in a picture.
enum PictureTimeZone {
  /// - Throws: ``UsageError`` for a name that the host's time zone database does not contain.
  static func named(_ name: String, _ command: Command) throws(UsageError) -> LocalTimeZone {
    do throws(RecordingError) {
      return try LocalTimeZone(identifier: name)
    } catch {
      throw UsageError("--zone: \(error)", command: command)
    }
  }

  /// The zone of the first location; UTC if it is not known.
  static func zone(of tracks: [Track]) async -> LocalTimeZone {
    guard let first = tracks.lazy.flatMap(\.segments).first?.locations.first,
      let places = try? await OfflineGeocoder().reverseGeocode(first.coordinate, locale: nil),
      let name = places.first?.timeZone
    else { return .utc }
    return (try? LocalTimeZone(identifier: name)) ?? .utc
  }
}
