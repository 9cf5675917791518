import AsyncLocation
import FileAccess
import Glibc
import Testing

@testable import LocationRecording

/// A folder in memory that keeps every state of its files, and fails on demand.
final class MemoryFolder: OutputFolder {
  /// A call that changes a file.
  enum Call: Hashable, Sendable { case write, truncate, synchronize }

  fileprivate struct Node: Sendable {
    var content: [UInt8] = []
    var isLocked = false
  }

  /// A write, and the content before it.
  struct Write: Sendable {
    let before: [UInt8]
    let bytes: [UInt8]
    let offset: Int
  }

  fileprivate struct State {
    var nodes: [Int: Node] = [:]
    var names: [String: Int] = [:]
    var states: [[UInt8]] = []
    var writes: [Write] = []
    var capacity = Int.max
    var failures: [Call: Int32] = [:]
    var failed = 0
    var syncs = 0
    var waiters: [(isReached: @Sendable (Int, Int) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  fileprivate let state = Locked(State())

  fileprivate let keepsStates: Bool

  /// - Parameter keepsStates: False for long files.
  init(keepsStates: Bool = true) { self.keepsStates = keepsStates }

  /// Every content that a file had after a call, in order.
  var states: [[UInt8]] { state.withLock { $0.states } }
  var writes: [Write] { state.withLock { $0.writes } }
  var names: [String] { state.withLock { $0.names.keys.sorted() } }
  var syncs: Int { state.withLock { $0.syncs } }

  subscript(_ name: String) -> [UInt8]? {
    state.withLock { state in state.names[name].flatMap { state.nodes[$0]?.content } }
  }

  func put(_ content: [UInt8], as name: String) {
    state.withLock { state in
      state.names[name] = state.nodes.count
      state.nodes[state.nodes.count] = Node(content: content)
    }
  }

  /// The number of bytes that fit into all files.
  func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

  /// Lets calls fail with an error number; nil to end that.
  func fail(_ call: Call, _ number: Int32?) { state.withLock { $0.failures[call] = number } }

  /// Returns when files were synchronized so often, or calls failed so often.
  func wait(syncs: Int = .max, failures: Int = .max) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.syncs >= syncs || state.failed >= failures { return true }
        state.waiters.append(({ $0 >= syncs || $1 >= failures }, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  // MARK: OutputFolder

  func status(of name: String) throws(SystemFailure) -> OutputStatus? {
    self[name].map {
      OutputStatus(
        kind: .regular, owner: SystemFailure.user, mode: 0o600, links: 1, length: $0.count)
    }
  }

  func create(_ name: String) throws(SystemFailure) -> any OutputFile {
    guard self[name] == nil else { throw .exists }
    put([], as: name)
    return try open(name)
  }

  func open(_ name: String) throws(SystemFailure) -> any OutputFile {
    guard let node = state.withLock({ $0.names[name] }) else { throw SystemFailure(ENOENT) }
    return MemoryFile(self, node)
  }

  func rename(_ name: String, to other: String) throws(SystemFailure) {
    state.withLock { $0.names[other] = $0.names.removeValue(forKey: name) }
  }

  func remove(_ name: String) throws(SystemFailure) {
    state.withLock { state in
      if let node = state.names.removeValue(forKey: name) { state.nodes[node]?.content = [] }
    }
  }

  func synchronize() throws(SystemFailure) {}

  // MARK: Files

  fileprivate func read<Value: Sendable>(_ node: Int, _ body: (Node) -> Value) -> Value {
    state.withLock { body($0.nodes[node] ?? Node()) }
  }

  fileprivate func hasName(_ node: Int) -> Bool {
    state.withLock { $0.names.values.contains(node) }
  }

  /// Makes a call that changes a file, unless it fails.
  fileprivate func change<Value: Sendable>(
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
      case .failure: state.failed += 1
      }
      woken = state.waiters.filter { $0.isReached(state.syncs, state.failed) }.map(\.1)
      state.waiters.removeAll { $0.isReached(state.syncs, state.failed) }
      return result
    }
    return try result.get()
  }

  fileprivate func note(_ write: @autoclosure () -> Write) {
    guard keepsStates else { return }
    let write = write()
    state.withLock { $0.writes.append(write) }
  }
}

/// A file of a ``MemoryFolder``.
final class MemoryFile: OutputFile {
  private let folder: MemoryFolder
  private let node: Int
  private var isLocked = false

  fileprivate init(_ folder: MemoryFolder, _ node: Int) {
    (self.folder, self.node) = (folder, node)
  }

  deinit {
    if isLocked { try? folder.setLocked(node, false) }
  }

  func status() throws(SystemFailure) -> OutputStatus {
    OutputStatus(
      kind: .regular, owner: SystemFailure.user, mode: 0o600, links: folder.hasName(node) ? 1 : 0,
      length: folder.read(node) { $0.content.count })
  }

  func lock() throws(SystemFailure) -> Bool {
    guard !folder.read(node, { $0.isLocked }) else { return false }
    isLocked = true
    try folder.setLocked(node, true)
    return true
  }

  func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    folder.read(node) { Array($0.content.dropFirst(offset).prefix(count)) }
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure) -> Int {
    let before = folder.keepsStates ? folder.read(node) { $0.content } : []
    let count = try folder.change(node, .write) { (node, free) throws(SystemFailure) in
      let count = min(bytes.count, max(0, node.content.count - offset) + max(0, free))
      guard count > 0 else { throw .full }
      let end = min(offset + count, node.content.count)
      node.content.replaceSubrange(offset..<end, with: bytes.prefix(count))
      return count
    }
    folder.note(
      MemoryFolder.Write(
        before: before, bytes: Array(bytes.prefix(count)), offset: offset))
    return count
  }

  func truncate(to length: Int) throws(SystemFailure) {
    try folder.change(node, .truncate) { node, _ in
      node.content.removeLast(node.content.count - length)
    }
  }

  func synchronize() throws(SystemFailure) {
    try folder.change(node, .synchronize) { _, _ in }
  }
}

extension MemoryFolder {
  fileprivate func setLocked(_ node: Int, _ isLocked: Bool) throws(SystemFailure) {
    state.withLock { $0.nodes[node]?.isLocked = isLocked }
  }
}
