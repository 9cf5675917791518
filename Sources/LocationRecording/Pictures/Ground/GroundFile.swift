internal import CGround

/// The land, the borders and the largest places of the world, read in place;
/// `scripts/gazetteer-tools/ground.py` describes the format. Pure.
struct GroundFile: Sendable {
  /// The width and the height of a tile in degrees.
  static let side = 5
  static let rowCount = 180 / side
  static let columnCount = 360 / side
  private static let headerSize = 16

  private let bytes: ConstantBytes

  /// The file in the library; nil if the library was built without it.
  static let embedded: GroundFile? =
    ground_size() == 0
    ? nil
    : unsafe GroundFile(
      ConstantBytes(UnsafeRawBufferPointer(start: ground_data(), count: ground_size())))

  init(_ bytes: ConstantBytes) { self.bytes = bytes }

  /// The tile of a row, counted northwards from the South Pole, and of a column, counted eastwards
  /// from 180° W; both from 0.
  func tile(row: Int, column: Int) -> GroundTile {
    let index = row * Self.columnCount + column
    let start = Self.headerSize + 4 * (Self.rowCount * Self.columnCount + 1)
    let (first, end) = (offset(index), offset(index + 1))
    var cursor = GroundCursor(
      bytes, start + first..<start + max(first, end),
      south: Double(row * Self.side - 90), west: Double(column * Self.side - 180))
    return cursor.tile()
  }

  /// The offset of a tile after the table of offsets.
  private func offset(_ index: Int) -> Int {
    (0..<4).reduce(0) { number, byte in
      number | Int(bytes[Self.headerSize + 4 * index + byte]) << (8 * byte)
    }
  }
}

/// Constant memory. Bytes outside of it are zero, so that wrong offsets only cause wrong
/// pictures.
@safe
struct ConstantBytes: @unchecked Sendable {
  // SAFETY: nothing writes to the memory, it is never released, and every access is checked.
  private let bytes: UnsafeRawBufferPointer

  /// - Parameter bytes: Constant memory that is never released.
  @unsafe init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  subscript(index: Int) -> UInt8 {
    unsafe index >= 0 && index < bytes.count ? bytes[index] : 0
  }
}
