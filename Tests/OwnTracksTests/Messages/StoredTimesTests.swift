import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import OwnTracks

/// The message that confirms stored locations, and the request for it.
@Suite(.inTurn) struct StoredTimesTests {
  private static func time(_ seconds: Double) -> LocationTime { LocationTime(seconds: seconds)! }

  @Test func aMessageIsDecodedAsItWasEncoded() throws {
    let stored = StoredTimes(
      from: Self.time(1_777_863_600), [1_777_863_600.25, -5.5].map(Self.time),
      refused: [Self.time(7)], by: "a1")
    #expect(StoredTimes(stored.json.span) == stored)
    #expect(
      String(decoding: stored.json, as: UTF8.self)
        == #"{"_type":"stored","server":"a1","from":1777863600.0,"times":[1777863600.25,-5.5],"#
        + #""refused":[7.0]}"#)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"_type":"stored"}"#, #"{"_type":"stored","from":1}"#,
    #"{"_type":"stored","from":"1","times":[]}"#, #"{"_type":"stored","from":1,"times":{}}"#,
    #"{"_type":"location","from":1,"times":[1]}"#, #"{"_type":"stored","from":1e300,"times":[]}"#,
    #"{"_type":"stored","from":1,"times":[1]"#,
    #"{"_type":"stored","from":1,"times":[]}"# + String(repeating: " ", count: 65_536),
  ])
  func anyOtherPayloadIsNoConfirmation(_ payload: String) {
    #expect(StoredTimes(Array(payload.utf8).span) == nil)
  }

  @Test func invalidTimesAreSkipped() {
    let payload = #"{"_type":"stored","from":1,"times":[2,"3",null,1e300,[4],5]}"#
    #expect(StoredTimes(Array(payload.utf8).span)?.times == [Self.time(2), Self.time(5)])
  }

  @Test func aServerNameThatIsTooLongIsIgnored() {
    let payload =
      #"{"_type":"stored","server":"\#(String(repeating: "a", count: 65))","from":1,"times":[2]}"#
    #expect(
      StoredTimes(Array(payload.utf8).span) == StoredTimes(from: Self.time(1), [Self.time(2)]))
  }

  @Test func theNumberOfTimesIsLimited() {
    let times = (0..<StoredTimes.limit + 1).map { Self.time(1_777_863_600.123456 + Double($0)) }
    let decoded = StoredTimes(StoredTimes(from: times[0], times).json.span)
    #expect(decoded?.times == Array(times.prefix(StoredTimes.limit)))
  }

  /// The publisher has the time from a location, the server from the message, which may have passed
  /// through another program.
  @Test func theTimeOfALocationIsThatOfItsMessage() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<1_000 {
      let seconds = Double.random(in: 0..<3e9, using: &random)
      let location = try Location(
        latitude: 1, longitude: 2, timestamp: Date(timeIntervalSince1970: seconds))
      let message = OwnTracksMessage.location(LocationMessage(location)).json
      guard case .location(let decoded, _) = LocationDecoder.decode(message.span) else {
        Issue.record("\(message)")
        return
      }
      let time = LocationTime(location.timestamp)
      #expect(LocationTime(decoded.timestamp) == time)
      #expect(StoredTimes(StoredTimes(from: time, [time]).json.span)?.times == [time])
    }
  }

  @Test(arguments: [nil, 1_777_863_599.75])
  func aRequestIsAMemberOfTheLocation(_ previous: Double?) throws {
    let location = try Location(
      latitude: 1, longitude: 2, timestamp: Date(timeIntervalSince1970: 1_777_863_600))
    let message = OwnTracksMessage.location(LocationMessage(location)).json
    let request = ConfirmationRequest(
      from: Self.time(1_777_863_599.5), after: previous.map(Self.time))
    let requesting = request.added(to: message)
    guard case .location(let plain, nil) = LocationDecoder.decode(message.span),
      case .location(let decoded, let decodedRequest?) = LocationDecoder.decode(requesting.span)
    else {
      Issue.record("\(String(decoding: requesting, as: UTF8.self))")
      return
    }
    #expect(decoded == plain)
    #expect(decodedRequest == request)
    #expect(try OwnTracksMessage(json: requesting) == OwnTracksMessage(json: message))
  }

  @Test(arguments: ["\"1\"", "null", "1e300", "{}"])
  func anInvalidRequestIsIgnored(_ value: String) {
    let message = #"{"_type":"location","lat":1,"lon":2,"tst":3,"confirm":\#(value)}"#
    guard case .location(_, nil) = LocationDecoder.decode(Array(message.utf8).span) else {
      Issue.record("\(message)")
      return
    }
  }
}
