/// Finds the slots whose caps may contain a point, in constant time for each level in use.
struct CellIndex: Sendable {
  /// A cell with slots, or a free element.
  private struct Cell: Sendable {
    var key: UInt64
    /// The first of its entries.
    var first: Int32
    /// The number of its entries.
    var count: Int32
  }

  /// A slot in the linked list of a cell, newest first.
  private struct Entry: Sendable {
    let slot: Int32
    var next: Int32
    var previous: Int32 = -1
    /// The slot's entry in the list of another cell.
    let nextOfSlot: Int32
  }

  private var cells: [Cell] = []
  private var freeCells: [Int32] = []
  private var table = IndexTable()
  private var entries: [Entry] = []
  private var freeEntry: Int32 = -1
  /// By slot: the entry that was added last or, for a wide slot, its position in ``wide``.
  private var places: [Int32] = []
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
    while places.count <= slot { places.append(-1) }
    guard let (covering, level) = CubeCell.covering(cap) else {
      places[slot] = Int32(wide.count)
      return wide.append(Int32(slot))
    }
    places[slot] = -1
    for cell in covering {
      let index = find(cell.key) ?? addCell(cell.key, level)
      let next = cells[index].first
      let place = store(Entry(slot: Int32(slot), next: next, nextOfSlot: places[slot]))
      if next >= 0 { entries[Int(next)].previous = place }
      cells[index].first = place
      cells[index].count += 1
      places[slot] = place
    }
  }

  /// Stores an entry and returns its index.
  private mutating func store(_ entry: Entry) -> Int32 {
    guard freeEntry >= 0 else {
      entries.append(entry)
      return Int32(entries.count - 1)
    }
    let place = freeEntry
    freeEntry = entries[Int(place)].next
    entries[Int(place)] = entry
    return place
  }

  /// Removes a slot that was added with this cap. The time does not depend on the other slots.
  mutating func remove(_ slot: Int, _ cap: SphericalCap) {
    var place = places[slot]
    guard let (covering, level) = CubeCell.covering(cap) else {
      let last = wide.removeLast()
      if last != slot { (wide[Int(place)], places[Int(last)]) = (last, place) }
      return
    }
    // The entries are in the order in which they were added, the last one first.
    for cell in covering.reversed() {
      guard let index = find(cell.key) else { continue }
      let next = entries[Int(place)].nextOfSlot
      unlink(place, from: index)
      if cells[index].first < 0 { removeCell(index, level) }
      place = next
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

  private mutating func unlink(_ place: Int32, from cell: Int) {
    let (previous, next) = (entries[Int(place)].previous, entries[Int(place)].next)
    if previous < 0 { cells[cell].first = next } else { entries[Int(previous)].next = next }
    if next >= 0 { entries[Int(next)].previous = previous }
    cells[cell].count -= 1
    entries[Int(place)].next = freeEntry
    freeEntry = place
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
