import AsyncLocation
import FoundationEssentials

/// Reads Garmin's FIT: the points of activities as tracks, those of courses as routes, and course
/// points as waypoints. Keeps one message in memory. Records without a position are left out and
/// counted, and so are developer fields.
///
/// The message numbers, fields and units are those of the FIT SDK's profile. The line of an error
/// is the number of the message.
struct FITReader: FormatReader {
  private enum State: Hashable {
    /// Before the header of a file; several files may be concatenated.
    case header
    /// Before a message, with the number of bytes of messages left before the checksum.
    case messages(Int)
    case checksum
  }

  private var state = State.header
  private var carried: [UInt8] = []
  private var processed = 0
  private var definitions: [UInt8: FITDefinition] = [:]
  private var developerNames: [FITDefinition.DeveloperField: String] = [:]
  private var checksum = FITChecksum()
  private var isCourse = false
  /// Whether the next record begins a segment: the timer was stopped, or another file began.
  private var hasStopped = false
  /// The last time in FIT's seconds, the reference of compressed timestamps.
  private var lastTime: UInt32?
  /// The number of messages read so far, in all files.
  private var messageNumber = 0

  /// Whether bytes begin with the header of a FIT file.
  static func recognizes(_ bytes: [UInt8]) -> Bool {
    [12, 14].contains(bytes.first) && bytes.dropFirst(8).starts(with: ".FIT".utf8)
  }

