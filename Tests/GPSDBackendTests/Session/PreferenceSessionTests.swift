import AsyncLocation
import MockBackend
import Testing

@testable import GPSDBackend

/// The preferred receiver and the statistics of a session, in virtual time.
@Suite struct PreferenceSessionTests {
  private final class Harness {
    let transport = FakeTransport()
    let statistics = Locked(GPSDStatistics())
    let events = Locked([BackendEvent]())
    let session: GPSDSession

    init(_ change: (inout GPSDConfiguration) -> Void = { _ in }) {
      var configuration = GPSDConfiguration(host: "boat")
      change(&configuration)
      session = GPSDSession(
        configuration, purpose: .watch, wanted: WantedKinds(.all), transport: transport,
        statistics: statistics, generator: SplitMix64(seed: 1),
        emit: { [events] batch in events.withLock { $0 += batch } })
    }

    func connect() throws -> FakeTransport.FakeChannel {
      session.start { _ in }
      transport.advance(by: .zero)
      let channel = try #require(transport.channels.last)
      session.channelOpened()
      channel.receive(FakeGPSD.banner + FakeGPSD.watching)
      events.withLock { $0 = [] }
      return channel
    }

    /// Descriptions of the events since the last call.
    func words() -> [String] {
      events.withLock { events in
        defer { events = [] }
        return events.map { event in
          switch event {
          case .connection(let state):
            "\(state.phase) \(state.preferredReceiver ?? "-")"
          case .location(let location):
            "\(location.sourceInformation?.device ?? "-")"
              + (location.sourceInformation?.isPreferred == true ? "!" : "")
          case .unavailable: "unavailable"
          default: "other"
          }
        }
      }
    }
  }

  private static func fix(_ device: String, _ second: Int) -> String {
    #"{"class":"TPV","device":"\#(device)","mode":3,"time":"2026-05-04T03:02:"#
      + "\(second < 10 ? "0" : "")\(second)"
      + #".000Z","lat":1,"lon":2}"# + "\r\n"
  }

  @Test("the preferred receiver is reported before its first report")
  func tells() throws {
    let harness = Harness()
    let channel = try harness.connect()
    channel.receive(Self.fix("a", 0) + Self.fix("b", 0) + Self.fix("a", 1))
    #expect(harness.words() == ["connected a", "a!", "b", "a!"])
    #expect(harness.statistics.withLock { $0.preferredReceiver } == "a")
    // `a` is silent: `b` is preferred after the timeout and not before, without an outage.
    for second in 1...7 {
      harness.transport.advance(by: .seconds(1))
      channel.receive(Self.fix("b", second))
    }
    #expect(harness.words() == ["b", "b", "b", "b", "b", "connected b", "b!", "b!"])
    channel.receive(Self.fix("a", 8))
    #expect(harness.words() == ["a"])
    #expect(harness.statistics.withLock { $0.receiverChanges } == 1)
    harness.session.stop()
  }

  @Test("the silence timeout is configurable")
  func limit() throws {
    let harness = Harness { $0.fixTimeout = .seconds(2) }
    let channel = try harness.connect()
    channel.receive(Self.fix("a", 0))
    harness.transport.advance(by: .seconds(3))
    channel.receive(Self.fix("b", 3))
    #expect(harness.words() == ["connected a", "a!", "connected b", "b!"])
    harness.session.stop()
  }

  @Test("with all receivers requested, none is preferred")
  func all() throws {
    let harness = Harness { $0.receiverSelection = .all }
    let channel = try harness.connect()
    channel.receive(Self.fix("a", 0) + Self.fix("b", 0))
    #expect(harness.words() == ["a!", "b!"])
    harness.session.stop()
  }

  @Test("later states keep the preferred receiver, a new connection resets it")
  func states() throws {
    let harness = Harness()
    let channel = try harness.connect()
    channel.receive(Self.fix("a", 0))
    channel.receive(
      #"{"class":"DEVICE","path":"b","driver":"u-blox","activated":"2026-05-04T03:02:01Z"}"#
        + "\r\n")
    #expect(harness.words() == ["connected a", "a!", "connected a"])
    harness.session.channelClosed(nil)
    #expect(harness.words() == ["waiting -"])
    harness.transport.advance(by: .seconds(1))
    harness.session.channelOpened()
    harness.transport.channels[1].receive(
      FakeGPSD.banner + FakeGPSD.watching + Self.fix("b", 5))
    #expect(harness.words() == ["connecting -", "connected -", "connected -", "connected b", "b!"])
    #expect(harness.statistics.withLock { $0.receiverChanges } == 0)
    harness.session.stop()
  }

  @Test("statistics contain the state and counts by class")
  func statistics() throws {
    let harness = Harness()
    #expect(harness.statistics.withLock { $0.phase } == .idle)
    #expect(harness.statistics.withLock { $0.phaseDate } == nil)
    let channel = try harness.connect()
    let connected = harness.statistics.withLock { $0 }
    #expect(connected.phase == .connected && connected.phaseDate != nil)
    #expect((connected.phaseAge ?? .seconds(-1)) >= .zero)
    #expect(
      connected.daemon == GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14))
    channel.receive(
      Self.fix("a", 0) + Self.fix("a", 1) + #"{"class":"SKY","satellites":[]}"# + "\r\n"
        + #"{"class":"ATT","heading":1}"# + "\r\n" + #"{"class":"ERROR","message":"no"}"#
        + "\r\n" + #"{"class":"GST"}"# + "\r\n" + "garbage\r\n")
    let statistics = harness.statistics.withLock { $0 }
    #expect(statistics.classes.positions == 2 && statistics.classes.skies == 1)
    #expect(statistics.classes.attitudes == 1 && statistics.classes.errors == 1)
    #expect(statistics.classes.devices == 1 && statistics.classes.others == 3)
    #expect(statistics.droppedLines == 1 && statistics.reports == 9)
    #expect(statistics.lastError?.message.contains("'no'") == true)
    harness.session.channelClosed(nil)
    #expect(harness.statistics.withLock { $0.phase } == .waiting)
    #expect(harness.statistics.withLock { $0.preferredReceiver } == nil)
    harness.session.stop()
    #expect(harness.statistics.withLock { $0.phase } == .idle)
  }
}
