import AsyncLocation
import Foundation
import GPSDBackend
import TestSupport
import Testing

/// Compares the backend's values with the reports that gpsd's own client receives at the same time.
@Suite(
  .needsGPSD,
  .enabled(if: GPSPipe.isInstalled, "gpspipe is not installed: apt-get install gpsd-clients"),
  .inTurn)
struct AgreementTests {
  @Test func locationsMatchGpspipeFieldByField() async throws {
    let gpsd = try RealGPSD()
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    #expect(await run.nextState(.connected) != nil)
    let pipe = try GPSPipe(port: gpsd.port, count: 300)
    // Both watch before the receiver sends, so both get every report.
    try await pipe.waitUntilWatching()
    gpsd.feed.start()
    let lines = await pipe.rest()
    let fixes = lines.filter { $0["class"] as? String == "TPV" && $0["mode"] as? Int ?? 0 >= 2 }
    let skies = lines.filter { $0["class"] as? String == "SKY" && $0["satellites"] != nil }
    #expect(fixes.count > 50)
    #expect(skies.count > 10)

    var locations: [Location] = []
    var views: [SatelliteView] = []
    for await event in run.events {
      switch event {
      case .location(let location): locations.append(location)
      case .satellites(let view): views.append(view)
      default: break
      }
      if locations.count >= fixes.count, views.count >= skies.count { break }
    }
    gpsd.feed.pause()
    var agreement = Agreement()
    var (nextLocation, nextView) = (locations[...], views[...])
    for line in lines where agreement.mustBeDelivered(line) {
      let delivered =
        line["class"] as? String == "TPV"
        ? nextLocation.popFirst().map(Agreement.Delivered.location)
        : nextView.popFirst().map(Agreement.Delivered.view)
      agreement.compare(line, try #require(delivered))
    }
    #expect(agreement.locations == fixes.count)
    #expect(agreement.views == skies.count)
    await run.finish()
  }
}
