import AsyncLocation
import Foundation
import GPSDBackend
import Testing

/// What gpsd's own client shows and what we deliver, of one gpsd at one time.
@Suite(
  .timeLimit(.minutes(1)),
  .enabled(if: RealGPSD.isInstalled, "gpsd is not installed: apt-get install gpsd"),
  .enabled(if: GPSPipe.isInstalled, "gpspipe is not installed: apt-get install gpsd-clients"))
struct AgreementTests {
  @Test func gpspipeAndWeAgreeFieldByField() async throws {
    let gpsd = try RealGPSD()
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    #expect(await run.nextState(.connected) != nil)
    let pipe = try GPSPipe(port: gpsd.port, count: 300)
    // Both watch before the receiver speaks, so both get every report.
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
    for (fix, location) in zip(fixes, locations) { agrees(fix, location) }
    for (sky, view) in zip(skies, views) { agrees(sky, view) }
    await run.finish()
  }

  private func agrees(_ fix: [String: Any], _ location: Location) {
    func number(_ name: String) -> Double? { (fix[name] as? NSNumber)?.doubleValue }
    #expect(location.latitude == number("lat"))
    #expect(location.longitude == number("lon"))
    #expect(location.altitude == number("altMSL"))
    #expect(location.ellipsoidalAltitude == number("altHAE"))
    let radius = number("eph") ?? number("epx").flatMap { x in number("epy").map { hypot(x, $0) } }
    #expect(location.horizontalAccuracy == radius)
    #expect(location.verticalAccuracy == number("epv"))
    #expect(location.speed == number("speed"))
    #expect(location.speedAccuracy == number("eps"))
    #expect(location.course == number("track"))
    #expect(location.climb == number("climb"))
    #expect(location.gnss?.geoidSeparation == number("geoidSep"))
    #expect(location.gnss?.magneticVariation == number("magvar"))
    #expect(location.gnss?.timeUncertainty == number("ept"))
    #expect(location.gnss?.mode == (number("mode") == 3 ? .threeDimensional : .twoDimensional))
    #expect(location.sourceInformation?.device == fix["device"] as? String)
    if let time = fix["time"] as? String {
      #expect(location.timestamp == Self.date(time))
    } else {
      #expect(location.sourceInformation?.timeSource == .host)
    }
  }

  private func agrees(_ sky: [String: Any], _ view: SatelliteView) {
    func number(_ name: String) -> Double? { (sky[name] as? NSNumber)?.doubleValue }
    #expect(view.dilutionOfPrecision?.horizontal == number("hdop"))
    #expect(view.dilutionOfPrecision?.vertical == number("vdop"))
    #expect(view.dilutionOfPrecision?.position == number("pdop"))
    let satellites = sky["satellites"] as? [[String: Any]] ?? []
    #expect(view.satellites.map(\.prn) == satellites.map { $0["PRN"] as? Int })
    #expect(view.satellites.map(\.isUsed) == satellites.map { $0["used"] as? Bool })
    func column(_ name: String) -> [Double?] {
      satellites.map { ($0[name] as? NSNumber)?.doubleValue }
    }
    #expect(view.satellites.map(\.elevation) == column("el"))
    #expect(view.satellites.map(\.azimuth) == column("az"))
    #expect(view.satellites.map(\.signalStrength) == column("ss"))
  }

  private static func date(_ text: String) -> Date? {
    try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
