internal import AsyncLocation
internal import CGazetteer

/// The regions of the world, read in place; `scripts/gazetteer-tools/borders.py` describes the
/// format. Pure.
///
/// A region is a country, or a part of one with its own time zone.
struct Borders: Sendable {
  /// The number of a region.
  typealias Region = UInt16

  /// The number of columns, and of rows, in a cell of one degree.
  private static let side = 128.0
  private static let headerSize = 20

  private let codes: Table
  private let cells: Table
  private let words: Table
  private let zones: Table

  /// The regions in the library; nil if the library was built without borders.
  static let embedded: Borders? =
    borders_size() == 0
    ? nil : unsafe Borders(UnsafeRawBufferPointer(start: borders_data(), count: borders_size()))

  /// - Parameter bytes: Constant memory with a file of regions. It is never released.
  @unsafe init(_ bytes: UnsafeRawBufferPointer) {
    let header = unsafe Table(bytes, stride: 4)
    let cellsStart = Self.headerSize + 4 * Int(header.number(3))
    let wordsStart = cellsStart + 4 * 360 * 180
    let zonesStart = wordsStart + 2 * Int(header.number(4))
    func table(_ range: Range<Int>, _ stride: Int) -> Table {
      unsafe Table(UnsafeRawBufferPointer(rebasing: bytes[range]), stride: stride)
    }
    codes = table(Self.headerSize..<cellsStart, 4)
    cells = table(cellsStart..<wordsStart, 4)
    words = table(wordsStart..<zonesStart, 2)
    zones = table(zonesStart..<bytes.count, 1)
  }

  /// The two-letter code in ISO 3166-1 of a region's country.
  func countryCode(_ region: Region) -> [UInt8] {
    [codes.number(Int(region), as: UInt8.self), codes.number(Int(region), at: 1, as: UInt8.self)]
  }

  /// The time zone of a region; empty if it is that of the nearest place in the region.
  func timeZone(_ region: Region) -> StoredText {
    zones.text(Int(codes.number(Int(region), at: 2, as: UInt16.self)))
  }

  /// The region of a point. At sea, the region of the nearest land in the point's cell; nil if the
  /// cell has no land.
  func region(at coordinate: Coordinate) -> Region? {
    let north = coordinate.latitude + 90
    // 180° E is read as 180° W, the western edge of the first column.
    let east = coordinate.longitude == 180 ? 0 : coordinate.longitude + 180
    let (row, column) = (min(Int(north), 179), min(Int(east), 359))
    let cell: UInt32 = cells.number(row * 360 + column)
    guard cell >> 31 == 1 else { return cell == 0 ? nil : Region(truncatingIfNeeded: cell) }
    let code = Self.mortonCode(
      row: (north - Double(row)) * Self.side, column: (east - Double(column)) * Self.side)
    return region(ofPixel: code, in: Int(cell & ~(1 << 31)))
  }

  /// The region of the last run that begins at a pixel or before it.
  ///
  /// - Parameter start: The index of the first word of the cell.
  private func region(ofPixel code: UInt16, in start: Int) -> Region {
    func word(_ index: Int) -> UInt16 { words.number(index, as: UInt16.self) }
    let (regionCount, runCount) = (Int(word(start)), Int(word(start + 1)))
    let (regions, runs) = (start + 2, start + 2 + regionCount)
    let index: Int
    // With up to four regions, a run is one word: the code of its first pixel, and the index of its
    // region in the two lowest bits. With more regions, they are two words.
    if regionCount <= 4 {
      let next = (0..<runCount).partition { word(runs + $0) >> 2 > code }
      index = Int(word(runs + next - 1) & 3)
    } else {
      let next = (0..<runCount).partition { word(runs + 2 * $0) > code }
      index = Int(word(runs + 2 * next - 1))
    }
    return word(regions + index)
  }

  /// The Morton code of a pixel: the bits of its row and column alternate, beginning with the row.
  private static func mortonCode(row: Double, column: Double) -> UInt16 {
    func spread(_ position: Double) -> UInt16 {
      let index = UInt16(min(max(position, 0), side - 1))
      return (0..<7).reduce(0) { $0 | (index >> $1 & 1) << (2 * $1) }
    }
    return spread(row) << 1 | spread(column)
  }
}
