/// Splits CSV (RFC 4180) into records: fields in quotation marks may have separators, line ends and
/// doubled quotation marks.
///
/// Carries one incomplete record, of at most ``maximumLength`` bytes. The rest of a longer record
/// is dropped, up to the next line end.
struct CSVSplitter {
  static let maximumLength = 1 << 16

  struct Record: Hashable, Sendable {
    /// The line where the record begins, counted from 1.
    let line: Int
    let fields: [String]
    let end: End
    /// The reason that the record cannot be used; nil if it can be used.
    let problem: Problem?
  }

  /// The end of the last field.
  enum End: Hashable, Sendable {
    /// The end of the line.
    case line
    /// The end of the content, after a quotation mark: the field is complete.
    case quotation
    /// The end of the content: the field may be incomplete.
    case none
  }

  enum Problem: Hashable, Sendable { case tooLong, openQuotation }

  private enum Place { case fieldStart, plain, quoted, quoteInQuoted }

  private let separator: UInt8
  private var place = Place.fieldStart
  private var field: [UInt8] = []
  private var fields: [String] = []
  /// The number of bytes of the record so far, including those that were dropped.
  private var length = 0
  /// The number of the current line.
  private(set) var line: Int
  /// The number of the line where the record begins.
  private var firstLine: Int
  private var endedWithReturn = false
  private var processed = 0

  var cost: ReadingCost { ReadingCost(processed: processed, held: min(length, Self.maximumLength)) }

  /// - Parameter line: The number of the first line.
  init(separator: UInt8, line: Int = 1) {
    self.separator = separator
    (self.line, firstLine) = (line, line)
  }

  /// Returns the records that these bytes complete. Empty lines are not records.
  mutating func split(_ bytes: some Sequence<UInt8>) -> [Record] {
    var records: [Record] = []
    for byte in bytes {
      let isSecondOfPair = byte == 10 && endedWithReturn
      endedWithReturn = byte == 13
      if isSecondOfPair, place == .fieldStart, length == 0 { continue }
      if byte == 10 || byte == 13, !isSecondOfPair { line += 1 }
      handle(byte, into: &records)
    }
    return records
  }

  /// Returns the last record if its line has no end, else an empty array.
  mutating func finish() -> [Record] {
    guard length > 0 else { return [] }
    var records: [Record] = []
    end(
      place == .quoted ? .openQuotation : nil, place == .quoteInQuoted ? .quotation : .none,
      into: &records)
    return records
  }

  private mutating func handle(_ byte: UInt8, into records: inout [Record]) {
    let isEnd = byte == 10 || byte == 13
    // A quotation that is not closed within the maximum length ends at a line end, so that the
    // following records are not lost.
    if isEnd, place != .quoted || length > Self.maximumLength {
      return end(nil, .line, into: &records)
    }
    length += 1
    processed += 1
    guard length <= Self.maximumLength else { return }
    switch (place, byte) {
    // Columbus loggers pad fields with NUL bytes.
    case (_, 0): break
    case (.fieldStart, UInt8(ascii: "\"")): place = .quoted
    case (.quoted, UInt8(ascii: "\"")): place = .quoteInQuoted
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      field.append(byte)
      place = .quoted
    case (.fieldStart, separator), (.plain, separator), (.quoteInQuoted, separator): endField()
    case (.fieldStart, _), (.plain, _), (.quoteInQuoted, _):
      field.append(byte)
      place = .plain
    case (.quoted, _): field.append(byte)
    }
  }

  private mutating func endField() {
    fields.append(String(decoding: field, as: UTF8.self))
    field.removeAll(keepingCapacity: true)
    place = .fieldStart
  }

  private mutating func end(
    _ problem: Problem?, _ end: End, into records: inout [Record]
  ) {
    if length > 0 {
      endField()
      records.append(
        Record(
          line: firstLine, fields: fields, end: end,
          problem: length > Self.maximumLength ? .tooLong : problem))
    }
    fields = []
    field.removeAll(keepingCapacity: true)
    (place, length, firstLine) = (.fieldStart, 0, line)
  }
}
