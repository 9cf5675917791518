import AsyncLocation
import Foundation
import Glibc

/// A certificate authority of a test, made with the `openssl` command. Its files are PEM.
/// Deallocation or the end of the process removes them.
package final class TestAuthority: Sendable {
  package static let path: String? = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
    .first { access($0, X_OK) == 0 }
  package static var isInstalled: Bool { path != nil }

  /// The period in which a certificate is valid.
  package enum Validity: Sendable {
    case now, past, future

    fileprivate var arguments: [String] {
      let (start, end) =
        switch self {
        case .now: ("20200101000000Z", "21200101000000Z")
        case .past: ("20200101000000Z", "20210101000000Z")
        case .future: ("21190101000000Z", "21200101000000Z")
        }
      return ["-startdate", start, "-enddate", end]
    }
  }

  package struct Certificate: Sendable {
    package let certificateFile: String
    package let keyFile: String
  }

  package struct Failure: Error {
    package let arguments: [String]
  }

  /// The folders to remove at the end of the process, since static members are not deallocated.
  private static let folders: Locked<Set<String>> = {
    atexit {
      for folder in TestAuthority.folders.withLock({ $0 }) {
        try? FileManager.default.removeItem(atPath: folder)
      }
    }
    return Locked([])
  }()

  /// The authority's own certificate.
  package let certificateFile: String
  private let folder: String

  package init() throws {
    folder = NSTemporaryDirectory() + "authority-\(UUID().uuidString)"
    certificateFile = folder + "/authority.crt"
    Self.folders.withLock { _ = $0.insert(folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.configuration(folder).write(
      toFile: folder + "/authority.conf", atomically: true, encoding: .utf8)
    try "".write(toFile: folder + "/index.txt", atomically: true, encoding: .utf8)
    try run(
      ["req", "-x509", "-subj", "/CN=Test authority", "-days", "3650"] + newKey("authority")
        + ["-out", certificateFile, "-addext", "basicConstraints=critical,CA:TRUE"])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
    Self.folders.withLock { _ = $0.remove(folder) }
  }

  /// Issues a certificate.
  ///
  /// - Parameters:
  ///   - name: The common name, and the name of the files.
  ///   - names: The subject alternative names; nil for none.
  package func issue(
    _ name: String, for names: String? = "IP:127.0.0.1,DNS:localhost", validity: Validity = .now
  ) throws -> Certificate {
    let base = folder + "/" + name
    try run(
      ["req", "-new", "-subj", "/CN=\(name)"] + newKey(name)
        + ["-out", base + ".csr"] + (names.map { ["-addext", "subjectAltName=\($0)"] } ?? []))
    try run(
      ["ca", "-batch", "-notext", "-in", base + ".csr", "-out", base + ".crt"]
        + validity.arguments)
    return Certificate(certificateFile: base + ".crt", keyFile: base + ".key")
  }

  private func newKey(_ name: String) -> [String] {
    [
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      "\(folder)/\(name).key",
    ]
  }

  private func run(_ arguments: [String]) throws {
    let command =
      [Self.path ?? "openssl", arguments[0], "-config", folder + "/authority.conf"]
      + arguments.dropFirst()
    guard try ServerProcess(command).wait() == 0 else { throw Failure(arguments: command) }
  }

  private static func configuration(_ folder: String) -> String {
    """
    [ca]
    default_ca = authority
    [authority]
    database = \(folder)/index.txt
    new_certs_dir = \(folder)
    certificate = \(folder)/authority.crt
    private_key = \(folder)/authority.key
    rand_serial = yes
    default_md = sha256
    policy = any
    unique_subject = no
    copy_extensions = copy
    [any]
    commonName = supplied
    [req]
    distinguished_name = name
    [name]
    """
  }
}
