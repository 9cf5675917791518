import CSQLite
import Glibc

/// Ends this process with SIGKILL at a call of SQLite that changes the disk.
///
// SAFETY: set before SQLite opens a file, then used by one thread at a time.
enum FatalCalls {
  nonisolated(unsafe) private static var remaining = 0
  nonisolated(unsafe) private static var tearsWrites = false

  /// - Parameters:
  ///   - number: The number of the last call, from 1.
  ///   - tearsWrites: Whether half of the bytes of the last call are written.
  static func install(at number: Int, tearsWrites: Bool) {
    (remaining, Self.tearsWrites) = (number, tearsWrites)
    guard let system = sqlite3_vfs_find(nil) else { return }
    func replace<Function>(_ name: String, _ function: Function) {
      guard system.pointee.xGetSystemCall(system, name) != nil else { return }
      _ = system.pointee.xSetSystemCall(
        system, name, unsafeBitCast(function, to: sqlite3_syscall_ptr.self))
    }
    typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, Int) -> Int
    typealias Truncate = @convention(c) (Int32, Int) -> Int32
    typealias Open = @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32
    typealias Path = @convention(c) (UnsafePointer<CChar>) -> Int32
    typealias Close = @convention(c) (Int32) -> Int32
    let write: Write = { file, bytes, count, offset in
      if FatalCalls.isLastCall() {
        if FatalCalls.tearsWrites { _ = pwrite(file, bytes, count / 2, off_t(offset)) }
        FatalCalls.end()
      }
      return pwrite(file, bytes, count, off_t(offset))
    }
    let truncate: Truncate = { file, length in
      if FatalCalls.isLastCall() { FatalCalls.end() }
      return ftruncate(file, off_t(length))
    }
    let open: Open = { path, flags, mode in
      if FatalCalls.isLastCall() { FatalCalls.end() }
      return Glibc.open(path, flags, mode_t(mode))
    }
    let unlink: Path = { path in
      if FatalCalls.isLastCall() { FatalCalls.end() }
      return Glibc.unlink(path)
    }
    let close: Close = { file in
      if FatalCalls.isLastCall() { FatalCalls.end() }
      return Glibc.close(file)
    }
    replace("pwrite", write)
    replace("pwrite64", write)
    replace("ftruncate", truncate)
    replace("open", open)
    replace("unlink", unlink)
    replace("close", close)
  }

  /// Counts a call. Returns whether it is the last one.
  private static func isLastCall() -> Bool {
    remaining -= 1
    return remaining == 0
  }

  private static func end() {
    kill(getpid(), SIGKILL)
    while true { pause() }
  }
}
