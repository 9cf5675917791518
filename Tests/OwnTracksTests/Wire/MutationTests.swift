import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import OwnTracks

/// Both decoders read damaged payloads with the same result.
@Suite(.inTurn) struct MutationTests {
  /// Tokens that affect a payload more often than random bytes do.
  static let tokens: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0061", "\\ud83d", "\\ude00", "null", "true",
      "false", "NaN", "-", "0", "1e999", "1e1", "0.1", "90.0000001", "-180", "\"lat\":", "1",
      "\"lon\":2,", "\"tst\":3,", "\"tst_ns\":5,", "\"_type\":\"location\",", "\"_type\":\"lwt\",",
      "\"acc\":-1,", "\"vel\":1e308,", "é", "\u{FEFF}", " ", "\n", "123456789012345678901",
      "0.12345678901234567890", "\"l\\u0061t\":7,", "\"x\":{\"lat\":8},",
    ].map { Array($0.utf8) } + [[0xC0], [0xED, 0xA0, 0x80], [0xFF], [0]]

  static func mutate(_ payload: inout [UInt8], _ random: inout SplitMix64) {
    let start = Int.random(in: 0...payload.count, using: &random)
    let end = min(payload.count, start + Int.random(in: 0...4, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: payload.removeSubrange(start..<end)
    case 1: payload.removeSubrange(start...)
    case 2: payload.insert(contentsOf: payload[start..<end], at: start)
    case 3 where start < payload.count:
      payload[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 4 where start < payload.count: payload[start] = .random(in: 0...255, using: &random)
    case 5: payload.replaceSubrange(start..<end, with: random.pick(tokens))
    case 6:  // Where a member may begin.
      let commas = payload.indices.filter { payload[$0] == 0x2C || payload[$0] == 0x7B }
      guard !commas.isEmpty else { return }
      payload.insert(contentsOf: random.pick(tokens), at: random.pick(commas) + 1)
    default: payload.insert(contentsOf: random.pick(tokens), at: start)
    }
  }

  static func payload(_ samples: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
    var payload = random.pick(samples)
    for _ in 0..<random.pick([1, 1, 1, 2, 4]) { mutate(&payload, &random) }
    return payload
  }

  static func samples(_ list: [Sample]) -> [[UInt8]] { list.map { Array($0.json.utf8) } }

  @Test(.longWork) func bothDecodersGiveTheSameResult() {
    var random = SplitMix64(seed: 5)
    let samples = Self.samples(Sample.locations + Sample.locations + Sample.others)
    var counts = (locations: 0, others: 0, malformed: 0)
    for _ in 0..<Rounds.of(20_000) {
      let payload = Self.payload(samples, &random)
      let fast = LocationDecoder.decode(payload.span)
      let full = Result { () throws(OwnTracksError) in try OwnTracksMessage(json: payload) }
      switch (fast, full) {
      case (.location(let location, _), .success(.location(let message)))
      where location == message.location:
        counts.locations += 1
      case (.malformed(let error), .failure(let fullError)) where error == fullError:
        counts.malformed += 1
      case (.lastWill, .success(.lastWill)): counts.others += 1
      // The fast path does not read the data of an encrypted message, which may be invalid.
      case (.encrypted, .success(.encrypted)), (.encrypted, .failure): counts.others += 1
      case (.other, .success(.location)), (.other, .success(.encrypted)),
        (.other, .success(.lastWill)), (.location, _), (.malformed, _), (.lastWill, _),
        (.encrypted, _):
        Issue.record("\(String(decoding: payload, as: UTF8.self)): \(fast), \(full)")
      case (.other, _): counts.others += 1
      }
    }
    // The mutations cause every kind of result.
    #expect(min(counts.locations, counts.others, counts.malformed) > Rounds.of(1_000))
  }

  /// The location that Foundation's decoder reads from a payload that was accepted.
  struct Reference: Decodable {
    let location: Location?

    enum CodingKeys: String, CodingKey {
      case lat, lon, tst, acc, alt, vac, vel, cog
      case nanoseconds = "tst_ns"
      case type = "_type"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      func number(_ key: CodingKeys, _ range: ClosedRange<Double>) -> Double? {
        (try? members.decode(Double.self, forKey: key)).flatMap { range.contains($0) ? $0 : nil }
      }
      guard try members.decode(String.self, forKey: .type) == "location",
        let latitude = number(.lat, -90...90), let longitude = number(.lon, -180...180),
        let seconds = number(.tst, -62_135_596_800...253_402_300_799.999)
      else {
        location = nil
        return
      }
      var time = Date(timeIntervalSince1970: seconds)
      if seconds == seconds.rounded(), let rest = number(.nanoseconds, 0...999_999_999),
        rest == rest.rounded()
      {
        time += rest / 1e9
      }
      location = try Location(
        latitude: latitude, longitude: longitude, timestamp: time,
        altitude: number(.alt, -20_000...1e8), horizontalAccuracy: number(.acc, 0...(.infinity)),
        verticalAccuracy: number(.vac, 0...(.infinity)),
        speed: number(.vel, 0...(.infinity)).map { $0 / 3.6 }, course: number(.cog, 0...360))
    }
  }

  @Test(.longWork) func locationsAreThoseOfFoundationsDecoder() throws {
    var random = SplitMix64(seed: 6)
    let samples = Self.samples(Sample.locations)
    let decoder = JSONDecoder()
    for _ in 0..<Rounds.of(20_000) {
      let payload = Self.payload(samples, &random)
      switch LocationDecoder.decode(payload.span) {
      case .location(let location, _):
        let reference = try decoder.decode(Reference.self, from: Data(payload))
        #expect(reference.location == location, "\(String(decoding: payload, as: UTF8.self))")
      case .lastWill, .encrypted, .other:
        #expect(try decoder.decode(Reference.self, from: Data(payload)).location == nil)
      case .malformed: break  // Foundation accepts more than JSON, such as UTF-16.
      }
    }
  }

  @Test(.longWork) func mutatedPayloadsDoNotTrapOnTheFastPath() {
    var random = SplitMix64(seed: 7)
    let samples = Self.samples(Sample.all)
    var locations = 0
    for _ in 0..<Rounds.of(50_000) {
      let payload = Self.payload(samples, &random)
      if case .location = LocationDecoder.decode(payload.span) { locations += 1 }
    }
    #expect(locations > 0)
  }

  @Test(arguments: Sample.all.indices)
  func refusesTruncation(_ index: Int) {
    let payload = Array(Sample.all[index].json.utf8)
    for length in 0..<payload.count {
      guard case .malformed = LocationDecoder.decode(payload.span.extracting(first: length)) else {
        Issue.record("\(length) bytes")
        continue
      }
    }
  }
}
