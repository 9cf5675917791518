extension JSONScanner {
  /// Reads an object's members into a report, each on its own; of members with one name the last
  /// counts. Stands on the opening brace.
  ///
  /// - Parameter depth: How many brackets are open within the object.
  /// - Returns: False when a member says that the object is of another class.
  @inline(__always)
  mutating func fields<Report: ReportFields>(
    of report: inout Report, in table: FieldTable, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) -> Bool {
    try take(UInt8(ascii: "{"))
    lastField = FieldOrder.start
    if byte == UInt8(ascii: "}") {
      position += 1
      return true
    }
    return try members(of: &report, in: table, depth: depth, &memory)
  }

  /// Does the same from a member's key on, to after the closing brace.
  @inline(__always)
  mutating func members<Report: ReportFields>(
    of report: inout Report, in table: FieldTable, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) -> Bool {
    var isOfClass = true
    repeat {
      if plainMembers(of: &report, in: table, &memory) { return isOfClass }
      let (found, name) = try key(in: table)
      guard byte == UInt8(ascii: ":") else { throw .syntax }
      position += 1
      skipSpace()
      guard let entry = found else {
        try unknownMember(name, of: &report, depth: depth, &memory)
        continue
      }
      let field = Int(entry.pointee.field)
      switch entry.pointee.kind {
      case .number, .integer:
        guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "{"), byte != UInt8(ascii: "[")
        else { fallthrough }
        if let value = try number(), entry.pointee.accepts(value) {
          report.set(field, value)
        } else {
          report.remove(field)
        }
      case .flag, .time, .text, .list, .className:
        if try !unusualMember(entry.pointee, of: &report, depth: depth, &memory) {
          isOfClass = false
        }
      }
    } while try takeSeparator(or: UInt8(ascii: "}"))
    return isOfClass
  }

  /// How far a member that is read quickly may reach: what is nearer to the end is read with care.
  private static var reach: Int { 64 }

  /// Reads members for as long as they are what most are: a known key, a flag, a number of a few
  /// digits, a time or a text as gpsd writes them, and no blanks. Stops before the first that is not.
  ///
  /// This is where the time goes. Where a member begins follows from the lengths of all before it, so
  /// that the way from one to the next has to be short: the key is guessed, and its length known.
  ///
  /// - Returns: True when the object ended, after its closing brace.
  @inline(__always)
  private mutating func plainMembers<Report: ReportFields>(
    of report: inout Report, in table: FieldTable, _ memory: inout DecoderMemory
  ) -> Bool {
    guard byte == UInt8(ascii: "\"") else { return false }
    var place = position
    var last = lastField
    var end = MemberEnd.comma
    while end == .comma, limit - place >= Self.reach {
      let entry: UnsafePointer<FieldTable.Entry>
      if let expected = table.entry(
        memory.orders[Report.orderSlot][last], head: Self.word(at: place + 1),
        tail: Self.word(at: place + 9))
      {
        entry = expected
      } else {
        guard let found = Self.plainKey(at: place + 1, in: table) else { break }
        entry = found
        memory.orders[Report.orderSlot][last] = entry.pointee.field
      }
      var next = place + 1 + entry.pointee.length
      let found: MemberEnd
      if entry.pointee.isNumber {
        let value = Self.plainNumber(at: &next) { Self.word(at: $0) }
        guard let memberEnd = Self.memberEnd(at: next) else { break }
        if entry.pointee.accepts(value) {
          report.set(Int(entry.pointee.field), value)
        } else {
          // NaN, which is no number of JSON, stands for a value that is not plain.
          guard value == value else { break }
          report.remove(Int(entry.pointee.field))
        }
        found = memberEnd
      } else {
        guard let memberEnd = readPlain(at: &next, entry, into: &report, &memory) else { break }
        found = memberEnd
      }
      // Only here, so that a member that is not plain leaves everything as it was before it.
      (place, last, end) = (next + 1, entry.pointee.field, found)
    }
    (position, lastField) = (place, last)
    return end == .brace
  }

  /// Reads a plain value that is no number, and sets its field; nil when it is another.
  @inline(never)
  private mutating func readPlain<Report: ReportFields>(
    at place: inout UnsafePointer<UInt8>, _ entry: UnsafePointer<FieldTable.Entry>,
    into report: inout Report, _ memory: inout DecoderMemory
  ) -> MemberEnd? {
    let field = Int(entry.pointee.field)
    let value: Double
    switch entry.pointee.kind {
    case .flag: value = Self.plainFlag(at: &place, Self.word(at: place))
    case .time: value = memory.clock.plainTime(at: &place)
    case .text:
      // What may not be converted is passed over by the long way.
      guard let text = Self.plainText(at: &place, limit), let end = Self.memberEnd(at: place),
        mayConvert()
      else { return nil }
      report.set(field, text, &memory)
      return end
    case .number, .integer, .list, .className: return nil
    }
    guard value == value, let end = Self.memberEnd(at: place) else { return nil }
    report.set(field, value)
    return end
  }

  /// What ends a plain member: a comma and the next key, or the object's brace.
  private enum MemberEnd { case comma, brace }

  /// How a plain member's value ends at a place; nil when it does not.
  @inline(__always)
  private static func memberEnd(at place: UnsafePointer<UInt8>) -> MemberEnd? {
    if place[0] == UInt8(ascii: ",") { return place[1] == UInt8(ascii: "\"") ? .comma : nil }
    return place[0] == UInt8(ascii: "}") ? .brace : nil
  }

  /// Finds the field of a key that a colon follows at once; the place is after its opening quote.
  private static func plainKey(
    at place: UnsafePointer<UInt8>, in table: FieldTable
  ) -> UnsafePointer<FieldTable.Entry>? {
    let head = word(at: place)
    let quotes = matches(UInt8(ascii: "\""), in: head)
    let key = quotes == 0 ? head : bytes(below: quotes, of: head)
    return table.entry(table.field(keyHead: key), head: head, tail: word(at: place + 8))
  }

  /// The bytes of a word that lie below the first that is marked.
  @inline(__always)
  private static func bytes(below marks: UInt64, of word: UInt64) -> UInt64 {
    word & ((1 << UInt64(truncatingIfNeeded: marks.trailingZeroBitCount & 56)) &- 1)
  }

  /// A member that is not a number, or not the number that it should be.
  private mutating func unusualMember<Report: ReportFields>(
    _ entry: FieldTable.Entry, of report: inout Report, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) -> Bool {
    let field = Int(entry.field)
    report.remove(field)
    let isText = byte == UInt8(ascii: "\"")
    let isNested = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    switch entry.kind {
    case .time where isText:
      if let seconds = ReportTime.seconds(try text()) { report.set(field, seconds) }
    case .time where !isNested:
      if let number = try number(), let seconds = ReportTime.seconds(since1970: number) {
        report.set(field, seconds)
      }
    case .flag where !isText && !isNested:
      if let flag = try flag() { report.set(field, flag ? 1 : 0) }
    case .text where isText:
      let text = try text()
      if mayConvert() { report.set(field, text, &memory) }
    case .list where byte == UInt8(ascii: "["):
      try list(field, of: &report, depth: depth, &memory)
    case .className where isText:
      let name = try text()
      guard let className = Report.className else { return true }
      // Of classes with the same fields the last one named counts: that is looked for.
      guard Report.classNames.count == 1 else { return false }
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
    _ field: Int, of report: inout Report, depth: Int, _ memory: inout DecoderMemory
  ) throws(Fault) {
    if report.skips(field, memory), skipFlatList() { return }
    report.begin(field)
    position += 1
    skipSpace()
    if byte == UInt8(ascii: "]") {
      position += 1
      return
    }
    repeat {
      if byte == UInt8(ascii: "{") {
        try report.add(field, &self, &memory)
      } else {
        try skipValue(depth: depth + 1)
      }
    } while try takeSeparator(or: UInt8(ascii: "]"))
  }

  /// Reads a key and finds its field; stands on the key's opening quote, and after it on the colon.
  ///
  /// - Returns: No name when there are too many names to look for.
  private mutating func key(
    in table: FieldTable
  ) throws(Fault) -> (field: UnsafePointer<FieldTable.Entry>?, name: ScannedText?) {
    let key = try text()
    skipSpace()
    guard key.hasEscapes else { return (table.entry(key.bytes), key) }
    return mayConvert() ? (table.entry(Array(key.string().utf8)), key) : (nil, nil)
  }
}
