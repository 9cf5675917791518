import FoundationEssentials

/// Stores conditions in numbered slots, indexed by identifier and by place.
///
/// A slot is reused after its condition is removed. ``revision(of:)`` distinguishes the conditions
/// of one slot.
struct ConditionTable: Sendable {
  typealias Slot = Int

  private enum Content: Sendable {
    case area(AreaGeometry)
    case beacon(BeaconIdentityConstraint)
    case free

    init(_ subject: Condition.Subject) {
      if case .beacon(let identity) = subject {
        self = .beacon(identity)
      } else {
        self = AreaGeometry(subject).map(Self.area) ?? .free
      }
    }

    var area: AreaGeometry? {
      guard case .area(let area) = self else { return nil }
      return area
    }

    var subject: Condition.Subject {
      switch self {
      case .area(let area): area.subject
      case .beacon(let identity): .beacon(identity)
      case .free: preconditionFailure("A free slot has no condition.")
      }
    }
  }

  /// Dwell and expiry are stored as seconds, to save memory.
  private struct Row: Sendable {
    /// Empty in a free slot; a condition's identifier is never empty.
    let identifier: String
    let content: Content
    /// Seconds.
    let dwell: Double
    /// Seconds since 2001; infinite for no expiry.
    let expiry: Double
    let revision: UInt32

    var condition: Condition {
      Condition(
        checked: content.subject, dwell: ExactSeconds.duration(dwell) ?? .zero,
        expiry: expiry.isFinite ? Date(timeIntervalSinceReferenceDate: expiry) : nil)
    }
  }

  private var rows: [Row] = []
  /// The free slots.
  private var free: [Int32] = []
  /// Finds a slot by the identifier of its condition.
  private var names = IndexTable()
  private var cells = CellIndex()
  private var expirations = ExpiryQueue()
  /// The slots of the conditions that are beacons.
  private(set) var beacons: Set<Slot> = []
  /// The greatest revision so far.
  private(set) var lastRevision: UInt32 = 0

  var count: Int { names.count }
  /// The number of expirations in memory, including those of removed conditions.
  var storedExpirations: Int { expirations.count }

  // MARK: Changes

  /// Reserves memory for more conditions, so that adding many does not copy or waste memory.
  mutating func reserve(_ added: Int) {
    // Reserving less than the current size would copy more often than appending does.
    guard added > count else { return }
    rows.reserveCapacity(count + added)
    names.reserve(count + added) { [rows] in Self.hash(rows[$0].identifier) }
    cells.reserve(count + added)
  }

  /// Ensures that the next revision is greater than a stored one.
  mutating func continueRevisions(after revision: UInt32) {
    lastRevision = max(lastRevision, revision)
  }

  /// Adds a condition, which replaces the one with its identifier.
  mutating func add(_ condition: Condition, identifier: String) -> Slot {
    lastRevision &+= 1
    return add(condition, identifier: identifier, revision: lastRevision)
  }

  /// Adds a condition with a revision, such as a stored one.
  mutating func add(_ condition: Condition, identifier: String, revision: UInt32) -> Slot {
    _ = remove(identifier)
    continueRevisions(after: revision)
    let row = Row(
      identifier: identifier, content: Content(condition.subject),
      dwell: ExactSeconds.number(condition.dwell),
      expiry: condition.expiry?.timeIntervalSinceReferenceDate ?? .infinity,
      revision: revision)
    let slot: Slot
    if let last = free.popLast() {
      slot = Int(last)
      rows[slot] = row
    } else {
      slot = rows.count
      rows.append(row)
    }
    names.add(slot, hash: Self.hash(identifier)) { Self.hash(rows[$0].identifier) }
    if let area = row.content.area {
      cells.add(slot, area.cap)
    } else {
      beacons.insert(slot)
    }
    if row.expiry.isFinite {
      expirations.add(row.expiry, slot: slot, revision: row.revision)
      if expirations.count > 2 * count + 64 {
        let rows = rows  // The closure must not access `self`, which is being modified.
        expirations.compact { Self.isCurrent(rows, $0, $1) }
      }
    }
    return slot
  }

  /// Removes a condition and returns it; nil if there is none.
  mutating func remove(_ identifier: String) -> Condition? {
    guard let slot = slot(of: identifier) else { return nil }
    let row = rows[slot]
    names.remove(slot, hash: Self.hash(identifier)) { Self.hash(rows[$0].identifier) }
    if let area = row.content.area {
      cells.remove(slot, area.cap)
    } else {
      beacons.remove(slot)
    }
    rows[slot] = Row(
      identifier: "", content: .free, dwell: 0, expiry: .infinity, revision: row.revision)
    free.append(Int32(slot))
    return row.condition
  }

