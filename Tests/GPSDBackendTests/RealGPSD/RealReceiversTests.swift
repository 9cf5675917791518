import AsyncLocation
import GPSDBackend
import TestSupport
import Testing

/// A manager that selects receivers of a real gpsd.
@Suite(.needsGPSD, .inTurn)
struct RealReceiversTests {
  @Test("F7 each receiver has its stream; the others follow the preferred receiver")
  func streamsFollowTheirReceivers() async throws {
    let gpsd = try RealGPSD(receivers: 2)
    let second = try #require(gpsd.secondDevice)
    var configuration = GPSDConfiguration.local(gpsd.port)
    // A busy machine must not make a receiver appear silent.
    configuration.fixTimeout = .seconds(600)
    let manager = LocationManager(backend: GPSDBackend(configuration))
    let states = manager.connectionStates
    let streams = [gpsd.device, second].map { device in
      (device, manager.updates(UpdateOptions(device: device)))
    }
    var preferred = manager.updates.makeAsyncIterator()
    for await state in states where Set(state.receivers.map(\.name)) == [gpsd.device, second] {
      break
    }
    gpsd.feed.start(60)
    // The first receiver with a fix is preferred.
    #expect(try await preferred.next()?.sourceInformation?.device == gpsd.device)
    gpsd.secondFeed?.start(60)
    for (device, stream) in streams {
      var iterator = stream.makeAsyncIterator()
      for _ in 0..<10 {
        #expect(try await iterator.next()?.sourceInformation?.device == device)
      }
    }
    for _ in 0..<10 {
      #expect(try await preferred.next()?.sourceInformation?.device == gpsd.device)
    }

    gpsd.secondFeed?.pause()
    gpsd.feed.pause()
    // After the first receiver is removed, the second one is preferred.
    #expect(try await gpsd.control("-").hasPrefix("OK"))
    gpsd.secondFeed?.start(60)
    while let location = try await preferred.next(),
      location.sourceInformation?.device != second
    {}
    gpsd.secondFeed?.pause()
    let change = await states.first { state in
      state.preferredReceiver == second
        && !state.receivers.contains { $0.name == gpsd.device && $0.isActive }
    }
    #expect(change != nil)
    await manager.shutdown()
  }

  @Test("F7 a receiver that gpsd lacks is reported as unknown until gpsd has it")
  func unknownReceiverIsUsedOnceAdded() async throws {
    let gpsd = try RealGPSD()
    let lateFeed = NMEAFeed()
    let lateDevice = "tcp://127.0.0.1:\(lateFeed.port)"
    let manager = LocationManager(backend: GPSDBackend(.local(gpsd.port)))
    let states = manager.connectionStates
    let named = manager.updates(UpdateOptions(device: lateDevice))
    let updates = manager.updates(UpdateOptions())
    // Until gpsd listens, the problem is `backendUnavailable`.
    let missing = try #require(
      await states.first { $0.problem != nil && $0.problem?.code != .backendUnavailable })
    #expect(missing.problem?.code == .deviceUnknown)
    let expectedText = "'\(lateDevice)'; it has '\(gpsd.device)'."
    #expect(missing.problem?.message.contains(expectedText) == true)
    gpsd.feed.start(60)
    var preferred = updates.makeAsyncIterator()
    #expect(try await preferred.next()?.sourceInformation?.device == gpsd.device)
    gpsd.feed.pause()

    #expect(try await gpsd.control("+", lateDevice).hasPrefix("OK"))
    let added = try #require(
      await states.first { $0.devices?.contains(lateDevice) == true })
    #expect(added.problem == nil)
    lateFeed.start(60)
    var locations = named.makeAsyncIterator()
    #expect(try await locations.next()?.sourceInformation?.device == lateDevice)
    lateFeed.pause()

    #expect(try await gpsd.control("-", lateDevice).hasPrefix("OK"))
    #expect(await states.first { $0.problem != nil }?.problem?.code == .deviceUnknown)
    await manager.shutdown()
  }

  @Test("the reason why a receiver is unknown lists no receiver after the last one is removed")
  func unknownReceiverAfterTheLastIsRemoved() async throws {
    let gpsd = try RealGPSD()
    let manager = LocationManager(backend: GPSDBackend(.local(gpsd.port)))
    let states = manager.connectionStates
    let named = manager.headings(HeadingOptions(device: "/dev/ttyUSB7"))
    #expect(await states.first { $0.problem?.code == .deviceUnknown } != nil)
    #expect(try await gpsd.control("-").hasPrefix("OK"))
    let state = await states.first {
      $0.problem?.message.contains("'/dev/ttyUSB7'; it has none.") == true
    }
    #expect(state != nil)
    await manager.shutdown()
    withExtendedLifetime(named) {}
  }
}
