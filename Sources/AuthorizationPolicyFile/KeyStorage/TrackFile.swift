import AsyncLocation
import FileAccess
import FoundationEssentials

/// The file beside a key that stores its reduced tracks.
///
/// The file is replaced as a whole, under a lock of its folder, so that processes with the same key
/// continue each other's tracks. A file of another program is left unchanged.
struct TrackFile {
  private static var title: [UInt8] { Array("async-location reduced-accuracy tracks\n".utf8) }
  /// The maximum size in bytes: the tracks of 256 receivers with names of 4,096 bytes.
  private static var limit: Int { 2 << 20 }

  private let calls: any FileCalls
  private let path: String
  private let folder: String
  private let name: String
  private let user: UInt32

  /// Why the file cannot be used, and what to do.
  private struct Problem: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// - Throws: `LocationError` if the path of the key names no file.
  init(
    besideKey path: String, user: UInt32 = FileStatus.currentUser,
    calls: any FileCalls = SystemFileCalls()
  ) throws(LocationError) {
    guard let place = SplitPath(path) else {
      throw LocationError(.invalidValue, "The key of reduced accuracy needs a file path.")
    }
    (self.calls, self.path, self.user) = (calls, path + ".tracks", user)
    (folder, name) = (place.folder, place.name + ".tracks")
  }

  /// Returns a notice for the operator, extended if the tracks cannot be stored. Writes nothing.
  func notice(after other: String? = nil) -> String? {
    do throws(Problem) {
      try check()
      return other
    } catch {
      return (other.map { "\($0) " } ?? "")
        + "Reduced locations are not kept beside the key, so a process that starts later chooses "
        + "others: \(String(printable: path)): \(error.reason)."
    }
  }

  private func check() throws(Problem) {
    let openedFolder: Folder
    do throws(SystemFailure) {
      openedFolder = try Folder(folder, calls: calls)
    } catch {
      if error == .missing { return }  // The folder is created with the key.
      throw Problem("\(error)")
    }
    _ = try read(in: openedFolder)
    do throws(SystemFailure) {
      try calls.checkWritable(folder)
    } catch {
      throw Problem("its folder cannot be written to: \(error)")
    }
  }

  /// Reads the tracks, calls `change` with them, and stores its result; see `ReducedTrackStorage`.
  ///
  /// - Parameter pause: Waits between two attempts to lock the folder. After the last attempt, the
  ///   file is changed without the lock: a process that holds the lock must not delay locations any
  ///   longer.
  func update(
    _ change: ([UInt8]?) -> [UInt8]?, pause: (Duration) async throws -> Void
  ) async -> Bool {
    guard let folder = try? Folder(folder, calls: calls) else { return change(nil) == nil }
    for duration in KeyFile.pauses {
      if (try? folder.lock()) ?? true { break }
      guard (try? await pause(duration)) != nil else { break }
    }
    do throws(Problem) {
      let stored = try read(in: folder)
      guard let contents = change(stored) else { return true }
      guard contents.count <= Self.limit else { return false }
      // A draft that exists is replaced, since its process was killed: this process holds the lock,
      // unless the process that holds it hangs or the file system has no locks.
      return (try? folder.replace(name, with: Self.title + contents, draft: ".\(name).new")) != nil
    } catch {
      return change(nil) == nil  // Unreadable, or another program's.
    }
  }

  /// Reads the tracks. Returns nil if there is no file, or if a crash left it without tracks.
  private func read(in folder: Folder) throws(Problem) -> [UInt8]? {
    guard let file = try open(in: folder) else { return nil }
    let status = try attempt { () throws(SystemFailure) in try file.status() }
    guard status.kind == .regular else { throw Problem("it is not a regular file; remove it") }
    guard status.owner == user || status.owner == 0 else {
      throw Problem(
        "it belongs to user \(status.owner), not to user \(user), who runs this; remove it")
    }
    // A file that other users may read but not write is valid. Its replacement is accessible only
    // to its owner.
    guard status.mode & 0o022 == 0 else { throw Problem("other users may write it; remove it") }
    let limit = Self.title.count + Self.limit
    let contents = try attempt { () throws(SystemFailure) in
      try file.contents(limit: limit)
    }
    if Self.title.starts(with: contents) { return nil }  // The remains of a crash.
    guard contents.count <= limit, contents.starts(with: Self.title) else {
      throw Problem("it has other contents than reduced locations; move it away")
    }
    return Array(contents.dropFirst(Self.title.count))
  }

  /// Opens the file. Returns nil if there is none.
  private func open(in folder: Folder) throws(Problem) -> OpenFile? {
    do throws(SystemFailure) {
      return try folder.open(name, for: .reading)
    } catch {
      switch error {
      case .missing: return nil
      case .link: throw Problem("it is a symbolic link, which is not followed; remove it")
      default: throw Problem("\(error)")
      }
    }
  }

  private func attempt<Result>(
    _ body: () throws(SystemFailure) -> Result
  ) throws(Problem) -> Result {
    do throws(SystemFailure) { return try body() } catch { throw Problem("\(error)") }
  }
}

/// Stores the reduced tracks of a key in the file beside it, on a thread for files.
actor TrackStorage: ReducedTrackStorage {
  private static let thread = FileThread(label: "AsyncLocation.tracks")

  private let file: TrackFile

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe Self.thread.asUnownedSerialExecutor()
  }

  /// Returns a notice for the operator, extended if the tracks cannot be stored. Reads the file.
  func notice(after other: String?) -> String? { file.notice(after: other) }

  init(besideKey path: String) throws(LocationError) {
    // The path is made absolute, because the working directory may change.
    let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    file = try TrackFile(besideKey: path)
  }

  func update(_ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?) async -> Bool {
    await file.update(change) { try await Task.sleep(for: $0) }
  }

  /// Limits how long a disk that hangs delays a location: five seconds.
  nonisolated func waitForTimeout() async { try? await Task.sleep(for: .seconds(5)) }
}
