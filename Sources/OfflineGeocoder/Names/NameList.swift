import AsyncLocation

/// A list of folded names in the file, ordered by their bytes. Pure.
struct NameList {
  enum Kind { case main, alternate }

  let gazetteer: Gazetteer
  let kind: Kind

  private var table: Table { kind == .main ? gazetteer.names : gazetteer.alternates }

  /// The place with the name at an index.
  func place(_ index: Int) -> Int {
    // In a damaged file, the index may be that of no place.
    let place = Int(table.number(index, at: kind == .main ? 0 : 4))
    return place < gazetteer.places.count ? place : 0
  }

  /// The folded name at an index.
  func name(_ index: Int) -> [UInt8] {
    var name: [UInt8] = []
    read(index, FoldingTable(gazetteer: gazetteer), into: &name)
    return name
  }

  /// The range of the names that equal a key or, with `isPrefix`, begin with it.
  func range(of key: [UInt8], isPrefix: Bool) -> Range<Int> {
    let folding = FoldingTable(gazetteer: gazetteer)
    var name: [UInt8] = []
    let first = (0..<table.count).partition { index in
      read(index, folding, into: &name)
      return !name.lexicographicallyPrecedes(key)
    }
    func matches(_ index: Int) -> Bool {
      read(index, folding, into: &name)
      return isPrefix ? name.starts(with: key) : name == key
    }
    // Most spellings that are searched do not exist, and need no second search.
    guard first < table.count, matches(first) else { return first..<first }
    return first..<(first..<table.count).partition { !matches($0) }
  }

  private func read(_ index: Int, _ folding: FoldingTable, into name: inout [UInt8]) {
    switch kind {
    case .main:
      folding.fold(gazetteer.name(place(index)), into: &name)
    case .alternate:
      name.removeAll(keepingCapacity: true)
      name.append(contentsOf: gazetteer.text(table.number(index)))
    }
  }
}
