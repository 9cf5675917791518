/// The states of a device's conditions after its last location, as stored for another process.
///
/// Conditions are identified by their revisions.
package struct DeviceStates: Sendable, Hashable {
  struct Entry: Sendable, Hashable {
    let revision: UInt32
    let machine: CrossingStateMachine
  }

  /// The time of the device's last location; nil before the first.
  package var latest: Duration?
  /// The last revision that was compared with a location. Conditions that were added later are
  /// unknown.
  let compared: UInt32
  /// The conditions that are not at rest, by revision.
  let entries: [Entry]
}

extension DeviceConditions {
  /// The states to store.
  func states(in table: ConditionTable) -> DeviceStates {
    let entries = machines(in: table).map { slot, machine in
      DeviceStates.Entry(revision: table.revision(of: slot), machine: machine)
    }
    return DeviceStates(
      latest: latest, compared: compared, entries: entries.sorted { $0.revision < $1.revision })
  }

  /// Creates conditions that continue from stored states.
  ///
  /// - Parameter slots: The slots of the conditions by revision. States of other revisions are
  ///   ignored, because their conditions were removed.
  init(
    _ states: DeviceStates, slots: [UInt32: ConditionTable.Slot], in table: ConditionTable
  ) {
    self.init(isNew: true, latest: states.latest, compared: states.compared)
    // Restored in the order of their recent changes, because these are forgotten in this order.
    let entries = states.entries.sorted {
      ($0.machine.changes?.since ?? .zero) < ($1.machine.changes?.since ?? .zero)
    }
    for entry in entries {
      if let slot = slots[entry.revision] { restore(entry.machine, slot, in: table) }
    }
  }
}

// MARK: - Bytes

extension DeviceStates {
  private static var version: UInt8 { 1 }

  /// The first two bits are the raw value of the state.
  private struct Flags: OptionSet {
    let rawValue: UInt8

    static var hasCandidate: Self { Self(rawValue: 1 << 2) }
    static var isInside: Self { Self(rawValue: 1 << 3) }
    static var isCertain: Self { Self(rawValue: 1 << 4) }
    static var hasChanges: Self { Self(rawValue: 1 << 5) }
    /// The bits of a state's raw value.
    static var state: Self { Self(rawValue: 0b11) }
  }

  /// The encoded states: the version, whether there is a last location, its time, the last compared
  /// revision, and each entry. Numbers are little-endian; a time is its seconds and attoseconds.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: UInt8(latest == nil ? 0 : 1))
    bytes.append(latest ?? .zero)
    bytes.append(littleEndian: compared)
    for entry in entries {
      let machine = entry.machine
      var flags = Flags(rawValue: UInt8(machine.state.rawValue))
      if let candidate = machine.candidate {
        flags.insert(.hasCandidate)
        if candidate.side == .inside { flags.insert(.isInside) }
        if candidate.isCertain { flags.insert(.isCertain) }
      }
      if machine.changes != nil { flags.insert(.hasChanges) }
      bytes.append(littleEndian: entry.revision)
      bytes.append(littleEndian: flags.rawValue)
      if let candidate = machine.candidate {
        bytes.append(candidate.since)
        bytes.append(candidate.latest)
      }
      if let changes = machine.changes {
        bytes.append(littleEndian: UInt32(clamping: changes.count))
        bytes.append(changes.since)
      }
    }
    return bytes
  }

  /// Decodes states; nil if the bytes are not valid.
  package init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes)
    guard reader.integer(UInt8.self) == Self.version, let hasLatest = reader.integer(UInt8.self),
      let latest = reader.duration(), let compared = reader.integer(UInt32.self)
    else { return nil }
    var entries: [Entry] = []
    while !reader.isAtEnd {
      guard let entry = Self.entry(&reader) else { return nil }
      entries.append(entry)
    }
    self.init(latest: hasLatest == 0 ? nil : latest, compared: compared, entries: entries)
  }

  private static func entry(_ reader: inout Reader) -> Entry? {
    guard let revision = reader.integer(UInt32.self), let bits = reader.integer(UInt8.self)
    else { return nil }
    let flags = Flags(rawValue: bits)
    guard let state = Monitor.State(rawValue: Int(flags.intersection(.state).rawValue)) else {
      return nil
    }
    var candidate: CrossingStateMachine.Candidate?
    if flags.contains(.hasCandidate) {
      guard let since = reader.duration(), let latest = reader.duration() else { return nil }
      candidate = CrossingStateMachine.Candidate(
        side: flags.contains(.isInside) ? .inside : .outside,
        isCertain: flags.contains(.isCertain), since: since, latest: latest)
    }
    var changes: RecentChanges?
    if flags.contains(.hasChanges) {
      guard let count = reader.integer(UInt32.self), let since = reader.duration() else {
        return nil
      }
      changes = RecentChanges(stored: Int(count), since: since)
    }
    return Entry(
      revision: revision,
      machine: CrossingStateMachine(state, candidate: candidate, changes: changes))
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
      let size = Number.bitWidth / 8
      guard bytes.count - position >= size else { return nil }
      defer { position += size }
      return (0..<size).reduce(0) {
        $0 | Number(truncatingIfNeeded: bytes[position + $1]) << ($1 * 8)
      }
    }

    mutating func duration() -> Duration? {
      guard let seconds = integer(Int64.self), let attoseconds = integer(Int64.self),
        abs(seconds) < 1 << 40, abs(attoseconds) < 1_000_000_000_000_000_000
      else { return nil }
      return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }
  }
}

extension [UInt8] {
  /// Appends the seconds and the attoseconds of a duration.
  fileprivate mutating func append(_ duration: Duration) {
    append(littleEndian: duration.components.seconds)
    append(littleEndian: duration.components.attoseconds)
  }
}
