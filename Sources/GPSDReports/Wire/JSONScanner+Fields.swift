import JSONScanning

extension JSONScanner {
  /// Reads an object's members into a report. Each member is handled independently; of several
  /// members with the same name, the last one is used. The scanner is at the opening brace.
  ///
  /// - Parameter depth: The nesting depth of the object's members.
  /// - Returns: False if a member states that the object is of another class.
  @inline(__always)
  mutating func fields<Report: StoredReport>(
    of report: inout Report, in table: FieldTable, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) -> Bool {
    try skipPunctuation(UInt8(ascii: "{"))
    lastField = FieldOrder.start
    if byte == UInt8(ascii: "}") {
      position += 1
      return true
    }
    return try members(of: &report, in: table, depth: depth, &memory)
  }

  /// Reads the rest of an object as `fields` does. The scanner is at a member's key.
  @inline(__always)
  mutating func members<Report: StoredReport>(
    of report: inout Report, in table: FieldTable, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) -> Bool {
    var isOfClass = true
    repeat {
      if plainMembers(of: &report, in: table, &memory) { return isOfClass }
      let name = try text()
      // A name with escapes is compared after its conversion.
      let isReadable = !name.hasEscapes || mayConvert()
      try skipColon()
      guard isReadable, let entry = table.entry(name) else {
        try unknownMember(isReadable ? name : nil, of: &report, depth: depth, &memory)
        continue
      }
      let field = Int(entry.pointee.field)
      switch entry.pointee.kind {
      case .number, .integer:
        guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "{"), byte != UInt8(ascii: "[")
        else { fallthrough }
        if let value = try number(), entry.pointee.accepts(value) {
          report.storage.set(field, value)
        } else {
          report.storage.removeNumber(field)
        }
      case .flag, .time, .text, .device, .list, .className:
        if try !unusualMember(entry.pointee, of: &report, depth: depth, &memory) {
          isOfClass = false
        }
      }
    } while try readSeparator(or: UInt8(ascii: "}"))
    return isOfClass
  }

  /// The number of bytes that must be readable for a member on the fast path, more than the longest
  /// key with a number or a time. Closer to the end of the bytes, members take the slow path.
  private static var reach: Int { 64 }

  /// Reads members on the fast path: a known key, then a flag, a number of a few digits, or a time
  /// or text as gpsd writes them, without whitespace. Stops before the first member of another
  /// form.
  ///
  /// This is the hot loop. Each member's position depends on the lengths of all members before it,
  /// so the dependency from one member to the next must be short: the key is predicted, and its
  /// length is known.
  ///
  /// - Returns: True if the object ended; the position is then after its closing brace.
  @inline(__always)
  private mutating func plainMembers<Report: StoredReport>(
    of report: inout Report, in table: FieldTable, _ memory: inout DecoderMemory
  ) -> Bool {
    guard byte == UInt8(ascii: "\"") else { return false }
    let line = bytes
    var place = position
    var last = lastField
    var end = MemberEnd.comma
    // SAFETY: in the loop and the functions that it calls, a key of at most 17 bytes, a number of
    // at most 20 or a time of 26, and the word read beyond it lie in the readable bytes that the
    // loop's condition ensures.
    while end == .comma, line.count &- place >= Self.reach {
      let entry: FieldTable.Reference
      if let expected = table.entry(
        memory.orders[Report.orderSlot][last], head: unsafe line.word(uncheckedAt: place &+ 1),
        tail: unsafe line.word(uncheckedAt: place &+ 9))
      {
        entry = expected
      } else {
        guard let found = Self.plainKey(in: line, at: place &+ 1, table) else { break }
        entry = found
        memory.orders[Report.orderSlot][last] = entry.pointee.field
      }
      var next = place &+ 1 &+ entry.pointee.length
      let memberEnd: MemberEnd
      if entry.pointee.isNumber {
        let value = Self.plainNumber(in: line, at: &next, isNearEnd: false)
        guard let ending = Self.memberEnd(in: line, at: next) else { break }
        if entry.pointee.accepts(value) {
          report.storage.set(Int(entry.pointee.field), value)
        } else {
          // NaN, which is not a JSON number, marks a value that is not plain.
          guard value == value else { break }
          report.storage.removeNumber(Int(entry.pointee.field))
        }
        memberEnd = ending
      } else {
        guard let ending = readPlain(at: &next, entry, into: &report, &memory) else { break }
        memberEnd = ending
      }
      // Updated only here, so that a member that is not plain leaves the state unchanged.
      (place, last, end) = (next &+ 1, entry.pointee.field, memberEnd)
    }
    (position, lastField) = (place, last)
    return end == .brace
  }

  /// Reads a plain value that is not a number and sets its field; nil for any other value.
  @inline(never)
  private mutating func readPlain<Report: StoredReport>(
    at place: inout Int, _ entry: FieldTable.Reference,
    into report: inout Report, _ memory: inout DecoderMemory
  ) -> MemberEnd? {
    let line = bytes
    let field = Int(entry.pointee.field)
    let value: Double
    switch entry.pointee.kind {
    case .flag: value = Self.plainFlag(at: &place, unsafe line.word(uncheckedAt: place))
    case .time: value = memory.clock.plainTime(in: line, at: &place)
    case .text, .device:
      // A text beyond the conversion limit is skipped on the slow path.
      guard let text = Self.plainText(in: line, at: &place),
        let end = Self.memberEnd(in: line, at: place), mayConvert()
      else { return nil }
      report.storage.set(
        field, entry.pointee.kind == .device ? memory.names.name(text) : text.string())
      return end
    case .number, .integer, .list, .className: return nil
    }
    guard value == value, let end = Self.memberEnd(in: line, at: place) else { return nil }
    report.storage.set(field, value)
    return end
  }

  /// The end of a plain member: a comma and the next key, or the object's closing brace.
  private enum MemberEnd { case comma, brace }

  /// Returns how a plain member's value ends at this position; nil if it does not end there. The
  /// byte must be readable; a comma is never the last readable byte.
  @inline(__always)
  private static func memberEnd(in line: Span<UInt8>, at place: Int) -> MemberEnd? {
    let byte = unsafe line[unchecked: place]
    if byte == UInt8(ascii: ",") {
      return unsafe line[unchecked: place &+ 1] == UInt8(ascii: "\"") ? .comma : nil
    }
    return byte == UInt8(ascii: "}") ? .brace : nil
  }

  /// Finds the field of a key that is directly followed by a colon; `place` is after the opening
  /// quote. Sixteen bytes must be readable.
  private static func plainKey(
    in line: Span<UInt8>, at place: Int, _ table: FieldTable
  ) -> FieldTable.Reference? {
    let head = unsafe line.word(uncheckedAt: place)
    let quotes = JSONCharacters.matches(UInt8(ascii: "\""), in: head)
    let key = quotes == 0 ? head : bytes(below: quotes, of: head)
    return table.entry(
      table.field(keyHead: key), head: head, tail: unsafe line.word(uncheckedAt: place &+ 8))
  }

  /// Returns the bytes of a word below the first marked one.
  @inline(__always)
  private static func bytes(below marks: UInt64, of word: UInt64) -> UInt64 {
    word & ((1 << UInt64(truncatingIfNeeded: marks.trailingZeroBitCount & 56)) &- 1)
  }

  /// Reads a member that is not a number, or whose value is not of its field's type. Returns false
  /// if the member states another class.
  private mutating func unusualMember<Report: StoredReport>(
    _ entry: FieldTable.Entry, of report: inout Report, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) -> Bool {
    let field = Int(entry.field)
    switch entry.kind {
    case .number, .integer, .flag, .time: report.storage.removeNumber(field)
    case .text, .device: report.storage.removeText(field)
    case .list: report.storage.lists[field] = Report.list(field).defaultValue
    case .className: break
    }
    let isText = byte == UInt8(ascii: "\"")
    let isNested = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    switch entry.kind {
    case .time where isText:
      if let seconds = ReportTime.seconds(try text()) { report.storage.set(field, seconds) }
    case .time where !isNested:
      if let number = try number(), let seconds = ReportTime.seconds(since1970: number) {
        report.storage.set(field, seconds)
      }
    case .flag where !isText && !isNested:
      if let flag = try flag() { report.storage.set(field, flag ? 1 : 0) }
    case .text where isText:
      let text = try text()
      if mayConvert() { report.storage.set(field, text.string()) }
    case .device where isText:
      let text = try text()
      if mayConvert() { report.storage.set(field, memory.names.name(text)) }
    case .list where byte == UInt8(ascii: "["):
      try list(field, of: &report, depth: depth, &memory)
    case .className where isText:
      let name = try text()
      guard let className = Report.className else { return true }
      // If several classes share the fields, this may be another of them. The decoder then searches
      // for the last `class` member, which decides.
      guard Report.classNames.count == 1 else { return false }
      return name.hasEscapes
        ? mayConvert() && name.string() == className : name.bytes.elementsEqual(className)
    case .className:
      try skipValue(depth: depth)
      return Report.className == nil
    case .number, .integer, .time, .flag, .text, .device, .list:
      try skipValue(depth: depth)
    }
    return true
  }

  /// Reads an array's objects; other elements are skipped.
  private mutating func list<Report: StoredReport>(
    _ field: Int, of report: inout Report, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) {
    if report.skipsLists(memory), skipFlatList() { return }
    let list = Report.list(field)
    report.storage.lists.begin(field, list, expecting: report.expectedListLength)
    position += 1
    skipSpace()
    if byte == UInt8(ascii: "]") {
      position += 1
      return
    }
    repeat {
      if byte == UInt8(ascii: "{") {
        try report.storage.lists.add(field, list, &self, &memory)
      } else {
        try skipValue(depth: depth + 1)
      }
    } while try readSeparator(or: UInt8(ascii: "]"))
  }
}
