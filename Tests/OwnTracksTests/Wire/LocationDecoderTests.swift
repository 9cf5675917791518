import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import OwnTracks

@Suite(.inTurn) struct LocationDecoderTests {
  static func decode(_ json: String) -> DecodedLocation {
    LocationDecoder.decode(Array(json.utf8).span)
  }

  /// The members of a location besides `_type`, and the expected result.
  struct Case: Sendable, CustomTestStringConvertible {
    let members: String
    let expected: Location?

    init(_ members: String, _ expected: Location?) {
      (self.members, self.expected) = (members, expected)
    }

    var testDescription: String { members }
  }

  static func location(
    _ latitude: Double = 1, _ longitude: Double = 2, _ seconds: Double = 3,
    _ change: (inout Location.Values) -> Void = { _ in }
  ) -> Location {
    let location = try? Location(
      latitude: latitude, longitude: longitude,
      timestamp: Date(timeIntervalSince1970: seconds)
    ).with(change)
    guard let location else { fatalError("The table has an invalid location.") }
    return location
  }

  /// Empty lists, nested to a depth.
  static func lists(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  static let required = #""lat":1,"lon":2,"tst":3"#

  static let cases: [Case] = [
    Case(required, location()),
    Case(#" "tst" : 3 , "lon":2.0,"lat":1e0 "#, location()),
    Case(#""lat":-90,"lon":180,"tst":3"#, location(-90, 180)),
    Case(#""lat":90.0000001,"lon":2,"tst":3"#, nil),
    Case(#""lat":1,"lon":-180.5,"tst":3"#, nil),
    Case(#""lat":1,"lon":2"#, nil),
    Case(#""lat":1,"tst":3"#, nil),
    Case(#""lon":2,"tst":3"#, nil),
    Case(#""lat":"1","lon":2,"tst":3"#, nil),
    Case(#""lat":null,"lon":2,"tst":3"#, nil),
    Case(#""lat":[1],"lon":2,"tst":3"#, nil),
    Case(#""lat":NaN,"lon":2,"tst":3"#, nil),
    Case(#""lat":1e999,"lon":2,"tst":3"#, nil),
    Case(#""lat":1e-999,"lon":2,"tst":3"#, location(0)),
    Case(#""lat":-0,"lon":-0.0,"tst":3"#, location(0, 0)),
    Case(#""lat":1,"lon":2,"tst":-0"#, nil), Case(#""lat":1,"lon":2,"tst":0"#, nil),
    Case(#""lat":1,"lon":2,"tst":0,"tst_ns":5"#, location(1, 2, 5e-9)),
    Case(#""lat":01,"lon":2,"tst":3"#, nil),
    Case(#""lat":1.,"lon":2,"tst":3"#, nil),
    Case(#""lat":.1,"lon":2,"tst":3"#, nil),
    Case(#""lat":+1,"lon":2,"tst":3"#, nil),
    Case(#""lat":1e,"lon":2,"tst":3"#, nil),
    Case(#""lat":-,"lon":2,"tst":3"#, nil),
    Case(#""lat":0x1,"lon":2,"tst":3"#, nil),
    // The time.
    Case(#""lat":1,"lon":2,"tst":3.5"#, location(1, 2, 3.5)),
    Case(#""lat":1,"lon":2,"tst":3.5,"tst_ns":1"#, location(1, 2, 3.5)),
    Case(#""lat":1,"lon":2,"tst":3,"tst_ns":250000000"#, location(1, 2, 3.25)),
    Case(#""lat":1,"lon":2,"tst":-3,"tst_ns":250000000"#, location(1, 2, -2.75)),
    Case(required + #","tst_ns":1000000000"#, location()),
    Case(required + #","tst_ns":-1"#, location()),
    Case(required + #","tst_ns":0.5"#, location()),
    Case(required + #","tst_ns":"5""#, location()),
    Case(#""lat":1,"lon":2,"tst":"3""#, nil),
    Case(#""lat":1,"lon":2,"tst":253402300799"#, location(1, 2, 253_402_300_799)),
    Case(#""lat":1,"lon":2,"tst":253402300800"#, nil),
    Case(#""lat":1,"lon":2,"tst":-62135596801"#, nil),
    Case(#""lat":1,"lon":2,"tst":1e300"#, nil),
    // Optional members.
    Case(
      required + #","acc":5,"vac":7,"alt":-11,"vel":36,"cog":270"#,
      location {
        ($0.horizontalAccuracy, $0.verticalAccuracy, $0.altitude) = (5, 7, -11)
        ($0.speed, $0.course) = (10, 270)
      }),
    Case(
      required + #","acc":0,"vac":0,"alt":0,"vel":0,"cog":0"#,
      location {
        ($0.horizontalAccuracy, $0.verticalAccuracy, $0.altitude) = (0, 0, 0)
        ($0.speed, $0.course) = (0, 0)
      }),
    Case(required + #","acc":-1,"vac":-1,"vel":-1,"cog":-1"#, location()),
    Case(required + #","acc":"5","vac":{},"alt":[],"vel":true,"cog":null"#, location()),
    Case(required + #","acc":1e999,"alt":1e9,"cog":361"#, location()),
    Case(required + #","cog":360"#, location { $0.course = 0 }),
    Case(required + #","acc":12.75"#, location { $0.horizontalAccuracy = 12.75 }),
    // Names.
    Case(#""\u006cat":1,"l\u006Fn":2,"ts\u0074":3"#, location()),
    Case(#""lat\u0000":9,"lat":1,"lon":2,"tst":3"#, location()),
    Case(#""LAT":9,"lat ":9,"":9,"latitude_of_it":9,"lat":1,"lon":2,"tst":3"#, location()),
    Case(#""lat":1,"lat":9,"lon":2,"tst":3,"tst":9"#, location()),
    Case(#""lat":"?","lat":1,"lon":2,"tst":3"#, nil),
    // Other members.
    Case(required + #","x":{"lat":9,"y":[1,{"tst":9},[]],"z":{}},"a":[],"b":true"#, location()),
    Case(required + #","x":"\"lat\":9 é 😀 \ud83d\ude00 \\""#, location()),
    Case(required + #","x":\#(lists(31))"#, location()),
    Case(required + #","x":\#(lists(32))"#, nil),
    Case(required + #","x":"\ud83d""#, nil),
    Case(required + #","x":"\ude00""#, nil),
    Case(required + #","x":"\ud83d\u0041""#, nil),
    Case(required + #","x":"\ud83d\ud83d""#, nil),
    Case(required + #","x":"\ud83dA""#, nil),
    Case(required + #","x":"\x""#, nil),
    Case(required + #","x":"\u12g4""#, nil),
    Case(required + ",\"x\":\"\n\"", nil),
    Case(required + #","x":tru"#, nil),
    Case(required + #","x":[1,]"#, nil),
    Case(required + #","x":{"y"}"#, nil),
    Case(required + #","x":[1}"#, nil),
    Case(required + #","x"#, nil),
    Case(required + ",", nil),
    Case(required + #" "x":1"#, nil),
    Case(required + "}", nil),
    Case(required + "}{", nil),
  ]

  @Test(arguments: cases)
  func decodes(_ row: Case) {
    for json in [
      #"{"_type":"location",\#(row.members)}"#, #" {\#(row.members) , "_type":"location"}"# + "\n",
    ] {
      let decoded = Self.decode(json)
      if let expected = row.expected {
        #expect(decoded == .location(expected), "\(json)")
      } else {
        guard case .malformed = decoded else {
          Issue.record("\(json) is decoded as \(decoded)")
          continue
        }
      }
    }
  }

  static let types: [(String, OwnTracksError.Code?)] = [
    (#"{"_type":"lwt","tst":1}"#, nil),
    (#"{"_type":"lwt","_type":"location","lat":1,"lon":2,"tst":3}"#, nil),
    (#"{"_type":"locations","lat":1,"lon":2,"tst":3}"#, nil),
    (#"{"_type":"Location"}"#, nil),
    (#"{"_type":""}"#, nil),
    (#"{"_type":"locatio\u006e\u0000"}"#, nil),
    (#"{"_type":"location"}"#, .invalidMember),
    (#"{"_type":"locatio\u006e"}"#, .invalidMember),
    (#"{"_type":1}"#, .noType),
    (#"{"_type":null,"_type":"lwt"}"#, .noType),
    (#"{"lat":1,"lon":2,"tst":3}"#, .noType),
    ("{}", .noType),
    (" { } ", .noType),
    ("", .notJSON),
    (" ", .notJSON),
    ("{", .notJSON),
    ("[]", .notJSON),
    ("null", .notJSON),
    ("\u{FEFF}{}", .notJSON),
    ("{}\0", .notJSON),
    ("{,}", .notJSON),
    (String(repeating: " ", count: 1 << 20) + "{}", .tooLong),
  ]

  @Test(arguments: types)
  func distinguishesTypes(_ json: String, _ code: OwnTracksError.Code?) {
    switch Self.decode(json) {
    case .location(let location, _): Issue.record("\(location)")
    case .lastWill, .encrypted, .other: #expect(code == nil)
    case .malformed(let error): #expect(error.code == code)
    }
  }

  /// The member of the assessment, and the result; nil if the location counts as not assessed.
  static let assessments: [(String, LocationIntegrity?)] = [
    ("", nil),
    (#","suspect":[]"#, .plausible),
    (#","suspect": [ ] "#, .plausible),
    (#","suspect":["jump","antenna"]"#, LocationIntegrity(reasons: [.jump, .antenna])),
    (#","suspect":["\u006aump","later"]"#, LocationIntegrity(reasons: .jump)),
    (#","suspect":["later"]"#, nil),
    (#","suspect":[1]"#, nil),
    (#","suspect":["jump",[]]"#, nil),
    (#","suspect":"jump""#, nil),
    (#","suspect":{"jump":1}"#, nil),
    (#","suspect":null"#, nil),
    (#","suspect":["jump"],"suspect":[]"#, LocationIntegrity(reasons: .jump)),
    (#","suspect":[\#(Array(repeating: #""x""#, count: 99_999).joined(separator: ","))]"#, nil),
  ]

  @Test(arguments: assessments)
  func readsTheAssessment(_ member: String, _ expected: LocationIntegrity?) throws {
    let json = #"{"_type":"location",\#(Self.required)\#(member)}"#
    guard case .location(let location, _) = Self.decode(json),
      case .location(let message) = try OwnTracksMessage(json: Array(json.utf8))
    else {
      Issue.record("\(json)")
      return
    }
    #expect(location.integrity == expected)
    #expect(message.location.integrity == expected)
    #expect(message.otherMembers.isEmpty)
    let encoded = try OwnTracksMessage(json: OwnTracksMessage.location(message).json)
    guard case .location(let again) = encoded else {
      Issue.record("\(encoded)")
      return
    }
    #expect(again.location.integrity == expected)
  }

  @Test(arguments: ["[", "[1", #"["jump""#, "[,]", LocationDecoderTests.lists(32)])
  func refusesAnInvalidAssessment(_ value: String) {
    let decoded = Self.decode(#"{"_type":"location",\#(Self.required),"suspect":\#(value)}"#)
    guard case .malformed = decoded else {
      Issue.record("\(decoded)")
      return
    }
  }

  @Test func recognizesTheLastWill() {
    #expect(Self.decode(#"{"_type":"lwt","tst":1}"#) == .lastWill)
    #expect(Self.decode(#"{"_type":"lw"}"#) == .other)
  }

  /// Byte sequences of each kind that is invalid in UTF-8.
  static let invalidSequences: [[UInt8]] = [
    [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
  ]

  @Test(arguments: invalidSequences)
  func refusesInvalidUTF8(_ bytes: [UInt8]) {
    let start = Array(#"{"_type":"lwt","x":""#.utf8)
    for padding in 0..<9 {
      let text = [UInt8](repeating: 0x61, count: padding)
      let payload = start + text + bytes + text + Array("\"}".utf8)
      guard case .malformed = LocationDecoder.decode(payload.span) else {
        Issue.record("\(payload) is valid")
        continue
      }
    }
  }
}
