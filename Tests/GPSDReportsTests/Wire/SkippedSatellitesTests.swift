import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDReports

/// Compares SKY reports whose satellites are skipped with fully read ones.
@Suite(.inTurn) struct SkippedSatellitesTests {
  private struct Skies: ReportHandler {
    var skies: [SKY] = []
    var others = 0
    var malformed: [ReportReader.MalformedLine.Reason] = []

    mutating func handle(_ report: borrowing TPV) { others += 1 }
    mutating func handle(_ report: borrowing SKY) { skies.append(copy report) }
    mutating func handle(_ report: borrowing ATT) { others += 1 }
    mutating func handle(inertial report: borrowing ATT) { others += 1 }
    mutating func handle(_ report: borrowing GPSDReport) { others += 1 }
    mutating func handle(_ line: ReportReader.MalformedLine) { malformed.append(line.reason) }
  }

  private func read(_ lines: [UInt8], keepsSatellites: Bool) -> Skies {
    var reader = ReportReader()
    var decoder = ReportDecoder()
    decoder.keepsSatellites = keepsSatellites
    var found = Skies()
    reader.read(lines.span, with: &decoder, into: &found)
    return found
  }

  private static let counts = #""nSat":3,"uSat":2"#

  /// The argument is the list of satellites.
  @Test(arguments: [
    "[]", "[{}]", #"[{"PRN":1,"el":10.5},{"PRN":2}]"#, #"[ {"PRN":1} , {"PRN":2} ] "#,
    #"[{"PRN":1,"name":"a]b"},{"PRN":2}]"#, #"[{"name":"a\"]"}]"#, #"[{"name":"],\"uSat\":9"}]"#,
    #"[{"PRN":1,"list":[1,2]},{"PRN":2}]"#, #"[[1],[2]]"#, #"[{"name":"["}]"#,
    "[\(Array(repeating: #"{"PRN":1,"el":10.5,"used":true}"#, count: 70).joined(separator: ","))]",
  ])
  func skippingTheListKeepsTheOtherFields(_ list: String) throws {
    for line in [
      #"{"class":"SKY","hdop":1.5,\#(Self.counts),"satellites":\#(list),"pdop":2.5}"#,
      #"{"class":"SKY",\#(Self.counts),"satellites":\#(list)}"#,
      #"{"class":"SKY","satellites":\#(list),\#(Self.counts)}"#,
      #"{"class":"SKY","uSat":2,"satellites":\#(list)}"#,
      #"{"class":"SKY","time":"2026-05-01T00:00:00.000Z",\#(Self.counts),"satellites":\#(list) }"#,
    ] {
      let bytes = Array((line + "\n").utf8)
      let whole = read(bytes, keepsSatellites: true)
      let skipped = read(bytes, keepsSatellites: false)
      #expect(whole.malformed == [], "\(line)")
      #expect(skipped.malformed == [], "\(line)")
      let fullSky = try #require(whole.skies.first)
      let skippedSky = try #require(skipped.skies.first)
      for field in 0..<SKY.Storage.counts.numbers {
        #expect(
          fullSky.storage.number(field) == skippedSky.storage.number(field), "\(field) in \(line)")
      }
    }
  }

  @Test func theListIsReadUnlessBothCountsArePresent() throws {
    for counts in ["", #""nSat":3,"#, #""uSat":2,"#] {
      let line = #"{"class":"SKY",\#(counts)"satellites":[{"PRN":1}]}"# + "\n"
      let report = try #require(read(Array(line.utf8), keepsSatellites: false).skies.first)
      #expect(report.satellites?.count == 1, "\(line)")
    }
  }

  @Test func aSkippedListIsAbsent() throws {
    let line = #"{"class":"SKY",\#(Self.counts),"satellites":[{"PRN":1}]}"# + "\n"
    let report = try #require(read(Array(line.utf8), keepsSatellites: false).skies.first)
    #expect(report.satellites == nil)
    #expect(report.usedCount == 2)
  }

  @Test(arguments: ["[", "[{", "[{}", #"[{"a":"]"#, "[}", "[{}]]", "[{}]x"])
  func unterminatedListsAreMalformed(_ list: String) {
    let line = Array((#"{"class":"SKY",\#(Self.counts),"satellites":\#(list)"# + "\n").utf8)
    #expect(read(line, keepsSatellites: false).malformed == [.invalid], "\(list)")
  }

  /// Replaces each byte of a list by each relevant byte, and reads the line in both ways. In
  /// well-formed lines, the member after the list has the same value, so skipping has ended at the
  /// end of the list.
  @Test func skippingADamagedListEndsAtItsEnd() {
    let head = Array(#"{"class":"SKY","nSat":2,"uSat":1,"satellites":"#.utf8)
    let list = Array(#"[{"PRN":1,"svid":"x"},{"PRN":22}]"#.utf8)
    let tail = Array((#","hdop":1.25}"# + "\n").utf8)
    var compared = 0
    for place in list.indices {
      for byte in Array(#"[]{}",:\a1 "#.utf8) {
        var damaged = list
        damaged[place] = byte
        let bytes = head + damaged + tail
        let whole = read(bytes, keepsSatellites: true)
        let skipped = read(bytes, keepsSatellites: false)
        guard let fullSky = whole.skies.first, whole.malformed == [] else { continue }
        compared += 1
        #expect(
          fullSky.horizontalDilution == skipped.skies.first?.horizontalDilution,
          "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(compared > 100)
  }

  @Test(.longWork, .needsCorpus)
  func recordingsHaveTheSameNumbers() throws {
    var (compared, skippedLists) = (0, 0)
    for (_, data) in try Corpus.folders.flatMap(Corpus.reports) {
      let bytes = Array(data)
      let whole = read(bytes, keepsSatellites: true)
      let skipped = read(bytes, keepsSatellites: false)
      #expect(whole.skies.count == skipped.skies.count)
      #expect(whole.others == skipped.others)
      for (fullSky, skippedSky) in zip(whole.skies, skipped.skies) {
        compared += 1
        if fullSky.satellites != nil, skippedSky.satellites == nil { skippedLists += 1 }
        for field in 0..<SKY.Storage.counts.numbers {
          #expect(fullSky.storage.number(field) == skippedSky.storage.number(field))
        }
      }
    }
    print("Skipped satellites: \(skippedLists) of \(compared) reports passed over")
    #expect(skippedLists > 0)
  }
}
