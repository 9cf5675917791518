import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDReports

/// Assesses the locations of recordings of real receivers, each as one receiver in real time.
@Suite(.needsCorpus, .inTurn) struct IntegrityCorpusTests {
  /// Recordings with real contradictions, and their reasons.
  static let contradictions: [String: LocationIntegrity.Reasons] = [
    // Sentences of several recordings in one file: the time jumps ahead by ten and a half minutes.
    "nmea-fuzzy-cases.log.chk": .clock
  ]

  @Test(.longWork, arguments: Corpus.folders)
  func onlyContradictionsAreSuspect(_ folder: String) throws {
    var assessed = 0
    var views = 0
    for (name, data) in try Corpus.reports(in: folder) {
      var integrity = ReceiverIntegrity()
      var (instant, last) = (Duration.zero, Date?.none)
      var found: LocationIntegrity.Reasons = []
      var first = ""
      // Every report is a location.
      var assembler = EventAssembler(selecting: false, .init(), mergesEpochs: false)
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
      for event in assembled(lines, &assembler) {
        switch event {
        case .satellites(let view):
          views += 1
          integrity.observe(view, at: instant)
        case .location(let location):
          if let last { instant += Self.interval(from: last, to: location.timestamp) }
          last = location.timestamp
          guard let result = integrity.assess(location, at: instant) else { continue }
          assessed += 1
          if result.isSuspect, found.isEmpty { first = "\(location)" }
          found.formUnion(result.reasons)
        default: break
        }
      }
      #expect(found == Self.contradictions[name, default: []], "\(folder)/\(name): \(first)")
    }
    print("\(folder): \(assessed) locations and \(views) views assessed")
    #expect(assessed > 0)
  }

  /// Recordings have no times of arrival: a gap or a step back takes a second.
  private static func interval(from last: Date, to next: Date) -> Duration {
    let seconds = next.timeIntervalSince(last)
    return seconds >= 0 && seconds <= 30 ? .seconds(seconds) : .seconds(1)
  }
}
