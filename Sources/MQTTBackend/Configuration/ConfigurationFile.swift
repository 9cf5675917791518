import AsyncLocation
import FileAccess

/// An open regular file that a configuration refers to. Opening and reading it block.
struct ConfigurationFile {
  private let path: String
  /// A description of the content for the start of a sentence, such as `The client's key`.
  private let content: String
  private let file: OpenFile
  private let status: FileStatus

  init(_ path: String, content: String) throws(LocationError) {
    do throws(SystemFailure) {
      file = try OpenFile(reading: path)
      status = try file.status()
    } catch {
      throw Self.unreadable(path, content, "\(error)")
    }
    guard status.kind == .regular else {
      throw Self.unreadable(path, content, "it is not a regular file")
    }
    (self.path, self.content) = (path, content)
  }

  /// Rejects a file that other users can access. A file owned by root may be readable by its group:
  /// systemd passes credentials with mode 0440.
  func requirePrivacy() throws(LocationError) {
    let forbidden: UInt32 = status.owner == 0 ? 0o037 : 0o077
    guard status.mode & forbidden == 0 else {
      throw LocationError(
        .invalidValue,
        "Other users can access \(content.lowercasedFirst) in \(Self.printable(path)); run chmod 600 "
          + "on it.")
    }
  }

  /// Reads at most `limit` bytes from the start of the file.
  func read(limit: Int) throws(LocationError) -> [UInt8] {
    do throws(SystemFailure) {
      return try file.contents(limit: limit - 1)
    } catch {
      throw unreadable("\(error)")
    }
  }

  /// The error for content that cannot be used.
  func unreadable(_ reason: String) -> LocationError { Self.unreadable(path, content, reason) }

  private static func unreadable(
    _ path: String, _ content: String, _ reason: String
  ) -> LocationError {
    LocationError(
      .invalidValue, "\(content) cannot be read from \(printable(path)): \(reason).")
  }

  private static func printable(_ path: String) -> String { String(printable: path, limit: 200) }
}
