import AsyncLocation
import FileAccess

extension StorageFile {
  /// Runs a body, and converts its failure to an error with the file's name.
  ///
  /// - Parameter operation: The text between "Cannot" and the file in the message, such as `open`.
  func attempt<Result>(
    _ operation: String, _ body: () throws(SystemFailure) -> Result
  ) throws(LocationError) -> Result {
    do throws(SystemFailure) {
      return try body()
    } catch {
      throw failure(operation, because: "\(error)", cause: error)
    }
  }

  /// The error for an operation that failed; see ``attempt(_:_:)``.
  func failure(
    _ operation: String, because reason: String, cause: (any Error)? = nil
  ) -> LocationError {
    LocationError(
      .storageUnavailable,
      "Cannot \(operation) the \(owner) file \(Self.printable(path)): \(reason).", cause: cause)
  }

  /// The error for a file or folder that is not trusted.
  func refusal(_ path: String, _ reason: String) -> LocationError {
    LocationError(
      .storageUnavailable,
      "The storage of the \(ownerName) is refused: "
        + "\(Self.printable(path)) \(reason).")
  }

  /// The error for a file that a later version of this package wrote.
  func refusal(laterVersion version: Int64, supported: Int64) -> LocationError {
    LocationError(
      .unsupported,
      "The \(owner) file \(Self.printable(path)) has version \(version), and this program supports "
        + "up to version \(supported); use a later release of the program.")
  }

  /// The problem reported for an empty file, for which nothing is set aside.
  var emptinessNotice: LocationError {
    LocationError(
      .storageUnavailable,
      "The \(owner) file \(Self.printable(path)) was empty, and so is the \(owner).")
  }

  /// The problem reported for a file that was set aside.
  ///
  /// - Parameter finding: The predicate of the message's first sentence, such as `was damaged`.
  func notice(_ finding: String, aside: String, cause: (any Error)? = nil) -> LocationError {
    LocationError(
      .storageUnavailable,
      "The \(owner) file \(Self.printable(path)) \(finding). It was renamed to "
        + "\(Self.printable(aside)), and the \(owner) is empty.",
      cause: cause)
  }

  static func printable(_ text: String) -> String { String(printable: text, limit: .max) }
}
