import AsyncLocation
import FoundationEssentials

@testable import GPSDBackend

/// A stream of bytes, and what must hold of it.
struct Subject {
  typealias Item = ReportReader.Item

  let stream: [UInt8]
  let cap: Int
  let seed: UInt8

  /// What a reader makes of the stream in these chunks.
  private struct Reading: Equatable {
    var items: [Item] = []
    var lines: [[UInt8]] = []
    var statistics = ReportReader.Statistics()
  }

  private func read(_ chunks: [ArraySlice<UInt8>], whole: Bool) -> Reading {
    var reader = ReportReader(maximumLineLength: cap)
    var decoder = ReportDecoder()
    var reading = Reading()
    for chunk in chunks {
      // A copy of its own, so that a read beyond its end is one beyond an allocation.
      Array(chunk).withUnsafeBytes { bytes in
        if whole {
          reader.readWhole(bytes, with: &decoder) { item, line in
            reading.items.append(copy item)
            reading.lines.append(Array(line))
          }
        } else {
          reader.read(bytes) { reading.items.append(copy $0) }
        }
      }
    }
    reading.statistics = reader.statistics
    return reading
  }

  /// The stream in chunks of lengths that the seed chooses.
  private var chunks: [ArraySlice<UInt8>] {
    var state = UInt32(seed) &* 2_654_435_761 &+ 1
    var chunks: [ArraySlice<UInt8>] = []
    var rest = stream[...]
    while !rest.isEmpty {
      state = state &* 1_664_525 &+ 1_013_904_223
      let length = seed == 0 ? 1 : 1 + Int(state >> 16) % (4 * Int(seed))
      chunks.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return chunks
  }

  /// The framer holds no more than a line of the longest kind.
  func checkFraming() {
    var framer = LineFramer(cap: cap)
    let page = 4096  // What an allocator adds to a large array.
    for chunk in chunks {
      Array(chunk).withUnsafeBytes { bytes in
        var offset = 0
        while framer.next(in: bytes, from: &offset) != nil {}
        require(offset == bytes.count, "the framer stopped at \(offset) of \(bytes.count)")
      }
      require(
        framer.carried.capacity <= cap + page,
        "the framer holds \(framer.carried.capacity) bytes with a cap of \(cap)")
    }
  }

  /// Where the stream is cut makes no difference.
  func checkSplitting() {
    for whole in [false, true] {
      let (one, many) = (read([stream[...]], whole: whole), read(chunks, whole: whole))
      require(one == many, "cut, it reads as \(many) and not as \(one)")
      let counts = one.statistics
      require(counts.bytes == stream.count, "\(counts.bytes) bytes of \(stream.count)")
      require(
        counts.lines == counts.reports + counts.malformed + counts.overlong
          && counts.lines == one.items.count, "counts that do not add up: \(counts)")
    }
  }

  /// What a line is for locations is what it is as a whole, and what is written reads back.
  func checkRoundTrips() {
    let lean = read([stream[...]], whole: false).items
    let whole = read([stream[...]], whole: true)
    require(lean.count == whole.items.count, "\(lean.count) items and \(whole.items.count)")
    for (index, pair) in zip(lean, whole.items).enumerated() {
      switch pair {
      case (.report(let lean), .report(let report)):
        require(lean.className == report.className, "\(lean) and \(report)")
        if case .other = lean {} else { require(lean == report, "\(lean) and \(report)") }
        checkRoundTrip(report, of: whole.lines[index])
      case (.malformed(let lean), .malformed(let report)):
        require(lean == report, "\(lean) and \(report)")
      default: require(false, "\(pair.0) and \(pair.1)")
      }
    }
  }

  private func checkRoundTrip(_ report: GPSDReport, of line: [UInt8]) {
    do {
      require(try GPSDReport(line: line) == report, "another report from the line alone")
      let encoded = try JSONEncoder().encode(report)
      require(try GPSDReport(line: encoded) == report, "written and read: \(report)")
      let decoded = try JSONDecoder().decode(GPSDReport.self, from: encoded)
      require(decoded == report, "written and decoded: \(decoded) and \(report)")
    } catch {
      require(false, "\(error) of \(report)")
    }
  }

  /// No location is out of range, whatever the reports.
  func checkLocations() {
    var assembler = EventAssembler()
    var events: [BackendEvent] = []
    for case .report(let report) in read([stream[...]], whole: false).items {
      assembler.add(report, at: { Date(timeIntervalSinceReferenceDate: 800_000_000) }, to: &events)
    }
    for case .location(let location) in events {
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
}
