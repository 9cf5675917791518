import AsyncLocation
import FileAccess
import Glibc
import Testing

@testable import LocationRecording

/// A folder in memory that retains every state of its files, and fails on demand.
final class MemoryFolder: FileCalls {
  /// A call that can fail on demand.
  enum Call: Hashable, Sendable { case write, truncate, synchronize, lock }

  private struct Node: Sendable {
    var content: [UInt8] = []
    /// The open file that has locked the node.
    var owner: Int32?
  }

  /// A write, and the content before it.
  struct Write: Sendable {
    let before: [UInt8]
    let bytes: [UInt8]
    let offset: Int
  }

  private struct State {
    var nodes: [Int: Node] = [:]
    var names: [String: Int] = [:]
    /// The nodes of the open files, by descriptor.
    var open: [Int32: Int] = [:]
    /// The descriptor of the file that was opened last.
    var lastDescriptor: Int32 = 0
    /// The positions of the open files' next bytes, by descriptor.
    var positions: [Int32: Int] = [:]
    var states: [[UInt8]] = []
    var writes: [Write] = []
    var capacity = Int.max
    var failures: [Call: Int32] = [:]
    var failureCount = 0
    var syncs = 0
    /// Callers that wait for a number of synchronizations or of failures.
    var waiters:
      [(
        isReached: @Sendable (_ syncs: Int, _ failures: Int) -> Bool,
        continuation: CheckedContinuation<Void, Never>
      )] = []
  }

  private let state = Locked(State())

  private let keepsStates: Bool

  /// - Parameter keepsStates: Whether ``states`` and ``writes`` are kept. For long files, they need
  ///   too much memory.
  init(keepsStates: Bool = true) { self.keepsStates = keepsStates }

  /// The content of the file after each call that changed or synchronized it, in order.
  var states: [[UInt8]] { state.withLock { $0.states } }
  var writes: [Write] { state.withLock { $0.writes } }
  var names: [String] { state.withLock { $0.names.keys.sorted() } }
  var syncs: Int { state.withLock { $0.syncs } }

  subscript(_ name: String) -> [UInt8]? {
    state.withLock { state in state.names[name].flatMap { state.nodes[$0]?.content } }
  }

  func put(_ content: [UInt8], as name: String) {
    state.withLock { state in
      // The number of a file that has no name and is not open is used again, as inode numbers are.
      let used = Set(state.names.values).union(state.open.values)
      let node = (0...used.count).first { !used.contains($0) } ?? used.count
      state.names[name] = node
      state.nodes[node] = Node(content: content)
    }
  }

  /// Removes a file, as another program does.
  func remove(_ name: String) throws(SystemFailure) { try remove(name, in: Self.descriptor) }

  /// Sets the number of bytes that fit into all files together.
  func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

  /// Makes calls fail with an error number; nil lets them succeed again.
  func fail(_ call: Call, _ number: Int32?) { state.withLock { $0.failures[call] = number } }

