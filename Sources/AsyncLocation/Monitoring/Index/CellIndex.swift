/// Finds the slots whose caps may contain a point, in constant time for each level in use.
struct CellIndex: Sendable {
  /// A cell with slots, or a free place.
  private struct Cell: Sendable {
    var key: UInt64
    /// The first of its entries.
    var first: Int32
    /// The number of its entries.
    var count: Int32
  }

  /// A slot in the list of a cell.
  private struct Entry: Sendable {
    let slot: Int32
    var next: Int32
  }

  private var cells: [Cell] = []
  private var freeCells: [Int32] = []
  private var table = IndexTable()
  private var entries: [Entry] = []
  private var freeEntry: Int32 = -1
  /// The number of cells in use on each level.
  private var counts = [Int](repeating: 0, count: CubeCell.lastLevel + 1)
  /// A bit for each level with cells.
  private var levels: UInt32 = 0
  /// Slots with caps too wide for the grid.
  private var wide: [Int32] = []

  /// Makes room for a number of slots, which are in two cells on average.
  mutating func reserve(_ slots: Int) {
    cells.reserveCapacity(2 * slots)
    entries.reserveCapacity(2 * slots)
    table.reserve(2 * slots) { [cells] in Self.hash(cells[$0].key) }
  }

  mutating func add(_ slot: Int, _ cap: SphericalCap) {
    guard let (covering, level) = CubeCell.covering(cap) else { return wide.append(Int32(slot)) }
    for cell in covering {
      let index = find(cell.key) ?? addCell(cell.key, level)
      let entry = Entry(slot: Int32(slot), next: cells[index].first)
      cells[index].count += 1
      if freeEntry >= 0 {
        cells[index].first = freeEntry
        let next = entries[Int(freeEntry)].next
        entries[Int(freeEntry)] = entry
        freeEntry = next
      } else {
        cells[index].first = Int32(entries.count)
        entries.append(entry)
      }
    }
  }

  /// Removes a slot that was added with this cap.
  mutating func remove(_ slot: Int, _ cap: SphericalCap) {
    guard let (covering, level) = CubeCell.covering(cap) else {
      return wide.removeAll { $0 == slot }
    }
    for cell in covering {
      guard let index = find(cell.key) else { continue }
      unlink(slot, from: index)
      if cells[index].first < 0 { removeCell(index, level) }
    }
  }

  /// Visits every slot whose cap may contain a point, each once.
  @inline(__always)
  func visit(near point: SphericalPoint, _ body: (Int) -> Void) {
    visitWide(body)
    visitCells(at: point, where: { _, _ in true }, body)
  }

  var wideCount: Int { wide.count }

  /// Visits the slots whose caps are too wide for the grid.
  @inline(__always)
  func visitWide(_ body: (Int) -> Void) {
    for slot in wide { body(Int(slot)) }
  }

  /// Visits the slots of the cells that contain a point and pass a test, which gets each cell and
  /// the number of its slots.
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

  private mutating func unlink(_ slot: Int, from cell: Int) {
    var previous: Int32 = -1
    var current = cells[cell].first
    while current >= 0, entries[Int(current)].slot != slot {
      previous = current
      current = entries[Int(current)].next
    }
    guard current >= 0 else { return }
    cells[cell].count -= 1
    let next = entries[Int(current)].next
    if previous < 0 { cells[cell].first = next } else { entries[Int(previous)].next = next }
    entries[Int(current)].next = freeEntry
    freeEntry = current
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
