extension JSONScanner {
  /// Reads an object's members into a report, each on its own; of members with one name the last
  /// counts. Stands on the opening brace.
  ///
  /// - Parameter depth: How many brackets are open within the object.
  /// - Returns: False when a member says that the object is of another class.
  @inline(__always)
  mutating func fields<Report: ReportFields>(
    of report: inout Report, in table: FieldTable, depth: Int, _ names: inout NameCache
  ) throws(Fault) -> Bool {
    try take(UInt8(ascii: "{"))
    if byte == UInt8(ascii: "}") {
      position += 1
      return true
    }
    return try members(of: &report, in: table, depth: depth, &names)
  }

  /// Does the same from a member's key on, to after the closing brace.
  @inline(__always)
  mutating func members<Report: ReportFields>(
    of report: inout Report, in table: FieldTable, depth: Int, _ names: inout NameCache
  ) throws(Fault) -> Bool {
    var isOfClass = true
    repeat {
      if plainMembers(of: &report, in: table) { return isOfClass }
      let found = try key(in: table)
      guard byte == UInt8(ascii: ":") else { throw .syntax }
      position += 1
      skipSpace()
      guard let entry = found else {
        try skipValue(depth: depth)
        continue
      }
      let field = entry.pointee.field
      switch entry.pointee.kind {
      case .number, .integer:
        guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "{"), byte != UInt8(ascii: "[")
        else { fallthrough }
        if let value = try number(), value >= entry.pointee.range.lowerBound,
          value <= entry.pointee.range.upperBound,
          entry.pointee.kind == .number || Double(Int(value)) == value
        {
          report.set(field, value)
        } else {
          report.remove(field)
        }
      case .flag, .time, .text, .list, .className:
        if try !unusualMember(entry.pointee, of: &report, depth: depth, &names) {
          isOfClass = false
        }
      }
    } while try takeSeparator(or: UInt8(ascii: "}"))
    return isOfClass
  }

  /// Reads members for as long as they are what most are: a known key, a flag or a number of a few
  /// digits, and no blanks. Stops before the first that is not.
  ///
  /// This is where the time goes, so it keeps its place in a local variable.
  ///
  /// - Returns: True when the object ended, after its closing brace.
  @inline(__always)
  private mutating func plainMembers<Report: ReportFields>(
    of report: inout Report, in table: FieldTable
  ) -> Bool {
    var place = position
    while limit - place > 32, place[0] == UInt8(ascii: "\"") {
      let head = Self.load(place + 1)
      var quotes = Self.matches(UInt8(ascii: "\""), in: head)
      var length = quotes.trailingZeroBitCount >> 3
      let found: UnsafePointer<FieldTable.Entry>?
      if quotes != 0 {
        found = table.entry(head: Self.bytes(below: quotes, of: head), tail: 0, length: length)
      } else {
        let tail = Self.load(place + 9)
        quotes = Self.matches(UInt8(ascii: "\""), in: tail)
        guard quotes != 0 else { break }
        length = 8 + quotes.trailingZeroBitCount >> 3
        found = table.entry(
          head: head, tail: Self.bytes(below: quotes, of: tail), length: length)
      }
      guard let entry = found?.pointee, place[length + 2] == UInt8(ascii: ":") else { break }
      var next = place + length + 3
      let value: Double
      switch entry.kind {
      case .number, .integer: value = Self.plainNumber(at: &next)
      case .flag: value = Self.plainFlag(at: &next, Self.load(next))
      case .time, .text, .list, .className: value = .nan
      }
      // NaN, which is no number of JSON, stands for a value that is not plain.
      guard value == value else { break }
      let isLast = next[0] == UInt8(ascii: "}")
      guard isLast || next[0] == UInt8(ascii: ",") && next[1] == UInt8(ascii: "\"") else { break }
      if value >= entry.range.lowerBound, value <= entry.range.upperBound,
        entry.kind != .integer || Double(Int(value)) == value
      {
        report.set(entry.field, value)
      } else {
        report.remove(entry.field)
      }
      place = next + 1
      if isLast {
        position = place
        return true
      }
    }
    position = place
    return false
  }

  @inline(__always)
  private static func load(_ place: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
  }

  /// The bytes of a word that lie below the first that is marked.
  @inline(__always)
  private static func bytes(below marks: UInt64, of word: UInt64) -> UInt64 {
    word & ((1 << UInt64(truncatingIfNeeded: marks.trailingZeroBitCount & 56)) &- 1)
  }

  /// A member that is not a number, or not the number that it should be.
  private mutating func unusualMember<Report: ReportFields>(
    _ entry: FieldTable.Entry, of report: inout Report, depth: Int, _ names: inout NameCache
  ) throws(Fault) -> Bool {
    report.remove(entry.field)
    let isText = byte == UInt8(ascii: "\"")
    let isNested = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    switch entry.kind {
    case .time where isText:
      if let seconds = ReportTime.seconds(try text()) { report.set(entry.field, seconds) }
    case .time where !isNested:
      if let number = try number(), let seconds = ReportTime.seconds(since1970: number) {
        report.set(entry.field, seconds)
      }
    case .flag where !isText && !isNested:
      if let flag = try flag() { report.set(entry.field, flag ? 1 : 0) }
    case .text where isText:
      let text = try text()
      if mayConvert() { report.set(entry.field, text, &names) }
    case .list where byte == UInt8(ascii: "["):
      try list(entry.field, of: &report, depth: depth, &names)
    case .className where isText:
      let name = try text()
      guard let className = Report.className else { return true }
      return name.hasEscapes
        ? mayConvert() && name.string() == className : name.bytes.elementsEqual(className.utf8)
    case .className:
      try skipValue(depth: depth)
      return Report.className == nil
    case .number, .integer, .time, .flag, .text, .list:
      try skipValue(depth: depth)
    }
    return true
  }

  /// Reads an array's objects; what else is in it is passed over.
  private mutating func list<Report: ReportFields>(
    _ field: Int, of report: inout Report, depth: Int, _ names: inout NameCache
  ) throws(Fault) {
    report.begin(field)
    position += 1
    skipSpace()
    if byte == UInt8(ascii: "]") {
      position += 1
      return
    }
    repeat {
      if byte == UInt8(ascii: "{") {
        try report.add(field, &self, &names)
      } else {
        try skipValue(depth: depth + 1)
      }
    } while try takeSeparator(or: UInt8(ascii: "]"))
  }

  /// Reads a key and finds its field; stands on the key's opening quote, and after it on the colon.
  @inline(__always)
  private mutating func key(
    in table: FieldTable
  ) throws(Fault) -> UnsafePointer<FieldTable.Entry>? {
    guard byte == UInt8(ascii: "\"") else { throw .syntax }
    let start = position + 1
    if let head = word(at: start) {
      let quotes = Self.matches(UInt8(ascii: "\""), in: head)
      let length = quotes.trailingZeroBitCount >> 3
      if quotes != 0,
        let entry = table.entry(
          head: Self.bytes(below: quotes, of: head), tail: 0, length: length)
      {
        position = start + length + 1
        skipSpace()
        return entry
      }
    }
    return try unusualKey(in: table)
  }

  /// A key that is long, that no field has, or that was written in an unusual way.
  @inline(never)
  private mutating func unusualKey(
    in table: FieldTable
  ) throws(Fault) -> UnsafePointer<FieldTable.Entry>? {
    let key = try text()
    skipSpace()
    guard key.hasEscapes else { return table.entry(key.bytes) }
    return mayConvert() ? table.entry(Array(key.string().utf8)) : nil
  }
}
