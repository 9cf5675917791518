/// An open file, closed when its last reference is released.
package final class OpenFile: Sendable {
  private let calls: any FileCalls
  let descriptor: Int32

  /// - Parameter descriptor: An open descriptor, which only this object closes.
  init(_ descriptor: Int32, _ calls: any FileCalls) {
    (self.descriptor, self.calls) = (descriptor, calls)
  }

  /// Opens a file of any kind for reading. Follows symbolic links, and does not block: a FIFO
  /// without a writer is empty.
  package convenience init(
    reading path: String, calls: any FileCalls = SystemFileCalls()
  ) throws(SystemFailure) {
    self.init(try calls.openFile(at: path), calls)
  }

  deinit {
    // A child process has a copy of the descriptor between `fork` and `exec`. Closing this
    // descriptor alone would not release a lock until then.
    calls.unlock(descriptor)
    calls.close(descriptor)
  }

  package func status() throws(SystemFailure) -> FileStatus { try calls.status(of: descriptor) }

  /// Sets the permission bits, which the umask may have removed.
  package func setMode(_ mode: UInt32) throws(SystemFailure) {
    try calls.setMode(mode, of: descriptor)
  }

  /// Locks the file until it is closed. Returns false if another process, or another open file of
  /// this process, holds the lock.
  package func lock() throws(SystemFailure) -> Bool { try calls.lock(descriptor) }

  package func unlock() { calls.unlock(descriptor) }

  /// Reads up to `count` bytes; returns an empty array at the end of the file.
  package func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    try calls.read(descriptor, count, at: offset)
  }

  /// Reads up to `count` bytes from the current position, also from a file that cannot seek, such
  /// as a pipe. Returns an empty array at the end.
  package func next(_ count: Int) throws(SystemFailure) -> [UInt8] {
    try calls.readNext(descriptor, count)
  }

  /// Reads the file to its end, but at most one byte beyond `limit`. The additional byte shows the
  /// caller that the file is longer.
  package func contents(limit: Int) throws(SystemFailure) -> [UInt8] {
    var contents: [UInt8] = []
    while contents.count <= limit {
      let more = try read(min(limit + 1 - contents.count, 1 << 16), at: contents.count)
      if more.isEmpty { break }
      contents += more
    }
    return contents
  }

  /// Writes all bytes, usually with one `pwrite`: a killed process leaves all of them or none,
  /// unless the kernel splits the call.
  package func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try calls.write(
        rest, to: descriptor, at: offset + (rest.startIndex - bytes.startIndex))
      guard count > 0 else { throw .full }
      rest = rest.dropFirst(count)
    }
  }

  package func truncate(to length: Int) throws(SystemFailure) {
    try calls.truncate(descriptor, to: length)
  }

  /// Writes the content and the length to the disk.
  package func synchronize() throws(SystemFailure) { try calls.synchronize(descriptor) }
}
