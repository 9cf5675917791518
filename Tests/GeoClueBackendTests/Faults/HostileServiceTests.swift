import AsyncLocation
import CSystemd
import Foundation
import TestSupport
import Testing

@testable import GeoClueBackend
@testable import LocationTransport

/// A service, or another program on the bus, whose answers and signals are not GeoClue's.
@Suite(.inTurn) struct HostileServiceTests {
  struct Lie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let member: String
    let reply: BusReply
  }

  static let lies = [
    Lie(testDescription: "the manager is a number", member: "GetAll", reply: .values([.uint32(1)])),
    Lie(testDescription: "the manager is nothing", member: "GetAll", reply: .values([])),
    Lie(
      testDescription: "the client is a text", member: "CreateClient",
      reply: .values([.string("/org/freedesktop/GeoClue2/Client/1")])),
    Lie(
      testDescription: "the client is the root", member: "CreateClient",
      reply: .values([.objectPath("/")])),
    Lie(
      testDescription: "the client is of a hundred values", member: "CreateClient",
      reply: .values(Array(repeating: .uint32(1), count: 100))),
    Lie(
      testDescription: "an unknown error", member: "Start",
      reply: .error(BusError(name: "org.example.Strange", message: "\u{1B}[2J"))),
    Lie(
      testDescription: "a property is refused", member: "Set",
      reply: .error(BusError(name: "org.example.Strange", message: ""))),
  ]

  @Test("F88 a service that lies is tried again", .needsBus, arguments: lies)
  func isTriedAgain(_ lie: Lie) async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address, overriding: [lie.member: lie.reply])
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    let state = try #require(await run.nextState(.waiting))
    #expect(state.problem?.code == .backendUnavailable)
    #expect(state.problem?.message.contains("\u{1B}") == false)
    service.answer(lie.member, with: nil)
    await ServiceFaultTests.expectLocation(run, from: service)
    await run.finish()
  }

  static let badLocations: [[String: BusValue]] = [
    [:],
    ["Latitude": .double(.nan), "Longitude": .double(1)],
    ["Latitude": .double(91), "Longitude": .double(1)],
    ["Latitude": .string("60"), "Longitude": .double(1)],
    ["Latitude": .double(60), "Longitude": .structure([.double(1)])],
  ]

  @Test("F88 bad locations and signals are counted, and the next good one arrives", .needsBus)
  func badSignals() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    _ = try #require(await run.nextState(.connected))
    for (index, values) in Self.badLocations.enumerated() {
      service.send(values)
      while backend.statistics.malformedMessages <= index { await Task.yield() }
    }
    service.announce("/org/freedesktop/GeoClue2/Client/1/Location/999")
    while backend.statistics.vanishedLocations == 0 { await Task.yield() }
    service.emit("LocationUpdated", [.string("/"), .string("/x")])
    service.emit("LocationUpdated", [])
    service.emit("LocationUpdated", [.objectPath("/"), .objectPath("/")])
    service.emit("Unknown", [.uint32(1)])
    service.send()
    #expect(await run.nextLocation() != nil)
    #expect(backend.statistics.malformedMessages == Self.badLocations.count + 3)
    #expect(backend.statistics.locations == 1)
    await run.finish()
  }

  @Test("F88 signals of another program are ignored and counted", .needsBus)
  func foreignSignals() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    _ = try #require(await run.nextState(.connected))
    let start = try #require(await service.nextCall("Start"))
    let liar = try await BusPeer(on: bus.address)
    liar.emit(
      FakeGeoClue.client, "org.freedesktop.GeoClue2.Client", "LocationUpdated",
      [.objectPath("/"), .objectPath("/evil")], to: start.sender)
    liar.emit(
      FakeGeoClue.client, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [.string("x"), .dictionary(["Active": .boolean(false)])], to: start.sender)
    liar.emit(
      "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
      [.string(FakeGeoClue.name), .string("x"), .string("")], to: start.sender)
    while backend.statistics.foreignSignals < 3 { await Task.yield() }
    service.send()
    #expect(await run.nextLocation() != nil)
    #expect(backend.statistics.connections == 1)
    await run.finish()
  }

  @Test("F88 a flood of locations is bounded, and the last one arrives", .needsBus)
  func flood() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    _ = try #require(await run.nextState(.connected))
    let count = 5_000
    for _ in 0..<count { service.send() }
    let last = try #require(GeoClueLocation(FakeGeoClue.values(count))?.timestamp)
    while let location = await run.nextLocation(), location.timestamp < last {}
    let statistics = backend.statistics
    #expect(statistics.locations + statistics.supersededLocations == count)
    await run.finish()
  }

  /// Sends signals to one program. Returns when the bus has taken them; blocks.
  private static func flood(_ address: String, _ destination: String, _ count: Int) {
    var bus: OpaquePointer?
    guard sd_bus_new(&bus) >= 0, let bus else { return }
    defer { sd_bus_flush_close_unref(bus) }
    guard sd_bus_set_address(bus, address) >= 0, sd_bus_set_bus_client(bus, 1) >= 0,
      sd_bus_start(bus) >= 0
    else { return }
    for number in 0..<count {
      var message: OpaquePointer?
      sd_bus_message_new_signal(
        bus, &message, FakeGeoClue.client, "org.freedesktop.GeoClue2.Client", "LocationUpdated")
      sd_bus_message_set_destination(message, destination)
      sd_bus_send(bus, message, nil)
      sd_bus_message_unref(message)
      if number % 100 == 0, sd_bus_flush(bus) < 0 { return }
    }
  }

  @Test("F88 a program that floods the bus lets the loop serve others", .needsBus)
  func floodLetsOthersWork() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    _ = try #require(await run.nextState(.connected))
    let start = try #require(await service.nextCall("Start"))
    let loop = try EventLoop.shared()
    // The loop does not read until the bus has thousands of signals for it.
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { caller in
      loop.submit {
        caller.resume()
        gate.wait()
      }
    }
    let count = 20_000
    await onThread { Self.flood(bus.address, start.sender, count) }
    let (turns, sink) = AsyncStream.makeStream(of: Int.self)
    @Sendable func serve(_ turn: Int) {
      sink.yield(backend.statistics.foreignSignals)
      if turn < 10 { loop.submit { serve(turn + 1) } }
    }
    loop.submit { serve(0) }
    gate.signal()
    for turn in 0...10 {
      let handled = try #require(await turns.first { _ in true })
      #expect(handled <= (turn + 1) * 64, "\(turn)")
    }
    while backend.statistics.foreignSignals < count { await Task.yield() }
    service.send()
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }

  @Test("F88 a service that switches the client off again and again holds nobody", .needsBus)
  func flapping() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    _ = try #require(await run.nextState(.connected))
    for _ in 0..<200 { service.announceActivity(false) }
    service.send()
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }
}
