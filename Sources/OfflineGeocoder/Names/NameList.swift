/// A list of folded names in the file, ordered by their bytes. Pure.
struct NameList {
  enum Kind { case main, alternate }

  let gazetteer: Gazetteer
  let kind: Kind

  private var table: Table { kind == .main ? gazetteer.names : gazetteer.alternates }

  /// The place that has the name.
  func place(_ index: Int) -> Int {
    let place = Int(table.number(index, at: kind == .main ? 0 : 4))
    return place < gazetteer.places.count ? place : 0
  }

  /// The range of the names that equal a key, or begin with it.
  func range(of key: [UInt8], isPrefix: Bool) -> Range<Int> {
    let first = partition(in: 0..<table.count) { !$0.lexicographicallyPrecedes(key) }
    let end = partition(in: first..<table.count) {
      isPrefix ? !$0.starts(with: key) : $0 != key
    }
    return first..<end
  }

  /// The first index whose name has a property that all later ones have too.
  private func partition(in range: Range<Int>, _ property: ([UInt8]) -> Bool) -> Int {
    let folding = FoldingTable(gazetteer: gazetteer)
    var (low, high) = (range.lowerBound, range.upperBound)
    var key: [UInt8] = []
    while low < high {
      let middle = (low + high) / 2
      read(middle, folding, into: &key)
      if property(key) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func read(_ index: Int, _ folding: FoldingTable, into key: inout [UInt8]) {
    switch kind {
    case .main:
      folding.fold(gazetteer.name(place(index)), into: &key)
    case .alternate:
      key.removeAll(keepingCapacity: true)
      key.append(contentsOf: gazetteer.text(table.number(index)).utf8)
    }
  }
}
