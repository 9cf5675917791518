import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// The preferred receiver and the statistics of a session, in virtual time.
@Suite(.inTurn) struct PreferenceSessionTests {
  private static func fix(_ device: String, _ second: Int) -> String {
    #"{"class":"TPV","device":"\#(device)","mode":3,"time":"2026-05-04T03:02:"#
      + "\(second < 10 ? "0" : "")\(second)"
      + #".000Z","lat":1,"lon":2}"# + "\r\n"
  }

  @Test("the preferred receiver is reported before its first report")
  func reportsThePreferredReceiver() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    connection.receive(Self.fix("a", 0) + Self.fix("b", 0) + Self.fix("a", 1))
    #expect(bench.describedEvents() == ["connected a", "a!", "b", "a!"])
    #expect(bench.statistics.preferredReceiver == "a")
    // `a` is silent: `b` is preferred after the timeout and not before, without an outage.
    for second in 1...7 {
      bench.transport.advance(by: .seconds(1))
      connection.receive(Self.fix("b", second))
    }
    #expect(bench.describedEvents() == ["b", "b", "b", "b", "b", "connected b", "b!", "b!"])
    connection.receive(Self.fix("a", 8))
    #expect(bench.describedEvents() == ["a"])
    #expect(bench.statistics.receiverChanges == 1)
    bench.session.stop()
  }

  @Test("after a gap without a receiver, another receiver is a change, the same one is not")
  func gap() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    for (second, device) in [(0, "a"), (1, "a"), (2, "b")] {
      connection.receive(Self.fix(device, second))
      #expect(bench.statistics.preferredReceiver == device)
      #expect(bench.statistics.receiverChanges == (device == "a" ? 0 : 1))
      connection.receive(#"{"class":"DEVICE","path":"\#(device)","activated":0}"# + "\r\n")
      #expect(bench.statistics.preferredReceiver == nil)
    }
    bench.session.stop()
  }

  @Test("the silence timeout is configurable")
  func limit() throws {
    let bench = SessionBench { $0.fixTimeout = .seconds(2) }
    let connection = try bench.connect()
    connection.receive(Self.fix("a", 0))
    bench.transport.advance(by: .seconds(3))
    connection.receive(Self.fix("b", 3))
    #expect(bench.describedEvents() == ["connected a", "a!", "connected b", "b!"])
    bench.session.stop()
  }

  @Test("with all receivers requested, none is preferred")
  func all() throws {
    let bench = SessionBench { $0.receiverSelection = .all }
    let connection = try bench.connect()
    connection.receive(Self.fix("a", 0) + Self.fix("b", 0))
    #expect(bench.describedEvents() == ["a!", "b!"])
    bench.session.stop()
  }

  @Test("later states keep the preferred receiver, and a new connection resets it")
  func states() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    connection.receive(Self.fix("a", 0))
    connection.receive(
      #"{"class":"DEVICE","path":"b","driver":"u-blox","activated":"2026-05-04T03:02:01Z"}"#
        + "\r\n")
    #expect(bench.describedEvents() == ["connected a", "a!", "connected a"])
    bench.session.connectionClosed(nil)
    #expect(bench.describedEvents() == ["waiting -"])
    bench.transport.advance(by: .seconds(1))
    bench.session.connectionOpened()
    bench.transport.connections[1].receive(
      FakeGPSD.banner + FakeGPSD.watching + Self.fix("b", 5))
    #expect(
      bench.describedEvents() == [
        "connecting -", "connected -", "connected -", "connected b", "b!",
      ])
    #expect(bench.statistics.receiverChanges == 0)
    bench.session.stop()
  }

  @Test("statistics contain the state and counts by class")
  func statistics() throws {
    let bench = SessionBench()
    #expect(bench.statistics.phase == .idle)
    #expect(bench.statistics.phaseDate == nil)
    let connection = try bench.connect()
    let connected = bench.statistics
    #expect(connected.phase == .connected)
    #expect(connected.phaseDate != nil)
    #expect((connected.phaseAge ?? .seconds(-1)) >= .zero)
    #expect(
      connected.daemon == GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14))
    connection.receive(
      Self.fix("a", 0) + Self.fix("a", 1) + #"{"class":"SKY","satellites":[]}"# + "\r\n"
        + #"{"class":"ATT","heading":1}"# + "\r\n" + #"{"class":"ERROR","message":"no"}"#
        + "\r\n" + #"{"class":"GST"}"# + "\r\n" + "garbage\r\n")
    let statistics = bench.statistics
    #expect(statistics.classes.positions == 2)
    #expect(statistics.classes.skies == 1)
    #expect(statistics.classes.attitudes == 1)
    #expect(statistics.classes.errors == 1)
    #expect(statistics.classes.devices == 1)
    #expect(statistics.classes.others == 3)
    #expect(statistics.droppedLines == 1)
    #expect(statistics.reports == 9)
    #expect(statistics.lastError?.message.contains("'no'") == true)
    bench.session.connectionClosed(nil)
    #expect(bench.statistics.phase == .waiting)
    #expect(bench.statistics.preferredReceiver == nil)
    bench.session.stop()
    #expect(bench.statistics.phase == .idle)
  }
}

extension SessionBench {
  /// Removes and describes the collected events: a state by its phase and preferred receiver, and a
  /// location by its receiver, with "!" if the receiver is preferred.
  fileprivate func describedEvents() -> [String] {
    takeEvents().map { event in
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
