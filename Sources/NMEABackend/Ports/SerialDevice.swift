import AsyncLocation
import Dispatch
import Glibc

/// An open serial device: raw, 8 data bits, no parity, 1 stop bit, no flow control.
///
/// It is used exclusively, as gpsd does: two readers would each receive a part of the bytes. Its
/// former settings are restored when it is closed. The drivers of USB adapters wait for the adapter,
/// up to seconds if it hangs, so each call is made on the queue of its path.
struct SerialDevice: Sendable {
  private let path: String
  let descriptor: Int32
  private let original: termios
  /// Whether this object has made the device exclusive.
  private let isExclusive: Bool
  /// `TIOCGEXCL`, which is not imported: whether a device is in exclusive use.
  private static let getExclusive: UInt = 0x8004_5440

  /// Opens a device without waiting for a modem's carrier or a FIFO's writer.
  init(_ path: String, _ speed: SerialSpeed) throws(LocationError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .cannotOpenPort(path, errno) }
    guard status.st_mode & S_IFMT == S_IFCHR else { throw .notSerialPort(path) }
    let opened = unsafe Glibc.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else {
      let code = errno
      throw .cannotOpenPort(path, code, group: GroupName.of(status.st_gid))
    }
    var settings = termios()
    guard unsafe tcgetattr(opened, &settings) == 0 else {
      let code = errno
      Glibc.close(opened)
      throw code == ENOTTY ? .notSerialPort(path) : .cannotOpenPort(path, code)
    }
    // The kernel lets root open a device in exclusive use.
    var isInUse: Int32 = 0
    if unsafe ioctl(opened, Self.getExclusive, &isInUse) == 0, isInUse != 0 {
      Glibc.close(opened)
      throw .cannotOpenPort(path, EBUSY)
    }
    (self.path, descriptor, original) = (path, opened, settings)
    // Without the right to lock it, the port is used all the same.
    isExclusive = ioctl(opened, UInt(TIOCEXCL), 0) == 0
    do throws(LocationError) {
      try setSpeed(speed)
    } catch {
      close()
      throw error
    }
  }

  /// Sets the speed, and discards the bytes that arrived at the previous one.
  func setSpeed(_ speed: SerialSpeed) throws(LocationError) {
    var settings = original
    unsafe cfmakeraw(&settings)
    settings.c_cflag &= ~tcflag_t(PARENB | CSTOPB) & ~tcflag_t(CRTSCTS)
    settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
    // A read without bytes fails with EAGAIN, so that reading none means a hang-up.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    // Before the speed is set: what arrives afterwards is complete.
    tcflush(descriptor, TCIFLUSH)
    guard unsafe cfsetspeed(&settings, speed.constant) == 0,
      unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0
    else { throw .cannotOpenPort(path, errno) }
  }

  /// Restores the former settings and closes the device. Nothing is called afterwards.
  func close() {
    var settings = original
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
    if isExclusive { _ = ioctl(descriptor, UInt(TIOCNXCL), 0) }
    Glibc.close(descriptor)
  }
}

extension SerialDevice {
  private static let queues = Locked([String: DispatchQueue]())

  /// The queue of a path, on which a device is closed before it is opened again.
  static func queue(of path: String) -> DispatchQueue {
    queues.withLock { queues in
      if let queue = queues[path] { return queue }
      let queue = DispatchQueue(label: "location-ports")
      queues[path] = queue
      return queue
    }
  }

  /// Waits for the calls that were made before.
  static func waitForCalls(at path: String) async {
    await withCheckedContinuation { caller in
      queue(of: path).async { caller.resume() }
    }
  }
}

/// Names of groups, from the system's file. A look-up by `getgrgid` may ask a server.
enum GroupName {
  /// The name of a group; nil if the file does not have it.
  static func of(_ group: gid_t) -> String? {
    guard let file = unsafe fopen("/etc/group", "re") else { return nil }
    defer { unsafe fclose(file) }
    var memory = [CChar](repeating: 0, count: 16_384)
    var entry = unsafe Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    // SAFETY: `entry` and its texts in `memory` are used only while both exist.
    return unsafe memory.withUnsafeMutableBufferPointer { memory in
      while unsafe fgetgrent_r(file, &entry, memory.baseAddress, memory.count, &found) == 0 {
        if unsafe entry.gr_gid == group { return unsafe String(cString: entry.gr_name) }
      }
      return nil
    }
  }
}