  /// Returns the slots whose expiry has passed, each only once. The caller then removes the
  /// conditions.
  mutating func takeExpired(at date: Date) -> [Slot] {
    let rows = rows
    return expirations.take(until: date.timeIntervalSinceReferenceDate) {
      Self.isCurrent(rows, $0, $1)
    }
  }

  /// The earliest expiry of a condition.
  mutating func nextExpiry() -> Date? {
    let rows = rows
    return expirations.first { Self.isCurrent(rows, $0, $1) }
      .map(Date.init(timeIntervalSinceReferenceDate:))
  }

  // MARK: Lookup

  func slot(of identifier: String) -> Slot? {
    names.find(hash: Self.hash(identifier)) {
      rows[$0].identifier.utf8.elementsEqual(identifier.utf8)
    }
  }

  func condition(for identifier: String) -> Condition? {
    slot(of: identifier).map { rows[$0].condition }
  }

  func identifier(of slot: Slot) -> String { rows[slot].identifier }
  func condition(of slot: Slot) -> Condition { rows[slot].condition }
  func dwell(of slot: Slot) -> Duration { ExactSeconds.duration(rows[slot].dwell) ?? .zero }
  func revision(of slot: Slot) -> UInt32 { rows[slot].revision }

  /// True while a slot holds the condition of a revision.
  func isCurrent(_ slot: Slot, revision: UInt32) -> Bool {
    Self.isCurrent(rows, slot, revision)
  }

  private static func isCurrent(_ rows: [Row], _ slot: Slot, _ revision: UInt32) -> Bool {
    rows[slot].revision == revision && !rows[slot].identifier.isEmpty
  }

  /// The slots in use.
  var slots: some Sequence<Slot> {
    rows.indices.lazy.filter { [rows] in !rows[$0].identifier.isEmpty }
  }

  // MARK: Places

  /// Returns the side of a point, and whether the point is at least a margin in metres away from
  /// the boundary. Nil for a beacon.
  func side(
    of point: AreaPoint, to slot: Slot, margin: Double
  ) -> (side: AreaSide, isCertain: Bool)? {
    rows[slot].content.area?.side(of: point, margin: margin)
  }

  /// A lower bound of the distance in metres from a point to the boundary; zero for a beacon.
  func clearance(of point: AreaPoint, from slot: Slot) -> Double {
    rows[slot].content.area?.clearance(of: point) ?? 0
  }

  /// Visits the slots whose areas contain a point.
  @inline(__always)
  func visit(containing point: AreaPoint, _ body: (Slot) -> Void) {
    cells.visit(near: point.spherical) { slot in
      if side(of: point, to: slot, margin: 0)?.side == .inside { body(slot) }
    }
  }

  /// Visits the areas in the cells that contain a point and pass a test, which receives each cell
  /// and the number of its areas. An area lies entirely in its cells.
  @inline(__always)
  func visitCells(
    at point: AreaPoint, where isIncluded: (CubeCell, Int) -> Bool, _ body: (Slot) -> Void
  ) {
    cells.visitCells(at: point.spherical, where: isIncluded, body)
  }

  /// The number of areas that are too wide for cells.
  var countWithoutCells: Int { cells.wideCount }

  /// Visits the areas that are too wide for cells.
  @inline(__always)
  func visitWithoutCells(_ body: (Slot) -> Void) { cells.visitWide(body) }

  /// Returns the cells of an area if a point is in none of them and far from the area; otherwise
  /// nil.
  ///
  /// - Parameter clearance: Metres from the point to the area.
  func cells(
    of slot: Slot, leftBehindAt point: AreaPoint, _ clearance: Double
  ) -> [CubeCell]? {
    guard let area = rows[slot].content.area, clearance > 4 * area.reach,
      let (cells, level) = CubeCell.covering(area.cap),
      !cells.contains(CubeCell(point.spherical, level: level))
    else { return nil }
    return cells
  }

  /// Hashes the UTF-8 bytes instead of the string, because a storage compares bytes: two Unicode
  /// representations of "é" are equal strings and different identifiers.
  private static func hash(_ identifier: String) -> UInt64 {
    var (hasher, identifier) = (Hasher(), identifier)
    identifier.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}
