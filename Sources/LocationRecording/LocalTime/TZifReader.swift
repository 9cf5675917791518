/// Reads a file of the time zone database: RFC 8536, section 3, and version 4 of RFC 9636. Pure.
///
/// In the messages of its errors, "it" is the file.
struct TZifReader {
  /// The maximum size of a file. The files of the database have less than 5 KiB.
  static let maximumSize = 64 << 10

  private struct Header {
    static let size = 44

    /// 1 to 4.
    let version: Int
    let universalCount: Int
    let standardCount: Int
    let leapSecondCount: Int
    let transitionCount: Int
    let typeCount: Int
    let characterCount: Int

    /// The size of the data that follows.
    func dataSize(timeSize: Int) -> Int {
      transitionCount * (timeSize + 1) + typeCount * 6 + characterCount
        + leapSecondCount * (timeSize + 4) + standardCount + universalCount
    }
  }

  /// The sum of the leap seconds from a time on.
  private struct LeapSecond {
    let time: Int
    let correction: Int
  }

  private var rest: ArraySlice<UInt8>

  private init(_ bytes: [UInt8]) { rest = bytes[...] }

  static func schedule(_ bytes: [UInt8]) throws(RecordingError) -> LocalTimeSchedule {
    guard bytes.count <= maximumSize else {
      throw RecordingError(.tooLarge, "it is longer than \(maximumSize >> 10) KiB")
    }
    var reader = Self(bytes)
    let header = try reader.header()
    guard header.version > 1 else { return try reader.schedule(header, timeSize: 4) }
    // The data block of version 1 precedes the one with 64-bit times.
    _ = try reader.readBytes(header.dataSize(timeSize: 4))
    let secondHeader = try reader.header()
    var schedule = try reader.schedule(secondHeader, timeSize: 8)
    schedule.rule = try reader.footer()
    return schedule
  }

  /// Reads a header: section 3.1.
  private mutating func header() throws(RecordingError) -> Header {
    let bytes = try readBytes(Header.size)
    guard bytes.starts(with: "TZif".utf8) else {
      throw Self.malformed("it has no header of TZif")
    }
    let version: Int
    switch bytes[bytes.startIndex + 4] {
    case 0: version = 1
    case let digit where (UInt8(ascii: "2")...UInt8(ascii: "4")).contains(digit):
      version = Int(digit - UInt8(ascii: "0"))
    default: throw Self.malformed("its version is none of 1 to 4")
    }
    let counts = bytes.dropFirst(20).slices(ofSize: 4).map { Int($0.bigEndian) }
    return Header(
      version: version, universalCount: counts[0], standardCount: counts[1],
      leapSecondCount: counts[2], transitionCount: counts[3], typeCount: counts[4],
      characterCount: counts[5])
  }

  /// Reads a data block: section 3.2. Ignores the standard/wall and UT/local indicators.
  private mutating func schedule(
    _ header: Header, timeSize: Int
  ) throws(RecordingError) -> LocalTimeSchedule {
    guard header.dataSize(timeSize: timeSize) <= rest.count else { throw Self.truncated }
    let times = try readBytes(header.transitionCount * timeSize)
    let typeIndexes = try readBytes(header.transitionCount)
    let typeRecords = try readBytes(header.typeCount * 6)
    let characters = try readBytes(header.characterCount)
    let leapSeconds = try readBytes(header.leapSecondCount * (timeSize + 4))
    _ = try readBytes(header.standardCount + header.universalCount)

    let types = try Self.types(typeRecords, characters)
    guard let first = types.first else { throw Self.malformed("it has no local time") }
    var clock = LeapSecondClock(try Self.leapSeconds(leapSeconds, timeSize: timeSize))
    var transitions: [LocalTimeSchedule.Transition] = []
    transitions.reserveCapacity(header.transitionCount)
    for (bytes, index) in zip(times.slices(ofSize: timeSize), typeIndexes) {
      guard let time = clock.posixTime(bytes.signedBigEndian),
        transitions.last.map({ $0.time < time }) ?? true
      else { throw Self.malformed("its transitions are not in order") }
      guard Int(index) < types.count else {
        throw Self.malformed("a transition names a local time that it does not have")
      }
      transitions.append(.init(time: time, type: types[Int(index)]))
    }
    return LocalTimeSchedule(first: first, transitions: transitions, rule: nil)
  }

