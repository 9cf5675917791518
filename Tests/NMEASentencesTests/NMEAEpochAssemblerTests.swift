import AsyncLocation
import TestSupport
import Testing

@testable import NMEASentences

@Suite(.inTurn) struct NMEAEpochAssemblerTests {
  private static let today = CivilTime.days(year: 2026, month: 5, day: 4)

  private func sentence(_ body: String) throws -> NMEASentence {
    try NMEASentence(ArraySlice("$\(body)".utf8))
  }

  /// The epochs of sentences, and the last one.
  private func epochs(_ bodies: String...) throws -> [NMEAEpochAssembler.Epoch] {
    var assembler = NMEAEpochAssembler(today: Self.today)
    var epochs: [NMEAEpochAssembler.Epoch] = []
    for (line, body) in bodies.enumerated() {
      if let epoch = assembler.handle(try sentence(body), line: line + 1) { epochs.append(epoch) }
    }
    if let epoch = assembler.close() { epochs.append(epoch) }
    #expect(!assembler.isOpen)
    return epochs
  }

  @Test func aNewTimeBeginsAnEpoch() throws {
    let found = try epochs(
      "GPGGA,120000,4807.5,N,01130.0,E,1,08,1.0,100,M,20,M,,",
      "GPRMC,120000,A,4807.5,N,01130.0,E,10,84,040526,,,A",
      "GPGGA,120001,4807.5,N,01130.0,E,0,,,,,,,,")
    let midnight = Double(Self.today) * 86_400
    #expect(found.map(\.line) == [1, 3])
    #expect(found.map(\.time) == [.date(midnight + 43_200), .date(midnight + 43_201)])
    #expect(found.map(\.isFirstDated) == [true, false])
    #expect(found.map(\.reportsPosition) == [true, true])
    #expect(found.map { $0.fix != nil } == [true, false])
    #expect(found.first?.fix?.altitude == 100)
    #expect(found.first?.fix?.course == 84)
  }

  @Test func anEpochHasNoDateBeforeTheFirst() throws {
    let found = try epochs("GPGLL,4807.5,N,01130.0,E,120000,A", "GPGLL,4807.5,N,01130.0,E")
    #expect(found.map(\.time) == [.timeOfDay(43_200)])
  }

  private static func rmc(_ second: Int) -> String {
    "GPRMC,12000\(second),A,4807.5,N,01130.0,E,10,84,040526,,,A"
  }

  private func satellites(_ epochs: [NMEAEpochAssembler.Epoch]) -> [[Int]?] {
    epochs.map { $0.satellites?.map(\.prn) }
  }

  @Test func aGroupThatStaysIncompleteHoldsBackNothing() throws {
    let found = try epochs(
      Self.rmc(1), "GPGSV,1,1,01,01,40,083,46", "GLGSV,2,1,05,65,40,083,46", Self.rmc(2),
      "GPGSV,1,1,01,02,40,083,46", Self.rmc(3), "GPGSV,1,1,01,03,40,083,46")
    #expect(satellites(found) == [nil, [2], [3]])
  }

  @Test func theRestOfAGroupMayComeLater() throws {
    let found = try epochs(
      Self.rmc(1), "GPGSV,2,1,02,01,40,083,46", Self.rmc(2), Self.rmc(3),
      "GPGSV,2,2,02,02,40,083,46", Self.rmc(4))
    #expect(satellites(found) == [nil, nil, [1, 2], nil])
  }

  @Test func theNumberOfUsedSatellitesIsBounded() throws {
    var epoch = NMEAEpoch(line: 1)
    for number in 990..<2_000 {
      epoch.handle(try sentence("GPGSA,A,3,\(number),,,,,,,,,,,,2.0,1.0,1.7"))
    }
    #expect(epoch.used.count == 10)
  }

  @Test func theFixSoFarIsThatOfTheEpoch() throws {
    var assembler = NMEAEpochAssembler(today: Self.today)
    #expect(assembler.fixSoFar()?.fix == nil)
    _ = assembler.handle(
      try sentence("GPRMC,120000,A,4807.5,N,01130.0,E,10,84,040526,,,A"), line: 1)
    let fix = assembler.fixSoFar()
    let closed = assembler.close()
    let epoch = try #require(closed)
    #expect(fix?.fix == epoch.fix)
    #expect(fix?.time == epoch.time)
    #expect(assembler.fixSoFar()?.fix == nil)
  }

  @Test(arguments: [
    ("HEHDT,90.5,T", 90.5 as Double?, nil as Double?), ("HETHS,90.5,A", 90.5, nil),
    ("HETHS,90.5,V", nil, nil), ("HEHDT,,T", nil, nil), ("HCHDM,90.5,M", nil, 90.5),
    ("HCHDG,90.5,,,,", nil, 90.5), ("HCHDG,90.5,1.5,W,,", nil, 89),
    ("HCHDG,359.5,,,1.5,E", 1, 359.5), ("HCHDG,0.5,,,1.5,W", 359, 0.5), ("HCHDG,,,,1,E", nil, nil),
    ("HCHDG,90.5,1.5,X,2.0,", nil, 90.5), ("HCHDG,90.5,500,E,,", nil, 90.5), ("GPRMC,1", nil, nil),
  ])
  func readsHeadings(_ body: String, _ trueHeading: Double?, _ magnetic: Double?) throws {
    let heading = NMEAHeading(try sentence(body))
    #expect(heading?.trueHeading == trueHeading)
    #expect(heading?.magneticHeading == magnetic)
    #expect((heading == nil) == (trueHeading == nil && magnetic == nil))
  }
}
