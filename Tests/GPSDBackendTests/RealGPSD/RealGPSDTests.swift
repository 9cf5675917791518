import AsyncLocation
import CGPSDShims
import GPSDBackend
import Glibc
import Testing

/// Against the daemon itself. One at a time: those that read shared memory have one key.
@Suite(
  .serialized, .timeLimit(.minutes(1)),
  .enabled(if: RealGPSD.isInstalled, "gpsd is not installed: apt-get install gpsd"))
struct RealGPSDTests {
  /// Sends epochs until `enough` says that they did what they are for. Each is sent on an event,
  /// the last one's echo, or with the watch of gpsd's answer that it watches.
  private func drive(
    _ gpsd: RealGPSD, _ run: BackendRun, from start: Int = 0, count: Int = 5
  ) async -> [Location] {
    var second = start
    var locations: [Location] = []
    for await event in run.events {
      switch event {
      case .connection(let state)
      where state.phase == .connected && state.receivers.contains { $0.name == gpsd.device }:
        if second == start {
          for _ in 0..<4 {  // gpsd needs some sentences to know what speaks.
            gpsd.feed.send(NMEAFeed.epoch(second))
            second += 1
          }
        }
      case .location(let location):
        locations.append(location)
        if locations.count >= count { return locations }
        gpsd.feed.send(NMEAFeed.epoch(second))
        second += 1
      default: break
      }
    }
    return locations
  }

  @Test func aFixArrives() async throws {
    let gpsd = try RealGPSD()
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    let locations = await drive(gpsd, run)
    let last = try #require(locations.last)
    #expect(abs(last.latitude - 60.25) < 0.01)
    #expect(abs(last.longitude - 24.508333333) < 1e-6)
    #expect(last.altitude == 30.5)
    #expect(locations.contains { abs(($0.speed ?? 0) - 5.144) < 0.01 })
    #expect(locations.contains { $0.course == 90 })
    #expect(last.gnss?.mode == .threeDimensional)
    #expect(last.sourceInformation?.device == gpsd.device)
    await run.finish()
    #expect(gpsd.stop(SIGTERM) == 0)
  }

  @Test func whatIsDeliveredIsWhatAnotherClientReads() async throws {
    let gpsd = try RealGPSD()
    let waiting = BackendRun(GPSDBackend(.local(gpsd.port)))
    #expect(await waiting.nextState(.connected) != nil)
    let client = try RawClient(port: gpsd.port)
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    let locations = await drive(gpsd, run, count: 12)
    let reports = try client.fixes(locations.count)
    try #require(locations.count == 12 && reports.count == 12)
    for (location, report) in zip(locations, reports) {
      #expect(location.latitude == report.lat && location.longitude == report.lon)
      #expect(location.altitude == report.altMSL && location.ellipsoidalAltitude == report.altHAE)
      #expect(location.speed == report.speed && location.climb == report.climb)
      #expect(location.course == report.track && location.horizontalAccuracy == report.eph)
      #expect(location.verticalAccuracy == report.epv)
      #expect(location.gnss?.mode == (report.mode == 3 ? .threeDimensional : .twoDimensional))
      #expect(location.sourceInformation?.device == report.device)
    }
    await waiting.finish()
    await run.finish()
  }

  @Test func devicesAreListed() async throws {
    let gpsd = try RealGPSD()
    let backend = GPSDBackend(.local(gpsd.port))
    let run = BackendRun(backend)
    #expect(await run.nextState(.connected) != nil)
    #expect(try await backend.devices().map(\.name) == [gpsd.device])
    await run.finish()
  }

  @Test func anUnknownDeviceIsNamed() async throws {
    let gpsd = try RealGPSD()
    #expect(await BackendRun(GPSDBackend(.local(gpsd.port))).nextState(.connected) != nil)
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.device = "/dev/none"
    let result = await BackendRun(GPSDBackend(configuration)).result()
    #expect {
      try result.get()
    } throws: { error in
      (error as? LocationError)?.code == .deviceUnknown
    }
  }

  @Test func aRestartIsSurvived() async throws {
    let gpsd = try RealGPSD()
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    for round in 0..<3 {
      #expect(await drive(gpsd, run, from: round * 60, count: 3).count == 3)
      gpsd.stop(SIGKILL)
      #expect(await run.nextState(.waiting)?.problem?.isTransient == true)
      try gpsd.start()
    }
    await run.finish()
  }

  @Test(.enabled(if: cgpsd_api_version() > 0, "built without the trait LibGPS"))
  func sharedMemoryAgreesWithTheSocket() async throws {
    let gpsd = try RealGPSD(sharedMemoryKey: RealGPSD.ownKey)
    let socket = BackendRun(GPSDBackend(.local(gpsd.port)))
    #expect(await socket.nextState(.connected) != nil)
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.transport = .sharedMemory
    configuration.sharedMemoryInterval = .milliseconds(10)
    let backend = GPSDBackend(configuration)
    let memory = BackendRun(backend)
    #expect(await memory.nextState(.connected) != nil)
    let viaSocket = await drive(gpsd, socket, count: 8)
    let found = try #require(await memory.nextLocation())
    // The same epoch by the other way, which may be ahead; each has a latitude of its own, which
    // JSON rounds.
    func isSame(_ other: Location) -> Bool { abs(other.latitude - found.latitude) < 1e-8 }
    var twin = viaSocket.last(where: isSame)
    while twin == nil, let next = await socket.nextLocation() {
      if isSame(next) { twin = next }
    }
    let same = try #require(twin)
    #expect(abs(same.longitude - found.longitude) < 1e-8)
    #expect(same.altitude == found.altitude && same.gnss?.mode == found.gnss?.mode)
    #expect(found.sourceInformation?.device == gpsd.device)
    await memory.finish()
    await socket.finish()
    #expect(backend.statistics.connections >= 1)
  }

  @Test(.enabled(if: cgpsd_api_version() > 0, "built without the trait LibGPS"))
  func absentSharedMemoryIsTriedAgain() async throws {
    _ = RealGPSD.ownKey
    var configuration = GPSDConfiguration.local(1)
    configuration.transport = .sharedMemory
    let run = BackendRun(GPSDBackend(configuration))
    let state = try #require(await run.nextState(.waiting))
    #expect(state.problem?.code == .backendUnavailable)
    await run.finish()
  }
}
