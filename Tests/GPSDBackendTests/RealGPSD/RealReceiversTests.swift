import AsyncLocation
import GPSDBackend
import TestSupport
import Testing

/// Two receivers on one real gpsd, through a manager.
@Suite(.needsGPSD, .inTurn)
struct RealReceiversTests {
  @Test("F7 each receiver has its stream, and one at a time is preferred for the others")
  func eachHasItsStream() async throws {
    let gpsd = try RealGPSD(receivers: 2)
    let second = try #require(gpsd.secondDevice)
    var configuration = GPSDConfiguration.local(gpsd.port)
    // A pause here does not count as silence, even on a busy machine.
    configuration.fixTimeout = .seconds(600)
    let manager = LocationManager(backend: GPSDBackend(configuration))
    let states = manager.connectionStates
    let streams = [gpsd.device, second].map { device in
      (device, manager.updates(UpdateOptions(device: device)))
    }
    var anybody = manager.updates.makeAsyncIterator()
    for await state in states where Set(state.receivers.map(\.name)) == [gpsd.device, second] {
      break
    }
    gpsd.feed.start(60)
    // The first receiver with a fix is preferred.
    #expect(try await anybody.next()?.sourceInformation?.device == gpsd.device)
    gpsd.secondFeed?.start(60)
    for (device, stream) in streams {
      var iterator = stream.makeAsyncIterator()
      for _ in 0..<10 {
        #expect(try await iterator.next()?.sourceInformation?.device == device)
      }
    }
    for _ in 0..<10 {
      #expect(try await anybody.next()?.sourceInformation?.device == gpsd.device)
    }

    gpsd.secondFeed?.pause()
    gpsd.feed.pause()
    // When it is unplugged, the other is preferred.
    #expect(try await gpsd.control("-").hasPrefix("OK"))
    gpsd.secondFeed?.start(60)
    while let location = try await anybody.next(),
      location.sourceInformation?.device != second
    {}
    gpsd.secondFeed?.pause()
    var isReported = false
    for await state in states where state.preferredReceiver == second {
      isReported = !state.receivers.contains { $0.name == gpsd.device && $0.isActive }
      if isReported { break }
    }
    #expect(isReported)
    await manager.shutdown()
  }

  @Test("F7 a receiver that gpsd lacks is a problem until it appears")
  func aLateReceiverIsUsed() async throws {
    let gpsd = try RealGPSD()
    let later = NMEAFeed()
    let name = "tcp://127.0.0.1:\(later.port)"
    let manager = LocationManager(backend: GPSDBackend(.local(gpsd.port)))
    let states = manager.connectionStates
    let named = manager.updates(UpdateOptions(device: name))
    let anybody = manager.updates(UpdateOptions())
    // At first nothing may listen, until gpsd is ready.
    for await state in states
    where state.problem != nil && state.problem?.code != .backendUnavailable {
      #expect(state.problem?.code == .deviceUnknown)
      #expect(state.problem?.message.contains("'\(name)'; it has '\(gpsd.device)'.") == true)
      break
    }
    gpsd.feed.start(60)
    var others = anybody.makeAsyncIterator()
    #expect(try await others.next()?.sourceInformation?.device == gpsd.device)
    gpsd.feed.pause()

    #expect(try await gpsd.control("+", name).hasPrefix("OK"))
    for await state in states where state.devices?.contains(name) == true {
      #expect(state.problem == nil)
      break
    }
    later.start(60)
    var locations = named.makeAsyncIterator()
    #expect(try await locations.next()?.sourceInformation?.device == name)
    later.pause()

    #expect(try await gpsd.control("-", name).hasPrefix("OK"))
    for await state in states where state.problem != nil {
      #expect(state.problem?.code == .deviceUnknown)
      break
    }
    await manager.shutdown()
  }

  @Test("naming a receiver of a gpsd without receivers is a problem")
  func noReceiverIsAProblem() async throws {
    let gpsd = try RealGPSD()
    let manager = LocationManager(backend: GPSDBackend(.local(gpsd.port)))
    let states = manager.connectionStates
    let named = manager.headings(HeadingOptions(device: "/dev/ttyUSB7"))
    for await state in states where state.problem?.code == .deviceUnknown { break }
    #expect(try await gpsd.control("-").hasPrefix("OK"))
    for await state in states
    where state.problem?.message.contains("'/dev/ttyUSB7'; it has none.") == true {
      break
    }
    await manager.shutdown()
    withExtendedLifetime(named) {}
  }
}
