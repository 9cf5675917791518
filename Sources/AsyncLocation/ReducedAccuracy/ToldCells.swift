/// The cells that were told, in the order in which each was told first.
///
/// A position gets the first of them that it is in or near. So a place has one answer, on whatever way
/// and after whatever pause a receiver comes to it: answers that depend on the way would differ, and
/// their mean would be nearer than one of them. A cell is left a little later than it is taken, so
/// that jitter does not change it.
struct ToldCells: Sendable {
  /// The maximum number. At the limit, the one that was told least recently is forgotten.
  static let limit = 512

  private struct Entry: Sendable {
    let cell: ReducedCell
    var lastUse: UInt64
  }

  private var entries: [Entry] = []
  private var uses: UInt64 = 0

  /// Returns the cell for a position, which counts as told.
  ///
  /// - Parameter current: The last cell of the same receiver.
  mutating func cell(
    for position: SurfaceNormal, after current: ReducedCell? = nil, in grid: ReducedGrid
  ) -> ReducedCell {
    let taken = entries.firstIndex { $0.cell.takes(position) }
    let kept = current.flatMap { current -> Int? in
      guard current.keeps(position) else { return nil }
      return entries.firstIndex { $0.cell == current }
    }
    uses += 1
    guard let first = [taken, kept].compactMap(\.self).min() else {
      let cell = current.flatMap { $0.keeps(position) ? $0 : nil } ?? grid.cell(of: position)
      add(cell)
      return cell
    }
    entries[first].lastUse = uses
    return entries[first].cell
  }

  private mutating func add(_ cell: ReducedCell) {
    if entries.count >= Self.limit,
      let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
    {
      entries.remove(at: oldest)
    }
    entries.append(Entry(cell: cell, lastUse: uses))
  }

  /// Adds the cells that another process has not told, after its own.
  mutating func add(contentsOf other: Self) {
    let known = Set(entries.map(\.cell))
    for entry in other.entries where !known.contains(entry.cell) {
      uses += 1
      add(entry.cell)
    }
  }
}

// MARK: - Storing

extension ToldCells {
  /// What is stored of a cell.
  struct Stored: Sendable, Codable {
    let latitude: Double
    let longitude: Double
    /// The order of the last uses.
    let lastUse: UInt64
  }

  var stored: [Stored] {
    entries.map {
      let centre = $0.cell.coordinate
      return Stored(latitude: centre.latitude, longitude: centre.longitude, lastUse: $0.lastUse)
    }
  }

  /// Creates the cells that were stored. Those of another grid, which another key stored, are left
  /// out.
  init(_ stored: some Sequence<Stored>, in grid: ReducedGrid) {
    for stored in stored.prefix(Self.limit) {
      guard
        let centre = try? Coordinate(latitude: stored.latitude, longitude: stored.longitude)
      else { continue }
      let cell = grid.cell(of: SurfaceNormal(centre))
      guard cell.coordinate == centre else { continue }
      entries.append(Entry(cell: cell, lastUse: stored.lastUse))
      uses = max(uses, stored.lastUse)
    }
    // A number that no process reaches would overflow.
    if uses > .max / 2 {
      for index in entries.indices { entries[index].lastUse = 0 }
      uses = 0
    }
  }
}