  /// Returns after that many synchronizations, or that many failed writes, truncations and
  /// synchronizations.
  func wait(syncs: Int = .max, failures: Int = .max) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.syncs >= syncs || state.failureCount >= failures { return true }
        state.waiters.append(({ $0 >= syncs || $1 >= failures }, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  // MARK: The folder

  private static let descriptor: Int32 = 0

  func makeFolder(_ path: String) throws(SystemFailure) { throw .exists }
  func openFolder(_ path: String, followsLinks: Bool) throws(SystemFailure) -> Int32 {
    Self.descriptor
  }
  func setMode(_ mode: UInt32, ofFolder path: String) throws(SystemFailure) {}
  func checkWritable(_ path: String) throws(SystemFailure) {}

  func openFile(
    _ name: String, in folder: Int32, _ purpose: FilePurpose
  ) throws(SystemFailure) -> Int32 {
    let opened: Int32? = state.withLock { state in
      guard let node = state.names[name] else { return nil }
      state.lastDescriptor += 1
      state.open[state.lastDescriptor] = node
      return state.lastDescriptor
    }
    guard let opened else { throw .missing }
    return opened
  }

  func openFile(at path: String) throws(SystemFailure) -> Int32 {
    try openFile(path, in: Self.descriptor, .reading)
  }

  func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32 {
    guard self[name] == nil else { throw .exists }
    put([], as: name)
    return try openFile(name, in: folder, .readingAndWriting)
  }

  private func status(of node: Int, links: Int) -> FileStatus {
    FileStatus(
      kind: .regular, owner: FileStatus.currentUser, mode: 0o600, links: links,
      length: read(node) { $0.content.count }, inode: UInt64(node))
  }

  func status(of name: String, in folder: Int32) throws(SystemFailure) -> FileStatus? {
    state.withLock { $0.names[name] }.map { status(of: $0, links: 1) }
  }

  func link(_ name: String, to second: String, in folder: Int32) throws(SystemFailure) {
    state.withLock { $0.names[second] = $0.names[name] }
  }

  func rename(_ name: String, to other: String, in folder: Int32) throws(SystemFailure) {
    state.withLock { $0.names[other] = $0.names.removeValue(forKey: name) }
  }

  func remove(_ name: String, in folder: Int32) throws(SystemFailure) {
    let removed = state.withLock { state in
      guard let node = state.names.removeValue(forKey: name) else { return false }
      state.nodes[node]?.content = []
      return true
    }
    if !removed { throw .missing }
  }

  func names(in folder: Int32) throws(SystemFailure) -> [String] { names }

  // MARK: Files

  private func read<Value: Sendable>(_ node: Int, _ body: (Node) -> Value) -> Value {
    state.withLock { body($0.nodes[node] ?? Node()) }
  }

  private func hasName(_ node: Int) -> Bool {
    state.withLock { $0.names.values.contains(node) }
  }

  /// Makes a call that changes or synchronizes a file, unless it is set to fail. Resumes the
  /// waiters whose number of calls is reached.
  private func change<Value: Sendable>(
    _ node: Int, _ call: Call,
    _ body: (inout Node, _ free: Int) throws(SystemFailure) -> Value
  ) throws(SystemFailure) -> Value {
    var woken: [CheckedContinuation<Void, Never>] = []
    defer { for waiter in woken { waiter.resume() } }
    let result: Result<Value, SystemFailure> = state.withLock { state in
      let used = state.names.values.reduce(0) { $0 + (state.nodes[$1]?.content.count ?? 0) }
      let result = Result { () throws(SystemFailure) in
        if let number = state.failures[call] { throw SystemFailure(number) }
        return try body(&state.nodes[node, default: Node()], state.capacity - used)
      }
      switch result {
      case .success:
        if keepsStates { state.states.append(state.nodes[node]?.content ?? []) }
        if call == .synchronize { state.syncs += 1 }
      case .failure: state.failureCount += 1
      }
      woken = state.waiters.filter { $0.isReached(state.syncs, state.failureCount) }.map(
        \.continuation)
      state.waiters.removeAll { $0.isReached(state.syncs, state.failureCount) }
      return result
    }
    return try result.get()
  }

  private func recordWrite(_ write: @autoclosure () -> Write) {
    guard keepsStates else { return }
    let write = write()
    state.withLock { $0.writes.append(write) }
  }

  private func node(_ file: Int32) -> Int { state.withLock { $0.open[file] ?? -1 } }

  func status(of file: Int32) throws(SystemFailure) -> FileStatus {
    let node = node(file)
    return status(of: node, links: hasName(node) ? 1 : 0)
  }

  func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure) {}

  func lock(_ file: Int32) throws(SystemFailure) -> Bool {
    if let number = state.withLock({ $0.failures[.lock] }) { throw SystemFailure(number) }
    return state.withLock { state in
      guard let node = state.open[file], state.nodes[node]?.owner == nil else { return false }
      state.nodes[node]?.owner = file
      return true
    }
  }

  func unlock(_ file: Int32) {
    state.withLock { state in
      guard let node = state.open[file], state.nodes[node]?.owner == file else { return }
      state.nodes[node]?.owner = nil
    }
  }

  func close(_ file: Int32) { state.withLock { _ = $0.open.removeValue(forKey: file) } }

  func read(_ file: Int32, _ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    read(node(file)) { Array($0.content.dropFirst(offset).prefix(count)) }
  }

  func readNext(_ file: Int32, _ count: Int) throws(SystemFailure) -> [UInt8] {
    let bytes = try read(file, count, at: state.withLock { $0.positions[file] ?? 0 })
    state.withLock { $0.positions[file, default: 0] += bytes.count }
    return bytes
  }

  func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int
  ) throws(SystemFailure) -> Int {
    let node = node(file)
    let before = keepsStates ? read(node) { $0.content } : []
    let count = try change(node, .write) { (node, free) throws(SystemFailure) in
      let count = min(bytes.count, max(0, node.content.count - offset) + max(0, free))
      guard count > 0 else { throw .full }
      let end = min(offset + count, node.content.count)
      node.content.replaceSubrange(offset..<end, with: bytes.prefix(count))
      return count
    }
    recordWrite(Write(before: before, bytes: Array(bytes.prefix(count)), offset: offset))
    return count
  }

  func truncate(_ file: Int32, to length: Int) throws(SystemFailure) {
    try change(node(file), .truncate) { node, _ in
      node.content.removeLast(node.content.count - length)
    }
  }

  func synchronize(_ file: Int32) throws(SystemFailure) {
    try change(node(file), .synchronize) { _, _ in }
  }

  func synchronizeNames(of folder: Int32) throws(SystemFailure) {}
}
