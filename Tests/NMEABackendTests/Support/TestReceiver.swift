import AsyncLocation
import FaultInjection
import Foundation
import Glibc

/// A receiver at a pseudo-terminal, under a path that remains the same when it is unplugged and
/// plugged in again, as a link of udev does. Deallocation unplugs it.
final class TestReceiver: Sendable {
  /// The path of the link.
  let path: String
  private let folder: URL
  private let descriptor = Locked<Int32>(-1)

  /// Creates a receiver that is plugged in.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "receiver-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("gps").path
    try plug()
  }

  deinit {
    unplug()
    try? FileManager.default.removeItem(at: folder)
  }

  func plug() throws {
    var name = [CChar](repeating: 0, count: 128)
    let end = fault_open_terminal(&name, Int32(name.count))
    guard end >= 0 else { throw POSIXError(.ENXIO) }
    descriptor.withLock { $0 = end }
    let device = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: device)
  }

  func unplug() {
    unlink(path)
    descriptor.withLock { end in
      if end >= 0 { close(end) }
      end = -1
    }
  }

  func send(_ bytes: [UInt8]) {
    descriptor.withLock { _ = write($0, bytes, bytes.count) }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// The settings of the port.
  var settings: termios {
    var settings = termios()
    descriptor.withLock { _ = tcgetattr($0, &settings) }
    return settings
  }

  /// The speed of the port, as `termios` has it.
  var speed: speed_t {
    var settings = settings
    return cfgetispeed(&settings)
  }

  /// Yields until the port has a speed.
  func waitForSpeed(_ speed: Int32) async {
    while self.speed != speed_t(speed), !Task.isCancelled { await Task.yield() }
  }
}
