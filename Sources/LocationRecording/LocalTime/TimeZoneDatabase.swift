import AsyncLocation
import FoundationEssentials

/// The system's time zone files.
struct TimeZoneDatabase {
  private static let longestIdentifier = 64

  /// The folders in the order of the search.
  let folders: [String]

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let chosen = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
    folders = [chosen ?? "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]
  }

  /// The bytes of a zone. A file above ``TZifReader/maximumSize`` is not read to its end.
  func contents(of identifier: String) throws(RecordingError) -> [UInt8] {
    guard Self.isIdentifier(identifier) else {
      throw RecordingError(
        .refused,
        "\(String(quoted: identifier)) is no identifier of a time zone: use one such as "
          + "Europe/Berlin, of letters, digits, +, -, _ and /, in at most "
          + "\(Self.longestIdentifier) bytes")
    }
    var failure: RecordingError?
    for folder in folders {
      do throws(RecordingError) {
        return try Self.contents(ofFile: "\(folder)/\(identifier)")
      } catch {
        // The error of the first folder, the usual one, is reported.
        failure = failure ?? error
      }
    }
    throw RecordingError(
      .unreadable,
      "the time zone \(identifier) is not in \(folders.joined(separator: ", ")): "
        + "\(failure?.message ?? "there is no folder"); install the package tzdata, or correct the "
        + "identifier")
  }

  private static func contents(ofFile path: String) throws(RecordingError) -> [UInt8] {
    let file = try RecordingFile(path: path)
    var bytes: [UInt8] = []
    while bytes.count <= TZifReader.maximumSize, let chunk = try file.read() { bytes += chunk }
    return bytes
  }

  /// Whether a text is an identifier, which can only refer to a file below a folder.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count <= longestIdentifier
      && text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .allSatisfy {
          !$0.isEmpty && $0.allSatisfy { $0.isOfAbbreviation || $0 == UInt8(ascii: "_") }
        }
  }
}
