import AsyncLocation
import FaultInjection
import Foundation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend

/// Rows 29 to 34 of Documentation/Faults.md: the operating system. Tests with the trait `exitTest`
/// run in a separate process.
@Suite(.serialized, .inTurn) struct SystemFaultTests {
  @Test("F29: a wall-clock jump changes no age, and system sleep counts", .exitTest)
  func clocks() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD(
        [.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .awaitLine, .awaitLine, .hold])
      // System clock: the test shifts the time that it returns.
      let manager = LocationManager(
        backend: GPSDBackend(.local(server.port)), clock: .continuous)
      var updates = manager.updates(UpdateOptions()).makeAsyncIterator()
      let location = try #require(try await updates.next())
      for offset: Int64 in [315_360_000, -315_360_000] {
        fault_set_clocks(offset, 0)
        let age = try #require(location.age)
        #expect(age >= .zero)
        #expect(age < .seconds(600))
      }
      fault_set_clocks(0, 7200)
      #expect(try #require(location.age) >= .seconds(7200))
      // The last location is now older than the requested maximum.
      await #expect(throws: LocationError.self) {
        try await manager.currentLocation(
          desiredAccuracy: .best, maximumAge: .seconds(3600), timeout: .zero)
      }
      await manager.shutdown()
    }
  }

  @Test("F30: descriptor exhaustion is reported, and the connection recovers", .exitTest)
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold])
      let firstRun = BackendRun(GPSDBackend(.local(server.port)))
      #expect(await firstRun.nextLocation() != nil)
      await firstRun.finish()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 64
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var fillers: [Int32] = []
      while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 {
        fillers.append(descriptor)
      }
      let run = BackendRun(GPSDBackend(.local(server.port)))
      let problem = try #require(await run.nextState(.waiting)?.problem)
      #expect(problem.code == .backendUnavailable)
      #expect(problem.message.contains("descriptor"))
      for descriptor in fillers { close(descriptor) }
      #expect(await run.nextLocation() != nil)
      await run.finish()
    }
  }

  @Test("F32: a reset connection raises no SIGPIPE", .exitTest)
  func brokenPipe() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      for _ in 0..<FaultRun.repetitions(full: 50) {
        // The server resets the connection at the first command, so the final command is sent to a
        // closed connection.
        let server = FakeGPSD([.send(FakeGPSD.greeting), .awaitLine, .reset])
        let run = BackendRun(GPSDBackend(.local(server.port)))
        #expect(await run.nextState(.waiting)?.problem?.isTransient == true)
        await run.finish()
      }
    }
  }

  struct Injection: Sendable, Codable, CustomTestStringConvertible {
    let call: UInt32
    let error: Int32
    let testDescription: String
  }

  static let injections = [
    (FAULT_RECV, "recv", [EINTR, EAGAIN, ECONNRESET, ETIMEDOUT, ENOBUFS, ENOMEM, EIO]),
    (FAULT_SEND, "send", [EINTR, EAGAIN, ECONNRESET, EPIPE, ENOBUFS, ENOMEM, EIO]),
    (FAULT_WAIT, "epoll_wait", [EINTR]),
    (
      FAULT_CONNECT, "connect",
      [EINTR, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EAGAIN, ENOBUFS]
    ),
    (FAULT_SOCKET, "socket", [EMFILE, ENFILE, ENOBUFS, ENOMEM]),
  ].flatMap { call, name, errors in
    errors.map {
      Injection(
        call: call.rawValue, error: $0,
        testDescription: "\(name): \(String(cString: strerror($0)))")
    }
  }

  @Test("F33: fixes resume after any system call fails", .exitTest, arguments: injections)
  func systemCalls(_ injection: Injection) async {
    await #expect(processExitsWith: .success) { [injection] in
      let script: [FakeGPSD.Step] = [
        .send(FakeGPSD.greeting + FakeGPSD.fix(1)), .awaitLine, .send(FakeGPSD.fix(2)), .hold,
      ]
      // The first, second or third call fails, or the first three calls in a row.
      for (skipping, count) in [(0, 1), (1, 1), (2, 1), (0, 3)] as [(Int32, Int32)] {
        let server = FakeGPSD(script)
        let call = fault_call(rawValue: injection.call)
        let before = fault_injected(call)
        fault_inject(call, skipping, count, injection.error)
        let run = BackendRun(GPSDBackend(.local(server.port)))
        #expect(await run.nextLocation() != nil)
        fault_inject(call, 0, 0, 0)
        if skipping == 0 { #expect(fault_injected(call) > before) }
        await run.finish()
      }
    }
  }

  @Test("F33: ENOMEM and ENOBUFS cause no busy loop", .exitTest)
  func scarcity() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold])
      fault_inject(FAULT_RECV, 0, 1_000_000, ENOMEM)
      let run = BackendRun(GPSDBackend(.local(server.port)))
      for _ in 0..<3 { #expect(await run.nextState(.waiting)?.problem?.isTransient == true) }
      #expect(fault_injected(FAULT_RECV) < 100)
      fault_inject(FAULT_RECV, 0, 0, 0)
      #expect(await run.nextLocation() != nil)
      await run.finish()
    }
  }

  @Test("F34: a child process inherits no descriptor", .exitTest)
  func nothingInherited() async {
    await #expect(processExitsWith: .success) {
      let before = try #require(Self.inherited())  // From the parent of the test process.
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold])
      let run = BackendRun(GPSDBackend(.local(server.port)))
      #expect(await run.nextLocation() != nil)
      let during = try #require(Self.inherited())
      #expect(during.subtracting(before).isEmpty, "\(during)")
      await run.finish()
    }
  }

  /// The sockets and anonymous inodes among the descriptors that a child process inherits, by their
  /// unique names; nil if the child cannot be run.
  private static func inherited() -> Set<Substring>? {
    guard let output = try? ServerProcess.pipe(),
      let list = try? ServerProcess(
        ["/bin/ls", "-l", "/proc/self/fd"], standardOutput: output.writing, inheritsOthers: true)
    else { return nil }
    close(output.writing)
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(output.reading, &buffer, buffer.count), count > 0 {
      text += buffer[..<count]
    }
    close(output.reading)
    guard list.wait() == 0 else { return nil }
    let listing = String(decoding: text, as: UTF8.self)
    return Set(
      listing.split(separator: "\n").filter {
        $0.contains("socket:") || $0.contains("anon_inode:")
      }.compactMap { $0.split(separator: " ").last })
  }
}
