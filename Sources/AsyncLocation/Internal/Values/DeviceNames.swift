import Synchronization

/// Identifies a device name by a small number. Values that contain it stay bitwise copyable and are
/// compared without comparing text.
package struct DeviceID: Sendable, Hashable, BitwiseCopyable {
  fileprivate let rawValue: UInt32

  /// No name.
  package static var none: Self { Self(rawValue: 0) }

  fileprivate init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates the identifier of a name. A new name is added to the process's table. The identifier
  /// is ``none`` for nil, and for a new name when the table is full.
  package init(_ name: String?) {
    self = name.map { DeviceNames.shared.identifier(of: $0) } ?? .none
  }

  /// The name; nil for ``none``.
  package var name: String? { DeviceNames.shared.name(of: self) }
}

/// The names of ``DeviceID``s. Names are external input and are never removed, so the size of the
/// table is limited.
@safe
package final class DeviceNames: Sendable {
  /// The table of this process.
  package static let shared = DeviceNames(maximumNames: 1 << 20, maximumBytes: 64 << 20)

  private static let blockSize = 1_024

  private struct State {
    /// Keyed by UTF-8 bytes: canonically equivalent strings can name two different files.
    var identifiers: [[UInt8]: DeviceID] = [:]
    /// The total size of all names in UTF-8.
    var bytes = 0
  }

  private let maximumNames: Int
  private let maximumBytes: Int
  private let state = Locked(State())
  /// Blocks of names in the order of their identifiers; nil for blocks not yet allocated.
  // SAFETY: An entry is written once, under the lock, before `count` includes it, and freed with
  // the table. Entries that `count` includes are read without the lock.
  nonisolated(unsafe) private let blocks: UnsafeMutablePointer<UnsafeMutablePointer<String>?>

  /// The number of names.
  private let count = Atomic(0)

  private let blockCount: Int

  /// - Parameters:
  ///   - maximumNames: The maximum number of names.
  ///   - maximumBytes: The maximum total size of the names in UTF-8.
  package init(maximumNames: Int, maximumBytes: Int) {
    (self.maximumNames, self.maximumBytes) = (maximumNames, maximumBytes)
    blockCount = (maximumNames + Self.blockSize - 1) / Self.blockSize
    unsafe blocks = .allocate(capacity: blockCount)
    unsafe blocks.initialize(repeating: nil, count: blockCount)
  }

  deinit {
    var remaining = count.load(ordering: .acquiring)
    for index in 0..<blockCount {
      guard let block = unsafe blocks[index] else { break }
      unsafe block.deinitialize(count: min(remaining, Self.blockSize))
      unsafe block.deallocate()
      remaining -= Self.blockSize
    }
    unsafe blocks.deallocate()
  }

  /// Returns the identifier of a name if it is in the table.
  package func find(_ name: String) -> DeviceID? {
    let bytes = Array(name.utf8)
    return state.withLock { $0.identifiers[bytes] }
  }

  /// Returns the identifier of a name, which is added if it is new; ``DeviceID/none`` if the name
  /// does not fit.
  ///
  /// Names are equal if their UTF-8 bytes are equal.
  package func identifier(of name: String) -> DeviceID {
    let bytes = Array(name.utf8)
    return state.withLock { $0.identifiers[bytes] ?? add(bytes, to: &$0) }
  }

  private func add(_ bytes: [UInt8], to state: inout State) -> DeviceID {
    let index = count.load(ordering: .relaxed)
    guard index < maximumNames, bytes.count <= maximumBytes - state.bytes else { return .none }
    // A copy: the original's storage may be larger than its text.
    let name = String(decoding: bytes, as: UTF8.self)
    let (block, offset) = index.quotientAndRemainder(dividingBy: Self.blockSize)
    // A block is allocated before one of its entries is published, because readers take no lock.
    if offset == 0 { unsafe blocks[block] = .allocate(capacity: Self.blockSize) }
    unsafe blocks[block].map { unsafe ($0 + offset).initialize(to: name) }
    let identifier = DeviceID(rawValue: UInt32(index) + 1)
    state.identifiers[bytes] = identifier
    state.bytes += bytes.count
    count.store(index + 1, ordering: .releasing)
    return identifier
  }

  /// Returns the name of an identifier; nil for ``DeviceID/none``. Takes no lock.
  package func name(of identifier: DeviceID) -> String? {
    let index = Int(identifier.rawValue) - 1
    guard index >= 0, index < count.load(ordering: .acquiring) else { return nil }
    let (block, offset) = index.quotientAndRemainder(dividingBy: Self.blockSize)
    return unsafe blocks[block]?[offset]
  }
}
