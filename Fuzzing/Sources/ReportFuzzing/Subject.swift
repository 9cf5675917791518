import AsyncLocation
import FoundationEssentials

@testable import GPSDReports

/// A stream of bytes, and the properties that are checked.
struct Subject {
  let stream: [UInt8]
  let cap: Int
  let seed: UInt8

  /// Streams up to this length are cut in two at each byte.
  private static let shortest = 48
  /// More bytes than the decoder needs after a member that it reads word by word.
  private static let room = 96

  /// Requires that the framer buffers no more than a line of maximum length.
  func checkFraming() {
    var framer = LineFramer(cap: cap)
    let page = 4096  // Allocator overhead of a large array.
    Cuts(stream, seed: seed).withEach { bytes in
      var offset = 0
      while framer.next(in: bytes, from: &offset) != nil {}
      require(offset == bytes.count, "the framer stopped at \(offset) of \(bytes.count)")
      require(
        framer.carried.capacity <= cap + page,
        "the framer holds \(framer.carried.capacity) bytes with a cap of \(cap)")
    }
  }

  /// Requires that the cuts do not affect the reading, for a manager and for a stream of reports;
  /// that borrowed and complete reports agree; and that encoded reports decode to equal ones.
  func checkReading() {
    let ended = stream.last == 10 ? stream : stream + [10]
    // Appends bytes that could continue a token, so that the last line is followed by readable
    // bytes as the others are.
    let filler: [UInt8] = Array("9}\",e.x:".utf8)
    let rest = [UInt8](
      repeating: filler[Int(seed) % filler.count], count: min(Self.room, cap))
    let roomy = Cuts(whole: ended + rest)
    let lean = LeanReading(roomy, cap: cap).without(rest.count)
    let whole = FullReading(roomy, cap: cap).without(rest.count)
    let known = FullReading(roomy, cap: cap, keepsUnknownMembers: false)
    checkCounts(lean.statistics, lean.items.count, ended.count)

    let lines = Cuts(linesOf: ended)
    lean.check(LeanReading(lines, cap: cap), "each line alone")
    whole.check(FullReading(lines, cap: cap), "each line alone")

    let chunks = Cuts(ended, seed: seed)
    lean.check(LeanReading(chunks, cap: cap), "in chunks")
    require(
      FullReading.collect(chunks, cap: cap) == whole.received, "the stream of reports differs")

    if ended.count <= Self.shortest {
      for place in 1..<ended.count {
        lean.check(LeanReading(Cuts(ended, at: place), cap: cap), "cut at \(place)")
      }
    }
    if stream.count < ended.count { checkUnended() }

    check(lean, whole, known)
    for case .location(let location) in lean.events { check(location) }
  }

  /// Requires that an incomplete line is not reported unless it is too long.
  private func checkUnended() {
    let one = LeanReading(Cuts(whole: stream), cap: cap)
    checkCounts(one.statistics, one.items.count, stream.count)
    one.check(LeanReading(Cuts(stream, seed: seed), cap: cap), "without its end, in chunks")
  }

  private func checkCounts(_ counts: ReportReader.Statistics, _ items: Int, _ bytes: Int) {
    require(counts.bytes == bytes, "\(counts.bytes) bytes of \(bytes)")
    require(
      counts.lines == counts.reports + counts.malformed + counts.overlong && counts.lines == items,
      "counts that do not add up: \(counts)")
  }

  /// - Parameter known: The complete reading without members that have no field, as for locations.
  private func check(_ lean: LeanReading, _ whole: FullReading, _ known: FullReading) {
    require(lean.statistics == whole.statistics, "\(lean.statistics) and \(whole.statistics)")
    require(lean.items.count == whole.items.count, "\(lean.items) and \(whole.items)")
    require(known.items.count == whole.items.count, "\(known.items) and \(whole.items)")
    for (index, pair) in zip(lean.items, whole.items).enumerated() {
      switch pair {
      case (.report(let lean), .report(let report)):
        require(lean.className == report.className, "\(lean) and \(report)")
        let isRead = if case .other = lean { false } else { true }
        require(
          !isRead || .report(lean) == known.items[index], "\(lean) and \(known.items[index])")
        RoundTrips.check(report, of: whole.lines[index])
      case (.malformed(let lean), .malformed(let report)):
        require(lean == report, "\(lean) and \(report)")
      default: require(false, "\(pair.0) and \(pair.1)")
      }
    }
  }

  /// Requires that a location is in range for any report.
  private func check(_ location: Location) {
    require(
      (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude),
      "a location at \(location.latitude), \(location.longitude)")
    require(
      location.timestamp.timeIntervalSinceReferenceDate.isFinite, "a location without a time")
    for value in [location.altitude, location.speed, location.course] {
      require(value?.isFinite ?? true, "a value that is not finite: \(location)")
    }
  }
}
