import AsyncLocation
import Foundation
import MockBackend
import SampleDrive
import TestSupport
import Testing

@testable import NMEABackend

/// Bytes of any kind: no trap, bounded memory, and the same events however they are split.
@Suite(.inTurn) struct HostileInputTests {
  private static let drive = Drive().epochs.prefix(30).map(\.nmea).joined()

  /// The events of these chunks.
  private func events(_ chunks: [[UInt8]]) -> [BackendEvent] {
    var bench = ReaderBench()
    return chunks.flatMap { bench.receive($0) } + bench.endConnection()
  }

  @Test(.longWork) func splittingAtEveryByteChangesNothing() {
    let bytes =
      Array(cycle(1).utf8) + [0xB5, 0x62, 0x24, 0x0A] + Array((cycle(2) + cycle(3)).utf8)
    let whole = events([bytes])
    #expect(whole.locations.count == 3)
    for index in 0...bytes.count {
      #expect(events([Array(bytes[..<index]), Array(bytes[index...])]) == whole, "at \(index)")
    }
    #expect(events(bytes.map { [$0] }) == whole)
  }

  @Test(.longWork) func randomBytesGiveNoLocation() {
    var generator = SplitMix64(seed: 1)
    var bench = ReaderBench()
    for _ in 0..<200 {
      let bytes = (0..<1_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(bench.receive(bytes).isEmpty)
    }
    #expect(bench.advance(milliseconds: 1_000).isEmpty)
    #expect(bench.counts.bytes == 200_000)
    #expect(bench.counts.sentences == 0)
  }

  @Test func anEndlessLineHoldsNoMemory() {
    var scanner = SentenceScanner()
    let chunk = [UInt8](repeating: UInt8(ascii: "A"), count: 10_000)
    scanner.scan(Array("$GPGGA,".utf8).span) { _, _ in }
    var longest = 0
    for _ in 0..<100 {
      scanner.scan(chunk.span) { _, line in longest = max(longest, line.count) }
    }
    #expect(longest == SentenceScanner.maximumLength)
    #expect(scanner.otherBytes > 999_000)
    #expect(scanner.excerpt.count == 40)
  }

  /// Changes, removes and inserts bytes, and gives some sentences a valid checksum again, so that
  /// the changed fields are read.
  @Test(.longWork, arguments: 1...8 as ClosedRange<UInt64>)
  func changedSentencesDoNotTrap(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var bench = ReaderBench()
    let lines = (Self.drive + sentences("HCHDG,90.0,1.0,E,2.0,E", "GPGLL,4807.038,N,01131.000,E"))
      .split(separator: "\r\n").map { Array($0.utf8) }
    let alphabet = Array("0123456789.,-+*$!NSEWAVMT\0\n\u{7f}".utf8)
    for _ in 0..<4_000 {
      var line = lines.randomElement(using: &generator)!
      for _ in 0..<Int.random(in: 0...4, using: &generator) where !line.isEmpty {
        let index = Int.random(in: 0..<line.count, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: line[index] = alphabet.randomElement(using: &generator)!
        case 1: line.remove(at: index)
        default: line.insert(alphabet.randomElement(using: &generator)!, at: index)
        }
      }
      if Bool.random(using: &generator), let star = line.lastIndex(of: UInt8(ascii: "*")) {
        let body = String(decoding: line[..<star].dropFirst(), as: UTF8.self)
        line = Array(sentence(body).utf8)
      } else {
        line.append(10)
      }
      for location in bench.receive(line).locations {
        #expect((-90...90).contains(location.latitude))
        #expect((location.speed ?? 0) >= 0)
      }
      if Int.random(in: 0...9, using: &generator) == 0 { _ = bench.advance(milliseconds: 300) }
    }
    #expect(bench.counts.sentences > 1_000)
    // The source still works.
    _ = bench.endConnection()
    _ = bench.receive(Array((cycle(1) + cycle(2)).utf8))
    #expect(!bench.endConnection().locations.isEmpty)
  }

  @Test func theDriveIsReadExactly() throws {
    let epochs = Drive().epochs
    var bench = ReaderBench(hostTime: Drive.standardStart)
    var locations: [Location] = []
    for epoch in epochs {
      locations += bench.receive(epoch.nmea).locations
      locations += bench.advance(milliseconds: 1_000).locations
    }
    let fixes = epochs.filter { $0.fix != nil }
    #expect(locations.map(\.timestamp) == fixes.map(\.timestamp))
    for (location, epoch) in zip(locations, fixes) {
      let fix = try #require(epoch.fix)
      #expect(abs(location.latitude - fix.latitude) < 1e-6)
      #expect(abs(location.longitude - fix.longitude) < 1e-6)
      #expect(location.gnss?.mode == (fix.isThreeDimensional ? .threeDimensional : .twoDimensional))
      #expect(location.gnss?.satellitesUsed == fix.satellitesUsed)
      if let altitude = fix.altitude {
        #expect(abs((location.altitude ?? 0) - altitude) < 0.1)
      }
      #expect(abs((location.speed ?? -1) - fix.speed) < 0.01)
    }
    #expect(bench.counts.malformedSentences == 0)
    #expect(bench.counts.otherBytes == 0)
  }
}
