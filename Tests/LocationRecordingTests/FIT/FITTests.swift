import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// Reads activities and courses in Garmin's FIT format.
@Suite(.inTurn) struct FITTests {
  /// Builds a file from its messages.
  struct File {
    private var messages: [UInt8] = []

    /// The bytes of an integer of a size.
    static func word(_ value: Int, _ size: Int, isBigEndian: Bool = false) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? bytes.reversed() : bytes
    }

    /// Adds the definition of the messages with a local number. Each field is given by its number,
    /// its size in bytes and its base type. A developer field has the developer's index instead of
    /// the type.
    ///
    /// The messages are 0 (file ID), 20 (record), 21 (event), 31 (course), 32 (course point) and
    /// 206 (field description).
    mutating func define(
      _ local: UInt8, _ message: Int, _ fields: [(UInt8, UInt8, UInt8)], isBigEndian: Bool = false,
      developer: [(UInt8, UInt8, UInt8)] = []
    ) {
      messages += [0x40 | local | (developer.isEmpty ? 0 : 0x20), 0, isBigEndian ? 1 : 0]
      messages += Self.word(message, 2, isBigEndian: isBigEndian) + [UInt8(fields.count)]
      for field in fields { messages += [field.0, field.1, field.2] }
      guard !developer.isEmpty else { return }
      messages.append(UInt8(developer.count))
      for field in developer { messages += [field.0, field.1, field.2] }
    }

    /// Adds a message of a defined kind.
    mutating func add(_ header: UInt8, _ bytes: [UInt8]) { messages += [header] + bytes }

