import AsyncLocation
import FileAccess
import Foundation
import MockBackend

@testable import AuthorizationPolicyFile

/// System calls with one injected fault.
final class FaultyCalls: FileCalls {
  enum Fault: Hashable, Sendable {
    case none
    /// The call of this index, from 0, fails.
    case failure(Int, number: Int32)
    /// The process is killed before the call of this index, from 0: this and later calls do not
    /// occur.
    case death(Int)
    /// Reads and writes transfer one byte.
    case drip
    /// Created files and folders lack a bit of the owner, as with a hostile umask.
    case masked
    /// Files belong to the user of this ID.
    case owner(UInt32)
    /// Another process creates the key of a path just before this one links its own to its name.
    case overtaken(String)
    /// Another process holds the lock and repairs the key of a path at the third pause.
    case locked(String)
  }

  private struct State {
    var count = 0
    var hasInjectedFault = false
    var pauses = 0
    var rival: ReducedAccuracyKey?
  }

  private let system = SystemFileCalls()
  private let fault: Fault
  private let state = Locked(State())

  var hasInjectedFault: Bool { state.withLock { $0.hasInjectedFault } }
  var pauses: Int { state.withLock { $0.pauses } }
  /// The key created by the other process.
  var rival: ReducedAccuracyKey? { state.withLock { $0.rival } }

  init(_ fault: Fault) { self.fault = fault }

  private func call<Result>(
    _ body: () throws(SystemFailure) -> Result
  ) throws(SystemFailure) -> Result {
    let failure: Int32? = state.withLock { state in
      defer { state.count += 1 }
      switch fault {
      case .failure(state.count, let number):
        state.hasInjectedFault = true
        return number
      case .death(let last) where state.count >= last:
        state.hasInjectedFault = true
        return EIO
      default: return nil
      }
    }
    if let failure { throw SystemFailure(failure) }
    return try body()
  }

  func makeFolder(_ path: String) throws(SystemFailure) {
    try call { () throws(SystemFailure) in
      try system.makeFolder(path)
      if fault == .masked { chmod(path, 0o500) }
    }
  }
  func openFolder(_ path: String, followsLinks: Bool) throws(SystemFailure) -> Int32 {
    try call { () throws(SystemFailure) in
      try system.openFolder(path, followsLinks: followsLinks)
    }
  }
  func setMode(_ mode: UInt32, ofFolder path: String) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.setMode(mode, ofFolder: path) }
  }
  func checkWritable(_ path: String) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.checkWritable(path) }
  }
  func openFile(
    _ name: String, in folder: Int32, _ purpose: FilePurpose
  ) throws(SystemFailure) -> Int32 {
    try call { () throws(SystemFailure) in try system.openFile(name, in: folder, purpose) }
  }
  func openFile(at path: String) throws(SystemFailure) -> Int32 {
    try call { () throws(SystemFailure) in try system.openFile(at: path) }
  }
  func makeFile(_ name: String, in folder: Int32) throws(SystemFailure) -> Int32 {
    try call { () throws(SystemFailure) in
      let file = try system.makeFile(name, in: folder)
      if fault == .masked { try system.setMode(0o200, of: file) }
      return file
    }
  }
  func status(of file: Int32) throws(SystemFailure) -> FileStatus {
    try call { () throws(SystemFailure) in
      var status = try system.status(of: file)
      if case .owner(let owner) = fault { status.owner = owner }
      return status
    }
  }
  func status(of name: String, in folder: Int32) throws(SystemFailure) -> FileStatus? {
    try call { () throws(SystemFailure) in try system.status(of: name, in: folder) }
  }
  func setMode(_ mode: UInt32, of file: Int32) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.setMode(mode, of: file) }
  }
  func read(_ file: Int32, _ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
    try call { () throws(SystemFailure) in
      try system.read(file, fault == .drip ? 1 : count, at: offset)
    }
  }
  func readNext(_ file: Int32, _ count: Int) throws(SystemFailure) -> [UInt8] {
    try call { () throws(SystemFailure) in
      try system.readNext(file, fault == .drip ? 1 : count)
    }
  }
  func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int
  ) throws(SystemFailure) -> Int {
    try call { () throws(SystemFailure) in
      try system.write(fault == .drip ? bytes.prefix(1) : bytes, to: file, at: offset)
    }
  }
  func truncate(_ file: Int32, to length: Int) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.truncate(file, to: length) }
  }
  func synchronize(_ file: Int32) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.synchronize(file) }
  }
  func synchronizeNames(of folder: Int32) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.synchronizeNames(of: folder) }
  }
  func lock(_ folder: Int32) throws(SystemFailure) -> Bool {
    try call { () throws(SystemFailure) in
      if case .locked = fault { return false }
      return try system.lock(folder)
    }
  }
  /// Lets the other process repair the key at the third pause.
  func pause() {
    let pauses = state.withLock { state in
      state.pauses += 1
      return state.pauses
    }
    if case .locked(let path) = fault, pauses == 3 { letRivalCreate(path) }
  }
  func link(_ name: String, to second: String, in folder: Int32) throws(SystemFailure) {
    try call { () throws(SystemFailure) in
      if case .overtaken(let path) = fault { letRivalCreate(path) }
      try system.link(name, to: second, in: folder)
    }
  }
  func rename(_ name: String, to other: String, in folder: Int32) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.rename(name, to: other, in: folder) }
  }
  func remove(_ name: String, in folder: Int32) throws(SystemFailure) {
    try call { () throws(SystemFailure) in try system.remove(name, in: folder) }
  }
  func names(in folder: Int32) throws(SystemFailure) -> [String] {
    try call { () throws(SystemFailure) in try system.names(in: folder) }
  }
  private func letRivalCreate(_ path: String) {
    let rival = try? ReducedAccuracyKey.storedHere(at: path)
    state.withLock { $0.rival = rival }
  }

  /// Is not counted: the kernel closes the descriptors of a killed process and ends their locks.
  func unlock(_ file: Int32) { system.unlock(file) }
  func close(_ file: Int32) { system.close(file) }
}

extension ReducedAccuracyKey {
  /// Loads the key as another process does, on this thread. Retries while the folder is locked.
  static func storedHere(at path: String) throws -> Self {
    // The system's generator has size zero, so ThreadSanitizer treats two of them as one object.
    var generator = SplitMix64(seed: .random(in: .min ... .max))
    let file = try KeyFile(path: path)
    while true {
      if let (key, notice) = try file.loadUnlessLocked(using: &generator) {
        return key.with(notice: notice)
      }
      sched_yield()
    }
  }
}

/// A temporary folder for a test.
struct TestFolder {
  private let root: String

  /// Calls a closure with a new folder, and removes the folder afterwards.
  static func with(_ body: (TestFolder) throws -> Void) throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    try body(folder)
  }

  /// As ``with(_:)``, for an asynchronous closure.
  static func whileAwaiting(_ body: (TestFolder) async throws -> Void) async throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    try await body(folder)
  }

  private init() throws {
    root = FileManager.default.temporaryDirectory.path + "/async-location-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: root, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  private func remove() { try? FileManager.default.removeItem(atPath: root) }

  func path(_ name: String) -> String { root + "/" + name }

  func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).sorted()
  }

  func contents(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// Writes a file of mode 0600.
  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    chmod(path(name), 0o600)
  }

  /// Permission bits; nil if the file does not exist.
  func mode(_ name: String) -> Int? {
    try? FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }
}
