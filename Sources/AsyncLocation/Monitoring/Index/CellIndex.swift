/// Finds the slots whose caps may contain a point. The look-up of the point's cell takes constant
/// time on each level in use.
struct CellIndex: Sendable {
  /// A cell with slots, or a free element.
  private struct Cell: Sendable {
    var key: UInt64
    /// The index of its first entry; -1 if there is none.
    var first: Int32
    /// The number of its entries.
    var count: Int32
  }

  /// A slot in the linked list of a cell, newest first. All links are indices of entries, or -1.
  private struct Entry: Sendable {
    let slot: Int32
    var next: Int32
    var previous: Int32 = -1
    /// The slot's next entry, which is in the list of another cell.
    let nextOfSlot: Int32
  }

  private var cells: [Cell] = []
  /// The indices of free elements of ``cells``.
  private var freeCells: [Int32] = []
  /// Finds the index of a cell by its key.
  private var table = IndexTable()
  private var entries: [Entry] = []
  /// The first free entry, linked to the others by `next`; -1 if there is none.
  private var freeEntry: Int32 = -1
  /// By slot: the entry that was added last or, for a wide slot, its position in ``wide``.
  private var positions: [Int32] = []
  /// The number of cells in use on each level.
  private var counts = [Int](repeating: 0, count: CubeCell.lastLevel + 1)
  /// A bit for each level with cells.
  private var levels: UInt32 = 0
  /// Slots with caps too wide for the grid.
  private var wide: [Int32] = []

  /// Reserves memory for a number of slots, which are in two cells on average.
  mutating func reserve(_ slots: Int) {
    cells.reserveCapacity(2 * slots)
    entries.reserveCapacity(2 * slots)
    table.reserve(2 * slots) { [cells] in Self.hash(cells[$0].key) }
  }

  /// Adds a slot to the cells that cover its cap.
  mutating func add(_ slot: Int, _ cap: SphericalCap) {
    while positions.count <= slot { positions.append(-1) }
    guard let (covering, level) = CubeCell.covering(cap) else {
      positions[slot] = Int32(wide.count)
      return wide.append(Int32(slot))
    }
    positions[slot] = -1
    for cell in covering {
      let index = find(cell.key) ?? addCell(cell.key, level)
      let next = cells[index].first
      let position = store(Entry(slot: Int32(slot), next: next, nextOfSlot: positions[slot]))
      if next >= 0 { entries[Int(next)].previous = position }
      cells[index].first = position
      cells[index].count += 1
      positions[slot] = position
    }
  }

  /// Stores an entry and returns its index.
  private mutating func store(_ entry: Entry) -> Int32 {
    guard freeEntry >= 0 else {
      entries.append(entry)
      return Int32(entries.count - 1)
    }
    let position = freeEntry
    freeEntry = entries[Int(position)].next
    entries[Int(position)] = entry
    return position
  }

  /// Removes a slot that was added with this cap. The time does not depend on the number of slots.
  mutating func remove(_ slot: Int, _ cap: SphericalCap) {
    var position = positions[slot]
    guard let (covering, level) = CubeCell.covering(cap) else {
      let last = wide.removeLast()
      if last != slot { (wide[Int(position)], positions[Int(last)]) = (last, position) }
      return
    }
    // The entries are in the order in which they were added, the last one first.
    for cell in covering.reversed() {
      guard let index = find(cell.key) else { continue }
      let next = entries[Int(position)].nextOfSlot
      unlink(position, from: index)
      if cells[index].first < 0 { removeCell(index, level) }
      position = next
    }
  }

  /// Visits every slot whose cap may contain a point, each once.
  @inline(__always)
  func visit(near point: SphericalPoint, _ body: (Int) -> Void) {
    visitWide(body)
    visitCells(at: point, where: { _, _ in true }, body)
  }

  /// The number of slots whose caps are too wide for the grid.
  var wideCount: Int { wide.count }

  /// Visits the slots whose caps are too wide for the grid.
  @inline(__always)
  func visitWide(_ body: (Int) -> Void) {
    for slot in wide { body(Int(slot)) }
  }

  /// Visits the slots of the cells that contain a point and pass a test, which receives each cell
  /// and the number of its slots.
  @inline(__always)
  func visitCells(
    at point: SphericalPoint, where isIncluded: (CubeCell, Int) -> Bool, _ body: (Int) -> Void
  ) {
    CubeCell.onLevels(levels, at: point) { cell in
      guard let index = find(cell.key), isIncluded(cell, Int(cells[index].count)) else { return }
      var next = cells[index].first
      while next >= 0 {
        let entry = entries[Int(next)]
        body(Int(entry.slot))
        next = entry.next
      }
    }
  }

  // MARK: Cells

  @inline(__always)
  private func find(_ key: UInt64) -> Int? {
    table.find(hash: Self.hash(key)) { cells[$0].key == key }
  }

  private mutating func addCell(_ key: UInt64, _ level: Int) -> Int {
    let cell = Cell(key: key, first: -1, count: 0)
    let index: Int
    if let free = freeCells.popLast() {
      index = Int(free)
      cells[index] = cell
    } else {
      index = cells.count
      cells.append(cell)
    }
    table.add(index, hash: Self.hash(key)) { Self.hash(cells[$0].key) }
    counts[level] += 1
    levels |= 1 << level
    return index
  }

  private mutating func removeCell(_ index: Int, _ level: Int) {
    table.remove(index, hash: Self.hash(cells[index].key)) { Self.hash(cells[$0].key) }
    freeCells.append(Int32(index))
    counts[level] -= 1
    if counts[level] == 0 { levels &= ~(1 << level) }
  }

  /// Removes an entry from the list of a cell and marks it as free.
  private mutating func unlink(_ position: Int32, from cell: Int) {
    let (previous, next) = (entries[Int(position)].previous, entries[Int(position)].next)
    if previous < 0 { cells[cell].first = next } else { entries[Int(previous)].next = next }
    if next >= 0 { entries[Int(next)].previous = previous }
    cells[cell].count -= 1
    entries[Int(position)].next = freeEntry
    freeEntry = position
  }

  /// Mixes the bits of a key: SplitMix64's finalizer (Steele, Lea, Flood, 2014).
  @inline(__always)
  private static func hash(_ key: UInt64) -> UInt64 {
    var hash = key
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }
}
