import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct FanOutTests {
  private func act(_ fanOut: inout FanOut, _ body: (inout FanOut, inout Wakes) -> Void) {
    var wakes = Wakes()
    body(&fanOut, &wakes)
    wakes.perform()
  }

  /// Stages and delivers elements, as one call of the backend does.
  private func receive(
    _ fanOut: inout FanOut, _ body: (inout FanOut, inout Effects) -> Void
  ) {
    var effects = Effects()
    body(&fanOut, &effects)
    fanOut.seal(at: .zero, to: &effects.deliveries, waking: &effects.wakes)
    effects.deliver(fanOut.gate)
    effects.perform()
  }

  /// Ends a channel and returns its contents.
  private func contents<Element>(_ channel: BoundedChannel<Element>) async throws -> [Element] {
    channel.end()
    var elements: [Element] = []
    while let element = try await channel.next() { elements.append(element) }
    return elements
  }

  @Test func eachSubscriberHasItsOwnFilter() async throws {
    var fanOut = FanOut()
    let (all, some) = (BoundedChannel<Location>(.newest(8)), BoundedChannel<Location>(.newest(8)))
    fanOut.locations.join(
      1, all, UpdateFilter(UpdateOptions()), PauseTable.Key(UpdateOptions()))
    fanOut.locations.join(
      2, some, UpdateFilter(UpdateOptions(desiredAccuracy: .nearestTenMeters)),
      PauseTable.Key(UpdateOptions()))
    let locations = [(1.0, 50.0), (2, 5), (3, 50)].map { Sample.location($0, accuracy: $1) }
    receive(&fanOut) { fanOut, effects in
      for location in locations {
        fanOut.stage(location, to: &effects.deliveries, waking: &effects.wakes)
      }
    }
    #expect(fanOut.gate.tally == Tally(delivered: 4, dropped: 0))
    #expect(try await contents(all) == locations)
    #expect(try await contents(some) == [locations[1]])
  }

  @Test func headingsAndSatellitesReachTheirSubscribers() async throws {
    var fanOut = FanOut()
    let (headings, skies) = (
      BoundedChannel<Heading>(.newest(8)), BoundedChannel<SatelliteView>(.newest(8))
    )
    fanOut.headings.join(1, headings, HeadingFilter(HeadingOptions(headingFilter: 5)))
    fanOut.satellites.join(2, skies, PreferredFilter())
    receive(&fanOut) { fanOut, effects in
      for degrees in [10.0, 12, 20] { fanOut.headings.stage(Sample.heading(true: degrees)) }
      fanOut.satellites.stage(Sample.sky(1))
      fanOut.stage(Sample.location(1), to: &effects.deliveries, waking: &effects.wakes)
    }
    #expect(fanOut.subscribers == 2)
    #expect(try await contents(headings).map(\.trueHeading) == [10, 20])
    #expect(try await contents(skies) == [Sample.sky(1)])
  }

  /// Elements that arrived before a revocation are not delivered under a later grant.
  @Test func aWithdrawalDropsDeliveriesOfEarlierArrivals() {
    var fanOut = FanOut()
    let channel = BoundedChannel<Location>(.newest(8), gate: fanOut.gate)
    fanOut.locations.join(
      1, channel, UpdateFilter(UpdateOptions()), PauseTable.Key(UpdateOptions()))
    var effects = Effects()
    fanOut.stage(Sample.location(1), to: &effects.deliveries, waking: &effects.wakes)
    fanOut.seal(at: .zero, to: &effects.deliveries, waking: &effects.wakes)
    fanOut.withdraw(preciseOnly: false)
    effects.deliver(fanOut.gate)
    effects.perform()
    #expect(channel.take() == nil)
    #expect(channel.dropped == 1)
    #expect(fanOut.gate.tally == Tally(delivered: 1, dropped: 1))
  }

  @Test func dropsAreCounted() {
    var fanOut = FanOut()
    fanOut.satellites.join(1, BoundedChannel<SatelliteView>(.newest(2)), PreferredFilter())
    receive(&fanOut) { fanOut, effects in
      for second in 1...5 { fanOut.satellites.stage(Sample.sky(Double(second))) }
    }
    #expect(fanOut.gate.tally == Tally(delivered: 5, dropped: 3))
  }

  @Test func liveStreamGetsEachReasonOnceUntilALocation() async throws {
    var fanOut = FanOut()
    let live = BoundedChannel<LocationUpdate>(.newest(16))
    act(&fanOut) { $0.locations.join(1, live, reporting: [], pausing: nil, waking: &$1) }
    let location = Sample.location(1)
    receive(&fanOut) { fanOut, effects in
      fanOut.locations.notify([], waking: &effects.wakes)
      fanOut.locations.notify(.locationUnavailable, waking: &effects.wakes)
      fanOut.locations.notify(.locationUnavailable, waking: &effects.wakes)
      fanOut.locations.notify(.authorizationDenied, waking: &effects.wakes)
      fanOut.stage(location, to: &effects.deliveries, waking: &effects.wakes)
      fanOut.locations.flushLive(waking: &effects.wakes)
      fanOut.locations.notify(.authorizationDenied, waking: &effects.wakes)
    }
    #expect(
      try await contents(live) == [
        LocationUpdate(diagnostics: .locationUnavailable),
        LocationUpdate(diagnostics: .authorizationDenied), LocationUpdate(location: location),
        LocationUpdate(diagnostics: .authorizationDenied),
      ])
  }

  @Test func connectionAndAuthorizationReachTheirSubscribers() async throws {
    var fanOut = FanOut()
    let states = BoundedChannel<ConnectionState>(.newest(8))
    let permissions = BoundedChannel<Authorization>(.newest(8))
    fanOut.join(1, states)
    fanOut.join(2, permissions)
    var retired: [ConnectionState] = []
    act(&fanOut) { fanOut, wakes in
      fanOut.notify(ConnectionState(.idle), states, waking: &wakes)
      fanOut.publish(ConnectionState(.connecting), waking: &wakes, retiring: &retired)
      fanOut.publish(Authorization(status: .denied), waking: &wakes)
      fanOut.endStates(waking: &wakes)
      fanOut.publish(ConnectionState(.connected), waking: &wakes, retiring: &retired)
    }
    #expect(retired == [])
    #expect(fanOut.subscribers == 0)
    #expect(try await contents(states).map(\.phase) == [.idle, .connecting])
    #expect(try await contents(permissions) == [Authorization(status: .denied)])
  }

  /// A state may contain an error of the user, which the caller frees after the lock is released.
  @Test func evictedStatesAreReturnedToTheCaller() {
    var fanOut = FanOut()
    let states = BoundedChannel<ConnectionState>(.newest(1))
    fanOut.join(1, states)
    var retired: [ConnectionState] = []
    act(&fanOut) { fanOut, wakes in
      fanOut.publish(ConnectionState(.connecting), waking: &wakes, retiring: &retired)
      fanOut.publish(ConnectionState(.connected), waking: &wakes, retiring: &retired)
    }
    #expect(retired.map(\.phase) == [.connecting])
    #expect(fanOut.gate.tally == Tally(delivered: 2, dropped: 1))
  }

  @Test func leavingEndsTheSubscribersChannel() async throws {
    var fanOut = FanOut()
    let (leaving, staying) = (
      BoundedChannel<SatelliteView>(.newest(8)), BoundedChannel<SatelliteView>(.newest(8))
    )
    fanOut.satellites.join(1, leaving, PreferredFilter())
    fanOut.satellites.join(2, staying, PreferredFilter())
    receive(&fanOut) { fanOut, effects in
      fanOut.leave(1, .satellites, waking: &effects.wakes)
      fanOut.leave(1, .satellites, waking: &effects.wakes)
      fanOut.leave(2, .locations, waking: &effects.wakes)  // No such stream.
      fanOut.satellites.stage(Sample.sky(1))
    }
    #expect(fanOut.subscribers == 1)
    #expect(try await leaving.next() == nil)
    #expect(try await contents(staying) == [Sample.sky(1)])
  }

  @Test func endOfReportsKeepsLiveStreamsAndStates() async throws {
    var fanOut = FanOut()
    let failure = LocationError(.notGPSD, "A web server answers.")
    let (locations, skies) = (
      BoundedChannel<Location>(.newest(8)), BoundedChannel<SatelliteView>(.newest(8))
    )
    let live = BoundedChannel<LocationUpdate>(.newest(8))
    fanOut.locations.join(
      1, locations, UpdateFilter(UpdateOptions()), PauseTable.Key(UpdateOptions()))
    fanOut.satellites.join(2, skies, PreferredFilter())
    act(&fanOut) { $0.locations.join(3, live, reporting: [], pausing: nil, waking: &$1) }
    fanOut.join(4, BoundedChannel<ConnectionState>(.newest(8)))
    var ended: [UInt64] = []
    receive(&fanOut) { fanOut, _ in fanOut.satellites.stage(Sample.sky(1)) }
    act(&fanOut) { fanOut, wakes in ended = fanOut.endReports(failure, waking: &wakes) }
    #expect(Set(ended) == [1, 2])
    await #expect(throws: failure) { try await locations.next() }
    #expect(try await skies.next() == Sample.sky(1))
    await #expect(throws: failure) { try await skies.next() }
    #expect(fanOut.subscribers == 2)
    act(&fanOut) { fanOut, wakes in ended = fanOut.locations.endLive(waking: &wakes) }
    #expect(ended == [3])
    #expect(try await live.next() == nil)
    #expect(fanOut.subscribers == 1)
  }
}
