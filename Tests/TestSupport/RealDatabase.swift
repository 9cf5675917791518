import AsyncLocation
import Foundation
import Glibc
import Synchronization
package import Testing

/// A PostgreSQL server in a temporary folder, reached over a socket there. It stops with the
/// process of the tests at the latest.
package final class RealDatabase: Sendable {
  /// The folder of the newest PostgreSQL's programs, such as Debian's
  /// `/usr/lib/postgresql/15/bin/`.
  package static let programs: String? = {
    let root = "/usr/lib/postgresql/"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { root + $0 + "/bin/" }
      .first { access($0 + "postgres", X_OK) == 0 }
  }()
  /// Whether tests that need PostgreSQL run: it is installed, or they must fail without it.
  package static var isExpected: Bool { programs != nil || requiresServers }

  /// Whether tests that need PostGIS run: it is installed, or they must fail without it.
  package static var hasPostGIS: Bool {
    let root = "/usr/share/postgresql/"
    let version = programs?.split(separator: "/").dropLast().last ?? ""
    return access("\(root)\(version)/extension/postgis.control", R_OK) == 0 || requiresServers
  }

  private let folder: String
  private let databaseCount = Atomic(0)

  package struct Failure: Error {
    package let command: [String]
    package let status: Int32
  }

  /// The server that tests share if they do not stop it.
  package static func shared() async throws -> RealDatabase { try await sharedServer.value }

  private static let sharedServer = Task { try await RealDatabase() }

  /// Starts a server.
  package init() async throws {
    folder = "/tmp/database-\(UUID().uuidString)"
    try await onThread { [folder] in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // PostgreSQL refuses to run as root.
      if getuid() == 0 { try Self.run(["/usr/bin/chown", "postgres", folder]) }
      try Self.runAsServer(
        ["initdb", "-D", folder + "/data", "-A", "trust", "-U", "postgres", "-E", "UTF8"]
          + ["--locale=C.UTF-8", "--no-sync"])
      try Self.launch(in: folder)
      // Ends the server and removes its folder when this process has ended for any reason.
      let script = """
        tail --pid=$0 -f /dev/null; [ -e $1/data/postmaster.pid ] && kill -QUIT \
        $(head -n 1 $1/data/postmaster.pid); sleep 1; rm -rf $1
        """
      let watch = Process()
      watch.executableURL = URL(fileURLWithPath: "/bin/sh")
      watch.arguments = ["-c", script, "\(getpid())", folder]
      watch.standardInput = FileHandle.nullDevice
      watch.standardOutput = FileHandle.nullDevice
      watch.standardError = FileHandle.nullDevice
      try watch.run()
    }
  }

  deinit {
    // The folder remains until the shell script of `init` removes it.
    signalServer(SIGQUIT)
  }

  /// Creates a database, and returns its connection string.
  package func database() async throws -> String {
    let name = "d\(databaseCount.add(1, ordering: .relaxed).newValue)"
    try await onThread { [folder] in
      try Self.runAsServer(["createdb", "-h", folder, "-U", "postgres", name])
    }
    // A busy machine may take long to answer.
    return "connect_timeout=600 host=\(folder) user=postgres dbname=\(name)"
  }

  /// Creates a database, and returns its connection string as a URI.
  package func databaseURI() async throws -> String {
    let name = try await database().split(separator: "=").last ?? ""
    return "postgresql:///\(name)?host=\(folder)&user=postgres&connect_timeout=600"
  }

  /// Starts the server again, and returns when it accepts connections.
  package func start() async throws {
    try await onThread { [folder] in try Self.launch(in: folder) }
  }

  /// Stops the server, whose connections end at once.
  package func stop() async throws {
    try await onThread { [folder] in
      try Self.runAsServer(["pg_ctl", "stop", "-w", "-m", "fast", "-D", folder + "/data"])
    }
  }

  /// Sends a signal to the server's main process.
  package func signalServer(_ signal: Int32) {
    let file = try? String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
    if let pid = file.flatMap({ Int32($0.prefix { $0 != "\n" }) }) { kill(pid, signal) }
  }

  private static func launch(in folder: String) throws {
    try runAsServer(
      ["pg_ctl", "start", "-w", "-t", "600", "-D", folder + "/data", "-l", folder + "/log", "-o"]
        + ["-c listen_addresses= -c unix_socket_directories=\(folder) -c fsync=off"])
  }

  /// Runs one of PostgreSQL's programs, as the user `postgres` if this process runs as root.
  private static func runAsServer(_ command: [String]) throws {
    let command = [(programs ?? "") + command[0]] + command.dropFirst()
    try run(
      getuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command)
  }

  private static func run(_ command: [String]) throws {
    let status = try ServerProcess(command).wait()
    guard status == 0 else { throw Failure(command: command, status: status) }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests if PostgreSQL is not installed, unless ``requiresServers`` is set.
  package static var needsDatabase: Self {
    .enabled(if: RealDatabase.isExpected, "PostgreSQL is not installed")
  }
}
