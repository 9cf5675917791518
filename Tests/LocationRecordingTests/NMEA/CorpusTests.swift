import AsyncLocation
import Foundation
import Testing

@testable import LocationRecording

@Suite struct CorpusTests {
  @Test(.needsCorpus) func summary() throws {
    for (name, log, reports) in try Corpus.recordings() {
      guard let ours = try? Recording(log), ours.format == .nmea else { print(name, "not NMEA"); continue }
      let theirs = try Recording(reports)
      func key(_ l: Location) -> Int {
        let era = 1024.0 * 7 * 86400
        let t = l.timestamp.timeIntervalSince1970
        return Int(((t - (t / era).rounded(.down) * era) * 1000).rounded())
      }
      let dated = theirs.locations.filter { $0.sourceInformation?.timeSource != .host }
      let mine = Dictionary(ours.locations.filter { $0.sourceInformation?.timeSource != .host }.map { (key($0), $0) }, uniquingKeysWith: { $1 })
      var (matched, missing) = (0, 0)
      var notes: [String: Int] = [:]
      for l in dated {
        guard let m = mine[key(l)] else { missing += 1; if missing < 4 { print("   missing", l.timestamp.formatted(.iso8601), l) }; continue }
        matched += 1
        func cmp(_ n: String, _ a: Double?, _ b: Double?, _ tol: Double) {
          switch (a, b) {
          case (nil, nil): break
          case (let a?, let b?): if abs(a - b) > tol { notes[n, default: 0] += 1; if notes[n]! < 3 { print("   ", n, "ours", a, "gpsd", b, m.timestamp) } }
          case (nil, _?): notes[n + " only gpsd", default: 0] += 1; if notes[n + " only gpsd"]! < 2 { print("   ", n, "only gpsd", l) }
          case (_?, nil): notes[n + " only ours", default: 0] += 1; if notes[n + " only ours"]! < 2 { print("   ", n, "only ours", m) }
          }
        }
        cmp("lat", m.latitude, l.latitude, 2e-9); cmp("lon", m.longitude, l.longitude, 2e-9)
        cmp("alt", m.altitude, l.altitude, 1e-3); cmp("speed", m.speed, l.speed, 1e-3)
        cmp("course", m.course, l.course, 1e-3)
        cmp("mode", m.gnss?.mode == .threeDimensional ? 3 : 2, l.gnss?.mode == .threeDimensional ? 3 : 2, 0)
        cmp("hae", m.ellipsoidalAltitude, l.ellipsoidalAltitude, 1e-3)
      }
      print("==", name, "ours", ours.locations.count, "events", ours.events.count, "gpsd", dated.count, "of", theirs.locations.count, "matched", matched, "missing", missing, "ours only", ours.locations.count - matched, notes, "skipped", ours.skipped.count, ours.skipped.parts.prefix(2))
    }
  }
}
