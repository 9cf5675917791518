import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct CSVReaderTests {
  struct Table: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let times: [String?]

    init(_ description: String, _ times: [String?], _ text: String) {
      (testDescription, self.times, self.text) = (description, times, text)
    }
  }

  static let noon = "2026-05-04T12:00:00Z"

  static let tables = [
    Table("ours", [noon], "timestamp,latitude,longitude,altitude,speed\n\(noon),1.5,2.5,3.5,4.5\n"),
    Table("gpsd's", [noon], "time,lat,lon,altMSL,speed\n\(noon),1.5,2.5,3.5,4.5"),
    Table(
      "unicsv", [noon],
      "No,Latitude,Longitude,Altitude,Speed,Date,Time\r\n1,1.5,2.5,3.5,4.5,2026/05/04,12:00:00\r\n"),
    Table("semicolons", [noon], "lat;lon;ele;speed;time\n1.5;2.5;3.5;4.5;\(noon)\n"),
    Table("tabs", [noon], "lat\tlon\tele\tspeed\ttime\n1.5\t2.5\t3.5\t4.5\t\(noon)\n"),
    Table(
      "quotation marks", [noon],
      "\"lat\",\"lon\",\"name\",\"ele\",\"speed\",\"time\"\n"
        + "\"1.5\",2.5,\"a \"\"b\"\",\n c\",3.5,4.5,\"\(noon)\"\n"),
    Table("seconds since 1970", [noon], "lat,lon,ele,speed,time\n1.5,2.5,3.5,4.5,1777896000\n"),
    Table(
      "milliseconds", [noon], "lat,lon,ele,speed,timestamp\n1.5,2.5,3.5,4.5,1777896000000\n"),
    Table("km/h", [nil], "lat,lon,ele,speed_kmh\n1.5,2.5,3.5,16.2\n"),
    Table("comments", [nil], "# a\n\n#b\nlat,lon,ele,speed\n\n1.5,2.5,3.5,4.5\n\n"),
    Table("carriage returns", [nil], "lat,lon,ele,speed\r1.5,2.5,3.5,4.5\r"),
    Table("a byte order mark", [nil], "\u{FEFF}lat,lon,ele,speed\n1.5,2.5,3.5,4.5\n"),
    Table("a zone", [noon], "lat,lon,ele,speed,time\n1.5,2.5,3.5,4.5,2026-05-04 14:00:00+02:00\n"),
  ]

  /// The records after a header of four fields, the number of locations, and the number of parts
  /// that are skipped because they are cut.
  @Test(
    arguments: [
      ("1,2,3,4\n5,6", 1, 1), ("1,2,3,4\n5,-6.9", 1, 1), ("1,2", 0, 1), ("1,2,3,4\n5,6\n", 2, 0),
      ("1,2,3,4\n5,6,7,8", 2, 0), ("1,2\n5,6", 2, 0), ("1,2,3,4\n5,6,7,", 2, 0),
      ("1,2\n5,6\nlat,lon,ele,speed\n7,8", 2, 1),
    ])
  func aCutRecordIsSkipped(records: String, locations: Int, skipped: Int) throws {
    let recording = try recording("lat,lon,ele,speed\n" + records)
    #expect(recording.locations.count == locations)
    #expect(recording.skipped.parts.count { $0.reason == "the record is cut" } == skipped)
  }

  /// The header, the repeated record, the last record, and whether the last is cut.
  @Test(
    "F83 a last number that is shorter than all before is cut",
    arguments: [
      ("lon,lat", "11.51,48.123", "11.52,48.1", true), ("lon,lat", "11.51,48.123", "11.5,48", true),
      ("lon,lat", "11.51,48.123", "11.52,48.1\n", false), ("lon,lat", "1.5,48.1", "1.5,8.1", false),
      ("lon,lat", "11.51,48.123", "11.52,\"48.1\"", false),
      ("lon,lat", "11.51E,48.123N", "11.52E,48.1N", false),
      ("lonE7,latE7", "115100000,481000000", "115100000,48100000", true),
      ("lat,lon,time", "1,2,2026-05-04T10:00:01", "1,2,2026-05-04T10:00", true),
      ("lat,lon,time", "1,2,2026-05-04T10:00:01Z", "1,2,2026-05-04T10:00", true),
      ("lat,lon,time", "1,2,2026-05-04T10:00:01.5Z", "1,2,2026-05-04T10:00:02Z", false),
      ("lat,lon,time", "1,2,2026-05-04T10:00:01.5+02:00", "1,2,2026-05-04T10:00:02+02:00", false),
      ("lat,lon,speed", "1,2,10", "1,2,9", false), ("lat,lon,speed", "1,2,36 km/h", "1,2,36", true),
      ("lat,lon,speed", "1,2,36 km/h", "1,2,40 km/h", false),
      ("lat,lon,note", "1,2,below", "1,2,bel", false), ("lat,lon,alt", "1,2,N/A", "1,2,512", false),
    ])
  func aShortEndIsSkipped(
    header: String, record: String, last: String, isCut: Bool
  ) throws {
    for count in [1, 20] {
      let records = Array(repeating: record, count: count) + [last]
      let recording = try recording(header + "\n" + records.joined(separator: "\n"))
      let cutCount = recording.skipped.parts.count { $0.reason == "the record is cut" }
      #expect(cutCount == (isCut && count > 1 ? 1 : 0), "one record is no evidence")
      #expect(recording.locations.count + cutCount == count + 1)
    }
  }

  @Test(
    "F83 a number that lacks three or more digits is cut after two records",
    arguments: [("48.13743", 3), ("48.137", 3), ("48.13", 2), ("48", 2)])
  func aFarShorterEndIsSkipped(_ last: String, _ count: Int) throws {
    let records = ["11.57549,48.13743", "11.57550,48.13744", "11.57551,\(last)"]
    let recording = try recording("lon,lat\n" + records.joined(separator: "\n"))
    #expect(recording.locations.count == count)
  }

  @Test(
    "F83 where numbers have different lengths, a number as short as the shortest is whole",
    arguments: [("48.1", 21), ("48", 20)])
  func lengthsDiffer(_ last: String, _ count: Int) throws {
    let records = (0..<20).map { "11.5\($0),48.\($0)" } + ["11.5,\(last)"]
    let recording = try recording("lon,lat\n" + records.joined(separator: "\n"))
    #expect(recording.locations.count == count)
  }

  @Test(arguments: tables)
  func reads(_ table: Table) throws {
    let recording = try recording(table.text)
    #expect(recording.format == .csv)
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
    #expect(recording.times == table.times.map { $0.map(date) })
    #expect(recording.locations.map(\.latitude) == [1.5])
    #expect(recording.locations.map(\.longitude) == [2.5])
    #expect(recording.locations.map(\.altitude) == [3.5])
    #expect(recording.locations.map { $0.speed.map { ($0 * 10).rounded() } } == [45])
  }

  @Test(arguments: [
    "91,2,", "nan,2,", ",2,", "1", "1,181,", "inf,0,", "1e999,0,", "\"1", "a,b,c",
  ])
  func invalidRecordsAreSkipped(_ row: String) throws {
    let recording = try recording("lat,lon,time\n3,4,\n\(row)\n")
    #expect(recording.locations.map(\.latitude) == [3])
    #expect(recording.skipped.parts.map(\.line) == [3])
  }

  /// Decimal commas between commas are fields of their own.
  @Test("F83 a record with more fields than the header is skipped")
  func moreFieldsThanColumnsAreSkipped() throws {
    let rows = ["46,5,9,25,500", "1,2,3", "3,4,5,, ,", "6,7", "8,9,10,x"]
    let recording = try recording("lat,lon,alt\n" + rows.map { $0 + "\n" }.joined())
    #expect(recording.locations.map(\.latitude) == [1, 3, 6])
    #expect(recording.locations.map(\.altitude) == [3, 5, nil])
    #expect(recording.skipped.parts.map(\.line) == [2, 6])
  }

  @Test("F83 a point that may separate thousands is not read as a decimal point")
  func thousandsAreNotGuessed() throws {
    let rows = [
      "60,17;24,94;1.234", "60,18;24,94;12.5", "60,19;24,94;1.234.567 m", "60.2;24.9;1.234",
    ]
    let recording = try recording("lat;lon;alt\n" + rows.map { $0 + "\n" }.joined())
    #expect(recording.locations.map(\.latitude) == [60.17, 60.18, 60.19, 60.2])
    #expect(recording.locations.map(\.altitude) == [nil, 12.5, nil, 1.234])
    #expect(recording.skipped.parts.map(\.line) == [2])
  }

  @Test(
    "F83 columns that are not read are named",
    arguments: [
      ("No,lat,lon,Mood, note ,,lost\n1,2,3,a,b,c,4", ["No", "Mood", "note"]),
      ("lat,lon,Speed (furlongs)\n1,2,3", []), ("lat,lon,ele,altitude\n1,2,3,4", ["altitude"]),
      ("lat,lon,S/N,W/E,x\n46.9,69.6,,,\n46.9,69.6,S,W,", ["x"]),
      ("lat,lon,a\n1,2,3\nlat,lon,a\n1,2,3\nlat,lon,a,b\n1,2,3,4", ["a", "b"]),
    ] as [(String, [String])])
  func namesColumns(_ text: String, _ names: [String]) throws {
    let omitted = try recording(text + "\n").omitted
    #expect(omitted.columnNames == names)
    #expect(omitted.columnCount == names.count)
  }

  @Test func namesColumnsOfAReadablePart() throws {
    let bytes = StoredContent.gzip(Array("lat,lon,mood\n1,2,3\n".utf8)).dropLast(5)
    let recording = try Recording(
      Array(bytes), options: RecordingOptions(start: start, keepsReadablePart: true))
    #expect(recording.failure != nil)
    #expect(recording.locations.count == 1)
    #expect(recording.omitted.columnNames == ["mood"])
  }

  @Test func countsAWrongTime() throws {
    let recording = try recording("lat,lon,time\n1,2,noon\n")
    #expect(recording.times == [nil])
    #expect(recording.skipped.parts.map(\.line) == [2])
  }

  @Test func aRecordThatIsTooLongIsSkipped() throws {
    let long = "1,2,\"" + String(repeating: "x", count: 1 << 17)
    let recording = try recording("lat,lon,time\n\(long)\n5,6,\n")
    #expect(recording.locations.map(\.latitude) == [5])
    #expect(recording.skipped.count == 1)
  }

  @Test(arguments: [1, 2, 3, 5])
  func readsPieces(_ length: Int) throws {
    for table in Self.tables {
      let bytes = Array(table.text.utf8)
      var reader = RecordingReader(options: RecordingOptions(start: start))
      var events: [TimedEvent] = []
      for piece in bytes.pieces(of: length) {
        events += try reader.read(piece)
      }
      events += try reader.finish()
      #expect(events == (try recording(bytes).events), "\(table.testDescription)")
    }
  }
}