    var bytes: [UInt8] {
      var file: [UInt8] = [14, 0x20, 0x5C, 0x08] + Self.word(messages.count, 4)
      file += Array(".FIT".utf8) + [0, 0] + messages
      var checksum = FITChecksum()
      checksum.add(file[...])
      return file + Self.word(Int(checksum.value), 2)
    }
  }

  /// The bytes of an angle: FIT divides half a turn into 2^31 units.
  static func semicircles(_ degrees: Double) -> [UInt8] {
    File.word(Int((degrees * 0x8000_0000 / 180).rounded()), 4)
  }

  /// 2026-05-04 12:00 UTC, in seconds since 1989-12-31, as FIT counts them.
  static let time = 1_777_896_000 - 631_065_600
  /// The fields of a record: time, latitude, longitude, altitude, heart rate, cadence, speed, power
  /// and temperature.
  static let fields: [(UInt8, UInt8, UInt8)] = [
    (253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (2, 2, 0x84), (3, 1, 2), (4, 1, 2), (6, 2, 0x84),
    (7, 2, 0x84), (13, 1, 1),
  ]

  /// The values after the longitude: 412 m, 141 beats and 84 revolutions per minute, 7.25 m/s,
  /// 210 W and -5 °C.
  static let values: [UInt8] = [0xD0, 0x11, 141, 84, 0x52, 0x1C, 210, 0, 0xFB]

  static func record(_ second: Int, _ latitude: Double, _ values: [UInt8] = values) -> [UInt8] {
    var bytes = File.word(time + second, 4)
    bytes += semicircles(latitude)
    bytes += semicircles(8.5)
    return bytes + values
  }

  @Test func readsAnActivity() throws {
    var file = File()
    file.define(0, 0, [(0, 1, 0)])
    file.add(0, [4])
    file.define(1, 20, Self.fields)
    file.add(1, Self.record(0, 47.5))
    // This record has only a time and a position.
    file.add(1, Self.record(1, -47.25, [UInt8](repeating: 0xFF, count: 8) + [0x7F]))
    var unlocated = File.word(Self.time + 2, 4)
    unlocated += File.word(0x7FFF_FFFF, 4)
    unlocated += File.word(0x7FFF_FFFF, 4)
    file.add(1, unlocated + Self.values)
    let recording = try recording(file.bytes)
    #expect(recording.format == .fit)
    #expect(recording.pointKind == .track)
    #expect(recording.skipped.count == 0)
    #expect(
      recording.locations.map { ($0.coordinate.latitude * 1e6).rounded() / 1e6 } == [47.5, -47.25])
    let first = try #require(recording.locations.first)
    #expect(first.altitude == 412)
    #expect(first.speed == 7.25)
    #expect(first.timestamp.timeIntervalSince1970 == 1_777_896_000)
    let sensors = try #require(recording.sensors[0])
    #expect((sensors.heartRate, sensors.cadence, sensors.power) == (141, 84, 210))
    #expect(sensors.airTemperature == -5)
    #expect(recording.locations[1].altitude == nil)
    #expect(recording.sensors[1] == nil)
    #expect(recording.omitted.unlocatedCount == 1)
  }

  @Test("F83 a zero as second byte is not taken for UTF-16", arguments: [1, 7, 1_000])
  func isNotConverted(_ length: Int) throws {
    var file = File()
    file.define(0, 0, [(0, 1, 0)])
    file.add(0, [4])
    file.define(1, 20, Self.fields)
    file.add(1, Self.record(0, 47.5))
    var bytes = file.bytes.dropLast(2)
    bytes[1] = 0
    var checksum = FITChecksum()
    checksum.add(bytes)
    var reader = RecordingReader()
    var count = 0
    for piece in Array(bytes + File.word(Int(checksum.value), 2)).pieces(of: length) {
      count += try reader.read(piece).count
    }
    count += try reader.finish().count
    #expect(reader.format == .fit)
    #expect(count == 1)
  }

  /// Big-endian bytes, a developer's field, a time in the header, and a stop of the timer.
  @Test func readsDeviceEncodings() throws {
    var file = File()
    file.define(
      1, 20, [(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85)], isBigEndian: true,
      developer: [(0, 3, 0)])
    func record(_ second: Int, _ latitude: Double) -> [UInt8] {
      var bytes: [UInt8] = File.word(Self.time + second, 4).reversed()
      bytes += Self.semicircles(latitude).reversed()
      bytes += Self.semicircles(8.5).reversed()
      return bytes + [1, 2, 3]
    }
    // The five lowest bits of the next time wrap around.
    let begin = (42 - Self.time % 32) % 32
    file.add(1, record(begin, 47))
    file.define(2, 20, [(0, 4, 0x85), (1, 4, 0x85)])
    let offset = UInt8((Self.time + begin + 30) & 0x1F)
    file.add(0x80 | 2 << 5 | offset, Self.semicircles(48) + Self.semicircles(8.5))
    file.define(3, 21, [(0, 1, 0), (1, 1, 0)])
    file.add(3, [0, 4])
    file.add(1, record(begin + 60, 49))
    let found = try recording(file.bytes)
    let track = Track(found)
    #expect(found.omitted.extensionNames == ["developer field 0"])
    #expect(found.omitted.extensionCount == 2)
    #expect(found.omitted.unlocatedCount == 0)
    #expect(track.segments.map { $0.locations.count } == [2, 1])
    let seconds = track.points.map { $0.location.timestamp.timeIntervalSince1970 - 1_777_896_000 }
    #expect(seconds == [begin, begin + 30, begin + 60].map(Double.init))
  }

  /// The fields have the form of running sensors' fields. One of them is described, with its name.
  @Test("F83 fields of developers are counted by their names") func developersFieldsAreCounted()
    throws
  {
    var file = File()
    file.define(0, 206, [(0, 1, 2), (1, 1, 2), (2, 1, 2), (3, 6, 7)])
    file.add(0, [1, 7, 0x84] + Array("Power\0".utf8))
    file.define(
      1, 20, [(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85)], developer: [(7, 2, 1), (7, 2, 0)])
    for second in 0..<3 { file.add(1, Self.record(second, 47, [1, 2, 3, 4])) }
    let found = try recording(file.bytes)
    #expect(found.locations.count == 3)
    #expect(found.omitted.extensionNames == ["Power", "developer field 7"])
    #expect(found.omitted.extensionCount == 6)
  }

  @Test func aCourseIsARoute() throws {
    var file = File()
    file.define(0, 0, [(0, 1, 0)])
    file.add(0, [6])
    file.define(1, 31, [(5, 8, 7)])
    file.add(1, Array("Home".utf8) + [0, 0, 0, 0])
    file.define(2, 20, Self.fields)
    file.add(2, Self.record(0, 47.5))
    file.define(3, 32, [(1, 4, 0x86), (2, 4, 0x85), (3, 4, 0x85), (6, 6, 7)])
    var inn = File.word(Self.time, 4)
    inn += Self.semicircles(47)
    inn += Self.semicircles(8)
    file.add(3, inn + Array("Inn\0\0\0".utf8))
    let recording = try recording(file.bytes)
    #expect(recording.pointKind == .route)
    #expect(recording.name == "Home")
    #expect(recording.waypoints.map(\.name) == ["Inn"])
  }

  private static func file(recordCount: Int) -> [UInt8] {
    var file = File()
    file.define(1, 20, Self.fields)
    for second in 0..<recordCount {
      file.add(1, Self.record(second, Double(second % 90)))
    }
    return file.bytes
  }

  @Test func aCutFileIsReadUpToTheCut() {
    let bytes = Self.file(recordCount: 5)
    for length in 0..<bytes.count {
      var reader = RecordingReader()
      var count = 0
      var error: RecordingError?
      do throws(RecordingError) {
        count += try reader.read(Array(bytes.prefix(length))).count
        count += try reader.finish().count
      } catch let failure {
        error = failure
      }
      #expect(error?.code == (length < 12 ? .unknownFormat : .malformed), "\(length)")
      // The header has 14 bytes, the definition 33, and each record 22.
      #expect(count == max(0, min(5, (length - 14 - 33) / 22)), "\(length)")
    }
  }

  @Test(arguments: [1, 3, 26, 1_000])
  func readsPieces(_ length: Int) throws {
    // A FIT file may consist of several files, one after the other.
    let bytes = Self.file(recordCount: 1_000) + Self.file(recordCount: 1_000)
    var reader = RecordingReader()
    var count = 0
    for piece in bytes.pieces(of: length) {
      count += try reader.read(piece).count
      #expect(reader.cost.held <= 200)
    }
    count += try reader.finish().count
    // There is one event between the segments.
    #expect(count == 2_001)
    #expect(reader.skipped.count == 0)
  }

  @Test(.longWork) func damageIsCountedOrRefused() throws {
    var bytes = Self.file(recordCount: 5)
    bytes[60] ^= 1
    #expect(try recording(bytes).skipped.count == 1, "the checksum")
    // Changing any byte neither traps nor hangs.
    let intact = Self.file(recordCount: 3)
    for index in intact.indices {
      for bit in 0..<8 {
        var bytes = intact
        bytes[index] ^= 1 << bit
        _ = try? recording(bytes)
      }
    }
  }

  /// A file of one record, whose time has a base type.
  private static func timed(_ type: UInt8, _ time: Int) -> [UInt8] {
    var file = File()
    file.define(1, 20, [(253, 4, type), (0, 4, 0x85), (1, 4, 0x85)])
    var bytes = File.word(time, 4)
    bytes += semicircles(47)
    bytes += semicircles(8)
    file.add(1, bytes)
    return file.bytes
  }

  /// A negative time, and a time since the device was switched on.
  @Test(arguments: [(UInt8(0x85), -1), (0x86, 100)])
  func invalidTimestampsFallBackToHostTime(_ type: UInt8, _ time: Int) throws {
    let location = try #require(try recording(Self.timed(type, time)).locations.first)
    #expect(location.sourceInformation?.timeSource == .host)
  }

  @Test func aCoursePointDoesNotInheritATime() throws {
    var file = File()
    file.define(2, 20, Self.fields)
    file.add(2, Self.record(0, 47.5))
    file.define(3, 32, [(1, 4, 0x86), (2, 4, 0x85), (3, 4, 0x85)])
    var inn = File.word(0xFFFF_FFFF, 4)
    inn += Self.semicircles(47)
    inn += Self.semicircles(8)
    file.add(3, inn)
    let waypoint = try #require(try recording(file.bytes).waypoints.first)
    #expect(waypoint.timestamp == nil)
  }

  @Test func emptyFieldsAreNotStored() {
    var bytes: [UInt8] = [0, 0, 20, 0, 255]
    for number in UInt8(0)..<255 { bytes += [number, 0, 7] }
    #expect(FITReader.definition(bytes).fields.isEmpty)
  }
}
