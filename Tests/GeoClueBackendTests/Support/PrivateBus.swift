import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

/// A `dbus-daemon` with a configuration and a socket of its own, in a temporary folder.
/// Deallocation ends it and removes the folder.
final class PrivateBus: Sendable {
  struct NotReady: Error { let log: [String] }

  /// The path of the program; nil if it is not installed.
  static let path: String? = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"]
    .first { access($0, X_OK) == 0 }

  let folder = NSTemporaryDirectory() + "bus-\(UUID().uuidString)"
  private let process = Locked<ServerProcess?>(nil)

  var address: String { "unix:path=\(folder)/bus" }

  /// - Parameter services: Programs that the bus starts, by the name of their service.
  init(services: [String: String] = [:]) async throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder + "/services", withIntermediateDirectories: true)
    for (name, program) in services {
      try "[D-BUS Service]\nName=\(name)\nExec=\(program)\n".write(
        toFile: folder + "/services/\(name).service", atomically: true, encoding: .utf8)
    }
    try """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>custom</type>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      <servicedir>\(folder)/services</servicedir>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
        <allow user="*"/>
      </policy>
    </busconfig>
    """.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
    try await start()
  }

  deinit {
    process.withLock { $0 }?.stop(SIGKILL)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Starts the program, and returns when it accepts connections.
  func start() async throws {
    unlink(folder + "/bus")
    let output = try ServerProcess.pipe()
    let program = try ServerProcess(
      [
        Self.path ?? "dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork",
        "--nopidfile", "--print-address=1",
      ],
      environment: ["PATH=/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS=\(address)"],
      standardOutput: output.writing)
    close(output.writing)
    let reader = LogReader(output.reading)
    Thread.detachNewThread { reader.run() }
    guard await onThread({ reader.waitForLines(1) { $0.hasPrefix("unix:") } }) else {
      throw NotReady(log: reader.log)
    }
    process.withLock { $0 = program }
  }

  /// Ends the program, and waits for its end.
  func stop() async {
    let program = process.withLock { $0 }
    await onThread { _ = program?.stop(SIGKILL) }
  }

  /// Sends a signal to the program.
  func send(_ signal: Int32) { process.withLock { $0 }?.send(signal) }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if `dbus-daemon` is not installed, unless the test must fail in this case.
  static var needsBus: Self {
    .enabled(
      if: PrivateBus.path != nil || requiresServers,
      "dbus-daemon is not installed: apt-get install dbus")
  }
}