  var cost: ReadingCost { ReadingCost(processed: processed, held: carried.count) }
  var line: Int { messageNumber }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    processed += bytes.count
    carried += bytes
    var rest = carried[...]
    while try advance(&rest, into: &output) {}
    carried = Array(rest)
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    guard state == .header, carried.isEmpty else {
      throw RecordingError(
        .malformed, line: messageNumber,
        "the file is cut in or behind message \(messageNumber)")
    }
  }

  /// Reads the next header, message or checksum. Returns false if more input is needed.
  private mutating func advance(
    _ rest: inout ArraySlice<UInt8>, into output: inout RecordingOutput
  ) throws(RecordingError) -> Bool {
    switch state {
    case .header: return try readHeader(&rest)
    case .checksum:
      guard rest.count >= 2 else { return false }
      let stored = rest.prefix(2).littleEndian
      rest = rest.dropFirst(2)
      if stored != UInt64(checksum.value) {
        output.skip(line: messageNumber, "the checksum of the file is wrong")
      }
      state = .header
      return true
    case .messages(let count):
      guard let size = try messageSize(rest) else { return false }
      guard size <= count else { throw damaged("a message is longer than its file") }
      guard rest.count >= size else { return false }
      let message = rest.prefix(size)
      rest = rest.dropFirst(size)
      checksum.add(message)
      messageNumber += 1
      state = size == count ? .checksum : .messages(count - size)
      try readMessage(message, into: &output)
      return true
    }
  }

  /// Reads the header of a file. Returns false if more input is needed.
  private mutating func readHeader(_ rest: inout ArraySlice<UInt8>) throws(RecordingError) -> Bool {
    guard let size = rest.first.map(Int.init) else { return false }
    guard size >= 12 else {
      throw damaged("what follows message \(messageNumber) is no header of FIT")
    }
    guard rest.count >= size else { return false }
    let header = Array(rest.prefix(size))
    guard header[8..<12].elementsEqual(".FIT".utf8) else {
      throw damaged("what follows message \(messageNumber) is no header of FIT")
    }
    rest = rest.dropFirst(size)
    checksum = FITChecksum()
    checksum.add(header[...])
    (definitions, developerNames) = ([:], [:])
    (isCourse, hasStopped, lastTime) = (false, messageNumber > 0, nil)
    let count = Int(header[4..<8].littleEndian)
    state = count == 0 ? .checksum : .messages(count)
    return true
  }

  /// The size of the next message with its header; nil if more input is needed.
  private func messageSize(_ rest: ArraySlice<UInt8>) throws(RecordingError) -> Int? {
    guard let header = rest.first else { return nil }
    let bytes = rest.dropFirst()
    guard header & 0xC0 == 0x40 else {
      guard let definition = definitions[Self.localType(header)] else {
        throw damaged("a message has no definition")
      }
      return 1 + definition.size
    }
    guard bytes.count >= 5 else { return nil }
    let end = 5 + 3 * Int(bytes[bytes.startIndex + 4])
    guard header & 0x20 != 0 else { return 1 + end }
    guard bytes.count > end else { return nil }
    return 2 + end + 3 * Int(bytes[bytes.startIndex + end])
  }

  private static func localType(_ header: UInt8) -> UInt8 {
    header & 0x80 != 0 ? header >> 5 & 3 : header & 0xF
  }

  private mutating func readMessage(
    _ bytes: ArraySlice<UInt8>, into output: inout RecordingOutput
  ) throws(RecordingError) {
    guard let header = bytes.first else { return }
    let type = Self.localType(header)
    guard header & 0xC0 != 0x40 else {
      definitions[type] = Self.definition(Array(bytes.dropFirst()))
      return
    }
    guard let definition = definitions[type] else { return }
    let message = FITMessage(definition, bytes.dropFirst())
    var time = FITField.date(message.numbers[FITField.timestamp])
    if time == nil, header & 0x80 != 0, let last = lastTime {
      // A compressed timestamp has the five lowest bits, and is not before the last time.
      let offset = UInt32(header & 0x1F)
      time = last &+ ((offset &- last) & 0x1F)
    }
    lastTime = time ?? lastTime
    handle(message, definition.developerFields, at: time, into: &output)
  }

  /// Decodes the content of a complete definition message.
  static func definition(_ bytes: [UInt8]) -> FITDefinition {
    let isBigEndian = bytes[1] == 1
    let globalNumber =
      isBigEndian ? bytes[2..<4].reversed().littleEndian : bytes[2..<4].littleEndian
    let end = 5 + 3 * Int(bytes[4])
    let fields = stride(from: 5, to: end, by: 3).map { (index: Int) -> FITDefinition.Field in
      FITDefinition.Field(
        number: bytes[index], size: Int(bytes[index + 1]), type: bytes[index + 2])
    }
    let developer = stride(from: end + 1, to: bytes.count, by: 3)
    return FITDefinition(
      globalNumber: UInt16(globalNumber), isBigEndian: isBigEndian,
      fields: fields.filter { $0.size > 0 },
      developerFields: developer.map { (index: Int) -> FITDefinition.DeveloperField in
        FITDefinition.DeveloperField(dataIndex: bytes[index + 2], number: bytes[index])
      },
      developerSize: developer.reduce(0) { (size: Int, index: Int) in size + Int(bytes[index + 1]) }
    )
  }

  /// - Parameter time: The timestamp of the message, in FIT's seconds.
  private mutating func handle(
    _ message: FITMessage, _ developerFields: [FITDefinition.DeveloperField], at time: UInt32?,
    into output: inout RecordingOutput
  ) {
    switch message.globalNumber {
    case FITField.fileIdentifier:
      // The file type 6 is a course.
      isCourse = message.numbers[0] == 6
    case FITField.course:
      if let name = message.texts[5] { output.setName(name, of: .route) }
    case FITField.event:
      // A timer event of the type stop or stop all.
      if message.numbers[0] == 0, [1, 4].contains(message.numbers[1]) { hasStopped = true }
    case FITField.coursePoint:
      let time = FITField.date(message.numbers[1])
      guard let fix = fix(message, latitude: 2, longitude: 3, at: time) else { return }
      output.append(WaypointText(name: message.texts[6]), fix, line: messageNumber)
    case FITField.developerField:
      guard let dataIndex = message.numbers[0].flatMap(UInt8.init(exactly:)),
        let number = message.numbers[1].flatMap(UInt8.init(exactly:))
      else { return }
      let field = FITDefinition.DeveloperField(dataIndex: dataIndex, number: number)
      developerNames[field] = message.texts[3]
    case FITField.record:
      for field in developerFields {
        output.omitExtension(developerNames[field] ?? "developer field \(field.number)")
      }
      guard var fix = fix(message, latitude: 0, longitude: 1, at: time) else {
        return output.omitUnlocated()
      }
      setValues(of: message, &fix)
      output.append(
        RecordedPoint(
          fix: fix, kind: isCourse ? .route : .track, beginsSegment: hasStopped,
          line: messageNumber))
      hasStopped = false
    default: break
    }
  }

  /// The fix of a message; nil without a position, as indoors.
  private func fix(
    _ message: FITMessage, latitude: UInt8, longitude: UInt8, at time: UInt32?
  ) -> RecordedFix? {
    // The unit is semicircles: 2³¹ of them are 180 degrees.
    let degrees = [latitude, longitude].compactMap {
      message.numbers[$0].map { ComputedNumber.rounded($0 * 180 / 0x8000_0000) }
    }
    guard degrees.count == 2 else { return nil }
    var fix = RecordedFix(latitude: degrees[0], longitude: degrees[1])
    if let time {
      fix.time = .date(CivilTime.date(seconds: Int(time) + FITField.epoch, nanoseconds: 0))
    }
    return fix
  }

  private func setValues(of message: FITMessage, _ fix: inout RecordedFix) {
    let numbers = message.numbers
    // The enhanced altitude (78) and speed (73) have a larger range than the others.
    fix.altitude = (numbers[78] ?? numbers[2]).map { ComputedNumber.rounded($0 / 5 - 500) }
    fix.speed = (numbers[73] ?? numbers[6]).map { ComputedNumber.rounded($0 / 1_000) }
    fix.horizontalAccuracy = numbers[31]
    fix.sensors.heartRate = numbers[3]
    fix.sensors.cadence = numbers[4].map { $0 + (numbers[53] ?? 0) / 128 }
    fix.sensors.power = numbers[7]
    fix.sensors.airTemperature = numbers[13]
  }

  private func damaged(_ reason: String) -> RecordingError {
    RecordingError(.malformed, line: messageNumber, "the file of FIT is damaged: \(reason)")
  }
}

/// The message and field numbers of the profile that the reader uses.
private enum FITField {
  static let fileIdentifier: UInt16 = 0
  static let record: UInt16 = 20
  static let event: UInt16 = 21
  static let course: UInt16 = 31
  static let coursePoint: UInt16 = 32
  static let developerField: UInt16 = 206
  static let timestamp: UInt8 = 253
  /// The Unix time of 1989-12-31T00:00:00Z, from which FIT counts seconds.
  static let epoch = 631_065_600

  /// The time if it is a date. Numbers below 0x10000000 are seconds since the device was switched
  /// on.
  static func date(_ time: Double?) -> UInt32? {
    time.flatMap(UInt32.init(exactly:)).flatMap { $0 >= 0x1000_0000 ? $0 : nil }
  }
}
