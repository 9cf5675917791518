import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// The errors for unusable files, which are found before a connection is attempted.
@Suite(.enabled(if: TestAuthority.isInstalled, "openssl is not installed"), .inTurn)
struct ConfigurationFileTests {
  /// Valid certificates and keys.
  struct Files: Sendable {
    let authority: TestAuthority
    let client, otherClient: TestAuthority.Certificate

    init() throws {
      authority = try TestAuthority()
      client = try authority.issue("client")
      otherClient = try authority.issue("other")
    }

    var tls: MQTTConfiguration.TLS {
      MQTTConfiguration.TLS(
        authorityFile: authority.certificateFile, certificateFile: client.certificateFile,
        keyFile: client.keyFile)
    }
  }

  static let files = Task { try await onThread { try Files() } }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Parts of the expected error message; empty if the files are valid.
    let message: [String]
    let change: @Sendable (inout MQTTConfiguration, Files, TestFolder) throws -> Void

    init(
      _ description: String, _ message: String...,
      change:
        @escaping @Sendable (
          inout MQTTConfiguration, Files, TestFolder
        ) throws -> Void
    ) {
      (testDescription, self.message, self.change) = (description, message, change)
    }
  }

  /// Copies a file, sets the mode of the copy, and returns the path of the copy.
  private static func copy(
    _ path: String, to folder: TestFolder, mode: mode_t
  ) throws -> String {
    try folder.write(Array(Data(contentsOf: URL(fileURLWithPath: path))), mode: mode)
  }

  static let cases = [
    Case("files that work") { _, _, _ in },
    Case("the authorities of the system") { configuration, _, _ in configuration.tls = .init() },
    Case("no TLS") { configuration, _, _ in configuration.tls = nil },
    Case(
      "no file of authorities",
      "The authorities' certificates cannot be read from ", "/missing: No such file or directory."
    ) { $0.tls?.authorityFile = $2.path + "/missing" },
    Case("no certificate", "The client's certificate cannot be read from ", "/missing: No such") {
      $0.tls?.certificateFile = $2.path + "/missing"
    },
    Case("no key", "The client's key cannot be read from ", "/missing: No such") {
      $0.tls?.keyFile = $2.path + "/missing"
    },
    Case("a directory of authorities", "cannot be read from ", "it is not a regular file") {
      $0.tls?.authorityFile = $2.path
    },
    Case("a FIFO", "The client's key cannot be read from ", "it is not a regular file") {
      mkfifo($2.path + "/fifo", 0o600)
      $0.tls?.keyFile = $2.path + "/fifo"
    },
    Case("authorities that are no PEM", "/file, the authorities' certificates", "must be PEM") {
      $0.tls?.authorityFile = try $2.write(Array("no certificate\n".utf8))
    },
    Case("an empty file of authorities", "/file, the authorities' certificates", "must be PEM") {
      $0.tls?.authorityFile = try $2.write([])
    },
    Case("a certificate that is no PEM", "/file, the client's certificate", "must be PEM") {
      $0.tls?.certificateFile = try $2.write(Array("no certificate\n".utf8))
    },
    Case("a key that is no PEM", "/file, the client's key", "must be PEM") {
      $0.tls?.keyFile = try $2.write(Array("no key\n".utf8))
    },
    Case("a certificate for a key", "/file, the client's key", "must be PEM") {
      $0.tls?.keyFile = try copy($1.client.certificateFile, to: $2, mode: 0o600)
    },
    Case(
      "the key of another certificate",
      "other.key, the client's key", "It is not the key of the certificate in ", "client.crt"
    ) { configuration, files, _ in configuration.tls?.keyFile = files.otherClient.keyFile },
    Case(
      "a key of everybody", "Other users can access the client's key in ", "/file; run chmod 600"
    ) { $0.tls?.keyFile = try copy($1.client.keyFile, to: $2, mode: 0o644) },
    Case("a key that a group can write", "run chmod 600") {
      $0.tls?.keyFile = try copy($1.client.keyFile, to: $2, mode: 0o660)
    },
    Case("an encrypted key", "The client's key cannot be read from ", "it is encrypted") {
      $0.tls?.keyFile = try $2.write(
        Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n".utf8))
    },
    Case("an encrypted key of the older format", "it is encrypted") {
      $0.tls?.keyFile = try $2.write(
        Array("-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n".utf8))
    },
    Case("credentials that are missing", "The broker's credentials cannot be read from ") {
      $0.credentials = .file($2.path + "/missing")
    },
  ]

  @Test(arguments: cases)
  func errorsNameTheFile(_ example: Case) async throws {
    let files = try await Self.files.value
    let folder = try TestFolder()
    var configuration = MQTTConfiguration(host: "localhost", tls: files.tls)
    try example.change(&configuration, files, folder)
    guard !example.message.isEmpty else { return try configuration.checkFiles() }
    let error = #expect(throws: LocationError.self) { try configuration.checkFiles() }
    #expect(error?.code == .invalidValue)
    for part in example.message {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "none")")
    }
    #expect(error?.message.contains("system lib") == false)
  }

  @Test("a group may read a key of root")
  func aGroupMayReadAKeyOfRoot() async throws {
    let files = try await Self.files.value
    let folder = try TestFolder()
    var tls = files.tls
    tls.keyFile = try Self.copy(files.client.keyFile, to: folder, mode: 0o640)
    let configuration = MQTTConfiguration(tls: tls)
    if geteuid() == 0 {
      try configuration.checkFiles()
    } else {
      #expect(throws: LocationError.self) { try configuration.checkFiles() }
    }
  }
}
