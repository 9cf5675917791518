/// Splits bytes into lines at line feeds, carriage returns, and pairs of a carriage return and a
/// line feed. Numbers the lines from 1.
///
/// It carries at most one incomplete line, of at most `cap` bytes.
struct LineSplitter {
  /// A line. If `isTooLong` is true, its bytes beyond the cap are missing.
  struct Line {
    let number: Int
    let bytes: ArraySlice<UInt8>
    let isTooLong: Bool
  }

  /// The maximum number of bytes of a line.
  private let cap: Int
  private var carried: [UInt8] = []
  private var processed = 0
  /// The number of the line that comes next or is incomplete.
  private(set) var number = 1
  private var isTooLong = false
  private var endedWithReturn = false

  init(cap: Int) { self.cap = cap }

  var cost: ReadingCost { ReadingCost(processed: processed, held: carried.count) }

  /// Returns the lines that these bytes complete.
  mutating func split(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var start = bytes.startIndex
    processed += bytes.count
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte == 10 || byte == 13 else {
        endedWithReturn = false
        continue
      }
      defer { start = index + 1 }
      if byte == 10, endedWithReturn {
        endedWithReturn = false
        continue
      }
      endedWithReturn = byte == 13
      lines.append(line(bytes[start..<index]))
    }
    carry(bytes[start...])
    return lines
  }

  /// Returns the last line if it has no terminator, else an empty array.
  mutating func finish() -> [Line] { carried.isEmpty && !isTooLong ? [] : [line([])] }

  /// Returns the line that ends with these bytes.
  private mutating func line(_ rest: ArraySlice<UInt8>) -> Line {
    defer { number += 1 }
    if carried.isEmpty, !isTooLong, rest.count <= cap {
      return Line(number: number, bytes: rest, isTooLong: false)
    }
    carry(rest)
    defer { (carried, isTooLong) = ([], false) }
    return Line(number: number, bytes: carried[...], isTooLong: isTooLong)
  }

  private mutating func carry(_ bytes: ArraySlice<UInt8>) {
    let room = cap - carried.count
    carried += bytes.prefix(room)
    processed += bytes.prefix(room).count
    if bytes.count > room { isTooLong = true }
  }
}
