/// Folds names with the table of the file, as `scripts/gazetteer-tools/folding.py` does: names that
/// differ only by case, diacritics or punctuation become equal. Pure.
struct FoldingTable {
  let gazetteer: Gazetteer

  private static let space = UInt8(ascii: " ")

  /// The folded name in UTF-8: words with one space between them.
  func fold(_ name: String) -> [UInt8] {
    var key: [UInt8] = []
    fold(name.utf8, into: &key)
    return key
  }

  /// Replaces the contents of an array with the folded name. Skips invalid UTF-8.
  func fold(_ name: some Sequence<UInt8>, into key: inout [UInt8]) {
    key.removeAll(keepingCapacity: true)
    var bytes = name.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &bytes) {
      case .valid(let scalar): append(scalar, to: &key)
      case .error: continue
      case .emptyInput:
        if key.last == Self.space { key.removeLast() }
        return
      }
    }
  }

  private func append(_ scalar: Unicode.UTF8.EncodedScalar, to key: inout [UInt8]) {
    if let folded = folded(Unicode.UTF8.decode(scalar)) {
      for byte in folded { Self.append(byte, to: &key) }
    } else {
      for byte in scalar { Self.append(byte, to: &key) }
    }
  }

  /// The folded form of a scalar; nil if folding does not change it.
  private func folded(_ scalar: Unicode.Scalar) -> StoredText? {
    guard scalar.value < 0x1_0000 else { return nil }
    let page = Int(gazetteer.folding.number(Int(scalar.value >> 8), as: UInt16.self))
    guard page > 0 else { return nil }
    let number = gazetteer.folding.number(
      page << 8 | Int(scalar.value & 0xFF), as: UInt16.self)
    return number == 0 ? nil : gazetteer.text(UInt32(number) - 1)
  }

  private static func append(_ byte: UInt8, to key: inout [UInt8]) {
    if byte == space, key.isEmpty || key.last == space { return }
    key.append(byte)
  }
}
