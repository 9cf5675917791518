import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import LocationTransport
@testable import NMEABackend

/// A backend at a pseudo-terminal.
@Suite(.inTurn) struct SerialPortTests {
  @Test func readsASerialPortAndRestoresItsSettings() async throws {
    let receiver = try TestReceiver()
    let backend = NMEABackend(.local(.serial(path: receiver.path, speed: 4800)))
    let (before, speedBefore) = (receiver.settings, receiver.speed)
    let run = NMEARun(backend)
    await receiver.waitForSpeed(B4800)
    receiver.send(cycle(1))
    let state = await run.nextState(.connected)
    #expect(state?.endpoint == receiver.path)
    #expect(state?.receivers.map(\.baudRate) == [4800])
    #expect(state?.devices == [receiver.path])
    #expect(state?.preferredReceiver == receiver.path)
    let location = await run.nextLocation()
    #expect(location?.timestamp == date(2026, 5, 4, 12, 0, 1))
    #expect(location?.sourceInformation?.device == receiver.path)
    #expect(backend.statistics.speed == 4800)
    let raw = receiver.settings
    #expect(raw.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(raw.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
    #expect(raw.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    await run.finish()
    #expect(speedBefore != speed_t(B4800))
    #expect(receiver.speed == speedBefore)
    #expect(receiver.settings.c_cflag == before.c_cflag)
  }

  @Test("F88 a receiver that is unplugged is read again, under another inode")
  func aReceiverThatIsUnpluggedIsReadAgainUnderAnotherInode() async throws {
    let receiver = try TestReceiver()
    let run = NMEARun(NMEABackend(.local(.serial(path: receiver.path, speed: 9600))))
    for second in 1...3 {
      await receiver.waitForSpeed(B9600)
      receiver.send(cycle(second))
      #expect(await run.nextLocation()?.timestamp == date(2026, 5, 4, 12, 0, Double(second)))
      receiver.unplug()
      let lost = await run.nextState(.waiting)
      #expect(lost?.problem?.code == .connectionLost)
      #expect(lost?.preferredReceiver == nil)
      let absent = await run.nextState { $0.problem?.code == .backendUnavailable }
      #expect(absent?.problem?.message.contains("plugged in") == true)
      try receiver.plug()
    }
    await run.finish()
  }

  @Test("F88 an absent receiver is waited for")
  func anAbsentReceiverIsWaitedFor() async throws {
    let receiver = try TestReceiver()
    receiver.unplug()
    let run = NMEARun(NMEABackend(.local(.serial(path: receiver.path, speed: 9600))))
    let state = await run.nextState(.waiting)
    #expect(state?.problem?.code == .backendUnavailable)
    try receiver.plug()
    await receiver.waitForSpeed(B9600)
    receiver.send(cycle(1))
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }

  /// Sends sentences at one speed and noise at the others, as a line does.
  private final class Line: Sendable {
    private let isStopped = Locked(false)
    private let isDone = Locked(false)
    private let speed: Locked<Int32>

    init(_ receiver: TestReceiver, speed: Int32) {
      self.speed = Locked(speed)
      Thread.detachNewThread { [self] in
        var second = 0
        while !isStopped.withLock({ $0 }) {
          if receiver.speed == speed_t(self.speed.withLock { $0 }) {
            second += 1
            receiver.send(cycle(second % 3600))
          } else {
            receiver.send([UInt8](repeating: 0xE6, count: 64))
          }
          usleep(20_000)  // System clock: the terminal's buffer must not fill up.
        }
        isDone.withLock { $0 = true }
      }
    }

    func change(to speed: Int32) { self.speed.withLock { $0 = speed } }

    func stop() async {
      isStopped.withLock { $0 = true }
      while !isDone.withLock({ $0 }) { await Task.yield() }
    }
  }

  @Test("F88 the speed is detected, and looked for again")
  func theSpeedIsDetectedAndLookedForAgain() async throws {
    let receiver = try TestReceiver()
    let backend = NMEABackend(.local(.serial(path: receiver.path)))
    let run = NMEARun(backend)
    let line = Line(receiver, speed: B9600)
    #expect(await run.nextState(.connected)?.receivers.first?.baudRate == 9600)
    #expect(await run.nextLocation() != nil)
    #expect(backend.statistics.speed == 9600)
    line.change(to: B38400)
    #expect(await run.nextState(.connected)?.receivers.first?.baudRate == 38400)
    #expect(backend.statistics.speed == 38400)
    #expect(await run.nextLocation() != nil)
    await line.stop()
    await run.finish()

    // A later run begins with the speed that was found.
    // Also if the receiver was absent meanwhile.
    receiver.unplug()
    let absent = NMEARun(backend)
    #expect(await absent.nextState(.waiting) != nil)
    await absent.finish()
    try receiver.plug()
    let opened = backend.statistics.connections
    let again = NMEARun(backend)
    while backend.statistics.connections == opened { await Task.yield() }
    #expect(receiver.speed == speed_t(B38400))
    receiver.send(cycle(3599))
    #expect(await again.nextState(.connected)?.receivers.first?.baudRate == 38400)
    await again.finish()
  }

