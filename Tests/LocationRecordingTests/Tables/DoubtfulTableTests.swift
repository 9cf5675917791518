import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

private let noon = "2026-05-04T12:00:00Z"

/// F83: ambiguous content of tables is skipped and counted, never guessed.
@Suite(.inTurn) struct DoubtfulTableTests {
  /// A header, a record, and a part of the reason for skipping the record.
  @Test(
    "F83 a point is skipped whose coordinates may be others",
    arguments: [
      ("time,lat,N/S,lon,E/W", "2026-05-04,5130.5,N,7.407,W", "in different ways"),
      ("lat,lon", "47°07'24\"N,008°07'24\"", "in different ways"),
      ("lat,lon", "47.1N,8.1", "in different ways"), ("latE7,lonE7", "47.1,8.1", "not understood"),
      ("lat,lon,valid", "0,0,false", "no fix"),
      ("lat,lon,fix", "0,0,0", "no fix"), ("lat,lon,status", "0,0,V", "no fix"),
      ("lat,lon,fix mode", "0,0,No Fix", "no fix"),
    ])
  func doubtfulPoints(header: String, record: String, reason: String) throws {
    let recording = try recording("\(header)\n\(record)\n")
    #expect(recording.locations.isEmpty)
    #expect(recording.skipped.count == 1)
    #expect(recording.skipped.parts.first?.reason.contains(reason) == true)
  }

  /// A header, a record, the number of skipped parts, and the columns that are not read.
  @Test(
    "F83 an incomplete or ambiguous time is not read",
    arguments: [
      ("lat,lon,Date,Local Time", "1,2,2026-05-04,10:00:00", 1, ["Local Time"]),
      ("lat,lon,date,time", "1,2,2026-05-04,", 1, []), ("lat,lon,epoch", "1,2,7", 0, ["epoch"]),
      ("lat,lon,Date,Time (local)", "1,2,2026-05-04,10:00", 2, []),
      ("lat,lon,gps_date,gps_time (EST)", "1,2,2026-05-04,10:00", 2, []),
      ("lat,lon,gps_time", "1,2,1462000000", 0, ["gps_time"]),
      ("lat,lon,GPS Time", "1,2,Mon May 04 12:00:00 GMT+02:00 2026", 0, ["GPS Time"]),
      ("lat,lon,Local Time", "1,2,2026-05-04 10:00:00", 0, ["Local Time"]),
    ])
  func doubtfulTimes(
    header: String, record: String, skipped: Int, unread: [String]
  ) throws {
    let recording = try recording("\(header)\n\(record)\n")
    #expect(recording.times == [nil])
    #expect(recording.skipped.count == skipped, "\(recording.skipped)")
    #expect(recording.omitted.columnNames == unread)
  }

  /// The names of the columns of times, and their texts.
  @Test(
    "F83 an instant is better than a local or an elapsed time",
    arguments: [
      ("datetime_local,datetime_utc", "2026-05-04 14:00:00,2026-05-04 12:00:00"),
      ("local_time,epoch", "2026-05-04 14:00:00,1777896000"),
      ("date,time,timestamp_ms", "2026-05-04,14:00:00,1777896000000"),
      ("time,datetime_utc", "0.0,2026-05-04T12:00:00Z"),
      ("time,utc_time", "0.0,2026-05-04T12:00:00Z"),
      ("timestamp,local_time,utc_offset", "2026-05-04 12:00:00,2026-05-04 14:00:00,+02:00"),
      ("date,time,local_time,timezone", "2026-05-04,12:00:00,14:00,Europe/Berlin"),
      ("Date,Time (min)", "2026-05-04 12:00:00,0"),
    ])
  func instants(_ names: String, _ texts: String) throws {
    let recording = try recording("\(names),lat,lon\n\(texts),1,2\n")
    #expect(recording.times == [date(noon)])
  }

