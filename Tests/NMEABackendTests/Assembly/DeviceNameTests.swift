import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import NMEABackend

/// The names of several devices on one line.
@Suite(.inTurn) struct DeviceNameTests {
  private func devices(_ events: [BackendEvent]) -> [String?] {
    events.locations.map(\.sourceInformation?.device)
  }

  /// Two receivers 55.6 m apart, of which GP has a fix in the given seconds.
  private func switches(_ bench: inout ReaderBench, fixes: ClosedRange<Int>) -> [BackendEvent] {
    var events: [BackendEvent] = []
    for second in 1...9 {
      let time = "12000\(second)"
      let hasFix = fixes.contains(second)
      events += bench.receive(
        sentences(
          rmc(time, status: hasFix ? "A" : "V", minutes: "07.0000"),
          gga(time, quality: hasFix ? 1 : 0, minutes: "07.0000", dilution: "5.0"),
          rmc(time, talker: "II", minutes: "07.0300")))
      events += bench.advance(milliseconds: 1_000)
    }
    return events
  }

  @Test func aReceiverThatTakesOverHasANameOfItsOwn() throws {
    var bench = ReaderBench()
    let events = switches(&bench, fixes: 1...4)
    let names = devices(events)
    #expect(names.first == "test-line")
    #expect(names.last == "test-line (II)")
    let change = try #require(names.firstIndex(of: "test-line (II)"))
    #expect(Set(names[..<change]) == ["test-line"])
    #expect(Set(names[change...]) == ["test-line (II)"])
    // Begins a segment of a track: the error of the first one, 95 m, covers the difference.
    let (last, next) = (events.locations[change - 1], events.locations[change])
    #expect(ReceiverPlace(next).mayBeSame(as: ReceiverPlace(last)))
    #expect(next.distance(to: last) > 50)
  }

  @Test func theReceiverInUseIsTheFirstOne() {
    var bench = ReaderBench()
    #expect(bench.devices.receiverNames == ["test-line"])
    _ = switches(&bench, fixes: 1...9)
    #expect(bench.devices.receiverNames == ["test-line", "test-line (II)"])
    // Without a fix, before the other one's next location.
    _ = bench.receive(sentences(rmc("120010", status: "V")))
    _ = bench.advance(milliseconds: 1_000)
    #expect(bench.devices.receiverNames == ["test-line (II)", "test-line"])
    _ = bench.receive(sentence("HCHDG,90.0,1.0,E,2.0,E"))
    #expect(bench.devices.names == ["test-line", "test-line (II)", "test-line (HC)"])
    _ = bench.endConnection()
    #expect(bench.devices.receiverNames == ["test-line"])
    #expect(bench.devices.names == ["test-line"])
  }

  @Test func theNamesRemainInTheNextRun() async {
    let server = SentenceServer()
    let source = NMEASource.tcp(host: "127.0.0.1", port: server.port)
    let backend = NMEABackend(.local(source))
    let names = [source.description, source.description + " (II)"]
    for (number, talker) in ["GP", "II"].enumerated() {
      let run = NMEARun(backend)
      await server.waitForClients(1)
      server.send(sentences(rmc("120001", talker: talker), rmc("120002", talker: talker)))
      let location = await run.nextLocation()
      #expect(location?.sourceInformation?.device == names[number])
      await run.finish()
      while server.clientCount > 0 { await Task.yield() }
    }
  }

  @Test func theFirstReceiverThatDeliversHasTheSourcesName() {
    var bench = ReaderBench()
    let names = devices(switches(&bench, fixes: 4...9))
    #expect(names.first == "test-line")
    #expect(names.last == "test-line (GNSS)")
  }

  @Test func theNamesRemainAfterTheConnection() {
    var bench = ReaderBench()
    _ = switches(&bench, fixes: 1...9)
    _ = bench.endConnection()
    #expect(devices(switches(&bench, fixes: 9...9)).first == "test-line (II)")
  }