  static let notPorts: [(path: String, create: @Sendable (String) throws -> Void)] = [
    ("a FIFO", { if mkfifo($0, 0o600) != 0 { throw POSIXError(.EIO) } }),
    ("a file", { try Data(cycle(1).utf8).write(to: URL(fileURLWithPath: $0)) }),
    (
      "a folder",
      { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) }
    ),
    (
      "a device that is no terminal",
      { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/null") }
    ),
  ]

  @Test(arguments: notPorts.indices)
  func aPathThatIsNoSerialPortEndsTheRun(_ index: Int) async throws {
    let (name, create) = Self.notPorts[index]
    let path = NSTemporaryDirectory() + "port-\(UUID().uuidString)"
    try create(path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let error = await NMEARun(NMEABackend(.serial(path: path))).error() as? LocationError
    #expect(error?.code == .invalidValue, "\(name)")
    #expect(error?.message.contains("is not a serial port") == true)
  }

  @Test("F88 a port in exclusive use is left alone, also as root")
  func aPortInExclusiveUseIsLeftAlone() async throws {
    let receiver = try TestReceiver()
    let other = open(receiver.path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    defer { close(other) }
    #expect(ioctl(other, UInt(TIOCEXCL), 0) == 0)
    let speedBefore = receiver.speed
    let backend = NMEABackend(.local(.serial(path: receiver.path, speed: 4800)))
    let run = NMEARun(backend)
    // Also after the first attempt: a port that was not opened ends no other's exclusive use.
    for _ in 1...3 {
      let state = await run.nextState(.waiting)
      #expect(state?.problem?.message.contains("exclusively") == true)
    }
    #expect(receiver.speed == speedBefore)
    #expect(ioctl(other, UInt(TIOCNXCL), 0) == 0)
    await receiver.waitForSpeed(B4800)
    receiver.send(cycle(1))
    #expect(await run.nextLocation() != nil)
    await run.finish()
    // Another program may open it now.
    let next = NMEARun(backend)
    await receiver.waitForSpeed(B4800)
    receiver.send(cycle(2))
    #expect(await next.nextLocation() != nil)
    await next.finish()
  }

  @Test func aPortInExclusiveUseIsNamed() throws {
    let error = LocationError.cannotOpenPort("/dev/ttyUSB0", EBUSY)
    #expect(error.isTransient)
    #expect(error.message.contains("exclusively"))
  }
}

/// Ports that cannot be opened.
private struct DeniedPorts: PortOpening {
  private final class Port: SourcePort {
    func setSpeed(_ speed: SerialSpeed, _ answer: @escaping Answer) {}
    func close() {}
  }

  let loop: EventLoop
  let group: String?

  func open(
    _ source: NMEASource, speed: SerialSpeed?, handler: any ConnectionHandler,
    _ answer: @escaping SourcePort.Answer
  ) -> any SourcePort {
    _ = loop.arm(at: loop.now()) {
      answer(.cannotOpenPort("/dev/ttyUSB0", EACCES, group: group))
    }
    return Port()
  }
}

@Suite(.inTurn) struct DeniedPortTests {
  @Test("F88 a port that may not be read is denied")
  func aPortThatMayNotBeReadIsDenied() async throws {
    let backend = NMEABackend(.local(.serial(path: "/dev/ttyUSB0"))) {
      () throws(TransportFailure) in
      (try EventLoop.shared(), try DeniedPorts(loop: .shared(), group: "dialout"))
    }
    let run = NMEARun(backend)
    let state = await run.nextState(.failed)
    #expect(state?.problem?.message.contains("usermod -aG dialout") == true)
    let status = await run.first { event in
      if case .authorization(let status) = event { status } else { nil }
    }
    #expect(status == .denied)
    #expect((await run.error() as? LocationError)?.code == .denied)
  }

  @Test func theNameOfAGroupIsRead() {
    #expect(GroupName.of(0) == "root")
    #expect(GroupName.of(gid_t.max - 7) == nil)
  }
}
