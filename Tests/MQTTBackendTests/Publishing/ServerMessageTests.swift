import AsyncLocation
import FoundationEssentials
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct ServerMessageTests {
  private static func message(_ topic: String, _ payload: String) -> ServerMessage? {
    ServerMessage(PendingPublication(topic: topic, payload: Array(payload.utf8), date: Date()))
  }

  static let bodies: [(topic: String, payload: String, body: String)] = [
    (
      "owntracks/jane/boat", #"{"_type":"x"}"#, #"{"_type":"x","topic":"owntracks/jane/boat"}"#
    ),
    (
      "owntracks/jane/boat/event", #"{"_type":"x"}"#,
      #"{"_type":"x","topic":"owntracks/jane/boat/event"}"#
    ),
    ("owntracks/jane/boat", "{}", #"{"topic":"owntracks/jane/boat"}"#),
    (
      #"owntracks/"j\/böat"#, #"{"a":1}"#, #"{"a":1,"topic":"owntracks/\"j\\/böat"}"#
    ),
    (
      "owntracks/jane/boat",
      #"{"_type":"location","lat":1.0,"lon":2.0,"tst":5,"topic":"owntracks/eve/car"}"#,
      #"{"_type":"location","lat":1.0,"lon":2.0,"tst":5,"topic":"owntracks/jane/boat"}"#
    ),
    (
      "owntracks/jane/boat/status", #"{"_type":"status","topic":"mine"}"#,
      #"{"_type":"status","topic":"mine"}"#
    ),
    (
      "owntracks/jane/boat/waypoint", #"{"_type":"waypoint","desc":"topic"}"#,
      #"{"_type":"waypoint","desc":"topic","topic":"owntracks/jane/boat/waypoint"}"#
    ),
    (
      "owntracks/jane/boat", #"{"_type":"x","a":["topic" , "\"topic\":"]}"#,
      #"{"_type":"x","a":["topic" , "\"topic\":"],"topic":"owntracks/jane/boat"}"#
    ),
    (
      "owntracks/jane/boat", "{\"_type\":\"x\",\"topic\" \t: 1}",
      "{\"_type\":\"x\",\"topic\" \t: 1}"
    ),
    ("owntracks/jane/boat", "[]", "[]"), ("owntracks/jane/boat", "", ""),
    ("owntracks/jane/boat", "{", "{"),
  ]

  @Test(arguments: bodies)
  func theTopicIsInTheBody(_ example: (topic: String, payload: String, body: String)) throws {
    let message = try #require(Self.message(example.topic, example.payload))
    #expect(String(decoding: message.body, as: UTF8.self) == example.body)
  }

  @Test func headersNameUserAndDevice() throws {
    let message = try #require(Self.message("owntracks/jané/boat/event", "{}"))
    #expect(message.headers.contains("X-Limit-U: jané"))
    #expect(message.headers.contains("X-Limit-D: boat"))
    #expect(message.headers.contains("Content-Type: application/json"))
  }

  @Test(arguments: [
    "", "owntracks", "owntracks/jane", "home/jane/boat", "owntracks/jane/boat/unknown",
    "owntracks/ja\r\nX: y/boat", "owntracks/jane/bo\u{85}at", "owntracks/jane/b\noat",
  ])
  func otherTopicsHaveNoMessage(_ topic: String) {
    #expect(Self.message(topic, "{}") == nil)
  }

  @Test(arguments: [
    "", "recorder", "ftp://x/", "http://", "http://u:p@x/", "http://x/#a", "http://x/ a",
    "http://x/\r\nX: y", "http://x:0/", "http://x:70000/", "http://ü/",
  ])
  func invalidAddressesAreRefused(_ url: String) {
    #expect(throws: LocationError.self) { try OwnTracksServer(url: url).validate() }
  }

  @Test func invalidOptionsAreRefused() throws {
    let url = "https://recorder.example.org:8443/pub?id=secret"
    try OwnTracksServer(url: url).validate()
    #expect(OwnTracksServer(url: url).endpoint == "https://recorder.example.org:8443")
    let invalid = [
      OwnTracksServer(url: "http://x/", tls: .init(authorityFile: "/a")),
      OwnTracksServer(url: url, tls: .init(certificateFile: "/a")),
      OwnTracksServer(url: url, tls: .init(authorityFile: "/a\0")),
      OwnTracksServer(url: url, connectTimeout: .zero),
      OwnTracksServer(url: url, timeout: .seconds(100_000)),
      OwnTracksServer(url: url, reconnection: .exponential(initial: .zero)),
    ]
    for server in invalid { #expect(throws: LocationError.self) { try server.validate() } }
  }
}
