import TestSupport
import Testing

@testable import SampleDrive

@Suite(.inTurn) struct NMEATests {
  static let drive = Drive()

  @Test(arguments: [
    (0.0, 2, "0.00"), (0.005, 1, "0.0"), (-0.04, 1, "0.0"), (-0.05, 1, "-0.1"),
    (12.999, 2, "13.00"),
    (7.4, 0, "7"), (-7.5, 0, "-8"), (0.058, 3, "0.058"),
  ])
  func writesDecimals(value: Double, decimals: Int, expected: String) {
    #expect(NMEA.decimal(value, decimals) == expected)
  }

  static let latitudes: [(Double, [String])] = [
    (-46.915, ["4654.90000", "S"]), (0.0, ["0000.00000", "N"]),
    (59.999999999, ["6000.00000", "N"]),
    (-0.5, ["0030.00000", "S"]), (90.0, ["9000.00000", "N"]),
  ]

  @Test(arguments: latitudes)
  func writesLatitudes(_ degrees: Double, _ expected: [String]) {
    #expect(NMEA.latitude(degrees) == expected)
  }

  @Test func writesLongitudes() {
    #expect(NMEA.longitude(-69.635) == ["06938.10000", "W"])
    #expect(NMEA.longitude(180) == ["18000.00000", "E"])
  }

  @Test(.longWork) func everySentenceIsValid() throws {
    for line in Self.drive.epochs.flatMap(\.sentences) {
      let sentence = try #require(Sentence(line), "\(line)")
      #expect(sentence.hasValidChecksum, "\(line)")
      #expect(line.utf8.count + 2 <= 82, "\(line)")
    }
  }

  @Test func theFirstEpochHasItsSentences() {
    let sentences = Self.drive.epochs[0].sentences
    #expect(
      sentences.map { $0.prefix(6) }.prefix(6) == [
        "$GNRMC", "$GNVTG", "$GNGGA", "$GPGSA", "$GLGSA", "$GAGSA",
      ])
    #expect(sentences[0].hasPrefix("$GNRMC,030000.00,A,4654.90"))
    #expect(sentences.last == "$GNZDA,030000.00,04,05,2026,00,00*7C")
  }

  @Test(.longWork) func anEpochWithoutAFixHasVoidSentences() throws {
    let hidden = try #require(Self.drive.epochs.last { $0.truth.isInTunnel })
    #expect(hidden.fix == nil)
    let sentences = hidden.sentences.compactMap(Sentence.init)
    #expect(sentences[0].fields[1] == "V")
    #expect(sentences[2].fields[5] == "0")
    #expect(sentences.filter { $0.type.hasSuffix("GSA") }.allSatisfy { $0.fields[1] == "1" })
    #expect(
      sentences.filter { $0.type.hasSuffix("GSV") }.map { $0.fields.joined(separator: ",") } == [
        "1,1,00,1", "1,1,00,1", "1,1,00,7",
      ])
  }

  @Test(.longWork) func listsEverySatelliteOnce() throws {
    for epoch in Self.drive.epochs {
      let sentences = try epoch.sentences.map { try #require(Sentence($0)) }
      var listed: [String] = []
      for talker in ["GP", "GL", "GA"] {
        let views = sentences.filter { $0.type == talker + "GSV" }
        var count = 0
        for (index, view) in views.enumerated() {
          #expect(view.fields[0] == String(views.count))
          #expect(view.fields[1] == String(index + 1))
          let satellites = (view.fields.count - 4) / 4
          #expect(view.fields.count == 4 + 4 * satellites)
          #expect(satellites <= 4)
          #expect(satellites == 4 || index == views.count - 1)
          for satellite in 0..<satellites { listed.append(talker + view.fields[3 + 4 * satellite]) }
          count += satellites
        }
        #expect(views.allSatisfy { Int($0.fields[2]) == count })
      }
      #expect(Set(listed).count == epoch.satellites.count)
      #expect(listed.count == epoch.satellites.count)
      let used = sentences.filter { $0.type.hasSuffix("GSA") }.flatMap { sentence in
        sentence.fields[2..<14].filter { !$0.isEmpty }.map { sentence.type.prefix(2) + $0 }
      }
      #expect(used.count == epoch.satellites.filter(\.isUsed).count)
      #expect(Set(used.map(String.init)).isSubset(of: listed))
    }
  }

  /// A change of the drive changes the documentation's output, so it must be deliberate.
  @Test(.longWork) func bytesAreReproducible() {
    let bytes = Self.drive.epochs.flatMap { Array($0.nmea.utf8) }
    #expect(bytes.count == 504_228)
    #expect(checksum(bytes) == 6_904_566_077_862_382_514)
  }
}
