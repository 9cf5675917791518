import AsyncLocation
import LocationRecording
import TestSupport
import Testing

/// The code of the article on recorders.
@Suite(.inTurn) @MainActor
struct RecorderSnippets {
  func records(manager: LocationManager) async throws {
    let recorder = try TrackRecorder(to: "drive.gpx", format: .gpx)
    try await recorder.record(manager.updates)
  }

  @Test func rotates() {
    var configuration = TrackRecorder.Configuration(name: "Drive")
    configuration.rotation = .duration(.seconds(3600))
    configuration.minimumDistance = 5
    #expect(configuration.name == "Drive")
    #expect(configuration.existing == .refuse)
  }
}
