import AsyncLocation
import AuthorizationPolicyFile
import GPSDBackend
import LocationRecording

/// The code of the README and of Features.md that uses gpsd, which must compile.
@MainActor
enum ReadmeSnippets {
  static func overview() async throws {
    let manager = LocationManager(backend: GPSDBackend())

    let here = try await manager.currentLocation()
    print("at \(here.latitude), \(here.longitude)")

    for try await location in manager.updates {
      print(location.latitude, location.longitude, location.speed ?? 0)
    }
  }

  static func record() async throws {
    let manager = LocationManager(backend: GPSDBackend())
    let recorder = try TrackRecorder(to: "drive.gpx", format: .gpx)
    try await recorder.record(manager.updates)

    let track = Track(try Recording(contentsOf: "drive.gpx"))
    print(track.statistics().length, track.gaps.count)
    let page = TrackPicture(track).html()
    _ = page
  }

  static func permission() {
    let backend = GPSDBackend(authorizationPolicy: .file("/etc/async-location/policy.json"))
    let manager = LocationManager(backend: backend)
    _ = manager
  }
}
