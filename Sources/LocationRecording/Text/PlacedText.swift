/// A line and a column, both counted from 1; columns are bytes.
struct TextPlace: Hashable, Sendable {
  var line = 1
  var column = 1

  mutating func advance(over byte: UInt8) {
    if byte == 10 { (line, column) = (line + 1, 1) } else { column += 1 }
  }

  /// The place after a byte that is no line feed.
  var next: Self { Self(line: line, column: column + 1) }
}

/// Bytes of a content, and where they are in it: in one piece, or in two.
struct PlacedText: Hashable, Sendable {
  /// A piece from an offset in ``bytes`` on.
  private struct Piece: Hashable {
    let offset: Int
    let place: TextPlace
  }

  var bytes: [UInt8]
  private var pieces: [Piece]

  /// - Parameter place: Where the first byte is.
  init(_ bytes: [UInt8] = [], at place: TextPlace = TextPlace()) {
    (self.bytes, pieces) = (bytes, [Piece(offset: 0, place: place)])
  }

  var firstLine: Int { pieces[0].place.line }

  /// Whether there is only white space.
  var isBlank: Bool { bytes.allSatisfy { $0 <= 32 } }

  /// Continues with bytes from another place.
  mutating func `continue`(at place: TextPlace) {
    pieces.append(Piece(offset: bytes.count, place: place))
  }

  /// Where a byte is.
  func place(at offset: Int) -> TextPlace {
    let piece = pieces.last { $0.offset <= offset } ?? pieces[0]
    let bytes = bytes[piece.offset..<max(piece.offset, min(offset, bytes.count))]
    let (line, column) = TextPosition.lineAndColumn(of: bytes.count, in: Array(bytes))
    return TextPlace(
      line: piece.place.line + line - 1,
      column: line == 1 ? piece.place.column + column - 1 : column)
  }
}
