import AsyncLocation
import OwnTracks

/// The code of the overview, which is compiled and not run.
@MainActor
enum OverviewSnippets {
  static func decode(_ payload: [UInt8]) throws {
    let message = try OwnTracksMessage(json: payload)
    if case .location(let report) = message {
      print(report.location, report.batteryLevel ?? 0)
    }
  }

  static func encode(_ location: Location, publish: ([UInt8], String) -> Void) throws {
    let topic = try OwnTracksTopic(user: "jane", device: "boat")
    let message = OwnTracksMessage.location(LocationMessage(location, trackerID: "jB"))
    publish(message.json, "\(topic)")
  }
}
