import AsyncLocation

/// The known devices by name, and in the order of ``DeviceRecord/lastHeard``. Pure.
///
/// Devices are stored in blocks, so that a growing directory does not move them. Each name is
/// stored once. The name and the record share a cache line; the location is separate, since
/// messages only write it. A device is found by the bytes of a topic. Slots of removed devices are
/// reused.
struct DeviceDirectory: Sendable {
  typealias Slot = Int

  static let blockSize = 256
  /// The value of a link to no slot.
  private static var none: UInt32 { .max }

  private struct Row: Sendable {
    /// Nil if the device was removed.
    var id: FleetDevice.ID?
    var record: DeviceRecord
  }

  private struct Block: Sendable {
    var rows: [Row] = []
    var locations: [Location?] = []
    /// Empty until a message of one of the devices is dropped.
    var drops: [FleetDevice.Drops] = []

    init(capacity: Int) {
      rows.reserveCapacity(capacity)
      locations.reserveCapacity(capacity)
    }
  }

  private var blocks: [Block] = []
  private var index = NameIndex()
  /// The slots of removed devices, which are reused.
  private var free: [UInt32] = []
  /// The number of devices that were added so far.
  private var additions: UInt32 = 0
  /// Whether the list in the order of ``DeviceRecord/lastHeard`` is maintained. False saves time.
  private let isOrdered: Bool
  /// The ends of the list in the order of ``DeviceRecord/lastHeard``.
  private var newest = none
  private var oldest = none

  /// - Parameter isOrdered: Whether ``longestSilent`` is used.
  init(isOrdered: Bool = true) { self.isOrdered = isOrdered }

  /// The number of devices.
  var count: Int { index.count }
  /// The number of slots, including those of removed devices.
  private(set) var slotCount = 0

  subscript(_ slot: Slot) -> DeviceRecord {
    get { blocks[slot / Self.blockSize].rows[slot % Self.blockSize].record }
    _modify { yield &blocks[slot / Self.blockSize].rows[slot % Self.blockSize].record }
  }

  /// The device of a slot; nil if it was removed.
  func id(of slot: Slot) -> FleetDevice.ID? {
    blocks[slot / Self.blockSize].rows[slot % Self.blockSize].id
  }

  /// Sets the last location of a device, and its time.
  mutating func setLocation(_ location: borrowing Location, of slot: Slot) {
    self[slot].lastTime = location.timestampSeconds
    blocks[slot / Self.blockSize].locations[slot % Self.blockSize] = copy location
  }

  /// Counts a dropped message of a device.
  mutating func countDrop(_ reason: FleetDevice.DropReason, of slot: Slot) {
    let block = slot / Self.blockSize
    if blocks[block].drops.isEmpty {
      blocks[block].drops = Array(repeating: FleetDevice.Drops(), count: Self.blockSize)
    }
    blocks[block].drops[slot % Self.blockSize].count(reason)
  }

  // MARK: Finding

  /// The hash of a name, seeded for each process: no sender can choose names that collide.
  static func hash(_ name: Span<UInt8>) -> UInt32 {
    var hasher = Hasher()
    // SAFETY: the hasher reads the bytes during the call.
    unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  /// The slot of a device.
  func find(_ name: Span<UInt8>, _ hash: UInt32) -> Slot? {
    index.find(hash) { hasName($0, name) }
  }

  func find(_ id: FleetDevice.ID) -> Slot? {
    let name = id.name.utf8.span
    return find(name, Self.hash(name))
  }

  /// Whether a slot belongs to the device with a name.
  func hasName(_ slot: Slot, _ name: Span<UInt8>) -> Bool {
    guard let id = id(of: slot) else { return false }
    let bytes = id.name.utf8.span
    guard bytes.count == name.count else { return false }
    for index in bytes.indices where bytes[index] != name[index] { return false }
    return true
  }

  /// The known state of the device of a slot; nil if it was removed.
  ///
  /// - Parameter interruptions: The number of interruptions so far.
  func device(_ slot: Slot, after interruptions: UInt32, at now: Int64) -> FleetDevice? {
    guard let id = id(of: slot) else { return nil }
    let record = self[slot]
    let block = blocks[slot / Self.blockSize]
    return FleetDevice(
      id: id, location: block.locations[slot % Self.blockSize],
      presence: record.presence(after: interruptions), silence: record.silence(at: now),
      drops: block.drops.isEmpty ? FleetDevice.Drops() : block.drops[slot % Self.blockSize],
      isUnreadable: record.isUnreadable)
  }

  // MARK: Changing

  /// Adds an unknown device, as the newest in the order of ``DeviceRecord/lastHeard``.
  mutating func add(_ id: FleetDevice.ID, hash: UInt32, at now: Int64) -> Slot {
    additions &+= 1
    let row = Row(id: id, record: DeviceRecord(hash: hash, number: additions, at: now))
    let slot: Slot
    if let freed = free.popLast() {
      slot = Int(freed)
      set(row, slot)
    } else {
      slot = slotCount
      slotCount += 1
      if slot % Self.blockSize == 0 { blocks.append(Block(capacity: Self.blockSize)) }
      blocks[blocks.count - 1].rows.append(row)
      blocks[blocks.count - 1].locations.append(nil)
    }
    index.insert(slot, hash)
    link(slot)
    return slot
  }

  /// Removes a device.
  mutating func remove(_ slot: Slot) {
    index.remove(slot, self[slot].hash)
    unlink(slot)
    set(Row(id: nil, record: self[slot]), slot)
    free.append(UInt32(slot))
  }

  private mutating func set(_ row: Row, _ slot: Slot) {
    blocks[slot / Self.blockSize].rows[slot % Self.blockSize] = row
    blocks[slot / Self.blockSize].locations[slot % Self.blockSize] = nil
    guard !blocks[slot / Self.blockSize].drops.isEmpty else { return }
    blocks[slot / Self.blockSize].drops[slot % Self.blockSize] = FleetDevice.Drops()
  }

  /// Sets ``DeviceRecord/lastHeard`` of a device, which becomes the newest in the order.
  mutating func setLastHeard(_ slot: Slot, at now: Int64) {
    self[slot].lastHeard = now
    guard isOrdered, newest != UInt32(slot) else { return }
    unlink(slot)
    link(slot)
  }

  /// The device with the longest silence; undefined if the directory is not ordered.
  var longestSilent: Slot? { oldest == Self.none ? nil : Int(oldest) }

  private mutating func link(_ slot: Slot) {
    self[slot].newer = Self.none
    self[slot].older = newest
    if newest == Self.none {
      oldest = UInt32(slot)
    } else {
      self[Int(newest)].newer = UInt32(slot)
    }
    newest = UInt32(slot)
  }

  private mutating func unlink(_ slot: Slot) {
    let (newer, older) = (self[slot].newer, self[slot].older)
    if newer == Self.none { newest = older } else { self[Int(newer)].older = older }
    if older == Self.none { oldest = newer } else { self[Int(older)].newer = newer }
  }
}
