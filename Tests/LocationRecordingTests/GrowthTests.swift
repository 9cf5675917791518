import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

/// A recording of twice the size costs about twice as much at most, in bytes examined and bytes
/// held. The bytes are counted; no time is measured.
@Suite(.inTurn) struct GrowthTests {
  struct Content: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Returns the content with a number of points.
    let content: @Sendable (Int) -> [UInt8]
    /// Whether the bytes held grow with the number of points.
    let isHeld: Bool
    /// Whether the content is refused.
    let isRefused: Bool

    init(_ format: LongRecordingTests.Format) {
      (testDescription, content) = (format.testDescription, format.content)
      (isHeld, isRefused) = (false, false)
    }

    init(
      testDescription: String, content: @escaping @Sendable (Int) -> String, isHeld: Bool = false,
      isRefused: Bool = false
    ) {
      (self.testDescription, self.isHeld, self.isRefused) = (testDescription, isHeld, isRefused)
      self.content = { Array(content($0).utf8) }
    }
  }

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    (0..<count).map(element).joined(separator: ",")
  }

  private static func point(_ number: Int) -> String {
    #"{"type":"Feature","properties":{"speed":\#(number)},"geometry":{"type":"Point","#
      + #""coordinates":[\#(number % 180),1.5]}}"#
  }

  private static func positions(_ count: Int) -> String {
    "[" + list(count) { "[\($0 % 180).25,\($0 % 90)]" } + "]"
  }

  private static func times(_ count: Int) -> String {
    "["
      + list(count) {
        "\"2026-05-04T12:\(($0 / 60 % 60).padded(to: 2)):\(($0 % 60).padded(to: 2))Z\""
      }
      + "]"
  }

  /// Recordings that are read point by point.
  static let streams = LongRecordingTests.formats.map { Content($0) }

  static let documents = [
    Content(
      testDescription: "a collection",
      content: { #"{"type":"FeatureCollection","features":[\#(list($0, point))]}"# }),
    Content(
      testDescription: "a collection with its features before its type",
      content: { #"{"features":[\#(list($0, point))],"type":"FeatureCollection"}"# }),
    Content(
      testDescription: "a line followed by its times",
      content: {
        #"{"type":"Feature","geometry":{"type":"LineString","coordinates":\#(positions($0))},"#
          + #""properties":{"coordTimes":\#(times($0))}}"#
      }, isHeld: true),
    Content(
      testDescription: "a KML track with one time too many",
      content: { count in
        let when = "<when>2026-05-04T12:00:00Z</when>"
        return "<kml><Track>" + when
          + (0..<count).map { "\(when)<coord>1 \($0 % 90) 1</coord>" }.joined() + "</Track></kml>"
      }),
    Content(
      testDescription: "a KML track preceded by its times",
      content: { count in
        "<kml><Track>" + (0..<count).map { _ in "<when>2026-05-04T12:00:00Z</when>" }.joined()
          + (0..<count).map { "<coord>1 \($0 % 90) 1</coord>" }.joined() + "</Track></kml>"
      }, isHeld: true),
    Content(
      testDescription: "a path of a timeline followed by its start",
      content: {
        "[{\"timelinePath\":["
          + list($0) { _ in
            "{\"point\":\"geo:1,2\",\"durationMinutesOffsetFromStartTime\":\"5\"}"
          } + "],\"startTime\":\"2026-05-04T12:00:00Z\"}]"
      }, isHeld: true),
    Content(
      testDescription: "visits of a timeline",
      content: {
        "[" + list($0) { "{\"visit\":{\"topCandidate\":{\"placeLocation\":\"geo:\($0 % 90),2\"}}}" }
          + "]"
      }),
    Content(
      testDescription: "a line followed by its type",
      content: { #"{"coordinates":\#(positions($0)),"type":"LineString"}"# }, isHeld: true),
    Content(
      testDescription: "lines",
      content: {
        #"{"type":"MultiLineString","coordinates":[\#(list($0 / 2) { _ in positions(2) })]}"#
      }, isHeld: true),
    Content(
      testDescription: "repeated coordinates",
      content: {
        #"{"type":"LineString",\#(list($0 / 10) { _ in #""coordinates":\#(positions(10))"# })}"#
      }),
    Content(
      testDescription: "foreign members",
      content: {
        #"{"type":"Point","coordinates":[1,2],"a":[\#(list($0) { "{\"b\":[\($0),[]]}" })]}"#
      }),
    Content(
      testDescription: "a long text",
      content: {
        #"{"type":"Point","coordinates":[1,2],"a":"\#(String(repeating: "x\\n", count: $0))"}"#
      }
    ),
    Content(
      testDescription: "white space",
      content: { #"{"type":"Point",\#(String(repeating: " \n", count: $0))"coordinates":[1,2]}"# }),
    Content(
      testDescription: "invalid features",
      content: { "{\"type\":\"FeatureCollection\",\"features\":[\n\(list($0) { _ in "{}\n" })]}" }),
    Content(
      testDescription: "a damaged document of a sequence",
      content: { "\u{1E}{\"a\":x\(String(repeating: "[]", count: $0))\u{1E}" + point(1) }),
    Content(
      testDescription: "nesting", content: { #"{"type":"# + String(repeating: "[", count: $0) },
      isRefused: true),
    Content(
      testDescription: "a long number",
      content: { #"{"type":"Point","coordinates":[1\#(String(repeating: "0", count: $0))]}"# },
      isRefused: true),
  ]

  private struct Cost {
    var processed = 0
    var held = 0

    init(_ content: Content, count: Int) throws {
      let bytes = content.content(count)
      var reader = RecordingReader(options: RecordingOptions(start: start))
      do throws(RecordingError) {
        // The first piece is large enough to recognize the format.
        var rest = bytes[...]
        while !rest.isEmpty {
          let length = rest.count == bytes.count ? FormatDetection.limit : 1000
          reader.supply(Array(rest.prefix(length)))
          rest = rest.dropFirst(length)
          while try reader.nextEvents() != nil { held = max(held, reader.cost.held) }
          held = max(held, reader.cost.held)
        }
        _ = try reader.finish()
      } catch {
        guard content.isRefused else { throw error }
      }
      processed = reader.cost.processed
      #expect(processed <= 3 * bytes.count)
    }
  }

  @Test("F84 twice the size costs twice as much", .longWork, arguments: streams + documents)
  func costGrowsWithTheSize(_ content: Content) throws {
    let count = 2000
    let (once, twice) = (try Cost(content, count: count), try Cost(content, count: 2 * count))
    #expect(Double(twice.processed) <= 2.2 * Double(once.processed))
    if content.isHeld {
      // The number of bytes held doubles, and is no larger than a position and a time require.
      #expect(twice.held > once.held)
      #expect(twice.held <= 60 * 2 * count)
      #expect(Double(twice.held) <= 2.2 * Double(once.held))
    } else {
      #expect(twice.held <= 2 * once.held + 2000, "\(once.held), \(twice.held)")
      #expect(twice.held <= 20_000)
    }
  }

  /// Counts the calls in which its storage is shared, which shows that the reader was copied.
  private struct Probe: FormatReader {
    final class Storage {}

    private var storage = Storage()
    private(set) var cost = ReadingCost()
    let line = 1

    mutating func read(_ bytes: [UInt8], into output: inout RecordingOutput) {
      if !isKnownUniquelyReferenced(&storage) { cost.processed += 1 }
    }

    mutating func finish(into output: inout RecordingOutput) { read([], into: &output) }
  }

  /// With a copy for each piece, the time for a long line would grow with the square of its length.
  @Test func aReaderIsNotCopied() throws {
    var reader = RecordingReader(Probe())
    for _ in 0..<3 { _ = try reader.read([1]) }
    _ = try reader.finish()
    #expect(reader.cost.processed == 0)
  }

  @Test("a long line is delivered in parts", .longWork) func givesALongLineInParts() throws {
    let count = 3 * RecordingOutput.batchCount / 2
    for text in [
      #"{"type":"LineString","coordinates":\#(Self.positions(count))}"#,
      #"{"type":"MultiPoint","coordinates":\#(Self.positions(count))}"#,
    ] {
      var reader = RecordingReader()
      reader.supply(Array((text + text).utf8))
      var counts: [Int] = []
      while let events = try reader.nextEvents() { counts.append(events.count) }
      counts.append(try reader.finish().count)
      #expect(counts.allSatisfy { $0 <= RecordingOutput.batchCount + 1 }, "\(counts)")
      #expect(counts.count > 2)
      #expect(try counts.reduce(0, +) == recording(text + text).events.count)
    }
  }

  @Test("a feature that needs too much memory is refused") func refusesALargeFeature() throws {
    let text = #"{"type":"LineString",\#n"coordinates":\#(Self.positions(100))}"#
    func read(maximumHeld: Int) throws {
      var document = GeoJSONDocument(acceptsGeometry: true, maximumHeld: maximumHeld)
      var index = 0
      let bytes = Array(text.utf8)
      while index < bytes.count { _ = try document.read(bytes.span, at: &index) }
      try document.finish()
    }
    try read(maximumHeld: 100 * 24)
    let fault = #expect(throws: GeoJSON.Fault.self) { try read(maximumHeld: 100 * 24 - 1) }
    let error = RecordingError(try #require(fault))
    #expect(error.code == .tooLarge)
    #expect(error.line == 2)
  }
}
