import AsyncLocation
import GPSDBackend
import TestSupport
import Testing

@testable import LocationTransport

@Suite(.inTurn) struct GPSDBackendTests {
  @Test func defaultsAreGPSDsDefaults() {
    let configuration = GPSDBackend().configuration
    #expect(configuration.host == "localhost")
    #expect(configuration.port == 2947)
    #expect(GPSDBackend(host: "boat", port: 1).configuration.host == "boat")
  }

  @Test func aRunDeliversAFixAndStopsWatching() async throws {
    let server = FakeGPSD(
      [.awaitLine, .send(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1)), .hold])
    let backend = GPSDBackend(.local(server.port))
    let run = BackendRun(backend)
    #expect(await run.nextState(.connecting)?.endpoint == "127.0.0.1:\(server.port)")
    #expect(await run.nextState(.connected)?.attempts == 0)
    let location = try #require(await run.nextLocation())
    #expect(location.latitude == 60.25)
    #expect(location.ellipsoidalAltitude == 30.5)
    #expect(location.sourceInformation?.device == "/dev/ttyUSB0")
    await run.finish()
    #expect(server.received.hasPrefix("?WATCH={\"enable\":true,\"json\":true};"))
    let statistics = backend.statistics
    #expect(statistics.reports == 4)
    #expect(statistics.connections == 1)
    #expect(statistics.attempts == 1)
    #expect(statistics.bytes > 0)
    #expect(statistics.malformedLines == 0)
    #expect(statistics.lines == 4)
  }

  @Test func everyAddressOfANameIsTried() async throws {
    let server = FakeGPSD([.send(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1)), .hold])
    var configuration = GPSDConfiguration.local(server.port)
    configuration.host = "localhost"  // Nothing listens at ::1, the first of the two addresses.
    let run = BackendRun(GPSDBackend(configuration))
    #expect(await run.nextLocation() != nil)
    await run.finish()
    // The first address alone is refused.
    configuration.host = "::1"
    configuration.reconnection = .never
    let refused = await BackendRun(GPSDBackend(configuration)).result()
    #expect(throws: LocationError.self) { try refused.get() }
  }

  @Test func severalRunsOfOneBackendAreIndependent() async throws {
    let server = FakeGPSD([.send(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1))])
    let backend = GPSDBackend(.local(server.port))
    let runs = (0..<4).map { _ in BackendRun(backend) }
    for run in runs { #expect(await run.nextLocation() != nil) }
    await runs[0].finish()
    for run in runs[1...] { #expect(await run.nextLocation() != nil) }
    for run in runs[1...] { await run.finish() }
  }

  @Test func aCancelledRunEndsAtOnce() async throws {
    let run = BackendRun(GPSDBackend(.local(freePort())))
    await run.finish()
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var change: @Sendable (inout GPSDConfiguration) -> Void
  }

  static let refusals = [
    Refusal(testDescription: "an empty host") { $0.host = "" },
    Refusal(testDescription: "a host with a NUL") { $0.host = "a\u{0}b" },
    Refusal(testDescription: "port 0") { $0.port = 0 },
    Refusal(testDescription: "port 65536") { $0.port = 65_536 },
    Refusal(testDescription: "an empty device") { $0.device = "" },
    Refusal(testDescription: "a negative timeout") { $0.connectTimeout = .seconds(-1) },
    Refusal(testDescription: "a timeout of zero") { $0.silenceTimeout = .zero },
    Refusal(testDescription: "a timeout that is too long") {
      $0.handshakeTimeout = .seconds(Int64.max)
    },
    Refusal(testDescription: "a line length of zero") { $0.maximumLineLength = 0 },
    Refusal(testDescription: "a delay of zero") { $0.reconnection = .exponential(initial: .zero) },
    Refusal(testDescription: "a jitter above 1") { $0.reconnection = .exponential(jitter: 1.1) },
    Refusal(testDescription: "a jitter that is not a number") {
      $0.reconnection = .exponential(jitter: .nan)
    },
    Refusal(testDescription: "zero attempts") { $0.reconnection = .exponential(attempts: 0) },
    Refusal(testDescription: "a fix timeout of zero") { $0.fixTimeout = .zero },
    Refusal(testDescription: "a zero interval for shared memory") {
      $0.transport = .sharedMemory
      $0.sharedMemoryInterval = .zero
    },
  ]

  @Test(arguments: refusals)
  func anInvalidConfigurationIsRefused(_ refusal: Refusal) async {
    var configuration = GPSDConfiguration()
    refusal.change(&configuration)
    let result = await BackendRun(GPSDBackend(configuration)).result()
    #expect {
      try result.get()
    } throws: { error in
      (error as? LocationError)?.code == .invalidValue
    }
  }

  @Test func listsDevices() async throws {
    let server = FakeGPSD([
      .awaitLine,
      .send(
        FakeGPSD.banner
          + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"u-blox","#
          + #""subtype":"SW 1","subtype1":"HW 2","activated":"2026-05-04T03:02:01.000Z","#
          + #""bps":9600,"cycle":0.50},{"class":"DEVICE","path":"/dev/b"}]}"# + "\r\n"),
      .hold,
    ])
    let receivers = try await GPSDBackend(.local(server.port)).devices()
    #expect(receivers.map(\.name) == ["/dev/a", "/dev/b"])
    #expect(receivers[0].driver == "u-blox")
    #expect(receivers[0].model == "SW 1, HW 2")
    #expect(receivers[0].isActive)
    #expect(!receivers[1].isActive)
    #expect(receivers[0].baudRate == 9600)
    #expect(receivers[0].cycle == .milliseconds(500))
    #expect(server.received == "?DEVICES;\n")
  }

  @Test func listingDevicesWithoutGPSDFailsAtOnce() async {
    let backend = GPSDBackend(.local(freePort()))
    await #expect {
      try await backend.devices()
    } throws: { error in
      (error as? LocationError)?.code == .backendUnavailable
    }
  }

  @Test func listingDevicesCanBeCancelled() async {
    let server = FakeGPSD([.hold])
    let backend = GPSDBackend(.local(server.port))
    let request = Task { try await backend.devices() }
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
  }

  @Test func aMissingDeviceEndsTheRun() async {
    let server = FakeGPSD([
      .send(
        FakeGPSD.banner + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/b"}]}"#
          + "\r\n" + #"{"class":"ERROR","message":"No such device as /dev/a"}"# + "\r\n"),
      .hold,
    ])
    var configuration = GPSDConfiguration.local(server.port)
    configuration.device = "/dev/a"
    let result = await BackendRun(GPSDBackend(configuration)).result()
    #expect { try result.get() } throws: { error in
      guard let error = error as? LocationError else { return false }
      return error.code == .deviceUnknown && error.message.contains("'/dev/a'")
        && error.message.contains("'/dev/b'")
    }
  }
}