  /// The talkers of one receiver have one name.
  @Test func oneReceiverHasTheSourcesName() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      events += bench.receive(
        sentences(
          gga("12000\(second)", talker: "GP"), "GLGSV,1,1,01,65,40,083,46",
          rmc("12000\(second)", talker: second < 5 ? "GN" : "GP")))
      events += bench.advance(milliseconds: 1_000)
    }
    #expect(events.locations.count == 9)
    #expect(Set(devices(events)) == ["test-line"])
    #expect(Set(events.satellites.map(\.sourceInformation?.device)) == ["test-line"])
    #expect(Set(events.headings.map(\.sourceInformation?.device)) == ["test-line"])
  }

  @Test func headingsAndSatellitesHaveTheNameOfTheirDevice() {
    var bench = ReaderBench()
    #expect(
      bench.receive(sentence("HCHDG,90.0,1.0,E,2.0,E")).headings.map(\.sourceInformation?.device)
        == ["test-line"])
    _ = bench.receive(sentence(rmc("120001", talker: "II")))
    _ = bench.advance(milliseconds: 1_000)
    let events =
      bench.receive(
        sentences(
          "HCHDG,91.0,1.0,E,2.0,E", rmc("120002", status: "V"), "GPGSV,1,1,01,01,40,083,46"))
      + bench.advance(milliseconds: 1_000)
    #expect(events.headings.map(\.sourceInformation?.device) == ["test-line (HC)"])
    #expect(events.satellites.map(\.sourceInformation?.device) == ["test-line (GNSS)"])
  }

  /// Names are kept for the life of the process, so their number is bounded.
  @Test func aTalkerOfAnotherLengthAddsNoName() {
    var bench = ReaderBench()
    _ = bench.receive(sentence(rmc("120001")))
    _ = bench.advance(milliseconds: 1_000)
    let talkers = ["", "A", "ABC", String(repeating: "X", count: 100)]
    for talker in talkers {
      let events =
        bench.receive(sentence("\(talker)HDT,90.5,T"))
        + bench.advance(milliseconds: 6_000)
      let names = Set(events.headings.map(\.sourceInformation?.device))
      #expect(names.isSubset(of: ["test-line (other)"]), "\(talker)")
    }
  }

  @Test func aDistanceFilterDoesNotPassWhenAnotherReceiverTakesOver() async throws {
    let server = SentenceServer()
    let source = NMEASource.tcp(host: "127.0.0.1", port: server.port)
    let manager = LocationManager(backend: NMEABackend(.local(source)))
    var locations = manager.updates(UpdateOptions(distanceFilter: 40)).makeAsyncIterator()
    var states = manager.connectionStates.makeAsyncIterator()
    await server.waitForClients(1)
    let minutes = ["07.0300", "07.0300", "07.0300", "07.2000", "07.2000"]
    for (second, minute) in zip(1..., minutes) {
      let time = "12000\(second)"
      server.send(
        sentences(
          rmc(time, status: second < 3 ? "A" : "V", minutes: "07.0000"),
          gga(time, quality: second < 3 ? 1 : 0, minutes: "07.0000", dilution: "5.0"),
          rmc(time, talker: "II", minutes: minute)))
    }
    let first = try #require(try await locations.next())
    #expect(first.sourceInformation?.device == source.description)
    let next = try #require(try await locations.next())
    #expect(next.sourceInformation?.device == source.description + " (II)")
    #expect(next.distance(to: first) > 300)
    // The receiver in use is the preferred one, and an option can name it.
    while let state = await states.next() {
      guard state.preferredReceiver == source.description + " (II)" else { continue }
      #expect(
        state.receivers.map(\.name) == [source.description + " (II)", source.description])
      #expect(state.devices == [source.description, source.description + " (II)"])
      break
    }
    var named = manager.updates(UpdateOptions(device: source.description + " (II)"))
      .makeAsyncIterator()
    server.send(
      sentences(rmc("120006", status: "V"), rmc("120006", talker: "II"))
        + sentences(rmc("120007", status: "V"), rmc("120007", talker: "II")))
    #expect(try await named.next()?.sourceInformation?.device == source.description + " (II)")
    await manager.shutdown()
  }
}
