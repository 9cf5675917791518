import AsyncLocation
import CGPSDShims
import GPSDBackend
import Glibc
import TestSupport
import Testing

/// Tests with a real gpsd. They are serialized, because those of shared memory use the same key.
@Suite(.serialized, .needsGPSD, .inTurn)
struct RealGPSDTests {
  @Test func aFixOfARealGPSDIsDelivered() async throws {
    let gpsd = try RealGPSD()
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    let locations = await gpsd.drive(run)
    let last = try #require(locations.last)
    #expect(abs(last.latitude - 60.25) < 0.01)
    #expect(abs(last.longitude - 24.508333333) < 1e-6)
    #expect(last.altitude == 30.5)
    #expect(locations.contains { abs(($0.speed ?? 0) - 5.144) < 0.01 })
    #expect(locations.contains { $0.course == 90 })
    #expect(last.gnss?.mode == .threeDimensional)
    #expect(last.sourceInformation?.device == gpsd.device)
    await run.finish()
    #expect(await gpsd.stop(SIGTERM) == 0)
  }

  /// Tests `ServerProcess.stop`, which repeats the signal because gpsd occasionally misses one.
  @Test(.longWork) func aMissedSignalIsSentAgain() throws {
    let output = try ServerProcess.pipe()
    let process = try ServerProcess(
      ["/bin/sh", "-c", "trap 'trap - TERM' TERM; echo; while :; do sleep 0.01; done"],
      standardOutput: output.writing)
    close(output.writing)
    var byte: UInt8 = 0
    #expect(read(output.reading, &byte, 1) == 1)
    close(output.reading)
    #expect(process.stop(SIGTERM, isRepeated: true) == -SIGTERM)
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

  @Test("F6 a stopped gpsd is disconnected, and found again when it continues")
  func aStoppedGPSDIsNoticed() async throws {
    let gpsd = try RealGPSD()
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.silenceTimeout = .milliseconds(200)
    configuration.handshakeTimeout = .milliseconds(200)
    let backend = GPSDBackend(configuration)
    let run = BackendRun(backend)
    #expect(await gpsd.drive(run, count: 3).count == 3)
    gpsd.send(SIGSTOP)
    #expect(await run.reachesWaiting(after: .connectionLost))
    // The kernel still accepts connections: only the greeting is missing.
    #expect(await run.reachesWaiting(after: .timedOut))
    gpsd.send(SIGCONT)
    #expect(await run.nextState(.connected) != nil)
    #expect(await gpsd.drive(run, count: 3).count == 3)
    #expect(backend.statistics.connections >= 2)
    await run.finish()
  }

  @Test("F6 a removed receiver is reported and used again when it is back")
  func aRemovedReceiverComesBack() async throws {
    let gpsd = try RealGPSD()
    let run = BackendRun(GPSDBackend(.local(gpsd.port)))
    for _ in 0..<3 {
      #expect(await gpsd.drive(run, count: 3).count == 3)
      #expect(try await gpsd.control("-").hasPrefix("OK"))
      let loss = await run.first { event -> LocationError? in
        guard case .unavailable(let error) = event else { return nil }
        return error.message.contains("no longer attached") ? error : nil
      }
      #expect(loss != nil)
      #expect(try await gpsd.control("+").hasPrefix("OK"))
      let state = await run.first { event -> ConnectionState? in
        guard case .connection(let state) = event else { return nil }
        return state.receivers.contains { $0.name == gpsd.device && $0.isActive } ? state : nil
      }
      #expect(state?.phase == .connected)
      gpsd.feed.start()
    }
    await run.finish()
  }

  @Test("F7 one of two receivers is preferred, the other when it is silent")
  func aSilentReceiverIsReplaced() async throws {
    let gpsd = try RealGPSD(receivers: 2)
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.fixTimeout = .milliseconds(200)
    let backend = GPSDBackend(configuration)
    let run = BackendRun(backend)
    let other = try #require(gpsd.secondDevice)
    let fixes = await gpsd.drive(run, count: 3)
    #expect(fixes.allSatisfy { $0.sourceInformation?.device == gpsd.device })
    #expect(fixes.allSatisfy { $0.sourceInformation?.isPreferred == true })
    #expect(backend.statistics.preferredReceiver == gpsd.device)
    // The first receiver is paused; the second one sends.
    gpsd.secondFeed?.start(.max)  // For longer than the silence timeout.
    let state = await run.first { event in
      if case .connection(let state) = event, state.preferredReceiver == other {
        state
      } else {
        nil
      }
    }
    #expect(state?.phase == .connected)
    #expect(state?.problem == nil)
    let location = await run.nextLocation()
    gpsd.secondFeed?.pause()
    #expect(location?.sourceInformation?.device == other)
    #expect(location?.sourceInformation?.isPreferred == true)
    #expect(backend.statistics.receiverChanges == 1)
    let receivers = try await backend.devices()
    #expect(Set(receivers.map(\.name)) == [gpsd.device, other])
    #expect(receivers.allSatisfy { $0.isActive && $0.driver != nil })
    await run.finish()
  }

  @Test(.enabled(if: cgpsd_api_version() > 0, "built without the trait LibGPS"))
  func sharedMemoryOfAnotherReleaseIsRefused() async throws {
    let key = RealGPSD.ownKey
    let segment = shmget(key, 4096, Int32(IPC_CREAT) | 0o600)
    try #require(segment >= 0)
    defer { shmctl(segment, IPC_RMID, nil) }
    var configuration = GPSDConfiguration.local(1)
    configuration.transport = .sharedMemory
    let result = await BackendRun(GPSDBackend(configuration)).result()
    #expect {
      try result.get()
    } throws: { error in
      guard let error = error as? LocationError else { return false }
      return error.code == .unsupported && error.message.contains("another layout")
        && error.message.contains(".socket")
    }
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
    gpsd.feed.start(100)
    let memoryLocation = try #require(
      await memory.first { event in
        // gpsd's first fix has no time from the receiver.
        if case .location(let location) = event,
          location.sourceInformation?.timeSource != .host
        {
          location
        } else {
          nil
        }
      })
    // Finds the same epoch in the socket's locations. There, gpsd sends several reports of it.
    let socketLocation = await socket.first { event -> Location? in
      guard case .location(let location) = event, location.timestamp >= memoryLocation.timestamp,
        location.sourceInformation?.timeSource != .host
      else { return nil }
      let isSame =
        location.timestamp == memoryLocation.timestamp
        && abs(location.latitude - memoryLocation.latitude) < 1e-8
        && abs(location.longitude - memoryLocation.longitude) < 1e-8
        && location.altitude == memoryLocation.altitude
        && location.gnss?.mode == memoryLocation.gnss?.mode
      return isSame || location.timestamp > memoryLocation.timestamp ? location : nil
    }
    #expect(socketLocation?.timestamp == memoryLocation.timestamp)
    #expect(memoryLocation.sourceInformation?.device == gpsd.device)
    await memory.finish()
    await socket.finish()
    #expect(backend.statistics.connections >= 1)
  }

  @Test(.enabled(if: cgpsd_api_version() > 0, "built without the trait LibGPS"))
  func absentSharedMemoryIsRetried() async throws {
    _ = RealGPSD.ownKey
    var configuration = GPSDConfiguration.local(1)
    configuration.transport = .sharedMemory
    let run = BackendRun(GPSDBackend(configuration))
    let state = try #require(await run.nextState(.waiting))
    #expect(state.problem?.code == .backendUnavailable)
    #expect(state.problem?.message.contains("shares its memory") == true)
    await run.finish()
  }
}
