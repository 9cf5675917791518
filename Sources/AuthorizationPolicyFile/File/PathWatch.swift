import AsyncLocation
import Dispatch
import FileAccess
import Glibc

/// Notifies when a file, or a name on the path to it, is created, written, replaced or removed, or
/// gets other permissions. Follows symbolic links. Writes are reported when the file is closed.
final class PathWatch: Sendable {
  private struct State {
    /// The watched names in each folder, by the folder's watch.
    var names: [Int32: Set<String>] = [:]
    /// The watch of each folder.
    var watches: [String: Int32] = [:]
    /// The watch of the file itself.
    var file: Int32?
  }

  private static let fileMask =
    UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
  private static let folderMask =
    fileMask | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
    | UInt32(IN_ONLYDIR)

  let descriptor: Int32
  private let state = Locked(State())
  // SAFETY: a dispatch source may be used from any thread; its type is not `Sendable` on Linux.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Creates a watch without paths.
  ///
  /// - Parameters:
  ///   - thread: The thread on which the handler is called.
  ///   - handler: Called when a watched file or name has changed.
  /// - Returns: Nil if the system has no inotify instance or descriptor left.
  init?(on thread: FileThread, _ handler: @escaping @Sendable () -> Void) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    unsafe source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: thread.queue)
    unsafe source.setEventHandler { [weak self] in
      if self?.readEvents() == true { handler() }
    }
    unsafe source.activate()
  }

  /// Replaces the watched names and file. Returns false if some could not be watched.
  ///
  /// The file is watched as well as its name: a bind-mounted or hard-linked file has other names
  /// too.
  func watch(_ steps: [PathWalk.Step], _ file: String) -> Bool {
    let wanted = Dictionary(grouping: steps, by: \.folder).mapValues { Set($0.map(\.name)) }
    return state.withLock { state in
      for (folder, watch) in state.watches where wanted[folder] == nil {
        inotify_rm_watch(descriptor, watch)
        state.watches[folder] = nil
      }
      var (names, isComplete) = ([Int32: Set<String>](), true)
      for (folder, wantedNames) in wanted {
        let watch = unsafe inotify_add_watch(descriptor, folder, Self.folderMask)
        guard watch >= 0 else {
          isComplete = false
          continue
        }
        state.watches[folder] = watch
        names[watch, default: []].formUnion(wantedNames)
      }
      state.names = names
      let watch = unsafe inotify_add_watch(descriptor, file, Self.fileMask)
      let isWatched = watch >= 0 || errno == ENOENT || errno == ENOTDIR
      // If the file was deleted, its watch was removed with it, and this call fails without effect.
      if let old = state.file, old != watch { inotify_rm_watch(descriptor, old) }
      state.file = watch >= 0 ? watch : nil
      return isComplete && isWatched
    }
  }

  /// Stops watching. Returns once the descriptor is closed.
  func close() async {
    await withCheckedContinuation { caller in
      unsafe source.setCancelHandler { [descriptor] in
        Glibc.close(descriptor)
        caller.resume()
      }
      unsafe source.cancel()
    }
  }

  /// Reads some of the pending events; the source calls again while there are more. Returns true if
  /// one of them concerns a watched name.
  ///
  /// Not all events are read, because that would never end if other processes create files
  /// continuously.
  private func readEvents() -> Bool {
    unsafe withUnsafeTemporaryAllocation(
      byteCount: 4_096, alignment: MemoryLayout<inotify_event>.alignment
    ) { buffer in
      let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return false }
      return state.withLock { state in
        unsafe Self.concernsNames(UnsafeRawBufferPointer(rebasing: buffer[..<count]), state.names)
      }
    }
  }

  /// Whether one of the events in a buffer concerns a watched name, the file or a folder itself.
  private static func concernsNames(
    _ bytes: UnsafeRawBufferPointer, _ names: [Int32: Set<String>]
  ) -> Bool {
    var rest = unsafe bytes
    let headerSize = MemoryLayout<inotify_event>.size
    while rest.count >= headerSize {
      let event = unsafe rest.loadUnaligned(as: inotify_event.self)
      let end = headerSize + Int(event.len)
      guard end <= rest.count else { return false }
      let name = unsafe UnsafeRawBufferPointer(rebasing: rest[headerSize..<end])
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[end...])
      if event.mask & UInt32(IN_IGNORED) != 0 { continue }  // Follows a reported event.
      // No name: an event of the folder or the file itself, or a queue overflow.
      if unsafe name.isEmpty { return true }
      if let names = names[event.wd], names.contains(where: { unsafe name.isPadded($0) }) {
        return true
      }
    }
    return false
  }
}

extension UnsafeRawBufferPointer {
  /// True if the bytes are those of the name, followed by NUL characters.
  fileprivate func isPadded(_ name: String) -> Bool {
    unsafe starts(with: name.utf8) && dropFirst(name.utf8.count).first == 0
  }
}
