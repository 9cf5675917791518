import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct CredentialReaderTests {
  /// The content of a file, and the expected result of reading it.
  struct Content: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    /// The user name and the password, or the expected refusal.
    let expected: Result<[String], Refusal>

    init(_ description: String, _ text: String, _ user: String, _ password: String) {
      (testDescription, bytes) = (description, Array(text.utf8))
      expected = .success([user, password])
    }

    init(_ description: String, _ bytes: some Sequence<UInt8>, refused part: String) {
      (testDescription, self.bytes) = (description, Array(bytes))
      expected = .failure(Refusal(part: part))
    }
  }

  struct Refusal: Error {
    /// A part of the expected error message.
    let part: String
  }

  private static let twoLines = "must have the user name in line 1 and the password in line 2"

  static let contents = [
    Content("two lines", "jane\nsecret\n", "jane", "secret"),
    Content("no newline at the end", "jane\nsecret", "jane", "secret"),
    Content("line ends of Windows", "jane\r\nsecret\r\n", "jane", "secret"),
    Content("line ends of Windows but the last", "jane\r\nsecret", "jane", "secret"),
    Content("one line end of each kind", "jane\nsecret\r\n", "jane", "secret"),
    Content("a carriage return in the password", "jane\nsec\rret\r\r\n", "jane", "sec\rret\r"),
    Content("spaces, which count", " jane \n secret \n", " jane ", " secret "),
    Content("letters beyond ASCII", "jané\n密码\n", "jané", "密码"),
    Content("an empty password", "jane\n\n", "jane", ""),
    Content("more lines", "jane\nsecret\n# a comment\n", "jane", "secret"),
    Content("nothing", [], refused: twoLines),
    Content("an empty line", "\n".utf8, refused: twoLines),
    Content("one line", "jane:secret".utf8, refused: twoLines),
    Content("one line with its end", "jane:secret\n".utf8, refused: twoLines),
    Content("one line with the end of Windows", "jane\r\n".utf8, refused: twoLines),
    Content("line ends of old Macs", "jane\rsecret\r".utf8, refused: twoLines),
    Content("an empty user name", "\nsecret\n".utf8, refused: "1...65,535 bytes"),
    Content("NUL in the user name", "ja\0ne\nsecret\n".utf8, refused: "NUL"),
    Content("NUL in the password", "jane\nsec\0ret\n".utf8, refused: "NUL"),
    Content(
      "a password that is not UTF-8", Array("jane\n".utf8) + [0xFF, 0xFE], refused: "not UTF-8"),
    Content(
      "a file of the largest length", "jane\n" + String(repeating: "x", count: 65_531), "jane",
      String(repeating: "x", count: 65_531)),
    Content(
      "a file that is too long", "jane\n".utf8 + Array(repeating: UInt8(ascii: "x"), count: 65_532),
      refused: "more than 65536 bytes"),
  ]

  @Test(arguments: contents)
  func reads(_ content: Content) throws {
    let folder = try TestFolder()
    try Self.verify(folder.write(content.bytes), content.expected)
  }

  private static func verify(
    _ path: String, _ expected: Result<[String], Refusal>,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    do throws(LocationError) {
      let (user, password) = try CredentialReader.read(.file(path))
      #expect([user, password] == (try? expected.get()), sourceLocation: location)
    } catch {
      guard case .failure(let refusal) = expected else { throw error }
      #expect(error.code == .invalidValue, sourceLocation: location)
      #expect(error.message.contains(refusal.part), "\(error.message)", sourceLocation: location)
      #expect(!error.message.contains("secret"), sourceLocation: location)
    }
  }

  // MARK: Files

  struct File: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// A part of the expected error message; nil if the file is accepted.
    let refusal: String?
    /// Creates the file, unless the case is a missing file, and returns its path.
    let create: @Sendable (TestFolder) throws -> String
  }

  private static let content = Array("jane\nsecret\n".utf8)

  static let files = [
    File(testDescription: "a missing file", refusal: "/missing: No such file or directory.") {
      $0.path + "/missing"
    },
    File(testDescription: "a missing directory", refusal: "No such file or directory.") {
      $0.path + "/missing/file"
    },
    File(testDescription: "a directory", refusal: "it is not a regular file.") { $0.path },
    File(testDescription: "a FIFO", refusal: "it is not a regular file.") { folder in
      mkfifo(folder.path + "/fifo", 0o600)
      return folder.path + "/fifo"
    },
    File(testDescription: "a device", refusal: "it is not a regular file.") { _ in "/dev/null" },
    File(testDescription: "a file of everybody", refusal: "/file; run chmod 600 on it.") {
      try $0.write(content, mode: 0o644)
    },
    // As systemd passes credentials.
    File(
      testDescription: "a file of a group",
      refusal: geteuid() == 0 ? nil : "/file; run chmod 600 on it."
    ) { try $0.write(content, mode: 0o440) },
    File(testDescription: "a file that a group can write", refusal: "/file; run chmod 600 on it.") {
      try $0.write(content, mode: 0o660)
    },
    File(testDescription: "a file that others can write", refusal: "chmod 600") {
      try $0.write(content, mode: 0o602)
    },
    File(testDescription: "a file that its owner can only read", refusal: nil) {
      try $0.write(content, mode: 0o400)
    },
    File(testDescription: "a symbolic link", refusal: nil) { folder in
      let link = folder.path + "/link"
      symlink(try folder.write(content), link)
      return link
    },
    File(testDescription: "a symbolic link to a file of everybody", refusal: "chmod 600") {
      let link = $0.path + "/link"
      symlink(try $0.write(content, mode: 0o644), link)
      return link
    },
    File(testDescription: "a symbolic link to nothing", refusal: "No such file") { folder in
      symlink(folder.path + "/missing", folder.path + "/link")
      return folder.path + "/link"
    },
    File(testDescription: "a circle of links", refusal: "symbolic links") { folder in
      symlink(folder.path + "/link", folder.path + "/link")
      return folder.path + "/link"
    },
  ]

  @Test(arguments: files)
  func opens(_ file: File) throws {
    let folder = try TestFolder()
    try Self.verify(
      try file.create(folder),
      file.refusal.map { .failure(Refusal(part: $0)) } ?? .success(["jane", "secret"]))
  }

  // MARK: The environment

  @Test(
    arguments: [
      (["U": "jane", "P": "secret"], nil), (["U": "jane", "P": ""], nil),
      (["U": "jane"], "variable P "), (["P": "secret"], "variable U "), ([:], "variable U "),
      (["U": "", "P": "secret"], "1...65,535 bytes"),
    ] as [([String: String], String?)])
  func readsTheEnvironment(_ environment: [String: String], _ refusal: String?) throws {
    do throws(LocationError) {
      let (user, password) = try CredentialReader.read(
        .environment(user: "U", password: "P"), environment: environment)
      #expect(refusal == nil)
      #expect(user == environment["U"])
      #expect(password == environment["P"])
    } catch {
      #expect(error.message.contains(refusal ?? "no refusal"), "\(error.message)")
      #expect(error.code == .invalidValue)
      #expect(!error.message.contains("secret"))
    }
  }
}
