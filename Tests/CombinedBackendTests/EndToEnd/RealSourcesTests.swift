import AsyncLocation
import CombinedBackend
import FoundationEssentials
import GPSDBackend
import Glibc
import MockBackend
import NMEABackend
import TestSupport
import Testing

/// A real gpsd, and a server of NMEA 0183 as its spare.
@Suite(.needsGPSD, .inTurn) struct RealSourcesTests {
  /// Latitudes in minutes, 300 m apart.
  private static let (preferredPlace, sparePlace) = ("15.0000", "15.1620")

  /// GGA, GSA and RMC of a receiver at rest, so many hundredths of a second after 12:00 of
  /// 2026-05-04.
  private static func epoch(_ hundredths: Int, at minutes: String) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let second = hundredths / 100
    let clock = two(12 + second / 3_600) + two(second / 60 % 60) + two(second % 60)
    let time = "\(clock).\(two(hundredths % 100))"
    return [
      "GPGGA,\(time),60\(minutes),N,02430.5000,E,1,08,0.9,30.5,M,17.2,M,,",
      "GPGSA,A,3,02,04,06,09,12,17,23,25,,,,,1.8,0.9,1.5",
      "GPRMC,\(time),A,60\(minutes),N,02430.5000,E,0.0,,040526,,,A",
    ].map { body in
      let sum = String(body.utf8.reduce(0 as UInt8, ^), radix: 16, uppercase: true)
      return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }.joined()
  }

  private static func gpsd() throws -> RealGPSD {
    try RealGPSD(
      feed: NMEAFeed(
        sequence: (0..<20_000).map { Array(epoch($0 * 100, at: preferredPlace).utf8) }))
  }

  private static let reconnection = Reconnection.exponential(
    initial: .milliseconds(10), maximum: .milliseconds(40))

  private static func backend(of gpsd: RealGPSD) -> GPSDBackend {
    GPSDBackend(
      GPSDConfiguration(
        host: "127.0.0.1", port: gpsd.port, reconnection: reconnection,
        connectTimeout: .seconds(600), handshakeTimeout: .seconds(600),
        silenceTimeout: .seconds(600)))
  }

  private static func backend(of spare: SentenceServer) -> NMEABackend {
    NMEABackend(
      NMEAConfiguration(
        source: .tcp(host: "127.0.0.1", port: spare.port), reconnection: reconnection,
        connectTimeout: .seconds(600), silenceTimeout: .seconds(600)))
  }

  /// The elements of a sequence so far.
  private final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])
    private let task: Task<Void, any Error>

    init<Sequence: AsyncSequence & Sendable>(_ sequence: Sequence)
    where Sequence.Element == Element {
      task = Task { [elements] in
        for try await element in sequence { elements.withLock { $0.append(element) } }
      }
    }

    deinit { task.cancel() }

    var all: [Element] { elements.withLock(\.self) }

    func wait(until condition: ([Element]) -> Bool) async {
      while !condition(all), !Task.isCancelled { await Task.yield() }
    }
  }

  @Test("F88 a real gpsd is killed and started again beside a spare")
  func spareServesWhileGPSDIsDead() async throws {
    let (gpsd, spare, clock) = (try Self.gpsd(), SentenceServer(), ManualClock())
    let backend = try CombinedBackend(
      [.init("gpsd", Self.backend(of: gpsd)), .init("nmea", Self.backend(of: spare))],
      clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    func fence(at minutes: Double) throws -> Condition {
      try .circle(
        center: Coordinate(latitude: 60 + minutes / 60, longitude: 24 + 30.5 / 60), radius: 150)
    }
    let monitor = try await Monitor(
      "real", manager: manager, storage: MemoryMonitorStorage(),
      options: CrossingOptions(confirmation: .zero))
    // The boundary is between the sources.
    try await monitor.add(fence(at: 15.162), identifier: "spare", assuming: .unsatisfied)
    let events = Collected(monitor.events)
    let name = "gpsd:\(gpsd.device)"
    let main = Collected(manager.updates)
    let named = Collected(manager.updates(UpdateOptions(device: name)))
    let states = manager.connectionStates

    func isListed(_ state: ConnectionState) -> Bool {
      state.phase == .connected && state.receivers.contains { $0.name == name && $0.isActive }
    }
    _ = try await states.until(isListed)
    gpsd.feed.start(60)
    await main.wait { $0.count >= 3 }
    gpsd.feed.pause()
    #expect(spare.clientCount == 0)

    await gpsd.stop(SIGKILL)
    _ = try await states.until { $0.phase == .waiting && $0.problem?.isTransient == true }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    await spare.waitForClients(1)
    var spareTime = 6_000
    func sendSpare() {
      spareTime += 1
      spare.send(Self.epoch(spareTime, at: Self.sparePlace))
    }
    while main.all.last?.device?.hasPrefix("nmea:") != true {
      sendSpare()
      await Task.yield()
    }

    let (before, spareCount) = (named.all.count, main.all.count)
    try gpsd.start()
    _ = try await states.until(isListed)
    while main.all.last?.device != name || main.all.count == spareCount {
      let count = named.all.count
      gpsd.feed.sendMore(20)
      await named.wait { $0.count > count }
      clock.advance(by: .seconds(2))
      sendSpare()
    }
    // The spare is stopped.
    while spare.clientCount > 0 { await Task.yield() }
    #expect(named.all.count > before)
    // An event that follows all others.
    try await monitor.add(fence(at: 15), identifier: "gpsd", assuming: .unsatisfied)
    gpsd.feed.sendMore(20)
    await events.wait { $0.contains { $0.identifier == "gpsd" } }
    #expect(events.all.map(\.identifier) == ["gpsd"])
    await manager.shutdown()

    let devices = main.all.map(\.device).reduce(into: [String?]()) { devices, device in
      if devices.last != device { devices.append(device) }
    }
    #expect(devices == [name, "nmea:tcp://127.0.0.1:\(spare.port)", name])
    // gpsd's first fix has no time of the receiver yet.
    let timed = main.all.filter { $0.sourceInformation?.timeSource != .host }
    #expect(timed.count >= main.all.count - 2)
    for (first, second) in zip(timed, timed.dropFirst()) {
      #expect(first.timestamp < second.timestamp)
    }
    for location in main.all {
      let accuracy = try #require(location.horizontalAccuracy)
      #expect((accuracy >= 300) == (location.device != name), "\(location)")
    }
  }

  @Test func realSourcesKeepTheProtocol() async throws {
    let conformance = BackendConformance(limit: .seconds(600)) {
      let (gpsd, spare) = (try Self.gpsd(), SentenceServer())
      let preferred = Self.backend(of: gpsd)
      let backend = try CombinedBackend([
        .init("gpsd", preferred), .init("nmea", Self.backend(of: spare)),
      ])
      return BackendConformance.Subject(backend) { listeners in
        while listeners > 0, preferred.statistics.phase != .connected, !Task.isCancelled {
          await Task.yield()
        }
        gpsd.feed.sendMore(20)
        withExtendedLifetime(spare) {}
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