  @Test(
    "F83 records before the first fix do not decide whether there are times",
    arguments: [
      ("date_utc,time_utc", "0000-00-00,00:00:00,,", "2026-05-04,12:00:00"),
      ("timestamp_ms", "0,,", "1777896000000"),
      ("gps_date,gps_time", "2026-05-04,,1,2", "2026-05-04,12:00:00"),
      ("fixTime", "null,1,2", noon),
    ])
  func recordsBeforeTheFirstFix(names: String, record: String, time: String) throws {
    let recording = try recording("\(names),lat,lon\n\(record)\n\(time),1,2\n")
    #expect(recording.times.last == date(noon))
  }

  @Test("F83 ten-millionths may be few, or end with a point")
  func fewTenMillionths() throws {
    let rows = ["514780000,123456", "514780000,12345", "514780000,-1234", "514780000.0,1234560.0"]
    let recording = try recording("latE7,lonE7\n" + rows.map { $0 + "\n" }.joined())
    #expect(
      recording.locations.map(\.longitude) == [0.012_345_6, 0.001_234_5, -0.000_123_4, 0.123_456])
  }

  @Test("F83 numbers with a fraction and absent words are no segments")
  func fractionsAndWordsAreNotSegments() throws {
    let rows = ["1", " 1", "-", "0.5", "12.5", "1"].map { "1,2,\($0)\n" }
    #expect(Track(try recording("lat,lon,segment\n" + rows.joined())).segments.count == 1)
  }

  @Test("F83 after a time with an offset, a time without an offset is not in UTC")
  func aMissingOffset() throws {
    let recording = try recording(
      "timestamp,tz,lat,lon\n2026-05-04T10:00:00,,1,2\n2026-05-04T10:00:00,-02:00,1,2\n"
        + "2026-05-04T10:00:00,,1,2\n2026-05-04T10:00:00Z,,1,2\n,,1,2\n")
    #expect(
      recording.times
        == [date("2026-05-04T10:00:00Z"), date(noon), nil, date("2026-05-04T10:00:00Z"), nil])
    #expect(recording.skipped.parts.map(\.line) == [4])
  }

  @Test("F83 a time of creation is better than a date")
  func alternativeTimes() throws {
    let recording = try recording("lat,lon,date,created_at\n1,2,2026-05-04,\(noon)\n")
    #expect(recording.times == [date(noon)])
  }

  @Test(
    "F83 possible thousands beside points are skipped, and -9999 m and 360° in AIS are no values")
  func doubtfulValues() throws {
    let thousands = try recording("lat;lon;alt\n47.1;8.1;1,234\n")
    #expect(thousands.locations.map(\.altitude) == [nil])
    #expect(thousands.skipped.count == 1)
    let absent = try recording("lat,lon,alt,COG\n47.1,8.1,-9999,360.0\n")
    #expect(absent.locations.map(\.altitude) == [nil])
    #expect(absent.locations.map(\.course) == [nil])
    #expect(absent.skipped.isEmpty, "\(absent.skipped)")
    let invalid = try recording("lat,lon,speed_kmh,heading\n1,2,-1,-1\n1,2,36,400\n")
    #expect(invalid.locations.map(\.speed) == [nil, 10])
    #expect(invalid.skipped.parts.map(\.line) == [3], "the heading")
  }

  @Test("F83 a header takes time in proportion to its length", arguments: ["epoch", "local_time"])
  func longHeaders(_ name: String) throws {
    let names = String(repeating: ",\(name)", count: 10_000)
    let text = "lat,lon\(names)\n" + String(repeating: "xx,11\(names)\n", count: 5)
    #expect(try recording(text).locations.isEmpty)
  }

  @Test("F83 a value out of range is counted once, and -1 is absent")
  func valuesOutOfRange() throws {
    let rows = ["-1,-1,-1", "-5,400,-3", "-6,-90,-4", "5,90,3"].map { "1,2,\($0)\n" }
    let recording = try recording("lat,lon,speed,course,hacc\n" + rows.joined())
    #expect(recording.locations.map(\.speed) == [nil, nil, nil, 5])
    #expect(recording.locations.map(\.course) == [nil, nil, nil, 90])
    #expect(
      recording.skipped.parts.map(\.description)
        == ["horizontalAccuracy", "speed", "course"].map {
          "line 3: the \($0) is out of range, here or in later points"
        })
  }
}
