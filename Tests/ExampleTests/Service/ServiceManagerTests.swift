import AsyncLocation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn)
struct ServiceManagerTests {
  private static let environments:
    [(variables: [String: String], socket: String?, interval: Duration?)] = [
      ([:], nil, nil),
      (["NOTIFY_SOCKET": "/run/notify"], "/run/notify", nil),
      (["NOTIFY_SOCKET": "@notify"], "@notify", nil),
      // Sockets of virtual machines, and names that are none.
      (["NOTIFY_SOCKET": "vsock:2:1234"], nil, nil),
      (["NOTIFY_SOCKET": ""], nil, nil),
      (["NOTIFY_SOCKET": "/"], nil, nil),
      (["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 107)], nil, nil),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "30000000"], "/n", .seconds(15)),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "1"], "/n", .microseconds(1)),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "0"], "/n", nil),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "soon"], "/n", nil),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "8", "WATCHDOG_PID": "7"], "/n", .microseconds(4)),
      // Another process of the unit is watched.
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "8", "WATCHDOG_PID": "8"], "/n", nil),
    ]

  @Test(arguments: environments)
  func readsTheEnvironment(
    _ example: (variables: [String: String], socket: String?, interval: Duration?)
  ) {
    let manager = ServiceManager(example.variables, process: 7)
    #expect(manager?.socket == example.socket)
    #expect(manager?.watchdogInterval == example.interval)
  }

  @Test func aNotificationIsALineForEachAssignment() {
    #expect(ServiceNotification.status("a\nREADY=1").text == "STATUS=a READY=1")
    #expect(
      ServiceNotification.reloading(since: .milliseconds(1_500)).text
        == "RELOADING=1\nMONOTONIC_USEC=1500000")
  }

  @Test(arguments: [false, true])
  func notificationsReachTheSocket(_ isAbstract: Bool) async throws {
    let socket = try NotifySocket(isAbstract: isAbstract)
    let manager = try #require(ServiceManager(socket.environment, process: getpid()))
    manager.notify(.ready)
    manager.notify(.status("2 devices"))
    #expect(await socket.next() == "READY=1")
    #expect(await socket.next() == "STATUS=2 devices")
  }

  /// Nobody reads, so that the socket is full at last.
  @Test func readyIsSentAgainWhenTheSocketHasRoom() async throws {
    let socket = try NotifySocket(isAbstract: true)
    let manager = try #require(ServiceManager(socket.environment, process: getpid()))
    for _ in 0..<10_000 { manager.notify(.alive) }
    manager.notify(.ready)
    await socket.read(until: "READY=1")
  }

  @Test func aFullOrAbsentSocketHoldsNothingUp() throws {
    let socket = try NotifySocket(isAbstract: true)
    let manager = try #require(ServiceManager(socket.environment, process: getpid()))
    for _ in 0..<10_000 { manager.notify(.alive) }
    manager.notify(.ready)
    let absent = try #require(ServiceManager(["NOTIFY_SOCKET": "/no/socket"], process: 1))
    absent.notify(.ready)
  }

  @Test func notifiesAWatchdogTwiceInItsTime() async throws {
    let socket = try NotifySocket(isAbstract: true)
    let variables = socket.environment.merging(["WATCHDOG_USEC": "4000000"]) { $1 }
    let manager = try #require(ServiceManager(variables, process: getpid()))
    let clock = ManualClock()
    let task = Task { await manager.keepAlive(clock) }
    for _ in 0..<3 {
      #expect(await socket.next() == "WATCHDOG=1")
      await clock.waitForSleepers(atLeast: 1)
      clock.advance(by: .seconds(2))
    }
    task.cancel()
    await task.value
  }

  @Test func publishNotifiesItsServiceManager() async throws {
    let socket = try NotifySocket(isAbstract: false)
    let folder = try RecordingFolder()
    // Nothing listens on port 1: a publisher without a broker runs as it should.
    let publisher = try ChildProcess(
      "publish --broker mqtt://127.0.0.1:1 --topic owntracks/jane/boat --backend replay --rate 100 "
        + "--storage \(folder.path)/queue.db",
      environment: socket.environment.map { "\($0)=\($1)" } + ["WATCHDOG_USEC=60000000"])
    await socket.read(until: "WATCHDOG=1")
    await socket.read(until: "READY=1")
    let status = await socket.read { $0.hasPrefix("STATUS=published 0, ") }
    #expect(status.hasSuffix("waiting, not connected"))
    publisher.send(SIGTERM)
    await socket.read(until: "STOPPING=1")
    _ = await publisher.end()
  }

  @Test(.needsBroker) func fleetNotifiesItsServiceManager() async throws {
    let broker = try await RealBroker()
    let socket = try NotifySocket(isAbstract: false)
    let folder = try RecordingFolder()
    try folder.write(
      #"{"type":"Feature","id":"harbour","properties":{"radius":100},"#
        + #""geometry":{"type":"Point","coordinates":[11,48]}}"#, to: "areas.json")
    let fleet = try ChildProcess(
      "fleet --broker mqtt://127.0.0.1:\(broker.port) --conditions \(folder.path)/areas.json",
      environment: socket.environment.map { "\($0)=\($1)" })
    await socket.read(until: "READY=1")
    let status = await socket.read { $0.hasPrefix("STATUS=") }
    #expect(status == "STATUS=0 locations of 0 devices; nothing was dropped")
    fleet.send(SIGHUP)
    let reloading = await socket.read { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }
    #expect(reloading.split(separator: "=").last.flatMap { Int($0) } ?? 0 > 0)
    await socket.read(until: "READY=1")
    fleet.send(SIGTERM)
    await socket.read(until: "STOPPING=1")
    let ended = await fleet.end()
    #expect(ended.status == 0)
  }

  @Test func recordNotifiesItsServiceManager() async throws {
    let socket = try NotifySocket(isAbstract: false)
    let folder = try RecordingFolder()
    let recorder = try ChildProcess(
      "record \(folder.path)/drive.gpx --backend replay --rate 10",
      environment: socket.environment.map { "\($0)=\($1)" })
    await socket.read(until: "READY=1")
    await socket.read { $0.hasPrefix("STATUS=") && $0.contains("recorded") }
    recorder.send(SIGTERM)
    await socket.read(until: "STOPPING=1")
    let ended = await recorder.end()
    #expect(ended.status == 0)
  }
}
