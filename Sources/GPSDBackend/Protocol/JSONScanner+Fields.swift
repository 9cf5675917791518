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
      report.set(entry.field, try text(), &names)
    case .list where byte == UInt8(ascii: "["):
      try list(entry.field, of: &report, depth: depth, &names)
    case .className where isText:
      let name = try text().string()
      return Report.className == nil || Report.className == name
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
  private mutating func key(in table: FieldTable) throws(Fault) -> UnsafePointer<FieldTable.Entry>?
  {
    guard byte == UInt8(ascii: "\"") else { throw .syntax }
    let start = position + 1
    if let head = word(at: start) {
      let quotes = Self.matches(UInt8(ascii: "\""), in: head)
      if quotes != 0 {
        let length = quotes.trailingZeroBitCount >> 3
        let key = head & ((1 << UInt64(quotes.trailingZeroBitCount & ~7)) &- 1)
        if let entry = table.entry(head: key, tail: 0, length: length) {
          position = start + length + 1
          skipSpace()
          return entry
        }
      } else if let next = word(at: start + 8) {
        let quotes = Self.matches(UInt8(ascii: "\""), in: next)
        if quotes != 0 {
          let length = quotes.trailingZeroBitCount >> 3
          let tail = next & ((1 << UInt64(quotes.trailingZeroBitCount & ~7)) &- 1)
          if let entry = table.entry(head: head, tail: tail, length: length + 8) {
            position = start + length + 9
            skipSpace()
            return entry
          }
        }
      }
    }
    return try unusualKey(in: table)
  }

  /// A key that no field has, or that was written in an unusual way.
  @inline(never)
  private mutating func unusualKey(
    in table: FieldTable
  ) throws(Fault) -> UnsafePointer<FieldTable.Entry>? {
    let key = try text()
    skipSpace()
    return key.hasEscapes ? table.entry(Array(key.string().utf8)) : table.entry(key.bytes)
  }
}
