import AsyncLocation
import LocationRecording

/// The code of the doc comments, to compile.
@MainActor
enum DocCommentSnippets {
  static func pace(of recording: Recording) -> TrackOptions {
    var pace = TrackPace()
    for location in recording.locations.prefix(TrackPace.locationCount) { pace.add(location) }
    let options = TrackOptions(maximumInterval: pace.maximumInterval)
    return options
  }

  static func localTime(of location: Location) throws -> (Duration, String) {
    let zone = try LocalTimeZone(identifier: "Europe/Berlin")
    let offset = zone.offset(at: location.timestamp)  // 7200 seconds in summer
    let abbreviation = zone.abbreviation(at: location.timestamp)  // CEST
    return (offset, abbreviation)
  }

  static func picture(of track: Track, and other: Track) -> String {
    let picture = TracksPicture([track, other], title: "Deliveries")
    let vector = picture.svg()
    return vector
  }
}
