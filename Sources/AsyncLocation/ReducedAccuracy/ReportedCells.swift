/// The reported cells, in the order of their first reports.
///
/// A position is assigned to the first cell that contains it or is near it. So a place has one
/// reduced location, regardless of the path to it and of pauses. Locations that depended on the
/// path would differ, and their mean would be closer to the place than each of them. The margin for
/// leaving a cell is slightly wider than the margin for entering it, so that jitter does not change
/// the cell. The altitudes reported in a cell are chosen in the same way.
struct ReportedCells: Sendable {
  /// The maximum number of cells. At the limit, the least recently reported one is forgotten.
  static let limit = 512

  private struct Entry: Sendable {
    let cell: ReducedCell
    /// Orders the entries by their last use.
    var lastUse: UInt64
    /// The altitudes that were reported in the cell, in the order in which each was reported first.
    var altitudes: [Double] = []
    /// Whether the entry was stored, even if the storage has discarded it since.
    var isStored = false
  }

  private var entries: [Entry] = []
  /// The greatest `lastUse` so far.
  private var uses: UInt64 = 0

  /// Returns the cell for a position, and records the cell as reported.
  ///
  /// The cell is the first reported one that the receiver enters at the position, or in which it
  /// stays; if there is none, the grid's cell. If the receiver stays in a cell that was forgotten
  /// meanwhile, that cell is returned, and inserted before the one that would otherwise be
  /// returned.
  ///
  /// - Parameter current: The last cell of the same receiver.
  mutating func cell(
    for position: SurfaceNormal, after current: ReducedCell? = nil, in grid: ReducedGrid
  ) -> ReducedCell {
    let entered = entries.firstIndex { $0.cell.containsForEntry(position) }
    let retained = current.flatMap { current -> Int? in
      guard current.containsForStay(position) else { return nil }
      return entries.firstIndex { $0.cell == current }
    }
    uses += 1
    if retained == nil, let current, current.containsForStay(position) {
      insert(Entry(cell: current, lastUse: uses), at: entered ?? entries.count)
      return current
    }
    guard let first = [entered, retained].compactMap(\.self).min() else {
      let cell = grid.cell(of: position)
      insert(Entry(cell: cell, lastUse: uses), at: entries.count)
      return cell
    }
    entries[first].lastUse = uses
    return entries[first].cell
  }

  private mutating func insert(_ entry: Entry, at index: Int) {
    var index = index
    if entries.count >= Self.limit,
      let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
    {
      entries.remove(at: oldest)
      if oldest < index { index -= 1 }
    }
    entries.insert(entry, at: index)
  }

  /// Rounds an altitude to one that was reported in a cell, or to a new one, and records that as
  /// reported.
  mutating func round(
    _ altitude: Double, in cell: ReducedCell, _ rounding: inout HysteresisRounding
  ) -> Double {
    guard let index = entries.firstIndex(where: { $0.cell == cell }) else {
      return rounding.round(altitude)
    }
    let count = entries[index].altitudes.count
    defer { if entries[index].altitudes.count > count { entries[index].isStored = false } }
    return rounding.round(altitude, reported: &entries[index].altitudes)
  }

  // MARK: Sharing

  /// Adds the cells that this process reported and could not store. Each is inserted before the
  /// cell that followed it in this process, or at the end.
  mutating func add(_ own: Self) {
    let unstored = own.entries.indices.filter { !own.entries[$0].isStored }
    guard !unstored.isEmpty else { return }
    var added = own
    for index in unstored.sorted(by: { own.entries[$0].lastUse < own.entries[$1].lastUse }) {
      uses += 1
      added.entries[index].lastUse = uses
    }
    // In reverse order, so that the cell that follows is already in place.
    var next: ReducedCell?
    for entry in added.entries.reversed() {
      if let index = entries.firstIndex(where: { $0.cell == entry.cell }) {
        next = entry.cell
        guard !entry.isStored else { continue }
        let known = entries[index].altitudes
        entries[index].altitudes += entry.altitudes.filter { !known.contains($0) }
          .prefix(HysteresisRounding.reportedLimit - known.count)
        entries[index].isStored = false
      } else if !entry.isStored {
        insert(entry, at: entries.firstIndex { $0.cell == next } ?? entries.count)
        next = entry.cell
      }
    }
  }

  /// The same cells, marked as not stored.
  var allUnstored: Self {
    var cells = self
    for index in cells.entries.indices { cells.entries[index].isStored = false }
    return cells
  }

  /// Marks all cells as stored.
  mutating func markStored() {
    for index in entries.indices { entries[index].isStored = true }
  }
}

// MARK: - Storing

extension ReportedCells {
  /// The stored form of a cell.
  struct Stored: Sendable, Codable {
    let latitude: Double
    let longitude: Double
    /// Orders the cells by their last use.
    let lastUse: UInt64
    /// Nil in older files.
    var altitudes: [Double]?
  }

  var contents: [Stored] {
    entries.map {
      let centre = $0.cell.coordinate
      return Stored(
        latitude: centre.latitude, longitude: centre.longitude, lastUse: $0.lastUse,
        altitudes: $0.altitudes)
    }
  }

  /// Creates cells from their stored form. Cells of another grid, which were stored with another
  /// key, are omitted.
  init(_ stored: some Sequence<Stored>, in grid: ReducedGrid) {
    var known: Set<ReducedCell> = []
    for stored in stored.prefix(Self.limit) {
      guard
        let centre = try? Coordinate(latitude: stored.latitude, longitude: stored.longitude)
      else { continue }
      let cell = grid.cell(of: SurfaceNormal(centre))
      guard cell.coordinate == centre, known.insert(cell).inserted else { continue }
      let altitudes = (stored.altitudes ?? []).prefix(HysteresisRounding.reportedLimit)
        .filter(HysteresisRounding(LocationReducer.altitudeStep).isMultiple)
      entries.append(
        Entry(cell: cell, lastUse: stored.lastUse, altitudes: altitudes, isStored: true))
      uses = max(uses, stored.lastUse)
    }
    // Prevents an overflow. Only an invalid file contains such a number.
    if uses > .max / 2 {
      for index in entries.indices { entries[index].lastUse = 0 }
      uses = 0
    }
  }
}