  private static func types(
    _ records: ArraySlice<UInt8>, _ characters: ArraySlice<UInt8>
  ) throws(RecordingError) -> [LocalTimeType] {
    var types: [LocalTimeType] = []
    for record in records.slices(ofSize: 6) {
      let text = characters.dropFirst(Int(record[record.startIndex + 5]))
        .prefix(LocalTimeType.longestAbbreviation + 1)
      guard let end = text.firstIndex(of: 0),
        let type = LocalTimeType(
          offset: record.prefix(4).signedBigEndian, abbreviation: text[..<end])
      else {
        throw malformed("the offset or the abbreviation of a local time is not a valid one")
      }
      types.append(type)
    }
    return types
  }

  private static func leapSeconds(
    _ records: ArraySlice<UInt8>, timeSize: Int
  ) throws(RecordingError) -> [LeapSecond] {
    var leapSeconds: [LeapSecond] = []
    for record in records.slices(ofSize: timeSize + 4) {
      let leapSecond = LeapSecond(
        time: record.prefix(timeSize).signedBigEndian,
        correction: record.suffix(4).signedBigEndian)
      guard leapSeconds.last.map({ $0.time < leapSecond.time }) ?? true else {
        throw malformed("its leap seconds are not in order")
      }
      leapSeconds.append(leapSecond)
    }
    return leapSeconds
  }

  /// Reads the footer, section 3.3: the rule after the last transition, between two newlines; nil
  /// if it is empty.
  private mutating func footer() throws(RecordingError) -> PosixTimeZone? {
    let newline = UInt8(ascii: "\n")
    guard rest.first == newline, let end = rest.dropFirst().firstIndex(of: newline) else {
      throw Self.malformed("its footer is missing or cut")
    }
    let text = rest.dropFirst().prefix(upTo: end)
    guard !text.isEmpty else { return nil }
    guard let rule = PosixTimeZone(text) else {
      throw Self.malformed("the rule in its footer is not one of POSIX")
    }
    return rule
  }

  private mutating func readBytes(_ count: Int) throws(RecordingError) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw Self.truncated }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private static var truncated: RecordingError { malformed("it ends too early") }

  private static func malformed(_ reason: String) -> RecordingError {
    RecordingError(.malformed, reason)
  }

  /// Converts ascending times that count leap seconds to POSIX times, which do not.
  private struct LeapSecondClock {
    private var next: ArraySlice<LeapSecond>
    private var correction = 0

    init(_ leapSeconds: [LeapSecond]) { next = leapSeconds[...] }

    /// Converts a time; nil on overflow.
    mutating func posixTime(_ time: Int) -> Int? {
      while let leapSecond = next.first, leapSecond.time <= time {
        correction = leapSecond.correction
        next = next.dropFirst()
      }
      let (difference, hasOverflow) = time.subtractingReportingOverflow(correction)
      return hasOverflow ? nil : difference
    }
  }
}

extension ArraySlice<UInt8> {
  /// The slices of a size that divides the count.
  fileprivate func slices(ofSize size: Int) -> some Sequence<ArraySlice<UInt8>> {
    stride(from: startIndex, to: endIndex, by: size).lazy.map { self[$0..<$0 + size] }
  }

  /// The big-endian value of at most eight bytes.
  fileprivate var bigEndian: UInt64 { reversed().littleEndian }

  /// The big-endian value of four or eight bytes in two's complement.
  fileprivate var signedBigEndian: Int {
    count == 4
      ? Int(Int32(truncatingIfNeeded: bigEndian)) : Int(Int64(bitPattern: bigEndian))
  }
}
