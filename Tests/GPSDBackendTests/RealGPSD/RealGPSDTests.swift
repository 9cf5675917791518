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
  /// Lets the receiver speak once the run watches it, until as many fixes came as asked.
  private func drive(_ gpsd: RealGPSD, _ run: BackendRun, count: Int = 5) async -> [Location] {
    defer { gpsd.feed.pause() }
    var locations: [Location] = []
    for await event in run.events {
      switch event {
      case .connection(let state)
      where state.phase == .connected && state.receivers.contains { $0.name == gpsd.device }:
        gpsd.feed.start()
      case .location(let location):
        locations.append(location)
        if locations.count >= count { return locations }
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
    for _ in 0..<3 {
      #expect(await drive(gpsd, run, count: 3).count == 3)
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
    gpsd.feed.start()
    let found = try #require(
      await memory.first { event in
        // gpsd's first fix has no time of its own.
        if case .location(let location) = event,
          location.sourceInformation?.timeSource == .receiver
        {
          location
        } else {
          nil
        }
      })
    // The same epoch by the other way, of which gpsd makes several reports.
    let twin = await socket.first { event -> Location? in
      guard case .location(let location) = event, location.timestamp >= found.timestamp,
        location.sourceInformation?.timeSource == .receiver
      else { return nil }
      let isSame =
        location.timestamp == found.timestamp
        && abs(location.latitude - found.latitude) < 1e-8
        && abs(location.longitude - found.longitude) < 1e-8
        && location.altitude == found.altitude && location.gnss?.mode == found.gnss?.mode
      return isSame || location.timestamp > found.timestamp ? location : nil
    }
    #expect(twin?.timestamp == found.timestamp)
    gpsd.feed.pause()
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
