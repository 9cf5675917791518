import AsyncLocation
import FoundationEssentials
import Glibc

/// Reads user name and password. Blocks while it reads a file.
enum CredentialReader {
  static let maximumSize = 65_536

  static func read(
    _ credentials: MQTTConfiguration.Credentials,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(LocationError) -> (user: String, password: String) {
    let (user, password) =
      switch credentials {
      case .password(let user, let password): (user, password)
      case .environment(let user, let password):
        (
          try value(of: user, in: environment),
          try value(of: password, in: environment)
        )
      case .file(let path): try read(path)
      }
    guard !user.isEmpty, user.utf8.count <= 65_535, password.utf8.count <= 65_535,
      !user.utf8.contains(0), !password.utf8.contains(0)
    else {
      throw LocationError(
        .invalidValue,
        "The user name for the broker must have 1...65,535 bytes, the password at most 65,535, and "
          + "neither a NUL character.")
    }
    return (user, password)
  }

  private static func value(
    of name: String, in environment: [String: String]
  ) throws(LocationError) -> String {
    guard let value = environment[name] else {
      throw LocationError(
        .invalidValue,
        "The environment variable \(String(printable: name, limit: 80)) with the broker's user "
          + "name or password is not set.")
    }
    return value
  }

  private static func read(_ path: String) throws(LocationError) -> (String, String) {
    let shown = String(printable: path, limit: 200)
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(shown, unsafe String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw unreadable(shown, "it is not a regular file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw LocationError(
        .invalidValue,
        "Other users can access the broker's credentials in \(shown); run chmod 600 on it.")
    }
    var bytes = [UInt8](repeating: 0, count: maximumSize)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw unreadable(shown, unsafe String(cString: strerror(errno))) }
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasSuffix("\r") ? $0.dropLast() : $0 }
    guard lines.count >= 2, count < maximumSize else {
      throw unreadable(shown, "it must have the user name in line 1 and the password in line 2")
    }
    return (String(lines[0]), String(lines[1]))
  }

  private static func unreadable(_ path: String, _ reason: String) -> LocationError {
    LocationError(
      .invalidValue, "The broker's credentials cannot be read from \(path): \(reason).")
  }
}