/// Concatenated tables.
@Suite(.inTurn) struct JoinedTableTests {
  private static let cup = "name,code,country,lat,lon,elev,style\n"

  struct Joined: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
  }

  /// The first table has a point at 1° N with an altitude of 3 m, the second at 2° N with 4 m.
  static let tables = [
    Joined(
      testDescription: "the same header", text: "lat,lon,alt\n1,0,3\nlat,lon,alt\n2,0,4\n"),
    Joined(
      testDescription: "another order",
      text: "lat,lon,alt\n1,0,3\nname,alt,lon,lat\nx,4,0,2\n"),
    Joined(
      testDescription: "a mark", text: "alt,lat,lon\n3,1,0\n\u{FEFF}alt,lat,lon\n4,2,0\n"),
    Joined(
      testDescription: "a mark and quotation marks",
      text: "\"lat\",\"lon\",\"alt\"\n1,0,3\n\u{FEFF}\"lat\",\"lon\",\"alt\"\n2,0,4\n"),
    Joined(
      testDescription: "lines of units",
      text: "lat,lon,alt\ndeg,deg,km\n1,0,0.003\nlat,lon,alt\ndeg,deg,km\n2,0,0.004\n"),
    Joined(
      testDescription: "the same number of a segment",
      text: "lat,lon,alt,segment\n1,0,3,1\nlat,lon,alt,segment\n2,0,4,1\n"),
    Joined(
      testDescription: "tasks of SeeYou between the tables",
      text: cup + "\"A\",A,,0100.000N,00000.000E,3m,1\n-----Related Tasks-----\n"
        + "\"Task\",\"Lima\",\"Alpha\",\"Alpha\",\"Lima\"\nOptions,NoStart=12:00:00\n" + cup
        + "\"B\",B,,0200.000N,00000.000E,4m,1\n-----Related Tasks-----\n\"Task\",\"B\",\"B\"\n"),
  ]

  @Test("F83 a header after records begins another table", arguments: tables)
  func begins(_ joined: Joined) throws {
    let recording = try recording(joined.text)
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
    #expect(recording.locations.map(\.altitude) == [3, 4])
    let segments = Track(recording).segments
    #expect(segments.map { $0.locations.map(\.latitude) } == [[1], [2]])
  }
}

@Suite(.inTurn) struct CSVSplitterTests {
  /// Pieces of one byte give the same records.
  @Test(arguments: [
    ("a,b\nc,d", [["a", "b"], ["c", "d"]], [1, 2]), ("\"a,\nb\"\n1", [["a,\nb"], ["1"]], [1, 3]),
    ("a,\r\n\r\n,b\r\n", [["a", ""], ["", "b"]], [1, 3]), ("\"\"\"\",x", [["\"", "x"]], [1]),
    ("a\"b,c", [["a\"b", "c"]], [1]), ("\"a\"b,c", [["ab", "c"]], [1]), ("", [], []),
  ])
  func textIsSplitIntoRecords(text: String, fields: [[String]], lines: [Int]) {
    var whole = CSVSplitter(separator: UInt8(ascii: ","))
    let records = whole.split(text.utf8) + whole.finish()
    #expect(records.map(\.fields) == fields)
    #expect(records.map(\.line) == lines)
    var pieces = CSVSplitter(separator: UInt8(ascii: ","))
    #expect(text.utf8.flatMap { pieces.split([$0]) } + pieces.finish() == records)
  }
}
